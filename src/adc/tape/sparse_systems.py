"""Solutions of systems with sparse matrices whose entries have a derivative: the adjoint solves with the transpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import record
from adc.tape.function import Function
from adc.tape.node import here
from adc.tape.sparse import is_sparse
from adc.tape.sparse_values import SparseTensor
from adc.tape.tensor import Tensor

__all__ = ["Factored", "solved"]

Solve = Callable[[Any, Any], Any]


def solved(A: SparseTensor, b: Any, solve: Solve) -> Any:
    """The x with `A @ x = b`, which `solve` finds for plain operands."""
    if isinstance(b, SparseTensor) or is_sparse(b):
        raise UnsupportedError(
            "a sparse right side beside a sparse matrix with a derivative is not supported",
            here(),
            repair="Take b.toarray().",
        )
    b = b if isinstance(b, Tensor) else np.asarray(b, A.dtype)
    return _Solve.apply(A.entries, b, A.places, solve)


class Factored:
    """What stands for `splu` of such a matrix: it is solved with again for each right side."""

    def __init__(self, A: SparseTensor, solve: Solve) -> None:
        self._matrix, self._solve = A, solve

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solve with the matrix (N), its transpose (T) or its adjoint (H)."""
        matrix = {"N": lambda A: A, "T": lambda A: A.T, "H": lambda A: A.conj().T}[trans](self._matrix)
        return solved(matrix, rhs, self._solve)


class _Solve(Function):
    """The solution of one system as one node."""

    @staticmethod
    def forward(ctx: Any, entries: Any, b: Any, places: Any, solve: Solve) -> Any:
        matrix = SparseTensor(entries, places).plain()
        x = np.asarray(solve(matrix, record.plain(b)))
        x = np.reshape(x, b.shape)  # SciPy gives a column as a vector
        found = x if not isinstance(entries, Tensor) and not isinstance(b, Tensor) else record.wrap(x)
        ctx.places, ctx.solve, ctx.of_numbers = places, solve, (entries.dtype.kind, b.dtype.kind)
        ctx.save_for_backward(entries, found)
        return found

    @staticmethod
    def backward(ctx: Any, x_bar: Any) -> Any:
        entries, x = ctx.saved_tensors
        b_bar = _Solve.apply(entries, x_bar, ctx.places.T, ctx.solve)
        coo = ctx.places.tocoo()
        moved = -b_bar[coo.row] * x[coo.col]
        moved = moved if moved.ndim == 1 else np.sum(moved, axis=1)
        entries_bar = moved[np.argsort(coo.data)]
        entries_kind, b_kind = ctx.of_numbers
        return _of_kind(entries_bar, entries_kind), _of_kind(b_bar, b_kind), None, None


def _of_kind(bar: Any, kind: str) -> Any:
    return bar if kind == "c" or bar.dtype.kind != "c" else np.real(bar)
