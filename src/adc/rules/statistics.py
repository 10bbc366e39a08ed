"""Rules of order statistics, of the reductions that skip NaN, and of covariances."""

import numpy as np

from adc.rules.elementary import root
from adc.rules.products import conjugated
from adc.rules.reductions import as_floats, count, degrees, may_be_nan, squared, without_nan
from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _with_nan(r):
    a = r.distinct(2, 4)
    a[0, 1] = np.nan
    b = r.distinct(5)
    b[3] = np.nan
    return a, b


def _nan_examples(r):
    a, b = _with_nan(r)
    return [b, call(a, axis=1), call(a, axis=0, keepdims=True), a, call(a, axis=(0, 1)), r.distinct(3)]


@composite(np.nansum, examples=_nan_examples)
def nansum(a, axis=None, keepdims=False):
    return np.sum(without_nan(a, 0.0), axis=axis, keepdims=keepdims)


@composite(np.nanprod, examples=_nan_examples)
def nanprod(a, axis=None, keepdims=False):
    return np.prod(without_nan(a, 1.0), axis=axis, keepdims=keepdims)


@composite(np.nanmax, examples=_nan_examples, notes="a tie goes to the first element")
def nanmax(a, axis=None, keepdims=False):
    if not may_be_nan(a):
        return np.max(a, axis=axis, keepdims=keepdims)
    largest = np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, largest)


@composite(np.nanmin, examples=_nan_examples, notes="a tie goes to the first element")
def nanmin(a, axis=None, keepdims=False):
    if not may_be_nan(a):
        return np.min(a, axis=axis, keepdims=keepdims)
    smallest = np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, smallest)


def _numbers(a, axis, keepdims):
    """How many elements are not NaN, in the dtype of `a`."""
    return np.sum(np.where(np.isnan(a), np.zeros_like(a), np.ones_like(a)), axis=axis, keepdims=keepdims)


@composite(np.nanmean, examples=_nan_examples)
def nanmean(a, axis=None, keepdims=False):
    total = np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)
    return total / _numbers(a, axis, keepdims)


@composite(np.nanvar, examples=lambda r: [*_nan_examples(r), call(_with_nan(r)[1], ddof=1)])
def nanvar(a, axis=None, ddof=0, keepdims=False):
    centred = np.where(np.isnan(a), 0.0, a - nanmean(a, axis=axis, keepdims=True))
    squares = np.sum(squared(centred), axis=axis, keepdims=keepdims)
    freedom = np.real(_numbers(a, axis, keepdims)) - ddof
    return np.where(freedom > 0.0, squares / np.where(freedom > 0.0, freedom, 1.0), np.nan)


@composite(
    np.nanstd,
    examples=lambda r: [*_nan_examples(r), call(_with_nan(r)[1], ddof=1)],
    notes="0 where all elements are equal",
)
def nanstd(a, axis=None, ddof=0, keepdims=False):
    return root(nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


# --- quantiles ----------------------------------------------------------------------------------------------


def _fixed(axis):
    """An axis, or several as a tuple: of quantiles NumPy takes lists, too."""
    return tuple(axis) if isinstance(axis, list) else axis


@static
def reduced_axes(axis, ndim):
    axis = _fixed(axis)
    if axis is None:
        return tuple(range(ndim))
    return tuple(k % ndim for k in (axis if isinstance(axis, tuple) else (axis,)))


# Methods that give one of the elements, and so none of their sums.
_PICKING = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


@static
def _shifts(method):
    """Alpha and beta of Hyndman & Fan's continuous sample quantiles (1996)."""
    table = {
        "hazen": (0.5, 0.5),
        "weibull": (0.0, 0.0),
        "interpolated_inverted_cdf": (0.0, 1.0),
        "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
        "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
    }
    if method not in table:
        raise ValueError(f"{method!r} is not a valid method")
    return table[method]


def merged_first(a, axes):
    """The reduced axes merged into one, which comes first."""
    moved = np.moveaxis(a, axes, tuple(range(len(axes))))
    return np.reshape(moved, (count(a, axes),) + np.shape(moved)[len(axes) :])


def _virtual_index(n, q, method):
    """Where between the n ordered elements a quantile lies, as a real number.

    Rounded as NumPy rounds: programs compare elements with a quantile that is one of them.
    """
    if method in ("linear", "lower", "higher", "midpoint", "nearest"):
        return q * (n - 1)
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        return n * q - 1.0
    if method == "closest_observation":
        return n * q - 1.0 - 0.5
    alpha, beta = _shifts(method)
    position = n * q + (alpha + q * (1.0 - alpha - beta)) - 1.0
    return np.minimum(np.maximum(position, 0.0), n - 1.0)


def _picked(position, method):
    """The place of the one element that a method gives."""
    below = np.floor(position)
    if method == "lower":
        return below
    if method == "nearest":
        return np.rint(position)  # half to even, as NumPy does
    if method == "closest_observation":
        odd = np.remainder(below, 2.0) == 1.0  # of two places that are equally near
        return np.maximum(np.where((position == below) & odd, below, below + 1.0), 0.0)
    return np.maximum(np.ceil(position), 0.0)


def _between(ordered, position, numbers, method, dtype):
    """The elements of sorted columns at real positions, one row of columns for each row of positions."""
    if method in _PICKING:
        return np.take_along_axis(ordered, _picked(position, method).astype(int), axis=0)
    below = np.floor(position)
    above = np.ceil(position)
    share = position - below
    if method == "averaged_inverted_cdf":
        above = np.minimum(below + 1.0, numbers - 1.0)
        share = np.where(share == 0.0, 0.5, 1.0)
        below = np.maximum(below, 0.0)
    first = np.take_along_axis(ordered, below.astype(int), axis=0)
    second = np.take_along_axis(ordered, above.astype(int), axis=0)
    if method == "midpoint":
        return (0.5 * (first + second)).astype(dtype)
    share = share.astype(dtype)
    step = second - first
    return np.where(share < 0.5, first + step * share, second - step * (1.0 - share))


def lengths_left(a, axes, keepdims):
    lengths = ()
    for k in range(np.ndim(a)):
        if k not in axes:
            lengths = lengths + (a.shape[k],)
        elif keepdims:
            lengths = lengths + (1,)
    return lengths


def _joined(q):
    """Levels in lists as an array."""
    if not isinstance(q, (list, tuple)):
        return q
    rows = []
    for row in q:
        rows.append(_joined(row))
    return np.stack(tuple(rows))


def as_levels(q):
    levels = _joined(q)
    if not np.all((levels >= 0.0) & (levels <= 1.0)):  # NaN is no level
        raise ValueError("Quantiles must be in the range [0, 1]")
    return levels


def as_percents(q):
    levels = _joined(q) / 100.0
    if not np.all((levels >= 0.0) & (levels <= 1.0)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return levels


def _quantiles(a, q, axis, method, keepdims, skip_nan):
    axes = reduced_axes(axis, np.ndim(a))
    columns = merged_first(a, axes)
    n = columns.shape[0]
    ordered = np.sort(columns, axis=0)
    if method not in _PICKING:
        ordered = as_floats(ordered)
    missing = np.sum(np.isnan(columns), axis=0, keepdims=True)
    numbers = np.maximum(n - missing, 1) if skip_nan else n
    poisoned = missing == n if skip_nan else missing > 0
    # One level for each row; a plain number leaves the precision as it is.
    levels = q if np.ndim(q) == 0 else np.reshape(q, (np.size(q),) + (1,) * (np.ndim(columns) - 1))
    dtype = (ordered[:1] * (q if np.ndim(q) == 0 else levels[:1])).dtype
    position = _virtual_index(numbers, levels, method)
    if np.ndim(position) == 0:
        position = np.reshape(position, (1,) * np.ndim(columns))
    rows = _between(ordered, position, numbers, method, dtype)
    if may_be_nan(a):
        rows = np.where(poisoned, np.nan, rows)
    return np.reshape(rows, np.shape(q) + lengths_left(a, axes, keepdims))


def _quantile_examples(r, scale=1.0):
    a = r.distinct(3, 4)
    return [
        (r.distinct(5), 0.31 * scale),
        call(a, 0.7 * scale, axis=0),
        call(a, 0.2 * scale, axis=(0, 1), keepdims=True),
        call(a, (0.1 * scale, 0.8 * scale), axis=1),
        call(r.distinct(6), 0.33 * scale, method="hazen"),
        call(r.distinct(6), 0.33 * scale, method="lower"),
        call(r.distinct(6), 0.33 * scale, method="higher"),
        call(r.distinct(6), 0.33 * scale, method="nearest"),
        call(r.distinct(6), 0.33 * scale, method="midpoint"),
        call(r.distinct(6), 0.02 * scale, method="weibull"),
        call(r.distinct(6), 0.6 * scale, method="median_unbiased"),
        call(a, np.array([[0.1, 0.3], [0.8, 0.9]]) * scale, axis=1),
        call(a, np.array([[0.1, 0.3]]) * scale, axis=0, keepdims=True),
        call(r.distinct(6), 0.34 * scale, method="inverted_cdf"),
        call(r.distinct(4), np.array([0.04, 0.43, 0.6, 0.9]) * scale, method="inverted_cdf"),
        call(r.distinct(4), np.array([0.04, 0.43, 0.6, 0.9]) * scale, method="averaged_inverted_cdf"),
        call(a, np.array([0.04, 0.35, 0.6, 0.9]) * scale, axis=1, method="closest_observation"),
    ]


@composite(
    np.quantile,
    wrt="a q",
    examples=_quantile_examples,
    extra={"float64_only": True},
    notes="at a tie as argsort; with respect to q the slope between elements",
)
def quantile(a, q, axis=None, method="linear", keepdims=False):
    return _quantiles(a, as_levels(q), axis, method, keepdims, False)


@composite(
    np.nanquantile,
    wrt="a q",
    examples=lambda r: [call(_with_nan(r)[0], 0.4, axis=1), (_with_nan(r)[1], 0.7), (r.distinct(4), 0.2)],
    extra={"float64_only": True},
)
def nanquantile(a, q, axis=None, method="linear", keepdims=False):
    return _quantiles(a, as_levels(q), axis, method, keepdims, True)


@composite(
    np.percentile, wrt="a q", examples=lambda r: _quantile_examples(r, 100.0), extra={"float64_only": True}
)
def percentile(a, q, axis=None, method="linear", keepdims=False):
    return _quantiles(a, as_percents(q), axis, method, keepdims, False)


@composite(
    np.nanpercentile,
    wrt="a q",
    examples=lambda r: [call(_with_nan(r)[0], 40.0, axis=1), (_with_nan(r)[1], 70.0)],
    extra={"float64_only": True},
)
def nanpercentile(a, q, axis=None, method="linear", keepdims=False):
    return _quantiles(a, as_percents(q), axis, method, keepdims, True)


@composite(
    np.median,
    examples=lambda r: [
        r.distinct(4),
        r.distinct(5),
        call(r.distinct(3, 4), axis=1),
        call(r.distinct(3, 4), axis=0, keepdims=True),
        call(r.distinct(2, 3, 2), axis=(0, 2)),
        np.array([1.0, np.nan, 2.0]),
        r.distinct(1),
    ],
)
def median(a, axis=None, keepdims=False):
    axes = reduced_axes(axis, np.ndim(a))
    columns = merged_first(a, axes)
    n = columns.shape[0]
    ordered = as_floats(np.sort(columns, axis=0))
    middle = 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2])
    # NaN sorts to the end.
    return np.reshape(np.where(np.isnan(ordered[n - 1]), np.nan, middle), lengths_left(a, axes, keepdims))


@composite(np.nanmedian, examples=_nan_examples, extra={"float64_only": True})
def nanmedian(a, axis=None, keepdims=False):
    return _quantiles(a, 0.5, axis, "midpoint", keepdims, True)


# --- covariances --------------------------------------------------------------------------------------------


@composite(
    np.cov,
    wrt="m y aweights",
    examples=lambda r: [
        r.normal(2, 5),
        r.normal(5),
        call(r.normal(5, 2), rowvar=False),
        call(r.normal(5), r.normal(5)),
        call(r.normal(2, 5), bias=True),
        call(r.normal(2, 5), ddof=0),
        call(r.normal(2, 5), aweights=r.positive(5)),
        call(r.normal(2, 5), fweights=np.array([1, 2, 0, 3, 1]), aweights=r.positive(5), bias=True),
        call(r.normal(5), fweights=np.array([1, 2, 0, 3, 1])),
    ],
    extra={"float64_only": True},
)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    x = _observations(m, rowvar)
    if y is not None:
        x = np.concatenate((x, _observations(y, rowvar)), axis=0)
    correction = ddof if ddof is not None else (0 if bias else 1)
    if fweights is None and aweights is None:
        centred = x - np.mean(x, axis=1, keepdims=True)
        return np.squeeze(centred @ conjugated(centred.T) / degrees(x.shape[1], correction))
    times = 1.0 if fweights is None else np.array(fweights)
    weights = times if aweights is None else times * np.array(aweights)
    total = np.sum(weights)
    centred = x - np.expand_dims(x @ weights / total, 1)
    fewer = correction if aweights is None else correction * np.sum(weights * np.array(aweights)) / total
    return np.squeeze((centred * weights) @ conjugated(centred.T) / np.maximum(total - fewer, 0.0))


def _observations(m, rowvar):
    m = m if np.iscomplexobj(m) else m.astype(np.float64)  # NumPy never works in single precision here
    if np.ndim(m) == 1:
        return np.reshape(m, (1, np.size(m)))
    return m if rowvar else m.T


@composite(
    np.corrcoef,
    wrt="x y",
    examples=lambda r: [r.normal(3, 6), call(r.normal(6), r.normal(6)), call(r.normal(6, 2), rowvar=False)],
    extra={"float64_only": True},
)
def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    deviations = np.sqrt(np.diagonal(c))
    return np.clip(c / deviations[:, None] / deviations[None, :], -1.0, 1.0)
