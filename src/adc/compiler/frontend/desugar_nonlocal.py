"""A variable that a function inside assigns lives in a dict that both see.

    def total(x):                       def total(x):
        s = 0.0                             s_held = {}
                                            s_held["s"] = 0.0
        def add(v):                         def add(v):
            nonlocal s
            s += v                              s_held["s"] += v
        for v in x:                         for v in x:
            add(v)                              add(v)
        return s                            return s_held["s"]

What a call leaves in a dict is known to the evaluator, wherever the call stands. Variables that are bound otherwise
than by assignments (loops, imports, patterns, `:=`), and those of a function around all of this, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from adc.compiler.frontend.desugar_syntax import Names, Node, assign, constant, placed, read

_FUNCTIONS = (gast.FunctionDef, gast.Lambda)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def run(function: gast.FunctionDef, names: Names) -> None:
    """Give the variables of `function`, and of the functions in it, that functions inside assign a dict each."""
    for owner in [n for n in gast.walk(function) if isinstance(n, gast.FunctionDef)]:
        asked = {name for inner in _inside(owner.body) for name in _nonlocal(inner)}
        for name in sorted(asked & _bound(owner)) if asked else ():
            if _is_assigned_alone(owner, name):
                _hold(owner, name, names.fresh(f"{name}_held"))


def _hold(owner: gast.FunctionDef, name: str, held: str) -> None:
    """Put a variable of a function into a dict of the name `held`."""
    given = any(p.id == name for p in _parameters(owner))
    first = read(name, owner) if given else None
    made = gast.Dict([constant(name, owner)], [first]) if given else gast.Dict([], [])
    changer = _Held(name, held)
    owner.body = [assign(held, placed(made, owner), owner), *map(changer.visit, owner.body)]


class _Held(gast.NodeTransformer):  # type: ignore[misc]
    """The places at which a variable is read and written, as those of an item of a dict."""

    def __init__(self, name: str, held: str) -> None:
        self.name, self.held = name, held

    def visit_Name(self, node: Node) -> Node:
        if node.id != self.name:
            return node
        return placed(gast.Subscript(read(self.held, node), constant(self.name, node), node.ctx), node)

    def visit_Nonlocal(self, node: Node) -> Node:
        rest = [n for n in node.names if n != self.name]
        return placed(gast.Nonlocal(rest) if rest else gast.Pass(), node)

    def visit_FunctionDef(self, node: Node) -> Node:
        bound = _bound(node) if isinstance(node, gast.FunctionDef) else {p.id for p in _parameters(node)}
        if self.name not in bound:
            return self.generic_visit(node)
        # A variable of that name is the function's own; its defaults are read outside of it.
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d if d is None else self.visit(d) for d in node.args.kw_defaults]
        return node

    visit_Lambda = visit_FunctionDef


def _parameters(function: Node) -> list[Node]:
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *(p for p in (a.vararg, a.kwarg) if p is not None)]


def _inside(body: list[Node]) -> Iterator[Node]:
    """The functions in a body, and those in them."""
    return (n for statement in body for n in gast.walk(statement) if isinstance(n, gast.FunctionDef))


def _own(nodes: list[Node]) -> Iterator[Node]:
    """The nodes of a function that are not those of functions, classes and comprehensions in it."""
    for node in nodes:
        yield node
        if not isinstance(node, (*_FUNCTIONS, *_COMPREHENSIONS, gast.ClassDef)):
            yield from _own(list(gast.iter_child_nodes(node)))


def _nonlocal(function: gast.FunctionDef) -> set[str]:
    """The variables of functions around that a function says it assigns."""
    return {name for n in _own(function.body) if isinstance(n, gast.Nonlocal) for name in n.names}


def _bound(function: gast.FunctionDef) -> set[str]:
    """The variables of a function: its parameters, and what it assigns."""
    stored = {
        n.id for n in _own(function.body) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)
    }
    return (stored | {p.id for p in _parameters(function)}) - _nonlocal(function)


def _is_assigned_alone(owner: gast.FunctionDef, name: str) -> bool:
    """Whether assignments alone bind a name, in a function and all that is in it."""
    assigned: set[int] = set()
    stored: set[int] = set()
    for n in gast.walk(owner):
        if isinstance(n, (gast.Assign, gast.AugAssign, gast.AnnAssign)):
            targets = n.targets if isinstance(n, gast.Assign) else [n.target]
            assigned |= {id(m) for t in targets for m in gast.walk(t)}
        elif isinstance(n, gast.Name) and n.id == name and isinstance(n.ctx, gast.Store):
            stored.add(id(n))
        elif isinstance(n, (gast.ClassDef, gast.Global, gast.Import, gast.ImportFrom)) or name in (
            getattr(n, "name", None),
            getattr(n, "rest", None),
        ):
            return False
    return stored <= assigned
