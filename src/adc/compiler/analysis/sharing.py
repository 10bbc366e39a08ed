"""Which names may stand for one memory at one moment, and which of them are still mentioned.

A branch or a loop gives an array a further name. Two names are followed back, the one bound later first, until they
meet or one of them turns out to be an array that was made after the other name was bound. What a loop carries is
followed together: in `a, b = b, a` the two swap, and never meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adc.compiler.analysis.effects import Memory
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    defined,
    is_view,
    reads_memory,
    uses,
)

Loop = For | While
Join = tuple[int, str]  # what binds names together: a region, and whether at its head or at its end


@dataclass(frozen=True, eq=False)
class Place:
    """A moment of the program: its number in textual order, and the loops and branches around it."""

    number: int
    loops: tuple[Loop, ...]
    sides: tuple[tuple[If, int], ...]

    def may_precede(self, later: Place, unless_in: tuple[Loop, ...]) -> bool:
        """Whether `later` may come after this, without a new trip of one of the loops `unless_in`."""
        if any(loop in later.loops and loop not in unless_in for loop in self.loops):
            return True
        exclusive = any(a is b and i != j for a, i in self.sides for b, j in later.sides)
        return later.number > self.number and not exclusive


@dataclass(eq=False)
class Sharing:
    """The names of arrays in a program: where each is bound, of what, and where it is mentioned."""

    memory: Memory
    bound: dict[Var, Place] = field(default_factory=dict)
    sources: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  # of a name that a region gives
    joins: dict[Var, Join] = field(default_factory=dict)
    mentions: dict[Var, list[Place]] = field(default_factory=dict)
    stores: list[tuple[Store, Place]] = field(default_factory=list)

    def conflicts(self) -> Iterator[tuple[Store, Var, Var]]:
        """The writes to an array that is mentioned afterwards under another name, with both names."""
        names: dict[Var, list[Var]] = {}
        for name in self.bound:
            names.setdefault(self.memory.of(name), []).append(name)
        for store, place in self.stores:
            written = store.array.root
            for name in names.get(self.memory.of(written), ()):
                if (
                    name is not written
                    and self.bound[name].number < place.number
                    and self._mentioned_after(name, place)
                    and self.may_share(written, name)
                ):
                    yield store, written, name

    def may_share(self, one: Var, other: Var) -> bool:
        """Whether two names may stand for the same memory where both are bound."""
        seen: set[tuple[Var, Var]] = set()
        todo = [(one, other)]
        while todo:
            a, b = todo.pop()
            if a is b:
                return True
            if (a, b) in seen:
                continue
            seen |= {(a, b), (b, a)}
            if a in self.joins and self.joins[a] == self.joins.get(b):
                todo.extend(zip(self.sources[a], self.sources[b], strict=True))
                continue
            later, earlier = (a, b) if self.bound[a].number > self.bound[b].number else (b, a)
            todo.extend((source, earlier) for source in self.sources.get(later, ()))
        return False

    def _mentioned_after(self, name: Var, place: Place) -> bool:
        home = self.bound[name].loops
        return any(place.may_precede(mention, home) for mention in self.mentions.get(name, ()))


def of(program: Program, joined_roots: dict[Var, set[Var]]) -> Sharing:
    """The names of all arrays in a program."""
    found = Sharing(Memory(joined_roots))
    number = 0

    def here(loops: tuple[Loop, ...], sides: tuple[tuple[If, int], ...]) -> Place:
        nonlocal number
        number += 1
        return Place(number, loops, sides)

    def mention(atom: Atom, place: Place) -> None:
        if isinstance(atom, Var) and atom.is_array:
            found.mentions.setdefault(atom.root, []).append(place)

    def join(name: Var, join: Join, sources: tuple[Atom, ...], place: Place) -> None:
        if name.is_array:
            found.bound[name] = place
            found.joins[name] = join
            found.sources[name] = tuple(s.root for s in sources if isinstance(s, Var))

    def visit(block: Block, loops: tuple[Loop, ...], sides: tuple[tuple[If, int], ...]) -> None:
        for stmt in block:
            if isinstance(stmt, (For, While)):
                visit_loop(stmt, loops, sides)
            elif isinstance(stmt, If):
                for side, inner in enumerate(blocks(stmt)):
                    visit(inner, loops, (*sides, (stmt, side)))
                    end = here(loops, (*sides, (stmt, side)))
                    for m in stmt.merges:
                        mention((m.then, m.orelse)[side], end)
                after = here(loops, sides)
                for m in stmt.merges:
                    join(m.result, (id(stmt), "end"), (m.then, m.orelse), after)
            else:
                visit_plain(stmt, here(loops, sides))

    def visit_loop(stmt: Loop, loops: tuple[Loop, ...], sides: tuple[tuple[If, int], ...]) -> None:
        before = here(loops, sides)
        head = here((*loops, stmt), sides)
        for c in stmt.carried:
            mention(c.init, before)
            join(c.phi, (id(stmt), "head"), (c.init, c.out), head)
        for inner in blocks(stmt):
            visit(inner, (*loops, stmt), sides)
        tail, end = here((*loops, stmt), sides), here(loops, sides)
        for c in stmt.carried:
            mention(c.out, tail)
            join(c.result, (id(stmt), "end"), (c.init, c.out), end)

    def visit_plain(stmt: Stmt, place: Place) -> None:
        if isinstance(stmt, Store):
            found.stores.append((stmt, place))
        if not isinstance(stmt, Assign) or is_view(stmt) or reads_memory(stmt):
            for v in uses(stmt):  # what takes only lengths does not see a write
                mention(v, place)
        for v in defined(stmt):
            if v.is_array and v.root is v:
                found.bound[v] = place

    for p in program.params:
        if p.is_array:
            found.bound[p] = here((), ())
    visit(program.body, (), ())
    end = here((), ())
    for r in program.results:
        mention(r, end)
    return found
