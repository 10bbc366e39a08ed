"""The maximum that is subtracted to avoid overflow has no adjoint where it cancels, and has one where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(8)


def log_of_mean(z):
    m = z.max(axis=1)
    return np.sum(np.sin(m + np.log(np.mean(np.exp(z - m[:, None]), axis=1))))


def weighted_rows(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return np.sum(np.sin(e @ z.T / e.sum(axis=-1, keepdims=True)))


def weighted_columns(z):
    e = np.exp(z - np.max(z, axis=0))
    return np.sum(np.sin(np.cos(z[:, :2].T) @ e / np.mean(e, axis=0)))


def of_a_vector(z):
    e = np.exp(z - np.max(z, axis=1)[:, None])
    return np.sum((e @ z[0]) / np.sum(e, axis=1))


# The shift stays in these.


def mean_of_maxima(z):
    m = z.max(axis=1)
    return np.mean(m) * np.sum(np.exp(z - m[:, None]))


def rows_by_columns(z):
    e = np.exp(z - np.max(z, axis=0))  # columns have factors of their own, which the product adds up
    return np.sum(np.sin(e @ z.T / np.sum(e)))


def not_divided(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum(np.sin(e @ z.T))


@pytest.mark.parametrize(
    "function",
    [
        log_of_mean,
        weighted_rows,
        weighted_columns,
        of_a_vector,
        mean_of_maxima,
        rows_by_columns,
        not_divided,
    ],
)
def test_gradient(function):
    z = R.normal(size=(3, 4))
    v = R.normal(size=z.shape)
    h = 1e-6
    slope = (function(z + h * v) - function(z - h * v)) / (2 * h)
    with interpreted():
        found = adc.grad(function, mode="compiled")(z)
    assert np.sum(found * v) == pytest.approx(slope, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(z), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("function", [log_of_mean, weighted_rows, weighted_columns, of_a_vector])
def test_a_shift_that_cancels_has_no_adjoint(function):
    reverse = str(adc.source(adc.grad(function), R.normal(size=(3, 4)))).split("# reverse")[1]
    code = "\n".join(line for line in reverse.splitlines() if not line.lstrip().startswith("#"))
    assert "m_bar" not in code and "max_" not in code and "==" not in code
