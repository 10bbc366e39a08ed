"""A `return x` in a loop that writes to `x` gives `x` as it is behind the loop, so it can be read there.

    for k in range(n):                        for k in range(n):
        x[0] = step(x)                            x[0] = step(x)
        if done(x):                               if done(x):
            return x, k                               running = False
                                              if not running:
                                                  result = (x, k)

Nothing of the loop runs after it. Set where the `return` stands, `result` would be a second name of an array that later
trips, as far as anyone can see, write to. Where such statements return different things, a number says which it was.
"""

from __future__ import annotations

import gast

from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Node

__all__ = ["late_returns"]


def late_returns(loop: Node) -> list[list[Node]]:
    """The `return` statements of a loop, if what they return may be read behind it; in groups that return the same."""
    nodes = own_nodes(loop.body)
    returns = [n for n in nodes if isinstance(n, gast.Return)]
    if any(isinstance(n, (gast.Try, gast.TryStar, gast.With)) for n in nodes):
        return []
    groups: dict[str, list[Node]] = {}
    names: set[str] = set()
    for node in returns:
        parts = node.value.elts if isinstance(node.value, gast.Tuple) else [node.value]
        if not all(isinstance(p, (gast.Name, gast.Constant)) for p in parts):
            return []
        names.update(p.id for p in parts if isinstance(p, gast.Name))
        groups.setdefault(gast.dump(node.value), []).append(node)
    return [] if names.isdisjoint(_written(nodes)) else list(groups.values())


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
