"""A zero adjoint stays zero where a derivative may be infinite: where it may not, nothing asks whether it is zero."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(0)
X = R.normal(size=5)


def sigmoid(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 1 / (1 + np.exp(-x[i]))
    return np.sum(y * y)


def distances(x):
    r = np.empty(len(x))
    for i in range(len(x)):
        r[i] = np.sqrt(x[i] * x[i] + 1e-6)
    return np.sum(np.log(1.0 + r * r))


def products(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i] / np.cosh(x[i])
    return np.sum(y)


def stable_logarithm(x):
    return np.sum(np.where(x > 0, x + np.log1p(np.exp(-x)), np.log1p(np.exp(x))))


def chosen_roots(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def chosen_quotients(x):
    return np.sum(np.where(x > 0, 1 / x, 0.0))


def roots_in_a_sum(x):
    """One more than a root: NaN where the root has none, and its adjoint stays zero on the way to it."""
    return np.sum(np.where(x > 0, 1 / (1 + np.sqrt(x)), 0.0))


def small_numbers(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 1 / (x[i] ** 2 + 1e-300)
    return np.sum(np.where(x > 0, y, 0.0))


MEASURED = np.array([1.0, np.nan, 2.0, np.inf, 0.5])


def missing_data(x):
    n = len(x)
    return np.sum(np.where(np.isfinite(MEASURED[:n]), (MEASURED[:n] - x) ** 2, 0.0))


def distances_to_missing_data(x):
    d = MEASURED[: len(x)] - x
    return np.sum(np.where(np.isfinite(d), np.sqrt(d**2 + 1e-6) + np.log(1 + d**2), 0.0))


def normalised(x):
    z = (x - np.mean(x)) / np.sqrt(np.var(x) + 1e-5)
    rows = np.outer(x, x) + z
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.sum(centred * centred, axis=1) / rows.shape[1] + 1e-5)
    return np.sum(np.maximum(centred / deviation[:, None], 0.1) * z)


def masked_attention(x):
    q = np.outer(x, np.arange(1.0, 4.0))
    scores = q @ np.sin(q).T / np.sqrt(q.shape[1])
    scores = np.where(np.tril(np.ones(scores.shape)) == 1, scores, -1e9)
    return np.sum(np.exp(scores) * 0.01)


REGULAR = [sigmoid, distances, products, stable_logarithm, normalised, masked_attention]
SINGULAR = [
    chosen_roots,
    chosen_quotients,
    roots_in_a_sum,
    small_numbers,
    missing_data,
    distances_to_missing_data,
]


@pytest.mark.parametrize("f", REGULAR + SINGULAR, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradients_are_those_of_the_tape(f, mode):
    x = X if f in REGULAR else np.array([0.5, 0.0, -1.0, 2.0])
    found = adc.grad(f, mode=mode)(x)
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found, adc.grad(f, mode="tape")(x), rtol=1e-12)


def asks(f):
    return "!= 0.0" in adc.source(adc.grad(f, mode="python"), X)


@pytest.mark.parametrize("f", REGULAR, ids=lambda f: f.__name__)
def test_what_is_regular_is_not_asked(f):
    assert not asks(f)


@pytest.mark.parametrize("f", SINGULAR, ids=lambda f: f.__name__)
def test_what_is_singular_is(f):
    assert asks(f)
