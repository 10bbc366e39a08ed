"""What is outside the function: where it is read at each call, and what generated code takes for granted of it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Var


@dataclass(frozen=True, eq=False)
class Place:
    """Where the program reads a value outside the function: `how(of, key)`, where `of` may itself be read somewhere.

    Two places that hold the same value now may hold different ones at the next call.
    """

    how: Callable[[Any, Any], Any]
    of: Any
    key: Any = None

    @property
    def read(self) -> Callable[[], Any]:
        """What reads it at each call: without a frame of Python's where it stands in an object."""
        if not isinstance(self.of, Place):
            return partial(self.how, self.of, self.key)
        holder = self.of.read
        return lambda: self.how(holder(), self.key)

    def same(self, other: Place) -> bool:
        if self.how is not other.how or type(self.key) is not type(other.key) or self.key != other.key:
            return False
        if isinstance(self.of, Place) and isinstance(other.of, Place):
            return self.of.same(other.of)
        return self.of is other.of


def itself(value: Any, _: None) -> Any:
    """A value that stays where it is."""
    return value


def length(container: Any, _: None) -> int:
    """How long a container outside the function is."""
    return len(container)


def shape_of(array: Any, _: None) -> tuple[int, ...]:
    """The lengths of an array outside the function."""
    return tuple(array.shape)


def texts_of(array: Any, _: None) -> tuple[Any, ...]:
    """The texts that an array holds, and how it lies."""
    held = array.tobytes() if array.dtype.kind == "U" else tuple(array.ravel().tolist())
    return array.dtype.str, tuple(array.shape), held


def members(held: set[Any], _: None) -> frozenset[Any]:
    """What is in a set outside the function."""
    return frozenset(held)


polynomials = (np.poly1d, np.polynomial.Polynomial.__bases__[0])  # the classes


def coefficients(polynomial: Any, _: None) -> tuple[Any, ...]:
    """What a polynomial outside the function is."""
    intervals = [getattr(polynomial, name, None) for name in ("domain", "window")]
    return (*polynomial.coef.tolist(), *(tuple(i.tolist()) for i in intervals if i is not None))


def is_set(cell: Any, _: None) -> bool:
    """Whether a variable of the function around has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def class_of(value: Any, _: None) -> type:
    """The class of an object outside the function."""
    return type(value)


def keys(table: Any, _: None) -> tuple[Any, ...]:
    """The keys of a dict outside the function, in their order."""
    return tuple(table)


@dataclass(eq=False)
class Capture:
    """A value from outside the function that is read at each call: an array or a float of a closure or module."""

    place: Place
    param: Var
    label: str


@dataclass(eq=False)
class Guard:
    """Something outside the function that the generated code took for granted; checked at each call."""

    place: Place
    value: Any
    label: str

    def __post_init__(self) -> None:
        self.read = self.place.read

    def holds(self) -> bool:
        current = self.read()
        return current is self.value or equal(current, self.value)

    def is_of_integer(self) -> bool:
        """Whether an integer is taken for granted, and there is another one now."""
        return is_integer_value(self.value) and type(self.read()) is type(self.value) and not self.holds()


def equal(a: Any, b: Any) -> bool:
    """Whether two constants are the same to a program."""
    if type(a) is type(b) is slice:
        ends = zip((a.start, a.stop, a.step), (b.start, b.stop, b.step), strict=True)
        return all(x is y or equal(x, y) for x, y in ends)
    kinds = (int, str, bool, bytes, tuple, frozenset, np.integer)
    return type(a) is type(b) and isinstance(a, kinds) and bool(a == b)


def is_integer_value(value: Any) -> bool:
    """Whether a value from outside the function is an integer, which a call may find to be another one."""
    return type(value) is int or isinstance(value, np.integer)


ANY = object()  # asked for as a key: all of them


class OutsideDict(dict[Any, Any]):
    """A dict from outside the function: what stands under a key is read at each call, where the program reads it.

    Whether a key is there is taken for granted where the program asks; where it goes over them, all of them are. It is
    `asked` first, for the program may have put it there.
    `sys.modules` has more keys after every import, and a library may ask it for one.
    """

    def __init__(
        self,
        place: Place,
        label: str,
        take: Callable[[Place, str], Any],
        item: Callable[[OutsideDict, Any], Any],
        asked: Callable[[OutsideDict, Any], bool | None],
    ) -> None:
        super().__init__(place.read())
        self.place, self.label, self._take, self._item, self._asked = place, label, take, item, asked

    def opened(self) -> dict[Any, Any]:
        """All that stands in it, as the program has it."""
        return {key: self._item(self, key) for key in self}

    def __contains__(self, key: object) -> bool:
        return self._asked(self, key) or bool(
            self._take(Place(operator.contains, self.place, key), f"{key!r} in {self.label}")
        )

    def __iter__(self) -> Iterator[Any]:
        self._asked(self, ANY)
        self._take(Place(keys, self.place), self.label)
        return super().__iter__()

    def __len__(self) -> int:
        self._asked(self, ANY)
        return len(self._take(Place(keys, self.place), self.label))


def is_own_dict(value: Any) -> bool:
    """Whether a value is a dict or an object whose entries are those of the program, and may change."""
    return isinstance(value, dict) and not isinstance(value, OutsideDict)
