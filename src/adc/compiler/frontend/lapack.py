"""Matrices that go to LAPACK have one dtype of floats: integers, and float32 beside float64, are converted first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.rules.operation import Operation

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder

_FUNCTIONS = {
    np.linalg.solve,
    np.linalg.inv,
    np.linalg.det,
    np.linalg.slogdet,
    np.linalg.cholesky,
    np.linalg.qr,
    np.linalg.svd,
    np.linalg.eigh,
    np.linalg.eigvalsh,
    np.linalg.lstsq,
    np.linalg.pinv,
}


def takes(operation: Operation) -> bool:
    """Whether an operation is one of LAPACK's by NumPy's name."""
    return operation.module == "numpy.linalg" and operation.function in _FUNCTIONS


def operands(ev: Builder, given: tuple[Value, ...]) -> tuple[Value, ...]:
    """The operands of such an operation, the arrays among them of one dtype."""
    arrays = [v for v in given if isinstance(v, Var) and v.is_array]
    if not arrays:
        return given
    dtype = str(np.result_type(*[_floats(v.type.dtype) for v in arrays]))
    return tuple(
        [
            ev.cast(v, dtype) if isinstance(v, Var) and v.is_array and v.type.dtype != dtype else v
            for v in given
        ]
    )


def _floats(dtype: str) -> str:
    """NumPy makes doubles of integers, whatever stands beside them."""
    return dtype if np.dtype(dtype).kind in "fc" else "float64"
