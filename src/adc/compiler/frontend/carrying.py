"""Find what a loop carries from trip to trip, by running its body until the types of the carried names stand still."""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

from adc.compiler.frontend import carried_choices, element_kinds, growing, packed, provenance, shared_rows
from adc.compiler.frontend.carried_outside import Outside
from adc.compiler.frontend.carried_places import (
    VALUES,
    from_before,
    holder,
    late,
    leaves_of,
    places,
    replaced,
)
from adc.compiler.frontend.carried_types import CarriedTypes
from adc.compiler.frontend.containers import Container, Contents, known_to, same_container
from adc.compiler.frontend.frame import (
    Closure,
    Growing,
    ListValue,
    NeedsUnrolling,
    SurelyRaised,
    TestWrites,
    is_kept,
)
from adc.compiler.frontend.names import UnassignedRead
from adc.compiler.frontend.outside import is_own_dict
from adc.compiler.frontend.provenance import Copied, StandsFor
from adc.compiler.frontend.scan import changed_names, loaded_names, stored_names
from adc.compiler.frontend.stand_ins import StandIns
from adc.compiler.frontend.values import UNDEFINED, Maybe, Value, emptied
from adc.compiler.ir.nodes import Block, Carried, Const, For, Var, While
from adc.compiler.ir.types import Array, Scalar, Type, is_integer
from adc.errors import ShapeError, UnsupportedError
from adc.rules.dims import Dim


def _may_write(loop: Any) -> bool:
    """Whether the condition of a `while` calls something, or reads what may be a property."""
    return isinstance(loop, gast.While) and any(
        isinstance(n, (gast.Call, gast.Attribute, gast.Subscript)) for n in gast.walk(loop.test)
    )


class Carrying(CarriedTypes):
    """The part of the evaluator that makes the regions of loops."""

    def _changed_by_calls(self, loop: Any) -> set[str]:
        """Names of containers that functions defined beside a loop change, when the loop calls them."""
        found: set[str] = set()
        seen: set[str] = set()
        todo = loaded_names(loop)
        while todo:
            name = todo.pop()
            function = self.frame.env.get(name)
            if name not in seen and isinstance(function, Closure) and function.frame is self.frame:
                todo |= loaded_names(function.tree)
                found |= changed_names(function.tree.body)
            seen.add(name)
        return found

    def _lower_loop(
        self, node: Any, region: For | While, test: Any, body: Any, extra: set[str] | None = None
    ) -> None:
        """A loop as a region. Raises NeedsUnrolling where it must be spelled out, and may be."""
        held: list[Any] = []
        try:
            self._carry(node, region, test, body, extra, held)
        except SurelyRaised:
            raise
        except UnsupportedError as error:
            if not held:
                raise
            needed = NeedsUnrolling(held[0])
            needed.refusal = error
            raise needed from error

    def _carry(
        self,
        node: Any,
        region: For | While,
        test: Any,
        body: Any,
        extra: set[str] | None,
        held: list[Any],
    ) -> None:
        """Find what the loop carries by running its body until the types of the carried names stand still.

        `held` is told which dicts and objects the body was found to change, beside those that its text names.
        """
        assert self.frame.liveness is not None
        head = self.frame.liveness.head[id(node)]
        after = self.frame.liveness.after[id(node)]
        assigned = stored_names(
            [
                *node.body,
                *([node.target] if isinstance(node, gast.For) else []),
                *([node.test] if isinstance(node, gast.While) else []),
            ]
        )
        before = dict(self.frame.env)
        named = changed_names(node.body) | self._changed_by_calls(node)
        changed_dicts = {name for name in named if self._is_carried_in_place(before.get(name))}
        changed_dicts |= {name for name, value in before.items() if id(value) in self.itemwise}
        names = sorted((assigned & head) | changed_dicts | (extra or set()))
        leaves: dict[tuple[Any, ...], Type | None] = {}
        lengths = self.equal.snapshot()
        for name in names:
            if self.is_without_axes(before.get(name)):
                self.refuse_two_names(before[name])
        containers = Contents(self.frame)
        lists: list[Growing] = []  # that change in place
        outside = Outside()
        guessed: dict[tuple[Any, ...], Type] = {}
        frame = self.frame
        while True:
            inits = self._inits(names, before, lists)
            leaves = {path: leaves[path] if path in leaves else self.type_of(v) for path, v in inits.items()}
            self.equal.restore(lengths)
            blocks: list[Block] = [[], []]
            phis: dict[tuple[Any, ...], Var] = {}
            env = dict(before)
            for name in names:
                env[name] = self._with_phis(before.get(name, UNDEFINED), (name,), leaves, phis)
            begun = {
                path: made for name in names for path, made in provenance.containers_in(env[name], (name,))
            }
            stand_ins = StandIns(names, before, env)
            env = self.frame.env = outside.begin(env)
            for k, each in enumerate(lists):
                each.become(self._with_phis(each, (each.name, k), leaves, phis).state())
            self.region_depth += 1
            self.loop_depth += 1
            self.trips.append(dataclasses.replace(frame, env=dict(env)))
            try:
                asked = Contents(self.frame) if _may_write(node) else None
                with self.at(blocks[0]):
                    condition = test() if test is not None else True
                if asked is not None and any(asked.is_changed(each) for each, _ in asked.held.values()):
                    raise TestWrites
                if condition is False:
                    self.frame.env = before
                    return
                with self.at(blocks[1]):
                    body()
            except UnassignedRead as read:
                containers.taken()
                if read.frame is not frame or read.name not in names or read.name in before:
                    raise
                # A trip before may have assigned it; what it is shows when the body is done.
                before[read.name] = Maybe(False, UNDEFINED, UNDEFINED)
                leaves[read.name, "value"] = guessed[read.name, "value"] = Scalar("float64")
                continue
            except NeedsUnrolling as needed:
                needed.container = from_before(needed.container, containers)
                raise
            finally:
                self.trips.pop()
                self.region_depth -= 1
                self.loop_depth -= 1
            left = {name: self.frame.env.get(name, UNDEFINED) for name in names}
            outside.leave(left)
            self._require_asked(begun, left)
            for name in names:
                shared_rows.carried(self, begun.get((name,)), left[name])
            self._refuse_second_names(before, left, head)
            stand_ins.refuse_lost_changes(
                left,
                lambda name, container: (
                    containers.shared(container)
                    or (name in assigned and known_to(self.frame.caller, container))
                ),
            )
            with self.at(blocks[1]):
                self._lists_in_arrays(before, left)
            self._require_still_weak(begun, left)
            with self.at(blocks[1]):
                self._require_elements_alike(begun, left)
            if carried_choices.as_places(self, before, left, leaves, containers, blocks[1]):
                containers.taken()
                continue
            if self._may_be_missing(before, left, leaves, isinstance(region, While), after, containers):
                containers.taken()
                continue
            outs = {path: value for name in names for path, value in leaves_of(left[name], (name,))}
            for k, each in enumerate(lists):
                outs.update(leaves_of(each, (each.name, k)))
            changed_lists = [
                container
                for container, _ in containers.changes(containers.taken())
                if not any(container is each for each in lists) and container not in outside
            ]
            holders: set[str] = set()
            nameless: list[Container] = []
            for changed in changed_lists:
                # It changes in the body, and the loop does not carry it.
                if self._is_carried_in_place(changed):
                    name_of_it = holder(changed, before, names)
                    if name_of_it is None:
                        nameless.append(changed)
                    else:
                        holders.add(name_of_it)
                    held.append(changed)
                elif not isinstance(changed, Growing) or any(before.get(n) is changed for n in names):
                    raise NeedsUnrolling(changed)
                else:
                    lists.append(changed)
            holders |= outside.take(nameless, before)
            if holders:
                names = sorted({*names, *holders})
                changed_dicts |= holders
                continue
            inside = {*phis.values(), *([region.index] if isinstance(region, For) else [])}
            for path, t in list(guessed.items()):
                found = self.type_of(outs.get(path))
                if found is not None and type(found) is not type(t):
                    leaves[path] = None  # it was no number after all
                    del guessed[path]
            try:
                if not changed_lists and not self._widened(
                    inits, before, leaves, phis, outs, blocks[1], inside
                ):
                    break
            except NeedsUnrolling as needed:
                needed.container = outside.itself(needed.container, before)
                raise
        if isinstance(region, While):
            region.test_block, region.test = blocks[0], self.atom(condition)
        region.body = blocks[1]
        self.frame.env = before
        results = self._finish_loop(region, inits, phis, outs)
        unassigned = [
            n for n in names if inits.get((n,), None) is UNDEFINED and n in after and (n,) in results
        ]
        runs = self._runs(region) if unassigned else True
        stays = {path for path, container in begun.items() if provenance.at(left, path) is container}
        stays |= {*outside.paths()}
        for name in names:
            if name in after or name.startswith("next ") or self._is_carried_in_place(before.get(name)):
                in_place = name in changed_dicts and name not in assigned
                held = before.get(name, UNDEFINED)
                was = dict(provenance.containers_in(held, (name,)))
                found = replaced(held, (name,), results, stays if in_place else ())
                self._remember_what_changed(was, left, found, name)
                shared_rows.behind(found, left[name])
                self.frame.env[name] = found
            elif name in assigned or name not in before:
                self.frame.env[name] = UNDEFINED
            if name in unassigned and runs is not True:
                after_it = Maybe(runs, self.frame.env[name], UNDEFINED)
                self.frame.env[name] = after_it if isinstance(runs, Var) else UNDEFINED
        self.frame.env.update(dict.fromkeys(sorted(assigned.difference(names)), UNDEFINED))
        outside.end(self.frame.env)
        for k, each in enumerate(lists):
            replaced(each, (each.name, k), results, {(each.name, k)})
        self.equal.restore(lengths)  # what a trip has checked is not known when there was none

    def _is_carried_in_place(self, value: Value) -> bool:
        """Whether it is a container that stays the same object, and of which a loop carries what it holds."""
        return is_own_dict(value) or (isinstance(value, ListValue) and self.is_itemwise(value))

    def _refuse_second_names(self, before: dict[str, Value], left: dict[str, Value], head: set[str]) -> None:
        """A list that has a second name from the second trip on is two lists to the loop, which carries each.

        `head` are the names that a trip, or what comes after the loop, may read.
        """
        known = Contents(self.frame, head)
        for name, value in left.items():
            container = isinstance(value, (ListValue, Growing, dict)) and not is_kept(value)
            if container and known.shared(value) and not same_container(value, before.get(name)):
                raise NeedsUnrolling

    def _require_asked(self, begun: dict[provenance.Path, Value], left: dict[str, Value]) -> None:
        """What the body took a container for, `begun` with at each path, it must be in every trip."""
        for path, container in begun.items():
            origin = self.origins.of(container)
            asked = isinstance(origin, StandsFor) and origin.asked
            if asked and provenance.at(left, path) is not container:
                needed = NeedsUnrolling()
                needed.refusal = self.refuse(
                    f"it is asked which object `{path[0]}` is or holds, and trips of a loop change that",
                    "objects live at compile time only",
                    "compare what they hold, such as a number or name that each has",
                )
                raise needed

    def _remember_what_changed(
        self, was: dict[provenance.Path, Value], left: dict[str, Value], found: Value, name: str
    ) -> None:
        """Note of each new container in what a loop leaves under a name which ones of the user's it may be."""
        for path, container in provenance.containers_in(found, (name,)):
            if container is was.get(path):
                continue
            among = was.get(path), provenance.at(left, path)
            self.remember(
                container, Copied(), *(one for one in among if isinstance(one, provenance.CONTAINERS))
            )

    def _runs(self, region: For | While) -> Value:
        """Whether a loop has a trip."""
        if not isinstance(region, For):
            return True  # a name that it may not assign is carried with a flag
        start, stop = (v.value if isinstance(v, Const) else v for v in (region.start, region.stop))
        assert isinstance(region.step, Const)
        return self.op("less" if region.step.value > 0 else "greater", start, stop)

    def _lists_in_arrays(self, before: dict[str, Value], left: dict[str, Value]) -> None:
        """A list that a trip has made, in place of one of a run-time length, is such a list, too."""
        for name, made in left.items():
            held = before.get(name)
            if not isinstance(held, Growing) or not isinstance(made, ListValue) or held.values is None:
                continue
            if sum(other is made for other in self.frame.env.values()) > 1:
                raise NeedsUnrolling(made)
            kind = element_kinds.ElementFound(0, None, growing.kind_of(held), form=held.form, weak=held.weak)
            left[name] = growing.begun(self, name, made, kind)

    def _require_still_weak(self, begun: dict[provenance.Path, Value], left: dict[str, Value]) -> None:
        """A trip may not leave numbers of NumPy's where it found a list of Python's own."""
        for path, container in begun.items():
            after = provenance.at(left, path)
            if isinstance(container, Growing) and isinstance(after, Growing) and container.weak > after.weak:
                raise growing.holds_numpys(container)

    def _require_elements_alike(self, begun: dict[provenance.Path, Value], left: dict[str, Value]) -> None:
        """The next trip reads the list that a trip leaves as this one read the list that it found."""
        for path, container in begun.items():
            after = provenance.at(left, path)
            if not isinstance(container, Growing) or not isinstance(after, Growing) or after is container:
                continue
            if container.values is None or after.values is None:
                continue
            if not container.like(after):
                raise element_kinds.cannot(
                    self, "its elements hold other tuples, lists or dicts after a trip than before it"
                )
            if container.form is not None and after.form is not None:
                try:
                    packed.require_alike(self, container.form, after.form)
                except ShapeError as error:
                    raise element_kinds.cannot(
                        self, "the arrays that its elements hold have other lengths after a trip"
                    ) from error

    def _may_be_missing(
        self,
        before: dict[str, Value],
        left: dict[str, Value],
        leaves: dict[tuple[Any, ...], Type | None],
        may_not_run: bool,
        after: set[str],
        containers: Contents,
    ) -> bool:
        """Let what has a value before the loop or after a trip only, or is None, be carried with a flag.

        These are names, and places in dicts and objects. True when that is news: the body must be run again.
        """
        news = False
        for path, at_first, in_the_end in places(before, left, containers):
            key = path[-1]
            init, out = at_first.get(key, UNDEFINED), in_the_end[key]
            if isinstance(init, Maybe):
                if out is init.absent:
                    in_the_end[key] = Maybe(False, emptied(init.value), init.absent)
                elif not isinstance(out, Maybe):
                    if isinstance(out, tuple) and init.value is UNDEFINED and (*path, "value") not in leaves:
                        at_first[key], news = Maybe(init.present, emptied(out), init.absent), True
                        leaves.update({p: late(self.type_of(v)) for p, v in leaves_of(out, (*path, "value"))})
                    in_the_end[key] = Maybe(True, out, init.absent)
                continue
            absent = out.absent if isinstance(out, Maybe) else None if out is None else init
            value = out.value if isinstance(out, Maybe) else out
            if init is out or not (
                isinstance(out, Maybe)
                or (init is None and self._all_numbers([out]))
                or (out is None and self.type_of(init) is not None)
                or (init is UNDEFINED and isinstance(out, tuple) and self._all_numbers([out]))
                or (init is UNDEFINED and may_not_run and key in after and self.type_of(out) is not None)
            ):
                continue
            if init is None or init is UNDEFINED:
                at_first[key] = Maybe(False, emptied(value), absent)
            else:
                at_first[key] = Maybe(True, init, absent)
            if at_first is not before:
                containers.keep(at_first)
            for known in [p for p in leaves if p[: len(path)] == path]:
                del leaves[known]
            if init is None or init is UNDEFINED:
                leaves.update({p: late(self.type_of(v)) for p, v in leaves_of(value, (*path, "value"))})
            news = True
        return news

    @staticmethod
    def _inits(
        names: list[str], before: dict[str, Value], lists: list[Growing]
    ) -> dict[tuple[Any, ...], Value]:
        """What the leaves that a loop carries are before it."""
        inits = {
            path: value for name in names for path, value in leaves_of(before.get(name, UNDEFINED), (name,))
        }
        for k, each in enumerate(lists):
            inits.update(leaves_of(each, (each.name, k)))
        return inits

    def _finish_loop(
        self,
        region: For | While,
        inits: dict[tuple[Any, ...], Value],
        phis: dict[tuple[Any, ...], Var],
        outs: dict[tuple[Any, ...], Value],
    ) -> dict[tuple[Any, ...], Var]:
        """The region, with what it carries, and what the leaves are after it."""
        inside = {*phis.values(), *([region.index] if isinstance(region, For) else [])}
        results: dict[tuple[Any, ...], Var] = {}
        for path, phi in phis.items():
            out = outs[path]
            init = inits[path]
            if init is UNDEFINED:
                init = self.filler(phi.type, phi)
            if out is UNDEFINED:
                out = phi
            result = Var(phi.name, phi.type, dim=None)
            self.stands_for(result, phi)
            if (t_out := self.type_of(out)) is not None:
                self.widths.note(result, self.widths.kinds(out, t_out))
            if isinstance(phi.type, Array):
                result.type = Array(
                    phi.type.dtype,
                    tuple(
                        Dim.symbol("shape", result, k) if d == Dim.symbol("shape", phi, k) else d
                        for k, d in enumerate(phi.type.shape)
                    ),
                    phi.type.layout,
                )
                if phi in self.varying:
                    self.varying.add(result)
                roots = {v.root for v in (init, out) if isinstance(v, Var)}
                self.joined_roots[phi] = roots
                self.joined_roots[result] = roots | {phi}
                init = self.cast(init, phi.type.dtype)
                own = [Dim.symbol("shape", phi, k) for k in range(phi.type.ndim)]
                with self.at(region.body):
                    out = self.cast(out, phi.type.dtype)
                    for a, b in zip(phi.type.shape, out.type.shape, strict=True):
                        if (
                            not self.equal.same(a, b)
                            and path[-1] != VALUES
                            and self._may_stay(a, b, region.body, inside)
                            and a not in own
                        ):
                            self.require_equal(a, b, f"`{phi.name}` changes its length inside a loop")
            elif is_integer(phi.type):
                result.dim = Dim.symbol("value", result)
            elif isinstance(region, While) and self.may_be_integer(init):
                self.integer_on_a_path.add(result)  # without a trip
            region.carried.append(Carried(phi, self.atom(init), self.atom(out), result))
            results[path] = result
        self.block.append(region)
        return results
