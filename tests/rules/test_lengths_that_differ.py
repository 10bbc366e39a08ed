"""Vectors of other lengths, and arrays of another rank, are refused where the function refuses them: not broadcast."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

import adc

ONE = np.array([0.4])
THREE = np.array([0.2, 0.3, 0.5])
MATRIX = 1.5 * np.eye(3)
REFUSED = {
    "vecdot": (lambda x: np.vecdot(x, ONE), THREE),
    "vecdot_axis": (lambda x: np.vecdot(x, x[:, :1], axis=1), MATRIX),
    "average": (lambda x: np.average(THREE, weights=x), ONE),
    "average_axis": (lambda x: np.average(MATRIX, axis=1, weights=x), ONE),
    "histogram": (lambda x: np.histogram(THREE, bins=2, weights=x)[0], ONE),
    "histogram2d": (lambda x: np.histogram2d(THREE, THREE, bins=2, weights=x)[0], ONE),
    "sliding_window_view": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2), MATRIX),
    "subtract_reduce": (lambda x: np.subtract.reduce(x, axis=None), MATRIX),
    "euclidean": (lambda x: distance.euclidean(x, x + 1.0), MATRIX),
    "minkowski": (lambda x: distance.minkowski(x, x + 1.0, 3), MATRIX),
    "mahalanobis": (lambda x: distance.mahalanobis(x, THREE[0], MATRIX), THREE),
    "seuclidean": (lambda x: distance.seuclidean(x, ONE, THREE), THREE),
    "correlation": (lambda x: distance.correlation(x, ONE), THREE),
    "cdist": (lambda x: distance.cdist(x, x[:, :1]), MATRIX),
    "dirichlet": (lambda x: stats.dirichlet.logpdf(x, THREE + 1.0), ONE),
    "multinomial": (lambda x: stats.multinomial.logpmf([1, 2, 0], 3, x), np.ones(1)),
    "multivariate_normal": (lambda x: stats.multivariate_normal.logpdf(THREE, x, MATRIX), ONE),
    "multivariate_t": (lambda x: stats.multivariate_t.logpdf(THREE, x, MATRIX, 3.0), ONE),
    "matrix_normal": (lambda x: stats.matrix_normal.logpdf(MATRIX, x, MATRIX, MATRIX), MATRIX[:1, :1]),
}


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, mode):
    f, x = REFUSED[name]
    with pytest.raises((TypeError, ValueError)) as numpys:
        f(x)
    with pytest.raises((numpys.type, adc.UnsupportedError)):
        adc.grad(lambda x: np.sum(f(x)), mode=mode)(x)


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
def test_the_last_share_of_a_dirichlet_distribution_may_be_left_out(mode):
    def f(x):
        return stats.dirichlet.logpdf(x, np.array([1.5, 2.0]))

    value, gradient = adc.value_and_grad(f, mode=mode)(ONE)
    assert value == pytest.approx(f(ONE))
    np.testing.assert_allclose(gradient, 0.5 / 0.4 - 1.0 / 0.6)
