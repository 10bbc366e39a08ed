"""Move loops over many arrays into functions of their own, whose arguments are known not to overlap.

Only loops whose every write goes to an array that this program has just allocated qualify: those overlap nothing. See
runtime/kernels.py for what it buys.
"""

from __future__ import annotations

from typing import Any

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.heading import name_params_apart
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Const,
    For,
    If,
    Keep,
    Mark,
    Print,
    Program,
    Restore,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    defined,
    owners,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.sizes import FEW
from adc.compiler.transforms import rows
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.vectorise import gathers, handed_over, scatters, vectorisable
from adc.runtime.tuning import DEEP

# Up to so many arrays LLVM's own checks are cheap enough to be made: in front of a loop; again in every trip of one
# around it; where loops stand in each other `DEEP`, or a row hands values on; in such loops that the program runs once,
# and for pieces of rows. Of a program of many loops each is a function, also one that only fills: LLVM takes longer for
# one of all of them, and for one that only calls it takes less (runtime/passes/straight.py).
FEW_ARRAYS, FEW_IN_LOOPS, FEW_IN_DEEP, FEW_IN_ROWS, FEW_IN_LARGE = 4, 3, 2, 1, 0
MANY_LOOPS = 50
OFTEN = 2  # loops around one that is called so often that its caller takes it in
FEW_TRIPS = 16  # which are not worth a kernel


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with its loops over many arrays as kernels; `meta["kernels"]` holds them."""
    outliner = _Outliner(program, Memory(evaluator.joined_roots))
    outliner.name_rows(program.body)
    program.body = outliner.block(program.body)
    program.meta["kernels"] = outliner.kernels
    return program


class _Outliner:
    def __init__(self, program: Program, memory: Memory) -> None:
        self.program = program
        self.memory = memory
        self.owned: set[Var] = set()
        for s in walk(program.body):
            if isinstance(s, Assign) and (
                s.name in ("empty", "zeros")
                or (s.name in ("alias", "reshape") and s.target.is_array and s.args[0] in self.owned)
            ):
                self.owned.add(s.target)
        for s in walk(program.body):
            if isinstance(s, (For, While)):
                self.owned |= self._rotating(s)
        self.kernels: list[Program] = []
        self.known: dict[Any, Program] = {}  # by what they compute, whatever their variables are called
        self.sweep = ""
        self.data = _of_data(program)
        self.large = sum(isinstance(s, For) for s in walk(program.body)) > MANY_LOOPS
        self.counters = ranges(program.body)
        self.rows: set[Var] = set()  # those that one loop goes along never meet

    def name_rows(self, block: Block) -> None:
        """Let loops that LLVM would find to overlap themselves go along rows that are arrays of their own."""
        here = {v for s in block for v in defined(s)}
        out: Block = []
        for s in block:
            for inner in blocks(s):
                self.name_rows(inner)
            if isinstance(s, For) and not is_short(s) and vectorisable(s, backwards=True):
                found = rows.found(s, self.memory, self.counters)
                if found and self._apart(s, here):
                    made = rows.named(found, s.origin)
                    self.rows.update(row.target for row in made)
                    out += made
            out.append(s)
        self.owned |= self.rows
        block[:] = out

    def _rotating(self, loop: For | While) -> set[Var]:
        """The arrays that a loop hands round: each was allocated, and shares its memory with none of the others."""
        found = {c.phi: c for c in loop.carried if c.phi.is_array and self.memory.of(c.phi) is c.phi}
        while True:
            fit = {
                phi: c
                for phi, c in found.items()
                if c.init in self.owned and (c.out in self.owned or c.out in found)
            }
            if len(fit) == len(found):
                return {v for c in fit.values() for v in (c.phi, c.result)}
            found = fit

    def block(self, block: Block, depth: int = 0) -> Block:
        """A block inside `depth` loops with its loops as calls of kernels: those of the loops in it, too."""
        here = {v for s in block for v in defined(s)}
        out: Block = []
        for s in block:
            if isinstance(s, Mark):
                self.sweep = s.text
            if isinstance(s, For) and self._worthwhile(s, depth) and self._apart(s, here):
                out.append(self._outlined(s, depth))
                continue
            if isinstance(s, (For, While)):
                s.body = self.block(s.body, depth + 1)
            elif isinstance(s, If):
                s.then, s.orelse = self.block(s.then, depth), self.block(s.orelse, depth)
            out.append(s)
        return out

    def _worthwhile(self, loop: For, depth: int) -> bool:
        """Whether a vectorising loop inside touches more arrays than LLVM checks, or sums while it writes.

        Where elements of several types are written, or positions are data, it does not check at all. Such a check
        compares addresses, and the order of a vectorised sum is not that of the loop it falls back to: the last bit of
        a sum would depend on where its arrays happen to lie. In front of each piece of a row the checks take too long,
        and where LLVM knows that rows are short it makes none, and goes through them number by number.
        """
        height = _height([loop])
        few_here = FEW_IN_LOOPS if depth + height > 1 else FEW_ARRAYS
        few_in_rows = FEW_IN_DEEP if depth else FEW_IN_ROWS
        deep = depth + height >= DEEP
        in_pieces = {s for outer in walk([loop]) if isinstance(outer, For) for s in _pieces(outer)}
        in_rows = {s for outer in walk([loop]) if isinstance(outer, For) for s in _rows(outer)}
        for s in walk([loop]):
            if (
                isinstance(s, For)
                and vectorisable(s, backwards=True)
                and not (is_short(s) and s not in in_rows)
            ):
                arrays = {v for inner in walk(s.body) for v in uses(inner) if v.is_array}
                written = {inner.array.type.dtype for inner in walk(s.body) if isinstance(inner, Store)}
                if not self.rows.isdisjoint(arrays):
                    return True
                few = few_here
                if height > 1 and _computes(s) and (deep or handed_over(s)):
                    few = few_in_rows
                if s in in_pieces or (s in in_rows and written):
                    few = FEW_IN_ROWS
                if self.large:
                    few = FEW_IN_LARGE
                if len(arrays) > few or len(written) > 1:
                    return True
                sums = len(s.carried) > len(handed_over(s))
                if (sums or (gathers(s) and not scatters(s))) and written:
                    return True
        return False

    def _apart(self, loop: For, here: set[Var]) -> bool:
        """Whether every array that a loop writes to overlaps no other that it uses.

        It was allocated by this program, and has not been joined with the other one by a branch or a loop; or it was
        allocated in this very block, and the other one comes from outside.
        """
        if not _only_owned_writes(loop, self.owned):
            return False
        written = {s.array for s in walk([loop]) if isinstance(s, Store)}
        arrays = {v for s in walk([loop]) for v in uses(s) if v.is_array}
        return not any(
            w is not v
            and not self.rows.issuperset((w, v))
            and self.memory.of(w) is self.memory.of(v)
            and not (w in here and v.root not in here)
            for w in written
            for v in arrays
        )

    def _ends_at_data(self, loop: For) -> bool:
        """Whether the number of trips is one of data, or made of some."""
        ends = map(length_of, (loop.start, loop.stop))
        made_of = {v for d in ends if d is not None for v in owners(d)}
        return not self.data.isdisjoint({loop.start, loop.stop, *made_of})

    def _outlined(self, loop: For, depth: int) -> Assign:
        inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
        free: dict[Var, None] = {}
        for s in walk([loop]):
            for v in uses(s):
                if v not in inside:
                    free.setdefault(v)
        # A conditional expression has no name, and the user's `_` is read here.
        table = {v: Var(v.name if v.name.strip("_") else "trip" if v.name else "value", v.type) for v in free}
        results = [c.result for c in loop.carried]
        inner_results = [Var(r.name, r.type) for r in results]
        body: Block = substitute([loop], dict(table))
        copied = body[0]
        assert isinstance(copied, For)
        for c, r in zip(copied.carried, inner_results, strict=True):
            c.result = r
        kernel = Program("", list(table.values()), body, list(inner_results))
        name_params_apart(kernel)
        is_called_often = depth >= OFTEN or (
            depth > 0 and (self._ends_at_data(loop) or not self.rows.isdisjoint(free))
        )
        often = is_called_often and not any(isinstance(s, (For, While)) for s in walk(loop.body))
        form = often, _form(kernel)
        if form in self.known:
            name = self.known[form].name
        else:
            name = f"{self.program.name}_loop"
            if self.kernels:
                name += f"_{len(self.kernels) + 1}"
            kernel.name, kernel.meta["sweep"], kernel.meta["often"] = name, self.sweep, often
            self.kernels.append(kernel)
            self.known[form] = kernel
        return Assign(tuple(results), f"kernel.{name}", tuple(operand(v, {}) for v in free), loop.origin)


def _height(block: Block) -> int:
    """How many loops stand in each other."""
    return max((isinstance(s, For) + max(map(_height, blocks(s)), default=0) for s in block), default=0)


def _computes(loop: For) -> bool:
    """Whether a loop does more than copy."""
    return any(isinstance(s, Assign) and s.name != "getitem" for s in loop.body)


def _of_data(program: Program) -> set[Var]:
    """Elements of arrays, parts of arrays that they bound, and the lengths of these: rows that end where data say.

    Most such rows are short.
    """
    found: set[Var] = set()
    for s in walk(program.body):
        if not isinstance(s, Assign) or len(s.targets) != 1:
            continue
        is_element = s.name == "getitem" and not s.target.is_array
        if is_element or (s.name in ("getitem", "dim") and not found.isdisjoint(variables(s.args))):
            found.add(s.target)
    return found


def _form(kernel: Program) -> tuple[Any, ...]:
    """What a kernel computes, its variables numbered in the order of their appearance.

    The lengths of rows belong to it, where they are known: what later stages make of a loop takes them for granted.
    """
    numbers: dict[Var, int] = {}

    def var(v: Var) -> tuple[Any, ...]:
        known = v in numbers
        number = numbers.setdefault(v, len(numbers))
        if known:
            return (number,)
        if not isinstance(v.type, Array):
            return (number, v.type.dtype, v.type.weak)
        rows = tuple(d.known for d in v.type.shape[1:])
        return (number, v.type.dtype, v.type.ndim, v.type.layout, rows)

    def each(x: Any) -> Any:
        if isinstance(x, Var):
            return var(x)
        if isinstance(x, Const):
            return type(x.value).__name__, repr(x.value)
        if isinstance(x, Slice):
            return "slice", each(x.start), each(x.stop), each(x.step)
        return tuple(map(each, x)) if isinstance(x, (tuple, list)) else x

    def block(stmts: Block) -> tuple[Any, ...]:
        return tuple(map(statement, stmts))

    def statement(s: Stmt) -> tuple[Any, ...]:
        if isinstance(s, Assign):
            return s.op if isinstance(s.op, str) else s.op.name, each(s.args), each(s.targets)
        if isinstance(s, Store):
            return "store", each((s.array, s.index, s.value)), s.accumulate
        if isinstance(s, For):
            begin = each((s.index, s.start, s.stop, s.step, [(c.phi, c.init) for c in s.carried]))
            return "for", begin, block(s.body), each([(c.out, c.result) for c in s.carried])
        if isinstance(s, If):
            merges = [(m.then, m.orelse, m.result) for m in s.merges]
            return "if", each(s.test), block(s.then), block(s.orelse), each(merges)
        return ("unlike any other", id(s))

    return each(kernel.params), block(kernel.body), each(kernel.results)


def is_short(loop: For) -> bool:
    """Whether a loop is known to have too few trips for it to matter how fast they are."""
    end = loop.start if loop.step == Const(-1) else loop.stop
    return isinstance(end, Const) and end.value <= FEW_TRIPS


def _rows(loop: For) -> list[For]:
    """The loops of a few trips in one of many: together they are long."""
    if is_short(loop):
        return []
    return [
        s
        for s in loop.body
        if isinstance(s, For) and is_short(s) and isinstance(s.stop, Const) and s.stop.value > FEW
    ]


def _pieces(loop: For) -> list[For]:
    """The loops in a loop of few trips that are as long as each of them says."""
    if loop.step != Const(1) or not is_short(loop):
        return []
    made = {v for s in loop.body for v in defined(s)}
    return [s for s in loop.body if isinstance(s, For) and s.stop in made]


def _only_owned_writes(loop: For, owned: set[Var]) -> bool:
    inside = {v for s in walk([loop]) for v in defined(s)}
    for s in walk([loop]):
        if isinstance(s, (Check, Print, Keep, Restore, While)):
            return False
        if isinstance(s, Store) and s.array not in owned:
            return False
        if (isinstance(s, Assign) and any(t.is_array for t in s.targets)) or (
            isinstance(s, If) and any(m.result.is_array for m in s.merges)
        ):
            return False
        if isinstance(s, For) and any(c.phi.is_array for c in s.carried):
            return False
        if isinstance(s, Assign) and any(
            v.is_array and v.view_of is not None and v.root in owned and v not in owned for v in uses(s)
        ):
            return False  # a view of something that is written
    return not any(v.is_array for v in inside)
