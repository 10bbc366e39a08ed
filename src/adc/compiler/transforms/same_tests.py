"""Branches of a trip that ask the same, one behind the other, are one branch.

    if inside:                                      if inside:
        v = f * a[p]                                    v = f * a[p]
        total += v * v                   ->             total += v * v
    if inside:                                          a_bar[p] += 2.0 * (f * a[p]) * f
        a_bar[p] += 2.0 * (f * a[p]) * f

Forward and reverse of a trip ask alike, once their loops have merged. They become one where the second could change
places with all that stands between the two: what it needs of the first is there then. The branches of whole sweeps stay
apart, as the text has them.
"""

from __future__ import annotations

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Atom, Block, For, If, Mark, Program, Var, While, blocks, change_blocks
from adc.compiler.transforms.rewrite import substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with branches in its loops merged."""
    _in_loops(program.body, Memory(evaluator.joined_roots))
    return program


def _in_loops(block: Block, memory: Memory) -> None:
    for s in block:
        if isinstance(s, (For, While)):
            change_blocks(s, lambda inner: _merged(inner, memory))
        else:
            for inner in blocks(s):
                _in_loops(inner, memory)


def _merged(block: Block, memory: Memory) -> Block:
    out: Block = []
    for s in block:
        at = _partner(s, out, memory) if isinstance(s, If) else None
        if at is None or not isinstance(s, If):
            out.append(s)
            continue
        first = out[at]
        assert isinstance(first, If)
        _join(first, s)
        memory.forget(first)
    for s in out:
        change_blocks(s, lambda inner: _merged(inner, memory))
        memory.forget(s)
    return out


def _partner(branch: If, before: Block, memory: Memory) -> int | None:
    """The place of a branch with the same test, in front of nothing that the later one has to stay behind."""
    for at in reversed(range(len(before))):
        s = before[at]
        if isinstance(s, If) and isinstance(s.test, Var) and s.test is branch.test:
            return at
        if isinstance(s, Mark) or memory.conflict(s, branch):
            return None
    return None


def _join(first: If, second: If) -> None:
    sides: list[tuple[Block, dict[Var, Atom]]] = [
        (first.then, {m.result: m.then for m in first.merges}),
        (first.orelse, {m.result: m.orelse for m in first.merges}),
    ]
    for (block, own), more in zip(sides, (second.then, second.orelse), strict=True):
        block.extend(substitute(more, own))
    then, orelse = (own for _, own in sides)
    for m in second.merges:
        m.then, m.orelse = (
            own.get(x, x) if isinstance(x, Var) else x for own, x in ((then, m.then), (orelse, m.orelse))
        )
        first.merges.append(m)
