"""What gets a name and is gone over once is evaluated where its items are asked for, as Python does.

w = 2.0
scaled = (v * w for v in x)
pairs = zip(scaled, x)         nothing is computed up to here
w = 3.0
s = sum(a * b for a, b in pairs)         of v * 3.0

So it is where a function returns it. A loop whose body changes `w` computes each item when its trip begins, and so
does what asks for one item after the other: `map(cool, scaled)`, `[cool(v) for v in scaled]`.
"""

from __future__ import annotations

import copy
import functools
import itertools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import generators, grouped, iteration_generators, iteration_tools, reached
from adc.compiler.frontend.frame import Generator, Items, Once, RunTimeLength, reads_of
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.loops import Loops
    from adc.compiler.frontend.names import Names

__all__ = ["argument", "evaluated", "gone_over", "is_lazy", "note", "of_clauses"]

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

# What calls a function between two items, in no loop that could be written out.
_BETWEEN_ITEMS = (functools.reduce, max, min)

# Of more than one argument these compare the arguments, which are all there by then.
_OF_ONE = (max, min)


def is_lazy(function: Value) -> bool:
    bound = isinstance(function, types.BuiltinMethodType)  # chain.from_iterable is another one each time
    return any(function is lazy or (bound and function == lazy) for lazy in _LAZY)


def takes_up(ev: Calls, function: Value, node: Any, args: list[Value]) -> bool:
    """Whether a call is `iter()` of what was computed where Python computes each item when it is asked for."""
    if function is not iter or not node.args:
        return False
    return not _one_by_one(args[0]) or (not isinstance(args[0], Items) and _is_late(ev, node.args[0]))


def _is_late(ev: Names, node: Any) -> bool:
    """Whether Python computes the items of what an expression gives when they are asked for."""
    if not isinstance(node, gast.Call):
        return isinstance(node, gast.GeneratorExp)
    called = ev.evaluate(node.func) if isinstance(node.func, (gast.Name, gast.Attribute)) else None
    tree = node.func if isinstance(node.func, gast.Lambda) else ev.tree_of(called)
    return is_lazy(called) or (
        tree is not None and any(isinstance(n, gast.GeneratorExp) for n in gast.walk(tree))
    )


def evaluated(ev: Calls, node: Any) -> Value:
    """The value of an expression that gets a name, or is returned."""
    later = _delayed(ev, node)
    return _returned(ev, node, ev.evaluate_maybe) if later is None else later


def gone_over(ev: Loops, node: Any) -> Value:
    """What a `for` goes over; where its body changes what the items are computed from, one after the other."""
    later = over = ev.unread(node.iter) or _delayed(ev, node.iter) or _returned(ev, node.iter, ev.evaluate)
    if isinstance(later, Once):
        sees, in_turn = later.sees, later.in_turn
    else:
        sees, in_turn = None if _one_by_one(over) else (reads_of(over) or {}).get("reached"), None
    name = None
    if sees is not None:
        binding = gast.Assign([node.target], gast.Constant(None, None), None)
        name = sees.meets(reached.changed(ev, [binding, *node.body]))
    if name is not None and (not isinstance(later, Once) or in_turn is None):
        raise ev.refuse(
            f"`{name}` changes in the loop, and what the loop goes over is computed from it",
            "Python computes each item when its trip begins",
            "compute the item in the loop",
        )
    if not isinstance(later, Once):
        return over
    if name is not None and in_turn is not None:
        later = replace(later, items=in_turn)
    if isinstance(node.iter, gast.Name):
        with ev.origin_at(ev.locate(node.iter)):
            return ev.taken_up(node.iter.id, later)()
    return later.items()


def argument(ev: Calls, function: Value, call: Any, node: Any) -> Value:
    """The value of an argument of a call: what is gone over, while the call evaluates the other arguments, too."""
    compares = len(call.args) > 1 and any(function is known for known in _OF_ONE)
    between = not compares and any(function is known for known in _BETWEEN_ITEMS)
    if not between and not is_lazy(function):
        return ev.evaluate_maybe(node)
    beside = [n for n in (*call.args, *(k.value for k in call.keywords)) if n is not node]
    name = _changes_meanwhile(ev, node, beside)
    if name is not None and between:
        raise _refused(ev, node, name)
    return (
        ev.evaluate_maybe(node) if name is None else _one_after_the_other(ev, node, _operand(ev, node), name)
    )


def of_clauses(ev: Calls, element: Any, clauses: list[Any], known: bool = False) -> Value:
    """What the first `for` of a comprehension goes over, while the elements are computed; all of it, if `known`."""
    over = clauses[0].iter
    name = _changes_meanwhile(ev, over, [_elements(element, clauses)])
    if name is None:
        return ev.evaluate(over)
    found = _one_after_the_other(ev, over, _operand(ev, over), name)
    if known and isinstance(found, Generator):
        raise _refused(ev, over, name)
    return found


def _elements(element: Any, clauses: list[Any]) -> Any:
    """A comprehension without what it goes over first."""
    first, *others = clauses
    bare = copy.copy(first)
    bare.iter = gast.Constant(None, None)
    return gast.GeneratorExp(element, [bare, *others])


def _changes_meanwhile(ev: Calls, node: Any, beside: list[Any]) -> str | None:
    """A name for what the items of an expression are computed from, or change, that is changed or read beside it."""
    if not beside or not (ev.unread(node) or isinstance(node, gast.GeneratorExp | gast.Call)):
        return None
    name = reached.read(ev, [node]).meets(reached.changed(ev, beside))
    return name or reached.read(ev, beside).meets(reached.changed(ev, [node]))


def _one_after_the_other(ev: Calls, node: Any, value: Value, name: str) -> Value:
    """The items of an operand, each when it is asked for; all of them where Python computes all of them, too."""
    if isinstance(value, Once) and value.in_turn is None:
        raise _refused(ev, node, name)
    return _opened(value, in_turn=True)


def _refused(ev: Calls, node: Any, name: str) -> RunTimeLength:
    return RunTimeLength(
        f"`{name}` changes between two items that are computed from it, or by them",
        location=ev.locate(node),
        why="Python computes each item when it is asked for.",
        repair="Compute the items in a loop.",
    )


def note(ev: Names, iterator: Value, node: Any, items: list[Value]) -> None:
    """Note what the items of an iterator are computed from. Python does so when they are asked for."""
    ev.goes_over(iterator, items)
    reads = reads_of(iterator)
    if reads is not None and ev.in_user_code:
        over = node.args if isinstance(node, gast.Call) else []
        reads["reached"] = found = reached.read(ev, _read_late(node, items) if over else [node])
        ahead = [v for n, v in zip(over, items, strict=False) if _is_late(ev, n) and not isinstance(v, Items)]
        if ahead or not _one_by_one(iterator) or not all(map(_one_by_one, items)):
            reads["before"] = reached.before(ev, found)


def _read_late(call: gast.Call, args: list[Value]) -> list[Any]:
    """The parts of a call that may be read when items are asked for: a number (`islice(x, k)`) was read before."""
    alone = itertools.takewhile(lambda n: not isinstance(n, gast.Starred), call.args)
    early = {id(n) for n, v in zip(alone, args, strict=False) if _is_number(v)}
    return [call.func, *(n for n in call.args if id(n) not in early), *(k.value for k in call.keywords)]


def _is_number(value: Value) -> bool:
    return value is None or isinstance(value, int | float) or (isinstance(value, Var) and not value.is_array)


def _one_by_one(value: Value) -> bool:
    """Whether nothing was computed ahead: each of `Items` is where it is used."""
    reads = reads_of(value)
    return reads is None or (isinstance(value, Items) and "before" not in reads)


def _delayed(ev: Calls, node: Any) -> Once | None:
    """A generator expression or a call of `zip` and the like; None for other expressions."""
    if isinstance(node, gast.GeneratorExp):
        return _generator(ev, node)
    return _call(ev, node) if isinstance(node, gast.Call) else None


def _generator(ev: Calls, node: Any) -> Once:
    """A generator expression: only what it goes over is evaluated where it stands."""
    first = node.generators[0].iter
    name = _changes_meanwhile(ev, first, [_elements(node.elt, node.generators)])
    items = _operand(ev, first)

    def at_once() -> Value:
        over = _opened(items) if name is None else _one_after_the_other(ev, first, items, name)
        found = ev.generated(node, over)
        note(ev, found, node, [over])
        return found

    return _later(ev, at_once, lambda: ev.one_by_one(node, _opened(items, in_turn=True)), node)


def _call(ev: Calls, node: Any) -> Once | None:
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
        return _later(ev, lambda: grouped.zipped(ev, node, _opened(value), count), None, node)
    if not is_lazy(function) or any(isinstance(a, gast.Starred) for a in node.args):
        return None
    names = [_changes_meanwhile(ev, a, [b for b in node.args if b is not a]) for a in node.args]
    args, kwargs = [_operand(ev, a) for a in node.args], ev.by_name(node)

    def at_once() -> Value:
        given = [
            _opened(a) if name is None else _one_after_the_other(ev, n, a, name)
            for n, a, name in zip(node.args, args, names, strict=True)
        ]
        return ev.called(node, function, given, kwargs)

    def in_turn() -> Value:
        given = [_opened(a, in_turn=True) for a in args]
        return ev.called(node, function, generators.one_by_one(ev, function, given), kwargs)

    return _later(ev, at_once, in_turn, node)


def _returned(ev: Calls, node: Any, evaluate: Callable[[Any], Value]) -> Value:
    """The value of another expression: of a call it may be an iterator of which nothing is evaluated yet."""
    if not isinstance(node, gast.Call):
        return evaluate(node)
    before, ev.returned_later = ev.returned_later, node
    try:
        return evaluate(node)
    finally:
        ev.returned_later = before


def _later(ev: Calls, evaluate: Callable[[], Value], in_turn: Callable[[], Value] | None, node: Any) -> Once:
    """What is evaluated with the names of here."""
    frame = ev.frame

    def there(made: Callable[[], Value]) -> Callable[[], Value]:
        def items() -> Value:
            here, ev.frame = ev.frame, frame
            try:
                return made()
            finally:
                ev.frame = here

        return items

    return Once(there(evaluate), in_turn=in_turn and there(in_turn), sees=reached.read(ev, [node]))


def _operand(ev: Calls, node: Any) -> Value:
    """What is gone over: an iterator as a name holds it, of which nothing is evaluated yet, or a value."""
    later = _delayed(ev, node)
    if later is not None:
        return later
    held = ev.unread(node)
    if held is None:
        return _returned(ev, node, ev.evaluate_maybe)
    with ev.origin_at(ev.locate(node)):
        return Once(ev.taken_up(node.id, held), in_turn=held.in_turn, sees=held.sees)


def _opened(value: Value, in_turn: bool = False) -> Value:
    if not isinstance(value, Once):
        return value
    return value.in_turn() if in_turn and value.in_turn is not None else value.items()
