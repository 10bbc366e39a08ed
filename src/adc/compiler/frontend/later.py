"""What gets a name and is gone over once is evaluated where its items are asked for, as Python does.

w = 2.0
scaled = (v * w for v in x)
pairs = zip(scaled, x)         nothing is computed up to here
w = 3.0
s = sum(a * b for a, b in pairs)         of v * 3.0
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import grouped, iteration_generators, iteration_tools
from adc.compiler.frontend.frame import Once
from adc.compiler.frontend.scan import changed_names, loaded_names, stored_names
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.assignments import Assignments
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.loops import Loops

__all__ = ["evaluated", "is_lazy", "refuse_changes"]

# What they go over is looked at when they are gone over; those that take all of it at once are not here.
_LAZY = (
    map,
    filter,
    zip,
    enumerate,
    *set(iteration_generators.TABLE),
    *set(iteration_tools.TABLE)
    - {
        itertools.product,
        itertools.permutations,
        itertools.combinations,
        itertools.combinations_with_replacement,
    },
)


def is_lazy(function: Value) -> bool:
    return any(function is lazy for lazy in _LAZY)


def evaluated(ev: Assignments, node: Any) -> Value:
    """The value of an expression that gets a name."""
    later = _delayed(ev, node)
    return ev.evaluate_maybe(node) if later is None else later


def _delayed(ev: Assignments, node: Any) -> Once | None:
    """A generator expression or a call of `zip` and the like; None for other expressions."""
    if isinstance(node, gast.GeneratorExp):
        return _generator(ev, node)
    return _call(ev, node) if isinstance(node, gast.Call) else None


def _generator(ev: Assignments, node: Any) -> Once:
    """A generator expression: only what it goes over is evaluated where it stands."""
    items = _operand(ev, node.generators[0].iter)
    return _later(ev, lambda: ev.generated(node, _opened(items)), _seen(ev, node))


def _call(ev: Assignments, node: Any) -> Once | None:
    """`map(f, items)` and the like: only what the function is given is evaluated where the call stands."""
    root = node.func
    while isinstance(root, gast.Attribute):
        root = root.value
    if not isinstance(root, gast.Name) or (
        root is not node.func and not isinstance(ev.evaluate(root), types.ModuleType | type)
    ):
        return None
    function = ev.evaluate(node.func)
    shared = grouped.shared(ev, function, node)
    if shared is not None:
        value, count = _operand(ev, shared.value), grouped.count(ev, shared)
        return _later(ev, lambda: grouped.zipped(ev, node, _opened(value), count), _seen(ev, node))
    if not is_lazy(function) or any(isinstance(a, gast.Starred) for a in node.args):
        return None
    sees = _seen(ev, node)
    args, kwargs = [_operand(ev, a) for a in node.args], ev.by_name(node)
    return _later(ev, lambda: ev.called(node, function, [_opened(a) for a in args], kwargs), sees)


def _later(ev: Assignments, evaluate: Callable[[], Value], sees: frozenset[str]) -> Once:
    """What is evaluated with the names of here."""
    frame = ev.frame

    def items() -> Value:
        here, ev.frame = ev.frame, frame
        try:
            return evaluate()
        finally:
            ev.frame = here

    return Once(items, sees=sees)


def _operand(ev: Assignments, node: Any) -> Value:
    """What is gone over: an iterator as a name holds it, of which nothing is evaluated yet, or a value."""
    later = _delayed(ev, node)
    if later is not None:
        return later
    held = ev.unread(node)
    if held is None:
        return ev.evaluate_maybe(node)
    with ev.origin_at(ev.locate(node)):
        return Once(ev.taken_up(node.id, held))


def _opened(value: Value) -> Value:
    return value.items() if isinstance(value, Once) else value


def refuse_changes(ev: Loops, node: Any) -> None:
    """Refuse a loop that changes what a generator expression reads: its items are computed before the trips."""
    sees = _seen(ev, node.iter)
    if not sees:
        return
    changed = sees & (stored_names([node.target, *node.body]) | changed_names(node.body, calls=False))
    held = {n for n in sees & changed_names(node.body) if isinstance(ev.frame.env.get(n), (list, dict))}
    for name in sorted(changed | held):
        raise ev.refuse(
            f"`{name}` changes in the loop, and what the loop goes over is computed from it",
            "Python computes each item when its trip begins",
            "compute the item in the loop",
        )


def _seen(ev: Calls, node: Any) -> frozenset[str]:
    """The names from which items are computed that Python computes one by one, and the compiler all at once."""
    if isinstance(node, gast.GeneratorExp):
        first, *others = node.generators
        read = loaded_names(node.elt).union(*map(loaded_names, [*first.ifs, *others]))
        own = stored_names([g.target for g in node.generators])
        return frozenset(read - own) | _seen(ev, first.iter)
    if isinstance(node, gast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        operands = node.args if any(name == lazy.__name__ for lazy in _LAZY) else []
        tests = [a for a in operands if name == "filter" and isinstance(a, gast.Lambda)]
        return frozenset[str]().union(*map(loaded_names, tests), *(_seen(ev, a) for a in operands))
    held = ev.unread(node)
    return frozenset() if held is None else held.sees
