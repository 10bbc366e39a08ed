"""Make in each trip the array of which it reads nothing that it has not written itself.

    k = np.empty(n)                         for t in range(steps):
    for t in range(steps):                      k = np.empty(n)
        for i in range(n):                      for i in range(n):
            k[i] = np.sin(y[i])     ->              k[i] = np.sin(y[i])
        for i in range(n):                      for i in range(n):
            y[i] += h * k[i]                        y[i] += h * k[i]

Programs that came from Fortran or C make their scratch arrays once, in front of the loop. No trip hands anything on in
them, but the reverse sweep would have to put back what each element was before; and trips that are independent would
not be seen to be. Of an array of each trip only what is wanted is kept, and it is written where it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.written_first import written_first
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    Program,
    Stmt,
    Store,
    Var,
    While,
    all_blocks,
    blocks,
    uses,
    walk,
)
from adc.rules import registry

_Path = tuple[tuple[Stmt, Block], ...]

_MAKES = {"empty": "empty", "zeros": "empty", "empty_like": "empty_like", "zeros_like": "empty_like"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with its scratch arrays made in the trips that write them."""
    made = {
        s.target: (s, block)
        for block in all_blocks(program.body)
        for s in block
        if isinstance(s, Assign) and s.name in _MAKES
    }
    if not made:
        return program
    users = _users(program)
    kept = _with_other_names(program, evaluator)
    around = dict(_around(program.body, ()))
    counters = ranges(program.body)
    for array, (maker, home) in made.items():
        mine = users.get(array, set()) - {maker}
        if array in kept or not mine:
            continue
        blocks_of_trips = _blocks_of_trips(around, maker, mine)
        block = next((b for b in blocks_of_trips if written_first(b, array, counters)), None)
        if block is not None:
            home.remove(maker)
            block.insert(next(k for k, s in enumerate(block) if mine.intersection(walk([s]))), maker)
            maker.op = registry.named(_MAKES[maker.name])
    return program


def _users(program: Program) -> dict[Var, set[Stmt]]:
    """By the owner of the memory, the statements that use it."""
    found: dict[Var, set[Stmt]] = {}
    for s in walk(program.body):
        for v in uses(s):
            if v.is_array:
                found.setdefault(v.root, set()).add(s)
    return found


def _with_other_names(program: Program, evaluator: Evaluator) -> set[Var]:
    """Arrays that are more than what statements do to them: returned, joined with others, or written by a part."""
    found = {r.root for r in program.results if isinstance(r, Var)}
    found |= {v for phi, roots in evaluator.joined_roots.items() for v in (phi, *roots)}
    found |= {v.root for part, (whole, _) in evaluator.part_of.items() for v in (part, whole)}
    found |= {
        s.array.root for s in walk(program.body) if isinstance(s, Store) and s.array.root is not s.array
    }
    return found


def _around(block: Block, outer: _Path) -> Iterator[tuple[Stmt, _Path]]:
    """Each statement with the regions and their blocks that it stands in, outermost first."""
    for s in block:
        yield s, outer
        for inner in blocks(s):
            yield from _around(inner, (*outer, (s, inner)))


def _blocks_of_trips(around: dict[Stmt, _Path], maker: Assign, users: set[Stmt]) -> list[Block]:
    """The blocks in loops behind a statement that have all of some others in them, innermost first."""
    paths = [around[s] for s in users]
    common = [at for at, *others in zip(*paths, strict=False) if all(other[1] is at[1] for other in others)]
    inside = common[len(around[maker]) :]
    loops = [k for k, (region, _) in enumerate(inside) if isinstance(region, (For, While))]
    return [] if not loops else [block for _, block in reversed(inside[loops[0] :])]
