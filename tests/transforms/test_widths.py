"""Narrow integers are cut to their width where it matters, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import adc

BYTES = np.array([200, 3], np.uint8)


def differences(x, v, w):
    return np.sum(x * (v - w))


def larger(x, v, w):
    return np.sum(x * np.maximum(v, w))


def beside_counters(x, v, w):
    return np.sum(x * (v - np.arange(x.shape[0])))


def half(x, v, w):
    return np.sum(x * np.exp(v))


@pytest.mark.tiny
@pytest.mark.parametrize(
    ("function", "dtype", "element"),
    [
        (differences, np.uint8, "np.uint8(v[i] - w[i])"),
        (differences, np.int32, "np.int32(v[i] - w[i])"),
        (differences, np.int64, "1.0 * (v[i] - w[i])"),
        (differences, np.float64, "x_bar[i] = v[i] - w[i]"),
        (larger, np.uint8, " * np.maximum(v[i], w[i])"),
        (beside_counters, np.uint8, "(np.int64(v[i]) - i)"),
    ],
)
def test_text(function, dtype, element):
    text = adc.source(
        adc.grad(function), np.ones(2), BYTES.astype(dtype), BYTES.astype(dtype), stage="optimized"
    )
    assert element in text


@pytest.mark.tiny
def test_half_precision_is_refused():
    with pytest.raises(adc.UnsupportedError, match=r"(?s)np.exp of these operands is in half.*np.exp\(v\)"):
        adc.grad(half, mode="compiled")(np.ones(2), BYTES, BYTES)
