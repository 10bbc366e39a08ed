"""PyTorch's methods of matrices: factorisations as PyTorch gives and takes them, and products that are added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import dispatch

__all__ = ["ADDED", "MATRICES"]

Method = Callable[..., Any]


def _svd(t: Any, some: bool = True) -> tuple[Any, Any, Any]:
    """U, S and V with t = U @ diag(S) @ V.mH: NumPy gives V.mH."""
    u, s, vh = np.linalg.svd(t, full_matrices=not some)
    return u, s, _adjoint(vh)


def _adjoint(t: Any) -> Any:
    turned = np.swapaxes(t, -1, -2)
    return np.conj(turned) if turned.dtype.kind == "c" else turned


def _of_factor(factor: Any, upper: bool) -> Any:
    """The matrix with a Cholesky factor, of which the other triangle is not read."""
    if upper:
        r = np.triu(factor)
        return _adjoint(r) @ r
    r = np.tril(factor)
    return r @ _adjoint(r)


def _logdet(t: Any) -> Any:
    sign, logarithm = np.linalg.slogdet(t)
    return logarithm + np.log(sign) if t.dtype.kind == "c" else logarithm


def _matrix_exp(t: Any) -> Any:
    import scipy.linalg  # only where its functions are differentiated

    return dispatch.call(scipy.linalg.expm, t)


def _added(product: Callable[..., Any]) -> Method:
    def method(t: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        # With 0 the NaN of t do not count; its gradient is zero.
        return (np.where(False, t, 0.0) if beta == 0 else beta * t) + alpha * product(a, b)

    return method


# Those that have a form which writes over the Tensor.
ADDED: dict[str, Method] = {
    **{name: _added(np.matmul) for name in ("addmm", "addmv", "baddbmm")},
    "addbmm": _added(lambda a, b: np.sum(a @ b, axis=0)),
    "addr": _added(np.outer),
}
MATRICES: dict[str, Method] = {
    "adjoint": _adjoint,
    "cholesky": lambda t, upper=False: _adjoint(np.linalg.cholesky(t)) if upper else np.linalg.cholesky(t),
    "cholesky_inverse": lambda t, upper=False: np.linalg.inv(_of_factor(t, upper)),
    "cholesky_solve": lambda t, factor, upper=False: np.linalg.solve(_of_factor(factor, upper), t),
    "det": lambda t: np.linalg.det(t),
    "ger": lambda t, other: np.outer(t, other),
    "inverse": lambda t: np.linalg.inv(t),
    "logdet": _logdet,
    "matrix_exp": _matrix_exp,
    "matrix_power": lambda t, n: np.linalg.matrix_power(t, n),
    "pinverse": lambda t: np.linalg.pinv(t),
    "qr": lambda t: np.linalg.qr(t),
    "slogdet": lambda t: np.linalg.slogdet(t),
    "svd": _svd,
}
