"""PyTorch's methods that give windows of a Tensor's memory: `as_strided` and `unfold`.

The elements are chosen by an index, whose rule gives the gradient; the result then lies in the Tensor's memory, so that
both see each other's writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape import views
from adc.tape.torchpicks import at, axis_of
from adc.tape.writes import owner_of

__all__ = ["WINDOWS"]


def _as_strided(t: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Any:
    """Elements by their places in the memory that `t` is a window of, counted as PyTorch counts them."""
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0 or (storage_offset or 0) < 0:
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}, "
            f"storage_offset: {storage_offset}"
        )
    here, held = _places(t, storage_offset is not None)
    start = here if storage_offset is None else storage_offset
    wanted = start + sum(
        (n * step for n, step in zip(np.indices(size), stride, strict=True)), np.zeros(size, int)
    )
    order = np.argsort(held, axis=None, kind="stable")
    found = np.searchsorted(held.ravel(), wanted, sorter=order)
    known = np.append(held.ravel()[order], -1)[found] == wanted  # of what is larger than all there is none
    if not known.all():
        raise RuntimeError(
            f"as_strided: size {list(size)}, stride {list(stride)} and storage_offset {start} name the element "
            f"{int(wanted[~known][0])} of the memory, which is none of this Tensor's. "
            "Take as_strided of the Tensor that it is a view of."
        )
    chosen: Any = np.reshape(t, (-1,))[order[found]]
    primal = t.primal
    if not isinstance(primal, np.ndarray) or not wanted.size:
        return chosen
    step, strided = primal.itemsize, np.lib.stride_tricks.as_strided
    line = strided(primal, (int(held.max()) - here + 1,), (step,))[start - here :]
    alone = np.unique(wanted).size == wanted.size
    window = strided(line, size, tuple(n * step for n in stride), writeable=alone and primal.flags.writeable)
    return views.lies_in(chosen, window, t)


def _places(t: Any, whole: bool) -> tuple[int, Any]:
    """Where in memory the first element of a Tensor lies, and where all of them do, in elements.

    With `whole` they are counted from where the memory begins, which is not known of a part of an array from outside.
    """
    primal = t.primal
    if not isinstance(primal, np.ndarray):
        return 0, np.zeros((), int)
    root = views.root_of(t).primal
    begins = views.address(root)
    outside = whole and views.address(owner_of(root)) != begins
    if outside or min(primal.strides, default=0) < 0:
        raise RuntimeError(
            "as_strided: the memory of this Tensor is that of an array from outside, or lies backwards. "
            "Take as_strided of a copy, `x.clone()`."
        )
    steps = [n // primal.itemsize for n in primal.strides]
    here = (views.address(primal) - begins) // primal.itemsize
    within = sum(
        (n * step for n, step in zip(np.indices(primal.shape), steps, strict=True)),
        np.zeros(primal.shape, int),
    )
    return here, here + within


def _unfold(t: Any, dimension: int, size: int, step: int) -> Any:
    """Windows of so many elements along an axis, each in an axis of its own at the end."""
    if not t.ndim:
        axis_of(np.empty(1), dimension)
        if size > 1:
            raise RuntimeError(f"maximum size for tensor at dimension 0 is 1 but size is {size}")
        return np.reshape(t, (1,))[:size]
    dim = axis_of(t, dimension)
    if size > t.shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {t.shape[dim]} but size is {size}")
    starts = np.arange(0, t.shape[dim] - size + 1, step)
    chosen = np.moveaxis(t[at(t, dim, starts[:, None] + np.arange(size))], dim + 1, -1)
    writeable = step >= size and t.primal.flags.writeable
    windows = np.lib.stride_tricks.sliding_window_view(t.primal, size, axis=dim, writeable=writeable)
    return views.lies_in(chosen, windows[at(t, dim, slice(None, None, step))], t)


WINDOWS: dict[str, Callable[..., Any]] = {"as_strided": _as_strided, "unfold": _unfold}
