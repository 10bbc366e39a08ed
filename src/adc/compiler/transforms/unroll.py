"""Write out the trips of short inner loops: over the three coordinates of a point, the two of a plane.

    for j in range(n):                          for j in range(n):
        for k in range(2):                          d = x[i, 0] - x[j, 0]
            d = x[i, k] - x[j, k]          ->       d_2 = x[i, 1] - x[j, 1]
            s = s + d * d                           s_3 = s + d * d + d_2 * d_2

It is done where it leaves one straight piece of code of a long loop, which merges with others and vectorises, where
it makes numbers of the elements of an array, and for sums. Any other loop stays as it is: shorter to read and to
compile, and written out by LLVM as well. What the number of a trip decides, the neighbour round the end of a row of
three, is worked out with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    change_blocks,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import clone
from adc.compiler.transforms.rewrite import operand, substitute

MOST_TRIPS = 4
MOST_STATEMENTS = 60  # that a loop may become
MOST_STORES = 12  # of which writes: a rotation is written out, of a matrix of four rows each row

# What integers and truths are worked out by.
OF_NUMBERS = {
    *("add", "subtract", "multiply", "negative", "minimum", "maximum", "where"),
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
    *("logical_and", "logical_or", "logical_not"),
}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without short loops inside long ones, where that pays."""
    chosen = _Choice(program, Memory(evaluator.joined_roots)).loops()
    if not chosen:
        return program
    unroller = _Unroller(evaluator, chosen)
    program.body = unroller.block(program.body)
    program.body = substitute(program.body, unroller.table)
    program.results = [operand(r, unroller.table) for r in program.results]
    return program


class _Unroller:
    def __init__(self, evaluator: Evaluator, chosen: set[For]) -> None:
        self.ev = evaluator
        self.chosen = chosen
        self.table: dict[Var, Atom] = {}  # what a loop left behind -> what its last trip did

    def block(self, block: Block) -> Block:
        out: Block = []
        for stmt in block:
            chosen = stmt in self.chosen
            change_blocks(stmt, self.block)
            if self.table and isinstance(stmt, For):
                stmt = substitute([stmt], self.table)[0]  # a copy of its body is to have all in its own names
            if chosen and isinstance(stmt, For):
                out += self._written_out(stmt)
            else:
                out.append(stmt)
        return out

    def _written_out(self, loop: For) -> Block:
        out: Block = []
        carried: list[Atom] = [c.init for c in loop.carried]
        for k in _trips(loop):
            bound, body, outs = clone.run(
                [loop.index, *(c.phi for c in loop.carried)],
                loop.body,
                [c.out for c in loop.carried],
                self.ev,
                inside=True,
            )
            given = dict(zip(bound, [Const(k), *carried], strict=True))
            out += self._decided(body, given)
            carried = [operand(x, given) for x in outs]
        self.table.update(zip((c.result for c in loop.carried), carried, strict=True))
        return out

    def _decided(self, body: Block, given: dict[Var, Atom]) -> Block:
        """A trip, in terms of what is `given`, without what is made of its number alone: that is given, too."""
        out: Block = []
        for stmt in body:
            if isinstance(stmt, Assign) and (number := self._number(stmt, given)) is not None:
                given[stmt.target] = number
            else:
                out += substitute([stmt], given)
        return out

    def _number(self, stmt: Assign, given: dict[Var, Atom]) -> Const | None:
        """The integer or truth that a statement makes, if it is made of constants."""
        target = stmt.target.type
        if stmt.name not in OF_NUMBERS or target.dtype not in ("int64", "bool") or isinstance(target, Array):
            return None
        args = [operand(a, given) for a in stmt.args]
        if stmt.name == "where" and isinstance(args[0], Const):
            chosen = args[1] if args[0].value else args[2]
            return chosen if isinstance(chosen, Const) else None
        if not all(isinstance(a, Const) for a in args):
            return None
        return Const(self.ev.op(stmt.op, *(a.value for a in args)))


class _Choice:
    """Which loops are to be written out."""

    def __init__(self, program: Program, memory: Memory) -> None:
        self.program = program
        self.memory = memory
        self.size: dict[For, tuple[int, int]] = {}  # of a loop that can be: statements, and stores among them
        self.straight: set[For] = set()  # those after which no loop is left in the long one around them

    def loops(self) -> set[For]:
        """Those that can be, without those for which it does not pay, until it pays for all that are left."""
        self._measure(self.program.body, inside=False)
        chosen = set(self.size)
        while chosen:
            uses = _Uses(self.program, self.memory, chosen)
            paying = self.straight.union(
                (loop for loop in chosen if self.size[loop][1] == 0),
                *(e.counters for e in uses.elements.values() if e.are_numbers),
            )
            fewer = {loop for loop in chosen & paying if paying.issuperset(_loops(loop.body))}
            if fewer == chosen:
                return chosen
            chosen = fewer
        return chosen

    def _measure(self, block: Block, inside: bool) -> bool:
        """Find the loops of a block that can be written out; whether all of them can."""
        all_can = True
        for stmt in block:
            long = isinstance(stmt, (For, While)) and _is_long(stmt)
            within = [self._measure(b, inside or long) for b in blocks(stmt)]
            if long and all(within):
                self.straight.update(_loops([s for b in blocks(stmt) for s in b]))
            can = inside and isinstance(stmt, For) and self._can_be(stmt) if _is_loop(stmt) else all(within)
            all_can = all_can and can
        return all_can

    def _can_be(self, loop: For) -> bool:
        trips = len(_trips(loop))
        statements = stores = 0
        for s in loop.body:
            if isinstance(s, (Assign, Store)):
                statements, stores = statements + 1, stores + isinstance(s, Store)
            elif isinstance(s, For) and s in self.size:
                statements, stores = statements + self.size[s][0], stores + self.size[s][1]
            elif not isinstance(s, Check):  # of indices: what trips ask alike is asked once
                return False
        if (
            not 0 < trips <= MOST_TRIPS
            or trips * statements > MOST_STATEMENTS
            or trips * stores > MOST_STORES
        ):
            return False
        self.size[loop] = trips * statements, trips * stores
        return True


@dataclass(eq=False)
class _Elements:
    """How the elements of an array are used, were some loops written out."""

    counters: set[For] = field(default_factory=set)  # of those loops, the ones whose counters are positions
    known: bool = True  # whether all positions are
    stored: bool = False
    loaded: bool = False

    @property
    def are_numbers(self) -> bool:
        """Whether nothing would be left of the array: each element is one."""
        return self.known and self.stored and self.loaded


class _Uses:
    """The elements of all arrays of a program, were some of its loops written out."""

    def __init__(self, program: Program, memory: Memory, chosen: set[For]) -> None:
        self.memory = memory
        self.counter = {loop.index: loop for loop in chosen}
        self.elements: dict[Var, _Elements] = {}
        self._block(program.body)
        self._as_a_whole(program.results)

    def _block(self, block: Block) -> None:
        for stmt in block:
            if isinstance(stmt, (Assign, Store)):
                self._statement(stmt)
                continue
            if isinstance(stmt, (For, While)):
                self._as_a_whole([x for c in stmt.carried for x in (c.init, c.out)])
            elif isinstance(stmt, If):
                self._as_a_whole([x for m in stmt.merges for x in (m.then, m.orelse)])
            for inner in blocks(stmt):
                self._block(inner)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign) and stmt.name == "empty":
            return
        for root, accesses in self.memory.effects(stmt).accesses.items():
            e = self.elements.setdefault(root, _Elements())
            for a in accesses:
                e.stored |= a.write
                e.loaded |= not a.write
                if a.index is None or not all(isinstance(i, Const) or i in self.counter for i in a.index):
                    e.known = False
                else:
                    e.counters.update(self.counter[i] for i in a.index if not isinstance(i, Const))

    def _as_a_whole(self, operands: list[Atom]) -> None:
        for v in variables(tuple(operands)):
            if v.is_array:
                self.elements.setdefault(self.memory.of(v), _Elements()).known = False


def _loops(block: Block) -> set[For]:
    return {s for s in walk(block) if isinstance(s, For)}


def _is_loop(stmt: Stmt) -> bool:
    return isinstance(stmt, (For, While))


def _is_long(loop: For | While) -> bool:
    """Whether a loop may have many trips."""
    bounds = (
        [b.value for b in (loop.start, loop.stop) if isinstance(b, Const)] if isinstance(loop, For) else []
    )
    return len(bounds) < 2 or abs(bounds[1] - bounds[0]) > MOST_TRIPS


def _trips(loop: For) -> range:
    """The values of the counter of a loop whose bounds are known; none of any other."""
    bounds = [b.value for b in (loop.start, loop.stop, loop.step) if isinstance(b, Const)]
    return range(*bounds) if len(bounds) == 3 else range(0)
