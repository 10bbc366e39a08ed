"""A rule body calls only operations of the table, so that the compiler can inline it and higher orders
follow.
"""

import ast
import builtins
import inspect
import math
import textwrap

import numpy as np
import pytest

import adc.rules  # noqa: F401  (registers every rule)
from adc.rules import registry

BUILTINS = {
    range,
    len,
    enumerate,
    zip,
    tuple,
    list,
    isinstance,
    slice,
    np.add.at,
    abs,
    max,
    min,
    int,
    float,
    reversed,
    sorted,
    bool,
    callable,
    TypeError,  # raised for what NumPy refuses
    ValueError,
    np.linalg.LinAlgError,
    IndexError,
    np.result_type,
    np.array,  # of lists of positions: they carry no derivative, and the compiler knows it itself
}
METHODS = {"append", "astype", "tolist"}  # of lists; of arrays, beside those in the table
CONSTANTS = (int, float, complex, str, tuple, dict, type(None), type)


def bodies():
    for operation in registry.operations():
        for kind in ("partials", "transpose", "pull", "push", "body"):
            body = getattr(operation, kind)
            if body is not None:
                yield pytest.param(operation, body, id=f"{operation.name}-{kind}")


class Visitor(ast.NodeVisitor):
    """Collects the calls of a body that the compiler could not follow."""

    REFUSED = (
        ast.Try,
        ast.With,
        ast.Lambda,
        ast.ClassDef,
        ast.FunctionDef,
        ast.Global,
        ast.Nonlocal,
        ast.Yield,
        ast.While,
        ast.Delete,
        ast.Import,
        ast.ImportFrom,
        ast.Starred,
        ast.ListComp,
        ast.GeneratorExp,
    )

    def __init__(self, namespace, local):
        self.namespace = namespace
        self.local = local
        self.wrong = []
        self.called = []

    def visit(self, node):
        if isinstance(node, self.REFUSED) and not (
            isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load)
        ):
            self.wrong.append(ast.unparse(node))
        super().visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        function = self.resolve(node.func)
        root = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        if isinstance(root, ast.Name) and root.id in self.local:  # a function that the caller passed in
            return
        if function is None:
            if isinstance(node.func, ast.Attribute):
                name = node.func.attr
                if name in METHODS or registry.find_method(name) is not None:
                    return
            self.wrong.append(ast.unparse(node))
        elif (
            function in BUILTINS
            or registry.find(function) is not None
            or getattr(function, "__adc_static__", False)
            or (isinstance(function, type) and hasattr(function, "_fields"))  # results with names
        ):
            return
        elif getattr(function, "__module__", "").startswith("adc.rules"):
            self.called.append(function)
        else:
            self.wrong.append(ast.unparse(node))

    def resolve(self, node):
        if isinstance(node, ast.Name):
            return self.namespace.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return (
                getattr(base, node.attr, None)
                if inspect.ismodule(base) or isinstance(base, np.ufunc)
                else None
            )
        return None


def refused_in(body, seen):
    """What a body, and the helpers that it calls, do that is outside the subset."""
    if body in seen:
        return []
    seen.add(body)
    tree = ast.parse(textwrap.dedent(inspect.getsource(body))).body[0]
    tree.decorator_list = []
    visitor = Visitor(
        {**body.__globals__, **inspect.getclosurevars(body).nonlocals}, set(body.__code__.co_varnames)
    )
    for statement in tree.body:
        visitor.visit(statement)
    wrong = [f"{body.__module__}.{body.__name__}: {text}" for text in visitor.wrong]
    for helper in visitor.called:
        wrong += refused_in(helper, seen)
    return wrong


@pytest.mark.parametrize(("operation", "body"), list(bodies()))
def test_body_stays_in_the_table(operation, body):
    body = inspect.unwrap(body)  # a density is registered by the formula of its logarithm
    assert refused_in(body, set()) == []


def test_constants_of_rule_modules_are_plain():
    for operation in registry.operations():
        for body in (operation.partials, operation.transpose, operation.pull, operation.push, operation.body):
            if body is not None:
                for name, value in inspect.getclosurevars(body).globals.items():
                    plain = (
                        isinstance(value, CONSTANTS)
                        or callable(value)
                        or inspect.ismodule(value)
                        or value is math
                    )
                    assert plain, f"{body.__module__}.{name} is {value!r}"
