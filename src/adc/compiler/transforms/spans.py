"""Loops over spans of subscripts, one inside the other: what clears or copies parts of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Atom, Block, Const, For, Index, Var
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
