"""Integers that are positions on an axis, whatever the data are: what arange, argsort, argmax and searches give."""

from __future__ import annotations

from collections.abc import Mapping

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Const,
    For,
    If,
    Index,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    defined,
    walk,
)
from adc.compiler.ir.types import Array, is_integer
from adc.rules import shapes
from adc.rules.dims import Dim

_PLACE_OF_AXIS = {"argmax": 1, "argmin": 1, "argpartition": 2, "argsort": 1}
_ORDERS = {"arange", "argpartition", "argsort"}


def positions(program: Program, written: set[Var]) -> dict[Var, Dim]:
    """The numbers, and arrays that are not `written` to, that are 0 or more and less than a length; and that length."""
    found: dict[Var, Dim] = {}
    for s in walk(program.body):
        length = _length(s) if isinstance(s, Assign) else None
        if length is not None and s.target.root not in written:  # type: ignore[union-attr]
            found[s.target] = length  # type: ignore[union-attr]
    return found


def all_different(program: Program, memory: Memory) -> set[Var]:
    """The arrays with one axis of positions no two of which are the same, in memory that nobody writes to."""
    statements = walk(program.body)
    written = {memory.of(s.array) for s in statements if isinstance(s, Store)}
    found: set[Var] = set()
    for s in statements:
        if not isinstance(s, Assign) or len(s.targets) != 1 or s.target.type.ndim != 1:
            continue
        if s.name == "getitem":
            is_part = s.args[0] in found and all(isinstance(i, Slice) for i in s.args[1])
        else:
            is_part = s.name == "flatnonzero" or (s.name in _ORDERS and _length(s) is not None)
        if is_part and memory.of(s.target) not in written:
            found.add(s.target)
    return found


def differ(index: Index, different: set[Var]) -> bool:
    """Whether an index names no element of an array twice."""
    arrays = [i for i in index if isinstance(i, Var) and i.is_array]
    if any(i.type.dtype == "bool" for i in arrays):
        return len(arrays) == 1
    return not arrays or (
        any(i in different for i in arrays) and all(i.type.shape == arrays[0].type.shape for i in arrays)
    )


def never_meet_at_once(a: Index, b: Index) -> bool:
    """Whether two indices of an array, at one time, name no element that both have."""
    return any(_are_apart(x, y) for x, y in zip(a, b, strict=False))


def _are_apart(x: object, y: object) -> bool:
    p, q = _extent(x), _extent(y)
    return (
        p is not None
        and q is not None
        and any(end is not None and (start - end).nonnegative for end, start in ((p[1], q[0]), (q[1], p[0])))
    )


def _extent(x: object) -> tuple[Dim, Dim | None] | None:
    """The first position along an axis, and the one behind the last, which is None where the axis ends."""
    if not isinstance(x, Slice):
        at = length_of(x)
        return (at, at + 1) if at is not None and at.nonnegative else None
    start = Dim(0) if x.start is None else length_of(x.start)
    if start is None or not start.nonnegative or x.step not in (None, Const(1)):
        return None
    stop = None if x.stop is None else length_of(x.stop)
    return start, stop if stop is not None and stop.nonnegative else None


def counts(s: Assign) -> bool:
    """Whether a statement makes the integers from 0 on, one after the other."""
    return (
        s.name == "arange"
        and s.target.type.dtype == "int64"
        and (s.args[1] == Const(None) or s.args[0] == Const(0))
        and s.args[2] in (Const(None), Const(1))
    )


def _length(s: Assign) -> Dim | None:
    if counts(s):
        return s.target.type.shape[0]
    if s.name not in _PLACE_OF_AXIS:
        return None
    reduced, axis = s.args[0].type, s.args[_PLACE_OF_AXIS[s.name]].value
    if not isinstance(reduced, Array):
        return None
    if axis is None:
        return shapes.size(reduced.shape)
    return reduced.shape[axis] if isinstance(axis, int) else None


def remembered(loop: For) -> dict[Var, tuple[Dim, Dim]]:
    """Integers that are the counter in some trip of a loop, or what they began as; that, and the largest counter."""
    highest = length_of(loop.start) if loop.step.value < 0 else length_of(loop.stop)  # type: ignore[union-attr]
    if highest is None:
        return {}
    if loop.step.value > 0:  # type: ignore[union-attr]
        highest = highest - 1
    found: dict[Var, tuple[Dim, Dim]] = {}
    for c in loop.carried:
        begin = length_of(c.init)
        if begin is not None and is_integer(c.phi.type) and not c.phi.is_array:
            made = {v: s for s in walk(loop.body) for v in defined(s)}
            if _may_be(c.out, made) <= {c.phi, loop.index}:
                found[c.result] = begin, highest
    return found


def _may_be(x: Atom, made: Mapping[Var, Stmt]) -> set[Atom]:
    """What a number is, of that which branches and choices hand on."""
    s = made.get(x) if isinstance(x, Var) else None
    if isinstance(s, If):
        merge = next(m for m in s.merges if m.result is x)
        return _may_be(merge.then, made) | _may_be(merge.orelse, made)
    if isinstance(s, Assign) and s.name == "where":
        return _may_be(s.args[1], made) | _may_be(s.args[2], made)
    return {x}
