"""A loop over a long list of positions is one loop, where it only reads and writes there."""

import numpy as np
import pytest
from tests.corpus.for_loops import rows_and_columns_of_a_list_of_positions

import adc

MANY = [0, 3, 1, 2, 4, 2, 0, 1, 3]


def powers(x):
    total = 0.0
    for i in MANY:
        total += x[i] ** i  # also a number, which is better known
    return total


def layers(x):
    parts = [x[:2], x[2:], x * 2.0, x[1:3], x[::2]]
    total = 0.0
    for i in MANY:
        total += np.sum(parts[i] ** 2)
    return total


def text(function, *arguments):
    return adc.source(adc.grad(function), *arguments)


def test_it_is_one_loop():
    found = text(rows_and_columns_of_a_list_of_positions, np.eye(7), np.ones(7))
    assert "for i in range(8):" in found


@pytest.mark.parametrize("function", [powers, layers])
@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_others_are_written_out(function, mode):
    x = np.array([0.5, 1.5, 2.0, 0.7, 1.1])
    wanted = [(function(x + h) - function(x - h)) / 2e-6 for h in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(adc.grad(function, mode=mode)(x), wanted, rtol=1e-7)
    assert "range(9)" not in text(function, x)


def test_a_key_that_is_refused_names_the_users_line():
    def f(x):
        squares = [v * v for v in x]
        return squares[sorted(range(len(squares)), key=squares.__lt__)[0]]

    with pytest.raises(adc.UnsupportedError, match=r"return squares\[sorted"):
        adc.grad(f, mode="compiled")(np.ones(3))
