"""Matrices of derivatives as transforms: the Jacobian by one mode, the Hessian, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from adc import pytree, tape
from adc.api.composite import Composite
from adc.api.how import How
from adc.compiler import results
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import jacobians
from adc.compiler.transforms.chunks import CHUNK
from adc.errors import ArgumentError, DerivativeError

__all__ = ["Hessian", "JacobianForward", "JacobianReverse", "Matrix", "taped_jacobian"]

Keys = list[int | str]


class Matrix(Composite):
    """A matrix of derivatives with respect to the arguments `argnums`."""

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Any,
        has_aux: bool,
        asked: How,
        chunk_size: int | None = None,
    ) -> None:
        if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
            raise ArgumentError(
                f"chunk_size={chunk_size!r} is not a positive integer", repair="Leave it out."
            )
        self.chunk = CHUNK if chunk_size is None else chunk_size
        super().__init__(function, argnums, value=True, has_aux=has_aux, asked=asked)

    def _arguments(self) -> tuple[Any, ...]:
        return *super()._arguments()[:3], self._how, self.chunk

    @property
    def _several(self) -> bool:
        return isinstance(self._argnums, tuple)


class OneMode(Matrix):
    """The Jacobian by one mode, which is `by`."""

    by: ClassVar[Callable[..., tuple[Any, Any]]]

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        found, aux = type(self).by(
            ev, self._function, args, kwargs, keys, self._has_aux, self._several, self.chunk
        )
        return (found, aux) if self._has_aux else found

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        return taped_jacobian(self._function, args, kwargs, keys, self._several, self._has_aux)


class JacobianForward(OneMode):
    """The Jacobian by forward mode: one push per element of the arguments."""

    label = "jacfwd"
    what = "Jacobian, by forward mode,"
    by = staticmethod(jacobians.forward)


class JacobianReverse(OneMode):
    """The Jacobian by reverse mode: one pull per element of the result."""

    label = "jacrev"
    what = "Jacobian, by reverse mode,"
    by = staticmethod(jacobians.reverse)


class Hessian(Matrix):
    """All second derivatives of a function, forward over reverse."""

    label = "hessian"
    what = "Hessian"

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        found, aux = jacobians.hessian(
            ev, self._function, args, kwargs, keys, self._has_aux, self._several, self.chunk
        )
        return (found, aux) if self._has_aux else found

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        def gradients(*xs: Any, **named: Any) -> Any:
            found = tape.value_and_grad(self._function, xs, named, tuple(keys), has_aux=self._has_aux)
            return (found[1], found[0][1]) if self._has_aux else found[1]

        def rows(*xs: Any, **named: Any) -> Any:
            return taped_jacobian(self._function, xs, named, keys, self._several, self._has_aux)

        try:
            found = taped_jacobian(gradients, args, kwargs, keys, self._several, self._has_aux, settings=True)
        except DerivativeError:  # not of a number
            return taped_jacobian(rows, args, kwargs, keys, self._several, self._has_aux)
        matrix, *aux = found if self._has_aux else (found,)
        matrix = matrix if self._several else matrix[0]
        return (matrix, *aux) if self._has_aux else matrix


def taped_jacobian(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    keys: Keys,
    several: bool,
    has_aux: bool,
    settings: bool = False,
) -> Any:
    """A Jacobian by operator recording: one pull per element of the result.

    As `settings`, texts and truth values of the result belong to its structure.
    """
    wanted = [args[key] if isinstance(key, int) else kwargs[key] for key in keys]
    if any(_float_type(x).kind == "c" for x in pytree.flatten(wanted, settings=True)[0]):
        raise ArgumentError(
            f"{jacobians.OF_COMPLEX[0]}: {jacobians.OF_COMPLEX[1]}", repair=jacobians.OF_COMPLEX[2]
        )
    value, pull, *aux = tape.vjp(function, *args, kwargs=kwargs, argnums=keys, has_aux=has_aux)
    leaves, structure = pytree.flatten(value, settings=settings)
    if not leaves or any(isinstance(x, str | bytes) for x in leaves):
        raise results.not_a_number(value, None, has_aux)
    blocks = []
    for k, leaf in enumerate(leaves):
        shape = np.shape(leaf)
        rows = []
        for index in np.ndindex(shape):
            row = pull(pytree.unflatten(structure, _unit(leaves, k, index, 1.0)))
            if _float_type(leaf).kind == "c":  # a pull gives a real argument the real part
                other = pull(pytree.unflatten(structure, _unit(leaves, k, index, -1j)))
                row = pytree.map_structure(_as_complex, row, other, settings=True)
            rows.append(row)
        if not rows:  # of an empty part: no row, each of which would be such a gradient
            none = pull(pytree.unflatten(structure, [np.zeros(np.shape(x), _float_type(x)) for x in leaves]))
            stacked = [
                pytree.map_structure(lambda g, shape=shape: _no_rows(g, shape), column, settings=True)
                for column in none
            ]
        else:
            stacked = [
                pytree.map_structure(lambda *gs, shape=shape: _stacked(gs, shape), *column, settings=True)
                for column in zip(*rows, strict=True)
            ]
        blocks.append(tuple(stacked) if several else stacked[0])
    found = pytree.unflatten(structure, blocks)
    return (found, *aux) if has_aux else found


def _unit(leaves: list[Any], k: int, index: tuple[int, ...], unit: complex) -> list[Any]:
    bars = [np.zeros(np.shape(x), _float_type(x)) for x in leaves]
    bars[k][index] = unit
    return bars


def _as_complex(re: Any, im: Any) -> Any:
    return re if re is None else re + 1j * im


def _float_type(x: Any) -> Any:
    dtype = np.asarray(x.primal if isinstance(x, tape.Tensor) else x).dtype
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _stacked(rows: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    return rows[0] if not shape else np.reshape(np.stack(rows), shape + np.shape(rows[0]))


def _no_rows(gradient: Any, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape + np.shape(gradient), _float_type(gradient))
