"""The steps of a composite's body are followed: which operation of the rule table is applied to what.

The body is run on stand-ins that compute as they go and note what was asked of them. What a stand-in cannot say in
general, the value of an element above all, ends the following with `NoRecipe`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adc.tape import indexing, stacks
from adc.tape.entry import Entry, Pull, any_complex, find, find_method, form
from adc.tape.primals import quick_primal
from adc.tape.slicing import Need

_MOST_STEPS = 60


class NoRecipe(Exception):
    """The body does what differs from call to call, or what a recipe cannot say."""


class Slot:
    """A value on the way: an operand or the result of a step."""

    __slots__ = ("active", "loose", "name", "value")

    def __init__(self, name: str, value: Any, active: bool) -> None:
        self.name = name
        self.value = value
        self.active = active
        self.loose = False  # its shape is in the data


class Step:
    """An operation that was applied: `slot = function(*args, **kwargs)`."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.call = ""
        self.pull: Pull | None = None  # of a step that carries a derivative
        self.kept: tuple[Any, ...] = ()  # what its pull reads: slots, constants, and lists of them
        self.edges: list[Slot] = []  # the operands that adjoints go to


class Program:
    """The steps so far."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.constants: dict[str, Any] = {}  # by their names in the text
        self._known: dict[Any, Slot] = {}

    def apply(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Take a step, or several where the function is a composite itself."""
        if function in _FORM_QUESTIONS:
            if function in _LENGTH_QUESTIONS and _is_loose(args):
                raise NoRecipe("a length that is in the data is looked at")
            return function(*_values(args), **_values(kwargs))
        if function is operator.getitem:
            return self._read(*args)
        entry = find(function)
        if entry is None:
            raise NoRecipe(f"{function} has no rule")
        if entry.has_full:
            entry = entry.form(args, kwargs)
        if entry.of_complex is not None and any_complex(_values(args)):
            entry = entry.of_complex
        if entry.writes is not None:
            raise NoRecipe(f"{function} writes")
        if entry.of_one and stacks.given(entry, _values(args), _values(kwargs)):
            raise NoRecipe(f"{function} is given a stack")
        if entry.kind == "composite":
            assert entry.operation.formula is not None
            return entry.operation.formula(*args, **kwargs)
        if function is operator.truediv and args[1].__class__ in (int, float) and args[1] == 0:
            zero = np.result_type(_values(args[0]), 0.0).type(args[1])
            args = args[0], zero  # as NumPy divides: Python would raise in the pull
        values = entry.bind(args, kwargs)

        def derived(slot: Slot) -> Step:
            return Step(slot) if entry.kind == "constant" else self._derived(slot, entry, values)

        return self._taken(function, args, kwargs, derived)

    def _read(self, x: Any, index: Any) -> Any:
        """`x[index]`."""
        if _active(index):
            raise NoRecipe("an index with a derivative")

        def derived(slot: Slot) -> Step:
            step = Step(slot)
            if _active(x):
                slot.active = True
                step.pull, step.kept, step.edges = indexing.READ, (index, x.shape), _active(x)
            return step

        return self._taken(operator.getitem, (x, index), {}, derived)

    def _taken(self, function: Any, args: Any, kwargs: Any, derived: Callable[[Slot], Step]) -> Traced:
        listed = [self.spelled(a) for a in args] + [f"{k}={self.spelled(v)}" for k, v in kwargs.items()]
        text = f"{self.constant(quick_primal(function))}({', '.join(listed)})"
        if text not in self._known:
            if len(self.steps) == _MOST_STEPS:
                raise NoRecipe("too many steps")
            z = function(*_values(args), **_values(kwargs))
            if not isinstance(z, np.ndarray | np.generic) or z.dtype.kind not in "fcbiu":
                raise NoRecipe(f"{function} gives {type(z)}")
            step = derived(Slot(f"s{len(self.steps)}", z, False))
            if any(edge.loose for edge in step.edges):
                raise NoRecipe("the shape of what an adjoint goes to is in the data")
            step.slot.loose = (
                function in _LENGTHS_OF_DATA
                or _is_loose((args, list(kwargs.values())))
                or (function is operator.getitem and _has_mask(args[1]))
            )
            step.call = text
            self.steps.append(step)
            self._known[text] = step.slot
        return Traced(self, self._known[text])

    def _derived(self, slot: Slot, entry: Entry, values: tuple[Any, ...]) -> Step:
        """A step, with its pull where an operand is active."""
        step = Step(slot)
        if any(_active(v) for k, v in enumerate(values) if k not in entry.wrt):
            raise NoRecipe("a derivative where the rule has none")
        step.edges = [edge for k in entry.wrt for edge in _active(values[k])]
        if step.edges:
            if entry.real_only and any(np.iscomplexobj(v) for v in _values(values)):
                raise NoRecipe("complex numbers")
            slot.active = True
            step.pull = entry.pull(tuple([_pattern(values[k]) for k in entry.wrt]))
            step.kept = tuple(
                [
                    v if need is Need.VALUE else form(_values(v)) if need is Need.FORM else None
                    for v, need in zip(values, step.pull.keeps, strict=True)
                ]
            )
        return step

    def spelled(self, value: Any) -> str:
        """A value as it stands in the text."""
        if value.__class__ is Traced:
            return value.slot.name
        if value.__class__ in (list, tuple) and not hasattr(value, "_make"):
            inner = "".join(f"{self.spelled(v)}, " for v in value)
            return f"[{inner}]" if value.__class__ is list else f"({inner})"
        if value.__class__ is slice:
            return (
                f"slice({self.spelled(value.start)}, {self.spelled(value.stop)}, {self.spelled(value.step)})"
            )
        if value is None or value is Ellipsis or value.__class__ in (int, bool, str):
            return repr(value)
        return self.constant(value)

    def constant(self, value: Any) -> str:
        """The name of what is the same in every call."""
        name = f"c{id(value)}"
        self.constants[name] = value  # kept, so no other takes its id
        return name


# These ask for what the kind of a call decides.
_FORM_QUESTIONS: set[Any] = {
    np.shape,
    np.ndim,
    np.size,
    np.iscomplexobj,
    np.isrealobj,
    np.result_type,
    np.can_cast,
    np.common_type,
}

_LENGTH_QUESTIONS: set[Any] = {np.shape, np.size}


# How long what they give is depends on the elements.
_LENGTHS_OF_DATA: set[Any] = {np.unique, np.flatnonzero, np.argwhere, np.bincount, np.repeat}


def _is_loose(value: Any) -> bool:
    """Whether the shape of an operand is in the data."""
    if value.__class__ is Traced:
        return value.slot.loose
    return value.__class__ in (list, tuple) and any(map(_is_loose, value))


def _has_mask(index: Any) -> bool:
    if index.__class__ is Traced:
        return bool(index.dtype == bool)
    return index.__class__ is tuple and any(map(_has_mask, index))


def _values(value: Any) -> Any:
    """The arrays behind what is traced."""
    kind = value.__class__
    if kind is Traced:
        return value.slot.value
    if kind is tuple or kind is list:
        return kind(_values(v) for v in value)
    if kind is dict:
        return {k: _values(v) for k, v in value.items()}
    return value


def _active(value: Any) -> list[Slot]:
    """The slots in a value that carry a derivative."""
    if value.__class__ is Traced:
        return [value.slot] if value.slot.active else []
    if value.__class__ in (list, tuple):
        return [slot for v in value for slot in _active(v)]
    return []


def _pattern(value: Any) -> Any:
    if value.__class__ in (list, tuple) and _active(value):
        return tuple([_pattern(v) for v in value])
    return bool(_active(value))


def _refuse(what: str) -> Callable[..., Any]:
    def refused(*_: Any) -> Any:
        raise NoRecipe(what)

    return refused


class Traced:
    """Stands in for an operand while the steps of a body are followed."""

    __slots__ = ("program", "slot")

    __array_priority__ = 2000.0

    def __init__(self, program: Program, slot: Slot) -> None:
        self.program = program
        self.slot = slot

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or "out" in kwargs or "where" in kwargs:
            raise NoRecipe(f"{ufunc} by {method}")
        return self.program.apply(ufunc, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.program.apply(function, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self.program.apply(operator.getitem, (self, index), {})

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def shape(self) -> Any:
        return self.program.apply(np.shape, (self,), {})

    @property
    def ndim(self) -> Any:
        return self.slot.value.ndim

    @property
    def size(self) -> Any:
        return self.program.apply(np.size, (self,), {})

    @property
    def dtype(self) -> Any:
        return self.slot.value.dtype

    def __getattr__(self, name: str) -> Any:
        entry = None if name.startswith("__") else find_method(name)
        if entry is None:
            raise NoRecipe(f"the attribute {name}")
        function = entry.function
        if not callable(getattr(np.ndarray, name, None)):
            return self.program.apply(function, (self,), {})
        return lambda *args, **kwargs: self.program.apply(function, (self, *args), kwargs)

    __array__ = __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse("a value is looked at")
    __setitem__ = _refuse("a write in place")
    __iadd__ = __isub__ = __imul__ = __itruediv__ = _refuse("a write in place")


def _operators() -> None:
    """The operators of what is traced."""
    for name in ("add", "sub", "mul", "truediv", "pow", "mod", "matmul", "floordiv"):
        function = getattr(operator, name)
        setattr(Traced, f"__{name}__", lambda x, y, f=function: x.program.apply(f, (x, y), {}))
        setattr(Traced, f"__r{name}__", lambda y, x, f=function: y.program.apply(f, (x, y), {}))
    for name in ("lt", "le", "gt", "ge", "eq", "ne", "and_", "or_"):
        function = getattr(operator, name)
        setattr(Traced, f"__{name.rstrip('_')}__", lambda x, y, f=function: x.program.apply(f, (x, y), {}))
    for name in ("neg", "pos", "abs", "invert"):
        function = getattr(operator, name)
        setattr(Traced, f"__{name}__", lambda x, f=function: x.program.apply(f, (x,), {}))


_operators()
