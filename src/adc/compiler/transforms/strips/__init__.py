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
"""

from __future__ import annotations

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    Program,
    Var,
    blocks,
    bound_inside,
    defined,
    variables,
    walk,
)
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.strips.rows import Rows
from adc.compiler.transforms.strips.writing import Strip

__all__ = ["run"]


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the rows of independent recurrences in strips."""
    memory = Memory(evaluator.joined_roots)
    counters = ranges(program.body)
    made = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "empty"}
    escaping = escaping_roots(program, evaluator)

    def visit(block: Block) -> bool:
        """Put strips in the place of loops; whether there were any."""
        found = False
        for s in list(block):
            below = [visit(inner) for inner in blocks(s)]
            if isinstance(s, For) and not any(below):
                inside = _made_in(s, escaping)
                own = {v: made[v] for v, of in evaluator.within_trips.items() if s.index in of and v in made}
                body, s.body = s.body, [t for t in s.body if t not in inside]
                rows = Rows(s, own | {t.target: t for t in inside}, memory, counters)
                if rows.are_independent() and rows.wait():
                    place = block.index(s)
                    block[place : place + 1] = [*inside, *Strip(rows, evaluator).block()]
                    below = [True]
                else:
                    s.body = body
                    memory.forget(s)
            found = found or any(below)
        return found

    visit(program.body)
    return program


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
