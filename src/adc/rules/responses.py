"""Rules of the frequency responses of filters."""

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.filters import without_ones
from adc.rules.polynomials import from_zeros
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _not_plotted(plot):
    if plot is not None:
        raise UnsupportedError("a response with `plot` is not supported", repair="Plot what is returned.")


@static
def _counted(worN, axes):
    """How many frequencies there are, where a number says so."""
    if worN is None:
        return 512
    return int(worN) if axes == 0 else None


def _frequencies(worN, whole, fs, include_nyquist):
    """Angles per sample."""
    count = _counted(worN, np.ndim(worN))
    if count is None:
        return 2.0 * np.pi * np.array(worN) / fs
    last = 2.0 * np.pi if whole else np.pi
    steps = count - 1 if include_nyquist and not whole else count
    return np.arange(count) * (last / steps)


def _polynomial(c, z):
    """c[0] + c[1] z + c[2] z^2 + ..."""
    c = np.atleast_1d(c)
    total = c[-1] + 0.0 * z
    for k in range(1, c.shape[0]):
        total = total * z + c[c.shape[0] - 1 - k]
    return total


@composite(
    signal.freqz,
    wrt="b a",
    name="scipy.signal.freqz",
    spelling="scipy.signal.freqz",
    notes="`b` and `a` of one dimension",
    extra={"float64_only": True, "order": "A"},
    examples=lambda r: [
        call(r.normal(3), worN=5),
        call(r.normal(2), np.array([1.0, 0.4, 0.2]), worN=4, whole=True),
        call(r.normal(2), np.array([1.0, 0.4]), worN=4, fs=10.0, include_nyquist=True),
        call(r.normal(2), np.array([1.0, 0.4]), np.array([0.1, 0.5])),
    ],
)
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * np.pi, include_nyquist=False):
    _not_plotted(plot)
    w = _frequencies(worN, whole, fs, include_nyquist)
    z = np.exp(-1j * w)
    return w * (fs / (2.0 * np.pi)), _polynomial(b, z) / _polynomial(a, z)


@composite(
    signal.freqz_sos,
    signal.sosfreqz,
    wrt="sos",
    name="scipy.signal.freqz_sos",
    spelling="scipy.signal.freqz_sos",
    extra={"float64_only": True, "order": "A", "directions": {"sos": without_ones}},
    examples=lambda r: [
        call(np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.0, 1.0, 0.3, 0.2]]), worN=5),
        call(np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1]]), 4, whole=True, fs=10.0),
    ],
)
def freqz_sos(sos, worN=512, whole=False, fs=2 * np.pi):
    w = _frequencies(worN, whole, fs, False)
    z = np.exp(-1j * w)
    response = 1.0 + 0.0 * z
    for k in range(sos.shape[0]):
        response = response * _polynomial(sos[k, :3], z) / _polynomial(sos[k, 3:], z)
    return w * (fs / (2.0 * np.pi)), response


@composite(
    signal.freqs,
    wrt="b a",
    name="scipy.signal.freqs",
    spelling="scipy.signal.freqs",
    notes="at frequencies that are given",
    extra={"float64_only": True, "order": "A"},
    examples=lambda r: [(r.normal(2), np.array([1.0, 0.4, 0.2]), np.array([0.1, 0.5, 2.0]))],
)
def freqs(b, a, worN=200, plot=None):
    _not_plotted(plot)
    _given(worN, np.ndim(worN))
    s = 1j * np.array(worN)
    return np.array(worN), _polynomial(b[::-1], s) / _polynomial(a[::-1], s)


@static
def _given(worN, axes):
    if worN is None or axes == 0:
        raise UnsupportedError(
            "scipy.signal.freqs that chooses its frequencies is not supported",
            repair="Give an array of them.",
        )


@composite(
    signal.zpk2tf,
    wrt="z p k",
    name="scipy.signal.zpk2tf",
    spelling="scipy.signal.zpk2tf",
    notes="real zeros and poles, of one filter",
    extra={"float64_only": True, "real_only": True},
    examples=lambda r: [(r.normal(2), r.normal(3), 1.3), (np.zeros(0), r.normal(3), 1.3)],
)
def zpk2tf(z, p, k):
    _of_one(np.ndim(z))
    return k * from_zeros(z), from_zeros(p)


@static
def _of_one(ndim):
    if ndim != 1:
        raise UnsupportedError(
            "scipy.signal.zpk2tf of several filters is not supported",
            repair="Call it for each, with vectors.",
        )
