"""Code insists that an array, which a branch reads at the counter of a loop, is as long as the loop."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(4)


def pieces(x, a, b):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total += a[i] * x[i] ** 2
        else:
            total += b[i] * np.sin(x[i])
    return total


def near(x, q):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = abs(x[i] - x[j])
            if r < 0.7:
                energy += q[i] * q[j] * (0.7 - r) ** 2
    return energy


def against_the_tape(function, gradient, *args):
    wrt = tuple(range(len(args)))
    value, found = gradient(*args)
    assert value == pytest.approx(function(*args))
    for g, wanted in zip(found, adc.grad(function, wrt, mode="tape")(*args), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=1e-12, atol=1e-13)


def test_the_check_stands_in_front():
    for function, args in ((pieces, (R.normal(size=5),) * 3), (near, (R.normal(size=5),) * 2)):
        gradient = adc.value_and_grad(function, tuple(range(len(args))), mode="compiled")
        against_the_tape(function, gradient, *args)
        kernels, _, function_text = str(gradient.source(*args, stage="optimized")).rpartition("\ndef ")
        assert "an array that a branch reads is shorter than its loop" in function_text.split("    for ")[0]
        assert "raise" not in kernels + "".join(function_text.split("    for ")[1:])


def after_its_own_write(x, a):
    y = x.copy()
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            y[i] += a[i]
            total += y[i] * a[i]
        elif x[i] < -0.5:
            y[i] = 2.0 * a[i]
    return total + np.sum(y * y)


def beside_the_last(x, a):
    total = 0.0
    for i in range(len(x)):
        if i < len(x) - 1 and x[i] > 0:
            total += a[i + 1] * x[i] ** 2
        elif x[i] > 0.5:
            total += a[i] * x[i]
    return total


def test_branches_that_read_arrays_become_choices():
    x, a, b = R.normal(size=(3, 9))
    gradient = adc.value_and_grad(pieces, (0, 1, 2), mode="compiled")
    against_the_tape(pieces, gradient, x, a, b)
    text = str(gradient.source(x, a, b, stage="optimized"))
    assert "if greater:" not in text and " if greater else " in text, text


@pytest.mark.parametrize("function", [near, after_its_own_write, beside_the_last], ids=lambda f: f.__name__)
def test_gradients(function):
    gradient = adc.value_and_grad(function, (0, 1), mode="compiled")
    for n in (0, 1, 2, 3, 8, 30):
        against_the_tape(function, gradient, *R.normal(size=(2, n)))


def test_an_array_may_be_shorter_where_the_branch_is_not_taken():
    gradient = adc.value_and_grad(pieces, (0, 1, 2), mode="compiled")
    against_the_tape(pieces, gradient, np.array([1.0, 2.0, -0.5]), np.ones(3), np.ones(3))
    for n in (
        3,
        4,
        5,
        6,
        7,
    ):  # code that asks for each element serves all of these, and those that are long enough
        x = np.concatenate([[1.0, 2.0], -R.uniform(0.1, 1.0, n)])
        against_the_tape(pieces, gradient, x, np.array([0.5, 0.7]), R.normal(size=n + 2))
    against_the_tape(pieces, gradient, R.normal(size=9), R.normal(size=9), R.normal(size=12))
    assert len(next(iter(gradient._specialisations.values()))) == 1


def test_an_array_that_is_too_short_is_the_users_error():
    for mode in ("compiled", "python", "auto"):
        gradient = adc.value_and_grad(pieces, (0, 1, 2), mode=mode)
        gradient(R.normal(size=3), np.ones(3), np.ones(3))
        with pytest.raises(IndexError):
            gradient(np.array([-1.0, 1.0, 2.0]), np.ones(2), np.ones(3))


def test_no_trip_needs_no_array():
    gradient = adc.value_and_grad(pieces, (0, 1, 2), mode="compiled")
    value, found = gradient(np.zeros(0), np.zeros(0), np.ones(2))
    assert value == 0.0
    np.testing.assert_array_equal(found[2], np.zeros(2))


def test_pullbacks_and_jacobians():
    def energies(x, q):
        e = np.zeros(len(x))
        for i in range(len(x)):
            if x[i] > 0:
                e[i] = q[i] * x[i] ** 3
        return e

    x, q = np.array([1.0, 2.0, -1.0]), np.array([3.0, 4.0])
    for given in (q, np.array([3.0, 4.0, 5.0]), q):
        value, pull = adc.vjp(energies, x, given, mode="compiled")
        np.testing.assert_allclose(value, energies(x, given))
        x_bar, q_bar = pull(np.array([1.0, 10.0, 100.0]))
        np.testing.assert_allclose(x_bar, [9.0, 480.0, 0.0])
        np.testing.assert_allclose(q_bar, [1.0, 80.0, 0.0][: len(given)])
        np.testing.assert_allclose(adc.jacrev(energies, mode="compiled")(x, given), np.diag([9.0, 48.0, 0.0]))
        np.testing.assert_allclose(
            adc.jvp(energies, (x, given), (x, 0 * given), mode="compiled")[1], [9.0, 96.0, 0.0]
        )
        np.testing.assert_allclose(
            adc.vmap(energies, mode="compiled")(x[None], given[None])[0], energies(x, given)
        )


def on_either_side(x, a, k):
    total = 0.0
    if k > 0:
        for i in range(len(x)):
            if x[i] > 0:
                total += a[i] * x[i] ** 2
    else:
        for i in range(len(x)):
            if i < len(a):
                total += a[i] * np.sin(x[i])
    return total


def test_what_one_side_of_a_branch_has_checked_says_nothing_of_the_other():
    gradient = adc.value_and_grad(on_either_side, (0, 1), mode="compiled")
    x, a = R.uniform(size=6), R.normal(size=4)
    with interpreted():  # an index outside of its array is an error there
        value, found = gradient(x, a, 0)
    assert value == pytest.approx(on_either_side(x, a, 0))
    wanted = adc.grad(on_either_side, (0, 1), mode="tape")(x, a, 0)
    for g, bar in zip(found, wanted, strict=True):
        np.testing.assert_allclose(g, bar, rtol=1e-12)
