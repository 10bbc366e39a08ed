"""lgamma, gamma, digamma: a polynomial about 2, reached by the recurrence, and Stirling's series from 6 on.

For x <= 0 lgamma and gamma call the C library, lane by lane; digamma reflects.
"""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import scaled_exp_of_sum
from adc.runtime.vectormath.logarithm import log
from adc.runtime.vectormath.power import log_as_sum
from adc.runtime.vectormath.primitives import (
    fast_two_sum,
    polynomial,
    rounded,
    select,
    two_product,
    two_sum,
    with_sign,
)
from adc.runtime.vectormath.rare import library_function
from adc.runtime.vectormath.trigonometric import cosine_of_reduced, sine_of_reduced

INFINITY = float("inf")
# From here on Stirling's series has all its digits.
LARGE = 6.0
# From here on lgamma is x (log(x) - 1) to the last bit, and the product x log(x) may overflow where that
# does not.
HUGE = 1e300

library_lgamma = library_function("lgamma")
library_gamma = library_function("tgamma")


@helper
def one_down(w: float, product: float) -> tuple[float, float]:
    """One step of gamma(x) = (x - 1) gamma(x - 1), with x = 2 + w, where w is above 1/2."""
    high = w > 0.5
    return select(high, w - 1.0, w), product * select(high, w + 1.0, 1.0)


@helper
def stepped(x: float) -> tuple[float, float, float]:
    """(w, up, down) with gamma(x) = gamma(2 + w) * down / up and |w| <= 1/2, 0 < x < 6; up or down is 1."""
    # Two factors go up at most, or four down; every difference is exact.
    low, lowest = x < 1.5, x < 0.5
    up = select(low, x, 1.0) * select(lowest, x + 1.0, 1.0)
    w = select(lowest, x, select(low, x - 1.0, x - 2.0))
    w, down = one_down(w, 1.0)
    w, down = one_down(w, down)
    w, down = one_down(w, down)
    w, down = one_down(w, down)
    return w, up, down


@vector_function("gammaln", "lgamma")
def lgamma(x: float) -> float:
    """The logarithm of |gamma(x)|."""
    large = x >= LARGE
    w, up, down = stepped(select(large, 2.0, x))
    low = x < 1.5
    stirling = select(large, select(x < INFINITY, x, LARGE), LARGE)
    # One logarithm serves both: of the product of the recurrence, or of x.
    high, rest = log_as_sum(select(large, stirling, select(low, up, down)))
    side = select(low, -1.0, 1.0)
    # lgamma(2 + w) = (1 - Euler's constant) w + ...: near 1.45 that and the logarithm nearly cancel.
    slope, slope_lost = two_product(w, c.ONE_LESS_EULER)
    total, error = two_sum(side * high, slope)
    tail = w * (w * polynomial(w, c.LGAMMA) + c.ONE_LESS_EULER_REST)
    near = total + (tail + (error + slope_lost + side * rest))
    inverse = 1.0 / stirling
    series = polynomial(inverse * inverse, c.STIRLING) * inverse
    # (x - 1/2) log(x) - x + log(2 pi) / 2 + ..., the product and the difference with what they lost.
    product, lost = two_product(stirling - 0.5, high)
    total, error = fast_two_sum(product, -stirling)
    far = total + ((c.HALF_LOG_2PI + series) + (error + lost + (stirling - 0.5) * rest))
    far = select(x < HUGE, far, x * ((high - 1.0) + rest))
    y = select(large, far, near)
    return library_lgamma(x <= 0.0, x, y)


@vector_function("gamma")
def gamma(x: float) -> float:
    """The gamma function."""
    large = x >= LARGE
    w, up, down = stepped(select(large, 2.0, x))
    near = (1.0 + w * polynomial(w, c.GAMMA)) * down / up
    stirling = select(large, select(x > 180.0, 180.0, x), LARGE)
    high, rest = log_as_sum(stirling)
    high, rest = fast_two_sum(high, rest)
    product, lost = two_product(stirling - 0.5, high)
    total, error = fast_two_sum(product, -stirling)
    inverse = 1.0 / stirling
    series = polynomial(inverse * inverse, c.STIRLING) * inverse
    # The series is no small rest: it joins the leading part, and what that sum loses joins the rest.
    total, more = fast_two_sum(total, series)
    far = scaled_exp_of_sum(c.ROOT_2PI, total, error + lost + more + (stirling - 0.5) * rest)
    y = select(large, far, near)
    return library_gamma(x <= 0.0, x, y)


@helper
def one_lower(u: float, top: float, bottom: float) -> tuple[float, float, float]:
    """One step of digamma(u) = digamma(u - 1) + 1 / (u - 1) while u >= 2, the sum kept as top / bottom."""
    high = u >= 2.0
    v = u - 1.0
    return (
        select(high, v, u),
        select(high, top * v + bottom, top),
        select(high, bottom * v, bottom),
    )


@helper
def digamma_of_positive(x: float) -> float:
    """digamma(x) for x > 0."""
    large, low = x >= LARGE, x < 1.0
    u, top, bottom = select(large, 1.0, x), select(low, -1.0, 0.0), select(low, x, 1.0)
    u, top, bottom = one_lower(u, top, bottom)
    u, top, bottom = one_lower(u, top, bottom)
    u, top, bottom = one_lower(u, top, bottom)
    u, top, bottom = one_lower(u, top, bottom)
    # Relative accuracy at the zero asks for the distance to it with more digits than the zero itself has.
    w = (u - select(low, c.DIGAMMA_ZERO - 1.0, c.DIGAMMA_ZERO)) - c.DIGAMMA_ZERO_REST
    near = w * polynomial(w, c.DIGAMMA) + top / bottom
    stirling = select(large, x, LARGE)
    inverse = 1.0 / stirling
    v = inverse * inverse
    return select(large, log(stirling) - (0.5 * inverse + v * polynomial(v, c.DIGAMMA_TAIL)), near)


@vector_function("digamma", "psi")
def digamma(x: float) -> float:
    """The logarithmic derivative of gamma; NaN at the negative integers."""
    reflect = x <= 0.0
    y = digamma_of_positive(select(reflect, 1.0 - x, x))
    # digamma(x) = digamma(1 - x) - pi / tan(pi x), the tangent from a reduction that is exact.
    n = rounded(2.0 * x)
    angle = (x - 0.5 * n) * c.PI
    sine, cosine = sine_of_reduced(angle, 0.0), cosine_of_reduced(angle, 0.0)
    odd = rounded(0.5 * n) != 0.5 * n
    cotangent = select(odd, -sine, cosine) / select(odd, cosine, sine)
    reflected = y - c.PI * cotangent
    reflected = select(rounded(x) == x, select(x == 0.0, with_sign(INFINITY, -x), float("nan")), reflected)
    return select(reflect, reflected, y)
