"""Derivatives far below the rounding of the value, or of what overflows on the way to it."""

import math

import numpy as np
import pytest
from scipy import special

import adc
import adc.rules
from adc.rules import registry
from adc.rules.sampler import Example
from adc.testing import kit

INF = math.inf
SMALL = [
    # operation, point, derivative
    ("expm1", -40.0, math.exp(-40.0)),
    ("special.expm1", -40.0, math.exp(-40.0)),
    ("special.expit", 40.0, math.exp(-40.0)),
    ("arcsinh", 1e200, 1e-200),
    ("arccosh", 1e200, 1e-200),
    ("special.erfcx", 1e8, -1e-16 / math.sqrt(math.pi)),
]


@pytest.mark.parametrize(("name", "point", "wanted"), SMALL, ids=[row[0] for row in SMALL])
def test_small_derivatives(name, point, wanted):
    operation = registry.named(name)
    case = kit.Case(operation, 0, kit.bound(operation, Example((point,))))
    (slope,) = kit.pulled(case, 1.0, kit.primal(case)).values()
    np.testing.assert_allclose(slope, wanted, rtol=1e-12)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_second_derivatives_where_the_first_are_found_in_pieces(engine):
    def normal(x):
        return special.log_ndtr(x)

    def scaled(x):
        return special.erfcx(x)

    def bessel(x):
        return special.i1e(x)

    for function, x, wanted in (
        (normal, -50.0, -0.9996009568),
        (scaled, 1e4, 2e-12 / math.sqrt(math.pi)),
        (bessel, 1e-20, -1.0),
    ):
        curvature = adc.grad(adc.grad(function, mode=engine), mode=engine)(x)
        np.testing.assert_allclose(curvature, wanted, rtol=1e-7)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_a_sum_of_exponentials_leaves_out_what_it_is_told_to(engine):
    def total(x, b):
        return special.logsumexp(x, b=b)

    def reduced(x):
        return np.sum(np.logaddexp.reduce(x, axis=1)[1:])

    x, b = np.array([0.5, 1000.0]), np.array([1.0, 0.0])
    value, slope = adc.value_and_grad(total, mode=engine)(x, b)
    assert value == 0.5
    np.testing.assert_array_equal(slope, [1.0, 0.0])
    assert adc.jvp(lambda x: total(x, b), (x,), (np.array([1.0, 3.0]),), mode=engine)[1] == 1.0
    rows = np.array([[-INF, -INF], [-INF, 2.0], [-INF, -INF]])
    np.testing.assert_array_equal(adc.grad(reduced, mode=engine)(rows), [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
