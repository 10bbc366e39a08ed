"""Rules of scipy.signal that smooth a signal or extend it into the complex plane."""

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules import images as images
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _weights_of(window_length, polyorder, deriv, delta):
    return tuple(float(w) for w in signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta))


@static
def _weights_at_ends(window_length, polyorder, deriv, delta):
    """What the first and the last elements of a window are made of, column by column."""
    matrix = signal.savgol_filter(np.eye(window_length), window_length, polyorder, deriv, delta, axis=0)
    half = window_length // 2
    first, last = matrix[:half].T.tolist(), matrix[window_length - half :].T.tolist()
    return tuple(map(tuple, first)), tuple(map(tuple, last))


@composite(
    signal.savgol_filter,
    wrt="x",
    name="scipy.signal.savgol_filter",
    spelling="scipy.signal.savgol_filter",
    extra={"real_only": True},
    examples=lambda r: [
        (r.normal(9), 5, 2),
        call(r.normal(2, 7), 5, 3, deriv=1, delta=0.5),
        call(r.normal(8, 2), 3, 1, axis=0, mode="nearest"),
        call(r.normal(7), 5, 2, mode="constant", cval=0.5),
        call(r.normal(7), 4, 2),
        call(r.normal(5), 5, 2, mode="wrap"),
    ],
)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    weights = np.array(_weights_of(window_length, polyorder, deriv, delta))
    x = as_floats(x)
    if mode != "interp":
        return images.convolve1d(x, weights, axis, None, mode, cval)
    half = window_length // 2
    rows = np.moveaxis(x, axis, -1)
    n = rows.shape[-1]
    inside = images.convolve1d(rows, weights, -1, None, "constant")[..., half : n - half]
    first, last = _weights_at_ends(window_length, polyorder, deriv, delta)
    head = rows[..., :window_length] @ np.array(first)
    tail = rows[..., n - window_length :] @ np.array(last)
    return np.moveaxis(np.concatenate((head, inside, tail), axis=-1).astype(x.dtype), -1, axis)


@composite(
    signal.hilbert,
    wrt="x",
    name="scipy.signal.hilbert",
    spelling="scipy.signal.hilbert",
    notes="real signals",
    extra={"real_only": True},
    examples=lambda r: [
        r.normal(6),
        r.normal(5),
        call(r.normal(2, 4), axis=0),
        call(r.normal(5), 8),
        (r.normal(6), 3),
        r.normal(1),
    ],
)
def hilbert(x, N=None, axis=-1):
    x = as_floats(x)
    n = x.shape[axis] if N is None else N
    k = np.arange(n)
    once = (k == 0) | (2 * k == n)
    weights = np.where(once, 1.0, np.where(2 * k < n, 2.0, 0.0)).astype(x.dtype)
    spectrum = np.moveaxis(np.fft.fft(x, n, axis), axis, -1) * weights
    return np.fft.ifft(np.moveaxis(spectrum, -1, axis), n, axis)


@static
def _breaks(bp):
    """Where pieces end, but for the last one."""
    places = sorted({int(place) for place in np.ravel(bp)} - {0})
    if places and places[0] < 0:
        raise UnsupportedError(
            "scipy.signal.detrend with a negative `bp` is not supported", repair="Count from the start."
        )
    return tuple(places)


def _without_line(rows):
    """Rows less the straight lines of least squares through them."""
    n = rows.shape[-1]
    level = rows - np.sum(rows, axis=-1, keepdims=True) / max(n, 1)
    t = (np.arange(n) - (n - 1) * 0.5).astype(rows.dtype)
    # Of one sample there is no slope.
    slope = np.sum(level * t, axis=-1, keepdims=True) / np.maximum(np.sum(t * t), 0.25)
    return level - slope * t


@composite(
    signal.detrend,
    wrt="data",
    name="scipy.signal.detrend",
    spelling="scipy.signal.detrend",
    examples=lambda r: [
        r.normal(6),
        call(r.normal(2, 5), type="constant"),
        call(r.normal(5, 2), axis=0),
        r.normal(1),
        call(r.normal(3), type="c"),
        call(r.normal(6), bp=2),
        call(r.normal(7, 2), axis=0, bp=[5, 3, 0]),
        call(r.normal(4), bp=[4, 1]),
    ],
)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    data = as_floats(data)
    if type in ("constant", "c"):
        return data - np.mean(data, axis=axis, keepdims=True)
    if type not in ("linear", "l"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    rows = np.moveaxis(data, axis, -1)
    start, pieces = 0, ()
    for stop in _breaks(bp):
        if stop > rows.shape[-1]:
            raise ValueError("Breakpoints must be less than length of data along given axis.")
        pieces = pieces + (_without_line(rows[..., start:stop]),)
        start = stop
    pieces = pieces + (_without_line(rows[..., start:]),)
    return np.moveaxis(pieces[0] if start == 0 else np.concatenate(pieces, axis=-1), -1, axis)
