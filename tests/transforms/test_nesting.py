"""Derivatives of derivatives, to the fourth order and in every arrangement, without confusion of perturbations."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]
X = np.array([0.3, 0.5, 0.7])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_of_a_scalar_function(order, mode):
    def f(x):
        return np.exp(2.0 * x) * x

    g = f
    for _ in range(order):
        g = adc.grad(g, mode=mode)
    np.testing.assert_allclose(
        g(0.7), np.exp(1.4) * (2.0**order * 0.7 + order * 2.0 ** (order - 1)), rtol=1e-12
    )


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_fourth_order_through_a_loop(mode):
    def power(x):
        result = 1.0
        for _ in range(6):
            result *= x
        return result

    g = power
    for order, factor in enumerate((6, 30, 120, 360), start=1):
        g = adc.grad(g, mode=mode)
        np.testing.assert_allclose(g(1.3), factor * 1.3 ** (6 - order), rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_no_perturbation_confusion(mode):
    assert adc.grad(lambda x: x * adc.grad(lambda y: x + y, mode=mode)(1.0), mode=mode)(2.0) == 1.0
    assert adc.grad(lambda x: x * adc.grad(lambda y: x * y, mode=mode)(3.0), mode=mode)(2.0) == 4.0
    assert (
        adc.grad(lambda x: adc.jvp(lambda y: x * y * y, (3.0,), (1.0,), mode=mode)[1], mode=mode)(2.0) == 6.0
    )


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_newton_iterations_are_differentiated(mode):
    def minimiser(x):
        for _ in range(3):
            x = x - np.linalg.solve(adc.hessian(rosenbrock)(x) + np.eye(3), adc.grad(rosenbrock)(x))
        return np.sum(x)

    found = adc.grad(minimiser, mode=mode)(X)
    h = 1e-6
    wanted = [(minimiser(X + h * e) - minimiser(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_derivatives_inside_loops_and_branches(mode):
    def descend(x, rate):
        for _ in range(4):
            value, slope = adc.value_and_grad(lambda z: np.sum(z**2 * np.cos(z)))(x)
            if value > 0.1:
                x = x - rate * slope
            else:
                x = x - 0.5 * rate * slope
        return np.sum(x * x)

    found = adc.grad(descend, argnums="rate", mode=mode)(X, 0.1)
    h = 1e-6
    np.testing.assert_allclose(found, (descend(X, 0.1 + h) - descend(X, 0.1 - h)) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_pullbacks_inside(mode):
    def f(x):
        value, pull = adc.vjp(lambda z: np.sin(z) * z, x)
        (bar,) = pull(value)
        return np.sum(bar)

    def plainly(x):
        return np.sum(np.sin(x) * x * (np.cos(x) * x + np.sin(x)))

    np.testing.assert_allclose(adc.grad(f, mode=mode)(X), adc.grad(plainly, mode=mode)(X), rtol=1e-12)


POINT = {"z": X, "scale": 2.0}


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_dicts_from_outside_are_points_and_directions(mode):
    def energy(p):
        return np.sum(p["z"] ** 2) * p["scale"]

    def f(x):
        return adc.jvp(energy, ({"z": x, "scale": 1.0},), (POINT,))[1] + x @ adc.grad(energy)(POINT)["z"]

    np.testing.assert_allclose(adc.grad(f, mode=mode)(3.0 * X), 6.0 * X + 12.0 * X, rtol=1e-12)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_closures_share_their_surroundings(mode):
    def f(a, x):
        def inner(z):
            return np.sum(a * z**2)

        return np.sum(adc.grad(inner)(x) ** 2) + adc.jvp(inner, (x,), (a,))[1]

    by_a, by_x = adc.grad(f, argnums=(0, 1), mode=mode)(X, X + 1.0)
    np.testing.assert_allclose(by_a, 8 * X * (X + 1) ** 2 + 4 * X * (X + 1))
    np.testing.assert_allclose(by_x, 8 * X**2 * (X + 1) + 2 * X**2)


ROWS = np.array([0, 1, 1, 2])
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


def gathered(x, rows=ROWS, *, weights=WEIGHTS):
    return np.sum(weights * x[rows] ** 3)


def of_rows(rows, x):
    return np.sum(x[rows] ** 3)


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(
    ("function", "curvature"),
    [
        (gathered, [6.0, 30.0, 24.0]),
        (functools.partial(of_rows, ROWS), [6.0, 12.0, 6.0]),
        (functools.partial(of_rows, rows=ROWS), [6.0, 12.0, 6.0]),
    ],
    ids=["defaults", "positional", "by_keyword"],
)
def test_arrays_that_a_default_or_a_partial_gives(function, curvature, mode):
    chosen = "x" if "rows" in getattr(function, "keywords", ()) else 0
    call = (lambda x: function(x=x)) if chosen == "x" else function
    second = adc.jvp(lambda x: adc.grad(call, mode=mode)(x), (X,), (np.ones(3),), mode=mode)[1]
    np.testing.assert_allclose(second, curvature * X, rtol=1e-12)
    if chosen == 0:
        again = adc.grad(lambda x: np.sum(adc.grad(function)(x)), mode=mode)(X)
        np.testing.assert_allclose(again, curvature * X, rtol=1e-12)


def test_a_second_sweep_over_a_stack_is_refused_loudly():
    def f(x):
        while x < 10.0:
            x = x * x
        return x

    with pytest.raises(adc.UnsupportedError, match="second reverse sweep over a loop"):
        adc.grad(adc.grad(f, mode="python"), mode="python")(2.0)
    with pytest.warns(adc.FallbackWarning, match="second reverse sweep"):
        # x**4, by the tape
        np.testing.assert_allclose(adc.grad(adc.grad(f))(2.0), 4 * 3 * 2.0**2, rtol=1e-12)
    np.testing.assert_allclose(adc.hvp(f, 2.0, 1.0, mode="python"), 48.0)


def quotients(x, y):
    for i in range(len(x)):
        x[i] = x[i] / y[i]
    return np.sum((x - 1.0) ** 2)


def roots_on_one_side(x, y):
    total = 0.0
    for i in range(len(x)):
        root = np.sqrt(x[i]) if x[i] > 0 else 1.0
        x[i] = root * y[i]
        total += (x[i] - 1.0) ** 2
    return total


@pytest.mark.parametrize("second", [adc.hessian, lambda f, mode: adc.jacrev(adc.grad(f), mode=mode)])
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_an_adjoint_that_is_zero_by_chance(second, mode):
    """At the minimum the adjoints are zero, their derivatives are not; of a side not taken both are."""
    found = second(quotients, mode=mode)(np.full(2, 2.0), np.full(2, 2.0))
    np.testing.assert_allclose(found, np.diag([0.5, 0.5]))
    found = second(roots_on_one_side, mode=mode)(np.array([0.0, 4.0]), np.array([1.0, 0.5]))
    np.testing.assert_allclose(found, np.diag([0.0, 1 / 32]))


def numbers_on_a_stack(x):
    s = x[0] * x[1]
    if s > 0.0:
        while s < 5.0:
            s = s + np.exp(np.sin(s))
    return s * s


def rows_on_a_stack(x):
    b = x
    if x[0] > 0.1:
        b = x * 2.0
        while b[0] < 5.0:
            b = b + np.exp(np.sin(b))
    return np.sum(b * b)


def rows_measured_two_branches_down(x):
    total = x[1]
    if x[0] > 0.1:
        if x[1] > 0.2:
            b = x[x > 0.2] * 2.0
            while b[0] < 5.0:
                b = b + np.exp(np.sin(b))
                if b[0] > 2.0:
                    b = np.append(b, np.sin(b[-1]))
            total = total + np.sum(b * b)
    return total


@pytest.mark.parametrize("function", [numbers_on_a_stack, rows_on_a_stack, rows_measured_two_branches_down])
@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_a_stack_of_one_branch_in_a_loop(function, mode):
    """The reverse sweep runs in the loop over the rows of a Jacobian, or in one of the user's."""

    def twice(x):
        value = function(x)
        return np.array([value, 2.0 * value])

    def summed(x):
        total = 0.0
        for k in range(3):
            total += np.sum(adc.grad(function, mode=mode)(x * (0.1 + 0.4 * k)))
        return total

    slope = adc.grad(function, mode="tape")
    np.testing.assert_allclose(adc.jacrev(twice, mode=mode)(X), np.stack([slope(X), 2.0 * slope(X)]))
    value, dot = adc.jvp(summed, (X,), (np.ones(3),), mode=mode)
    np.testing.assert_allclose(value, sum(np.sum(slope(X * (0.1 + 0.4 * k))) for k in range(3)))
    h = 1e-6
    ends = [sum(np.sum(slope((X + e) * (0.1 + 0.4 * k))) for k in range(3)) for e in (h, -h)]
    np.testing.assert_allclose(dot, (ends[0] - ends[1]) / (2 * h), rtol=1e-5)
