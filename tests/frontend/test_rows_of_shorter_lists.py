"""Rows of lists that become shorter are read as copies: what is written to one is written to the list, or refused."""

import numpy as np
import pytest

import adc

X = np.array([1.3, 4.1, 2.2, 3.7, 1.9, 4.6, 2.8])


def rows_of(x):
    return [[v, 1.0] for v in x if v > 1.1]


def by_its_name(x):
    rows, t = rows_of(x), 0.0
    while len(rows) > 2:
        r = rows[0]
        r[1] = r[1] * 2 + x[0]
        t += rows[0][1] * rows.pop()[0]
    return t


def what_was_taken(x):
    rows, t = rows_of(x), 0.0
    while len(rows) > 2:
        last = rows.pop()
        last[0] = 3.0 * x[0]
        t += last[0] + rows[0][0]
    return t


def seen_by_another_name(x):
    rows, t = rows_of(x), 0.0
    while len(rows) > 2:
        first = rows[0]
        rows[0][0] += 1.5
        t += first[0] * rows.pop()[0]
    return t


def in_a_helper(x):
    def doubled(row):
        row[0] = row[0] * 2.0

    rows = rows_of(x)
    while len(rows) > 2:
        doubled(rows[0])
        rows.pop()
    return rows[0][0]


@pytest.mark.parametrize("program", [by_its_name, what_was_taken, seen_by_another_name, in_a_helper])
def test_a_row_under_a_name_is_refused(program):
    with pytest.raises(adc.UnsupportedError, match="where a list becomes shorter"):
        adc.grad(program, mode="python")(X)


def by_two_positions(x):
    rows, t = rows_of(x), 0.0
    while len(rows) > 2:
        rows[0][1] = rows[0][1] * 2 + x[0]
        rows[-2][0] += 1.0
        t += rows[0][1] * rows[1][0]
        t += rows.pop()[0]
    return t + rows[0][1]


def test_a_row_at_a_position_is_written():
    value, slope = adc.value_and_grad(by_two_positions, mode="python")(X)
    wanted, wanted_slope = adc.value_and_grad(by_two_positions, mode="tape")(X)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-10)
