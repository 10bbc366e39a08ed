"""Scratch is made in front of the loops that use it, where there it may be."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def of_a_branch(x, k):  # five elements less than none is no length
    n = len(x)
    total = 0.0
    for i in range(k):
        if n > 5:
            scratch = np.empty(n - 5)
            for j in range(n - 5):
                scratch[j] = x[j] * x[j + 5]
            for j in range(n - 5):
                total += np.sin(scratch[n - 6 - j]) * scratch[0] * i
        total += x[0]
    return total


def as_long_as_rows(x, k):
    total = 0.0
    for i in range(k):
        if x[i] > 0.3:
            scratch = np.empty(len(x))
            for j in range(len(x)):
                scratch[j] = x[j] * x[i]
            for j in range(len(x)):
                total += np.sin(scratch[len(x) - 1 - j]) * scratch[0]
    return total


@pytest.mark.parametrize("function", [of_a_branch, as_long_as_rows])
@pytest.mark.parametrize("n", [3, 5, 6, 9])
def test_gradients_are_the_tape_s(function, n):
    x = np.linspace(0.1, 0.9, n)
    with interpreted():
        value, found = adc.value_and_grad(function, mode="compiled")(x, 3)
    expected, taped = adc.value_and_grad(function, mode="tape")(x, 3)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(found, taped, rtol=1e-11)


def indents(function):
    text = adc.source(adc.grad(function), np.ones(9), 3, stage="optimized")
    return {len(line) - len(line.lstrip()) for line in text.splitlines() if "= rt.empty(" in line}


def test_scratch_of_a_branch_is_made_once_if_its_length_is_one():
    assert indents(as_long_as_rows) <= {4}
