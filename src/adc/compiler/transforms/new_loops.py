"""Loops that are written anew: what stands in front of them and behind them, and what a trip does last."""

from __future__ import annotations

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Assign, Block, Carried, Const, For, If, Merge, Store, Var, uses, walk


def behind_a_trip(loop: For, front: Block, made: For, after: Block, ev: Evaluator) -> Block:
    """`front`, the loop that was `made` of another one, and what comes `after` it, where there is a trip at all.

    What the loop carries is then what it was in the beginning, if there is none. The question also stands where it is
    known that there is a trip: it tells LLVM, which takes no index for negative then, and vectorises.
    """
    test_block: Block = []
    ends = (loop.stop, loop.start) if loop.step == Const(1) else (loop.start, loop.stop)
    with ev.at(test_block), ev.origin_at(loop.origin):
        test = ev.op("greater", *map(plain_value, ends))
    if not isinstance(test, Var):
        return [*test_block, *front, made, *after]
    merges = []
    for c in loop.carried:
        own = Var(c.result.name, c.result.type, named=c.result.named)
        k = next(k for k, other in enumerate(made.carried) if other.phi is c.phi)
        made.carried[k] = Carried(c.phi, made.carried[k].init, made.carried[k].out, own)
        merges.append(Merge(c.result, own, c.init))
    return [*test_block, If(test, [*front, made, *after], [], merges, loop.origin)]


def with_stores_last(body: Block, memory: Memory) -> Block:
    """What a trip writes at its end, where it reads nothing of that in between: LLVM then has no branch to keep."""
    kept: Block = []
    last: Block = []
    seen: set[Var] = set()  # the memory that what follows touches
    for s in reversed(body):
        accesses = memory.effects(s).accesses
        free = isinstance(s, Store) and seen.isdisjoint(accesses)
        (last if free else kept).append(s)
        seen |= accesses.keys()
    return [*reversed(kept), *reversed(last)]


def without_unread(body: Block, carried: list[Carried]) -> Block:
    """The statements of a loop that something reads, or that write."""
    read = {c.out for c in carried}
    found: Block = []
    for s in reversed(body):
        if not isinstance(s, Assign) or not read.isdisjoint(s.targets):
            found.append(s)
            read.update(v for t in walk([s]) for v in uses(t))
    return found[::-1]
