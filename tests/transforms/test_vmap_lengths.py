"""Batches of results whose lengths a constant decides: a mask, counts, positions, an argument that all share."""

from __future__ import annotations

import numpy as np
import pytest

import adc

A = np.arange(1.0, 7.0).reshape(2, 3)
B = np.arange(1.0, 13.0).reshape(2, 2, 3)
M = np.array([True, False, True])
SQUARE = np.array([[True, False, True], [False, False, True]])

FUNCTIONS = {
    "mask": lambda x: x[np.array([True, False, True])],
    "mask from outside": lambda x: 2 * x[M],
    "comparison": lambda x: x[np.arange(3) != 1],
    "delete": lambda x: np.delete(x, [0, 2]),
    "repeat": lambda x: np.repeat(x, [1, 0, 2]),
    "compress": lambda x: np.compress(M, x),
    "extract": lambda x: np.extract(M, x),
    "flatnonzero": lambda x: x[np.flatnonzero(M)],
    "nonzero": lambda x: x[np.nonzero(M)],
    "further": lambda x: np.concatenate([x[M], np.sin(x[M]) * x[M], x[:1]]),
    "outer": lambda x: np.outer(x[M], np.delete(x, [1, 2])),
    "sum of columns": lambda x: np.stack([x, x * x])[:, M],
    "swapped": lambda x: np.roll(x[M], 1) @ np.eye(2),
}


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_of_vectors(f, mode):
    np.testing.assert_allclose(adc.vmap(f, mode=mode)(A), np.stack([f(x) for x in A]))
    found = adc.grad(lambda a: np.sum(adc.vmap(f)(a) ** 2), mode=mode)(A)
    expected = [adc.grad(lambda x: np.sum(f(x) ** 2), mode="tape")(x) for x in A]
    np.testing.assert_allclose(found, np.stack(expected))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_of_matrices(mode):
    np.testing.assert_allclose(adc.vmap(lambda x: x[SQUARE], mode=mode)(B), B[:, SQUARE])
    np.testing.assert_allclose(adc.vmap(lambda x: x[:, M].T, mode=mode)(B), B[:, :, M].transpose(0, 2, 1))
    rows = adc.vmap(lambda x: x[np.array([False, True])], out_axes=1, mode=mode)(B)
    np.testing.assert_allclose(rows, B[:, 1:].transpose(1, 0, 2))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_masks_that_all_share(mode):
    f = adc.vmap(lambda x, mask: x[mask] * 2, in_axes=(0, None), mode=mode)
    np.testing.assert_allclose(f(A, M), 2 * A[:, M])
    np.testing.assert_allclose(f(A, ~M), 2 * A[:, ~M])
    nested = adc.vmap(adc.vmap(lambda x: x[M]), mode=mode)
    np.testing.assert_allclose(nested(B), B[:, :, M])
    of_each = adc.vmap(adc.vmap(lambda x, mask: np.sum(x[mask]), in_axes=(0, None)), mode=mode)
    np.testing.assert_allclose(of_each(B, np.stack([M, ~M])), [B[0][:, M].sum(1), B[1][:, ~M].sum(1)])


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_no_elements(mode):
    assert adc.vmap(lambda x: x[M], mode=mode)(np.zeros((0, 3))).shape == (0, 2)
    assert adc.vmap(lambda x: x[M & ~M], mode=mode)(A).shape == (2, 0)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_masks_of_another_length(mode):
    with pytest.raises((adc.ShapeError, IndexError), match="boolean index did not match"):
        adc.vmap(lambda x: x[M], mode=mode)(np.zeros((2, 4)))


def test_masks_of_an_element_are_refused():
    with pytest.raises(adc.UnsupportedError, match="whose shape is only known inside the batch"):
        adc.vmap(lambda x: x[x[M][0] < x], mode="python")(A)
    with pytest.raises(adc.UnsupportedError, match="whose shape is only known inside the batch"):
        adc.vmap(lambda x, mask: x[mask], mode="python")(A, np.stack([M, M]))
