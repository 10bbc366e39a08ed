"""exp and its relatives: a power of two from the exponent bits times a polynomial on [-ln(2)/2, ln(2)/2]."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    magnitude,
    polynomial,
    select,
)

# Adding 1.5 * 2**52 rounds to the nearest integer n and leaves n in the low bits of the sum. With 2046
# more, half of the low bits is the biased exponent of 2**(n / 2).
SHIFT = 6755399441055744.0
SCALE_SHIFT = SHIFT + 2046.0
# Below this, f(x) = x to the last bit for f odd or nearly so; it keeps the sign of zero and subnormal
# numbers too.
TINY = 2.0**-54


@helper
def times_power_of_two(y: float, shifted: float) -> float:
    """The product y * 2**n, rounded once, for `shifted` = n + SCALE_SHIFT and |n| < 2040.

    Two factors of about 2**(n / 2): the product passes gradually through the subnormal numbers to zero, and
    reaches infinity no earlier than it must.
    """
    packed = bits(shifted)
    half = packed >> 1
    return y * from_bits(half << 52) * from_bits((packed - half) << 52)


@helper
def scaled_exp_of_sum(factor: float, x: float, rest: float) -> float:
    """The product factor * e**(x + rest), for |x| < 1400 and |rest| < 2**-40."""
    shifted = x * c.LOG2_E + SCALE_SHIFT
    n = shifted - SCALE_SHIFT
    high = x - n * c.LN2_HIGH
    low = n * c.LN2_LOW - rest
    r = high - low
    lost = (high - r) - low
    y = 1.0 + (r + (r * r * polynomial(r, c.EXP) + lost))
    return times_power_of_two(factor * y, shifted)


@helper
def clipped(x: float, low: float, high: float) -> float:
    """The nearest to x between low and high; NaN stays NaN."""
    x = select(x > high, high, x)
    return select(x < low, low, x)


@vector_function("exp")
def exp(x: float) -> float:
    """e**x."""
    x = clipped(x, -746.0, 710.0)
    shifted = x * c.LOG2_E + SCALE_SHIFT
    n = shifted - SCALE_SHIFT
    r = (x - n * c.LN2_HIGH) - n * c.LN2_LOW
    y = 1.0 + (r + r * r * polynomial(r, c.EXP))
    return times_power_of_two(y, shifted)


@vector_function("exp2")
def exp2(x: float) -> float:
    """2**x."""
    x = clipped(x, -1076.0, 1024.0)
    shifted = x + SCALE_SHIFT
    n = shifted - SCALE_SHIFT
    r = x - n
    y = 1.0 + (r * c.LN2 + r * r * polynomial(r, c.EXP2))
    return times_power_of_two(y, shifted)


@vector_function("expm1")
def expm1(x: float) -> float:
    """e**x - 1, accurate near zero."""
    clip = clipped(x, -50.0, 710.0)
    shifted = clip * c.LOG2_E + SHIFT
    n = shifted - SHIFT
    high = clip - n * c.LN2_HIGH
    low = n * c.LN2_LOW
    r = high - low
    lost = (high - r) - low
    rest = r * r * polynomial(r, c.EXPM1) + lost
    # 2**n * (1 + r + rest) - 1 at half size, so that n = 1024 does not overflow before it must.
    half = from_bits((bits(shifted) + 1022) << 52)
    total, error = fast_two_sum(half - 0.5, half * r)
    y = (total + (error + half * rest)) * 2.0
    return select(magnitude(x) < TINY, x, y)


@vector_function("expit", "sigmoid")
def sigmoid(x: float) -> float:
    """1 / (1 + e**-x), accurate in both tails."""
    t = exp(-magnitude(x))
    return select(x < 0.0, t, 1.0) / (1.0 + t)
