"""Dicts under keys that only the run knows are compiled for a few keys, and the tape's for many."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.linspace(0.1, 1.0, 150)


def squares_of_sums(x, labels):
    sums = {}
    for k, v in zip(labels, x, strict=True):
        sums[k] = sums.get(k, 0.0) + v
    return sum(s * s for s in sums.values())


def firsts(x, labels):
    seen, total = set(), 0.0
    for k, v in zip(labels, x, strict=True):
        if k not in seen:
            seen.add(k)
            total += v * v
    return total


@pytest.mark.parametrize("function", [squares_of_sums, firsts])
def test_few_keys_are_compiled_and_many_the_tape_s(function):
    g, tape = adc.grad(function), adc.grad(function, mode="tape")
    few, many = np.arange(len(X)) // 3, np.arange(len(X)) // 2  # 50 and 75
    np.testing.assert_allclose(g(X, few), tape(X, few))
    assert g.mode == "compiled"
    with pytest.warns(adc.errors.FallbackWarning, match="more than 64 keys that only the run knows"):
        found = g(X, many)
    np.testing.assert_allclose(found, tape(X, many))
    assert g.mode == "tape"
    with pytest.raises(adc.DerivativeError, match=r"(?s)test_keys_of_run.py:\d+.*more than 64 keys"):
        adc.grad(function, mode="compiled")(X, many)
