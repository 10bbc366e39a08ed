"""sin, cos, tan: reduction by pi/2 in three parts, rounding errors kept, then two short polynomials."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import SHIFT
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    fused,
    magnitude,
    polynomial,
    select,
    two_product,
)
from adc.runtime.vectormath.rare import library_function

# Up to here three parts of pi/2 leave the reduced angle with more than 53 correct bits, whatever x. Beyond,
# the C library reduces (by Payne and Hanek's method or its like).
LIMIT = 2.0**40

library_sin = library_function("sin")
library_cos = library_function("cos")
library_tan = library_function("tan")


@helper
def reduced(x: float) -> tuple[float, float, int]:
    """(r, rest, quadrant) with x = r + rest + quadrant * pi/2 and |r| <= pi/4."""
    shifted = x * c.TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    # Exact: both terms are multiples of 2**-53, and the difference is below 1.
    first = fused(-n, c.HALF_PI_1, x)
    product, lost = two_product(n, c.HALF_PI_2)
    # Exact, though `product` may be the larger: `first` is a multiple of its last bit.
    r, error = fast_two_sum(first, -product)
    return r, error - (lost + n * c.HALF_PI_3), bits(shifted)


@helper
def sine_of_reduced(r: float, rest: float) -> float:
    """sin(r + rest) for |r| <= pi/4."""
    z = r * r
    return r + (r * z * polynomial(z, c.SIN) + rest * (1.0 - 0.5 * z))


@helper
def cosine_of_reduced(r: float, rest: float) -> float:
    """cos(r + rest) for |r| <= pi/4."""
    z = r * r
    head = 1.0 - 0.5 * z
    return head + (((1.0 - head) - 0.5 * z) + (z * z * polynomial(z, c.COS) - r * rest))


@helper
def negated_if(y: float, bit: int) -> float:
    """-y if the lowest bit of `bit` is set."""
    return from_bits(bits(y) ^ (bit << 63))


@vector_function("sin")
def sin(x: float) -> float:
    """The sine, for every double."""
    r, rest, quadrant = reduced(x)
    y = select(quadrant & 1 == 0, sine_of_reduced(r, rest), cosine_of_reduced(r, rest))
    y = negated_if(y, quadrant >> 1)
    y = select(x == 0.0, x, y)
    return library_sin(magnitude(x) > LIMIT, x, y)


@vector_function("cos")
def cos(x: float) -> float:
    """The cosine, for every double."""
    r, rest, quadrant = reduced(x)
    y = select(quadrant & 1 == 0, cosine_of_reduced(r, rest), sine_of_reduced(r, rest))
    y = negated_if(y, (quadrant + 1) >> 1)
    return library_cos(magnitude(x) > LIMIT, x, y)


@vector_function("tan")
def tan(x: float) -> float:
    """The tangent, for every double."""
    r, rest, quadrant = reduced(x)
    z = r * r
    sine, sine_rest = fast_two_sum(r, r * z * polynomial(z, c.SIN) + rest * (1.0 - 0.5 * z))
    head = 1.0 - 0.5 * z
    tail = ((1.0 - head) - 0.5 * z) + (z * z * polynomial(z, c.COS) - r * rest)
    cosine, cosine_rest = fast_two_sum(head, tail)
    even = quadrant & 1 == 0
    top, top_rest = select(even, sine, -cosine), select(even, sine_rest, -cosine_rest)
    bottom, bottom_rest = select(even, cosine, sine), select(even, cosine_rest, sine_rest)
    inverse = 1.0 / bottom
    y = top * inverse
    y += (fused(-y, bottom, top) + (top_rest - y * bottom_rest)) * inverse
    y = select(x == 0.0, x, y)
    return library_tan(magnitude(x) > LIMIT, x, y)
