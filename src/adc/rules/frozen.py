"""Distributions with their parameters, scipy.stats.norm(0.0, 1.0): plain objects that call its functions."""

import functools

from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import registry

_OF_ONE_VARIABLE = (stats.rv_continuous, stats.rv_discrete)
_OF_VECTORS = ("dirichlet", "multivariate_normal")


class Frozen:
    """`scipy.stats.<name>(*parameters, **named)`."""

    __adc_model__ = True

    def __init__(self, name, *parameters, **named):
        self.name = name
        self.parameters = parameters
        self.named = named

    def logpdf(self, x):
        return getattr(stats, self.name).logpdf(x, *self.parameters, **self.named)

    def pdf(self, x):
        return getattr(stats, self.name).pdf(x, *self.parameters, **self.named)

    def logpmf(self, k):
        return getattr(stats, self.name).logpmf(k, *self.parameters, **self.named)

    def pmf(self, k):
        return getattr(stats, self.name).pmf(k, *self.parameters, **self.named)

    def cdf(self, x):
        return getattr(stats, self.name).cdf(x, *self.parameters, **self.named)

    def logcdf(self, x):
        return getattr(stats, self.name).logcdf(x, *self.parameters, **self.named)

    def sf(self, x):
        return getattr(stats, self.name).sf(x, *self.parameters, **self.named)

    def logsf(self, x):
        return getattr(stats, self.name).logsf(x, *self.parameters, **self.named)

    def ppf(self, q):
        return getattr(stats, self.name).ppf(q, *self.parameters, **self.named)

    def isf(self, q):
        return getattr(stats, self.name).isf(q, *self.parameters, **self.named)

    def mean(self):
        return getattr(stats, self.name).mean(*self.parameters, **self.named)

    def var(self):
        return getattr(stats, self.name).var(*self.parameters, **self.named)

    def std(self):
        return getattr(stats, self.name).std(*self.parameters, **self.named)

    def median(self):
        return self.ppf(0.5)

    def interval(self, confidence):
        outside = 0.5 * (1.0 - confidence)
        return self.ppf(outside), self.ppf(1.0 - outside)

    def entropy(self):
        return getattr(stats, self.name).entropy(*self.parameters, **self.named)


def _of_one_variable(frozen):
    if type(getattr(stats, frozen.dist.name, None)) is not type(frozen.dist):
        raise UnsupportedError(
            "a distribution of your own with its parameters is not supported",
            repair="Call its methods with them: own.pdf(x, a, loc=0.0, scale=1.0).",
        )
    return Frozen(frozen.dist.name, *frozen.args, **frozen.kwds)


def _normal(frozen):
    return Frozen("multivariate_normal", frozen.mean, frozen.cov, allow_singular=frozen.allow_singular)


def _dirichlet(frozen):
    return Frozen("dirichlet", frozen.alpha)


for _name, _found in vars(stats).items():
    if isinstance(_found, _OF_ONE_VARIABLE) or _name in _OF_VECTORS:
        registry.stands_for(_found, functools.partial(Frozen, _name))
registry.model_of_type(type(stats.norm()), _of_one_variable)
registry.model_of_type(type(stats.poisson(1.0)), _of_one_variable)
registry.model_of_type(type(stats.multivariate_normal()), _normal)
registry.model_of_type(type(stats.dirichlet([1.0, 1.0])), _dirichlet)
