"""Integrals by scipy.integrate.quad, and what is made of it, carry derivatives in what they read and in their ends."""

import numpy as np
import pytest

import adc
from adc.errors import DerivativeError, UnsupportedError

integrate = pytest.importorskip("scipy.integrate")


def captured(a):
    return integrate.quad(lambda t: np.exp(-a * t * t), 0.0, 1.0)[0]


def given(a):
    return integrate.quad(lambda t, k, n: np.cos(k * t) * t**n, a, 2.0 * a, args=(a, 2))[0]


def to_infinity(a):
    return integrate.quad(lambda t: np.exp(-a * t), a, np.inf)[0]


def from_infinity(a):
    return integrate.quad(lambda t: np.exp(a * t), -np.inf, a)[0]


def kink_named(a):
    return integrate.quad(lambda t: abs(t - a) ** 1.5, 0.0, 2.0, points=[a])[0]


def jumps_named(a):
    def steps(t):
        return (1.0 if t < a else 3.0 if t < 1.5 * a else 2.0) * np.exp(-a * t)

    return integrate.quad(steps, 3.0 * a, 0.0, points=np.array([1.5, 1.0]) * a)[0]


def whole_line(a):
    return integrate.quad(lambda t: np.exp(-a * t * t + 0.3 * t), -np.inf, np.inf)[0]


def backwards(a):
    return (
        integrate.quad(lambda t: np.exp(-a * t), 2.0, a)[0]
        + integrate.quad(lambda t: np.exp(-a * t), np.inf, a)[0]
    )


def root_at_an_end(a):
    return integrate.quad(lambda t: np.sqrt(t) * np.sin(a * t), 0.0, 3.0, full_output=1)[0]


def of_nothing(a):
    return integrate.quad(lambda t: a * t, a, a)[0] + a


def over_a_triangle(a):
    return integrate.dblquad(lambda y, x, k: np.exp(-k * x * y), 0.0, a, 0.0, lambda x: a - x, args=(a,))[0]


def over_a_box(a):
    return integrate.tplquad(
        lambda z, y, x: np.sin(a * x * y + z), 0.0, a, 0.0, 0.5, lambda x, y: x * y, 1.0
    )[0]


def over_ranges(a):
    ranges = [lambda y, k: (0.0, k * y), (0.0, a)]
    return integrate.nquad(lambda x, y, k: np.cos(k * x) * y, ranges, args=(a,), opts={"epsabs": 1e-10})[0]


def of_several(a):
    vector = integrate.quad_vec(
        lambda t, k: np.exp(-k * t) * np.array([1.0, 2.0, 3.0]) * t, 0.0, a, args=(a,)
    )[0]
    return np.sum(np.cos(vector))


def test_an_interval_of_no_length_grows_with_its_ends():
    def upper(b):
        return integrate.quad(np.cos, 0.0, b)[0]

    def lower(a):
        return integrate.quad(lambda t: t * a, a, 2.0)[0]

    def growing(b):
        return integrate.quad(np.exp, 0.0, b)[0]

    assert adc.grad(upper, mode="tape")(0.0) == pytest.approx(1.0, rel=1e-14)
    assert adc.grad(lower, mode="tape")(2.0) == pytest.approx(-4.0, rel=1e-14)
    assert adc.grad(adc.grad(growing, mode="tape"), mode="tape")(0.0) == pytest.approx(1.0, rel=1e-14)
    with pytest.raises(DerivativeError, match="not known"):
        adc.grad(lambda b: integrate.quad(np.log, 0.0, b)[0], mode="tape")(0.0)


INTEGRALS = [
    captured,
    given,
    to_infinity,
    from_infinity,
    whole_line,
    kink_named,
    jumps_named,
    backwards,
    root_at_an_end,
    of_nothing,
]
INTEGRALS += [over_a_triangle, over_a_box, over_ranges, of_several]


@pytest.mark.parametrize("f", INTEGRALS, ids=lambda f: f.__name__)
def test_integrals(f):
    def slope(g, step=1e-5):
        return (g(0.8 + step) - g(0.8 - step)) / (2 * step)

    value, gradient = adc.value_and_grad(f, mode="tape")(0.8)
    assert value == f(0.8)
    assert gradient == pytest.approx(slope(f), rel=1e-7)
    second = adc.grad(adc.grad(f, mode="tape"), mode="tape")
    assert second(0.8) == pytest.approx(slope(adc.grad(f, mode="tape")), rel=1e-6, abs=1e-9)


def test_a_constant_integral_is_a_number():
    assert adc.grad(lambda a: a * integrate.quad(lambda t: t * t, 0.0, 3.0)[0], mode="tape")(
        2.0
    ) == pytest.approx(9.0)


def test_the_compiler_leaves_it_to_the_tape():
    with pytest.warns(adc.FallbackWarning, match=r"scipy\.integrate\.quad calls a function"):
        assert adc.grad(captured)(0.8) == pytest.approx(adc.grad(captured, mode="tape")(0.8))


def test_what_is_refused():
    with pytest.raises(DerivativeError, match="is singular"):
        adc.grad(lambda a: integrate.quad(lambda t: a / np.sqrt(t), 0.0, 1.0)[0], mode="tape")(1.0)
    with pytest.raises(UnsupportedError, match="`weight`"):
        adc.grad(lambda a: integrate.quad(lambda t: a * t, 0.0, 1.0, weight="cos", wvar=2.0)[0], mode="tape")(
            1.0
        )


def test_what_is_refused_of_several_variables_and_values():
    with pytest.raises(UnsupportedError, match="`full_output`"):
        adc.grad(lambda a: integrate.nquad(lambda x: a * x, [(0.0, 1.0)], full_output=True)[0], mode="tape")(
            1.0
        )
    with pytest.raises(UnsupportedError, match="infinite interval"):
        adc.grad(lambda a: integrate.quad_vec(lambda x: np.exp(-a * x), 0.0, np.inf)[0], mode="tape")(1.0)


def test_scipy_warns_as_it_does():
    def coarse(a):
        return integrate.quad(lambda t: a * np.sin(t) ** 2, 0.0, 30.0, limit=1)[0]

    for function in (coarse, adc.grad(coarse, mode="tape")):
        with pytest.warns(integrate.IntegrationWarning, match="maximum number of subdivisions"):
            function(1.0)
