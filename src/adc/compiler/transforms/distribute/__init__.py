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

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.latency import chain, work
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    If,
    Program,
    Stmt,
    Store,
    blocks,
    is_of_numbers,
    walk,
)
from adc.compiler.transforms.distribute import preaccumulate
from adc.compiler.transforms.distribute import windows as windowed
from adc.compiler.transforms.distribute.blocked import Blocks
from adc.compiler.transforms.distribute.order import Order
from adc.compiler.transforms.distribute.windows import Window
from adc.compiler.transforms.selects import without_branches
from adc.compiler.transforms.vectorise import is_vector_call

__all__ = ["run"]

SHORTEST = 32  # trips, where that is known
MOST = 300  # statements of a trip
AT_ONCE = 3.0  # numbers in a vector, as far as that goes
VECTOR_CALL = 12.0  # cycles of a function for a vector of numbers, over those of a product
PASSED = 0.7  # cycles for a number that one loop leaves to another
# How many times as fast it has to be: with functions that then vectorise, or without.
GAIN, GAIN_ALONE = 1.2, 1.4
SHORT = 10.0  # cycles that a trip may wait for the one before: a product and a sum
BESIDE = 12  # statements in inner loops that a function for one number is worth the trouble beside


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with its recurrences in blocks, where that is faster."""
    memory = Memory(evaluator.joined_roots)
    counters = ranges(program.body)

    def visit(block: Block) -> Block:
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = visit(inner)
            found = _blocks(s) if isinstance(s, For) else None
            out += [s] if found is None else found.block(evaluator)
        return out

    def _blocks(loop: For) -> Blocks | None:
        around = any(isinstance(s, For) for s in loop.body)
        waiting = 0.0 if around else chain(loop)
        if waiting < SHORT and not any(map(is_vector_call, loop.body)):
            return None
        straight = _straight(loop)
        if straight is None:
            return None
        if around:
            return _around_loops(straight)
        before = max(waiting, work(loop.body))
        in_numbers, windows = windowed.run(straight, memory, counters)
        for one in (_linear(in_numbers, Order(in_numbers, memory, counters)), in_numbers):
            found = None if one is None else _parts(one, windows)
            if found is None or (windows and not found.calls()):
                continue
            if before > (GAIN if found.calls() else GAIN_ALONE) * _cycles(found):
                return found
        return None

    def _around_loops(loop: For) -> Blocks | None:
        """The functions that a trip calls for one number, beside what other loops make, in loops of their own."""
        inside = sum(len(walk(s.body)) for s in loop.body if isinstance(s, For))
        found = _parts(loop, [])
        return found if found is not None and inside <= BESIDE * len(found.calls()) else None

    def _parts(loop: For, windows: list[Window]) -> Blocks | None:
        parts = Order(loop, memory, counters).parts()
        if len(parts) < 2 or not any(p.in_order for p in parts):
            return None
        found = Blocks(loop, parts, windows, memory, counters)
        return found if len(found.parts) > 1 else None

    program.body = visit(program.body)
    return program


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


def _is_plain(s: Stmt) -> bool:
    if isinstance(s, For):
        plain = all(isinstance(t, (Assign, Store)) and _is_plain(t) for t in s.body)
        return plain and not any(c.phi.is_array for c in s.carried)
    return isinstance(s, Store) or (isinstance(s, Assign) and is_of_numbers(s))


def _linear(loop: For, order: Order) -> For | None:
    """The loop with what it hands on linearly by a few products."""
    body = preaccumulate.run(loop, order.handed_on)
    if body is None:
        return None
    return For(loop.index, loop.start, loop.stop, loop.step, loop.carried, body, loop.origin, loop.note)


def _cycles(found: Blocks) -> float:
    """Cycles of a trip when it is done in parts."""
    total = PASSED * len(found.passed)
    for part in found.parts:
        if part.in_order:
            total += max(chain(found.as_loop(part)), work(part.body))
            continue
        calls = [s for s in part.body if s in found.calls()]
        rest = [s for s in part.body if s not in calls]
        total += (work(rest) + VECTOR_CALL * len(calls)) / AT_ONCE
    return total
