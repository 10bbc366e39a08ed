"""The integral of a function of the user's carries a derivative: that of a sum over points on parts that SciPy chose.

`quad` cuts the interval until it is precise enough. On its last parts Gauss's rule is as precise, and a sum that the
tape records: in what the function reads, and in the ends of the interval, with which the points move.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from adc.errors import DerivativeError, UnsupportedError
from adc.tape import record
from adc.tape.implicit import as_tuple, for_scipy, valued
from adc.tape.node import here

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(21)  # as many as SciPy's own rule has


def quad(
    solver: Any, func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, *rest: Any, **options: Any
) -> Any:
    """scipy.integrate.quad: the value is SciPy's."""
    if len(rest) > 4 or options.get("weight") or options.get("complex_func"):
        raise UnsupportedError(
            "adc has no derivative of scipy.integrate.quad with `weight` or `complex_func`",
            here(),
            repair="Write the factor into the function; integrate real and imaginary part.",
        )
    args = as_tuple(args)
    points = rest[3] if len(rest) > 3 else options.get("points")
    rest, options = record.plain(rest), record.plain(options)
    found = solver(for_scipy(func), record.plain(a), record.plain(b), record.plain(args), 1, *rest, **options)
    value, error, report, *message = found
    total = sum(weight * func(x, *args) for x, weight in _places(a, b, report, points))
    if not record.is_active(total):
        return (
            found
            if full_output
            else solver(func, record.plain(a), record.plain(b), args, 0, *rest, **options)
        )
    if not abs(record.plain(total) - value) <= max(10.0 * error, 1e-7 * abs(value)):
        raise DerivativeError(
            "the derivative of what scipy.integrate.quad finds is not known",
            here(),
            "The function is singular: SciPy extrapolates from sums that have not converged.",
            "Substitute a variable in which it is smooth.",
        )
    if message and not full_output:
        from scipy.integrate import IntegrationWarning

        warnings.warn(message[0], IntegrationWarning, stacklevel=4)
    result = valued(value, total)
    return (result, error, report, *message) if full_output else (result, error)


def _places(a: Any, b: Any, report: dict[str, Any], points: Any) -> Iterator[tuple[Any, Any]]:
    """The points and their weights. Those of a part move with what bounds it: the ends, and `points` between them."""
    low, high = record.plain(a), record.plain(b)
    if low == high:
        if math.isfinite(low):
            for share, weight in over(0.0, 1.0):  # nothing, until one end moves
                yield a + (b - a) * share, (b - a) * weight
        return
    if math.isfinite(low) and math.isfinite(high):
        sign = 1.0 if low < high else -1.0  # SciPy turns the interval round
        bounds = _between(*((a, b) if low < high else (b, a)), () if points is None else points)
        for first, last in pairwise(bounds):
            start = record.plain(first)
            for share, weight in _shares(start, record.plain(last) - start, report):
                yield first + (last - first) * share, sign * (last - first) * weight
        return
    # SciPy puts x = end + (1 - t) / t, with t from 0 to 1; over the whole line on both sides of 0.
    sign = 1.0 if low < high else -1.0
    ends = (
        (0.0, 0.0) if math.isinf(low) and math.isinf(high) else (a, None) if math.isinf(high) else (None, b)
    )
    for t, weight in _shares(0.0, 1.0, report):
        away = (1.0 - t) / t
        for end, side in zip(ends, _sides(low, high), strict=True):
            if end is not None:
                yield end + side * away, sign * weight / (t * t)


def _sides(low: float, high: float) -> tuple[float, float]:
    """In which directions the points lie from the lower and from the upper end."""
    return math.copysign(1.0, high), math.copysign(1.0, low)


def _between(first: Any, last: Any, points: Any) -> list[Any]:
    """The ends of an interval and the points in it, in their order."""
    low, high = record.plain(first), record.plain(last)
    inside = {float(record.plain(p)): p for p in points if low < record.plain(p) < high}
    return [first, *(inside[place] for place in sorted(inside)), last]


def _shares(start: float, length: float, report: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """The points of all parts that lie in an interval, as shares of it, and their weights."""
    for k in range(report["last"]):
        left = (float(report["alist"][k]) - start) / length
        width = (float(report["blist"][k]) - start) / length - left
        if 0.0 <= left + 0.5 * width <= 1.0:
            yield from over(left, width)


def over(left: float, width: float) -> Iterator[tuple[float, float]]:
    """The points of one part, and their weights."""
    for point, weight in zip(_POINTS.tolist(), _WEIGHTS.tolist(), strict=True):
        yield left + 0.5 * width * (point + 1.0), 0.5 * width * weight
