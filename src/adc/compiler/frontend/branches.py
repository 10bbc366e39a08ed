"""A branch on data becomes an `If` region; names and containers that it changes are merged after it."""

from __future__ import annotations

from typing import Any

import gast

from adc.compiler.frontend.assignments import Assignments
from adc.compiler.frontend.containers import Container, Contents, refill, same_places
from adc.compiler.frontend.scan import stored_names
from adc.compiler.frontend.values import UNDEFINED
from adc.compiler.ir.nodes import Check, Const, If, Var
from adc.compiler.ir.types import Scalar


class Branches(Assignments):
    """The part of the evaluator that runs both sides of a branch."""

    def exec_If(self, node: Any) -> None:
        test = self.evaluate(node.test)
        test = self.truth(test) if isinstance(test, Var) else bool(test)
        if not isinstance(test, Var):
            self.execute_all(node.body if test else node.orelse)
            return
        if self.frame.source is None and any(isinstance(n, gast.Return) for n in gast.walk(node)):
            raise self.refuse("a rule body branches on a value that is only known at run time")
        region = If(test, [], [], [], self.origin)
        before = dict(self.frame.env)
        outcomes = []
        containers, left = Contents(self.frame), []
        lengths = self.equal.snapshot()
        for nodes, block in ((node.body, region.then), (node.orelse, region.orelse)):
            self.frame.env = dict(before)
            self.region_depth += 1
            try:
                with self.at(block):
                    self.execute_all(nodes)
            finally:
                self.region_depth -= 1
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
        for name in sorted(stored_names([*node.body, *node.orelse])):
            if name not in wanted:
                self.frame.env[name] = before.get(name, UNDEFINED)
                continue
            a, b = (env.get(name, UNDEFINED) for env in outcomes)
            if raising[0] and a is not b:
                a = UNDEFINED if isinstance(self.type_of(b), Scalar) else b
            if raising[1] and a is not b:
                b = UNDEFINED if isinstance(self.type_of(a), Scalar) else a
            self.frame.env[name] = self.merge(region, a, b, name)
        for container, (then, orelse) in containers.changes(*left):
            self._merge_contents(region, container, then, orelse, raising)
        self.block.append(region)

    def _merge_contents(
        self, region: If, container: Container, then: Container, orelse: Container, raising: list[bool]
    ) -> None:
        """Let a list or dict hold what the branch that ran left in it."""
        if any(raising):
            refill(container, orelse if raising[0] else then)
            return
        if not same_places(then, orelse):
            kind = "list" if isinstance(container, list) else "dict"
            raise self.refuse(
                f"a {kind} has other elements after one branch than after the other",
                "what is in it must be known before the program runs",
                f"change the {kind} in both branches",
            )
        if isinstance(then, dict):
            refill(container, {k: self.merge(region, then[k], orelse[k], str(k)) for k in then})
        else:
            refill(container, [self.merge(region, a, b, "") for a, b in zip(then, orelse, strict=True)])
