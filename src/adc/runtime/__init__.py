"""What generated code may call besides NumPy: products, systems, convolutions, searches, orders, arrays, kernels."""

from adc.runtime import caching as caching
from adc.runtime import passes as passes
from adc.runtime import reshaping as reshaping
from adc.runtime.assumptions import assume as assume
from adc.runtime.columns import columns as columns
from adc.runtime.convolution import convolve as convolve
from adc.runtime.convolution import convolve_same as convolve_same
from adc.runtime.convolution import convolve_valid as convolve_valid
from adc.runtime.integers import comb as comb
from adc.runtime.integers import factorial as factorial
from adc.runtime.integers import isqrt as isqrt
from adc.runtime.integers import lcm as lcm
from adc.runtime.integers import perm as perm
from adc.runtime.kernels import inner_kernel as inner_kernel
from adc.runtime.kernels import kernel as kernel
from adc.runtime.kernels import section as section
from adc.runtime.linalg import cholesky as cholesky
from adc.runtime.linalg import eigh as eigh
from adc.runtime.linalg import pinv as pinv
from adc.runtime.linalg import qr as qr
from adc.runtime.linalg import solve_lower as solve_lower
from adc.runtime.linalg import solve_transposed as solve_transposed
from adc.runtime.linalg import svd as svd
from adc.runtime.linalg import thin_svd as thin_svd
from adc.runtime.lu import det as det
from adc.runtime.lu import inv as inv
from adc.runtime.lu import lu as lu
from adc.runtime.lu import lu_det as lu_det
from adc.runtime.lu import lu_inv as lu_inv
from adc.runtime.lu import lu_inv_transposed as lu_inv_transposed
from adc.runtime.lu import lu_slogdet as lu_slogdet
from adc.runtime.lu import lu_solve as lu_solve
from adc.runtime.lu import lu_solve_transposed as lu_solve_transposed
from adc.runtime.lu import slogdet as slogdet
from adc.runtime.lu import solve as solve
from adc.runtime.ordering import argpartition as argpartition
from adc.runtime.ordering import argsort as argsort
from adc.runtime.products import dot as dot
from adc.runtime.products import dot_into as dot_into
from adc.runtime.real import still_real as still_real
from adc.runtime.recurrences import linear_recurrence as linear_recurrence
from adc.runtime.recurrences import linear_recurrence_back as linear_recurrence_back
from adc.runtime.rooms import empty as empty
from adc.runtime.rooms import empty_of as empty_of
from adc.runtime.rooms import zeros as zeros
from adc.runtime.rooms import zeros_of as zeros_of
from adc.runtime.saying import say as say
from adc.runtime.search import searchsorted as searchsorted
from adc.runtime.stacks import extended as extended
from adc.runtime.stacks import lent as lent
from adc.runtime.stacks import push as push
from adc.runtime.stacks import settled as settled
from adc.runtime.tuning import strided as strided
from adc.runtime.tuning import whole_vectors as whole_vectors
from adc.runtime.tuning import wide as wide
from adc.runtime.views import transpose as transpose

__all__ = [
    "argpartition",
    "argsort",
    "assume",
    "cholesky",
    "columns",
    "comb",
    "convolve",
    "convolve_same",
    "convolve_valid",
    "det",
    "dot",
    "eigh",
    "empty",
    "empty_of",
    "extended",
    "factorial",
    "inner_kernel",
    "inv",
    "isqrt",
    "kernel",
    "lcm",
    "lent",
    "linear_recurrence",
    "linear_recurrence_back",
    "lu",
    "lu_det",
    "lu_inv",
    "lu_inv_transposed",
    "lu_slogdet",
    "lu_solve",
    "lu_solve_transposed",
    "perm",
    "pinv",
    "push",
    "qr",
    "say",
    "searchsorted",
    "section",
    "settled",
    "slogdet",
    "solve",
    "solve_lower",
    "solve_transposed",
    "still_real",
    "strided",
    "svd",
    "thin_svd",
    "transpose",
    "whole_vectors",
    "wide",
    "zeros",
    "zeros_of",
]
