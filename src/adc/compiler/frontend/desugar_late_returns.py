"""A `return x` in a loop that writes to `x` gives `x` as it is behind the loop, so it can be read there.

    for k in range(n):                        for k in range(n):
        x[0] = step(x)                            x[0] = step(x)
        if done(x):                               if done(x):
            return x, k                               running = False
                                              if not running:
                                                  result = (x, k)

Nothing of the loop runs after it. Set where the `return` stands, `result` would be a second name of an array that later
trips, as far as anyone can see, write to.
"""

from __future__ import annotations

import gast

from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Node

__all__ = ["late_returns"]


def late_returns(loop: Node) -> list[Node]:
    """The `return` statements of a loop, if all return the same, which may be read behind the loop as well."""
    nodes = own_nodes(loop.body)
    returns = [n for n in nodes if isinstance(n, gast.Return)]
    if not returns or any(isinstance(n, (gast.Try, gast.TryStar, gast.With)) for n in nodes):
        return []
    value = returns[0].value
    if value is None or len({gast.dump(n.value) if n.value is not None else "" for n in returns}) > 1:
        return []
    parts = value.elts if isinstance(value, gast.Tuple) else [value]
    names = {p.id for p in parts if isinstance(p, gast.Name)}
    plain = all(isinstance(p, (gast.Name, gast.Constant)) for p in parts)
    return returns if plain and not names.isdisjoint(_written(nodes)) else []


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
