"""Rules that give a signal at another rate: through its Fourier series, or by a filter between the two rates."""

import math

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.forward_back import sosfiltfilt
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call
from adc.rules.spectra import window_of


@static
def _in_time(domain):
    if domain != "time":
        raise UnsupportedError(
            f'scipy.signal.resample with domain="{domain}" is not supported',
            repair="Give the signal itself.",
        )


@composite(
    signal.resample,
    wrt="x",
    name="scipy.signal.resample",
    spelling="scipy.signal.resample",
    notes="real signals",
    extra={"real_only": True, "order": "A"},
    examples=lambda r: [
        (r.normal(8), 5),
        (r.normal(8), 6),
        (r.normal(7), 4),
        (r.normal(5), 8),
        (r.normal(6), 11),
        (r.normal(6), 6),
        call(r.normal(2, 6), 4, axis=1),
        call(r.normal(6, 2), 8, window="hamming"),
        call(r.normal(7), 4, window=("kaiser", 2.0)),
        call(r.normal(6), 4, np.linspace(0.0, 1.0, 6)),
    ],
)
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    _in_time(domain)
    rows = np.moveaxis(as_floats(x), axis, -1)
    n = rows.shape[-1]
    shared = np.minimum(num, n)
    spectrum = np.fft.rfft(rows)[..., : shared // 2 + 1]
    k = np.arange(shared // 2 + 1)
    # An even number of samples has one frequency for both signs: its half where there are more, twice where fewer.
    alone = np.where(num == n, 1.0, np.where(num < n, 2.0, 0.5))
    factors = np.where(2 * k == shared, alone, 1.0) * (num / n)
    if window is not None:
        weights = window_of(window, n)
        weights = np.roll(weights, n // 2) if isinstance(window, (str, tuple)) else weights
        turned = np.concatenate((weights[:1], np.flip(weights[1:])))
        factors = factors * (0.5 * (weights + turned))[: shared // 2 + 1]
    moved = np.moveaxis(np.fft.irfft(spectrum * factors.astype(rows.dtype), num), -1, axis)
    if t is None:
        return moved
    return moved, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num)


@static
def _with_zeros(mode, cval):
    if mode != "constant" or cval not in (0, 0.0, None):
        raise UnsupportedError(
            "a signal that goes on otherwise than with zeros is not supported here",
            repair="Leave `mode`, `padtype` and `cval` away, or put the samples beside the signal by np.pad.",
        )


def _spread(rows, up):
    """Zeros between the samples, and up - 1 behind the last."""
    if isinstance(up, int) and up == 1:
        return rows
    zeros = np.zeros((*np.shape(rows), up - 1), dtype=rows.dtype)
    shape = np.shape(rows)
    return np.reshape(np.concatenate((rows[..., None], zeros), axis=-1), (*shape[:-1], shape[-1] * up))


def _filtered(h, rows):
    return signal.convolve(rows, np.reshape(h, (1,) * (np.ndim(rows) - 1) + (np.size(h),)))


@composite(
    signal.upfirdn,
    wrt="h x",
    name="scipy.signal.upfirdn",
    spelling="scipy.signal.upfirdn",
    notes="zeros stand beside the signal",
    extra={"order": "A"},
    examples=lambda r: [
        (r.normal(3), r.normal(6)),
        (r.normal(3), r.normal(6), 3),
        (r.normal(4), r.normal(7), 2, 3),
        call(r.normal(3), r.normal(5, 2), down=2, axis=0),
    ],
)
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    _with_zeros(mode, cval)
    rows = np.moveaxis(x, axis, -1)
    n = (rows.shape[-1] - 1) * up + np.size(h)
    return np.moveaxis(_filtered(h, _spread(rows, up))[..., :n:down], -1, axis)


@static
def _rates(up, down):
    """Both rates without what divides them, and how far the filter between them reaches."""
    if up != int(up) or down != int(down) or up < 1 or down < 1:
        raise ValueError("up and down must be integers >= 1")
    shared = math.gcd(int(up), int(down))
    return int(up) // shared, int(down) // shared


@static
def _lowpass(half, cutoff, window):
    return tuple(float(w) for w in signal.firwin(2 * half + 1, cutoff, window=window))


@static
def _background(padtype, cval):
    if padtype in ("mean", "median", "minimum", "maximum"):
        return padtype
    _with_zeros(padtype, cval)
    return None


def _level(rows, kind):
    if kind == "mean":
        return np.mean(rows, axis=-1, keepdims=True)
    if kind == "median":
        return np.median(rows, axis=-1, keepdims=True)
    if kind == "minimum":
        return np.min(rows, axis=-1, keepdims=True)
    return np.max(rows, axis=-1, keepdims=True)


@composite(
    signal.resample_poly,
    wrt="x",
    name="scipy.signal.resample_poly",
    spelling="scipy.signal.resample_poly",
    notes="zeros, or one level, stand beside the signal",
    extra={"order": "A"},
    examples=lambda r: [
        (r.normal(6), 3, 2),
        (r.normal(7), 1, 3),
        call(r.normal(2, 5), 4, 2, axis=1, window="hamming"),
        call(r.normal(7), 2, 3, window=np.array([0.2, 0.5, 0.2, 0.1])),
        call(r.normal(6), 2, 1, padtype="mean"),
        (r.normal(5), 2, 2),
    ],
)
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    up, down = _rates(up, down)
    if up == 1 and down == 1:
        return np.copy(x)
    x = as_floats(x)
    rows, kind = np.moveaxis(x, axis, -1), _background(padtype, cval)
    level = 0.0
    if kind is not None:
        level = _level(rows, kind)
        rows = rows - level
    if isinstance(window, (str, tuple)):
        half = 10 * max(up, down)
        h = np.array(_lowpass(half, 1.0 / max(up, down), window)).astype(x.dtype) * up
    else:
        h = np.array(window) * up
        half = (np.size(h) - 1) // 2
    n = rows.shape[-1] * up
    both = _filtered(h, _spread(np.concatenate((rows, np.zeros_like(rows[..., :1])), axis=-1), up))
    return np.moveaxis(both[..., half : half + n : down] + level, -1, axis)


@static
def _sections(n, q):
    return tuple(map(tuple, signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos").tolist()))


@static
def _taps(n, q):
    return tuple(float(w) for w in signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming"))


@static
def _of_text(ftype):
    if not isinstance(ftype, str):
        raise UnsupportedError(
            "scipy.signal.decimate with a system of its own is not supported",
            repair='Say ftype="iir" or "fir", or filter and take every q-th sample.',
        )
    if ftype not in ("fir", "iir"):
        raise ValueError("invalid ftype")


@composite(
    signal.decimate,
    wrt="x",
    name="scipy.signal.decimate",
    spelling="scipy.signal.decimate",
    notes="real signals",
    extra={"real_only": True, "order": "A"},
    examples=lambda r: [
        call(r.normal(18), 2, n=2),
        call(r.normal(9), 3, ftype="fir"),
        call(r.normal(9, 2), 2, 3, axis=0, zero_phase=False),
        call(r.normal(9), 2, 4, ftype="fir", zero_phase=False),
    ],
)
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    _of_text(ftype)
    x = as_floats(x)
    if ftype == "fir":
        taps = np.array(_taps(n, q)).astype(x.dtype)
        if zero_phase:
            return resample_poly(x, 1, q, axis, taps)
        rows = np.moveaxis(x, axis, -1)
        return np.moveaxis(_filtered(taps, rows)[..., : rows.shape[-1] : q], -1, axis)
    sos = np.array(_sections(n, q)).astype(x.dtype)
    smooth = sosfiltfilt(sos, x, axis) if zero_phase else signal.sosfilt(sos, x, axis=axis)
    return np.moveaxis(np.moveaxis(smooth, axis, -1)[..., ::q], -1, axis)
