"""The arguments of a call become a key (what the generated code depends on) and a list of run-time inputs.

Arrays and numbers are inputs. Strings, arrays of them, bools, None, functions, enums, dtypes and tuples of ints are
static: each value has generated code of its own. Tuples, lists, dicts, namedtuples and dataclasses are taken apart
into their leaves. An object of any other class is static by identity; the compiler reads its attributes.
"""

from __future__ import annotations

import enum
import re
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adc import pytree
from adc.api.parameters import Layout
from adc.compiler.frontend.outside import Place, texts_of
from adc.compiler.frontend.text_arrays import is_of_texts
from adc.compiler.sizes import FEW, short_axes
from adc.errors import ArgumentError
from adc.pytree import Structure
from adc.tape.tensor import Tensor

__all__ = [
    "NUMBERS",
    "Instead",
    "Leaf",
    "Slot",
    "is_by_identity",
    "is_static_tuple",
    "leaf_key",
    "read",
    "refuse_foreign",
    "refuse_foreign_among",
    "slots_of",
]

NUMBERS = (float, int, complex, np.floating, np.integer, np.complexfloating)
_BY_VALUE = (str, bytes, bool, np.bool_, type(None), enum.Enum, np.dtype, type, type(Ellipsis))
_PLAIN_STATIC = frozenset({str, bool, type(None)})
_BY_IDENTITY = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc)
ndarray = np.ndarray

Instead = Callable[[Any, bool], Any] | None  # (list, whether it is differentiated)


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
            if value.dtype.kind in "UO" and is_of_texts(value):
                key.append(texts_of(value, None))
            elif shape:
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
        refuse_foreign(value)
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
    refuse_foreign(value)
    return _ById(value)


def is_by_identity(value: Any) -> bool:
    """Whether an argument has code of its own, as functions and objects of the user's classes have."""
    if isinstance(value, (ndarray, *NUMBERS, *_BY_VALUE)) or not pytree.is_leaf(value):
        return False
    return isinstance(_static_key(value), _ById)


def is_static_tuple(value: Any) -> bool:
    """Tuples of ints are shapes, axes and sizes: known when the code is generated."""
    return value.__class__ is tuple and all(v.__class__ is int or is_static_tuple(v) for v in value)


def refuse_foreign(value: Any, spoken: str = "an argument") -> None:
    """Raise ArgumentError for what is nearly an array: a subclass with operators of its own, or convertible to one."""
    if isinstance(value, (np.matrix, np.ma.MaskedArray)):
        raise ArgumentError(
            f"{spoken} is a `{type(value).__name__}`, whose operators mean something else than an array's",
            repair="Pass np.asarray(x), and for masked arrays the mask beside it.",
        )
    if isinstance(value, (ndarray, Tensor, *NUMBERS, *_BY_VALUE, *_BY_IDENTITY)):
        return
    if hasattr(type(value), "__array__") or hasattr(type(value), "__array_interface__"):
        raise ArgumentError(
            f"{spoken} is a `{type(value).__module__}.{type(value).__name__}`, not a NumPy array",
            repair="Pass np.asarray(x).",
        )


def refuse_foreign_among(names: Sequence[str], values: Sequence[Any], wanted: Sequence[bool]) -> None:
    """`refuse_foreign` for the leaves of arguments, each called as the user would write it."""
    for name, value, w in zip(names, values, wanted, strict=True):
        for path, item in pytree.flatten_with_paths(value, attributes=not w, settings=w)[0]:
            refuse_foreign(item, f"the argument `{name}{path}`")


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
        is_input = is_input and not is_of_texts(item)
        if isinstance(item, ndarray):
            refuse_foreign(item, f"the argument `{name}{path}`")
            item = np.asarray(item)
            item = item if item.ndim else item[()]
        if wanted and not isinstance(item, Tensor):
            _check_differentiable(f"{name}{path}", item, is_input or isinstance(item, ndarray))
            item = float(item) if isinstance(item, int) else item
        if isinstance(item, ndarray) and is_input:
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
