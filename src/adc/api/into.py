"""Gradients in arrays of the caller's: `g(x, out=x_bar)`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import ArgumentError, ShapeError

__all__ = ["INTO", "destinations", "fill", "fits"]

INTO = "into"  # in the key of code that writes into arrays of the caller's


def destinations(out: Any, primals: Sequence[Any], several: bool) -> list[np.ndarray[Any, Any] | None]:
    """The arrays in `out`, one for each leaf of the differentiated arguments; None where that is a number.

    Raises ArgumentError for another container than the gradient's, ShapeError for another shape.
    """
    found: list[np.ndarray[Any, Any] | None] = []
    parts = out if several else (out,)
    if several and not (isinstance(out, (tuple, list)) and len(out) == len(primals)):
        raise ArgumentError(
            f"`out` is to hold {len(primals)} gradients, one for each of argnums",
            repair="Pass a tuple of them.",
        )
    for part, primal in zip(parts, primals, strict=True):
        if _is_like(part, primal):
            found.append(part)
            continue
        leaves, structure = pytree.flatten_with_paths(primal, settings=True)
        given, its = pytree.flatten(part, settings=True)
        if its != structure:
            raise ArgumentError(
                f"`out` has the structure {its}, and the gradient {structure}",
                repair="Pass an array for each array, and any number for a number.",
            )
        for (path, leaf), array in zip(leaves, given, strict=True):
            if np.ndim(leaf) == 0:
                found.append(None)
                continue
            if not isinstance(array, np.ndarray) or array.shape != np.shape(leaf):
                raise ShapeError(
                    f"`out{path}` is to be an array of the shape {np.shape(leaf)}, as the argument is, and "
                    f"{'has the shape ' + str(np.shape(array)) if isinstance(array, np.ndarray) else 'is none'}"
                )
            if not array.flags.writeable or not np.can_cast(leaf.dtype, array.dtype, "same_kind"):
                raise ArgumentError(
                    f"a gradient of dtype {leaf.dtype} cannot be written to `out{path}`",
                    why="It is read-only." if not array.flags.writeable else f"Its dtype is {array.dtype}.",
                )
            found.append(array)
    return found


def fits(
    arrays: Sequence[np.ndarray[Any, Any] | None], gradients: Sequence[Any], inputs: Sequence[Any]
) -> bool:
    """Whether code may work in these arrays: in C order, of the gradients' dtypes, apart from all that it reads."""
    wanted = [a for a in arrays if a is not None]
    others = [x for x in inputs if isinstance(x, np.ndarray)]
    return (
        all(a.flags.c_contiguous for a in wanted)
        and all(
            a is None or a.dtype == np.dtype(g.type.dtype) for a, g in zip(arrays, gradients, strict=True)
        )
        and _are_apart(wanted, others)
    )


def _are_apart(arrays: list[np.ndarray[Any, Any]], others: list[np.ndarray[Any, Any]]) -> bool:
    """Whether no array has memory in common with another, or with one of the others."""
    if all(a.flags.owndata for a in (*arrays, *others)):
        mine = {id(a) for a in arrays}  # an array that owns its memory shares it with views alone
        return len(mine) == len(arrays) and mine.isdisjoint([id(x) for x in others])
    return not any(np.may_share_memory(a, x) for a in arrays for x in others) and not any(
        np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k]
    )


def fill(arrays: Sequence[np.ndarray[Any, Any] | None], gradients: Any) -> Any:
    """The gradients with what they say copied into arrays; those stand for them."""
    if len(arrays) == 1 and gradients is arrays[0]:
        return gradients
    if gradients.__class__ is tuple and all(map(operator.is_, gradients, arrays)):
        return gradients
    leaves, structure = pytree.flatten(gradients, settings=True)
    kept = []
    for array, leaf in zip(arrays, leaves, strict=True):
        if array is not None and not _is_in(leaf, array):
            array[...] = leaf
        kept.append(leaf if array is None else array)
    return pytree.unflatten(structure, kept)


def _is_like(part: Any, primal: Any) -> bool:
    """Whether an array takes the gradient with respect to an argument as it is: said at once for plain arrays."""
    return (
        part.__class__ is np.ndarray is primal.__class__
        and part.shape == primal.shape != ()
        and part.dtype == primal.dtype
        and part.flags.writeable
    )


def _is_in(leaf: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> bool:
    """Whether a gradient lies in an array already."""
    return leaf is array or (
        leaf.ctypes.data == array.ctypes.data and leaf.strides == array.strides and leaf.dtype == array.dtype
    )
