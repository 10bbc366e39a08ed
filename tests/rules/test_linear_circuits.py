"""Linear systems of scipy.signal, told in each of SciPy's ways, against SciPy's own answers."""

import numpy as np
import pytest

import adc

signal = pytest.importorskip("scipy.signal")

T = np.linspace(0.0, 2.0, 6)
W = np.array([0.3, 1.0, 2.0])
OUTSIDE, STATES = signal.lti([1.0], [1.0, 0.5, 0.3]), signal.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]])


def fractions(u, k):
    _, y, x = signal.lsim(([k[0], 1.0], [2.0, k[1], k[2]]), u, T, X0=k[:2])
    steps = signal.lsim(([k[0]], [1.0, k[1]]), u, T, interp=False)[1]
    return u @ y + np.sum(x**2) + u @ steps


def matrices(u, k):
    a = np.array([[-k[0], 1.0], [-k[1], -k[2]]])
    y = signal.lsim((a, np.eye(2), np.eye(2), np.zeros((2, 2))), np.stack((u, u**2), axis=1), T)[1]
    return np.sum(y**2)


def poles(u, k):
    system = np.array([-k[0]]), np.array([-k[1], -k[2]]), k[0]
    return u @ signal.step(system, T=T)[1] + u @ signal.impulse((k[1], [1.0, k[0]]), T=T)[1]


def frequencies(u, k):
    _, magnitude, phase = signal.bode(([k[0]], [1.0, k[1], k[2]]), w=W)
    response = signal.TransferFunction([u[0]], [1.0, k[0]]).freqresp(W)[1]
    return magnitude.sum() + phase @ W + np.sum(np.abs(response) ** 2)


def outside(u, k):
    return k[0] * u @ signal.lsim(OUTSIDE, u, T)[1] + STATES.output(u, T)[1] @ u


def lists(u, k):
    """The times and frequencies that come back are arrays, as SciPy gives them."""
    system = [k[0], 1.0], [1.0, k[1], k[2]]
    given = [0.0, 0.5, 1.0]
    w, magnitude, _ = signal.bode(system, w=given[1:])
    at, response = signal.freqresp(system, w=2.0)
    late, y, _ = signal.lsim(system, u[:3], given)
    times, steps = signal.step(system, T=given)
    same, impulses = signal.impulse(system, T=given)
    whole = np.sum(w * 2) * magnitude[0] + np.abs(response[0]) * at[0]
    return whole + (late * 3) @ y + (times * 2) @ steps + (same * 2) @ impulses


@pytest.mark.parametrize("mode", ("tape", "python"))
@pytest.mark.parametrize(
    "f", (fractions, matrices, poles, frequencies, outside, lists), ids=lambda f: f.__name__
)
def test_responses(f, mode):
    u, k = np.array([0.3, -0.4, 1.0, 0.7, 0.2, -0.1]), np.array([0.7, 1.3, 0.4])
    adc.check_grads(f, (u, k), order=1, mode=mode)
    assert adc.value_and_grad(f, mode=mode)(u, k)[0] == pytest.approx(f(u, k), rel=1e-10)


def test_without_times():
    with pytest.raises(adc.UnsupportedError, match=r"step without `T` is not supported"):
        adc.grad(lambda k: np.sum(signal.step(([k], [1.0, 2.0]))[1]), mode="tape")(1.0)
