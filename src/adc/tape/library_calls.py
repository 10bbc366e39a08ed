"""Traced code calls functions of libraries by their rules; one without is refused where a derivative would be lost."""

from __future__ import annotations

import contextlib
import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.fitting import refuse_unfit
from adc.tape import dispatch, plain_types, record
from adc.tape.entry import any_complex, find
from adc.tape.library_code import Asked, by_own_code, is_of_a_search, only_counts
from adc.tape.stand_ins import float_array, listed
from adc.tape.state import modes
from adc.tape.tensor import Tensor

__all__ = ["Joiner", "Ufunc", "by_rule", "wrapped"]


def by_rule(
    function: Callable[..., Any], own: Callable[[], Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """A function of the rule table.

    `own` makes what runs the function's own code on Tensors, where that is Python: of complex numbers, if the rule is
    for real ones.
    """
    call = _by_rule(function)
    entry = find(function)
    if own is not None and entry is not None and entry.operation.extra.get("real_only"):
        return _of_complex(function, call, own)
    return _raising(function, call) if getattr(function, "__module__", None) == "math" else call


def _of_complex(
    function: Callable[..., Any], by_rule: Callable[..., Any], own: Callable[[], Callable[..., Any]]
) -> Callable[..., Any]:
    """A function that has a rule of real numbers, and does what its code says of complex ones."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        operands = record.plain(pytree.leaves((args, kwargs)))
        if any_complex(operands) and record.is_active((args, kwargs)):
            with contextlib.suppress(UnsupportedError):  # the rule says what is not supported
                return by_own_code(function, own(), args, kwargs)
        return by_rule(*args, **kwargs)

    call.__dict__["_stands_for"] = function
    return call


def _raising(function: Callable[..., Any], by_rule: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math`, which raises where NumPy's gives infinity or NaN."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        z = by_rule(*args, **kwargs)
        if z.__class__ is Tensor and z.ndim == 0 and not math.isfinite(z.primal):
            function(*record.plain(args), **record.plain(kwargs))
        return z

    call.__dict__["_stands_for"] = function
    return call


def _by_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    entry = find(function)
    assert entry is not None
    recorders = dispatch.recorders_of(entry, function)
    place = _place_of_out(function)
    pythons = plain_types.of_math(function, entry)
    takes_models = registry.takes_models(function)
    in_double = plain_types.computes_in_double(function, entry)

    def is_pythons(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return pythons is not None and pythons((*args, *kwargs.values()))

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if takes_models and (own := registry.meant(function, map(type, args))) is not None:
            return own(*args, **kwargs)
        if kwargs.get("out") is not None or (
            place is not None and len(args) > place and args[place] is not None
        ):
            if "out" in kwargs:
                refuse_unfit(function, len(args), kwargs)
            return _with_out(call, place, args, kwargs)
        if in_double:
            args = tuple([plain_types.in_double(list(a) if hasattr(a, "__next__") else a) for a in args])
        for a in args:
            if a.__class__ is Tensor and a.node is not None:
                found = recorders.of(args, kwargs)(*args, **kwargs)
                return plain_types.as_pythons(found) if is_pythons(args, kwargs) else found
        args = tuple(list(a) if hasattr(a, "__next__") else a for a in args)  # `math.fsum(v for v in x)`
        if record.is_active(args) or record.is_active(kwargs):
            found = dispatch.call(function, *args, **kwargs)
            return plain_types.as_pythons(found) if is_pythons(args, kwargs) else found
        if (
            entry.operation.body is not None
            and modes.enabled
            and record.has_functions((*args, *kwargs.values()))
        ):
            return record.apply(entry, args, kwargs, function)  # what they answer may have a derivative
        return float_array(function(*record.plain(args), **record.plain(record.spared(kwargs))), args)

    call.__dict__["_stands_for"] = function
    return call


def _place_of_out(function: Callable[..., Any]) -> int | None:
    """Which argument of a function is `out`, where it may be given by its position."""
    operation = registry.find(function)
    if operation is None or operation.full is None:
        return None
    names = [p.name for p in operation.full.parameters]
    return names.index("out") if "out" in names else None


def _with_out(
    call: Callable[..., Any], place: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function of NumPy with `out`: the result is written to it."""
    rest = {k: v for k, v in kwargs.items() if k != "out"}
    out = kwargs.get("out")
    if place is not None and len(args) > place:
        out, args = args[place], (*args[:place], None, *args[place + 1 :])
    result = call(*args, **rest)
    return result if out is None else dispatch.into(out if isinstance(out, tuple) else (out,), result)


def _spelled(function: Any, args: tuple[Any, ...]) -> str:
    """How a function is called in a refusal: one of a distribution by the name that it has there."""
    is_method = isinstance(function, types.FunctionType) and "." in function.__qualname__
    if is_method and args and isinstance(getattr(args[0], "name", None), str):
        return registry.spell(types.MethodType(function, args[0]))
    return registry.spell(function)


def wrapped(
    function: Callable[..., Any],
    own: Callable[[], Callable[..., Any]] | None = None,
    translate: Callable[[Any], Any] | None = None,
) -> Callable[..., Any]:
    """A numerical function without a rule: refused where a derivative would be lost, wherever it looks.

    `own` makes what runs the function's own code on Tensors, where it is written in Python; `translate` what stands
    for a module that the function gives, the namespace of arrays of some kind.
    """

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if record.is_active(args) or record.is_active(kwargs):
            if type(function).__name__ == "_ArrayFunctionDispatcher":
                return function(*args, **kwargs)
            if modes.enabled:
                if own is None:
                    counted = only_counts(function, args, kwargs)
                    if counted is None:
                        raise record.no_rule(_spelled(function, args))
                    return counted
                return by_own_code(function, own(), args, kwargs)
        asked = Asked()
        found = asked.call(function, args, kwargs)
        if asked.answered and (is_of_a_search(function) or not record.is_active(found)):
            raise record.no_rule(_spelled(function, args))
        if translate is not None and isinstance(found, types.ModuleType):
            return translate(found)
        return float_array(found, args)

    call.__dict__["_stands_for"] = function
    return call


# How many operands the methods of a ufunc take first, lists of Tensors among them.
_OPERANDS = {"reduce": 1, "accumulate": 1, "reduceat": 1, "outer": 2}


class Ufunc:
    """A ufunc whose results can be written to."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = self._stands_for = ufunc
        self.__name__ = ufunc.__name__
        self.__wrapped__ = ufunc

    def __eq__(self, other: object) -> bool:
        return self._ufunc is getattr(other, "_ufunc", other)

    def __hash__(self) -> int:
        return hash(self._ufunc)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple([listed(a) if isinstance(a, record.SEQUENCES) else a for a in args])
        return float_array(self._ufunc(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._ufunc, name)
        if not callable(found):
            return found
        operands = _OPERANDS.get(name, 0)

        def method(*args: Any, **kwargs: Any) -> Any:
            given = [listed(a) if isinstance(a, record.SEQUENCES) else a for a in args[:operands]]
            return float_array(found(*given, *args[operands:], **kwargs))

        return method


class Joiner:
    """`np.r_`, `np.mgrid` and the like, of Tensors as well."""

    def __init__(self, joiner: Any) -> None:
        self._joiner = joiner

    def __getitem__(self, key: Any) -> Any:
        if record.is_active(key):
            return dispatch.call(self._joiner.__getitem__, key)
        return float_array(self._joiner[record.plain(key)])
