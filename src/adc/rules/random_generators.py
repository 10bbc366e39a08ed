"""Generators of random numbers that a program makes of a seed.

What compiled code makes of `np.random.default_rng(seed)` and `np.random.RandomState(seed)`. Which numbers come is known
before the program runs: `drawn` draws them once, in the order of the program, and they are an input from then on.
Methods are written like rule bodies; what is not here is refused by name. The tape takes them where a parameter has
a derivative, with the generator itself as `source`.
"""

from typing import Any

import numpy as np


def begun(maker: Any, seed: Any) -> Any:
    """A new generator; the compiler carries it out."""
    raise AssertionError("the compiler begins generators")


def drawn(generator: Any, method: str, args: Any, kwargs: Any, size: Any) -> Any:
    """What a method of the generator gives; the compiler carries it out before the program runs."""
    return getattr(generator, method)(*args, **kwargs, size=None if size == () else size)


def known(*values: Any) -> Any:
    """Whether values are known before the program runs; the compiler answers. On the tape one of them is not."""
    return False


def constant(*values: Any) -> Any:
    """Whether values are known before the program runs, or arrays made of such; the compiler answers, as of `known`."""
    return False


def rows(size, mean):
    """The lengths of a draw of vectors."""
    if size is None:
        return (len(mean),)
    return (size, len(mean)) if np.ndim(size) == 0 else (*size, len(mean))


def sized(size, *parameters):
    """The lengths of a draw whose parameters the program computes."""
    if size is not None:
        return size
    total = 0.0
    for parameter in parameters:
        total = total + parameter
    return np.shape(total)


def probabilities(n, p):
    """What the program computes of how likely each of `n` positions is, in double precision, as NumPy checks it."""
    if np.shape(p) != (n,):
        raise ValueError("a and p must have same size")
    if not np.all(p >= 0):
        raise ValueError("Probabilities are not non-negative")
    exact = p.astype(np.float64)
    if not np.abs(np.sum(exact) - 1.0) <= np.sqrt(np.finfo(p.dtype).eps):
        raise ValueError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information."
        )
    return exact


class _Distributions:
    """What both kinds of generators have."""

    def normal(self, loc=0.0, scale=1.0, size=None):
        if known(loc, scale):
            return drawn(self.source, "normal", (loc, scale), {}, size)
        return loc + scale * drawn(self.source, "standard_normal", (), {}, sized(size, loc, scale))

    def uniform(self, low=0.0, high=1.0, size=None):
        if known(low, high):
            return drawn(self.source, "uniform", (low, high), {}, size)
        return low + (high - low) * drawn(self.source, self.unit, (), {}, sized(size, low, high))

    def exponential(self, scale=1.0, size=None):
        if known(scale):
            return drawn(self.source, "exponential", (scale,), {}, size)
        return scale * drawn(self.source, "standard_exponential", (), {}, sized(size, scale))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        if known(mean, sigma):
            return drawn(self.source, "lognormal", (mean, sigma), {}, size)
        return np.exp(self.normal(mean, sigma, size))

    def choice(self, a, size=None, replace=True, p=None):
        if not known(a) and np.ndim(a):
            return a[self.choice(len(a), size, replace, p)]
        if known(p) or not replace:
            return drawn(self.source, "choice", (a,), {"replace": replace, "p": p}, size)
        if known(a) and np.ndim(a):
            return np.asarray(a)[self.choice(len(a), size, replace, p)]
        sums = np.cumsum(probabilities(a, np.asarray(p)))
        places = np.searchsorted(sums / sums[-1], drawn(self.source, self.unit, (), {}, size), side="right")
        return int(places) if size is None else places

    def permutation(self, x):
        return drawn(self.source, "permutation", (x,), {}, ...) if known(x) else x[self.permutation(len(x))]

    def shuffle(self, x):
        x[:] = x[self.permutation(len(x))]

    def standard_gamma(self, shape, size=None):
        return drawn(self.source, "standard_gamma", (shape,), {}, size)

    def gamma(self, shape, scale=1.0, size=None):
        if known(scale):
            return drawn(self.source, "gamma", (shape, scale), {}, size)
        return scale * drawn(self.source, "standard_gamma", (shape,), {}, sized(size, scale))

    def beta(self, a, b, size=None):
        return drawn(self.source, "beta", (a, b), {}, size)

    def poisson(self, lam=1.0, size=None):
        return drawn(self.source, "poisson", (lam,), {}, size)

    def binomial(self, n, p, size=None):
        return drawn(self.source, "binomial", (n, p), {}, size)

    def geometric(self, p, size=None):
        return drawn(self.source, "geometric", (p,), {}, size)

    def chisquare(self, df, size=None):
        return drawn(self.source, "chisquare", (df,), {}, size)

    def standard_t(self, df, size=None):
        return drawn(self.source, "standard_t", (df,), {}, size)

    def standard_cauchy(self, size=None):
        return drawn(self.source, "standard_cauchy", (), {}, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        if known(loc, scale):
            return drawn(self.source, "laplace", (loc, scale), {}, size)
        return loc + scale * drawn(self.source, "laplace", (), {}, sized(size, loc, scale))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        if known(loc, scale):
            return drawn(self.source, "gumbel", (loc, scale), {}, size)
        return loc + scale * drawn(self.source, "gumbel", (), {}, sized(size, loc, scale))

    def dirichlet(self, alpha, size=None):
        return drawn(self.source, "dirichlet", (alpha,), {}, size)

    def multinomial(self, n, pvals, size=None):
        return drawn(self.source, "multinomial", (n, pvals), {}, size)

    def negative_binomial(self, n, p, size=None):
        return drawn(self.source, "negative_binomial", (n, p), {}, size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        if known(loc, scale):
            return drawn(self.source, "logistic", (loc, scale), {}, size)
        return loc + scale * drawn(self.source, "logistic", (), {}, sized(size, loc, scale))

    def rayleigh(self, scale=1.0, size=None):
        if known(scale):
            return drawn(self.source, "rayleigh", (scale,), {}, size)
        return scale * drawn(self.source, "rayleigh", (), {}, sized(size, scale))

    def weibull(self, a, size=None):
        if known(a):
            return drawn(self.source, "weibull", (a,), {}, size)
        return drawn(self.source, "standard_exponential", (), {}, sized(size, a)) ** (1.0 / a)

    def pareto(self, a, size=None):
        if known(a):
            return drawn(self.source, "pareto", (a,), {}, size)
        return np.expm1(drawn(self.source, "standard_exponential", (), {}, sized(size, a)) / a)

    def triangular(self, left, mode, right, size=None):
        return drawn(self.source, "triangular", (left, mode, right), {}, size)

    def vonmises(self, mu, kappa, size=None):
        return drawn(self.source, "vonmises", (mu, kappa), {}, size)

    def f(self, dfnum, dfden, size=None):
        return drawn(self.source, "f", (dfnum, dfden), {}, size)


class Generator(_Distributions):
    """`np.random.default_rng(seed)`."""

    __adc_model__ = np.random.Generator
    unit = "random"

    def __init__(self, seed=None):
        self.source = begun(np.random.default_rng, seed)

    def random(self, size=None, dtype=np.float64):
        return drawn(self.source, "random", (), {"dtype": dtype}, size)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        if constant(mean, cov):
            options = {"check_valid": check_valid, "tol": tol, "method": method}
            return drawn(self.source, "multivariate_normal", (mean, cov), options, size)
        spread = drawn(self.source, "standard_normal", (), {}, rows(size, mean))
        if method == "cholesky":
            return mean + spread @ np.linalg.cholesky(cov).T
        if method == "eigh":
            values, vectors = np.linalg.eigh(cov)
        else:
            vectors, values, _ = np.linalg.svd(cov)
        return mean + spread @ (vectors * np.sqrt(values)).T

    def standard_normal(self, size=None, dtype=np.float64):
        return drawn(self.source, "standard_normal", (), {"dtype": dtype}, size)

    def standard_exponential(self, size=None, dtype=np.float64):
        return drawn(self.source, "standard_exponential", (), {"dtype": dtype}, size)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return drawn(self.source, "integers", (low, high), {"dtype": dtype, "endpoint": endpoint}, size)


class RandomState(_Distributions):
    """`np.random.RandomState(seed)`."""

    __adc_model__ = np.random.RandomState
    unit = "random_sample"

    def __init__(self, seed=None):
        self.source = begun(np.random.RandomState, seed)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        if constant(mean, cov):
            options = {"check_valid": check_valid, "tol": tol}
            return drawn(self.source, "multivariate_normal", (mean, cov), options, size)
        spread = drawn(self.source, "standard_normal", (), {}, rows(size, mean))
        _, values, vectors = np.linalg.svd(cov)
        return mean + spread @ (np.sqrt(values)[:, None] * vectors)

    def rand(self, *size):
        return drawn(self.source, "random_sample", (), {}, size or None)

    def randn(self, *size):
        return drawn(self.source, "standard_normal", (), {}, size or None)

    def random_sample(self, size=None):
        return drawn(self.source, "random_sample", (), {}, size)

    def random(self, size=None):
        return drawn(self.source, "random_sample", (), {}, size)

    def standard_normal(self, size=None):
        return drawn(self.source, "standard_normal", (), {}, size)

    def standard_exponential(self, size=None):
        return drawn(self.source, "standard_exponential", (), {}, size)

    def randint(self, low, high=None, size=None, dtype=int):
        return drawn(self.source, "randint", (low, high), {"dtype": dtype}, size)


MODELS = {np.random.default_rng: Generator, np.random.RandomState: RandomState}
