"""What is added at positions of which no two are the same is assigned; at others it is added one by one."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(0)
X, Z = R.normal(size=5), R.normal(size=(3, 4))
LABELS = np.array([1, 1, 2])


def ordered(x, z, labels):
    return np.sum(np.sort(x) ** 2 * np.arange(5.0))


def by_argsort(x, z, labels):
    k = np.argsort(-x)[1:4]
    return np.prod(x[k]) + x[0]


def one_of_each_row(x, z, labels):
    return np.sum(z[np.arange(3), labels] ** 2)


def where_positive(x, z, labels):
    (k,) = np.nonzero(x > 0)
    return np.sum(x[k] ** 3)


def masked(x, z, labels):
    return np.sum(x[x > 0] ** 3)


ASSIGNED = [ordered, by_argsort, one_of_each_row, where_positive, masked]


def of_one_row(x, z, labels):
    return np.sum(z[np.arange(1), labels] ** 2)


def repeated(x, z, labels):
    k = np.argsort(x)[np.array([0, 0, 3])]
    return np.sum(x[k] ** 2)


def written_to(x, z, labels):
    k = np.arange(5)
    k[0] = k[1]
    return np.sum(x[k] ** 2 * np.arange(1.0, 6.0))


def written_to_later(x, z, labels):
    k = np.arange(5)
    for i in range(2):
        k = k.copy() if i else k
        k[i] = 3
    return np.sum(x[k] ** 2)


def columns_repeat(x, z, labels):
    return np.sum(z[:, labels] ** 2)


def twice_as_many(x, z, labels):
    k = np.argsort(x)
    both = np.concatenate((k, k))
    return np.sum(x[both] ** 3)


ADDED = [of_one_row, repeated, written_to, written_to_later, columns_repeat, twice_as_many]


@pytest.mark.parametrize("f", [*ASSIGNED, *ADDED], ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_tape(f):
    for mode in ("python", "compiled"):
        found = adc.grad(f, argnums=(0, 1), mode=mode)(X, Z, LABELS)
        for a, b in zip(found, adc.grad(f, argnums=(0, 1), mode="tape")(X, Z, LABELS), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("f", ASSIGNED, ids=lambda f: f.__name__)
def test_assigned(f):
    assert "np.add.at" not in adc.source(adc.grad(f, argnums=(0, 1), mode="python"), X, Z, LABELS)


@pytest.mark.parametrize("f", ADDED, ids=lambda f: f.__name__)
def test_added(f):
    assert "np.add.at" in adc.source(adc.grad(f, argnums=(0, 1), mode="python"), X, Z, LABELS)
