"""Loops over a part of an array that begins where a trip of the loop around says are merged, where they go in step."""

import numpy as np
import pytest

import adc

R = np.random.default_rng(2)


def deflated(a, v):
    a = a.copy()
    total = 0.0
    for j in range(v.shape[0]):
        w = v[j, j:] @ a[j:]
        a[j:] -= np.outer(v[j, j:], w)
        total += w @ w
    return total


def shifted(a, v):
    """What one loop reads another one writes, an element further on."""
    a = a.copy()
    for j in range(v.shape[0] - 2):
        b = a[j : v.shape[0] - 1] * v[j : v.shape[0] - 1]
        a[j + 1 :] += b * b
    return np.sum(a**2)


@pytest.mark.parametrize("function", [deflated, shifted])
def test_engines_agree(function):
    arguments = R.normal(size=(5, 5)) * 0.3, R.normal(size=(5, 5)) * 0.3
    for got, wanted in zip(
        adc.grad(function, (0, 1), mode="compiled")(*arguments),
        adc.grad(function, (0, 1), mode="tape")(*arguments),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-13)


def test_what_is_subtracted_from_a_part_is_no_array():
    arguments = R.normal(size=(5, 5)), R.normal(size=(5, 5))
    text = str(adc.source(adc.grad(deflated, (0, 1)), *arguments, stage="optimized"))
    assert "negated = " not in text
