"""Read a state at a distance from the row in which it has just been kept.

    for t in range(steps):                          for t in range(steps):
        kept[t] = u                                     kept[t] = u
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]   ->      old = kept[t]
        new = u.copy()                                  bend = old[2:] - 2.0 * old[1:-1] + old[:-2]
        new[1:-1] += 0.1 * bend                         new = u.copy()
        u = new                                         new[1:-1] += 0.1 * bend
                                                        u = new

The new state then has the memory of the old one, which nobody reads any more, and is made in the loop that reads the
row: what is read at a distance from the memory that is written to would have to be computed in a loop of its own.
"""

from __future__ import annotations

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    Keep,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.owned import memory_uses
from adc.compiler.transforms.rewrite import substitute
from adc.rules.operation import Operation


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that are read from where they are kept."""
    written = written_roots(walk(program.body), evaluator.joined_roots)
    for loop in reversed(walk(program.body)):  # those inside first: what is around them is written anew
        if isinstance(loop, For):
            for state in [c.phi for c in loop.carried]:
                # A trip leaves another state, and hands the old one to nobody.
                if state.is_array and state not in written and all(c.out is not state for c in loop.carried):
                    _read_from_row(loop, state)
    return program


def _read_from_row(loop: For, state: Var) -> None:
    keep = next((s for s in loop.body if isinstance(s, Keep) and s.value is state), None)
    if keep is None or keep.index is None or keep.lengths:
        return
    at = loop.body.index(keep) + 1
    before, rest = loop.body[:at], loop.body[at:]
    earlier = {v for s in walk(before) if isinstance(s, Assign) for v in s.targets if v.root is state}
    readers = [s for s in walk(rest) if any(v.root is state for v in memory_uses(s))]
    if any(not isinstance(s, (Assign, Store)) or earlier & set(memory_uses(s)) for s in readers):
        return
    if not _is_stencil(rest, state):
        return
    assert isinstance(state.type, Array)
    row = Var(f"{state.name}_old", Array(state.type.dtype, state.type.shape), named=True)
    reading: Block = [Restore(row, keep.buffer, keep.index, keep.origin)]
    for s in rest:
        reading += [s] if _is_copy(s, state) else substitute([s], {state: row})
    loop.body = [*before, *reading]


def _is_stencil(block: Block, state: Var) -> bool:
    """Whether a part of a copy of a state is written, element by element from other parts of the state."""
    copies = {s.target for s in block if isinstance(s, Assign) and _is_copy(s, state)}
    for store in block:
        if isinstance(store, Store) and store.array in copies:
            reached: set[Var] = set()
            for s in block:
                if not isinstance(s, Assign) or not s.target.is_array:
                    continue
                if s.name == "getitem":
                    if s.args[0] is state and s.args[1] != store.index:
                        reached.add(s.target)
                elif (
                    isinstance(s.op, Operation) and is_elementwise(s.op) and reached & set(variables(s.args))
                ):
                    reached.add(s.target)
            if store.value in reached:
                return True
    return False


def _is_copy(s: Stmt, state: Var) -> bool:
    return isinstance(s, Assign) and s.name == "copy" and s.args[0] is state
