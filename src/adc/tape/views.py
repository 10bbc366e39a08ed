"""Views and the Tensor whose memory they share see each other's writes, values and derivatives alike.

A view holds its root in `extra`, a root a `Family` of its live views. A write through any of them becomes a
write to a region of the root, and every view is then read anew from the root, so that its derivative follows
the new values (as PyTorch's CopySlices).
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adc.errors import GraphCutError
from adc.runtime.copies import copied, window
from adc.tape.node import here
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make
from adc.tape.writes import owner_of


class Family:
    """Held by a root: its views, weakly."""

    __slots__ = ("limit", "members")

    def __init__(self) -> None:
        self.members: list[weakref.ref[Tensor]] = []
        self.limit = 8

    def add(self, view: Tensor) -> None:
        if len(self.members) >= self.limit:  # forget the dead ones, seldom enough to cost nothing per view
            self.members = [ref for ref in self.members if ref() is not None]
            self.limit = 2 * len(self.members) + 8
        self.members.append(weakref.ref(view))


def note(result: Tensor, sources: Sequence[Any]) -> None:
    """Remember that `result` shares the memory of a source, if it does."""
    owner = owner_of(result.primal)
    for source in _tensors(sources):
        if isinstance(source.primal, np.ndarray) and owner_of(source.primal) is owner:
            root = root_of(source)
            if result.extra is root:
                return  # known already: it would be moved twice
            result.extra = root
            if root.extra.__class__ is not Family:
                root.extra = Family()
            root.extra.add(result)
            if not modes.enabled:
                result.unrecorded = "inference" if modes.inference else "no_grad"
            elif hasattr(source, "unrecorded"):
                result.unrecorded = source.unrecorded
            if modes.inference:
                result.inference = root.is_inference()
            return


def note_one(result: Tensor, source: Tensor) -> None:
    """`note` for a result that can share the memory of one Tensor only, made of an ndarray."""
    base, primal = result.primal.base, source.primal
    if base is not primal and (base is not primal.base or base is None):
        note(result, (source,))
        return
    root = source.extra if source.extra.__class__ is Tensor else source
    result.extra = root
    family = root.extra
    if family.__class__ is not Family:
        family = root.extra = Family()
    family.add(result)


def lies_in(result: Tensor, window: np.ndarray[Any, Any], source: Tensor) -> Tensor:
    """`result`, which was made as a copy, as a view: `window`, the same elements of the source's memory."""
    result.primal = window
    note(result, (source,))
    return result


def apart(result: Any) -> Any:
    """A result that NumPy gives as a view, and PyTorch as a copy: in memory of its own."""
    if result.__class__ is Tensor and is_view(result):
        family = result.extra.extra
        family.members = [ref for ref in family.members if ref() is not result]
        result.extra = None
        result.primal = copied(result.primal)
    return result


def required(source: Tensor, result: Any) -> Any:
    """`result`, a reshape of `source`; RuntimeError if it had to be a copy."""
    a, b = source.primal, result.primal
    if a.size and isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and owner_of(a) is not owner_of(b):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return result


def _tensors(sources: Any) -> Iterator[Tensor]:
    for source in sources:
        if source.__class__ is Tensor:
            yield source
        elif isinstance(source, list | tuple):
            yield from _tensors(source)


def is_view(tensor: Tensor) -> bool:
    """Whether `tensor` is a window of another Tensor's memory."""
    return tensor.extra.__class__ is Tensor


def root_of(tensor: Tensor) -> Tensor:
    """The Tensor whose memory `tensor` is a window of; itself if of none."""
    return tensor.extra if tensor.extra.__class__ is Tensor else tensor


def views_of(root: Tensor) -> list[Tensor]:
    """The live views of a root."""
    if root.extra.__class__ is not Family:
        return []
    return [view for ref in root.extra.members if (view := ref()) is not None]


def take_shape(tensor: Tensor, shape: Any) -> None:
    """Write to the shape of a Tensor: under all its names it is from now on a view of what it was."""
    primal = tensor.primal.reshape(shape)
    if primal.size and not np.may_share_memory(primal, tensor.primal):
        tensor.primal.view().shape = (
            shape  # which NumPy refuses; else NumPy 2.5 would warn of a line of adc's
        )
    before = make(tensor.primal, tensor.node)
    before.extra = tensor.extra
    for view in views_of(tensor):
        view.extra = before
    after = before.reshape(primal.shape)
    tensor.primal, tensor.node = after.primal, after.node
    if after is not before:
        tensor.extra = root_of(after)
        tensor.extra.extra.add(tensor)


def positions(root: np.ndarray[Any, Any], window: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The index that reads `window`, a view of `root`'s memory, from an array of root's shape.

    >>> x = np.zeros((2, 3))
    >>> positions(x, x.T[1:])
    (array([[0, 1],
           [0, 1]]), array([[1, 1],
           [2, 2]]))
    """
    offsets = np.asarray(address(window) - address(root))
    for axis, (length, stride) in enumerate(zip(window.shape, window.strides, strict=True)):
        steps = np.arange(length) * stride
        offsets = offsets[..., None] + steps if axis else offsets + steps
    index: list[Any] = [0] * root.ndim
    for axis in sorted(range(root.ndim), key=lambda k: (root.strides[k], root.shape[k]), reverse=True):
        if root.shape[axis] == 1 or window.size == 0:
            index[axis] = np.zeros_like(offsets)
            continue
        if root.strides[axis] <= 0:
            raise GraphCutError(
                "adc cannot follow a write into an array whose elements overlap or run backwards",
                here(),
                repair="Start from a copy: x = x.clone().",
            )
        index[axis] = offsets // root.strides[axis]
        offsets = offsets - index[axis] * root.strides[axis]
    return tuple(index)


def is_part(view: Tensor, root: Tensor) -> bool:
    """Whether a view is of the real or the imaginary parts of its root's elements."""
    return bool(root.primal.dtype.kind == "c" and view.primal.dtype.kind == "f")


def is_real_part(view: Tensor, root: Tensor) -> bool:
    """Which of them: the real part of an element comes first in memory."""
    return bool((address(view.primal) - address(root.primal)) % root.primal.itemsize == 0)


def address(array: np.ndarray[Any, Any]) -> int:
    """Where the first element of an array lies in memory."""
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def same_window(a: Any, b: Any) -> bool:
    """Whether two arrays are the same elements of the same memory."""
    return (
        isinstance(a, np.ndarray)
        and isinstance(b, np.ndarray)
        and a.shape == b.shape
        and a.strides == b.strides
        and a.dtype == b.dtype
        and address(a) == address(b)
    )


def spare_kept(tensor: Tensor) -> None:
    """Move the Tensor's memory away if anything else holds it, so that a write changes no kept value.

    Only for plain NumPy functions: there a write may follow a use at any time, and the old value is wanted.
    With Tensors made by the user PyTorch's rule holds instead, that a stale value is an error.
    """
    root = root_of(tensor)
    if modes.lent is not None:
        modes.lent.writes(root.primal)
    members = views_of(root)
    owner = owner_of(root.primal)
    # Held by: the attribute, the name `owner`, the call's argument, and one view each.
    held = sys.getrefcount(owner) > 3 + len(members)
    if owner is not root.primal:
        held = held or sys.getrefcount(root.primal) > 2
    if not held and all(sys.getrefcount(view.primal) <= 2 for view in members):
        return
    before = root.primal
    root.primal = copied(before)
    for view in members:
        view.primal = _moved(before, root.primal, view.primal)


def _moved(
    before: np.ndarray[Any, Any], after: np.ndarray[Any, Any], view: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The same window of a copy."""
    if before.strides != after.strides:
        raise GraphCutError(
            "adc cannot follow a view of an array whose elements overlap",
            here(),
            repair="Start from a copy: x = x.copy().",
        )
    return window(after, before, view)
