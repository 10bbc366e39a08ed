"""Parts of arrays that are made of values are those that Numba's own functions make."""

import itertools

import numba
import numpy as np
import pytest
from numba.np import arrayobj

from adc.runtime.passes import views
from adc.runtime.passes.known import is_known
from adc.runtime.tuning import tuned

BOUNDS = (-9, -2, 0, 1, 3, 9)
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "A": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
}


def parts(x, a, b, k):
    return x[a:b], x[:a], x[b:, a:], x[k], x[k, a:b], x[a:b, k], x[-1, :b], x[1:, np.uint64(1)], x[:][:, :]


def of_cube(x, a, b, k):
    return x[a:b, k, b:], x[k, :, a:], x[k, k], x[..., a:b], x[a::2, b], x.shape


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("function", "shape"), [(parts, (4, 3)), (of_cube, (3, 2, 4))])
def test_the_same_parts(function, shape, layout):
    x = LAYOUTS[layout](np.arange(float(np.prod(shape))).reshape(shape))
    compiled = numba.njit(function)
    with tuned(function):
        compiled(x, 0, 1, 0)
    for a, b, k in itertools.product(BOUNDS, BOUNDS, (-1, 0, 1)):
        if function is of_cube and b not in (-2, 0, 1):
            continue
        for found, wanted in zip(compiled(x, a, b, k), function(x, a, b, k), strict=True):
            assert np.array_equal(found, wanted)
            if isinstance(wanted, np.ndarray) and wanted.size:
                assert found.strides == wanted.strides
                assert found.__array_interface__["data"] == wanted.__array_interface__["data"]


def test_they_stand_for_texts_that_were_read():
    assert is_known(arrayobj.getitem_array_tuple, views.PARTS)
    assert is_known(arrayobj.getitem_arraynd_intp, views.PARTS)
    assert is_known(arrayobj.array_shape, views.LENGTHS)
