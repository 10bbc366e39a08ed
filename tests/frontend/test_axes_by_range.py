"""`range(k, 2 * k)` names axes and positions as a tuple does."""

import numpy as np
import pytest

import adc

X = np.random.default_rng(0).normal(size=(3, 3))


def contracted(x):
    k = 1
    return np.sum(np.tensordot(x, x, axes=(range(k, 2 * k), (0,))) ** 2)


def moved(x):
    return np.sum(np.moveaxis(x, range(2), (1, 0)) * x**2)


def turned(x):
    return np.sum(np.transpose(x, range(1, -1, -1)) * x**2 + x.transpose(range(1, -1, -1)) * x)


def rolled(x):
    return np.sum(np.roll(x, range(1, 3), axis=range(2)) * x**2)


def without_some(x):
    return np.sum(np.delete(x, range(1), axis=0) ** 3) + np.sum(np.take(x, range(2), axis=1) ** 2)


def summed_by_labels(x):
    return np.sum(np.einsum(x, range(2), x, [1, 2], [0, 2]) ** 2)


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("f", [contracted, moved, turned, rolled, without_some, summed_by_labels])
def test_a_range_is_a_tuple(f, mode):
    adc.check_grads(f, (X,), order=1, mode=mode)
