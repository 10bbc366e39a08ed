"""A loop that gives a name another number of axes, as a number that becomes an array, does so in its first trip.

    s = 0.0                               s = np.zeros(n)
    for k in range(m):                    for k in range(m):
        s = s + x * w[k]                      s = s + x * w[k]

What the loop only adds to, multiplies and the like is an array from the start: each element is what the number was. Of
an array `np.sum(s)` is another sum; where the number is used in another way, the first trip is written out:

    s = 0.0                               s = x * w[0]
    for k in range(m):                    t = 0.0
        t = np.sum(s)                     for k in range(1, m):
        s = s + x * w[k]                      t = np.sum(s)
                                              s = s + x * w[k]

So it is where a list, dict or object has its first value in a loop, and is read after it.

Without any trip the name would stay a number, so the program goes on only if there is one (docs/design/sizes.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend.frame import FirstTripDiffers, Items, Range, RankChanges
from adc.compiler.frontend.scan import loaded_names, stored_names
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Block, Check, Const, Var, defined, owners, walk
from adc.compiler.ir.types import Array, Scalar
from adc.errors import UnsupportedError
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.loops import Loops

MOST = 3  # trips of a loop: names may take their values from each other, and change one after the other
_ARITHMETIC = (gast.Add, gast.Sub, gast.Mult, gast.Div)


def help_with(ev: Loops, node: Any, error: UnsupportedError, written: int) -> bool:
    """Whether what is done here, after as many `written` trips, may keep a loop, or one inside, from being refused."""
    assert ev.frame.liveness is not None
    return (
        isinstance(error, FirstTripDiffers)
        and written < MOST
        and error.frame is ev.frame
        and error.name in ev.frame.liveness.head[id(node)]
    )


# --- that there is a trip ---------------------------------------------------------------------------------------


def may_come(ev: Loops, items: Range | Items) -> bool:
    """Whether a `for` may rely on having a trip."""
    if isinstance(items, Items) and items.lists:
        return False
    least = ev.least(_count(ev, items))
    if least.known is not None:
        return least.known > 0
    # Code for the sizes of one call has a text for each number of trips.
    return not ev.for_some_sizes or (least - 1).nonnegative


def surely_comes(ev: Loops, items: Range | Items) -> bool:
    """Whether a `for` has a trip for all sizes."""
    return (ev.least(_count(ev, items)) - 1).nonnegative


def require(ev: Loops, comes: Value, error: FirstTripDiffers) -> None:
    """The program goes on only if a loop has a trip."""
    if isinstance(comes, Var):
        message = f"`{error.name}` {error.does} in this loop, and the loop has no trip"
        ev.block.append(Check(comes, "ValueError", (Const(message),), ev.origin))


def _count(ev: Loops, items: Range | Items) -> Dim:
    """A number that is positive where there is a trip."""
    if isinstance(items, Items):
        ends = items.length, 0
    else:
        ends = (items.stop, items.start) if items.step > 0 else (items.start, items.stop)
    stop, start = map(ev.length, ends)
    assert start is not None and stop is not None
    return stop - start


# --- an array from the start --------------------------------------------------------------------------------------


def kind_before(t: Array, body: Block, inside: set[Var]) -> Array | None:
    """What a trip makes, if its lengths are known before the loop."""
    made = {v for s in walk(body) for v in defined(s)} | inside
    known = all(d != Dim(-1) and not any(v in made for v in owners(d)) for d in t.shape)
    return t if known else None


def is_narrow(body: Block) -> bool:
    """Whether a trip makes values of less than double precision: when they become wider would show."""
    kinds = {np.dtype(v.type.dtype) for s in walk(body) for v in defined(s)}
    return any(d.kind in "fc" and d not in (np.float64, np.complex128) for d in kinds)


def begun_as_array(ev: Loops, node: Any, error: FirstTripDiffers) -> bool:
    """Let a number be an array before the loop, where that is the same. False, and nothing done, where it is not."""
    if not isinstance(error, RankChanges) or error.array is None:
        return False
    number, kind = ev.frame.env.get(error.name), error.array
    t = ev.type_of(number)
    if not isinstance(t, Scalar) or ev.is_without_axes(number):
        return False
    expression = _only_arithmetic(ev, node, error.name)
    if expression is None:
        return False
    if _depth(expression, error.name) > 1 and (error.narrow or not _wide(t, kind)):
        return False
    shape = ev.shape_values(kind.shape)
    made = _filled(ev, shape[0] if len(shape) == 1 else shape, number, kind.dtype)
    ev.frame.env[error.name] = ev.named_value(made, error.name)
    return True


def _wide(t: Scalar, kind: Array) -> bool:
    """Whether arithmetic with a number and with an array that holds it round alike."""
    return kind.dtype in ("float64", "complex128") and (t.weak or t.dtype == kind.dtype)


def _filled(ev: Loops, shape: Value, number: Value, dtype: str) -> Value:
    kind = None if dtype == "float64" else np.dtype(dtype)
    if not isinstance(number, Var) and str(number) in ("0", "0.0"):  # not -0.0
        return ev.op("zeros", shape) if kind is None else ev.op("zeros", shape, dtype=kind)
    return ev.op("full", shape, ev.cast(number, dtype), dtype=kind)


def _only_arithmetic(ev: Loops, node: Any, name: str) -> Any:
    """What a trip makes of a name, where it first uses it, if that is arithmetic and nothing else changes the name."""
    assert ev.frame.liveness is not None
    stores = [n for s in node.body for n in gast.walk(s) if _is_named(n, name) and not _is_loaded(n)]
    if len(stores) != 1 or name in ev.frame.liveness.captured:
        return None
    if isinstance(node, gast.While) and name in loaded_names(node.test) | stored_names([node.test]):
        return None
    first = next(s for s in node.body if any(_is_named(n, name) for n in gast.walk(s)))
    if isinstance(first, gast.AugAssign) and first.target is stores[0]:
        read = gast.Name(name, gast.Load(), None, None)
        first = gast.Assign([first.target], gast.BinOp(read, first.op, first.value), None)
    if not isinstance(first, gast.Assign) or first.targets != stores:
        return None
    reads = [n for n in gast.walk(first.value) if _is_named(n, name)]
    return first.value if len(reads) == 1 and _is_arithmetic(ev, first.value, name) else None


def _is_arithmetic(ev: Loops, expression: Any, name: str) -> bool:
    """Whether a name goes into an expression, in which it occurs once, element by element."""
    if _is_named(expression, name):
        return True
    operands = _operands(expression)
    if isinstance(expression, gast.Call) and not _is_elementwise(ev, expression):
        return False
    return any(_mentions(o, name) and _is_arithmetic(ev, o, name) for o in operands)


def _operands(expression: Any) -> list[Any]:
    if isinstance(expression, gast.BinOp) and isinstance(expression.op, _ARITHMETIC):
        return [expression.left, expression.right]
    if isinstance(expression, gast.UnaryOp) and isinstance(expression.op, gast.USub):
        return [expression.operand]
    return list(expression.args) if isinstance(expression, gast.Call) else []


def _is_elementwise(ev: Loops, call: Any) -> bool:
    """Whether a function is called, without options, that goes through the elements of its arguments."""
    root = call.func
    while isinstance(root, gast.Attribute):
        root = root.value
    if call.keywords or not isinstance(root, gast.Name) or root.id in ev.frame.stored:
        return False
    function = ev.evaluate(call.func)
    return isinstance(function, np.ufunc) and function.signature is None and len(call.args) == function.nin


def _depth(expression: Any, name: str) -> int:
    """How many operations a name goes through."""
    inner = next((o for o in _operands(expression) if _mentions(o, name)), None)
    return 0 if inner is None else 1 + _depth(inner, name)


def _mentions(expression: Any, name: str) -> bool:
    return any(_is_named(n, name) for n in gast.walk(expression))


def _is_named(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _is_loaded(node: Any) -> bool:
    return isinstance(node.ctx, gast.Load)


# --- the first trip by itself -------------------------------------------------------------------------------------


def item(items: Range | Items) -> Value:
    """What the first trip is for."""
    return items.start if isinstance(items, Range) else items.item(0)


def others(ev: Loops, items: Range | Items) -> Range | Items:
    """What the other trips are for."""
    if isinstance(items, Range):
        return Range(ev.op("add", items.start, items.step), items.stop, items.step)
    return Items(ev.op("subtract", items.length, 1), lambda k: items.item(ev.op("add", k, 1)))
