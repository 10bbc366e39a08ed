"""PyTorch's methods that choose elements of a Tensor, or write to chosen ones of a copy.

Each reads or writes by an index that is no derivative's business, so the rules of indexing give its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape import record
from adc.tape.tensor import Tensor, make

__all__ = ["CHOOSING", "WRITING", "along", "at", "axis_of", "narrow", "of_numbers", "on_an_axis", "put"]

Method = Callable[..., Any]


def axis_of(t: Any, dim: int) -> int:
    """An axis, counted from the first. Raises IndexError where the Tensor has none such."""
    ndim: int = t.ndim
    if not -ndim <= dim < ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})"
        )
    return dim if dim >= 0 else dim + ndim


def at(t: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """The index of all of a Tensor but for `index` along `dim`."""
    return (*[slice(None)] * axis_of(t, dim), index)


def narrow(t: Any, dim: int, start: int, length: int) -> Any:
    """So many elements along `dim`."""
    n = t.shape[axis_of(t, dim)]
    first = start + n if start < 0 else start
    if not 0 <= first <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    if length < 0 or first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return t[at(t, dim, slice(first, first + length))]


def on_an_axis(t: Any, dim: Any, keepdim: bool) -> tuple[Any, Any, bool]:
    """What is reduced, along which axes, and whether they are kept: a number along an axis gives a number."""
    if t.ndim or dim is None or (isinstance(dim, tuple) and not dim):
        return t, dim, keepdim
    return np.reshape(t, (1,)), dim, False


def of_numbers(method: Method) -> Method:
    """PyTorch takes a number for a vector of one element where an axis is named."""

    def with_an_axis(t: Any, *args: Any, **kwargs: Any) -> Any:
        if t.ndim:
            return method(t, *args, **kwargs)
        made = method(np.reshape(t, (1,)), *map(_row, args), **{k: _row(a) for k, a in kwargs.items()})
        return tuple(np.reshape(z, ()) for z in made) if isinstance(made, tuple) else np.reshape(made, ())

    return with_an_axis


def _row(argument: Any) -> Any:
    return np.reshape(argument, (1,)) if isinstance(argument, Tensor | np.ndarray) else argument


# Written to by an index -------------------------------------------------------------------------------------


def _grid(t: Any, index: Any, dim: int) -> tuple[Any, ...]:
    """The index of PyTorch's gather and scatter as NumPy's: every axis but `dim` counts up."""
    at = record.plain(index)
    if at.ndim != t.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    every = list(np.indices(at.shape, sparse=True))
    every[axis_of(t, dim)] = at
    return tuple(every)


def _gather(t: Any, dim: int, index: Any) -> Any:
    return t[_grid(t, index, dim)] if t.ndim else np.broadcast_to(t, np.shape(index))


def _index_select(t: Any, dim: int, index: Any) -> Any:
    return np.take(t, _places(index), axis=dim)


def _places(index: Any) -> Any:
    return np.atleast_1d(record.plain(index))


def _scatter(t: Any, dim: int, index: Any, src: Any) -> Any:
    result = t.clone()
    result[_grid(t, index, dim)] = _part(src, index)
    return result


def _scatter_add(t: Any, dim: int, index: Any, src: Any) -> Any:
    result = t.clone()
    np.add.at(result, _grid(t, index, dim), _part(src, index))
    return result


def _part(src: Any, index: Any) -> Any:
    """As much of the source as there are indices."""
    return src if np.ndim(src) == 0 else src[tuple(slice(n) for n in np.shape(index))]


def _require_fit(t: Any, dim: int, index: Any, source: Any) -> None:
    """Raise RuntimeError where the source has not the lengths of what an index along `dim` picks."""
    k = axis_of(t, dim)
    if np.shape(source) != (*t.shape[:k], len(_places(index)), *t.shape[k + 1 :]):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(t.shape)} source.shape = {list(np.shape(source))}"
        )


def _index_add(t: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    _require_fit(t, dim, index, source)
    result = t.clone()
    np.add.at(result, at(t, dim, _places(index)), source if alpha == 1 else alpha * source)
    return result


def _index_copy(t: Any, dim: int, index: Any, source: Any) -> Any:
    result = t.clone()
    result[at(t, dim, _places(index))] = source
    return result


def _index_put(t: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    result = t.clone()
    index = tuple(record.plain(tuple(indices)))
    if accumulate:
        np.add.at(result, index, values)
    else:
        result[index] = values
    return result


def put(t: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Positions count through all elements, from the end where they are below 0."""
    places = np.arange(t.size)[record.plain(index)]
    return _index_put(t, np.unravel_index(places, t.shape), source, accumulate)


def _masked_select(t: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(t.shape, np.shape(mask))
    return np.broadcast_to(t, shape)[np.broadcast_to(record.plain(mask), shape)]


def _scatter_reduce(t: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    return _reduced(t, _grid(t, index, dim), _part(src, index), reduce, include_self)


def _index_reduce(
    t: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    return _reduced(t, at(t, dim, _places(index)), source, reduce, include_self)


def _reduced(t: Any, where: Any, src: Any, reduce: str, include_self: bool) -> Any:
    """A copy with the elements at an index reduced with those that go there."""
    ufunc = _REDUCTIONS.get(reduce)
    if ufunc is None:
        raise RuntimeError(f"reduce argument must be one of {', '.join(_REDUCTIONS)}, got {reduce}")
    result = t.clone()
    if not include_self:
        result[where] = _NEUTRAL[reduce]
    ufunc.at(result, where, src)
    if reduce == "mean":
        times = np.full(t.shape, float(include_self), t.dtype)
        np.add.at(times, where, 1.0)
        result = result / np.maximum(times, 1.0)
    return result


_REDUCTIONS = {
    "sum": np.add,
    "prod": np.multiply,
    "mean": np.add,
    "amax": np.maximum,
    "amin": np.minimum,
}
_NEUTRAL = {"sum": 0.0, "prod": 1.0, "mean": 0.0, "amax": -np.inf, "amin": np.inf}


def _masked_scatter(t: Any, mask: Any, source: Any) -> Any:
    mask = np.broadcast_to(record.plain(mask), t.shape)
    result = t.clone()
    result[mask] = np.reshape(source, (-1,))[: np.count_nonzero(mask)]
    return result


def _written(t: Any, index: Any, src: Any) -> Any:
    result = t.clone()
    result[index] = src
    return result


def _diagonal_scatter(t: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    numbers = np.diagonal(np.arange(t.size).reshape(t.shape), offset, dim1, dim2)
    return _written(t, np.unravel_index(numbers, t.shape), src)


WRITING: dict[str, Method] = {
    "index_add": of_numbers(_index_add),
    "index_copy": of_numbers(_index_copy),
    "index_fill": of_numbers(_index_copy),
    "index_put": _index_put,
    "index_reduce": of_numbers(_index_reduce),
    "masked_scatter": _masked_scatter,
    "scatter": of_numbers(_scatter),
    "scatter_add": of_numbers(_scatter_add),
    "scatter_reduce": of_numbers(_scatter_reduce),
}


# Read by an index -------------------------------------------------------------------------------------------


def along(t: Any, dim: int, chosen: Any) -> tuple[Any, Any]:
    """The elements at chosen positions along an axis, and the positions."""
    return np.take_along_axis(t, chosen, dim), make(chosen)


def _extreme_so_far(accumulate: Callable[..., Any]) -> Method:
    """The largest or smallest element up to each position, and where it is: the last, of equal ones."""

    def method(t: Any, dim: int) -> tuple[Any, Any]:
        a = t.primal
        positions = np.arange(a.shape[dim]).reshape([-1 if k == dim % a.ndim else 1 for k in range(a.ndim)])
        hits = np.where((a == accumulate(a, axis=dim)) | np.isnan(a), positions, 0)
        return along(t, dim, np.maximum.accumulate(hits, axis=dim))

    return method


def _topk(t: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    order = np.argsort(t.primal, axis=dim, kind="stable")  # NaN comes last
    if largest:  # the first of equal ones is the last one in a flipped order
        order = t.shape[dim] - 1 - np.flip(np.argsort(np.flip(t.primal, dim), axis=dim, kind="stable"), dim)
    return along(t, dim, np.take(order, np.arange(k), axis=dim))


def _kthvalue(t: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    if not 1 <= k <= t.shape[dim]:
        raise IndexError("kthvalue(): selected number k out of range for dimension " + str(dim % t.ndim))
    order = np.argsort(t.primal, axis=dim, kind="stable")
    values, chosen = along(t, dim, np.take(order, [k - 1], axis=dim))
    return (values, chosen) if keepdim else (np.squeeze(values, dim), np.squeeze(chosen, dim))


CHOOSING: dict[str, Method] = {
    "cummax": of_numbers(_extreme_so_far(np.maximum.accumulate)),
    "cummin": of_numbers(_extreme_so_far(np.minimum.accumulate)),
    "diagonal_scatter": _diagonal_scatter,
    "gather": _gather,
    "index_select": of_numbers(_index_select),
    "kthvalue": of_numbers(_kthvalue),
    "masked_select": _masked_select,
    "narrow": narrow,
    "narrow_copy": lambda t, dim, start, length: np.copy(narrow(t, dim, start, length)),
    "select": lambda t, dim, index: t[at(t, dim, index)],
    "select_scatter": lambda t, src, dim, index: _written(t, at(t, dim, index), src),
    "slice_scatter": lambda t, src, dim=0, start=None, end=None, step=1: _written(
        t, at(t, dim, slice(start, end, step)), src
    ),
    "topk": of_numbers(_topk),
    "unbind": lambda t, dim=0: tuple(t[at(t, dim, k)] for k in range(t.shape[dim])),
}
