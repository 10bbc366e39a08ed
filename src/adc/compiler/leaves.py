"""The numbers and arrays in a value of the evaluator, and the way back to the containers that hold them."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Sequence

import numpy as np

from adc import pytree
from adc.compiler.frontend import records
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.outside import OutsideDict
from adc.compiler.frontend.values import Choice, Maybe, Value, plain_value, rebuilt
from adc.compiler.ir.nodes import Atom, Const, Var


class Leaves:
    """The numbers and arrays in a value, and the way back to its container.

    Of several things of which the run chooses one, the number that says which is among them.
    """

    def __init__(self, value: Value) -> None:
        self.leaves, self.structure = pytree.flatten(value)
        run_time = [x.place if isinstance(x, Choice) else x for x in self.leaves if _is_of_the_run(x)]
        self.atoms: list[Atom] = [x if isinstance(x, Var) else Const(x) for x in run_time]

    def filled(self, atoms: Sequence[Atom], zeros_for_others: bool = False) -> Value:
        """The container with other numbers; leaves that are no numbers stay, or are zero."""
        return self._with([plain_value(a) for a in atoms], zeros_for_others)

    def filled_with(self, parts: Sequence[Value]) -> Value:
        """The container with something else in place of each number."""
        return self._with(parts, False)

    def refuse_chosen(self, ev: Evaluator, what: str, repair: str) -> None:
        """Refuse things that are no numbers of which the run chooses one, where each is to become something else."""
        if any(isinstance(x, Choice) for x in self.leaves):
            raise ev.refuse(
                f"{what} of a text, or the like, that the data choose is not supported", repair=repair
            )

    def _with(self, parts: Sequence[Value], zeros_for_others: bool) -> Value:
        rest = iter(parts)
        items: list[Value] = []
        for x in self.leaves:
            part = next(rest) if _is_of_the_run(x) else x
            if not is_number(x):
                part = 0.0 if zeros_for_others else Choice(part, x.options) if part is not x else x
            items.append(part)
        return pytree.unflatten(self.structure, items)


def may_be_nothing(value: Value) -> bool:
    """Whether a value, or one in its containers, is None on some paths."""
    if isinstance(value, (tuple, list)):
        return any(map(may_be_nothing, value))
    return isinstance(value, Maybe) or (isinstance(value, dict) and any(map(may_be_nothing, value.values())))


def _is_of_the_run(x: Value) -> bool:
    return is_number(x) or (isinstance(x, Choice) and isinstance(x.place, Var))


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
        return records.put_together(whole)
    if isinstance(value, OutsideDict):
        value = value.opened()
    if isinstance(value, dict):
        plain = {k: without_lists(v) for k, v in value.items()}
        if type(value) in (OrderedDict, defaultdict):
            like = value.copy()
            like.update(plain)
            return like
        return plain
    return value
