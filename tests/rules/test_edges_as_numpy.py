"""Dtypes, limits, results written by position and identities are NumPy's, in each engine."""

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
from numpy.polynomial import chebyshev, polynomial
from scipy import stats

import adc

X = np.array([0.5, 1.5, 2.5])
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]])
ENGINES = ["tape", "python", "compiled"]


def rank_of_least_squares(x):
    found, _, rank, _ = np.linalg.lstsq(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), x, rcond=None)
    return np.sum(found) * (1.0 if rank.dtype == np.int32 else 100.0)


def signs_of_complex_infinities(x):
    along_real = np.sign(np.array([complex(np.inf, 1.0), complex(-np.inf, 2.0)]) + x[0])
    along_imag = np.sign(np.array([complex(1.0, np.inf), complex(0.0, -np.inf)]) + x[0])
    both = np.sign(np.array([complex(np.inf, np.inf)]) + x[0])
    return (
        np.sum(x) * along_real.real[0] * along_real.real[1] + np.sum(along_imag.imag) + np.isnan(both).sum()
    )


def coefficients_behind_zeros(x):
    p = np.poly1d(np.array([0.0, 0.0, x[0], x[1]]))
    return np.sum(p.coeffs) * len(p.c) + p.order * x[2]


def value_with_a_coefficient_that_is_zero(x):
    p = np.poly1d([x[0] - 0.5, x[0], x[1]])
    return (p * p)(2.0) + (p**2)(3.0) + p(1.0)


def quotient_of_polynomials_behind_zeros(x):
    quotient, rest = np.polydiv(np.poly1d([0.0, 1.0, x[0], x[1]]), np.poly1d([0.0, 2.0, x[2]]))
    return quotient(1.0) + rest(2.0)


def mantissas_by_position(x):
    mantissas = np.empty(3)
    same, exponents = np.frexp(x, mantissas, None)
    return np.sum(same * x) + np.sum(mantissas) + np.sum(exponents)


def parts_by_keyword(x):
    fractions = np.empty(3)
    same, whole = np.modf(x * 1.3, out=(fractions, None))
    return np.sum(same * fractions) + np.sum(whole)


def told_what_to_compute_in(x):
    of_single = np.multiply(x, x, sig="ff->f").dtype == np.float32
    return np.sum(np.add(x, x, signature="dd->d")) * (1.0 if of_single else 5.0)


def the_array_itself(x):
    y = x * 2.0
    found = [np.real(y) is y, y.real is y, y.conj() is y, np.real_if_close(y) is y]
    return np.sum(y * y) * (1.0 if all(found) else 5.0)


def reductions_told_a_dtype(x):
    y = np.outer(x, x) + 0.1
    by_keyword, by_position = np.subtract.reduce(y, dtype=np.float32), np.hypot.reduce(y, 0, np.float32)
    extremes = np.maximum.reduce(x, dtype=np.float32) + np.minimum.reduce(x, 0, np.int64)
    kinds = {v.dtype for v in (by_keyword, by_position)} | {np.maximum.reduce(x, dtype=np.float32).dtype}
    return np.sum(x) * (np.ndim(by_keyword) + extremes) * (1.0 if kinds == {np.dtype(np.float32)} else 5.0)


def comparisons_told_a_dtype(x):
    return np.sum(x * np.greater(x, 1.0, dtype=bool))


def segments_of_one_element(x):
    return np.sum(np.hypot.reduceat(x - 2.0, [0, 1]) * x[1:])


def sums_of_short_coefficients(x):
    c = np.array([100, 100, 3], np.int8)
    total = chebyshev.chebadd(c, c) + polynomial.polymul(c, [2])
    return np.sum(x * total) * (1.0 if polynomial.polyadd(c, c).dtype == np.float64 else 5.0)


def spectrum_of_unequal_lengths(x):
    shared = scipy.signal.csd(np.sin(np.arange(9.0) * x[0]), np.cos(np.arange(6.0) * x[1]), nperseg=9)[1]
    return np.sum(shared.real) + x[2]


def harmonic_mean_below_zero(x):
    means = stats.hmean(np.stack([x, x - 1.0]), axis=1)
    return means[0] + np.isnan(means[1])


def rank_that_is_a_number(x):
    rank = scipy.linalg.lstsq(np.stack([x, x * x], axis=1), x)[2]
    return np.sum(x.astype(np.float32) * rank).astype(float) / 2.0


def square_system_by_least_squares(x):
    return np.sum(scipy.linalg.lstsq(np.outer(x, x) + np.eye(3), x * x)[0])


def ramp_to_other_ends(x):
    table = np.pad(np.outer(x, x), ((1, 2), (2, 0)), "linear_ramp", end_values=((1.0, 2.0), (3.0, 4.0)))
    return np.sum(np.sin(table))


def places_in_an_order(x):
    return np.searchsorted(np.sort(x)[[1, 0, 2]], [0.1, 5.0], sorter=[1, 0, 2]) @ x[:2]


def quantiles_at_the_end(x):
    ends = stats.halfcauchy.ppf(np.array([0.5, 1.0]), x[0]), stats.pearson3.ppf([0.5, 0.0], 0.7, x[1])
    return ends[0][0] + ends[1][0] + np.isinf(ends[0][1]) * x[2] + np.isinf(ends[1][1])


def nothing_of_a_singular_matrix(x):
    sign, logarithm = np.linalg.slogdet(np.outer(x, x) * 0.0 + SINGULAR)
    return np.sum(x) + sign + np.exp(logarithm)


@pytest.mark.parametrize("mode", ENGINES)
@pytest.mark.parametrize(
    "f",
    [
        rank_of_least_squares,
        square_system_by_least_squares,
        ramp_to_other_ends,
        signs_of_complex_infinities,
        coefficients_behind_zeros,
        value_with_a_coefficient_that_is_zero,
        quotient_of_polynomials_behind_zeros,
        parts_by_keyword,
        told_what_to_compute_in,
        the_array_itself,
        comparisons_told_a_dtype,
        segments_of_one_element,
        sums_of_short_coefficients,
        spectrum_of_unequal_lengths,
        harmonic_mean_below_zero,
        quantiles_at_the_end,
        nothing_of_a_singular_matrix,
    ],
    ids=lambda f: f.__name__,
)
def test_values(f, mode):
    with np.errstate(all="ignore"):
        value, gradient = adc.value_and_grad(f, mode=mode)(X)
        expected = f(X)
        differences = [(f(X + 1e-7 * step) - f(X - 1e-7 * step)) / 2e-7 for step in np.eye(3)]
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ENGINES)
@pytest.mark.parametrize("f", [reductions_told_a_dtype, rank_that_is_a_number], ids=lambda f: f.__name__)
def test_dtypes(f, mode):
    assert adc.value_and_grad(f, mode=mode)(X)[0] == pytest.approx(f(X), rel=1e-6)


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_places_in_an_order(mode):
    value, gradient = adc.value_and_grad(places_in_an_order, mode=mode)(X)
    assert value == pytest.approx(places_in_an_order(X))
    np.testing.assert_allclose(gradient, [0.0, 3.0, 0.0])


@pytest.mark.parametrize("mode", ENGINES)
def test_mantissas_by_position(mode):
    value, gradient = adc.value_and_grad(mantissas_by_position, mode=mode)(X)
    np.testing.assert_allclose(value, mantissas_by_position(X), rtol=1e-15)
    np.testing.assert_allclose(gradient, [2.0, 2.0, 1.5])


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x.transpose(),
        lambda x: np.moveaxis(x, 0, 0),
        lambda x: np.broadcast_to(x, (3,)),
        lambda x: np.ix_(x)[0],
    ],
)
def test_a_view_of_all_is_another_array(view):
    def f(x):
        return np.sum(x) * (2.0 if view(x) is x else 1.0)

    np.testing.assert_array_equal(adc.grad(f, mode="tape")(X), np.ones(3))
    with pytest.raises(adc.UnsupportedError, match="may be a view of all of it"):
        adc.grad(f, mode="python")(X)


def nearly_real(x):
    y = np.real_if_close(x * x + 1e-15j)
    return np.sum(np.abs(y)) * (1.0 if y.dtype == np.float64 else 100.0)


def test_what_is_nearly_real():
    np.testing.assert_allclose(adc.grad(nearly_real, mode="tape")(X), 2.0 * X)
    with pytest.raises(adc.UnsupportedError, match=r"np\.real_if_close of complex numbers"):
        adc.grad(nearly_real, mode="python")(X)


def logarithm_of_nothing(x):
    return np.linalg.slogdet(SINGULAR * x[0])[1]


@pytest.mark.parametrize("mode", ENGINES)
def test_derivative_of_the_logarithm_of_nothing(mode):
    with pytest.raises(
        adc.DerivativeError, match=r"test_edges_as_numpy\.py:\d+:\d+: the derivative of .*Singular"
    ):
        adc.grad(logarithm_of_nothing, mode=mode)(X)
