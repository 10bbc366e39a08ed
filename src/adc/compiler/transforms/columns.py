"""Give arrays of short rows, as points of three coordinates, to inner loops as columns.

    for i in range(n):                               for i in range(n):
        for j in range(n):                               for j in range(n):
            d = x[i, 0] - x[j, 0]         ->                 d = columns[0, i] - columns[0, j]
            e = x[i, 1] - x[j, 1]                            e = columns[1, i] - columns[1, j]

A loop that follows the rows reads and writes every second or third number, which no vector instruction does: in
columns they lie side by side (a structure of arrays instead of an array of structures). What a program makes for itself
it makes in columns at once. Another array is copied before a loop that reads all of its rows in each trip.

So it is with arrays of any number of columns of which each trip of an outer loop takes one, as a simulation does that
has a row for each path and a column for each step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from adc.compiler.analysis.counters import never_negative, ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.roots import written_roots
from adc.compiler.analysis.touches import distance, element, move
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.creation import BLANK
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Index,
    Program,
    Stmt,
    Store,
    Var,
    While,
    all_blocks,
    blocks,
    bound_inside,
    defined,
    length_variables,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS, Array, Scalar
from adc.rules import registry
from adc.rules.dims import Dim

FEW = range(2, 5)  # numbers of a row
NEARLY = range(-1, 5)  # columns, or rows, that a loop may leave out of all
FEWEST_TRIPS = 4  # of loops around others, as a rule
Followed = tuple[Var, Index, int, tuple[For, ...]]


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with short rows laid out as columns where inner loops follow them."""
    columns = _Columns(program, evaluator)
    columns.of_own()
    program.body = columns.block(program.body)
    return program


class _Columns:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.known = Equalities(program)
        self.ranges = ranges(program.body)
        self.tall = self._tall()
        self.repeatedly = self._repeatedly()
        self.written = written_roots(walk(program.body), evaluator.joined_roots)
        self.copies: dict[Var, Var] = {}  # arrays that nobody writes to, and their columns made so far

    def _tall(self) -> set[Var]:
        """Arrays whose columns inner loops follow, their last subscript counted by others; few follow their rows.

        Of an array that is made here, a loop within one more loop counts as many: it runs as often as that one has
        trips. Another one has to be copied, for all of them.
        """
        made = {s.target for s in walk(self.program.body) if isinstance(s, Assign) and s.name in BLANK}
        votes: dict[Var, list[int]] = {}
        for s, path in self._innermost(self.program.body, ()):
            element = _subscripts(s)
            if element is None or (isinstance(s, Store) and isinstance(s.value, Const)):
                continue
            array, index = element
            if _has_short_rows(array) or array in self.ev.laid_out:
                continue
            inside = {v for t in path[-1].body for v in defined(t)} | {path[-1].index}
            following = [k for k, i in enumerate(index) if isinstance(i, Var) and _made_of(i, inside)]
            along = votes.setdefault(array, [0, 0])
            stepped = any(distance(loop.index, index[-1]) is not None for loop in path[:-1])
            times = FEWEST_TRIPS ** len(path) if array in made else 1
            if following == [len(index) - 2] and distance(path[-1].index, index[-2]) is not None:
                along[0] += times * stepped
            elif following:
                along[1] += times
        return {array for array, (columns, rows) in votes.items() if columns >= 2 * rows and columns}

    def _repeatedly(self) -> set[Var]:
        """Arrays of short rows that an inner loop goes through in every trip of another."""
        return {
            array
            for array, _, position, path in self._followed(self.program.body, ())
            if position == 0
            and len(path) > 1
            and _has_short_rows(array)
            and self._covers(path, array.type.shape[0])
        }

    def _turns(self, array: Var) -> bool:
        """Whether an array is better off in columns."""
        return array in self.tall or (_has_short_rows(array) and array not in self.ev.laid_out)

    def _element(self, s: Stmt) -> tuple[Var, Index] | None:
        """The array and index of a statement that reads or writes one element."""
        element = _subscripts(s)
        if element is None or element[0] in self.tall:
            return element
        array, (*_, last) = element
        if isinstance(last, Var):  # as a copy of many points has it, which goes through each row whole
            of_many = array.type.ndim == 2 and array.type.shape[0].known is None
            return element if of_many and never_negative(self.ev.length(last), self.ranges) else None
        counts = isinstance(last, Const) and type(last.value) is int and last.value >= 0
        return element if counts else None

    # --- arrays of the program's own ------------------------------------------------------------------------------

    def of_own(self) -> None:
        """Arrays that are made here and used element by element alone are made in columns.

        So are those of a loop or a branch that may be one another: all of them, or none.
        """
        made: dict[Var, Assign] = {}
        results = {r for r in self.program.results if isinstance(r, Var)}
        kept = {*self.program.params, *(r for r in results if not self._turns_back(r))}
        joined: dict[Var, set[Var]] = {}  # of what a loop carries or a branch chooses: what it may be
        for s in walk(self.program.body):
            whole = Counter(v for v in uses(s) if self._turns(v))
            element = self._element(s)
            whole.subtract([] if element is None else element[:1])
            links = list(_links(s))
            for v, w in links:
                joined.setdefault(v, set()).add(w.root)
            if isinstance(s, (For, While)):
                joined.update({c.result: {c.phi} for c in s.carried if c.phi.is_array})
            whole.subtract(w for v, w in links if self._turns(v))
            kept.update(v for v, count in whole.items() if count > 0)
            if isinstance(s, Assign) and s.name == "empty" and self._turns(s.target):
                made[s.target] = s
            elif not links:
                kept.update(v for v in defined(s) if v.is_array)
            kept.update(v for v, w in links if not self._turns(w))
        of = Memory(joined).of
        followed = {of(a) for a, *_ in self._followed(self.program.body, ())}
        own = {of(v) for v in made} & followed - {of(v) for v in kept if v.is_array}
        turned = {v for v in self._all() if of(v) in own}
        for v in turned:
            v.type = _columns_of(v)
            if v in made:
                shape, dtype = made[v].args
                made[v].args = ((shape[-1], *shape[:-1]), dtype)
        self._read_in(self.program.body, {v: v for v in turned})
        self._turn_back(turned & results)

    def _turns_back(self, array: Var) -> bool:
        """Whether an array that is wanted in rows may be made in columns: a matrix, turned once more at the end."""
        turned = array in self.tall or array in self.repeatedly
        return turned and array.type.ndim == 2 and array.type.dtype == "float64"

    def _turn_back(self, matrices: set[Var]) -> None:
        """Return the matrices that are made in columns as rows."""
        rows: dict[Atom, Var] = {}
        for r in self.program.results:
            if isinstance(r, Var) and r in matrices and r not in rows:
                rows[r] = Var(r.name, _columns_of(r), named=r.named)
                self.program.body.append(Assign((rows[r],), "rt.columns", (r,)))
        self.program.results = [rows.get(r, r) for r in self.program.results]

    def _all(self) -> set[Var]:
        """All arrays that would be better off in columns."""
        return {
            v
            for s in walk(self.program.body)
            for v in (*defined(s), *bound_inside(s), *uses(s))
            if self._turns(v)
        }

    # --- arrays that are read -------------------------------------------------------------------------------------

    def block(self, block: Block) -> Block:
        """A block with columns made before the loops that read them."""
        out: Block = []
        before = dict(self.copies)
        for s in block:
            self.known.passed(s)
            if isinstance(s, For):
                table = {}
                with self.known.inside(s):
                    again = self._read_again(s)
                for array in again:
                    table[array] = self.copies.get(array) or self._copied(array, s, out)
                    if array not in self.written:
                        self.copies[array] = table[array]
                self._read_in([s], table)
            for inner in blocks(s):
                with self.known.inside(s):
                    inner[:] = self.block(inner)
            out.append(s)
        self.copies = before
        return out

    def _read_again(self, loop: For) -> list[Var]:
        """The arrays of which inner loops read every row, in every trip of those around them."""
        effects = self.memory.effects(loop)
        found: dict[Var, None] = {}
        for array, index, position, path in self._followed(loop.body, (loop,)):
            if (
                array.root is array
                and array not in effects.defs
                and self.memory.of(array) not in effects.writes
                and len(path) > 1
                and position == array.type.ndim - 2
                and (
                    self._goes_through(array, index, path)
                    if array in self.tall
                    else position == 0 and self._covers(path, array.type.shape[0])
                )
            ):
                found[array] = None
        return list(found)

    def _goes_through(self, array: Var, index: Index, path: tuple[For, ...]) -> bool:
        """Whether outer loops go through the columns of an array, and the innermost one down them, or nearly so.

        Lengths of two names are taken for one: it is rarely that a loop goes through the length of another array, or a
        number of steps, and leaves most of the columns out.
        """
        type = array.type
        assert isinstance(type, Array)
        if type.layout != "C" or type.dtype != "float64":
            return False
        # All axes but that of the rows, also those of a stack of matrices, of which a copy has all.
        axes = [k for k in range(type.ndim) if k != type.ndim - 2]
        around = [[loop for loop in path[:-1] if distance(loop.index, index[k]) is not None] for k in axes]
        return self._nearly(path[-1], type.shape[-2]) and all(
            len(loops) == 1 and self._nearly(loops[0], type.shape[k])
            for k, loops in zip(axes, around, strict=True)
        )

    def _nearly(self, loop: For, length: Dim) -> bool:
        trips = self._trips(loop)
        if trips is None:
            return False
        if (length - trips).known is None and length.known is None and trips.known is None:
            return True
        return any(self.known.equal.same(length, trips + k) for k in NEARLY)

    def _trips(self, loop: For) -> Dim | None:
        start, stop = self.ev.length(loop.start), self.ev.length(loop.stop)
        if start is None or stop is None or loop.step not in (Const(1), Const(-1)):
            return None
        return stop - start if loop.step == Const(1) else start - stop

    def _covers(self, path: tuple[For, ...], length: Dim) -> bool:
        """Whether the innermost loop goes through all rows, or through those before or behind an outer loop's."""
        loop = path[-1]
        stop = self.ev.length(loop.stop)
        ends = stop is not None and self.known.equal.same(stop, length)
        first, last = (
            any(distance(outer.index, end) is not None for outer in path[:-1])
            for end in (loop.start, loop.stop)
        )
        return loop.step == Const(1) and (loop.start == Const(0) or first) and (ends or last)

    def _copied(self, array: Var, loop: For, out: Block) -> Var:
        """Statements that copy an array to columns; the columns."""
        columns = Var(array.name, _columns_of(array), named=False)
        if array in self.tall:
            out.append(Assign((columns,), "rt.columns", (array,), loop.origin))
            return columns
        with self.ev.at(out):
            n = self.ev.atom(self.ev.dim_value(array.type.shape[0]))
        count = array.type.shape[1].known
        dtype = Const(np.dtype(array.type.dtype))
        out.append(Assign((columns,), registry.named("empty"), ((Const(count), n), dtype), loop.origin))
        index = Var("i", Scalar("int64"), named=False)
        body: Block = []
        for k in range(count or 0):
            element = Var(f"{array.name}_element", Scalar(array.type.dtype), named=False)
            body.append(Assign((element,), "getitem", (array, (index, Const(k))), loop.origin))
            body.append(Store(columns, (Const(k), index), element, False, loop.origin))
        out.append(For(index, Const(0), n, Const(1), [], body, loop.origin))
        return columns

    # --- what both have in common ---------------------------------------------------------------------------------

    def _followed(self, block: Block, path: tuple[For, ...]) -> Iterator[Followed]:
        """Arrays that straight innermost loops go along, by which subscript of which index, inside which loops."""
        for s, around in self._innermost(block, path):
            element = self._element(s)
            if element is None or not self._turns(element[0]):
                continue
            array, index = element
            following = [k for k, i in enumerate(index[:-1]) if distance(around[-1].index, i) is not None]
            if len(following) == 1:
                yield array, index, following[0], around

    def _innermost(self, block: Block, path: tuple[For, ...]) -> Iterator[tuple[Stmt, tuple[For, ...]]]:
        """The statements of straight innermost loops, and the loops around them."""
        for s in block:
            if not isinstance(s, For):
                for inner in blocks(s):
                    yield from self._innermost(inner, ())
                continue
            around = (*path, s)
            if not all(isinstance(t, (Assign, Store)) for t in s.body):
                yield from self._innermost(s.body, around)
                continue
            yield from ((t, around) for t in s.body)

    def _read_in(self, block: Block, table: dict[Var, Var]) -> None:
        """Elements of the arrays in `table` are those of their columns."""
        for part in all_blocks(block) if table else ():
            for s in part:
                element = _subscripts(s)
                if element is None or element[0] not in table:
                    continue
                array, index = element
                move(s, (table[array], (index[-1], *index[:-1])))


def _has_short_rows(array: Var) -> bool:
    return (
        isinstance(array.type, Array)
        and array.type.ndim > 1
        and array.type.shape[-1].known in FEW
        and array.type.dtype in REALS
    )


def _columns_of(array: Var) -> Array:
    """The type of the columns of an array."""
    *rest, count = array.type.shape
    return Array(array.type.dtype, (count, *rest))


def _links(s: Stmt) -> Iterator[tuple[Var, Var]]:
    """Pairs of an array and another one that it is, which the statement reads."""
    pairs: list[tuple[Var, Atom]] = []
    if isinstance(s, Assign) and s.op == "alias":
        pairs = [(s.target, s.args[0])]
    elif isinstance(s, (For, While)):
        pairs = [(c.phi, other) for c in s.carried for other in (c.init, c.out)]
    elif isinstance(s, If):
        pairs = [(m.result, other) for m in s.merges for other in (m.then, m.orelse)]
    yield from ((v, w) for v, w in pairs if v.is_array and isinstance(w, Var))


def _subscripts(s: Stmt) -> tuple[Var, Index] | None:
    """The array of floats, and the index, of a statement that reads or writes one element."""
    touch = element(s)
    if touch is None:
        return None
    array, index = touch
    plain = len(index) == array.type.ndim and all(
        isinstance(i, Const) or (isinstance(i, Var) and not i.is_array) for i in index
    )
    return touch if plain and len(index) > 1 and array.type.dtype in REALS else None


def _made_of(i: Var, inside: set[Var]) -> bool:
    """Whether a subscript is one of some variables, or made of them."""
    return i in inside or any(v in inside for v in length_variables(i))
