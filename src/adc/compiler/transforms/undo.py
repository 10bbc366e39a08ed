"""Strike the restoring writes of the reverse sweep whose memory it never reads again.

The to-be-recorded analysis (Hascoet, Naumann & Pascual, *"To be recorded" analysis in reverse-mode automatic
differentiation*, 2005) on the finished sweep: a restored element matters only if a later statement of the sweep may
read it. Inside loops that both the write and the read share, affine subscripts decide: with the write at `u[t + 1]` and
the read at `u[t]`, the earlier trips, which the sweep comes to later, never read what is restored.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.layout import reads
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Keep,
    Mark,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    variables,
)
from adc.rules.dims import Dim


@dataclass(eq=False)
class _Place:
    stmt: Stmt
    position: int
    loops: tuple[For | While, ...]


def run(program: Program, joined_roots: dict[Var, set[Var]]) -> Program:
    """The program without restoring writes that nothing reads."""
    start = next((k for k, s in enumerate(program.body) if isinstance(s, Mark) and s.text == "reverse"), None)
    if start is None:
        return program
    places: list[_Place] = []
    _collect(program.body[start:], (), places)
    readers: list[tuple[_Place, Var, tuple[object, ...] | None]] = []
    undos: list[_Place] = []
    for place in places:
        stmt = place.stmt
        if isinstance(stmt, Store) and stmt.role == "undo":
            undos.append(place)
        if isinstance(stmt, Assign):
            if stmt.op == "getitem" and not stmt.target.is_array:
                readers.append((place, stmt.args[0], stmt.args[1]))
            else:
                readers.extend((place, root, None) for root in reads(stmt))
        elif isinstance(stmt, (Store, Keep)):
            readers.extend((place, v, None) for v in variables(stmt.value) if v.is_array)
        elif isinstance(stmt, (For, While)):
            readers.extend(
                (place, v, None) for c in stmt.carried for v in variables((c.init, c.out)) if v.is_array
            )
        elif isinstance(stmt, If):
            readers.extend(
                (place, v, None) for m in stmt.merges for v in variables((m.then, m.orelse)) if v.is_array
            )
    end = _Place(program.body[-1], 1 << 60, ())
    readers.extend((end, r, None) for r in program.results if isinstance(r, Var) and r.is_array)
    dead = {u.stmt for u in undos if not any(_matters(u, *r, joined_roots) for r in readers)}
    program.body = _without(program.body, dead)
    return program


def _collect(block: Block, loops: tuple[For | While, ...], places: list[_Place]) -> None:
    for stmt in block:
        places.append(_Place(stmt, len(places), loops))
        inner = (*loops, stmt) if isinstance(stmt, (For, While)) else loops
        for b in blocks(stmt):
            _collect(b, inner, places)


def _matters(
    undo: _Place, reader: _Place, array: Var, index: tuple[object, ...] | None, joined: dict[Var, set[Var]]
) -> bool:
    store = undo.stmt
    assert isinstance(store, Store)
    if not _may_alias(array.root, store.array.root, joined, set()):
        return False
    common = [a for a, b in zip(undo.loops, reader.loops) if a is b]  # noqa: B905  (the shorter nest ends it)
    if index is not None and array is store.array:
        for loop in common:
            if isinstance(loop, For):
                order = _order(loop, store.index, index)
                if order == "later":
                    return False
                if order == "same":
                    continue
            return True
        return reader.position > undo.position
    return bool(common) or reader.position > undo.position


def _may_alias(a: Var, b: Var, joined: dict[Var, set[Var]], seen: set[Var]) -> bool:
    if a is b:
        return True
    if a in seen:
        return False
    seen.add(a)
    return any(_may_alias(x, b, joined, seen) for x in joined.get(a, ()))


def _order(loop: For, written: tuple[object, ...], read: tuple[object, ...]) -> str:
    """Where, among the trips of a reverse loop, an element restored now could be read: "same" trip only, "later" in
    program order only (which the sweep has already passed), or "unknown"."""
    if len(written) != len(read):
        return "unknown"
    same = False
    for w, r in zip(written, read, strict=True):
        offsets = _offset(loop.index, w), _offset(loop.index, r)
        if offsets[0] is None or offsets[1] is None:
            continue
        distance = (
            offsets[0] - offsets[1]
        ).known  # the read of trip i' hits the write of trip i at i' = i + distance
        if distance is None:
            continue
        step = loop.step.value if isinstance(loop.step, Const) else 0
        # The sweep runs against the primal: a reverse step of -1 is a primal step of +1.
        primal = distance * (-1 if step > 0 else 1)
        if primal > 0:
            return "later"
        if primal == 0:
            same = True
    return "same" if same else "unknown"


def _offset(index: Var, item: object) -> Dim | None:
    """`c` where an index item is `index + c`, the same c in every trip."""
    if isinstance(item, Slice) or not isinstance(item, (Var, Const)):
        return None
    value = _dim(item)
    if value is None:
        return None
    terms = dict(value.terms)
    own = Dim.symbol("value", index).terms[0][0]
    if terms.pop(own, 0) != 1:
        return None
    return Dim(value.const, tuple(sorted(terms.items(), key=lambda t: repr(t[0]))))


def _dim(item: Atom) -> Dim | None:
    if isinstance(item, Const):
        return Dim(int(item.value)) if isinstance(item.value, int) else None
    return item.dim


def _without(block: Block, dead: set[Stmt]) -> Block:
    kept: Block = []
    for stmt in block:
        if stmt in dead:
            continue
        if isinstance(stmt, For):
            stmt.body = _without(stmt.body, dead)
        elif isinstance(stmt, While):
            stmt.test_block, stmt.body = _without(stmt.test_block, dead), _without(stmt.body, dead)
        elif isinstance(stmt, If):
            stmt.then, stmt.orelse = _without(stmt.then, dead), _without(stmt.orelse, dead)
        kept.append(stmt)
    return kept
