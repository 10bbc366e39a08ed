"""Densities of scipy.stats mean what SciPy means by them also where a point or a parameter is none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import adc
from adc.rules import registry

stats = pytest.importorskip("scipy.stats")
registry.load_all()

OF_ONE_VARIABLE = (
    "bernoulli beta binom cauchy chi chi2 expon f gamma gennorm laplace logistic lognorm maxwell norm poisson t "
    "uniform"
).split()
VALUES = {
    "x": [-np.inf, -1.0, -0.0, 0.5, 1.0, 2.0, np.inf, np.nan],
    "q": [-0.1, 0.0, 0.4, 1.0, 1.1, np.nan],
    "k": [-1, 0, 1, 2, 7, 0.5, 1.0, 2.5, np.nan],
    "df": [2.5, 1.0, 0.0, -1.0, np.nan],
    "a": [2.5, 1.0, 0.0, -1.0, np.nan],
    "b": [1.5, 0.0, -1.0, np.nan],
    "s": [0.7, 0.0, -1.0, np.nan],
    "mu": [1.5, 0.0, -1.0, np.nan],
    "beta": [1.5, 0.0, -1.0, np.nan],
    "dfn": [2.5, 0.0, np.nan],
    "dfd": [1.5, -1.0, np.nan],
    "n": [5, 0, -1, 2.5],
    "p": [0.3, 0.0, 1.0, -0.1, 1.1, np.nan],
    "loc": [0.0, 0.5, np.nan],
    "scale": [1.0, 2.0, 0.0, -1.0, np.nan],
}


def _operations():
    return [
        operation
        for operation in registry.operations()
        if operation.name.startswith("stats.") and operation.name.split(".")[1] in OF_ONE_VARIABLE
    ]


def _points(operation):
    counts = operation.names[0] == "k"
    grids = [[0, 1] if counts and name == "loc" else VALUES[name] for name in operation.names]
    return list(itertools.product(*grids))


@pytest.mark.parametrize("operation", _operations(), ids=lambda operation: operation.name)
def test_the_formula_is_what_scipy_answers(operation):
    columns = [np.array(column) for column in zip(*_points(operation), strict=True)]
    with np.errstate(all="ignore"):
        found, wanted = operation.body(*columns), operation.function(*columns)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-12)


def _less_common():
    return [
        operation
        for operation in registry.operations()
        if getattr(operation.body, "__module__", "").endswith(".densities_more")
        and operation.name.endswith(".logpdf")
    ]


@pytest.mark.parametrize("operation", _less_common(), ids=lambda operation: operation.name)
def test_less_common_ones(operation):
    values = {"x": [-3.0, -1.0, 0.0, 0.3, 1.0, 2.0, np.nan], "loc": [0.0, 0.5], "scale": [1.0, 2.0, 0.0]}
    shapes = [1.0, 0.7, 0.0, -0.3, np.nan]
    points = itertools.product(*[values.get(name, shapes) for name in operation.names])
    columns = [np.array(column) for column in zip(*points, strict=True)]
    with np.errstate(all="ignore"):
        found, wanted = operation.body(*columns), operation.function(*columns)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-12)


def _tails():
    return [
        operation
        for operation in registry.operations()
        if getattr(operation.body, "__module__", "").rpartition(".")[2].startswith("tails_")
        and operation.name.rpartition(".")[2] in ("cdf", "sf", "logcdf", "logsf")
        and operation.names[0] == "x"
    ]


@pytest.mark.parametrize("operation", _tails(), ids=lambda operation: operation.name)
def test_tails_at_their_ends_and_of_what_is_no_parameter(operation):
    values = {"x": [-np.inf, -1.0, 0.0, 0.4, 2.0, np.inf, np.nan], "loc": [0.1], "scale": [1.5, 0.0, -1.0]}
    shapes = [1.5, 1.0, 0.0, -0.3] + ([] if operation.name.startswith("stats.gengamma") else [np.nan])
    points = itertools.product(*[values.get(name, shapes) for name in operation.names])
    columns = [np.array(column) for column in zip(*points, strict=True)]
    with np.errstate(all="ignore"):
        found, wanted = operation.body(*columns), operation.function(*columns)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_an_interval_without_an_end_has_a_derivative(mode):
    def likelihood(x):
        ends = np.array([-np.inf, 0.4, 0.9, np.inf])
        below = stats.invgauss.cdf(ends, x[0], 0.0, x[1]) + stats.genpareto.cdf(ends, x[0], 0.0, x[1])
        return np.sum(np.log(np.diff(below)))

    adc.check_grads(likelihood, (np.array([0.7, 1.2]),), order=1, mode=mode)


def test_certain_quantiles_are_on_the_right():
    for quantile in (lambda q, c: stats.burr.ppf(q, c, 0.7), stats.invweibull.ppf):
        assert adc.vjp(quantile, 1.0, 1.0, mode="tape")[0] == np.inf


def test_many_degrees_of_freedom():
    density = registry.named("stats.t.logpdf").body
    for df in (1e4, 1e8, 1e12):
        assert density(1.5, df) == pytest.approx(stats.t.logpdf(1.5, df), abs=1e-11)


def survivors(x, scale):
    return np.sum(stats.norm.sf(x, 0.2, scale)) + np.sum(stats.gamma.logpdf(x, 2.5, scale=scale))


def mass(p):
    return stats.binom.pmf(2.5, 5, p) + stats.poisson.pmf(2, 1.5) * p


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_engines_say_nan_where_scipy_does(engine):
    x = np.array([0.5, 1.5])
    f = adc.value_and_grad(survivors, argnums=(0, 1), mode=engine)
    value, (x_bar, _) = f(x, 1.3)
    assert value == pytest.approx(survivors(x, 1.3))
    assert np.isfinite(x_bar).all()
    assert np.isnan(f(x, -1.3)[0])
    assert np.isnan(f(np.array([0.5, np.nan]), 1.3)[0])
    value, slope = adc.value_and_grad(mass, mode=engine)(0.3)
    assert (value, slope) == pytest.approx((mass(0.3), stats.poisson.pmf(2, 1.5)))
    assert np.isnan(adc.value_and_grad(mass, mode=engine)(1.3)[0])
