"""A generator expression inside sum, min, max, any, all or next becomes the loop that it abbreviates.

sum(r * r for r in x)        def sum_(items, total):
                                 for r in items:
                                     total = total + r * r
                                 return total
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import gast

from adc.compiler.frontend import templates

_TEMPLATES: dict[Callable[..., Any], str] = {
    builtins.sum: """
def sum_(items, total):
    for element in items:
        total = total + element
    return total
""",
    builtins.max: """
def max_(items):
    first = True
    best = 0
    for element in items:
        candidate = element
        if first or candidate > best:
            best = candidate
            first = False
    if first:
        raise ValueError("max() iterable argument is empty")
    return best
""",
    builtins.any: """
def any_(items):
    for element in items:
        if element:
            return True
    return False
""",
    builtins.all: """
def all_(items):
    for element in items:
        if not element:
            return False
    return True
""",
}
_TEMPLATES[builtins.next] = """
def next_(items):
    for element in items:
        return element
    raise StopIteration()
"""
_WITH_DEFAULT = """
def next_(items, default):
    for element in items:
        return element
    return default
"""
_WITH_NONE = """
def next_(items, default):
    for element in items:
        return element
    return None
"""
_TEMPLATES[builtins.min] = (
    _TEMPLATES[builtins.max].replace("max", "min").replace("candidate > best", "candidate < best")
)


def takes(function: Any) -> bool:
    """Whether a generator expression given to this function can become a loop."""
    return any(function is known for known in _TEMPLATES)


def over_items(function: Callable[..., Any]) -> Any:
    """The loop as a function of what it goes over."""
    return templates.function(_TEMPLATES[function])


def as_function(function: Callable[..., Any], generator: Any, given: Sequence[Any] = ()) -> Any:
    """The loop as a function of what the first `for` goes over (and of the start, for sum, of a default, for next).

    >>> import ast
    >>> expression = gast.parse("sum(a * a for a in numbers if a > 1)").body[0].value
    >>> print(ast.unparse(gast.gast_to_ast(as_function(sum, expression.args[0]))))
    def sum_(items, total):
        for a in items:
            if a > 1:
                total = total + a * a
        return total
    """
    text = _TEMPLATES[function]
    if function is builtins.next and given:
        text = _WITH_DEFAULT if given[0] is not None else _WITH_NONE
    tree = templates.function(text)
    tree = _Apart({n.id for n in gast.walk(generator) if isinstance(n, gast.Name)}).visit(tree)
    place = next(k for k, s in enumerate(tree.body) if isinstance(s, gast.For))
    loop = tree.body[place]
    innermost = [_Filled(generator.elt).visit(s) for s in loop.body]
    tree.body[place] = _loops(generator.generators, loop.iter, innermost)
    for node in gast.walk(tree):
        if not hasattr(node, "lineno"):
            gast.copy_location(node, generator)
    return tree


def _loops(generators: list[Any], over: Any, body: list[Any]) -> Any:
    first, *rest = generators
    if rest:
        body = [_loops(rest, rest[0].iter, body)]
    for test in reversed(first.ifs):
        body = [gast.If(test=test, body=body, orelse=[])]
    return gast.For(target=first.target, iter=over, body=body, orelse=[], type_comment=None)


class _Filled(gast.NodeTransformer):  # type: ignore[misc]
    """Puts the expression in the place of `element`."""

    def __init__(self, element: Any) -> None:
        self.element = element

    def visit_Name(self, node: Any) -> Any:
        return self.element if node.id.startswith("element") and isinstance(node.ctx, gast.Load) else node


class _Apart(gast.NodeTransformer):  # type: ignore[misc]
    """Renames the template's own names where the expression reads names like them."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def visit_Name(self, node: Any) -> Any:
        if node.id not in dir(builtins):
            while node.id in self.taken:
                node.id += "_"
        return node
