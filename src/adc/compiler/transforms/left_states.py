"""Take the state that a trip leaves from where it is kept that the next one finds it.

    for t in range(n):                          h_kept[0] = h
        h_kept[t] = h                           for t in range(n):
        h = np.tanh(w * h)                          h = np.tanh(w * h)
    for t in range(n - 1, -1, -1):      ->          h_kept[t + 1] = h
        h = h_kept[t]                           for t in range(n - 1, -1, -1):
        tanh = np.tanh(w * h)                       h = h_kept[t]
        total_bar = h_bar * (1 - tanh * tanh)       tanh = h_kept[t + 1]
        ...                                         total_bar = h_bar * (1 - tanh * tanh)
                                                    ...

The sweep goes through one trip at a time, and so makes again, or keeps a second time, what the trip behind it has found
already. Where the state before a trip was only wanted for that, it is the states behind the trips that are kept, and
as many of them as before.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    Keep,
    Program,
    Restore,
    Stmt,
    Var,
    bound_inside,
    defined,
    is_view,
    length_variables,
    may_raise,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.kept import Kept
from adc.compiler.transforms.needs import own_cost
from adc.rules.operation import Operation

WORTH_A_ROW = 4  # what makes the state again takes at least this much for one more row to be kept: a function


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that the reverse sweep takes from the trip behind."""
    statements = walk(program.body)
    if any(isinstance(s, Restore) for s in statements):
        states = _LeftStates(program, statements, evaluator)
        for s in statements:
            if isinstance(s, For) and s.index in evaluator.again:
                states.loop(s)
    return program


@dataclass(frozen=True)
class _Found:
    """In a loop of the reverse sweep: the state before a trip, and the one behind it."""

    before: Restore
    behind: Assign | Restore
    again: list[Stmt]  # what is made for the state behind the trip alone
    is_wanted: bool  # the state before the trip, for anything else


class _LeftStates:
    def __init__(self, program: Program, statements: Block, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.kept = Kept(program)
        self.forward = {s.index: s for s in statements if isinstance(s, For)}
        self.stored = written_roots(statements, evaluator.joined_roots)

    def loop(self, reverse: For) -> None:
        """Look through a loop of the reverse sweep."""
        loop = self.forward.get(self.ev.again[reverse.index])
        if loop is None:
            return
        for c in loop.carried:
            if (made := self._made(loop, c)) is None or (found := self._found(reverse, c)) is None:
                continue
            with self.ev.origin_at(found.behind.origin):
                if not found.is_wanted:
                    self._keep_behind(c, made, found)
                elif self._is_worth_a_row(reverse, found):
                    self._keep_one_more(loop, c, made, found)

    def _made(self, loop: For, c: Carried) -> Stmt | None:
        """What makes the next state, if it has the shape of this one, and nobody writes to either."""
        made = next((s for s in loop.body if c.out in defined(s)), None)
        if made is None or may_raise(made) or not isinstance(c.out, Var):
            return None
        if isinstance(made, Assign) and (is_view(made) or len(made.targets) > 1):
            return None
        if any(v.root in self.stored for v in (c.phi, c.out)) or c.out.type.dtype != c.phi.type.dtype:
            return None
        return made if self.ev.equal.same_shape(c.phi.type.shape, c.out.type.shape) else None

    def _found(self, reverse: For, c: Carried) -> _Found | None:
        of = {self.ev.again.get(v): s for s in reverse.body for v in defined(s)}
        before, behind = of.get(c.phi), of.get(c.out)  # type: ignore[arg-type]
        if not isinstance(before, Restore) or not self._is_alone(before):
            return None
        if isinstance(behind, Restore):
            if not self._is_alone(behind):
                return None
        elif not isinstance(behind, Assign) or len(behind.targets) != 1 or is_view(behind):
            return None
        if reverse.body.index(before) > reverse.body.index(behind):
            here = {v for s in reverse.body for v in defined(s)}
            if not here.isdisjoint(variables(before.index)):
                return None  # which row it is, is not known yet where the state behind the trip is wanted
        again = self._only_for(reverse, behind, before)
        return _Found(before, behind, [s for s in again if s is not before], before not in again)

    def _is_alone(self, s: Restore) -> bool:
        """Whether what is restored is of one buffer of rows, which nothing else restores."""
        return (
            s.index is not None
            and not s.lengths
            and self.kept.is_for_one(s)
            and self.kept.keeps[s.buffer].index is not None
        )

    def _only_for(self, reverse: For, behind: Assign | Restore, before: Restore) -> list[Stmt]:
        """What makes the state behind a trip again, and what makes values for it alone; the row stays known."""
        readers: dict[Var, set[Stmt]] = {}
        for s in walk(reverse.body):
            for v in (*uses(s), *(u for t in defined(s) for u in length_variables(t))):
                readers.setdefault(v, set()).add(s)
        for v in (*uses(reverse), *variables(before.index)):
            readers.setdefault(v, set()).add(reverse)
        found: list[Stmt] = [behind]
        for s in reversed(reverse.body[: reverse.body.index(behind)]):
            if isinstance(s, (Assign, Restore)) and not may_raise(s):
                read = [readers.get(v, set()) for v in defined(s)]
                if any(read) and all(r <= set(found) for r in read):
                    found.append(s)
        return found

    def _is_worth_a_row(self, reverse: For, found: _Found) -> bool:
        """Whether a buffer or a function is saved, and no product reads the rows: one for all trips reads a matrix."""
        if not isinstance(found.behind, Restore) and sum(map(_cost, found.again)) < WORTH_A_ROW:
            return False
        rows = {found.before.target, *defined(found.behind)}
        return not any(
            isinstance(s, Assign) and isinstance(s.op, Operation) and not is_elementwise(s.op)
            for s in reverse.body
            if any(v.is_array and v in rows for v in uses(s))
        )

    # --- where it is kept ---------------------------------------------------------------------------------------

    def _keep_behind(self, c: Carried, made: Stmt, found: _Found) -> None:
        """Keep what a trip leaves in place of what it finds."""
        keep = self.kept.keeps[found.before.buffer]
        self.kept.remove((keep, found.before, *found.again[1:]))
        self.kept.replace(made, [made, Keep(keep.buffer, keep.index, c.out, keep.origin)])
        self.kept.replace(found.behind, [self._restored(found, found.before.index)])

    def _keep_one_more(self, loop: For, c: Carried, made: Stmt, found: _Found) -> None:
        """Keep the first state in front of the loop, and what each trip leaves one row on."""
        keep = self.kept.keeps[found.before.buffer]
        assert keep.index is not None and found.before.index is not None
        inside = {v for s in walk(loop.body) for v in (*defined(s), *bound_inside(s))}
        if inside & set(variables(keep.index[:-1])):
            return
        new = self.kept.made[keep.buffer]
        setup: Block = []
        with self.ev.at(setup):
            assert keep.buffer.trips is not None
            *around, trips = keep.buffer.trips
            keep.buffer.trips = [*around, self.ev.atom(self.ev.op("add", plain_value(trips), 1))]
        self.kept.replace(new, [*setup, new])
        self.kept.replace(loop, [Keep(keep.buffer, (*keep.index[:-1], Const(0)), c.init, keep.origin), loop])
        self.kept.remove((keep, *found.again[1:]))
        keeping: Block = [made]
        with self.ev.at(keeping):
            keeping.append(Keep(keep.buffer, self._next(keep.index), c.out, keep.origin))
        self.kept.replace(made, keeping)
        restoring: Block = []
        with self.ev.at(restoring):
            restoring.append(self._restored(found, self._next(found.before.index)))
        self.kept.replace(found.behind, restoring)
        if isinstance(found.behind, Restore):
            self.kept.keep_no_more(found.behind.buffer)

    def _next(self, index: tuple[Var | Const, ...]) -> tuple[Var | Const, ...]:
        return (*index[:-1], self.ev.atom(self.ev.op("add", plain_value(index[-1]), 1)))

    def _restored(self, found: _Found, index: tuple[Var | Const, ...] | None) -> Restore:
        (target,) = defined(found.behind)
        if isinstance(target.type, Array):
            target.type = Array(target.type.dtype, target.type.shape)
        return Restore(target, found.before.buffer, index, found.behind.origin)


def _cost(s: Stmt) -> int:
    return own_cost(s) if isinstance(s, Assign) else 0
