"""Compute each value once: a repeated pure expression takes the name of the first, lengths move out of loops.

Scoped value numbering over regions. An expression that reads memory is the same only while nothing wrote to it.
Arrays that are written in place, under whatever name a branch or a loop gave them, are never shared.
"""

from __future__ import annotations

import functools
from typing import Any

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.layout import reads
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.creation import CREATION
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
    For,
    If,
    Program,
    Slice,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    change_blocks,
    defined,
    owners,
    variables,
    walk,
)
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.dims import Dim
from adc.rules.operation import Operation

FRESH = CREATION | {"copy"}


COMPARISONS = {"equal", "less", "less_equal", "greater", "greater_equal", "logical_or", "logical_and"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with repeated expressions computed once, lengths and their checks hoisted out of loops."""
    evaluator.block = []
    program.body = _hoisted(program.body, evaluator)
    numbering = _Numbering(program, Memory(evaluator.joined_roots))
    body = numbering.block(program.body, {})
    program.body = substitute(body, numbering.table, program.params)
    program.results = [operand(r, numbering.table) for r in program.results]
    return program


class _Numbering:
    def __init__(self, program: Program, memory: Memory) -> None:
        self.table: dict[Var, Atom] = {}
        self.memory = memory
        self.written = {memory.of(s.array) for s in walk(program.body) if isinstance(s, Store)}
        self.results = {r for r in program.results if isinstance(r, Var)}
        self.version: dict[Var, int] = {}

    def block(self, block: Block, known: dict[Any, tuple[Var, ...]]) -> Block:
        """The block without what is `known`; what becomes known in it is forgotten behind it."""
        kept: Block = []
        found: list[Any] = []
        for stmt in block:
            if isinstance(stmt, Assign):
                key = self._key(stmt)
                if key is not None:
                    if key in known:
                        for target, first in zip(stmt.targets, known[key], strict=True):
                            self._replace(target, first)
                        continue
                    known[key] = stmt.targets
                    found.append(key)
            elif isinstance(stmt, Store):
                self._write(stmt.array)
            elif isinstance(stmt, Check) and isinstance(stmt.test, Var) and not stmt.user:
                key = "check", operand(stmt.test, self.table)
                if key in known:
                    continue
                known[key] = (stmt.test,)
                found.append(key)
            elif isinstance(stmt, (For, While, If)):
                self._enter(stmt)
                change_blocks(stmt, functools.partial(self._inside, stmt, known))
                if isinstance(stmt, For):
                    self._carried_alike(stmt)
                self._enter(stmt)
            kept.append(stmt)
        for key in found:
            del known[key]
        return kept

    def _carried_alike(self, loop: For) -> None:
        """Numbers that begin alike, and that every trip makes in one way of itself and of the same, are one.

        A sum that the reverse sweep makes again is such a number where a loop does the work of both sweeps.
        """
        made = {s.target: s for s in loop.body if isinstance(s, Assign) and len(s.targets) == 1}
        known: dict[Any, Carried] = {}
        for c in [*loop.carried]:
            step = made.get(c.out) if isinstance(c.out, Var) else None
            if step is None or c.phi.is_array or not isinstance(step.op, Operation):
                continue
            args = operand(tuple("itself" if a is c.phi else a for a in step.args), self.table)
            begin = operand(c.init, self.table)
            key = step.op.name, _frozen(args), begin if isinstance(begin, Var) else repr(begin), c.phi.type
            first = known.setdefault(key, c)
            if first is not c and isinstance(first.out, Var):
                loop.carried.remove(c)
                self._replace(c.phi, first.phi)
                if step.target is not first.out:
                    self._one_step(loop.body, made[first.out], step)
                self._replace(c.result, first.result)

    def _one_step(self, body: Block, first: Assign, other: Assign) -> None:
        """Let the first stand for another that makes the same, wherever the result of either is read."""
        places = sorted((body.index(first), body.index(other)))
        for place in reversed(places):
            del body[place]
        body.insert(places[0], first)
        self._replace(other.target, first.target)

    def _inside(self, stmt: For | While | If, known: dict[Any, tuple[Var, ...]], block: Block) -> Block:
        """A block of a region, entered with what is known before it."""
        if isinstance(stmt, If) and block is stmt.then and isinstance(stmt.test, Var):
            key = "check", operand(stmt.test, self.table)
            if key not in known:
                known[key] = (stmt.test,)  # holds on this branch
                kept = self.block(block, known)
                del known[key]
                return kept
        return self.block(block, known)

    def _enter(self, stmt: For | While | If) -> None:
        for s in walk([stmt]):
            if isinstance(s, Store):
                self._write(s.array)

    def _write(self, array: Var) -> None:
        root = self.memory.of(array)
        self.version[root] = self.version.get(root, 0) + 1

    def _replace(self, v: Var, first: Var) -> None:
        if v.named and not first.named:
            first.name, first.named = v.name, True
        if first.element_of is None or (v.element_of is not None and not first.element_of.named):
            first.element_of = v.element_of
        first.derived = first.derived and v.derived
        self.table[v] = first

    def _key(self, stmt: Assign) -> Any:
        for target in stmt.targets:
            if self._is_its_own(target, stmt):
                return None
        operation = stmt.name
        args = operand(stmt.args, self.table)
        if operation == "dim":  # of arrays of one length the first one has it
            array, axis = args
            return operation, array.type.shape[axis.value]
        read = [self.memory.of(root) for root in reads(stmt)]
        memory = tuple([(root, self.version.get(root, 0)) for root in read if root in self.written])
        return operation, _frozen(args), memory, *[target.type.dtype for target in stmt.targets]

    def _is_its_own(self, target: Var, stmt: Assign) -> bool:
        """Whether an array needs memory that no other one has."""
        return target.is_array and (
            self.memory.of(target) in self.written or target in self.results or stmt.name in FRESH
        )


def _frozen(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple([_frozen(i) if isinstance(i, (tuple, Slice)) else i for i in x])
    if isinstance(x, Slice):
        return ("slice", *(_frozen(p) for p in (x.start, x.stop, x.step)))
    return x


def _hoisted(block: Block, evaluator: Evaluator) -> Block:
    """Length arithmetic whose operands are made outside a loop moves in front of it."""
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _hoisted(inner, evaluator))
        if isinstance(stmt, (For, While)):
            inside = {v for s in walk([stmt]) for v in (*defined(s), *bound_inside(s))} - set(defined(stmt))
            for inner in blocks(stmt):
                moved = [s for s in inner if _hoistable(s, inside)]
                while moved:
                    for s in moved:
                        inner.remove(s)
                        assert isinstance(s, Assign)
                        inside -= set(s.targets)
                    result.extend(moved)
                    moved = [s for s in inner if _hoistable(s, inside)]
            if isinstance(stmt, For):
                _hoist_checks(stmt, inside, result, evaluator)
        result.append(stmt)
    return result


def _hoist_checks(loop: For, inside: set[Var], result: Block, evaluator: Evaluator) -> None:
    """A check of lengths that is the same in every trip is made once, if there is a trip."""
    for check in [s for s in loop.body if isinstance(s, Check) and not s.user]:
        if not isinstance(check.test, Var):
            continue
        if any(v in inside for v in variables(check.message)):
            continue
        test = next((s for s in loop.body if isinstance(s, Assign) and s.targets[0] is check.test), None)
        if check.test in inside and (test is None or any(v in inside for v in variables(test.args))):
            with evaluator.at(result), evaluator.origin_at(check.origin):
                always = _of_every_trip(test, loop, inside, evaluator)
            if always is None:
                continue
            check.test, test = always, None
        if test is not None:
            loop.body.remove(test)
            result.append(test)
            inside.discard(test.targets[0])
        loop.body.remove(check)
        with evaluator.at(result), evaluator.origin_at(check.origin):
            no_trip = has_no_trip(loop, evaluator)
            holds = check.test if no_trip is False else evaluator.op("logical_or", check.test, no_trip)
        result.append(Check(evaluator.atom(holds), check.error, check.message, check.origin))


def _of_every_trip(test: Assign | None, loop: For, inside: set[Var], evaluator: Evaluator) -> Var | None:
    """The test of a check that holds, or that an inner loop has no trip, for all trips of a loop at once.

    `ok or i + 1 >= n` holds for every i from 0 on if `ok or 1 >= n` does: that is the trip where most is asked.
    """
    if test is None or test.name != "logical_or":
        return None
    for steady, guard in (test.args, test.args[::-1]):
        made = next((s for s in loop.body if isinstance(s, Assign) and s.targets[0] is guard), None)
        if steady in inside or made is None or made.name != "greater_equal":
            continue
        ends = [_at_its_least(x, made.args, loop, inside) for x in made.args]
        if ends[0] is None or ends[1] is None:
            continue
        no_trip = evaluator.op("greater_equal", evaluator.dim_value(ends[0]), evaluator.dim_value(ends[1]))
        found = evaluator.op("logical_or", plain_value(steady), no_trip)
        return found if isinstance(found, Var) else None
    return None


def _at_its_least(x: Any, compared: tuple[Any, ...], loop: For, inside: set[Var]) -> Dim | None:
    """One side of a comparison in the trip where their difference is least."""
    a, b = (length_of(y) for y in compared)
    start, stop = length_of(loop.start), length_of(loop.stop)
    value = length_of(x)
    if a is None or b is None or start is None or stop is None or value is None:
        return None
    if loop.step not in (Const(1), Const(-1)):
        return None
    low, high = (start, stop - 1) if loop.step == Const(1) else (stop + 1, start)
    value = with_counter_at(value, loop.index, low if pace(a - b, loop.index) > 0 else high)
    return None if any(v in inside or v is loop.index for v in owners(value)) else value


def has_no_trip(loop: For, evaluator: Evaluator) -> Any:
    """Whether a loop runs not at all; in one form for a loop and for its reverse."""
    start, stop = evaluator.length(loop.start), evaluator.length(loop.stop)
    if loop.step == Const(-1) and start is not None and stop is not None:
        name, ends = "greater_equal", (evaluator.dim_value(stop + 1), evaluator.dim_value(start + 1))
    else:
        upward = isinstance(loop.step, Const) and loop.step.value > 0
        name = "greater_equal" if upward else "less_equal"
        ends = plain_value(loop.start), plain_value(loop.stop)
    found = evaluator.op(name, *ends)
    if isinstance(found, Var):
        found.name = "no_trip"
    return found


def _hoistable(stmt: Any, inside: set[Var]) -> bool:
    if not isinstance(stmt, Assign) or len(stmt.targets) != 1 or stmt.target.is_array:
        return False
    return _is_of_lengths(stmt) and not any(v in inside for v in variables(stmt.args))


def _is_of_lengths(stmt: Assign) -> bool:
    """Whether an assignment asks for a length, reckons with lengths, or compares them for a check."""
    if stmt.op == "dim":
        return True
    if not isinstance(stmt.op, Operation) or stmt.target.named:
        return False
    if stmt.op.name in ("add", "subtract", "multiply", "negative", "maximum", "minimum"):
        return stmt.target.type.dtype == "int64"
    # What a check asks of lengths; of the user's numbers a comparison stays where it is.
    return stmt.op.name in COMPARISONS and all(
        isinstance(a, Const) or a.type.dtype == "bool" or a.dim is not None for a in stmt.args
    )
