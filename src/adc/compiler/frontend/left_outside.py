"""What the function leaves outside: attributes of objects, names of the module, entries of dicts, items of lists.

    def loss(x):                        def loss_grad(x, calls):
        loss.calls += 1                     calls_2 = calls + 1
        return np.sum(x * x)                x_bar = 2.0 * x
                                            return calls_2, x_bar

What lies there is an input, and what the function leaves is a result: it is put there after the call (`storing`). In
between it is an item of a dict of the program (`Left.now`), which branches and loops merge and carry as they do others.
The dict must have its items before the statements run: where a place is found, the program is lowered again with it.
"""

from __future__ import annotations

import inspect
import operator
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import outside
from adc.compiler.frontend.frame import Frame, Growing, Instance, ListValue
from adc.compiler.frontend.outside import OutsideDict, Place
from adc.compiler.frontend.provenance import FromOutside
from adc.compiler.frontend.values import Choice, Maybe, Value, is_settled
from adc.compiler.ir.nodes import Var
from adc.errors import Location, UnsupportedError
from adc.rules import python_containers

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = [
    "ABSENT",
    "Appended",
    "Left",
    "LeftPlace",
    "PlaceFound",
    "append_to",
    "append_to_list",
    "has_key",
    "refuse_new_keys",
    "appended",
    "attribute",
    "end",
    "leave",
    "leave_attribute",
    "leave_item",
    "length",
    "read",
    "start",
]

MOST = 64  # places
ABSENT = object()

Kind = str  # "assigned": nothing reads what lay there; "read": it is an input; "appended": a list that gets longer


@dataclass(frozen=True, eq=False)
class LeftPlace:
    """A place outside that the function writes to: `place.of` is the object itself that holds it."""

    place: Place
    name: str  # its key in the dict, by which variables are called
    kind: Kind
    location: Location | None

    def is_at(self, how: Any, of: object, key: Any) -> bool:
        mine = self.place
        return mine.of is of and mine.how is how and type(mine.key) is type(key) and bool(mine.key == key)

    def put(self, value: Any) -> None:
        """Leave a value there."""
        of, key = self.place.of, self.place.key
        if self.kind == "appended":
            of.extend(value.tolist() if isinstance(value, np.ndarray) else value)
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


@dataclass(eq=False)
class Appended:
    """A list outside the function that gets longer: nothing else is asked of it."""

    left: LeftPlace
    run_time = True

    @property
    def spoken(self) -> str:
        """What an error calls it."""
        return f"`{self.left.name}` (a list outside the function, to which it appends)"

    def __bool__(self) -> bool:
        raise self.refused()

    def refused(self) -> UnsupportedError:
        """What to say where it is read."""
        return UnsupportedError(
            f"the list `{self.left.name}` outside the function is read, and the function appends to it",
            self.left.location,
            "How long it is depends on the calls before.",
            "Read one list, and append to another.",
        )


def start(ev: Core) -> None:
    """Let the dict hold what lies at each place when the function is called."""
    left = ev.left_outside
    for known in left.places:
        with ev.origin_at(known.location):
            if known.kind == "read":
                left.now[known.name] = ev.captured_as(known.place, known.name, moves=True)
            else:
                left.now[known.name] = ev.new_list([]) if known.kind == "appended" else None
    left.begun = dict(left.now)
    for known in left.places:
        of, name = known.place.of, known.place.key
        for other in left.places if known.place.how is getattr else ():
            of_class = isinstance(other.place.of, type) and other.place.key == name and other is not known
            if of_class and other.place.of in getattr(of, "__mro__", type(of).__mro__) and not is_own(of, name):
                raise ev.refuse_leaving(
                    f"the attribute `{name}` of an object and that of its class are written to, and it has none yet",
                    "give the object one when it is made",
                )


def end(ev: Core) -> tuple[tuple[LeftPlace, ...], Value]:
    """The places where the function leaves something, and what: None where nothing is."""
    left = ev.left_outside
    left.is_open = False
    changed = [k for k in left.places if _is_left(k, left)]
    values = []
    for known in changed:
        with ev.origin_at(known.location):
            values.append(_as_result(ev, left.now[known.name]))
    return tuple(changed), tuple(values)


def _is_left(known: LeftPlace, left: Left) -> bool:
    value = left.now[known.name]
    if known.kind == "appended":
        return isinstance(value, Growing) or bool(value)
    return value is not left.begun[known.name]


def _as_result(ev: Core, value: Value) -> Value:
    """A list of a run-time length as the array of its elements."""
    return ev.call(np.array, [value], {}) if isinstance(value, Growing) else value


# --- reading --------------------------------------------------------------------------------------------------------


def read(ev: Core, place: Place) -> Value:
    """What stands now at a place to which the function writes; ABSENT of any other place."""
    left = ev.left_outside
    if not left.places:
        return ABSENT
    place = _of_itself(place)
    of = place.of.read() if isinstance(place.of, Place) else place.of
    known = left.known(place, of)
    if isinstance(place.of, Place) and any(k.place.key == place.key for k in left.places):
        ev.taken(place.of, str(place.key))  # whether it is that object
    if isinstance(of, types.MappingProxyType) and any(k.place.key == place.key for k in left.places):
        raise ev.refuse_leaving(
            f"`{place.key}` is written to, and read in a dict that others may write to",
            "read it where it is written",
        )
    if known is None:
        value = place.read()
        if type(value) is list and any(k.kind == "appended" for k in left.places):
            ev.taken(place, str(place.key))
            known = left.known(Place(list.append, value), value)
            return ABSENT if known is None else Appended(known)
        return ABSENT
    value = left.now[known.name]
    if known.kind == "assigned" and (value is None or isinstance(value, Maybe)):
        raise PlaceFound(known.place, known.name, "read", known.location)
    return value


def attribute(ev: Core, owner: Value, name: str) -> Value:
    """`owner.name` where the function writes to it, or to that of the class; ABSENT of any other."""
    if not ev.left_outside.places or isinstance(owner, (Var, dict, list, tuple)):
        return ABSENT
    if isinstance(owner, types.ModuleType):
        return read(ev, Place(getattr, owner, name))
    computed = inspect.getattr_static(type(owner), name, None)
    if isinstance(computed, property) and isinstance(computed.fget, types.FunctionType):
        return ev.call(computed.fget, [owner], {})  # it may read what the function has written
    for holder in (owner, *(owner if isinstance(owner, type) else type(owner)).__mro__):
        if ev.left_outside.known(Place(getattr, holder, name), holder) is not None:
            return read(ev, Place(getattr, holder, name))
        if ev.taken(Place(is_own, holder, name), name):
            return ABSENT
    return ABSENT


def is_own(holder: Any, name: str) -> bool:
    """Whether an object or class has an attribute of its own."""
    if name in getattr(holder, "__dict__", ()):
        return True
    found = None if isinstance(holder, type) else inspect.getattr_static(type(holder), name, None)
    return isinstance(found, types.MemberDescriptorType) and hasattr(holder, name)


def has_key(ev: Core, held: OutsideDict, key: Value) -> bool | None:
    """Whether a dict outside has a key since the function has put something there; None where Python is to be asked."""
    left = ev.left_outside
    of = held.place.read() if left.places else None
    known = left.known(Place(operator.getitem, of, key), of) if left.places else None
    if known is None or known.place.key in of or left.now[known.name] is None:
        return None
    ev.taken(held.place, held.label)
    if isinstance(left.now[known.name], Maybe):
        raise ev.refuse_leaving(
            f"`{held.label}` has the key {key!r} on some paths only", "put it there on every path, or before"
        )
    return True


def refuse_new_keys(ev: Core, held: OutsideDict) -> None:
    """Refuse to go over a dict, or to ask how long it is, into which the function puts new keys."""
    if ev.left_outside.places and ev.left_outside.new_keys(held.place.read()):
        raise ev.refuse_leaving(
            f"`{held.label}` is a dict outside the function, which gets keys here and is read as a whole",
            "read what stands under its keys, or put them there before",
        )


def length(ev: Core, items: Appended) -> Value:
    """How long a list outside is to which the function has appended."""
    at_first = ev.captured_as(Place(outside.length, items.left.place.of), f"{items.left.name}_length", moves=True)
    return ev.call(operator.add, [at_first, ev.call(len, [ev.left_outside.now[items.left.name]], {})], {})


# --- writing --------------------------------------------------------------------------------------------------------


def leave_attribute(ev: Core, owner: Value, name: str, value: Value) -> bool:
    """`owner.name = value` for an object, a class, a function or a module outside; False where it may not be."""
    if isinstance(owner, Instance):
        known = next((place for place, made in ev.records if made is owner), None)
        if known is None:
            return False
        owner = known.read()
        ev.taken(known, name)
    if not _takes(owner, name):
        return False
    leave(ev, Place(getattr, owner, name), name, value)
    return True


def leave_item(ev: Core, held: OutsideDict, key: Value, value: Value) -> bool:
    """`held[key] = value` for a dict outside; False where it may not be."""
    if not ev.is_static(key):
        return False
    of = held.place.read()
    if type(of) not in (dict, OrderedDict, defaultdict, Counter):
        return False
    if held.place.how is getattr and held.place.key == "__dict__":
        return leave_attribute(ev, held.place.of, key, value)
    ev.taken(held.place, held.label)
    name = f"{held.label}_{key}" if isinstance(key, int) or str(key).isidentifier() else held.label
    leave(ev, Place(operator.getitem, of, key), name, value)
    return True


def append_to(ev: Core, items: Value) -> None:
    """Let a list outside be one that the function appends to; of any other container nothing is done."""
    origin = ev.origins.of(items)
    found = origin.place.read() if isinstance(origin, FromOutside) else None
    if type(found) is list:
        append_to_list(ev, found, getattr(items, "outside", None) or getattr(items, "name", "items"))


def append_to_list(ev: Core, items: list[Any], label: str) -> None:
    """Let a list outside be one that the function appends to."""
    raise _found(ev, Place(list.append, items), label, "appended")


def appended(ev: Core, owner: Appended, name: str) -> Value:
    """A method of a list outside that the function appends to."""
    if name not in ("append", "extend"):
        raise owner.refused()
    ev.note_effect(ev.left_outside.now)
    return ev.attribute(ev.left_outside.now[owner.left.name], name)


def leave(ev: Core, place: Place, name: str, value: Value) -> None:
    """Let a value be what the function leaves at a place."""
    place = _of_itself(place)
    known = ev.left_outside.known(place, place.of)
    if known is None:
        raise _found(ev, place, name, "assigned")
    if known.kind == "assigned" and (value is None or isinstance(value, Maybe)):
        raise _found(ev, place, name, "read")
    _check(ev, known, value)
    ev.note_effect(ev.left_outside.now)
    ev.left_outside.now[known.name] = ev.named_value(value, known.name)


def _found(ev: Core, place: Place, name: str, kind: Kind) -> Exception:
    """What to raise for a place that is not known so: the program is lowered again, if it may be left at all."""
    if _in_rule(ev):
        return ev.refuse_leaving(
            f"`{name}` outside the function is written to by code that a derivative or a rule runs",
            "return the value, with `has_aux=True`",
        )
    if _of_a_library(ev.frame):
        return ev.refuse_leaving(f"`{name}` outside the function is written to", "return the value")
    if len(ev.left_outside.places) >= MOST:
        return ev.refuse_leaving(
            f"`{name}` outside the function is written to, and more than {MOST} other places are",
            "return what is left in an array, with `has_aux=True`",
        )
    return PlaceFound(place, name, kind, ev.origin)


def _check(ev: Core, known: LeftPlace, value: Value) -> None:
    """Refuse to leave what lives in the program alone."""
    if _in_rule(ev):
        raise _found(ev, known.place, known.name, known.kind)
    made: Any = value
    if isinstance(made, (Instance, Growing)) or not _exists(made):
        raise ev.refuse_leaving(
            f"`{known.name}` outside the function is given what the function has made, and is no number or array",
            "leave numbers, arrays, and tuples, lists and dicts of them",
        )


def _exists(value: Value) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_exists, value))
    if type(value) is dict:
        return all(map(_exists, value.values()))
    if isinstance(value, Maybe):
        return value.absent is None and _exists(value.value)
    if isinstance(value, Choice):
        return all(map(_exists, value.options))
    return not isinstance(value, (Instance, Growing, OutsideDict)) and not (
        type(value).__module__.startswith("adc.") and not isinstance(value, Var)
    )


def _of_itself(place: Place) -> Place:
    """A name of a module as what stands in its dict, where its functions find it."""
    if place.how is getattr and isinstance(place.of, types.ModuleType):
        return Place(operator.getitem, vars(place.of), place.key)
    return place


def _takes(owner: Any, name: str) -> bool:
    """Whether `owner.name = value` does nothing but keep the value there."""
    if isinstance(owner, types.FunctionType):
        return not name.startswith("__")
    if isinstance(owner, types.ModuleType):
        return True
    kind = type(owner)
    if isinstance(owner, type):
        if is_settled(owner) or kind.__setattr__ is not type.__setattr__:
            return False
        found = inspect.getattr_static(owner, name, None)
        return not (callable(found) or hasattr(type(found), "__get__"))
    if kind is not types.SimpleNamespace and (
        is_settled(kind) or kind.__setattr__ is not object.__setattr__
    ):
        return False
    found = inspect.getattr_static(kind, name, None)
    return isinstance(found, types.MemberDescriptorType) or not hasattr(type(found), "__set__")


def _in_rule(ev: Core) -> bool:
    """Whether code is evaluated that a derivative needs, or by which a rule says what an operation does."""
    frame: Frame | None = ev.frame
    while frame is not None:
        of_rule = (frame.source is None and frame.caller is not None) or frame.of_adc
        if of_rule and frame.globals is not vars(python_containers):  # which are as Python's are
            return True
        frame = frame.caller
    return not ev.left_outside.is_open


def _of_a_library(frame: Frame) -> bool:
    return str(frame.globals.get("__name__")).partition(".")[0] in ("numpy", "scipy")
