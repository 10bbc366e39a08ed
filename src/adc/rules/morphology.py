"""Rules of grey morphology: erosion takes the smallest that a window sees, dilation the largest."""

import numpy as np
from scipy import ndimage

from adc.errors import UnsupportedError
from adc.rules.images import _each, _of_floats
from adc.rules.rank_filters import maximum_filter, minimum_filter
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _flat_floats(kind, output, structure):
    _of_floats(kind, output)
    if structure is not None:
        raise UnsupportedError(
            "grey morphology with `structure` is not supported",
            why="Its heights would be added to what the window sees.",
            repair="Give `size` or `footprint`.",
        )


@static
def _lengths(size, footprint, ndim):
    return _each(size, ndim) if footprint is None else np.shape(footprint)


@static
def _turned(footprint):
    """A dilation sees through the window as it is turned round."""
    if footprint is None:
        return None
    return np.flip(np.asarray(footprint)).tolist()


def _eroded(a, size, footprint, mode, cval, origin, axes):
    return minimum_filter(a, size, footprint, None, mode, cval, origin, axes=axes)


@static
def _origins(size, footprint, origin, ndim):
    lengths = _lengths(size, footprint, ndim)
    each = _each(origin, ndim)
    return tuple(-o - (n + 1) % 2 for o, n in zip(each, lengths, strict=True))


def _dilated(a, size, footprint, mode, cval, origin, axes):
    origins = _origins(size, footprint, origin, np.ndim(a))
    return maximum_filter(a, size, _turned(footprint), None, mode, cval, origins, axes=axes)


def _windows(r):
    return [
        (r.distinct(4, 5), 3),
        call(r.distinct(7), size=2),
        call(r.distinct(4, 5), footprint=((1, 1, 0), (1, 1, 1), (0, 1, 0)), mode="mirror"),
        call(r.distinct(6), size=3, mode="constant", cval=0.25),
    ]


@composite(
    ndimage.grey_erosion,
    wrt="input",
    name="ndimage.grey_erosion",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def grey_erosion(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    return _eroded(input, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.grey_dilation,
    wrt="input",
    name="ndimage.grey_dilation",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def grey_dilation(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    return _dilated(input, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.grey_opening,
    wrt="input",
    name="ndimage.grey_opening",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def grey_opening(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    inner = _eroded(input, size, footprint, mode, cval, origin, axes)
    return _dilated(inner, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.grey_closing,
    wrt="input",
    name="ndimage.grey_closing",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def grey_closing(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    outer = _dilated(input, size, footprint, mode, cval, origin, axes)
    return _eroded(outer, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.morphological_gradient,
    wrt="input",
    name="ndimage.morphological_gradient",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def morphological_gradient(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    outer = _dilated(input, size, footprint, mode, cval, origin, axes)
    return outer - _eroded(input, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.morphological_laplace,
    wrt="input",
    name="ndimage.morphological_laplace",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def morphological_laplace(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    outer = _dilated(input, size, footprint, mode, cval, origin, axes)
    inner = _eroded(input, size, footprint, mode, cval, origin, axes)
    return outer + inner - 2.0 * input


@composite(
    ndimage.white_tophat,
    wrt="input",
    name="ndimage.white_tophat",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def white_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    inner = _eroded(input, size, footprint, mode, cval, origin, axes)
    return input - _dilated(inner, size, footprint, mode, cval, origin, axes)


@composite(
    ndimage.black_tophat,
    wrt="input",
    name="ndimage.black_tophat",
    notes="images of floats; the first of equal ones",
    examples=_windows,
)
def black_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    _flat_floats(input.dtype.kind, output, structure)
    outer = _dilated(input, size, footprint, mode, cval, origin, axes)
    return _eroded(outer, size, footprint, mode, cval, origin, axes) - input
