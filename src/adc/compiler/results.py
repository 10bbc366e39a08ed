"""What the user's function returns, as values of a program and the way back to the user's container."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc import pytree
from adc.compiler.frontend import records
from adc.compiler.frontend.frame import (
    Bound,
    Closure,
    Generator,
    Given,
    Growing,
    Instance,
    Items,
    Iterated,
    Kept,
    ListValue,
    Once,
    Partial,
    Range,
)
from adc.compiler.frontend.values import (
    Choice,
    Maybe,
    PartlyDefined,
    Shown,
    Text,
    Undefined,
    Value,
    Zero,
    rebuilt,
)
from adc.compiler.ir.nodes import Const, Var
from adc.compiler.ir.types import Type
from adc.errors import DerivativeError, Location, ResultError, UnsupportedError

__all__ = ["Form", "Place", "converter", "number", "split_aux"]

if TYPE_CHECKING:
    from adc.compiler.frontend.lower import Evaluator


class Place:
    """Stands in a template for the k-th value that the program returns."""

    def __init__(self, k: int, convert: Callable[[Any], Any] | None) -> None:
        self.k = k
        self.convert = convert


class _Chosen:
    """Stands in a template for one of several things: the program returns which."""

    def __init__(self, place: Any, options: list[Any]) -> None:
        self.place = place
        self.options = options


class _Tree:
    """Stands in a template for a container of another class."""

    def __init__(self, structure: pytree.Structure, parts: list[Any]) -> None:
        self.structure = structure
        self.parts = parts


class Form:
    """A container with places for run-time values: `leaves` are those values, `fill` builds the container.

    >>> form = Form((1.5, {"a": 2}))
    >>> form.leaves, form.fill([])
    ([], (1.5, {'a': 2}))
    """

    def __init__(self, value: Value, location: Location | None = None) -> None:
        self.leaves: list[Var] = []
        self._location = location
        self.template = self._read(value)

    def _read(self, value: Value) -> Any:
        if isinstance(value, Var):
            self.leaves.append(value)
            return Place(len(self.leaves) - 1, converter(value.type))
        if isinstance(value, tuple):
            return rebuilt(value, [self._read(v) for v in value])
        if isinstance(value, list):
            return [self._read(v) for v in value]
        if isinstance(value, Instance):
            value = records.put_together(value)
        if isinstance(value, Instance):
            raise DerivativeError(
                f"the function returns a `{value.cls.__name__}` that it has made",
                self._location,
                repair="Return its attributes in a tuple or dict.",
            )
        if isinstance(value, dict) and type(value) not in (OrderedDict, defaultdict):
            return {k: self._read(v) for k, v in value.items()}
        if isinstance(value, Text):
            raise value.refused()
        if isinstance(value, (Closure, Partial, Range)):
            kind = "range" if isinstance(value, Range) else "function"
            raise UnsupportedError(
                f"the function returns a {kind} that it has made",
                self._location,
                repair="Return what it is made of.",
            )
        if isinstance(value, Choice):
            return _Chosen(self._read(value.place), [self._read(v) for v in value.options])
        if isinstance(value, Maybe) and value.absent is None:
            return _Chosen(self._read(value.present), [None, self._read(value.value)])
        if isinstance(value, (Undefined, Maybe, PartlyDefined, Zero)):
            raise DerivativeError(
                "the function returns a value that is not assigned on every path",
                self._location,
                repair="Assign it on every path.",
            )
        if pytree.is_leaf(value):
            return value
        parts, structure = pytree.flatten(value)  # a dataclass, a dict of another kind, or a registered class
        return _Tree(structure, [self._read(v) for v in parts])

    @property
    def is_as_returned(self) -> bool:
        """Whether what the program returns is the container already: one value, or a tuple of several."""
        parts = self.template if type(self.template) is tuple else (self.template,)
        one = type(self.template) is not tuple
        return (one or len(parts) > 1) and all(
            isinstance(p, Place) and p.k == k and p.convert is None for k, p in enumerate(parts)
        )

    def fill(self, values: Any) -> Any:
        """The container with the program's values in their places."""
        return _filled(self.template, values)


def _filled(template: Any, values: Any) -> Any:
    if isinstance(template, _Tree):
        return pytree.unflatten(template.structure, [_filled(t, values) for t in template.parts])
    if isinstance(template, _Chosen):
        return _filled(template.options[int(_filled(template.place, values))], values)
    if isinstance(template, Place):
        value = values[template.k]
        return value if template.convert is None else template.convert(value)
    if isinstance(template, tuple):
        return rebuilt(template, [_filled(t, values) for t in template])
    if isinstance(template, list):
        return [_filled(t, values) for t in template]
    if isinstance(template, dict):
        return {k: _filled(t, values) for k, t in template.items()}
    return template


def converter(type: Type) -> Callable[[Any], Any] | None:
    """What gives a returned number its dtype back: compiled code hands over Python floats, for complex numbers too."""
    if type.ndim or type.dtype in ("float64", "int64", "bool"):
        return None
    return _as_complex if type.dtype == "complex128" else np.dtype(type.dtype).type


def _as_complex(number: Any) -> complex:
    return number if isinstance(number, complex) else complex(number)


def split_aux(output: Value, location: Location | None) -> tuple[Value, Value]:
    """The number and the auxiliary data of a function with `has_aux=True`."""
    if isinstance(output, (tuple, list)) and len(output) == 2:
        return output[0], output[1]
    raise ResultError(
        f"with has_aux=True the function must return a pair, and this one returns {described(output)}",
        location,
        "The first of the pair is differentiated, the second is handed through.",
        "Return `value, aux`.",
    )


def only_element(output: Value, ev: Evaluator) -> Value:
    """The element of an array that is known to have one; everything else as it is."""
    if isinstance(output, Var) and output.is_array and all(n.known == 1 for n in output.type.shape):
        return ev.subscript(output, (0,) * output.type.ndim)
    return output


def number(output: Value, location: Location | None, has_aux: bool) -> Var | Const:
    """The one real number that a gradient is that of. Raises ResultError for everything else."""
    if isinstance(output, Var) and not output.is_array and np.dtype(output.type.dtype).kind == "f":
        return output
    if isinstance(output, (bool, int, float, np.floating, np.integer)):
        return Const(output if isinstance(output, (float, np.floating)) else float(output))
    raise not_a_number(output, location, has_aux)


def not_a_number(output: Value, location: Location | None, has_aux: bool) -> ResultError:
    """What to say of a result that has no gradient. `output` is a value of the compiler, or a real one."""
    kind, rank = _kind_and_rank(output)
    whole = {"i": "integers", "u": "integers", "b": "truth values"}.get(kind)
    shown = f"an array of {whole}" if whole and rank else described(output)
    what = f"a gradient is that of one real number, and this function returns {shown}"
    if has_aux:
        what = f"with has_aux=True the first of the pair must be one real number, and is {shown}"
    if output is None:
        return ResultError(
            what,
            location,
            "A path of the function ends without `return`, or returns nothing.",
            "Return the number.",
        )
    if whole:
        return ResultError(
            what,
            location,
            "Integers are piecewise constant.",
            "Return floats." if rank else "Return a float.",
        )
    if rank:
        return ResultError(
            what,
            location,
            "",
            "Reduce it to a number, as with np.sum, or ask for adc.vjp (one row "
            "combination) or adc.jacobian (all of it).",
        )
    if kind == "c":
        return ResultError(what, location, "", "Return its real part, its imaginary part or np.abs of it.")
    if isinstance(output, (tuple, list)) and output and not has_aux:
        return ResultError(
            what,
            location,
            "",
            "Return the number alone, or say has_aux=True to hand the rest "
            "through: then return `value, aux`.",
        )
    return ResultError(what, location, "", "Return the number alone.")


def _kind_and_rank(output: Value) -> tuple[str, int]:
    if isinstance(output, Var):
        return np.dtype(output.type.dtype).kind, output.type.ndim
    if isinstance(output, (np.ndarray, np.generic, bool, int, float, complex)):
        return np.asarray(output).dtype.kind, np.ndim(output)
    return "", 0


def described(output: Value) -> str:
    """A value in a few words, for an error.

    >>> described(None), described((1.0, 2.0)), described(np.ones((2, 3)))
    ('None', 'a tuple of 2', 'an array with 2 axes')
    """
    if output is None:
        return "None"
    kind, rank = _kind_and_rank(output)
    if rank:
        return f"an array with {rank} ax{'is' if rank == 1 else 'es'}"
    if kind:
        return {"i": "an integer", "u": "an integer", "b": "a bool", "c": "a complex number"}.get(
            kind, "a number"
        )
    name = _NAMES.get(type(output)) or type(output).__name__
    if isinstance(output, Instance):
        return f"an object of class `{output.cls.__name__}`"
    if isinstance(output, (tuple, list, dict)) and not isinstance(output, Given):
        name += f" of {len(output)}"
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


# What the compiler has for things of Python, as Python calls them, or says what they are.
_NAMES: dict[type, str] = {
    Bound: "method",
    Closure: "function",
    Generator: "generator",
    Growing: "list",
    Kept: "dict",
    ListValue: "list",
    Partial: "partial",
    Range: "range",
    Shown: "str",
    Text: "str",
    **dict.fromkeys((Given, Items, Iterated, Once), "iterator"),
}
