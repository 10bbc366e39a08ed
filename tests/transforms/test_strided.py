"""Which functions are compiled for loops that step over rows, and that such loops vectorise."""

from __future__ import annotations

import re

import numpy as np
import pytest

import adc
from adc import runtime

R = np.random.default_rng(0)


def weights_of_points(p):
    total = 0.0
    for i in range(p.shape[0]):
        total += np.exp(-p[i, 0] * p[i, 1])
    return total


def steps_between_points(p):
    total = 0.0
    x, y = p[0, 0], p[0, 1]
    for i in range(1, p.shape[0]):
        total += np.hypot(p[i, 0] - x, p[i, 1] - y)
        x, y = p[i, 0], p[i, 1]
    return total


def along_rows(p):
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            total += np.exp(-p[i, j])
    return total


def text(function, *args):
    return str(adc.source(adc.grad(function, mode="compiled"), *args, stage="optimized"))


@pytest.mark.parametrize("function", [weights_of_points, steps_between_points])
def test_steps_over_rows(function):
    p = R.normal(size=(300, 2))
    assert "@rt.strided" in text(function, p)
    found = adc.grad(function, mode="compiled")(p)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(p), rtol=1e-10)


def test_rows_are_no_steps():
    assert "@rt.strided" not in text(along_rows, R.normal(size=(6, 6)))


SUM = """
def total_of(p, q):
    total = 0.0
    for i in range(p.shape[0]):
        total = vm.add(total, vm.exp(p[np.uint64(i), 0]) * q[np.uint64(i)])
    return total
"""


def kernel(*marks):
    """The sum as a function that was typed at a prompt: what comes from disk has no assembly to read."""
    namespace = {"np": np, "vm": runtime.vectormath}
    exec(SUM, namespace)
    function = namespace["total_of"]
    for mark in marks:
        function = mark(function)
    return runtime.kernel(function)


def packed_of_rows(total_of):
    """How many vector multiplications there are in loops that load elements at a distance."""
    p, q = R.normal(size=(50, 3)), R.normal(size=50)
    np.testing.assert_allclose(total_of(p, q), np.sum(np.exp(p[:, 0]) * q))
    (compiled,) = total_of._dispatcher.overloads.values()
    blocks = re.split(r"^\.LBB.*$", compiled.library.get_asm_str(), flags=re.MULTILINE)
    distant = re.compile(r"vgather|vmovhpd|vmovsd|movhpd|movsd")
    return sum(len(re.findall(r"v?f?m(?:add|ul)\w*pd", b)) for b in blocks if distant.search(b))


@pytest.mark.skipif(
    runtime.tuning.binding.llvm_version_info[0] not in runtime.tuning._TRIED
    or "x86" not in runtime.tuning.binding.get_default_triple(),
    reason="another LLVM, another processor",
)
@pytest.mark.machine_code
def test_the_loop_is_made_of_vectors():
    assert packed_of_rows(kernel(runtime.strided)) > 4 * max(packed_of_rows(kernel()), 1)


def test_a_marked_function_is_itself():
    def f(x):
        return 2.0 * x

    assert runtime.strided(f) is f
    assert f(1.5) == 3.0
