"""Find the polynomial of given degree that is nearest to a function in the weighted uniform norm.

The exchange algorithm of Remez (1934), carried out in mpmath's precision on a dense Chebyshev grid, and a
rounding of the coefficients one after the other, lowest first: after each rounding the rest is fitted anew
to what is left, so that only the last bits of the highest terms, which hardly count, are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath as mp

PRECISION_BITS = 240
GRID_POINTS_PER_TERM = 40
ROUNDS = 30

Function = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Fit:
    """Coefficients, lowest degree first, and the largest weighted error of the polynomial that they make."""

    coefficients: tuple[float, ...]
    error: float

    @property
    def bits(self) -> float:
        """The error as a negative power of two."""
        return float(-mp.log(self.error, 2)) if self.error else float("inf")


def fit(
    function: Function,
    weight: Function,
    low: float,
    high: float,
    terms: int,
    rounded: Callable[[mp.mpf], float] = float,
) -> Fit:
    """The polynomial with `terms` rounded coefficients that keeps weight * |function - polynomial| smallest."""
    with mp.workprec(PRECISION_BITS):
        low, high = mp.mpf(low), mp.mpf(high)
        count = GRID_POINTS_PER_TERM * (terms + 1)
        grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / count) for k in range(count + 1)]
        # The remainders (f - c0) / x are divided by x, so zero is left out, and so is its neighbourhood,
        # where a weight that vanishes at zero would make the linear system singular.
        grid = [x for x in grid if abs(x) > (high - low) * mp.mpf(2) ** -16]
        rest = [function(x) for x in grid]
        weights = [weight(x) for x in grid]
        wanted, original = list(rest), list(weights)
        chosen: list[float] = []
        for k in range(terms):
            coefficients = _exchange(grid, rest, weights, terms - k)
            chosen.append(rounded(coefficients[0]))
            rest = [(value - mp.mpf(chosen[-1])) / x for value, x in zip(rest, grid, strict=True)]
            weights = [w * abs(x) for w, x in zip(weights, grid, strict=True)]
        errors = [
            abs(w * (value - value_at(x, chosen))) for x, value, w in zip(grid, wanted, original, strict=True)
        ]
        return Fit(tuple(chosen), float(max(errors)))


def value_at(x: mp.mpf, coefficients: Sequence[mp.mpf | float]) -> mp.mpf:
    """The polynomial at x."""
    total = mp.mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def _exchange(grid: list[mp.mpf], values: list[mp.mpf], weights: list[mp.mpf], terms: int) -> list[mp.mpf]:
    """Coefficients of the best polynomial on the grid; the best one seen if the exchange goes in circles."""
    size = len(grid)
    alternation = [round(k * (size - 1) / terms) for k in range(terms + 1)]
    best: tuple[mp.mpf, list[mp.mpf]] = (mp.inf, [])
    for _ in range(ROUNDS):
        system = mp.matrix(terms + 1, terms + 1)
        right = mp.matrix(terms + 1, 1)
        for row, at in enumerate(alternation):
            power = weights[at]
            for column in range(terms):
                system[row, column] = power
                power *= grid[at]
            system[row, terms] = (-1) ** row
            right[row] = values[at] * weights[at]
        solution = mp.lu_solve(system, right)
        coefficients = [solution[k] for k in range(terms)]
        errors = [w * (v - value_at(x, coefficients)) for x, v, w in zip(grid, values, weights, strict=True)]
        largest = max(abs(e) for e in errors)
        best = min(best, (largest, coefficients), key=lambda pair: pair[0])
        peaks = _extremes(errors, terms + 1)
        if largest <= abs(solution[terms]) * (1 + mp.mpf("1e-3")) or peaks is None:
            break
        alternation = peaks
    return best[1]


def _extremes(errors: list[mp.mpf], wanted: int) -> list[int] | None:
    """Where the error has its `wanted` largest extremes of alternating sign, or None if it has fewer."""
    peaks: list[int] = []
    for k, e in enumerate(errors):
        if peaks and (errors[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = k
        else:
            peaks.append(k)
    while len(peaks) > wanted:
        if len(peaks) == wanted + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
            continue
        # Dropping an inner extreme would join its neighbours of equal sign, so two neighbours go together.
        sizes = [abs(errors[p]) for p in peaks]
        at = min(range(len(peaks) - 1), key=lambda k: max(sizes[k], sizes[k + 1]))
        del peaks[at : at + 2]
    return peaks if len(peaks) == wanted else None
