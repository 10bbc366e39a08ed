"""Responses of linear systems in time and frequency, by scipy.signal's names: lsim, step, impulse, freqresp, bode.

A system is what SciPy takes: numerator and denominator, zeros, poles and gain, or the matrices of its states.
Source: Van Loan, Computing integrals involving the matrix exponential (1978), as in SciPy.
"""

import numpy as np
from scipy import linalg, signal

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.registry import static


@static
def _refuse(what, repair):
    raise UnsupportedError(f"{what} is not supported", repair=repair)


class System:
    """`lti(num, den)`, and the classes of SciPy that it makes objects of."""

    __adc_model__ = True

    def __init__(self, *parts):
        self.parts = parts

    def output(self, U, T, X0=None):
        return lsim(self, U, T, X0)

    def step(self, X0=None, T=None, N=None):
        return step(self, X0, T, N)

    def impulse(self, X0=None, T=None, N=None):
        return impulse(self, X0, T, N)

    def freqresp(self, w=None, n=10000):
        return freqresp(self, w, n)

    def bode(self, w=None, n=100):
        return bode(self, w, n)


def _parts(system):
    return system.parts if hasattr(system, "parts") else system


def _fraction(system):
    """Numerator and denominator, as long as each other, where the denominator begins with 1."""
    if len(system) == 3:
        num, den = signal.zpk2tf(system[0], system[1], system[2])
    else:
        num, den = system[0], system[1]
    num, den = np.atleast_1d(np.asarray(num)) * 1.0, np.atleast_1d(np.asarray(den)) * 1.0
    if np.ndim(num) > 1:
        _refuse("a system of several outputs as numerators", "Give the matrices of its states.")
    missing = np.shape(den)[0] - np.shape(num)[0]
    if missing < 0:
        raise ValueError("Improper transfer function. `num` is longer than `den`.")
    return np.concatenate((np.zeros(missing), num)) / den[0], den / den[0]


def _states(system):
    """The matrices A, B, C, D of x' = A x + B u, y = C x + D u."""
    if len(system) == 4:
        a, b, c, d = system
        return tuple([np.atleast_2d(np.asarray(m)) * 1.0 for m in (a, b, c, d)])
    num, den = _fraction(system)
    n = np.shape(den)[0] - 1
    a = np.zeros((n, n))
    a[0] = -den[1:]
    a[1:, : n - 1] = np.eye(n - 1)
    b = np.zeros((n, 1))
    b[0] = 1.0
    return a, b, np.reshape(num[1:] - num[0] * den[1:], (1, n)), np.reshape(num[0], (1, 1))


def _columns(values):
    values = np.asarray(values) * 1.0
    return np.reshape(values, (-1, 1)) if np.ndim(values) == 1 else values


def _run(a, b, u, times, start, interp):
    """The states at equally spaced times."""
    n, m = np.shape(b)
    step = times[1] - times[0]
    if not np.allclose(np.diff(times), step):
        raise ValueError("Time steps are not equally spaced.")
    size = n + 2 * m if interp else n + m
    whole = np.zeros((size, size))
    whole[:n, :n] = a * step
    whole[:n, n : n + m] = b * step
    if interp:
        whole[n : n + m, n + m :] = np.eye(m)
    moved = linalg.expm(whole.T)
    free = moved[:n, :n]
    x = np.zeros((np.shape(times)[0], n))
    x[0] = start if times[0] == 0.0 else start @ linalg.expm(a.T * times[0])
    if interp:
        late = moved[n + m :, :n]
        early = moved[n : n + m, :n] - late
        for k in range(1, np.shape(times)[0]):
            x[k] = x[k - 1] @ free + u[k - 1] @ early + u[k] @ late
    else:
        held = moved[n:, :n]
        for k in range(1, np.shape(times)[0]):
            x[k] = x[k - 1] @ free + u[k - 1] @ held
    return x


def lsim(system, U, T, X0=None, interp=True):
    """`lsim(system, U, T)`."""
    a, b, c, d = _states(_parts(system))
    times = np.atleast_1d(T)
    u = _columns(U)
    start = np.zeros(np.shape(a)[0]) if X0 is None else np.asarray(X0) * 1.0
    x = _run(a, b, u, times * 1.0, start, interp)
    return times, np.squeeze(x @ c.T + u @ d.T), np.squeeze(x)


def step(system, X0=None, T=None, N=None):
    """`step(system, T=times)`."""
    if T is None:
        _refuse("scipy.signal.step without `T`", "Give the times.")
    a, b, c, d = _states(_parts(system))
    times = np.atleast_1d(T)
    u = np.ones((np.shape(times)[0], 1))
    start = np.zeros(np.shape(a)[0]) if X0 is None else np.asarray(X0) * 1.0
    return times, np.squeeze(_run(a, b, u, times * 1.0, start, False) @ c.T + u @ d.T)


def impulse(system, X0=None, T=None, N=None):
    """`impulse(system, T=times)`."""
    if T is None:
        _refuse("scipy.signal.impulse without `T`", "Give the times.")
    a, b, c, _ = _states(_parts(system))
    times = np.atleast_1d(T)
    start = b[:, 0] if X0 is None else b[:, 0] + np.asarray(X0)
    return times, np.squeeze(_run(a, b, np.zeros((np.shape(times)[0], 1)), times * 1.0, start, False) @ c.T)


def freqresp(system, w=None, n=10000):
    """`freqresp(system, w)`."""
    if w is None:
        _refuse("scipy.signal.freqresp without `w`", "Give the frequencies.")
    parts = _parts(system)
    if len(parts) == 4:
        _refuse("scipy.signal.freqresp of the matrices of states", "Give numerator and denominator.")
    num, den = _fraction(parts)
    frequencies = np.atleast_1d(w)
    at = 1j * frequencies
    return frequencies, np.polyval(num, at) / np.polyval(den, at)


def bode(system, w=None, n=100):
    """`bode(system, w)`."""
    frequencies, response = freqresp(system, w, n)
    return frequencies, 20.0 * np.log10(np.abs(response)), np.degrees(np.unwrap(np.angle(response)))


def _found(made):
    """What stands for a system that was made outside."""
    if isinstance(made, signal.StateSpace):
        return System(made.A, made.B, made.C, made.D)
    if isinstance(made, signal.ZerosPolesGain):
        return System(made.zeros, made.poles, made.gain)
    return System(made.num, made.den)


for _theirs, _own in (
    (signal.lsim, lsim),
    (signal.step, step),
    (signal.impulse, impulse),
    (signal.freqresp, freqresp),
    (signal.bode, bode),
    (signal.lti, System),
):
    registry.stands_for(_theirs, _own)
for _theirs, _example in (
    (signal.TransferFunction, ([1.0], [1.0, 2.0])),
    (signal.ZerosPolesGain, ([], [-1.0], 1.0)),
    (signal.StateSpace, (-1.0, 1.0, 1.0, 0.0)),
):
    registry.stands_for(_theirs, System)
    registry.model_of_type(type(signal.lti(*_example)), _found)
