"""Rules of filters that choose among what they see: each result is one element of a window of the image."""

import numpy as np
from scipy import ndimage, signal

from adc.errors import UnsupportedError
from adc.rules import images as images
from adc.rules.images import _each, _extended, _of_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _offsets(size, footprint, ndim, axes):
    """The lengths of a window, and the positions in it that count."""
    if axes is not None:
        raise UnsupportedError(
            "a filter of scipy.ndimage with `axes` is not supported",
            repair="Give `size` for each axis, with 1 for those that stay as they are.",
        )
    if footprint is None:
        if size is None:
            raise ValueError("no size or footprint provided")
        window = np.ones(_each(size, ndim), dtype=bool)
    else:
        window = np.asarray(footprint, dtype=bool)
    if window.ndim != ndim:
        raise ValueError("footprint array has incorrect shape")
    if not window.any():
        raise ValueError("All-zero footprint is not supported.")
    return window.shape, tuple(tuple(int(k) for k in offset) for offset in np.argwhere(window))


def _seen(a, window, mode, cval, origins):
    """What stands at each position of a window, for every element: the first axis counts the positions."""
    lengths, offsets = window
    modes = _each(mode, np.ndim(a))
    extended = a
    for k in range(np.ndim(a)):
        before = lengths[k] // 2 + origins[k]
        extended = _extended(extended, k, before, lengths[k] - 1 - before, modes[k], cval)
    parts = ()
    for offset in offsets:
        index = ()
        for k in range(np.ndim(a)):
            index = (*index, slice(offset[k], offset[k] + a.shape[k]))
        parts = (*parts, extended[index])
    return np.stack(parts, axis=0)


def _chosen(a, window, rank, mode, cval, origins):
    """The element of this rank, of the smallest 0."""
    seen = _seen(a, window, mode, cval, origins)
    if rank == 0:
        return np.min(seen, axis=0)
    if rank == len(window[1]) - 1:
        return np.max(seen, axis=0)
    return np.sort(seen, axis=0)[rank]


@static
def _at(rank, window):
    """A rank that counts from the smallest, of one that counts from either end."""
    count = len(window[1])
    place = rank + count if rank < 0 else rank
    if not 0 <= place < count:
        raise RuntimeError("rank not within filter footprint size")
    return place


@static
def _at_percentile(percentile, window):
    count = len(window[1])
    share = percentile + 100.0 if percentile < 0.0 else percentile
    if not 0 <= share <= 100:
        raise RuntimeError("invalid percentile")
    return count - 1 if share == 100.0 else int(float(count) * share / 100.0)


def _windows(r):
    return [
        (r.distinct(4, 5), 3),
        (r.distinct(7), 4),
        call(r.distinct(4, 3), size=(2, 3), mode="nearest"),
        call(r.distinct(4, 5), footprint=((0, 1, 0), (1, 1, 1), (0, 1, 0)), mode="mirror"),
        call(r.distinct(6), size=3, mode="wrap", origin=1),
        call(r.distinct(6), size=2, mode="constant", cval=3.5),
        call(r.distinct(3, 2, 2), size=(1, 2, 1)),
    ]


@composite(
    ndimage.maximum_filter,
    wrt="input",
    name="ndimage.maximum_filter",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    _of_floats(input.dtype.kind, output)
    window = _offsets(size, footprint, np.ndim(input), axes)
    return _chosen(input, window, _at(-1, window), mode, cval, _each(origin, np.ndim(input)))


@composite(
    ndimage.minimum_filter,
    wrt="input",
    name="ndimage.minimum_filter",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    _of_floats(input.dtype.kind, output)
    window = _offsets(size, footprint, np.ndim(input), axes)
    return _chosen(input, window, 0, mode, cval, _each(origin, np.ndim(input)))


@composite(
    ndimage.median_filter,
    wrt="input",
    name="ndimage.median_filter",
    notes="images of floats; the upper one of two in the middle",
    examples=_windows,
)
def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    _of_floats(input.dtype.kind, output)
    window = _offsets(size, footprint, np.ndim(input), axes)
    return _chosen(input, window, len(window[1]) // 2, mode, cval, _each(origin, np.ndim(input)))


@composite(
    ndimage.rank_filter,
    wrt="input",
    name="ndimage.rank_filter",
    notes="images of floats",
    examples=lambda r: [
        (r.distinct(4, 5), 2, 3),
        call(r.distinct(6), -2, size=3, mode="nearest"),
        call(r.distinct(4, 4), 1, footprint=((1, 0), (1, 1)), mode="wrap"),
    ],
)
def rank_filter(
    input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    _of_floats(input.dtype.kind, output)
    window = _offsets(size, footprint, np.ndim(input), axes)
    return _chosen(input, window, _at(rank, window), mode, cval, _each(origin, np.ndim(input)))


@composite(
    ndimage.percentile_filter,
    wrt="input",
    name="ndimage.percentile_filter",
    notes="images of floats",
    examples=lambda r: [
        (r.distinct(4, 5), 30, 3),
        call(r.distinct(6), 100, size=3),
        call(r.distinct(6), -20.0, size=4, mode="constant"),
    ],
)
def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _of_floats(input.dtype.kind, output)
    window = _offsets(size, footprint, np.ndim(input), axes)
    rank = _at_percentile(percentile, window)
    return _chosen(input, window, rank, mode, cval, _each(origin, np.ndim(input)))


# --- along one axis -----------------------------------------------------------------------------------------


@static
def _along(value, axis, ndim, others):
    return tuple(value if k == axis % ndim else others for k in range(ndim))


def _lines(r):
    return [
        (r.distinct(6), 3),
        call(r.distinct(4, 3), 2, axis=0, mode="nearest"),
        call(r.distinct(7), 4, mode="constant", cval=0.5, origin=1),
    ]


@composite(
    ndimage.maximum_filter1d,
    wrt="input",
    name="ndimage.maximum_filter1d",
    notes="images of floats; the first of equal ones",
    examples=_lines,
)
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    ndim = np.ndim(input)
    sizes, origins = _along(size, axis, ndim, 1), _along(origin, axis, ndim, 0)
    return maximum_filter(input, sizes, None, output, mode, cval, origins)


@composite(
    ndimage.minimum_filter1d,
    wrt="input",
    name="ndimage.minimum_filter1d",
    notes="images of floats; the first of equal ones",
    examples=_lines,
)
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    ndim = np.ndim(input)
    sizes, origins = _along(size, axis, ndim, 1), _along(origin, axis, ndim, 0)
    return minimum_filter(input, sizes, None, output, mode, cval, origins)


# --- of a signal --------------------------------------------------------------------------------------------


@static
def _odd(kernel_size, ndim):
    """The lengths of a window with an element in its middle."""
    sizes = _each(3 if kernel_size is None else kernel_size, ndim)
    if any(size % 2 != 1 for size in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return sizes


@composite(
    signal.medfilt,
    wrt="volume",
    name="scipy.signal.medfilt",
    spelling="scipy.signal.medfilt",
    notes="zeros stand beside the signal",
    extra={"real_only": True},
    examples=lambda r: [r.distinct(6), (r.distinct(7), 5), (r.distinct(4, 5), (3, 1))],
)
def medfilt(volume, kernel_size=None):
    return median_filter(volume, _odd(kernel_size, np.ndim(volume)), None, None, "constant")


@composite(
    signal.medfilt2d,
    wrt="input",
    name="scipy.signal.medfilt2d",
    spelling="scipy.signal.medfilt2d",
    notes="zeros stand beside the signal",
    extra={"real_only": True},
    examples=lambda r: [r.distinct(4, 5), (r.distinct(4, 5), (3, 1))],
)
def medfilt2d(input, kernel_size=3):
    return median_filter(input, _odd(kernel_size, 2), None, None, "constant")


@composite(
    signal.order_filter,
    wrt="a",
    name="scipy.signal.order_filter",
    spelling="scipy.signal.order_filter",
    notes="zeros stand beside the signal",
    extra={"real_only": True},
    examples=lambda r: [
        (r.distinct(6), (1, 1, 1), 1),
        (r.distinct(4, 5), ((0, 1, 0), (1, 1, 1), (0, 1, 0)), 4),
    ],
)
def order_filter(a, domain, rank):
    return rank_filter(a, rank, None, domain, None, "constant")
