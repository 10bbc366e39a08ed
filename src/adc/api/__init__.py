"""`grad`, `value_and_grad`, `vjp` and `jacobian`: as decorators and as functions, on ordinary NumPy code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar, overload

from adc.api import ravel as ravel
from adc.api import rule as rule
from adc.api.checked import Checked
from adc.api.checkpointed import checkpoint as checkpoint
from adc.api.custom_pull import custom_vjp as custom_vjp
from adc.api.custom_push import custom_jvp as custom_jvp
from adc.api.derivative import Derivative as Derivative
from adc.api.holomorphic import HolomorphicGradient, HolomorphicJacobian
from adc.api.how import How, how
from adc.api.jacobian import Jacobian as Jacobian
from adc.api.jvp import gauss_newton_vp as gauss_newton_vp
from adc.api.jvp import hvp as hvp
from adc.api.jvp import jvp as jvp
from adc.api.jvp import vhp as vhp
from adc.api.linearize import linearize as linearize
from adc.api.matrices import hessian as hessian
from adc.api.matrices import jacfwd as jacfwd
from adc.api.matrices import jacrev as jacrev
from adc.api.matrix import Matrix
from adc.api.parameters import refuse_no_argnums
from adc.api.pullback import Pullback as Pullback
from adc.api.pullback import vjp as vjp
from adc.api.stopped import stop_gradient as stop_gradient
from adc.api.typed import Decorator, Differentiated, GradientDecorator, Transform, ValueAndGradientDecorator
from adc.api.vmap import vmap as vmap
from adc.config import Mode
from adc.errors import ArgumentError
from adc.rules.registry import static

__all__ = [
    "Derivative",
    "Jacobian",
    "Pullback",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "gauss_newton_vp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "rule",
    "stop_gradient",
    "value_and_grad",
    "vhp",
    "vjp",
    "vmap",
]

Argnums = int | str | tuple[int | str, ...] | list[int | str]
Check = Literal["first"]
P = ParamSpec("P")
R = TypeVar("R")
Aux = TypeVar("Aux")


@overload
def grad(
    function: Callable[P, tuple[Any, Aux]],
    argnums: Argnums = ...,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    check: Check | None = ...,
) -> Differentiated[P, tuple[Any, Aux]]: ...
@overload
def grad(
    function: Callable[P, Any],
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    check: Check | None = ...,
) -> Differentiated[P, Any]: ...
@overload
def grad(
    function: None = ...,
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    check: Check | None = ...,
) -> GradientDecorator: ...
@static
def grad(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
    check: Check | None = None,
) -> Any:
    """The gradient of a function that returns one real number.

    Args:
        function: an ordinary Python function over NumPy arrays and floats. Left out, `grad(argnums=1)` is a
            decorator.
        argnums: with respect to what: a position (negative counts from the end), a name, or a tuple of them. In a
            method `self` is not counted: it goes by its name, and is meant where there is nothing else.
        has_aux: the function returns a pair `(number, aux)`; the result is then `(gradient, aux)`.
        holomorphic: the function takes complex numbers and returns one, and is holomorphic; the result is its
            derivative, of which there is one for all directions.
        mode: "compiled" (generated code through Numba), "python" (the same text run by CPython), "tape" (operator
            recording), or "auto": the first of these that takes the function, each fallback reported once by a
            `FallbackWarning`. By default the environment variable ADC_MODE, else "auto".
        strict: compiled code adds in the order of the program and divides where it divides. Without it a sum whose
            running value nothing reads is added up in any order, and a quotient whose last bit nobody can see may be
            a product with a reciprocal; so loops go several elements at a time. By default ADC_STRICT, else False.
        check: "first" verifies the first call, by a difference of the function along a random direction and by
            forward mode (the adjoint test); a `GradientMismatch` is raised where they disagree.

    Returns a callable with the function's signature. Its result has the shape, dtype and container (tuple,
    list, dict, namedtuple, dataclass) of the argument, or is a tuple of such when `argnums` is one. It is
    computed for each kind of arguments by code that is generated once (`.source(*args)` shows it, `.mode`
    says what ran). The caller's arrays never change, but those in `out=`: called with it, the derivative writes
    the gradients into arrays in the gradient's container, and returns them. Like compiled code, a derivative does
    not warn of overflow or 0/0: its values say inf or NaN.

    Raises `ArgumentError` (a TypeError) for integer arrays and other arguments that have no derivative,
    `DerivativeError` when the result is not one real number, `SourceError` for builtins, `UnsupportedError`
    when `mode="compiled"` is asked for and cannot be had, and what the function itself raises, at the
    function's line.

    >>> import numpy as np
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> grad(loss)(np.array([1.0, 2.0]), np.eye(2))
    array([2., 4.])
    >>> @grad(argnums=("a", "b"))
    ... def area(a, b):
    ...     return a * b
    >>> area(2.0, 3.0)
    (3.0, 2.0)
    """
    return _made(function, argnums, has_aux, holomorphic, how(mode, strict), check, value=False)


@overload
def value_and_grad(
    function: Callable[P, R],
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    check: Check | None = ...,
) -> Differentiated[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    function: None = ...,
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    check: Check | None = ...,
) -> ValueAndGradientDecorator: ...
@static
def value_and_grad(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
    check: Check | None = None,
) -> Any:
    """The value of a function and its gradient, in one pass: `(value, gradient)`.

    Parameters and errors are those of `grad`. With `has_aux` the result is `((value, aux), gradient)`.
    `scipy.optimize.minimize(value_and_grad(f), x0, jac=True)` needs nothing else.

    >>> import numpy as np
    >>> value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 3.0]))
    (10.0, array([2., 6.]))
    """
    return _made(function, argnums, has_aux, holomorphic, how(mode, strict), check, value=True)


@overload
def jacobian(
    function: Callable[P, Any],
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    chunk_size: int | None = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> Transform[P, Any]: ...
@overload
def jacobian(
    function: None = ...,
    argnums: Argnums = ...,
    has_aux: bool = ...,
    *,
    holomorphic: bool = ...,
    chunk_size: int | None = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> Decorator: ...
@static
def jacobian(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """All first derivatives of a function whose result is a number, an array, or a container of them.

    Parameters are those of `grad`. Returns a callable with the function's signature. For a result of shape
    `s` and an argument of shape `t` it gives an array of shape `s + t`; containers of results hold
    containers of arguments. Forward or reverse mode, whichever needs fewer directions (`jacfwd`, `jacrev`); where
    they meet a matrix, `chunk_size` of them (32) are multiplied with it at once. With `has_aux` the result is
    `(jacobian, aux)`.

    Raises what `vjp` raises.

    >>> import numpy as np
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    refuse_no_argnums(argnums, has_aux)
    asked = how(mode, strict)

    def decorate(f: Callable[..., Any]) -> Matrix:
        kind = HolomorphicJacobian if holomorphic else Jacobian
        return kind(f, argnums, has_aux, asked, chunk_size)

    return decorate if function is None else decorate(function)


def _made(
    function: Callable[..., Any] | None,
    argnums: Argnums,
    has_aux: bool,
    holomorphic: bool,
    asked: How,
    check: Check | None,
    *,
    value: bool,
) -> Any:
    refuse_no_argnums(argnums, has_aux)

    def decorate(f: Callable[..., Any]) -> Any:
        if holomorphic:
            if check is not None:
                raise ArgumentError(
                    "check= is not for holomorphic=True", repair="Compare with adc.check_grads(f, args)."
                )
            return HolomorphicGradient(f, argnums, value=value, has_aux=has_aux, asked=asked)
        if check is not None:
            return Checked(f, argnums, value=value, has_aux=has_aux, asked=asked, check=check)
        return Derivative(f, argnums, value=value, has_aux=has_aux, asked=asked)

    return decorate if function is None else decorate(function)
