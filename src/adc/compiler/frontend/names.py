"""Look names up: locals, enclosing functions, closures, globals, built-ins.

What is found outside the function is an input of the program (arrays, floats), or taken as constant and guarded.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler.frontend import (
    columns,
    keys_of_run,
    left_outside,
    numbered,
    over_dicts,
    records,
    text_arrays,
)
from adc.compiler.frontend.core import Core
from adc.compiler.frontend.frame import (
    Bound,
    Frame,
    Instance,
    ListValue,
    Once,
    Partial,
    SurelyRaised,
    reads_of,
)
from adc.compiler.frontend.left_places import ABSENT
from adc.compiler.frontend.outside import (
    ANY,
    Capture,
    Guard,
    OutsideDict,
    Place,
    class_of,
    coefficients,
    is_integer_value,
    is_set,
    keys,
    length,
    members,
    polynomials,
    shape_of,
)
from adc.compiler.frontend.provenance import FromOutside
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.frontend.values import UNDEFINED, Maybe, PartlyDefined, Value, may_change, rebuilt
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, of_number
from adc.compiler.sizes import short_axes
from adc.errors import UnsupportedError
from adc.rules import tables_by_key
from adc.rules.dims import Dim

LONGEST = 100  # of a list outside the function whose elements are inputs, one by one


_VIEWS: tuple[type, ...] = (type({}.items()), type({}.keys()), type({}.values()))


def _same(a: Value, b: Value) -> bool:
    """Whether two items are one; those of a dict are pairs, made anew."""
    return a is b or (type(a) is type(b) is tuple and len(a) == len(b) and all(map(operator.is_, a, b)))


class UnassignedRead(UnsupportedError):
    """A local name is read that has no value so far; in a loop, an earlier trip may have given it one."""

    def __init__(self, what: str, *, name: str, frame: Frame, **rest: Any) -> None:
        super().__init__(what, **rest)
        self.name, self.frame = name, frame


class Names(Core):
    """The part of the evaluator that gives names their values."""

    def eval_Constant(self, node: Any) -> Value:
        return node.value

    def eval_Elsewhere(self, node: Any) -> Value:
        here, self.frame = self.frame, node.frame
        try:
            return self.eval_Name(node)
        finally:
            self.frame = here

    def eval_Name(self, node: Any) -> Value:
        name = node.id
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.left:
                with self.origin_at(self.locate(node)):
                    return self.captured(frame.left[name], name)
            if name in frame.env:
                value = frame.env[name]
                if isinstance(value, PartlyDefined):
                    with self.origin_at(self.locate(node)):
                        raise self.partly_defined(value, f"`{name}`")
                if value is UNDEFINED:
                    with self.origin_at(self.locate(node)):
                        raise UnassignedRead(
                            f"`{name}` is read before it is assigned",
                            location=self.origin,
                            repair="Assign it first.",
                            name=name,
                            frame=frame,
                        )
                if isinstance(value, Maybe) and value.absent is UNDEFINED:
                    if getattr(node, "certain", False):
                        return value.value
                    with self.origin_at(self.locate(node)):
                        found = self.required(value, name)
                    self.now_present(frame, name, value, found)
                    return found
                if isinstance(value, Once):
                    with self.origin_at(self.locate(node)):
                        return self._gone_over_once(name, value)
                return value
            if name in frame.closure:
                cell = frame.closure[name]
                with self.origin_at(self.locate(node)):
                    if not is_set(cell, None):
                        self.taken(Place(is_set, cell), name)
                        unset = NameError(
                            f"cannot access free variable '{name}' where it is not associated with a value"
                        )
                        raise SurelyRaised(unset, self.region_depth, self.origin)
                    return self.captured(Place(getattr, cell, "cell_contents"), name)
            if frame.parent is None or name in frame.of_module:
                table = frame.globals
                if name in table:
                    if frame.source is None:
                        return table[name]
                    with self.origin_at(self.locate(node)):
                        return self.captured(Place(operator.getitem, table, name), name)
            frame = None if name in frame.of_module else frame.parent
        if hasattr(builtins, name):
            return getattr(builtins, name)
        with self.origin_at(self.locate(node)):
            raise self.refuse(f"name `{name}` is not defined", repair="check the spelling")

    def _gone_over_once(self, name: str, iterator: Once) -> Value:
        return self.taken_up(name, iterator)()

    def taken_up(self, name: str, iterator: Once) -> Callable[[], Value]:
        """What gives the items of an iterator under a name, which is gone over: from here on nobody else may."""
        self._read_once(f"`{name}`", iterator.state)
        count = iterator.state.get("taken", 0)

        def items() -> Value:
            found = iterator.items()
            return replace(found, taken=count) if count else found

        return items

    def _read_once(self, what: str, reads: dict[str, Any]) -> None:
        if reads.get("read"):
            raise self.refuse(
                f"{what} is gone over once, and is read again here",
                "what is left of a generator, or of zip(), map() and the like, depends on who took what",
                "make a list of it",
            )
        self.as_it_was(reads, what)
        reads["read"] = True

    def goes_over(self, iterator: Value, items: Iterable[Value]) -> None:
        """Note what is gone over: Python looks at it when it is, and here that has been done."""
        reads = reads_of(iterator)
        if reads is not None and self.in_user_code:
            changing: list[Any] = [v for v in items if isinstance(v, (ListValue, *_VIEWS)) or type(v) is dict]
            lists = [(v, list(v)) for v in changing]
            further = [pair for inner in items for pair in (reads_of(inner) or {}).get("over", ())]
            reads["over"] = (*lists, *further)

    def as_it_was(self, reads: dict[str, Any] | None, what: str) -> None:
        """Refuse to go over an iterator of lists that have changed since it was made, or computed from others."""
        computed = (reads or {}).get("before")
        name = None if computed is None else computed.changed(self)
        if name is not None:
            raise self.refuse(
                f"{what} is computed from `{name}`, which has changed since it was made",
                "Python computes each item when it is asked for, and compiled code did before",
                "make the iterator where it is gone over",
            )
        for items, before in (reads or {}).get("over", ()):
            if len(items) != len(before) or any(not _same(a, b) for a, b in zip(items, before, strict=True)):
                kind = "list" if isinstance(items, list) else "dict"
                raise self.refuse(
                    f"{what} goes over a {kind} that has changed since it was made",
                    "Python looks at it as it is now, and compiled code as it was",
                    "make the iterator where it is gone over",
                )

    def fetched(self, value: Value, what: str) -> Value:
        """What the program finds in a container or an object: there, too, an iterator is gone over once."""
        reads = reads_of(value) if self.in_user_code else None
        if reads is not None:
            self._read_once(what, reads)
        return value

    def captured(self, place: Place, label: str) -> Value:
        """A value from outside the function: arrays and floats are read at each call, the rest is taken as constant."""
        left = left_outside.read(self, place)
        return self.captured_as(place, label) if left is ABSENT else left

    def captured_as(self, place: Place, label: str, moves: bool = False) -> Value:
        """A value from outside as it is at the call. An integer that `moves` is read at each call, too."""
        for capture in self.captures:
            if capture.place.same(place):
                return capture.param
        value = place.read()
        if text_arrays.is_of_texts(value):
            return text_arrays.outside(self, place, label)
        # Infinity says what is meant (an order of a norm, a bound that is none), and is no number to move.
        number = type(value) in (float, np.float64, np.float32) and not math.isinf(value)
        if (
            isinstance(value, np.ndarray)
            or number
            or ((moves or label in self.moving) and is_integer_value(value))
        ):
            param = Var(label, self.argument_type(value, label))
            if isinstance(param.type, Array):
                if self.lengths_outside:
                    self.taken(Place(shape_of, place), label)
                    self.shapes_outside.append(f"{label} of shape {value.shape}")
                    shape = tuple(map(Dim, value.shape))
                    param.type = Array(param.type.dtype, shape, param.type.layout)
                self.name_lengths(param, value)
            elif not number:
                self.name_number(param)
            self.captures.append(Capture(place, param, label))
            return param
        container = self._container(place, label, value)
        if container is not None:
            self.origins.note(container, FromOutside(place))
            return container
        if type(value) is set and len(value) <= LONGEST:
            self.taken(Place(members, place), label)
            return value
        if isinstance(value, functools.partial):
            self.taken(place, label)
            return self.applied(value, label)
        if type(value) is list and self.is_appended_to:
            left_outside.append_to_list(self, value, label)
        if may_change(value):
            raise self.refuse(
                f"`{label}` is a {type(value).__name__} outside the function",
                "its elements could change between calls",
                "pass it as an argument, or make it a tuple or an array"
                if isinstance(value, (list, np.ndarray))
                else "make it a dict, a list, a tuple or an array",
            )
        if isinstance(value, polynomials):
            self.taken(Place(coefficients, place), label)
        return self.taken(place, label)

    def _container(self, place: Place, label: str, value: Any) -> Value:
        """A list, dict, tuple or dataclass whose parts are read at each call; None of anything else."""
        if type(value) in (dict, OrderedDict, defaultdict, MappingProxyType):
            table = self.outside_dict(place, label)
            if type(value) is not dict:
                self.classes_of_dicts[id(table)] = table, type(value)
            return table
        found = self._as_columns(place, label, value)
        if found is not None:
            return found
        if (type(value) is list and len(value) <= LONGEST) or (
            isinstance(value, tuple) and may_change(value)
        ):
            self.taken(Place(length, place), label)
            parts = [
                self.captured(Place(operator.getitem, place, k), f"{label}_{k}") for k in range(len(value))
            ]
            if isinstance(value, tuple):
                return rebuilt(value, parts)
            held = self.new_list(parts)
            held.outside, held.users = label, value
            return held
        if isinstance(value, dict):
            return self._one_object(place, lambda: over_dicts.outside(self, place, label, value))
        if not records.holds_numbers(value) or self.left_outside.holds(value):
            return None
        return self._one_object(place, lambda: self._record(place, label, value))

    def _as_columns(self, place: Place, label: str, value: Any) -> Value:
        """A long list of alike things that are not all known: as a few arrays. None of any other."""
        of_numbers = type(value) is list and not (
            self.left_outside.places and any(isinstance(v, dict) or hasattr(v, "__dict__") for v in value)
        )
        found = columns.of(value) if of_numbers and not self.lists_written_out else None
        if found is None or set(found.form.kinds) == {"int"}:
            return None
        self.long_lists = True
        self.taken(Place(columns.form_of, place), label)
        names = pytree.flatten_with_paths(found)[0]
        arrays = [
            self.captured(Place(columns.array_of, place, k), re.sub(r"\W+", "_", f"{label}{path}").strip("_"))
            for k, (path, _) in enumerate(names)
        ]
        return with_lists(columns.Columns(found.form, arrays), self)

    def take_argument(self, value: Value, label: str) -> None:
        """An argument that is known by its identity stays as it is; refused if nobody can tell."""
        self.left_outside.found[id(value)] = value
        if type(value) is set:
            self.taken(Place(members, value), label)
        elif may_change(value) and not text_arrays.is_of_texts(value):
            raise self.refuse(
                f"the argument `{label}` is a {type(value).__name__}",
                "its elements could change between calls",
                "pass a dict, a list, a tuple or an array",
            )

    def applied(self, function: functools.partial[Any], label: str) -> Value:
        """A partial from outside the function, with what it gives read at each call where it may be another then."""
        if isinstance(function, Bound) or not (function.keywords or may_change(function.args)):
            return function
        args = tuple(
            [
                self.captured(Place(operator.getitem, Place(getattr, function, "args"), k), f"{label}_{k}")
                if may_change(value)
                else value
                for k, value in enumerate(function.args)
            ]
        )
        keywords = Place(getattr, function, "keywords")
        self.taken(Place(keys, keywords), label)
        given = {k: self.captured(Place(operator.getitem, keywords, k), k) for k in function.keywords}
        return Partial(function.func, args, given)

    def _record(self, place: Place, label: str, value: Any) -> Instance:
        """A dataclass outside the function."""
        self.taken(Place(class_of, place), label)
        parts = {name: self.captured(Place(getattr, place, name), name) for name in vars(value)}
        made = Instance(type(value), parts)
        made.outside = label
        return made

    def _one_object(self, place: Place, make: Callable[[], Instance | None]) -> Instance | None:
        """An object outside the function: one, wherever the program meets it."""
        for known, made in self.records:
            if known.same(place):
                return made
        found = make()
        if found is not None:
            self.records.append((place, found))
        return found

    def taken(self, place: Place, label: str) -> Value:
        """What is found at a place, taken as constant: the code holds as long as it is found there."""
        value = place.read()
        self.left_outside.note(place, value)
        if not any(g.place.same(place) for g in self.guards):
            self.guards.append(Guard(place, value, label))
        return value

    def item_outside(self, held: OutsideDict, key: Value) -> Value:
        """What stands under a key of a dict outside the function."""
        if not self.is_static(key):
            found = (
                numbered.item(self, held.opened(), key, held.label) if numbered.may_hold(held, key) else None
            )
            if found is not None:
                return found
            raise self.refuse(
                f"`{held.label}` is a dict outside the function, and its key is only known at run time",
                repair="use a constant key",
            )
        if key not in held:
            factory = getattr(held.place.read(), "default_factory", None)
            if factory is not None:  # the dict has the key from then on
                made = self.call(factory, [], {})
                if not left_outside.leave_item(self, held, key, made):
                    self.refuse_outside(held)
                return made
            raise SurelyRaised(KeyError(key), self.region_depth, self.origin)
        label = f"{held.label}_{key}" if isinstance(key, int) or str(key).isidentifier() else held.label
        return self.captured(Place(operator.getitem, held.place, key), label)

    def outside_dict(self, place: Place, label: str) -> OutsideDict:
        """A dict from outside the function."""
        return OutsideDict(place, label, self.taken, self.item_outside, self._put_there)

    def _put_there(self, held: OutsideDict, key: Value) -> bool | None:
        """Whether the program has put a key into a dict outside; None where the dict says so."""
        if key is not ANY:
            return left_outside.has_key(self, held, key)
        left_outside.refuse_new_keys(self, held)
        return None

    def refuse_outside(self, container: Value) -> None:
        """Refuse to write to a container from outside the function."""
        label = container.label if isinstance(container, OutsideDict) else getattr(container, "outside", None)
        if label is not None:
            what = "dict" if isinstance(container, OutsideDict) else "list"
            raise self.refuse_leaving(
                f"`{label}` is a {what} outside the function, and is written to",
                f"return the value, or make a {what} in the function",
            )

    def opened(self, value: Value) -> Value:
        """A dict from outside the function as one of the program, with all that stands in it; what a deque holds."""
        held = getattr(value.cls, "__adc_contents__", None) if isinstance(value, Instance) else None
        if held is not None and held in value:  # it is not while the object is made
            contents = value[held]
            if isinstance(contents, Instance) and issubclass(contents.cls, tables_by_key.Table):
                keys_of_run.refuse_set(self, value)
                return contents
            return dict(contents) if isinstance(contents, Instance) else contents
        return value.opened() if isinstance(value, OutsideDict) else value

    def argument_type(self, value: Any, label: str) -> Array | Scalar:
        """The type of an argument or captured value."""
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "fiubc":
                raise self.refuse(f"`{label}` is an array of dtype {value.dtype}", repair="pass numbers")
            short = short_axes(value.shape)
            shape = tuple(Dim(1) if n == 1 else Dim(-1) for n in value.shape[: value.ndim - len(short)])
            shape += tuple(map(Dim, short))
            return (
                Array(str(value.dtype), shape, "C" if value.flags.c_contiguous else "A")
                if value.ndim
                else Scalar(str(value.dtype))
            )
        return of_number(value)

    def name_number(self, param: Var) -> None:
        """Let lengths and positions be told in terms of an integer that is given."""
        param.dim = Dim.symbol("value", param)
        self.throughout.add(param)

    @staticmethod
    def name_lengths(param: Var, value: Any) -> None:
        assert isinstance(param.type, Array)
        shape = tuple(
            Dim.symbol("shape", param, k) if d == Dim(-1) else d for k, d in enumerate(param.type.shape)
        )
        param.type = Array(param.type.dtype, shape, param.type.layout)
