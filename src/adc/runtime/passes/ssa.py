"""Numba gives each assignment of a variable a name of its own in one pass over the function, not two for each variable.

A variable with several assignments gets as many names, and where two of them arrive a phi joins them (Rastello &
Bouchez Tichadou, *SSA-based Compiler Design*, chapters 4 and 5). Numba goes through all statements twice for each such
variable, and through those before a reading of it: of the 9.5 s for the gradient of a network of 250 reactions that was
2.2 s. Here the assignments and readings of all variables are listed once, and each is found in its list. The names, the
phis and their order are Numba's.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from copy import copy
from typing import Any

from numba.core import errors, ir, ir_utils
from numba.core import ssa as numbas
from numba.core.analysis import compute_cfg_from_blocks

from adc.runtime.passes.known import is_known

# Of numba.core.ssa of 0.65 and 0.68.
KNOWN = frozenset({"d20accd92757fef663a43e78d0ee88fe01d9333379eda463c9e15f0e7785e490"})

own = numbas._run_ssa


class _Places:
    """Where the variables that need it are assigned and read: the statements of each block, by their numbers."""

    def __init__(self, blocks: dict[int, Any], names: Any) -> None:
        self.assigned: dict[str, dict[int, list[int]]] = {name: {} for name in names}
        self.read: dict[str, dict[int, list[int]]] = {name: {} for name in names}
        for label, block in blocks.items():
            for k, statement in enumerate(block.body):
                if isinstance(statement, ir.Assign) and statement.target.name in self.assigned:
                    self.assigned[statement.target.name].setdefault(label, []).append(k)
                for name in {variable.name for variable in _read(statement)}:
                    if name in self.read:
                        self.read[name].setdefault(label, []).append(k)


def _read(statement: Any) -> Any:
    """The variables whose names a statement may get anew."""
    if not isinstance(statement, ir.Assign):
        return statement.list_vars()
    if isinstance(statement.value, ir.Var):
        return [statement.value]
    return statement.value.list_vars() if isinstance(statement.value, ir.Inst) else ()


class _Versions:
    """The names that one variable gets, and which of them arrives where."""

    def __init__(self, name: str, blocks: dict[int, Any], cfg: Any, assigned: dict[int, list[int]]) -> None:
        self.name, self.blocks, self.cfg = name, blocks, cfg
        self.scope = next(iter(blocks.values())).scope
        self.positions = assigned
        self.targets: dict[int, list[Any]] = {}  # in the order of the positions
        self.phis: dict[int, Any] = {}
        self.joins: set[int] = set()  # where a phi stands, if what arrives there is read

    def assign(self, frontiers: dict[int, set[int]]) -> None:
        """Give each assignment its name; the first keeps the variable's own."""
        first = True
        for label, positions in self.positions.items():
            targets = self.targets[label] = []
            for k in positions:
                statement = self.blocks[label].body[k]
                new = statement.target if first else self.scope.redefine(self.name, loc=statement.loc)
                first = False
                targets.append(new)
            self.joins |= frontiers[label]

    def at(self, label: int, k: int, loc: Any) -> Any:
        """What a statement reads: of what its block assigned before it, or of what arrived at the block."""
        before = bisect.bisect_left(self.positions.get(label, ()), k)
        return self.targets[label][before - 1] if before else self._at_top(label, label, loc)

    def _at_top(self, label: int, reader: int, loc: Any) -> Any:
        dominators = self.cfg.immediate_dominators()
        while label not in self.phis and label not in self.joins:
            above = dominators[label]
            if above == label:
                numbas._warn_about_uninitialized_variable(self.name, loc)
                return ir.UNDEFINED
            if above in self.targets:
                return self.targets[above][-1]
            label = above
        return self.phis[label].target if label in self.phis else self._joined(label, reader)

    def _joined(self, label: int, reader: int) -> Any:
        loc = self.blocks[reader].loc
        target = self.scope.redefine(self.name, loc=loc)
        phi = ir.Expr.phi(loc=loc)
        self.phis[label] = ir.Assign(target=target, value=phi, loc=loc)
        for before, _ in self.cfg.predecessors(label):
            targets = self.targets.get(before)
            phi.incoming_values.append(targets[-1] if targets else self._at_top(before, reader, loc))
            phi.incoming_blocks.append(before)
        return target


def in_one_pass(blocks: dict[int, Any]) -> dict[int, Any]:
    """What stands for Numba's function."""
    if not blocks or not is_known(numbas, KNOWN):
        return own(blocks)  # type: ignore[no-any-return]
    cfg = compute_cfg_from_blocks(blocks)
    frontiers = numbas._iterated_domfronts(cfg)
    names = list(numbas._find_defs_violators(blocks, cfg))
    if not names:
        return blocks
    places = _Places(blocks, names)
    targets: dict[tuple[int, int], Any] = {}
    readings: dict[tuple[int, int], dict[str, Any]] = defaultdict(dict)
    phis: dict[int, list[Any]] = defaultdict(list)
    for name in names:
        versions = _Versions(name, blocks, cfg, places.assigned[name])
        versions.assign(frontiers)
        for label, positions in places.assigned[name].items():
            targets.update(zip(((label, k) for k in positions), versions.targets[label], strict=True))
        for label, positions in places.read[name].items():
            for k in positions:
                new = versions.at(label, k, blocks[label].body[k].loc)
                if new is not ir.UNDEFINED and new.name != name:
                    readings[label, k][name] = new
        for label, phi in versions.phis.items():
            phis[label].insert(0, phi)
    rewritten = {label: _rewritten(label, block, targets, readings, phis) for label, block in blocks.items()}
    if compute_cfg_from_blocks(rewritten) != cfg:
        raise errors.CompilerError("CFG mutated in SSA pass")
    return rewritten


def _rewritten(
    label: int,
    block: Any,
    targets: dict[tuple[int, int], Any],
    readings: dict[tuple[int, int], dict[str, Any]],
    phis: dict[int, list[Any]],
) -> Any:
    body = [*phis.get(label, ())]
    for k, statement in enumerate(block.body):
        place = label, k
        body.append(_renamed(statement, targets.get(place), readings.get(place)))
    new = ir.Block(scope=block.scope, loc=block.loc)
    new.body = body
    return new


def _renamed(statement: Any, target: Any, reading: dict[str, Any] | None) -> Any:
    """A statement with the names that it gets."""
    if target is None and not reading:
        return statement
    if not isinstance(statement, ir.Assign):
        statement = copy(statement)
        ir_utils.replace_vars_stmt(statement, reading)
        return statement
    value = statement.value
    if reading and isinstance(value, ir.Var):
        value = reading[value.name]
    elif reading:
        value = copy(value)
        ir_utils.replace_vars_inner(value, reading)
    return ir.Assign(target=target or statement.target, value=value, loc=statement.loc)


numbas._run_ssa = in_one_pass
