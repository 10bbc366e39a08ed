"""Iterators of the user's classes: a loop over one calls its `__next__` until that raises StopIteration.

    def __next__(self):                        ended, item = step(self)     # in a `while True`
        if self.i == self.n:                   if ended:
            raise StopIteration                    return
        self.i += 1                            yield item
        return self.x[self.i - 1]

`step` is `__next__`, which says in the first of two results whether it would have raised.
"""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import instances, templates
from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import constant, placed
from adc.compiler.frontend.frame import Closure, Generator
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def of(self: Core, iterator: Value) -> Generator | None:
    """What gives the items of an object with a `__next__`; None where it has none, or one that tries."""
    function = instances.method(self, iterator, "__next__")
    tree = None if function is None else self.tree_of(function)
    if tree is None or any(isinstance(n, (gast.Try, gast.Yield)) for n in own_nodes(tree.body)):
        return None
    instances.stays(self, instances.class_of(iterator), "__next__")
    step = self.with_tree(function.func, _telling(tree))
    # An object that changes in a loop has one name there.
    name = next((n for n, value in self.frame.env.items() if value is iterator), None)
    given = [step] if name else [step, iterator]
    found = self.call(Closure(_stepped(name), self.frame, {}), given, {})
    assert isinstance(found, Generator)
    return found


@functools.cache
def _stepped(name: str | None) -> Any:
    """The loop over the steps of an iterator: of what has a name, or of an argument."""
    parameter, iterator = ("", name) if name else (", iterator", "iterator")
    return templates.function(
        f"""
def stepped(step{parameter}):
    while True:
        ended, item = step({iterator})
        if ended:
            return
        yield item
"""
    )


def _telling(tree: Any) -> Any:
    """The function, with whether it raises StopIteration before what it returns."""
    tree = copy.deepcopy(tree)
    _Telling().generic_visit(tree)
    tree.body.append(_told(False, constant(None, tree), tree))
    return tree


class _Telling(gast.NodeTransformer):  # type: ignore[misc]
    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_Return(self, node: Any) -> Any:
        return _told(False, constant(None, node) if node.value is None else node.value, node)

    def visit_Raise(self, node: Any) -> Any:
        raised = node.exc.func if isinstance(node.exc, gast.Call) else node.exc
        ends = isinstance(raised, gast.Name) and raised.id == "StopIteration"
        return _told(True, constant(None, node), node) if ends else node


def _told(ended: bool, value: Any, node: Any) -> Any:
    return placed(gast.Return(placed(gast.Tuple([constant(ended, node), value], gast.Load()), node)), node)
