"""A function that stays apart is called as a jitted one is, also for its errors, and from code that lies on disk."""

import numba
import numpy as np
import pytest

from adc.runtime.apart import apart


@apart("float64(float64[::1], int64)")
def _nth_root_of_sum(x, n):
    if n == 0:
        raise ValueError("no root")
    total = 0.0
    for k in range(x.size):
        total += x[k]
    return total ** (1.0 / n)


@apart("Tuple((float64[::1], boolean))(float64[::1])")
def _doubled(x):
    return 2.0 * x, x.size > 2


@apart("void(float64[::1])")
def _never_compiles(x):
    return x.no_such_attribute


@numba.njit
def root(x, n):
    return _nth_root_of_sum((x, n))


def test_values_and_errors_come_back():
    assert root(np.array([1.0, 3.0]), 2) == 2.0
    assert root(np.array([1.0, 3.0]), np.int32(1)) == 4.0
    with pytest.raises(ValueError, match="no root"):
        root(np.ones(2), 0)


def test_arrays_come_back():
    @numba.njit
    def twice(x):
        for _ in range(3):
            x, more = _doubled((x,))
        return x, more

    assert np.array_equal(twice(np.ones(3))[0], np.full(3, 8.0))


def test_other_arguments_are_refused():
    with pytest.raises(numba.TypingError, match="takes"):
        root(np.ones((2, 2)), 1)
    with pytest.raises(numba.TypingError, match="takes"):
        numba.njit(lambda x: _nth_root_of_sum((x,)))(np.ones(2))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_cannot_be_compiled_says_so():
    with pytest.raises(RuntimeError, match="_never_compiles could not be compiled"):
        numba.njit(lambda x: _never_compiles((x,)))(np.ones(2))
