"""A comprehension over a number of items that is only known at run time is the loop that it abbreviates."""

from __future__ import annotations

from typing import Any

import gast

from adc.compiler.frontend.templates import drop_places
from adc.syntax import parse_function


def as_function(node: Any) -> Any:
    """A list comprehension as a function of what its first `for` goes over.

    >>> import ast
    >>> made = as_function(gast.parse("[a * c for a in rows if a for c in a]").body[0].value)
    >>> print(ast.unparse(gast.gast_to_ast(made)))
    def comprehension(items):
        parts = []
        for a in items:
            if a:
                for c in a:
                    parts.append(a * c)
        return parts
    """
    return _written_out(node, _TEMPLATE)


def as_generator(node: Any) -> Any:
    """A generator expression as a generator function of what its first `for` goes over.

    >>> import ast
    >>> made = as_generator(gast.parse("(a * c for a in rows if a for c in a)").body[0].value)
    >>> print(ast.unparse(gast.gast_to_ast(made)))
    def generator(items):
        for a in items:
            if a:
                for c in a:
                    yield (a * c)
    """
    return _written_out(node, _GENERATOR)


def _written_out(node: Any, template: str) -> Any:
    taken = {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
    function = parse_function(template)
    if not hasattr(node, "lineno"):  # of another text of the compiler's
        drop_places(function)
    for inner in gast.walk(function):
        while isinstance(inner, gast.Name) and inner.id in taken:
            inner.id += "_"
        if hasattr(inner, "lineno"):
            gast.copy_location(inner, node)
    loop = next(s for s in function.body if isinstance(s, gast.For))
    core = loop.body
    if isinstance(core[0].value, gast.Yield):
        core[0].value.value = node.elt
    else:
        core[0].value.args = [node.elt]
    for position in range(len(node.generators) - 1, -1, -1):
        generator = node.generators[position]
        for test in reversed(generator.ifs):
            core = [gast.copy_location(gast.If(test=test, body=core, orelse=[]), node)]
        if position:
            inner_loop = gast.For(
                target=generator.target, iter=generator.iter, body=core, orelse=[], type_comment=None
            )
            core = [gast.copy_location(inner_loop, node)]
    loop.target, loop.body = node.generators[0].target, core
    function.of_adc = True
    return function


_TEMPLATE = """
def comprehension(items):
    parts = []
    for _ in items:
        parts.append(0)
    return parts
"""
_GENERATOR = """
def generator(items):
    for _ in items:
        yield 0
"""
