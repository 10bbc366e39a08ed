"""Give every value a Python name: the user's where possible, the same for versions that never live together.

Going out of SSA form by coalescing (Boissinot et al., *Revisiting out-of-SSA translation*, CGO 2009, on structured
programs): what a loop carries, starts from and ends with shares one variable unless two of them are alive at once.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from adc.compiler.backend.heights import Heights
from adc.compiler.backend.inlining import Inlining
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Carried,
    For,
    If,
    NewBuffer,
    Program,
    Stmt,
    Var,
    While,
    bound_inside,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar, Type
from adc.rules.operation import Operation

RESERVED = {"np", "math", "vm", "rt"}


class Kind(NamedTuple):
    """What a name stands for: numbers of a dtype, or arrays of so many axes."""

    dtype: str
    ndim: int | None


class Names:
    """`names[v]` for every printed variable, `buffers[b]` for every buffer, `tops[b]` for the height of a stack."""

    def __init__(self, program: Program, inlining: Inlining) -> None:
        self.program = program
        self.inlining = inlining
        self.order: dict[Var, int] = {}
        # Sets of variables are integers, a bit for each: there are many, and large ones.
        self._bit: dict[Var, int] = {}
        self._alive: dict[Var, int] = {}  # what is alive where a variable is set
        self._parent: dict[Var, Var] = {}
        self._members: dict[Var, list[Var]] = {}
        # Of a group: its members, and what is alive where they are set.
        self._masks: dict[Var, tuple[int, int]] = {}
        self._find_interference()
        self._coalesce(program.body)
        self.names: dict[Var, str] = {}
        self.buffers: dict[Buffer, str] = {}
        self.heights = Heights(program.body)
        self.tops: dict[Buffer, str] = {}
        self._assign_names()

    def __getitem__(self, v: Var) -> str:
        return self.names[v]

    def kinds(self) -> dict[str, Kind]:
        """What the names stand for that stand for values of one kind only."""
        found: dict[str, set[Kind]] = {}
        for v, name in self.names.items():
            found.setdefault(name, set()).add(Kind(v.type.dtype, v.type.ndim if v.is_array else None))
        for b, name in self.buffers.items():
            if b.trips is not None:
                found.setdefault(name, set()).add(Kind(b.dtype, len(b.trips) + len(b.shape)))
        return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1}

    # --- liveness -----------------------------------------------------------------------------------------------

    def _find_interference(self) -> None:
        live = self._flat(r for r in self.program.results if isinstance(r, Var))
        live = self._block(self.program.body, live)
        for p in self.program.params:
            self._define(p, live)
        for position, v in enumerate([*self.program.params, *self._all_defined(self.program.body)]):
            self.order.setdefault(v, position)

    def _mask(self, v: Var) -> int:
        bit = self._bit.get(v)
        if bit is None:
            bit = self._bit[v] = 1 << len(self._bit)
        return bit

    def _all(self, variables: Iterable[Var]) -> int:
        found = 0
        for v in variables:
            found |= self._mask(v)
        return found

    def _all_defined(self, block: Block) -> Iterator[Var]:
        for stmt in walk(block):
            yield from bound_inside(stmt)
            yield from defined(stmt)

    def _flat(self, operands: Iterable[Var]) -> int:
        """The printed variables that a use reaches through inlined expressions."""
        found = 0
        for v in operands:
            inlined = self.inlining.expression_of(v)
            if inlined is None:
                found |= self._mask(v)
            else:
                found |= self._flat(
                    u for u in self.inlining.operands(inlined) if u is not v and not self._inside(u, inlined)
                )
        return found

    def _inside(self, u: Var, stmt: Stmt) -> bool:
        """Variables of an inlined branch's own blocks are spelled out, not read."""
        if isinstance(stmt, If):
            own = {t for s in walk([stmt]) if isinstance(s, (Assign, If)) for t in defined(s)}
            if u in own:
                return True
        return False

    def _define(self, v: Var, live: int) -> None:
        self._alive[v] = self._alive.get(v, 0) | (live & ~self._mask(v))

    def _block(self, block: Block, live: int) -> int:
        for stmt in reversed(block):
            live = self._statement(stmt, live)
        return live

    def _statement(self, stmt: Stmt, live: int) -> int:
        targets = list(defined(stmt))
        if targets and all(t in self.inlining.definition for t in targets):
            return live
        own = self._all(targets)
        for t in targets:
            self._define(t, live | own)
        live &= ~own
        if isinstance(stmt, If):
            then = self._block(stmt.then, live | self._flat(variables(tuple(m.then for m in stmt.merges))))
            orelse = self._block(
                stmt.orelse, live | self._flat(variables(tuple(m.orelse for m in stmt.merges)))
            )
            return then | orelse | self._flat(variables(stmt.test))
        if isinstance(stmt, For):
            head = self._flat(variables((stmt.start, stmt.stop, stmt.step)))
            for c in stmt.carried:
                self._define(c.phi, head)  # its first value is set before the range is read
            return self._loop(stmt, live, [stmt.body]) | head
        if isinstance(stmt, While):
            return self._loop(stmt, live, [stmt.test_block, stmt.body])
        return live | self._flat(uses(stmt))

    def _loop(self, stmt: For | While, live: int, parts: list[Block]) -> int:
        phis = self._all(c.phi for c in stmt.carried)
        bound = list(bound_inside(stmt))
        around = live
        while True:
            at_end = around | self._flat(variables(tuple(c.out for c in stmt.carried)))
            inside = self._block(parts[-1], at_end)
            if isinstance(stmt, While):
                # After a failed test the phis are the results.
                inside = self._block(parts[0], inside | live | phis | self._flat(variables(stmt.test)))
            for v in bound:
                self._define(v, inside | phis | around)
            extended = around | (inside & ~self._all(bound))
            if extended == around:
                break
            around = extended
        for c in stmt.carried:
            # The variable of a phi holds the result after the loop: it must survive what is live there.
            self._define(c.phi, live)
        return around | self._flat(variables(tuple(c.init for c in stmt.carried)))

    # --- coalescing ---------------------------------------------------------------------------------------------

    def find(self, v: Var) -> Var:
        while v in self._parent:
            v = self._parent[v]
        return v

    def _group(self, v: Var) -> list[Var]:
        return self._members.get(self.find(v), [v])

    def _group_masks(self, v: Var) -> tuple[int, int]:
        root = self.find(v)
        return self._masks.get(root) or (self._mask(root), self._alive.get(root, 0))

    def _join(self, a: Var, b: Atom, forced: bool = False) -> None:
        if not isinstance(b, Var) or b in self.inlining.definition:
            return
        ra, rb = self.find(a), self.find(b)
        if ra is rb:
            return
        if not forced and (not same_kind(a.type, b.type) or self._conflict(ra, rb)):
            return
        merged = [*self._group(ra), *self._group(rb)]
        (mine, alive), (theirs, theirs_alive) = self._group_masks(ra), self._group_masks(rb)
        self._parent[rb] = ra
        self._members[ra] = merged
        self._masks[ra] = mine | theirs, alive | theirs_alive

    def _conflict(self, a: Var, b: Var) -> bool:
        """Whether some member of one group is alive where one of the other is set."""
        (mine, alive), (theirs, theirs_alive) = self._group_masks(a), self._group_masks(b)
        return bool(alive & theirs or theirs_alive & mine)

    def _coalesce(self, block: Block) -> None:
        params = set(self.program.params)
        for stmt in walk(block):
            if isinstance(stmt, (For, While)):
                for c in stmt.carried:
                    self._join(c.phi, c.result, forced=True)
        for stmt in walk(block):
            if isinstance(stmt, (For, While)):
                for c in stmt.carried:
                    self._join(c.phi, c.out)
                    if (c.init not in params or self._same_wish(c)) and not self._is_of_primal(c):
                        self._join(c.phi, c.init)
            elif isinstance(stmt, If):
                for m in stmt.merges:
                    for v in (m.then, m.orelse):
                        if v not in params or (isinstance(v, Var) and v.name == m.result.name):
                            self._join(m.result, v)

    @staticmethod
    def _same_wish(c: Carried) -> bool:
        return isinstance(c.init, Var) and c.init.name == c.phi.name

    @staticmethod
    def _is_of_primal(c: Carried) -> bool:
        """Whether an adjoint that a loop carries begins as a value that the user named: it is another one behind."""
        is_named = isinstance(c.init, Var) and c.init.named and not c.init.name.endswith("_bar")
        return is_named and c.phi.name.endswith("_bar")

    # --- names --------------------------------------------------------------------------------------------------

    def _assign_names(self) -> None:
        holders: dict[str, _Holders] = {}
        reserved = (
            {k.name for k in self.program.meta.get("kernels", ())}
            | RESERVED
            | set(keyword.kwlist)
            | {self.program.name}
            | _used_builtins(self.program)
        )
        for p in self.program.params:
            root = self.find(p)
            self._hold(p.name, root, holders)
            for v in self._group(root):
                self.names[v] = p.name
        for stmt in walk(self.program.body):
            if isinstance(stmt, NewBuffer):
                name = _free(stmt.buffer.name, holders, reserved)
                self.buffers[stmt.buffer] = name
                self.tops[stmt.buffer] = _top_of(name)
                reserved |= {name, _top_of(name)}
        for first in self.heights.together():
            self.tops[first] = _free("trips_kept", holders, reserved)
            reserved.add(self.tops[first])
        for buffer, first in self.heights.shared.items():
            self.tops[buffer] = self.tops[first]
        for v in sorted(self.order, key=self.order.__getitem__):
            if v in self.names or v in self.inlining.definition:
                continue
            root = self.find(v)
            base = self._wish(root)
            name, k = base, 1
            mine, alive = self._group_masks(root)
            while name in reserved or (name in holders and not holders[name].fit(root, mine, alive)):
                k += 1
                name = f"{base}_{k}"
            self._hold(name, root, holders)
            for member in self._group(root):
                self.names[member] = name

    def _hold(self, name: str, root: Var, holders: dict[str, _Holders]) -> None:
        mine, alive = self._group_masks(root)
        known = holders.setdefault(name, _Holders(root.type, 0, 0))
        known.members |= mine
        known.alive |= alive

    def _wish(self, root: Var) -> str:
        group = sorted(self._group(root), key=lambda v: self.order.get(v, 0))
        named = [v for v in group if v.named] or group[:1]
        chosen = next((v for v in named if not self.inlining.is_of_nameless(v)), named[0])
        if not chosen.name.strip("_") and any(self.inlining.count[v] for v in group):
            return "trip"  # the user's `_` counts what nobody reads; the reverse sweep reads this one
        text = "".join(ch if ch.isalnum() or ch == "_" else "_" for ch in chosen.name) or "t"
        return (
            text + "_" if keyword.iskeyword(text) or (hasattr(builtins, text) and not chosen.named) else text
        )


@dataclass
class _Holders:
    """All that share a name: what they are, and, as masks, who they are and what is alive where they are set."""

    type: Type
    members: int
    alive: int

    def fit(self, root: Var, mine: int, alive: int) -> bool:
        """Whether another group may have the name, too: of their kind, and never alive where one of them is set."""
        return same_kind(root.type, self.type) and not (alive & self.members or self.alive & mine)


def _top_of(buffer_name: str) -> str:
    """The name of the height of one stack."""
    return f"{buffer_name.removesuffix('_kept')}_top"


def same_kind(a: Type, b: Type) -> bool:
    """Whether one Numba variable can hold both."""
    if isinstance(a, Array) != isinstance(b, Array) or a.dtype != b.dtype:
        return False
    if isinstance(a, Array) and isinstance(b, Array):
        return a.ndim == b.ndim and a.layout == b.layout
    assert isinstance(a, Scalar)
    return True


def _free(name: str, holders: dict[str, _Holders], reserved: set[str]) -> str:
    candidate, k = name, 1
    while candidate in holders or candidate in reserved or _top_of(candidate) in reserved:
        k += 1
        candidate = f"{name}_{k}"
    return candidate


def _used_builtins(program: Program) -> set[str]:
    used = {"range", "max", "min", "abs", "float", "int", "bool", "len", "print"}
    for stmt in walk(program.body):
        if isinstance(stmt, Assign) and isinstance(stmt.op, Operation):
            used.add(stmt.op.spelling.split(".")[0])
    return used
