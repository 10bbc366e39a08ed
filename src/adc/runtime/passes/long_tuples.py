"""A tuple of more than thirty values is built at once.

Python writes it as a list that is appended to and made a tuple, and Numba before 0.68 adds up tuples for that, value by
value: each of them is a structure with all that was in the one before, and a gradient of forty arrays made structures
of eight hundred on the way to its result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import interpreter, ir

from adc.runtime.passes.known import is_known, put

KNOWN = frozenset({"be54a7e3a65d3ca200211f541bad713a71c2b1d780d59d70aa913af07e280633"})  # of 0.65


def at_once(own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What stands for Numba's function, which gets lists that are built otherwise."""

    def peep_hole_list_to_tuple(func_ir: Any) -> Any:
        if is_known(own, KNOWN):
            for block in func_ir.blocks.values():
                _build(block, func_ir._definitions)
        return own(func_ir)

    return peep_hole_list_to_tuple


def _build(block: Any, definitions: Any) -> None:
    """Replace the lists in a block that begin empty, are appended to, and end as a tuple."""
    values: dict[str, list[Any]] = {}  # of a list that has been begun
    appending: dict[str, str] = {}  # what appends to which list
    of_list: dict[str, list[Any]] = {}  # its statements
    done: dict[int, Any] = {}  # a statement of a list, and what stands for it
    for s in block.body:
        expression: Any = s.value if isinstance(s, ir.Assign) and isinstance(s.value, ir.Expr) else None
        op = getattr(expression, "op", None)
        if op == "build_list" and not expression.items:
            values[s.target.name], of_list[s.target.name] = [], [s]
        elif op == "getattr" and expression.value.name in values and expression.attr == "append":
            appending[s.target.name] = expression.value.name
            of_list[expression.value.name].append(s)
        elif op == "call" and expression.func.name in appending:
            name = appending[expression.func.name]
            values[name].append(expression.args[0])
            of_list[name].append(s)
        elif op == "list_to_tuple" and expression.info[0] in values:
            name = expression.info[0]
            made = ir.Assign(ir.Expr.build_tuple(values.pop(name), expression.loc), s.target, s.loc)
            done.update({id(each): None for each in of_list[name]})
            done[id(s)] = made
        else:
            for v in s.list_vars():
                values.pop(v.name, None)
    if not done:
        return
    for s in block.body:
        if id(s) in done:
            definitions.pop(s.target.name, None)
    block.body[:] = [done.get(id(s), s) for s in block.body if done.get(id(s), s) is not None]
    for made in done.values():
        if made is not None:
            definitions[made.target.name] = [made.value]


put(interpreter, "peep_hole_list_to_tuple", at_once)
