"""Methods of SciPy's distributions without a rule have derivatives on the tape: of their own formulas."""

import numpy as np
import pytest

import adc
from adc.errors import DerivativeError, UnsupportedError

stats = pytest.importorskip("scipy.stats")

# Points, two of them outside the support of most, and the parameters.
POINTS = np.array([-9.0, 0.3, 0.63, 0.8, 40.0])
OF_POINTS = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"]
CALLS = [
    *[("kappa3", method, (1.3, 0.1, 1.2)) for method in OF_POINTS],
    *[("truncpareto", method, (1.3, 4.0, -0.9)) for method in ("pdf", "cdf", "logsf")],
    ("argus", "cdf", (1.2,)),
    ("bradford", "logsf", (1.2, 0.0, 1.5)),
    ("crystalball", "logpdf", (1.3, 2.4)),
    ("exponpow", "cdf", (1.4,)),
    ("genhalflogistic", "sf", (0.4,)),
    ("gumbel_l", "logcdf", (0.1, 1.2)),
    ("loglaplace", "cdf", (2.2,)),
    ("mielke", "pdf", (2.2, 1.4)),
    ("rice", "cdf", (0.8, 0.0, 1.3)),
    ("semicircular", "cdf", ()),
    ("skewnorm", "logcdf", (1.2, 0.1, 1.3)),
    ("trapezoid", "cdf", (0.2, 0.7)),
    ("wrapcauchy", "cdf", (0.4,)),
]
QUANTILES = [
    ("gumbel_r", "isf", (0.1, 1.2)),
    ("invgauss", "ppf", (0.7, 0.1, 1.2)),
    ("skewnorm", "ppf", (1.2, 0.1, 1.3)),
    ("kappa3", "isf", (1.3,)),
]
MOMENTS = [
    ("norm", "median", (0.3, 1.2)),
    ("truncnorm", "median", (-1.1, 2.1)),
    ("weibull_min", "median", (1.7, 0.3, 1.2)),
    ("f", "mean", (3.3, 5.5)),
    ("bradford", "std", (1.2, 0.1, 1.3)),
    ("powerlaw", "var", (1.4, 0.0, 1.3)),
    ("genextreme", "entropy", (0.2, 0.1, 1.2)),
]
COUNTS = [
    ("boltzmann", "pmf", (0.7, 9.0)),
    ("boltzmann", "logpmf", (0.7, 9.0)),
    ("logser", "logcdf", (0.4,)),
    ("planck", "sf", (0.4,)),
    ("dlaplace", "pmf", (0.6,)),
]


def slopes(f, x, step=1e-4):
    """Differences of the fourth order."""
    found = []
    for k in range(x.size):
        e = step * (np.arange(x.size) == k)
        found.append((8.0 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12.0 * step))
    return np.array(found)


def weighed(distribution, method, at):
    """A function of points and parameters; what is infinite outside the support counts as nothing."""
    call = getattr(getattr(stats, distribution), method)
    weights = np.arange(1.0, at + 1.0)

    def f(z):
        found = call(z[:at], *z[at:])
        return np.sum(np.where(np.isfinite(found), found, 0.0) * weights)

    return f


def check(f, x):
    value, slope = adc.value_and_grad(f, mode="tape")(x)
    assert value == pytest.approx(f(x), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(slope, slopes(f, x), rtol=2e-6, atol=2e-8)


@pytest.mark.parametrize("name, method, parameters", CALLS, ids=lambda v: v if isinstance(v, str) else "")
def test_of_points(name, method, parameters):
    check(weighed(name, method, POINTS.size), np.array([*POINTS, *parameters]))


@pytest.mark.parametrize("name, method, parameters", QUANTILES, ids=lambda v: v if isinstance(v, str) else "")
def test_of_probabilities(name, method, parameters):
    check(weighed(name, method, 2), np.array([0.2, 0.7, *parameters]))


@pytest.mark.parametrize("name, method, parameters", MOMENTS, ids=lambda v: v if isinstance(v, str) else "")
def test_of_parameters(name, method, parameters):
    call = getattr(getattr(stats, name), method)
    check(lambda z: call(*z), np.array(parameters))


@pytest.mark.parametrize("name, method, parameters", COUNTS, ids=lambda v: v if isinstance(v, str) else "")
def test_of_counts(name, method, parameters):
    call, counts = getattr(getattr(stats, name), method), np.array([-1, 1, 2, 4])

    def f(z):
        found = call(counts, *z)
        return np.sum(np.where(np.isfinite(found), found, 0.0) * np.array([1.0, 2.0, 3.0, 4.0]))

    check(lambda z: f(np.concatenate((z, parameters[1:]))), np.array(parameters[:1]))


def test_where_the_support_begins_may_move():
    """Its own distribution function is out of reach: the density is integrated, from an end that is a parameter."""
    check(lambda z: stats.truncpareto.cdf(z[0], z[1], z[2], z[3], z[4]), np.array([2.7, 1.3, 4.0, 0.2, 1.1]))
    check(lambda z: stats.exponnorm.isf(z[0], z[1]), np.array([0.3, 1.3]))


def test_with_its_parameters():
    frozen = stats.kappa3(1.3)
    check(lambda z: stats.kappa3(z[1], scale=z[2]).logpdf(z[0]) + frozen.cdf(z[0]), np.array([0.3, 1.3, 1.2]))


def test_intervals():
    check(lambda z: stats.norm.interval(0.9, loc=z[0], scale=z[1]) @ z, np.array([0.3, 1.2]))
    check(lambda z: np.sum(stats.gamma.interval(z[0], z[1])) ** 2, np.array([0.7, 1.3]))
    assert adc.grad(lambda z: stats.poisson.interval(0.9, z)[1] * z, mode="tape")(3.4) == 7.0


@pytest.mark.parametrize(
    "name, parameters", [("norm", (0.3, 1.2)), ("gamma", (1.7, 0.1, 1.3)), ("t", (6.0, 0.2, 1.1))]
)
def test_several_moments(name, parameters):
    distribution = getattr(stats, name)
    for moments in ("mv", "s", "vsk", "km"):
        check(
            lambda z, moments=moments: np.sum(np.square(distribution.stats(*z, moments=moments)) + z[0]),
            np.array(parameters),
        )
    for order in (1, 2, 3, 4):
        check(lambda z, order=order: distribution.moment(order, *z), np.array(parameters))


def test_a_moment_that_scipy_integrates():
    with pytest.raises(UnsupportedError, match=r"no rule for scipy.stats.norm.moment"):
        adc.grad(lambda z: stats.norm.moment(5, z), mode="tape")(0.3)


class Falling(stats.rv_continuous):
    def _pdf(self, x):
        return 2.0 * (1.0 - x)


def test_one_of_ones_own_is_not_taken_for_that_of_its_name():
    norm = Falling(a=0.0, b=1.0, name="norm")()
    with pytest.raises(UnsupportedError, match="distribution of your own"):
        adc.grad(lambda x: norm.pdf(x), mode="tape")(0.3)


def test_a_second_derivative():
    def f(z):
        return stats.skewnorm.ppf(0.3, z) * stats.kappa3.logpdf(0.7, z)

    def slope(z):
        return (f(z + 1e-4) - f(z - 1e-4)) / 2e-4

    found = adc.grad(adc.grad(f, mode="tape"), mode="tape")(1.3)
    assert found == pytest.approx((slope(1.3 + 1e-3) - slope(1.3 - 1e-3)) / 2e-3, rel=1e-3)


def test_quantiles_of_counts_are_constant():
    f = adc.value_and_grad(lambda z: z * stats.skellam.ppf(0.7, z, 2.2), mode="tape")
    assert f(3.1) == (3.1 * stats.skellam.ppf(0.7, 3.1, 2.2), stats.skellam.ppf(0.7, 3.1, 2.2))


def test_without_a_formula_it_is_refused():
    with pytest.raises(UnsupportedError, match=r"scipy\.stats\.levy_stable\.pdf"):
        adc.grad(lambda a: stats.levy_stable.pdf(0.3, a, 0.2), mode="tape")(1.5)
    with pytest.raises(UnsupportedError, match=r"scipy\.stats\.kappa3\.mean"):
        adc.grad(lambda a: stats.kappa3.mean(a), mode="tape")(3.5)


FITS = [
    *[("norm", {}), ("expon", {}), ("uniform", {"floc": 0.0}), ("laplace", {}), ("rayleigh", {"floc": 0.0})],
    *[("gamma", {"floc": 0.0}), ("pareto", {}), ("invgauss", {"floc": 0.0}), ("gumbel_r", {})],
]


@pytest.mark.parametrize(("name", "given"), FITS)
def test_fits_by_formulas(name, given):
    def f(x):
        return sum((k + 1.0) * p for k, p in enumerate(getattr(stats, name).fit(x, **given)))

    x = np.array([0.3, 0.15, 0.4, 0.9, 1.2, 0.7, 0.35])
    np.testing.assert_allclose(adc.grad(f, mode="tape")(x), slopes(f, x), rtol=1e-4, atol=1e-5)


def test_a_fit_by_a_search_is_refused():
    with pytest.raises(UnsupportedError, match=r"stats\.\w+\.fit"):
        adc.grad(lambda x: stats.t.fit(x)[0], mode="tape")(np.array([0.3, 0.15, 0.4, 0.9]))


@pytest.mark.parametrize(
    "name, method, parameters, moving",
    [
        ("kappa4", "logpdf", (0.0, 0.3), 0),
        ("kappa4", "cdf", (0.3, 0.0), 1),
        ("ncx2", "pdf", (4.0, 0.0), 1),
        ("skewnorm", "logcdf", (0.0,), 0),
    ],
)
def test_a_special_value_of_a_parameter_has_a_formula_without_it(name, method, parameters, moving):
    call = getattr(getattr(stats, name), method)

    def by(k, z):
        return call(0.3, *parameters[:k], z, *parameters[k + 1 :])

    with pytest.raises(DerivativeError, match="very value of a parameter"):
        adc.grad(lambda z: by(moving, z), mode="tape")(parameters[moving])
    for k in range(len(parameters)):
        if k != moving and name != "ncx2":  # whose density has no derivative by the degrees of freedom
            check(lambda z, k=k: by(k, z[0]), np.array([parameters[k]]))
    check(lambda z: call(z[0], *parameters), np.array([0.3]))
