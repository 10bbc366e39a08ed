"""Code for the sizes of one call: what cannot be compiled for arguments of any size may be for those of this call.

    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

has an end when `n` is known. First the ints among the arguments are taken as they are, then the lengths of the
arrays, too, also of those that the function reads from outside. Such code is made again for other sizes, and kept
beside that for the sizes before.

A length that the function itself demands to be a small number, as in `np.array([dx, dy, 1.0]) @ light`, is taken for
granted where it is that number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adc.api.arguments import Leaf, Slot
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Var
from adc.compiler.sizes import FEW, Sizes
from adc.rules.dims import Dim

__all__ = [
    "LONGEST",
    "MOST_SIZES",
    "MOST_STATEMENTS",
    "as_demanded",
    "as_they_are",
    "attempts",
    "lengths_outside",
    "moving",
    "taken_for_granted",
    "written_out",
]

Bind = Callable[[Evaluator], tuple[dict[str, Any], list[Var]]]

MOST_SIZES = 8  # of one kind of arguments; a function called with more of them runs on the tape in mode auto
LONGEST = 6000  # statements of a program: Numba takes a minute for more, which mode auto does not ask for
MOST_STATEMENTS = (
    600  # in mode auto, with a copy of the code for each trip and call, as each size is compiled anew
)


def attempts(slots: list[Slot], some_sizes: bool) -> Iterator[list[Slot]]:
    """The arguments as the compiler is to know them: of any size, then, with `some_sizes`, as they are."""
    yield slots
    if not some_sizes:
        return
    leaves = [leaf for slot in slots for leaf in slot.inputs() if not slot.wanted]
    if any(_may_say_what(leaf.value) for leaf in leaves):
        yield [_known(slot, lengths=False) for slot in slots]
    if any(isinstance(leaf.value, np.ndarray) for slot in slots for leaf in slot.inputs()):
        yield as_they_are(slots)


def written_out(bind: Bind, most: int) -> Bind:
    """What binds the arguments, for code with a copy for each trip: it holds for all where there are no sizes."""
    return _bound_with(bind, most=most)


def moving(bind: Bind, names: frozenset[str]) -> Bind:
    """What binds the arguments, for code that reads integers of such names outside the function at each call."""
    return _bound_with(bind, moving=names)


def lengths_outside(bind: Bind) -> Bind:
    """What binds the arguments, for code that also takes the lengths of arrays outside the function as they are."""
    return _bound_with(bind, lengths_outside=True)


def _bound_with(bind: Bind, **told: Any) -> Bind:
    """What binds the arguments, and then tells the evaluator something."""

    def bound(evaluator: Evaluator) -> tuple[dict[str, Any], list[Var]]:
        found = bind(evaluator)
        for name, value in told.items():
            setattr(evaluator, name, value)
        return found

    return bound


def as_they_are(slots: list[Slot]) -> list[Slot]:
    """The arguments with ints and lengths known."""
    return [_known(slot, lengths=True) for slot in slots]


def as_demanded(slots: list[Slot], params: list[Var], checked: EqualLengths) -> list[Slot] | None:
    """The arguments with the short lengths known that a program on `params` checks to be so; None if there are none."""
    axes = iter([_demanded(p, leaf, checked) for p, leaf in zip(params, _inputs(slots), strict=False)])
    known = [
        replace(
            slot,
            leaves=tuple(_with_axes(leaf, next(axes)) if leaf.is_input else leaf for leaf in slot.leaves),
        )
        for slot in slots
    ]
    return known if any(leaf.axes for leaf in _inputs(known)) else None


def _demanded(param: Var, leaf: Leaf, checked: EqualLengths) -> tuple[int, ...]:
    if not isinstance(leaf.value, np.ndarray):
        return ()
    found = tuple(
        k
        for k, n in enumerate(leaf.value.shape)
        if 1 < n <= FEW
        and param.type.shape[k] == Dim.symbol("shape", param, k)
        and checked.number(param.type.shape[k]) == n
    )
    # A square matrix beside points, as a rotation is, is one in every call.
    return (0, 1) if found and leaf.value.ndim == 2 and len(set(leaf.value.shape)) == 1 else found


def _with_axes(leaf: Leaf, axes: tuple[int, ...]) -> Leaf:
    return replace(leaf, taken_as="lengths", axes=axes) if axes else leaf


def _known(slot: Slot, lengths: bool) -> Slot:
    return replace(slot, leaves=tuple(_as_it_is(leaf, lengths, slot.wanted) for leaf in slot.leaves))


def _as_it_is(leaf: Leaf, lengths: bool, wanted: bool) -> Leaf:
    if not leaf.is_input:
        return leaf
    if not wanted and _may_say_what(leaf.value):
        return replace(leaf, taken_as="number")
    if lengths and isinstance(leaf.value, np.ndarray):
        return _with_axes(leaf, tuple(range(leaf.value.ndim)))
    return leaf


def _may_say_what(value: Any) -> bool:
    """Whether an input may say what is computed: an integer, or infinity, as the order of a norm."""
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and math.isinf(value)
    )


def taken_for_granted(slots: list[Slot]) -> Sizes | None:
    """The sizes that code for these arguments holds for; None where it holds for all."""
    known = [(k, leaf) for k, leaf in enumerate(_inputs(slots)) if leaf.taken_as != "any"]
    if not known:
        return None
    facts = tuple((k, _shape(leaf) if leaf.taken_as == "lengths" else leaf.value) for k, leaf in known)
    return Sizes(facts, tuple(_told(leaf) for _, leaf in known))


def _inputs(slots: list[Slot]) -> list[Leaf]:
    return [leaf for slot in slots for leaf in slot.inputs()]


def _shape(leaf: Leaf) -> tuple[int | None, ...]:
    return tuple(n if k in leaf.axes else None for k, n in enumerate(leaf.value.shape))


def _told(leaf: Leaf) -> str:
    if leaf.taken_as == "number":
        return f"{leaf.path} = {leaf.value}"
    return f"{leaf.path} of shape {str(_shape(leaf)).replace('None', '?')}"
