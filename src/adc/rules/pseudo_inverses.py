"""Rules of scipy.linalg's pseudo-inverses: NumPy's, with SciPy's opinion of which singular values are zero."""

import numpy as np
from scipy import linalg as sl

from adc.errors import UnsupportedError
from adc.rules.least_squares import precision_of
from adc.rules.linear_systems import of_triangle
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call, corner


@static
def _only_relative(name, atol, return_rank):
    if (atol is not None and not (isinstance(atol, (int, float)) and atol == 0)) or return_rank:
        raise UnsupportedError(
            f"scipy.linalg.{name} with `atol` or `return_rank` is not supported", repair="Give `rtol`."
        )


def _pseudo_inverse(a, rtol):
    """NumPy's, with SciPy's opinion of which singular values are zero."""
    a = as_floats(a)
    if rtol is None:
        return np.linalg.pinv(a, np.maximum(a.shape[-2], a.shape[-1]) * precision_of(a.dtype))
    return np.linalg.pinv(a, rtol)


def _low_rank(columns):
    return columns @ columns.T


@composite(
    sl.pinv,
    name="scipy.linalg.pinv",
    notes="where the rank is constant",
    examples=lambda r: [
        r.normal(4, 2),
        r.normal(2, 3),
        corner(_low_rank(r.normal(30, 4))),
        call(np.diag([1.0, 0.5, 0.2]), rtol=1e-3),
    ],
)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    _only_relative("pinv", atol, return_rank)
    return _pseudo_inverse(a, rtol)


@composite(
    sl.pinvh,
    name="scipy.linalg.pinvh",
    notes="where the rank is constant; of the triangle that is read",
    examples=lambda r: [
        r.positive_definite(3),
        call(r.normal(3, 3), lower=False),
        r.hermitian(3),
        corner(_low_rank(r.normal(30, 4))),
    ],
)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    _only_relative("pinvh", atol, return_rank)
    return _pseudo_inverse(of_triangle(a, lower), rtol)
