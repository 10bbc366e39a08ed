"""Which names each loop and branch of a function assigns, and which are still wanted afterwards.

Backward liveness over the syntax tree. The answers decide which names a region carries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def stored_names(nodes: list[Any]) -> set[str]:
    """Names that statements bind: targets of assignments and loops, nested functions, which are not entered."""
    found: set[str] = set()

    class Visitor(gast.NodeVisitor):  # type: ignore[misc]
        def visit_Name(self, node: Any) -> None:
            if isinstance(node.ctx, (gast.Store, gast.Del)):
                found.add(node.id)

        def visit_AugAssign(self, node: Any) -> None:
            if isinstance(node.target, gast.Name):
                found.add(node.target.id)
            self.generic_visit(node)

        def visit_FunctionDef(self, node: Any) -> None:
            found.add(node.name)

        visit_ClassDef = visit_FunctionDef

        def visit_Lambda(self, node: Any) -> None:
            return

        def visit_ListComp(self, node: Any) -> None:
            # Comprehension variables live in a scope of their own; only a walrus inside binds here.
            for inner in gast.walk(node):
                if isinstance(inner, gast.NamedExpr):
                    found.add(inner.target.id)

        visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_ListComp

    visitor = Visitor()
    for node in nodes:
        visitor.visit(node)
    return found


def changed_names(nodes: list[Any], calls: bool = True) -> set[str]:
    """Names of containers that statements change in place: `d[k] = ...`, `s.x = ...`, by `calls` `d.update(...)`."""
    found: set[str] = set()
    for node in (n for statement in nodes for n in gast.walk(statement)):
        base = _changed(node) if calls or not isinstance(node, gast.Call) else None
        while isinstance(base, (gast.Subscript, gast.Attribute)):
            base = base.value
        if isinstance(base, gast.Name):
            found.add(base.id)
    return found


def _changed(node: Any) -> Any:
    """The element or attribute that a node writes to, or the object whose method it calls."""
    if isinstance(node, gast.withitem):
        return node.context_expr
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        return node.func
    if isinstance(node, (gast.Subscript, gast.Attribute)) and isinstance(node.ctx, gast.Store):
        return node
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript):
        return node.target
    return None


def loaded_names(node: Any) -> set[str]:
    """Names that an expression or a statement (with everything inside) may read."""
    if isinstance(node, gast.Name):
        return {node.id} if isinstance(node.ctx, gast.Load) else set()
    if isinstance(node, _COMPREHENSIONS):
        first, *others = node.generators
        own = {n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}
        inner = [*(getattr(node, part) for part in ("elt", "key", "value") if hasattr(node, part)), *others]
        return loaded_names(first.iter) | (_loaded_in([*inner, *first.ifs, first.target]) - own)
    found = _loaded_in(gast.iter_child_nodes(node))
    if isinstance(node, gast.Lambda):
        return (found - _parameters(node)) | loaded_names(node.args)
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        found.add(node.target.id)
    return found


def _parameters(node: Any) -> set[str]:
    return {n.id for n in gast.walk(node.args) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Param)}


def _loaded_in(nodes: Iterable[Any]) -> set[str]:
    return {name for node in nodes for name in loaded_names(node)}


class Liveness:
    """For every statement: `after[node]`, the names that may be read once it has ended; `head[node]` for loops, the
    names that may be read at the start of a trip."""

    def __init__(
        self, body: list[Any], out: set[str] | None = None, captured: set[str] | None = None
    ) -> None:
        self.after: dict[int, set[str]] = {}
        self.head: dict[int, set[str]] = {}
        # What a nested function reads is read whenever it is called, which may be anywhere.
        self.captured = {
            name
            for node in body
            for inner in gast.walk(node)
            if isinstance(inner, (gast.FunctionDef, gast.Lambda))
            for name in loaded_names(inner)
        } | (captured or set())
        self._block(body, set(out or ()) | self.captured)

    def _block(self, body: list[Any], live: set[str]) -> set[str]:
        for node in reversed(body):
            self.after[id(node)] = live
            live = self._statement(node, live)
        return live

    def _statement(self, node: Any, live: set[str]) -> set[str]:
        if isinstance(node, gast.If):
            return (
                self._block(node.body, set(live))
                | self._block(node.orelse, set(live))
                | loaded_names(node.test)
            )
        if isinstance(node, (gast.For, gast.While)):
            return self._loop(node, live)
        if isinstance(node, gast.Try):
            return self._try(node, live)
        if isinstance(node, gast.With):
            inner = self._block(node.body, live)
            for item in node.items:
                inner |= loaded_names(item.context_expr)
            return inner | live
        if isinstance(node, gast.FunctionDef):
            return (live - ({node.name} - self.captured)) | loaded_names(node)
        killed = set()
        if isinstance(node, (gast.Assign, gast.AnnAssign)):
            targets = node.targets if isinstance(node, gast.Assign) else [node.target]
            killed = {n.id for t in targets for n in _plain_targets(t)} - self.captured
        return (live - killed) | loaded_names(node)

    def _try(self, node: Any, live: set[str]) -> set[str]:
        """`after` a `try` its `finally` comes; what raises, anywhere in it, hands its names to the handlers."""
        handled = self._block(node.finalbody, set(self.captured))  # where nothing here handles it
        last = self._block(node.finalbody, set(live))
        self.after[id(node)] = set(last)
        for handler in node.handlers:
            handled |= self._block(handler.body, set(last))
        captured = self.captured
        self.captured = captured | handled
        inner = self._block([*node.body, *node.orelse], last | handled)
        self.captured = captured
        return inner | handled

    def _loop(self, node: Any, live: set[str]) -> set[str]:
        header = loaded_names(node.test) if isinstance(node, gast.While) else loaded_names(node.iter)
        flag = getattr(node, "flag", None)
        targets = {n.id for n in _plain_targets(node.target)} if isinstance(node, gast.For) else set()
        at_head = live | (header if isinstance(node, gast.While) else set()) | ({flag} if flag else set())
        while True:
            body_in = self._block(node.body, set(at_head)) - (targets - self.captured)
            extended = at_head | body_in
            if extended == at_head:
                break
            at_head = extended
        self.head[id(node)] = set(at_head)
        return at_head | header


def _plain_targets(target: Any) -> list[Any]:
    if isinstance(target, gast.Name):
        return [target]
    if isinstance(target, (gast.Tuple, gast.List)):
        return [n for t in target.elts for n in _plain_targets(t)]
    if isinstance(target, gast.Starred):
        return _plain_targets(target.value)
    return []
