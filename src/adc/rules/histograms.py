"""Rules of histograms, over one axis and over two.

Of the data only the edges depend, where they are not given; how many points are in a bin is constant.
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _counted_bins(bins):
    if isinstance(bins, str):
        raise UnsupportedError(
            f'np.histogram with bins="{bins}" is not supported',
            why="The number of bins would depend on the data.",
            repair="Give a number, or the edges from np.histogram_bin_edges of a constant.",
        )
    return isinstance(bins, (int, np.integer))


@composite(
    np.histogram,
    wrt="weights a bins",
    notes="weights move the bars; data moves the edges, where they are not given",
    extra={"float64_only": True},
    examples=lambda r: [
        call(r.normal(7), 4, weights=r.normal(7)),
        call(r.normal(9), 4, (-1.0, 1.0), weights=r.positive(9), density=True),
        call(r.normal(2, 4), np.array([-1.0, 0.0, 0.3, 2.0]), weights=r.normal(2, 4)),
        call(r.normal(9), 3, (-1.0, 1.0), density=True),
        call(r.normal(9), 3),
    ],
)
def histogram(a, bins=10, range=None, density=None, weights=None):
    x = np.ravel(a)
    edges = _edges(x, bins, range, x)
    n = edges.shape[0] - 1
    inside, place = _placed(x, edges)
    if weights is not None and np.size(weights) != np.size(x):
        raise ValueError("weights should have the same shape as a.")
    shares = np.where(inside, 1.0 if weights is None else np.ravel(weights), 0.0)
    bars = np.bincount(place, weights=shares, minlength=n)
    if density:
        return bars / np.diff(edges) / np.sum(bars), edges
    return bars.astype(np.int64 if weights is None else weights.dtype), edges


@composite(
    np.histogram_bin_edges,
    wrt="a bins",
    notes="as of np.histogram",
    extra={"float64_only": True},
    examples=lambda r: [
        call(r.normal(7), 4),
        call(r.normal(2, 4), 3, (-1.0, 1.0)),
        call(r.normal(5), np.array([-1.0, 0.0, 0.3, 2.0])),
        call(r.normal(6), 2, weights=r.positive(6)),
    ],
)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    x = np.ravel(a)
    return _edges(x, bins, range, x)


def _edges(x, bins, span, beside):
    """The edges of bins: given, or so many between two bounds, those of the data where none are given.

    In NumPy they have the dtype of the bounds, in one dimension joined with that of the data `beside`.
    """
    if not _counted_bins(bins):
        return np.array(bins)
    first, last = (np.min(x), np.max(x)) if span is None else span
    wider = in_dtype(np.where(first == last, 0.5, 0.0), np.result_type(first, last, 0.0))
    return in_dtype(
        np.linspace(first - wider, last + wider, bins + 1), np.result_type(first, last, beside, 0.0)
    )


def _placed(x, edges):
    """Whether each number is within the edges, and in which bin; the last bin has both its edges."""
    n = edges.shape[0] - 1
    inside = (x >= edges[0]) & (x <= edges[n])
    return inside, np.clip(np.searchsorted(edges, x, side="right") - 1, 0, n - 1)


@static
def _bins_of_each(bins):
    """The bins of two axes: a pair is one for each axis, all else is for both."""
    return tuple(bins) if isinstance(bins, (list, tuple)) and len(bins) == 2 else (bins, bins)


@composite(
    np.histogram2d,
    wrt="weights x y",
    notes="as np.histogram",
    extra={"float64_only": True, "order": "A"},
    examples=lambda r: [
        call(r.normal(7), r.normal(7), 3, weights=r.normal(7)),
        call(
            r.normal(9), r.normal(9), (2, 3), ((-1.0, 1.0), (-2.0, 2.0)), weights=r.positive(9), density=True
        ),
        call(r.normal(6), r.normal(6), [np.array([-1.0, 0.0, 2.0]), 2], weights=r.normal(6)),
        call(r.normal(6), r.normal(6), np.array([-1.0, 0.0, 0.3, 2.0]), weights=r.normal(6)),
    ],
)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    rows, columns = _bins_of_each(bins)
    if np.size(x) != np.size(y):
        raise ValueError("x and y must have the same length.")
    if weights is not None and np.size(weights) != np.size(x):
        raise ValueError("The weights and list don't have the same length.")
    dtype = np.result_type(x, y)
    x, y = in_dtype(x, dtype), in_dtype(y, dtype)
    x_edges = _edges(x, rows, None if range is None else range[0], 0.0)
    y_edges = _edges(y, columns, None if range is None else range[1], 0.0)
    n, m = x_edges.shape[0] - 1, y_edges.shape[0] - 1
    x_inside, row = _placed(x, x_edges)
    y_inside, column = _placed(y, y_edges)
    shares = np.where(x_inside & y_inside, 1.0 if weights is None else weights, 0.0)
    bars = np.reshape(np.bincount(row * m + column, weights=shares, minlength=n * m), (n, m))
    if density:
        bars = bars / np.diff(x_edges)[:, None] / np.diff(y_edges) / np.sum(bars)
    return bars, x_edges, y_edges
