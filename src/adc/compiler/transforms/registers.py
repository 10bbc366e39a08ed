"""Add up in a register what a loop adds to one element of an array.

`for j in range(m): b[i] += e` becomes a sum that the loop carries, and one addition to `b[i]` after it: the loop no
longer writes memory for it, and its sum may be reordered, so that it vectorises. Where the loop may have no trip and
nobody knows that there is such an element, the addition is only made behind a trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adc.compiler.analysis.counters import Range, is_there, ranges
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    If,
    Program,
    Store,
    Var,
    While,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)
from adc.compiler.ir.types import REALS, Scalar
from adc.compiler.transforms.steady import meets_none
from adc.rules import registry


def run(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with accumulations into an element that stays the same carried by the loop.

    In a `strict` program they stay: a sum that begins at zero, and not at the element, rounds otherwise.
    """
    if strict:
        return program
    program.body = in_block(program.body, ranges(program.body), Memory(evaluator.joined_roots), evaluator)
    return program


def in_block(block: Block, counters: Mapping[Var, Range], memory: Memory, evaluator: Evaluator) -> Block:
    """The same of statements, of which `counters` says the ranges of counters."""

    def visit(block: Block) -> Block:
        result: Block = []
        for stmt in block:
            change_blocks(stmt, visit)
            result.append(stmt)
            if isinstance(stmt, For):
                after = _carried(stmt, counters, memory)
                there = [s for s in after if is_there(s.array, s.index, counters)]
                result.extend(there)
                if len(there) < len(after):
                    result.extend(_behind_a_trip(stmt, [s for s in after if s not in there], evaluator))
        return result

    return visit(block)


def _behind_a_trip(loop: For, after: Block, evaluator: Evaluator) -> Block:
    """Statements that run if a loop has a trip."""
    assert isinstance(loop.step, Const)
    ends = (loop.start, loop.stop) if loop.step.value > 0 else (loop.stop, loop.start)
    block: Block = []
    with evaluator.at(block), evaluator.origin_at(loop.origin):
        test = evaluator.op("less", *map(plain_value, ends))
    if not isinstance(test, Var):
        return after if test else []
    return [*block, If(test, after, [], [], loop.origin)]


def _carried(loop: For, counters: Mapping[Var, Range], memory: Memory) -> list[Store]:
    """Turn accumulations of an innermost loop into carried sums; the additions to make after it.

    Those of its branches stay.
    """
    if any(isinstance(s, (For, While)) for s in walk(loop.body)):
        return []
    inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
    accesses = memory.effects(loop).accesses
    memory.forget(loop)
    after: list[Store] = []
    body: Block = []
    for s in loop.body:
        if not (
            isinstance(s, Store)
            and s.accumulate
            and s.array.type.dtype in REALS
            and not any(v in inside for v in variables(s.index))
            and meets_none(s.array, s.index, _others(accesses[memory.of(s.array)]), counters, loop)
        ):
            body.append(s)
            continue
        kind = Scalar(s.array.type.dtype)
        name = f"{s.array.name}_sum"
        phi, out, total = Var(name, kind), Var(name, kind), Var(name, kind)
        body.append(Assign((out,), registry.named("add"), (phi, s.value), s.origin))
        loop.carried.append(Carried(phi, Const(0.0), out, total))
        after.append(Store(s.array, s.index, total, True, s.origin, s.role))
    loop.body = body
    return after


def _others(accesses: Iterable[Access]) -> list[Access]:
    """What a loop does with an array beside adding to it, which may be done in any order."""
    return [a for a in accesses if not a.accumulate]
