"""What generated code may call besides NumPy: products, linear systems, convolutions, searches, orders, kernels."""

from adc.runtime import caching as caching
from adc.runtime.convolution import convolve as convolve
from adc.runtime.kernels import kernel as kernel
from adc.runtime.linalg import cholesky as cholesky
from adc.runtime.linalg import det as det
from adc.runtime.linalg import eigh as eigh
from adc.runtime.linalg import inv as inv
from adc.runtime.linalg import qr as qr
from adc.runtime.linalg import slogdet as slogdet
from adc.runtime.linalg import solve as solve
from adc.runtime.linalg import solve_lower as solve_lower
from adc.runtime.linalg import solve_transposed as solve_transposed
from adc.runtime.ordering import argsort as argsort
from adc.runtime.products import dot as dot
from adc.runtime.real import still_real as still_real
from adc.runtime.search import searchsorted as searchsorted
from adc.runtime.views import transpose as transpose

__all__ = [
    "argsort",
    "cholesky",
    "convolve",
    "det",
    "dot",
    "eigh",
    "inv",
    "kernel",
    "qr",
    "searchsorted",
    "slogdet",
    "solve",
    "solve_lower",
    "solve_transposed",
    "still_real",
    "transpose",
]
