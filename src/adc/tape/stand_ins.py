"""What traced code gets in place of functions that make arrays, walk through them or ask for their class."""

from __future__ import annotations

import builtins
import functools
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.element_calls import CUT_OFF, OF_THE_FIRST, ElementsOfCall, core_axes, loses_fractions
from adc.rules.fitting import refuse_unfit
from adc.tape import memory_order, record, said, views
from adc.tape.methods import lies_in, recopied
from adc.tape.node import here
from adc.tape.number_classes import complex_, float_
from adc.tape.own_operators import getattr_
from adc.tape.plain_types import hasattr_, isinstance_, sample, type_
from adc.tape.tensor import Tensor, make


def float_array(result: Any, given: tuple[Any, ...] = ()) -> Any:
    """A result as traced code sees it: an array of floats as a Tensor, which can be written to, and be a view."""
    if type(result) is np.ndarray and result.dtype.kind in "fc":
        made = make(result)
        if result.base is not None or record.is_operand(result, given):
            views.note(made, given)
        return made
    if isinstance(result, tuple | list):
        return record.rebuild(result, [float_array(part, given) for part in result])
    return result


def _as_array(value: Any, dtype: Any = None, copy: bool = True, order: Any = None) -> Any:
    """`np.array` of Tensors, or of nested lists of them."""
    if isinstance(value, Tensor):
        made = value if dtype is None or np.dtype(dtype) == value.dtype else value.astype(dtype)
        copy = (copy and made is value) or not lies_in(made, order)
        return recopied(made, order) if copy else made
    value = record.ordinary(value)
    if isinstance(value, list | tuple) and record.is_active(value):
        made = np.stack(
            [
                _as_array(v, dtype, copy=False) if isinstance(v, list | tuple | Tensor) else np.asarray(v)
                for v in value
            ]
        )
        return made if dtype is None or np.dtype(dtype) == made.dtype else made.astype(dtype)
    made = (
        np.array(record.plain(value), dtype=dtype) if copy else np.asarray(record.plain(value), dtype=dtype)
    )
    if isinstance(value, list | tuple) and made.dtype.kind == "f" and any(isinstance(v, str) for v in value):
        said.read_back(made)
    return float_array(made)


def listed(values: Any) -> Any:
    """A list of Tensors where NumPy takes it for an array; other lists stay."""
    return _as_array(values, copy=False) if record.is_active(values) else values


def _array_stand_in(
    object: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **kwargs: Any
) -> Any:
    refuse_unfit(np.array, 1, kwargs)
    made = _as_array(object, dtype, copy is True, kwargs.get("order"))
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def _asarray_stand_in(a: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> Any:
    refuse_unfit(np.asarray, 1, kwargs)
    found = _as_array(a, dtype, copy=False, order=order)
    is_number = isinstance(found, Tensor) and isinstance(found.primal, np.generic)
    return recopied(found, order) if is_number else found  # of a number NumPy makes an array


def _fromstring(string: Any, *args: Any, **kwargs: Any) -> Any:
    made = np.fromstring(string, *args, **kwargs)
    said.read_back(made)
    return float_array(made)


def _frombuffer(buffer: Any, *args: Any, **kwargs: Any) -> Any:
    return float_array(np.frombuffer(buffer, *args, **kwargs))


def _require(a: Any, dtype: Any = None, requirements: Any = None, **kwargs: Any) -> Any:
    """The array, row by row (or column by column) where C (or F) is one of the letters or words asked for."""
    refuse_unfit(np.require, 1, kwargs)
    asked = {word.upper() for word in requirements or ()}
    order = (
        "C" if asked & {"C", "C_CONTIGUOUS", "CONTIGUOUS"} else "F" if asked & {"F", "F_CONTIGUOUS"} else None
    )
    return _as_array(a, dtype, copy=False, order=order)


def _contiguous(order: str) -> Callable[..., Any]:
    """np.ascontiguousarray and the like: the array itself where it lies in memory as is wanted, else a copy."""

    def stand_in(a: Any, dtype: Any = None, **kwargs: Any) -> Any:
        refuse_unfit(np.ascontiguousarray, 1, kwargs)
        found = _as_array(a, dtype, copy=False, order=order)
        return found if found.ndim else found.reshape(1)  # of a number NumPy makes an array with an axis

    return stand_in


def _copy_stand_in(a: Any, order: Any = "K", subok: bool = False) -> Any:
    return recopied(a, order) if isinstance(a, Tensor) else _as_array(a)


def _fromiter_stand_in(iter: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
    refuse_unfit(np.fromiter, 2, kwargs)
    return _as_array(list(itertools.islice(iter, count) if count >= 0 else iter), dtype, copy=False)


def _ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """`np.ndenumerate`: every index with its element."""
    x = _as_array(arr, copy=False)
    return ((index, x[index]) for index in np.ndindex(x.shape))


def _nditer(op: Any, flags: Any = None, op_flags: Any = None, **others: Any) -> Any:
    """`np.nditer` of one array: its elements, of which nobody sees that they are views."""
    several = isinstance(op, list | tuple) and record.is_active(op)
    if not isinstance(op, Tensor) and not several:
        return np.nditer(op, flags, op_flags, **others)
    if several or flags or op_flags or others or not op.primal.flags.c_contiguous:
        raise UnsupportedError(
            "np.nditer goes over more than the elements of one array that lies row by row",
            here(),
            "What it gives are views, in the order of the memory.",
            "Go over `np.ndindex(x.shape)`, and read and write `x[index]`.",
        )
    return (op[index] for index in np.ndindex(op.shape))


def vectorize(
    pyfunc: Callable[..., Any],
    otypes: Any = None,
    doc: Any = None,
    excluded: Any = None,
    cache: bool = False,
    signature: Any = None,
) -> Callable[..., Any]:
    """`np.vectorize`: the function is called with the elements that belong together, and what it gives is stacked."""
    if signature:
        return _over_batches(pyfunc, signature, otypes, excluded)

    def call(*args: Any, **kwargs: Any) -> Any:
        form = ElementsOfCall(args, kwargs, excluded or ())
        given = form.operands
        operands = np.broadcast_arrays(*given) if len(given) > 1 else [_as_array(given[0], copy=False)]
        if not operands[0].shape:
            return pyfunc(*args, **kwargs)
        values = []
        for row in zip(*map(np.ravel, operands), strict=True):
            placed, named = form.with_elements(row)
            values.append(pyfunc(*placed, **named))
        if isinstance(values[0], tuple):
            columns = [_of_one_dtype(column, otypes, k) for k, column in enumerate(zip(*values, strict=True))]
            return tuple(laid_out(column, given, operands[0].shape) for column in columns)
        return laid_out(_of_one_dtype(values, otypes, 0), given, operands[0].shape)

    def laid_out(values: Any, given: list[Any], shape: tuple[int, ...]) -> Any:
        made = np.reshape(values, shape)
        of_ufunc = np.frompyfunc(lambda *_: 0, len(given), 1)  # it lays its result out as its operands lie
        order = memory_order.of(of_ufunc(*record.plain(tuple(given))))
        if made.__class__ is not Tensor or order == memory_order.of(made):
            return made
        return recopied(np.transpose(made, order), "C").transpose(tuple(np.argsort(order)))

    return call


def _of_one_dtype(values: Any, otypes: Any, k: int) -> Any:
    """The k-th results of all calls, with the dtype of the first of them."""
    if otypes is not None:
        return _as_array(values, copy=False).astype(otypes[k])
    if loses_fractions(values):
        raise UnsupportedError(
            f"np.vectorize {OF_THE_FIRST} here",
            here(),
            CUT_OFF,
            "Give it `otypes=[float]`, or return 0.0 for 0.",
        )
    return _as_array(values, copy=False)


def _over_batches(
    pyfunc: Callable[..., Any], signature: str, otypes: Any, excluded: Any
) -> Callable[..., Any]:
    """`np.vectorize` with a signature: the function takes the last axes of its operands at once."""
    cores, count = core_axes(signature)

    def stacked(parts: Any, batch: tuple[int, ...], k: int) -> Any:
        whole = _of_one_dtype(list(parts), otypes, k)
        return np.reshape(whole, batch + np.shape(whole)[1:])

    def call(*args: Any, **kwargs: Any) -> Any:
        if excluded or kwargs or len(args) != len(cores):
            raise UnsupportedError(
                "np.vectorize with `signature` and arguments that are not in it is not supported",
                here(),
                repair="Bind them, as by a lambda.",
            )
        arrays = [_as_array(a, copy=False) for a in args]
        ranks = [np.ndim(a) - core for a, core in zip(arrays, cores, strict=True)]
        if min(ranks, default=0) < 0:
            raise ValueError(f"an operand has fewer axes than the signature {signature} says")
        batch = np.broadcast_shapes(*(np.shape(a)[:rank] for a, rank in zip(arrays, ranks, strict=True)))
        if not batch:
            return pyfunc(*args)
        whole = [
            np.broadcast_to(a, batch + np.shape(a)[rank:]) for a, rank in zip(arrays, ranks, strict=True)
        ]
        found = [pyfunc(*(a[index] for a in whole)) for index in np.ndindex(*batch)]
        if count == 1:
            return stacked(found, batch, 0)
        return tuple(stacked(parts, batch, k) for k, parts in enumerate(zip(*found, strict=True)))

    return call


def _isscalar(element: Any) -> bool:
    return np.isscalar(sample(element) if isinstance(element, Tensor) else element)


def _iterable(y: Any) -> bool:
    return bool(y.ndim) if isinstance(y, Tensor) else bool(np.iterable(y))


def _heard(own: Callable[..., Any]) -> Callable[..., Any]:
    """A function that says what becomes of warnings. A program that makes errors of them hears NumPy's again."""

    @functools.wraps(own)
    def filtered(*args: Any, **options: Any) -> Any:
        if "error" in (options.get("action"), *args[:1]):
            np.seterr(divide="warn", over="warn", invalid="warn")  # until the derivative returns
        return own(*args, **options)

    return filtered


CREATORS: dict[Any, Callable[..., Any]] = {
    np.array: _array_stand_in,
    np.copy: _copy_stand_in,
    np.asarray: _asarray_stand_in,
    np.asanyarray: _asarray_stand_in,
    np.ascontiguousarray: _contiguous("C"),
    np.asfortranarray: _contiguous("F"),
    np.require: _require,
    np.fromstring: _fromstring,
    np.frombuffer: _frombuffer,
    np.fromiter: _fromiter_stand_in,
    np.asarray_chkfinite: _asarray_stand_in,
    np.ndenumerate: _ndenumerate,
    np.nditer: _nditer,
    np.isscalar: _isscalar,
    np.iterable: _iterable,
    **{f: _heard(f) for f in (warnings.simplefilter, warnings.filterwarnings, warnings.catch_warnings)},
}
BUILTINS: dict[str, Any] = {
    **vars(builtins),
    "isinstance": isinstance_,
    "type": type_,
    "float": float_,
    "complex": complex_,
    "hasattr": hasattr_,
    "getattr": getattr_,
}
