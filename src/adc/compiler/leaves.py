"""The numbers and arrays in a value of the evaluator, and the way back to the containers that hold them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adc import pytree
from adc.compiler.frontend import records
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value, rebuilt
from adc.compiler.ir.nodes import Atom, Const, Var


class Leaves:
    """The numbers and arrays in a value, and the way back to its container."""

    def __init__(self, value: Value) -> None:
        self.leaves, self.structure = pytree.flatten(value)
        self.atoms: list[Atom] = [x if isinstance(x, Var) else Const(x) for x in self.leaves if is_number(x)]

    def filled(self, atoms: Sequence[Atom], zeros_for_others: bool = False) -> Value:
        """The container with other numbers; leaves that are no numbers stay, or are zero."""
        rest = iter(atoms)
        items = [
            plain_value(next(rest)) if is_number(x) else 0.0 if zeros_for_others else x for x in self.leaves
        ]
        return pytree.unflatten(self.structure, items)

    def filled_with(self, parts: Sequence[Value]) -> Value:
        """The container with something else in place of each number."""
        rest = iter(parts)
        return pytree.unflatten(self.structure, [next(rest) if is_number(x) else x for x in self.leaves])


def is_number(value: Value) -> bool:
    return isinstance(value, (Var, int, float, complex, np.number)) and not isinstance(value, bool)


def without_lists(value: Value) -> Value:
    """A value of the evaluator as ordinary containers."""
    if isinstance(value, list):
        return [without_lists(v) for v in value]
    if isinstance(value, tuple):
        return rebuilt(value, [without_lists(v) for v in value])
    if isinstance(value, Instance):
        whole = Instance(value.cls, {k: without_lists(v) for k, v in value.items()})
        return records.put_together(whole) if records.is_record(value.cls) else whole
    if isinstance(value, dict):
        return {k: without_lists(v) for k, v in value.items()}
    return value


def with_lists(value: Value, ev: Evaluator) -> Value:
    """Ordinary containers as the evaluator knows them: lists may be appended to."""
    if isinstance(value, list):
        return ev.new_list([with_lists(v, ev) for v in value])
    if isinstance(value, tuple):
        return rebuilt(value, [with_lists(v, ev) for v in value])
    if isinstance(value, dict):
        return {k: with_lists(v, ev) for k, v in value.items()}
    if records.is_record(type(value)):
        taken = records.taken_apart(value)
        return Instance(taken.cls, {k: with_lists(v, ev) for k, v in taken.items()})
    return value
