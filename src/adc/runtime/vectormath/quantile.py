"""erfinv and ndtri: the argument times a polynomial in -log(1 - x**2), as Giles has it; SciPy's near 0 and 1.

Giles, Approximating the erfinv function (GPU Computing Gems, 2011).
"""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.logarithm import log
from adc.runtime.vectormath.primitives import magnitude, polynomial
from adc.runtime.vectormath.rare import scipy_function

ROOT_2 = 1.4142135623730951
# -log(1 - x**2) up to here: all but a thousandth of the arguments. Of the rest each is SciPy's own.
COMMON = 6.25

scipy_erfinv = scipy_function("erfinv")
scipy_ndtri = scipy_function("ndtri")


@helper
def quantile(x: float, w: float) -> float:
    """erfinv(x) for w = -log(1 - x**2) up to COMMON."""
    return x * polynomial(w - c.ERFINV_CENTRE, c.ERFINV)


@vector_function("erfinv")
def erfinv(y: float) -> float:
    """The inverse of erf."""
    a = magnitude(y)
    w = -log((1.0 - a) * (1.0 + a))
    return scipy_erfinv(not w <= COMMON, y, quantile(y, w))


@vector_function("ndtri")
def ndtri(p: float) -> float:
    """The number below which a standard normal variable is with probability p."""
    x = (p - 0.5) + (p - 0.5)
    w = -log(4.0 * p * (1.0 - p))
    return scipy_ndtri(not w <= COMMON, p, ROOT_2 * quantile(x, w))
