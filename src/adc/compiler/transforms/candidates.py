"""Which loops are worth statements on whole arrays (`whole`), and what they look like without branches.

Branches become choices where the adjoint of the side that was not taken stays zero whatever its numbers are: through
sums, differences and further choices. A product would make NaN of an infinite number that the branch was to keep out.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.analysis.touches import offset, part
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Check, Const, For, If, Index, Slice, Stmt, Store, Var, uses, walk
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms.batched import PRODUCTS, SOLVERS, known_short
from adc.compiler.transforms.selects import without_branches
from adc.rules.dims import Dim

SHORT = 8  # products of vectors and matrices of known lengths up to this one stay as they are: they are written out
LINEAR = ("add", "subtract", "negative", "where")


def straight(loop: For, *, loops: bool = False) -> For | None:
    """A loop from one to the next without a region in it, but for `loops`; None where there is no such."""
    if loop.step not in (Const(1), Const(-1)):
        return None
    if any(isinstance(s, If) for s in loop.body):
        if not all(_hands_on_zeros(s, loop) for s in loop.body if isinstance(s, If)):
            return None
        chosen = without_branches(loop)
        if chosen is None:
            return None
        loop = chosen
    kinds = (Assign, Store, Check, *((For,) if loops else ()))
    return loop if all(isinstance(s, kinds) for s in loop.body) else None


def _hands_on_zeros(branch: If, loop: For) -> bool:
    """Whether the numbers of both sides are linear in what is differentiated, or only compared."""
    for s in walk([*branch.then, *branch.orelse]):
        if isinstance(s, Assign) and s.name not in LINEAR and not _is_multiple(s):
            for target in s.targets:
                readers = [t for t in walk(loop.body) if target in uses(t)]
                if _is_number(target) and not all(_compares(t) for t in readers):
                    return False
    return True


def _is_multiple(s: Assign) -> bool:
    return s.name == "multiply" and any(isinstance(a, Const) and np.isfinite(a.value) for a in s.args)


def _is_number(x: Var) -> bool:
    return np.dtype(x.type.dtype).kind in "fc"


def _compares(s: Stmt) -> bool:
    return isinstance(s, Assign) and not any(_is_number(t) for t in s.targets)


def is_worth_it(loop: For) -> bool:
    """Whether a loop multiplies by a matrix, goes over columns, or reads neighbours."""
    inside = {t for s in loop.body if isinstance(s, Assign) for t in s.targets}
    for s in loop.body:
        if isinstance(s, Assign) and s.name in PRODUCTS | SOLVERS:
            a, b = s.args
            shared = any(isinstance(x, Var) and x not in inside and x.type.ndim == 2 for x in (a, b))
            if (a in inside or b in inside) and shared and not known_short(s, SHORT):
                return True
        *front, last = index_of(s) or (None,)
        if any(isinstance(i, Slice) for i in front) and offset(loop.index, last) is not None:
            return True
    return is_stencil(loop) or _goes_by_data(loop)


def _goes_by_data(loop: For) -> bool:
    """Whether a loop reads, or adds to, elements at positions that it has from an array."""
    found = {
        s.target
        for s in loop.body
        if isinstance(s, Assign) and s.op == "getitem" and not s.target.is_array and is_integer(s.target.type)
    }
    return any(item in found for s in loop.body for item in index_of(s))


def is_stencil(loop: For) -> bool:
    """Whether a loop reads an array at several distances from its counter."""
    found: dict[Var, set[object]] = {}
    round_ends = wrapped(loop)
    for s in walk(loop.body):
        if isinstance(s, Assign) and (taken := part(s)) is not None:
            array, index = taken
            for item in index:
                distance: object = None if isinstance(item, Slice) else offset(loop.index, item)
                if item in round_ends:
                    distance = item
                if distance is not None:
                    found.setdefault(array, set()).add(distance)
    return any(len(distances) > 1 for distances in found.values())


def wrapped(loop: For) -> dict[object, Dim]:
    """`(i + c) % n` in a loop of n trips, as variables, with c."""
    stop = length_of(loop.stop)
    found: dict[object, Dim] = {}
    for s in walk(loop.body):
        if (
            isinstance(s, Assign)
            and s.name == "remainder"
            and stop is not None
            and length_of(s.args[1]) == stop
        ):
            c = offset(loop.index, s.args[0])
            for distance in () if c is None else (c, c - stop):
                if distance.known is not None:
                    found[s.target] = distance
                    break
    return found


def index_of(s: Stmt) -> Index:
    """The index at which a statement reads or writes; none where it does something else."""
    _, index = part(s) or (None, ())
    return index
