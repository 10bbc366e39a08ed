"""The functions of float32 in float32: twice as many in a vector, and shorter polynomials than those of float64.

They are within two and a half units of the last place (docs/vectormath_accuracy.md), NumPy's within four. What has no
kernel here is evaluated in float64 and rounded. Every constant is a float32, as one float64 makes all that follows it a
float64.
"""

from __future__ import annotations

import numpy as np

from adc.runtime.vectormath import coefficients_single as c
from adc.runtime.vectormath import (
    error_function,
    exponential,
    hyperbolic,
    logarithm,
    trigonometric,
)
from adc.runtime.vectormath.coefficients_single import single
from adc.runtime.vectormath.dispatch import helper, in_single
from adc.runtime.vectormath.exponential import clipped
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    larger,
    magnitude,
    polynomial,
    select,
    two_sum,
    with_sign,
)
from adc.runtime.vectormath.rare import library_function
from adc.runtime.vectormath.words import (
    as_single,
    both,
    either_not_both,
    minus,
    plus,
    shifted_left,
    shifted_right,
)

ZERO, HALF, ONE, TWO = single(0.0), single(0.5), single(1.0), single(2.0)
INFINITY, NAN = single(np.inf), single(np.nan)

# Adding 1.5 * 2**23 rounds to the nearest integer n and leaves n in the low bits of the sum. With 254 more, half of
# the low bits is the biased exponent of 2**(n / 2).
SHIFT = single(12582912.0)
SCALE_SHIFT = single(12582912.0 + 254.0)
EXP_LOWEST, EXP_HIGHEST = single(-104.5), single(89.0)
EXPM1_LOWEST = single(-20.0)
FLAT = single(10.0)  # from here on tanh is 1
TINY = single(2.0**-25)  # below this, f(x) = x to the last bit for f odd or nearly so
SMALLEST_NORMAL, TO_NORMAL, STEPS_TO_NORMAL = single(2.0**-126), single(2.0**23), single(23.0)
ROOT_HALF_BITS = 0x3F3504F3  # of sqrt(1/2)
MANTISSA = (1 << 23) - 1
# Up to here the first part of pi/2 times a quadrant is taken off exactly.
ANGLE_LIMIT = single(2.0**15)

library_sin = library_function("sinf", single=True)
library_cos = library_function("cosf", single=True)


@in_single(exponential.exp)
def exp(x: float) -> float:
    """e**x."""
    x = clipped(x, EXP_LOWEST, EXP_HIGHEST)
    shifted = x * c.LOG2_E + SCALE_SHIFT
    n = shifted - SCALE_SHIFT
    r = (x - n * c.LN2_HIGH) - n * c.LN2_LOW
    y = ONE + (r + r * r * polynomial(r, c.EXP))
    # In two factors, so that the product passes gradually through the subnormal numbers.
    packed = bits(shifted)
    half = shifted_right(packed, 1)
    y *= from_bits(shifted_left(half, 23))
    return y * from_bits(shifted_left(minus(packed, half), 23))


@in_single(exponential.expm1)
def expm1(x: float) -> float:
    """e**x - 1, accurate near zero."""
    clip = clipped(x, EXPM1_LOWEST, EXP_HIGHEST)
    shifted = clip * c.LOG2_E + SHIFT
    n = shifted - SHIFT
    high = clip - n * c.LN2_HIGH
    low = n * c.LN2_LOW
    r = high - low
    lost = (high - r) - low
    rest = r * r * polynomial(r, c.EXPM1) + lost
    # 2**n * (1 + r + rest) - 1 at half size, so that n = 128 does not overflow before it must.
    half = from_bits(shifted_left(plus(bits(shifted), 126), 23))
    total, error = fast_two_sum(half - HALF, half * r)
    y = (total + (error + half * rest)) * TWO
    return select(magnitude(x) < TINY, x, y)


@in_single(exponential.sigmoid)
def sigmoid(x: float) -> float:
    """1 / (1 + e**-x), accurate in both tails."""
    t = exponential.exp(-magnitude(x))
    return select(x < ZERO, t, ONE) / (ONE + t)


@helper
def split_exponent(x: float) -> tuple[float, float, int]:
    """(m, n, n as an integer) with x = m * 2**n, m in [sqrt(1/2), sqrt(2)), for x normal and positive."""
    i = minus(bits(x), ROOT_HALF_BITS)
    n = shifted_right(i, 23)
    return from_bits(plus(both(i, MANTISSA), ROOT_HALF_BITS)), as_single(n), n


@helper
def log_of_scaled(f: float, rest: float, n: float) -> float:
    """log(1 + f + rest) + n ln(2), for 1 + f in [0.7, 1.42) and rest below the last bit of f."""
    s = f / (TWO + f)
    z = s * s
    square = HALF * f * f
    low: float = n * c.LN2_LOW + rest
    return n * c.LN2_HIGH - ((square - (s * (square + z * polynomial(z, c.LOG)) + low)) - f)


@in_single(logarithm.log)
def log(x: float) -> float:
    """The natural logarithm."""
    subnormal = x < SMALLEST_NORMAL
    m, n, _ = split_exponent(select(subnormal, x * TO_NORMAL, x))
    y = log_of_scaled(m - ONE, ZERO, select(subnormal, n - STEPS_TO_NORMAL, n))
    y = select(x < INFINITY, y, x)
    y = select(x > ZERO, y, NAN)
    return select(x == ZERO, -INFINITY, y)


@in_single(logarithm.log1p)
def log1p(x: float) -> float:
    """log(1 + x), accurate near zero."""
    u, lost = two_sum(ONE, x)
    m, n, count = split_exponent(u)
    # The part of 1 + x that did not fit into u, on the scale of m; of a large u it is nothing.
    down = from_bits(minus(bits(ONE), shifted_left(count, 23)))
    f, beyond = fast_two_sum(m - ONE, select(count > 64, ZERO, lost * down))
    y = log_of_scaled(f, beyond, n)
    y = select(x < INFINITY, y, x)
    y = select(x > -ONE, y, NAN)
    y = select(x == -ONE, -INFINITY, y)
    return select(magnitude(x) < TINY, x, y)


@helper
def log1p_of_fraction(f: float) -> float:
    """log(1 + f) for 0 <= f <= 1: without an exponent to split off."""
    s = f / (TWO + f)
    z = s * s
    square = HALF * f * f
    return f - (square - s * (square + z * polynomial(z, c.LOG_WIDE)))


@in_single(logarithm.softplus)
def softplus(x: float) -> float:
    """log(1 + e**x) without overflow."""
    return larger(x, ZERO) + log1p_of_fraction(exponential.exp(-magnitude(x)))


@in_single(logarithm.logaddexp)
def logaddexp(x: float, y: float) -> float:
    """log(e**x + e**y) without overflow."""
    top = larger(x, y)
    gap = select(x == y, ZERO, magnitude(x - y))
    return top + log1p_of_fraction(exponential.exp(-gap))


@in_single(hyperbolic.tanh)
def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    a = magnitude(x)
    a = select(a > FLAT, FLAT, a)
    double = exponential.expm1(a + a)
    return with_sign(double / (double + TWO), x)


@helper
def reduced(x: float) -> tuple[float, int]:
    """(r, quadrant) with x = r + quadrant * pi/2 and |r| <= pi/4."""
    shifted = x * c.TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    return ((x - n * c.HALF_PI_1) - n * c.HALF_PI_2) - n * c.HALF_PI_3, bits(shifted)


@helper
def sine_or_cosine(r: float, quadrant: int) -> float:
    """The sine of r and as many right angles."""
    z = r * r
    sine = r + r * z * polynomial(z, c.SIN)
    cosine = ONE - (HALF * z - z * z * polynomial(z, c.COS))
    y = select(both(quadrant, 1) == 0, sine, cosine)
    return from_bits(either_not_both(bits(y), shifted_left(shifted_right(quadrant, 1), 31)))


@in_single(trigonometric.sin)
def sin(x: float) -> float:
    """The sine, for every float32."""
    r, quadrant = reduced(x)
    y = sine_or_cosine(r, quadrant)
    y = select(x == ZERO, x, y)
    return library_sin(magnitude(x) > ANGLE_LIMIT, x, y)


@in_single(trigonometric.cos)
def cos(x: float) -> float:
    """The cosine, for every float32."""
    r, quadrant = reduced(x)
    return library_cos(magnitude(x) > ANGLE_LIMIT, x, sine_or_cosine(r, plus(quadrant, 1)))


@in_single(error_function.erf)
def erf(x: float) -> float:
    """The error function."""
    a = magnitude(x)
    near = x + x * polynomial(x * x, c.ERF)
    a = select(a > c.ERF_TO, c.ERF_TO, a)
    far = ONE - exponential.exp(-a * polynomial(a, c.ERF_TAIL))
    return select(a > c.ERF_FROM, with_sign(far, x), near)
