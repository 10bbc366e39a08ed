"""Names that begin with two underscores belong to the class in whose text they stand: Python puts its name before.

    class Cell:                                     self._Cell__state = state
        def __init__(self, state):
            self.__state = state

A class over it may have a `__state` of its own.
"""

from __future__ import annotations

from typing import Any

import gast


def mangle(function: gast.FunctionDef, class_name: str | None) -> None:
    """Change the names in a function that stands in a class, and in classes that it defines, to those that Python uses.

    >>> import ast
    >>> function = gast.parse("def step(self, __k=1): return self.__x + __k + self.__dict__['x']").body[0]
    >>> mangle(function, "_Cell")
    >>> print(ast.unparse(gast.gast_to_ast(function)))
    def step(self, _Cell__k=1):
        return self._Cell__x + _Cell__k + self.__dict__['x']
    """
    for part in gast.iter_child_nodes(function):  # its own name is only what it says of itself
        _Mangler(class_name).visit(part)


def mangled(name: str, class_name: str | None) -> str:
    """The name by which Python knows another in the text of a class.

    >>> mangled("__x", "_Cell"), mangled("__init__", "Cell"), mangled("__x", None), mangled("__x", "__")
    ('_Cell__x', '__init__', '__x', '__x')
    """
    owner = (class_name or "").lstrip("_")
    private = owner and name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if private else name


class _Mangler(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, class_name: str | None) -> None:
        self.class_name = class_name

    def generic_visit(self, node: Any) -> Any:
        for field in ("id", "attr", "arg", "name", "asname", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, mangled(value, self.class_name))
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [mangled(name, self.class_name) for name in node.names]
        return super().generic_visit(node)

    def visit_alias(self, node: Any) -> Any:
        if node.asname is not None:
            node.asname = mangled(node.asname, self.class_name)
        return node

    def visit_ClassDef(self, node: Any) -> Any:
        inner = _Mangler(node.name)
        for part in node.body:
            inner.visit(part)
        node.name = mangled(node.name, self.class_name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        return node
