"""Stacks that grow and shrink together have one height.

r_kept[trips_kept] = r              # in place of one height for r_kept and one for p_kept
p_kept[trips_kept] = p
trips_kept += 1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from adc.compiler.ir.nodes import Block, Buffer, Keep, NewBuffer, Restore, Stmt, all_blocks


class Heights:
    """`shared[b]` is the first of the stacks whose height a stack has, itself among them."""

    def __init__(self, body: Block) -> None:
        self.shared: dict[Buffer, Buffer] = {}
        self._changing: set[Stmt] = set()  # what changes a height: the last push of a group and its first pop
        places: dict[Buffer, dict[type, list[_Place]]] = {}
        by_elements: set[Buffer] = set()
        for block in all_blocks(body):
            for k, stmt in enumerate(block):
                if isinstance(stmt, (NewBuffer, Keep, Restore)) and stmt.buffer.trips is None:
                    found = places.setdefault(stmt.buffer, {NewBuffer: [], Keep: [], Restore: []})
                    found[type(stmt)].append(_Place(id(block), k, stmt))
                    if isinstance(stmt, Keep) and stmt.lengths:
                        by_elements.add(stmt.buffer)
        groups: dict[tuple[int, ...], list[Buffer]] = {}
        for buffer, found in places.items():
            alike = buffer not in by_elements and all(len(where) == 1 for where in found.values())
            key = tuple(where[0].block for where in found.values()) if alike else (id(buffer),)
            groups.setdefault(key, []).append(buffer)
        for group in groups.values():
            for buffer in group:
                self.shared[buffer] = group[0]
            keeps, restores = ([at for b in group for at in places[b][kind]] for kind in (Keep, Restore))
            if len(group) > 1:
                keeps, restores = [max(keeps, key=_position)], [min(restores, key=_position)]
            self._changing.update(at.stmt for at in (*keeps, *restores))

    def changes_at(self, stmt: Keep | Restore) -> bool:
        """Whether the height changes with a statement: after it pushes, before it pops."""
        return stmt in self._changing

    def together(self) -> Iterator[Buffer]:
        """The stacks that lend others their height."""
        lending = [first for buffer, first in self.shared.items() if buffer is not first]
        yield from dict.fromkeys(lending)


class _Place(NamedTuple):
    block: int
    position: int
    stmt: Stmt


def _position(at: _Place) -> int:
    return at.position
