"""Quotients, magnitudes and functions of complex numbers, from those of their parts.

Formulas and branch cuts are those of the C library (Kahan, Branch Cuts for Complex Elementary Functions, 1987). Each
part is accurate, not the number alone. Beside a part that is infinite or NaN, the other may not be NumPy's, as 0 times
infinity.
"""

from __future__ import annotations

import math

from adc.runtime.vectormath import (
    exponential,
    hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from adc.runtime.vectormath.dispatch import complex_function, helper
from adc.runtime.vectormath.primitives import magnitude, select, square_root, two_product, two_sum, with_sign

INFINITY = float("inf")
LN4 = math.log(4.0)
# Beyond it e**x overflows, but its product with a small sine need not; beyond this, that overflows, too.
MOST = 1400.0


@complex_function("divide")
def divide(x: complex, y: complex) -> complex:
    """X / y by the larger part of y (Smith 1962), as NumPy has it."""
    a, b, c, d = x.real, x.imag, y.real, y.imag
    by_real = magnitude(c) >= magnitude(d)
    large, small = select(by_real, c, d), select(by_real, d, c)
    zero = large == 0.0
    ratio = select(zero, 0.0, small / large)
    scale = 1.0 / select(zero, magnitude(large), large + small * ratio)
    first, second = select(by_real, a, b), select(by_real, b, a)
    real, imag = first + second * ratio, second - first * ratio
    return complex(real * scale, select(by_real, imag, -imag) * scale)


@complex_function("absolute")
def absolute(z: complex) -> float:
    """The distance from zero."""
    return power.hypot(z.real, z.imag)


@complex_function("angle")
def angle(z: complex) -> float:
    """The angle between z and the positive real numbers, in radians."""
    return inverse_trigonometric.arctan2(z.imag, z.real)


@helper
def scaled_exp(factor: float, x: float) -> float:
    """The product factor * e**x, which may be finite where e**x is not."""
    return exponential.scaled_exp_of_sum(factor, exponential.clipped(x, -MOST, MOST), 0.0)


@complex_function("exp", like=exponential.exp)
def exp(z: complex) -> complex:
    """e**z."""
    x, y = z.real, z.imag
    real = scaled_exp(trigonometric.cos(y), x)
    imag = select(y == 0.0, y, scaled_exp(trigonometric.sin(y), x))
    return complex(real, imag)


@helper
def log_of_magnitude(x: float, y: float) -> float:
    """log(hypot(x, y)), accurate where that is close to zero, too."""
    a, b = magnitude(x), magnitude(y)
    long, short = select(a >= b, a, b), select(a >= b, b, a)
    # Near one, what x**2 + y**2 is beyond one, with the rounding errors of the squares.
    p, p_lost = two_product(long, long)
    q, q_lost = two_product(short, short)
    s, s_lost = two_sum(p, -1.0)
    t, t_lost = two_sum(s, q)
    excess = t + (s_lost + t_lost + p_lost + q_lost)
    near = (long > 0.5) & (long < 1.5)
    close = 0.5 * logarithm.log1p(select(near, excess, 0.0))
    huge = long > 1e300
    shrunk = select(huge, 0.25, 1.0)
    far = logarithm.log(power.hypot(long * shrunk, short * shrunk)) + select(huge, LN4, 0.0)
    return select(near, close, far)


@complex_function("log", like=logarithm.log)
def log(z: complex) -> complex:
    """The natural logarithm; its imaginary part is between -pi and pi."""
    return complex(log_of_magnitude(z.real, z.imag), inverse_trigonometric.arctan2(z.imag, z.real))


@complex_function("sqrt")
def sqrt(z: complex) -> complex:
    """The root whose real part is not negative."""
    x, y = z.real, z.imag
    a, b = magnitude(x), magnitude(y)
    huge, tiny = (a > 1e300) | (b > 1e300), (a < 1e-290) & (b < 1e-290)
    scale = select(huge, 2.0**-10, select(tiny, 2.0**110, 1.0))
    back = select(huge, 2.0**5, select(tiny, 2.0**-55, 1.0))
    t = square_root(0.5 * (a * scale + power.hypot(x * scale, y * scale))) * back
    other = select((t == 0.0) | (b == INFINITY), b, b / (2.0 * t))
    real, imag = select(x >= 0.0, t, other), select(x >= 0.0, other, t)
    return complex(real, with_sign(imag, y))


@complex_function("sin", like=trigonometric.sin)
def sin(z: complex) -> complex:
    """The sine."""
    sine, cosine = trigonometric.sin(z.real), trigonometric.cos(z.real)
    return complex(sine * hyperbolic.cosh(z.imag), cosine * hyperbolic.sinh(z.imag))


@complex_function("cos", like=trigonometric.cos)
def cos(z: complex) -> complex:
    """The cosine."""
    sine, cosine = trigonometric.sin(z.real), trigonometric.cos(z.real)
    return complex(cosine * hyperbolic.cosh(z.imag), -(sine * hyperbolic.sinh(z.imag)))


@complex_function("sinh", like=hyperbolic.sinh)
def sinh(z: complex) -> complex:
    """The hyperbolic sine, -i sin(i z)."""
    turned = sin(complex(z.imag, z.real))
    return complex(turned.imag, turned.real)


@complex_function("cosh", like=hyperbolic.cosh)
def cosh(z: complex) -> complex:
    """The hyperbolic cosine, cos(i z)."""
    return cos(complex(z.imag, -z.real))


@complex_function("tanh", like=hyperbolic.tanh)
def tanh(z: complex) -> complex:
    """The hyperbolic tangent, (tanh x + i tan y) / (1 + i tanh x tan y) without overflow."""
    x, y = z.real, z.imag
    sine, cosine = trigonometric.sin(y), trigonometric.cos(y)
    far = magnitude(x) > hyperbolic.FLAT
    sh = hyperbolic.sinh(select(far, 0.0, x))
    bottom = sh * sh + cosine * cosine
    real = select(far, with_sign(1.0, x), sh * square_root(1.0 + sh * sh) / bottom)
    fading = 4.0 * sine * cosine * exponential.exp(-2.0 * magnitude(x))
    return complex(real, select(far, fading, sine * cosine / bottom))


@complex_function(like=power.whole_power)
def whole_power(x: complex, y: int) -> complex:
    """x**y by squares and products, as NumPy has it."""
    product = complex(1.0, 0.0)
    square = x
    left = abs(y)
    while left > 0:
        if left & 1:
            product = product * square
        square = square * square
        left >>= 1
    return divide(complex(1.0, 0.0), product) if y < 0 else product
