"""Names in the body of a class are those that it has bound before, and then those of the functions around.

Not so in its methods, its lambdas, and its comprehensions but for what the first of their loops goes over: Python looks
there for the names of the functions around alone.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from adc.compiler.frontend.frame import Frame
from adc.compiler.frontend.inlined_generators import Elsewhere
from adc.compiler.frontend.scan import loaded_names


def seen_from(body: Frame, expression: Any) -> Any:
    """An expression of the body of a class, for the function around it to evaluate."""
    if not loaded_names(expression) & body.env.keys():
        return expression
    return _OfBody(body).visit(copy.deepcopy(expression))


class _OfBody(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, body: Frame) -> None:
        self._body = body

    def visit_Name(self, node: Any) -> Any:
        bound = isinstance(node.ctx, gast.Load) and node.id in self._body.env
        return Elsewhere(node, self._body) if bound else node

    def visit_Lambda(self, node: Any) -> Any:
        arguments = node.args
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]
        return node

    def visit_ListComp(self, node: Any) -> Any:
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp
