"""Refuse programs that could see that NumPy gives a view where there is a copy here: a diagonal, a real part.

    w = z.imag                  w = z.imag
    z[0] = 1j                   total = sum(w)
    total = sum(w)              z[0] = 1j
    # refused: w has changed    # nobody sees a difference

Before anything is taken for dead: a write that only the view sees is one to memory that nobody reads.
"""

from __future__ import annotations

from adc.compiler.analysis import layout
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.seen import begin, sees, views_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Program, Store, Var, bound_inside, defined, walk
from adc.errors import UnsupportedError


def run(program: Program, ev: Evaluator) -> Program:
    """The program as it is. Raises UnsupportedError where a write to either could be seen in the other."""
    made = [
        (t, stmt)
        for stmt in walk(program.body)
        if isinstance(stmt, Assign)
        for t in stmt.targets
        if t in ev.snapshots
    ]
    if not made:
        return program
    memory = Memory(ev.joined_roots)
    place = layout.of(program.body, program.params)
    stores = [s for s in walk(program.body) if isinstance(s, Store)]
    for copy, stmt in made:
        start = begin(stmt, memory.of(copy), memory, place)
        views = views_of(stmt, program)
        for store in stores:
            if place.start[store] <= start or _is_in_step(ev, copy, store):
                continue
            source = memory.of(ev.snapshots[copy])
            of_source = memory.of(store.array) is source
            of_copy = memory.of(store.array) is memory.of(copy)
            if of_copy and stmt.name == "copy":  # not to be written to are the others alone: NumPy forbids it
                originals = {v for v in _arrays(program) if memory.of(v) is source}
                of_copy = sees(originals, store, stmt, program, place)
            if of_copy or (of_source and sees(views, store, stmt, program, place)):
                what = f"{ev.part_of[copy][1]} part" if copy in ev.part_of else "copy"
                raise UnsupportedError(
                    f"this writes to `{store.array.name}` while a {what} is in use that NumPy gives as a view",
                    store.origin,
                    f"the {what} is memory of its own in generated code: neither would see the other's writes.",
                    "Copy it where it is taken: `np.diagonal(a).copy()`, `z.real.copy()`, `a.T.copy()`.",
                )
    for copy, _ in made:
        # Its reverse sweep writes to what it keeps, which the program around it must not mind.
        del ev.snapshots[copy]
    return program


def _is_in_step(ev: Evaluator, copy: Var, store: Store) -> bool:
    """Whether a write to a complex array by way of one of its parts is in this part, too, or is none to this part."""
    part, name = ev.in_step.get(store, (None, ""))
    return part is copy or (part is not None and ev.part_of.get(copy, (None, name))[1] != name)


def _arrays(program: Program) -> set[Var]:
    made = {v for s in walk(program.body) for v in (*defined(s), *bound_inside(s))}
    return {v for v in made | {*program.params} if v.is_array}
