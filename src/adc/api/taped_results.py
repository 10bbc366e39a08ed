"""The types of what a call on the tape is given and gives back: seen in one run, and held to in every later one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, Type
from adc.compiler.leaves import without_lists
from adc.rules.dims import Dim

__all__ = ["Kind", "Results", "exact_key", "key_of", "kind_of", "results_of"]


Length = int | tuple[int, int] | None  # 1, that of an axis of an argument (position, axis), or any but 1


@dataclass(frozen=True)
class Kind:
    """The type of one number or array."""

    dtype: str
    weak: bool  # a plain Python number
    lengths: tuple[Length, ...] | None = None  # None: a number

    def type(self, like: Var, leaves: Sequence[Any]) -> Type:
        """As a type of the IR, for a call with these arguments; lengths that they do not tell are those of `like`."""
        if self.lengths is None:
            return Scalar(self.dtype, self.weak)
        return Array(
            self.dtype, tuple(_dim(length, k, like, leaves) for k, length in enumerate(self.lengths))
        )

    def taken(self, value: Any, leaves: Sequence[Any]) -> Any:
        """A result as generated code takes it, in memory of its own. Raises TypeError for one of another type."""
        found = kind_of(value)
        rank = None if self.lengths is None else len(self.lengths)
        if found is None or (found.dtype, found.rank) != (self.dtype, rank):
            raise TypeError(f"{_described(found)} in place of {_described(self)}")
        if self.lengths is None:
            return value[()] if isinstance(value, np.ndarray) else value
        for n, length in zip(value.shape, self.lengths, strict=True):
            expected = np.shape(leaves[length[0]])[length[1]] if isinstance(length, tuple) else length
            if n != expected if expected is not None else n == 1:
                raise TypeError(
                    f"an array of the shape {value.shape}, unlike that of the call that was looked at"
                )
        return np.array(value, order="C")

    @property
    def rank(self) -> int | None:
        """The number of axes; None of a number."""
        return None if self.lengths is None else len(self.lengths)


def _dim(length: Length, axis: int, like: Var, leaves: Sequence[Any]) -> Dim:
    if isinstance(length, int):
        return Dim(length)
    if length is None:
        return Dim.symbol("shape", like, axis)
    leaf = leaves[length[0]]
    return leaf.type.shape[length[1]] if isinstance(leaf, Var) else Dim(leaf.shape[length[1]])


def kind_of(value: Any) -> Kind | None:
    """The kind of a number or an array, its lengths any; None for everything else, complex numbers among it."""
    if isinstance(value, (bool, np.bool_)):
        return Kind("bool", isinstance(value, bool))
    if isinstance(value, (np.ndarray, np.generic)):
        if type(value) is not np.ndarray and isinstance(value, np.ndarray):
            return None
        if value.dtype.kind not in "fiub" or not value.dtype.isnative:
            return None
        return Kind(str(value.dtype), False, (None,) * value.ndim if value.ndim else None)
    if isinstance(value, float):
        return Kind("float64", True)
    return Kind("int64", True) if isinstance(value, int) else None


def _described(kind: Kind | None) -> str:
    if kind is None:
        return "no number"
    return kind.dtype if kind.rank is None else f"an array of {kind.dtype} with {kind.rank} axes"


@dataclass(frozen=True)
class Results:
    """What a call returns: its container, and per leaf the kind of a number, or the value of something else."""

    structure: pytree.Structure
    leaves: tuple[Any, ...]

    @property
    def kinds(self) -> list[Kind]:
        return [leaf for leaf in self.leaves if isinstance(leaf, Kind)]

    def taken(self, output: Any, arguments: Sequence[Any]) -> list[Any]:
        """The numbers in a result. Raises TypeError for one that is not of this form."""
        leaves, structure = pytree.flatten(output)
        if structure != self.structure:
            raise TypeError(f"a result of the structure {structure} in place of {self.structure}")
        found = []
        for value, expected in zip(leaves, self.leaves, strict=True):
            if isinstance(expected, Kind):
                found.append(expected.taken(value, arguments))
            elif value != expected:
                raise TypeError(f"{value!r} in place of {expected!r}")
        return found


def results_of(calls: Sequence[tuple[list[tuple[int, ...]], Any]]) -> Results | None:
    """The form of the results of some calls, each given as the shapes of its arguments and what it returned.

    None where the calls differ, or return what generated code cannot hold.
    """
    (_, first), *_ = calls
    structure = pytree.flatten(first)[1]
    columns = []
    for _, output in calls:
        leaves, its_structure = pytree.flatten(output)
        if its_structure != structure:
            return None
        columns.append(leaves)
    shapes = [shapes for shapes, _ in calls]
    found = [_common(shapes, values) for values in zip(*columns, strict=True)]
    return None if any(leaf is None for leaf in found) else Results(structure, tuple(found))


def _common(shapes: list[list[tuple[int, ...]]], values: Sequence[Any]) -> Any:
    """What the values of one leaf of several results have in common; None where they differ."""
    kinds = [kind_of(v) for v in values]
    kind = kinds[0]
    if any(k != kind for k in kinds):
        return None
    if kind is None:
        return values[0] if isinstance(values[0], str) and all(v == values[0] for v in values) else None
    if kind.lengths is None:
        return kind
    lengths: list[Length] = []
    for axis in range(len(kind.lengths)):
        own = [v.shape[axis] for v in values]
        like = next(
            (
                (leaf, k)
                for leaf, shape in enumerate(shapes[0])
                for k in range(len(shape))
                if all(s[leaf][k] == n for s, n in zip(shapes, own, strict=True))
            ),
            None,
        )
        if like is None and 1 in own and set(own) != {1}:
            return None
        lengths.append(like if like is not None else 1 if 1 in own else None)
    return Kind(kind.dtype, kind.weak, tuple(lengths))


def key_of(arguments: dict[str, Any]) -> Any:
    """What decides about the types of the results: the types of the arguments, those that are no numbers themselves."""
    leaves, structure = pytree.flatten({k: without_lists(v) for k, v in arguments.items()})
    return structure, tuple([_leaf_key(leaf) for leaf in leaves])


def _leaf_key(leaf: Any) -> Any:
    if isinstance(leaf, Var):
        return leaf.type.dtype, leaf.type.ndim
    kind = kind_of(leaf)
    if kind is not None:
        return kind.dtype, kind.rank or 0
    return leaf if isinstance(leaf, (str, bytes)) else id(leaf)


def exact_key(leaf: Any) -> Any:
    """What tells two calls of one function apart: which leaves are given at run time, and what the others are."""
    if isinstance(leaf, Var):
        return "given", leaf.type.dtype, leaf.type.ndim
    return type(leaf), leaf if isinstance(leaf, (str, bytes, int, float)) else id(leaf)
