"""A call that is differentiated, or made for each of a batch, has copies of the arguments that it writes to.

The arrays of the caller stay as they are, as they do where the transform is called from outside. The call is evaluated
once to see what it writes to, and again if that is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var, walk

__all__ = ["on_copies"]

T = TypeVar("T")


def on_copies(
    ev: Evaluator,
    arguments: Sequence[Value],
    call: Callable[[list[Value]], T],
    fresh: Sequence[tuple[Value, Value]] = (),
) -> T:
    """What `call` makes of the arguments, copies in place of those that it writes to.

    `fresh` are other arguments that are copies already, each with what it is a copy of. Refuses a write to an argument
    that may be the memory of another one.
    """
    start, lengths = len(ev.block), ev.equal.snapshot()
    made = call(list(arguments))
    found = written_roots(walk(ev.block[start:]), ev.joined_roots)
    pairs = [*((x, x) for x in arguments), *fresh]
    written = [k for k, (x, _) in enumerate(pairs) if _roots(ev, x) & found]
    for k in written:
        given = pairs[k][1]
        if any(j != k and _roots(ev, other) & _roots(ev, given) for j, (_, other) in enumerate(pairs)):
            assert isinstance(given, Var)
            raise ev.refuse(
                f"`{given.root.name}` is given twice to a function that writes to it",
                "what one argument is after the write would depend on how the other lies in its memory",
                "pass a copy of one of them",
            )
    mine = [k for k in written if k < len(arguments)]
    if mine:
        del ev.block[start:]
        ev.equal.restore(lengths)
        made = call([ev.op("copy", x) if k in mine else x for k, x in enumerate(arguments)])
    return made


def _roots(ev: Evaluator, x: Value) -> set[Var]:
    return behind([x.root], ev.joined_roots) if isinstance(x, Var) and x.is_array else set()
