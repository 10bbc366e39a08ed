"""Where each value of a program is defined, in which order statements run, and where memory is written.

Positions count statements in program order; a region spans from its own position to that of its last statement.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    defined,
    reads_memory,
    variables,
)


@dataclass(eq=False)
class Region:
    """One block, its place in the program and the statement that owns it (None for the function's body)."""

    block: Block
    owner: For | While | If | None = None
    parent: Region | None = None
    loops: tuple[For | While, ...] = ()

    @property
    def in_loop(self) -> bool:
        return bool(self.loops)


@dataclass(eq=False)
class Layout:
    """The places of a program."""

    home: dict[Var, Region] = field(default_factory=dict)
    definition: dict[Var, Stmt | None] = field(default_factory=dict)  # None: a parameter, an index or a phi
    region_of: dict[Stmt, Region] = field(default_factory=dict)
    start: dict[Stmt, int] = field(default_factory=dict)
    end: dict[Stmt, int] = field(default_factory=dict)
    stores: dict[Var, list[tuple[int, Store]]] = field(default_factory=dict)  # root -> its writes, and where
    regions: dict[int, Region] = field(default_factory=dict)  # id(block) -> region

    def region(self, block: Block) -> Region:
        return self.regions[id(block)]

    def written_between(self, root: Var, after: int, until: int) -> list[Store]:
        """The writes to memory of `root` at positions p with after < p <= until."""
        return [s for p, s in self.stores.get(root, ()) if after < p <= until]


def of(body: Block, params: list[Var]) -> Layout:
    """The layout of a function body."""
    layout = Layout()
    top = Region(body)
    layout.regions[id(body)] = top
    for p in params:
        layout.home[p] = top
        layout.definition[p] = None
    position = 0

    def visit(block: Block, region: Region) -> None:
        nonlocal position
        for stmt in block:
            position += 1
            layout.start[stmt] = position
            layout.region_of[stmt] = region
            for v in defined(stmt):
                layout.home[v] = region
                layout.definition[v] = stmt
            if isinstance(stmt, Store):
                layout.stores.setdefault(stmt.array.root, []).append((position, stmt))
            for inner in blocks(stmt):
                assert isinstance(stmt, (For, While, If))
                loops = (*region.loops, stmt) if isinstance(stmt, (For, While)) else region.loops
                child = Region(inner, stmt, region, loops)
                layout.regions[id(inner)] = child
                if inner is blocks(stmt)[-1]:
                    for v in bound_inside(stmt):
                        layout.home[v] = child
                        layout.definition[v] = None
                visit(inner, child)
            layout.end[stmt] = position

    visit(body, top)
    return layout


def reads(stmt: Assign) -> list[Var]:
    """The roots whose elements an assignment reads (not those it only points at, or whose lengths it takes)."""
    arrays = [v for v in variables(stmt.args) if v.is_array]
    return [v.root for v in arrays] if arrays and reads_memory(stmt) else []
