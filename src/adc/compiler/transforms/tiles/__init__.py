"""Take some elements of all arrays through all trips of a loop, and then the next ones.

    for j in range(n):                          for j_first in range(0, n, 256):
        z[j] = 0.0                                  count = min(n - j_first, 256)
    for t in range(m):                              for k in range(count):
        for j in range(n):                              z[k] = 0.0
            kept[t, j] = z[j]          ->           for t in range(m):
            z[j] = tanh(z[j] + x[t, j])                 for k in range(count):
    for j in range(n):                                      j = j_first + k
        z_bar[j] = 1.0                                      kept[t, k] = z[k]
    for t in range(m - 1, -1, -1):                          z[k] = tanh(z[k] + x[t, j])
        for j in range(n):                          for k in range(count):
            ...kept[t, j]...                            z_bar[k] = 1.0
                                                    for t in range(m - 1, -1, -1):
                                                        for k in range(count):
                                                            ...kept[t, k]...

An element never meets another one: paths of a simulation, a population of equations, points that an iteration goes
on with. What is kept of a tile stays in the cache for the reverse sweep, and is as long as a tile where nobody else
wants it: arrays that do not fit are written to memory once for each trip, and read again, otherwise. (Tiling: Wolfe,
*More iteration space tiling*, 1989.)
"""

from __future__ import annotations

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Block,
    Check,
    For,
    If,
    Print,
    Program,
    Var,
    While,
    blocks,
    variables,
    walk,
)
from adc.compiler.transforms.tiles.lanes import Lanes, lengths_of
from adc.compiler.transforms.tiles.region import Private, Region
from adc.compiler.transforms.tiles.writing import written

__all__ = ["run"]


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with loops over elements that never meet in tiles."""
    _Tiles(program, evaluator).block(program.body)
    return program


class _Tiles:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.known = Equalities(program)
        self.memory = Memory(_joined(program, evaluator))

    def block(self, block: Block) -> None:
        """Rewrite a block, and its branches."""
        out: Block = []
        part: Block = []
        for s in block:
            self.known.passed(s)
            if isinstance(s, (Check, Print, While)):
                out += [*self._part(part, out), s]
                part = []
            else:
                part.append(s)
        out += self._part(part, out)
        block[:] = out

    def _part(self, part: Block, before: Block) -> Block:
        """Statements between two checks, with tiles in place of some."""
        found: tuple[Region, Private] | None = None
        for length in lengths_of(part):
            region = Region(part, Lanes(length, self.known), self.memory)
            if found is not None and len(region.statements) <= len(found[0].statements):
                continue
            if region.is_worth_it() and region.is_closed(self.program):
                private = region.private([*before, *part], self.program)
                if private.made:
                    found = region, private
        if found is None:
            for s in part:
                # In a trip of a loop around there is little that the next one finds in the cache.
                if isinstance(s, If):
                    with self.known.inside(s):
                        for inner in blocks(s):
                            self.block(inner)
            return part
        region, private = found
        before[:] = [s for s in before if s not in private.made]
        first = [s for s in region.before if s not in private.made]
        with self.ev.origin_at(region.statements[0].origin):
            tile = written(region, private, self.ev)
        return [*first, *tile, *region.behind]


def _joined(program: Program, evaluator: Evaluator) -> dict[Var, set[Var]]:
    """Which arrays a name may stand for, those that loops hand round among them."""
    found = {v: set(roots) for v, roots in evaluator.joined_roots.items()}
    for s in walk(program.body):
        if isinstance(s, (For, While)):
            for c in s.carried:
                others = {v.root for v in variables((c.init, c.out, c.result)) if v.is_array}
                if others:
                    found.setdefault(c.phi.root, set()).update(others)
    return found
