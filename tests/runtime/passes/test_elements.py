"""The elements that are read and written where they lie are those that Numba's own methods take."""

import inspect

import numba
import numpy as np
import pytest
from numba.core import lowering

from adc.runtime.passes import elements
from adc.runtime.tuning import tuned


def matrix(x, out, k, u):
    n, m = x.shape
    total = x[k, -1] * x[-1, k] + x[0, 0] + x[n - 1, m - 1] + x[u, u]
    for i in range(n):
        for j in range(m - 1, -1, -1):
            out[i, j] = x[i, m - 1 - j] * total
            out[i, j] += x[i - 1, j - 1]
    out[k, 1] = 3
    out[-1, u] = k
    return total


def cube(x, out, k, u):
    at = (k, -1, 1)
    total = x[at] + x[0, k, u]
    for i in range(-2, x.shape[0]):
        for j in range(x.shape[1]):
            for k2 in range(0, x.shape[2], 2):
                out[i, j, k2] = x[i, j, k2] - total
    while k < 1:
        k += 1
        out[k, k, k] = x[k - 1, k, -k]
    return total


def row(x, out, k, u):
    for i in range(len(x)):
        out[i] = x[-1 - i] + x[k]
    out[u], out[k] = out[k], out[u]
    return out[1]


FUNCTIONS = {"row": (row, (5,)), "matrix": (matrix, (3, 4)), "cube": (cube, (3, 3, 4))}
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "A": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_elements(name, layout):
    function, shape = FUNCTIONS[name]
    for dtype in (np.float64, np.complex64, np.int32):
        x = LAYOUTS[layout]((np.arange(np.prod(shape)) % 7 - 3.0).reshape(shape).astype(dtype))
        x.setflags(write=False)
        wanted, out = LAYOUTS[layout](np.zeros(shape, dtype)), LAYOUTS[layout](np.zeros(shape, dtype))
        value = function(x, wanted, -2, np.uint64(1))
        with tuned(function):
            compiled = numba.njit(function)
            found = compiled(x, out, -2, np.uint64(1))
        np.testing.assert_allclose(found, value)
        np.testing.assert_allclose(out, wanted)


def length_of_code(function, *arguments):
    compiled = numba.njit(function)
    compiled(*arguments)
    return sum(map(len, compiled.inspect_llvm().values()))


def lines_before_optimisation(function, monkeypatch):
    """How many instructions Numba gives to LLVM."""
    seen = []
    library = numba.core.codegen.CPUCodeLibrary
    own = library.add_ir_module
    monkeypatch.setattr(
        library, "add_ir_module", lambda s, m: (seen.append(str(m).count("\n")), own(s, m))[1]
    )
    x = np.ones((3, 4))
    numba.njit(function)(x, x.copy(), -2, np.uint64(1))
    monkeypatch.undo()
    return max(seen)


def test_less_is_given_to_llvm_of_functions_of_adc_only(monkeypatch):
    elsewhere = lines_before_optimisation(matrix, monkeypatch)
    with tuned(matrix):
        ours = lines_before_optimisation(matrix, monkeypatch)
    assert lowering.Lower.lower_getitem.__module__ == elements.__name__
    assert ours < 0.6 * elsewhere


def test_what_is_more_than_a_number_is_numbas():
    def function(x, i):
        return x[i], x[1], x[:, 0], x[1, i]

    x, i = np.arange(6.0).reshape(2, 3), np.array([1, 0])
    with tuned(function):
        for found, wanted in zip(numba.njit(function)(x, i), function(x, i), strict=True):
            np.testing.assert_array_equal(found, wanted)
        small = numba.njit(lambda x, i: x[i, i])
        assert small(x, np.int8(-1)) == 5.0 and small(x, np.uint8(1)) == 4.0


def test_records_and_numbers_without_axes():
    records = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f8"), ("b", "i4")])
    with tuned(length_of_code):
        assert numba.njit(lambda r: r[1].a * r[-2].b)(records) == 6.0
        assert numba.njit(lambda x: x[()])(np.array(2.0)) == 2.0


def test_bounds_are_checked_where_numba_is_told_to(monkeypatch):
    function = inspect.unwrap(matrix)
    with tuned(function):
        checked = numba.njit(boundscheck=True)(lambda x, k: x[k, 0])
        with pytest.raises(IndexError):
            checked(np.ones((2, 2)), 2)
