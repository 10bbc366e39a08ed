"""Arrays that get another shape are the views that Numba's own function makes, with its errors."""

import numba
import numpy as np
import pytest
from numba.np import arrayobj

from adc.runtime import reshaping
from adc.runtime.passes.known import is_known
from adc.runtime.tuning import tuned


def reshaped(x, a, b, c):
    return (
        x.reshape((a, b, c)),
        x.reshape((b, 4)),
        x.reshape((a, -1)),
        x.reshape((x.size,)),
        x.reshape(a, c, b),
    )


@pytest.fixture(scope="module")
def compiled():
    made = numba.njit(reshaped)
    with tuned(reshaped):
        made(np.zeros((2, 12)), 2, 6, 2)
        made(np.zeros(24, np.float32), 2, 6, 2)
    return made


@pytest.mark.parametrize("shape", [(2, 12), (24,)])
@pytest.mark.parametrize("lengths", [(2, 6, 2), (1, 6, 4), (4, 6, -1), (-1, 6, 2), (-1, 6, 1)])
def test_the_same_views(compiled, shape, lengths):
    x = np.arange(24.0).reshape(shape).astype(np.float64 if len(shape) == 2 else np.float32)
    try:
        expected = reshaped(x, *lengths)
    except ValueError:
        with pytest.raises(ValueError, match="multiple negative"):
            compiled(x, *lengths)
        return
    for found, wanted in zip(compiled(x, *lengths), expected, strict=True):
        assert np.array_equal(found, wanted)
        assert (found.shape, found.strides, found.dtype) == (wanted.shape, wanted.strides, wanted.dtype)
        assert np.shares_memory(found, x)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ((2, 6, 3), "total size of new array must be unchanged"),
        ((5, -1, 2), "total size"),
        ((-2, -3, 4), "multiple negative"),
        ((0, 6, -1), "total size"),
        ((2**32, 2**32, 0), "total size"),
    ],
)
def test_lengths_that_do_not_fit(compiled, lengths, said):
    with pytest.raises(ValueError, match=said):
        compiled(np.zeros((2, 12)), *lengths)


def test_without_elements(compiled):
    for found, wanted in zip(
        compiled(np.zeros((0, 12)), 1, 0, 2), [(1, 0, 2), (0, 4), (1, 0), (0,), (1, 2, 0)], strict=True
    ):
        assert found.shape == wanted


def test_they_stand_for_a_text_that_was_read():
    assert is_known(arrayobj.array_reshape, reshaping.KNOWN)


def without_axes(x):
    return x.reshape(())


def test_an_array_without_axes():
    made = numba.njit(without_axes)
    with tuned(without_axes):
        found = made(np.array([[2.5]]))
    assert found.shape == () and found[()] == 2.5
