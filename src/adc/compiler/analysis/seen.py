"""What a program sees of a view, and from when on."""

from __future__ import annotations

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.layout import Layout
from adc.compiler.ir.nodes import Assign, For, If, Program, Store, Var, While, reads_memory, uses, walk


def views_of(made: Assign, program: Program) -> set[Var]:
    """What is made by a statement, and the views of it."""
    views = {made.target}
    for stmt in walk(program.body):
        if isinstance(stmt, Assign):
            views.update(t for t in stmt.targets if t.view_of in views)
    return views


def sees(views: set[Var], store: Store, made: Assign, program: Program, place: Layout) -> bool:
    """Whether a write is made through one of some views, or may come before a statement that reads one."""
    if store.array in views or views.intersection(r for r in program.results if isinstance(r, Var)):
        return True
    inside = place.region_of[made].loops
    for stmt in walk(program.body):
        if views.isdisjoint(uses(stmt)) or (isinstance(stmt, Assign) and not reads_memory(stmt)):
            continue
        if isinstance(stmt, (For, While, If)):
            return True  # it goes on under another name
        # A loop that begins after the view was made comes back to what stands before the write.
        again = [loop for loop in place.region_of[stmt].loops if loop not in inside]
        if again and place.start[store] <= place.end[again[0]]:
            return True
        if stmt is not store and place.start[store] <= place.start[stmt]:
            return True
    return False


def begin(made: Assign, of: Var, memory: Memory, place: Layout) -> int:
    """From where on a view is there: what a trip has made, the next one has only where the loop carries it."""
    carries = (
        loop
        for loop in place.region_of[made].loops
        if any(c.phi.is_array and memory.of(c.phi) is of for c in loop.carried)
    )
    return place.start[next(carries, made)]
