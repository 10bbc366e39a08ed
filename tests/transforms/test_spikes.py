"""Adjoints of what was read by an index are zero but there: loops ask for the place, and no row is made and cleared."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(7)


def cross_entropy(z, labels):
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(z.shape[0]), labels])


def focal(z, labels):
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    chosen = p[np.arange(z.shape[0]), labels]
    return -np.mean((1 - chosen) ** 2 * np.log(chosen))


def between(z, labels):
    """Two places of a row."""
    p = np.cumsum(np.exp(z), axis=1)
    return np.sum(np.log(p[np.arange(z.shape[0]), labels + 1] - p[np.arange(z.shape[0]), labels] + 1.0))


def by_loops(z, labels):
    total = 0.0
    for i in range(z.shape[0]):
        w = np.exp(z[i])
        total += np.log(w[labels[i]]) * w[labels[i]] / np.sum(w)
    return total


def counted_twice(z, labels):
    """A place to which two numbers are added."""
    w = np.tanh(z)
    rows = np.arange(z.shape[0])
    return np.sum(w[rows, labels] * w[rows, labels] + w[rows, -1])


def added_by_the_user(z, labels):
    total = 0.0
    for i in range(z.shape[0]):
        row = np.zeros(z.shape[1])
        row[labels[i]] += z[i, 0] ** 2
        row[-1] += 0.5
        total += np.sum(row * z[i] + np.sin(row))
    return total


PROGRAMS = [cross_entropy, focal, between, by_loops, counted_twice, added_by_the_user]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_are_those_of_the_tape(function, dtype):
    tolerance = 1e-12 if dtype is np.float64 else 2e-5
    for shape, labels in (
        ((5, 4), np.array([0, 2, 1, 2, 0])),
        ((3, 11), np.array([9, 0, 4])),
        ((2, 3), np.array([-3, -2])),
    ):
        z = R.normal(size=shape).astype(dtype)
        got = adc.grad(function, mode="compiled")(z, labels)
        assert got.dtype == dtype
        np.testing.assert_allclose(
            got, adc.grad(function, mode="tape")(z, labels), rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_label_that_no_row_has_raises(function):
    for label in (4, -5):
        with pytest.raises(IndexError):
            adc.grad(function, mode="compiled")(np.ones((2, 4)), np.array([0, label]))


def text_of(function):
    arguments = R.normal(size=(5, 4)), np.array([0, 2, 1, 2, 0])
    return str(adc.source(adc.grad(function), *arguments, stage="optimized"))


@pytest.mark.parametrize("function", [cross_entropy, focal])
def test_the_row_is_not_made_and_one_loop_goes_over_the_rows(function):
    text = text_of(function)
    assert "== chosen" in text
    assert "= 0.0\n        y_i" not in text
    assert text.count("@rt.kernel") == 1


def test_the_sum_of_what_one_element_gets_is_that_element():
    text = text_of(cross_entropy)
    assert "min(chosen + 1, " in text


def test_numbers_that_are_not_finite_stay_where_they_are():
    z = np.array([[0.0, np.inf, 1.0], [0.5, 1.0, 2.0]])
    labels = np.array([0, 1])
    with np.errstate(all="ignore"):
        got = adc.grad(counted_twice, mode="compiled")(z, labels)
    assert np.isfinite(got[1]).all()
