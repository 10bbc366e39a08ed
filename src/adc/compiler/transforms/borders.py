"""Take a loop apart where its tests tell trips apart by the counter: at its ends, and where another counter stands.

    for i in range(n):                                      v[0] = f(u[0], u[0], u[1])
        below = u[i - 1] if i > 0 else u[i]                 for i in range(1, n - 1):
        above = u[i + 1] if i < n - 1 else u[i]      ->         v[i] = f(u[i - 1], u[i], u[i + 1])
        v[i] = f(below, u[i], above)                        v[n - 1] = f(u[n - 2], u[n - 1], u[n - 1])

    for j in range(n):                                      for j in range(i):
        if j != i:                                              s += g(x[i] - x[j])
            s += g(x[i] - x[j])                      ->     for j in range(i + 1, n):
                                                                s += g(x[i] - x[j])

What is left has no branches, vectorises and keeps nothing for them; where it reads neighbours it becomes a statement on
slices (`whole`). (Griebl, Feautrier & Lengauer, *Index set splitting*, 2000, in two cases.) Of trips at the ends there
must be as many as were taken out: a call where there are fewer has code of its own. A nest is taken apart from the
inside, as long as that is not too much text.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from adc.compiler.analysis.conditions import ALL_OF, ANY_OF, OPPOSITE
from adc.compiler.analysis.equalities import range_of
from adc.compiler.analysis.touches import pace, with_counter_at
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
    Program,
    Stmt,
    Store,
    Var,
    bound_inside,
    change_blocks,
    defined,
    owners,
    walk,
)
from adc.compiler.transforms import clone, decided
from adc.compiler.transforms.decided import Known, as_held_by
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.dims import Dim

NEAR = 3  # trips of a border: a stencil of seven points has three
SHORT = 8  # loops of known lengths up to this one are written out, or compiled as such
MOST_STATEMENTS = 150  # that a loop may become
FEWER = "there are fewer than"


def run(program: Program, evaluator: Evaluator, insists: bool = True) -> Program:
    """The program with the trips at the borders beside the loops that they were in, if it may insist on trips."""
    borders = _Borders(program, evaluator, insists)
    program.body = borders.block(program.body)
    program.body = substitute(program.body, borders.table)
    program.results = [operand(r, borders.table) for r in program.results]
    return program


def insisted(error: Exception) -> bool:
    """Whether generated code raised since a loop has fewer trips than were taken out of it."""
    return str(error).startswith(FEWER)


@dataclass(frozen=True)
class _Piece:
    """Trips of a loop, upwards from `low` to before `high`."""

    low: Dim
    high: Dim
    is_one: bool = False  # that there certainly is


@dataclass(frozen=True)
class _Pieces:
    """The trips of a loop in the order in which they run, and how many there must be."""

    pieces: list[_Piece]
    least: int = 0


class _Borders:
    def __init__(self, program: Program, evaluator: Evaluator, insists: bool) -> None:
        self.ev = evaluator
        self.insists = insists
        self.given = set(program.params)
        self.table: dict[Var, Atom] = {}  # what a loop left behind -> what its last piece does
        self.in_front: list[Block] = []  # of the loops around up to a branch around them, outermost first
        self.counters: list[Var] = []  # of all loops around

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        around = self.in_front
        self.in_front = [] if isinstance(stmt, If) else [*around, self.ev.block]
        if isinstance(stmt, For):
            self.counters.append(stmt.index)
        change_blocks(stmt, self.block)
        self.in_front = around
        if isinstance(stmt, For):
            self.counters.pop()
            (stmt,) = substitute([stmt], self.table)
        if not isinstance(stmt, For) or not self._taken_apart(stmt):
            self.ev.block.append(stmt)

    def _taken_apart(self, loop: For) -> bool:
        """Whether the pieces of a loop could be appended in place of it."""
        trips = range_of(loop)
        if trips is None or not _hands_on_numbers(loop):
            return False
        found = self._pieces(loop, *trips)
        if found is None:
            return False
        length = trips[1] - trips[0]
        made: Block = []
        carried: list[Atom] = [c.init for c in loop.carried]
        for piece in found.pieces if loop.step == Const(1) else found.pieces[::-1]:
            part, carried = self._part(loop, piece, trips, length - found.least, carried)
            made += part
        if len(walk(made)) > MOST_STATEMENTS:
            return False
        if length.known is None and found.least:
            self._insist(length, found.least)
        self.ev.block.extend(made)
        self.table.update(zip((c.result for c in loop.carried), carried, strict=True))
        return True

    def _pieces(self, loop: For, start: Dim, stop: Dim) -> _Pieces | None:
        """The trips that tests tell apart, if all of these are at the ends, or where one other counter stands."""
        sure = self.ev.never_negative
        inside = {p for p in _cuts(loop, stop) if not (sure(start - p) or sure(p - stop))}
        if not inside:
            return None
        return self._at_the_ends(inside, start, stop) or self._at_a_counter(inside, start, stop)

    def _at_the_ends(self, asked: set[Dim], start: Dim, stop: Dim) -> _Pieces | None:
        """Some first and last trips, each by itself, and the ones between them."""
        front, back = (
            max((k for k in range(1, NEAR + 1) if end(k) in asked), default=0)
            for end in (start.__add__, stop.__sub__)
        )
        ends = {start + k for k in range(1, front + 1)} | {stop - k for k in range(1, back + 1)}
        length = stop - start
        if not asked <= ends:
            return None
        if length.known is None:
            if not (self.insists and self.given.issuperset(owners(length))):
                return None
        elif length.known <= front + back:
            return None
        first = [_Piece(start + k, start + k + 1, True) for k in range(front)]
        last = [_Piece(stop - k, stop - k + 1, True) for k in range(back, 0, -1)]
        return _Pieces([*first, _Piece(start + front, stop - back), *last], front + back)

    def _at_a_counter(self, asked: set[Dim], start: Dim, stop: Dim) -> _Pieces | None:
        """The trips before the one where a counter around stands, that one, and those behind it."""
        origin = next(iter(asked))
        distances = {p: (p - origin).known for p in asked}
        length = (stop - start).known
        if (
            None in distances.values()
            or (length is not None and length <= SHORT)
            or not any(v in self.counters for v in owners(origin))
        ):
            return None
        cuts = sorted(asked, key=lambda p: distances[p] or 0)
        ends = [start, *cuts, stop]
        pieces = []
        for low, high in pairwise(ends):
            is_there = (high - low).known == 1 and all(
                map(self.ev.never_negative, (low - start, stop - high))
            )
            pieces.append(_Piece(low, high, is_there))
        return _Pieces(pieces)

    def _part(
        self, loop: For, piece: _Piece, trips: tuple[Dim, Dim], rest: Dim, carried: list[Atom]
    ) -> tuple[Block, list[Atom]]:
        """The statements of some trips without what is decided there, and what they hand on."""
        ev = self.ev
        phis = [c.phi for c in loop.carried]
        own, body, outs = clone.run(
            [loop.index, *phis], loop.body, [c.out for c in loop.carried], ev, inside=True
        )
        index, *phis = own
        made: Block = []
        with ev.at(made):
            if piece.is_one:
                handed = [as_held_by(phi, x, ev) for phi, x in zip(phis, carried, strict=True)]
                given = dict(zip(own, [ev.atom(ev.dim_value(piece.low)), *handed], strict=True))
                body, table = decided.run(substitute(body, given), Known(rest), ev)
                return [*made, *body], [operand(operand(x, given), table) for x in outs]
            last = piece.high - 1
            ev.ranges[index] = piece.low, last
            body, table = decided.run(body, Known(rest, index, piece.low, last), ev)
            low, high = ev.dim_value(piece.low), ev.dim_value(piece.high)
            if not self.ev.never_negative(piece.low - trips[0]):
                low = ev.extreme("maximum", low, ev.dim_value(trips[0]))
            if not self.ev.never_negative(trips[1] - piece.high):
                high = ev.extreme("minimum", high, ev.dim_value(trips[1]))
            if loop.step == Const(-1):
                low, high = ev.op("subtract", high, 1), ev.op("subtract", low, 1)
        handed_on = [
            Carried(phi, init, operand(out, table), Var(c.result.name, c.result.type, named=c.result.named))
            for c, phi, init, out in zip(loop.carried, phis, carried, outs, strict=True)
        ]
        if not body and all(c.out is c.phi for c in handed_on):
            return [], carried
        made.append(
            For(index, ev.atom(low), ev.atom(high), loop.step, handed_on, body, loop.origin, loop.note)
        )
        return made, [c.result for c in handed_on]

    def _insist(self, length: Dim, least: int) -> None:
        """Let the program raise where there are fewer trips than were taken out, as far in front as may be."""
        ev = self.ev
        with ev.at((self.in_front or [ev.block])[0]):
            enough = ev.op("greater_equal", ev.dim_value(length), least)
            message = f"{FEWER} {least} trips"
            ev.block.append(Check(ev.atom(enough), "ValueError", (Const(message),), ev.origin))


def _cuts(loop: For, stop: Dim) -> set[Dim]:
    """Where the counter stands when a choice of a trip becomes another one than in the trip before."""
    inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
    found: set[Dim] = set()
    round_ends: set[Dim] = set()
    for s in _choices(loop):
        a, b = map(length_of, s.args) if len(s.args) == 2 else (None, None)
        if a is None or b is None:
            continue
        difference = a - b  # zero where the counter is at its root
        step = pace(difference, loop.index)
        root = with_counter_at(difference, loop.index, Dim(0)) * -step
        if abs(step) != 1 or not inside.isdisjoint(owners(root)):
            continue
        if s.name in ("equal", "not_equal"):
            found |= {root, root + 1}
        elif s.name == "remainder":
            round_ends |= {root, root - b} if b == stop else set()  # of what is nearly an index
        else:  # the root is on the side of what is greater, or equal
            greater = s.name in ("greater_equal", "less", "maximum")
            found.add(root if greater == (step == 1) else root + 1)
    # Elements that come round are rolled arrays, if that is all.
    return found | round_ends if found else found


def _choices(loop: For) -> list[Assign]:
    """The comparisons by which a loop chooses, and the numbers that choose by themselves."""
    made: dict[Atom, Assign] = {
        s.target: s for s in walk(loop.body) if isinstance(s, Assign) and len(s.targets) == 1
    }
    asked: list[Atom] = [s.test for s in walk(loop.body) if isinstance(s, If)]
    asked += [s.args[0] for s in made.values() if s.name == "where"]
    found = [s for s in made.values() if s.name in ("maximum", "minimum", "remainder")]
    while asked:
        s = made.get(asked.pop())
        if s is not None and s not in found:
            found.append(s)
            asked.extend(s.args if s.name in (*ALL_OF, *ANY_OF, "logical_not") else ())
    return [s for s in found if s.name in (*OPPOSITE, "maximum", "minimum", "remainder")]


def _hands_on_numbers(loop: For) -> bool:
    """Whether a loop, and those in it, hand on no array, and no branch merges two."""
    statements = walk([loop])
    return all(
        isinstance(s, Assign | Store | Check)
        or (isinstance(s, For | If) and not any(v.is_array for v in (*defined(s), *bound_inside(s))))
        for s in statements
    )
