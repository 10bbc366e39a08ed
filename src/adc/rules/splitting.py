"""Rules of taking arrays apart along an axis: split, array_split, unstack, ..."""

import numpy as np

from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _pieces(ary, bounds, axis):
    parts = []
    for k in range(len(bounds) - 1):
        index = (slice(None),) * (axis % np.ndim(ary)) + (slice(bounds[k], bounds[k + 1]),)
        parts.append(ary[index])
    return parts


def _bounds(n, indices_or_sections):
    """Where the pieces begin and end: given positions, or sections of equal length, the first ones longer
    by one.
    """
    if isinstance(indices_or_sections, int):
        each = n // indices_or_sections
        longer = n % indices_or_sections
        bounds = []
        for k in range(indices_or_sections + 1):
            bounds.append(k * each + np.minimum(k, longer))
        return tuple(bounds)
    return (0, *indices_or_sections, n)


def _equal_pieces(ary, indices_or_sections, axis):
    n = ary.shape[axis]
    if not isinstance(indices_or_sections, int):
        return _pieces(ary, (0, *indices_or_sections, n), axis)
    assert n % indices_or_sections == 0, "array split does not result in an equal division"
    each = n // indices_or_sections
    bounds = [0]
    for k in range(1, indices_or_sections):
        bounds.append(k * each)
    return _pieces(ary, (*bounds, n), axis)


@composite(
    np.array_split,
    wrt="ary",
    examples=lambda r: [(r.normal(7), 3), call(r.normal(2, 5), 2, axis=1), (r.normal(6), (2, 5))],
)
def array_split(ary, indices_or_sections, axis=0):
    return _pieces(ary, _bounds(ary.shape[axis], indices_or_sections), axis)


@composite(
    np.split,
    wrt="ary",
    examples=lambda r: [(r.normal(6), 3), call(r.normal(2, 4), 2, axis=1), (r.normal(6), (2, 5))],
)
def split(ary, indices_or_sections, axis=0):
    return _equal_pieces(ary, indices_or_sections, axis)


@composite(
    np.hsplit, wrt="ary", examples=lambda r: [(r.normal(6), 3), (r.normal(2, 4), 2), (r.normal(2, 4), (1,))]
)
def hsplit(ary, indices_or_sections):
    axis = 0 if np.ndim(ary) == 1 else 1
    return _equal_pieces(ary, indices_or_sections, axis)


@static
def _of_axes(ndim, least, name):
    if ndim < least:
        raise ValueError(f"{name} only works on arrays of {least} or more dimensions")


@composite(np.vsplit, wrt="ary", examples=lambda r: [(r.normal(4, 2), 2), (r.normal(4, 2), (1, 2))])
def vsplit(ary, indices_or_sections):
    _of_axes(np.ndim(ary), 2, "vsplit")
    return _equal_pieces(ary, indices_or_sections, 0)


@composite(np.dsplit, wrt="ary", examples=lambda r: [(r.normal(2, 1, 4), 2)])
def dsplit(ary, indices_or_sections):
    _of_axes(np.ndim(ary), 3, "dsplit")
    return _equal_pieces(ary, indices_or_sections, 2)


if hasattr(np, "unstack"):  # NumPy 2.1

    @composite(np.unstack, examples=lambda r: [r.normal(3), call(r.normal(2, 3), axis=1)])
    def unstack(x, axis=0):
        parts = []
        for k in range(x.shape[axis]):
            parts.append(x[(slice(None),) * (axis % np.ndim(x)) + (k,)])
        return tuple(parts)
