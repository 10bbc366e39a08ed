"""The memory of a stack is lent while loops fill it, and belongs to an array again when they are through."""

import gc

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

import adc
from adc import runtime as rt
from adc.runtime.tuning import tuned


def filled(n, width):
    kept = rt.lent(rt.empty((64, width)))
    top = 0
    for i in range(n):
        if top == kept.shape[0]:
            kept = rt.extended(kept, top)
        kept[top, 0] = i
        kept[top, 1:] = 0.5 * i
        top += 1
    kept = rt.settled(kept)
    return kept[:top]


@pytest.fixture(autouse=True)
def counted():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def held():
    gc.collect()
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free


@pytest.mark.parametrize("n", [0, 1, 64, 65, 1000])
def test_what_is_pushed_is_there_and_nothing_else_is_held(n):
    compiled = njit(filled)
    with tuned(filled):
        compiled(1, 3)
    wanted = filled(n, 3).copy()
    before = held()
    found = compiled(n, 3)
    np.testing.assert_array_equal(found, wanted)
    assert held() == before + 1 and found.base is not None
    again = [compiled(n, 3) for _ in range(3)]
    del found
    for each in again:
        np.testing.assert_array_equal(each, wanted)
    del each, again
    assert held() == before


def iterations(x):
    total = 0.0
    for i in range(x.shape[0]):
        y, row = 1.0, x * x[i]
        while abs(y * y - x[i]) > 1e-12:
            y = 0.5 * (y + x[i] / y)
            row = row * y + 0.1 * np.sin(row)
        total += y + np.sum(row)
    return total


def test_gradients_leave_nothing_behind():
    x = np.linspace(0.5, 300.0, 40)
    gradient = adc.value_and_grad(iterations, mode="compiled")
    value, found = gradient(x)
    wanted_value, wanted = adc.value_and_grad(iterations, mode="tape")(x)
    np.testing.assert_allclose(value, wanted_value, rtol=1e-13)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert "rt.extended(" in adc.source(gradient, x, stage="optimized")
    before = held()
    for _ in range(3):
        gradient(x)
    assert held() == before
    _, pull = adc.vjp(iterations, x, mode="compiled")
    np.testing.assert_allclose(pull(1.0)[0], wanted, rtol=1e-10)
    np.testing.assert_allclose(pull(2.0)[0], 2.0 * wanted, rtol=1e-10)
