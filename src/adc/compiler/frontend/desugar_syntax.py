"""Nodes that desugaring adds read as if the user had written them, and stand where one of the user stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

Node = Any  # gast has no types of its own
Statements = list[Node]


class Names:
    """The names of a function and of all functions in it, and the only source of new ones.

    >>> names = Names(gast.parse("def f(result):\\n    result_2 = g(result)").body[0])
    >>> names.fresh("result"), names.fresh("running"), names.fresh("running")
    ('result_3', 'running', 'running_2')
    >>> names.binds("result_2"), names.binds("g")
    (True, False)
    """

    def __init__(self, function: Node) -> None:
        self._bound: set[str] = set()
        self._taken: set[str] = set()
        for node in gast.walk(function):
            if isinstance(node, gast.Name):
                self._taken.add(node.id)
                if not isinstance(node.ctx, gast.Load):
                    self._bound.add(node.id)
            elif not isinstance(node, (gast.Constant, gast.Attribute, gast.keyword)):
                self._bound.update(_strings(node))
        self._taken |= self._bound

    def fresh(self, wish: str) -> str:
        """`wish`, or `wish_2`, `wish_3`, ... if that is the first that occurs nowhere."""
        name, count = wish, 1
        while name in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._taken.add(name)
        return name

    def binds(self, name: str) -> bool:
        """Whether the function gives `name` a meaning of its own (argument, assignment, import, ...)."""
        return name in self._bound


def _strings(node: Node) -> set[str]:
    """Names that a node holds as text: of a definition, an import, a `global` or a capture in a pattern."""
    found: set[str] = set()
    for field in ("name", "names", "asname", "rest"):
        value = getattr(node, field, None)
        texts = value if isinstance(value, list) else [value]
        found.update(text.split(".")[0] for text in texts if isinstance(text, str))
    return found


def bound_in(nodes: Sequence[Node]) -> set[str]:
    """Names that are assigned, deleted or captured somewhere in `nodes`."""
    found: set[str] = set()
    for root in nodes:
        for node in gast.walk(root):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                found.add(node.id)
            elif isinstance(node, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
                found |= _strings(node)
    return found


def placed(node: Node, origin: Node) -> Node:
    """`node`, standing where `origin` stands."""
    return gast.copy_location(node, origin)


def read(name: str, origin: Node) -> Node:
    """Read a name that was made here, where it surely has a value."""
    node = placed(gast.Name(name, gast.Load(), None, None), origin)
    node.certain = True
    return node


def constant(value: object, origin: Node) -> Node:
    return placed(gast.Constant(value, None), origin)


def assign(name: str, value: Node, origin: Node) -> Node:
    target = placed(gast.Name(name, gast.Store(), None, None), origin)
    return assign_to(target, value, origin)


def assign_to(target: Node, value: Node, origin: Node) -> Node:
    return placed(gast.Assign([target], value, None), origin)


def compare(left: Node, operator: Node, right: Node, origin: Node) -> Node:
    return placed(gast.Compare(left, [operator], [right]), origin)


def call(name: str, arguments: list[Node], origin: Node) -> Node:
    return placed(gast.Call(read(name, origin), arguments, []), origin)


def returning(value: Node, origin: Node) -> Node:
    return placed(gast.Return(value), origin)


def both(conditions: list[Node], origin: Node) -> Node:
    """The conditions joined by `and`."""
    return conditions[0] if len(conditions) == 1 else placed(gast.BoolOp(gast.And(), conditions), origin)


def either(conditions: list[Node], origin: Node) -> Node:
    """The conditions joined by `or`."""
    return conditions[0] if len(conditions) == 1 else placed(gast.BoolOp(gast.Or(), conditions), origin)


def negated(test: Node) -> Node:
    """`not test`. Comparisons keep their operator: `not a < b` is not `a >= b` where NaN may occur."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return placed(gast.UnaryOp(gast.Not(), test), test)


def as_bool(test: Node) -> Node:
    """An expression that is a Boolean, and true when `test` is."""
    if isinstance(test, gast.Compare) or (isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not)):
        return test
    return placed(gast.IfExp(test, constant(True, test), constant(False, test)), test)


def branch(test: Node, body: Statements, orelse: Statements, origin: Node) -> Node:
    """An `if` without an empty branch: the condition turns round when only `orelse` has statements."""
    if not body and orelse:
        test, body, orelse = negated(test), orelse, []
    return placed(gast.If(test, body or [placed(gast.Pass(), origin)], orelse), origin)
