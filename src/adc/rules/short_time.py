"""Rules of the transforms of a signal piece by piece, and back."""

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call
from adc.rules.spectra import frequencies_of, length_of, like, pieces_of, plan_of, transformed, window_of


@static
def _border(boundary):
    """How a signal goes on beyond its ends, in the words of np.pad."""
    table = {"zeros": "constant", "even": "reflect", "constant": "edge", None: None, False: None}
    if boundary == "odd":
        raise UnsupportedError('scipy.signal.stft with boundary="odd" is not supported', repair='Say "even".')
    if boundary not in table:
        raise ValueError(f"Unknown boundary option '{boundary}'")
    return table[boundary]


@static
def _known(scaling):
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")


def _scale(weights, fs, scaling):
    """What the transform of a piece is multiplied by."""
    return 1.0 / np.sum(weights) if scaling == "spectrum" else 1.0 / np.sqrt(fs * np.sum(weights**2))


def _beside(ndim, before, after):
    return ((0, 0),) * (ndim - 1) + ((before, after),)


@composite(
    signal.stft,
    wrt="x",
    name="scipy.signal.stft",
    spelling="scipy.signal.stft",
    extra={"order": "A"},
    examples=lambda r: [
        call(r.normal(9), nperseg=4),
        call(r.normal(2, 12), 10.0, "hamming", 5, 2, 7),
        call(r.normal(9), nperseg=4, boundary=None, padded=False, detrend="constant"),
        call(r.normal(9), nperseg=4, boundary="even", scaling="psd"),
        call(r.normal(9, 2), nperseg=4, axis=0),
        call(r.normal(8) + 1j * r.normal(8), nperseg=4),
    ],
)
def stft(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    _known(scaling)
    rows, kind = np.moveaxis(as_floats(x), axis, -1), _border(boundary)
    ndim = np.ndim(rows)
    length = length_of(rows, rows, window, nperseg, 256)
    overlap = length // 2 if noverlap is None else noverlap
    points = length if nfft is None else nfft
    step = length - overlap
    weights = window_of(window, length)
    if kind is not None:
        rows = np.pad(rows, _beside(ndim, length // 2, length // 2), kind)
    if padded:
        lacking = np.remainder(np.remainder(-(rows.shape[-1] - length), step), length)
        rows = np.pad(rows, _beside(ndim, 0, lacking))
    onesided = return_onesided and rows.dtype.kind != "c"
    parts = transformed(pieces_of(rows, length, step, plan_of(detrend), weights), points, onesided)
    parts = np.swapaxes(parts, -1, -2) * like(_scale(weights, fs, scaling), rows)
    start = 0.0 if kind is not None else length / 2
    times = (start + np.arange(parts.shape[-1]) * step) / fs
    placed = parts if axis == -1 else np.moveaxis(parts, -2, axis)
    return frequencies_of(points, fs, onesided), times, placed


@composite(
    signal.istft,
    wrt="Zxx",
    name="scipy.signal.istft",
    spelling="scipy.signal.istft",
    extra={"order": "A"},
    examples=lambda r: [
        call(r.normal(3, 5) + 1j * r.normal(3, 5), nperseg=4),
        call(r.normal(2, 3, 4) + 1j * r.normal(2, 3, 4), 10.0, "hamming", noverlap=1),
        call(r.normal(4, 4) + 1j * r.normal(4, 4), nperseg=4, input_onesided=False, boundary=False),
        call(r.normal(5, 3) + 1j * r.normal(5, 3), time_axis=0, freq_axis=1, scaling="psd"),
    ],
)
def istft(
    Zxx,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    _known(scaling)
    parts = np.moveaxis(Zxx, (time_axis, freq_axis), (-2, -1))
    count = parts.shape[-2]
    given = 2 * (parts.shape[-1] - 1) if input_onesided else parts.shape[-1]
    length = given if nperseg is None else nperseg
    points = _points(length, given, nfft)
    overlap = length // 2 if noverlap is None else noverlap
    step = length - overlap
    pieces = np.fft.irfft(parts, points) if input_onesided else np.fft.ifft(parts, points)
    pieces = pieces[..., :length]
    weights = window_of(window, length).astype(pieces.real.dtype)
    pieces = pieces * weights / like(_scale(weights, fs, scaling), pieces)
    total = np.zeros((*np.shape(pieces)[:-2], length + (count - 1) * step), dtype=pieces.dtype)
    norm = np.zeros(length + (count - 1) * step, dtype=weights.dtype)
    for k in range(count):
        total[..., k * step : k * step + length] += pieces[..., k, :]
        norm[k * step : k * step + length] += weights**2
    whole = total / np.where(norm > 1e-10, norm, 1.0)
    n = length + (count - 1) * step
    if boundary:
        whole = whole[..., length // 2 : n - length // 2]
    placed = (
        whole if np.ndim(whole) == 1 else np.moveaxis(whole, -1, _place(time_axis, freq_axis, np.ndim(Zxx)))
    )
    # SciPy counts the times along the first axis, whichever is that of the signal.
    return np.arange(np.shape(placed)[0]) / fs, placed


@static
def _place(time_axis, freq_axis, ndim):
    """The axis of the signal, where those of its pieces and frequencies were."""
    time, freq = time_axis % ndim, freq_axis % ndim
    return time if time < freq else time - 1


def _points(length, given, nfft):
    """How many points a transform has: one more for pieces of an odd length, where nothing is said."""
    if nfft is not None:
        return nfft
    return np.where(length == given + 1, length, given)
