"""xlogy, xlog1py, entr, logit: what probabilities are put into, by the logarithm."""

from __future__ import annotations

from adc.runtime.vectormath.dispatch import vector_function
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
