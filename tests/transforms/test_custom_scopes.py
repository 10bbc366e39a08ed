"""What the text of a function with a custom rule says about its result, and the scopes that its rules read."""

from __future__ import annotations

import numpy as np
import pytest
from adc.autograd import Function

import adc

MODES = ["compiled", "python", "tape"]


@adc.custom_vjp
def level(x):
    return 3.0


level.defvjp(lambda x: (3.0, x), lambda x, bar: (2.0 * x * bar,))


@adc.custom_jvp
def pushed_level(x):
    return {"low": 3.0, "high": np.full(x.shape, 4.0)}


@pushed_level.defjvp
def push_level(primals, tangents):
    (x_dot,) = tangents
    return pushed_level(primals[0]), {"low": np.sum(x_dot), "high": 5.0 * x_dot}


@adc.custom_vjp
def shifted(x, y):
    return x + y


shifted.defvjp(lambda x, y: (shifted(1.0, y), None), lambda _, bar: (bar, bar))


@pytest.mark.parametrize("mode", MODES)
def test_a_result_that_is_a_constant_has_the_derivative_of_the_rule(mode):
    assert adc.grad(level, mode=mode)(2.0) == 4.0
    assert adc.grad(lambda x: level(x) * x, mode=mode)(2.0) == 11.0
    assert adc.grad(lambda x: shifted(x, 1.0) ** 2, mode=mode)(2.0) == 4.0
    x = np.array([1.0, 2.0])
    both = adc.jacrev(lambda x: pushed_level(x)["low"] * pushed_level(x)["high"], mode=mode)(x)
    np.testing.assert_allclose(both, 4.0 * np.ones((2, 2)) + 15.0 * np.eye(2))
    found = adc.jvp(pushed_level, (x,), (x,), mode=mode)[1]
    np.testing.assert_allclose([found["low"], *found["high"]], [3.0, 5.0, 10.0])


def slope_with_a_pull_that_reads(y):
    @adc.custom_vjp
    def f(x):
        return 2.0 * np.sin(x)

    def forward(x):
        return f(x), ()

    def back(_, bar):
        return (2.0 * np.cos(y) * bar,)

    f.defvjp(forward, back)
    return adc.grad(f)(1.0)


def slope_with_a_push_that_reads(y):
    @adc.custom_jvp
    def f(x):
        return 2.0 * np.sin(x)

    @f.defjvp
    def push(primals, tangents):
        return f(primals[0]), 2.0 * np.cos(y) * tangents[0]

    return adc.grad(f)(1.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("slope", [slope_with_a_pull_that_reads, slope_with_a_push_that_reads])
def test_what_a_rule_reads_is_differentiated_by_the_derivative_around_it(slope, mode):
    assert adc.grad(slope, mode=mode)(2.0) == pytest.approx(-2.0 * np.sin(2.0))
    assert adc.jvp(slope, (2.0,), (1.0,), mode=mode) == pytest.approx((2.0 * np.cos(2.0), -2.0 * np.sin(2.0)))


def square(x):
    return x**2


@adc.custom_vjp
def by_its_pull(x):
    return square(x)


by_its_pull.defvjp(lambda x: adc.vjp(square, x), lambda pull, bar: pull(bar))


@adc.custom_vjp
def by_a_function(x):
    return square(x)


by_a_function.defvjp(
    lambda x: (square(x), (lambda bar: 2.0 * x * bar, 1.0)), lambda kept, bar: (kept[0](bar),)
)


@adc.custom_vjp
def by_a_known_function(x):
    return square(x)


by_a_known_function.defvjp(
    lambda x: (square(x), (np.multiply, x)), lambda kept, bar: (kept[0](2.0 * kept[1], bar),)
)


@pytest.mark.parametrize("function", [by_its_pull, by_a_function])
def test_functions_among_the_residuals_are_the_tapes(function):
    assert adc.grad(function, mode="tape")(3.0) == 6.0
    with pytest.raises(adc.UnsupportedError, match="hands on a function that it makes"):
        adc.grad(function, mode="compiled")(3.0)


@pytest.mark.parametrize("mode", MODES)
def test_functions_that_are_there_anyway_may_be_residuals(mode):
    assert adc.grad(by_a_known_function, mode=mode)(3.0) == 6.0


@adc.custom_vjp
def squares(x):
    return x * x


def pull_that_writes(kept, bar):
    kept *= bar
    return (2.0 * kept,)


squares.defvjp(lambda x: (x * x, x), pull_that_writes)


@pytest.mark.parametrize("mode", MODES)
def test_a_rule_that_writes_to_the_residuals_gives_the_same_again(mode):
    x, bar = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    _, pull = adc.vjp(squares, x, mode=mode)
    for _ in range(2):
        np.testing.assert_allclose(pull(bar)[0], 2.0 * x * bar)
    np.testing.assert_allclose(adc.jacrev(squares, mode=mode)(x), np.diag(2.0 * x))


class Scaled:
    """Rules that are methods, and read what their object holds."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x * 1.0, None

    def back(self, _, bar):
        return (self.factor * bar,)


def slope_by_methods(factor):
    rules = Scaled(factor)

    @adc.custom_vjp
    def f(x):
        return x * 1.0

    f.defvjp(rules.forward, rules.back)
    return adc.grad(f)(2.0) * factor


@pytest.mark.parametrize("mode", MODES)
def test_what_the_object_of_a_rule_holds_is_differentiated(mode):
    assert adc.grad(slope_by_methods, mode=mode)(3.0) == 6.0


def test_so_is_what_the_backward_of_a_function_of_the_tape_reads():
    def slope(a):
        class Scaling(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.factor = {"again": [a]}
                return x * 1.0

            @staticmethod
            def backward(ctx, bar):
                return bar * a * ctx.factor["again"][0]

        return adc.grad(Scaling.apply, mode="tape")(2.0)

    assert adc.grad(slope, mode="tape")(3.0) == 6.0  # of a**2
