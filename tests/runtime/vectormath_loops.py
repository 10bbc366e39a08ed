"""One jitted loop around each function of the vector maths, compiled once per test run."""

from __future__ import annotations

import functools

from numba import njit

from adc.runtime import vectormath as vm

TWO_ARGUMENTS = (
    "power",
    "arctan2",
    "hypot",
    "logaddexp",
    "logaddexp2",
    "xlogy",
    "xlog1py",
    "rel_entr",
    "kl_div",
)


@functools.cache
def loop_over(name):
    """loop(x, out) or loop(x, y, out), elementwise."""
    function = getattr(vm, name)
    if name in TWO_ARGUMENTS:

        @njit(error_model="numpy")
        def binary(x, y, out):
            for i in range(x.shape[0]):
                out[i] = function(x[i], y[i])

        return binary

    @njit(error_model="numpy")
    def unary(x, out):
        for i in range(x.shape[0]):
            out[i] = function(x[i])

    return unary


@functools.cache
def reduction_over(name):
    """total = step(total, x[i]) over a vector."""
    step = vm.REDUCTIONS[name]

    @njit(error_model="numpy")
    def reduce(x):
        total = x[0]
        for i in range(1, x.shape[0]):
            total = step(total, x[i])
        return total

    return reduce
