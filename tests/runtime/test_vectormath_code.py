"""Loops around the vector maths become packed instructions, and jitted callers can be cached on disk."""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from llvmlite import binding
from numba import njit, typeof

from adc.runtime import vectormath as vm
from adc.runtime.vectormath import dispatch

from .vectormath_loops import TWO_ARGUMENTS, loop_over, reduction_over

needs_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="reads x86 assembly: the names are x86 names"
)
PACKED = re.compile(r"\bv?(?:fn?m(?:add|sub)(?:132|213|231)|add|sub|mul|max|min)p([sd])\b")
ELEMENTWISE = sorted({function.__name__ for function in vm.IMPLEMENTATIONS.values()})


def code_of(function, *arguments):
    """(LLVM after optimisation, assembly) for these arguments, or of the signature compiled last."""
    signature = tuple(map(typeof, arguments)) or function.nopython_signatures[-1].args
    return function.inspect_llvm(signature), function.inspect_asm(signature)


@needs_x86
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_loop_around_a_function_is_packed(name, dtype):
    loop = loop_over(name)
    x = np.full(5, 1.5 if name == "arccosh" else 0.5, dtype)
    arguments = *([x] * (2 if name in TWO_ARGUMENTS else 1)), np.empty_like(x)
    loop(*arguments)
    llvm, assembly = code_of(loop, *arguments)
    assert "vector.body" in llvm
    # Most of the work, not a stray pair: every kernel has more than eight operations.
    in_single = dtype is np.float32 and getattr(vm, name) in dispatch.IN_SINGLE
    assert PACKED.findall(assembly).count("s" if in_single else "d") >= 8


@needs_x86
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", sorted(vm.REDUCTIONS))
def test_a_reduction_is_packed(name, dtype):
    x = np.random.default_rng(1).uniform(0.9, 1.1, 1000).astype(dtype)
    reduce = reduction_over(name)
    assert reduce(x) == pytest.approx(getattr(np, name).reduce(x), rel=1e-12 if dtype is np.float64 else 1e-4)
    if name in ("maximum", "minimum") and binding.llvm_version_info < (20,):
        pytest.skip("LLVM 15 knows no vector form of a maximum that lets NaN through")
    llvm, assembly = code_of(reduce)
    assert "vector.body" in llvm
    assert PACKED.findall(assembly).count("d" if dtype is np.float64 else "s") >= 2


def test_reductions_let_nan_through_and_take_integers():
    x = np.ones(100)
    x[37] = np.nan
    assert all(math.isnan(reduction_over(name)(x)) for name in vm.REDUCTIONS)
    k = np.arange(1, 8)
    assert [reduction_over(name)(k) for name in ("add", "multiply", "maximum", "minimum")] == [28, 5040, 7, 1]
    assert [vm.add(2, 3), vm.multiply(2, 3), vm.maximum(2, 3), vm.minimum(2, 3)] == [5, 6, 3, 2]


def test_a_compensated_sum_beside_a_reduction_keeps_its_meaning():
    @njit(error_model="numpy")
    def sums(x):
        total, lost, plain = 0.0, 0.0, 0.0
        for i in range(x.shape[0]):
            term = x[i] - lost
            grown = total + term
            lost = (grown - total) - term
            total = grown
            plain = vm.add(plain, x[i])
        return total, plain

    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 100_001) * 10.0 ** rng.integers(-10, 10, 100_001)
    total, plain = sums(x)
    assert abs(total - math.fsum(x)) <= math.ulp(total)
    assert plain == pytest.approx(total, rel=1e-12)


@needs_x86
def test_a_sum_of_functions_is_one_packed_loop():
    @njit(error_model="numpy")
    def log_likelihood(x):
        total = 0.0
        for i in range(x.shape[0]):
            total = vm.add(total, vm.log(1.0 + vm.exp(-x[i]) * vm.sin(x[i]) ** 2))
        return total

    x = np.random.default_rng(0).uniform(0, 5, 1000)
    assert log_likelihood(x) == pytest.approx(np.sum(np.log(1 + np.exp(-x) * np.sin(x) ** 2)), rel=1e-13)
    llvm, assembly = code_of(log_likelihood)
    assert "vector.body" in llvm
    assert PACKED.findall(assembly).count("d") > 40


CACHED = """
import numpy as np
from numba import njit, typeof
from adc.runtime import vectormath as vm

@njit(cache=True, error_model="numpy")
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = vm.add(s, vm.exp(x[i]) * vm.sin(x[i]) + vm.gamma(x[i]))
    return s

x = np.linspace(-2.3, 3.0, 57)
x[7] = 1e200 - 1e200 + 0.5
print(repr(total(x)), sum(total.stats.cache_hits.values()))
"""


def test_a_cached_caller_is_loaded_by_the_next_process(tmp_path):
    module = tmp_path / "cached_caller.py"
    module.write_text(CACHED)
    source = str(Path(vm.__file__).parents[3])
    environment = {**os.environ, "PYTHONPATH": source, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run():
        command = [sys.executable, str(module)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        value, hits = done.stdout.split()
        return float(value), int(hits)

    (first, missed), (second, hit) = run(), run()
    assert (missed, hit) == (0, 1)
    assert first == second
    # The kernels themselves are cached too, under the stamp of the whole package.
    assert list((tmp_path / "cache").rglob("exponential.exp-*.nbi"))
