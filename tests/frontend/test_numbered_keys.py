"""Dicts with whole numbers as keys, asked for one that only the run knows, on every engine."""

import numpy as np
import pytest

import adc

X = np.array([0.3, 0.4, 0.2])
NEIGHBOURS = {0: [1, 2], 1: [0], 2: [0, 1, 2]}
SCATTERED = {10: [1, 2], 5: [0], -7: [0, 1, 2]}
WEIGHTS = {10: 0.5, 5: 2.0, -7: 1.5}
ROWS = {3: np.array([1.0, 2.0, 3.0]), 4: np.array([0.0, 4.0, 1.0]), 5: np.array([0.0, 1.0, 2.0])}


def least(x):
    return int(np.argmin(x))


def over_neighbours(x):
    n = least(x)
    return sum(x[k] * x[n] for k in NEIGHBOURS[n]) * len(NEIGHBOURS[n]) + NEIGHBOURS[n][0] * x[0]


def by_scattered_keys(x):
    n = [10, 5, -7][least(x)]
    total = WEIGHTS[n] * x[1]
    for k in SCATTERED[n]:
        total = total + x[0] * x[k] * WEIGHTS[n]
    return total


def rows(x):
    return np.sum(ROWS[3 + least(x)] * x)


def along_a_path(x):
    total, node, trips = 0.0, 1, 0
    while trips < 4:
        for k in NEIGHBOURS[node]:
            total = total + x[node] * x[k]
        node = 0 if total > 0.31 else 2
        trips += 1
    return total


def of_the_function(x):
    table = {10: x[0], 5: x[1] * 2.0, 7: x[2] ** 2}
    arrays = {1: x, 2: x * x}
    return table[[10, 5, 7][least(x)]] * x[0] + np.sum(arrays[1 + least(x) // 2] * x)


def handled(x):
    try:
        return WEIGHTS[least(x)] * x[0]
    except KeyError:
        return x[1] * 3.0


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize(
    "f", [over_neighbours, by_scattered_keys, rows, along_a_path, of_the_function, handled]
)
def test_a_key_of_the_run(f, mode):
    gradient = adc.value_and_grad(f, mode=mode)
    for x in (X, X[::-1].copy(), np.array([0.6, 0.1, 0.7])):
        value, x_bar = gradient(x)
        assert value == pytest.approx(f(x), rel=1e-14)
        expected = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(x_bar, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_key_that_is_not_there(mode):
    table = {0: 1.0, 1: 2.0}
    gradient = adc.grad(lambda x: table[least(x)] * x[0], mode=mode)
    np.testing.assert_array_equal(gradient(np.array([0.5, 0.2, 0.7])), [2.0, 0.0, 0.0])
    with pytest.raises(KeyError):
        gradient(X)
    table[2], table[1] = 5.0, 3.0
    np.testing.assert_array_equal(gradient(X), [5.0, 0.0, 0.0])
    np.testing.assert_array_equal(gradient(np.array([0.5, 0.2, 0.7])), [3.0, 0.0, 0.0])
    with pytest.raises(KeyError):
        adc.grad(lambda x: table[least(x) - 3] * x[0], mode=mode)(X)
