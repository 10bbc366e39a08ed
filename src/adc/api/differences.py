"""Derivatives along a direction by differences of the function, and when a claim agrees with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adc.errors import ArgumentError

__all__ = ["STEPS", "Claim", "agreed", "direction_of", "paired", "precision", "slope"]

# Steps of the central differences: around the cube root of the machine precision, where the errors of truncation and of
# rounding meet. Two of them, because a kink or a steep place may lie within one.
STEPS = {"d": (6e-6, 1e-4), "f": (5e-3, 2e-2)}
TOLERANCE = {"d": 1e-5, "f": 2e-2}


def precision(x: Any) -> str:
    """The precision of a value's numbers: "f" for single, "d" for double. Raises ArgumentError for half precision."""
    if np.asarray(x).dtype.char == "e":
        raise ArgumentError(
            "a derivative in half precision is to be compared with differences",
            why="Three digits are too few to take a difference of.",
            repair="Pass x.astype(np.float32).",
        )
    return "f" if np.asarray(x).dtype.char in "fF" else "d"


def direction_of(random: np.random.Generator, x: Any) -> NDArray[Any]:
    """Normal numbers for a value to move along; complex ones move along both axes."""
    v = random.standard_normal(np.shape(x))
    return np.asarray(v + 1j * random.standard_normal(np.shape(x)) if np.iscomplexobj(x) else v)


def paired(bar: Any, dot: Any) -> float:
    """An adjoint and a tangent: the real part of the sum of their products."""
    return float(np.sum(np.real(_double(bar) * _double(dot))))


def _double(x: Any) -> NDArray[Any]:
    return np.asarray(x, np.complex128 if np.iscomplexobj(x) else np.float64)


@dataclass(frozen=True)
class Claim:
    """What is said of the derivative at a point along a direction, and how far differences may be from it."""

    at: NDArray[Any]
    direction: NDArray[Any]
    slope: float
    size: float  # of the values whose differences are taken: they are exact to their rounding only
    rtol: float | None = None
    atol: float | None = None

    @property
    def kind(self) -> str:
        """The key of the steps: the precision of the point."""
        return precision(self.at)


def agreed(claim: Claim, along: Callable[[NDArray[Any]], float]) -> float | None:
    """None where differences of `along`, a function of the point, agree with the claim; else what they say."""
    relative = TOLERANCE[claim.kind] if claim.rtol is None else claim.rtol
    absolute = relative * max(1.0, claim.size) * 1e-2 if claim.atol is None else claim.atol
    if not np.isfinite(claim.at).any():  # nothing moves
        return None
    first = None
    for step in STEPS[claim.kind]:
        difference = slope(claim.at, claim.direction, along, step)
        scale = max(abs(claim.slope), abs(difference))
        if abs(claim.slope - difference) <= relative * scale + absolute or (
            np.isnan(claim.slope) and np.isnan(difference)
        ):
            return None
        first = difference if first is None else first
    return first


def slope(
    at: NDArray[Any], direction: NDArray[Any], along: Callable[[NDArray[Any]], float], step: float
) -> float:
    """The central difference of `along` at a point in a direction.

    >>> round(slope(np.array(2.0), np.array(1.0), lambda x: float(x * x), 1e-4), 6)
    4.0
    """
    up = (at + step * direction).astype(at.dtype)
    down = (at - step * direction).astype(at.dtype)
    # The step that was really taken: `x + step` rounds, and NaN and infinity stay where they are.
    moves = np.isfinite(at)
    moved = _double(np.where(moves, up, 0.0)) - _double(np.where(moves, down, 0.0))
    along_it = np.where(moves, direction, 0.0)
    taken = paired(np.conj(moved), along_it) / max(paired(np.conj(along_it), along_it), 1e-300)
    return (along(up) - along(down)) / taken if taken else 0.0
