"""Rules of scipy.stats for tests of counts and of normality: chisquare, power_divergence, skewtest, jarque_bera, ..."""

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.rules import special as special
from adc.rules.registry import static
from adc.rules.sampler import call
from adc.rules.samples import along, kurtosis, require_propagated, rule, skew
from adc.rules.spreads import REPAIR, Tested, of_two
from adc.rules.usual import require_usual

_POWERS = {
    "pearson": 1,
    "log-likelihood": 0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1,
    "neyman": -2,
    "cressie-read": 2.0 / 3.0,
}


@static
def _power(lambda_):
    """The exponent of a divergence that may be told by its name."""
    if lambda_ is None:
        return 1
    if isinstance(lambda_, str):
        if lambda_ not in _POWERS:
            raise ValueError(f"invalid string for lambda_: {lambda_!r}. Valid strings are {list(_POWERS)}")
        return _POWERS[lambda_]
    return lambda_


def _divergence(f_obs, f_exp, ddof, axis, power, sum_check):
    observed, k = along(f_obs * 1.0, axis)
    if f_exp is None:
        expected = np.mean(observed, axis=k, keepdims=True)
    else:
        expected, _ = along(f_exp * 1.0, axis)
        totals = np.sum(observed, axis=k), np.sum(expected, axis=k)
        apart = np.abs(totals[0] - totals[1])
        if sum_check and np.any(apart > 1.4901161193847656e-08 * np.minimum(totals[0], totals[1])):
            raise ValueError(
                "For each axis slice, the sum of the observed frequencies must agree with that expected."
            )
    ratio = observed / expected
    # Where the formula is another, what a number may move it by stands beside it.
    moves = not isinstance(power, int)
    if power == 1:
        terms = (observed - expected) ** 2 / expected
        if moves:
            terms = terms + (power - 1.0) * (sp.xlogy(observed, ratio) - 1.5 * (observed - expected)) * ratio
    elif power == 0:
        terms = 2.0 * sp.xlogy(observed, ratio)
        if moves:
            terms = terms + power * (sp.xlogy(terms, ratio) * 0.5 - terms)
    elif power == -1:
        terms = 2.0 * sp.xlogy(expected, expected / observed)
        if moves:
            terms = terms + (power + 1.0) * (terms + sp.xlogy(terms, ratio) * 0.5)
    else:
        terms = observed * (ratio**power - 1.0) / (0.5 * power * (power + 1.0))
    statistic = np.sum(terms, axis=k)
    return Tested(statistic, sp.chdtrc(terms.shape[k] - 1.0 - ddof, statistic))


def _counts(r):
    # Without expected counts: SciPy raises where the sums differ, as they do around a point.
    return [r.positive(5), (r.positive(5), None, 1), call(r.positive(2, 4), axis=1)]


@rule(
    stats.power_divergence,
    "f_obs f_exp lambda_",
    lambda r: [*_counts(r), *(call(r.positive(4), lambda_=p) for p in (*_POWERS, 0.5))],
)
def power_divergence(f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, nan_policy="propagate"):
    require_propagated("scipy.stats.power_divergence", nan_policy)
    return _divergence(f_obs, f_exp, ddof, axis, _power(lambda_), True)


@rule(stats.chisquare, "f_obs f_exp", _counts)
def chisquare(f_obs, f_exp=None, ddof=0, axis=0, *, sum_check=True, nan_policy="propagate"):
    require_propagated("scipy.stats.chisquare", nan_policy)
    return _divergence(f_obs, f_exp, ddof, axis, 1, sum_check)


# --- tests of normality -------------------------------------------------------------------------------------


def _of_normal(z):
    return Tested(z, 2.0 * sp.ndtr(-np.abs(z)))


def _samples(r):
    return [r.normal(9), call(r.normal(2, 10), axis=1)]


def _two_sided(name, nan_policy, alternative):
    require_propagated(name, nan_policy)
    require_usual(name, REPAIR, alternative=(alternative, "two-sided"))


@rule(stats.skewtest, "a", _samples)
def skewtest(a, axis=0, nan_policy="propagate", alternative="two-sided"):
    _two_sided("scipy.stats.skewtest", nan_policy, alternative)
    x, k = along(a, axis)
    n = np.where(x.shape[k] < 8, np.nan, x.shape[k] * 1.0)
    y = skew(x, k) * np.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    above = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
    w2 = np.sqrt(2.0 * (above / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0)) - 1.0)) - 1.0
    steepness = np.sqrt((w2 - 1.0) / 2.0)
    # Of a skewness that is exactly 0 SciPy's value is that of 1; the slope is that of the points around it.
    z = np.arcsinh(y * steepness) + np.where(y == 0.0, np.arcsinh(steepness), 0.0)
    return _of_normal(z / np.sqrt(0.5 * np.log(w2)))


@rule(stats.kurtosistest, "a", _samples)
def kurtosistest(a, axis=0, nan_policy="propagate", alternative="two-sided"):
    _two_sided("scipy.stats.kurtosistest", nan_policy, alternative)
    x, k = along(a, axis)
    n = np.where(x.shape[k] < 5, np.nan, x.shape[k] * 1.0)
    expected = 3.0 * (n - 1.0) / (n + 1.0)
    variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0))
    y = (kurtosis(x, k, False) - expected) / np.sqrt(variance)
    skewed = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    skewed = skewed * np.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    free = 6.0 + 8.0 / skewed * (2.0 / skewed + np.sqrt(1.0 + 4.0 / (skewed * skewed)))
    below = 1.0 + y * np.sqrt(2.0 / (free - 4.0))
    ninth = 2.0 / (9.0 * free)
    return _of_normal((1.0 - ninth - np.cbrt((1.0 - 2.0 / free) / below)) / np.sqrt(ninth))


@rule(stats.normaltest, "a", _samples)
def normaltest(a, axis=0, nan_policy="propagate"):
    require_propagated("scipy.stats.normaltest", nan_policy)
    s, k = skewtest(a, axis).statistic, kurtosistest(a, axis).statistic
    statistic = s * s + k * k
    return Tested(statistic, sp.chdtrc(2.0, statistic))


@rule(stats.jarque_bera, "x", lambda r: [r.normal(7), call(r.normal(2, 6), axis=1)])
def jarque_bera(x, *, axis=None, nan_policy="propagate"):
    require_propagated("scipy.stats.jarque_bera", nan_policy)
    samples, k = along(x, axis)
    s, flat = skew(samples, k), kurtosis(samples, k)
    statistic = samples.shape[k] / 6.0 * (s * s + flat * flat / 4.0)
    return Tested(statistic, sp.chdtrc(2.0, statistic))


@rule(
    stats.ttest_ind_from_stats,
    "mean1 std1 mean2 std2",
    lambda r: [(0.3, 1.2, 7, -0.2, 0.8, 9), call(0.3, 1.2, 7, -0.2, 0.8, 9, equal_var=False)],
)
def ttest_ind_from_stats(mean1, std1, nobs1, mean2, std2, nobs2, equal_var=True, alternative="two-sided"):
    require_usual("scipy.stats.ttest_ind_from_stats", REPAIR, alternative=(alternative, "two-sided"))
    return of_two(mean1 - mean2, std1 * std1, nobs1, std2 * std2, nobs2, equal_var)
