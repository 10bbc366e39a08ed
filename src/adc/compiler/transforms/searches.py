"""Differentiate a search at the trip that found what it returns.

    for j in range(n):                          for j in range(n):
        d = (x - y[j]) ** 2                         d = (x - y[j]) ** 2
        if d < best:                                if d < best:
            best = d                    ->              best = d
                                                        best_at = j
                                                if best_at >= 0:
                                                    best = (x - y[best_at]) ** 2

What a search carries is compared, and kept or replaced, and what replaces it is made of nothing that is carried: the
last trip that replaced it is all that matters. Of the loop nothing is then differentiated, so that nothing of its trips
is kept, and the reverse sweep has one trip in place of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adc.compiler.analysis import counters
from adc.compiler.analysis.activity import Activity
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
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
    may_raise,
    uses,
    walk,
)
from adc.compiler.ir.types import is_float, is_integer
from adc.compiler.transforms import clone
from adc.compiler.transforms.adjoint.operands import value_of
from adc.compiler.transforms.rewrite import substitute
from adc.rules.dims import Dim

# Of fewer trips, as far as is known, loops are written out, and choose among their elements in vectors.
FEWEST_TRIPS = 9

Path = list[
    tuple[If | Assign, bool]
]  # the branches and choices on the way to a new value, and the side taken


def run(program: Program, wrt: Sequence[Var], evaluator: Evaluator) -> Program:
    """The program with the results of searches made again at the trips that found them."""
    _Searches(program, wrt, evaluator).block(program.body)
    return program


class _Searches:
    def __init__(self, program: Program, wrt: Sequence[Var], evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.program = program
        self.wrt = wrt
        self.activity: Activity | None = None
        self.ranges = counters.ranges(program.body)
        self.compared: dict[
            Var, Var
        ] = {}  # of what was found: the same number, of which nothing is differentiated

    def block(self, block: Block) -> None:
        for stmt in list(block):
            for inner in blocks(stmt):
                self.block(inner)
            if isinstance(stmt, For) and self._counts_from_zero(stmt):
                place = block.index(stmt) + 1
                block[place:place] = self._loop(stmt)

    def _counts_from_zero(self, loop: For) -> bool:
        """Whether the counter is never negative, so that -1 stands for no trip, and there may be many trips."""
        if not isinstance(loop.step, Const) or not any(_is_number(c) for c in loop.carried):
            return False
        start, stop = length_of(loop.start), length_of(loop.stop)
        if start is None or stop is None:
            return False
        low, high = (start, stop) if loop.step.value > 0 else (stop + 1, start + 1)
        trips = (high - low).known
        return (trips is None or trips >= FEWEST_TRIPS) and counters.never_negative(low, self.ranges)

    def _loop(self, loop: For) -> Block:
        made = {v: s for s in walk(loop.body) for v in defined(s)}
        groups: list[tuple[Path, list[tuple[Carried, Atom]]]] = []
        for c in loop.carried:
            if _is_number(c) and self._is_active(c) and (found := _replaced(c, made)):
                path, value = found
                group = next((g for g in groups if _alike(g[0], path)), None)
                if group is None:
                    groups.append(group := ([], []))
                group[0].extend(path)
                group[1].append((c, value))
        return [s for path, members in groups for s in self._search(loop, made, path, members)]

    def _is_active(self, c: Carried) -> bool:
        if self.activity is None:
            constants = cancelled(self.program, self.ev.joined_roots)
            self.activity = Activity(self.program.body, self.wrt, self.program.results, constants)
        return self.activity.is_varied(c.result) and self.activity.is_useful(c.result)

    def _search(
        self, loop: For, made: dict[Var, Stmt], path: Path, members: list[tuple[Carried, Atom]]
    ) -> Block:
        """What goes behind a loop to make again what it has found, or nothing where it is no search."""
        found = [c for c, _ in members]
        if not self._only_compared(loop, found, path):
            return []
        taken = {s: side for s, side in path if isinstance(s, If)}
        sliced = _slice(loop, made, taken, [v for _, v in members], self.ev)
        if sliced is None:
            return []
        again, remembered = sliced
        way = path[: len(_way(path))]
        at = self._counter(loop, way, found[0].phi.name)
        numbers = {v: self._remember(loop, way, v, Const(0)) for v in remembered}
        with self.ev.origin_at(loop.origin):
            _, again, values = clone.run([], again, [v for _, v in members], self.ev, inside=True)
            table: dict[Var, Atom] = {loop.index: at, **numbers}
            result: Block = []
            with self.ev.at(result):
                test = self.ev.atom(self.ev.op("greater_equal", value_of(at), 0))
            merges = []
            for c, value in zip(found, values, strict=True):
                new = table.get(value, value) if isinstance(value, Var) else value
                merges.append(Merge(c.result, new, c.init))
                inside = Var(c.result.name, c.result.type, named=c.result.named)
                self.compared[c.result] = c.result = inside
            result.append(If(test, substitute(again, table), [], merges, loop.origin))
        self._compare(loop, found)
        return result

    def _only_compared(self, loop: For, found: list[Carried], path: Path) -> bool:
        """Whether trips do nothing with what is carried but to compare it and to hand it on."""
        own = {v for c in found for v in _chain(c, path)}
        watched = own | {c.phi for c in found}
        again = set(self.compared.values())
        for s in walk(loop.body):
            if watched.isdisjoint(uses(s)):
                continue
            if isinstance(s, If):
                reading = {m.result for m in s.merges if m.then in watched or m.orelse in watched}
                if not reading <= own:
                    return False
            elif isinstance(s, Assign):
                if s.target not in own and (s.target.is_array or s.target.type.dtype != "bool"):
                    return False
            elif isinstance(s, (For, While)):
                if any(c.out in watched or (c.init in watched and c.result not in again) for c in s.carried):
                    return False
            else:
                return False
        return True

    def _counter(self, loop: For, way: Path, name: str) -> Var:
        """The number of the trip that found something, or -1: the user's, or one that is carried from now on."""
        for c in loop.carried:
            is_below = isinstance(c.init, Const) and type(c.init.value) is int and c.init.value < 0
            if is_below and is_integer(c.phi.type) and not c.phi.is_array:
                made = {v: s for s in walk(loop.body) for v in defined(s)}
                if (found := _replaced(c, made)) and _alike(found[0], way) and found[1] is loop.index:
                    return c.result
        return self._remember(loop, way, loop.index, Const(-1), f"{name}_at")

    def _remember(self, loop: For, way: Path, v: Var, init: Const, name: str = "") -> Var:
        """An integer of the trip that found something, carried to behind the loop."""

        def new() -> Var:
            made = Var(name or v.name, v.type, named=True)
            made.dim = Dim.symbol("value", made)
            return made

        phi = new()
        value: Atom = v
        for s, side in reversed(way):
            result = new()
            then, orelse = (value, phi) if side else (phi, value)
            if isinstance(s, If):
                s.merges.append(Merge(result, then, orelse))
            else:
                block = next(b for b in _blocks(loop.body) if s in b)
                block.insert(block.index(s) + 1, Assign((result,), s.op, (s.args[0], then, orelse), s.origin))
            value = result
        loop.carried.append(Carried(phi, init, value, new()))
        return loop.carried[-1].result

    def _compare(self, loop: For, found: list[Carried]) -> None:
        """In a search of searches, compare what those inside have found, and not what is made of it again."""
        table: dict[Var, Atom] = dict(self.compared)
        for c in found:
            c.out = table.get(c.out, c.out) if isinstance(c.out, Var) else c.out
        for block in _blocks(loop.body):
            block[:] = [
                t
                for s in block
                for t in (
                    substitute([s], table)
                    if isinstance(s, Assign) and not s.target.is_array and s.target.type.dtype == "bool"
                    else [s]
                )
            ]


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for s in block:
        for inner in blocks(s):
            yield from _blocks(inner)


def _is_number(c: Carried) -> bool:
    return is_float(c.phi.type) and not c.phi.is_array


def _replaced(c: Carried, made: dict[Var, Stmt]) -> tuple[Path, Atom] | None:
    """The only way on which a trip replaces what is carried, and by what."""
    path: Path = []
    out = c.out
    while isinstance(out, Var) and (s := made.get(out)) is not None:
        if isinstance(s, If):
            merge = next(m for m in s.merges if m.result is out)
            sides = merge.then, merge.orelse
        elif isinstance(s, Assign) and s.name == "where" and not out.is_array:
            sides = s.args[1], s.args[2]
        else:
            break
        if (sides[0] is c.phi) == (sides[1] is c.phi):
            break
        taken = sides[1] is c.phi
        path.append((s, taken))
        out = sides[0] if taken else sides[1]
    return (path, out) if path and out is not c.phi else None


def _asked(s: If | Assign) -> Atom:
    test: Atom = s.test if isinstance(s, If) else s.args[0]
    return test


def _alike(one: Path, other: Path) -> bool:
    """Whether two ways are taken in the same trips."""
    tests = [(_asked(s), side) for s, side in _way(one)]
    return tests == [(_asked(s), side) for s, side in _way(other)]


def _way(path: Path) -> Path:
    """The first of several ways that are alike."""
    seen: list[tuple[Atom, bool]] = []
    way: Path = []
    for s, side in path:
        if (_asked(s), side) in seen:
            break
        seen.append((_asked(s), side))
        way.append((s, side))
    return way


def _chain(c: Carried, path: Path) -> set[Var]:
    """What hands on a number, or replaces it, from the branches inside to the end of the trip."""
    found: set[Var] = set()
    out = c.out
    for s, side in path:
        if out in defined(s):
            assert isinstance(out, Var)
            found.add(out)
            if isinstance(s, If):
                merge = next(m for m in s.merges if m.result is out)
                out = merge.then if side else merge.orelse
            else:
                out = s.args[1] if side else s.args[2]
    return found


def _slice(
    loop: For, made: dict[Var, Stmt], taken: dict[If, bool], values: list[Atom], evaluator: Evaluator
) -> tuple[Block, list[Var]] | None:
    """What a trip makes some values of, and integers that are not made again, but remembered."""
    written = written_roots(walk(loop.body), evaluator.joined_roots)
    needed = {v for v in values if isinstance(v, Var)}
    again: Block = []
    remembered: list[Var] = []
    for s in reversed(list(_straight(loop.body, taken))):
        wanted = needed.intersection(defined(s))
        if not wanted:
            continue
        needed -= wanted
        if isinstance(s, (If, For, While)) and all(is_integer(v.type) and not v.is_array for v in wanted):
            remembered.extend(v for v in defined(s) if v in wanted)
            continue
        inside = walk([s])
        if not all(isinstance(i, (Assign, If, For, While, Check)) and not may_raise(i) for i in inside):
            return None
        own = {v for i in inside for v in (*defined(i), *bound_inside(i))}
        needed |= {v for i in inside for v in uses(i)} - own
        again.insert(0, s)
    if any(v in made or v.root in written for v in needed) or not needed.isdisjoint(
        c.phi for c in loop.carried
    ):
        return None
    return again, remembered


def _straight(block: Block, taken: dict[If, bool]) -> Iterator[Stmt]:
    """The statements of a trip that takes some branches, without these."""
    for s in block:
        if isinstance(s, If) and s in taken:
            yield from _straight(s.then if taken[s] else s.orelse, taken)
        else:
            yield s
