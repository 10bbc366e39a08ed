"""Functions of complex numbers: both parts are accurate, special values are NumPy's, and loops are packed."""

from __future__ import annotations

import cmath
import platform
import re

import numpy as np
import pytest
from numba import njit

import adc
from adc.runtime import vectormath as vm

mpmath = pytest.importorskip("mpmath")
EXACT = {name: getattr(mpmath, name) for name in ("exp", "log", "sqrt", "sin", "cos", "sinh", "cosh", "tanh")}
UNARY = sorted({*EXACT, "absolute", "angle"})
PACKED = re.compile(r"\bv?(?:fn?m(?:add|sub)(?:132|213|231)|add|sub|mul)pd\b")


def numbers():
    r = np.random.default_rng(0)
    found = [complex(a, b) for a in r.normal(size=40) for b in r.normal(size=5)]
    found += [z * 10.0**k for z in found[:60] for k in (-300, -200, -20, -8, -2, 1, 2, 8, 20, 150, 300)]
    found += [cmath.rect(1.0 + e, t) for e in (0.0, 1e-3, -1e-9, 3e-16) for t in r.uniform(-3, 3, 20)]
    return found + [complex(a, b) for a in (-2.0, 0.0, 1.0, 700.5) for b in (1e-290, 0.5, -3.0, 2.5)]


@pytest.mark.parametrize("name", sorted(EXACT))
def test_both_parts_are_accurate(name):
    function = getattr(vm, name)
    with mpmath.workprec(2300):
        for z in numbers():
            if name not in ("log", "sqrt") and abs(z) > 709.0:
                continue
            exact = EXACT[name](mpmath.mpc(z))
            found = function(z)
            for part, wanted in ((found.real, float(exact.real)), (found.imag, float(exact.imag))):
                # Of a logarithm the real part is what is left of squares.
                assert abs(part - wanted) <= 1e-15 * abs(wanted) + 5e-324 or (
                    name == "log" and abs(part - wanted) < 3e-32
                ), (z, found, complex(exact))


def same(a, b):
    """Equal as numbers, signs of zero included; anything goes beside a NaN."""
    return (np.isnan(a) and np.isnan(b)) or (a == b and np.signbit(a) == np.signbit(b))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sqrt", [-1.0 + 0j, complex(-1.0, -0.0), 0j, complex(-0.0, -0.0), complex(np.inf, 1.0)]),
        (
            "sqrt",
            [complex(-np.inf, 1.0), complex(1.0, np.inf), complex(-4.0, -np.inf), complex(1e308, 1e308)],
        ),
        ("log", [-1.0 + 0j, complex(-1.0, -0.0), 0j, complex(np.inf, 1.0), complex(1e308, 1e308), 1.0 + 0j]),
        ("exp", [complex(-np.inf, 1.0), complex(np.inf, 0.0), 0j, complex(-1e300, 3.0), complex(709.9, 0.7)]),
        (
            "tanh",
            [complex(400.0, 1.0), complex(-400.0, 0.5), 0j, complex(19.5, 1.0), complex(1e-200, 1e-200)],
        ),
        ("absolute", [complex(np.inf, np.nan), complex(3e300, 4e300), complex(3e-320, 4e-320), 0j]),
        ("angle", [-1.0 + 0j, complex(-1.0, -0.0), 0j, complex(-0.0, 0.0), complex(np.inf, np.inf)]),
    ],
)
def test_special_values_are_those_of_numpy(name, values):
    for z in values:
        with np.errstate(all="ignore"):
            wanted = complex(getattr(np, name)(z))
        found = complex(getattr(vm, name)(z))
        for part, other in ((found.real, wanted.real), (found.imag, wanted.imag)):
            assert same(part, other) or abs(part - other) <= 4e-16 * abs(other), (z, found, wanted)


def test_quotients():
    every = numbers()[:300]
    for z in every:
        for w in every[::7]:
            wanted = np.divide(z, w)
            if not np.isfinite(wanted):
                assert not np.isfinite(vm.divide(z, w))
                continue
            assert abs(vm.divide(z, w) - wanted) <= 1e-15 * abs(wanted)
    with np.errstate(all="ignore"):
        for z in (1.0 + 0j, 0j, -1.0 + 2j):
            found, wanted = vm.divide(z, 0j), np.divide(z, 0j)
            assert same(found.real, wanted.real) and same(found.imag, wanted.imag)
    assert vm.divide(3.0, 2j) == -1.5j and vm.divide(3j, 2) == 1.5j
    with pytest.raises(Exception, match="divide"):
        njit(lambda x: vm.divide(x, x))(1.0)  # of real numbers there is nothing to do
    # `vm.divide(z if near else 0.0, 133)`: to Numba both are complex, Python has a number of each kind.
    assert vm.divide(0.0, 133) == 0.0 and vm.divide(1.5, 2) == 0.75
    assert vm.absolute(-2.0) == 2.0 and vm.angle(-1.0) == np.pi


@pytest.mark.parametrize("n", range(-16, 17))
def test_whole_powers_are_products(n):
    for z in numbers()[:100]:
        exact = complex(mpmath.mpc(z) ** n)
        assert abs(vm.whole_power(z, n) - exact) <= 4e-15 * abs(exact)
    assert vm.whole_power(1 + 2j, 2) == -3 + 4j
    assert vm.whole_power(-2.0, 3) == -8.0


def test_single_precision_stays_single():
    z = np.complex64(0.3 - 1.2j)
    for name in UNARY:
        found = getattr(vm, name)(z)
        assert type(found) is (np.float32 if name in ("absolute", "angle") else np.complex64)
        assert found == pytest.approx(getattr(np, name)(np.complex128(z)), rel=1e-6)
    assert type(vm.divide(np.float32(1), z)) is np.complex64


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="reads x86 assembly")
@pytest.mark.parametrize("name", [*UNARY, "divide", "whole_power"])
def test_a_loop_is_packed(name):
    function = getattr(vm, name)

    @njit(error_model="numpy")
    def unary(z, out):
        for i in range(z.shape[0]):
            out[i] = function(z[i]).real

    @njit(error_model="numpy")
    def divide(z, out):
        for i in range(z.shape[0]):
            out[i] = function(z[i], 1.0 + z[i]).real

    @njit(error_model="numpy")
    def power(z, out):
        for i in range(z.shape[0]):
            out[i] = function(z[i], 5).real

    loop = {"divide": divide, "whole_power": power}.get(name, unary)
    z, out = np.full(100, 0.4 - 0.3j), np.empty(100)
    loop(z, out)
    signature = loop.nopython_signatures[-1].args
    assert "vector.body" in loop.inspect_llvm(signature)
    assert len(PACKED.findall(loop.inspect_asm(signature))) >= 4


def characteristic(p, u):
    """A loop with quotients, roots, exponentials and complex sums, as of a price by its characteristic function."""
    d = np.sqrt((p[0] * 1j * u - p[1]) ** 2 + p[2] ** 2 * (1j * u + u**2))
    g = (p[1] - p[0] * 1j * u - d) / (p[1] - p[0] * 1j * u + d)
    c = np.exp(p[3] * (1 - np.exp(-d)) / (1 - g * np.exp(-d)))
    return np.sum(np.real(c / (1j * u + 1))) + np.abs(np.mean(np.log(c))) + np.sum(np.angle(d * 1j))


@pytest.mark.parametrize("size", [1, 7, 200])
def test_in_a_gradient(size):
    p, u = np.array([-0.5, 1.5, 0.3, 0.04]), np.linspace(0.1, 20, size)
    gradient = adc.grad(characteristic, (0, 1), mode="compiled")
    text = adc.source(gradient, p, u, stage="optimized")
    for call in ("vm.divide(", "vm.sqrt(", "vm.exp(", "vm.whole_power("):
        assert call in text or size == 1  # then there is no loop
    wanted = adc.grad(characteristic, (0, 1), mode="tape")(p, u)
    for found, other in zip(gradient(p, u), wanted, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-10, atol=1e-13)


def test_degrees_are_left_to_numpy():
    def f(x):
        return np.sum(np.angle(x + 0.5j, deg=True) + np.angle(x + 0.5j))

    x = np.linspace(-1, 2, 9)
    found = adc.grad(f, mode="compiled")(x)
    np.testing.assert_allclose(found, adc.grad(f, mode="tape")(x), rtol=1e-12)


def test_only_an_angle_loses_an_argument():
    def f(x):
        return np.sum(np.hypot(x, False) + np.arctan2(x, False))

    x = np.linspace(0.5, 2.0, 9)
    np.testing.assert_allclose(adc.grad(f, mode="compiled")(x), np.ones(9), atol=1e-15)


def test_whether_in_degrees_the_run_may_decide():
    def f(x, degrees):
        return np.sum(np.angle(x + 0.5j, degrees))

    x = np.linspace(-1, 2, 9)
    for degrees in (True, False):
        found = adc.grad(f, mode="compiled")(x, degrees)
        np.testing.assert_allclose(found, adc.grad(f, mode="tape")(x, degrees), rtol=1e-12)
