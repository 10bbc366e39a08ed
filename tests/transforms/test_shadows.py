"""The adjoint of a part of an array is that part of the array's adjoint, wherever its own parts are added to."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(21)


def rows_in_turn(a, x):
    total = 0.0
    for k in range(a.shape[0] // 2):
        weight, bias = a[2 * k], a[2 * k + 1]
        x = np.tanh(x * weight[0] + bias[1]) + weight[2] * bias[3]
        total += np.sum(x**2)
    return total


def whole_and_parts(a, x):
    row = a[1]
    return np.sum(row * row) * row[0] + row[2] ** 2 + np.sum(row[1:] * x[0])


def overlapping(a, x):
    left, right = a[:, :-1], a[:, 1:]
    total = 0.0
    for i in range(a.shape[0]):
        total += left[i, 0] * right[i, 1] + np.sum(left[i] * right[i] ** 2)
    return total * x[1]


def part_of_a_part(a, x):
    block = a[1:4]
    inner = block[::-1]
    total = 0.0
    for i in range(3):
        total += np.sum(inner[i][1:] * x[1:]) ** 2 + block[i][0] ** 3
    return total


def in_a_branch(a, x):
    row = a[2]
    total = 0.0
    for i in range(4):
        if x[i] > 0.0:
            total += row[i] ** 2
        else:
            total -= row[i] * a[i, 1]
    return total + np.sum(row)


def carried(a, x):
    row = a[0]
    for i in range(1, 4):
        if x[i] > 0.0:
            row = a[i]
        x = x * row[i] + row[0]
    return np.sum(x)


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(
    "function", [rows_in_turn, whole_and_parts, overlapping, part_of_a_part, in_a_branch, carried]
)
def test_gradient(function, mode):
    a, x = R.normal(size=(6, 4)), R.normal(size=4)
    found = adc.grad(function, (0, 1), mode=mode)(a, x)
    expected = adc.grad(function, (0, 1), mode="tape")(a, x)
    for p, q in zip(found, expected, strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-13)
    adc.check_grads(function, (a, x), order=2, mode=mode)


def test_no_array_is_made_for_a_part():
    text = adc.source(adc.grad(rows_in_turn), R.normal(size=(6, 4)), R.normal(size=4))
    loop = text[text.index("-1, -1") :]
    assert "weight_bar = a_bar[2 * k]" in loop or "weight_bar = a_bar[product]" in loop
    assert "zeros" not in loop
