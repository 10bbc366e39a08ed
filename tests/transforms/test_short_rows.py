"""Loops over rows of two to eight numbers, all of whose elements they touch, say how long the rows are."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.runtime import assume

R = np.random.default_rng(11)


def lengths(x):
    return np.sum(np.sqrt(np.sum(x**2, axis=-1) + 0.1))


def neighbours(x):
    apart = x[1:] - x[:-1]
    return np.sum(np.tanh(np.sum(apart * apart, axis=1)))


def turned(x, rotation):
    return np.sum(np.tanh(x @ rotation.T))


def weighted(image):
    grey = image @ np.array([0.3, 0.6, 0.1])
    return np.sum(np.exp(-grey))


def first_column(x):
    return np.sum(np.exp(x[:, 0]))


def from_the_end(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[-i - 1, 0]) * x[i - len(x), 1] * x[i, 2]
    return total


def optimized(function, *arguments):
    return adc.source(adc.grad(function), *arguments, stage="optimized")


def points(n, columns=3):
    return R.normal(size=(n, columns))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lengths, (points(40),)),
        (lengths, (R.normal(size=(5, 7, 2)),)),
        (neighbours, (points(33, 4),)),
        (turned, (points(20), points(3))),
        (weighted, (R.random((4, 9, 3)),)),
        (from_the_end, (points(17),)),
        (lengths, (points(0),)),
        (lengths, (np.asfortranarray(points(40)),)),
        (lengths, (points(80)[::2],)),
        (lengths, (points(40, 6)[:, ::2],)),
        (first_column, (points(30),)),
    ],
)
def test_gradients_are_the_tape_s(function, arguments):
    wrt = tuple(range(len(arguments)))
    value, found = adc.value_and_grad(function, wrt, mode="compiled")(*arguments)
    expected, taped = adc.value_and_grad(function, wrt, mode="tape")(*arguments)
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_the_text_says_how_long_rows_are_and_that_they_are_counted_from_the_front():
    text = optimized(lengths, points(40))
    assert "rt.assume(x.shape[1] == 3)" in text
    assert "rt.assume(i >= 0)" in text
    text = optimized(lengths, R.normal(size=(5, 7, 2)))
    assert "rt.assume(x.shape[2] == 2)" in text
    assert "x.shape[1] ==" not in text


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (lengths, points(40, 5)),  # not code for five columns
        (first_column, points(40)),  # one column of three
        (lengths, np.asfortranarray(points(40))),
        (lengths, points(40, 6)[:, ::2]),
    ],
)
def test_nothing_is_said_of_rows_that_do_not_lie_whole_in_memory(function, argument):
    assert "assume(x.shape" not in optimized(function, argument)


def test_the_matrix_beside_points_is_square_and_its_products_are_written_out():
    text = optimized(turned, points(20), points(3))
    assert "rt.dot" not in text
    assert "rt.dot" in optimized(turned, points(20), points(5))


def product_of_columns(p, x, y, z):
    return np.sum(np.exp(p[:, 0]) * x * y * z)


def in_the_plane_and_in_space(p, q, x, y, z, u, v, w):
    return product_of_columns(p, x, y, z) + product_of_columns(q, u, v, w)


def test_loops_that_are_alike_but_for_the_length_of_rows_have_a_function_each():
    arguments = points(40, 2), points(30, 3), *R.normal(size=(3, 40)), *R.normal(size=(3, 30))
    wrt = tuple(range(2, 8))
    gradient = adc.grad(in_the_plane_and_in_space, wrt, mode="compiled")
    taped = adc.grad(in_the_plane_and_in_space, wrt, mode="tape")(*arguments)
    for found, expected in zip(gradient(*arguments), taped, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    text = adc.source(gradient, *arguments, stage="optimized")
    assert "assume(p.shape[1] == 2)" in text
    assert text.count("@rt.kernel") == 2


def test_python_checks_what_compiled_code_assumes():
    assume(True)
    with pytest.raises(AssertionError, match="relies on"):
        assume(False)
