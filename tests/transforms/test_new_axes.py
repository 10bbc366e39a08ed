"""What `x[:, None]` is multiplied with adds up along the new axis: its adjoint is no array to write into."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

R = np.random.default_rng(0)
X, W = R.random(4), R.random(5)


def steps(x, w):
    total = 0.0
    for _ in range(3):
        x = np.tanh((x[:, None] * w[None, :]) @ w)
        total += np.sum(x[None] * 2.0)
    return total


def written_to(x, w):
    y = x[:, None]
    z = y.copy()
    z[0] = 2.0 * w[0]
    s = np.sum(y * w[None]) if w[1] > 0.0 else np.sum(y)
    return s + np.sum(z**2) + np.sum(y[:, 0] * x)


def written_through(x, w):
    x = x.copy()
    y = x[:, None]
    y[1, 0] = w[0] * 2
    return np.sum(x**2) + np.sum(y * 3.0)


def in_a_loop(x, w):
    s = 0.0
    for i in range(3):
        y = x[None, :]
        s = s + np.sum(y[0] * w[i]) + y[0, i] * x[i]
    return s


def carried(x, w):
    y = x[:, None]
    for i in range(2):
        y = y * w[i] + x[:, None]
    return np.sum(y * y) + np.max(x[None, :] - w[:4, None])


def turned(x, w):
    return np.sum(x[:, None].T @ w[None, :4].T) + np.sum(x[None] @ w[:4])


def spread(x, w):
    z = np.outer(x, w)[:, :, None]
    return np.sum(z * z[:, ::-1]) + np.sum(np.broadcast_to(x[:, None], (4, 3)) ** 2) + np.mean(x[:, None])


def joined(x, w):
    m = np.concatenate([x[None], w[None, :4], (x * w[:4])[None]])
    m[0] += m[1]
    return np.sum(np.linalg.inv(m @ m.T + np.eye(3)))


@pytest.mark.parametrize(
    "function", [steps, written_to, written_through, in_a_loop, carried, turned, spread, joined]
)
def test_derivatives(function):
    found = adc.grad(function, (0, 1), mode="python")(X, W)
    for one, other in zip(found, adc.grad(function, (0, 1), mode="tape")(X, W), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)
    second = adc.hessian(function, mode="python")(X, W)
    np.testing.assert_allclose(second, adc.hessian(function, mode="tape")(X, W), rtol=1e-10, atol=1e-10)


def apart(centres, points):
    return np.sum(np.min(np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2), axis=1))


def test_sums_are_over_the_new_axis():
    text = adc.source(adc.grad(apart), R.random((3, 2)), R.random((7, 2)))
    assert "centres_bar = np.sum(-difference_bar, axis=0)\n    return centres_bar" in text
    assert "zeros_like" not in text


def heads(w, x):
    h = (x @ w).reshape(len(x), 2, -1)
    return np.sum(np.concatenate([h[:, 0], h[:, 1]], axis=1) ** 3)


def test_lengths_that_are_left_over_have_no_common_factors():
    w, x = R.random((3, 6)), R.random((4, 3))
    text = adc.source(adc.grad(heads), w, x)
    assert "// 2" in text and "run time" not in text and "min(" not in text
    np.testing.assert_allclose(adc.grad(heads, mode="python")(w, x), adc.grad(heads, mode="tape")(w, x))


def rows(x):
    return np.sum(np.tanh(x.reshape(len(x), -1)))


def columns(x):
    return np.sum(np.tanh(x.reshape(len(x), 1, -1)))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_no_length_is_found_out_beside_zeros(mode):
    """NumPy refuses -1 beside lengths that make no element."""
    with pytest.raises(ValueError, match="cannot reshape array of size 0"):
        adc.grad(heads, mode=mode)(R.random((3, 6)), np.empty((0, 3)))
    with pytest.raises(ValueError, match="cannot reshape array of size 0"):
        adc.grad(rows, mode=mode)(np.empty((0, 2, 3)))
    with pytest.raises(ValueError, match="cannot reshape array of size 0"):
        adc.grad(columns, mode=mode)(np.empty((0, 2)))
    x = R.random((4, 3)).T
    np.testing.assert_allclose(adc.grad(columns, mode=mode)(x), 1.0 - np.tanh(x) ** 2)


def products_of_the_large(x):
    large = x[x > 100.0]
    return np.prod(large) * x[0] + np.sum(np.cumprod(large)) + np.sum(np.cumsum(large * 2.0, axis=-1))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_products_of_no_elements(mode):
    np.testing.assert_array_equal(adc.grad(products_of_the_large, mode=mode)(np.ones(3)), [1.0, 0.0, 0.0])


def written_where_it_is_spread(x):
    rows, _ = np.broadcast_arrays(x * 1.0, np.ones((2, 3)))
    rows[0] *= 2.0
    return np.sum(rows**2)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_what_is_broadcast_is_not_written_to(mode):
    with pytest.raises(UnsupportedError, match="writes to `rows`, which is broadcast"):
        adc.grad(written_where_it_is_spread, mode=mode)(np.ones(3))


def sums_of_a_part(data, where):
    total = np.zeros(3)
    np.add.at(total, where, data)
    return np.sum((data / total[where]) ** 2)


def test_what_is_read_by_positions_is_not_copied_again():
    data, where = R.random(6), np.array([0, 1, 2, 0, 1, 0])
    assert ".copy()" not in adc.source(adc.grad(sums_of_a_part), data, where)
    np.testing.assert_allclose(
        adc.grad(sums_of_a_part, mode="python")(data, where),
        adc.grad(sums_of_a_part, mode="tape")(data, where),
    )
