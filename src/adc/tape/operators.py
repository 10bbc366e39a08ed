"""The operators of a Tensor are written for speed: on small arrays the bookkeeping is most of the time.

Each is the general path of record.py for one or two operands, spelled out: compute, and if an operand
requires a gradient fill in a node. A node shares with others what it can, its shape and an empty `kept`: what the
garbage collector has to look through is a tenth of the time of recording.
"""

from __future__ import annotations

import sys
from cmath import isfinite
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from adc.rules import registry
from adc.tape.entry import Entry, entry_of
from adc.tape.node import Node, orders
from adc.tape.state import modes, off

_getframe = sys._getframe
_ndarray = np.ndarray
_FLOAT64 = np.dtype(np.float64)
# NumPy multiplies an array by an array of no axes in two thirds of the time that it takes for a float.
_LINEAR = frozenset({"add", "subtract", "multiply", "divide"})
_REFUSE_ZERO = frozenset(
    {"divide", "remainder"}
)  # where Python raises ZeroDivisionError, and NumPy gives inf or NaN
NARROW = frozenset({np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.complex64)})
_DOUBLE = frozenset({np.float64, np.complex128})
_PYTHON_CLASSES = frozenset({float, int, bool, complex})
PYTHONS = "a number of Python's"  # `extra` of one without a node; a node's pull says it
_EXACT = 2**53  # the integers up to here are floats
_numbers: dict[float, Any] = {}
_OPERANDS: tuple[Any, ...] = (
    np.ndarray,
    np.generic,
    list,
    tuple,
    range,
    complex,
    int,
    float,
    str,
    bytes,
)  # and Tensors
_PLAIN = frozenset({float, int, bool, np.ndarray, np.float64, np.float32, np.int64, np.int32, np.bool_})

# The class that these are the methods of, and the modules that build on it: they come later (`complete`).
Tensor: Any = None
new: Any = None  # what makes one
record: Any = None
inplace: Any = None
dispatch: Any = None
by_zero: Any = None  # what is asked before a number is divided by zero: plain_types.check_division
in_users_code: Any = None  # whether an operator is one of traced code: plain_types.in_users_code
not_finite: Any = None  # what is asked where the power of a number is not finite: plain_types.check_power


def complete(tensor_class: type, record_module: Any, inplace_module: Any, dispatch_module: Any) -> None:
    """Tell the operators of the class, once it exists, and of the general paths behind them."""
    global Tensor, new, record, inplace, dispatch, _OPERANDS
    _OPERANDS = (*_OPERANDS, tensor_class)
    Tensor = new = tensor_class
    record, inplace, dispatch = record_module, inplace_module, dispatch_module


def ask(
    division: Callable[[Any, Any], None], power: Callable[[Any, Any], None], users: Callable[[], bool]
) -> None:
    """Tell the operators what to ask before a number is divided by zero, where a power is not finite, and who asks."""
    global by_zero, not_finite, in_users_code
    by_zero, not_finite, in_users_code = division, power, users


def _number(value: Any) -> Any:
    """An operand of an operation on float64: a number of Python's as an array, the same one each time."""
    kind = value.__class__
    if kind is not float and (kind is not int or not -_EXACT <= value <= _EXACT):
        return value
    known = _numbers.get(value)
    if known is None:
        known = np.array(value, np.float64)
        known.flags.writeable = False
        if len(_numbers) < 1000 and value != 0 and value == value:  # 0.0 equals -0.0, and NaN nothing
            _numbers[value] = known
    return known


def is_number(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array stands for a number of Python's."""
    return array.ndim == 0 and not array.flags.writeable


def is_pythons(value: Any) -> bool:
    """Whether an operand is a number of Python's in the function as NumPy runs it."""
    if value.__class__ is not Tensor:
        return value.__class__ in _PYTHON_CLASSES
    node = value.node
    if node is None:
        return value.extra is PYTHONS
    pull = node.pull  # None of a leaf
    return pull is not None and pull.pythons


def asks_the_other(value: Any, other: Any) -> bool:
    """Whether Python leaves an operator to the other operand: a range, or a list of a class, beside its own number."""
    return (
        isinstance(other, list | tuple | range) and other.__class__ not in (list, tuple) and is_pythons(value)
    )


def own(result: Any, *operands: Any) -> Any:
    """A result that an operator or an attribute has made of operands: a number of Python's if all of them are."""
    if (
        result.__class__ is Tensor
        and result.primal.__class__ is not _ndarray
        and all(map(is_pythons, operands))
    ):
        if result.node is None:
            result.extra = PYTHONS
        elif result.node.pull is not None:
            result.node.pull = result.node.pull.of_pythons()
    return result


def _mark(z: Any, x: Any, y: Any) -> str | None:
    """What a result without a node has as `extra`."""
    return PYTHONS if z.__class__ is not _ndarray and is_pythons(x) and is_pythons(y) else None


def beside(t: Any, other: Any) -> Any:
    """The value of a Tensor beside another value: single precision stays what it is beside a number of Python's.

    A float of Python's is kept as one of NumPy's, which would make double precision.
    """
    primal = t.primal
    if getattr(other, "dtype", _FLOAT64) in NARROW and primal.__class__ in _DOUBLE and is_pythons(t):
        return primal.item()
    return primal


def unary(name: str, function: Callable[[Any], Any], depth: int = 1) -> Any:
    """The method of an operator with one operand, called `depth` frames below the user's line."""
    entry = entry_of(registry.named(name))
    is_operator = depth == 1  # a function gives numbers of NumPy's

    def method(self: Any) -> Any:
        x = self.primal
        z = function(x)
        result = new()
        result.primal = z
        result.extra = None
        if self.node is None or (off.count and not modes.enabled):
            result.node = None
            result.extra = _mark(z, self, self) if is_operator else None
            return result
        a = self.node
        pull = entry.left or _fill(entry, "left", (True,))
        if is_operator and z.__class__ is not _ndarray and is_pythons(self):
            pull = pull.of_pythons()
        result.node = node = Node()
        node.pull = pull
        node.edges = (a,)
        node.kept = pull.nothing or ((x if pull.keeps_left else None,) if pull.whole else pull.pack(x))
        node.z = z if pull.keeps_z else None
        node.shape = a.shape
        node.dtype = z.dtype
        node.order = next(orders)
        frame = _getframe(depth)
        node.code = frame.f_code
        node.lasti = frame.f_lasti
        node.hooks = None
        return result

    return method


def binary(name: str, function: Callable[[Any, Any], Any], depth: int = 1) -> Any:
    """The method of an operator whose left operand is the Tensor."""
    entry = entry_of(registry.named(name))
    as_array = name in _LINEAR
    divides = name == "divide"
    may_refuse = name in _REFUSE_ZERO
    is_power = name == "power"
    is_operator = depth == 1

    def method(self: Any, other: Any) -> Any:
        x = self.primal
        a = self.node
        kind = other.__class__
        if kind is Tensor:
            y = other.primal
            b = other.node
        elif divides and (kind is int or kind is float) and other == 0:
            # As NumPy divides: Python would raise in the pull.
            y = (x.dtype.type if x.dtype in NARROW else np.float64)(other)
            b = None
        elif kind in _PLAIN:
            y = _number(other) if as_array and x.__class__ is _ndarray and x.dtype is _FLOAT64 else other
            b = None
        else:
            return record.operator(entry, self, other)
        if may_refuse and y.__class__ is not _ndarray and not y and modes.plain:
            by_zero(self, other)
        if x.__class__ is y.__class__ or kind in _PYTHON_CLASSES or x.dtype is y.dtype:
            z = function(x, y)
        else:
            z = function(beside(self, y), beside(other, x) if kind is Tensor else y)
        if is_power and z.__class__ is not _ndarray and modes.plain and not isfinite(z):
            not_finite(self, other)
        result = new()
        result.primal = z
        result.extra = None
        if a is None:
            if b is None or (off.count and not modes.enabled):
                result.node = None
                result.extra = _mark(z, self, other) if is_operator else None
                return result
            pull = entry.right or _fill(entry, "right", (False, True))
            edges: tuple[Node, ...] = (b,)
        elif off.count and not modes.enabled:
            result.node = None
            result.extra = _mark(z, self, other) if is_operator else None
            return result
        elif b is None:
            pull = entry.left or _fill(entry, "left", (True, False))
            edges = (a,)
        else:
            pull = entry.both or _fill(entry, "both", (True, True))
            edges = (a, b)
        if is_operator and z.__class__ is not _ndarray and is_pythons(self) and is_pythons(other):
            pull = pull.of_pythons()
        result.node = node = Node()
        node.pull = pull
        node.edges = edges
        if pull.whole:
            node.kept = pull.nothing or (x if pull.keeps_left else None, y if pull.keeps_right else None)
        else:
            node.kept = pull.pack(x, y)
        node.z = z if pull.keeps_z else None
        shape, shared = z.shape, edges[0].shape
        node.shape = shared if shape == shared else shape
        node.dtype = z.dtype
        node.order = next(orders)
        frame = _getframe(depth)
        node.code = frame.f_code
        node.lasti = frame.f_lasti
        node.hooks = None
        return result

    return method


def reflected(name: str, function: Callable[[Any, Any], Any], depth: int = 1) -> Any:
    """The method of an operator whose right operand is the Tensor and whose left is a number or an array."""
    entry = entry_of(registry.named(name))
    as_array = name in _LINEAR
    may_refuse = name in _REFUSE_ZERO
    is_power = name == "power"
    is_operator = depth == 1

    def method(self: Any, other: Any) -> Any:
        kind = other.__class__
        if kind not in _PLAIN:
            return record.operator(entry, other, self)
        y = self.primal
        if as_array and y.__class__ is _ndarray and y.dtype is _FLOAT64:
            other = _number(other)
        if may_refuse and y.__class__ is not _ndarray and not y and modes.plain:
            by_zero(other, self)
        z = function(other, y if y.__class__ is _ndarray or kind in _PYTHON_CLASSES else beside(self, other))
        if is_power and z.__class__ is not _ndarray and modes.plain and not isfinite(z):
            not_finite(other, self)
        result = new()
        result.primal = z
        result.extra = None
        if self.node is None or (off.count and not modes.enabled):
            result.node = None
            result.extra = _mark(z, self, other) if is_operator else None
            return result
        b = self.node
        pull = entry.right or _fill(entry, "right", (False, True))
        if is_operator and z.__class__ is not _ndarray and is_pythons(self) and is_pythons(other):
            pull = pull.of_pythons()
        result.node = node = Node()
        node.pull = pull
        node.edges = (b,)
        if pull.whole:
            node.kept = pull.nothing or (other if pull.keeps_left else None, y if pull.keeps_right else None)
        else:
            node.kept = pull.pack(other, y)
        node.z = z if pull.keeps_z else None
        shape, shared = z.shape, b.shape
        node.shape = shared if shape == shared else shape
        node.dtype = z.dtype
        node.order = next(orders)
        frame = _getframe(depth)
        node.code = frame.f_code
        node.lasti = frame.f_lasti
        node.hooks = None
        return result

    return method


def _fill(entry: Entry, which: str, pattern: tuple[bool, ...]) -> Any:
    pull = entry.pull(pattern)
    setattr(entry, which, pull)
    return pull


class _ShortCuts(dict[np.ufunc, Callable[..., Any]]):
    """What ufuncs do on Tensors, made when one is first called."""

    def __missing__(self, ufunc: np.ufunc) -> Callable[..., Any]:
        made = self[ufunc] = _short_cut(ufunc)
        return made


short_cuts = _ShortCuts()


def _short_cut(ufunc: np.ufunc) -> Callable[..., Any]:
    """What calls a ufunc on Tensors: as an operator where its rule is elementwise in its one or two operands."""
    operation = registry.find(ufunc)
    made: Callable[..., Any]
    if (
        operation is None
        or operation.kind != "elementwise"
        or ufunc.nin != len(operation.wrt)
        or ufunc.nin > 2
        or ufunc.nout != 1
    ):

        def made(*inputs: Any) -> Any:
            return dispatch.array_ufunc(ufunc, "__call__", inputs, {})
    elif ufunc.nin == 1:
        made = unary(operation.name, ufunc, 2)
    else:
        left, right = binary(operation.name, ufunc, 3), reflected(operation.name, ufunc, 3)

        def made(x: Any, y: Any) -> Any:
            return left(x, y) if x.__class__ is Tensor else right(y, x)

    return made


def constant(function: Callable[[Any, Any], Any]) -> Any:
    """The method of a comparison or another operator without a derivative."""

    def method(self: Any, other: Any) -> Any:
        y = other.primal if other.__class__ is Tensor else other
        # An object of the user's is asked by Python; of None == and != then compare identity.
        if y.__class__ not in _PLAIN and (not isinstance(other, _OPERANDS) or asks_the_other(self, other)):
            if isinstance(other, Number) and self.primal.__class__ is not _ndarray:
                return function(self.primal, other)  # a Fraction would say that it equals no Tensor
            object_first = function.__module__ != "_operator"
            return NotImplemented if object_first else record.by_elements(function, self, other)
        x = self.primal
        if x.__class__ is not y.__class__:
            x, y = beside(self, y), beside(other, x) if other.__class__ is Tensor else y
        z = function(x, y)
        if z is NotImplemented:
            return z
        if z.__class__ is not _ndarray and is_pythons(self) and is_pythons(other) and in_users_code():
            return z.item()  # `is True` and `+` ask whose it is
        result = new()
        result.primal = z
        result.node = None
        result.extra = None
        return result

    return method


def in_place(name: str, function: Callable[[Any, Any], Any]) -> Any:
    """The method of an augmented assignment."""
    entry = entry_of(registry.named(name))

    def method(self: Any, other: Any) -> Any:
        if not isinstance(self.primal, np.ndarray):
            return function(self, other)  # NumPy's scalars are immutable
        return inplace.apply(entry, self, (other,))

    return method


def constant_in_place(function: Callable[[Any, Any], Any]) -> Any:
    """The method of an augmented assignment without a derivative: other names of the array see what is written."""
    out_of_place = constant(function)

    def method(self: Any, other: Any) -> Any:
        z = out_of_place(self, other)
        return (
            z if z is NotImplemented or not isinstance(self.primal, np.ndarray) else inplace.written(self, z)
        )

    return method
