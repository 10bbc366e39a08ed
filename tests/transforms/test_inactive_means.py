"""Means that are subtracted before products are summed: no adjoint is formed, and where it is not zero it is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(0)
X, Y, W = R.normal(size=(4, 3)), R.normal(size=(4, 3)), R.normal(size=(4, 1))


def variance(x, y, w):
    return np.sum(np.var(x, axis=0) ** 2)


def by_hand(x, y, w):
    d = x - x.mean(axis=0)
    return np.sum(np.sqrt((d**2).sum(axis=0) / len(x)))


def along_rows(x, y, w):
    d = x - np.mean(x, axis=1)[:, None]
    return np.sum(np.exp(np.mean(d * d, axis=1)))


def covariance(x, y, w):
    c = (x - x.mean(axis=0)).T @ (y - y.mean(axis=0)) / 3.0
    return np.sum(c**3)


def correlation(x, y, w):
    u = (x - x.mean(axis=0)) / np.std(x, axis=0)
    v = (y - y.mean(axis=0)) / np.std(y, axis=0)
    return np.sum(np.sum(u * v, axis=0) ** 2)


def of_all(x, y, w):
    return np.sum((x - np.mean(x)) ** 2) * np.sum((2.0 * (np.mean(y) - y)) ** 2)


GONE = [variance, by_hand, along_rows, covariance, correlation, of_all]


def weighed(x, y, w):
    return np.sum(w * (x - x.mean(axis=0)) ** 2)


def cubes(x, y, w):
    return np.sum((x - x.mean(axis=0)) ** 3)


def other_axis(x, y, w):
    return np.sum(np.sum((x - x.mean(axis=0)) ** 2, axis=1) ** 2)


def part_of_the_axes(x, y, w):
    return np.sum(np.sum((x - np.mean(x)) ** 2, axis=0) ** 2)


def of_another(x, y, w):
    return np.sum((x - y.mean(axis=0)) ** 2)


def with_what_is_not_centred(x, y, w):
    return np.sum(np.sum((x - x.mean(axis=0)) * y, axis=0) ** 2)


def mean_as_a_factor(x, y, w):
    m = x.mean(axis=0, keepdims=True)
    return np.sum(np.sum((x - m) * m * (y - y.mean(axis=0)), axis=0) ** 2)


def read_elsewhere(x, y, w):
    m = x.mean(axis=0)
    return np.sum((x - m) ** 2) + np.sum(m**2)


def deviations_read_elsewhere(x, y, w):
    d = x - x.mean(axis=0)
    return np.sum(d**2) + np.sum(d[0] ** 2)


def written_between(x, y, w):
    x = x.copy()
    m = x.mean(axis=0)
    x[0] = 2.0 * x[1]
    return np.sum((x - m) ** 2)


def lengths_that_turn(x, y, w):
    square = x[:3]
    return np.sum((square - square.mean(axis=1)) ** 2)


THERE = [
    weighed,
    cubes,
    other_axis,
    part_of_the_axes,
    of_another,
    with_what_is_not_centred,
    mean_as_a_factor,
    read_elsewhere,
    deviations_read_elsewhere,
    written_between,
    lengths_that_turn,
]


@pytest.mark.parametrize("f", [*GONE, *THERE], ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_tape(f):
    for mode in ("python", "compiled"):
        found = adc.grad(f, argnums=(0, 1, 2), mode=mode)(X, Y, W)
        for a, b in zip(found, adc.grad(f, argnums=(0, 1, 2), mode="tape")(X, Y, W), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", [*GONE, *THERE], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    with interpreted():
        adc.check_grads(f, (X, Y, W), order=2, mode="compiled")


@pytest.mark.parametrize("f", GONE, ids=lambda f: f.__name__)
def test_no_adjoint_of_the_mean(f):
    text = adc.source(adc.grad(f, argnums=(0, 1), mode="python"), X, Y, W)
    assert "mean_bar" not in text
    assert "np.sum(-" not in text


def of_a_name(x, y, w):
    m = x.mean(axis=0)
    return np.sum((x - m) ** 2)


def test_the_mean_is_explained():
    assert "a shift that cancels" in str(adc.explain(adc.grad(of_a_name, mode="python"), X, Y, W))
