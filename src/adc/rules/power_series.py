"""Coefficients of polynomials as numpy.polynomial has them, the lowest power first.

Zeros at the end are kept where NumPy leaves them out, for they have derivatives.
"""

import numpy as np
from numpy.polynomial import polynomial

from adc.rules.polynomials import from_zeros
from adc.rules.reductions import as_floats
from adc.rules.registry import composite
from adc.rules.sampler import call


def _pair(r):
    return [
        (r.normal(4), r.normal(2)),
        (r.normal(2), r.normal(4)),
        (r.normal(3), r.normal(3)),
        (r.normal(3), 0.7),
    ]


def _named(function):
    """How an operation is called, beside the function of NumPy's own name that takes the highest power first."""
    name = function.__name__
    return {"name": f"polynomial.{name}", "spelling": f"np.polynomial.polynomial.{name}"}


def _highest_first(c):
    """Coefficients as functions of NumPy's own take them, which take none, too, and compute with integers."""
    if np.size(c) == 0:
        raise ValueError("Coefficient array is empty")
    coefficients = np.atleast_1d(c)
    if coefficients.dtype.kind == "b":
        raise ValueError("Coefficient arrays have no common type")
    return as_floats(coefficients)[::-1]


@composite(polynomial.polyadd, wrt="c1 c2", examples=_pair, **_named(polynomial.polyadd))
def polyadd(c1, c2):
    return np.polyadd(_highest_first(c1), _highest_first(c2))[::-1]


@composite(polynomial.polysub, wrt="c1 c2", examples=_pair, **_named(polynomial.polysub))
def polysub(c1, c2):
    return np.polysub(_highest_first(c1), _highest_first(c2))[::-1]


@composite(polynomial.polymul, wrt="c1 c2", examples=_pair, **_named(polynomial.polymul))
def polymul(c1, c2):
    return np.polymul(_highest_first(c1), _highest_first(c2))[::-1]


@composite(
    polynomial.polyfromroots,
    wrt="roots",
    examples=lambda r: [r.normal(3), np.zeros(0)],
    extra={"doubles": True},
    **_named(polynomial.polyfromroots),
)
def polyfromroots(roots):
    return from_zeros(as_floats(roots))[::-1]


@composite(
    polynomial.polyder,
    wrt="c",
    examples=lambda r: [
        r.normal(4),
        (r.normal(4), 2),
        call(r.normal(3), 1, 0.5),
        r.normal(1),
        r.normal(3, 2),
        call(r.normal(2, 4), 2, axis=1),
    ],
    extra={"order": "A"},
    **_named(polynomial.polyder),
)
def polyder(c, m=1, scl=1, axis=0):
    result = np.moveaxis(c, axis, 0) + 0.0
    for _ in range(m):
        n = result.shape[0]
        moved = (scl * result * beside_rows(np.arange(n), result)).astype(result.dtype)
        result = moved[np.minimum(1, n - 1) :]  # of a number it is a number, 0
    return np.moveaxis(result, 0, axis)


def beside_rows(numbers, rows):
    """A number for each row, ready to multiply it."""
    return np.reshape(numbers, (-1,) + (1,) * (np.ndim(rows) - 1))


@composite(
    polynomial.polyint,
    wrt="c k",
    examples=lambda r: [
        r.normal(4),
        (r.normal(3), 2),
        (r.normal(3), 1, 0.5),
        (r.normal(3), 2, [0.5, 0.2], 0.3, 2.0),
        r.normal(3, 2),
        call(r.normal(2, 3), 1, 0.5, 0.3, axis=1),
    ],
    extra={"order": "A"},
    **_named(polynomial.polyint),
)
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    result = np.moveaxis(c, axis, 0) + 0.0
    for step in range(m):
        held = (k,) if np.ndim(k) == 0 else k
        constant = held[step] if step < len(held) else 0.0
        n = result.shape[0]
        parts = (scl * result / beside_rows(np.arange(1, n + 1), result)).astype(result.dtype)
        powers = np.concatenate((np.zeros_like(parts[:1]), parts))
        result = np.copy(powers)
        result[0] = constant - polynomial.polyval(lbnd * 1.0, powers)
    return np.moveaxis(result, 0, axis)
