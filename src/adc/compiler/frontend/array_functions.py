"""Functions and methods of arrays that the compiler itself understands, as they are no operations of the rule table.

Each takes the evaluator and the values of its arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import (
    constant_arrays,
    infer,
    memory_order,
    parts,
    python_numbers,
    text_arrays,
    ufunc_at,
)
from adc.compiler.frontend.frame import Items, Range
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, is_float
from adc.rules import strided
from adc.rules.dims import Shape
from adc.rules.fitting import refuse_cast
from adc.rules.joining import rows_joined
from adc.rules.linear_systems import have_inverses
from adc.rules.products import in_plane

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _array(
    self: Calls,
    x: Value,
    dtype: Value = None,
    copy: Value = True,
    order: Value = "K",
    subok: Value = False,
    ndmin: Value = 0,
) -> Value:
    if _is_of_nothing(x):
        return np.array(x)  # what an object has for a measurement until there is one
    texts = text_arrays.made(self, x, dtype)
    if texts is not x:
        return texts
    if isinstance(x, (list, tuple, range, Range)):
        x = self.array_of(x)
        copy = order == "F"
    if isinstance(x, Var) and copy is True:
        x = _copied(self, x, order)
    if isinstance(x, Var) and x.type.ndim < ndmin:
        x = self.call(np.expand_dims, [x, tuple(range(ndmin - x.type.ndim))], {})
    if dtype is not None and isinstance(x, (bool, int, float, complex)):
        return self.without_axes(np.asarray(x, dtype)[()])
    made = x if dtype is None else self.cast(x, str(np.dtype(dtype)))
    return self.without_axes(made) if _is_number(self, x) else made


def _is_of_nothing(x: Value) -> bool:
    """Whether a list, or one of lists, holds None and nothing else."""
    return isinstance(x, (list, tuple)) and bool(x) and all(v is None or _is_of_nothing(v) for v in x)


def _is_number(self: Calls, x: Value) -> bool:
    """Whether NumPy makes an array without axes of a value that is a number."""
    if isinstance(x, Var) and isinstance(x.type, Scalar):
        return x.type.weak or (self.in_user_code and not self.is_without_axes(x))
    return isinstance(x, (bool, int, float, complex))


def _copied(self: Calls, x: Var, order: Value = "C") -> Value:
    """The method `copy`: row by row unless told otherwise, where np.copy keeps the order in memory."""
    if order == "F" and x.type.ndim > 1:
        return self.op("transpose", _in_rows(self, self.op("transpose", x, None)), None)
    return _in_rows(self, x) if order == "C" or x.type.ndim == 1 else self.op("copy", x)


def _in_rows(self: Calls, x: Value) -> Value:
    made = self.op("copy", x)
    if isinstance(made, Var) and isinstance(made.type, Array):
        made.type = replace(made.type, layout="C")
    return made


def _copy(self: Calls, a: Value, order: Value = "K", subok: Value = False) -> Value:
    return _array(self, a, order=order)


def _ndarray(self: Calls, shape: Value, dtype: Value = float, **others: Value) -> Value:
    if others:
        raise self.refuse(
            f"np.ndarray with `{next(iter(others))}` is not supported",
            repair="use np.empty, np.frombuffer or a view",
        )
    return self.call(np.empty, [shape, dtype], {})


def asarray(self: Calls, x: Value, dtype: Value = None, order: Value = None, copy: Value = None) -> Value:
    made = _array(self, x, dtype, copy)
    in_order = {"C": np.ascontiguousarray, "F": np.asfortranarray}.get(order)
    return self.call(in_order, [made], {}) if in_order is not None and self.type_is_array(made) else made


def _ascontiguousarray(self: Calls, x: Value, dtype: Value = None) -> Value:
    x = asarray(self, x, dtype)
    if not isinstance(x, Var) or not isinstance(
        x.type, Array
    ):  # of a number NumPy makes an array with an axis
        return self.call(np.atleast_1d, [x], {})
    if x.type.layout == "C":
        return x
    made = _in_rows(self, x)
    self.snapshots[made] = x  # a column of one element lies row by row as well: NumPy gives the array itself
    return made


def _require(self: Calls, a: Value, dtype: Value = None, requirements: Value = None) -> Value:
    """`np.require`: what is made here may be written to, lies in order and is NumPy's own array anyhow."""
    wanted = {str(r).upper()[:1] for r in requirements or ()}
    x = asarray(self, a, dtype, "F" if "F" in wanted else "C" if "C" in wanted else None)
    return self.call(np.copy, [x], {}) if "O" in wanted else x


def _as_strided(self: Calls, x: Value, *args: Value, **options: Value) -> Value:
    x = self.array_of(x)
    if isinstance(x, Var) and isinstance(x.type, Array) and x.type.layout != "C":
        raise self.refuse(strided.WHAT, repair=strided.REPAIR)
    return self.call_rule(np.lib.stride_tricks.as_strided, [x, *args], options)


def _full(
    self: Calls, shape: Value, fill_value: Value, dtype: Value = None, *others: Value, **more: Value
) -> Value:
    if others or more:  # where it lies: its full form says so with this one
        return self.call_rule(np.full, [shape, fill_value, dtype, *others], more)
    fill = self.array_of(fill_value) if isinstance(fill_value, (list, tuple)) else fill_value
    if isinstance(fill, Var) and fill.is_array:
        return _array(self, self.op("broadcast_to", fill, shape), dtype)
    return self.op("full", shape, fill, dtype)


def _full_like(
    self: Calls, a: Value, fill_value: Value, dtype: Value = None, *others: Value, **more: Value
) -> Value:
    if others or more:
        return self.call_rule(np.full_like, [a, fill_value, dtype, *others], more)
    a = self.array_of(a)
    fill = self.array_of(fill_value) if isinstance(fill_value, (list, tuple)) else fill_value
    if isinstance(fill, Var) and fill.is_array:
        made = _full(self, _shape(self, a), fill, a.type.dtype if dtype is None else dtype)
    else:
        made = self.op("full_like", a, fill, dtype)
    memory_order.noted(self, "K", (a,), made)
    return made


def _triangle(function: Callable[..., Any]) -> Callable[..., Value]:
    """np.tril and np.triu, for which a row stands for the matrix of such rows."""

    def call(self: Calls, m: Value, k: Value = 0) -> Value:
        matrix = self.array_of(m)
        if isinstance(matrix, Var) and matrix.type.ndim == 1:
            n = self.dim_value(matrix.type.shape[0])
            matrix = self.op("broadcast_to", matrix, (n, n))
        return self.call_rule(function, [matrix, k], {})

    return call


def _part(name: str) -> Callable[..., Value]:
    """np.real and np.imag."""

    def call(self: Calls, val: Value) -> Value:
        x = self.array_of(val) if isinstance(val, (list, tuple)) else val
        return parts.part(self, x, name) if isinstance(x, Var) else self.op(name, x)

    return call


def _shape(self: Calls, x: Value) -> Value:
    x = self.array_of(x)
    return self.shape_values(x.type.shape) if isinstance(x, Var) else ()


def _ndim(self: Calls, x: Value) -> Value:
    x = self.array_of(x)
    return x.type.ndim if isinstance(x, Var) else np.ndim(x)


def _size(self: Calls, x: Value, axis: Value = None) -> Value:
    x = self.array_of(x)
    if not isinstance(x, Var):
        return 1
    return self.attribute(x, "size") if axis is None else self.dim_value(x.type.shape[axis])


def _where(self: Calls, condition: Value, x: Value = None, y: Value = None) -> Value:
    if x is None:
        return self.call(np.nonzero, [condition], {})
    chosen = self.op("where", *(self.array_of(v) for v in (condition, x, y)))
    number = self.in_user_code and isinstance(self.type_of(chosen), Scalar)
    return self.without_axes(chosen) if number else chosen


def _about_types(function: Callable[..., Any]) -> Callable[..., Value]:
    """A question about dtypes, which are known before the program runs: it is asked of samples."""

    def ask(self: Calls, *args: Value, **kwargs: Value) -> Value:
        def sample(x: Value) -> Any:
            if not isinstance(x, Var):
                return x
            known = x.type
            return (
                infer.sample(known) if isinstance(known, Scalar) else np.empty((0,) * known.ndim, known.dtype)
            )

        return function(*map(sample, args), **kwargs)

    return ask


def _is_complex(self: Calls, x: Value) -> bool:
    known = self.type_of(x)
    return known is not None and np.dtype(known.dtype).kind == "c"


def _ndindex(self: Calls, *shape: Value) -> Items:
    lengths = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    total: Value = 1
    for n in lengths:
        total = self.op("multiply", total, n)

    def item(k: Value) -> Value:
        index: tuple[Value, ...] = ()
        for n in reversed(lengths):
            index = (self.op("remainder", k, n), *index)
            k = self.op("floor_divide", k, n)
        return index

    return Items(total, item)


def _astype(
    self: Calls,
    x: Var,
    dtype: Value,
    order: Value = "K",
    casting: Value = "unsafe",
    subok: Value = True,
    copy: Value = True,
) -> Value:
    known = str(np.dtype(dtype))
    self.require_numbers(known)
    refuse_cast(x.type.dtype, known, casting)
    same = x.type.dtype == known
    if x.is_array and (order in ("C", "F") or same):
        x = _copied(self, x, order) if copy is True or not same else asarray(self, x, order=order)
    return x if same else self.cast(x, known)


def _conjugated(self: Calls, x: Var) -> Value:
    """The method: of real numbers it gives the array itself, where np.conj gives a copy."""
    return self.op("conjugate", x) if _is_complex(self, x) else x


def _view(self: Calls, x: Var, *as_what: Value) -> Value:
    if as_what:
        raise self.refuse("`.view()` of another type is not supported", repair="use .astype()")
    return self.subscript(x, Ellipsis)


def _nan_to_num(self: Calls, x: Value, copy: Value = True, *others: Value, **options: Value) -> Value:
    value = self.call_rule(np.nan_to_num, [x, True, *others], options)
    if copy is True:
        return value
    self.set_item(x, Ellipsis, value)
    return x


def _reshape_method(self: Calls, x: Var, *shape: Value, order: Value = "C", copy: Value = None) -> Value:
    wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    given = {"order": order, "copy": copy}
    usual = order == "C" and copy is None
    return self.call(np.reshape, [x, tuple(wanted)], {} if usual else given)


def _transpose_method(self: Calls, x: Var, *axes: Value) -> Value:
    if len(axes) == 1 and isinstance(axes[0], (Range, range)):
        return self.call(np.transpose, [x, axes[0]], {})
    wanted = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))) else axes
    return self.op("transpose", x, tuple(wanted) if wanted else None)


def _unstack(self: Calls, x: Value, axis: Value = 0) -> Value:
    """np.unstack; of a length that only the run knows, the tuple of what iterating gives."""
    array = self.array_of(x)
    known = not isinstance(array, Var) or array.type.shape[axis].known is not None
    if known:
        return self.call_rule(np.unstack, [array, axis], {})
    return self.call(tuple, [self.call(np.moveaxis, [array, axis, 0], {})], {})


def _fill(self: Calls, x: Var, value: Value) -> None:
    if not isinstance(x.type, Array):
        raise self.refuse("`.fill()` of an array without axes is not supported", repair="give it an axis")
    self.store(
        x, (FULL,) * x.type.ndim, value if not isinstance(value, Var) else self.cast(value, x.type.dtype)
    )


def _to_list(self: Calls, x: Value) -> Value:
    """`x.tolist()`, of a length known now."""
    if not isinstance(x, Var) or not x.is_array:
        return python_numbers.of_pythons(self, x)
    held = constant_arrays.known_here(self, x) if np.dtype(x.type.dtype).kind in "iub" else x
    if isinstance(held, np.ndarray):
        return with_lists(held.tolist(), self)
    return self.new_list([_to_list(self, item) for item in self.static_items(x, None)])


def _item(self: Calls, x: Var, *index: Value) -> Value:
    """One element, by an index for each axis or by its position in the flattened array."""
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    if not x.is_array:
        return python_numbers.of_pythons(self, x)
    if not index:
        element = self.only_element(x, "can only convert an array of size 1 to a Python scalar")
        return python_numbers.of_pythons(self, element)
    if len(index) < x.type.ndim:
        x = self.call(np.ravel, [x], {})
    return python_numbers.of_pythons(self, self.subscript(x, tuple(index)))


def _is_integer(self: Calls, x: Var) -> Value:
    """`x.is_integer()` of a number."""
    if x.is_array:
        raise self.refuse("an array has no `is_integer`", repair="compare np.floor(x) with x")
    whole = self.op("equal", self.op("floor", x), x)
    return self.plain(self.op("logical_and", self.op("isfinite", x), whole)) if is_float(x.type) else True


def _flatten(self: Calls, x: Var, order: Value = "C") -> Value:
    return self.op("copy", self.call(np.ravel, [x], {} if order == "C" else {"order": order}))


def _put(self: Calls, x: Var, ind: Value, v: Value) -> Value:
    return self.call(np.put, [x, ind, v], {})


def _clip(
    self: Calls, x: Var, min: Value = None, max: Value = None, out: Value = None, **rest: Value
) -> Value:
    # Unlike the function, the method takes one bound alone.
    return self.call(np.clip, [x, min, max], rest if out is None else {**rest, "out": out})


def _compress(self: Calls, x: Var, condition: Value, axis: Value = None) -> Value:
    return self.call(np.compress, [condition, x, axis], {})


def _concatenate(
    self: Calls,
    arrays: Value,
    axis: Value = 0,
    out: Value = None,
    *,
    dtype: Value = None,
    casting: Value = "same_kind",
) -> Value:
    if isinstance(arrays, Var):
        joined = self.inline_rule(rows_joined, [arrays, axis])
    else:
        if axis is None:
            arrays, axis = tuple(self.call(np.ravel, [self.array_of(a)], {}) for a in arrays), 0
        joined = self.call_rule(np.concatenate, [arrays, axis], {})
    if dtype is not None:
        known = str(np.dtype(dtype))
        self.require_numbers(known)
        made = self.type_of(joined)
        if made is not None:
            refuse_cast(made.dtype, known, casting)
        joined = self.cast(joined, known)
    return joined if out is None else self.into(out, joined)


def _dot(self: Calls, a: Value, b: Value, **rest: Value) -> Value:
    """A product of stacks is one of matrices: what Numba has is for those."""
    a, b = (self.array_of(v) if isinstance(v, (list, tuple)) else v for v in (a, b))
    ranks = _ndim(self, a), _ndim(self, b)
    if min(ranks) > 0 and max(ranks) > 2 and not rest:
        return self.call(np.tensordot, [a, b, ((-1,), (max(-2, -ranks[1]),))], {})
    return self.call_rule(np.dot, [a, b], rest)


def _einsum_path(
    self: Calls, subscripts: Value, *operands: Value, optimize: Value = "greedy", einsum_call: Value = False
) -> Value:
    """The order of a contraction, which the lengths of its operands decide."""
    given = []
    for value in (subscripts, *operands):
        dims = value.type.shape if isinstance(value, Var) else ()
        lengths = [d.known for d in dims if d.known is not None]
        if len(lengths) < len(dims):
            raise self.refuse(
                "np.einsum_path of lengths that are only known at run time",
                "the order that it finds depends on them",
                "leave it to np.einsum, which takes `optimize=True`",
            )
        given.append(np.broadcast_to(0.0, lengths) if isinstance(value, Var) else value)
    return np.einsum_path(*given, optimize=optimize, einsum_call=einsum_call)


def _bincount(self: Calls, x: Value, *others: Value, **options: Value) -> Value:
    return self.call_rule(np.bincount, [self.array_of(x), *others], options)


def _stack(self: Calls, arrays: Value, axis: Value = 0, out: Value = None, **rest: Value) -> Value:
    if isinstance(arrays, Var):
        made = self.op("copy", self.call(np.moveaxis, [arrays, 0, axis], {}))
        dtype = rest.get("dtype")
        made = made if dtype is None else self.cast(made, str(np.dtype(dtype)))
        return made if out is None else self.into(out, made)
    return self.call_rule(np.stack, [arrays, axis], rest if out is None else {**rest, "out": out})


def _sort(self: Calls, x: Var, axis: Value = -1, kind: Value = None) -> None:
    """`x.sort()` sorts the array itself."""
    self.set_item(x, Ellipsis, self.call(np.sort, [x, axis, kind], {}))


def _partition(self: Calls, x: Var, kth: Value, axis: Value = -1) -> None:
    self.set_item(x, Ellipsis, self.call(np.partition, [x, kth, axis], {}))


@functools.cache
def result_type(function: Callable[..., Any]) -> type | None:
    """The class with which NumPy names the results of a function, as in `np.linalg.slogdet(a).logabsdet`."""
    named = (np.linalg.slogdet, np.linalg.eigh, np.linalg.eig, np.linalg.svd, np.linalg.qr)
    return type(function(np.eye(1))) if function in named else None


def _broadcast_shapes(self: Calls, *args: Value) -> Value:
    shapes: list[Shape] = []
    for given in args:
        lengths = [self.length(n) for n in (given if isinstance(given, (tuple, list)) else (given,))]
        known = tuple(n for n in lengths if n is not None)
        if len(known) < len(lengths):
            raise self.refuse("np.broadcast_shapes is given what is no shape", repair="give shapes of arrays")
        shapes.append(known)
    return self.shape_values(
        self.fit(shapes, "shape mismatch: objects cannot be broadcast to a single shape")
    )


TABLE: dict[Any, Callable[..., Value]] = {
    np.array: _array,
    np.copy: _copy,
    np.ndarray: _ndarray,
    **dict.fromkeys((np.asarray, np.asanyarray, np.asarray_chkfinite), asarray),
    np.ascontiguousarray: _ascontiguousarray,
    np.require: _require,
    np.nan_to_num: _nan_to_num,
    np.lib.stride_tricks.as_strided: _as_strided,
    np.real: _part("real"),
    np.imag: _part("imag"),
    np.broadcast_shapes: _broadcast_shapes,
    np.concatenate: _concatenate,
    np.bincount: _bincount,
    np.dot: _dot,
    np.einsum_path: _einsum_path,
    np.stack: _stack,
    np.tril: _triangle(np.tril),
    np.triu: _triangle(np.triu),
    np.full: _full,
    np.full_like: _full_like,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.where: _where,
    **ufunc_at.TABLE,
    np.float64: python_numbers.to_double,
    np.iscomplexobj: _is_complex,
    np.isrealobj: lambda self, x: not _is_complex(self, x),
    **{
        f: _about_types(f)
        for f in (np.result_type, np.common_type, np.promote_types, np.can_cast, np.issubdtype)
    },
    np.isscalar: _about_types(np.isscalar),
    np.ndindex: _ndindex,
    **({np.unstack: _unstack} if hasattr(np, "unstack") else {}),  # NumPy 2.1
    in_plane: lambda self, a: a.type.shape[-1].within(2),
    have_inverses: lambda self, dets: True,
}
METHODS: dict[str, Callable[..., Value]] = {
    "astype": _astype,
    "copy": _copied,
    "view": _view,
    "conj": _conjugated,
    "conjugate": _conjugated,
    "reshape": _reshape_method,
    "transpose": _transpose_method,
    "fill": _fill,
    "item": _item,
    "is_integer": _is_integer,
    "flatten": _flatten,
    "clip": _clip,
    "compress": _compress,
    "put": _put,
    "tolist": _to_list,
    "sort": _sort,
    "partition": _partition,
}
