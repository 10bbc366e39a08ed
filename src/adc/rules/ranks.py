"""Rules of scipy.stats for ranks, which are piecewise constant: rankdata, spearmanr."""

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import gathering as gathering
from adc.rules import special as special
from adc.rules.reductions import in_dtype
from adc.rules.registry import static
from adc.rules.sampler import call, corner
from adc.rules.samples import Correlation, require_propagated, rule
from adc.rules.triangular import of_lapack
from adc.rules.usual import require_usual

_REPAIR = "Rank the rows one by one."
_ALL_FLOATING = (
    stats.rankdata(np.zeros(1), "min").dtype == np.float64
)  # since SciPy 1.18, and single of single


@static
def _rows_alone(name, ndim, axis):
    if axis is not None and ndim > 1:
        raise UnsupportedError(f"{name} along an axis of several is not supported", repair=_REPAIR)


@static
def _method(method):
    if method not in ("average", "min", "max"):
        raise UnsupportedError(
            f"scipy.stats.rankdata with method={method!r} is not supported",
            repair='Say "average", "min" or "max", or take np.argsort twice.',
        )


def _ranks(x, method):
    ordered = np.sort(x)
    least = np.searchsorted(ordered, x, side="left") + 1
    most = np.searchsorted(ordered, x, side="right")
    unordered = np.any(np.isnan(x))  # elements that are NaN have no rank, and then none has
    if method == "average":
        return np.where(unordered, np.nan, (least + most) * 0.5)
    ranks = least if method == "min" else most
    if _ALL_FLOATING:
        return np.where(unordered, np.nan, ranks)
    if unordered:
        raise ValueError("ranks that are integers cannot be NaN: take the method average, or leave NaN out")
    return ranks


@rule(
    stats.rankdata,
    "a",
    lambda r: [r.distinct(5), call(r.distinct(2, 3), "min"), corner(np.array([0.3, 0.1, 0.3, 0.2]), "max")],
)
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    require_propagated("scipy.stats.rankdata", nan_policy)
    _method(method)
    _rows_alone("scipy.stats.rankdata", np.ndim(a), axis)
    ranks = _ranks(np.ravel(a), method)
    return in_dtype(ranks, of_lapack(a.dtype)) if _ALL_FLOATING else ranks


@static
def _two_samples(ndim, b):
    if ndim > 1 or b is None:
        raise UnsupportedError(
            "scipy.stats.spearmanr of other than two arrays with one axis is not supported",
            repair="Call it for each pair of columns.",
        )


@rule(
    stats.spearmanr,
    "a b",
    lambda r: [
        (r.distinct(6), r.distinct(6)),
        corner(np.array([0.3, 0.1, 0.3, 0.2]), np.array([1.0, 2.0, 3.0, 3.0])),
    ],
)
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    require_propagated("scipy.stats.spearmanr", nan_policy)
    require_usual("scipy.stats.spearmanr", "Leave it away.", alternative=(alternative, "two-sided"))
    _two_samples(np.ndim(a), b)
    x, y = _ranks(a, "average"), _ranks(b, "average")
    x, y = x - np.mean(x), y - np.mean(y)
    r = np.clip(np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y)), -1.0, 1.0)
    free = a.shape[0] - 2.0
    t = r * np.sqrt(np.maximum(free / ((r + 1.0) * (1.0 - r)), 0.0))
    return Correlation(r, 2.0 * sp.stdtr(free, -np.abs(t)))
