"""Real matrices with complex eigenvalues: code made for real numbers refuses, and the tape answers."""

import numpy as np
import pytest

import adc
from adc.errors import DerivativeError, FallbackWarning

linalg = pytest.importorskip("scipy.linalg")

TURNING = np.array([[0.3, 1.0, 0.2], [-1.2, 0.1, 0.3], [0.1, 0.2, 0.5]])
INDEFINITE = np.array([[1.0, 0.1, 0.3], [-0.1, 2.0, 0.2], [0.2, 0.4, -0.3]])


def spectrum(a):
    return np.sum(np.abs(np.linalg.eigvals(a)) ** 2 * np.array([1.0, 1.0, 3.0]))


def frequencies(a):
    return np.sum(np.linalg.eigvals(a).imag ** 2)


def root(a):
    return np.sum(np.abs(linalg.sqrtm(a)))


def logarithm(a):
    return np.sum(np.abs(linalg.logm(a)))


def vectors(a):
    return np.sum(np.abs(linalg.eig(a)[1]) ** 4)


CASES = [(vectors, TURNING), (root, INDEFINITE), (logarithm, INDEFINITE)]
# From there on the eigenvalues of any matrix are complex by type.
if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    CASES += [(spectrum, TURNING), (frequencies, TURNING)]


@pytest.mark.parametrize("f, a", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_code_for_real_numbers_refuses(f, a):
    with pytest.raises(DerivativeError, match="the result is complex"):
        adc.grad(f, mode="python")(a)


@pytest.mark.parametrize("f, a", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_compiled_code_refuses(f, a):
    with pytest.raises(DerivativeError, match=r"the result is complex|domain change"):
        adc.grad(f, mode="compiled")(a)


@pytest.mark.parametrize("f, a", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_tape_answers(f, a):
    with pytest.warns(FallbackWarning):
        found = adc.grad(f)(a)
    direction = np.random.default_rng(0).normal(size=a.shape)
    step = 1e-6
    slope = (f(a + step * direction) - f(a - step * direction)) / (2 * step)
    assert np.sum(found * direction) == pytest.approx(slope, rel=1e-6)
    assert adc.jvp(f, (a,), (direction,), mode="tape")[1] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
def test_a_rule_for_real_operands_refuses_complex_ones(mode):
    def basis(x, y):
        return np.sum(np.abs(linalg.qr(x + 1j * y)[0]) ** 3)

    def sines(x, y):
        return np.sum(np.abs(linalg.sinm(x + 1j * y)) ** 3)

    for f in (basis, sines):
        with pytest.raises(adc.UnsupportedError, match="complex numbers is not supported"):
            adc.grad(f, mode=mode)(TURNING, INDEFINITE)
