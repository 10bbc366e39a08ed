"""Hyperbolic functions: sinh(r + n ln 2) from the even and odd halves of e**r, the inverses from log1p."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import SHIFT, TINY
from adc.runtime.vectormath.logarithm import log1p_of_sum
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    fused,
    magnitude,
    polynomial,
    select,
    square_root,
    with_sign,
)

# From here on one of e**x and e**-x is below the last bit of the other.
FLAT = 22.0
# From here on 1 + x is x to the last bit, and so is sqrt(x**2 + 1).
STEEP = 2.0**54


@helper
def halves(a: float) -> tuple[float, float, float]:
    """(sinh(r), cosh(r) - 1, n + SHIFT) for 0 <= a = r + n ln 2, |r| <= ln(2)/2."""
    shifted = a * c.LOG2_E + SHIFT
    n = shifted - SHIFT
    high = a - n * c.LN2_HIGH
    low = n * c.LN2_LOW
    r = high - low
    lost = (high - r) - low
    z = r * r
    return r + (r * z * polynomial(z, c.SINH) + lost), 0.5 * z + z * z * polynomial(z, c.COSH), shifted


@helper
def quarter_powers(shifted: float) -> tuple[float, float]:
    """(sinh(n ln 2) / 2, cosh(n ln 2) / 2): half size, as 2**n may overflow before the result does."""
    up = from_bits((bits(shifted) + 1021) << 52)
    # Beyond 2**60 the small power is nothing; held there, its exponent stays in range.
    capped = select(shifted > SHIFT + 60.0, SHIFT + 60.0, shifted)
    down = from_bits((1021 - bits(capped)) << 52)
    return up - down, up + down


@vector_function("sinh")
def sinh(x: float) -> float:
    """The hyperbolic sine."""
    a = magnitude(x)
    odd, even, shifted = halves(select(a > 710.6, 710.6, a))
    sine, cosine = quarter_powers(shifted)
    y = (sine + (sine * even + cosine * odd)) * 2.0
    return select(a < TINY, x, with_sign(y, x))


@vector_function("cosh")
def cosh(x: float) -> float:
    """The hyperbolic cosine."""
    a = magnitude(x)
    odd, even, shifted = halves(select(a > 710.6, 710.6, a))
    sine, cosine = quarter_powers(shifted)
    return (cosine + (cosine * even + sine * odd)) * 2.0


@vector_function("tanh")
def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    a = magnitude(x)
    odd, even, shifted = halves(select(a > FLAT, FLAT, a))
    up = from_bits((bits(shifted) + 1023) << 52)
    down = from_bits((1023 - bits(shifted)) << 52)
    sine, cosine = up - down, up + down
    y = (sine + (sine * even + cosine * odd)) / (cosine + (cosine * even + sine * odd))
    return with_sign(y, x)


@vector_function("arcsinh", "asinh")
def arcsinh(x: float) -> float:
    """The inverse hyperbolic sine."""
    a = magnitude(x)
    steep = a > STEEP
    square = select(steep, 0.0, a * a)
    # x + sqrt(x**2 + 1) - 1 without cancellation; for steep x it is 2 x, of which log takes the 2 apart.
    total, rest = fast_two_sum(a, square / (1.0 + square_root(1.0 + square)))
    y = log1p_of_sum(total, rest) + select(steep, c.LN2, 0.0)
    y = select(a < float("inf"), y, a)
    return with_sign(select(a < TINY, a, y), x)


@vector_function("arccosh", "acosh")
def arccosh(x: float) -> float:
    """The inverse hyperbolic cosine; NaN below 1."""
    steep = x > STEEP
    t = select(steep, 0.0, x - 1.0)
    total, rest = fast_two_sum(square_root(t * (2.0 + t)), t)
    y = log1p_of_sum(select(steep, x, total), select(steep, 0.0, rest)) + select(steep, c.LN2, 0.0)
    y = select(x < float("inf"), y, x)
    return select(x < 1.0, float("nan"), y)


@vector_function("arctanh", "atanh")
def arctanh(x: float) -> float:
    """The inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond."""
    a = magnitude(x)
    inner = a < 1.0
    b = select(inner, a, 0.5)
    # log((1 + b) / (1 - b)) / 2 = log1p(u + rest) / 2: the rest is what the difference and the quotient lost.
    difference = 1.0 - b
    lost = (1.0 - difference) - b
    inverse = 1.0 / difference
    u = 2.0 * b * inverse
    rest = (fused(-u, difference, 2.0 * b) - u * lost) * inverse
    y = 0.5 * log1p_of_sum(u, rest)
    y = select(inner, y, select(a == 1.0, float("inf"), float("nan")))
    return with_sign(select(a < TINY, a, y), x)
