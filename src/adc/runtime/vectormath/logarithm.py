"""log and its relatives: exponent bits times ln(2), and 2 atanh(f / (2 + f)) of 1 + f in [0.7, 1.42)."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import SHIFT, TINY, exp, exp2
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    larger,
    magnitude,
    polynomial,
    select,
    two_product,
    two_sum,
)

# The bits of sqrt(1/2): subtracting them before the shift puts the mantissa into [sqrt(1/2), sqrt(2)).
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD
EXPONENT_MASK = -(1 << 52)
SMALLEST_NORMAL = 2.0**-1022
SHIFT_BITS = 0x4338000000000000


@helper
def split_exponent(x: float) -> tuple[float, float]:
    """(m, n) with x = m * 2**n, m in [sqrt(1/2), sqrt(2)) and n integral, for x positive and finite."""
    subnormal = x < SMALLEST_NORMAL
    i = bits(select(subnormal, x * 2.0**54, x)) - ROOT_HALF_BITS
    m = from_bits((i & ~EXPONENT_MASK) + ROOT_HALF_BITS)
    # An arithmetic shift of 64 bits is missing from AVX2: shift logically with a bias, and let SHIFT take
    # it off.
    n = from_bits(((i + (1024 << 52)) >> 52 & 0xFFF) + SHIFT_BITS) - (SHIFT + 1024.0)
    return m, select(subnormal, n - 54.0, n)


@helper
def edges_of_log(x: float, y: float) -> float:
    """The logarithm y of x where 0 < x < inf, and what IEEE 754 says of it elsewhere."""
    y = select(x < float("inf"), y, x)
    y = select(x > 0.0, y, float("nan"))
    return select(x == 0.0, -float("inf"), y)


@helper
def log_of_scaled(f: float, rest: float, n: float) -> float:
    """log(1 + f + rest) + n ln(2), for 1 + f in [0.7, 1.42) and rest below the last bit of f."""
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    # log(1 + f) = f - f**2/2 + s * (f**2/2 + z * R(z)): the first two terms carry the digits.
    return n * c.LN2_HIGH - (
        (square - (s * (square + z * polynomial(z, c.LOG)) + (n * c.LN2_LOW + rest))) - f
    )


@vector_function("log")
def log(x: float) -> float:
    """The natural logarithm."""
    m, n = split_exponent(x)
    return edges_of_log(x, log_of_scaled(m - 1.0, 0.0, n))


@helper
def log_of_mantissa(m: float) -> tuple[float, float]:
    """log(m) for m in [0.7, 1.42) as an unevaluated sum with some ten bits more than a double."""
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    high, low = fast_two_sum(f, -square)
    return high, low + s * (square + z * polynomial(z, c.LOG))


@vector_function("log2")
def log2(x: float) -> float:
    """The logarithm to base 2; exact at powers of two."""
    m, n = split_exponent(x)
    high, low = log_of_mantissa(m)
    product, lost = two_product(high, c.LOG2_E)
    total, error = fast_two_sum(n, product)
    return edges_of_log(x, total + (error + (lost + (low * c.LOG2_E + high * c.LOG2_E_REST))))


@vector_function("log10")
def log10(x: float) -> float:
    """The logarithm to base 10."""
    m, n = split_exponent(x)
    high, low = log_of_mantissa(m)
    product, lost = two_product(high, c.LOG10_E)
    total, error = fast_two_sum(n * c.LOG10_2_HIGH, product)
    rest = low * c.LOG10_E + (high * c.LOG10_E_REST + n * c.LOG10_2_LOW)
    return edges_of_log(x, total + (error + (lost + rest)))


@helper
def log1p_of_sum(x: float, rest: float) -> float:
    """log(1 + x + rest) for -1 < x < inf and rest below the last bit of x."""
    u, lost = two_sum(1.0, x)
    m, n = split_exponent(u)
    # The part of 1 + x that did not fit into u, on the scale of m; beyond 2**1000 it is nothing, but must
    # be finite.
    down = from_bits((1023 << 52) - (bits(select(n > 1000.0, 1000.0, n) + SHIFT) << 52))
    part = (lost + rest) * down
    f, beyond = fast_two_sum(m - 1.0, part)
    return log_of_scaled(f, beyond, n)


@vector_function("log1p")
def log1p(x: float) -> float:
    """log(1 + x), accurate near zero."""
    y = log1p_of_sum(x, 0.0)
    y = select(x < float("inf"), y, x)
    y = select(x > -1.0, y, float("nan"))
    y = select(x == -1.0, -float("inf"), y)
    return select(magnitude(x) < TINY, x, y)


@helper
def log1p_of_fraction(f: float) -> float:
    """log(1 + f) for 0 <= f <= 1: without an exponent to split off."""
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    return f - (square - s * (square + z * polynomial(z, c.LOG_WIDE)))


@vector_function("softplus")
def softplus(x: float) -> float:
    """log(1 + e**x) without overflow."""
    return larger(x, 0.0) + log1p_of_fraction(exp(-magnitude(x)))


@vector_function("logaddexp")
def logaddexp(x: float, y: float) -> float:
    """log(e**x + e**y) without overflow."""
    top = larger(x, y)
    # Equal infinities have no difference; NaN has none either, and comes back through `top`.
    gap = select(x == y, 0.0, magnitude(x - y))
    return top + log1p_of_fraction(exp(-gap))


@vector_function("logaddexp2")
def logaddexp2(x: float, y: float) -> float:
    """log2(2**x + 2**y) without overflow."""
    top = larger(x, y)
    gap = select(x == y, 0.0, magnitude(x - y))
    return top + select(gap == 0.0, 1.0, c.LOG2_E * log1p_of_fraction(exp2(-gap)))
