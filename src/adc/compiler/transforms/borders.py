"""Take the first and last trips of a loop out of it, where only those are told apart by tests.

    for i in range(n):                                      v[0] = f(u[0], u[0], u[1])
        below = u[i - 1] if i > 0 else u[i]                 for i in range(1, n - 1):
        above = u[i + 1] if i < n - 1 else u[i]      ->         v[i] = f(u[i - 1], u[i], u[i + 1])
        v[i] = f(below, u[i], above)                        v[n - 1] = f(u[n - 2], u[n - 1], u[n - 1])

What is left in the middle has no branches, vectorises and keeps nothing for them; where it reads neighbours it becomes
a statement on slices (`whole`). (Griebl, Feautrier & Lengauer, *Index set splitting*, 2000, of which this is the case
that a stencil's borders are.) There must be as many trips as were taken out: a call where there are fewer has code of
its own. A nest is taken apart from the inside, as long as that is not too much text.
"""

from __future__ import annotations

from dataclasses import dataclass

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
MOST_STATEMENTS = 150  # that a loop may become


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the trips at the borders beside the loops that they were in."""
    borders = _Borders(program, evaluator)
    program.body = borders.block(program.body)
    program.body = substitute(program.body, borders.table)
    program.results = [operand(r, borders.table) for r in program.results]
    return program


@dataclass(frozen=True)
class _Piece:
    """Trips of a loop, upwards from `low` to before `high`."""

    low: Dim
    high: Dim

    @property
    def is_one(self) -> bool:
        return (self.high - self.low).known == 1


class _Borders:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.given = set(program.params)
        self.table: dict[Var, Atom] = {}  # what a loop left behind -> what its last piece does
        self.in_front: list[Block] = []  # of the loops around up to a branch around them, outermost first

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        around = self.in_front
        self.in_front = [] if isinstance(stmt, If) else [*around, self.ev.block]
        change_blocks(stmt, self.block)
        self.in_front = around
        if isinstance(stmt, For) and self.table:
            (stmt,) = substitute([stmt], self.table)
        if not isinstance(stmt, For) or not self._taken_apart(stmt):
            self.ev.block.append(stmt)

    def _taken_apart(self, loop: For) -> bool:
        """Whether the pieces of a loop could be appended in place of it."""
        trips = range_of(loop)
        pieces = _pieces(loop, *trips) if trips is not None and _is_of_numbers(loop) else []
        if trips is None or len(pieces) < 2:
            return False
        length = trips[1] - trips[0]
        least = sum(p.is_one for p in pieces)
        if length.known is None and not self.given.issuperset(owners(length)):
            return False
        made: Block = []
        carried: list[Atom] = [c.init for c in loop.carried]
        for piece in pieces:
            part, carried = self._part(loop, piece, length - least, carried)
            made += part
        if len(walk(made)) > MOST_STATEMENTS:
            return False
        if length.known is None:
            self._insist(length, least)
        self.ev.block.extend(made)
        self.table.update(zip((c.result for c in loop.carried), carried, strict=True))
        return True

    def _part(self, loop: For, piece: _Piece, rest: Dim, carried: list[Atom]) -> tuple[Block, list[Atom]]:
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
            body, table = decided.run(body, Known(rest, index, piece.low, last), ev)
            ends = (piece.low, piece.high) if loop.step == Const(1) else (last, piece.low - 1)
            start, stop = (ev.atom(ev.dim_value(d)) for d in ends)
        handed_on = [
            Carried(phi, init, operand(out, table), Var(c.result.name, c.result.type, named=c.result.named))
            for c, phi, init, out in zip(loop.carried, phis, carried, outs, strict=True)
        ]
        made.append(For(index, start, stop, loop.step, handed_on, body, loop.origin, loop.note))
        return made, [c.result for c in handed_on]

    def _insist(self, length: Dim, least: int) -> None:
        """Let the program raise where there are fewer trips than were taken out, as far in front as may be."""
        ev = self.ev
        with ev.at((self.in_front or [ev.block])[0]):
            enough = ev.op("greater_equal", ev.dim_value(length), least)
            message = f"there are fewer than {least} trips"
            ev.block.append(Check(ev.atom(enough), "ValueError", (Const(message),), ev.origin))


def _pieces(loop: For, start: Dim, stop: Dim) -> list[_Piece]:
    """The trips at both ends that tests tell apart, and those between them, in the order in which they run.

    None where trips further inside are told apart, too.
    """
    asked = {p for p in _cuts(loop, stop) if not ((start - p).nonnegative or (p - stop).nonnegative)}
    front, back = (
        {k for k in range(1, NEAR + 1) if end(k) in asked} for end in (start.__add__, stop.__sub__)
    )
    first, last = max(front, default=0), max(back, default=0)
    ends = {start + k for k in range(1, first + 1)} | {stop - k for k in range(1, last + 1)}
    length = (stop - start).known
    if not asked <= ends or (length is not None and length <= first + last):
        return []
    pieces = [_Piece(start + k, start + k + 1) for k in range(first)]
    pieces += [_Piece(start + first, stop - last)]
    pieces += [_Piece(stop - k, stop - k + 1) for k in range(last, 0, -1)]
    return pieces if loop.step == Const(1) else pieces[::-1]


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
            greater = s.name in ("greater_equal", "less", "maximum", "minimum")
            found.add(root if greater == (step == 1) else root + 1)
    return (
        found | round_ends if found else found
    )  # elements that come round are rolled arrays, if that is all


def _choices(loop: For) -> list[Assign]:
    """The comparisons by which a loop over elements chooses, and the numbers that choose by themselves."""
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


def _is_of_numbers(loop: For) -> bool:
    """Whether a loop, and those in it, go from element to element, and no array is handed on."""
    statements = walk([loop])
    return all(
        isinstance(s, Assign | Store | For | If | Check) and not any(v.is_array for v in defined(s))
        for s in statements
    ) and not any(v.is_array for s in statements for v in bound_inside(s))
