"""The types of what a loop carries: a name for each number and array, its type wide enough for what all trips leave."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.frontend import first_trips
from adc.compiler.frontend.branches import Branches
from adc.compiler.frontend.carried_places import VALUES, alike, late
from adc.compiler.frontend.frame import FirstTripDiffers, Growing, ListValue, NeedsUnrolling, RankChanges
from adc.compiler.frontend.outside import is_own_dict
from adc.compiler.frontend.provenance import StandsFor
from adc.compiler.frontend.values import UNDEFINED, Choice, Maybe, Undefined, Value, kind, rebuilt
from adc.compiler.ir.nodes import Block, Var, defined, owners, walk
from adc.compiler.ir.types import Array, Scalar, Type, is_integer, joined
from adc.rules.dims import Dim


class CarriedTypes(Branches):
    """The part of the evaluator that types what loops carry."""

    def _with_phis(
        self,
        value: Value,
        path: tuple[Any, ...],
        leaves: dict[tuple[Any, ...], Type | None],
        phis: dict[tuple[Any, ...], Var],
    ) -> Value:
        """A value as a trip begins with it: new names, noted in `phis`, for the numbers and arrays in it."""
        if isinstance(value, (tuple, ListValue)):
            made = rebuilt(value, [self._with_phis(v, (*path, k), leaves, phis) for k, v in enumerate(value)])
            if isinstance(value, ListValue) and self.is_itemwise(value):
                made.depth += 1  # the body may change it
            self.origins.note(made, StandsFor(value))
            return made
        if is_own_dict(value):
            made = alike(value, {k: self._with_phis(v, (*path, k), leaves, phis) for k, v in value.items()})
            self.origins.note(made, StandsFor(value))
            return made
        if isinstance(value, Maybe):
            present = self._with_phis(value.present, (*path, "present"), leaves, phis)
            return Maybe(present, self._with_phis(value.value, (*path, "value"), leaves, phis), value.absent)
        if isinstance(value, Choice):
            return Choice(self._with_phis(value.place, (*path, "place"), leaves, phis), value.options)
        if isinstance(value, Growing) and value.changes:
            fresh = value.copy()
            fresh.values = self._with_phis(value.values, (*path, VALUES), leaves, phis)
            fresh.count = self._with_phis(value.count, (*path, "count"), leaves, phis)
            self.origins.note(fresh, StandsFor(value))
            return fresh
        t = leaves.get(path)
        if t is None:
            return value
        phi = Var("_".join(str(path[0]).split()[:2]), t)
        self.stands_for(phi, value)
        if (before := self.type_of(value)) is not None:
            self.widths.note(phi, (before, t))
        if isinstance(t, Array):
            phi.type = Array(
                t.dtype,
                tuple(Dim.symbol("shape", phi, k) if d == Dim(-1) else d for k, d in enumerate(t.shape)),
                t.layout,
            )
            if phi.type != t:
                self.varying.add(phi)
            if isinstance(value, Var):
                self.joined_roots[phi] = {value.root}
        elif is_integer(t):
            phi.dim = Dim.symbol("value", phi)
        phis[path] = phi
        return phi

    def _widened(
        self,
        inits: dict[tuple[Any, ...], Value],
        before: dict[str, Value],
        leaves: dict[tuple[Any, ...], Type | None],
        phis: dict[tuple[Any, ...], Var],
        outs: dict[tuple[Any, ...], Value],
        body: Block,
        inside: set[Var],
    ) -> bool:
        """Widen the types of carried leaves by what the body gives back; True when the body must be run again."""
        changed = False
        if inits.keys() != outs.keys():
            path = next(iter(inits.keys() ^ outs.keys()))
            if isinstance(before.get(path[0], UNDEFINED), Undefined):
                error = FirstTripDiffers(
                    f"`{path[0]}` is first assigned inside a loop and read after it",
                    location=self.origin,
                    why="A container has no value when the loop does not run.",
                    repair="Assign it before the loop.",
                )
                error.frame, error.name = self.frame, str(path[0])
                raise error
            raise NeedsUnrolling(before.get(path[0]))
        for path, out in outs.items():
            init = inits[path]
            t_out = self.type_of(out)
            t = leaves.get(path)
            if t is None:
                if out is init or self.same_static(out, init):
                    continue
                if t_out is not None and isinstance(init, np.ndarray):  # of None, as an object has at first
                    error = FirstTripDiffers(
                        f"`{path[0]}` holds an array of None, and another one after a trip of this loop",
                        location=self.origin,
                        why="A loop can only carry arrays of numbers.",
                        repair="Give it numbers before the loop.",
                    )
                    error.frame, error.name = self.frame, str(path[0])
                    raise error
                if t_out is None or init is not UNDEFINED:
                    raise self.refuse(
                        f"`{path[0]}` changes from {kind(init)} to {kind(out)} inside a loop",
                        "a loop can only carry numbers and arrays",
                        "keep its kind the same",
                    )
                of_each = first_trips.kind_before(t_out, body, inside) if isinstance(t_out, Array) else None
                leaves[path] = of_each or late(t_out)
                changed = True
                continue
            if path in phis and out is phis[path]:
                continue
            if t_out is None:
                if out is UNDEFINED:
                    continue
                raise self.refuse(
                    f"`{path[0]}` changes from {kind(init)} to {kind(out)} inside a loop",
                    repair="keep its kind the same",
                )
            wide = self._joined_loop_type(t, t_out, path, body, inside)
            if wide != t:
                leaves[path] = wide
                changed = True
        return changed

    def _joined_loop_type(
        self, t: Type, t_out: Type, path: tuple[Any, ...], body: Block, inside: set[Var]
    ) -> Type:
        wide = joined(t, t_out)
        stays = path[-1] != VALUES
        if wide is None:
            raise self._rank_changes(path, t, t_out, body, inside)
        if isinstance(wide, Array):
            assert isinstance(t, Array) and isinstance(t_out, Array)
            shape = tuple(
                a if self.equal.same(a, b) or (stays and self._may_stay(a, b, body, inside)) else Dim(-1)
                for a, b in zip(t.shape, t_out.shape, strict=True)
            )
            if (
                any(d == Dim(-1) and a != Dim(-1) for d, a in zip(shape, t.shape, strict=True))
                or wide.layout != t.layout
                or wide.dtype != t.dtype
            ):
                return Array(wide.dtype, shape, wide.layout)
            return t
        return wide

    def _rank_changes(
        self, path: tuple[Any, ...], t: Type, t_out: Type, body: Block, inside: set[Var]
    ) -> RankChanges:
        name, array = str(path[0]), None
        if isinstance(t, Scalar) and isinstance(t_out, Array):
            what = f"`{name}` starts as a number and becomes an array inside a loop"
            repair = f"Start with `{name} = np.zeros(...)` of the final shape."
            array = first_trips.kind_before(t_out, body, inside) if path == (name,) else None
        else:
            what = f"`{name}` changes its number of axes inside a loop"
            repair = "Keep its rank the same."
        error = RankChanges(
            what, location=self.origin, why="A variable has one rank in compiled code.", repair=repair
        )
        error.frame, error.name, error.array = self.frame, name, array
        error.narrow = first_trips.is_narrow(body)
        return error

    def _may_stay(self, a: Dim, b: Dim, body: Block, inside: set[Var]) -> bool:
        """Whether a length that a loop carries is taken to stay what it was, which is checked after each trip."""
        if a == Dim(-1) or b == Dim(-1) or 1 in (a.known, b.known) or (a - b).known is not None:
            return False
        if any(v in self.varying for v in owners(a)):
            return False  # a loop has changed it before
        if a.symbols() & b.symbols():
            return False  # a length made from the old one changes
        made = {v for s in walk(body) for v in defined(s)} | inside
        return not any(v in made for v in owners(b))  # so does one that a trip finds out
