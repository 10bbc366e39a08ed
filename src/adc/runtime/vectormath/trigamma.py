"""trigamma, the slope of digamma: x times it is a polynomial in a fraction of x from 1 to 6, a series from there.

One step of the recurrence leads to 1 from below; x <= 0 reflects.
"""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.gamma import INFINITY, LARGE
from adc.runtime.vectormath.primitives import polynomial, rounded, select
from adc.runtime.vectormath.trigonometric import cosine_of_reduced, sine_of_reduced

WHOLE = 2.0**53  # what is as large has no fraction


@helper
def trigamma_of_positive(x: float) -> float:
    """trigamma(x) for x > 0."""
    large, low = x >= LARGE, x < 1.0
    u = select(low, x + 1.0, select(large, 1.0, x))
    near = polynomial((u - c.TRIGAMMA_CENTRE) / (u + c.TRIGAMMA_SHIFT), c.TRIGAMMA) / u
    near += select(low, 1.0 / (x * x), 0.0)
    inverse = 1.0 / select(large, x, LARGE)
    v = inverse * inverse
    far = inverse + v * (0.5 + inverse * polynomial(v, c.TRIGAMMA_TAIL))
    return select(large, far, near)


@vector_function("trigamma")
def trigamma(x: float) -> float:
    """The derivative of digamma; infinite at the integers up to 0."""
    reflect = x <= 0.0
    y = trigamma_of_positive(select(reflect, 1.0 - x, x))
    # trigamma(x) = (pi / sin(pi x))**2 - trigamma(1 - x), the sine from a reduction that is exact.
    n = rounded(2.0 * x)
    angle = (x - 0.5 * n) * c.PI
    odd = rounded(0.5 * n) != 0.5 * n
    sine = select(odd, cosine_of_reduced(angle, 0.0), sine_of_reduced(angle, 0.0))
    ratio = c.PI / sine
    return select(reflect, select(x < -WHOLE, INFINITY, ratio * ratio - y), y)
