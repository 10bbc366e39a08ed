"""Operations that need no statement: of constants that change nothing, of symbolic zeros, of numbers taken as arrays.

It keeps the generated code plain: `x * 1.0` is x, `np.sum` of a number is that number.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.values import ZERO, Value
from adc.compiler.ir.nodes import Assign, Const, Var
from adc.compiler.ir.types import Array, Scalar, Type
from adc.rules.dims import Dim
from adc.rules.operation import Operation

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder

_FILLS = {"zeros": 0.0, "empty": 0.0, "ones": 1.0, "full": None}
_FILLS_LIKE = {"zeros_like": 0.0, "empty_like": 0.0, "ones_like": 1.0}
_REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "prod": np.prod, "mean": np.mean}
MOST_FACTORS = 16  # of a power that is products: four of them, within a few units of the last place
RECENT = 8  # statements that are looked at for how an operand was made


def simplified(builder: Builder, operation: Operation, bound: tuple[Value, ...]) -> Value | None:
    name = operation.name
    if name == "multiply":
        x, y = bound
        if _is(x, 1.0) and _keeps_type(builder, y, x):
            return y
        if _is(y, 1.0) and _keeps_type(builder, x, y):
            return x
        if _is(x, -1.0) and _keeps_type(builder, y, x):
            return builder.op("negative", y)
        if _is(y, -1.0) and _keeps_type(builder, x, y):
            return builder.op("negative", x)
    elif name in ("add", "subtract"):
        x, y = bound
        if _is(y, 0.0) and _keeps_type(builder, x, y):
            return x
        if name == "add" and _is(x, 0.0) and _keeps_type(builder, y, x):
            return y
        if name == "add" and x is y and isinstance(x, Var) and np.dtype(x.type.dtype).kind == "f":
            return builder.op("multiply", 2.0, x)
    elif (name == "bitwise_or" and bound[1] is False and _is_truth(bound[0])) or (
        name == "divide" and _is(bound[1], 1.0) and _keeps_type(builder, bound[0], bound[1])
    ):
        return bound[0]
    elif name == "bitwise_and" and bound[0] is True and _is_truth(bound[1]):
        return bound[1]  # what all of one say
    elif name == "bitwise_and" and False in bound and not builder.in_user_code:
        # A partial derivative's test: what it chooses for all elements has no need of their shape.
        if all(x is False or _is_truth(x) for x in bound):
            return False
    elif name == "power":
        x, y = bound
        if _is(y, 1.0) and _keeps_type(builder, x, y):
            return x
        if _is(y, 0.0) and isinstance(x, Var) and not x.is_array and isinstance(y, float):
            return 1.0
        if _factors(builder, x, y):
            return builder.op("power", x, int(y))
        z = _complex_behind(builder, x) if _is(y, 2.0) else None
        if z is not None:
            parts = [builder.op("power", builder.op(part, z), 2) for part in ("real", "imag")]
            return builder.op("add", *parts)
    elif name == "float_power" and all(_is_double(builder, x) for x in bound):
        x, y = bound
        return builder.op("power", x, float(y) if isinstance(y, int) else y)
    elif name in _FILLS and bound[0] == ():
        fill, dtype = (bound[1], bound[2]) if name == "full" else (_FILLS[name], bound[1])
        if dtype is None:
            known = builder.type_of(fill)
            dtype = None if known is None else known.dtype
        if dtype is None:
            return None
        kind = np.dtype(dtype)
        return builder.without_axes(
            builder.cast(fill, str(kind)) if isinstance(fill, Var) else kind.type(fill)
        )
    elif (
        name in _FILLS_LIKE
        and builder.in_user_code
        and isinstance(known := builder.type_of(bound[0]), Scalar)
    ):
        dtype = known.dtype if bound[1] is None else str(np.dtype(bound[1]))
        return builder.without_axes(np.dtype(dtype).type(_FILLS_LIKE[name]))
    elif name == "copy" and not builder.type_is_array(bound[0]):
        return builder.without_axes(bound[0])
    elif name == "round" and isinstance(bound[1], int) and bound[1] >= 0 and _whole(builder, bound[0]):
        return builder.op("copy", bound[0]) if builder.type_is_array(bound[0]) else bound[0]
    elif name == "svd" and bound[2] is False:
        # Numba's makes the vectors in any case, and a derivative wants them.
        _, singular_values, _ = builder.op(name, bound[0], False)
        return singular_values
    elif name == "round" and type(bound[1]) is int and builder.type_is_array(bound[0]):
        return _rounded(builder, bound[0], bound[1])
    elif name == "where" and isinstance(bound[0], bool):
        chosen, other = bound[1:] if bound[0] else bound[:0:-1]
        arrays = builder.type_is_array(chosen), builder.type_is_array(other)
        if arrays == (False, False) or (all(arrays) and _same_type(builder, chosen, other)):
            return chosen
    elif (
        name in ("argsort", "count_nonzero")
        and builder.type_of(bound[0])
        and not builder.type_is_array(bound[0])
    ):
        if name == "argsort":
            return builder.op("zeros", 1, "int64")
        return builder.op("where", builder.op("not_equal", bound[0], 0), np.int64(1), np.int64(0))
    elif name in ("argmax", "argmin") and builder.type_of(bound[0]) and not builder.type_is_array(bound[0]):
        return np.int64(0)  # NumPy lets them act on numbers, too
    elif name in ("any", "all") and not builder.type_is_array(bound[0]) and builder.type_of(bound[0]):
        return bool(bound[0]) if builder.is_static(bound[0]) else builder.op("not_equal", bound[0], 0)
    elif name in (
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "transpose",
        "broadcast_to",
        "reshape",
        "ravel",
    ) and not builder.type_is_array(bound[0]):
        # NumPy lets these act on numbers.
        target = {"broadcast_to": bound[-1], "reshape": bound[-1], "ravel": (1,)}.get(name, ())
        if target == ():
            return _reduced(builder, name, bound[0])
        if name != "broadcast_to":
            axes = target if isinstance(target, tuple) else (target,)
            for n in map(builder.length, axes):
                if n is not None and n != Dim(-1):
                    builder.require_equal(Dim(1), n, "cannot reshape a number into several elements")
            return builder.op("broadcast_to", bound[0], (1,) * len(axes))
    elif builder.type_is_array(bound[0]) and _becomes_number(builder, name, bound):
        return builder.getitem(bound[0], (Const(0),) * bound[0].type.ndim)
    elif name in ("broadcast_to", "reshape") and isinstance(bound[0], Var):
        wanted = bound[1] if isinstance(bound[1], tuple) else (bound[1],)
        lengths = [builder.length(d) for d in wanted]
        if None not in lengths and builder.equal.same_shape(bound[0].type.shape, tuple(lengths)):  # type: ignore[arg-type]
            return bound[0]
        added = None if name != "reshape" or None in lengths else _added_axes(builder, bound[0], lengths)  # type: ignore[arg-type]
        if added is not None:  # a view of any array, whatever its strides
            return functools.reduce(lambda x, k: builder.op("expand_dims", x, k), added, bound[0])
    elif name == "transpose" and isinstance(bound[0], Var):
        ndim = bound[0].type.ndim
        axes = tuple(range(ndim))[::-1] if bound[1] is None else bound[1]
        if builder.is_static(axes) and tuple(k % ndim for k in axes) == tuple(range(ndim)):
            return bound[0]
    elif name == "ravel" and isinstance(bound[0], Var) and not bound[0].is_array:
        return builder.op("broadcast_to", bound[0], (1,))
    elif name == "squeeze" and isinstance(bound[0], Var) and not bound[0].is_array:
        return bound[0]
    elif name == "expand_dims" and not builder.type_is_array(bound[0]):
        axes = bound[1] if isinstance(bound[1], tuple) else (bound[1],)
        return builder.op("broadcast_to", bound[0], (1,) * len(axes))
    elif name == "expand_dims" and isinstance(bound[0], Var) and isinstance(bound[1], tuple):
        ndim = bound[0].type.ndim + len(bound[1])
        inserted = sorted({k % ndim for k in bound[1] if -ndim <= k < ndim})
        if len(inserted) == len(bound[1]):  # Numba's takes one axis
            return functools.reduce(lambda x, k: builder.op("expand_dims", x, k), inserted, bound[0])
    return None


def makes_anew(operation: Operation, bound: tuple[Value, ...], result: Value) -> bool:
    """Whether what an operation was simplified to is worth another text than the user's, and a new array as well."""
    return operation.name in ("power", "float_power") and result is not bound[0]


def _is_double(builder: Builder, x: Value) -> bool:
    """Whether a number or array is of float64, or a plain number of Python's that is taken as one."""
    known = builder.type_of(x)
    return known is not None and (known.dtype == "float64" or (type(x) is int and abs(x) <= MOST_FACTORS))


def _complex_behind(builder: Builder, x: Value) -> Var | None:
    """The complex number or array whose magnitude `x` has just been made as: its square needs no root."""
    for stmt in reversed(builder.block[-RECENT:]):
        if isinstance(stmt, Assign) and stmt.targets[0] is x:
            z = stmt.args[0] if stmt.name == "absolute" else None
            return z if isinstance(z, Var) and np.dtype(z.type.dtype).kind == "c" else None
    return None


def _added_axes(builder: Builder, x: Var, wanted: list[Dim]) -> tuple[int, ...] | None:
    """Where a reshape puts axes of length 1 between those of the array; None where it does something else."""
    left_over = wanted.count(Dim(-1))
    if left_over > 1 or (left_over and any(d != Dim(-1) and not (d - 1).nonnegative for d in wanted)):
        return None  # beside zeros NumPy finds no length, and raises
    left = list(x.type.shape)
    added = []
    for k, d in enumerate(wanted):
        if left and (d == Dim(-1) or builder.equal.same(d, left[0])):
            left.pop(0)  # a length that is left to NumPy is that of the axis: all others are the same
        elif d == Dim(1):
            added.append(k)
        else:
            return None
    return None if left else tuple(added)


def _becomes_number(builder: Builder, name: str, bound: tuple[Value, ...]) -> bool:
    """Whether an array of one element is reshaped or squeezed to no axes: that reads the element."""
    if name == "squeeze" and bound[1] is None:
        return all(d == Dim(1) for d in bound[0].type.shape)
    if name != "reshape" or bound[1] != ():
        return False
    for d in bound[0].type.shape:
        builder.require_equal(d, Dim(1), "cannot reshape an array of several elements into no axes")
    return True


def _reduced(builder: Builder, name: str, x: Value) -> Value:
    """A number that was reduced: the sum of a truth value or a byte has 64 bits, a mean of integers is a float."""
    known = builder.type_of(x)
    if name not in _REDUCTIONS or known is None:
        return x
    dtype = str(_REDUCTIONS[name](np.ones((), known.dtype)).dtype)
    return x if dtype == known.dtype else builder.cast(x, dtype)


def _whole(builder: Builder, value: Value) -> bool:
    known = builder.type_of(value)
    return known is not None and np.dtype(known.dtype).kind in "iu"


def _factors(builder: Builder, x: Value, y: Value) -> bool:
    """Whether a power of a number is products of it, and of the same type with an integer for the exponent."""
    known = builder.type_of(x)
    return (
        isinstance(y, (float, np.floating))
        and y.is_integer()
        and abs(y) <= MOST_FACTORS
        and known is not None
        and np.dtype(known.dtype).kind in "fc"
        and (type(y) is float or (not _is_weak(known) and np.result_type(known.dtype, y) == known.dtype))
    )


def _is_weak(known: Type) -> bool:
    return isinstance(known, Scalar) and known.weak is not False


def _rounded(builder: Builder, x: Var, decimals: int) -> Value | None:
    """An array rounded as NumPy does it, by a power of ten that is exact: elementwise, so it joins other loops."""
    if np.dtype(x.type.dtype).kind != "f" or abs(decimals) > 15:
        return None
    if decimals == 0:
        return builder.op("rint", x)
    there, back = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    scale = 10.0 ** abs(decimals)
    return builder.op(back, builder.op("rint", builder.op(there, x, scale)), scale)


def _keeps_type(builder: Builder, kept: Value, other: Value) -> bool:
    """Whether folding away the constant `other` leaves the dtype of the result as it was."""
    t = builder.type_of(kept)
    if t is None:
        return False
    kind = np.dtype(t.dtype).kind
    if isinstance(other, complex):
        return t.dtype == "complex128" or (kind == "c" and type(other) is complex)
    if isinstance(other, np.float64):
        return t.dtype == "float64"
    if isinstance(other, np.float32):
        return t.dtype == "float32" and (isinstance(t, Array) or t.weak is False)
    return kind in "fc" or (kind in "iu" and isinstance(other, int) and not isinstance(other, bool))


def with_zero(builder: Builder, operation: Operation, bound: tuple[Value, ...]) -> Value:
    """Fold a symbolic zero tangent through an operation that is linear in it."""
    name = operation.name
    if name in ("add", "subtract"):
        x, y = bound
        if x is ZERO and y is ZERO:
            return ZERO
        if y is ZERO:
            return x
        return y if name == "add" else builder.op("negative", y)
    if name == "where":
        condition, x, y = bound
        if x is ZERO and y is ZERO:
            return ZERO
        return builder.op(operation, condition, 0.0 if x is ZERO else x, 0.0 if y is ZERO else y)
    if name in ("multiply", "matmul", "dot", "outer") or (name == "divide" and bound[0] is ZERO):
        return ZERO
    zero_named = {p.name for p, v in zip(operation.parameters, bound, strict=True) if v is ZERO}
    linear_in = operation.kind == "linear" and zero_named == set(operation.wrt)
    if linear_in or name in ("negative", "positive", "conjugate", "real", "imag"):
        return ZERO
    raise builder.refuse(f"a zero tangent reaches {operation.spelling}, which is not linear in it")


def _same_type(builder: Builder, a: Value, b: Value) -> bool:
    """Whether two arrays have one dtype and the same lengths, so that a choice between them has these, too."""
    left, right = builder.type_of(a), builder.type_of(b)
    return left.dtype == right.dtype and builder.equal.same_shape(left.shape, right.shape)  # type: ignore[union-attr]


def _is_truth(value: Value) -> bool:
    return isinstance(value, Var) and value.type.dtype == "bool"


def _is(value: Value, number: float) -> bool:
    """Whether a value is that number, perhaps as a complex one."""
    if isinstance(value, complex) and value.imag == 0.0 and math.copysign(1.0, value.imag) == 1.0:
        value = value.real
    return (
        isinstance(value, (int, float, np.float32))
        and not isinstance(value, bool)
        and value == number
        and math.copysign(1.0, value) == math.copysign(1.0, number)
    )
