"""Distributions with their parameters, scipy.stats.norm(0.0, 1.0): plain objects that call its functions."""

import functools

from scipy import stats

from adc.rules import registry

_DISTRIBUTIONS = (
    "alpha",
    "anglit",
    "arcsine",
    "bernoulli",
    "beta",
    "betabinom",
    "betaprime",
    "binom",
    "bradford",
    "burr",
    "burr12",
    "cauchy",
    "chi",
    "chi2",
    "cosine",
    "dgamma",
    "dirichlet",
    "dweibull",
    "erlang",
    "expon",
    "exponnorm",
    "exponpow",
    "exponweib",
    "f",
    "fatiguelife",
    "fisk",
    "foldcauchy",
    "foldnorm",
    "gamma",
    "genextreme",
    "gengamma",
    "genlogistic",
    "gennorm",
    "genpareto",
    "geom",
    "gibrat",
    "gompertz",
    "gumbel_l",
    "gumbel_r",
    "halfcauchy",
    "halfgennorm",
    "halflogistic",
    "halfnorm",
    "hypsecant",
    "invgamma",
    "invgauss",
    "invweibull",
    "johnsonsb",
    "johnsonsu",
    "laplace",
    "laplace_asymmetric",
    "levy",
    "loggamma",
    "logistic",
    "lognorm",
    "loguniform",
    "lomax",
    "maxwell",
    "moyal",
    "multivariate_normal",
    "nakagami",
    "nbinom",
    "norm",
    "norminvgauss",
    "pareto",
    "pearson3",
    "poisson",
    "powerlaw",
    "powerlognorm",
    "powernorm",
    "rayleigh",
    "rdist",
    "rice",
    "semicircular",
    "skewcauchy",
    "skewnorm",
    "t",
    "triang",
    "truncexpon",
    "truncnorm",
    "uniform",
    "vonmises",
    "wald",
    "weibull_max",
    "weibull_min",
    "wrapcauchy",
)


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
    return Frozen(frozen.dist.name, *frozen.args, **frozen.kwds)


def _normal(frozen):
    return Frozen("multivariate_normal", frozen.mean, frozen.cov, allow_singular=frozen.allow_singular)


def _dirichlet(frozen):
    return Frozen("dirichlet", frozen.alpha)


for _name in _DISTRIBUTIONS:
    registry.stands_for(getattr(stats, _name), functools.partial(Frozen, _name))
registry.model_of_type(type(stats.norm()), _of_one_variable)
registry.model_of_type(type(stats.poisson(1.0)), _of_one_variable)
registry.model_of_type(type(stats.multivariate_normal()), _normal)
registry.model_of_type(type(stats.dirichlet([1.0, 1.0])), _dirichlet)
