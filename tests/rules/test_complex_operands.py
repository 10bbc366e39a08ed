"""Operations of complex operands whose rules are made of several steps: NumPy's values, and slopes of both parts."""

import contextlib

import numpy as np
import pytest
import scipy.special
from numpy.polynomial import polynomial
from scipy import interpolate, ndimage, signal, stats
from scipy.spatial import distance

import adc

MODES = ("tape", "python")
Z = np.array([[0.6 - 0.3j, -0.2 + 0.7j, 1.3 + 0.1j], [0.4 + 0.9j, -0.8 - 0.5j, 0.2 - 1.1j]])


def masked_spread(z):
    away = np.where(np.real(z) > 1.0, np.nan, z)
    return np.nanvar(away) + np.nanstd(away, axis=1, ddof=1) @ np.array([1.0, 2.0])


def spread_of_some(z):
    some = np.real(z) > -0.5
    about = np.mean(z, axis=0, keepdims=True)
    return (
        np.var(z, where=some) + np.sum(np.std(z, axis=1, where=some)) + np.sum(np.var(z, axis=0, mean=about))
    )


def integral(z):
    return np.sum(np.abs(polynomial.polyint(z[0], 2, [0.5, 1j], 0.3)) ** 2)


def signed_sum(z):
    size, phase = scipy.special.logsumexp(z, axis=0, b=np.array([[1.0], [-2.0]]), return_sign=True)
    return np.sum(size) + np.sum(np.imag(phase))


def images(z):
    apart = ndimage.correlate(z, z[:, :2]) * ndimage.correlate1d(z, np.array([0.5, 1j, -1.0 + 2j]))
    return np.sum(np.imag(apart * ndimage.convolve(np.real(z), z[:, 1:])))


def through_points(z):
    places, t = np.arange(3.0), np.array([0.3, 1.6])
    found = [
        interpolate.CubicSpline(places, z[0])(t),
        interpolate.CubicSpline(places, z[0], bc_type="natural").derivative()(t),
        interpolate.CubicHermiteSpline(places, z[0], z[1])(t),
        interpolate.interp1d(places, z[1], kind="quadratic")(t),
        interpolate.make_interp_spline(places, z[1], k=1)(t),
        interpolate.PPoly(z, np.arange(4.0))(t),
        interpolate.RegularGridInterpolator((np.arange(2.0), places), z)(np.array([[0.3, 1.6], [0.9, 0.1]])),
    ]
    return np.sum(np.abs(np.stack(found)) ** 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f",
    [masked_spread, spread_of_some, integral, signed_sum, images, through_points],
    ids=lambda f: f.__name__,
)
def test_operands(f, mode):
    value, (bar,) = adc.value_and_grad(f, argnums=(0,), mode=mode)(Z)
    assert np.isrealobj(value) and value == pytest.approx(f(Z), rel=1e-12)
    turned = np.exp(1j * np.arange(6.0).reshape(2, 3))
    expected = (f(Z + 1e-5 * turned) - f(Z - 1e-5 * turned)) / 2e-5
    assert np.real(np.sum(bar * turned)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [scipy.special.ive, scipy.special.jve, scipy.special.yve])
def test_a_scale_that_is_of_one_part_alone(function, mode):
    """Such a function has no derivative in the plane."""
    with pytest.raises(adc.UnsupportedError, match="of complex numbers is not supported"):
        adc.grad(lambda z: np.abs(function(1, z)), mode=mode)(0.4 + 0.3j)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "maker",
    [
        interpolate.PchipInterpolator,
        interpolate.Akima1DInterpolator,
        interpolate.InterpolatedUnivariateSpline,
    ],
)
def test_splines_through_real_numbers_alone(maker, mode):
    z = np.append(Z[0], Z[1])
    with pytest.raises(
        adc.UnsupportedError, match="complex numbers are not supported where SciPy takes real ones"
    ):
        adc.grad(lambda z: np.abs(maker(np.arange(6.0), z)(0.4)), mode=mode)(z)


@pytest.mark.parametrize(
    "f",
    [
        lambda z: distance.braycurtis(z[0], z[1]),
        lambda z: distance.seuclidean(z[0], z[1], np.ones(3)),
        lambda z: np.sum(np.abs(distance.cdist(z, z, "cosine"))),
        lambda z: np.sum(np.abs(distance.pdist(z, "mahalanobis", VI=np.eye(3)))),
        lambda z: np.sum(np.abs(signal.savgol_filter(z, 3, 1))),
        lambda z: np.sum(np.abs(signal.medfilt(z, 3))),
        lambda z: np.abs(stats.multivariate_normal.logpdf(z[0], np.zeros(3), np.eye(3))),
        lambda z: np.abs(stats.multinomial.logpmf([1, 2, 1], 4, z[0])),
        lambda z: np.abs(stats.norm.logpdf(0.3, 0.0, z[0, 0])),
        lambda z: np.abs(stats.pearsonr(z[0], z[1])[0]),
    ],
    ids=[
        *("braycurtis", "seuclidean", "cdist", "pdist", "savgol_filter"),
        *("medfilt", "multivariate_normal", "multinomial", "norm", "pearsonr"),
    ],
)
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_what_scipy_computes_of_real_parts(f):
    with pytest.raises(adc.UnsupportedError, match="of complex numbers is not supported"):
        adc.grad(f, mode="python")(Z)
    with contextlib.suppress(adc.UnsupportedError, TypeError, ValueError):
        # The tape runs SciPy's own code, where it can, and SciPy may refuse.
        assert adc.value_and_grad(f, mode="tape")(Z)[0] == pytest.approx(f(Z), rel=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f",
    [
        lambda z: interpolate.RBFInterpolator(np.stack((z[0], z[1]), axis=1), np.arange(3.0))([[0.3, 0.2]])[
            0
        ],
        lambda z: stats.gaussian_kde(z[0])([0.3])[0],
    ],
    ids=["RBFInterpolator", "gaussian_kde"],
)
def test_places_that_are_real_numbers(f, mode):
    with pytest.raises(
        adc.UnsupportedError, match="complex numbers are not supported where SciPy takes real ones"
    ):
        adc.grad(lambda z: np.abs(f(z)), mode=mode)(Z)


def test_no_elements():
    z = np.zeros((3, 0), complex).T
    (bar,) = adc.vjp(lambda z: np.linalg.norm(z) + np.sum(np.abs(z) ** 2), z, mode="tape")[1](1.0)
    assert bar.shape == z.shape
