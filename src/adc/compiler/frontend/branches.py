"""A branch on data becomes an `If` region; names and containers that it changes are merged after it."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import cached_properties, element_kinds, frozen, growing, packed, rooms
from adc.compiler.frontend.assignments import Assignments
from adc.compiler.frontend.containers import (
    Container,
    Contents,
    Differs,
    PutIn,
    exchange,
    known_in,
    refill,
    same_places,
)
from adc.compiler.frontend.frame import Growing, Instance, ListValue, SurelyRaised
from adc.compiler.frontend.going_on import GoingOn, Split
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.provenance import Left
from adc.compiler.frontend.scan import loaded_names, stored_names
from adc.compiler.frontend.values import UNDEFINED, Maybe, Value
from adc.compiler.ir.nodes import Check, Const, If, Var, newest
from adc.compiler.ir.types import Scalar
from adc.errors import AdcError


@functools.lru_cache(maxsize=256)  # a trip of an unrolled loop asks for the same nodes; they are kept alive
def has_effects(node: Any) -> bool:
    """Whether an expression calls or binds something."""
    return any(isinstance(n, (gast.Call, gast.NamedExpr)) for n in gast.walk(node))


@functools.lru_cache(maxsize=256)
def chooses_with_effects(statement: Any) -> bool:
    """Whether a statement without a block evaluates one expression or another, in which something is called."""
    if any(hasattr(statement, field) for field in ("body", "handlers")):
        return False
    return any(isinstance(n, (gast.IfExp, gast.BoolOp)) and has_effects(n) for n in gast.walk(statement))


def _holds_object(value: Value) -> bool:
    """Whether a value is an object of a class in Python code, or a list, tuple or dict with one."""
    if isinstance(value, Instance):
        return True
    if isinstance(value, Maybe):
        return _holds_object(value.value)
    return isinstance(value, (list, tuple, dict)) and any(
        map(_holds_object, value.values() if isinstance(value, dict) else value)
    )


def _on_one_path(then: Container, orelse: Container) -> str:
    """What a list, dict or object has after one side of a branch only, in words."""
    if not isinstance(then, dict):
        return "a list has other elements after one branch than after the other"
    assert isinstance(orelse, dict)
    alone = sorted(str(k) for k in then.keys() ^ orelse.keys())
    if not alone:
        return "a dict has its keys in another order after one branch than after the other"
    if isinstance(then, Instance):
        return f"an object of the class {then.cls.__name__} has the attribute `{alone[0]}` on one path only"
    return f"a dict has the key {alone[0]!r} on one path only"


class Branches(Assignments):
    """The part of the evaluator that runs both sides of a branch."""

    going_on: GoingOn  # branches that go on, on each path, with what stands behind them
    branches_made: dict[int, tuple[Any, Split | None]]  # that go on (going_on.py), by the identity of nodes
    branches_joined: set[Any]  # the nodes of those

    def exec_If(self, node: Any) -> None:
        if hasattr(node, "attempt"):
            self.attempted(node)
            return
        mark = Mark(self) if has_effects(node.test) else None
        try:
            test = self.condition(node.test)
        except Differs as differs:
            if mark is None:
                raise
            mark.back()
            self.before_both(differs, lambda: self.exec_If(node))
            return
        if not isinstance(test, Var):
            self.execute_all(node.body if test else node.orelse)
            return
        self.branch_on(node, test)

    def choose_in(
        self, node: Any, test: Value, then: Callable[[], Value], orelse: Callable[[], Value]
    ) -> Value:
        """What an expression has for a value that evaluates one of its operands or another.

        A call or `:=` in it may change names, lists and dicts, and what it reads of an object may be a property that
        writes to it: they are merged as behind a statement.
        """
        if has_effects(node) or any(map(_holds_object, map(self.frame.named, loaded_names(node)))):
            return self.chosen_in_turn(test, then, orelse)
        return self.chosen(test, then, orelse)

    def chosen(self, test: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`then()` if test else `orelse()`, neither of which changes anything."""
        if self.is_static(test):
            return then() if test else orelse()
        region = If(self.atom(test), [], [], [], self.origin)
        self.region_depth += 1
        try:
            with self.at(region.then):
                a, first = self._operand(then)
            with self.at(region.orelse):
                b, second = self._operand(orelse)
            if first is None and second is None:
                if not region.then and not region.orelse and a is b:
                    return a
                merged = self.merge(region, a, b, "")
                self.block.append(region)
                return merged
        finally:
            self.region_depth -= 1
        return self._the_other(region, (a, b), (first, second))

    def chosen_in_turn(self, test: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`then()` if test else `orelse()`, which may change names and containers: they are merged."""
        if self.is_static(test):
            return then() if test else orelse()
        region = If(self.atom(test), [], [], [], self.origin)
        before = dict(self.frame.env)
        containers, left, outcomes = Contents(self.frame), [], []
        values: list[Value] = []
        raised: list[SurelyRaised | None] = []
        lengths = self.equal.snapshot()
        for operand, block in ((then, region.then), (orelse, region.orelse)):
            self.frame.env = dict(before)
            with self._side(containers), self.at(block):
                value, error = self._operand(operand)
            values.append(value)
            raised.append(error)
            outcomes.append(self.frame.env)
            left.append(containers.taken())
            self.equal.restore(lengths)
        self.frame.env = before
        raising = [error is not None for error in raised]
        with self._merging(region, Left(containers, left)):
            for name in sorted({n for env in outcomes for n, v in env.items() if before.get(n) is not v}):
                a, b = (env.get(name, UNDEFINED) for env in outcomes)
                alone = b if raising[0] else a
                self.frame.env[name] = alone if any(raising) else self.merge(region, a, b, name)
            for container, (a, b) in containers.changes(*left):
                self._merge_contents(region, container, a, b, raising)
            if any(raising):
                return self._the_other(region, values, raised)
            merged = self.merge(region, values[0], values[1], "")
        self.block.append(region)
        return merged

    def _operand(self, operand: Callable[[], Value]) -> tuple[Value, SurelyRaised | None]:
        """The value of an operand that not every run evaluates, and what it is sure to raise where one does."""
        try:
            return operand(), None
        except SurelyRaised as raised:
            if self.trying or raised.depth != self.region_depth:
                raise
            with self.origin_at(raised.location):
                self.raise_here(raised.exception)
            return UNDEFINED, raised

    def _the_other(self, region: If, values: Sequence[Value], raised: Sequence[SurelyRaised | None]) -> Value:
        """What an expression has for a value behind an operand that raises where it is evaluated."""
        self.block.append(region)
        first, second = raised
        if first is not None and second is not None:
            raise SurelyRaised(second.exception, self.region_depth, second.location)
        self._go_on_behind(region, [first is not None, second is not None])
        return values[0 if first is None else 1]

    @contextmanager
    def _merging(self, region: If, left: Left) -> Iterator[None]:
        """While what the sides of a branch left is merged."""
        self.left[region] = left
        try:
            yield
        finally:
            del self.left[region]

    def branch_on(self, node: Any, test: Var) -> None:
        mark = Mark(self)
        try:
            self._both_sides(node, test)
        except Differs as differs:
            mark.back()
            self.before_both(differs, lambda: self.branch_on(node, test))

    @contextmanager
    def _side(self, containers: Contents) -> Iterator[None]:
        """One side of a branch that found these lists and dicts."""
        self.region_depth += 1
        self.sides.append(containers)
        try:
            yield
        finally:
            self.sides.pop()
            self.region_depth -= 1

    def before_both(self, differs: Differs, run: Callable[[], None]) -> None:
        """Run a branch again after what one of its sides does to a container that both know."""
        if isinstance(differs, PutIn):
            frozen.settle(self, differs.items)
            run()
        else:
            self.with_growing(differs.items, run)

    def with_growing(self, items: ListValue, run: Callable[[], None]) -> None:
        """Run something with a list in an array that grows, from here on and wherever the list is known.

        Raises Differs for the branch that found the list, which then runs again with it in such an array.
        """
        if self.from_outside(items):
            raise Differs(items, self.origin)
        found = (name for name, value in self.frame.env.items() if value is items)
        name = next(found, "items")
        kind: element_kinds.ElementFound | None = None
        failure: AdcError | None = None  # of the first guess at what the elements are
        while True:
            mark = Mark(self)
            grown = growing.begun(self, name, items, kind)
            if not exchange(self.frame, items, grown):
                raise element_kinds.cannot(self, "it is held by something that is not looked into")
            try:
                run()
                if kind is not None and kind.guessed and failure is not None:
                    raise failure
                return
            except element_kinds.ElementFound as element:
                exchange(self.frame, grown, items)
                mark.back()
                if element.key != id(items):
                    raise
                kind = element
            except AdcError as error:
                exchange(self.frame, grown, items)
                failure = failure or error
                if kind is None or not kind.guessed:
                    raise failure from None
                kind = element_kinds.guessed_again(kind)
                if kind is None:
                    raise element_kinds.failed_guess(self, failure) from None
                mark.back()
            except BaseException:
                exchange(self.frame, grown, items)
                raise

    def _both_sides(self, node: Any, test: Var) -> None:
        if self.frame.source is None and any(isinstance(n, gast.Return) for n in gast.walk(node)):
            raise self.refuse("a rule body branches on a value that is only known at run time")
        region = If(test, [], [], [], self.origin)
        before = dict(self.frame.env)
        outcomes = []
        containers, left = Contents(self.frame), []
        lengths = self.equal.snapshot()
        for nodes, block in ((node.body, region.then), (node.orelse, region.orelse)):
            self.frame.env = dict(before)
            with self._side(containers), self.at(block):
                self._execute_side(nodes)
            outcomes.append(self.frame.env)
            left.append(containers.taken())
            self.equal.restore(lengths)
        self.frame.env = before
        assert self.frame.liveness is not None
        wanted = self.frame.liveness.after.get(id(node), set())
        raising = [
            bool(b) and isinstance(b[-1], Check) and b[-1].test == Const(False)
            for b in (region.then, region.orelse)
        ]
        alone = outcomes[raising.index(False)] if any(raising) and not all(raising) else outcomes[1]
        stored = stored_names([*node.body, *node.orelse])
        outcomes = [{k: v for k, v in env.items() if k in wanted or k not in stored} for env in outcomes]
        with self._merging(region, Left(containers, left)):
            for name in sorted(stored):
                if name not in wanted:
                    self.frame.env[name] = UNDEFINED  # read all the same, it must not be what it was before
                    continue
                if any(raising):
                    self.frame.env[name] = alone.get(name, UNDEFINED)
                    continue
                a, b = (env.get(name, UNDEFINED) for env in outcomes)
                if self.going_on.get(region.origin) and _of_other_lengths(a, b):
                    a = self._grown(region, containers, outcomes, name, a, b)
                if isinstance(a, Growing) or isinstance(b, Growing):
                    a, b = self._both_growing(region, containers, outcomes, a, b)
                self.frame.env[name] = self.merge(region, a, b, name)
            alone_wanted = self.goes_on(node)
            if alone_wanted:
                self.frame.env = {k: v if k in wanted else UNDEFINED for k, v in self.frame.env.items()}
            for container, (then, orelse) in containers.changes(*left):
                if not alone_wanted or known_in(self.frame, container):
                    self._merge_contents(region, container, then, orelse, raising)
        self.block.append(region)
        if any(raising):
            self._go_on_behind(region, raising)

    def goes_on(self, node: Any) -> bool:
        """Whether a branch was made of one and what stands behind it: there only what is wanted has a value."""
        return node in self.branches_joined

    def _execute_side(self, nodes: list[Any]) -> None:
        """The statements of one side of a branch. What is sure to raise there does so if the side is taken."""
        try:
            self.execute_all(nodes)
        except SurelyRaised as raised:
            if self.trying or raised.depth != self.region_depth:
                raise
            with self.origin_at(raised.location):
                self.raise_here(raised.exception)

    def raise_here(self, raised: BaseException) -> None:
        """Raise an exception where the program is when it runs."""
        name = type(raised).__name__
        if isinstance(raised, np.linalg.LinAlgError):
            name = "np.linalg.LinAlgError"
        elif getattr(builtins, name, None) is not type(raised):
            name = "RuntimeError"  # of the text alone: where it raises, the function itself is run and raises its own
        said = tuple(self.said(a) for a in raised.args)
        check = Check(Const(False), name, said, self.origin, user=True)
        self.raised_by_user[check] = raised, newest()
        self.block.append(check)

    def _go_on_behind(self, region: If, raising: list[bool]) -> None:
        """Nothing comes behind a branch but from the side that does not raise: its statements stand behind the other.

        So what it computes needs no merging: what is a value, a view or a list on that side is that afterwards.
        """
        if raising[0]:
            self.block.extend(region.orelse)
            region.orelse = []
        else:
            self.block.extend(region.then)
            region.then = []

    def _both_growing(
        self, region: If, containers: Contents, outcomes: list[dict[str, Value]], a: Value, b: Value
    ) -> tuple[Value, Value]:
        """A list that one side made, as an array like that of the other side: nobody else may know either."""
        for each in (a, b):
            if isinstance(each, Growing) and each.room is not None:
                raise rooms.Irregular(each.name)
        known = [sum(v is each for v in env.values()) for env, each in zip(outcomes, (a, b), strict=True)]
        if known != [1, 1] or any(isinstance(v, Growing) and containers.shared(v) for v in (a, b)):
            return a, b
        for block, own, other in ((region.then, a, b), (region.orelse, b, a)):
            if not (isinstance(own, ListValue) and isinstance(other, Growing)) or id(own) in containers.held:
                continue
            if other.values is None:
                continue
            kind = element_kinds.ElementFound(
                0, None, growing.kind_of(other), form=other.form, weak=other.weak
            )
            with self.at(block):
                made = growing.begun(self, other.name, own, kind)
            a, b = (made, b) if own is a else (a, made)
        return a, b

    def _grown(
        self,
        region: If,
        containers: Contents,
        outcomes: list[dict[str, Value]],
        name: str,
        a: ListValue,
        b: ListValue,
    ) -> Value:
        """One of two lists of other lengths, of which no place behind the branch can tell the paths, as an array."""
        known = [sum(v is each for v in env.values()) for env, each in zip(outcomes, (a, b), strict=True)]
        numbers = all(isinstance(self.type_of(v), Scalar) for v in (*a, *b))
        if known != [1, 1] or not numbers or not a or id(a) in containers.held or id(b) in containers.held:
            return a
        with self.at(region.then):
            made = growing.begun(self, name, a, None)
        outcomes[0][name] = made
        return made

    def _merge_contents(
        self, region: If, container: Container, then: Container, orelse: Container, raising: list[bool]
    ) -> None:
        """Let a list or dict hold what the branch that ran left in it."""
        if any(raising):
            refill(container, orelse if raising[0] else then)
            return
        if isinstance(then, Instance) and isinstance(orelse, Instance):
            then, orelse = cached_properties.on_both(then, orelse)
        alike = same_places(then, orelse)
        if alike and isinstance(then, Growing) and isinstance(orelse, Growing):
            alike = packed.lie_alike(self, then.form, orelse.form)
        if not alike:
            if isinstance(container, ListValue) and container.depth == self.loop_depth:
                raise Differs(container, self.origin)
            raise self.refuse_behind(
                region.origin,
                _on_one_path(then, orelse),
                "what is in it must be known before the program runs",
                "change the list in both branches"
                if isinstance(then, list)
                else "set it in both branches, or before them",
            )
        if isinstance(container, Growing):
            assert isinstance(then, Growing) and isinstance(orelse, Growing)
            container.values = self.merge(region, then.values, orelse.values, container.name)
            container.count = self.merge(region, then.count, orelse.count, "")
            container.nested, container.form = then.nested, then.form
        elif isinstance(then, dict):
            assert isinstance(orelse, dict)
            words = {k: str(k) if str(k).isidentifier() else "item" for k in then}
            refill(container, {k: self.merge(region, then[k], orelse[k], words[k]) for k in then})
        else:
            assert isinstance(then, list) and isinstance(orelse, list)
            refill(container, [self.merge(region, a, b, "") for a, b in zip(then, orelse, strict=True)])


def _of_other_lengths(a: Value, b: Value) -> bool:
    """Whether two values are lists, one longer than the other."""
    return isinstance(a, ListValue) and isinstance(b, ListValue) and len(a) != len(b)
