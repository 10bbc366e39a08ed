"""Derivatives of holomorphic functions, `holomorphic=True`: f'(z) is one complex number, whichever way z moves.

The gradient is the pull of 1. A Jacobian or Hessian moves the real parts alone, of which the results are complex
functions: where f is holomorphic, its derivative along them is the one along every other direction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adc import pytree, tape
from adc.api.composite import Composite
from adc.api.matrix import Matrix, taped_jacobian
from adc.compiler import results
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.types import Scalar, is_complex
from adc.compiler.transforms import jacobians, nested
from adc.errors import ArgumentError, Location, ResultError
from adc.tape import record
from adc.tape.substitute import traced

__all__ = ["HolomorphicGradient", "HolomorphicHessian", "HolomorphicJacobian"]

Keys = list[int | str]


class HolomorphicGradient(Composite):
    """The derivative of a complex number with respect to complex numbers, or the value and it."""

    label = "holomorphic gradient"
    what = "Derivative, as that of a holomorphic function,"

    def __init__(self, *args: Any, value: bool, **kwargs: Any) -> None:
        self._with_value = value
        super().__init__(*args, value=True, **kwargs)

    def _arguments(self) -> tuple[Any, ...]:
        return *super()._arguments(), self._with_value

    def __reduce__(self) -> Any:
        found = super().__reduce__()
        return found if isinstance(found, str) else (_rebuilt, found[1])

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        for key in keys:
            for leaf in pytree.leaves(args[key] if isinstance(key, int) else kwargs[key]):
                _require_complex_argument(ev.type_of(leaf), ev.origin)

        def one(output: Any) -> complex:
            t = ev.type_of(output)
            if not isinstance(t, Scalar) or not is_complex(t):
                raise _not_complex(results.described(output), ev.origin)
            return 1.0 + 0.0j

        found = nested.pulled(ev, self._function, args, kwargs, keys, one, self._has_aux)
        return self._result(*found)

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        _require_complex_leaves(args, kwargs, keys)
        value, pull, *aux = tape.vjp(
            self._function, *args, kwargs=kwargs, argnums=keys, has_aux=self._has_aux
        )
        plain = record.plain(value)
        if np.ndim(plain) or not np.iscomplexobj(plain):
            raise _not_complex(results.described(plain), None)
        return self._result(value, aux[0] if aux else None, pull(np.ones((), np.asarray(plain).dtype)[()]))

    def _result(self, value: Any, aux: Any, gradients: Sequence[Any]) -> Any:
        gradient = tuple(gradients) if isinstance(self._argnums, tuple) else gradients[0]
        if self._with_value:
            return ((value, aux), gradient) if self._has_aux else (value, gradient)
        return (gradient, aux) if self._has_aux else gradient


def _rebuilt(*arguments: Any) -> HolomorphicGradient:
    function, argnums, has_aux, asked, value = arguments
    return HolomorphicGradient(function, argnums, value=value, has_aux=has_aux, asked=asked)


class HolomorphicJacobian(Matrix):
    """The Jacobian with respect to complex numbers: one push per element of the arguments."""

    label = "holomorphic jacobian"
    what = "Jacobian, as that of a holomorphic function,"
    by: ClassVar[Callable[..., tuple[Any, Any]]] = staticmethod(jacobians.forward)

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        moved = _OfRealParts(self._function, {}, self._has_aux)
        positional, named = list(args), dict(kwargs)
        for key in keys:
            container: Any = named if isinstance(key, str) else positional
            for leaf in pytree.leaves(container[key]):
                _require_complex_argument(ev.type_of(leaf), ev.origin)
            given = container[key]
            moved.imaginary[key] = pytree.map_structure(lambda z: ev.call(np.imag, [z], {}), given)
            container[key] = pytree.map_structure(lambda z: ev.call(np.real, [z], {}), given)
        found, aux = type(self).by(
            ev, moved, positional, named, keys, self._has_aux, self._several, self.chunk
        )
        return (found, aux) if self._has_aux else found

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        _require_complex_leaves(args, kwargs, keys)
        function = traced(self._function)
        positional, named = list(args), dict(kwargs)
        imaginary: dict[int | str, Any] = {}
        for key in keys:
            container: Any = named if isinstance(key, str) else positional
            imaginary[key] = pytree.map_structure(np.imag, container[key])
            container[key] = pytree.map_structure(np.real, container[key])

        @functools.wraps(function)
        def moved(*xs: Any, **others: Any) -> Any:
            parts, rest = list(xs), dict(others)
            for key, imag in imaginary.items():
                into: Any = rest if isinstance(key, str) else parts
                into[key] = pytree.map_structure(_complex_of, into[key], imag)
            output = function(*parts, **rest)
            for leaf in pytree.leaves(output[0] if self._has_aux else output):
                if not np.iscomplexobj(record.plain(leaf)):
                    raise _real_result(results.described(record.plain(leaf)), None)
            return output

        return self.taped(moved, tuple(positional), named, keys)

    def taped(
        self, moved: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys
    ) -> Any:
        """The matrix of the function of the real parts."""
        return taped_jacobian(moved, args, kwargs, keys, self._several, self._has_aux)


class HolomorphicHessian(HolomorphicJacobian):
    """All second derivatives with respect to complex numbers."""

    label = "holomorphic hessian"
    what = "Hessian, as that of a holomorphic function,"
    by = staticmethod(jacobians.hessian)

    def taped(
        self, moved: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys
    ) -> Any:
        def rows(*xs: Any, **others: Any) -> Any:
            return taped_jacobian(moved, xs, others, keys, self._several, self._has_aux)

        return taped_jacobian(rows, args, kwargs, keys, self._several, self._has_aux)


@dataclass(frozen=True)
class _OfRealParts:
    """A function of the real parts of some arguments, as something that can be called in a program."""

    function: Any
    imaginary: dict[int | str, Any]
    has_aux: bool

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        positional, named = list(args), dict(kwargs)
        for key, imag in self.imaginary.items():
            container: Any = named if isinstance(key, str) else positional
            container[key] = pytree.map_structure(
                lambda x, y: ev.call(np.add, [x, ev.call(np.multiply, [y, 1.0j], {})], {}),
                container[key],
                imag,
            )
        output = ev.result(self.function, positional, named)
        for leaf in pytree.leaves(output[0] if self.has_aux else output):
            kind = ev.type_of(leaf)
            if kind is None or not is_complex(kind):
                raise _real_result(results.described(leaf), ev.origin)
        return output


def _complex_of(re: Any, im: Any) -> Any:
    return re + 1.0j * im


def _require_complex_leaves(args: Sequence[Any], kwargs: dict[str, Any], keys: Keys) -> None:
    for key in keys:
        for leaf in pytree.leaves(args[key] if isinstance(key, int) else kwargs[key]):
            if not np.iscomplexobj(record.plain(leaf)):
                raise _real_argument(None)


def _require_complex_argument(kind: Any, location: Location | None) -> None:
    if kind is None or not is_complex(kind):
        raise _real_argument(location)


def _real_argument(location: Location | None) -> ArgumentError:
    return ArgumentError(
        "with holomorphic=True the derivative is with respect to complex numbers, and an argument is real",
        location,
        repair="Pass x.astype(complex), or leave holomorphic=True out.",
    )


def _not_complex(shown: str, location: Location | None) -> ResultError:
    return ResultError(
        f"with holomorphic=True the function must return one complex number, and this one returns {shown}",
        location,
        repair="Leave holomorphic=True out; of several numbers take adc.jacobian.",
    )


def _real_result(shown: str, location: Location | None) -> ResultError:
    return ResultError(
        f"with holomorphic=True the function must return complex numbers, and this one returns {shown}",
        location,
        why="A real function is holomorphic only where it is constant.",
        repair="Leave holomorphic=True out, and take the real and the imaginary part of the argument.",
    )
