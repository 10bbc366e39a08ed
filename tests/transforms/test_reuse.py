"""Arrays that take the memory of others, of which no part is read any more."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

TIMES = np.array([1, 2, 3])


def two_covariances(a, w):
    """Each centres a copy in place, and its product with the transpose is made again for each direction."""
    value = np.sum(np.cov(a, aweights=w) ** 2)
    value += np.sum(np.cov(a, fweights=TIMES, aweights=w, bias=True) ** 2)
    return np.array([value, 2.0 * value])


@pytest.mark.parametrize("jacobian", [adc.jacfwd, adc.jacrev])
def test_memory_that_a_view_is_read_from(jacobian):
    """A loop over directions reads the copy through its transpose, so that what it writes has memory of its own."""
    rng = np.random.default_rng(0)
    args = rng.normal(size=(2, 3)), rng.uniform(0.5, 1.5, size=3)
    wanted = adc.jacrev(two_covariances, argnums=(0, 1), mode="python")(*args)
    with interpreted():
        found = jacobian(two_covariances, argnums=(0, 1), mode="compiled")(*args)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-10, atol=1e-13)
