"""Write docs/vectormath_accuracy.md: the largest error found for every function of the vector maths, in ulps.

    python scripts/vectormath/measure_accuracy.py [points per range, default 4000]

For each range of each function: random arguments, then a search around the twenty worst. The reference is
mpmath with 250 bits.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from cases import CASES, Case, errors
from numba import njit

from adc.runtime import vectormath as vm

TARGET = Path(__file__).parents[2] / "docs/vectormath_accuracy.md"
WORST = 20
NEIGHBOURS = 20

HEAD = """# Accuracy of the vector maths

Largest errors found, in units in the last place (ulp) of the exact result; 0.5 is what correct rounding
gives. Written by `python scripts/vectormath/measure_accuracy.py {points}` with numba {numba}, NumPy {numpy}
on {machine}: {points} random arguments per range (typical arguments, the whole range in the exponent,
subnormal numbers, and the places where formulas meet), then a search around the worst of them; reference:
mpmath with 250 bits.

The column NumPy is NumPy's own function on the same arguments. Where float32 errs by more than half a unit, it is
evaluated in float32, elsewhere in float64 and rounded once. Special values (NaN, infinities, signed zeros, overflow,
subnormal results) agree with NumPy and are tested apart.

| function | float64 | at | NumPy float64 | float32 |
|---|---|---|---|---|
"""


def loop_over(case: Case) -> Callable[..., Any]:
    """A jitted loop around the function, as compiled derivatives have it."""
    function = getattr(vm, case.name)
    if case.arity == 1:

        @njit(error_model="numpy")
        def unary(x: Any, out: Any) -> None:
            for i in range(x.shape[0]):
                out[i] = function(x[i])

        return unary

    @njit(error_model="numpy")
    def binary(x: Any, y: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = function(x[i], y[i])

    return binary


def worst(
    case: Case, loop: Callable[..., Any], kind: type, points: int
) -> tuple[float, tuple[float, ...], float]:
    """(largest error, where, NumPy's largest error) over all ranges."""
    rng = np.random.default_rng(20)
    largest, place, of_numpy = -1.0, (), 0.0
    for samplers in case.ranges:
        with np.errstate(over="ignore", under="ignore"):
            arguments = tuple(sampler(rng, points).astype(kind) for sampler in samplers)
        for attempt in range(2):
            values = np.empty(len(arguments[0]), kind)
            loop(*arguments, values)
            usable = usable_points(case, arguments)
            arguments, values = tuple(a[usable] for a in arguments), values[usable]
            found = errors(case, values, arguments)
            order = np.argsort(found)[::-1]
            if found[order[0]] > largest:
                largest, place = found[order[0]], tuple(float(a[order[0]]) for a in arguments)
            if case.numpy is not None and attempt == 0:
                with np.errstate(all="ignore"):
                    of_numpy = max(of_numpy, errors(case, case.numpy(*arguments), arguments).max())
            near = order[:WORST]
            arguments = tuple(around(rng, a[near]) for a in arguments)
    return largest, place, of_numpy


def usable_points(case: Case, arguments: tuple[np.ndarray, ...]) -> np.ndarray:
    """Leave out what became infinite or zero in float32, and searches that left the domain."""
    good = np.all([np.isfinite(a) & (a != 0) for a in arguments], axis=0)
    lower = {
        "log": 0,
        "log2": 0,
        "log10": 0,
        "gamma": 0,
        "lgamma": 0,
        "digamma": 0,
        "trigamma": 0,
        "rel_entr": 0,
        "ndtri": 0,
        "power": 0,
        "arccosh": 1,
        "log1p": -1,
    }
    if case.name in lower:
        good &= arguments[0] > lower[case.name]
    if case.name in ("arcsin", "arccos", "arctanh", "erfinv", "ndtri"):
        good &= np.abs(arguments[0]) < 1
    return good


def around(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """Numbers close to each x: within a millionth."""
    return (np.repeat(x, NEIGHBOURS) * (1 + rng.uniform(-1e-6, 1e-6, x.size * NEIGHBOURS))).astype(x.dtype)


def main() -> None:
    """Measure and write."""
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    rows, notes = [], []
    for case in CASES.values():
        loop = loop_over(case)
        double, place, of_numpy = worst(case, loop, np.float64, points)
        single, _, _ = worst(case, loop, np.float32, points // 4)
        mark = ""
        if case.note:
            notes.append(f"[{len(notes) + 1}] {case.name}: {case.note}.")
            mark = f" [{len(notes)}]"
        at = ", ".join(f"{value:.6g}" for value in place)
        numpy_column = f"{of_numpy:.2f}" if case.numpy is not None else "-"
        rows.append(f"| {case.name}{mark} | {double:.2f} | {at} | {numpy_column} | {single:.3f} |")
        print(rows[-1], flush=True)
    head = HEAD.format(
        points=points, numba=numba.__version__, numpy=np.__version__, machine=platform.machine()
    )
    TARGET.write_text(head + "\n".join(rows) + "\n\n" + "\n\n".join(notes) + "\n")


if __name__ == "__main__":
    main()
