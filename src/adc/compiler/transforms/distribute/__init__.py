"""Go through loops whose trips wait for each other in blocks, with all that waits for nothing in loops of its own.

    for i in range(n):                              for i_first in range(0, n, 512):
        s = s * exp(-x[i]) + x[i]                       count = min(n - i_first, 512)
        total += log(s)                     ->          for k in range(count):
                                                            e[k] = exp(-x[i_first + k])
                                                        for k in range(count):
                                                            s = s * e[k] + x[i_first + k]
                                                            s_each[k] = s
                                                        for k in range(count):
                                                            total += log(s_each[k])

The loops before and behind the one in order vectorise, with the functions that they call; what one leaves to another is
in arrays that stay in the cache. Reverse sweeps hand adjoints on linearly, which leaves of a trip in order a product or
two (`preaccumulate`).
"""

from __future__ import annotations

from functools import cached_property

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.latency import busy, chain, reads_back, work
from adc.compiler.analysis.recurrences import recurrence, stands_alone
from adc.compiler.analysis.rounding import DOMAIN, Wants
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    defined,
    is_of_numbers,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS
from adc.compiler.transforms.distribute import preaccumulate
from adc.compiler.transforms.distribute import windows as windowed
from adc.compiler.transforms.distribute.blocked import Blocks, Writer
from adc.compiler.transforms.distribute.in_rows import RowWriter, may_be_in_rows
from adc.compiler.transforms.distribute.order import Order, Part
from adc.compiler.transforms.distribute.windows import Window
from adc.compiler.transforms.selects import without_branches
from adc.compiler.transforms.vectorise import gathered, handed_over, in_order, is_vector_call, scatters

__all__ = ["run"]

SHORTEST = 32  # trips, where that is known
MOST = 300  # statements of a trip
AT_ONCE = 3.0  # numbers in a vector, as far as that goes
VECTOR_CALL = 12.0  # cycles of a function for a vector of numbers, over those of a product
PASSED = 0.5  # cycles for a number that one loop leaves to another
GATHERED = 1.0  # cycles more of an element whose position is read: each is loaded by itself
# How many times as fast it has to be: with functions that then vectorise, or without.
GAIN, GAIN_ALONE = 1.2, 1.4
SHORT = 8.0  # cycles that a trip waits for the one before at least: a product and a sum
LOOKING_AHEAD = 2.4  # cycles of a trip of these, four at a time (transforms/lookahead)
BESIDE = 12  # statements in inner loops that a function for one number is worth the trouble beside

SIMPLE = {"add", "subtract", "multiply", "negative"}


def run(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with its recurrences in blocks, where that is faster; with its sums, where their order is kept."""
    program.body = Distribution(program, evaluator, strict).block(program.body, inside=False)
    return program


class Distribution:
    """Which loops of a program are done in parts."""

    def __init__(self, program: Program, evaluator: Evaluator, strict: bool) -> None:
        self.program = program
        self.strict = strict
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)

    @cached_property
    def seen(self) -> Wants:
        return Wants(walk(self.program.body), self.memory)

    @cached_property
    def made(self) -> dict[Var, Assign]:
        return {t: s for s in walk(self.program.body) if isinstance(s, Assign) for t in s.targets}

    def block(self, block: Block, inside: bool) -> Block:
        """A block, maybe inside a loop, with its loops in parts."""
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.block(inner, inside or isinstance(s, (For, While)))
            found = self._in_parts(s, inside) if isinstance(s, For) else None
            out += [s] if found is None else found
        return out

    def looks_ahead(self, loop: For) -> bool:
        """Whether a loop inside others will go along its rows in parts, through a recurrence some trips at a time."""
        found = self._found(loop)
        return found is not None and found[1].looks_ahead() and may_be_in_rows(found[1])

    def _in_parts(self, loop: For, inside: bool) -> Block | None:
        found = self._found(loop)
        if found is None:
            return None
        front, parts = found
        if inside and parts.looks_ahead() and may_be_in_rows(parts):
            return [*front, *RowWriter(parts, self.ev, self.made).block()]
        return [*front, *Writer(parts, self.ev).block()]

    def _found(self, loop: For) -> tuple[Block, Blocks] | None:
        """What stands in front of a loop in parts, and the parts, if they are faster."""
        around = any(isinstance(s, For) for s in loop.body)
        waiting = 0.0 if around else chain(loop)
        if waiting < SHORT and not any(map(is_vector_call, loop.body)) and not _scatters_slowly(loop):
            return None
        if not self.strict and _shifts(loop):
            return None  # it vectorises as it is
        straight = _straight(loop)
        if straight is None:
            return None
        front: Block = []
        if around:
            found = self._around_loops(straight)
        else:
            front, straight = _invariants(straight)
            found = self._blocks(straight, max(waiting, work(straight.body)))
        return None if found is None else (front, found)

    def _blocks(self, loop: For, before: float) -> Blocks | None:
        """The parts of a loop of whose trips each takes so many cycles as it is, if they take less."""
        in_numbers, windows = windowed.run(loop, self.memory, self.counters)
        handed_on = Order(in_numbers, self.memory, self.counters, self.strict).handed_on
        linear = _linear(
            in_numbers,
            [c for c in handed_on if self._may_be_regrouped(c, windows)],
            {c.phi for c in handed_on if _stands_for(c, windows).derived},
        )
        for one in (linear, in_numbers):
            found = None if one is None else self._parts(one, windows)
            if found is None:
                continue
            ahead = found.looks_ahead()
            if windows and not ahead and not found.calls():
                continue
            if before > (GAIN if ahead or found.calls() else GAIN_ALONE) * _cycles(found):
                return found
        return None

    def _around_loops(self, loop: For) -> Blocks | None:
        """The functions that a trip calls for one number, beside what other loops make, in loops of their own."""
        inside = sum(len(walk(s.body)) for s in loop.body if isinstance(s, For))
        found = self._parts(loop, [])
        return found if found is not None and inside <= BESIDE * len(found.calls()) else None

    def _parts(self, loop: For, windows: list[Window]) -> Blocks | None:
        parts = Order(loop, self.memory, self.counters, self.strict).parts()
        if len(parts) < 2 or not any(p.in_order for p in parts):
            return None
        parts = [q for p in parts for q in (self._apart(p, windows) if p.in_order else [p])]
        found = Blocks(loop, parts, windows, self.memory, self.counters)
        return found if len(found.parts) > 1 else None

    def _apart(self, part: Part, windows: list[Window]) -> list[Part]:
        """What goes in order, with the linear recurrences that wait for nothing else in it each by itself."""
        found = [recurrence(c, part.body) for c in part.carried]
        alone = [
            one
            for one in found
            if one is not None
            and stands_alone(one, part.body, part.carried)
            and self._may_be_regrouped(one.carried, windows)
        ]
        gone: set[Stmt | Carried] = {x for one in alone for x in (one.carried, one.product, one.sum)}
        left = Part(
            part.level,
            [s for s in part.body if s not in gone],
            [c for c in part.carried if c not in gone],
        )
        apart = [Part(part.level, [one.product, one.sum], [one.carried], one) for one in alone]
        return [*apart, left] if left.body or left.carried else apart

    def _may_be_regrouped(self, c: Carried, windows: list[Window]) -> bool:
        """Whether nobody sees the last bit of a number that trips hand on, maybe in elements of an array."""
        if self.strict or c.phi.type.dtype not in REALS:
            return False
        return self.seen.of(_stands_for(c, windows)) <= DOMAIN


def _scatters_slowly(loop: For) -> bool:
    """Whether a loop that writes where the data say takes its time for what it writes, roots and quotients."""
    return scatters(loop) and busy(loop.body) >= SHORT


def _shifts(loop: For) -> bool:
    """Whether a straight loop only hands numbers on that LLVM shifts in its vectors, and adds to no element."""
    adds = any(isinstance(s, Store) and s.accumulate for s in loop.body)
    return not (adds or in_order(loop, backwards=True) or reads_back(loop)) and bool(handed_over(loop))


def _stands_for(c: Carried, windows: list[Window]) -> Var:
    """What trips hand on: a number, or elements of an array."""
    return next((w.array for w in windows if c.phi in w.handed_on.values()), c.phi)


def _straight(loop: For) -> For | None:
    """A loop, not known to be short, that works on numbers and elements alone and cannot fail, without branches."""
    start, stop = length_of(loop.start), length_of(loop.stop)
    trips = None if start is None or stop is None else (stop - start).known
    if loop.step not in (Const(1), Const(-1)) or len(loop.body) > MOST:
        return None
    if any(c.phi.is_array for c in loop.carried):
        return None
    if trips is not None and abs(trips) < SHORTEST:
        return None
    straight = without_branches(loop) if any(isinstance(s, If) for s in loop.body) else loop
    if straight is None or not all(map(_is_plain, straight.body)):
        return None
    return straight


def _invariants(loop: For) -> tuple[Block, For]:
    """The sums and products that are the same in all trips, and the loop without them."""
    made = {loop.index, *(c.phi for c in loop.carried), *(v for s in loop.body for v in defined(s))}
    front: Block = []
    rest: Block = []
    for s in loop.body:
        if isinstance(s, Assign) and s.name in SIMPLE and made.isdisjoint(uses(s)):
            made.difference_update(s.targets)
            front.append(s)
        else:
            rest.append(s)
    return front, For(
        loop.index, loop.start, loop.stop, loop.step, loop.carried, rest, loop.origin, loop.note
    )


def _is_plain(s: Stmt) -> bool:
    if isinstance(s, For):
        plain = all(isinstance(t, (Assign, Store)) and _is_plain(t) for t in s.body)
        return plain and not any(c.phi.is_array for c in s.carried)
    return isinstance(s, Store) or (isinstance(s, Assign) and is_of_numbers(s))


def _linear(loop: For, handed_on: list[Carried], derived: set[Var]) -> For | None:
    """The loop with what it hands on linearly by a few products."""
    body = preaccumulate.run(loop, handed_on, derived)
    if body is None:
        return None
    return For(loop.index, loop.start, loop.stop, loop.step, loop.carried, body, loop.origin, loop.note)


def _cycles(found: Blocks) -> float:
    """Cycles of a trip when it is done in parts."""
    total = PASSED * len(found.passed)
    for part in found.parts:
        if part.recurrence is not None:
            total += LOOKING_AHEAD
            continue
        if part.in_order:
            total += max(chain(found.as_loop(part)), work(part.body))
            continue
        calls = [s for s in part.body if s in found.calls()]
        rest = [s for s in part.body if s not in calls]
        total += GATHERED * len(gathered(part.body))
        total += (work(rest) + VECTOR_CALL * len(calls)) / AT_ONCE
    return total
