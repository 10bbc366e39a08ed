"""Rules of scipy.ndimage that read an image between its elements: the nearest one, a line, or a spline.

The image goes on beyond its border as `mode` says.
"""

import numpy as np
from scipy import ndimage

from adc.errors import UnsupportedError
from adc.rules.cardinal_splines import coefficients, folded, padded_by, weight
from adc.rules.registry import composite, static
from adc.rules.sampler import call

MODES = ("reflect", "grid-mirror", "mirror", "nearest", "wrap", "grid-wrap", "constant", "grid-constant")


@static
def _checked(kind, order, mode, output):
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    if order not in (0, 1, 2, 3, 4, 5):
        raise RuntimeError("spline order not supported")
    if output is not None or kind not in "fc":
        raise UnsupportedError(
            "interpolation of scipy.ndimage with `output`, or of an image of integers, is not supported",
            why="The result would be rounded to the type of the image.",
            repair="Give an image of floats, without `output`.",
        )


@static
def _each(value, count):
    """One for each axis, of one for all or a sequence."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * count


def _through(a, order, mode, cval, prefilter):
    """What is read: the image, or the coefficients of the spline through it."""
    return coefficients(a, order, mode, cval, prefilter) if order > 1 else a


@static
def _beyond(order, mode, prefilter):
    """How far what is read reaches beyond the image on each side."""
    return padded_by(mode, prefilter) if order > 1 else 0


def _inside(x, n, mode):
    """Where the image reads what goes on beyond its border at coordinates x."""
    if mode in ("reflect", "grid-mirror"):
        turned = np.remainder(x + 0.5, 2.0 * n) - 0.5
        return np.minimum(turned, 2.0 * n - 1.0 - turned)
    if mode == "mirror":
        period = np.maximum(2.0 * n - 2.0, 1.0)
        turned = np.remainder(np.abs(x), period)
        last = np.where(
            x < 0.0, n - 1.0, 1.0 * n
        )  # SciPy's sides differ, as one sees halfway between elements
        return np.where(n > 1, np.where(turned >= last, period - turned, turned), 0.0 * x)
    if mode == "nearest":
        return np.clip(x, 0.0, n - 1.0)
    if mode == "wrap":  # the last element is the first one again
        period = np.maximum(n - 1.0, 1.0)
        behind = np.where(x > n - 1.0, x - period * np.floor(x / period), x)
        return np.where(x < 0.0, x + period * (np.floor(-x / period) + 1.0), np.minimum(behind, n - 1.0))
    return np.remainder(x, 1.0 * n) if mode == "grid-wrap" else x


def _index(place, n, mode):
    """Where the element of a whole position stands: the neighbours of what `_inside` gives are one too far at most."""
    if mode == "grid-wrap":
        return np.remainder(place, n)
    if mode == "mirror":
        place = np.where(place > n - 1, 2 * n - 2 - place, place)
    return np.clip(place, 0, n - 1)


def _first_of(x, order):
    """The first whole position of those that a spline takes at coordinates x."""
    return np.floor(x + (0.0 if order % 2 == 1 else 0.5)) - order // 2


def _picked(a, axis, place, x, n, mode, cval, order=1):
    """The elements at whole positions along an axis; x has the coordinates for which they are taken."""
    found = np.take(a, folded(place, n, mode) if order > 1 else _index(place, n, mode), axis=axis)
    if mode == "grid-constant":
        inside = (place >= 0) & (place <= n - 1)
    elif mode == "constant":
        inside = (x >= 0.0) & (x <= n - 1.0)
    else:
        return found
    return np.where(_beside(inside, a, axis), found, cval)


def _beside(values, a, axis):
    """Values along one axis, in the shape of what multiplies an image."""
    return np.reshape(values, (1,) * axis + (-1,) + (1,) * (np.ndim(a) - 1 - axis))


def _read(a, axis, x, order, mode, cval):
    """An image read at coordinates along one axis."""
    n = a.shape[axis]
    x = _inside(x, n, mode)
    if order > 1:
        base = _first_of(x, order)
        total = 0.0
        for k in range(order + 1):
            share = _beside(weight(x - (base + k), order), a, axis)
            total = total + share * _picked(a, axis, base.astype(int) + k, x, n, mode, cval, order)
        return total
    if order == 0:
        return _picked(a, axis, np.floor(x + 0.5).astype(int), x, n, mode, cval)
    below = np.floor(x)
    place = below.astype(int)
    share = _beside(x - below, a, axis)
    first = _picked(a, axis, place, x, n, mode, cval)
    return first + share * (_picked(a, axis, place + 1, x, n, mode, cval) - first)


@composite(
    ndimage.zoom,
    wrt="input",
    name="ndimage.zoom",
    notes="images of floats",
    examples=lambda r: [
        call(r.normal(4), 1.7, order=1),
        call(r.normal(3, 4), (2, 0.5), order=1, mode="nearest"),
        call(r.normal(5), 1.4, order=0),
        call(r.normal(3, 2), 2, order=1, mode="reflect", grid_mode=True),
        (r.normal(4), 1.7),
        call(r.normal(24), 0.5, order=2, mode="reflect"),
        call(r.normal(4), 1.5, mode="nearest"),
    ],
)
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    _checked(input.dtype.kind, order, mode, output)
    image, pad = _through(input, order, mode, cval, prefilter), _beyond(order, mode, prefilter)
    for k in range(np.ndim(input)):
        factor = _each(zoom, np.ndim(input))[k]
        n = input.shape[k]
        many = round(n * factor)
        if grid_mode:
            x = (np.arange(many) + 0.5) * (n / np.maximum(many, 1)) - 0.5
        else:
            x = np.minimum(np.arange(many) * ((n - 1) / np.maximum(many - 1, 1)), n - 1.0)
        image = _read(image, k, x + pad, order, mode, cval)
    return image.astype(input.dtype)


@composite(
    ndimage.shift,
    wrt="input shift",
    name="ndimage.shift",
    notes="images of floats",
    examples=lambda r: [
        call(r.normal(5), 1.3, order=1),
        call(r.normal(3, 4), np.array([0.4, -1.7]), order=1, mode="nearest"),
        call(r.normal(5), -0.6, order=1, mode="grid-wrap"),
        call(r.normal(4, 3), 0.3, order=0, mode="mirror"),
        call(r.normal(4), 0.7, order=1, mode="grid-constant", cval=0.5),
        (r.normal(4, 3), np.array([0.4, -0.7])),
        call(r.normal(5), 0.3, order=5, mode="mirror"),
        call(r.normal(5), 1.3, order=4, mode="grid-wrap"),
        call(r.normal(5), 0.3, order=3, prefilter=False),
    ],
)
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    _checked(input.dtype.kind, order, mode, output)
    image, pad = _through(input, order, mode, cval, prefilter), _beyond(order, mode, prefilter)
    for k in range(np.ndim(input)):
        distance = shift if np.ndim(shift) == 0 else shift[k]
        image = _read(image, k, np.arange(input.shape[k]) + pad - distance, order, mode, cval)
    return image.astype(input.dtype)


def _corners(a, x, places, order, mode, cval):
    """The image at coordinates x, one for each axis: from one axis on, those before it at whole positions."""
    k = len(places)
    if k == np.ndim(a):
        index = ()
        for j in range(k):
            index = index + (_index(places[j], a.shape[j], mode),)
        found = a[index]
        if mode != "grid-constant":
            return found
        for j in range(k):
            found = np.where((places[j] >= 0) & (places[j] <= a.shape[j] - 1), found, cval)
        return found
    if order == 0:
        return _corners(a, x, places + (np.floor(x[k] + 0.5).astype(int),), order, mode, cval)
    below = np.floor(x[k])
    place = below.astype(int)
    first = _corners(a, x, places + (place,), order, mode, cval)
    return first + (x[k] - below) * (_corners(a, x, places + (place + 1,), order, mode, cval) - first)


def _spline(a, x, order, mode, cval):
    """The spline at coordinates x, one for each axis: the first axes count the coefficients that it takes of each."""
    ndim = np.ndim(a)
    index, weights, inside = (), 1.0, True
    for k in range(ndim):
        n = a.shape[k]
        place = _first_of(x[k], order) + np.reshape(np.arange(order + 1), (-1,) + (1,) * np.ndim(x[k]))
        shape = (1,) * k + (order + 1,) + (1,) * (ndim - 1 - k) + np.shape(x[k])
        whole = np.reshape(place.astype(int), shape)
        index = (*index, folded(whole, n, mode))
        inside = inside & (whole >= 0) & (whole <= n - 1)
        weights = weights * np.reshape(weight(x[k] - place, order), shape)
    found = a[index]
    if mode == "grid-constant":
        found = np.where(inside, found, cval)
    return np.sum(found * weights, axis=tuple(range(ndim)))


@composite(
    ndimage.map_coordinates,
    wrt="input coordinates",
    name="ndimage.map_coordinates",
    notes="images of floats",
    examples=lambda r: [
        call(r.normal(4, 3), np.array([[0.5, 1.2, 2.9], [1.5, 0.1, 1.8]]), order=1),
        call(r.normal(5), np.array([[0.5, -0.7, 4.3, 9.6, -7.2]]), order=1, mode="reflect"),
        call(r.normal(5), np.array([[0.5, -0.7, 4.3, 9.6, -7.2]]), order=1, mode="mirror"),
        call(r.normal(5), np.array([[0.5, -0.7, 4.3, 9.6, -7.2]]), order=1, mode="wrap"),
        call(r.normal(5), np.array([[0.5, -0.7, 4.3, 9.6, -7.2]]), order=1, mode="grid-wrap"),
        call(r.normal(4, 3), np.array([[[0.5, -0.2]], [[1.5, 0.1]]]), order=1, mode="nearest"),
        call(r.normal(4), np.array([[0.6, -0.2, 3.4]]), order=1, mode="grid-constant", cval=0.5),
        call(r.normal(4), np.array([[0.6, -0.2, 3.4]]), order=1, cval=0.5),
        call(r.normal(4, 3), np.array([[0.6, 1.2, 2.9], [1.4, 0.1, 1.8]]), order=0),
        (r.normal(4, 3), np.array([[0.5, 1.2, 2.9], [1.5, 0.1, 1.8]])),
        *(
            call(r.normal(17), np.array([[0.6, -0.7, 14.3, 19.7, -7.2]]), mode=mode, cval=0.5)
            for mode in MODES
        ),
    ],
)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    _checked(input.dtype.kind, order, mode, output)
    image, pad = _through(input, order, mode, cval, prefilter), _beyond(order, mode, prefilter)
    x = ()
    for k in range(np.ndim(input)):
        x = x + (_inside(coordinates[k] + pad, image.shape[k], mode),)
    found = _spline(image, x, order, mode, cval) if order > 1 else _corners(image, x, (), order, mode, cval)
    if mode == "constant":
        for k in range(np.ndim(input)):
            found = np.where((x[k] >= 0.0) & (x[k] <= input.shape[k] - 1.0), found, cval)
    return found.astype(input.dtype)
