"""Sparse matrices of SciPy that are constants: products with them, and the solutions of systems, are linear maps.

SciPy computes with plain arrays as ever, and the transposed matrix takes the adjoint back, which is a linear map
again. Matrices whose entries have a derivative are those of `sparse_values`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import BuiltinMethodType, FrameType
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import record
from adc.tape.entry import Pull
from adc.tape.node import here
from adc.tape.slicing import Need
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make

Map = Callable[[Any], Any]

_SYMMETRIC = ("cg", "minres")
_OF_ONE_MATRIX = {"callback", "callback_type", "M", "M1", "M2"}  # options of iterative solvers


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse matrix or array of SciPy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(value))


def asks_for_product(frame: FrameType) -> bool:
    """Whether a frame is a product or quotient of SciPy, which leaves it to an operand that is no array."""
    names = ("_matmul_dispatch", "_mul_dispatch", "_divide")
    return frame.f_code.co_name in names and frame.f_globals.get("__name__", "").startswith("scipy.sparse.")


def operator(name: str, left: Any, right: Any) -> Any:
    """`A @ x`, `x @ A`, and `A * x` where A is a matrix: there it means the same."""
    matrix, vector = (right, left) if isinstance(left, Tensor) else (left, right)
    if not is_sparse(matrix) or (
        name != "matmul" and not (name == "multiply" and vector.ndim and is_matrix(matrix))
    ):
        return _of_entries(name, left, right)
    kept = matrix.copy()  # the user may write to the matrix
    if matrix is left:
        return linear(right, lambda v: kept @ v, lambda v: kept.T @ v)
    return linear(left, lambda v: v @ kept, lambda v: v @ kept.T)


def is_matrix(value: Any) -> bool:
    """Whether a value is a sparse matrix, whose `*` is the product, and no sparse array."""
    return isinstance(value, sys.modules["scipy.sparse"].spmatrix)


def _of_entries(name: str, left: Any, right: Any) -> Any:
    """An operator between a Tensor and a sparse matrix that changes its entries, or has some with a derivative."""
    from adc.tape.sparse_values import as_sparse  # it is made of linear maps

    method, reflected = _OPERATORS.get(name, ("", ""))
    first = not isinstance(left, Tensor)
    matrix, other = (left, right) if first else (right, left)
    own = getattr(as_sparse(matrix), method if first else reflected, None) if method else None
    if own is None:
        raise UnsupportedError(
            f"operator {name} between a sparse matrix and a value with a derivative is not supported",
            here(),
            repair="Take A.toarray().",
        )
    return own(other)


_OPERATORS = {
    "matmul": ("__matmul__", "__rmatmul__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
}


def linear(x: Any, forth: Map, back: Map, value: Any = None) -> Any:
    """`forth(x)`, a linear map, with the derivative that its transpose `back` gives."""
    z = np.asarray(forth(record.plain(x)) if value is None else value)
    if x.__class__ is not Tensor:
        return z
    if x.node is None or not modes.enabled:
        return make(z)
    if z.dtype.kind == "c" and x.dtype.kind != "c":
        return record.record(_LINEAR, z, (x.node,), (forth, lambda v: np.real(back(v))))
    return record.record(_LINEAR, z, (x.node,), (forth, back))


_LINEAR = Pull(
    "LinearMapBackward",
    lambda bar, _, kept: (linear(bar, kept[1], kept[0]),),
    (Need.NOTHING,),
    False,
    (True,),
)


# --- systems ------------------------------------------------------------------------------------------------


def spsolve(solver: Any, A: Any, b: Any, *rest: Any, **options: Any) -> Any:
    """scipy.sparse.linalg.spsolve."""
    _require_sparse(A, "spsolve")
    if record.is_active(A):
        return _systems().solved(A, b, lambda m, v: solver(m.tocsc(), v, *rest, **options))
    if not record.is_active(b):
        return solver(A, record.plain(b), *rest, **options)
    kept = A.tocsc(copy=True)
    return linear(
        b, lambda v: solver(kept, v, *rest, **options), lambda v: solver(kept.T.tocsc(), v, *rest, **options)
    )


def iterative(solver: Any, A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
    """cg, gmres and their like: the adjoint is a solution with the transposed matrix, by the same solver."""
    _require_sparse(A, solver.__name__)
    own = A if record.is_active(A) else None
    A, x0, options = record.plain(A), record.plain(x0), {k: record.plain(v) for k, v in options.items()}
    found, report = solver(A, record.plain(b), x0, **options)
    if own is not None:
        again = {k: v for k, v in options.items() if k not in _OF_ONE_MATRIX}
        first = [found]
        return _systems().solved(
            own, b, lambda m, v: first.pop() if first else solver(m, v, **again)[0]
        ), report
    if not record.is_active(b):
        return found, report
    symmetric = solver.__name__ in _SYMMETRIC and A.dtype.kind != "c"
    kept = A.copy() if hasattr(A, "copy") else A
    # A preconditioner is one of the matrix, and what is called back counts the steps of the solution.
    dropped = {"callback", "callback_type"} if symmetric else _OF_ONE_MATRIX
    again = {k: v for k, v in options.items() if k not in dropped}
    transposed = kept if symmetric else kept.T
    x = linear(b, lambda v: solver(kept, v, **again)[0], lambda v: solver(transposed, v, **again)[0], found)
    return x, report


class Factored:
    """What `splu` and its like give, whose `solve` takes a right side with a derivative; the rest is SciPy's."""

    def __init__(self, factors: Any) -> None:
        self._factors = factors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._factors, name)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solve with the matrix (N), its transpose (T) or its adjoint (H)."""

        def solved(v: Any, kind: str) -> Any:
            if kind == "conj":
                return np.conj(self._factors.solve(np.conj(v)))
            return self._factors.solve(v, kind)

        transposed = {"N": "T", "T": "N", "H": "conj"}
        return linear(rhs, lambda v: solved(v, trans), lambda v: solved(v, transposed[trans]))


def factored(solver: Any, A: Any, *rest: Any, **options: Any) -> Any:
    """splu, spilu and factorized."""
    _require_sparse(A, solver.__name__)
    if record.is_active(A):
        splu = sys.modules["scipy.sparse.linalg"].splu
        made = _systems().Factored(A, lambda m, v: splu(m.tocsc()).solve(v))
        return made.solve if solver.__name__ == "factorized" else made
    return with_derivative(solver(A, *rest, **options))


def with_derivative(factors: Any) -> Any:
    """What stands for the factors that SciPy found, or for their `solve`."""
    return Factored(factors) if hasattr(factors, "solve") else Factored(factors.__self__).solve


def is_factored(value: Any) -> bool:
    """Whether a value is what `splu` gives, or its `solve`."""
    module = sys.modules.get("scipy.sparse.linalg")
    owner = (
        value.__self__ if isinstance(value, BuiltinMethodType) else value
    )  # asked of nothing of the user's
    return module is not None and isinstance(owner, module.SuperLU)


def _systems() -> Any:
    from adc.tape import sparse_systems  # it is made of linear maps

    return sparse_systems


def _require_sparse(A: Any, name: str) -> None:
    if isinstance(A, Tensor) and record.is_active(A):
        raise UnsupportedError(
            f"scipy.sparse.linalg.{name} with a dense matrix that has a derivative is not supported",
            here(),
            repair="np.linalg.solve takes it, and scipy.sparse.linalg sparse matrices of such entries.",
        )
