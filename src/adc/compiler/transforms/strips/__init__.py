"""Go through the rows of independent recurrences a strip at a time, all rows of a strip in each trip.

    for p in range(n):                          for p_first in range(0, n, 32):
        s = s0                                      count = min(n - p_first, 32)
        for t in range(m):                          for k in range(count):
            kept[t] = s                                 s_strip[k] = s0
            s = s * exp(z[p, t])        ->          for t in range(m):
        total += s                                      for k in range(count):
                                                            s = s_strip[k]
                                                            kept[t, k] = s
                                                            s_strip[k] = s * exp(z[p_first + k, t])
                                                    for k in range(count):
                                                        total_strip[k] += s_strip[k]

A trip waits for the one before it in its row, and calls a function for one number. Over the rows of a strip nothing is
waited for, and the loop vectorises. (Strip mining, interchange and scalar expansion: Kennedy & Allen, *Optimizing
Compilers for Modern Architectures*, 2001, chapter 5.) Sums over all rows are added up for each place of a strip first,
and these at the end.

So go rows whose inner loops wait for nothing, but are short: over a window of pixels, the components of a mixture, the
coordinates of a point. Of a window that only the run knows there are both ways, and the longer loop goes innermost.
"""

from __future__ import annotations

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Merge,
    Program,
    Stmt,
    Var,
    While,
    blocks,
    bound_inside,
    defined,
    variables,
    walk,
)
from adc.compiler.transforms import clone, registers
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.strips.rows import Rows
from adc.compiler.transforms.strips.writing import Strip

__all__ = ["run"]


def run(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with the rows of independent recurrences in strips."""
    memory = Memory(evaluator.joined_roots)
    counters = ranges(program.body)
    made = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "empty"}
    escaping = escaping_roots(program, evaluator)

    def visit(block: Block, outermost: bool) -> bool:
        """Put strips in the place of loops; whether there were any."""
        found = False
        for s in list(block):
            below = [visit(inner, outermost and not isinstance(s, (For, While))) for inner in blocks(s)]
            if isinstance(s, For) and not any(below):
                inside = _made_in(s, escaping)
                own = {v: made[v] for v, of in evaluator.within_trips.items() if s.index in of and v in made}
                body, s.body = s.body, [t for t in s.body if t not in inside]
                rows = Rows(s, own | {t.target: t for t in inside}, memory, counters, evaluator.over_axes)
                strips = _in_strips(rows, outermost, evaluator, strict)
                if strips is not None:
                    place = block.index(s)
                    block[place : place + 1] = [*inside, *strips]
                    below = [True]
                else:
                    s.body = body
                    memory.forget(s)
            found = found or any(below)
        return found

    visit(program.body, True)
    return program


def _in_strips(rows: Rows, outermost: bool, evaluator: Evaluator, strict: bool) -> Block | None:
    """A loop over rows in strips, where its rows may go abreast and should; in front of it what it needs.

    Where that is better for short inner loops, and nobody knows how long they are, it is asked when it runs.
    """
    if not rows.are_independent() or not (rows.wait or rows.leave_little(outermost)):
        return None
    out: Block = []
    test: Value = True
    with evaluator.at(out), evaluator.origin_at(rows.loop.origin):
        for window in rows.windows():
            assert rows.trips is not None
            shorter = evaluator.op("less", evaluator.dim_value(window), evaluator.dim_value(rows.trips))
            test = shorter if test is True else evaluator.op("logical_and", test, shorter)
    if test is True:
        return _written(rows, evaluator, strict)
    if rows.made or not isinstance(test, Var):
        return None
    _, whole, _ = clone.run([], [rows.loop], [], evaluator, inside=True)
    strips = _written(rows, evaluator, strict)
    return [*out, If(test, strips, whole, _merged(strips[-1], whole[0]), rows.loop.origin)]


def _written(rows: Rows, evaluator: Evaluator, strict: bool) -> Block:
    """A loop over rows in strips, whose sums are added up in blocks."""
    loop, memory = rows.loop, rows.memory
    memory.forget(loop)
    if not strict:
        loop.body = registers.in_block(loop.body, rows.counters, memory, evaluator)
    memory.forget(loop)
    return Strip(Rows(loop, rows.made, memory, rows.counters, rows.over_axes), evaluator).block()


def _merged(strips: Stmt, whole: Stmt) -> list[Merge]:
    """What leaves a loop, from the one or the other."""
    assert isinstance(strips, For) and isinstance(whole, For)
    merges = []
    for one, other in zip(strips.carried, whole.carried, strict=True):
        result, one.result = one.result, Var(one.result.name, one.result.type, named=one.result.named)
        merges.append(Merge(result, one.result, other.result))
    return merges


def _made_in(loop: For, escaping: set[Var]) -> list[Assign]:
    """The arrays that each trip makes for itself, as long in all trips."""
    inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
    return [
        s
        for s in loop.body
        if isinstance(s, Assign)
        and s.name == "empty"
        and s.target not in escaping
        and inside.isdisjoint(variables(s.args))
    ]
