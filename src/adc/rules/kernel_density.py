"""`scipy.stats.gaussian_kde`: a normal distribution about each sample, of the covariance of the samples, scaled."""

import numpy as np
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.densities import LOG_TWO_PI
from adc.rules.piecewise_polynomials import reals
from adc.rules.registry import static


@static
def _rule(bw_method):
    """The name of the rule for the width, or None where a number is given."""
    if callable(bw_method) or (bw_method not in (None, "scott", "silverman") and isinstance(bw_method, str)):
        raise UnsupportedError(
            "gaussian_kde with this `bw_method` is not supported",
            repair='Give "scott", "silverman" or a number.',
        )
    return "scott" if bw_method is None else bw_method if isinstance(bw_method, str) else None


class Density:
    """`gaussian_kde(dataset, bw_method, weights)`; the covariance is that of the samples, scaled."""

    __adc_model__ = True

    def __init__(self, dataset, bw_method=None, weights=None):
        self.dataset = np.atleast_2d(reals(dataset))
        d, n = self.dataset.shape
        self.d = d
        self.n = n
        self.weights = np.ones(n) / n if weights is None else weights / np.sum(weights)
        self.neff = 1.0 / np.sum(self.weights**2)
        rule = _rule(bw_method)
        if rule is None:
            self.factor = bw_method
        else:
            count = self.neff if rule == "scott" else self.neff * (d + 2.0) / 4.0
            self.factor = count ** (-1.0 / (d + 4.0))
        centred = self.dataset - np.expand_dims(self.dataset @ self.weights, 1)
        spread = (centred * self.weights) @ centred.T / (1.0 - np.sum(self.weights**2))
        self.covariance = spread * self.factor**2

    def logpdf(self, x):
        root = np.linalg.cholesky(self.covariance)
        points = np.atleast_2d(reals(x))
        if np.ndim(x) < 2:  # one point, where there are several coordinates
            if self.d > 1 and points.shape[1] != self.d:
                raise ValueError("points have another dimension than the dataset")
            points = np.reshape(points, (self.d, -1))
        there, here = np.linalg.solve(root, points), np.linalg.solve(root, self.dataset)
        apart = np.expand_dims(there, 2) - np.expand_dims(here, 1)
        terms = np.log(self.weights) - 0.5 * np.sum(apart * apart, axis=0)
        highest = np.max(terms, axis=1, keepdims=True)
        total = np.log(np.sum(np.exp(terms - highest), axis=1)) + highest[:, 0]
        return total - np.sum(np.log(np.diagonal(root))) - 0.5 * self.d * LOG_TWO_PI

    def pdf(self, x):
        return np.exp(self.logpdf(x))

    def evaluate(self, points):
        return np.exp(self.logpdf(points))

    def __call__(self, points):
        return np.exp(self.logpdf(points))


def _found(made):
    return Density(made.dataset, made.factor, made.weights)


registry.stands_for(stats.gaussian_kde, Density)
registry.model_of_type(stats.gaussian_kde, _found)
