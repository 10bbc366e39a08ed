"""Arrays of short rows: code that knows their length, coordinates written out, columns in inner loops."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(3)


def energy(x, m):
    apart = x[:, None, :] - x[None, :, :]
    distance = np.sqrt(np.sum(apart * apart, axis=2) + 0.1)
    return -0.5 * np.sum(m[:, None] * m[None, :] / distance)


def sum_of_columns(x):
    total = 0.0
    for row in x:
        for k in range(x.shape[1]):
            total += row[k] ** (k + 1)
    return total


def optimized(function, *arguments):
    return adc.source(adc.grad(function, tuple(range(len(arguments)))), *arguments, stage="optimized")


def test_pairs_become_one_loop_over_columns_without_arrays_of_pairs():
    text = optimized(energy, R.normal(size=(30, 3)), R.normal(size=30))
    assert "for k in" not in text and "np.empty((n, n" not in text
    assert "[0, i] - " in text and "[2, i] - " in text
    assert text.count("np.sqrt(") == 1


@pytest.mark.parametrize("shape", [(16, 2), (16, 4), (15, 3), (30, 5), (4, 4, 3), (0, 3)])
def test_every_number_of_coordinates_has_its_code(shape):
    def function(x):
        apart = x[..., :, None, :] - x[..., None, :, :]
        return np.sum(np.exp(-np.sum(apart**2, axis=-1))) + np.sum(x**3)

    x = R.normal(size=shape)
    g = adc.grad(function, mode="compiled")
    np.testing.assert_allclose(g(x), adc.grad(function, mode="tape")(x), rtol=1e-11, atol=1e-13)


def test_one_derivative_takes_points_of_the_plane_and_of_space():
    g = adc.grad(sum_of_columns, mode="python")
    for count in (2, 3, 4, 5, 3):
        x = R.normal(size=(20, count))
        np.testing.assert_allclose(g(x), (1 + np.arange(count)) * x ** np.arange(count), rtol=1e-12)
    for rows in (3, 15, 16, 100):
        x = R.normal(size=(rows, 3))
        np.testing.assert_allclose(g(x), np.arange(1, 4) * x ** np.arange(3), rtol=1e-12)


def test_short_loops_with_carried_values_are_written_out_in_order():
    def function(x):
        y = np.zeros(len(x))
        for i in range(len(x)):
            s, t = 1.0, 0.5
            for k in range(3):
                s, t = s * x[i, k] + t, s - x[i, 2 - k]
            y[i] = s * t
        return np.sum(y**2)

    x = R.normal(size=(40, 3))
    text = optimized(function, x)
    assert "for k in" not in text
    np.testing.assert_allclose(
        adc.grad(function, mode="compiled")(x), adc.grad(function, mode="tape")(x), rtol=1e-10
    )


def test_short_loops_whose_indices_are_checked_are_written_out():
    def function(x, w):
        total = 0.0
        for i in range(w.shape[0]):
            for j in range(w.shape[1]):
                m = x[2 * i, 2 * j]
                for a in range(2):
                    for b in range(2):
                        m = max(m, x[2 * i + a, 2 * j + b])
                total += w[i, j] * m * m
        return total

    x, w = R.normal(size=(6, 9)), R.normal(size=(3, 4))
    text = optimized(function, x, w)
    assert "for a in" not in text and "_kept" not in text
    compiled = adc.grad(function, (0, 1), mode="compiled")
    for ours, of_tape in zip(compiled(x, w), adc.grad(function, (0, 1), mode="tape")(x, w), strict=True):
        np.testing.assert_allclose(ours, of_tape, rtol=1e-12)
    for lacking in (x[:-1], x[:, :-2], x[:, :-1][:5]):
        with pytest.raises(IndexError):
            compiled(lacking.copy(), w)


def test_an_array_that_the_loop_writes_stays_as_it_is():
    def function(x):
        y = x.copy()
        for i in range(len(y)):
            for j in range(len(y)):
                y[j, 0] = 0.5 * y[j, 0] + 0.1 * y[i, 1] * y[j, 2]
        return np.sum(y * y)

    x = R.normal(size=(17, 3))
    np.testing.assert_allclose(
        adc.grad(function, mode="compiled")(x), adc.grad(function, mode="tape")(x), rtol=1e-10
    )


def cross(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        for i in range(3):
            total += np.tanh(a[k, (i + 1) % 3] * b[k, (i + 2) % 3] - a[k, (i + 2) % 3] * b[k, (i + 1) % 3])
    return total


def test_neighbours_round_a_row_of_three_are_known_elements():
    a, b = R.normal(size=(2, 20, 3))
    text = optimized(cross, a, b)
    assert "roll" not in text and "piece" not in text
    for mine, tape in zip(
        adc.grad(cross, (0, 1))(a, b), adc.grad(cross, (0, 1), mode="tape")(a, b), strict=True
    ):
        np.testing.assert_allclose(mine, tape, rtol=1e-11, atol=1e-13)
