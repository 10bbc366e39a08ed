"""A container of numbers and arrays as one vector, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adc.errors import ArgumentError
from adc.pytree import Structure, flatten, flatten_with_paths, unflatten, whole

__all__ = ["Piece", "Unravel", "ravel_pytree"]


def ravel_pytree(tree: Any) -> tuple[NDArray[Any], Unravel]:
    """All leaves in one vector, and the function that takes such a vector apart again.

    The vector has the leaves' common dtype; the way back restores shapes, dtypes and Python floats. Both may be used
    inside functions that are differentiated. The way back raises `ValueError` for a vector of another length,
    and `ArgumentError` is raised for a leaf that is neither a number nor an array.

    >>> vector, back = ravel_pytree({"w": np.ones((2, 2)), "b": 3.0})
    >>> vector
    array([3., 1., 1., 1., 1.])
    >>> back(vector * 2)["b"]
    6.0
    """
    values, structure = flatten(tree)
    for path, value in flatten_with_paths(tree)[0]:
        special = isinstance(value, (np.ma.MaskedArray, np.matrix))
        if special or not (hasattr(value, "dtype") or isinstance(value, (int, float, complex))):
            raise ArgumentError(
                f"`tree{path}` is a `{type(value).__name__}`, which has no place in a vector",
                why="The leaves are numbers and arrays.",
                repair="Pass np.asarray(x), and the mask beside it." if special else "Leave it out.",
            )
    vector = np.concatenate([np.ravel(value) for value in values]) if values else np.zeros(0)
    pieces = tuple(Piece(np.shape(v), None if type(v) is float else np.result_type(v)) for v in values)
    return vector, Unravel(structure, pieces)


@dataclass(frozen=True)
class Piece:
    """One leaf of a raveled container: its shape and dtype; no dtype for a Python float."""

    shape: tuple[Any, ...]
    dtype: Any


@whole
@dataclass(frozen=True)
class Unravel:
    """Takes a vector apart into the container that `ravel_pytree` was given."""

    structure: Structure
    pieces: tuple[Piece, ...]

    def __call__(self, vector: Any) -> Any:
        sizes = [math.prod(piece.shape) for piece in self.pieces]
        if np.shape(vector) != (sum(sizes),):
            raise ValueError(f"a vector of {sum(sizes)} elements is needed, not shape {np.shape(vector)}")
        rebuilt: list[Any] = []
        start = 0
        for piece, size in zip(self.pieces, sizes, strict=True):
            if piece.dtype is None:
                number = vector[start]
                rebuilt.append(float(number) if isinstance(number, np.floating) else number)
            else:
                part = np.reshape(vector[start : start + size], piece.shape)
                rebuilt.append(part if part.dtype == piece.dtype else part.astype(piece.dtype))
            start += size
        return unflatten(self.structure, rebuilt)
