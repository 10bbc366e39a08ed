"""Tuples and named tuples with arrays in them are rows of numbers in a list whose length only the run knows.

    beliefs.append((mean, cov))         beliefs[k] = np.concatenate((mean, cov.ravel()))
    mean, cov = beliefs[k]              mean, cov = beliefs[k, :2], beliefs[k, 2:].reshape(2, 2)

So such a list is the array that a list of equally long lists is. A tuple does not change, so nobody can tell a copy
from it; what it holds may not be written to afterwards, as anything that is put into a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.ir.nodes import Check, Const, Var, owners
from adc.compiler.ir.types import Array, Type

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

EXACT = 2**53  # the integers up to which are numbers of double precision as well


@dataclass(frozen=True)
class Form:
    """How a tuple is packed: the tuples in it, outermost first, the kinds of what they hold, and one of them."""

    classes: tuple[tuple[type, int], ...]
    parts: tuple[Type, ...]
    example: Any = None

    def fits(self, other: Form | None) -> bool:
        """Whether elements of both are packed alike, if their lengths are equal."""
        return (
            other is not None
            and self.classes == other.classes
            and [(t.dtype, t.ndim) for t in self.parts] == [(t.dtype, t.ndim) for t in other.parts]
        )

    @property
    def is_row(self) -> bool:
        """Whether NumPy makes the same row of it."""
        return len(self.classes) == 1 and all(t.dtype == "float64" and not t.ndim for t in self.parts)


def form_of(ev: Core, value: Value) -> Form | None:
    """How a value is packed; None where it need not or cannot be."""
    if not isinstance(value, tuple):
        return None
    classes = tuple(_classes(value))
    leaves = list(_leaves(value))
    parts = tuple(t for leaf in leaves if (t := ev.type_of(leaf)) is not None)
    plain = len(classes) == 1 and not hasattr(value, "_fields") and not any(t.ndim for t in parts)
    if plain or not parts or len(parts) < len(leaves) or not all(map(_fits_a_row, parts)):
        return None
    return Form(classes, parts, value)


def _fits_a_row(t: Type) -> bool:
    return t.dtype == "float64" or (t.dtype in ("int64", "bool") and not t.ndim)


def _classes(value: tuple[Value, ...]) -> Iterator[tuple[type, int]]:
    yield type(value), len(value)
    for item in value:
        if isinstance(item, tuple):
            yield from _classes(item)


def _leaves(value: Value) -> Iterator[Value]:
    for item in value:
        if isinstance(item, tuple):
            yield from _leaves(item)
        else:
            yield item


def row(ev: Core, value: Value) -> Var:
    """The numbers of a tuple."""
    parts = []
    for leaf in _leaves(value):
        t = ev.type_of(leaf)
        assert t is not None
        if isinstance(t, Array):
            put_in(ev, leaf)
            parts.append(leaf if t.ndim == 1 else ev.call(np.ravel, [leaf], {}))
        else:
            if t.dtype == "int64":
                _require_exact(ev, leaf)
            parts.append(ev.array_of([ev.cast(leaf, "float64")]))
    packed: Var = ev.call(np.concatenate, [tuple(parts)], {}) if len(parts) > 1 else ev.op("copy", parts[0])
    return packed


def _require_exact(ev: Core, number: Value) -> None:
    good = ev.op("less_equal", ev.call(abs, [number], {}), EXACT)
    if good is not True:
        message = "an integer in a tuple that is put into a list has more than 53 bits"
        ev.block.append(Check(ev.atom(good), "OverflowError", (Const(message),), ev.origin))


def unpacked(ev: Core, form: Form, numbers: Var) -> Value:
    """The tuple that a row is of."""
    start: Value = 0
    parts: list[Value] = []
    for t in form.parts:
        if isinstance(t, Array):
            shape = ev.shape_values(t.shape)
            end = ev.op("add", start, reduce(lambda a, b: ev.op("multiply", a, b), shape))
            part = ev.subscript(numbers, slice(start, end))
            if t.ndim > 1:
                part = ev.call(np.reshape, [part, shape], {})
            freeze(ev, part)
            parts.append(part)
            start = end
        else:
            number = _as(ev, ev.subscript(numbers, start), t.dtype)
            parts.append(ev.plain(number) if t.weak else number)
            start = ev.op("add", start, 1)
    left = iter(parts)
    return _filled(form.example, left)


def _as(ev: Core, number: Value, dtype: str) -> Value:
    if dtype == "bool":
        return ev.op("not_equal", number, 0.0)
    return number if dtype == "float64" else ev.cast(number, dtype)


def _filled(example: Value, left: Iterator[Value]) -> Value:
    return rebuilt(example, [_filled(e, left) if isinstance(e, tuple) else next(left) for e in example])


def require_alike(ev: Core, form: Form, other: Form) -> None:
    """A row of one tuple has the places of the other, not only as many numbers."""
    for t, u in zip(form.parts, other.parts, strict=True):
        for a, b in zip(t.shape, u.shape, strict=True):
            ev.require_equal(a, b, "the elements of a list have different shapes")


def known_before(ev: Core, form: Form, born: str) -> Form | None:
    """The form by lengths that are known where the list begins to grow; None where one is not."""
    shapes = [tuple(ev.equal.find(d) for d in t.shape) for t in form.parts]
    if any(owner.order > born for shape in shapes for d in shape for owner in owners(d)):
        return None
    parts = (Array(t.dtype, shape) if shape else t for t, shape in zip(form.parts, shapes, strict=True))
    return Form(form.classes, tuple(parts), form.example)
