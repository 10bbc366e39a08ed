"""Rules of scipy.signal: convolutions in any number of dimensions, and linear recursive filters."""

import numpy as np
from scipy import signal

from adc.rules.registry import composite, full, lowered, pull, push, static
from adc.rules.sampler import call
from adc.rules.shapes import larger, smaller


def _convolved(in1, in2, mode="full", method="auto"):
    if mode == "full":
        return _full_lengths(in1, in2)
    if mode == "same":
        return tuple(in1.shape)
    return tuple(larger(n, m) - smaller(n, m) + 1 for n, m in zip(in1.shape, in2.shape, strict=True))


def _full_lengths(in1, in2):
    lengths = ()
    for k in range(len(in1.shape)):
        lengths = lengths + (in1.shape[k] + in2.shape[k] - 1,)
    return lengths


def _window(in1, in2, mode, axes=None):
    """The part of the full convolution, over all axes or some, that a mode gives."""
    index = ()
    for k in range(np.ndim(in1)):
        n, m = in1.shape[k], in2.shape[k]
        if axes is not None and k not in axes:
            start, length = 0, np.maximum(n, m)
        elif mode == "same":
            start, length = (m - 1) // 2, n
        else:
            start = np.minimum(n, m) - 1
            length = np.maximum(n, m) - start
        index = index + (slice(start, start + length),)
    return index


def _embedded(z_bar, in1, in2, mode):
    """The adjoint of the full convolution."""
    if mode == "full":
        return z_bar
    full = np.zeros(_full_lengths(in1, in2), dtype=z_bar.dtype)
    full[_window(in1, in2, mode)] = z_bar
    return full


@pull(
    signal.convolve,
    wrt="in1 in2",
    cost=50,
    name="scipy.signal.convolve",
    spelling="scipy.signal.convolve",
    shape=_convolved,
    extra={"dtype": "in1 in2"},
    examples=lambda r: [
        (r.normal(4), r.normal(3)),
        (r.normal(4), r.normal(3), "valid"),
        (r.normal(5), r.normal(2), "same"),
        (r.normal(2), r.normal(4), "valid"),
        (r.normal(2), r.normal(5), "same"),
        (r.normal(4, 3), r.normal(2, 2)),
        call(r.normal(4, 5), r.normal(3, 2), mode="same"),
        call(r.normal(4, 5), r.normal(3, 2), mode="valid", method="fft"),
        (r.normal(3, 2, 3), r.normal(2, 2, 2), "same"),
        (r.normal(3) + 1j * r.normal(3), r.normal(2) + 1j * r.normal(2)),
    ],
)
def convolve_pull(z_bar, z, in1, in2, mode="full", method="auto"):
    full = _embedded(z_bar, in1, in2, mode)
    return signal.convolve(full, np.flip(in2), "valid"), signal.convolve(full, np.flip(in1), "valid")


@push(signal.convolve)
def convolve_push(z, in1, in2, mode="full", method="auto", *, in1_dot, in2_dot):
    return signal.convolve(in1_dot, in2, mode) + signal.convolve(in1, in2_dot, mode)


def _full(a, b):
    """The full convolution: rows convolved with rows, added where they meet."""
    if np.ndim(a) == 1:
        return np.convolve(a, b)
    z = np.zeros(_full_lengths(a, b), dtype=a.dtype)
    for i in range(b.shape[0]):
        for k in range(a.shape[0]):
            z[i + k] += _full(a[k], b[i])
    return z


def _inside(a, b):
    """The part of the full convolution where all of `b` lies within `a`."""
    if np.ndim(a) == 1:
        return np.convolve(a, b, "valid")
    lengths = ()
    for k in range(np.ndim(a)):
        lengths = lengths + (a.shape[k] - b.shape[k] + 1,)
    z = np.zeros(lengths, dtype=a.dtype)
    last = b.shape[0] - 1
    for i in range(b.shape[0]):
        for k in range(lengths[0]):
            z[k] += _inside(a[k + last - i], b[i])
    return z


@lowered(signal.convolve)
def convolve_by_rows(in1, in2, mode="full", method="auto"):
    if mode != "valid":
        full = _full(in1, in2)
        return full if mode == "full" else full[_window(in1, in2, mode)]
    lengths = ()
    for k in range(np.ndim(in1)):
        n, m = in1.shape[k], in2.shape[k]
        lengths = lengths + (np.maximum(n, m) - np.minimum(n, m) + 1,)
    z = np.zeros(lengths, dtype=in1.dtype)
    if in1.shape[0] >= in2.shape[0]:
        z[...] = _inside(in1, in2)
    else:
        z[...] = _inside(in2, in1)
    return z


@composite(
    signal.correlate,
    wrt="in1 in2",
    name="scipy.signal.correlate",
    spelling="scipy.signal.correlate",
    examples=lambda r: [
        (r.normal(4), r.normal(3)),
        (r.normal(5), r.normal(2), "same"),
        (r.normal(4, 5), r.normal(3, 2), "valid"),
        (r.normal(3) + 1j * r.normal(3), r.normal(2) + 1j * r.normal(2)),
    ],
)
def correlate(in1, in2, mode="full", method="auto"):
    return signal.convolve(in1, np.conjugate(np.flip(in2)), mode, method)


def _images(r):
    return [
        (r.normal(4, 3), r.normal(2, 2)),
        call(r.normal(4, 5), r.normal(3, 2), mode="same"),
        (r.normal(4, 5), r.normal(3, 2), "valid"),
    ]


@static
def _from_the_start(axes, ndim):
    """Axes, or one, as a tuple that counts from the first axis."""
    return tuple([k % ndim for k in (axes if isinstance(axes, (tuple, list)) else (axes,))])


@composite(
    signal.fftconvolve,
    signal.oaconvolve,
    wrt="in1 in2",
    name="scipy.signal.fftconvolve",
    spelling="scipy.signal.fftconvolve",
    examples=lambda r: [
        *_images(r),
        call(r.normal(2, 4), r.normal(2, 3), axes=1),
        call(r.normal(2, 4), r.normal(1, 3), "same", axes=[-1]),
        call(r.normal(3, 2, 4), r.normal(3, 1, 2), "valid", axes=(0, 2)),
    ],
)
def fftconvolve(in1, in2, mode="full", axes=None):
    if axes is None:
        return signal.convolve(in1, in2, mode)
    over = _from_the_start(axes, np.ndim(in1))
    lengths = ()
    for k in over:
        lengths = lengths + (in1.shape[k] + in2.shape[k] - 1,)
    if np.iscomplexobj(in1) or np.iscomplexobj(in2):
        whole = np.fft.ifftn(np.fft.fftn(in1, lengths, over) * np.fft.fftn(in2, lengths, over), axes=over)
    else:
        spectrum = np.fft.rfftn(in1, lengths, over) * np.fft.rfftn(in2, lengths, over)
        whole = np.fft.irfftn(spectrum, lengths, over)
    return whole if mode == "full" else whole[_window(in1, in2, mode, over)]


@static
def _beside(boundary):
    """What stands outside of an image, in the words of np.pad."""
    table = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
    if boundary not in table:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric'.")
    return table[boundary]


def _with_border(in1, in2, boundary, fillvalue):
    """The full convolution of an image that goes on beyond its border."""
    kind = _beside(boundary)
    if kind == "constant" and fillvalue is None:
        return signal.convolve(in1, in2)
    widths = ((in2.shape[0] - 1, in2.shape[0] - 1), (in2.shape[1] - 1, in2.shape[1] - 1))
    if kind == "constant":
        return signal.convolve(np.pad(in1, widths, kind, constant_values=fillvalue), in2, "valid")
    return signal.convolve(np.pad(in1, widths, kind), in2, "valid")


@static
def _filled(fillvalue):
    """None for zeros."""
    return None if isinstance(fillvalue, (int, float)) and fillvalue == 0 else fillvalue


def _bordered_images(r):
    return [
        *_images(r),
        call(r.normal(4, 3), r.normal(2, 3), boundary="wrap"),
        call(r.normal(4, 5), r.normal(3, 2), mode="same", boundary="symm"),
        call(r.normal(4, 5), r.normal(2, 2), "same", "fill", 0.5),
        call(r.normal(4, 5), r.normal(2, 2), mode="valid", boundary="wrap"),
        (r.normal(4, 3) + 1j * r.normal(4, 3), r.normal(2, 2) + 1j * r.normal(2, 2)),
    ]


@composite(
    signal.convolve2d,
    wrt="in1 in2",
    name="scipy.signal.convolve2d",
    spelling="scipy.signal.convolve2d",
    examples=_bordered_images,
)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    if mode == "valid":
        return signal.convolve(in1, in2, mode)
    full = _with_border(in1, in2, boundary, _filled(fillvalue))
    return full if mode == "full" else full[_window(in1, in2, mode)]


@composite(
    signal.correlate2d,
    wrt="in1 in2",
    name="scipy.signal.correlate2d",
    spelling="scipy.signal.correlate2d",
    examples=_bordered_images,
)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    turned = np.conjugate(np.flip(in2))
    if mode == "valid":
        return signal.convolve(in1, turned, mode)
    full = _with_border(in1, turned, boundary, _filled(fillvalue))
    if mode == "full":
        return full
    # The middle of an even number of rows is the later one here, and the earlier one in `correlate`.
    top, left = in2.shape[0] // 2, in2.shape[1] // 2
    return full[top : top + in1.shape[0], left : left + in1.shape[1]]


# --- filters ------------------------------------------------------------------------------------------------


def _turned(x, axis):
    return np.flip(x, axis)


def _lags(v, x, count, axis):
    """For each lag k the sum over time of v[n] x[n - k]."""
    late, early = np.moveaxis(v, axis, -1), np.moveaxis(x, axis, -1)
    n = early.shape[-1]
    total = np.zeros(count, dtype=late.dtype)
    for k in range(count):
        if k < n:
            total[k] = np.sum(late[..., k:] * early[..., : n - k])
    return total


@pull(
    signal.lfilter,
    wrt="b a x",
    cost=50,
    name="scipy.signal.lfilter",
    spelling="scipy.signal.lfilter",
    shape=lambda b, a, x, axis=-1: tuple(x.shape),
    extra={"dtype": "b a x", "real_only": True},
    notes="from rest, or from a state `zi`",
    examples=lambda r: [
        (r.normal(3), np.array([1.3, -0.4, 0.1]), r.normal(6)),
        (r.normal(2), np.array([0.8, 0.2, 0.1, 0.05]), r.normal(2, 5)),
        call(r.normal(2), np.array([1.0, 0.5]), r.normal(5, 2), axis=0),
        (r.normal(4), np.array([2.0]), r.normal(3)),
        (r.normal(3), 1.3, r.normal(4)),
        (0.7, np.array([1.3, -0.4]), r.normal(4)),
    ],
)
def lfilter_pull(z_bar, z, b, a, x, axis=-1):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    one = np.ones_like(a[:1])
    v = _turned(signal.lfilter(one, a, _turned(z_bar, axis), axis=axis), axis)
    x_bar = _turned(signal.lfilter(b, a, _turned(z_bar, axis), axis=axis), axis)
    return _lags(v, x, b.shape[0], axis), -_lags(v, z, a.shape[0], axis), x_bar


@push(signal.lfilter)
def lfilter_push(z, b, a, x, axis=-1, *, b_dot, a_dot, x_dot):
    forced = signal.lfilter(b, a, x_dot, axis=axis) + signal.lfilter(b_dot, a, x, axis=axis)
    return forced - signal.lfilter(a_dot, a, z, axis=axis)


@lowered(signal.lfilter)
def lfilter_by_steps(b, a, x, axis=-1):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    moved = np.moveaxis(x, axis, -1)
    rows = np.reshape(moved, (-1, moved.shape[-1]))
    z = rows * (b[0] * a[0])  # for its dtype
    for row in range(rows.shape[0]):
        for n in range(rows.shape[1]):
            total = b[0] * rows[row, n]
            for k in range(1, np.minimum(b.shape[0], n + 1)):
                total += b[k] * rows[row, n - k]
            for k in range(1, np.minimum(a.shape[0], n + 1)):
                total -= a[k] * z[row, n - k]
            z[row, n] = total / a[0]
    return np.moveaxis(np.reshape(z, np.shape(moved)), -1, axis)


@full(signal.lfilter)
def lfilter_with_state(b, a, x, axis=-1, zi=None):
    if zi is None:
        return signal.lfilter(b, a, x, axis=axis)
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    rows, state = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n, order = rows.shape[-1], state.shape[-1]
    if order != np.maximum(a.shape[0], b.shape[0]) - 1:
        raise ValueError(f"Unexpected shape for zi: it has {order} numbers for each row.")
    # The state is what outputs to come have of the past, at the beginning as at the end.
    later = np.zeros_like(rows[..., :1]) + np.zeros(order, dtype=rows.dtype)
    past = np.concatenate((later + state, np.zeros_like(rows)), axis=-1)
    z = signal.lfilter(b, a, rows) + signal.lfilter(a[:1], a, past[..., :n])
    inputs, outputs = np.concatenate((rows, later), axis=-1), np.concatenate((z, later), axis=-1)
    left = signal.lfilter(b, a[:1], inputs) + past - signal.lfilter(a, a[:1], outputs)
    return np.moveaxis(z, -1, axis), np.moveaxis(left[..., n:], -1, axis)


def _normalised(c, first, n):
    """Coefficients over the first one of the denominator, with zeros up to n of them."""
    scaled = c / first
    return np.concatenate((scaled, np.zeros(n - c.shape[0], dtype=scaled.dtype)))


@composite(
    signal.lfilter_zi,
    wrt="b a",
    name="scipy.signal.lfilter_zi",
    spelling="scipy.signal.lfilter_zi",
    notes="the first coefficient of the denominator is not zero",
    examples=lambda r: [
        (r.normal(3), np.array([1.0, -0.5, 0.2])),
        (r.normal(4), np.array([2.0, 0.5])),
        (r.normal(2), np.array([1.5, -0.5, 0.2, 0.1])),
    ],
)
def lfilter_zi(b, a):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if a[0] == 0.0:
        raise ValueError("the first coefficient of the denominator is zero")
    n = max(a.shape[0], b.shape[0])
    if n < 2:
        raise ValueError("a filter of one coefficient has no state")
    above, below = _normalised(b, a[0], n), _normalised(a, a[0], n)
    # All inputs are 1, all outputs the response to a constant: a state is what outputs to come have of the past.
    response = np.sum(above) / np.sum(below)
    surplus = above - response * below
    return np.cumsum(surplus[::-1])[::-1][1:]


def without_ones(sos_dot):
    """Sections are normed: their fourth numbers are 1."""
    return sos_dot * np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0])


@composite(
    signal.sosfilt,
    wrt="sos x",
    name="scipy.signal.sosfilt",
    spelling="scipy.signal.sosfilt",
    notes="from rest, or from a state `zi`",
    extra={"real_only": True, "order": "A", "directions": {"sos": without_ones}},
    examples=lambda r: [
        (np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.0, 1.0, 0.3, 0.2]]), r.normal(7)),
        call(np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1]]), r.normal(5, 2), axis=0),
    ],
)
def sosfilt(sos, x, axis=-1):
    z = x
    for k in range(sos.shape[0]):
        z = signal.lfilter(sos[k, :3], sos[k, 3:], z, axis=axis)
    return z


@full(signal.sosfilt)
def sosfilt_with_state(sos, x, axis=-1, zi=None):
    if zi is None:
        return signal.sosfilt(sos, x, axis=axis)
    z, left = x, ()
    for k in range(sos.shape[0]):
        z, state = lfilter_with_state(sos[k, :3], sos[k, 3:], z, axis, zi[k])
        left = (*left, np.expand_dims(state, 0))
    return z, np.concatenate(left, axis=0)
