"""Containers, attributes, subscripts, strings and lambdas: constants fold, the rest becomes IR."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import (
    choices,
    dicts,
    generics,
    grown_reads,
    infer,
    instances,
    keys_of_run,
    left_outside,
    list_calls,
    list_displays,
    logged,
    numbered,
    operator_methods,
    parts,
    positions,
    row_classes,
    texts,
)
from adc.compiler.frontend.frame import (
    Closure,
    Evaluated,
    Generator,
    Given,
    Growing,
    Instance,
    Items,
    Iterated,
    ListValue,
    NeedsUnrolling,
    Range,
    SuperOf,
    SurelyRaised,
    once,
)
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.indexing import FULL, gains_axes, located
from adc.compiler.frontend.known import require_known, require_known_key
from adc.compiler.frontend.left_places import ABSENT
from adc.compiler.frontend.operators import Operators
from adc.compiler.frontend.outside import OutsideDict, Place
from adc.compiler.frontend.values import SETTLED_MODULES, Choice, Maybe, Value, is_settled, kind
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar
from adc.rules import python_containers, registry
from adc.runtime.modules import module_of

_CONVERSIONS: dict[int, Callable[[Any], Any]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


class Expressions(Operators):
    """The part of the evaluator that makes containers and reads what is in them."""

    # --- containers and strings -----------------------------------------------------------------------------

    def eval_Tuple(self, node: Any) -> Value:
        items = tuple(self.elements(node.elts, self.evaluate_maybe))
        self.refuse_iterators(items, node)
        return items

    def eval_List(self, node: Any) -> Value:
        return list_displays.made(self, node)

    def eval_Set(self, node: Any) -> Value:
        return self.set_of(self.elements(node.elts), node)

    def set_of(self, items: list[Value], node: Any) -> Value:
        """A set, of values known now."""
        if not self.is_static(items):
            with self.origin_at(self.locate(node)):
                raise self.refuse(
                    "a set of values that are only known at run time is not supported",
                    "its elements are compared when it is made",
                    "use a tuple or an array",
                )
        if not self.in_user_code:
            return frozenset(items)
        return self.call(python_containers.Set, [self.new_list(items)], {})

    def elements(self, nodes: list[Any], evaluate: Callable[[Any], Value] | None = None) -> list[Value]:
        """The values of expressions in a row, some of them starred."""
        items: list[Value] = []
        for element in nodes:
            if isinstance(element, gast.Starred):
                items += self.spread(self.evaluate(element.value), element)
            else:
                items.append((evaluate or self.evaluate)(element))
        return items

    def spread(self, value: Value, element: Any) -> list[Value]:
        """What stands in place of `*value`."""
        items = self.static_items(value, element)
        with self.origin_at(self.locate(element)):
            return [self.fetched(item, "an element that is an iterator") for item in items]

    def refuse_iterators(self, items: Iterable[Value], node: Any) -> None:
        """Refuse a container of what is gone over once: who reads it there next finds it where others left it."""
        items = list(items)
        # `*[generator()] * 2` is no display.
        parts = node.values if isinstance(node, gast.Dict) else getattr(node, "elts", ())
        computed = any(isinstance(n, gast.GeneratorExp) or self.unread(n) is not None for n in parts)
        kinds = (Items, Given, Generator, Iterated, *([Var] if computed else []))
        if any(isinstance(item, kinds) for item in items):
            with self.origin_at(self.locate(node)):
                raise self.refuse(
                    "a generator, or what zip(), map() and the like give, is put into a container",
                    "what is left of it depends on who took what",
                    "make a list of it",
                )

    def eval_Dict(self, node: Any) -> Value:
        result = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(dicts.contents(self, self.evaluate(value)))
                continue
            k = self.evaluate(key)
            with self.origin_at(self.locate(key)):
                require_known_key(self, k)
            result[k] = self.evaluate_maybe(value)
        self.refuse_iterators(result.values(), node)
        return keys_of_run.made(self, result)

    def eval_JoinedStr(self, node: Any) -> Value:
        parts = [self.evaluate(v) for v in node.values]
        if all(isinstance(p, (str, Choice)) for p in parts):
            return choices.of_each(self, lambda *known: "".join(known), *parts)
        return texts.joined(self, *parts)

    def eval_FormattedValue(self, node: Any) -> Value:
        value = self.evaluate(node.value)
        spec = self.evaluate(node.format_spec) if node.format_spec is not None else ""
        if not self.is_static(value) and not isinstance(value, Choice):
            conversion = chr(node.conversion) if node.conversion in _CONVERSIONS else ""
            return texts.shown(self, value, conversion, spec)
        convert = _CONVERSIONS.get(node.conversion, lambda v: v)
        return choices.of_each(self, lambda known: format(convert(known), spec), value)

    def eval_NamedExpr(self, node: Any) -> Value:
        value = self.evaluate_maybe(node.value)
        self.note_effect()
        frame = self.frame
        while frame.regions is not None:
            if self.region_depth > frame.regions:
                raise self.refuse(
                    f"`{node.target.id}` of a function is assigned in a comprehension on some paths only",
                    "a comprehension has names of its own, which are all that a branch in it can set",
                    "write a loop",
                )
            assert frame.parent is not None
            frame = frame.parent
        if node.target.id in frame.left:
            left_outside.leave(self, frame.left[node.target.id], node.target.id, value)
        else:
            frame.env[node.target.id] = once(self.named_value(value, node.target.id))
        return self.fetched(value, f"`{node.target.id}`")

    def named_value(self, value: Value, name: str) -> Value:
        """Give a fresh, nameless value the name that the user assigns it to."""
        if isinstance(value, Var) and not value.named:
            value.name, value.named = name, True
        return value

    def eval_Lambda(self, node: Any) -> Value:
        tree = gast.FunctionDef(
            name="lambda_",
            args=node.args,
            body=[gast.copy_location(gast.Return(value=node.body), node.body)],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],
        )
        gast.copy_location(tree, node)
        return Closure(tree, self.frame, self.default_values(node.args))

    def default_values(self, args: Any) -> dict[str, Value]:
        """The default values of a nested function, evaluated where it is defined."""
        names = [a.id for a in (*args.posonlyargs, *args.args)]
        values = {
            n: self.evaluate(d)
            for n, d in zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True)
        }
        for name, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if default is not None:
                values[name.id] = self.evaluate(default)
        return values

    # --- attributes and subscripts --------------------------------------------------------------------------

    def eval_Attribute(self, node: Any) -> Value:
        self.is_appended_to, outer = node.attr in ("append", "extend"), self.is_appended_to
        base = self.evaluate(node.value)
        self.is_appended_to = outer
        with self.origin_at(self.locate(node)):
            return self.fetched(self.attribute(base, node.attr), f"`{node.attr}`")

    def of_range(self, numbers: Range, index: Value) -> Value:
        raise AssertionError("iteration.Iteration counts")

    def require_items(self, value: Value, message: str = "'{}' object is not iterable") -> None:
        """Raise Python's TypeError where a number, None or the like is gone over: a `try` may ask so what it is."""
        if isinstance(value, Var) and not value.is_array:
            name = {"b": "bool", "c": "complex", "f": "float"}.get(np.dtype(value.type.dtype).kind, "int")
        elif isinstance(value, (int, float, complex, np.number, type(None))):
            name = type(value).__name__
        else:
            owner = instances.class_of(value)
            if owner is None or hasattr(owner, "__iter__") or hasattr(owner, "__getitem__"):
                return
            name = owner.__name__
        raise SurelyRaised(TypeError(message.format(name)), self.region_depth, self.origin)

    def attribute(self, base: Value, name: str) -> Value:
        if isinstance(base, Choice):
            return choices.of_each(self, lambda one: self.attribute(one, name), base)
        if isinstance(base, left_outside.Appended):
            return left_outside.appended(self, base, name)
        if isinstance(base, Growing):
            if not hasattr(list, name):
                raise self.refuse(
                    f"attribute `{name}` is read of an element of a list of a run-time length",
                    "such a list is an array, its elements are rows of numbers",
                    "read elements by their position, or keep one list for each attribute",
                )
            return Method(base, name)
        if isinstance(base, (Instance, SuperOf)):
            try:
                if isinstance(base, SuperOf):
                    return instances.inherited(self, name, base.cls, base.owner)
                return instances.attribute(self, base, name)
            except AttributeError as error:
                raise SurelyRaised(error, self.region_depth, self.origin) from error
        if isinstance(base, Iterated):
            raise self.refuse(
                f"attribute `{name}` of an iterator is not supported",
                repair="go over it in a loop, or by next()",
            )
        if not isinstance(base, Var):
            if isinstance(base, (float, int, np.generic)) and name in ("shape", "ndim", "size", "T"):
                return {"shape": (), "ndim": 0, "size": 1, "T": base}[name]
            if isinstance(base, np.ndarray) and name in ("shape", "ndim", "size", "T"):  # one of None
                return getattr(base, name)
            if type(base) in (bool, int, float, complex) and not hasattr(base, name):
                base = np.asarray(base)[()]  # constants of NumPy's are kept as Python's
            if (log := logged.method(self, base, name)) is not None:
                return log
            if (left := left_outside.attribute(self, base, name)) is not ABSENT:
                return left
            try:
                value = instances.attribute_of_value(self, base, name)
            except AttributeError as error:
                if self.call(builtins.hasattr, [base, name], {}):  # which is seen to: it may be given one
                    raise self.refuse(f"attribute `{name}` is not supported here") from error
                raise SurelyRaised(error, self.region_depth, self.origin) from error
            if _changeable(base, value):
                return self.captured(Place(getattr, base, name), name)
            cls = base if isinstance(base, type) else type(base)
            if callable(value) and not is_settled(cls):
                instances.stays(self, base, name)
            return value
        if self.trying:
            self._require_attribute(base, name)
        if name == "shape":
            return self.shape_values(base.type.shape)
        if name == "ndim":
            return base.type.ndim
        if name == "size":
            if any(d.known == 0 for d in base.type.shape):
                return 0
            total: Value = 1
            for d in self.shape_values(base.type.shape):
                total = self.op("multiply", total, d) if total != 1 or isinstance(total, Var) else d
            return total
        if name == "itemsize":
            return np.dtype(base.type.dtype).itemsize
        if name == "nbytes":
            return self.op("multiply", self.attribute(base, "size"), np.dtype(base.type.dtype).itemsize)
        if name == "strides" and isinstance(base.type, Array) and base.type.layout == "C":
            return self._steps(base)
        if name == "T":
            return self.op("transpose", base)
        if name == "mT":
            return self.call(np.swapaxes, [base, -1, -2], {})
        if name == "flat" and base.is_array:
            flat = self.call(np.ravel, [base], {})
            if flat is base:
                flat = self.getitem(base, (FULL,))
            if getattr(base.type, "layout", None) != "C":
                self.snapshots[flat] = base  # a copy, where the iterator writes to the array
            self.laid_flat.add(flat)
            return flat
        if name == "dtype":
            return np.dtype(base.type.dtype)
        if name in ("real", "imag"):
            return parts.part(self, base, name)
        if name == "__array__":
            return Evaluated(lambda dtype=None, copy=None: self.call(np.asarray, [base, dtype], {}))
        if name == "__array_namespace__":
            return Evaluated(lambda api_version=None: np)
        operation = registry.find_method(name)
        if operation is not None or name in self.array_methods():
            return BoundMethod(base, name)
        if (of_operator := operator_methods.of_value(self, base, name)) is not None:
            return of_operator
        raise self.refuse(
            f"attribute `{name}` of an array is not supported",
            repair="use the function of NumPy of that name"
            if hasattr(np, name)
            else "take what it says out of the function, as an argument",
        )

    def _steps(self, base: Var) -> Value:
        """How far the elements of an array that lies row by row are apart along each axis, in bytes."""
        steps: list[Value] = []
        step: Value = np.dtype(base.type.dtype).itemsize
        for length in reversed(self.shape_values(base.type.shape)):
            steps.insert(0, step)
            step = self.op("multiply", step, length)
        return tuple(steps)

    def _require_attribute(self, base: Var, name: str) -> None:
        """A `try` may ask so what a value is: a number of Python's has no shape."""
        t = base.type
        if isinstance(t, Scalar) and t.weak:
            samples = [infer.sample(t)]
            kind_of_it = type(samples[0]).__name__
        else:
            samples = [np.empty(0), np.float64(0.0)]
            kind_of_it = "numpy.ndarray" if base.is_array else "numpy.float64"
        if not any(hasattr(s, name) for s in samples):
            missing = AttributeError(f"'{kind_of_it}' object has no attribute '{name}'")
            raise SurelyRaised(missing, self.region_depth, self.origin)

    def eval_Slice(self, node: Any) -> Value:
        return slice(*(None if p is None else self.evaluate(p) for p in (node.lower, node.upper, node.step)))

    def eval_Subscript(self, node: Any) -> Value:
        base = self.evaluate(node.value)
        return self.item_of(node, base, self.evaluate(node.slice))

    def item_of(self, node: Any, base: Value, index: Value) -> Value:
        """`base[index]`, as the node has it."""
        display = node.value if isinstance(node.value, (gast.Tuple, gast.List)) else None
        if id(display) in self.stacked:
            self.stacked[id(base)] = base  # which is made anew whenever the body of the loop is evaluated
        with self.origin_at(self.locate(node)):
            try:
                return self.fetched(self.subscript(base, index), "an element that is an iterator")
            except NeedsUnrolling as needed:
                if needed.container is base:
                    needed.display = display
                raise

    def index_value(self, base: Value, index: Value) -> Value:
        """An index as NumPy takes it: lists, tuples and ranges in it are arrays, masks beside other items positions."""
        if isinstance(index, Growing) and index.is_row:
            index = row_classes.as_index(self, index)
        if not isinstance(index, tuple):
            (index,) = list_calls.plain(self, [index])
            if isinstance(index, list) and not index:
                return self.op("zeros", 0, dtype=np.dtype("int64"))  # no positions
            return self.array_of(index) if isinstance(index, (list, Range, range)) else index
        index = tuple([self.required(i, "index") if isinstance(i, Maybe) else i for i in index])
        items = tuple(
            self.array_of(i) if isinstance(i, (list, tuple, Range, range)) else i
            for i in list_calls.plain(self, index)
        )
        masks = [i for i in items if _is_mask(i)]
        if (
            not masks
            or not isinstance(base, Var)
            or (items[0] is masks[0] and all(map(_is_whole, items[1:])))
        ):
            return items
        return self._by_positions(base, items)

    def _by_positions(self, base: Var, items: tuple[Value, ...]) -> tuple[Value, ...]:
        """An index in which masks are the positions where they are true, as NumPy has it."""
        consumed = [i.type.ndim if _is_mask(i) else int(i is not None and i is not Ellipsis) for i in items]
        axis = 0
        found: list[Value] = []
        for item, count in zip(items, consumed, strict=True):
            if _is_mask(item):
                for k in range(count):
                    self.require_equal(
                        item.type.shape[k],
                        base.type.shape[axis + k],
                        "boolean index did not match indexed array along an axis",
                    )
                found += self.call(np.nonzero, [item], {}) if count > 1 else [self.op("flatnonzero", item)]
            else:
                found.append(item)
            axis += base.type.ndim - sum(consumed) if item is Ellipsis else count
        return tuple(found)

    def subscript(self, base: Value, index: Value) -> Value:
        if isinstance(base, dict) and not isinstance(base, Instance):
            index = choices.key(index)
        if isinstance(base, Choice) or isinstance(index, Choice):
            return choices.of_each(self, self.subscript, base, index)
        if isinstance(index, tuple) and any(isinstance(i, Choice) for i in index):
            return choices.of_each(self, lambda *items: self.subscript(base, items), *index)
        if isinstance(base, Range):
            return self.of_range(base, index)
        if isinstance(base, Growing):
            return grown_reads.element(self, base, index)
        if generics.is_generic(base):
            return generics.of_types(self, base, index)
        if isinstance(base, Instance) or instances.method(self, base, "__getitem__") is not None:
            return instances.called(self, base, "__getitem__", index)
        if isinstance(base, OutsideDict):
            return self.item_outside(base, index)
        if isinstance(index, Var) and positions.is_stacked(self, base):
            return positions.in_table(self, base, index)
        if isinstance(index, Var) and id(base) in self.tabled and positions.is_place(index):
            return self.tabled[id(base)].item(positions.place(self, base, index))
        if gains_axes(self, base, index):
            return self.call(np.reshape, [base, (1,) * (1 if index is None else index.count(None))], {})
        if isinstance(base, Var):
            if not base.is_array:
                if index is Ellipsis or index == ():
                    return base  # an array without axes
                raise self.refuse("a number cannot be indexed", repair="index an array")
            found = self.getitem(*located(self, base, self.index_value(base, index)))
            items = index if isinstance(index, tuple) else (index,)
            if found.view_of is not None and (
                base in self.laid_flat or any(map(self.is_without_axes, items))
            ):
                return self.op("copy", found)  # what NumPy gathers, as it does at an array without axes
            open_ended = any(item is Ellipsis for item in items)
            return self.view_without_axes(found, base) if open_ended and not found.is_array else found
        if registry.find_by_item(base) is not None:
            return self.call(base.__getitem__, [index], {})
        if positions.may_choose(self, base, index):
            return positions.item_at(self, base, index)
        if positions.is_table(self, base, index):
            return positions.in_table(self, base, index)
        if type(base) is dict and not self.loop_depth and numbered.may_hold(base, index):
            item = numbered.item(self, base, index, "the dict")
            if item is not None:
                return item
        positions.require_items(self, base, index)
        known = hasattr(base, "__getitem__") and self.is_static(index)
        if known or isinstance(base, (tuple, list, dict, range, str)):
            require_known(
                self,
                index,
                base,
                "a tuple or list is indexed by a value that is only known at run time",
                "its elements may have different types",
                read=True,
            )
            try:
                item = base[index]
            except (IndexError, KeyError, TypeError) as error:
                raise SurelyRaised(error, self.region_depth, self.origin) from error
            return self.new_list(item) if isinstance(base, ListValue) and isinstance(index, slice) else item
        raise self.refuse(f"{kind(base)} cannot be indexed here")


def _is_mask(item: Value) -> bool:
    return isinstance(item, Var) and item.is_array and item.type.dtype == "bool"


def _is_whole(item: Value) -> bool:
    """Whether an item of an index takes an axis as it is."""
    return item is Ellipsis or item == slice(None)


class BoundMethod:
    """`array.name`, about to be called."""

    def __init__(self, array: Var, name: str) -> None:
        self.array = array
        self.name = name


def _is_own(base: Value, value: Value) -> bool:
    """Whether an attribute was set on an object itself."""
    return not isinstance(base, type) and any(v is value for v in getattr(base, "__dict__", {}).values())


def _changeable(base: Value, value: Value) -> bool:
    """Whether an attribute belongs to the user, who may set it between calls: data of objects, classes and modules."""
    if isinstance(value, (Var, types.ModuleType, Evaluated)):
        return False
    if type(value) in (dict, list) and not isinstance(base, (tuple, list, dict)):
        return True  # of a library, too: what is kept in it outlives the program
    if isinstance(base, (types.ModuleType, types.FunctionType)):
        name = module_of(base) if isinstance(base, types.FunctionType) else base.__name__
        return (name or "").partition(".")[0] not in SETTLED_MODULES
    # What a class defines is made into a method anew at each read, and is taken to stay as it is.
    if callable(value) and not _is_own(base, value):
        return False
    if isinstance(value, np.ndarray):
        return True  # of an object of a library
    cls = base if isinstance(base, type) else type(base)
    return not is_settled(cls) and not isinstance(base, (tuple, list, dict))
