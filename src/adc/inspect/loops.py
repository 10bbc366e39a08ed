"""Say of each loop what ties its trips together: nothing, neighbours that it reads, sums, or a recurrence."""

from __future__ import annotations

from collections.abc import Iterable

from adc.compiler.analysis.sums import is_sum
from adc.compiler.ir.nodes import Assign, Block, For, Index, Stmt, Store, Var, While, uses, walk
from adc.inspect.ledger import LoopClass
from adc.rules.dims import Dim

__all__ = ["classify"]


def classify(loop: For | While) -> tuple[LoopClass, str]:
    """The class of a loop, and what speaks for it."""
    if isinstance(loop, While):
        return "recurrence", "a while loop: each trip decides on the next"
    sums = []
    for carried in loop.carried:
        if carried.out is carried.phi:
            continue
        if is_sum(carried, loop):
            sums.append(carried.phi.name)
        else:
            return "recurrence", f"a trip reads the `{carried.phi.name}` of the trip before"
    stores, reads = _accesses(loop.body)
    for root, written in stores.items():
        found = reads.get(root, [])
        if all(accumulates for _, accumulates in written) and not found:
            if not all(_offset(index, loop.index) == 0 for index, _ in written):
                sums.append(root.name)
            continue
        indices = [*(index for index, _ in written), *found]
        if not all(index is not None and _offset(index, loop.index) == 0 for index in indices):
            return (
                ("recurrence", f"a trip reads elements of `{root.name}` that other trips write")
                if found or any(accumulates for _, accumulates in written)
                else ("recurrence", f"trips write `{root.name}` in turn, the last one stays")
            )
    if sums:
        return "reduction", f"trips only add to {', '.join(f'`{s}`' for s in dict.fromkeys(sums))}"
    for root, found in reads.items():
        offsets = {_offset(index, loop.index) for index in found if index is not None} - {None}
        if root not in stores and len(offsets) > 1:
            return "stencil", f"a trip reads neighbours in `{root.name}`, and no trip reads what another made"
    return "independent", "no trip reads what another made"


def _accesses(body: Block) -> tuple[dict[Var, list[tuple[Index, bool]]], dict[Var, list[Index | None]]]:
    """Per array from before the body: the indices of its writes (and whether they add), and of its reads."""
    inside = {t for s in walk(body) if isinstance(s, Assign) for t in s.targets}
    stores: dict[Var, list[tuple[Index, bool]]] = {}
    reads: dict[Var, list[Index | None]] = {}
    own_reads = {id(s) for s in _reads_for_writing(walk(body))}
    for stmt in walk(body):
        if isinstance(stmt, Store):
            if stmt.array.root not in inside:
                stores.setdefault(stmt.array.root, []).append((stmt.index, stmt.accumulate))
            if isinstance(stmt.value, Var) and stmt.value.is_array and stmt.value.root not in inside:
                reads.setdefault(stmt.value.root, []).append(None)
        elif isinstance(stmt, Assign) and id(stmt) not in own_reads:
            for v in uses(stmt):
                if v.is_array and v.root not in inside:
                    direct = stmt.name == "getitem" and stmt.args[0] is v
                    reads.setdefault(v.root, []).append(stmt.args[1] if direct else None)
    return stores, reads


def _reads_for_writing(statements: Iterable[Stmt]) -> list[Stmt]:
    """Views and lengths: they point at an array, and read no element of it."""
    return [
        s
        for s in statements
        if isinstance(s, Assign)
        and (
            s.name in ("dim", "zeros_like", "empty_like")
            or (s.name != "getitem" and s.targets[0].view_of is not None)
        )
    ]


def _offset(index: Index | None, counter: Var) -> int | None:
    """`c` where one item of an index is `counter + c`; None where there is no such item."""
    for item in index or ():
        if isinstance(item, Var) and not item.is_array and item.dim is not None:
            distance = (item.dim - Dim.symbol("value", counter)).known
            if distance is not None:
                return distance
    return None
