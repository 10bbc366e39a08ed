"""Functions of many arrays take and give the same objects, errors and memory as by Numba's own wrapper."""

import sys

import numba
import numpy as np
import pytest
from numba.core import callwrapper, pythonapi, types
from numba.core.runtime import _nrt_python, rtsys

from adc.runtime.passes import boxing
from adc.runtime.tuning import tuned


def many(a, b, c, d, e, f, s):
    return a + 1.0, b, c[1:] * s, d.T, e * 2, f, s, a.sum(), b


def alike(a, b, c, d, e, f, s):
    return a * s, a + 1.0, b * s, a


@pytest.fixture
def arguments():
    return (
        np.arange(3.0),
        np.arange(6.0).reshape(2, 3),
        np.arange(8.0)[::2],
        np.asfortranarray(np.arange(6.0).reshape(3, 2)),
        np.arange(4, dtype=np.float32),
        np.array([True, False]),
        0.5,
    )


@pytest.mark.parametrize("function", [many, alike])
def test_the_same_objects(function, arguments):
    compiled = numba.njit(function)
    with tuned(function):
        compiled(*arguments)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    counts = [sys.getrefcount(each) for each in arguments[:-1]]
    for _ in range(3):
        found, wanted = compiled(*arguments), function(*arguments)
        for a, b in zip(found, wanted, strict=True):
            assert type(a) is type(b) or not isinstance(b, np.ndarray)
            assert np.array_equal(a, b)
            if isinstance(b, np.ndarray):
                assert (a.dtype, a.strides, a.flags.writeable) == (b.dtype, b.strides, b.flags.writeable)
    assert found[1] is arguments[1] or function is alike
    del found, wanted, a, b
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert [sys.getrefcount(each) for each in arguments[:-1]] == counts


def test_what_is_no_array_is_refused(arguments):
    compiled = numba.njit(many)
    with tuned(many):
        compiled(*arguments)
    (entry,) = (overload.entry_point for overload in compiled.overloads.values())
    counts = [sys.getrefcount(each) for each in arguments[:-1]]
    for k in range(6):
        with pytest.raises(TypeError, match="unbox"):
            entry(*arguments[:k], "no array", *arguments[k + 1 :])
    assert [sys.getrefcount(each) for each in arguments[:-1]] == counts


def test_helpers_are_one_for_each_kind(arguments):
    compiled = numba.njit(alike)
    with tuned(alike):
        compiled(*arguments)
    (text,) = compiled.inspect_llvm().values()
    assert text.count("@NRT_adapt_ndarray_to_python_acqref(") <= 3  # its declaration, and two kinds
    assert callwrapper.PyCallWrapper.build_wrapper.__module__ == boxing.__name__
    assert pythonapi._boxers.functions[types.Array].__module__ == boxing.__name__
