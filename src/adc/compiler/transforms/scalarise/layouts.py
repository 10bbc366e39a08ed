"""Arrays in the layout that a call wants: for BLAS, for a reshape."""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import (
    Assign,
    Check,
    Const,
    Slice,
    Var,
)
from adc.compiler.ir.types import REALS, Array
from adc.compiler.transforms.scalarise.nests import Nests, matching_axes
from adc.compiler.transforms.stacks import swaps_last
from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.operation import Operation
from adc.rules.shapes import size


def for_blas(nests: Nests, x: Var, dtype: str) -> Var:
    """A matrix or vector as a product takes it: of the result's dtype, and as it lies where BLAS can read that."""
    if x.type.dtype != dtype:
        fresh = Var(x.name, Array(dtype, x.type.shape), named=False)
        nests.elementwise(Assign((fresh,), "cast", (x, Const(dtype)), nests.ev.origin))
        return fresh
    assert isinstance(x.type, Array)
    if x.type.layout == "C" or _is_transposed_c(nests, x) or (dtype in REALS and _read_as_it_lies(nests, x)):
        return x
    fresh = Var(x.name, Array(dtype, x.type.shape), named=False)
    nests.elementwise(Assign((fresh,), registry.named("copy"), (x,), nests.ev.origin))
    return fresh


def _is_transposed_c(nests: Nests, x: Var) -> bool:
    stmt = nests.definition.get(x)
    if stmt is None or stmt.name != "transpose" or stmt.args[0].type.layout != "C":
        return False
    return x.type.ndim == 2 or swaps_last(stmt.args[1], x.type.ndim)


def _read_as_it_lies(nests: Nests, x: Var) -> bool:
    """Whether a vector, or a matrix whose rows or columns are contiguous, is a part of an array in C order."""
    stmt = nests.definition.get(x)
    if stmt is None:
        return False
    if stmt.name == "transpose" and x.type.ndim == 2:
        return _read_as_it_lies(nests, stmt.args[0])
    if stmt.name != "getitem" or stmt.args[0].type.layout != "C":
        return False
    base, items = stmt.args
    if any((isinstance(i, Var) and i.is_array) or i == Const(None) for i in items):
        return False
    if x.type.ndim == 1:
        return True
    last = items[base.type.ndim - 1] if len(items) == base.type.ndim else FULL
    return x.type.ndim == 2 and isinstance(last, Slice) and last.step is None


def contiguous(nests: Nests, x: Var) -> Var:
    """An array as Numba reshapes it: C-contiguous by its type."""
    stmt = nests.definition.get(x)
    assert isinstance(x.type, Array)
    sliced = (
        stmt is not None
        and x.view_of is not None
        and not (
            stmt.name == "getitem"
            and _lies_by_rows(nests, stmt.args[0])
            and stmt.args[0].view_of is None
            and (
                (
                    stmt.args[0].type.ndim == 1
                    and all(isinstance(i, Slice) and i.step is None for i in stmt.args[1])
                )
                or _leading_integers(stmt.args[1])
            )
        )
    )
    given = x.type.layout == "C" and (not sliced or (stmt is not None and stmt.name == "reshape"))
    if given and not _in_order_of_lapack(stmt):
        return x
    if stmt is not None and sliced and x.type.layout == "C" and _is_block(nests, stmt):
        return _block(nests, x, stmt)
    fresh = Var(x.name, Array(x.type.dtype, x.type.shape), named=False)
    nests.elementwise(Assign((fresh,), registry.named("copy"), (x,), nests.ev.origin))
    return fresh


def _is_block(nests: Nests, stmt: Assign) -> bool:
    """Whether a view is some integers, one slice and then whole axes of an array in C order: a contiguous piece."""
    if stmt.name != "getitem" or not _lies_by_rows(nests, stmt.args[0]):
        return False
    items = stmt.args[1]
    integers = next((k for k, i in enumerate(items) if isinstance(i, Slice)), len(items))
    return (
        integers < len(items)
        and items[integers].step is None
        and all(i != Const(None) for i in items[:integers])
        and all(i == FULL for i in items[integers + 1 :])
    )


def _block(nests: Nests, x: Var, stmt: Assign) -> Var:
    """A contiguous piece of an array, as a part of that array laid flat: Numba takes no other for contiguous."""
    ev, (base, items) = nests.ev, stmt.args
    shape = base.type.shape
    flat = Var(base.name, Array(base.type.dtype, (size(shape),)), named=False, view_of=base, root=base.root)
    reshaped(
        nests,
        Assign((flat,), registry.named("reshape"), (base, (ev.atom(ev.dim_value(size(shape))),)), ev.origin),
    )
    first: Any = 0
    for axis, item in enumerate(items):
        if item == FULL:
            continue
        if isinstance(item, Slice):
            position = 0 if item.start in (None, Const(None)) else nests.start(item.start, shape[axis])
        else:
            position = nests.positive(item, shape[axis])
            if isinstance(position, Var) and not nests.never_negative(position):
                position = nests.counted(position, shape[axis])
        rows = ev.op("multiply", position, ev.dim_value(size(shape[axis + 1 :])))
        first = ev.op("add", first, rows)
    last = ev.op("add", first, ev.dim_value(size(x.type.shape)))
    part = ev.getitem(flat, (Slice(ev.atom(first), ev.atom(last), None),))
    part.type = Array(x.type.dtype, (size(x.type.shape),))
    return part


def _lies_by_rows(nests: Nests, base: Var) -> bool:
    """Whether an array lies row by row in compiled code, as it does in NumPy."""
    assert isinstance(base.type, Array)
    return base.type.layout == "C" and not _in_order_of_lapack(nests.definition.get(base))


def _in_order_of_lapack(stmt: Assign | None) -> bool:
    """Whether compiled code has the matrix column by column, where NumPy has it row by row.

    Numba reshapes such an array to one that it reads in the wrong order (seen with 0.65).
    """
    if stmt is None or not isinstance(stmt.op, Operation):
        return False
    return stmt.op.module.startswith(("numpy.linalg", "scipy.linalg"))


def _as_it_was(nests: Nests, x: Var) -> Var:
    """What an array is a reshape of: in its order the elements come alike, and no view of it needs to be copied."""
    made = nests.definition.get(x)
    while made is not None and made.name in ("expand_dims", "squeeze", "reshape", "ravel"):
        before = made.args[0]
        if x.view_of is None or not isinstance(before.type, Array) or before.type.layout != "C":
            break
        x = before
        made = nests.definition.get(x)
    return x


def reshaped(nests: Nests, stmt: Assign) -> None:
    _require_elements(nests, stmt)
    source = stmt.args[0]
    if (
        stmt.name == "squeeze" and source.type.layout != "C"
    ):  # a view all the same: Numba would reshape a copy
        kept = matching_axes(source.type.shape, stmt.target.type.shape)
        if kept is not None:
            items = tuple(Const(0) if k is None else FULL for k in kept)
            nests.ev.block.append(Assign(stmt.targets, "getitem", (source, items), stmt.origin))
            return
    source = _as_it_was(nests, source)
    matching = matching_axes(source.type.shape, stmt.target.type.shape) is not None
    if matching and stmt.name != "squeeze":  # which Numba lacks
        source = contiguous(nests, source)
        _refuse_lost(nests, stmt, source)
        nests.ev.block.append(Assign(stmt.targets, stmt.op, (source, *stmt.args[1:]), stmt.origin))
        return
    source = contiguous(nests, source)
    _refuse_lost(nests, stmt, source)
    shape = nests.ev.operand(nests.ev.shape_values(stmt.target.type.shape))
    if len(shape) == 1:
        shape = shape[0]
    if isinstance(stmt.target.type, Array):
        # What NumPy would have in any order is a copy by now.
        stmt.target.type = Array(stmt.target.type.dtype, stmt.target.type.shape)
    nests.ev.block.append(Assign(stmt.targets, registry.named("reshape"), (source, shape), stmt.origin))


def _require_elements(nests: Nests, stmt: Assign) -> None:
    """Check that the lengths beside -1 make an element: else NumPy does not know what it stands for."""
    wanted = stmt.args[1] if stmt.name == "reshape" else ()
    if not isinstance(wanted, tuple) or Const(-1) not in wanted or not isinstance(stmt.target.type, Array):
        return
    for given, d in zip(wanted, stmt.target.type.shape, strict=True):
        if given != Const(-1) and not (d - 1).nonnegative:
            test = nests.ev.op("not_equal", nests.ev.dim_value(d), 0)
            message = Const("cannot reshape an array without elements where one length is to be found out")
            nests.ev.block.append(Check(nests.ev.atom(test), "ValueError", (message,), nests.ev.origin))


def _refuse_lost(nests: Nests, stmt: Assign, source: Var) -> None:
    """Refuse a reshape that is a view in NumPy, of an array that is written to, where what is reshaped is a copy."""
    target = stmt.target
    is_view = stmt.name == "squeeze" or stmt.args[0].type.layout == "C"  # another reshape is a copy in NumPy
    if is_view and target.root in nests.written and source.root is not target.root:
        raise UnsupportedError(
            "a part of an array that is written to is reshaped",
            location=stmt.origin,
            why="Numba reshapes a copy of it: one would not see what is written to the other.",
            repair="Reshape the whole array, or a copy of the part.",
        )


def flat(nests: Nests, x: Any) -> Any:
    """An operand that NumPy ravels first; a scalar stays one."""
    if not (isinstance(x, Var) and x.is_array and x.type.ndim > 1):
        return x
    assert isinstance(x.type, Array)
    length = size(x.type.shape)
    flat = Var(x.name, Array(x.type.dtype, (length,)), named=False)
    shape = (nests.ev.atom(nests.ev.dim_value(length)),)
    reshaped(nests, Assign((flat,), registry.named("reshape"), (x, shape), nests.ev.origin))
    return flat


def _leading_integers(items: tuple[Any, ...]) -> bool:
    """Whether an index is some integers and then whole axes: a contiguous piece."""
    kinds = [isinstance(i, Slice) for i in items]
    first = kinds.index(True) if True in kinds else len(kinds)
    return all(kinds[first:]) and all(i == FULL for i in items[first:])
