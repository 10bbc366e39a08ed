"""Rules of scipy.ndimage: filters whose result is linear in the image and in the weights."""

import numpy as np
from scipy import ndimage

from adc.errors import UnsupportedError
from adc.rules import interpolation as interpolation
from adc.rules.elementary import root
from adc.rules.padding import source
from adc.rules.products import conjugated
from adc.rules.registry import composite, static
from adc.rules.sampler import call

# What stands beside an image, in the words of np.pad.
MODES = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": None,
    "grid-constant": None,
}


@static
def _beside(mode):
    if mode not in MODES:
        raise UnsupportedError(f'mode="{mode}" is not known', repair=f"Say one of {', '.join(MODES)}.")
    return MODES[mode]


@static
def _of_floats(kind, output):
    if output is not None or kind not in "fc":
        raise UnsupportedError(
            "a filter of scipy.ndimage with `output`, or of an image of integers, is not supported",
            why="The result would be rounded to the type of the image.",
            repair="Give an image of floats, without `output`.",
        )


@static
def _each(value, count):
    """One for each axis, of one for all or a sequence."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * count


@static
def _nothing(size):
    """Whether a width is known to leave an axis as it is."""
    return isinstance(size, (int, float)) and size <= 1e-15


def _weights(weights):
    return np.array(weights) if isinstance(weights, (list, tuple)) else weights


def _extended(a, axis, before, after, mode, cval):
    """An image and what stands beside it along an axis."""
    kind = _beside(mode)
    if kind is not None:
        return a[(slice(None),) * axis + (source(a.shape[axis], before, after, kind),)]
    first, last = np.shape(a)[:axis], np.shape(a)[axis + 1 :]
    head = np.zeros(first + (before,) + last, dtype=a.dtype) + cval
    tail = np.zeros(first + (after,) + last, dtype=a.dtype) + cval
    return np.concatenate((head, a, tail), axis=axis)


def _weighted(extended, weights, lengths, axis):
    """The sum of what the weights see, from one axis on."""
    at = (slice(None),) * axis
    n = lengths[axis]
    if np.ndim(weights) == 1:
        total = weights[0] * extended[at + (slice(0, n),)]
        for k in range(1, weights.shape[0]):
            total = total + weights[k] * extended[at + (slice(k, k + n),)]
        return total
    total = _weighted(extended[at + (slice(0, n),)], weights[0], lengths, axis + 1)
    for k in range(1, weights.shape[0]):
        total = total + _weighted(extended[at + (slice(k, k + n),)], weights[k], lengths, axis + 1)
    return total


def _typed(total, a, weights):
    """The sum is in the precision of the image."""
    return total.astype(a.dtype) if a.dtype.kind == "f" and weights.dtype.kind != "c" else total


def _along(a, weights, axis, mode, cval, origin):
    """The correlation along one axis."""
    size = weights.shape[0]
    k = axis % np.ndim(a)
    before = size // 2 + origin
    extended = _extended(a, k, before, size - 1 - before, mode, cval)
    lengths = np.shape(a)
    return _typed(_weighted(extended, weights, lengths, k), a, weights)


def _lines(r):
    return [
        (r.normal(5), r.normal(3)),
        (r.normal(5), r.normal(4)),
        call(r.normal(4, 3), r.normal(3), axis=0, mode="nearest"),
        call(r.normal(3, 4), r.normal(3), mode="mirror", origin=1),
        call(r.normal(5), r.normal(2), mode="wrap"),
        call(r.normal(5), r.normal(4), mode="constant", cval=0.5, origin=-1),
        call(r.normal(2), r.normal(7)),
    ]


@composite(
    ndimage.correlate1d,
    wrt="input weights",
    name="ndimage.correlate1d",
    notes="images of floats",
    examples=_lines,
)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    return _along(input, conjugated(_weights(weights)), axis, mode, cval, origin)


@composite(
    ndimage.convolve1d,
    wrt="input weights",
    name="ndimage.convolve1d",
    notes="images of floats",
    examples=_lines,
)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    turned = np.flip(_weights(weights))
    return _along(input, turned, axis, mode, cval, -origin - (turned.shape[0] + 1) % 2)


def _filtered(a, weights, mode, cval, origins):
    modes = _each(mode, np.ndim(a))
    extended = a
    for k in range(np.ndim(a)):
        size = weights.shape[k]
        before = size // 2 + origins[k]
        extended = _extended(extended, k, before, size - 1 - before, modes[k], cval)
    return _typed(_weighted(extended, weights, np.shape(a), 0), a, weights)


def _planes(r):
    return [
        (r.normal(4), r.normal(3)),
        (r.normal(4, 5), r.normal(3, 3)),
        call(r.normal(4, 3), r.normal(2, 3), mode="nearest"),
        call(r.normal(3, 4), r.normal(3, 2), mode="constant", cval=0.5, origin=(0, -1)),
        call(r.normal(3, 4), r.normal(3, 3), mode="wrap", origin=1),
        (r.normal(2, 3, 2), r.normal(2, 1, 3)),
    ]


@composite(
    ndimage.correlate,
    wrt="input weights",
    name="ndimage.correlate",
    notes="images of floats",
    examples=_planes,
)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    return _filtered(input, conjugated(weights), mode, cval, _each(origin, np.ndim(input)))


@composite(
    ndimage.convolve,
    wrt="input weights",
    name="ndimage.convolve",
    notes="images of floats",
    examples=_planes,
)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    given = _each(origin, np.ndim(input))
    origins = ()
    for k in range(np.ndim(input)):
        origins = origins + (-given[k] - (weights.shape[k] + 1) % 2,)
    return _filtered(input, np.flip(weights), mode, cval, origins)


# --- means --------------------------------------------------------------------------------------------------


@composite(
    ndimage.uniform_filter1d,
    wrt="input",
    name="ndimage.uniform_filter1d",
    notes="images of floats",
    examples=lambda r: [
        (r.normal(5), 3),
        call(r.normal(4, 3), 2, axis=0, mode="nearest"),
        call(r.normal(5), 4, mode="constant", cval=0.5, origin=1),
    ],
)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    return _along(input, np.ones(size) / size, axis, mode, cval, origin)


@composite(
    ndimage.uniform_filter,
    wrt="input",
    name="ndimage.uniform_filter",
    notes="images of floats",
    examples=lambda r: [
        r.normal(4, 5),
        call(r.normal(4, 3), (2, 3), mode="nearest"),
        call(r.normal(4, 3), (1, 3), mode=("wrap", "mirror"), origin=(0, 1)),
    ],
)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):
    _of_floats(input.dtype.kind, output)
    sizes, origins = _each(size, np.ndim(input)), _each(origin, np.ndim(input))
    modes = _each(mode, np.ndim(input))
    result = input
    for k in range(np.ndim(input)):
        result = uniform_filter1d(result, sizes[k], k, None, modes[k], cval, origins[k])
    return result


def _bell(sigma, order, radius):
    """A Gaussian, or a derivative of it, at whole numbers; correlated with an image it is turned."""
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 * (x / sigma) ** 2)
    bell = bell / np.sum(bell)
    before, now = np.zeros_like(bell), bell
    for k in range(order):
        before, now = now, -(x * now + k * before) / sigma**2
    return now[::-1]


def _blurred(a, sigma, axis, order, mode, cval, truncate, radius):
    reach = np.floor(truncate * sigma + 0.5) if radius is None else radius
    return _along(a, _bell(sigma, order, reach), axis, mode, cval, 0)


@composite(
    ndimage.gaussian_filter1d,
    wrt="input sigma",
    name="ndimage.gaussian_filter1d",
    notes="images of floats; how far the weights reach is piecewise constant",
    examples=lambda r: [
        (r.normal(9), 0.8),
        (r.normal(5), 1),
        call(r.normal(4, 3), 1.2, axis=0, order=1, mode="nearest"),
        call(r.normal(5), 0.7, order=2, mode="constant", cval=0.5, truncate=3.0),
        call(r.normal(5), 0.7, order=3, radius=2),
    ],
)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    _of_floats(input.dtype.kind, output)
    return _blurred(input, sigma, axis, order, mode, cval, truncate, radius)


def _blurred_all(a, sigma, order, mode, cval, truncate, radius):
    ndim = np.ndim(a)
    array = not isinstance(sigma, (list, tuple)) and np.ndim(sigma) == 1
    sigmas, orders, modes, reaches = (
        _each(sigma, ndim),
        _each(order, ndim),
        _each(mode, ndim),
        _each(radius, ndim),
    )
    result = a
    for k in range(ndim):
        if not _nothing(sigmas[k]):
            width = sigma[k] if array else sigmas[k]
            result = _blurred(result, width, k, orders[k], modes[k], cval, truncate, reaches[k])
    return result


@composite(
    ndimage.gaussian_filter,
    wrt="input sigma",
    name="ndimage.gaussian_filter",
    notes="images of floats; how far the weights reach is piecewise constant",
    examples=lambda r: [
        (r.normal(4, 5), 0.8),
        (r.normal(4, 5), 1),
        call(r.normal(4, 3), (0, 0.7), mode="nearest"),
        (r.normal(4, 3), np.array([0.6, 0.7])),
        call(r.normal(4, 3), (0.6, 0.7), order=(1, 0), mode=("wrap", "mirror"), truncate=3.0),
        call(r.normal(2, 3, 2), 0.5, radius=1),
    ],
)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    _of_floats(input.dtype.kind, output)
    return _blurred_all(input, sigma, order, mode, cval, truncate, radius)


# --- derivatives --------------------------------------------------------------------------------------------


def _edges(a, axis, mode, cval, beside):
    """The difference along one axis, and a mean along the others."""
    ndim = np.ndim(a)
    modes = _each(mode, ndim)
    chosen = axis % ndim
    result = _along(a, np.array([-1.0, 0.0, 1.0]), chosen, modes[chosen], cval, 0)
    for k in range(ndim):
        if k != chosen:
            result = _along(result, np.array([1.0, beside, 1.0]), k, modes[k], cval, 0)
    return result


def _pictures(r):
    return [r.normal(4, 3), call(r.normal(3, 4), axis=0, mode="nearest"), call(r.normal(5), mode="wrap")]


@composite(ndimage.sobel, wrt="input", name="ndimage.sobel", notes="images of floats", examples=_pictures)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    _of_floats(input.dtype.kind, output)
    return _edges(input, axis, mode, cval, 2.0)


@composite(ndimage.prewitt, wrt="input", name="ndimage.prewitt", notes="images of floats", examples=_pictures)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    _of_floats(input.dtype.kind, output)
    return _edges(input, axis, mode, cval, 1.0)


@composite(
    ndimage.laplace,
    wrt="input",
    name="ndimage.laplace",
    notes="images of floats",
    examples=lambda r: [r.normal(4, 3), call(r.normal(5), mode="constant", cval=0.5)],
)
def laplace(input, output=None, mode="reflect", cval=0.0):
    _of_floats(input.dtype.kind, output)
    modes = _each(mode, np.ndim(input))
    total = _along(input, np.array([1.0, -2.0, 1.0]), 0, modes[0], cval, 0)
    for k in range(1, np.ndim(input)):
        total = total + _along(input, np.array([1.0, -2.0, 1.0]), k, modes[k], cval, 0)
    return total


@composite(
    ndimage.gaussian_laplace,
    wrt="input sigma",
    name="ndimage.gaussian_laplace",
    notes="images of floats; how far the weights reach is piecewise constant",
    examples=lambda r: [
        (r.normal(4, 3), 0.6),
        call(r.normal(7), 0.8, mode="nearest"),
        call(r.normal(4, 3), 0.6, mode=("wrap", "nearest")),
    ],
)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0):
    _of_floats(input.dtype.kind, output)
    ndim = np.ndim(input)
    modes = _each(mode, ndim)  # each is that of one term, along all axes
    total = _blurred_all(input, sigma, _orders(2, 0, ndim), modes[0], cval, 4.0, None)
    for k in range(1, ndim):
        total = total + _blurred_all(input, sigma, _orders(2, k, ndim), modes[k], cval, 4.0, None)
    return total


@static
def _orders(order, axis, ndim):
    """The orders of a derivative along one axis."""
    return tuple(order * (k == axis) for k in range(ndim))


@composite(
    ndimage.gaussian_gradient_magnitude,
    wrt="input sigma",
    name="ndimage.gaussian_gradient_magnitude",
    notes="images of floats; 0 where the magnitude is 0; how far the weights reach is piecewise constant",
    examples=lambda r: [
        (r.normal(4, 3), 0.6),
        call(r.normal(7), 0.8, mode="nearest"),
        call(r.normal(4, 3), (0.6, 0.7), mode=("wrap", "mirror"), truncate=3.0),
    ],
)
def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, truncate=4.0, radius=None
):
    _of_floats(input.dtype.kind, output)
    ndim = np.ndim(input)
    modes = _each(mode, ndim)
    total = np.zeros_like(input)
    for k in range(ndim):
        slope = _blurred_all(input, sigma, _orders(1, k, ndim), modes[k], cval, truncate, radius)
        total = total + slope * slope
    return root(total)
