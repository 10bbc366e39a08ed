"""`jacfwd`, `jacrev`, `hessian`: whole matrices of derivatives from one compiled call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, overload

from adc.api.holomorphic import HolomorphicHessian, HolomorphicJacobian
from adc.api.how import How, how
from adc.api.matrix import Hessian, JacobianForward, JacobianReverse, Matrix
from adc.api.parameters import refuse_no_argnums
from adc.api.typed import Decorator, Transform
from adc.config import Mode
from adc.rules.registry import static

__all__ = ["hessian", "jacfwd", "jacrev"]

Argnums = int | str | tuple[int | str, ...] | list[int | str]
P = ParamSpec("P")


@overload
def jacfwd(
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
def jacfwd(
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
def jacfwd(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """All first derivatives of a function, by forward mode: for few inputs and many results.

    Parameters are those of `grad`; the function may return a number, an array or a container of them. Returns a
    callable with the function's signature. For a result of shape `s` and an argument of shape `t` it gives an array of
    shape `s + t`, of the result's dtype; containers of results hold containers of arguments, and with a tuple of
    argnums a tuple of these. The loop over the elements of the arguments is inside the compiled code, and what does
    not depend on the direction is computed once in front of it. With `has_aux` the result is `(jacobian, aux)`.
    Where directions meet a matrix, `chunk_size` of them (32) are multiplied with it at once; that many vectors are
    kept.

    Raises what `jvp` raises.

    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _made(
        HolomorphicJacobian if holomorphic else JacobianForward,
        function,
        argnums,
        has_aux,
        how(mode, strict),
        chunk_size,
    )


@overload
def jacrev(
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
def jacrev(
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
def jacrev(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """All first derivatives of a function, by reverse mode: for many inputs and few results.

    Parameters, result and errors are those of `jacfwd`; an array is of the argument's dtype. The loop over the elements
    of the result is inside the compiled code, the forward sweep in front of it.

    >>> import numpy as np
    >>> jacrev(lambda x: np.array([np.sum(x), x[0] * x[1]]))(np.array([2.0, 3.0]))
    array([[1., 1.],
           [3., 2.]])
    """
    return _made(
        HolomorphicJacobian if holomorphic else JacobianReverse,
        function,
        argnums,
        has_aux,
        how(mode, strict),
        chunk_size,
    )


@overload
def hessian(
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
def hessian(
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
def hessian(
    function: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    chunk_size: int | None = None,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """All second derivatives of a function, forward over reverse.

    Parameters are those of `grad`. Returns a callable with the function's signature. For an argument of shape `t` it
    gives an array of shape `t + t`; for a container the container of containers; for a tuple of argnums a tuple of
    tuples. It costs one Hessian-vector product per element of the arguments, in one compiled call. Of a function that
    returns arrays or containers it is `jacfwd(jacrev(function))`. With `has_aux` the result is `(hessian, aux)`.

    Raises what `grad` and `jvp` raise.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    return _made(
        HolomorphicHessian if holomorphic else Hessian,
        function,
        argnums,
        has_aux,
        how(mode, strict),
        chunk_size,
    )


def _made(
    kind: type[Matrix],
    function: Callable[..., Any] | None,
    argnums: Any,
    has_aux: bool,
    asked: How,
    chunk_size: int | None,
) -> Any:
    refuse_no_argnums(argnums, has_aux)

    def decorate(f: Callable[..., Any]) -> Matrix:
        return kind(f, argnums, has_aux, asked, chunk_size)

    return decorate if function is None else decorate(function)
