"""What each rule gives where an operation has a corner or a singularity: the choices that docs/coverage.md
states.
"""

import math

import numpy as np
import pytest
from scipy import special, stats
from scipy.spatial import distance

import adc
import adc.rules
from adc.rules import registry
from adc.rules.sampler import Example
from adc.testing import kit

INF = math.inf
TABLE = [
    # operation, arguments, adjoint of the result, adjoints of the active parameters
    ("absolute", (0.0,), 1.0, [0.0]),
    ("absolute", (np.array([0j, 3 + 4j]),), np.array([1.0, 1.0]), [[0.0, 0.6 - 0.8j]]),
    ("maximum", (1.0, 1.0), 1.0, [1.0, 0.0]),
    ("minimum", (1.0, 1.0), 1.0, [1.0, 0.0]),
    ("maximum", (math.nan, 1.0), 1.0, [1.0, 0.0]),
    ("fmax", (math.nan, 1.0), 1.0, [0.0, 1.0]),
    ("max", (np.array([1.0, 2.0, 2.0]),), 1.0, [[0.0, 1.0, 0.0]]),
    ("min", (np.array([2.0, 1.0, 1.0]),), 1.0, [[0.0, 1.0, 0.0]]),
    ("max", (np.array([1.0, math.nan, 2.0]),), 1.0, [[0.0, 1.0, 0.0]]),
    (
        "clip",
        (np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0),
        np.ones(5),
        [[0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0],
    ),
    ("det", (np.diag([1.0, 2.0, 0.0]),), 1.0, [np.diag([0.0, 0.0, 2.0])]),
    ("det", (np.outer([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]),), 1.0, [np.zeros((3, 3))]),
    ("det", (np.zeros((1, 1)),), 1.0, [[[1.0]]]),
    (
        "det",
        (np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 3.0]]]),),
        np.ones(2),
        [[[[4.0, -2.0], [-2.0, 1.0]], [[3.0, 0.0], [0.0, 1.0]]]],
    ),
    ("det", (np.array([[1.0, 1j], [2.0, 2j]]),), 1.0, [[[2j, -2.0], [-1j, 1.0]]]),
    ("special.log_ndtr", (np.array([-1e12, -1e8]),), np.ones(2), [[1e12, 1e8]]),
    ("special.spence", (1e-300,), 1e-3, [-0.3 * math.log(10.0)]),
    ("special.struve", (np.array([0, 1]), np.zeros(2)), np.ones(2), [[2.0 / math.pi, 0.0]]),
    ("special.modstruve", (np.array([0, 1]), np.zeros(2)), np.ones(2), [[2.0 / math.pi, 0.0]]),
    ("special.i1e", (np.array([0.0, 1e10]),), np.ones(2), [[0.5, 0.0]]),
    ("special.rel_entr", (np.zeros(2), np.array([0.0, 2.0])), np.ones(2), [[0.0, -INF], [0.0, 0.0]]),
    ("special.kl_div", (np.zeros(2), np.array([0.0, 2.0])), np.ones(2), [[0.0, -INF], [1.0, 1.0]]),
    ("special.dawsn", (np.array([INF, -INF, 1e9, 0.0]),), np.ones(4), [[0.0, 0.0, -5e-19, 1.0]]),
    ("special.it2struve0", (np.array([0.0]),), np.ones(1), [[-2.0 / math.pi]]),
    ("special.lpmv", (0, 3, np.array([1.0, -1.0])), np.ones(2), [[6.0, 6.0]]),
    ("special.lpmv", (2, 3, np.array([1.0, -1.0])), np.ones(2), [[-30.0, -30.0]]),
    ("special.lpmv", (1, 2, 1.0), 1.0, [INF]),
    ("special.kolmogorov", (np.array([-1.0, 0.0, 1e-3, 40.0]),), np.ones(4), [[0.0, 0.0, 0.0, 0.0]]),
    ("special.rgamma", (np.array([0.0, -1.0, -3.0]),), np.ones(3), [[1.0, -1.0, -6.0]]),
    ("special.ellipkm1", (1.0,), 1.0, [-math.pi / 8.0]),
    ("special.elliprf", (0.0, 1.0, 1.0), 1.0, [-INF, -math.pi / 8.0, -math.pi / 8.0]),
    ("special.elliprf", (0.0, 1.0, 1.0), 0.0, [0.0, 0.0, 0.0]),
    ("special.pseudo_huber", (1e3, 1e-3), 1.0, [2.5e-22, 1e-3]),
    ("sqrt", (0.0,), 1.0, [INF]),
    ("sqrt", (0.0,), 0.0, [0.0]),
    ("log", (np.float64(0.0),), 0.0, [0.0]),
    ("divide", (np.float64(1.0), np.float64(0.0)), 0.0, [0.0, 0.0]),
    ("arcsin", (1.0,), 0.0, [0.0]),
    ("cbrt", (0.0,), 0.0, [0.0]),
    ("power", (0.0, 2.0), 1.0, [0.0, 0.0]),
    ("power", (0.0, 0.0), 1.0, [0.0, 0.0]),
    ("power", (2.0, 0.0), 1.0, [0.0, math.log(2.0)]),
    ("power", (0.0, 1.0), 1.0, [1.0, 0.0]),
    ("sinc", (0.0,), 1.0, [0.0]),
    ("logaddexp", (-INF, -INF), 1.0, [0.0, 0.0]),
    ("logaddexp", (-INF, 1.0), 1.0, [0.0, 1.0]),
    ("logaddexp", (1.0, INF), 1.0, [0.0, 1.0]),
    ("logaddexp", (1e17, 1e17), 1.0, [0.5, 0.5]),
    ("logaddexp", (0.0, -800.0), 1.0, [1.0, 0.0]),
    ("logaddexp2", (1e17, 1e17), 1.0, [0.5, 0.5]),
    ("logaddexp2", (-INF, -INF), 1.0, [0.0, 0.0]),
    ("hypot", (0.0, 0.0), 1.0, [0.0, 0.0]),
    ("heaviside", (0.0, 0.5), 1.0, [0.0, 1.0]),
    ("nextafter", (1.0, 1.0), 1.0, [1.0, 0.0]),
    ("nan_to_num", (np.array([math.nan, 1.0, INF]),), np.ones(3), [[0.0, 1.0, 0.0], 1.0]),
    ("prod", (np.array([0.0, 2.0, 3.0]),), 1.0, [[6.0, 0.0, 0.0]]),
    ("prod", (np.array([0.0, 0.0, 3.0]),), 1.0, [[0.0, 0.0, 0.0]]),
    ("prod", (np.zeros(0),), 1.0, [np.zeros(0)]),
    ("sum", (np.zeros((0, 3)),), 1.0, [np.zeros((0, 3))]),
    ("cumprod", (np.array([2.0, 0.0, 3.0]),), np.ones(3), [[1.0, 8.0, 0.0]]),
    (
        "where",
        (np.array([True, False]), np.array([INF, 1.0]), np.array([2.0, INF])),
        np.ones(2),
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    ("svd", (np.eye(2), True, False), np.ones(2), [np.eye(2)]),
    ("eigh", (2.0 * np.eye(2),), (np.ones(2), np.zeros((2, 2))), [np.eye(2)]),
    ("special.xlogy", (0.0, 0.0), 1.0, [0.0, 0.0]),
    ("special.xlog1py", (0.0, -1.0), 1.0, [0.0, 0.0]),
    ("special.logsumexp", (np.array([-INF, -INF]),), 1.0, [[0.0, 0.0]]),
    (
        "special.logsumexp",
        (np.array([0.0, 1000.0]), None, np.array([1.0, 0.0])),
        1.0,
        [[1.0, 0.0], [1.0, INF]],
    ),
    ("special.ellipk", (0.0,), 1.0, [math.pi / 8.0]),
    ("special.i0e", (0.0,), 1.0, [-1.0]),
    ("angle", (np.array([0.5, 2.0]),), np.ones(2), [[0.0, 0.0]]),
]


@pytest.mark.parametrize(
    ("name", "arguments", "z_bar", "wanted"), TABLE, ids=[f"{row[0]}-{k}" for k, row in enumerate(TABLE)]
)
def test_special_point(name, arguments, z_bar, wanted):
    operation = registry.named(name)
    case = kit.Case(operation, 0, kit.bound(operation, Example(arguments)))
    with np.errstate(all="ignore"):
        z = kit.sequence(kit.primal(case))
        bars = kit.pulled(case, z_bar, z)
    assert len(bars) == len(wanted)
    for (parameter, bar), value in zip(bars.items(), wanted, strict=True):
        np.testing.assert_allclose(
            kit.accumulated(bar, case.values[parameter]), value, rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"])
@pytest.mark.parametrize(
    "name, shapes",
    [
        ("gamma", (2.5,)),
        ("chi2", (3.5,)),
        ("expon", ()),
        ("lognorm", (0.7,)),
        ("beta", (2.5, 1.5)),
        ("uniform", ()),
    ],
)
def test_outside_its_support_a_distribution_is_flat(name, shapes, method):
    stats = pytest.importorskip("scipy.stats")
    function = getattr(getattr(stats, name), method)
    for x in (-1.0, 3.0) if name in ("beta", "uniform") else (-1.0,):
        with np.errstate(all="ignore"):
            value, slope = adc.value_and_grad(lambda x: function(x, *shapes), mode="tape")(x)
        assert value == function(x, *shapes)
        assert slope == 0.0


SECOND = [
    # operation, point, d2/dxdy: derivatives that go through a point where a partial is 0 or a quotient 0 / 0
    (np.power, (2.0, 0.0), 0.5),
    (np.float_power, (2.0, 0.0), 0.5),
    (special.xlogy, (0.0, 2.0), 0.5),
    (special.xlog1py, (0.0, 1.0), 0.5),
]


@pytest.mark.parametrize("engine", ["python", "tape"])
@pytest.mark.parametrize(("function", "point", "wanted"), SECOND, ids=[row[0].__name__ for row in SECOND])
def test_mixed_derivatives_where_a_partial_is_zero(function, point, wanted, engine):
    hessian = adc.hessian(lambda x, y: function(x, y), argnums=(0, 1), mode=engine)(*point)
    np.testing.assert_allclose([hessian[0][1], hessian[1][0]], [wanted, wanted], rtol=1e-12)


def _length(x):
    return math.hypot(x[0], x[1], x[2])


def _folded(x):
    return np.hypot(np.hypot(x[0], x[1]), x[2])


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
@pytest.mark.parametrize("length", [_length, _folded])
def test_lengths_of_very_short_and_long_vectors(length, engine):
    for scale in (1e-200, 1.0, 1e200):
        value, slope = adc.value_and_grad(length, mode=engine)(scale * np.array([2.0, 3.0, 6.0]))
        assert value == pytest.approx(7.0 * scale)
        np.testing.assert_allclose(slope, np.array([2.0, 3.0, 6.0]) / 7.0, rtol=1e-14)
    for x, wanted in (([0.0, 0.0, -2.0], [0.0, 0.0, -1.0]), ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])):
        np.testing.assert_array_equal(adc.grad(length, mode=engine)(np.array(x)), wanted)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_a_sum_of_exponentials_in_single_precision(engine):
    def total(x):
        return np.logaddexp(x[0], x[1])

    for x in ([1e4, 1e4 + 1.0], [-3e5, -3e5], [0.5, 2.0]):
        x = np.array(x, np.float32)
        wanted = 1.0 / (1.0 + np.exp(x[::-1].astype(float) - x))
        np.testing.assert_allclose(adc.grad(total, mode=engine)(x), wanted, rtol=1e-6)
        curvature = adc.hessian(total, mode=engine)(x.astype(float))
        np.testing.assert_allclose(curvature[0, 0], wanted[0] * wanted[1], rtol=1e-9)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_answers_of_numpy_and_scipy_at_points_that_formulas_miss(engine):
    from scipy import integrate

    def condition(a):
        return np.linalg.cond(a)

    def fraction(x):
        return np.modf(x)[0]

    def area(y):
        return integrate.simpson(y, x=np.array([0.0, 1.0, 1.0, 2.0, 4.0, 4.0]))

    y = np.array([1.0, 2.0, 4.0, 3.0, 2.0, 5.0])
    for f, x in ((condition, np.zeros((2, 2))), (fraction, math.inf), (fraction, -math.inf), (area, y)):
        with np.errstate(all="ignore"):
            value, _ = adc.value_and_grad(f, mode=engine)(x)
        assert value == pytest.approx(f(x))
    slopes = adc.grad(area, mode=engine)(y)
    np.testing.assert_allclose(slopes, [area(row) for row in np.eye(6)], rtol=1e-14)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_spence_has_every_derivative_at_one(engine):
    slope = adc.grad(lambda z: special.spence(z), mode=engine)
    curvature = adc.grad(slope, mode=engine)
    third = adc.grad(curvature, mode=engine)
    np.testing.assert_allclose([slope(1.0), curvature(1.0), third(1.0)], [-1.0, 0.5, -2.0 / 3.0], rtol=1e-12)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_the_degree_of_a_polynomial_may_be_a_fraction(engine):
    step = 1e-6
    for function in (special.eval_chebyt, special.eval_legendre, special.eval_laguerre):
        difference = (function(0.5, 0.3 + step) - function(0.5, 0.3 - step)) / (2.0 * step)
        slope = adc.grad(lambda x: function(0.5, x), mode=engine)(0.3)
        np.testing.assert_allclose(slope, difference, rtol=1e-8)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_spherical_bessel_functions_at_the_origin(engine):
    for function, order, slopes in (
        (special.spherical_jn, 0, (0.0, -1.0 / 3.0)),
        (special.spherical_jn, 1, (1.0 / 3.0, 0.0)),
        (special.spherical_in, 2, (0.0, 2.0 / 15.0)),
    ):
        slope = adc.grad(lambda z: function(order, z), mode=engine)
        np.testing.assert_allclose([slope(0.0), adc.grad(slope, mode=engine)(0.0)], slopes, atol=1e-15)
        np.testing.assert_allclose(
            adc.vjp(lambda z: function(order, z), -1.3, mode=engine)[0], function(order, -1.3), rtol=1e-12
        )


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_kelvin_functions_have_every_derivative_at_the_origin(engine):
    def berp(x):
        return special.berp(x)

    third = adc.grad(adc.grad(adc.grad(berp, mode=engine), mode=engine), mode=engine)
    np.testing.assert_allclose(third(0.0), -3.0 / 8.0, rtol=1e-12)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_polar_factors_of_equal_singular_values(side, engine):
    linalg = pytest.importorskip("scipy.linalg")
    weights = np.array([[0.3, -1.0, 0.7], [1.2, 0.4, -0.2], [-0.6, 0.9, 1.1]])
    direction = np.array([[1.0, 0.5, -0.7], [0.2, -0.3, 0.9], [-1.1, 0.4, 0.6]])

    def factors(a):
        u, p = linalg.polar(a, side=side)
        return np.sum(u * weights) + np.sum(p * weights)

    step = 1e-4
    for a in (np.eye(3), np.diag([2.0, 2.0, 0.5])):
        above, below = factors(a + step * direction), factors(a - step * direction)
        slope = np.sum(adc.grad(factors, mode=engine)(a) * direction)
        np.testing.assert_allclose(slope, (above - below) / (2.0 * step), rtol=1e-6)
        curvature = np.sum(adc.hvp(factors, a, direction, mode=engine) * direction)
        np.testing.assert_allclose(curvature, (above - 2.0 * factors(a) + below) / step**2, rtol=1e-5)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_of_vectors_that_complete_a_basis_the_space_is_known(engine):
    a = np.array([[1.0, 0.5], [0.2, -0.3], [-1.1, 0.4], [0.7, 0.9]])
    weights = np.arange(16.0).reshape(4, 4)

    def vectors(a):
        u, _, _ = np.linalg.svd(a)
        return np.sum(u * weights)

    def space(a):
        u, _, _ = np.linalg.svd(a)
        return np.sum(u[:, 2:] @ u[:, 2:].T * weights)

    step = 1e-6 * np.array([[0.3, -1.0], [0.7, 1.2], [0.4, -0.2], [-0.6, 0.9]])
    slope = np.sum(adc.grad(space, mode=engine)(a) * step)
    np.testing.assert_allclose(slope, (space(a + step) - space(a - step)) / 2.0, rtol=1e-6)
    assert np.all(np.isnan(adc.grad(vectors, mode=engine)(a)))


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_a_normal_density_on_the_support_of_equal_variances(engine):
    stats = pytest.importorskip("scipy.stats")
    x = np.array([[0.4, -1.0], [1.2, 0.3]])

    def density(c):
        return np.sum(stats.multivariate_normal.logpdf(x, np.zeros(2), c, allow_singular=True))

    off = np.array([[0.0, 1.0], [1.0, 0.0]])
    slope = np.sum(adc.grad(density, mode=engine)(np.eye(2)) * off)
    step = 1e-6
    difference = (density(np.eye(2) + step * off) - density(np.eye(2) - step * off)) / (2.0 * step)
    np.testing.assert_allclose(slope, difference, rtol=1e-7)


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_densities_on_the_circle_without_a_direction(engine):
    def circular(kappa):
        return stats.vonmises.logpdf(1.2, kappa)

    def offset(b):
        return stats.rice.logpdf(1.2, b)

    for density, slopes in ((circular, (math.cos(1.2), -0.5)), (offset, (0.0, 0.5 * 1.2**2 - 1.0))):
        first = adc.grad(density, mode=engine)
        np.testing.assert_allclose([first(0.0), adc.grad(first, mode=engine)(0.0)], slopes, atol=1e-14)


@pytest.mark.parametrize("engine", ["python", "tape"])
@pytest.mark.parametrize(
    ("distribution", "method", "slope", "curvature"),
    [
        ("laplace", "cdf", 0.25, None),
        ("laplace", "sf", -0.25, None),
        ("laplace", "logcdf", 0.5, None),
        ("laplace", "logsf", -0.5, None),
        ("logistic", "logpdf", 0.0, -0.125),
        ("gennorm", "cdf", 0.25, 0.0),
        ("gennorm", "sf", -0.25, 0.0),
        ("gennorm", "logcdf", 0.5, -0.25),
        ("genlogistic", "logpdf", 0.25, -0.1875),
        ("genlogistic", "pdf", 0.03125, -0.015625),
    ],
)
def test_distributions_at_their_centre(distribution, method, slope, curvature, engine):
    stats = pytest.importorskip("scipy.stats")
    function = getattr(getattr(stats, distribution), method)
    shape = {"gennorm": (1.0,), "genlogistic": (2.0,)}.get(distribution, ())
    first = adc.grad(lambda x: function(x, *shape, 0.3, 2.0), mode=engine)
    np.testing.assert_allclose(first(0.3), slope, atol=1e-15)
    if curvature is not None:
        np.testing.assert_allclose(adc.grad(first, mode=engine)(0.3), curvature, rtol=1e-12)


def _exponential(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T * np.arange(1.0, 10.0).reshape(3, 3))


def _largest(a):
    return np.linalg.eigh(a)[1][0, 2] ** 2 + np.linalg.eigh(a)[0][2]


def _in_common(a):
    u, s, vt = np.linalg.svd(a)
    return np.sum((u * s**2) @ vt)


def _of_values(a):
    return np.sum(np.linalg.eigvalsh(a) ** 2) + np.linalg.norm(a, "nuc")


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_vectors_of_equal_values_have_no_derivative(mode):
    """They turn by a finite angle whatever the step is: a finite gradient would be one of several, or wrong."""
    tied, apart = np.diag([1.0, 1.0, 3.0]), np.diag([1.0, 2.0, 3.0])
    for function in (_exponential, _in_common):
        assert np.isnan(adc.grad(function, mode=mode)(tied)).any()
        assert np.isfinite(adc.grad(function, mode=mode)(apart)).all()
    np.testing.assert_allclose(adc.grad(_of_values, mode=mode)(tied), np.diag([3.0, 3.0, 7.0]))
    # A vector whose own value is alone does not turn with the pair that is equal.
    np.testing.assert_allclose(adc.grad(_largest, mode=mode)(tied), np.diag([0.0, 0.0, 1.0]), atol=1e-15)
    assert np.isnan(adc.hessian(_of_values, mode=mode)(tied)).any()


def test_the_determinant_of_a_singular_matrix():
    """Generated code for any size raises there: code for these sizes takes over, or the tape."""
    few = np.diag([1.0, 2.0, 0.0])
    np.testing.assert_array_equal(adc.grad(np.linalg.det)(few), np.diag([0.0, 0.0, 2.0]))
    a = np.diag([1.0, 2.0, 0.0, 3.0])
    with pytest.warns(adc.FallbackWarning, match="Singular matrix"):
        np.testing.assert_allclose(adc.grad(np.linalg.det)(a), np.diag([0.0, 0.0, 6.0, 0.0]), atol=1e-12)
    with pytest.raises(adc.DerivativeError, match="Singular matrix"):
        adc.grad(np.linalg.det, mode="python")(a)


@pytest.mark.filterwarnings("ignore:Polyfit may be poorly conditioned")
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_of_the_polynomials_through_few_points_it_is_numpys(mode):
    def third(x, y):
        return np.polyfit(x, y, 2)[0] * 2.0

    x, y = np.array([0.7, 1.8]), np.array([0.3, -0.4])
    value, _ = adc.value_and_grad(third, mode=mode)(x, y)
    np.testing.assert_allclose(value, third(x, y), rtol=1e-12)
    adc.check_grads(third, (x, y), order=1, modes=("rev",), mode=mode)


@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-4, 0.3])
@pytest.mark.parametrize("method", ["logarithmic", "hyperbolic"])
def test_sweeps_between_frequencies_that_are_near(method, apart):
    """SciPy's differences cancel there: compared with the integral of the frequency."""
    signal = pytest.importorskip("scipy.signal")
    t, t1, f0, f1 = 0.7, 2.0, 1.5, 1.5 + apart
    s, weights = np.polynomial.legendre.leggauss(12)
    u, weights = t * (s + 1.0) / 2.0, weights * t / 2.0

    def cycles(f0, f1):
        if method == "logarithmic":
            return np.sum(weights * f0 * np.exp(np.log(f1 / f0) * (u / t1)))
        return np.sum(weights * f0 * f1 * t1 / ((f0 - f1) * u + f1 * t1))

    def swept(f0, f1):
        return signal.chirp(t, f0, t1, f1, method=method)

    def sampled(f0, f1):
        return np.cos(2.0 * np.pi * cycles(f0, f1))

    assert swept(f0, f1) == pytest.approx(sampled(f0, f1), rel=1e-6)
    for derivative in (adc.grad, adc.hessian):
        mine, wanted = (derivative(f, (0, 1), mode="python")(f0, f1) for f in (swept, sampled))
        np.testing.assert_allclose(mine, wanted, rtol=1e-8)


@pytest.mark.parametrize("mode", ("python", "tape"))
def test_spherical_functions_at_infinity(mode):
    ends = np.array([np.inf, -np.inf])
    for function in (special.spherical_jn, special.spherical_yn, special.spherical_in):
        for n in (0, 1, 2):
            value, pull = adc.vjp(lambda z, function=function, n=n: function(n, z), ends, mode=mode)
            assert np.array_equal(value, function(n, ends))
            assert function is special.spherical_in or np.array_equal(np.abs(pull(np.ones(2))[0]), [0.0, 0.0])


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_an_empty_bin_leaves_the_slopes_of_the_others(mode):
    """The slope of an entropy at a share of 0 is infinite; it does not spread to the others."""
    counts, others = np.array([0.0, 3.0, 5.0]), np.array([1.0, 1.0, 2.0])
    alone = adc.grad(lambda p: stats.entropy(p), mode=mode)(counts)
    np.testing.assert_allclose(alone, [INF, 5 / 64 * math.log(5 / 3), 3 / 64 * math.log(3 / 5)])
    beside = adc.grad(lambda p: stats.entropy(p, others), mode=mode)(counts)
    np.testing.assert_allclose(beside, [-INF, -5 / 64 * math.log(5 / 6), -3 / 64 * math.log(6 / 5)])
    distances = adc.grad(lambda p: distance.jensenshannon(p, np.array([0.0, 1.0, 3.0])), mode=mode)(counts)
    assert np.all(np.isfinite(distances))
