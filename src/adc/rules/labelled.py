"""Rules of scipy.ndimage for the regions of an image: sums, means and variances of the elements with a label."""

import numpy as np
from scipy import ndimage

from adc.rules.elementary import root
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite
from adc.rules.sampler import call


def _rule(function, *same):
    def examples(r):
        labels = np.array([[1, 2, 0, 2], [3, 1, 1, 0]])
        return [
            r.normal(2, 3),
            call(r.normal(2, 4), labels),
            call(r.normal(2, 4), labels, index=2),
            call(r.normal(2, 4), labels, index=np.array([3, 1, 2])),
        ]

    return composite(
        function,
        *same,
        wrt="input",
        name=f"ndimage.{function.__name__}",
        spelling=f"scipy.ndimage.{function.__name__}",
        examples=examples,
        extra={"float64_only": True},
    )


def _regions(input, labels, index):
    """The elements in a row, the region of each and whether it lies in one; the regions asked for, and how many."""
    flat = np.ravel(input)
    if labels is None:
        return flat, np.zeros(flat.shape[0], dtype=np.int64), np.ones(flat.shape[0]) > 0.0, 0, 1
    given = np.ravel(np.broadcast_to(labels, np.shape(input)))
    if index is None:
        return flat, np.zeros(flat.shape[0], dtype=np.int64), given > 0, 0, 1
    ordered = np.sort(np.ravel(index))
    region = np.minimum(np.searchsorted(ordered, given), ordered.shape[0] - 1)
    return flat, region, ordered[region] == given, np.searchsorted(ordered, index), ordered.shape[0]


def _sums(values, region, inside, count):
    return np.bincount(region, weights=np.where(inside, values, 0.0), minlength=count)


@_rule(ndimage.sum_labels, ndimage.sum)
def sum_labels(input, labels=None, index=None):
    flat, region, inside, asked, count = _regions(input, labels, index)
    total = _sums(flat, region, inside, count)[asked]
    return in_dtype(total, flat.dtype) if np.ndim(asked) == 0 else total


@_rule(ndimage.mean)
def mean(input, labels=None, index=None):
    flat, region, inside, asked, count = _regions(input, labels, index)
    sizes = _sums(np.ones(flat.shape[0]), region, inside, count)
    return (_sums(flat, region, inside, count) / sizes)[asked]


@_rule(ndimage.variance)
def variance(input, labels=None, index=None):
    flat, region, inside, asked, count = _regions(input, labels, index)
    sizes = _sums(np.ones(flat.shape[0]), region, inside, count)
    centred = flat - (_sums(flat, region, inside, count) / sizes)[region]
    return (_sums(centred * centred, region, inside, count) / sizes)[asked]


@_rule(ndimage.standard_deviation)
def standard_deviation(input, labels=None, index=None):
    return root(variance(input, labels, index))
