"""In which order the elements of arrays lie in memory: a reshape is a view of some arrays, and a copy of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adc.tape.tensor import Tensor
from adc.tape.writes import owner_of

__all__ = ["laid", "of", "put"]

Order = Any  # of an array its axes, the slowest first; None: there are gaps. Of several results a tuple.

_PLAIN = ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3))


def of(value: Any) -> Order:
    """The order of an array or Tensor, () for anything else.

    >>> of(np.zeros((2, 3))), of(np.zeros((2, 3)).T), of(np.zeros((4, 6))[:, ::2])
    ((0, 1), (1, 0), None)
    """
    if value.__class__ is Tensor:
        value = value.primal
    if isinstance(value, tuple | list):
        return tuple([of(v) for v in value])
    if not isinstance(value, np.ndarray):
        return ()
    ndim = value.ndim
    if value.flags.c_contiguous:
        return _PLAIN[ndim] if ndim < len(_PLAIN) else tuple(range(ndim))
    strides, shape = value.strides, value.shape
    # An axis of one element lies anywhere, whatever its stride.
    moving = sorted([k for k in range(ndim) if shape[k] != 1], key=lambda k: -strides[k])
    order = tuple([k for k in range(ndim) if shape[k] == 1] + moving)
    return order if value.transpose(order).flags.c_contiguous else None


def laid(array: Any, order: tuple[int, ...] | None) -> Any:
    """A copy of an array that lies in another order, or with gaps."""
    if order is None:
        whole = np.empty([n + 1 for n in array.shape], array.dtype)
        made = whole[tuple([slice(n) for n in array.shape])]
    else:
        made = np.empty([array.shape[k] for k in order], array.dtype).transpose(np.argsort(order))
    made[...] = array
    return made


def put(result: Any, order: Order, given: Any) -> None:
    """Move a new Tensor, or each of several, that lies in another order than NumPy's result.

    What shares memory with something `given` is a view of it, as NumPy's is, and stays.
    """
    if isinstance(result, tuple | list):
        for part, own in zip(result, order, strict=True):
            put(part, own, given)
    elif result.__class__ is Tensor and of(result) != order:
        owner = owner_of(result.primal)
        if not any(owner is other for other in _owners(given)):
            result.primal = laid(result.primal, order)
            result.extra = None


def _owners(given: Any) -> Iterator[Any]:
    """The arrays that own the memory of arguments."""
    if given.__class__ is Tensor:
        given = given.primal
    if isinstance(given, np.ndarray):
        yield owner_of(given)
    elif isinstance(given, tuple | list):
        for value in given:
            yield from _owners(value)
