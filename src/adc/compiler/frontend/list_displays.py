"""`[0.0, *x, 1.0]`: a list of known elements, or, where the data has how many are spread in, the loop that appends."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.expressions import Expressions


def made(self: Expressions, node: Any) -> Value:
    """The list that stands there."""
    parts: list[Value] = []
    for element in node.elts:
        if not isinstance(element, gast.Starred):
            parts.append([self.evaluate_maybe(element)])
            continue
        value = self.evaluate(element.value)
        with self.origin_at(self.locate(element)):
            known = self.known_length(value)
        parts.append(self.spread(value, element) if known else value)
    items = [item for part in parts if isinstance(part, list) for item in part]
    self.refuse_iterators(items, node)
    with self.origin_at(self.locate(node)):
        if all(isinstance(part, list) for part in parts):
            return self.new_list(items)
        return self.call(itertools.chain, parts, {})
