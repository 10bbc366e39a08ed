"""What is no level of a quantile raises, as in NumPy, and does not become one that is."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.array([3.0, 1.0, 2.0, 5.0])
TAKEN = [
    lambda x, q: np.quantile(x, q),
    lambda x, q: np.percentile(x, 100 * q),
    lambda x, q: np.nanquantile(x, q),
    lambda x, q: np.sum(np.nanpercentile(x, [100 * q, 50.0])),
    lambda x, q: np.sum(np.quantile(x, np.array([0.0, 0.5]) + q)),
    lambda x, q: q * np.quantile(x, 1.5),
]


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("q", [0.0, 1.0, 0.4, -0.1, 1.01, np.nan])
def test_levels(taken, q, mode):
    try:
        wanted = taken(X, q)
    except ValueError as error:
        with pytest.raises(ValueError, match=r"must be in the range \[0, 1") as caught:
            adc.value_and_grad(taken, mode=mode)(X, q)
        assert str(error) in str(caught.value)
    else:
        np.testing.assert_allclose(adc.value_and_grad(taken, mode=mode)(X, q)[0], wanted)
