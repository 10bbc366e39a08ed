"""A transform inside a function leaves its arguments alone, as it does when it is called from outside."""

from __future__ import annotations

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]
X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, 1.5, -1.0])
ONES = np.ones(3)


def written(a, b):
    a[0] = 5 * b[1] * a[0]
    b[1] = a[1] ** 2
    return np.sum(a * b * b)


@adc.checkpoint
def again(a, b):
    return written(a, b)


@adc.checkpoint
def by_turns(a, b):
    for _ in range(3):
        b[:] = np.sin(a) + 0.5 * b
        a, b = b, a
    return np.sum(a * a * b)


@adc.checkpoint
def last(a, b):
    for _ in range(3):
        a, b = b, a
    return a


@adc.checkpoint
def one_of(a, b):
    return a if a[0] > 0.0 else b


def written_result(function, x):
    """The result of a function is written to; its arguments are not."""
    y = 2.0 * x
    z = 3.0 * x
    found = function(y, z)
    found[0] = 5.0 * found[1]
    return np.sum(found * found * y) + np.sum(z)


@adc.checkpoint
def several(a):
    b = 3.0 * a
    return b, b, b[1:]


twice = adc.custom_vjp(lambda a: (a, a))
twice.defvjp(lambda a: ((a, a), None), lambda _, bars: (bars[0] + bars[1],))


def written_parts(function, x):
    """The first of several results is written to; the others do not see it."""
    first, *others = function(2.0 * x)
    first[1] = 5.0
    return np.sum(first) * np.sum([np.sum(other * other) for other in others])


def written_derivative(derivative, x):
    """What a transform gives back is written to, and not the direction that it was given."""
    direction = np.cos(x)
    found = derivative(x, direction)
    found[0] = 5.0
    return np.sum(found * direction)


def pulled_back(x, direction):
    return adc.vjp(lambda a: a + 1.0, x)[1](direction)[0]


def pushed_on(x, direction):
    return adc.linearize(lambda a: a[::-1], x)[1](direction)


PROGRAMS = {
    "grad, the other one written": lambda x: np.sum(adc.grad(written)(Y.copy(), x)) + x[1],
    "grad, of what is made for it": lambda x: np.sum(adc.grad(written)(x, 2 * x)) + x[0],
    "jvp": lambda x: adc.jvp(written, (x, 2 * x), (ONES, ONES))[1] + x[0],
    "vjp": lambda x: np.sum(adc.vjp(written, x, 2 * x)[1](1.0)[1]) + x[0],
    "value of vjp": lambda x: adc.vjp(written, x, 2 * x)[0] + x[0],
    "hvp": lambda x: np.sum(adc.hvp(lambda z: written(z, 2 * z), (x,), (ONES,))) + x[0],
    "checkpoint": lambda x: again(x, 2 * x) + x[0],
    "checkpoint, names that change places": lambda x: by_turns(x, 2 * x) + x[0],
    "checkpoint, one of the arguments": lambda x: written_result(one_of, x),
    "checkpoint, an argument of a loop": lambda x: written_result(last, x),
    "checkpoint, one result twice": lambda x: written_parts(several, x),
    "custom rule, one result twice": lambda x: written_parts(twice, x),
    "gradient that is a broadcast": lambda x: written_derivative(lambda a, v: adc.grad(np.sum)(a), x),
    "adjoint handed through": lambda x: written_derivative(pulled_back, x),
    "tangent handed through": lambda x: written_derivative(
        lambda a, v: adc.jvp(lambda b: b, (a,), (v,))[1], x
    ),
    "tangent handed through a map": lambda x: written_derivative(pushed_on, x),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_function_around_sees_no_write(name, mode):
    program, x = PROGRAMS[name], X.copy()
    wanted = program(x)
    np.testing.assert_array_equal(x, X)
    value, gradient = adc.value_and_grad(program, mode=mode)(x)
    np.testing.assert_allclose(value, wanted)
    differences = [(program(X + h) - program(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient, differences, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.sum(adc.grad(written, argnums=(0, 1))(x, x)[0]),
        lambda x: np.sum(adc.grad(written)(x, x)),
        lambda x: adc.jvp(written, (x, x), (ONES, ONES))[1],
        lambda x: adc.vjp(written, x, x)[0],
    ],
)
def test_one_array_given_twice_is_refused(program, mode):
    with pytest.raises(adc.AdcError, match="memory"):
        adc.grad(program, mode=mode)(X)


def test_a_hessian_where_another_argument_is_written():
    found = [adc.hessian(written, mode=mode)(X, Y) for mode in MODES]
    np.testing.assert_allclose(found[0], found[2])
    np.testing.assert_allclose(found[1], found[2])
