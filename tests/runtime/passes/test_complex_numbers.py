"""Complex numbers that are compiled in parts are those of Numba's own operations and of Python."""

import cmath
import inspect

import numba
import numpy as np
import pytest
from numba.cpython import numbers

from adc.runtime.passes import complex_numbers
from adc.runtime.tuning import tuned

INF, NAN = np.inf, np.nan
PAIRS = [
    (1 + 2j, -0.5 + 0.25j),
    (0j, 3 - 1j),
    (complex(-0.0, 0.0), complex(0.0, -0.0)),
    (complex(INF, 1), 2j),
]
PAIRS += [(complex(NAN, 0), 1 + 1j), (1e200 + 1e200j, 1e200 - 1e200j)]


def arithmetic(z, w):
    total = z + w - (-w) * z
    total *= z.conjugate()
    total += w.real - z.imag
    if z == w or not z:
        total -= 1.0
    if z != w and w:
        total = total * 2
    return total


def in_branches(z, w):
    out = z
    for k in range(3):
        if out.real > k:
            out = out * w
        else:
            out = out + w.conjugate()
        if k == 1:
            continue
        out = -out
    return out


def mixed(z, w):
    x = np.zeros(3, np.complex64)
    x[0] = z
    x[1] = 2
    x[2] = x[0] * x[1] + np.complex64(w)
    return x[2] + 1 - x[0].imag


def powers(z, w):
    return z**2 + w**3 + abs(z) + cmath.exp(w * 1e-3)


@pytest.mark.parametrize("function", [arithmetic, in_branches, mixed, powers])
def test_the_same_numbers(function):
    own = numba.njit(function)
    with tuned(function):
        compiled = numba.njit(function)
        compiled(1j, 1j)
    for z, w in PAIRS:
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(compiled(z, w), own(z, w))


def text_given_to_llvm(function, monkeypatch):
    seen = []
    library = numba.core.codegen.CPUCodeLibrary
    own = library.add_ir_module
    monkeypatch.setattr(
        library, "add_ir_module", lambda self, module: (seen.append(str(module)), own(self, module))
    )
    with tuned(function):
        numba.njit(function)(1j, 1j)
    monkeypatch.undo()
    return "".join(seen)


def test_no_operation_makes_room_for_a_number(monkeypatch):
    def product(z, w):
        return z * w - (z + w).conjugate()

    def one(z, w):
        return z

    text, least = (text_given_to_llvm(function, monkeypatch) for function in (product, one))
    rooms = [text.count("alloca {double, double}") for text in (text, least)]
    assert "fmul" in text
    assert rooms[0] - rooms[1] <= 4  # of variables: the operations have six operands and four results


def test_the_text_of_each_operation_is_known():
    own = [entry[0] for entry in numba.core.imputils.builtin_registry.functions]
    replaced = [
        f for f in own if getattr(f, "__module__", "") == numbers.__name__ and hasattr(f, "__wrapped__")
    ]
    assert {inspect.unwrap(f).__name__ for f in replaced} >= {"complex_add_impl", "complex_mul_impl"}
    for function in map(inspect.unwrap, replaced):
        known = complex_numbers.PRODUCT if function is numbers.complex_mul_impl else complex_numbers.STRAIGHT
        assert complex_numbers.is_known(function, known), function
