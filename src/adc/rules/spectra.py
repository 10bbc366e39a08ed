"""Rules of spectral estimates: windowed pieces of a signal, their Fourier transforms, and means of their squares."""

import inspect

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call

# Windows that are sums of cosines: the coefficients, of which every second one is subtracted.
COSINES = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hanning": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.50, 0.08),
}


@static
def _cosines(window):
    """The coefficients of a window whose length only the run knows."""
    if not isinstance(window, str):
        return None
    return COSINES.get(window.removesuffix("_periodic"))


@static
def _sampled(window, n):
    """The samples; `get_window` gives periodic windows anyway, which it calls so since SciPy 1.16 only."""
    name, *shape = window if isinstance(window, tuple) else (window,)
    name = name.removesuffix("_periodic")
    return tuple(float(w) for w in signal.get_window((name, *shape) if shape else name, n))


@static
def _tapered(window):
    """How much of a window of Tukey's rises and falls."""
    if isinstance(window, tuple) and len(window) == 2 and window[0] in ("tukey", "tukey_periodic"):
        return float(window[1])
    return None


def window_of(window, n):
    """A window of n samples, periodic as spectral estimates want it."""
    if not isinstance(window, (str, tuple)):
        return np.array(window) if isinstance(window, list) else window
    k = np.arange(n)
    cosines, share = _cosines(window), _tapered(window)
    if cosines is not None:
        weights = np.full(n, cosines[0])
        for j in range(1, len(cosines)):
            weights = weights + (-1.0) ** j * cosines[j] * np.cos(2.0 * np.pi * j * k / n)
        return np.where(n == 1, 1.0, weights)
    if share is not None and 0.0 < share < 1.0 and not isinstance(n, int):
        near = np.minimum(np.minimum(k, n - k) * (2.0 / (share * n)), 1.0)
        return np.where(n == 1, 1.0, 0.5 * (1.0 - np.cos(np.pi * near)))
    return np.array(_sampled(window, n))


@static
def _known(scaling, average="mean", mode="psd"):
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {scaling!r}")
    if average not in ("mean", "median"):
        raise ValueError(f'average must be "median" or "mean", got {average}')
    if mode != "psd":
        raise UnsupportedError(
            f'scipy.signal.spectrogram with mode="{mode}" is not supported',
            repair="Take scipy.signal.stft, whose result is complex.",
        )


@static
def plan_of(detrend):
    """What is taken off each piece."""
    if detrend in (False, None, "constant", "linear"):
        return detrend or None
    raise UnsupportedError(
        "detrending by a function is not supported", repair='Say detrend="constant", "linear" or False.'
    )


def pieces_of(x, length, step, detrend, window):
    """The windowed pieces of a signal along its last axis: (..., piece, sample)."""
    pieces = np.lib.stride_tricks.sliding_window_view(x, length, axis=-1)[..., ::step, :]
    if detrend is not None:
        pieces = signal.detrend(pieces, axis=-1, type=detrend)
    return pieces * window.astype(x.real.dtype)


def transformed(pieces, nfft, onesided):
    if onesided:
        return np.fft.rfft(pieces, nfft, axis=-1)
    return np.fft.fft(pieces, nfft, axis=-1)


def length_of(x, y, window, nperseg, widest):
    """How many samples a piece has."""
    if nperseg is None:
        if not isinstance(window, (str, tuple)):
            return len(window)
        return np.minimum(np.minimum(widest, x.shape[-1]), y.shape[-1])
    if nperseg > x.shape[-1]:
        return np.minimum(nperseg, x.shape[-1])
    return nperseg


def frequencies_of(nfft, fs, onesided):
    k = np.arange(nfft // 2 + 1) if onesided else np.fft.fftfreq(nfft) * nfft
    return k * (fs / nfft)


def _both_sides(power, nfft):
    """Twice what stands for two frequencies of opposite signs."""
    k = np.arange(power.shape[-2])
    alone = (k == 0) | (2 * k == nfft)
    return power * np.where(alone, 1.0, 2.0)[:, None].astype(power.real.dtype)


def _extended(rows, n):
    """Rows with zeros behind them up to the length n."""
    return np.concatenate((rows, np.zeros(np.shape(rows)[:-1] + (n - rows.shape[-1],), rows.dtype)), axis=-1)


def _spectra(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis):
    """Frequencies, and the power that two signals share in each piece, or that of one: (..., frequency, piece)."""
    a = np.moveaxis(as_floats(x), axis, -1)
    b = a if y is None else np.moveaxis(as_floats(y), axis, -1)
    if np.size(a) == 0 or np.size(b) == 0:  # SciPy gives arrays of the shape of the signals
        raise ValueError("signals without samples have no spectrum")
    if a.shape[-1] != b.shape[-1]:
        longest = np.maximum(a.shape[-1], b.shape[-1])
        a, b = _extended(a, longest), _extended(b, longest)
    length = length_of(a, b, window, nperseg, 256)
    overlap = length // 2 if noverlap is None else noverlap
    points = length if nfft is None else nfft
    weights, plan = window_of(window, length), plan_of(detrend)
    onesided = return_onesided and a.dtype.kind != "c" and b.dtype.kind != "c"
    scale = 1.0 / (fs * np.sum(weights**2)) if scaling == "density" else 1.0 / np.sum(weights) ** 2
    first = transformed(pieces_of(a, length, length - overlap, plan, weights), points, onesided)
    if y is None:
        power = first.real**2 + first.imag**2
    else:
        second = transformed(pieces_of(b, length, length - overlap, plan, weights), points, onesided)
        power = np.conjugate(first) * second
    power = np.swapaxes(power, -1, -2) * like(scale, a)
    return frequencies_of(points, fs, onesided), _both_sides(power, points) if onesided else power


def like(number, a):
    return np.array(number).astype(a.real.dtype)


def _averaged(power, average, axis):
    """The mean over the pieces, or their median, made free of bias."""
    if average == "mean":
        middle = np.mean(power, axis=-1)
    else:
        n = power.shape[-1]
        k = np.arange(1, n // 2 + 1)[: (n - 1) // 2] * 2
        bias = like(1.0 + np.sum(1.0 / (k + 1.0) - 1.0 / k), power)
        if power.dtype.kind == "c":
            middle = (np.median(power.real, axis=-1) + 1j * np.median(power.imag, axis=-1)) / bias
        else:
            middle = np.median(power, axis=-1) / bias
    return np.moveaxis(middle, -1, axis)


def _signals(r):
    return [
        r.normal(9),
        call(r.normal(16), nperseg=8),
        call(r.normal(17), fs=10.0, window="hamming", nperseg=8, noverlap=2, nfft=9),
        call(r.normal(2, 12), nperseg=4, detrend="linear", scaling="spectrum"),
        call(r.normal(12, 2), nperseg=5, detrend=False, axis=0, window=("kaiser", 2.0)),
        call(r.normal(12), nperseg=4, return_onesided=False),
    ]


@composite(
    signal.welch,
    wrt="x",
    name="scipy.signal.welch",
    spelling="scipy.signal.welch",
    extra={"order": "A"},
    examples=lambda r: [*_signals(r), call(r.normal(16), nperseg=4, average="median")],
)
def welch(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    _known(scaling, average)
    frequencies, power = _spectra(
        x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis
    )
    return frequencies, _averaged(power, average, axis)


@composite(
    signal.csd,
    wrt="x y",
    name="scipy.signal.csd",
    spelling="scipy.signal.csd",
    extra={"order": "A"},
    examples=lambda r: [
        (r.normal(9), r.normal(9)),
        (r.normal(9), r.normal(6)),
        call(r.normal(16), r.normal(16), nperseg=8),
        call(r.normal(12, 2), r.normal(12, 2), nperseg=4, axis=0, detrend="linear"),
    ],
)
def csd(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    _known(scaling, average)
    frequencies, power = _spectra(
        x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis
    )
    return frequencies, _averaged(power, average, axis)


@composite(
    signal.coherence,
    wrt="x y",
    name="scipy.signal.coherence",
    spelling="scipy.signal.coherence",
    extra={"order": "A"},
    examples=lambda r: [call(r.normal(16), r.normal(16), nperseg=8)],
)
def coherence(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    axis=-1,
):
    frequencies, of_x = welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    of_y = welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)[1]
    shared = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)[1]
    return frequencies, (shared.real**2 + shared.imag**2) / of_x / of_y


@composite(
    signal.periodogram,
    wrt="x",
    name="scipy.signal.periodogram",
    spelling="scipy.signal.periodogram",
    extra={"order": "A"},
    examples=lambda r: [
        r.normal(8),
        call(r.normal(2, 7), fs=10.0, window="hann", detrend="linear"),
        call(r.normal(7, 2), nfft=5, axis=0, scaling="spectrum"),
        call(r.normal(7), nfft=9, detrend=False),
    ],
)
def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    rows = np.moveaxis(x, axis, -1)
    points = rows.shape[-1] if nfft is None else nfft
    if points < rows.shape[-1]:
        rows = rows[..., :points]
    name = "boxcar" if window is None else window
    frequencies, power = welch(rows, fs, name, rows.shape[-1], 0, points, detrend, return_onesided, scaling)
    return frequencies, np.moveaxis(power, -1, axis)


_TUKEY = inspect.signature(signal.spectrogram).parameters["window"].default  # with SciPy's name for it


@composite(
    signal.spectrogram,
    wrt="x",
    name="scipy.signal.spectrogram",
    spelling="scipy.signal.spectrogram",
    extra={"order": "A"},
    examples=lambda r: [
        r.normal(9),
        call(r.normal(17), 10.0, nperseg=8),
        call(r.normal(2, 12), window="hann", nperseg=4, noverlap=1, scaling="spectrum"),
    ],
)
def spectrogram(
    x,
    fs=1.0,
    window=_TUKEY,
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    _known(scaling, mode=mode)
    rows = np.moveaxis(x, axis, -1)
    length = length_of(rows, rows, window, nperseg, 256)
    overlap = length // 8 if noverlap is None else noverlap
    frequencies, power = _spectra(
        x, None, fs, window, length, overlap, nfft, detrend, return_onesided, scaling, axis
    )
    times = (length / 2 + np.arange(power.shape[-1]) * (length - overlap)) / fs
    return frequencies, times, power if axis == -1 else np.moveaxis(power, -2, axis)
