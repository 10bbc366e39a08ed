"""Loops that add something to each element of some rows, and do nothing else: the adjoint of a stencil is made of them.

for j in range(m):
    b[i, j + 2] += p[j] - q[j]          to the row b[i], two elements ahead of the counter
    c[j] += p[j]                        to the row c
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.touches import distance
from adc.compiler.ir.nodes import Assign, Const, For, Index, Store, Var, defined, is_of_numbers, variables


@dataclass(eq=False)
class Additions:
    """What a loop adds to the elements of a row `distance` ahead of its counter: `store.value`, made by `terms`."""

    loop: For
    terms: list[Assign]
    store: Store
    distance: int

    @property
    def value(self) -> Var:
        assert isinstance(self.store.value, Var)
        return self.store.value

    @property
    def row(self) -> tuple[Var, Index]:
        return self.store.array, self.store.index[:-1]


def additions(loop: For) -> list[Additions]:
    """What a loop adds to each of the rows, when it does nothing else."""
    if loop.step != Const(1) or loop.carried:
        return []
    terms = [s for s in loop.body if isinstance(s, Assign) and is_of_numbers(s) and len(s.targets) == 1]
    stores = [s for s in loop.body if isinstance(s, Store)]
    if len(terms) + len(stores) < len(loop.body):
        return []
    found = [Additions(loop, terms, s, apart) for s in stores if (apart := _ahead(loop, s)) is not None]
    return found if len(found) == len(stores) else []


def _ahead(loop: For, s: Store) -> int | None:
    """How far ahead of the counter the element of a row lies that a statement adds to."""
    if not (
        s.accumulate
        and len(s.index) == s.array.type.ndim
        and isinstance(s.value, Var)
        and s.value.type.dtype == s.array.type.dtype
        and is_same_row(loop, s.index[:-1])
    ):
        return None
    apart = distance(loop.index, s.index[-1])
    return apart if apart is not None and is_in_row(loop, apart) else None


def is_in_row(loop: For, apart: int) -> bool:
    """Whether places so far ahead of the counter of a loop are counted from the front of a row."""
    first = loop.start.value if isinstance(loop.start, Const) else 0
    return bool(apart + first >= 0)


def is_same_row(loop: For, index: Index) -> bool:
    """Whether subscripts are the same in all trips of a straight loop."""
    inside = {loop.index, *(t for s in loop.body for t in defined(s))}
    return inside.isdisjoint(variables(index))
