"""Arrays of short rows that a loop carries, or a branch chooses, are columns all together, or none of them is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(8)


def painted(image, colours, shades):
    out = np.zeros(image.shape)
    for k in range(colours.shape[0]):
        shade = 1.0 / (1.0 + np.exp(shades[k] - np.arange(image.shape[1])))
        out = out * (1.0 - shade[:, None]) + shade[:, None] * colours[k]
    return np.mean((out - image) ** 2)


def moved(places, speeds, steps):
    places, speeds = places.copy(), speeds.copy()
    for _ in range(steps):
        far = np.sqrt(np.sum(places**2, axis=1) + 0.1)
        speeds = speeds - 0.1 * places / far[:, None] ** 3
        places = places + 0.1 * speeds
    return np.sum(places[:, 0] * speeds[:, 1])


def chosen(places, sign):
    out = np.tanh(places)
    for k in range(3):
        out = np.sin(out) * k if sign > 0 else np.cos(out) + out[::-1]
    return np.sum(out * places)


def until(places):
    out, trips = 1.0 * places, 0
    while np.sum(out**2) > 1.0 and trips < 6:
        out = out * np.exp(-0.3 * np.abs(out[:, :1]))
        trips += 1
    return np.sum(out * np.cos(places))


def swapped(places, steps):
    a, b = np.sin(places), np.cos(places)
    for _ in range(steps):
        a, b = b + 0.1 * a * places, a - 0.1 * b
    return np.sum(a * b)


def seen_whole(places, steps):
    a = np.sin(places)
    for _ in range(steps):
        a = np.cos(a) + a @ (a.T @ a) * 0.01
    return np.sum(a**2)


def row_by_row(places, steps):
    a = np.sin(places)
    total = 0.0
    for k in range(steps):
        a = a * np.exp(-a)
        row = a[k % a.shape[0]]
        total += np.sum(row**2)
    return total + np.sum(a)


def args(function, n, width):
    places = R.normal(size=(n, width))
    return {
        painted: lambda: (R.normal(size=(4, n, width)), R.normal(size=(3, width)), R.normal(size=(3,)) * n),
        moved: lambda: (places, R.normal(size=(n, width)), 4),
        chosen: lambda: (places, R.choice([-1.0, 1.0])),
    }.get(function, lambda: (places,) if function is until else (places, 4))()


@pytest.mark.parametrize("function", [painted, moved, chosen, until, swapped, seen_whole, row_by_row])
@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 17])
def test_gradients_are_the_tape_s(function, n, width):
    given = args(function, n, width)
    argnums = tuple(k for k, a in enumerate(given) if isinstance(a, np.ndarray))

    taped = adc.grad(function, argnums, mode="tape")(*given)
    with interpreted():
        found = adc.grad(function, argnums, mode="compiled")(*given)
    for x, y in zip(found, taped, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


def coloured(image, colours, shades):
    height, width = image.shape[:2]
    out = np.zeros((height, width, 3))
    for k in range(colours.shape[0]):
        shade = 1.0 / (1.0 + np.exp(shades[k] - np.arange(width)))
        out = out * (1.0 - shade[:, None]) + shade[:, None] * colours[k]
    return np.mean((out - image) ** 2)


def test_what_a_reverse_loop_carries_is_in_columns():
    given = R.normal(size=(6, 9, 3)), R.normal(size=(4, 3)), R.normal(size=4)
    derivative = adc.value_and_grad(coloured, (0, 1, 2), mode="compiled")
    text = str(derivative.source(*given, stage="optimized"))
    assert "out_bar[j, k, 0]" not in text and "(3, height, width)" in text
    value, found = derivative(*given)
    expected, taped = adc.value_and_grad(coloured, (0, 1, 2), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-13)
    for x, y in zip(found, taped, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-13)


def paths(z, sigma):
    s = np.ones(z.shape[0])
    for t in range(z.shape[1]):
        s = s * np.exp(sigma * z[:, t])
    return np.sum(s)


def test_columns_that_time_goes_through_are_copied_once():
    text = adc.source(adc.grad(paths, 1), np.ones((5, 4)), 0.1, stage="optimized")
    assert text.count("rt.columns(z)") == 1


def test_columns_of_arrays_that_have_lengths_of_their_own_are_copied():
    def steps(z, w, sigma):
        s = np.ones(z.shape[0])
        for t in range(z.shape[1]):
            s = s * np.exp(sigma * z[:, t] + np.sin(w[:, t]))
        return np.sum(s)

    def first_ten(z, sigma):
        s = np.ones(z.shape[0])
        for t in range(10):
            s = s * np.exp(sigma * z[:, t])
        return np.sum(s)

    text = adc.source(adc.grad(steps, 2), np.ones((5, 4)), np.ones((5, 6)), 0.1, stage="optimized")
    assert text.count("rt.columns(z)") == text.count("rt.columns(w)") == 1
    text = adc.source(adc.grad(first_ten, 1), np.ones((5, 40)), 0.1, stage="optimized")
    assert "rt.columns" not in text


def test_states_in_columns_are_made_as_rows():
    def states(z):
        x = np.zeros((z.shape[0], z.shape[1] + 1))
        for t in range(z.shape[1]):
            x[:, t + 1] = np.sin(x[:, t]) + z[:, t]
        return np.sum(x[:, -1])

    text = adc.source(adc.grad(states), np.ones((5, 4)), stage="optimized")
    assert "x[t + 1, j] = vm.sin(x[t, j]) + z[t, j]" in text
    assert text.count("rt.columns(z_bar)") == 1


def test_rows_stay_rows():
    def rows(z):
        s = np.zeros(z.shape[1])
        for t in range(z.shape[0]):
            s = 0.5 * s + np.sin(z[t])
        return np.sum(s)

    assert "rt.columns" not in adc.source(adc.grad(rows), np.ones((5, 4)), stage="optimized")


def test_matrices_are_turned_in_the_order_in_which_they_are_returned():
    def states(a, b):
        x = np.ones(a.shape[0])
        for t in range(a.shape[1]):
            x = np.sin(x) * a[:, t] + b[:, t]
        return np.sum(x)

    text = adc.source(adc.grad(states, (0, 1)), np.ones((5, 4)), np.ones((5, 4)), stage="optimized")
    assert 0 < text.find("rt.columns(a_bar)") < text.find("rt.columns(b_bar)")


def warped(z, w, u):
    total = 0.0
    for k in range(w.shape[0]):
        a = np.tanh(z @ w[k])
        total += np.sum(np.log(1.0 + (1.0 - a**2) * (w[k] @ u[k]) ** 2))
        z = z + u[k] * a[:, None]
    return total + np.mean(z**2)


def test_what_a_loop_is_handed_as_a_copy_of_an_argument_is_in_columns():
    given = R.normal(size=(40, 2)), R.normal(size=(3, 2)), R.normal(size=(3, 2))
    text = adc.source(adc.value_and_grad(warped, (0, 1, 2)), *given, stage="optimized")
    assert "(2, tile)" in text and "rt.dot" not in text
    for x, y in zip(
        *(adc.grad(warped, (0, 1, 2), mode=m)(*given) for m in ("compiled", "tape")), strict=True
    ):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


def mixed(x, w):
    y = 0
    for k in range(3):
        y = y + np.einsum("bcl,oc->bol", x[:, :, k : k + 6], w[:, :, k])
    y = (y - y.mean(axis=(0, 2), keepdims=True)) / np.sqrt(y.var(axis=(0, 2), keepdims=True) + 1e-5)
    return np.sum(np.maximum(y, 0.0) ** 3)


def test_a_loop_that_takes_one_matrix_of_a_stack_does_not_copy_them_all():
    given = R.normal(size=(3, 5, 8)), R.normal(size=(4, 5, 3))
    text = adc.source(adc.grad(mixed, (0, 1)), *given, stage="optimized")
    assert not any("rt.columns" in line and line.startswith(" " * 8) for line in text.split("\n"))
    for x, y in zip(*(adc.grad(mixed, (0, 1), mode=m)(*given) for m in ("compiled", "tape")), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


def test_loops_within_more_loops_say_how_an_array_lies():
    """The adjoint of `a` is added to by columns in the steps, and read by rows once behind them."""

    def chain(b, alpha, steps):
        n = len(b)
        a = np.empty((n, n))
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += np.exp(b[i, j])
            for j in range(n):
                a[i, j] = b[i, j] - np.log(total)
        alpha = alpha.copy()
        new = np.empty(n)
        for _ in range(steps):
            for j in range(n):
                total = 0.0
                for i in range(n):
                    total += np.exp(alpha[i] + a[i, j])
                new[j] = np.log(total)
            for j in range(n):
                alpha[j] = new[j]
        return np.sum(alpha * alpha)

    given = R.normal(size=(4, 4)), R.normal(size=4), 3
    assert "a_bar[j, i] += " in adc.source(adc.grad(chain, (0, 1)), *given, stage="optimized")
    for x, y in zip(
        adc.grad(chain, (0, 1), mode="compiled")(*given),
        adc.grad(chain, (0, 1), mode="tape")(*given),
        strict=True,
    ):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)
