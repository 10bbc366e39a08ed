"""Integers that may exceed 64 bits are looked at; what is made of lengths and counters is not."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.errors import DerivativeError


def growing(x, n):
    factor = 1
    for k in range(1, n):
        factor *= k
    return x * x / factor


def test_the_line_that_exceeds_is_named():
    with pytest.raises(DerivativeError, match="an integer exceeds 64 bits") as caught:
        adc.grad(growing, mode="compiled")(1.5, 30)
    assert "factor *= k" in str(caught.value) or "growing" in str(caught.value)
    assert adc.grad(growing, mode="compiled")(1.5, 5) == pytest.approx(3.0 / 24)


def test_sums_that_grow_are_looked_at():
    def fibonacci(x, n):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return x * a

    with pytest.raises(DerivativeError, match="an integer exceeds 64 bits"):
        adc.grad(fibonacci, mode="compiled")(1.5, 100)
    assert adc.grad(fibonacci, mode="compiled")(1.5, 50) == 12586269025.0


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_the_tape_takes_what_exceeds():
    assert adc.grad(growing)(1.5, 30) == pytest.approx(3.0 / float(growing(1.0, 30) ** -1), rel=1e-12)


def flat(x, width):
    total = 0.0
    for i in range(3):
        for j in range(width):
            total += x[i * width + j] ** 2
    return total


def test_lengths_and_counters_are_not_looked_at():
    def table(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] * (3 * i + 2 * x.shape[0])
        return total

    assert "Overflow" not in adc.grad(table, mode="compiled").source(np.ones(3), stage="optimized")


def test_sums_of_the_counters_of_a_nest_are_not_looked_at():
    """Both cannot come near the largest length: nobody runs so many trips."""

    def hilbert(x):
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                total += x[i] * x[j] / ((i + j) * (i + j + 1) / 2 + i + 1.0)
        return total

    def rarely(x):  # the inner loop has trips in one of the outer one's alone
        total = 0.0
        for i in range(x.shape[0]):
            if i == x.shape[0] - 2:
                for j in range(x.shape[0]):
                    total += x[j] * ((i + j) * (i + j + 1))
        return total

    assert "Overflow" not in adc.grad(hilbert, mode="compiled").source(np.ones(3), stage="optimized")
    assert "Overflow" in adc.grad(rarely, mode="compiled").source(np.ones(3), stage="optimized")


def test_an_argument_is_looked_at_once():
    text = adc.grad(flat, mode="compiled").source(np.ones(12), 4, stage="optimized")
    assert text.count("OverflowError") == 1
    assert text.index("OverflowError") < text.index("for i in")
    np.testing.assert_allclose(adc.grad(flat, mode="compiled")(np.arange(12.0), 4), 2.0 * np.arange(12.0))
