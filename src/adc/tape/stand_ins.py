"""What traced code gets in place of functions that make arrays, walk through them or ask for their class."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import record
from adc.tape.node import here
from adc.tape.plain_types import isinstance_, shown, type_
from adc.tape.tensor import Tensor, make


def float_array(result: Any) -> Any:
    """A result as traced code sees it: an array of floats as a Tensor, which can be written to."""
    if type(result) is np.ndarray and result.dtype.kind in "fc":
        return make(result)
    return result


def _as_array(value: Any, dtype: Any = None, copy: bool = True) -> Any:
    """`np.array` of Tensors, or of nested lists of them."""
    if isinstance(value, Tensor):
        made = value if dtype is None or np.dtype(dtype) == value.dtype else value.astype(dtype)
        return np.copy(made) if copy and made is value else made
    if isinstance(value, list | tuple) and record.is_active(value):
        made = np.stack(
            [
                _as_array(v, dtype, copy=False) if isinstance(v, list | tuple | Tensor) else np.asarray(v)
                for v in value
            ]
        )
        return made if dtype is None or np.dtype(dtype) == made.dtype else made.astype(dtype)
    return float_array(
        np.array(record.plain(value), dtype=dtype) if copy else np.asarray(record.plain(value), dtype=dtype)
    )


def listed(values: Any) -> Any:
    """A list of Tensors where NumPy takes it for an array; other lists stay."""
    return _as_array(values, copy=False) if record.is_active(values) else values


def _array_stand_in(object: Any, dtype: Any = None, *, copy: Any = True, **kwargs: Any) -> Any:
    made = _as_array(object, dtype, copy is True)
    ndmin = kwargs.pop("ndmin", 0)
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def _asarray_stand_in(a: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> Any:
    return _as_array(a, dtype, copy=False)


def _contiguous(function: Callable[..., Any]) -> Callable[..., Any]:
    """np.ascontiguousarray and the like: the array itself where it lies in memory as is wanted, else a copy."""

    def stand_in(a: Any, dtype: Any = None, **kwargs: Any) -> Any:
        made = _as_array(a, dtype, copy=False)
        lies_so = made is not a or not isinstance(a, Tensor) or function(a.primal) is a.primal
        return made if lies_so else np.copy(made)

    return stand_in


def _fromiter_stand_in(iter: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
    return _as_array(list(itertools.islice(iter, count) if count >= 0 else iter), dtype, copy=False)


def _ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """`np.ndenumerate`: every index with its element."""
    x = _as_array(arr, copy=False)
    return ((index, x[index]) for index in np.ndindex(x.shape))


def vectorize(
    pyfunc: Callable[..., Any],
    otypes: Any = None,
    doc: Any = None,
    excluded: Any = None,
    cache: bool = False,
    signature: Any = None,
) -> Callable[..., Any]:
    """`np.vectorize`: the function is called with the elements that belong together, and what it gives is stacked."""
    if excluded or signature:
        what = "excluded" if excluded else "signature"
        raise UnsupportedError(
            f"np.vectorize with `{what}` is not supported", here(), repair="Write the loop."
        )

    def call(*args: Any) -> Any:
        operands = np.broadcast_arrays(*args) if len(args) > 1 else [_as_array(args[0], copy=False)]
        if not operands[0].shape:
            return pyfunc(*args)
        values = [pyfunc(*row) for row in zip(*map(np.ravel, operands), strict=True)]
        return np.reshape(_as_array(values, copy=False), operands[0].shape)

    return call


def _isscalar(element: Any) -> bool:
    return np.isscalar(shown(element) if isinstance(element, Tensor) else element)


CREATORS: dict[Any, Callable[..., Any]] = {
    np.array: _array_stand_in,
    np.asarray: _asarray_stand_in,
    np.asanyarray: _asarray_stand_in,
    np.ascontiguousarray: _contiguous(np.ascontiguousarray),
    np.asfortranarray: _contiguous(np.asfortranarray),
    np.require: _asarray_stand_in,
    np.fromiter: _fromiter_stand_in,
    np.asarray_chkfinite: _asarray_stand_in,
    np.ndenumerate: _ndenumerate,
    np.isscalar: _isscalar,
}
BUILTINS: dict[str, Any] = {**vars(builtins), "isinstance": isinstance_, "type": type_}
