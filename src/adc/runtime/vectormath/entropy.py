"""xlogy, xlog1py, entr, rel_entr, kl_div, logit: what probabilities are put into, by the logarithm."""

from __future__ import annotations

from adc.runtime.vectormath.dispatch import helper, vector_function
from adc.runtime.vectormath.exponential import SHIFT
from adc.runtime.vectormath.logarithm import edges_of_log, log, log1p, log_of_scaled, split_exponent
from adc.runtime.vectormath.primitives import bits, fast_two_sum, from_bits, fused, select

INFINITY = float("inf")


@vector_function("xlogy")
def xlogy(x: float, y: float) -> float:
    """Return x log(y), and 0 for x = 0 whatever y is, unless it is NaN."""
    return select((x == 0.0) & (y == y), 0.0, x * log(y))


@vector_function("xlog1py")
def xlog1py(x: float, y: float) -> float:
    """Return x log(1 + y), and 0 for x = 0 whatever y is, unless it is NaN."""
    return select((x == 0.0) & (y == y), 0.0, x * log1p(y))


@vector_function("entr")
def entr(x: float) -> float:
    """-x log(x); 0 at 0 and -inf below."""
    y = select(x == 0.0, 0.0, -x * log(x))
    return select(x < 0.0, -INFINITY, y)


@helper
def log_of_quotient(x: float, y: float) -> float:
    """log(x / y) for x and y positive and finite, accurate where they are nearly equal, and without overflow."""
    top, n = split_exponent(x)
    bottom, below = split_exponent(y)
    ratio = top / bottom
    rest = fused(-ratio, bottom, top) / bottom
    m, more = split_exponent(ratio)
    scaled = select(more < 0.0, 2.0 * rest, select(more > 0.0, 0.5 * rest, rest))
    return log_of_scaled(m - 1.0, scaled, n - below + more)


@helper
def divergence(x: float, y: float) -> float:
    """Return x log(x / y) for x and y positive."""
    finite = (x < INFINITY) & (y < INFINITY)
    logarithm = log_of_quotient(select(finite & (x > 0.0), x, 1.0), select(finite & (y > 0.0), y, 1.0))
    ratio = x / y  # of infinite numbers 0, infinite or NaN
    return x * select(finite, logarithm, select(ratio == 0.0, -INFINITY, ratio))


@helper
def beside_edges(x: float, y: float, inside: float, at_zero: float) -> float:
    """What holds for x and y positive, for x = 0 and y >= 0, and what else there is."""
    z = select((x > 0.0) & (y > 0.0), inside, select((x == 0.0) & (y >= 0.0), at_zero, INFINITY))
    return select((x == x) & (y == y), z, float("nan"))


@vector_function("rel_entr")
def rel_entr(x: float, y: float) -> float:
    """Return x log(x / y); 0 for x = 0 and y >= 0, and inf where either is negative or y alone is 0."""
    return beside_edges(x, y, divergence(x, y), 0.0)


@vector_function("kl_div")
def kl_div(x: float, y: float) -> float:
    """Return x log(x / y) - x + y; y for x = 0 and y >= 0, and inf where either is negative or y alone is 0."""
    return beside_edges(x, y, divergence(x, y) - x + y, y)


@vector_function("logit")
def logit(x: float) -> float:
    """log(x / (1 - x)), accurate near 1/2, where it is 0."""
    bottom, lost = fast_two_sum(1.0, -x)
    odds = x / bottom
    rest = (fused(-odds, bottom, x) - odds * lost) / bottom
    m, n = split_exponent(odds)
    # The rest on the scale of m; below 2**-1000 it is nothing, but must be finite.
    part = rest * from_bits((1023 << 52) - (bits(select(n < -1000.0, -1000.0, n) + SHIFT) << 52))
    f, beyond = fast_two_sum(m - 1.0, part)
    y = edges_of_log(x, log_of_scaled(f, beyond, n))
    y = select(x > 1.0, float("nan"), y)
    return select(x == 1.0, INFINITY, y)
