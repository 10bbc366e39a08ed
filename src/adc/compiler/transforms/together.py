"""Look through all arrays of indices of a block at once, before the first element is read by one of them.

    inside = np.all(i < n)                      inside = np.all(i < n)
    if not inside: raise IndexError(...)        k = i + 1
    a = x[i]                                    inside_2 = np.all(k < n)
    k = i + 1                                   if not inside: raise IndexError(...)
    inside_2 = np.all(k < n)                    if not inside_2: raise IndexError(...)
    if not inside_2: raise IndexError(...)      a = x[i]
    b = a * x[k]                                b = a * x[k]

A check keeps what reads memory behind it. Where it stands between two reads, they become two loops, with an array in
between; here the tests become one loop, and the reads another. A check only fails sooner, and never before the user's
own, or before what may be printed.
"""

from __future__ import annotations

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Mark,
    Print,
    Program,
    Stmt,
    Var,
    change_blocks,
    defined,
    is_view,
    may_raise,
    uses,
    walk,
)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with checks of arrays of indices moved up to the first one of their block."""
    program.body = _block(program.body, Memory(evaluator.joined_roots))
    return program


def _block(block: Block, memory: Memory) -> Block:
    maker: dict[Var, Assign] = {}
    for s in block:
        change_blocks(s, lambda inner: _block(inner, memory))
        if isinstance(s, Assign):
            maker.update(dict.fromkeys(s.targets, s))
    out: Block = []
    group: list[Check] = []  # checks that stand together
    for s in block:
        out.append(s)
        if _is_barrier(s):
            group = []
        elif isinstance(s, Check) and _is_of_many(s, maker):
            group = [*group, s] if group and _joins(out, group, memory) else [s]
    return out


def _joins(out: Block, group: list[Check], memory: Memory) -> bool:
    """Whether the last statement, a check, joins a group: what its test is made by goes in front of them all."""
    check, first = out[-1], out.index(group[0])
    wanted, part, stay = set(uses(check)), Block(), Block()
    for s in reversed(out[first + len(group) : -1]):
        if wanted.isdisjoint(defined(s)):
            stay.insert(0, s)
        elif isinstance(s, Assign) and _is_plain(s):
            part.insert(0, s)
            wanted.update(uses(s))
        else:
            return False
    for s in stay:
        if isinstance(s, (Check, Mark)):
            continue  # they read numbers alone
        passed = memory.effects(s)
        for e in map(memory.effects, part):
            if not (passed.writes.isdisjoint(e.accesses) and e.writes.isdisjoint(passed.accesses)):
                return False
    out[first:] = [*part, *group, check, *stay]
    return True


def _is_barrier(s: Stmt) -> bool:
    """Whether what stands behind a statement stays there: it may be seen, or raise what the user wrote."""
    return any(isinstance(x, Print) or (isinstance(x, Check) and x.user) or may_raise(x) for x in walk([s]))


def _is_of_many(check: Check, maker: dict[Var, Assign]) -> bool:
    """Whether what is checked is a test of all elements of an array."""
    waiting, seen = [*uses(check)], set[Var]()
    while waiting:
        v = waiting.pop()
        made = maker.get(v)
        if made is None or v in seen or v.is_array:
            continue
        if made.name == "all":
            return True
        seen.add(v)
        waiting += uses(made)
    return False


def _is_plain(s: Assign) -> bool:
    """Whether a statement reads no element by an index, and cannot fail."""
    return (
        is_view(s) or s.name in ("all", "cast", "dim") or (not isinstance(s.op, str) and is_elementwise(s.op))
    )
