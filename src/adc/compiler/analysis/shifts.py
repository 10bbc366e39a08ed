"""Find the maxima that are only subtracted to avoid overflow: the result does not depend on them.

In `m + log(sum(exp(z - m)))`, in `exp(z - m) / sum(exp(z - m))` and in `exp(z - m) @ v / sum(exp(z - m))` the shift m
cancels, whatever it is, so its adjoint is zero and the adjoint of the maximum need not be formed. So it does where
loops search for the maximum, or add up, and where m is the larger of two numbers. What depends on m is followed under
a change of m by d: it gains a * d, or is multiplied by exp(w * d) (weights.py). When every value that leaves the
followed operations has both weights zero, the shift is inactive.
"""

from __future__ import annotations

from collections.abc import Iterator

from adc.compiler.analysis.positions import counts
from adc.compiler.analysis.roots import written_roots
from adc.compiler.analysis.weights import STAYS, ZERO, Weight, followed, joined, summed, through_columns
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.creation import BLANK, ZEROS
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Index,
    Program,
    Stmt,
    Store,
    Var,
    blocks,
    bound_inside,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, is_float
from adc.rules.shapes import normalize_axes

EXTREMES = {"max", "min"}
EXTREMES_OF_TWO = {"maximum", "minimum"}
COMPARISONS = {"greater", "less", "greater_equal", "less_equal"}
VIEWS = {"getitem", "reshape", "expand_dims", "alias", "cast", "divide", "multiply", "negative"}


def inactive_shifts(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Var]:
    """The maxima (and minima) of a program on whose value its results do not depend."""
    shifts = _Shifts(program, joined_roots)
    return {
        m
        for block in _blocks(program.body)
        for k, s in enumerate(block)
        for m, weight in shifts.made_by(s)
        if shifts.may_cancel(m) and _Followed(shifts, m, weight).cancels(block, block[k + 1 :])
    }


def _blocks(body: Block) -> list[Block]:
    return [body, *(b for s in walk(body) for b in blocks(s))]


class _Shifts:
    """What is known of a whole program: what makes a value, what reads it, and what counts."""

    def __init__(self, program: Program, joined_roots: dict[Var, set[Var]]) -> None:
        statements = walk(program.body)
        self.joined = set(joined_roots).union(*joined_roots.values())
        self.written = written_roots(statements, joined_roots)
        self.counting = {s.target for s in statements if isinstance(s, Assign) and counts(s)} - self.written
        self.zeros = {
            s.target for s in statements if isinstance(s, Assign) and s.name in ZEROS
        } - self.written
        self.made = {v: s for s in statements for v in defined(s)}
        self.readers: dict[Var, list[Stmt]] = {}
        self.users: dict[Var, list[Stmt]] = {}  # of an array: what reads or writes it, or a view of it
        for s in statements:
            for v in uses(s):
                self.readers.setdefault(v, []).append(s)
                if v.is_array and not (isinstance(s, Assign) and s.name == "dim"):
                    self.users.setdefault(v.root, []).append(s)
        self.returned = {r for r in program.results if isinstance(r, Var)}

    def made_by(self, s: Stmt) -> Iterator[tuple[Var, Weight]]:
        """The extremes that a statement finds, as shifts."""
        if isinstance(s, Assign) and is_float(s.targets[0].type):
            if s.name in EXTREMES and isinstance(s.args[0], Var):
                ndim = s.args[0].type.ndim
                reduced = normalize_axes(plain_value(s.args[1]), ndim)
                kept = [k for k in range(ndim) if k not in reduced]
                keepdims = s.args[2] == Const(True)
                yield s.target, Weight(1.0, 0.0, tuple(kept) if keepdims else tuple(range(len(kept))))
            elif self._is_extreme_of_two(s):
                yield s.target, _of_all(s.target)
        elif isinstance(s, If):
            for m in s.merges:
                if is_float(m.result.type) and self._compares(s.test, m.then, m.orelse):
                    yield m.result, _of_all(m.result)
        elif isinstance(s, For):
            for c in s.carried:
                if is_float(c.result.type) and c.result.root not in self.written and self._is_search(c):
                    yield c.result, _of_all(c.result)

    def may_cancel(self, m: Var) -> bool:
        """Whether a value, or a view of it, is subtracted somewhere: few of the extremes of a program are."""
        return any(
            s.accumulate
            if isinstance(s, Store)
            else isinstance(s, Assign)
            and (s.name in ("subtract", "add") or (s.name in VIEWS and any(map(self.may_cancel, s.targets))))
            for s in self.readers.get(m, ())
        )

    def _is_extreme_of_two(self, s: Assign) -> bool:
        return s.name in EXTREMES_OF_TWO or (s.name == "where" and self._compares(*s.args))

    def _compares(self, test: Atom, one: Atom, other: Atom) -> bool:
        """Whether a test asks which of two values is the larger one."""
        made = self.made.get(test) if isinstance(test, Var) else None
        return isinstance(made, Assign) and made.name in COMPARISONS and set(made.args) == {one, other}

    def _is_search(self, c: Carried) -> bool:
        """Whether a loop carries the largest number that it has seen."""
        s = self.made.get(c.out) if isinstance(c.out, Var) else None
        if isinstance(s, Assign):
            return c.phi in s.args and self._is_extreme_of_two(s)
        if isinstance(s, If):
            m = next(m for m in s.merges if m.result is c.out)
            return c.phi in (m.then, m.orelse) and self._compares(s.test, m.then, m.orelse)
        return False


def _of_all(shift: Var) -> Weight:
    return Weight(1.0, 0.0, tuple(range(shift.type.ndim)) if isinstance(shift.type, Array) else ())


class _Lost(Exception):
    """What a view of an array shows of a shift cannot be said."""


class _Followed:
    """What follows one shift, from the statement that makes it to the end of its block."""

    def __init__(self, shifts: _Shifts, shift: Var, weight: Weight) -> None:
        self.shifts = shifts
        self.weights: dict[Var, Weight] = {shift: weight}
        self.filled: dict[
            Var, Weight
        ] = {}  # of arrays that are written to: how all elements of their places move
        self.of_trips: set[Var] = set()  # arrays of which the trips of a loop write one element each
        self.read_as_left: set[Var] = set()  # arrays that are read as they were before the shift
        self.handled: set[Stmt] = set()
        self.depth = 0  # of branches and loops, which may not run

    def cancels(self, block: Block, behind: Block) -> bool:
        """Whether nothing that moves is left behind, or read by what cannot be followed."""
        self.places = _Places(self.shifts, block, behind)
        try:
            follows = self._follow(behind)
        except _Lost:
            return False
        if not follows:
            return False
        moving = {v for v, w in self.weights.items() if w.moves}
        filled = {root for root, w in self.filled.items() if w.moves}
        return (
            (moving | filled).isdisjoint(self.shifts.returned)
            and all(self.handled.issuperset(self.shifts.readers.get(v, ())) for v in moving)
            and all(map(self._stays_here, filled))
        )

    def _stays_here(self, root: Var) -> bool:
        """Whether what is written to an array is read behind the shift alone, and before the next one."""
        users = self.shifts.users.get(root, [])
        if self.places.is_of_block(root):
            before = self.places.inside - self.places.region
            return all(s in self.handled or s in before for s in users)
        return self.handled.issuperset(users) and root not in self.read_as_left

    def _follow(self, block: Block) -> bool:
        """Whether all statements of a block move as their operands do, or stay."""
        return all(self._statement(s) for s in block)

    def _inside(self, block: Block) -> bool:
        self.depth += 1
        follows = self._follow(block)
        self.depth -= 1
        return follows

    def _statement(self, s: Stmt) -> bool:
        self.handled.add(s)
        if isinstance(s, Assign):
            return self._assign(s)
        if isinstance(s, Store):
            return self._store(s)
        if isinstance(s, If):
            return self._branch(s)
        if isinstance(s, For):
            return self._loop(s)
        return not any(self._weight(v).moves for v in uses(s))

    def _weight(self, x: Atom) -> Weight:
        if isinstance(x, Const):
            return ZERO if isinstance(x.value, (int, float)) and x.value == 0 else STAYS
        if not x.is_array or not self.places.is_one(x.root):
            return self.weights.get(x, ZERO if x in self.shifts.zeros else STAYS)
        if self._is_as_left(x.root):
            self.read_as_left.add(x.root)
        return self._of_view(x)

    def _of_view(self, x: Var) -> Weight:
        """The weight of a place, or of a view of one, whose axes are its own."""
        if x.view_of is None:
            return self._of_place(x)
        base = self._of_view(x.view_of)
        made = self.shifts.made[x]
        assert isinstance(made, Assign)
        weight = followed(made, lambda _: base, self.shifts.counting) if base.axes else base
        if weight is None:
            raise _Lost
        return weight

    def _is_as_left(self, root: Var) -> bool:
        return root not in self.filled and not self.places.is_new(root)

    def _of_place(self, root: Var) -> Weight:
        return self.filled.get(root, ZERO if self.places.is_new(root) else STAYS)

    def _set(self, v: Var, weight: Weight) -> None:
        if v.is_array and self.places.is_one(v.root):
            self.filled[v.root] = weight
        else:
            self.weights[v] = weight

    def _assign(self, s: Assign) -> bool:
        if s.name == "dim" or (s.targets[0].view_of is not None and self.places.is_one(s.target.root)):
            return True
        operands = [self._weight(v) for v in uses(s)]
        weight = ZERO if s.targets[0] in self.shifts.zeros else STAYS
        if any(w is not STAYS for w in operands):
            found = followed(s, self._weight, self.shifts.counting) if len(s.targets) == 1 else None
            if found is None and any(w.moves for w in operands):
                return False
            weight = found or STAYS
        for v in s.targets:
            self._set(v, weight)
        return True

    def _store(self, s: Store) -> bool:
        root, value = s.array.root, self._weight(s.value)
        if not self.places.is_one(root):
            return not value.moves and not self._weight(s.array).moves
        if value.axes and not _writes_all(s):
            fits = (
                s.array is root
                and self.places.is_new(root)
                and isinstance(s.value, Var)
                and s.value.type.ndim == s.index.count(FULL)
            )
            placed = through_columns(s.index, value) if fits else None
            if placed is None:
                return False
            value = placed
        if s.accumulate and self._is_as_left(root):
            self.read_as_left.add(root)
        if s.accumulate and not self.depth and _writes_all(s):
            total = summed(self._of_place(root), value)
            if total is not None:
                self.filled[root] = total
            return total is not None
        weight: Weight | None = value
        is_replaced = root in self.of_trips or (not self.depth and _writes_all(s))
        if s.accumulate or not is_replaced:
            weight = joined(self._of_place(root), value)
        # What is added to twice, and zeros that stay, do not gain as much.
        if weight is None or (weight.additive != 0 and (s.accumulate or not is_replaced)):
            return False
        self.filled[root] = weight
        return True

    def _branch(self, s: If) -> bool:
        if not self._inside(s.then) or not self._inside(s.orelse):
            return False
        for m in s.merges:
            weight = joined(self._weight(m.then), self._weight(m.orelse))
            if weight is None:
                return False
            self._set(m.result, weight)
        return True

    def _loop(self, loop: For) -> bool:
        """Follow a trip until what is carried, and what is filled, moves in the next one as in this."""
        outside = self.of_trips
        once = {} if self.depth else self.places.written_once(loop)
        self.of_trips = outside | set(once)
        self.read_as_left |= {r for r, is_read in once.items() if is_read and self._is_as_left(r)}
        before = {root: self._of_place(root) for root in self.of_trips - outside}
        carried = [self._weight(c.init) for c in loop.carried]
        is_settled = False
        while not is_settled:
            filled = self.filled | before
            self.filled = dict(filled)
            for c, weight in zip(loop.carried, carried, strict=True):
                self._set(c.phi, weight)
            if not self._inside(loop.body):
                return False
            handed_on = []
            for c, weight in zip(loop.carried, carried, strict=True):
                again = joined(weight, self._weight(c.out))
                if again is None:
                    return False
                handed_on.append(again)
            is_settled = handed_on == carried and all(
                filled.get(root) == w for root, w in self.filled.items() if root not in before
            )
            carried = handed_on
        self.of_trips = outside
        for c, weight in zip(loop.carried, carried, strict=True):
            self._set(c.result, weight)
        return True


def _writes_all(s: Store) -> bool:
    """Whether a statement replaces, or adds to, all elements of an array."""
    value = s.value
    return (
        s.array is s.array.root
        and all(i == FULL for i in s.index)
        and isinstance(value, Var)
        and value.type.ndim == s.array.type.ndim
    )


class _Places:
    """Arrays, or rows of them, that are written to behind a shift, so that all elements move in one way.

    An array that is made there; one that is replaced as a whole; a row that is read and written under one index
    (`w[j]`, `p[i, j]` with one i).
    """

    def __init__(self, shifts: _Shifts, block: Block, behind: Block) -> None:
        self.shifts = shifts
        self.block = block
        self.region = set(walk(behind))
        self.inside = set(walk(block))
        self.stored = {s.array.root for s in self.region if isinstance(s, Store)}
        self.changing = {v for s in self.region for v in (*defined(s), *bound_inside(s))}
        self.known: dict[Var, bool] = {}

    def is_one(self, root: Var) -> bool:
        """Whether an array that is written to has one name, and one place or all of its elements are meant."""
        if root not in self.known:
            self.known[root] = (
                root in self.stored
                and root not in self.shifts.joined
                and (self.is_new(root) or self._is_whole(root) or self._is_row(root))
            )
        return self.known[root]

    def is_of_block(self, root: Var) -> bool:
        """Whether each run of the block of the shift makes an array anew."""
        made = self.shifts.made.get(root)
        return isinstance(made, Assign) and (made in self.region or made in self.block)

    def is_new(self, root: Var) -> bool:
        """Whether an array is made in the block of the shift, and used behind the shift only."""
        made = self.shifts.made.get(root)
        return (
            isinstance(made, Assign)
            and made.name in BLANK
            and self.is_of_block(root)
            and (made in self.region or self.region.issuperset(self.shifts.users.get(root, [])))
        )

    def _is_whole(self, root: Var) -> bool:
        """Whether all that is written to an array replaces it, and nothing holds a part of it."""
        return all(
            _writes_all(s) if isinstance(s, Store) else not any(t.root is root for t in defined(s))
            for s in self.region.intersection(self.shifts.users[root])
        )

    def _is_row(self, root: Var) -> bool:
        """Whether all that reads and writes an array from before does so under one index, but for its last part."""
        if self.shifts.made.get(root) in self.region:
            return False
        found: set[tuple[Var, Index]] = set()
        views: set[Var] = set()
        for s in self.region.intersection(self.shifts.users.get(root, [])):
            if isinstance(s, Store):
                found.add((s.array, s.index[:-1]))
            elif not isinstance(s, Assign) or s.name != "getitem":
                return False
            elif s.target.view_of is root:
                views.add(s.target)
            elif not s.target.is_array:
                found.add((s.args[0], s.args[1][:-1]))
            else:
                return False
        array, prefix = found.pop()
        is_row = len(prefix) == array.type.ndim - 1 and all(isinstance(i, (Var, Const)) for i in prefix)
        return not found and is_row and views <= {array} and self.changing.isdisjoint(variables(prefix))

    def written_once(self, loop: For) -> dict[Var, bool]:
        """Arrays of which each trip writes the element of its number, the loop all; whether it reads it before."""
        found: dict[Var, bool] = {}
        if loop.start != Const(0) or loop.step != Const(1):
            return found
        inside = set(walk(loop.body))
        for k, s in enumerate(loop.body):
            if not isinstance(s, Store) or not self.is_one(s.array.root):
                continue
            root = s.array.root
            others = inside.intersection(self.shifts.users[root]) - {s}
            if (
                (not self.is_new(root) or (s.array is root and root.type.ndim == 1))
                and s.index[-1] is loop.index
                and length_of(loop.stop) == s.array.type.shape[-1]
                and all(
                    isinstance(o, Assign) and o.name == "getitem" and o.args == (s.array, s.index)
                    for o in others
                )
            ):
                found[root] = not others.isdisjoint(walk(loop.body[:k]))
        return found
