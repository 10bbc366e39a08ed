"""What a Tensor is in the function as NumPy runs it: an array, a number of NumPy's, or one of Python's.

An operator between Python's numbers gives one of Python's, and so does a function of `math`; the record does not tell
these from NumPy's. A question whose answer depends on it is refused.
"""

from __future__ import annotations

import builtins
import cmath
import functools
import math
import sys
from typing import Any, get_args
from weakref import WeakKeyDictionary

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.tape import operators
from adc.tape.entry import Entry, Pull
from adc.tape.node import IndexNode, Node, here, is_own, orders
from adc.tape.tensor import Tensor, make

__all__ = [
    "CLASSES",
    "INPUT",
    "NUMBER",
    "class_of",
    "isinstance_",
    "number_of_pythons",
    "shown",
    "stands_for",
    "type_",
]


def _input() -> Pull:
    return Pull("InputBackward", lambda z_bar, z, kept: (z_bar,), (), False, (True,))


INPUT = _input()
NUMBER = _input()  # of an argument that is a number of Python's

_PYTHONS = {"f": float, "c": complex, "b": bool, "i": int, "u": int}
# What Python's numbers can do, and stay such.
_ARITHMETIC = frozenset(
    {
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "remainder",
        "negative",
        "positive",
        "absolute",
        "real",
        "imag",
        "conjugate",
    }
)


_PYTHONS_OWN = _input()  # of what `item`, `tolist`, `float` and `complex` give


def number_of_pythons(t: Tensor) -> Tensor:
    """A number of NumPy's as one of Python's, with its derivative."""
    assert t.node is not None
    node = Node()
    node.pull, node.edges, node.kept, node.z = _PYTHONS_OWN, (t.node,), (), None
    node.shape, node.dtype, node.order, node.hooks = (), t.dtype, next(orders), None
    node.code, node.lasti = t.node.code, t.node.lasti
    return make(t.primal[()], node)  # also of an array without axes


def seems_numpys(function: Any, entry: Entry) -> bool:
    """Whether a function gives numbers of Python's and is recorded by operations that NumPy's numbers have, too."""
    if getattr(function, "__module__", None) not in ("math", "cmath"):
        return False
    operation = entry.operation
    return (
        entry.kind == "composite" or operation.name in _ARITHMETIC
    ) and "as_operands" not in operation.extra


def as_pythons(result: Any) -> Any:
    """Numbers with a derivative as numbers of Python's."""
    if builtins.isinstance(result, tuple):
        return tuple(map(as_pythons, result))
    is_number = builtins.isinstance(result, Tensor) and result.node is not None and not result.ndim
    return number_of_pythons(result) if is_number else result


def _samples(t: Tensor) -> list[Any]:
    """The value as NumPy's function may have it, in each type that it may have there."""
    primal = t.primal
    if builtins.isinstance(primal, np.ndarray) or primal.dtype.kind not in _PYTHONS:
        return [primal]
    found = _origin(t.node)
    python = _PYTHONS[primal.dtype.kind](primal)
    return [python] if found is NUMBER else [primal] if found is INPUT else [primal, python]


# What was found of a node: in a recurrence, what asks in each step would go through all steps before.
_known: WeakKeyDictionary[Node, Pull | None] = WeakKeyDictionary()


def _origin(node: Node | None) -> Pull | None:
    """NUMBER for one of Python's numbers, INPUT for one of NumPy's, None where the record does not say."""
    if node is None:
        return None
    todo = [node]
    while todo:
        at = todo[-1]
        waits = [edge for edge in at.edges if edge not in _known] if _passes_on(at) else []
        if waits:
            todo += waits
            continue
        _known[todo.pop()] = _of_node(at)
    return _known[node]


def _passes_on(node: Node) -> bool:
    """Whether the type of a number follows from those that it was made of."""
    return node.pull is INPUT or node.pull is NUMBER or _name(node) in _ARITHMETIC


def _of_node(node: Node) -> Pull | None:
    # Of an argument of a derivative in a derivative: what it is outside.
    if node.pull is INPUT or node.pull is NUMBER:
        return _known[node.edges[0]] if node.edges else node.pull
    if node.pull is _PYTHONS_OWN:
        return NUMBER
    if node.shape or builtins.isinstance(node, IndexNode):
        return INPUT
    name = _name(node)
    if name in _ARITHMETIC:
        kinds = [*(_known[edge] for edge in node.edges), *_constants(node)]
        return INPUT if INPUT in kinds else NUMBER if all(k is NUMBER for k in kinds) else None
    return INPUT if name is not None and name not in _of_math() else None


def _constants(node: Node) -> list[Pull | None]:
    """Whose the operands without a derivative are, as far as they were kept."""
    active = node.pull.active
    if not builtins.isinstance(node.kept, tuple) or len(node.kept) != len(active):
        return [None]
    pairs = zip(node.kept, active, strict=True)
    return [None if k is None else _kind_of(k) for k, is_active in pairs if not is_active]


def _name(node: Node) -> str | None:
    entry = getattr(node.pull, "entry", None)
    if not builtins.isinstance(entry, Entry):
        return None
    root = (getattr(entry.function, "__module__", None) or "numpy").partition(".")[0]  # ufuncs name no module
    return entry.operation.name if root in ("numpy", "scipy") else None


@functools.cache
def _of_math() -> frozenset[str]:
    """The operations that Python's own functions give numbers of Python's for."""
    functions = [f for module in (math, cmath) for f in vars(module).values() if callable(f)]
    found = [registry.find(f) for f in [*functions, np.round]]
    return frozenset({operation.name for operation in found if operation is not None})


def _refused(t: Tensor) -> UnsupportedError:
    python, numpy = (type(sample).__name__ for sample in reversed(_samples(t)))
    return UnsupportedError(
        f"the tape does not know whether this number is a {python} of Python's or a np.{numpy}",
        here(),
        "It computes with NumPy's numbers, and what is asked here depends on that.",
        f"Ask isinstance(x, ({python}, np.{numpy})), or np.ndim(x) == 0.",
    )


def check_division(x: Any, y: Any) -> None:
    """Raise what the function raises where it divides by zero: of two of Python's numbers, `ZeroDivisionError`."""
    if _are_pythons(x, y, "this division by zero", "Test for zero before you divide."):
        raise ZeroDivisionError("float division by zero")


def check_power(x: Any, y: Any) -> None:
    """Raise what the function raises where a power is not finite: of two of Python's numbers, OverflowError."""
    base, exponent = (v.primal.item() if v.__class__ is Tensor else v for v in (x, y))
    if np.ndim(exponent) or not (np.isfinite(base) and np.isfinite(exponent)):
        return
    if not _are_pythons(
        x, y, "this power", "Test for numbers that are too large or negative before it is taken."
    ):
        return
    if builtins.isinstance(base**exponent, complex) and not builtins.isinstance(base, complex):
        raise UnsupportedError(
            "the power of a negative number of Python's is complex, and the tape's is not",
            here(),
            repair="Start with a complex number: complex(x) ** y.",
        )


def _are_pythons(x: Any, y: Any, what: str, repair: str) -> bool:
    """Whether an operator of traced code has numbers of Python's, which raise, on both sides."""
    frame = sys._getframe(3)
    if np.ndim(x) or is_own(str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename):
        return False  # NumPy's, or in the body of a rule
    origins = [_kind_of(v) for v in (x, y)]
    if INPUT in origins:
        return False
    if origins == [NUMBER, NUMBER]:
        return True
    raise UnsupportedError(
        f"the tape does not know whether {what} is one of Python's, which raises, or NumPy's",
        here(),
        "It computes with NumPy's numbers, and what is computed here may be either.",
        repair,
    )


def are_pythons(*values: Any) -> bool | None:
    """Whether all are numbers of Python's; None where the record does not say."""
    kinds = [_kind_of(v) for v in values]
    return False if INPUT in kinds else True if all(k is NUMBER for k in kinds) else None


def _kind_of(value: Any) -> Pull | None:
    if value.__class__ is Tensor:
        return _origin(value.node)
    return NUMBER if type(value) in (int, float, bool, complex) else INPUT


operators.ask(check_division, check_power)


def shown(t: Tensor) -> Any:
    """What stands for a Tensor in a text that traced code makes; where the record does not say, NumPy's number."""
    return _samples(t)[0]


def isinstance_(value: Any, kinds: Any) -> bool:
    """`isinstance` in traced code: a Tensor is what its value is in the function as NumPy runs it."""
    if not builtins.isinstance(value, Tensor) or _names_tensors(kinds):
        return builtins.isinstance(value, kinds)
    answers = {builtins.isinstance(sample, kinds) for sample in _samples(value)}
    if len(answers) > 1:
        raise _refused(value)
    return answers.pop()


def _names_tensors(kinds: Any) -> bool:
    """Whether the class of Tensors is one that is asked for, and not one that they are like, as Iterable."""
    named = kinds if builtins.isinstance(kinds, tuple) else get_args(kinds) or (kinds,)
    return any(_names_tensors(k) if builtins.isinstance(k, tuple) else k is Tensor for k in named)


def hasattr_(value: Any, name: str) -> bool:
    """`hasattr` in traced code, which asks what a Tensor is in the function as NumPy runs it."""
    if not builtins.isinstance(value, Tensor):
        return builtins.hasattr(value, name)
    answers = {builtins.hasattr(sample, name) for sample in _samples(value)}
    if len(answers) > 1:
        raise _refused(value)
    return answers.pop()


def getattr_(value: Any, name: str, *default: Any) -> Any:
    """`getattr` in traced code, with the default for what the value has not as NumPy runs the function."""
    if default and builtins.isinstance(value, Tensor) and not hasattr_(value, name):
        return default[0]
    return builtins.getattr(value, name, *default)


def class_of(value: Any) -> type:
    """The class of a value in the function as NumPy runs it."""
    if not builtins.isinstance(value, Tensor):
        return type(value)
    samples = _samples(value)
    if len(samples) > 1:
        raise _refused(value)
    return type(samples[0])


CLASSES: list[tuple[type, type]] = []
"""Classes of Python's, and what traced code gets where it names them; `type(x)` is that, too."""


def stands_for(original: type, stand_in: type) -> None:
    """Say what traced code gets where it names a class."""
    stand_in.__name__, stand_in.__qualname__ = original.__name__, original.__qualname__
    stand_in.__module__ = original.__module__
    CLASSES.append((original, stand_in))


def _named(found: type) -> type:
    return next((stand_in for original, stand_in in CLASSES if found is original), found)


class _Asked(type):
    """The class of the stand-in for `type`, which is a class too: `isinstance(x, type)`, `class Meta(type)`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not type_:  # a metaclass of the user's
            return super().__call__(*args, **kwargs)
        return _named(class_of(*args)) if len(args) == 1 and not kwargs else type(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return builtins.isinstance(value, type) if cls is type_ else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is type_ else super().__subclasscheck__(kind)


class type_(type, metaclass=_Asked):
    """`type` in traced code."""


stands_for(type, type_)
