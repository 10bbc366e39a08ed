"""Modified Bessel functions of the first kind, of orders 0 to 2, and the same times e**-abs(x).

Up to 10 a polynomial in x**2, whose terms are all positive; from there e**x / sqrt(x) times one in 1 / x. The second
order is what the slope of the first one asks for: (I0 + I2) / 2 is exact at 0, where I0 - I1 / x is none.
"""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import exp, scaled_exp_of_sum
from adc.runtime.vectormath.primitives import (
    magnitude,
    polynomial,
    select,
    square_root,
    two_product,
    with_sign,
)

NEAR = 10.0  # as the script that derives the polynomials has it
BEYOND = 800.0  # from here on all are infinite


@helper
def far(a: float, terms: tuple[float, ...]) -> float:
    """The function times e**-a, for a >= NEAR."""
    inverse = 1.0 / select(a < NEAR, NEAR, a)
    return (1.0 + inverse * polynomial(inverse, terms)) * square_root(inverse * c.HALF_OVER_PI)


@helper
def grown(a: float, near: float, terms: tuple[float, ...]) -> float:
    """The function itself: as it is up to NEAR, from there with the exponential that was taken out."""
    b = select(a > BEYOND, BEYOND, a)
    return select(a <= NEAR, near, scaled_exp_of_sum(far(b, terms), b, 0.0))


@helper
def with_rest(y: float, a: float, rest: float) -> float:
    """What y, made of a rounded square of a, is of the square and its rest: near 10 that counts five times."""
    slope = 0.15 - 0.0107 * a  # of the logarithm, from 4 to 10
    return y + y * (rest * slope)


@helper
def near_of_order_0(a: float) -> float:
    """I0 for a <= NEAR."""
    z, rest = two_product(a, a)
    return with_rest(1.0 + z * polynomial(z, c.BESSEL_I0), a, rest)


@helper
def near_of_order_1(a: float) -> float:
    """I1 for 0 <= a <= NEAR."""
    z, rest = two_product(a, a)
    return with_rest(a * polynomial(z, c.BESSEL_I1), a, rest)


@helper
def near_of_order_2(a: float) -> float:
    """I2 for a <= NEAR."""
    z, rest = two_product(a, a)
    factor = polynomial(z, c.BESSEL_I2)
    return with_rest(z * factor + rest * factor, a, rest)


@vector_function("i0")
def i0(x: float) -> float:
    """The modified Bessel function of order 0."""
    a = magnitude(x)
    return grown(a, near_of_order_0(a), c.BESSEL_I0_FAR)


@vector_function("i1")
def i1(x: float) -> float:
    """The modified Bessel function of order 1."""
    a = magnitude(x)
    return with_sign(grown(a, near_of_order_1(a), c.BESSEL_I1_FAR), x)


@vector_function()
def i2(x: float) -> float:
    """The modified Bessel function of order 2."""
    a = magnitude(x)
    return grown(a, near_of_order_2(a), c.BESSEL_I2_FAR)


@vector_function("i0e")
def i0e(x: float) -> float:
    """e**-abs(x) times the modified Bessel function of order 0."""
    a = magnitude(x)
    return select(a <= NEAR, near_of_order_0(a) * exp(-a), far(a, c.BESSEL_I0_FAR))


@vector_function("i1e")
def i1e(x: float) -> float:
    """e**-abs(x) times the modified Bessel function of order 1."""
    a = magnitude(x)
    return with_sign(select(a <= NEAR, near_of_order_1(a) * exp(-a), far(a, c.BESSEL_I1_FAR)), x)


@vector_function()
def i2e(x: float) -> float:
    """e**-abs(x) times the modified Bessel function of order 2."""
    a = magnitude(x)
    return select(a <= NEAR, near_of_order_2(a) * exp(-a), far(a, c.BESSEL_I2_FAR))
