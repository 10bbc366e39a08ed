"""Tuples with arrays in them, named tuples, dicts and objects are rows of numbers in a list whose length only the run
knows.

    beliefs.append((mean, cov))         beliefs[k] = np.concatenate((mean, cov.ravel()))
    mean, cov = beliefs[k]              mean, cov = beliefs[k, :2], beliefs[k, 2:].reshape(2, 2)

So such a list is the array that a list of equally long lists is. A tuple does not change, so nobody can tell a copy
from it; what it holds may not be written to afterwards, nor a dict or object, as anything that is put into a list.
Of texts and the like, where elements hold several, a number says which.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.carried_places import alike
from adc.compiler.frontend.frame import Instance, ListValue
from adc.compiler.frontend.frozen import freeze, kept, put_in, settle
from adc.compiler.frontend.values import Choice, Value, rebuilt
from adc.compiler.ir.nodes import Check, Const, Var, owners
from adc.compiler.ir.types import Array, Scalar, Type

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder
    from adc.compiler.frontend.core import Core

_CONTAINERS = (tuple, ListValue, dict)
_FLOATS = {"float64", "float32"}
Said = tuple[tuple[bool, ...], tuple[tuple[Value, ...], ...]]  # of a form: its `weak` and its `choices`
EXACT = 2**53  # the integers up to which are numbers of double precision as well


@dataclass(frozen=True)
class Form:
    """How an element is packed: the containers in it, outermost first, the kinds of what they hold, and one of them.

    `choices` has, for each text or the like in it, what may stand there.
    """

    classes: tuple[Any, ...]
    parts: tuple[Type, ...]
    example: Any = None
    choices: tuple[tuple[Value, ...], ...] = ()

    def fits(self, other: Form | None) -> bool:
        """Whether elements of both are packed alike, if their lengths and choices are equal."""
        return (
            other is not None
            and self.classes == other.classes
            and [(t.dtype, t.ndim) for t in self.parts] == [(t.dtype, t.ndim) for t in other.parts]
        )

    def widened(self, ev: Core, other: Form) -> Form:
        """The form with what may stand in elements of the other, too; its numbers are Python's own if all are."""
        return self.at_most(other.weak).choosing(ev, other.choices)

    @property
    def weak(self) -> tuple[bool, ...]:
        """Which of its numbers are Python's own."""
        return tuple(isinstance(t, Scalar) and t.weak is True for t in self.parts)

    def tells(self, options: tuple[Value, ...]) -> bool:
        """Whether a number says which of these an element has: of one nothing need be said, but no row is empty."""
        return len(options) > 1 or not self.parts

    @property
    def said(self) -> Said:
        """What a wider form says otherwise."""
        return self.weak, self.choices

    def as_wide_as(self, ev: Core, said: Said) -> Form:
        """The form with what elements were found to hold that come later."""
        weak, choices = said
        if len(weak) != len(self.parts) or len(choices) != len(self.choices):
            return self
        return self.at_most(weak).choosing(ev, choices)

    def choosing(self, ev: Core, others: tuple[tuple[Value, ...], ...]) -> Form:
        """The form with more texts and the like to choose from."""
        both = zip(self.choices, others, strict=True)
        return replace(self, choices=tuple(ev.options(Choice(0, a), Choice(0, b)) for a, b in both))

    def at_most(self, weak: tuple[bool, ...]) -> Form:
        """The form with no other numbers of Python's own than these."""
        parts = (
            replace(t, weak=t.weak and own) if isinstance(t, Scalar) else t
            for t, own in zip(self.parts, weak, strict=True)
        )
        return replace(self, parts=tuple(parts))

    @property
    def is_mixed(self) -> bool:
        """Whether it is a tuple of several kinds of numbers, as of a float and a position on a stack."""
        flat = type(self.example) is tuple and not self.choices and not any(t.ndim for t in self.parts)
        return flat and _is_flat(self.example)

    @property
    def is_row(self) -> bool:
        """Whether NumPy makes the same row of it."""
        kinds = {t.dtype for t in self.parts}
        alike = kinds == {"float64"} or (kinds == {"float32"} and not any(self.weak))
        return alike and _is_flat(self.example) and not any(t.ndim for t in self.parts)


def form_of(ev: Core, value: Value, words: bool = False) -> Form | None:
    """How a value is packed; None where it need not or cannot be. With `words`, texts and the like are packed, too."""
    if words and is_word(value):  # one that stands alone
        return Form((True,), (), value, (ev.options(value),))
    if not isinstance(value, (tuple, dict)):  # a list alone is a row by itself
        return None
    held = list(leaves(value))
    parts = tuple(t for leaf in held if (t := ev.type_of(leaf)) is not None)
    choices = tuple(ev.options(leaf) for leaf in held if is_word(leaf))
    kinds = {t.dtype for t in parts}
    plain = type(value) is tuple and _is_flat(value) and not any(t.ndim for t in parts)
    plain = plain and (len(kinds) < 2 or kinds <= _FLOATS or not kinds & _FLOATS)
    told = parts or (words and choices)
    if plain or not told or len(parts) + len(choices) < len(held) or not all(map(_fits_a_row, parts)):
        return None
    return Form(tuple(classes(value)), parts, value, choices)


def _is_flat(value: Value) -> bool:
    """Whether it is a tuple of numbers or arrays."""
    return isinstance(value, tuple) and not any(isinstance(v, _CONTAINERS) or is_word(v) for v in value)


def _fits_a_row(t: Type) -> bool:
    """Whether numbers of double precision, of which rows are, tell what it is."""
    return t.dtype in _FLOATS or (t.dtype in ("int64", "bool") and not t.ndim)


def classes(value: Value) -> Iterator[Any]:
    """The kinds of the containers in a value, outermost first, and where it holds no numbers."""
    if isinstance(value, (tuple, ListValue)):
        yield type(value), len(value)
    elif isinstance(value, dict):
        yield value.cls if isinstance(value, Instance) else dict, *value
    else:
        yield is_word(value)
    for item in _items(value):
        yield from classes(item)


def leaves(value: Value) -> Iterator[Value]:
    """What the containers in a value hold that is none."""
    if isinstance(value, _CONTAINERS):
        for item in _items(value):
            yield from leaves(item)
    else:
        yield value


def _items(value: Value) -> Iterable[Value]:
    return (
        value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, ListValue)) else ()
    )


def is_word(value: Value) -> bool:
    """Whether something in an element is no number: a text, None or the like, or one of several."""
    if isinstance(value, Choice):
        return all(map(is_word, value.options))
    return value is None or (isinstance(value, (str, enum.Enum)) and not isinstance(value, int))


def row(ev: Core, form: Form, value: Value) -> Var:
    """The numbers of an element, which may not change any more; behind them, which of its words it has."""
    settle(ev, value)
    held = list(leaves(value))
    words = [leaf for leaf in held if is_word(leaf)]
    told = [ev.place_among(o, w) for o, w in zip(form.choices, words, strict=True) if form.tells(o)]
    parts = []
    for leaf in [*(leaf for leaf in held if not is_word(leaf)), *told]:
        t = ev.type_of(leaf)
        assert t is not None
        if isinstance(t, Array):
            put_in(ev, leaf)
            part = leaf if t.ndim == 1 else ev.call(np.ravel, [leaf], {})
            parts.append(part if t.dtype == "float64" else ev.cast(part, "float64"))
        else:
            if t.dtype == "int64":
                _require_exact(ev, leaf)
            parts.append(ev.array_of([ev.cast(leaf, "float64")]))
    packed: Var = ev.call(np.concatenate, [tuple(parts)], {}) if len(parts) > 1 else ev.op("copy", parts[0])
    return packed


def _require_exact(ev: Core, number: Value) -> None:
    good = ev.op("less_equal", ev.call(abs, [number], {}), EXACT)
    if good is not True:
        message = "an integer in a tuple or dict that is put into a list has more than 53 bits"
        ev.block.append(Check(ev.atom(good), "OverflowError", (Const(message),), ev.origin))


def unpacked(ev: Core, form: Form, numbers: Var) -> Value:
    """The element that a row is of."""
    start: Value = 0
    parts: list[Value] = []
    for t in form.parts:
        if isinstance(t, Array):
            shape = ev.shape_values(t.shape)
            end = ev.op("add", start, reduce(lambda a, b: ev.op("multiply", a, b), shape))
            part = ev.subscript(numbers, slice(start, end))
            if t.ndim > 1:
                part = ev.call(np.reshape, [part, shape], {})
            elif not ev.equal.same(part.type.shape[0], t.shape[0]):
                # Where it begins may be a product of lengths: then the slice does not tell how long it is.
                part.type = Array(part.type.dtype, t.shape, part.type.layout)
            if t.dtype != "float64":
                part = ev.cast(part, t.dtype)
            freeze(ev, part)
            parts.append(part)
            start = end
        else:
            number = _as(ev, ev.subscript(numbers, start), t.dtype)
            parts.append(ev.plain(number) if t.weak else number)
            start = ev.op("add", start, 1)
    words: list[Value] = []
    for options in form.choices:
        words.append(options[0])
        if form.tells(options):
            words[-1] = Choice(ev.cast(ev.subscript(numbers, start), "int64"), options)
            start = ev.op("add", start, 1)
    numbers_left, words_left = iter(parts), iter(words)
    each = (next(words_left if is_word(leaf) else numbers_left) for leaf in leaves(form.example))
    element = filled(form.example, each)
    ev.origins.note_copies(element)
    return element


def _as(ev: Core, number: Value, dtype: str) -> Value:
    if dtype == "bool":
        return ev.op("not_equal", number, 0.0)
    return number if dtype == "float64" else ev.cast(number, dtype)


def filled(example: Value, held: Iterator[Value]) -> Value:
    """A container like another, with what its leaves are; nothing may be written to it."""
    if isinstance(example, (tuple, ListValue)):
        made = rebuilt(example, [filled(e, held) for e in example])
        return made if isinstance(example, tuple) else kept(made)
    if isinstance(example, dict):
        return kept(alike(example, {k: filled(e, held) for k, e in example.items()}))
    return next(held)


def require_alike(ev: Core, form: Form, other: Form) -> None:
    """A row of one element has the places of the other, not only as many numbers."""
    for t, u in zip(form.parts, other.parts, strict=True):
        for a, b in zip(t.shape, u.shape, strict=True):
            ev.require_equal(a, b, "the elements of a list have different shapes")


def lie_alike(ev: Builder, form: Form | None, other: Form | None) -> bool:
    """Whether elements of two forms that fit are known to have the same lengths, so that a row is read as the other."""
    if form is None or other is None:
        return form is other
    pairs = zip(form.parts, other.parts, strict=True)
    return all(ev.equal.same(a, b) for t, u in pairs for a, b in zip(t.shape, u.shape, strict=True))


def known_before(ev: Core, form: Form, born: str) -> Form | None:
    """The form by lengths that are known where the list begins to grow; None where one is not."""
    shapes = [tuple(ev.equal.find(d) for d in t.shape) for t in form.parts]
    if any(owner.order > born for shape in shapes for d in shape for owner in owners(d)):
        return None
    parts = (Array(t.dtype, shape) if shape else t for t, shape in zip(form.parts, shapes, strict=True))
    return replace(form, parts=tuple(parts))
