"""The arguments of a call become a key (what the generated code depends on) and a list of run-time inputs.

Arrays and numbers are inputs. Strings, bools, None, functions, enums, dtypes and tuples of ints are static:
each value has generated code of its own. Tuples, lists, dicts, namedtuples and dataclasses are taken apart
into their leaves. An object of any other class is static by identity; the compiler reads its attributes.
"""

from __future__ import annotations

import enum
import inspect
import operator
import re
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adc import pytree
from adc.api.keeping import MOST_SPECIALISATIONS, shared_by_all_of
from adc.compiler.frontend.frame import Closure, Place
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.sizes import FEW, short_axes
from adc.errors import ArgumentError
from adc.pytree import Structure
from adc.runtime.detours import own_code, taken_signature
from adc.tape.tensor import Tensor

__all__ = [
    "NUMBERS",
    "Instead",
    "Layout",
    "Leaf",
    "Parameters",
    "Slot",
    "is_by_identity",
    "is_static_tuple",
    "leaf_key",
    "read",
    "refuse_no_argnums",
    "slots_of",
]

NUMBERS = (float, int, complex, np.floating, np.integer, np.complexfloating)
_BY_VALUE = (str, bytes, bool, np.bool_, type(None), enum.Enum, np.dtype, type, type(Ellipsis))
_PLAIN_STATIC = frozenset({str, bool, type(None)})
_BY_IDENTITY = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc)
_MISSING: Any = inspect.Parameter.empty
ndarray = np.ndarray

Instead = Callable[[Any, bool], Any] | None  # (list, whether it is differentiated)


# --- which parameter gets what ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """The slots of one way to call a function: one per parameter, one per item of `*args` and `**kwargs`."""

    names: tuple[str, ...]
    positional: int  # how many of them argnums may count
    places: tuple[tuple[str, Any], ...]  # parameter and, for *args and **kwargs, the position or key inside

    def arguments(self, values: Sequence[Any], variadic: dict[str, type]) -> dict[str, Any]:
        """The values by parameter, those of `*args` and `**kwargs` collected again."""
        found: dict[str, Any] = {name: kind() for name, kind in variadic.items()}
        for (parameter, inside), value in zip(self.places, values, strict=True):
            if inside is None:
                found[parameter] = value
            elif variadic[parameter] is tuple:
                found[parameter] = (*found[parameter], value)
            else:
                found[parameter][inside] = value
        return found


def _place_of_default(function: types.FunctionType | None, default: Any) -> Place | None:
    """Where a function holds a default."""
    for attribute in ("__defaults__", "__kwdefaults__"):
        held = getattr(function, attribute, None) or ()
        for key, value in held.items() if isinstance(held, dict) else enumerate(held):
            if value is default:
                return Place(operator.getitem, Place(getattr, function, attribute), key)
    return None


def _told(function: types.FunctionType) -> tuple[int, ...]:
    """What a function says of its parameters itself, as `inspect.signature` takes it."""
    return tuple(id(function.__dict__.get(name)) for name in ("__wrapped__", "__signature__"))


def refuse_no_argnums(argnums: Any) -> None:
    """Raise ArgumentError for `argnums` without any."""
    if isinstance(argnums, (tuple, list)) and not argnums:
        raise ArgumentError(
            f"argnums={argnums!r} names no argument", repair="Name those to differentiate with respect to."
        )


class Parameters:
    """How a function takes its arguments.

    >>> def f(x, y=2.0, *, z=3.0): ...
    >>> Parameters(f).bind((1.0,), {"z": 5.0})[1]
    (1.0, 2.0, 5.0)
    """

    def __init__(self, function: Callable[..., Any], skip: int = 0) -> None:
        plain = function if isinstance(function, types.FunctionType) else None
        self._name = getattr(function, "__name__", "the function")
        self._of = None if plain is None else weakref.ref(plain)  # which may hold this
        if plain is not None:
            self._code, self._positional = own_code(plain), plain.__defaults__
            self._named = dict(plain.__kwdefaults__ or {})
            self._told = _told(plain)
        self.signature = (
            function.__signature__ if isinstance(function, Closure) else taken_signature(function)
        )
        parameters = list(self.signature.parameters.values())[skip:]
        self.signature = self.signature.replace(parameters=parameters)
        self.variadic: dict[str, type] = {
            p.name: tuple if p.kind is p.VAR_POSITIONAL else dict
            for p in parameters
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        }
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.layout = Layout(
            tuple(p.name for p in parameters), len(positional), tuple((p.name, None) for p in parameters)
        )
        self._positions = {p.name: k for k, p in enumerate(parameters) if p.kind is not p.POSITIONAL_ONLY}
        self._defaults = [p.default for p in parameters]
        self.mutable = {
            p.name: (p.default, place)
            for p in parameters
            if isinstance(p.default, (list, dict)) and (place := _place_of_default(plain, p.default))
        }
        # For each number of positional arguments, the defaults that complete them; None where one is missing.
        self.completions: list[tuple[Any, ...] | None] = (
            []
            if self.variadic
            else [
                None if any(d is _MISSING for d in self._defaults[k:]) else tuple(self._defaults[k:])
                for k in range(len(positional) + 1)
            ]
        )

    def current(self) -> bool:
        """Whether the function takes its arguments still so: what reloads a module puts new code in old functions."""
        of = None if self._of is None else self._of()
        if of is None:
            return True
        named = of.__kwdefaults__
        return (
            (of.__code__ is self._code or own_code(of) is self._code)
            and _told(of) == self._told
            and of.__defaults__ is self._positional
            and (
                not named
                or (len(named) == len(self._named) and all(named.get(k) is v for k, v in self._named.items()))
            )
        )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Layout, tuple[Any, ...]]:
        """The slots of a call and their values, defaults filled in. Raises TypeError as Python would."""
        if not self.variadic and len(args) <= self.layout.positional:
            values: list[Any] = [*args, *self._defaults[len(args) :]]
            for name, value in kwargs.items():
                position = self._positions.get(name, -1)
                if position < len(args):
                    break  # unknown, or given twice: the signature says so below
                values[position] = value
            else:
                if not any(v is _MISSING for v in values):
                    return self.layout, tuple(values)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}{self.signature}: {error}") from None
        bound.apply_defaults()
        names: list[str] = []
        places: list[tuple[str, Any]] = []
        values = []
        positional = 0
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                names += [f"{name}_{k}" for k in range(len(value))]
                places += [(name, k) for k in range(len(value))]
                values += value
                positional += len(value)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                names += list(value)
                places += [(name, key) for key in value]
                values += value.values()
            else:
                names.append(name)
                places.append((name, None))
                values.append(value)
                positional += kind is not inspect.Parameter.KEYWORD_ONLY
        return Layout(tuple(names), positional, tuple(places)), tuple(values)

    def bind_inside(
        self, ev: Evaluator, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Layout, tuple[Any, ...]]:
        """`bind` for a call in a program that is being built, which reads the defaults anew at each of its calls."""
        layout, values = self.bind(args, kwargs)
        given = self.signature.bind(*args, **kwargs).arguments
        if len(given) == len(self.signature.parameters):
            return layout, values
        if isinstance(function, types.FunctionType):
            ev.defaults[function] = function.__defaults__
        arguments = layout.arguments(values, self.variadic)
        ev.take_defaults(function, arguments, given)
        found = [
            arguments[name] if inside is None else arguments[name][inside] for name, inside in layout.places
        ]
        return layout, tuple(found)

    def left_out(self, layout: Layout, values: Sequence[Any], wanted: Sequence[bool]) -> dict[str, Place]:
        """The parameters that a call leaves to a list or dict of the function's, which keeps what is written to it.

        With each, where that list or dict is found.
        """
        if not self.mutable:
            return {}
        return {
            name: self.mutable[name][1]
            for (name, inside), value, is_wanted in zip(layout.places, values, wanted, strict=True)
            if inside is None and not is_wanted and name in self.mutable and value is self.mutable[name][0]
        }

    def wanted(self, argnums: Any, layout: Layout, of: str) -> tuple[int, ...]:
        """The slots that `argnums` names. Raises ArgumentError for one that is not there, or named twice."""
        asked = argnums if isinstance(argnums, tuple) else (argnums,)
        found = tuple(self._slot(a, layout, of) for a in asked)
        if len(set(found)) != len(found):
            raise ArgumentError(
                f"argnums={argnums!r} names an argument of {of} twice", repair="Name each once."
            )
        return found

    def _slot(self, asked: Any, layout: Layout, of: str) -> int:
        if isinstance(asked, str) and asked in layout.names:
            return layout.names.index(asked)
        if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
            k = int(asked) + layout.positional if asked < 0 else int(asked)
            if 0 <= k < layout.positional:
                return k
        listed = ", ".join(layout.names) or "none"
        raise ArgumentError(
            f"argnums={asked!r} is no argument of {of}",
            why=f"Its arguments are: {listed}.",
            repair="Give a position, a name, or a tuple of them; a keyword-only argument goes by its name.",
        )


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """How a function takes its arguments, as another transform of it may have found out.

    >>> def f(x, y=2.0): ...
    >>> parameters_of(f) is parameters_of(f)
    True
    """
    known = shared_by_all_of(function, ("parameters",), MOST_SPECIALISATIONS)
    if not (known and known[0].current()):
        known[:] = [Parameters(function)]
    found: Parameters = known[0]
    return found


# --- keys and inputs: the path of every call ----------------------------------------------------------------


def read(
    values: Sequence[Any], wanted: Sequence[bool], key: list[Any], inputs: list[Any], instead: Instead = None
) -> None:
    """Append what the generated code depends on to `key`, and the run-time inputs to `inputs`.

    An int where a derivative is wanted is a float: the derivative moves it between the integers. What `instead` gives
    for a list is taken apart in its place.
    """
    for k, value in enumerate(values):  # zip with strict=True would cost as much as the rest
        kind = value.__class__
        if kind is ndarray:
            shape = value.shape
            if shape:
                known: Any = len(shape) if 1 not in shape else tuple([n == 1 for n in shape])
                if shape[-1] <= FEW:
                    known = known, short_axes(shape)
                key.append((value.dtype, value.flags.c_contiguous, known))
                inputs.append(value)
            else:
                key.append(value.dtype.type)
                inputs.append(value[()])
        elif kind is float:
            key.append(float)
            inputs.append(value)
        elif kind in _PLAIN_STATIC:
            key.append((kind, value))
        else:
            _read_other(value, wanted[k], key, inputs, instead)


def _read_other(value: Any, is_wanted: bool, key: list[Any], inputs: list[Any], instead: Instead) -> None:
    if isinstance(value, ndarray):
        _refuse_special_arrays(value)
        read((np.asarray(value),), (is_wanted,), key, inputs)
        return
    if isinstance(value, _BY_VALUE):
        key.append((value.__class__, value))
        return
    if isinstance(value, NUMBERS):
        value = float(value) if is_wanted and isinstance(value, int) else value
        key.append(value.__class__)
        inputs.append(value)
        return
    if is_static_tuple(value) and not is_wanted:
        key.append((tuple, value))
        return
    if pytree.is_leaf(value):
        key.append(_static_key(value))
        return
    lists = _for_lists(instead, is_wanted)
    leaves, structure = pytree.flatten(value, lists, attributes=not is_wanted, settings=is_wanted)
    key.append((structure, structure.orders) if structure.orders else structure)
    read(leaves, (is_wanted,) * len(leaves), key, inputs)


def _for_lists(instead: Instead, wanted: bool) -> Callable[[Any], Any] | None:
    return None if instead is None else lambda items: instead(items, wanted)


def leaf_key(value: Any) -> tuple[Any, Any]:
    """The key of one captured value, and the value as an input."""
    key: list[Any] = []
    inputs: list[Any] = []
    read((value,), (False,), key, inputs)
    return key[0], inputs[0] if len(inputs) == 1 else None


class _ById:
    """An object of unknown class in a key: equal to itself alone, and kept alive by the key."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _static_key(value: Any) -> Any:
    if isinstance(value, slice | range):  # range(0) equals range(1, 1)
        return (type(value), value.start, value.stop, value.step)
    if isinstance(value, _BY_IDENTITY):
        return (
            _ById(value)
            if not isinstance(value, types.MethodType)
            else (value.__func__, _ById(value.__self__))
        )
    if isinstance(value, Tensor):
        return Tensor
    if hasattr(type(value), "__array__") or hasattr(type(value), "__array_interface__"):
        raise ArgumentError(
            f"an argument is a `{type(value).__module__}.{type(value).__name__}`, not a NumPy array",
            repair="Pass np.asarray(x).",
        )
    return _ById(value)


def is_by_identity(value: Any) -> bool:
    """Whether an argument has code of its own, as functions and objects of the user's classes have."""
    if isinstance(value, (ndarray, *NUMBERS, *_BY_VALUE)) or not pytree.is_leaf(value):
        return False
    return isinstance(_static_key(value), _ById)


def is_static_tuple(value: Any) -> bool:
    """Tuples of ints are shapes, axes and sizes: known when the code is generated."""
    return value.__class__ is tuple and all(v.__class__ is int or is_static_tuple(v) for v in value)


def _refuse_special_arrays(value: Any) -> None:
    if isinstance(value, (np.matrix, np.ma.MaskedArray)):
        raise ArgumentError(
            f"an argument is a `{type(value).__name__}`, whose operators mean something else than an array's",
            repair="Pass np.asarray(x), and for masked arrays the mask beside it.",
        )


# --- slots in full: for the first call of each kind ---------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """One leaf of an argument: a run-time input, or a static value."""

    name: str  # a Python name, as the generated function calls it
    path: str  # as the user would write it: `params['w']`
    value: Any
    is_input: bool
    taken_as: Literal["any", "number", "lengths"] = "any"  # what of an input the code takes for granted
    axes: tuple[int, ...] = ()  # whose lengths these are


@dataclass(frozen=True)
class Slot:
    """One argument with its leaves."""

    name: str
    structure: Structure
    leaves: tuple[Leaf, ...]
    wanted: bool
    default: Place | None = None  # where the function holds it, which the call leaves to it

    def inputs(self) -> Iterator[Leaf]:
        return (leaf for leaf in self.leaves if leaf.is_input)


def slots_of(
    layout: Layout, values: Sequence[Any], wanted: Sequence[bool], instead: Instead = None
) -> list[Slot]:
    """The arguments of a call, leaf by leaf, in the order in which `read` lists the inputs.

    Raises ArgumentError for a leaf with respect to which nothing can be differentiated, and where there is no leaf. An
    empty container beside others, as the parameters of a layer without any, has one like it for its gradient.
    """
    slots = [
        _slot(name, value, w, instead) for name, value, w in zip(layout.names, values, wanted, strict=True)
    ]
    asked = [slot for slot in slots if slot.wanted]
    if asked and not any(slot.leaves for slot in asked):
        raise ArgumentError(
            f"the argument `{asked[0].name}` holds nothing, and a gradient is wanted with respect to it",
            repair="Pass floats, arrays of floats or containers of them, or choose other arguments with argnums.",
        )
    return slots


def _slot(name: str, value: Any, wanted: bool, instead: Instead) -> Slot:
    static = isinstance(value, _BY_VALUE) or (is_static_tuple(value) and not wanted)
    if static:
        if wanted:
            raise _not_differentiable(name, value)
        return Slot(name, pytree.LEAF, (Leaf(name, name, value, False),), False)
    leaves = []
    lists = _for_lists(instead, wanted)
    items, structure = pytree.flatten_with_paths(value, lists, attributes=not wanted, settings=wanted)
    for path, item in items:
        is_input = isinstance(item, (ndarray, *NUMBERS)) and not isinstance(item, (bool, np.bool_))
        if isinstance(item, ndarray):
            item = np.asarray(item)
            item = item if item.ndim else item[()]
        if wanted and not isinstance(item, Tensor):
            _check_differentiable(f"{name}{path}", item, is_input)
            item = float(item) if isinstance(item, int) else item
        if isinstance(item, ndarray):
            _check_dtype(f"{name}{path}", item.dtype)
        leaves.append(Leaf(_python_name(name + path), name + path, item, is_input))
    return Slot(name, structure, tuple(leaves), wanted)


def _check_differentiable(path: str, item: Any, is_input: bool) -> None:
    if not is_input:
        raise _not_differentiable(path, item)
    kind = np.asarray(item).dtype.kind
    if kind not in "fc" and not (isinstance(item, int) and not isinstance(item, bool)):
        dtype = getattr(item, "dtype", type(item).__name__)
        raise ArgumentError(
            f"the argument `{path}` has the dtype {dtype}, and a gradient is wanted with respect to it",
            why="Integers have no neighbourhood."
            if kind in "iub"
            else "It does not say that it holds floats.",
            repair="Pass floats, as with x.astype(float), or choose other arguments with argnums.",
        )


def _check_dtype(path: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "fiubc":
        raise ArgumentError(f"the argument `{path}` is an array of dtype {dtype}", repair="Pass numbers.")
    if not dtype.isnative:
        raise ArgumentError(
            f"the argument `{path}` is an array in another byte order ({dtype.str}) than this machine's",
            repair='Pass x.astype(x.dtype.newbyteorder("=")).',
        )


def _not_differentiable(path: str, value: Any) -> ArgumentError:
    shown = (
        repr(value)
        if isinstance(value, (str, bool, type(None), tuple))
        else (f"an object of class `{type(value).__name__}`")
    )
    return ArgumentError(
        f"the argument `{path}` is {shown}, and a gradient is wanted with respect to it",
        why="Only floats, arrays of floats and containers of them have derivatives.",
        repair="Pass such, or choose other arguments with argnums.",
    )


def _python_name(path: str) -> str:
    name = re.sub(r"\W+", "_", path).strip("_")
    return f"{name}_" if not name or name[0].isdigit() else name
