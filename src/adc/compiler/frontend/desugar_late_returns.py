"""A `return x` in a loop that writes to `x` gives `x` as it is behind the loop, so it can be read there.

    for k in range(n):                        for k in range(n):
        x[0] = step(x)                            x[0] = step(x)
        if done(x):                               if done(x):
            return x, k                               running = False
                                              if not running:
                                                  result = (x, k)

Nothing of the loop runs after it. Set where the `return` stands, `result` would be a second name of an array that later
trips, as far as anyone can see, write to. So would a part of it (`x[:k]`), and a tuple, dict or object that holds it.
Where such statements return different things, a number says which it was.
"""

from __future__ import annotations

import gast

from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Node

__all__ = ["late_returns"]

# What an expression is made of that may be read behind the loop: nothing with names of its own.
_PLAIN = (
    gast.Name,
    gast.Constant,
    gast.Tuple,
    gast.List,
    gast.Dict,
    gast.Subscript,
    gast.Slice,
    gast.Attribute,
    gast.Call,
    gast.keyword,
    gast.BinOp,
    gast.UnaryOp,
    gast.Compare,
    gast.BoolOp,
    gast.operator,
    gast.unaryop,
    gast.cmpop,
    gast.boolop,
    gast.expr_context,
)


def late_returns(loop: Node) -> list[list[Node]]:
    """The `return` statements of a loop, if what they return may be read behind it; in groups that return the same."""
    nodes = own_nodes(loop.body)
    returns = [n for n in nodes if isinstance(n, gast.Return)]
    if any(isinstance(n, (gast.Try, gast.TryStar, gast.With)) for n in nodes):
        return []
    groups: dict[str, list[Node]] = {}
    names: set[str] = set()
    for node in returns:
        if node.value is None or not all(isinstance(n, _PLAIN) for n in gast.walk(node.value)):
            return []
        names.update(_given(node.value))
        groups.setdefault(gast.dump(node.value), []).append(node)
    return [] if names.isdisjoint(_written(nodes)) else list(groups.values())


def _given(value: Node) -> set[str]:
    """The names of what a result may be, hold, or be a part of."""
    match value:
        case gast.Name():
            return {value.id}
        case gast.Subscript() | gast.Attribute():
            return _given(value.value)
        case gast.Tuple() | gast.List():
            parts = value.elts
        case gast.Dict():
            parts = value.values
        case gast.Call(func=gast.Name(id=name)) if name[:1].isupper() or name == "dict":  # an object is made
            parts = [*value.args, *(keyword.value for keyword in value.keywords)]
        case _:
            parts = []
    return {name for part in parts for name in _given(part)}


def _written(nodes: list[Node]) -> set[str]:
    """The names of what statements write to: elements, in place, and by methods that are called for it."""
    found: set[str] = set()
    for node in nodes:
        targets = node.targets if isinstance(node, gast.Assign) else []
        if isinstance(node, gast.AugAssign):
            targets = [node.target]
        elif isinstance(node, gast.Expr) and isinstance(node.value, gast.Call):
            targets = [node.value.func]
        for target in targets:
            written = isinstance(node, gast.AugAssign)
            while isinstance(target, (gast.Subscript, gast.Attribute)):
                target, written = target.value, True
            if written and isinstance(target, gast.Name):
                found.add(target.id)
    return found
