"""Rules of scipy.stats for samples: central moments, robust and circular statistics, tests of means."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import special as special
from adc.rules import statistics as statistics
from adc.rules.elementary import root
from adc.rules.registry import static
from adc.rules.sampler import call
from adc.rules.samples import along, chosen, kept, require_propagated, rule
from adc.rules.usual import require_usual


@static
def _one(ndim):
    if ndim > 0:
        raise UnsupportedError(
            "scipy.stats.moment of several orders is not supported", repair="Call it for each order."
        )


@rule(stats.moment, "a", lambda r: [call(r.normal(5), 3), call(r.normal(2, 4), 2, axis=1, center=0.3)])
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    _one(np.ndim(order))
    x, k = along(chosen("scipy.stats.moment", a, nan_policy), axis)
    middle = np.mean(x, axis=k, keepdims=True) if center is None else center
    return kept(np.mean((x - middle) ** order, axis=k), a, axis, keepdims)


@rule(stats.variation, "a", lambda r: [r.positive(5), call(r.positive(2, 4), axis=1, ddof=1)])
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    x, k = along(chosen("scipy.stats.variation", a, nan_policy), axis)
    return kept(np.std(x, axis=k, ddof=ddof) / np.mean(x, axis=k), a, axis, keepdims)


@rule(
    stats.zmap,
    "scores compare",
    lambda r: [(r.normal(3), r.normal(5)), call(r.normal(3, 2), r.normal(4, 2), ddof=1)],
)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    require_propagated("scipy.stats.zmap", nan_policy)
    middle = np.mean(compare, axis=axis, keepdims=True)
    return (scores - middle) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@static
def _unit(scale, of_normal):
    """The unit of a spread: a number, or that of a normal distribution."""
    if isinstance(scale, str) and scale.lower() != "normal":
        raise ValueError(f"{scale} is not a valid scale value")
    return float(of_normal) if isinstance(scale, str) else scale


@rule(stats.iqr, "x", lambda r: [r.distinct(6), call(r.distinct(3, 5), axis=1, rng=(10, 80), scale="normal")])
def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False
):
    x = chosen("scipy.stats.iqr", x, nan_policy)
    low = np.percentile(x, rng[0], axis=axis, method=interpolation, keepdims=keepdims)
    high = np.percentile(x, rng[1], axis=axis, method=interpolation, keepdims=keepdims)
    return (high - low) / _unit(scale, 2.0 * math.sqrt(2.0) * sp.erfinv(0.5))


@rule(
    stats.median_abs_deviation,
    "x",
    lambda r: [
        r.distinct(5),
        call(r.distinct(3, 4), axis=1, scale="normal"),
        call(r.distinct(5), center=np.mean),
    ],
)
def median_abs_deviation(x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False):
    a, k = along(chosen("scipy.stats.median_abs_deviation", x, nan_policy), axis)
    if center is None or center is np.median:
        middle = np.median(a, axis=k, keepdims=True)
    else:
        middle = np.expand_dims(center(a, axis=k), k)
    found = np.median(np.abs(a - middle), axis=k) / _unit(scale, math.sqrt(2.0) * sp.erfinv(0.5))
    return kept(found, x, axis, keepdims)


@rule(
    stats.trim_mean, "a", lambda r: [(r.distinct(7), 0.2), call(r.distinct(5, 2), 0.25), (r.distinct(3), 0.1)]
)
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.trim_mean", nan_policy)
    x, k = along(a, axis)
    rows = np.sort(np.moveaxis(x, k, 0), axis=0)
    n = rows.shape[0]
    cut = int(proportiontocut * n)
    # NaN is sorted to the end, where it may be cut off.
    mean = np.where(np.any(np.isnan(x), axis=k), np.nan, np.mean(rows[cut : n - cut], axis=0))
    return kept(mean, a, axis, keepdims)


def _mean_direction(samples, high, low, axis):
    """The mean of the points on the unit circle."""
    x, k = along(samples, axis)
    angles = (x - low) * (2.0 * math.pi / (high - low))
    return np.mean(np.cos(angles), axis=k), np.mean(np.sin(angles), axis=k)


def _circular(r):
    return [r.uniform(0.3, 5.9, 5), call(r.uniform(0.3, 1.4, 4, 2), high=2.0, low=-1.0, axis=0)]


@rule(stats.circmean, "samples", _circular)
def circmean(samples, high=2.0 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False):
    require_propagated("scipy.stats.circmean", nan_policy)
    x, y = _mean_direction(samples, high, low, axis)
    angle = np.arctan2(y, x)
    mean = np.where(angle < 0.0, angle + 2.0 * math.pi, angle) * ((high - low) / (2.0 * math.pi)) + low
    return kept(mean, samples, axis, keepdims)


@rule(stats.circvar, "samples", _circular)
def circvar(samples, high=2.0 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False):
    require_propagated("scipy.stats.circvar", nan_policy)
    x, y = _mean_direction(samples, high, low, axis)
    return kept(1.0 - root(x * x + y * y), samples, axis, keepdims)


@rule(stats.circstd, "samples", lambda r: [*_circular(r), call(r.uniform(0.3, 2.9, 4), normalize=True)])
def circstd(
    samples,
    high=2.0 * math.pi,
    low=0,
    axis=None,
    nan_policy="propagate",
    *,
    normalize=False,
    keepdims=False,
):
    require_propagated("scipy.stats.circstd", nan_policy)
    x, y = _mean_direction(samples, high, low, axis)
    found = root(np.maximum(-np.log(x * x + y * y), 0.0))  # rounding may leave more than 1
    if not normalize:
        found = found * ((high - low) / (2.0 * math.pi))
    return kept(found, samples, axis, keepdims)


@rule(stats.boxcox_llf, "lmb data", lambda r: [(0.4, r.positive(5)), call(-0.7, r.positive(4, 2))])
def boxcox_llf(lmb, data, *, axis=0):
    x, k = along(data, axis)
    n = x.shape[k]
    moved = np.log(np.var(sp.boxcox(x, lmb), axis=k))
    return (lmb - 1.0) * np.sum(np.log(x), axis=k) - 0.5 * n * moved


@static
def _given(lmbda):
    if lmbda is None:
        raise UnsupportedError(
            "scipy.stats.yeojohnson without `lmbda` is not supported",
            why="SciPy searches the best one.",
            repair="Maximise scipy.stats.yeojohnson_llf, and give `lmbda`.",
        )


@rule(stats.yeojohnson, "x lmbda", lambda r: [(r.normal(5), 0.7), (r.normal(3), -0.4), (r.normal(3), 2.3)])
def yeojohnson(x, lmbda=None):
    _given(lmbda)
    up, down = np.where(x >= 0.0, x, 0.0), np.where(x >= 0.0, 0.0, -x)
    return np.where(x >= 0.0, sp.boxcox1p(up, lmbda), -sp.boxcox1p(down, 2.0 - lmbda))


@rule(stats.yeojohnson_llf, "lmb data", lambda r: [(0.4, r.normal(5)), call(-0.7, r.normal(4, 2))])
def yeojohnson_llf(lmb, data, *, axis=0):
    x, k = along(data, axis)
    moved = np.log(np.var(yeojohnson(x, lmb), axis=k))
    return (lmb - 1.0) * np.sum(np.sign(x) * np.log1p(np.abs(x)), axis=k) - 0.5 * x.shape[k] * moved


# --- tests of means -----------------------------------------------------------------------------------------


class Tested(NamedTuple):
    """What a test returns: its statistic, and the probability of a larger one."""

    statistic: Any
    pvalue: Any

    __adc_model__ = True  # type: ignore[misc]


REPAIR = "Leave it away, or write the test."


def of_t(t, free):
    """A test by Student's t of so many degrees of freedom, on both sides."""
    return Tested(t, 2.0 * sp.stdtr(free, -np.abs(t)))


@rule(
    stats.ttest_1samp,
    "a popmean",
    lambda r: [(r.normal(5), 0.3), call(r.normal(2, 4), r.normal(2, 1), axis=1)],
)
def ttest_1samp(a, popmean, axis=0, *, alternative="two-sided"):
    require_usual("scipy.stats.ttest_1samp", REPAIR, alternative=(alternative, "two-sided"))
    x, k = along(a, axis)
    n = x.shape[k]
    centre = np.mean(x, axis=k, keepdims=True) - popmean
    t = centre / np.sqrt(np.var(x, axis=k, ddof=1, keepdims=True) / n)
    return of_t(np.squeeze(t, k), n - 1.0)


@rule(
    stats.ttest_rel,
    "a b",
    lambda r: [(r.normal(5), r.normal(5)), call(r.normal(2, 4), r.normal(2, 4), axis=1)],
)
def ttest_rel(a, b, axis=0, *, alternative="two-sided"):
    require_usual("scipy.stats.ttest_rel", REPAIR, alternative=(alternative, "two-sided"))
    return ttest_1samp(a - b, 0.0, axis)


def of_two(apart, v, n, w, m, equal_var):
    """A test of two means that are `apart`, by the variances v and w of n and m observations."""
    if equal_var:
        free = n + m - 2.0
        # Of one observation no variance is known.
        squares = (n - 1.0) * np.where(n == 1, 0.0, v) + (m - 1.0) * np.where(m == 1, 0.0, w)
        return of_t(apart / np.sqrt(squares / free * (1.0 / n + 1.0 / m)), free)
    # Welch's test, by the degrees of freedom of Satterthwaite.
    v, w = v / n, w / m
    constant = v + w == 0.0
    below = v**2 / (n - 1.0) + w**2 / (m - 1.0)
    free = np.where(constant, 1.0, (v + w) ** 2 / np.where(constant, 1.0, below))
    return of_t(apart / np.sqrt(v + w), free)


@rule(
    stats.ttest_ind,
    "a b",
    lambda r: [
        (r.normal(5), r.normal(4)),
        call(r.normal(2, 4), r.normal(2, 3), axis=1),
        call(r.normal(5), r.normal(4), equal_var=False),
    ],
)
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
):
    require_propagated("scipy.stats.ttest_ind", nan_policy)
    require_usual("scipy.stats.ttest_ind", REPAIR, alternative=(alternative, "two-sided"))
    require_usual("scipy.stats.ttest_ind", REPAIR, trim=(trim, 0), method=(method, None))
    x, k = along(a, axis)
    y, _ = along(b, axis)
    n, m = x.shape[k] * 1.0, y.shape[k] * 1.0
    apart = np.mean(x, axis=k) - np.mean(y, axis=k)
    return of_two(apart, np.var(x, axis=k, ddof=1), n, np.var(y, axis=k, ddof=1), m, equal_var)


@rule(
    stats.f_oneway,
    "samples",
    lambda r: [(r.normal(4), r.normal(5), r.normal(3)), (r.normal(4, 2), r.normal(3, 2))],
)
def f_oneway(*samples, axis=0):
    n, total = 0.0, 0.0
    for sample in samples:
        x, k = along(sample, axis)
        n = n + x.shape[k]
        total = total + np.sum(x, axis=k)
    between, within = 0.0, 0.0
    for sample in samples:
        x, k = along(sample, axis)
        middle = np.mean(x, axis=k)
        between = between + x.shape[k] * (middle - total / n) ** 2
        within = within + np.sum((x - np.expand_dims(middle, k)) ** 2, axis=k)
    groups = len(samples)
    f = (between / (groups - 1.0)) / (within / (n - groups))
    return Tested(f, sp.fdtrc(groups - 1.0, n - groups, f))
