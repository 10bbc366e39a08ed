"""What the function leaves outside: attributes of objects, names of the module, entries of dicts, items of lists.

    def loss(x):                        def loss_grad(x, calls):
        loss.calls += 1                     calls_2 = calls + 1
        return np.sum(x * x)                x_bar = 2.0 * x
                                            return calls_2, x_bar

What lies there is an input, and what the function leaves is a result, which `api/leaving.py` puts there after the call.
In between it is an item of a dict of the program (`left_places.Left`), which branches and loops merge and carry. The
dict must have its items before the statements run: where a place is found, the program is lowered again with it.
"""

from __future__ import annotations

import inspect
import operator
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adc import pytree
from adc.compiler.frontend import outside
from adc.compiler.frontend.frame import Frame, Growing, Instance, ListValue
from adc.compiler.frontend.left_places import ABSENT, Kind, LeftPlace, PlaceFound, Rows, is_own
from adc.compiler.frontend.outside import OutsideDict, Place
from adc.compiler.frontend.provenance import FromOutside
from adc.compiler.frontend.values import Choice, Maybe, Value, is_settled
from adc.compiler.ir.nodes import Var
from adc.errors import UnsupportedError
from adc.rules import python_containers

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = [
    "Appended",
    "append_to",
    "append_to_list",
    "appended",
    "attribute",
    "end",
    "has_key",
    "leave",
    "leave_attribute",
    "leave_item",
    "length",
    "nothing_left",
    "read",
    "refuse_new_keys",
    "start",
]

MOST = 64  # places


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
            if (
                of_class
                and other.place.of in getattr(of, "__mro__", type(of).__mro__)
                and not is_own(of, name)
            ):
                raise ev.refuse_leaving(
                    f"the attribute `{name}` of an object and that of its class are written to, and it has none yet",
                    "give the object one when it is made",
                )


def end(ev: Core) -> tuple[tuple[LeftPlace, ...], Value]:
    """The places where the function leaves something, and what."""
    left = ev.left_outside
    left.is_open = False
    places, values = [], []
    for known in left.places:
        value = left.now[known.name]
        if value is left.begun[known.name] and (known.kind != "appended" or not value):
            continue
        with ev.origin_at(known.location):
            rows: Rows = ""
            if isinstance(value, Growing):
                value, rows = _in_an_array(ev, known, value)
            elif not _exists(value):
                raise _made(ev, known)
        places.append(replace(known, rows=rows))
        values.append(value)
    return tuple(places), tuple(values)


def _in_an_array(ev: Core, known: LeftPlace, items: Growing) -> tuple[Value, Rows]:
    """A list of a run-time length as the array of its elements, and what these are."""
    if items.form is not None or items.of is not None:
        raise ev.refuse_leaving(
            f"`{known.name}` outside the function is given tuples whose number is only known at run time",
            "leave a list of numbers for each of their parts",
        )
    array = ev.call(np.array, [items], {})
    if not items.nested:
        return array, "numbers" if array.type.ndim == 1 else "arrays"
    kinds = ev.row_classes.get(items.made)
    if kinds not in ({tuple}, {list}):
        raise _made(ev, known)
    return array, "tuples" if kinds == {tuple} else "numbers"


def _made(ev: Core, known: LeftPlace) -> UnsupportedError:
    return ev.refuse_leaving(
        f"`{known.name}` outside the function is given what the program knows, and is no number, array or text",
        "leave numbers, arrays, and tuples, lists and dicts of them",
    )


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


def has_key(ev: Core, held: OutsideDict, key: Value) -> bool | None:
    """Whether a dict outside has a key since the function has put something there; None where Python is to be asked."""
    left = ev.left_outside
    if not left.places:
        return None
    of = held.place.read()
    known = left.known(Place(operator.getitem, of, key), of)
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
    at_first = ev.captured_as(
        Place(outside.length, items.left.place.of), f"{items.left.name}_length", moves=True
    )
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
    if not (ev.left_outside.is_outside(owner) and _takes(owner, name)):
        return False
    leave(ev, Place(getattr, owner, name), name, value)
    return True


def leave_item(ev: Core, held: OutsideDict, key: Value, value: Value) -> bool:
    """`held[key] = value` for a dict outside; False where it may not be."""
    if not ev.is_static(key):
        return False
    of = held.place.read()
    if type(of) not in (dict, OrderedDict, defaultdict, Counter) or not ev.left_outside.is_outside(
        held.place
    ):
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
    if isinstance(origin, FromOutside) and type(found) is list and ev.left_outside.is_outside(origin.place):
        append_to_list(ev, found, str(getattr(items, "outside", None) or getattr(items, "name", "items")))


def append_to_list(ev: Core, items: list[Any], label: str) -> None:
    """Let a list outside be one that the function appends to."""
    raise _found(ev, Place(list.append, items), label, "appended")


def appended(ev: Core, owner: Appended, name: str) -> Value:
    """A method of a list outside that the function appends to."""
    if name not in ("append", "extend"):
        raise owner.refused()
    ev.note_effect(ev.left_outside.now)
    return ev.attribute(ev.left_outside.now[owner.left.name], name)


@contextmanager
def nothing_left(ev: Core, where: str) -> Iterator[None]:
    """Refuse a function that leaves something outside where it is evaluated otherwise than by Python."""
    before = dict(ev.left_outside.now)
    yield
    for name, value in ev.left_outside.now.items():
        if value is not before[name]:
            raise ev.refuse_leaving(
                f"`{name}` outside the function is written to in {where}",
                'return it; `mode="tape"` leaves it',
            )


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
    if not isinstance(value, Growing) and not _exists(value):
        raise _made(ev, known)


def _exists(value: Value) -> bool:
    """Whether a value can be had when the program has run: it is made of numbers, arrays, texts and the like."""
    if isinstance(value, ListValue) and value.outside is not None:
        return False  # it would be another list
    if isinstance(value, (list, tuple)):
        return all(map(_exists, value))
    if isinstance(value, dict):
        return type(value) is dict and all(map(_exists, value.values()))
    if isinstance(value, Maybe):
        return value.absent is None and _exists(value.value)
    if isinstance(value, Choice):
        return all(map(_exists, value.options))
    of_adc = type(value).__module__.partition(".")[0] == "adc" and not isinstance(value, Var)
    return not of_adc and bool(pytree.is_leaf(value))


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
        if is_settled(owner) or _setter(kind) is not _setter(type):
            return False
        found = inspect.getattr_static(owner, name, None)
        return not (callable(found) or hasattr(type(found), "__get__"))
    if kind is not types.SimpleNamespace and (is_settled(kind) or _setter(kind) is not _setter(object)):
        return False
    found = inspect.getattr_static(kind, name, None)
    return isinstance(found, types.MemberDescriptorType) or not hasattr(type(found), "__set__")


def _setter(kind: type) -> Any:
    return inspect.getattr_static(kind, "__setattr__")


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
