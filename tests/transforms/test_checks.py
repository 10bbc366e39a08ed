"""Of several checks of one length the strongest is made, at the place of the first; every fault is still told of."""

from __future__ import annotations

import numpy as np
import pytest

import adc


def parameters(p, x):
    a, b, c = p[0], p[1], p[2]
    total = 0.0
    for i in range(x.shape[0]):
        total += a * x[i] ** 2 + b * x[i] + c
    return total


def rows(points):
    total = 0.0
    for i in range(points.shape[0]):
        total += points[i, 0] * points[i, 1] + points[i, 2] ** 2
    return total


def unpacked(points):
    total = 0.0
    for i in range(points.shape[0]):
        x, y, z = points[i]
        total += x * y * z
    return total


def printed(p):
    a = p[0]
    print("first", a)
    return a * p[3]


def checks(function, *args):
    return str(adc.source(adc.grad(function), *args, stage="optimized")).count("raise ")


def test_one_check_for_all_columns():
    assert checks(rows, np.ones((4, 3))) == 1
    assert checks(unpacked, np.ones((4, 3))) == 0, "it demands three columns: code for three needs no check"


def test_one_check_for_all_parameters():
    p, x = np.array([1.0, 2.0, 3.0]), np.arange(3.0)
    assert checks(parameters, p, x) == 1
    gradient = adc.grad(parameters, mode="compiled")
    np.testing.assert_allclose(gradient(p, x), [5.0, 3.0, 3.0])


@pytest.mark.parametrize("length", [0, 2])
def test_every_length_that_is_too_short(length):
    with pytest.raises(IndexError):
        adc.grad(parameters, mode="compiled")(np.ones(length), np.arange(3.0))


@pytest.mark.parametrize("function", [rows, unpacked])
def test_no_rows_need_no_columns(function):
    found = adc.grad(function, mode="compiled")(np.ones((0, 3)))
    assert found.shape == (0, 3)


def test_what_is_seen_stays_in_front(capsys):
    with pytest.raises(IndexError):
        adc.grad(printed, mode="compiled")(np.array([0.5, 2.0]))
    assert capsys.readouterr().out.startswith("first 0.5")
