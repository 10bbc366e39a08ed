"""Rules of arrays as sets: unique and its parts, union1d, setdiff1d, intersect1d, setxor1d."""

import numpy as np

from adc.rules.registry import composite, full
from adc.rules.sampler import corner


def _with_equal_ones(r):
    return [r.distinct(4), corner(np.array([0.5, 1.5, 0.5, -1.0])), r.distinct(2, 3)]


@composite(
    np.unique,
    wrt="ar",
    notes="the adjoint of a repeated value goes to one of its places",
    examples=_with_equal_ones,
)
def unique(ar):
    ordered = np.sort(np.ravel(ar))
    return ordered[np.flatnonzero(_differs_from_the_one_before(ordered, True))]


def _differs_from_the_one_before(ordered, equal_nan):
    """Which elements in order are not as the one before. Those that are not a number, in the end, are alike."""
    differs = ordered[1:] != ordered[:-1]
    if equal_nan and ordered.dtype.kind in "fc":
        differs = differs & ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    return np.concatenate((np.ones_like(ordered[:1]) > 0.0, differs))


@composite(
    np.union1d, wrt="ar1 ar2", examples=lambda r: [(r.distinct(3), r.distinct(2) + 0.05)], notes="as unique"
)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@composite(
    np.setdiff1d,
    wrt="ar1",
    examples=lambda r: [(r.distinct(4), r.distinct(2) + 0.05), (r.distinct(3), np.array([0.5]))],
    notes="as unique",
)
def setdiff1d(ar1, ar2, assume_unique=False):
    found = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return found[~np.isin(found, ar2)]


@composite(
    np.intersect1d,
    wrt="ar1",
    examples=lambda r: [(np.array([4, 1, 7, 4]), np.array([7, 4, 9]))],  # a difference would part equal ones
    notes="as unique; of two equal elements that of the first array is taken",
)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        first, places = np.unique(ar1, return_index=True)
        second, others = np.unique(ar2, return_index=True)
        return first[np.isin(first, second)], places[np.isin(first, second)], others[np.isin(second, first)]
    found = np.sort(np.ravel(ar1)) if assume_unique else np.unique(ar1)
    return found[np.isin(found, ar2)]


@composite(
    np.setxor1d,
    wrt="ar1 ar2",
    examples=lambda r: [(r.distinct(4), r.distinct(2) + 0.05)],
    notes="as unique",
)
def setxor1d(ar1, ar2, assume_unique=False):
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    return np.sort(np.concatenate((first[~np.isin(first, second)], second[~np.isin(second, first)])))


@full(np.unique)
def unique_and_more(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    if axis is None:
        flat = np.ravel(ar)
        order = np.argsort(flat, kind="stable")
        ordered = flat[order]
        first = _differs_from_the_one_before(ordered, equal_nan)
    else:
        parts = np.moveaxis(ar, axis, 0)
        rows = np.reshape(parts, (np.shape(parts)[0], -1))
        order = _rows_in_order(rows)
        ordered = rows[order]
        differs = np.any(ordered[1:] != ordered[:-1], axis=1)  # NaN, too
        first = np.concatenate((np.ones(len(order[:1])) > 0.0, differs))
    places = np.flatnonzero(first)
    values = ordered[places]
    if axis is not None:
        values = np.moveaxis(np.reshape(values, (np.size(places), *np.shape(parts)[1:])), 0, axis)
    result = (values,)
    if return_index:
        result = result + (order[places],)
    if return_inverse:
        inverse = np.zeros(np.size(order), dtype=np.int64)
        inverse[order] = np.cumsum(np.where(first, 1, 0)) - 1
        result = result + (np.reshape(inverse, np.shape(ar)) if axis is None else inverse,)
    if return_counts:
        result = result + (np.diff(np.append(places, np.size(order))),)
    return result if len(result) > 1 else result[0]


def _rows_in_order(rows):
    """The positions of the rows of a matrix, in the order of their first elements, then of their second ones."""
    order = np.arange(np.shape(rows)[0])
    for k in range(np.shape(rows)[1] - 1, -1, -1):
        order = order[np.argsort(rows[order, k], kind="stable")]
    return order


if hasattr(np, "unique_all"):  # NumPy 2.0
    _All, _Counts, _Inverse = (
        type(function(np.zeros(1))) for function in (np.unique_all, np.unique_counts, np.unique_inverse)
    )

    @composite(np.unique_all, wrt="x", examples=_with_equal_ones, notes="as unique")
    def unique_all(x):
        values, indices, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
        return _All(values, indices, inverse, counts)

    @composite(np.unique_counts, wrt="x", examples=_with_equal_ones, notes="as unique")
    def unique_counts(x):
        values, counts = np.unique(x, False, False, True, equal_nan=False)
        return _Counts(values, counts)

    @composite(np.unique_inverse, wrt="x", examples=_with_equal_ones, notes="as unique")
    def unique_inverse(x):
        values, inverse = np.unique(x, False, True, equal_nan=False)
        return _Inverse(values, inverse)
