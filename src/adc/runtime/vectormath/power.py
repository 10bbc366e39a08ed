"""Powers, cbrt, hypot. power is e**(y log x): logarithm and product are sums of two doubles."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import SHIFT, clipped, scaled_exp_of_sum
from adc.runtime.vectormath.logarithm import split_exponent
from adc.runtime.vectormath.primitives import (
    bits,
    fast_two_sum,
    from_bits,
    fused,
    larger,
    magnitude,
    polynomial,
    rounded,
    select,
    smaller,
    square_root,
    two_product,
    with_sign,
)
from adc.runtime.vectormath.rare import library_function_of_two

INFINITY = float("inf")

library_power = library_function_of_two("pow")


@helper
def log_as_sum(x: float) -> tuple[float, float]:
    """log(x) = high + low with about 65 correct bits, for x positive and finite."""
    m, n = split_exponent(x)
    f = m - 1.0
    # s = f / (2 + f) and z = s**2, each with the rounding error of its division or product.
    bottom, bottom_lost = fast_two_sum(2.0, f)
    inverse = 1.0 / bottom
    s = f * inverse
    s_rest = (fused(-s, bottom, f) - s * bottom_lost) * inverse
    z, z_rest = two_product(s, s)
    z_rest += 2.0 * s * s_rest
    # log(m) = 2 s + s z (2/3 + z Q(z))
    q, q_rest = fast_two_sum(2.0 * c.THIRD, z * polynomial(z, c.LOG_TAIL))
    q_rest += c.TWO_THIRDS_REST
    cube, cube_rest = two_product(s, z)
    cube_rest += s * z_rest + s_rest * z
    tail, tail_rest = two_product(cube, q)
    tail_rest += cube * q_rest + cube_rest * q
    # n ln(2) + 2 s + the tail, largest first.
    high, first = fast_two_sum(n * c.LN2_HIGH, 2.0 * s)
    high, second = fast_two_sum(high, tail)
    return high, first + (second + (2.0 * s_rest + tail_rest + n * c.LN2_LOW))


@helper
def power_of_magnitude(x: float, y: float) -> float:
    """abs(x)**y as C's pow has it."""
    a = magnitude(x)
    has_log = (a > 0.0) & (a < INFINITY)
    high, low = log_as_sum(select(has_log, a, 1.0))
    high = select(has_log, high, select(a == 0.0, -INFINITY, a))
    high, low = fast_two_sum(high, low)
    product, rest = two_product(y, high)
    rest += y * low
    beyond = magnitude(product) > 1000.0  # there the rest is nothing, or not a number
    z = scaled_exp_of_sum(1.0, clipped(product, -1000.0, 1000.0), select(beyond, 0.0, rest))
    return select((y == 0.0) | (a == 1.0), 1.0, z)


@vector_function()
def log_of_base(x: float) -> float:
    """log(x), and 0 at 0, by the sum that `power` makes of x: beside a power of x it only has to be rounded."""
    a = magnitude(x)
    has_log = (a > 0.0) & (a < INFINITY)
    high, low = log_as_sum(select(has_log, a, 1.0))
    return select(x < 0.0, float("nan"), select(has_log, high + low, a))


@vector_function("power", "float_power", "pow")
def power(x: float, y: float) -> float:
    """x**y as C's pow has it: NaN for a negative x to a power that is not an integer."""
    half = 0.5 * y
    whole = rounded(y) == y
    odd = whole & (rounded(half) != half)
    z = power_of_magnitude(x, y)
    z = select((x < 0.0) & (x > -INFINITY) & (not whole), float("nan"), z)
    return select(odd, with_sign(z, x), z)


@vector_function()
def whole_power(x: float, y: float) -> float:
    """x**y for a whole number y, as C's pow has it."""
    half = 0.5 * y
    z = power_of_magnitude(x, y)
    return select(rounded(half) != half, with_sign(z, x), z)


@vector_function()
def counted_power(x: float, y: int) -> float:
    """x**y for an integer that is the same in all trips of a loop: up to the 63rd power as products.

    A factor that is left out is 1. Each squaring doubles the relative error: it is that of y / 2 roundings at most.
    Other powers are the C library's, element by element.
    """
    square = x * x
    fourth = square * square
    eighth = fourth * fourth
    sixteenth = eighth * eighth
    low = select((y & 1) != 0, x, 1.0) * select((y & 2) != 0, square, 1.0)
    middle = select((y & 4) != 0, fourth, 1.0) * select((y & 8) != 0, eighth, 1.0)
    high = select((y & 16) != 0, sixteenth, 1.0) * select((y & 32) != 0, sixteenth * sixteenth, 1.0)
    return library_power((y < 0) | (y >= 64), x, float(y), low * middle * high)


@vector_function()
def half_power(x: float, y: float) -> float:
    """x**y for y = 0.5, 1.5, 2.5 or their negatives, as C's pow has it: a root and products, within two units.

    `y` is a constant of the code that calls it, so nothing is left of the choices. What is below the least normal
    number may be 0.
    """
    root = select(x == -INFINITY, INFINITY, square_root(x))
    exponent = magnitude(y)
    product = root * select(exponent > 2.0, x * x, select(exponent > 1.0, x, 1.0))
    product = magnitude(product)  # also of -0.0
    return select(y < 0.0, 1.0 / product, product)


@vector_function("cbrt")
def cbrt(x: float) -> float:
    """The real cube root."""
    a = magnitude(x)
    ordinary = (a > 0.0) & (a < INFINITY)
    m, n = split_exponent(select(ordinary, a, 1.0))
    # n = 3 * third + left, left in -1, 0, 1
    shifted = n * c.THIRD + SHIFT
    left = n - 3.0 * (shifted - SHIFT)
    doubled, halved = left > 0.5, left < -0.5
    m_full = m * select(doubled, 2.0, select(halved, 0.5, 1.0))
    # m**(-1/3) to 17 bits, to 50 by a step of third order, then one Newton step on the root itself.
    r = polynomial(m, c.INVERSE_CBRT) * select(doubled, 1.0 / c.CBRT_2, select(halved, c.CBRT_2, 1.0))
    error = 1.0 - m_full * r * r * r
    r += r * error * (c.THIRD + error * (2.0 / 9.0))
    y = m_full * r * r
    square, square_rest = two_product(y, y)
    y -= (fused(square, y, -m_full) + square_rest * y) * (r * r * c.THIRD)
    y *= from_bits((bits(shifted) + 1023) << 52)
    return with_sign(select(ordinary, y, a), x)


@vector_function("hypot")
def hypot(x: float, y: float) -> float:
    """sqrt(x**2 + y**2) without overflow or underflow between; infinite if either is."""
    across, up = magnitude(x), magnitude(y)
    long, short = larger(across, up), smaller(across, up)
    large, small = long > 2.0**500, long < 2.0**-500
    scale = select(large, 2.0**-600, select(small, 2.0**600, 1.0))
    back = select(large, 2.0**600, select(small, 2.0**-600, 1.0))
    a, b = long * scale, short * scale
    square, square_lost = two_product(a, a)
    total, lost = fast_two_sum(square, b * b)
    root = square_root(total)
    # One Newton step with everything that was lost; a root of zero lost nothing.
    root += (fused(-root, root, total) + (lost + square_lost)) * (0.5 / larger(root, 1e-300))
    infinite = (across == INFINITY) | (up == INFINITY)
    return select(infinite, INFINITY, root * back)
