"""Rules of Cholesky's factorization of a symmetric band, and of the equations that such a factor solves."""

import numpy as np
from scipy import linalg as sl

from adc.rules import triangular as triangular
from adc.rules.registry import composite
from adc.rules.sampler import call


def _other_storage(ab, lower):
    """The band as the other triangle stores it. What lies outside the matrix goes round, and comes back by the same."""
    rows, n = ab.shape
    place = np.expand_dims(np.arange(rows), 1)
    moved = -(rows - 1 - place) if lower else place
    return ab[rows - 1 - place, (np.expand_dims(np.arange(n), 0) + moved) % n]


def _positive_band(r):
    return np.stack([r.positive(4) + 2.0, np.array([0.3, -0.2, 0.4, 0.7]), np.array([0.1, 0.2, 0.5, 0.6])])


@composite(
    sl.cholesky_banded,
    wrt="ab",
    name="scipy.linalg.cholesky_banded",
    extra={"cores": {"ab": 2}, "real_only": True, "dtype": "floating ab"},
    examples=lambda r: [
        np.stack([np.array([0.6, 0.3, -0.2, 0.4]), r.positive(4) + 2.0]),
        call(_positive_band(r), lower=True),
        _positive_band(r)[::-1],
    ],
)
def cholesky_banded(ab, lower=False):
    band = ab if lower else _other_storage(ab, False)
    rows, n = band.shape
    factor = np.zeros_like(band)
    for j in range(n):
        for i in range(rows):
            total = band[i, j]
            if i + j < n:
                for k in range(1, np.minimum(rows - i, j + 1)):
                    total = total - factor[i + k, j - k] * factor[k, j - k]
                total = np.sqrt(total) if i == 0 else total / factor[0, j]
            factor[i, j] = total
    if np.any(np.isnan(factor[0])):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return factor if lower else _other_storage(factor, True)


@composite(
    sl.cho_solve_banded,
    wrt="cb_and_lower b",
    name="scipy.linalg.cho_solve_banded",
    extra={"cores": {"cb_and_lower": (2, 0), "b": 2}, "real_only": True, "dtype": "floating cb_and_lower b"},
    examples=lambda r: [
        ((_positive_band(r), True), r.normal(4)),
        ((_positive_band(r)[::-1], False), r.normal(4, 2)),
    ],
)
def cho_solve_banded(cb_and_lower, b):
    cb, lower = cb_and_lower
    below = cb.shape[0] - 1
    half = sl.solve_banded((below, 0), cb if lower else _other_storage(cb, False), b)
    return sl.solve_banded((0, below), _other_storage(cb, True) if lower else cb, half)
