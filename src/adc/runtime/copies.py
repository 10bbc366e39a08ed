"""Copies that lie in memory as the originals do: each with its strides, and those that share memory share it again.

Whether `x.reshape(-1)` is a view of x or a copy depends on the strides, and so does what a write through it changes. A
plain copy lies row by row. A function that is to run on copies of its arguments, because the caller may change them or
because it writes to them, does on these what it does on the originals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["apart", "copied", "copied_together", "overlap", "overlaps_itself", "window"]


def copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy with the strides of the original.

    >>> copied(np.zeros((3, 4))[:, ::2]).strides
    (32, 16)
    """
    lies_dense: bool = array.flags.c_contiguous or array.flags.f_contiguous
    return array.copy(order="K") if lies_dense or not _is_plain(array) else _copied_group([array])[0]


def copied_together(values: Sequence[Any]) -> list[Any]:
    """The values with their arrays copied; arrays that overlap in memory are windows of one copy.

    >>> a = np.arange(3.0)
    >>> x, y, three = copied_together([a, a[::-1], 3])
    >>> x[0] = 7.0
    >>> y, a
    (array([2., 1., 7.]), array([0., 1., 2.]))
    """
    arrays = [k for k, v in enumerate(values) if isinstance(v, np.ndarray)]
    found = list(values)
    if not overlap(values):
        for k in arrays:
            found[k] = copied(values[k])
        return found
    bounds = {k: np.lib.array_utils.byte_bounds(values[k]) for k in arrays}
    groups: list[list[int]] = []
    end = 0
    for k in sorted(arrays, key=lambda k: bounds[k]):
        if groups and bounds[k][0] < end:
            groups[-1].append(k)
        else:
            groups.append([k])
        end = max(end, bounds[k][1])
    for group in groups:
        alone = len(group) == 1 or not all(_is_plain(values[k]) for k in group)
        made = [copied(values[k]) for k in group] if alone else _copied_group([values[k] for k in group])
        for k, copy in zip(group, made, strict=True):
            found[k] = copy
    return found


def apart(value: Any, held: Iterable[Any]) -> Any:
    """The value, an array copied if it may share memory with one of those `held`.

    >>> a = np.zeros(3)
    >>> apart(a[1:], [a]).base is a, apart(a[1:], [np.zeros(3), 1.0]).base is a
    (False, True)
    """
    if isinstance(value, np.ndarray):
        for x in held:
            if isinstance(x, np.ndarray) and np.may_share_memory(value, x):
                return value.copy(order="K")
    return value


def window(
    memory: np.ndarray[Any, Any], of: np.ndarray[Any, Any], like: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """In a copy `memory` of the array `of`, made by `copied`, what `like` is in the original."""
    made: np.ndarray[Any, Any]
    if like.size == 0:
        made = like.copy(order="K")  # it may not say of which bytes it is a window
        return made
    whole = memory if memory.base is None else memory.base
    start = _address(memory) - _address(whole) + _address(like) - _address(of)
    made = np.ndarray(like.shape, like.dtype, whole, start, like.strides)
    return made


def overlap(values: Sequence[Any]) -> bool:
    """Whether any two arrays among the values may share memory."""
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    return any(np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])


def overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array has two elements in one place, as windows made by `np.lib.stride_tricks.as_strided` may.

    >>> rows = np.lib.stride_tricks.as_strided(np.zeros(4), (2, 3), (8, 8))
    >>> overlaps_itself(rows), overlaps_itself(np.zeros((4, 6))[::2, 1::-1]), overlaps_itself(rows[:, 1])
    (True, False, False)
    """
    if array.flags.forc or array.size < 2:
        return False
    reach = array.itemsize
    for step, n in sorted(
        (abs(step), n) for step, n in zip(array.strides, array.shape, strict=True) if n > 1
    ):
        if step < reach:
            break
        reach = step * (n - 1) + reach
    else:
        return False
    places = np.zeros((), int)
    for step, n in zip(array.strides, array.shape, strict=True):
        places = places[..., None] + step * np.arange(n)
    return np.unique(places).size < array.size


def _copied_group(arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Copies of overlapping arrays, as windows of one piece of memory."""
    bounds = [np.lib.array_utils.byte_bounds(a) for a in arrays]
    start, end = min(low for low, _ in bounds), max(high for _, high in bounds)
    memory = np.empty(end - start, np.uint8)
    made: list[np.ndarray[Any, Any]] = [
        np.ndarray(a.shape, a.dtype, memory, _address(a) - start, a.strides) for a in arrays
    ]
    for copy, array in zip(made, arrays, strict=True):
        copy[...] = array
    return made


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array can be made anew as a window of bytes, and written to element by element."""
    if type(array) is not np.ndarray or array.dtype.hasobject or not array.size:
        return False
    # Elements that are one another, as those of np.broadcast_to: a copy would let a write reach all of them.
    reach = array.itemsize
    for stride, length in sorted(
        (abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1
    ):
        if stride < reach:
            return False
        reach = stride * (length - 1) + reach
    return True


def _address(array: np.ndarray[Any, Any]) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]
