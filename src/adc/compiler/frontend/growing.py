"""Lists that grow in a loop whose number of trips is only known at run time are arrays with a place for each element.

    parts = []                      parts = np.zeros(n)
    for i in range(n):              for i in range(n):
        parts.append(x[i] ** 2)         parts[i] = x[i] ** 2

The number of elements must be known when the loop begins: each trip appends as many, on every path. What is put into
such a list is copied, so it may not be written to afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend.frame import Items, ListValue, Range
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var, defined, walk
from adc.compiler.ir.types import Array, Scalar, Type, joined
from adc.errors import UnsupportedError
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


@dataclass(eq=False)
class Growing:
    """A list in an array: `values` is None as long as nobody knows what kind of elements it will have."""

    name: str
    values: Var | None
    count: Value  # how many elements it has now
    per_trip: int  # how many each trip of its loop appends
    inside: tuple[int, int] | None = (
        None  # loops and regions around the appends; None once the loop has ended
    )
    appended: int = 0  # in this trip
    started: bool = False  # it had elements before its loop
    nested: bool = False  # its elements are lists of numbers, all as long: rows of a matrix
    run_time = True

    def __bool__(self) -> bool:
        raise UnsupportedError(
            f"the list `{self.name}` is used as a condition, and its length is only known at run time",
            repair=f"Write `len({self.name}) > 0`.",
        )


@dataclass(eq=False)
class ElementFound(Exception):
    """The first element of a list was seen, or one of another kind than those before."""

    name: str
    type: Type


@dataclass(frozen=True)
class Method:
    """`list.name`, about to be called."""

    owner: Growing
    name: str


def appended_in(node: Any, env: dict[str, Value]) -> dict[str, int]:
    """The lists to which every trip of a loop appends, with how many elements.

    >>> loop = gast.parse("for i in r:\\n    a.append(i)\\n    a.append(2)\\n    if i: b.append(1)").body[0]
    >>> appended_in(loop, {"a": ListValue(), "b": ListValue()})
    {'a': 2}
    """
    found: dict[str, int] = {}
    for statement in node.body:
        called = getattr(statement, "value", None) if isinstance(statement, gast.Expr) else None
        function = getattr(called, "func", None)
        if isinstance(function, gast.Attribute) and function.attr == "append":
            name = getattr(function.value, "id", None)
            if isinstance(env.get(name), ListValue):  # type: ignore[arg-type]
                found[str(name)] = found.get(str(name), 0) + 1
    return found


def begun(ev: Core, name: str, items: ListValue, kind: Type | None, trips: Value, per_trip: int) -> Growing:
    """The list as it is before the loop: its elements so far, and room for those that the loop appends."""
    kinds = [ev.type_of(item) for item in items]
    for t in kinds:
        kind = t if kind is None else joined(kind, t) if t is not None else None
    if any(t is None for t in kinds) or (items and kind is None):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    inside = ev.loop_depth + 1, ev.region_depth + 1
    growing = Growing(name, None, len(items), per_trip, inside, started=bool(items))
    if kind is not None:
        shape = kind.shape if isinstance(kind, Array) else ()
        length = ev.op("add", ev.op("multiply", trips, per_trip), len(items))
        growing.values = ev.op("zeros", (length, *ev.shape_values(shape)), dtype=kind.dtype)
        growing.values.name, growing.values.named = name, True
        ev.frozen.setdefault(growing.values, ev.origin)
        for k, item in enumerate(items):
            _put(ev, growing.values, k, item)
    return growing


def trips_of(ev: Core, items: Range | Items) -> Value:
    """How many trips a loop has."""
    if isinstance(items, Items):
        return items.length
    start, stop = ev.length(items.start), ev.length(items.stop)
    assert start is not None and stop is not None
    span = stop - start if items.step > 0 else start - stop
    return ev.dim_value(((span + (abs(items.step) - 1)) // abs(items.step)).clamped())


def ordinal(ev: Core, items: Range | Items, index: Var) -> Value:
    """The number of a trip, from zero."""
    if isinstance(items, Items):
        return index
    offset = ev.op("subtract", index, items.start)
    return offset if items.step == 1 else ev.op("floor_divide", offset, items.step)


def append(ev: Core, growing: Growing, value: Value) -> None:
    """`growing.append(value)`."""
    nested = isinstance(value, (Growing, list, tuple))
    if nested:
        value = array(ev, value) if isinstance(value, Growing) else ev.array_of(value)
    t = ev.type_of(value)
    if growing.inside != (ev.loop_depth, ev.region_depth) or growing.appended == growing.per_trip:
        raise cannot(ev, "how many elements a trip appends depends on the path taken")
    if t is None or (nested and t.ndim > 1):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    if nested != growing.nested and (growing.started or growing.appended):
        raise cannot(ev, "some of its elements are lists and some are not")
    growing.nested = nested
    if growing.values is None:
        raise ElementFound(growing.name, _from_outside(ev, t))
    whole = growing.values.type
    kind = Array(whole.dtype, whole.shape[1:]) if len(whole.shape) > 1 else Scalar(whole.dtype)
    wide = joined(kind, t)
    if wide is None:
        raise cannot(ev, "its elements are not of one rank")
    if wide.dtype != whole.dtype:
        raise ElementFound(growing.name, Array(wide.dtype, kind.shape) if kind.shape else Scalar(wide.dtype))
    if isinstance(value, Var) and value.is_array:
        _freeze(ev, value)
    _put(ev, growing.values, growing.count, value)
    growing.count = ev.op("add", growing.count, 1)
    growing.appended += 1


def element(ev: Core, growing: Growing, index: Value) -> Value:
    """`growing[index]`, with Python's rule for what is out of range."""
    if isinstance(index, slice):
        part = ev.subscript(array(ev, growing), index)
        return Growing(growing.name, part, ev.dim_value(part.type.shape[0]), 0, nested=growing.nested)
    if growing.inside is None or growing.values is None or ev.length(index) is None:
        return _as_element(ev, growing, ev.subscript(array(ev, growing), index))
    if isinstance(index, Var):
        index = ev.op("where", ev.op("less", index, 0), ev.op("add", index, growing.count), index)
    elif index < 0:
        index = ev.op("add", growing.count, index)
    good = ev.op("logical_and", ev.op("less", index, growing.count), ev.op("greater_equal", index, 0))
    if good is not True:
        ev.block.append(Check(ev.atom(good), "IndexError", (Const("list index out of range"),), ev.origin))
    return _as_element(ev, growing, ev.getitem(growing.values, normalized(ev, growing.values, index)))


def _as_element(ev: Core, growing: Growing, value: Value) -> Value:
    if not growing.nested or value.type.ndim != 1:
        return value
    return Growing(growing.name, value, ev.dim_value(value.type.shape[0]), 0)


def items(ev: Core, growing: Growing) -> Items:
    """What a loop over the list goes over."""
    return Items(growing.count, lambda k: element(ev, growing, k))


def array(ev: Core, growing: Growing) -> Value:
    """What `np.array(growing)` has for elements."""
    if growing.values is None:
        raise cannot(ev, "it is empty")
    if growing.inside is None:
        return growing.values
    return ev.subscript(growing.values, slice(None, growing.count))


def plain(ev: Core, values: Iterable[Value]) -> list[Value]:
    """Operands of NumPy and of built-ins: lists as arrays."""
    return [array(ev, v) if isinstance(v, Growing) else v for v in values]


def cannot(ev: Core, why: str) -> UnsupportedError:
    return ev.refuse(
        "a list changes in a loop whose number of trips is only known at run time", why, "use an array"
    )


def joined_call(ev: Core, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`np.vstack(growing)` and the like: what its elements give next to each other; None for other calls."""
    if not args or not isinstance(args[0], Growing) or function not in _JOINED:
        return None
    values = array(ev, args[0])
    if function in (np.asarray, np.ascontiguousarray):
        return ev.call(np.array, [values, *args[1:]], kwargs)
    axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
    by_rows = values.type.ndim == 2
    if function is np.stack and axis == 0:
        return ev.op("copy", values)
    if function is np.vstack:
        return ev.op("copy", values) if by_rows else ev.op("expand_dims", values, 1)
    if function in (np.hstack, np.concatenate) and axis == 0 and values.type.ndim <= 2:
        return ev.op("ravel", values) if by_rows else ev.op("copy", values)
    if (function is np.column_stack and by_rows) or (function is np.stack and by_rows and axis in (1, -1)):
        return ev.op("transpose", values)
    raise cannot(ev, f"np.{function.__name__} of such a list is not supported")


_JOINED = {
    np.asarray,
    np.ascontiguousarray,
    np.stack,
    np.vstack,
    np.hstack,
    np.concatenate,
    np.column_stack,
    np.dstack,
    np.block,
}


def comprehension(node: Any) -> Any:
    """`[element for target in items]` as a function of the items.

    >>> import ast
    >>> made = comprehension(gast.parse("[a * b for a, b in pairs]").body[0].value)
    >>> print(ast.unparse(gast.gast_to_ast(made)))
    def comprehension(items):
        parts = []
        for a, b in items:
            parts.append(a * b)
        return parts
    """
    taken = {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
    function = gast.parse(_COMPREHENSION).body[0]
    for inner in gast.walk(function):
        while isinstance(inner, gast.Name) and inner.id in taken:
            inner.id += "_"
        if hasattr(inner, "lineno"):
            gast.copy_location(inner, node)
    loop = function.body[1]
    loop.target = node.generators[0].target
    loop.body[0].value.args = [node.elt]
    return function


_COMPREHENSION = """
def comprehension(items):
    parts = []
    for _ in items:
        parts.append(0)
    return parts
"""


def refuse_in(ev: Core, output: Value) -> None:
    """A result has a structure known before the program runs."""
    if isinstance(output, Growing):
        raise ev.refuse(
            f"the list `{output.name}` is returned, and its length is only known at run time",
            "the structure of the result is part of the compiled code",
            f"return `np.array({output.name})`",
        )
    for part in (
        output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    ):
        refuse_in(ev, part)


def check_writes(ev: Core) -> None:
    """Refuse a write to an array that may be one that was put into a list, under another name."""
    for root, where in ev.mutated.items():
        todo, seen = list(ev.joined_roots.get(root, ())), {root}
        while todo:
            name = todo.pop()
            if name in ev.frozen and root not in ev.frozen:
                with ev.origin_at(where):
                    raise written(ev, root)
            if name not in seen:
                seen.add(name)
                todo.extend(ev.joined_roots.get(name, ()))


def written(ev: Core, array: Var) -> UnsupportedError:
    return ev.refuse(
        f"this writes to `{array.name}`, which was put into a list before",
        "the list of the compiled code has a copy, which does not see the write",
        f"append a copy: `{array.name}.copy()`",
    )


def _freeze(ev: Core, value: Var) -> None:
    made_here = {v for s in walk(ev.block) for v in defined(s)}
    if value.root in ev.mutated and value.root not in made_here and value.root not in ev.frozen:
        raise written(ev, value.root)
    ev.frozen.setdefault(value.root, ev.origin)


def _put(ev: Core, values: Var, k: Value, value: Value) -> None:
    t = ev.type_of(value)
    assert t is not None and isinstance(values.type, Array)
    for a, b in zip(values.type.shape[1:], t.shape, strict=True):
        ev.require_equal(a, b, "the elements of a list have different shapes")
    ev.store(values, normalized(ev, values, k), ev.cast(value, values.type.dtype))


def _from_outside(ev: Core, t: Type) -> Type:
    """The type of an element, if its lengths are known before the loop."""
    if not isinstance(t, Array):
        return Scalar(t.dtype)
    inside = {v for s in walk(ev.block) for v in defined(s)}.union(*ev.open_phis)
    shape = tuple(ev.equal.find(d) for d in t.shape)
    if any(_mentions(d, inside) for d in shape):
        raise cannot(ev, "the lengths of its elements are only known inside the loop")
    return Array(t.dtype, shape)


def _mentions(d: Dim, inside: set[Var]) -> bool:
    return any(
        _mentions(part, inside) if isinstance(part, Dim) else part in inside
        for symbol, _ in d.terms
        for part in symbol.payload
    )
