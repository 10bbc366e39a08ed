"""Assignments: names are rebound, tuples unpacked, elements of arrays and containers written."""

from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import (
    choices,
    exchanged,
    frozen,
    growing,
    grown_reads,
    instances,
    later,
    left_outside,
    list_methods,
    object_operators,
    parts,
    positions,
    stretching,
)
from adc.compiler.frontend.calls import Calls
from adc.compiler.frontend.containers import references
from adc.compiler.frontend.frame import (
    Growing,
    Instance,
    ListValue,
    NeedsUnrolling,
    Range,
    SurelyRaised,
    once,
)
from adc.compiler.frontend.indexing import FULL, indexed_type, located
from adc.compiler.frontend.known import require_known
from adc.compiler.frontend.operators import BINARY
from adc.compiler.frontend.outside import OutsideDict
from adc.compiler.frontend.values import Choice, Maybe, Value, kind
from adc.compiler.ir.nodes import Check, Const, Store, Var, walk
from adc.compiler.ir.types import Array, is_float, is_integer
from adc.errors import UnsupportedError
from adc.rules.dims import Dim


class Assignments(Calls):
    """The part of the evaluator that assigns."""

    def exec_Assign(self, node: Any) -> None:
        if exchanged.exchange(self, node):
            return
        if all(isinstance(t, gast.Name) for t in node.targets):
            value = later.evaluated(self, node.value)
        elif _side_by_side(node):  # a tuple that nobody sees
            value = tuple([later.evaluated(self, element) for element in node.value.elts])
        else:
            value = self.evaluate_maybe(node.value)
        for target in node.targets:
            self.bind(target, value)

    def exec_AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value))

    def bind(self, target: Any, value: Value) -> None:
        """Assign a value to a target: a name, a pattern of names, an element or slice."""
        if isinstance(target, gast.Name) and target.id in self.frame.left:
            with self.origin_at(self.locate(target)):
                left_outside.leave(self, self.frame.left[target.id], target.id, value)
        elif isinstance(target, gast.Name):
            self.frame.env[target.id] = self.named_value(once(value), target.id)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self._unpack(target, value)
        elif isinstance(target, gast.Subscript):
            base = exchanged.written_to(self, target.value)
            index = self.evaluate(target.slice)
            with self.origin_at(self.locate(target)):
                if isinstance(value, Maybe) and not isinstance(base, (dict, ListValue)):
                    value = self.required(value, "value")
                exchanged.each(self, base, lambda item: self.set_item(item, index, value))
        else:
            with self.origin_at(self.locate(target)):
                owner = exchanged.written_to(self, target.value)
                exchanged.each(
                    self, owner, lambda item: self.bind_attribute(item, target.attr, value, target)
                )

    def bind_attribute(self, owner: Value, name: str, value: Value, target: Any = None) -> None:
        """`owner.name = value`, where `target` is written."""
        if isinstance(owner, Instance):
            instances.set_attribute(self, owner, name, value)
            return
        setter = instances.setter(owner, name)
        if setter is not None:
            instances.stays(self, type(owner), name)
            self.call(setter, [owner, value], {})
            return
        if isinstance(owner, Var) and owner.is_array and name in ("real", "imag"):
            self.set_item(self.attribute(owner, name), Ellipsis, value)
            return
        if isinstance(owner, Var) and owner.is_array and name == "flat":
            if self.type_is_array(value):  # its elements over and over
                value = self.call(np.resize, [value, self.attribute(owner, "shape")], {})
            self.set_item(owner, Ellipsis, value)
            return
        if isinstance(owner, Var) and not hasattr(np.ndarray, name):
            owned = "numpy.ndarray" if owner.is_array else "float"
            raise SurelyRaised(instances.no_room(owned, name), self.region_depth, self.origin)
        if name == "shape" and target is not None and self._has_one_name(target.value, owner):
            self.frame.env[target.value.id] = self.call(np.reshape, [owner, value], {})
            return
        if isinstance(owner, Var) and owner.is_array:
            other = "y = y.reshape(...)" if name == "shape" else "y = y.astype(...)"
            raise self.refuse(
                f"the attribute `{name}` of an array is written to",
                "compiled code knows what an array is by its name, and it may have others",
                f"make another array: `{other}`",
            )
        if not left_outside.leave_attribute(self, owner, name, value):
            raise self._of_another(owner, name)

    def _of_another(self, owner: Value, name: str) -> UnsupportedError:
        """A refusal of writing to an attribute of a function, a class or an object that is outside the function."""
        whose = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", None)
        what = "object" if whose is None else "class" if isinstance(owner, type) else "function"
        return self.refuse_leaving(
            f"the attribute `{name}` of the {what} `{whose or type(owner).__qualname__}` is written to",
            'return the value, with `has_aux=True`; `mode="tape"` keeps it',
        )

    def _has_one_name(self, node: Any, owner: Value) -> bool:
        """Whether an array lies row by row and has this name alone, which no branch and no loop around may change."""
        return (
            isinstance(node, gast.Name)
            and isinstance(owner, Var)
            and isinstance(owner.type, Array)
            and owner.type.layout == "C"
            and self.frame.env.get(node.id) is owner
            and self.region_depth == 0
            and references(self.frame, owner) == 1
        )

    def _unpack(self, target: Any, value: Value) -> None:
        if isinstance(value, Maybe):
            value = self.required(value, "value")
        if isinstance(value, Growing):
            self._unpack_list(target, value)
            return
        if isinstance(value, Var):
            if not value.is_array:
                self.require_items(value, "cannot unpack non-iterable {} object")
            length = value.type.shape[0]
            count = len(target.elts)
            star = next((k for k, e in enumerate(target.elts) if isinstance(e, gast.Starred)), None)
            if star is not None and length.known is None:
                self._unpack_starred(target, value, star)
                return
            if length.known is None:
                self.require_equal(Dim(count), length, f"expected {count} values to unpack")
            items = [self.subscript(value, k) for k in range(length.known or count)]
        else:
            items = self.static_items(value, target)
        star = next((k for k, e in enumerate(target.elts) if isinstance(e, gast.Starred)), None)
        if star is not None:
            tail = len(target.elts) - star - 1
            middle = self.new_list(items[star : len(items) - tail])
            items = [*items[:star], middle, *items[len(items) - tail :]]
        if len(items) != len(target.elts):
            raise self.refuse(f"cannot unpack {len(items)} values into {len(target.elts)} names")
        for element, item in zip(target.elts, items, strict=True):
            self.bind(element.value if isinstance(element, gast.Starred) else element, item)

    def _unpack_list(self, target: Any, value: Growing) -> None:
        """`first, *rest = values`, of a list that lives in an array."""
        elements = target.elts
        star = next((k for k, e in enumerate(elements) if isinstance(e, gast.Starred)), None)
        found = value.count
        if star is None:
            fits, message = (
                self.op("equal", found, len(elements)),
                f"expected {len(elements)} values to unpack",
            )
        else:
            fits = self.op("greater_equal", found, len(elements) - 1)
            message = "not enough values to unpack"
        if fits is not True:
            self.block.append(Check(self.atom(fits), "ValueError", (Const(message),), self.origin))
        for k, element in enumerate(elements):
            tail = k - len(elements)
            if isinstance(element, gast.Starred):
                rest = grown_reads.element(self, value, slice(k, tail + 1 or None))
                self.bind(element.value, rest)
            else:
                self.bind(element, grown_reads.element(self, value, k if star is None or k < star else tail))

    def _unpack_starred(self, target: Any, value: Var, star: int) -> None:
        """`first, *rest = array`: the rest is a list that lives in the array."""
        tail = len(target.elts) - star - 1
        n = self.dim_value(value.type.shape[0])
        enough = self.op("greater_equal", n, star + tail)
        self.block.append(
            Check(self.atom(enough), "ValueError", (Const("not enough values to unpack"),), self.origin)
        )
        for k, element in enumerate(target.elts[:star]):
            self.bind(element, self.subscript(value, k))
        middle = self.subscript(value, slice(star, -tail or None))
        if value.type.ndim == 1:  # numbers, of which the list has its own
            rest = growing.of_array(self, self.op("copy", middle))
        else:
            rest = growing.view(self, middle)
        self.bind(target.elts[star].value, rest)
        for k, element in enumerate(target.elts[star + 1 :]):
            self.bind(element, self.subscript(value, k - tail))

    def exec_AugAssign(self, node: Any) -> None:
        function = BINARY[type(node.op)]
        if isinstance(node.target, gast.Name):
            old = self.eval_Name(
                gast.copy_location(gast.Name(node.target.id, gast.Load(), None, None), node.target)
            )
            result = self.augmented(function, old, self.evaluate(node.value))
            if node.target.id in self.frame.left:
                self._refuse_buffer(old, node.target.id)
            if result is not old:
                self.bind(node.target, result)
        elif isinstance(node.target, gast.Subscript):
            base = exchanged.written_to(self, node.target.value)
            index = self.evaluate(node.target.slice)
            exchanged.each(self, base, lambda item: self._augment_item(item, index, function, node.value))
        else:
            owner = exchanged.written_to(self, node.target.value)
            exchanged.each(self, owner, lambda item: self._augment_attribute(item, node, function))

    def _augment_item(self, base: Value, index: Value, function: Any, node: Any) -> None:
        """`base[index] op= node`: what stands there is read before the value, which may change it, is computed."""
        self._refuse_number(base)
        if isinstance(base, Var):
            block, start = self.block, len(self.block)
            value = self.evaluate(node)
            found: Value = None
            if any(isinstance(stmt, Store) and stmt.array.root is base.root for stmt in walk(block[start:])):
                with self.at([]) as before:
                    found = self.subscript(base, index)
                block[start:start] = before
            self._update(base, self.index_value(base, index), function, value, None, found)
            return
        old, value = self.subscript(base, index), self.evaluate(node)
        if isinstance(base, OutsideDict):
            self._refuse_buffer(old, base.label)
        result = self.augmented(function, old, value)
        if result is not old or not isinstance(base, (ListValue, dict)) or isinstance(base, Instance):
            self.set_item(base, index, result)

    def _augment_attribute(self, owner: Value, node: Any, function: Any) -> None:
        """`owner.name op= value`."""
        name = node.target.attr
        is_part = isinstance(owner, Var) and owner.is_array and name in ("real", "imag")
        old, value = self.attribute(owner, name), self.evaluate(node.value)
        if not isinstance(owner, Instance) and not is_part:
            self._refuse_buffer(old, name)
        result = self.augmented(function, old, value)
        if isinstance(owner, Instance):
            if result is not old or instances.hears_of(owner, name):
                instances.set_attribute(self, owner, name, result)
        elif result is not old:
            self.bind_attribute(owner, name, result, node.target)

    def _refuse_buffer(self, old: Value, name: str) -> None:
        """Refuse to change an array outside the function in place, under the name that it has there."""
        if isinstance(old, Var) and old.is_array:
            raise self.refuse_leaving(
                f"the array `{name}` outside the function is changed in place",
                f"make another array: `{name} = {name} + ...`",
            )

    def augmented(self, function: Any, old: Value, value: Value) -> Value:
        """`old op= value`: an array or list is changed and stays what it is, of anything else there is a new one."""
        if isinstance(old, Var) and old.is_array:
            self._update(old, (Ellipsis,), function, value, old)
            return old
        if self.is_without_axes(old):
            self.refuse_two_names(old)
            return self.without_axes(object_operators.augmented(self, function, old, value))
        # Python asks NumPy first: `[1.0, 2.0] += array` is the sum, an array.
        longer = (
            function is operator.add and not isinstance(value, np.ndarray) and not self.type_is_array(value)
        )
        if isinstance(old, Growing) and longer:
            list_methods.extend(self, old, value)
            return old
        if isinstance(old, (ListValue, left_outside.Appended)) and longer:
            self.call(self.attribute(old, "extend"), [value], {})
            return old
        if isinstance(old, (ListValue, Growing)) and function is operator.mul:
            self._repeat(old, value)
            return old
        if isinstance(old, dict) and not isinstance(old, Instance) and function is operator.or_:
            self.call(old.update, [value], {})
            return old
        if isinstance(old, (set, frozenset)) and references(self.frame, old) > 1:
            raise self.refuse("a set that has two names is changed under one of them", repair="use one name")
        return object_operators.augmented(self, function, old, value)

    def _repeat(self, items: ListValue | Growing, times: Value) -> None:
        """`items *= times`: every name of the list sees it."""
        if not isinstance(times, int):
            raise self.refuse(
                "a list is repeated in place as often as only the run knows", repair="write `l = l * n`"
            )
        if times < 1:
            self.call(self.attribute(items, "clear"), [], {})
        part = list_methods.copied(self, items) if isinstance(items, Growing) else self.new_list([*items])
        for _ in range(times - 1):
            self.call(self.attribute(items, "extend"), [part], {})

    def _update(
        self, array: Var, index: Value, function: Any, value: Value, whole: Var | None, found: Value = None
    ) -> None:
        """`array[index] op= value`, where `+=` and `-=` stay accumulations.

        `found` is what stood there before the value was computed, if that has changed it.
        """
        if array in self.part_of:
            old = self.subscript(array, index) if found is None else found
            self.set_item(array, index, self.binary(function, old, value))
            return
        array, items = located(self, array, index)
        assert isinstance(array.type, Array)
        fancy = any(isinstance(i, Var) and i.is_array for i in items)
        if isinstance(value, (list, tuple, range, Range)):
            value = self.array_of(value)
        vt = self.type_of(value)
        if vt is None:
            raise self.refuse(f"cannot combine an array with {kind(value)}")
        if is_integer(array.type) and (is_float(vt) or function is operator.truediv):
            raise self.refuse(
                f"Cannot cast ufunc output from dtype('float64') to dtype('{array.type.dtype}') in place",
                "the array holds integers",
                "make it an array of floats",
            )
        place = indexed_type(self, array, items)[0]
        if function is not operator.matmul:  # whose result may have fewer axes than the matrix
            self.require_room(place, vt)
        if found is not None and (fancy or not place.ndim):  # of a slice it is a view
            whole = found
        elif (
            function in (operator.add, operator.sub) and not fancy and np.dtype(array.type.dtype).kind == "f"
        ):
            self.write(
                array,
                items,
                value if function is operator.add else self.to_subtract(value, array.type.dtype),
                accumulate=True,
            )
            return
        old = whole if whole is not None else self.getitem(array, items)
        made = self.binary(function, old, value)
        self.require_room(place, self.type_of(made) or vt)
        self.write(array, items, made)

    def _refuse_spread(self, array: Var) -> None:
        """Refuse a write to what is broadcast: one element in memory stands for many."""
        part: Var | None = array
        while part is not None:
            if part in self.broadcast_of:
                raise self.refuse(
                    f"this writes to `{array.name}`, which is broadcast",
                    "one element in memory stands for several: NumPy forbids to write to what np.broadcast_to gives",
                    "copy it first",
                )
            part = part.view_of

    def _refuse_number(self, base: Value) -> None:
        """Refuse a write by index to what is a number in compiled code."""
        if self.is_without_axes(base):
            raise self.refuse(
                "an array without axes is written to by index",
                "it is a number in compiled code",
                "write to the name (`y = y + 1`), or give it an axis",
            )
        if isinstance(base, Var) and not base.is_array:
            raise self.refuse("a number cannot be written to by index")

    def set_item(self, base: Value, index: Value, value: Value) -> None:
        if isinstance(base, dict) and not isinstance(base, Instance):
            index = choices.key(index)
        if isinstance(index, Choice):
            choices.of_each_in_turn(self, lambda key: self.set_item(base, key, value), index)
        elif isinstance(base, Instance):
            instances.called(self, base, "__setitem__", index, value)
        elif isinstance(base, Var):
            self._refuse_number(base)
            if isinstance(value, (list, tuple, range, Range)):
                value = self.array_of(value)
            if base in self.part_of:
                parts.written(self, base, index, value)
                return
            self.write(*located(self, base, self.index_value(base, index)), value)
        elif isinstance(base, Growing):
            list_methods.put(self, base, index, value)
        elif isinstance(base, (ListValue, dict)):
            if isinstance(base, OutsideDict) and left_outside.leave_item(self, base, index, value):
                return
            self.refuse_outside(base)
            # Where there is no such item, nothing is changed yet.
            place = positions.put_place(self, base, index)
            self.refuse_either(base)
            if place is not None:
                positions.put_at(self, base, place, value)
                return
            require_known(self, index, base, "a list is written at an index that is only known at run time")
            if getattr(base, "depth", self.loop_depth) != self.loop_depth:
                raise NeedsUnrolling(base)
            if getattr(base, "taken", False):
                raise growing.changed(self)
            if isinstance(index, slice):
                value = self.static_items(value, None)
            try:
                base[index] = value
            except (IndexError, TypeError, ValueError) as error:
                raise self.refuse(f"{type(error).__name__}: {error}") from error
        else:
            self._refuse_number(base)
            raise self.refuse(
                f"writing into {kind(base)} is not supported",
                "it was made outside the function",
                "build a new one",
            )

    def _whole(self, value: Value, dtype: np.dtype[Any]) -> Value:
        """A constant as it stands in an array of integers or truth values: later reads are of what was stored."""
        if isinstance(value, int) and dtype == np.int64:
            return int(value)
        stored = self.now(dtype.type, [value], {})
        return stored if dtype.kind != "b" and dtype.itemsize < 8 else stored.item()

    def write(self, array: Var, index: Any, value: Value, accumulate: bool = False) -> None:
        """Write to elements, or add to them, as NumPy does: the shapes fit, the value is read before."""
        assert isinstance(array.type, Array)
        if array.root in self.frozen:
            raise frozen.written(self, array.root)
        self._refuse_spread(array)
        target, _ = indexed_type(self, array, index)
        if Dim(-1) in target.shape:
            target = self.getitem(array, index).type  # a view, whose lengths have names
        vt = self.type_of(value)
        if vt is None:
            raise self.refuse(f"cannot store {kind(value)} in an array")
        if isinstance(value, Var) and 0 < target.ndim < vt.ndim:
            # NumPy leaves out axes of one element that come first; of arrays of numbers it takes no element so.
            value = stretching.without_leading(self, value, vt.ndim - target.ndim)
            vt = self.type_of(value)
            assert vt is not None
        if vt.ndim > target.ndim:
            raise self.refuse(
                "could not broadcast the value into the shape of its target",
                f"the value has {vt.ndim} axes, the target {target.ndim}",
                "reduce it first",
            )
        value = stretching.against(self, value, [target.shape])
        shape = value.type.shape if isinstance(value, Var) else vt.shape
        unfit = "could not broadcast input array from one shape into another"
        self.fit([target.shape, shape], unfit)
        for own, length in zip(reversed(target.shape), reversed(shape), strict=False):
            if own.known == 1:
                self.require_equal(length, own, unfit)
        if isinstance(value, Var) and value.type.dtype != array.type.dtype:
            # To integers NumPy would truncate here without a word; the derivative through it is zero by nature.
            value = self.cast(value, array.type.dtype)
        elif not isinstance(value, Var) and np.dtype(array.type.dtype).kind in "iub":
            value = self._whole(value, np.dtype(array.type.dtype))
        if (
            isinstance(value, Var)
            and value.is_array
            and value.root is array.root
            and not (accumulate and value is array and all(i == FULL for i in index))
        ):
            # NumPy reads the whole right-hand side before it writes an overlapping target. Of an element that is added
            # to itself nothing else is read.
            value = self.op("copy", value)
        # Where an array says which of its own elements are written, the reverse sweep asks what it said before.
        index = tuple(
            self.op("copy", i) if isinstance(i, Var) and i.is_array and i.root is array.root else i
            for i in index
        )
        self.store(array, index, value, accumulate)


def _side_by_side(node: Any) -> bool:
    """Whether values get names one by one: `a, b = f(x), g(x)`."""
    return isinstance(node.value, gast.Tuple) and all(
        isinstance(t, gast.Tuple)
        and len(t.elts) == len(node.value.elts)
        and all(isinstance(e, gast.Name) for e in t.elts)
        and not any(isinstance(e, gast.Starred) for e in node.value.elts)
        for t in node.targets
    )
