"""NumPy's functions, called on Tensors, find their rule; without one they are refused.

A function without a rule still runs when no Tensor among its arguments requires a gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import GraphCutError, UnsupportedError
from adc.rules import registry
from adc.rules.fitting import loop_told, refuse_unfit, told_dtype
from adc.tape import inplace, operators, record
from adc.tape.entry import Entry, find
from adc.tape.node import here
from adc.tape.plain_types import strong
from adc.tape.recorders import Recorders
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make

# What `ufunc.reduce` and `ufunc.accumulate` mean.
_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_ACCUMULATIONS: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}
_MEANINGS = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS, "reduceat": {}}

# These ask about an array and carry no derivative.
_QUESTIONS: set[Any] = {
    np.shape,
    np.ndim,
    np.size,
    np.result_type,
    np.can_cast,
    np.common_type,
    np.min_scalar_type,
    np.iscomplexobj,
    np.isrealobj,
    np.allclose,
    np.array_equal,
    np.array_equiv,
    np.array_repr,
    np.array_str,
    np.array2string,
    np.may_share_memory,
    np.shares_memory,
}


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `Tensor.__array_ufunc__` does."""
    if method == "__call__":
        if not kwargs:
            entry = find(ufunc)
            if entry is not None:
                return record.apply(entry, inputs, kwargs)
        return _called(ufunc, inputs, kwargs)
    if method == "at":
        return _at(ufunc, *inputs)
    if method == "outer":
        left, right = map(strong, inputs)
        return ufunc(np.reshape(left, np.shape(left) + (1,) * np.ndim(right)), right, **kwargs)
    if method in ("reduce", "accumulate", "reduceat"):
        function = _MEANINGS[method].get(ufunc)
        if method == "accumulate":
            axis = kwargs.get("axis", inputs[1] if len(inputs) > 1 else 0)
            if not isinstance(axis, int) or np.ndim(inputs[0]) == 0:
                # Raises, or reads a number.
                getattr(ufunc, method)(*record.plain(inputs), **record.plain(kwargs))
        told = kwargs.get("dtype") is not None or len(inputs) > 2  # extremes take no dtype
        if function is not None and not (told and function in (np.max, np.min)):
            return _reduced(function, inputs, kwargs)
        if modes.enabled and record.is_active(inputs):
            return _by_method(ufunc, method, inputs, kwargs)
    return _plain_or_refused(getattr(ufunc, method), f"{registry.spell(ufunc)}.{method}", inputs, kwargs)


def _called(ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc with `out`, `where`, `dtype` or the like, or without a rule."""
    given = dict(kwargs)
    out = given.pop("out", None)
    where = given.pop("where", True)
    dtype = given.pop("dtype", None)
    if not record.is_active((inputs, kwargs)) and not any(isinstance(o, Tensor) for o in out or ()):
        return record.wrap(ufunc(*record.plain(inputs), **record.plain(kwargs)))
    entry = find(ufunc)
    told = told_dtype(given)
    dtype = dtype if told is None else told
    given = {k: v for k, v in given.items() if k not in ("casting", "order", "subok")}
    unknown = [k for k in given if entry is None or k not in entry.positions]
    if unknown:
        raise UnsupportedError(f"adc has no derivative of np.{ufunc.__name__} with `{unknown[0]}`", here())
    if dtype is not None or out is not None:
        plain = record.plain(inputs)
        kinds = [type(x) if type(x) in (int, float, complex) else np.asarray(x).dtype for x in plain]
        results = [None if x is None else x.dtype for x in out or (None,) * ufunc.nout]
        loop = loop_told(ufunc, kinds, results, dtype, kwargs.get("casting", "same_kind"))
        if dtype is not None:
            inputs = tuple(
                x.astype(kind) if isinstance(x, Tensor) else np.asarray(x, kind)
                for x, kind in zip(inputs, loop, strict=True)
            )
    # The pull may read an operand that is about to be overwritten: np.sin(x, out=x).
    inputs = tuple(
        make(x.primal.copy(), x.node) if isinstance(x, Tensor) and _shares(x, out) else x for x in inputs
    )
    if entry is None:
        result = _plain_or_refused(ufunc, registry.spell(ufunc), inputs, given)
    else:
        result = record.apply(entry, inputs, given)
    if where is not True:
        if out is None:
            raise UnsupportedError(
                f"np.{ufunc.__name__} with `where` and without `out` leaves elements undefined",
                here(),
                repair="Give `out`, or use np.where.",
            )
        result = np.where(where, result, out[0])
    return result if out is None else into(out, result)


def _shares(x: Tensor, out: Any) -> bool:
    return any(isinstance(o, Tensor) and np.may_share_memory(x.primal, o.primal) for o in out or ())


def into(out: tuple[Any, ...], result: Any) -> Any:
    """Write a result to `out`."""
    results = result if isinstance(result, tuple) else (result,)
    for target, value in zip(out, results, strict=True):
        if isinstance(target, Tensor):
            inplace.replace(target, value)
        elif target is not None:
            if record.is_active(value) and modes.enabled:
                raise GraphCutError(
                    "adc cannot write a Tensor that requires a gradient into a plain array",
                    here(),
                    "The array would carry no derivative, in silence.",
                    "Make it a Tensor (adc.tensor(array)), or write adc.stop_gradient(x) if the cut is meant.",
                )
            np.copyto(target, record.plain(value))
    given = tuple([value if target is None else target for target, value in zip(out, results, strict=True)])
    return given[0] if len(given) == 1 else given


def _at(ufunc: np.ufunc, target: Any, index: Any, value: Any = None) -> None:
    """`ufunc.at(target, index, value)`: a loop of in-place updates."""
    if not isinstance(target, Tensor):
        if record.is_active(value) and modes.enabled:
            raise GraphCutError(
                "adc cannot write a Tensor that requires a gradient into a plain array",
                here(),
                repair="Make it a Tensor: adc.tensor(array).",
            )
        ufunc.at(target, record.plain(index), record.plain(value))
        return
    index = record.plain(index)
    if isinstance(value, record.SEQUENCES) and record.is_active(value):
        value = np.stack(value)
    if ufunc is np.subtract:
        ufunc, value = np.add, np.negative(value)
    if ufunc is not np.add:
        inplace.replace(target, _updated(ufunc, target, index, value))
        return
    # Added one by one where an element is named twice: the sum of a scattered copy is the same.
    shape = np.shape(record.plain(target.primal[index]))
    value = np.broadcast_to(value, shape)
    inplace.replace(target, target + _scattered(value, index, target.shape, target.dtype))


def _updated(ufunc: np.ufunc, target: Tensor, index: Any, value: Any) -> Any:
    """The array after `ufunc.at`: first what is named for the first time, then what is named again, and so on."""
    positions = np.arange(target.primal.size).reshape(target.shape)[index]
    named = positions.reshape(-1)
    order = np.argsort(named, kind="stable")
    first = np.searchsorted(named[order], named[order])
    times = np.empty(len(named), int)
    times[order] = np.arange(len(named)) - first
    values = None if value is None else np.reshape(np.broadcast_to(value, positions.shape), (-1,))
    result = np.copy(np.reshape(target, (-1,)))
    for time in range(int(times.max(initial=-1)) + 1):
        (chosen,) = np.nonzero(times == time)
        operands = [result[named[chosen]]] + ([] if values is None else [values[chosen]])
        result[named[chosen]] = ufunc(*operands)
    return np.reshape(result, target.shape)


def _scattered(value: Any, index: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    from adc.tape.indexing import frozen, scatter  # indexing imports record, which this module completes

    return scatter(value, frozen(index), shape)


def _reduced(function: Callable[..., Any], inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = {k: v for k, v in kwargs.items() if v is not None or k == "axis"}
    given.setdefault("axis", 0)
    out = given.pop("out", None)
    result = function(*inputs, **given)
    return result if out is None else into(out, result)


def _by_method(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`ufunc.reduce` or `ufunc.accumulate` by the rule of the method, or step by step as NumPy computes it."""
    given = {k: v for k, v in kwargs.items() if k != "out"}
    entry = find(getattr(ufunc, method))
    if entry is not None:
        result = record.apply(entry, inputs, given)
    elif method != "reduceat" and ufunc.nin == 2 and ufunc.nout == 1 and find(ufunc) is not None:
        result = _folded(ufunc, method == "accumulate", inputs, given)
    else:
        raise record.no_rule(f"{registry.spell(ufunc)}.{method}")
    out = kwargs.get("out")
    return result if out is None else into(out if isinstance(out, tuple) else (out,), result)


def _folded(ufunc: np.ufunc, every: bool, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x, axis, *rest = (*inputs, 0) if len(inputs) == 1 else inputs
    axis = kwargs.pop("axis", axis)
    keepdims = kwargs.pop("keepdims", False)
    unknown = [k for k, v in kwargs.items() if v is not None and v is not np._NoValue]
    if rest or unknown or not isinstance(axis, int) or x.shape[axis] == 0:
        what = unknown[0] if unknown else f"axis={axis!r}"
        raise record.no_rule(f"np.{ufunc.__name__}.{'accumulate' if every else 'reduce'} with {what}")
    rows = np.moveaxis(x, axis, 0)
    found = [rows[0]]
    for k in range(1, len(rows)):
        found.append(ufunc(found[-1], rows[k]))
    if every:
        return np.stack(found, axis)
    expected = ufunc.reduce(record.plain(x), axis)
    if not np.allclose(record.plain(found[-1]), expected, rtol=1e-4, equal_nan=True):
        raise UnsupportedError(  # as power and arctan2 in NumPy 2.4
            f"np.{ufunc.__name__}.reduce of this NumPy is not np.{ufunc.__name__} of one element after the other",
            here(),
            repair=f"Write the loop, or take the last of np.{ufunc.__name__}.accumulate.",
        )
    return np.expand_dims(found[-1], axis) if keepdims else found[-1]


def array_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `Tensor.__array_function__` does."""
    out = kwargs.get("out")
    if out is not None:
        refuse_unfit(function, len(args), kwargs)
        rest = {k: v for k, v in kwargs.items() if k != "out"}
        result = function(*args, **rest)
        return into(out if isinstance(out, tuple) else (out,), result)
    if function is np.result_type:  # a number of Python's leaves the dtype of others what it is
        args = tuple(
            [v.primal.item() if operators.is_pythons(v) and v.__class__ is Tensor else v for v in args]
        )
    if function in _QUESTIONS:
        return function(*record.plain(args), **record.plain(kwargs))
    if function is np.broadcast_arrays and all(
        isinstance(x, Tensor) and x.shape == args[0].shape for x in args
    ):
        return args  # arrays of one shape are given back
    entry = find(function)
    if entry is not None:
        return recorders_of(entry, function).of(args, kwargs)(*args, **kwargs)
    return _plain_or_refused(function, registry.spell(function), args, kwargs)


def recorders_of(entry: Entry, function: Callable[..., Any]) -> Recorders:
    """The recorders of a function: made once, for their texts are compiled, and found again when `Node` changes."""
    if function not in short_cuts:
        short_cuts[function] = Recorders(entry, function)
    return short_cuts[function]


short_cuts: dict[Any, Recorders] = {}


def _plain_or_refused(function: Any, spelling: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if modes.enabled and record.is_active((args, kwargs)):
        raise record.no_rule(spelling)
    return record.wrap(function(*record.plain(args), **record.plain(kwargs)), args)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)` by its rule, also where the function knows no Tensors (`math.sin`).

    >>> import math
    >>> from adc import tape
    >>> call(math.sin, tape.tensor(0.0, requires_grad=True))
    tensor(0., grad_fn=<SinBackward>)
    """
    entry = find(function)
    if entry is not None and record.is_active((args, kwargs)):
        return record.apply(entry, args, kwargs, function)  # itself: math.floor gives an int
    return _plain_or_refused(function, registry.spell(function), args, kwargs)
