"""arcsin, arccos, arctan and arctan2: an odd polynomial each, with the argument folded to a half or below."""

from __future__ import annotations

from adc.runtime.vectormath import coefficients as c
from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.primitives import (
    bits,
    fused,
    larger,
    magnitude,
    polynomial,
    select,
    smaller,
    square_root,
    two_product,
    with_sign,
)

TAN_PI_8 = 0.41421356237309503
INFINITY = float("inf")


@helper
def folded(a: float) -> tuple[float, float, bool]:
    """(w, rest, far): arcsin(w) = w + rest, with w = a for a <= 1/2, else w = sqrt((1 - a) / 2) and `far`."""
    far = a > 0.5
    half = 0.5 * (1.0 - a)
    z = select(far, half, a * a)
    root = square_root(half)
    # What the root lost, by one Newton step; a root of zero lost nothing, and must not be divided by.
    lost = fused(-root, root, half) * (0.5 / larger(root, 1e-300))
    w = select(far, root, a)
    return w, select(far, lost, 0.0) + w * z * polynomial(z, c.ARCSIN), far


@vector_function("arcsin", "asin")
def arcsin(x: float) -> float:
    """The inverse sine; NaN outside [-1, 1]."""
    w, rest, far = folded(magnitude(x))
    # arcsin(a) = pi/2 - 2 arcsin(sqrt((1 - a) / 2))
    near = w + rest
    y = select(far, c.HALF_PI - (2.0 * w + (2.0 * rest - c.HALF_PI_REST)), near)
    return with_sign(y, x)


@vector_function("arccos", "acos")
def arccos(x: float) -> float:
    """The inverse cosine; NaN outside [-1, 1]."""
    w, rest, far = folded(magnitude(x))
    negative = x < 0.0
    # pi/2 - arcsin(x) for small |x|; 2 arcsin(sqrt((1 - x) / 2)) for x near 1, pi less that for x near -1.
    base = select(far, select(negative, c.PI, 0.0), c.HALF_PI)
    base_rest = select(far, select(negative, c.PI_REST, 0.0), c.HALF_PI_REST)
    factor = select(far, 2.0, -1.0) * select(negative, -1.0, 1.0)
    return base + (factor * w + (factor * rest + base_rest))


@vector_function("arctan", "atan")
def arctan(x: float) -> float:
    """The inverse tangent."""
    a = magnitude(x)
    middle, far = a > TAN_PI_8, a > 1.0 / TAN_PI_8
    top = select(far, -1.0, select(middle, a - 1.0, a))
    bottom = select(far, a, select(middle, a + 1.0, 1.0))
    base = select(far, c.HALF_PI, select(middle, c.QUARTER_PI, 0.0))
    base_rest = select(far, c.HALF_PI_REST, select(middle, c.QUARTER_PI_REST, 0.0))
    t = top / bottom
    z = t * t
    return with_sign(base + (t + (t * z * polynomial(z, c.ARCTAN) + base_rest)), x)


@vector_function("arctan2", "atan2")
def arctan2(y: float, x: float) -> float:
    """The angle of the point (x, y), with the signs of zeros and infinities that NumPy gives."""
    across, up = magnitude(x), magnitude(y)
    long, short = larger(across, up), smaller(across, up)
    # Two infinities make the angle of a diagonal; two zeros, that of the axis.
    short = select(short == INFINITY, 1.0, short)
    long = select(
        short == 1.0, select(long == INFINITY, select(smaller(across, up) == INFINITY, 1.0, long), long), long
    )
    long = select(long == 0.0, 1.0, long)
    down = select(long > 2.0**1020, 0.25, 1.0)
    long, short = long * down, short * down
    middle = short > TAN_PI_8 * long
    t = select(middle, short - long, short) / select(middle, short + long, long)
    # The angle is eighths * pi/4 + turn * arctan(t): fold back over the diagonal, then over the y axis.
    steep, left = up > across, bits(x) < 0
    eighths = select(middle, 1.0, 0.0)
    eighths = select(steep, 2.0 - eighths, eighths)
    turn = select(steep, -1.0, 1.0)
    eighths = select(left, 4.0 - eighths, eighths)
    turn = select(left, -turn, turn)
    t *= turn
    z = t * t
    base, base_rest = two_product(eighths, c.QUARTER_PI)
    rest = t * z * polynomial(z, c.ARCTAN) + (base_rest + eighths * c.QUARTER_PI_REST)
    return with_sign(base + (t + rest), y)
