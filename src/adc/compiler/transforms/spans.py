"""Loops over spans of subscripts, one inside the other, and what they clear, copy or add to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Atom, Block, Const, For, Index, Store, Var
from adc.compiler.ir.types import Scalar
from adc.rules.dims import Dim

Span = tuple[Atom, Atom]  # from a subscript up to another
Spans = Sequence[Span]


def over(ev: Evaluator, spans: Spans, body: Callable[[Index], None], index: Index = ()) -> None:
    """Emit a loop for each span; `body` emits what is innermost, given the subscripts in `index` and the counters."""
    if not spans:
        body(index)
        return
    (start, stop), *rest = spans
    counter = Var("ijklmn"[len(index)], Scalar("int64", True))
    counter.dim = Dim.symbol("value", counter)
    inner: Block = []
    with ev.at(inner):
        over(ev, rest, body, (*index, counter))
    ev.block.append(For(counter, start, stop, Const(1), [], inner, ev.origin))


def copy_element(ev: Evaluator, target: Var, at: Index, source: Var, index: Index) -> None:
    """Emit the statements that copy an element of one array into another."""
    value = ev.assign("getitem", (source, index), Scalar(source.type.dtype))
    ev.block.append(Store(target, at, value, origin=ev.origin))


def added_to(ev: Evaluator, store: Store, array: Var, index: Index) -> Block:
    """Let a store that adds to an element store the sum with an element of an array; the statements that make it."""
    made: Block = []
    with ev.at(made), ev.origin_at(store.origin):
        old = ev.assign("getitem", (array, index), Scalar(array.type.dtype))
        store.value = ev.atom(ev.op("add", old, plain_value(store.value)))
    store.accumulate = False
    return made
