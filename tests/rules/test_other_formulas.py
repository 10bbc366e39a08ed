"""Derivatives where a parameter or a point makes a library take another formula: the slope is that of all of them."""

import math

import numpy as np
import pytest
from scipy import linalg, special, stats

import adc

ENGINES = ["python", "tape"]
POINTS = np.array([-1.2, 0.3, 2.5])
SHARES = np.array([0.1, 0.4, 0.8])
POSITIVE = np.array([0.6, 1.3, 0.9, 2.2])
COUNTS = np.array([6.0, 13.0, 9.0, 22.0])


def _slope(function, at, step=1e-3):
    ahead = 8.0 * (function(at + step) - function(at - step))
    return (ahead - (function(at + 2.0 * step) - function(at - 2.0 * step))) / (12.0 * step)


def _length(order):
    return np.linalg.norm(POINTS, order)


def _lengths(order):
    return np.sum(np.linalg.norm(np.outer(POINTS, POSITIVE), order, axis=1) * POINTS)


def _vector_length(order):
    return np.linalg.vector_norm(POINTS, ord=order)


def _power_mean(power):
    return stats.pmean(POSITIVE, power)


def _weighted_mean(power):
    return stats.pmean(POSITIVE, power, weights=COUNTS)


def _divergence(power):
    return stats.power_divergence(COUNTS, lambda_=power)[0]


def _pearson_density(skew):
    return np.sum(stats.pearson3.pdf(POINTS, skew) * POINTS)


def _pearson_cdf(skew):
    return np.sum(stats.pearson3.cdf(POINTS, skew) * POINTS)


def _pearson_logsf(skew):
    return np.sum(stats.pearson3.logsf(POINTS, skew))


def _pearson_quantile(skew):
    return np.sum(stats.pearson3.ppf(SHARES, skew) * POINTS)


SPECIAL = [
    *((f, at) for f in (_length, _lengths, _vector_length) for at in (1.0, 2.0, 2.5)),
    *((f, at) for f in (_power_mean, _weighted_mean) for at in (0.0, 1.0, -1.0)),
    *((_divergence, at) for at in (-1.0, 0.0, 1.0, 0.4)),
    *((f, 0.0) for f in (_pearson_density, _pearson_cdf, _pearson_logsf, _pearson_quantile)),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("function", "at"), SPECIAL, ids=lambda p: getattr(p, "__name__", str(p)))
def test_the_slope_at_a_special_parameter_is_that_beside_it(function, at, engine):
    value, slope = adc.value_and_grad(function, mode=engine)(at)
    assert value == pytest.approx(function(at), rel=1e-12)
    # SciPy's incomplete gamma functions have few digits for the large shapes beside a skewness of 0.
    assert slope == pytest.approx(_slope(function, at), rel=2e-3 if "pearson" in function.__name__ else 1e-6)


@pytest.mark.parametrize("function", [_pearson_density, _pearson_cdf, _pearson_quantile, _power_mean])
def test_second_derivatives_there(function):
    step = 0.02
    wanted = (function(step) + function(-step) - 2.0 * function(0.0)) / step**2
    assert adc.grad(adc.grad(function, mode="python"), mode="python")(0.0) == pytest.approx(wanted, rel=1e-3)


def test_an_order_that_only_the_run_knows_is_compiled():
    def length(x, order):
        return np.linalg.norm(x, order)

    for order in (0.5, 1.0, 2.0, 2.5, -1.5, 0.0, math.inf, -math.inf):
        value, slopes = adc.value_and_grad(length, mode="compiled")(POINTS, order)
        assert value == pytest.approx(np.linalg.norm(POINTS, order), rel=1e-12)
        if math.isfinite(order) and order:
            powers = np.sign(POINTS) * np.abs(POINTS) ** (order - 1.0)
            assert slopes == pytest.approx(powers * value ** (1.0 - order), rel=1e-12)
    assert adc.grad(length, mode="compiled")(np.zeros(2), 1.5) == pytest.approx(0.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_points_at_which_a_formula_divides_by_zero(engine):
    def steps(x):
        return special.expn(0, x)

    assert adc.grad(steps, mode=engine)(0.7) == pytest.approx(-math.exp(-0.7) * 1.7 / 0.49, rel=1e-14)

    def sine_integrals(x):
        return special.sici(x)[0] + special.shichi(x)[0]

    _, pull = adc.vjp(sine_integrals, np.array([0.0, 1.0]), mode=engine)
    assert pull(np.ones(2))[0] == pytest.approx([2.0, math.sin(1.0) + math.sinh(1.0)])

    def kernel(x):
        return np.sum(special.diric(x, 4) * POINTS)

    slopes = adc.grad(kernel, mode=engine)(np.array([0.0, 2.0 * math.pi, 1.0]))
    assert slopes[:2] == pytest.approx(0.0)
    assert slopes[2] == pytest.approx(2.5 * _slope(lambda x: special.diric(x, 4), 1.0), rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_results_of_scipy_linalg_have_its_forms(engine):
    a = np.array([[2.0, 1.0], [0.5, 3.0], [1.0, -1.0]])
    parts, pull = adc.vjp(lambda a: linalg.qr(a, mode="economic"), a, mode=engine)
    assert type(parts) is tuple
    assert pull((np.zeros((3, 2)), np.eye(2)))[0].shape == a.shape
    column, right = np.array([3.0, 0.5, 0.2]), a
    value, slopes = adc.value_and_grad(lambda c: np.sum(linalg.solve_circulant(c, right)), mode=engine)(
        column
    )
    assert value == pytest.approx(np.sum(linalg.solve_circulant(column, right)))
    assert slopes == pytest.approx(-np.sum(right) / np.sum(column) ** 2)
