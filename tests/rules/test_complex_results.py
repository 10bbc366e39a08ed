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
    with pytest.raises(DerivativeError, match=r"the result is complex"):
        adc.grad(f, mode="compiled")(a)


def test_nothing_is_compiled_in_vain(monkeypatch):
    def compiled(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr("adc.api.transformed.compiled", compiled)
    with pytest.warns(FallbackWarning, match="the result is complex"):
        g = adc.grad(lambda p: np.max(np.abs(np.roots(p))))
        g(np.array([1.0, 0.5, 2.0, 1.0]))
    assert g.mode == "tape"


@pytest.mark.parametrize("f, a", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_tape_answers(f, a):
    with pytest.warns(FallbackWarning):
        found = adc.grad(f)(a)
    direction = np.random.default_rng(0).normal(size=a.shape)
    step = 1e-6
    slope = (f(a + step * direction) - f(a - step * direction)) / (2 * step)
    assert np.sum(found * direction) == pytest.approx(slope, rel=1e-6)
    assert adc.jvp(f, (a,), (direction,), mode="tape")[1] == pytest.approx(slope, rel=1e-6)


def basis(x, y):
    return np.sum(np.abs(linalg.qr(x + 1j * y)[0]) ** 3)


def sines(x, y):
    return np.sum(np.abs(linalg.sinm(x + 1j * y)) ** 3)


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
def test_a_rule_for_real_operands_refuses_complex_ones(mode):
    for f in (basis, sines) if mode != "tape" else (basis,):
        with pytest.raises(adc.UnsupportedError, match="complex numbers is not supported"):
            adc.grad(f, mode=mode)(TURNING, INDEFINITE)


def test_the_tape_differentiates_the_code_of_such_a_function():
    """`sinm` is made of exponentials of matrices; `qr` is LAPACK's."""
    adc.check_grads(sines, (0.3 * TURNING, 0.3 * INDEFINITE), order=1, mode="tape")


def test_the_order_is_that_of_a_real_matrix():
    """LAPACK finds the eigenvalues of the same numbers in another order where their type is complex."""
    weights = np.array([1.0, 3.0, 7.0, 2.5])
    for a in np.random.default_rng(7).normal(size=(12, 4, 4)):
        value, _ = adc.value_and_grad(lambda a: np.abs(linalg.eigvals(a)) @ weights, mode="tape")(a)
        assert value == pytest.approx(np.abs(linalg.eigvals(a)) @ weights)


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_a_rotation_onto_fewer_points_than_axes(mode):
    """Its stretch has a derivative; the rotation is one of many, and rounding does not answer for it."""
    x, y = np.random.default_rng(7).normal(size=(2, 3, 5))
    adc.check_grads(lambda x, y: linalg.orthogonal_procrustes(x, y)[1], (x, y), order=1, mode=mode)
    x, y = x[:, :3] - x[:, :3].mean(0), y[:, :3] - y[:, :3].mean(0)  # of rank 2, but for rounding
    try:
        turned = adc.grad(lambda x: linalg.orthogonal_procrustes(x, y)[0][0, 1], mode=mode)(x)
    except (np.linalg.LinAlgError, DerivativeError):  # where rounding leaves a zero
        return
    assert np.all(np.isnan(turned))
