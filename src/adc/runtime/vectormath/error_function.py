"""erf, erfc, ndtr, log_ndtr: an odd polynomial up to 1, from there e**-x**2 times a polynomial in a fraction of x.

1 + erf, of which no digits are wanted near erf = 0, is the second everywhere.
"""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import exp, scaled_exp_of_sum
from adc.runtime.vectormath.logarithm import log, log1p
from adc.runtime.vectormath.primitives import (
    fast_two_sum,
    fused,
    magnitude,
    polynomial,
    select,
    two_product,
    with_sign,
)
from adc.runtime.vectormath.rare import scipy_function

# From here on erf is 1 to the last bit.
FLAT = 6.0
# From here on erfc is below half of the smallest subnormal number.
VANISHED = 27.3
VANISHED_NORMAL = 38.6  # where ndtr does
ROOT_HALF = 0.7071067811865476
# From here on the tail's formula; up to here 1 - x is exact, or as good, and erf(x) - x is small.
TAIL_FROM = 0.98

scipy_log_ndtr = scipy_function("log_ndtr")


@helper
def tail_factor(a: float) -> float:
    """erfc(a) times e**a**2, for 0.97 <= a <= VANISHED."""
    # Errors of the inverse count nearly twice, in t and in the factor: one step takes them off. The sum keeps
    # its error though a may be the larger, as 2 is a power of two.
    bottom, lost = fast_two_sum(2.0, a)
    inverse = 1.0 / bottom
    inverse += inverse * (fused(-inverse, bottom, 1.0) - inverse * lost)
    return polynomial((a - c.ERFC_CENTRE) * inverse, c.ERFC) * inverse


@helper
def tail(a: float, square: float, square_lost: float) -> float:
    """erfc(a) for 0.97 <= a <= VANISHED, given a**2 as a sum of two doubles: its digits are what counts."""
    return scaled_exp_of_sum(tail_factor(a), -square, -square_lost)


@helper
def tail_of_erf(a: float, x: float) -> float:
    """erfc(a) for a = abs(x) >= 0.97, with an absolute error below the last bit of 1."""
    a = select(a > FLAT, FLAT, a)
    inverse = 1.0 / (a + 2.0)
    factor = polynomial((a - c.ERF_TAIL_CENTRE) * inverse, c.ERF_TAIL) * inverse
    # As the slope of erf has it: a loop that computes both takes one exponential.
    return factor * exp(-x * x)


@vector_function("erf")
def erf(x: float) -> float:
    """The error function."""
    a = magnitude(x)
    z = x * x
    near = x + x * polynomial(z, c.ERF)
    return with_sign(select(a > TAIL_FROM, 1.0 - tail_of_erf(a, x), near), x)


@vector_function()
def one_plus_erf(x: float) -> float:
    """1 + erf(x), as accurate as that sum, and where it vanishes more so: half the work of erf."""
    a = magnitude(x)
    a = select(a > FLAT, FLAT, a)
    inverse = 1.0 / (a + 4.0)
    # As the slope of erf has it, as in `tail_of_erf`.
    tail = polynomial((a - c.ERF_SUM_CENTRE) * inverse, c.ERF_SUM) * inverse * exp(-x * x)
    return select(x < 0.0, tail, 2.0 - tail)


@vector_function("erfc")
def erfc(x: float) -> float:
    """1 - erf(x), accurate where that vanishes."""
    a = magnitude(x)
    z = x * x
    near = (1.0 - x) - x * polynomial(z, c.ERF)
    a = select(a > VANISHED, VANISHED, a)
    square, square_lost = two_product(a, a)
    far = tail(a, square, square_lost)
    return select(a > TAIL_FROM, select(x < 0.0, 2.0 - far, far), near)


@vector_function("ndtr")
def ndtr(x: float) -> float:
    """The probability that a standard normal variable is at most x, accurate where that vanishes."""
    u = x * ROOT_HALF
    near = 0.5 * ((1.0 + u) + u * polynomial(u * u, c.ERF))
    a = magnitude(x)
    a = select(a > VANISHED_NORMAL, VANISHED_NORMAL, a)
    square, square_lost = two_product(a, a)
    far = 0.5 * tail(a * ROOT_HALF, 0.5 * square, 0.5 * square_lost)
    return select(magnitude(u) > TAIL_FROM, select(x > 0.0, 1.0 - far, far), near)


@vector_function("log_ndtr")
def log_ndtr(x: float) -> float:
    """The logarithm of ndtr, also where that vanishes."""
    a = magnitude(x)
    u = a * ROOT_HALF
    near = 0.5 * ((1.0 - u) - u * polynomial(u * u, c.ERF))  # ndtr(-a)
    b = select(a > VANISHED_NORMAL, VANISHED_NORMAL, a)
    factor = 0.5 * tail_factor(b * ROOT_HALF)
    far = u > TAIL_FROM
    square, square_lost = two_product(b, b)
    rest = select(far, scaled_exp_of_sum(factor, -0.5 * square, -0.5 * square_lost), near)
    below = log(select(far, factor, near)) - select(far, 0.5 * square, 0.0)
    return scipy_log_ndtr(x < -VANISHED_NORMAL, x, select(x > 0.0, log1p(-rest), below))
