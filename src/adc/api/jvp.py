"""`jvp`, `hvp`, `vhp` and `gauss_newton_vp`: derivatives along a direction, at a small multiple of one evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np

from adc import pytree, tape
from adc.api.composite import Directional, directional
from adc.api.how import How, how
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.leaves import without_lists
from adc.compiler.transforms import nested
from adc.config import Mode
from adc.errors import ArgumentError, ShapeError

__all__ = ["gauss_newton_vp", "hvp", "jvp", "vhp"]

R = TypeVar("R")
Aux = TypeVar("Aux")


class Jvp(Directional):
    """Value and tangent."""

    label = "jvp"
    what = "Value and tangent"

    def derived(self, ev: Evaluator, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        value, dot, aux = nested.pushed(
            ev, function, primals, {}, range(len(primals)), tangents, self._has_aux
        )
        return (value, dot, aux) if self._has_aux else (value, dot)

    def taped(self, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return tape.jvp(function, primals, tangents, has_aux=self._has_aux)


@overload
def jvp(
    function: Callable[..., R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[False] = ...,
    *,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> tuple[R, R]: ...
@overload
def jvp(
    function: Callable[..., tuple[R, Aux]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[True],
    *,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> tuple[R, R, Aux]: ...
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
    *,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """The value of a function and its derivative along a direction, by forward-mode source transformation.

    Args:
        function: any function of arrays and floats; its result may be a number, an array or a container of them.
        primals: its arguments, a tuple or list; all of them floats, arrays of floats, or containers of such.
        tangents: a direction: one tangent per argument, of the same container and shapes.
        has_aux: the function returns a pair `(result, aux)`.
        mode, strict: as for `grad`.

    Returns `(value, tangent)`, or `(value, tangent, aux)` with `has_aux`: the tangent has the container, shapes and
    dtypes of the value, and is the Jacobian times the direction. It costs two to three evaluations of the function,
    however many arguments there are.

    Raises `ArgumentError` for arguments without derivative and tangents of another structure, ValueError for tangents
    of another shape, and what the function itself raises.

    >>> import numpy as np
    >>> jvp(lambda x: x * x, (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    (array([1., 4.]), array([2., 0.]))
    """
    tangents = _fitting(primals, tangents, "jvp")
    transform, fixed, named = directional(Jvp, function, len(primals), has_aux, how(mode, strict))
    return transform(*fixed, *primals, *tangents, **named)


class Hvp(Directional):
    """The Hessian times a direction: forward over reverse."""

    label = "hvp"
    what = "Hessian times a direction"

    def derived(self, ev: Evaluator, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        gradient = nested.Gradient(function, tuple(range(len(primals))))
        found = nested.pushed(ev, gradient, primals, {}, range(len(primals)), tangents)[1]
        return with_lists(_with_settings(without_lists(found), without_lists(tuple(primals))), ev)

    def taped(self, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:

        def gradient(*xs: Any) -> Any:
            return tape.value_and_grad(function, xs, argnums=tuple(range(len(xs))), of_one_element=True)[1]

        return _with_settings(tape.jvp(gradient, primals, tangents)[1], tuple(primals))


def _with_settings(found: Any, primals: Any) -> Any:
    """A container like that of the primals, with their texts and truth values, which have no tangents."""
    structure = pytree.flatten(primals, settings=True)[1]
    pairs = zip(pytree.leaves(primals), pytree.leaves(found), strict=True)
    return pytree.unflatten(structure, [dot for x, dot in pairs if not isinstance(x, pytree.SETTINGS)])


def hvp(
    function: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """The Hessian of a function of one real number, times a direction; forward over reverse.

    Args:
        function: a function that returns one real number.
        primals: its argument, or a tuple of its arguments.
        tangents: a direction, of the same structure and shapes.
        mode, strict: as for `grad`.

    Returns the product, of the structure, shapes and dtypes of `primals`: an array for an array, a tuple for a tuple.
    It costs a small multiple of one gradient; no matrix is formed.

    Raises what `grad` and `jvp` raise.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x ** 3), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    return _product(Hvp, function, primals, tangents, how(mode, strict))


class Vhp(Directional):
    """A direction times the Hessian: reverse over forward."""

    label = "vhp"
    what = "A direction times the Hessian"

    def derived(self, ev: Evaluator, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        slope = nested.Slope(function, tangents)
        return tuple(nested.gradient(ev, slope, primals, {}, range(len(primals)))[2])

    def taped(self, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:

        def slope(*xs: Any) -> Any:
            return tape.jvp(function, xs, tangents)[1]

        return tape.value_and_grad(slope, primals, argnums=tuple(range(len(primals))), of_one_element=True)[1]


def vhp(
    function: Callable[..., Any],
    primals: Any,
    cotangents: Any,
    *,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """A direction times the Hessian of a function of one real number; reverse over forward.

    The Hessian is symmetric, so the result is that of `hvp`; it is computed the other way round. Parameters, result and
    errors are those of `hvp`.

    >>> import numpy as np
    >>> vhp(lambda x: np.sum(x ** 3), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    return _product(Vhp, function, primals, cotangents, how(mode, strict))


class GaussNewton(Directional):
    """The transposed Jacobian times the Jacobian times a direction."""

    label = "gauss newton vp"
    what = "Gauss-Newton matrix times a direction"

    def derived(self, ev: Evaluator, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        chosen = range(len(primals))
        dot = nested.pushed(ev, function, primals, {}, chosen, tangents)[1]
        return tuple(nested.pulled(ev, function, primals, {}, chosen, lambda _: dot)[2])

    def taped(self, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        dot = tape.jvp(function, primals, tangents)[1]
        return tuple(tape.vjp(function, *primals, argnums=tuple(range(len(primals))))[1](dot))


def gauss_newton_vp(
    function: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """The Gauss-Newton matrix of a vector of residuals, times a direction: `J.T @ (J @ v)` without forming J.

    `function` returns residuals: an array, or a container of arrays and numbers. For half the sum of their squares
    this is the Hessian without its second-order term. Parameters, result and errors are else those of `hvp`.

    >>> import numpy as np
    >>> gauss_newton_vp(lambda x: x * x, np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 16.])
    """
    return _product(GaussNewton, function, primals, tangents, how(mode, strict))


def _product(
    kind: type[Directional], function: Callable[..., Any], primals: Any, tangents: Any, asked: How
) -> Any:
    several = isinstance(primals, tuple) and not hasattr(primals, "_fields")
    if not several:
        primals, tangents = (primals,), (tangents,)
    tangents = _fitting(primals, tangents, kind.label)
    transform, fixed, named = directional(kind, function, len(primals), False, asked)
    found = transform(*fixed, *primals, *tangents, **named)
    return found if several else found[0]


def _prepared(kind: type[Directional]) -> Callable[..., Any]:
    def prepare(
        function: Callable[..., Any],
        primals: Any,
        tangents: Any,
        has_aux: bool = False,
        *,
        mode: Mode | None = None,
        strict: bool | None = None,
    ) -> tuple[Directional, tuple[Any, ...], dict[str, Any]]:
        """The transform that a call makes, and what it is then called with: for `source` and `explain`."""
        if kind is not Jvp and not (isinstance(primals, tuple) and not hasattr(primals, "_fields")):
            primals, tangents = (primals,), (tangents,)
        tangents = _fitting(primals, tangents, kind.label)
        transform, fixed, named = directional(kind, function, len(primals), has_aux, how(mode, strict))
        return transform, (*fixed, *primals, *tangents), named

    return prepare


def _fitting(primals: Any, tangents: Any, name: str) -> Sequence[Any]:
    """The tangents, those of whole numbers as floats. Raises unless there is one of the shape of each leaf."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError(
            f"{name} takes a tuple of arguments and a tuple of tangents",
            repair=f"For one argument: {name}(f, (x,), (x_dot,)).",
        )
    if len(primals) == len(tangents):
        for x, dot in zip(primals, tangents, strict=True):
            if x.__class__ is not np.ndarray or dot.__class__ is not np.ndarray or x.shape != dot.shape:
                break
            if dot.dtype.kind not in "fc":
                break
        else:
            return tangents  # the usual case
    leaves, mine = pytree.flatten_with_paths(tuple(primals), settings=True)
    dots, its = pytree.flatten(tuple(tangents), settings=True)
    if mine != its:
        raise ArgumentError(
            f"the tangents have the structure {its}, the primals {mine}",
            repair="Pass one tangent per leaf of the primals.",
        )
    for (path, x), dot in zip(leaves, dots, strict=True):
        if np.shape(x) != np.shape(dot):
            raise ShapeError(
                f"the tangent{path} has the shape {np.shape(dot)}, its primal {np.shape(x)}",
                repair="Pass tangents of the shapes of the primals.",
            )
    if not any(_is_whole(dot) for dot in dots):
        return tangents
    floats = [
        dot.astype(np.result_type(x)) if _is_whole(dot) and _is_float(x) else dot
        for (_, x), dot in zip(leaves, dots, strict=True)
    ]
    fitted: Sequence[Any] = pytree.unflatten(its, floats)
    return fitted


def _is_whole(dot: Any) -> bool:
    return isinstance(dot, (np.ndarray, np.generic)) and dot.dtype.kind in "biu"


def _is_float(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "fc"


def _inline_jvp(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    function, primals, tangents, *rest = args
    has_aux = bool(rest[0]) if rest else bool(kwargs.get("has_aux", False))
    return Jvp(function, len(primals), has_aux, how()).derived(ev, function, primals, tangents)


def _inline_product(kind: type[Directional]) -> Callable[..., Any]:
    def inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        function, primals, tangents = args
        several = isinstance(primals, tuple) and not hasattr(primals, "_fields")
        if not several:
            primals, tangents = (primals,), (tangents,)
        found = kind(function, len(primals), False, how()).derived(ev, function, primals, tangents)
        return found if several else found[0]

    return inline


jvp.__adc_inline__ = _inline_jvp  # type: ignore[attr-defined]
hvp.__adc_inline__ = _inline_product(Hvp)  # type: ignore[attr-defined]
vhp.__adc_inline__ = _inline_product(Vhp)  # type: ignore[attr-defined]
gauss_newton_vp.__adc_inline__ = _inline_product(GaussNewton)  # type: ignore[attr-defined]
jvp.__adc_prepare__ = _prepared(Jvp)  # type: ignore[attr-defined]
hvp.__adc_prepare__ = _prepared(Hvp)  # type: ignore[attr-defined]
vhp.__adc_prepare__ = _prepared(Vhp)  # type: ignore[attr-defined]
gauss_newton_vp.__adc_prepare__ = _prepared(GaussNewton)  # type: ignore[attr-defined]
