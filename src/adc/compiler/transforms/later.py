"""A call whose derivative is asked for later in the program: the pull of a `vjp`, the push of a `linearize`.

It is that of the call, at the arguments of the call, whatever the program assigns or writes to before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adc import pytree
from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.held import held
from adc.compiler.frontend.left_outside import nothing_left
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var, uses, walk
from adc.compiler.leaves import without_lists
from adc.compiler.transforms import own

__all__ = ["call"]

Given = tuple[Any, list[Value], dict[str, Value]]  # a function with its arguments


def call(
    ev: Evaluator, function: Any, primals: Sequence[Value], named: dict[str, Value]
) -> tuple[Value, Callable[[Evaluator], Given]]:
    """The value of a call, and what gives the same function and arguments again where its derivative is asked for."""
    given: Given = (function, list(primals), named)
    block, start = ev.block, len(ev.block)
    arrays = [k for k, x in enumerate(primals) if isinstance(x, Var) and x.is_array]

    def forward(copies: list[Value]) -> Value:
        mine = list(primals)
        for k, array in zip(arrays, copies, strict=True):
            mine[k] = array
        return ev.result(function, mine, named)

    same: Given = held(given)
    with nothing_left(ev, "a call whose derivative is asked for later"):
        output = own.on_copies(ev, [primals[k] for k in arrays], forward)
    read = behind(
        [
            *(v.root for s in walk(block[start:]) for v in uses(s) if v.is_array),
            *(x.root for x in pytree.leaves(without_lists([*same[1], same[2]])) if ev.type_is_array(x)),
        ],
        ev.joined_roots,
    )
    copies: dict[Var, Value] = {}

    def copied(array: Var) -> Value:
        if array.root not in read:
            return array
        if array not in copies:
            copies[array] = ev.op("copy", array)
        return copies[array]

    apart: Given = held(same, copied)
    end = len(block)

    def again(ev: Evaluator) -> Given:
        """On the arrays themselves where nothing has been written to them; the copies are dead then."""
        unwritten = ev.block is block and not written_roots(walk(block[end:]), ev.joined_roots) & read
        return same if unwritten else apart

    return output, again
