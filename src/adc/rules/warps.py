"""Rules of scipy.ndimage that turn and shear an image: the image read where a matrix sends each position."""

import numpy as np
from scipy import ndimage
from scipy import special as sp

from adc.rules import special as special
from adc.rules.interpolation import map_coordinates
from adc.rules.registry import composite
from adc.rules.sampler import call


def _along(count, axis, ndim):
    """The positions of one axis, for all that differ in it."""
    return np.reshape(np.arange(count), (1,) * axis + (count,) + (1,) * (ndim - 1 - axis))


def _of_axis(values, axis):
    return values if np.ndim(values) == 0 else values[axis]


@composite(
    ndimage.affine_transform,
    wrt="input matrix offset",
    name="ndimage.affine_transform",
    notes="images of floats; the shift is `offset`",
    examples=lambda r: [
        (r.normal(4, 5), np.array([[0.9, 0.1], [-0.2, 0.8]]), 0.65),
        call(r.normal(4, 5), np.array([[0.9, 0.1], [-0.2, 0.8]]), np.array([0.35, 0.85]), order=1),
        call(r.normal(4, 3), np.array([[0.7, 0.1], [-0.2, 0.8]]), 0.47, (3, 2), order=1, mode="nearest"),
        call(r.normal(14), np.array([[0.9]]), 0.37, mode="mirror"),
        call(r.normal(4, 5), np.array([0.9, 0.7]), 0.23, order=1),
    ],
)
def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    ndim = np.ndim(input)
    if np.ndim(matrix) == 2 and matrix.shape[1] != ndim:
        raise ValueError(f"adc takes a matrix of {ndim} columns, and the shift as `offset`.")
    lengths = np.shape(input) if output_shape is None else output_shape
    rows = ()
    for k in range(ndim):
        place = np.zeros(lengths) + _of_axis(offset, k)
        if np.ndim(matrix) == 1:
            place = place + matrix[k] * _along(lengths[k], k, ndim)
        else:
            for j in range(ndim):
                place = place + matrix[k, j] * _along(lengths[j], j, ndim)
        rows = (*rows, place)
    return map_coordinates(input, np.stack(rows, axis=0), output, order, mode, cval, prefilter)


def _turned(n, m, cosine, sine):
    """How long a side of a turned rectangle is."""
    return int(np.floor(np.abs(cosine) * n + np.abs(sine) * m + 0.5))


@composite(
    ndimage.rotate,
    wrt="input angle",
    name="ndimage.rotate",
    notes="images of floats; the size of the result is piecewise constant",
    examples=lambda r: [
        (r.normal(4, 5), 30.0),
        call(r.normal(4, 5), 100.0, reshape=False, order=1),
        call(r.normal(3, 4, 2), 20.0, axes=(0, 1), order=1, mode="nearest"),
    ],
)
def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    ndim = np.ndim(input)
    first, last = sorted((axes[0] % ndim, axes[1] % ndim))
    cosine, sine = sp.cosdg(angle), sp.sindg(angle)
    n, m = input.shape[first], input.shape[last]
    high, wide = n, m
    if reshape:
        high, wide = _turned(n, m, cosine, sine), _turned(m, n, cosine, sine)
    lengths = ()
    for k in range(ndim):
        lengths = (*lengths, high if k == first else wide if k == last else input.shape[k])
    down = _along(high, first, ndim) - 0.5 * (high - 1)
    right = _along(wide, last, ndim) - 0.5 * (wide - 1)
    rows = ()
    for k in range(ndim):
        if k == first:
            place = 0.5 * (n - 1) + cosine * down + sine * right
        elif k == last:
            place = 0.5 * (m - 1) + cosine * right - sine * down
        else:
            place = _along(input.shape[k], k, ndim)
        rows = (*rows, np.zeros(lengths) + place)
    return map_coordinates(input, np.stack(rows, axis=0), output, order, mode, cval, prefilter)
