"""Integrals over areas and volumes are integrals of integrals; that of a function with several values is one sum.

`dblquad`, `tplquad` and `nquad` call `quad` for each variable as SciPy does, and each of those carries its derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import integrals, record
from adc.tape.implicit import as_tuple, for_scipy, valued
from adc.tape.node import here


def _nested(
    func: Callable[..., Any], ranges: Sequence[Any], args: tuple[Any, ...], options: Sequence[Any]
) -> Any:
    """The integral over all variables, the first of which is the innermost, and the largest of the errors."""
    from scipy.integrate import quad

    errors = [0.0]

    def over(k: int, *outer: Any) -> Any:
        bounds, chosen = ranges[k], options[k]
        low, high = bounds(*outer, *args) if callable(bounds) else bounds
        found = chosen(*outer, *args) if callable(chosen) else chosen

        def inner(x: Any) -> Any:
            return over(k - 1, x, *outer) if k else func(x, *outer, *args)

        value, error = integrals.quad(quad, inner, low, high, **found)
        errors.append(error)
        return value

    value = over(len(ranges) - 1)
    return value, max(errors)


def _each(options: Any, count: int) -> Sequence[Any]:
    return list(options) if isinstance(options, (list, tuple)) else [options or {}] * count


def nquad(
    solver: Any, func: Any, ranges: Any, args: Any = None, opts: Any = None, full_output: bool = False
) -> Any:
    if full_output:
        raise UnsupportedError(
            "adc has no derivative of scipy.integrate.nquad with `full_output`",
            here(),
            repair="Leave it away, and count the calls in a call of its own.",
        )
    given = () if args is None else as_tuple(args)
    return _nested(func, list(ranges), given, _each(opts, len(ranges)))


def _between(low: Any, high: Any, outer: int) -> Callable[..., Any]:
    """The ends of an inner integral, of which each is a number or a function of the outer variables."""

    def ends(*values: Any) -> Any:
        near = values[:outer][::-1]
        return low(*near) if callable(low) else low, high(*near) if callable(high) else high

    return ends


def dblquad(
    solver: Any,
    func: Any,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:
    given = as_tuple(args)
    precision = {"epsabs": epsabs, "epsrel": epsrel}
    return _nested(func, [_between(gfun, hfun, 1), (a, b)], given, [precision] * 2)


def tplquad(
    solver: Any,
    func: Any,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:
    given = as_tuple(args)
    precision = {"epsabs": epsabs, "epsrel": epsrel}
    ranges = [_between(qfun, rfun, 2), _between(gfun, hfun, 1), (a, b)]
    return _nested(func, ranges, given, [precision] * 3)


def quad_vec(
    solver: Any, f: Any, a: Any, b: Any, *rest: Any, full_output: bool = False, args: Any = (), **options: Any
) -> Any:
    low, high = record.plain(a), record.plain(b)
    if not np.isfinite([low, high]).all() or len(rest) > 7:
        raise UnsupportedError(
            "adc has no derivative of scipy.integrate.quad_vec over an infinite interval",
            here(),
            repair="Substitute a variable that runs over a finite one.",
        )
    found = solver(for_scipy(f), low, high, *rest, full_output=True, args=record.plain(args), **options)
    value, error, report = found
    total: Any = 0.0
    for left, right in report.intervals.tolist():
        for share, weight in integrals.over((left - low) / (high - low), (right - left) / (high - low)):
            total = total + (b - a) * weight * f(a + (b - a) * share, *args)
    if record.is_active(total):
        value = valued(value, total)
    return (value, error, report) if full_output else (value, error)
