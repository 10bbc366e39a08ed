"""The places outside the function to which it writes, and what stands there where the program is."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import Value
from adc.errors import Location

if TYPE_CHECKING:
    from adc.compiler.frontend.frame import Frame

__all__ = ["ABSENT", "Left", "LeftPlace", "PlaceFound", "is_own"]

ABSENT = object()

# "assigned": nothing reads what lay there; "read": it is an input; "appended": a list that gets longer.
Kind = Literal["assigned", "read", "appended"]
# What the elements are of a list that is left as an array, for its length is only known when the program runs.
Rows = Literal["", "numbers", "tuples", "arrays"]


@dataclass(frozen=True, eq=False)
class LeftPlace:
    """A place outside that the function writes to: `place.of` is the object itself that holds it."""

    place: Place
    name: str  # its key in the dict, by which variables are called
    kind: Kind
    location: Location | None
    rows: Rows = ""

    def is_at(self, how: Any, of: object, key: Any) -> bool:
        mine = self.place
        return mine.of is of and mine.how is how and type(mine.key) is type(key) and bool(mine.key == key)

    def put(self, value: Any) -> None:
        """Leave a value there."""
        of, key = self.place.of, self.place.key
        if self.rows:
            value = list(value) if self.rows == "arrays" else value.tolist()
        if self.rows == "tuples":
            value = list(map(tuple, value))
        if self.kind == "appended":
            of.extend(value)
        elif self.kind == "assigned" and value is None:  # on no path that was taken
            return
        elif self.place.how is operator.getitem:
            of[key] = value
        elif self.kind != "read" or is_own(of, key) or not _is_number(value, getattr(of, key, None)):
            setattr(of, key, value)  # else an attribute of the class, on a path that does not write to it

    def restorer(self) -> Callable[[], None]:
        """What puts there again what lies there now."""
        of, key = self.place.of, self.place.key
        if self.kind == "appended":
            count = len(of)
            return lambda: of.__delitem__(slice(count, None))
        if self.place.how is operator.getitem:
            was = of.get(key, ABSENT)
            return (lambda: of.pop(key, None)) if was is ABSENT else (lambda: of.__setitem__(key, was))
        own, was = is_own(of, key), getattr(of, key, ABSENT)
        return (lambda: setattr(of, key, was)) if own or was is not ABSENT else (lambda: delattr(of, key))


def _is_number(value: Any, other: Any) -> bool:
    """Whether a number, truth value or text is the other one."""
    return isinstance(value, (bool, int, float, complex, str, np.generic)) and bool(value == other)


class PlaceFound(Exception):
    """The function writes to a place outside that was not known when the program began, or not as such a one."""

    def __init__(self, place: Place, name: str, kind: Kind, location: Location | None) -> None:
        super().__init__(name)
        self.place, self.name, self.kind, self.location = place, name, kind, location

    def among(self, known: tuple[LeftPlace, ...]) -> tuple[LeftPlace, ...]:
        """The places with this one, in the order in which they were found."""
        same = [k for k in known if k.is_at(self.place.how, self.place.of, self.place.key)]
        if same:
            return tuple([replace(k, kind=self.kind) if k in same else k for k in known])
        name, count = self.name, 2
        while any(k.name == name for k in known):
            name, count = f"{self.name}_{count}", count + 1
        return *known, LeftPlace(self.place, name, self.kind, self.location)


def _are_attributes(known: LeftPlace, of: object, key: Any) -> bool:
    place = known.place
    return place.how is getattr and key == place.key and getattr(place.of, "__dict__", None) is of


@dataclass
class Left:
    """The places outside to which the function writes, and what stands there where the program is."""

    places: tuple[LeftPlace, ...] = ()
    now: dict[str, Value] = field(default_factory=dict)
    begun: dict[str, Value] = field(default_factory=dict)  # what stood there at first
    is_open: bool = True  # whether further places may be found
    found: dict[int, Any] = field(default_factory=dict)  # what is outside for certain, by its identity

    def note(self, place: Place, value: Any) -> None:
        """Note that something was found outside: an object that Python has made for the program is not."""
        if self.is_outside(place):
            self.found[id(value)] = value

    def is_outside(self, of: Any) -> bool:
        """Whether a place, or an object, is there before the program runs."""
        while isinstance(of, Place):
            of = of.of
        if isinstance(of, type) and id(of) not in self.found:
            classes = (found if isinstance(found, type) else type(found) for found in self.found.values())
            return any(of in cls.__mro__ for cls in classes)
        kinds = (types.CellType, types.ModuleType, types.FunctionType, dict)
        return id(of) in self.found or isinstance(of, kinds)

    def known(self, place: Place, of: object) -> LeftPlace | None:
        """The place where it is one of these, also where it is asked for by the dict of an object's attributes."""
        return next(
            (
                k
                for k in self.places
                if k.is_at(place.how, of, place.key)
                or (_are_attributes(k, of, place.key) and place.how is operator.getitem)
            ),
            None,
        )

    def new_keys(self, of: object) -> bool:
        """Whether the function puts something under a key into a dict that has it not."""
        in_it = (k for k in self.places if k.place.of is of or _are_attributes(k, of, k.place.key))
        return isinstance(of, dict) and any(k.kind != "appended" and k.place.key not in of for k in in_it)

    def holds(self, value: object) -> bool:
        """Whether the function writes to an attribute of an object."""
        return any(k.place.of is value for k in self.places)

    def reaches(self, frame: Frame) -> None:
        """Let the loops and branches of a function find the dict, for which it has no name."""
        if self.places and frame.parent is None:
            frame.leaves = self.now


def is_own(holder: Any, name: str) -> bool:
    """Whether an object or class has an attribute of its own."""
    if name in getattr(holder, "__dict__", ()):
        return True
    found = None if isinstance(holder, type) else inspect.getattr_static(type(holder), name, None)
    return isinstance(found, types.MemberDescriptorType) and hasattr(holder, name)
