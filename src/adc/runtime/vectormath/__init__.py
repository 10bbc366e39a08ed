"""Mathematical functions that LLVM vectorises inside loops, for compiled derivatives.

    from adc.runtime import vectormath as vm

    for i in range(n):
        total = vm.add(total, vm.exp(x[i]))

Every function takes scalars, in jitted code or from Python, in float64 or float32 (which stays float32),
and treats NaN, infinities, signed zeros, subnormal numbers and overflow as NumPy does. Errors are measured
and published in docs/vectormath_accuracy.md; how it is done, and what it costs, is in
docs/design/vectormath.md.

`IMPLEMENTATIONS` maps names of NumPy ufuncs (and of functions in scipy.special and math) to these functions,
`COMPLEX` those of ufuncs of complex numbers, `REDUCTIONS` the ufuncs whose `reduce` a step function here accumulates.

Where a loop does not vectorise, the C library (math.exp) is faster: use these in loops that do.

>>> from numba import njit
>>> @njit
... def total(x):
...     s = 0.0
...     for i in range(x.shape[0]):
...         s = add(s, exp(x[i]))
...     return s
>>> import numpy as np
>>> total(np.zeros(8))
8.0
>>> exp(0.0)
1.0
"""

from __future__ import annotations

import adc.runtime.vectormath.single  # noqa: F401  # the kernels of float32 enter themselves into the table
from adc.runtime.caching import fingerprint
from adc.runtime.vectormath.bessel import i0, i0e, i1, i1e, i2, i2e
from adc.runtime.vectormath.complexes import absolute, angle, divide, sqrt
from adc.runtime.vectormath.determinants import det
from adc.runtime.vectormath.dispatch import COMPLEX, IMPLEMENTATIONS
from adc.runtime.vectormath.entropy import entr, kl_div, logit, rel_entr, xlog1py, xlogy
from adc.runtime.vectormath.error_function import erf, erfc, log_ndtr, ndtr, one_plus_erf
from adc.runtime.vectormath.exponential import exp, exp2, expm1, sigmoid
from adc.runtime.vectormath.gamma import digamma, gamma, lgamma
from adc.runtime.vectormath.hyperbolic import arccosh, arcsinh, arctanh, cosh, sinh, tanh
from adc.runtime.vectormath.inverse_trigonometric import arccos, arcsin, arctan, arctan2
from adc.runtime.vectormath.logarithm import log, log1p, log2, log10, logaddexp, logaddexp2, softplus
from adc.runtime.vectormath.power import (
    cbrt,
    counted_power,
    half_power,
    hypot,
    log_of_base,
    power,
    whole_power,
)
from adc.runtime.vectormath.quantile import erfinv, ndtri
from adc.runtime.vectormath.reductions import REDUCTIONS, add, maximum, minimum, multiply
from adc.runtime.vectormath.trigamma import trigamma
from adc.runtime.vectormath.trigonometric import cos, sin, tan

__all__ = [
    "COMPLEX",
    "IMPLEMENTATIONS",
    "REDUCTIONS",
    "absolute",
    "add",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "counted_power",
    "det",
    "digamma",
    "divide",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "fingerprint",
    "gamma",
    "half_power",
    "hypot",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "i2",
    "i2e",
    "kl_div",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_ndtr",
    "log_of_base",
    "logaddexp",
    "logaddexp2",
    "logit",
    "maximum",
    "minimum",
    "multiply",
    "ndtr",
    "ndtri",
    "one_plus_erf",
    "power",
    "rel_entr",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
    "trigamma",
    "whole_power",
    "xlog1py",
    "xlogy",
]
