"""An array of floats that traced code makes is a Tensor from the start, whatever made it: it can be written to.

`np.zeros(5)` is one by its stand-in. `np.arange(5) * 0.5` is made by an operator of plain arrays, `rng.random(5)` and
`counts.astype(float)` by methods, which have none. So code is compiled again from its source, where what operators and
calls give is looked at before it gets a name or a place: later it might have two.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

import numpy as np

from adc.tape.stand_ins import float_array

__all__ = ["MADE", "Naming", "seen", "writes"]

MADE = "__adc_made__"  # what the code calls; see Substitution

_WRITES = re.compile(r"\]\s*=[^=]|[-+*/%@&|^]=|\bout\s*=|\.(at|fill|sort)\(|\b(copyto|put|place)")

# Functions of Python's that give no array, or one that stands elsewhere.
_PLAIN = {
    function.__name__
    for functions in (
        (bool, dict, float, frozenset, int, list, range, set, str, super, tuple, type),
        (enumerate, filter, iter, map, next, reversed, sorted, zip),
        (all, any, divmod, getattr, hasattr, id, isinstance, issubclass, len, print, repr, round, setattr),
    )
    for function in functions
}


def seen(value: Any, mark: list[Any]) -> Any:
    """What an operator or a call gave: an array of floats that nobody else holds, or has a view of, as a Tensor.

    `mark` is a list that was just made: it is held as often as such a value is.

    >>> held = np.arange(2) * 0.5
    >>> type(seen(np.arange(2) * 0.5, [])).__name__, type(seen(held, [])).__name__
    ('Tensor', 'ndarray')
    """
    if value.__class__ is not np.ndarray or value.dtype.kind not in "fc":
        return value
    if sys.getrefcount(value) != sys.getrefcount(mark):
        return value
    if value.base is not None and (
        value.base.__class__ is not np.ndarray or _holders_of_base(value) != _HOLDERS
    ):
        return value
    return float_array(value)


def _holders_of_base(view: Any) -> int:
    base = view.base
    return sys.getrefcount(base)


_HOLDERS = _holders_of_base(np.empty(2)[:1])  # of a base that nobody holds but the view


def writes(source: str) -> bool:
    """Whether some text may write to an array."""
    return _WRITES.search(source) is not None


class Naming(ast.NodeTransformer):
    """`t = a * b` looks at the product; so do `return`, what is put into lists and dicts, and what calls are given."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return self._of_value(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return self._of_value(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        return self._of_value(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        return self._of_value(node)

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        return self._of_value(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._of_value(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._of_element(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._of_element(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        return self._of_elements(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return self._of_elements(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.values = list(map(_looked_at, node.values))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = _looked_at(node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not _is_plain(node):
            node.args = list(map(_looked_at, node.args))
            for keyword in node.keywords:
                keyword.value = _looked_at(keyword.value)
        return node

    def _of_value(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            node.value = _looked_at(node.value)
        return node  # type: ignore[no-any-return]

    def _of_element(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.elt = _looked_at(node.elt)
        return node  # type: ignore[no-any-return]

    def _of_elements(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.elts = list(map(_looked_at, node.elts))
        return node  # type: ignore[no-any-return]


def _looked_at(node: ast.expr) -> ast.expr:
    """An expression whose value is looked at, where an operator or a call gives it."""
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = _looked_at(node.body), _looked_at(node.orelse)
        return node
    makes = isinstance(node, ast.BinOp) or (isinstance(node, ast.Call) and not _is_plain(node))
    if not makes and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd)):
        return node
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return node
    function = ast.copy_location(ast.Name(MADE, ast.Load()), node)
    mark = ast.copy_location(ast.List([], ast.Load()), node)
    return ast.copy_location(ast.Call(function, [node, mark], []), node)


def _is_plain(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in _PLAIN
