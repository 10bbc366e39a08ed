"""Statistics of samples by scipy.stats, and equations with banded factors, as estimates and penalties use them."""

import numpy as np
from scipy import linalg, special, stats
from tests.corpus import program


@program(lambda r: (r.normal(size=12),))
def means_of_what_lies_within_limits(x):
    y = np.tanh(x)
    middle = stats.tmean(y, (-0.9, 0.9)) + stats.tvar(y, (None, 0.95), (True, False))
    return middle + stats.tsem(y) + stats.tmin(y, -0.9) - stats.tmax(y, 0.9)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def a_fit_of_shares_to_counts(logits, others):
    counts = 40.0 * np.exp(logits) / np.sum(np.exp(logits))
    expected = 40.0 * np.exp(others) / np.sum(np.exp(others))
    pearson = stats.chisquare(counts, expected)
    g = stats.power_divergence(counts, expected, lambda_="log-likelihood")
    return pearson.statistic + g.statistic + stats.chisquare(counts).pvalue


@program(lambda r: (r.normal(size=(2, 12)), r.normal(size=9)))
def distance_from_normal(x, y):
    skewed, flat = stats.skewtest(x, axis=1), stats.kurtosistest(x, axis=1)
    both = np.sum(skewed.statistic * flat.statistic) + stats.normaltest(y).pvalue
    return both + stats.jarque_bera(np.exp(y)).statistic


@program(lambda r: (r.normal(size=7), r.normal(size=5)))
def means_of_unequal_spread(x, y):
    welch = stats.ttest_ind(x, 2.0 * y, equal_var=False)
    told = stats.ttest_ind_from_stats(np.mean(x), np.std(x), 7, np.mean(y), np.std(y), 5)
    return welch.statistic + welch.pvalue + told.pvalue


@program(lambda r: (r.uniform(0.5, 2.0, (3, 5)),))
def powers_and_cumulants(x):
    means = stats.pmean(x, 2.5, axis=1, keepdims=True) + stats.gstd(x, axis=1)[:, np.newaxis]
    several = stats.skew(x, axis=(0, 1), keepdims=True) * stats.gmean(x, axis=None, keepdims=True)
    return np.sum(x * means) + np.sum(several) + stats.kstat(x, 3) + stats.kstatvar(x)


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def ranks_as_weights(x, y):
    weights = stats.rankdata(x) / 6.0
    return np.sum(weights * np.exp(y)) + stats.spearmanr(x, y).statistic * np.sum(x * y)


@program(lambda r: (0.4, r.normal(size=6)))
def a_smoother_by_a_banded_factor(rough, y):
    n = y.shape[0]
    band = np.zeros((3, n))
    band[0] = 1.0 + 6.0 * rough
    band[1, : n - 1] = -4.0 * rough
    band[2, : n - 2] = rough
    factor = linalg.cholesky_banded(band, lower=True)
    smooth = linalg.cho_solve_banded((factor, True), y)
    return np.sum((smooth - y) ** 2) + 2.0 * np.sum(np.log(factor[0]))


@program(lambda r: (r.uniform(0.5, 1.5, 4), r.uniform(0.2, 0.8, 4)))
def special_functions_of_statistics(x, p):
    distances = special.kolmogorov(x) + special.kolmogi(p) + special.fdtri(x + 1.0, 4.0, p)
    waves = special.jvp(1, x) * special.kvp(0.5, x, 2) + special.zetac(x + 1.5)
    return np.sum(distances * waves + special.elliprj(x, 1.0, p, x + p))
