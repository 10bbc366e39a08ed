"""Interpolators of scipy.interpolate that a program makes, or finds outside, against SciPy's own."""

import numpy as np
import pytest
from tests.in_turn import in_turn

import adc

scipy = pytest.importorskip("scipy")
interpolate = pytest.importorskip("scipy.interpolate")

T = np.array([0.1, 0.7, 1.5, 1.9, 2.8, 3.3, 4.2])
Y = np.array([0.3, -0.8, 0.5, 1.1, 0.2, -0.4, 0.9])
Q = np.array([0.4, 1.6, 3.9])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0])
CUBIC, LINE = interpolate.CubicSpline(T, Y), interpolate.interp1d(T, Y)
SPLINE, SMOOTH = interpolate.make_interp_spline(T, Y), interpolate.InterpolatedUnivariateSpline(T, Y)
GRID = interpolate.RegularGridInterpolator((T, Q), np.outer(Y, Q))
_AT = np.meshgrid(np.linspace(-1.0, 4.0, 7), np.linspace(-1.0, 4.0, 8))
PLATE = interpolate.bisplrep(*map(np.ravel, _AT), np.ravel(np.sin(_AT[0]) * _AT[1]), s=0)
SURFACE = interpolate.RectBivariateSpline(T, np.arange(5.0), np.outer(Y, np.arange(5.0) ** 2))
CLOUD = np.array([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.0, 1.1], [0.5, 0.6], [0.3, 0.2], [0.8, 0.5]])
PLANES, NEAREST = interpolate.LinearNDInterpolator(CLOUD, Y), interpolate.NearestNDInterpolator(CLOUD, Y)
SOLVER = pytest.importorskip("scipy.sparse.linalg").spsolve  # SciPy's usual one stops at five digits
STEPS, TCK = interpolate.interp1d(T, Y, kind="cubic"), interpolate.splrep(T, Y)


def not_a_knot(y, t):
    s = interpolate.CubicSpline(t, y)
    return np.sum(s(Q) ** 2) + s(5.0, 1) + s.derivative(2)(t[1] + 0.1) + s.integrate(0.2, t[3]) + s.c[0, 1]


def other_ends(y, t):
    natural = interpolate.CubicSpline(t, y, bc_type="natural")
    clamped = interpolate.CubicSpline(t, y, bc_type=((1, 2.0 * y[0]), (2, 0.5)))
    around = interpolate.CubicSpline(t, np.append(y[:-1], y[0]), bc_type="periodic")
    return np.sum(natural(Q) * clamped(Q)) + np.sum(around(Q - 4.0)) + natural.antiderivative()(2.0)


# Of two points SciPy before 1.17 makes an Akima spline of memory that it has not written to.
LEAST = 2 if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17) else 3


def few_points(y, t):
    three = interpolate.CubicSpline(t[:3], y[:3])(0.5) + interpolate.PchipInterpolator(t[:3], y[:3])(0.5)
    two = interpolate.CubicSpline(t[:2], y[:2])(0.5) + interpolate.Akima1DInterpolator(t[:LEAST], y[:LEAST])(
        0.5
    )
    return three + two + interpolate.PchipInterpolator(t[:2], y[:2])(0.5)


def own_slopes(y, t):
    monotone = interpolate.PchipInterpolator(t, np.cumsum(y**2))
    even = interpolate.Akima1DInterpolator(t, y, method="makima")
    given = interpolate.CubicHermiteSpline(t, y, np.sin(y))
    return np.sum(interpolate.Akima1DInterpolator(t, y)(Q) * even(Q)) + np.sum(monotone(Q) * given(Q))


def columns(y, t):
    s = interpolate.CubicSpline(t, np.stack((y, y**2), axis=1))
    return np.sum(s(Q)[:, 1]) + interpolate.PPoly(np.reshape(y[:6], (3, 2)), t[:3])(0.5)


def degrees(y, t):
    total = interpolate.make_interp_spline(t, y, bc_type="natural")(1.1)
    for k in (1, 2, 3, 5):
        total = total + np.sum(interpolate.make_interp_spline(t, y, k=k)(Q))
    return total


def coefficients(y, t):
    s = interpolate.BSpline(KNOTS, y, 3)
    return np.sum(s(t) ** 2) + s.derivative()(1.2) + s.integrate(0.3, 2.0) + s.antiderivative()(1.3)


def fitpack(y, t):
    tck = interpolate.splrep(t, y, s=0)
    s, u = interpolate.InterpolatedUnivariateSpline(t, y), interpolate.UnivariateSpline(t, y, k=2, s=0)
    return np.sum(interpolate.splev(Q, tck, der=1) * u(Q)) + s.derivative()(1.0) + s.integral(0.5, 2.0)


def lines(y, t):
    f, g = interpolate.interp1d(t, y), interpolate.interp1d(t, y, kind="previous", fill_value="extrapolate")
    h = interpolate.interp1d(t, np.stack((y, y**2)), bounds_error=False, fill_value=0.5)
    curved = interpolate.interp1d(t, y, kind="cubic")(1.1) * interpolate.interp1d(t, y, kind="quadratic")(0.7)
    return np.sum(f(Q) * g(Q)) + np.sum(h(Q + 1.0)) + curved


def grids(y, t):
    values = np.outer(y, t)
    f = interpolate.RegularGridInterpolator((t, Q), values[:, :3], bounds_error=False, fill_value=None)
    surface = interpolate.RectBivariateSpline(t, t, values)
    return np.sum(f(np.array([[1.1, 2.2], [5.0, 1.0]]))) + f([0.5, 0.6])[0] + surface.ev(y[3], 1.2)


def outside(y, t):
    q = t[1:3] + 0.05
    cubic = CUBIC(q) * LINE(q) + SPLINE(q) * SMOOTH(q) + STEPS(q) + interpolate.splev(q, TCK)
    plate = interpolate.bisplev(t[2], y[3], PLATE) * interpolate.bisplev(y[3], t[1], PLATE, dx=1)
    return np.sum(cubic) + CUBIC.derivative()(y[3]) + GRID(q)[0] + SURFACE.ev(t[2], y[3]) + plate


def through_points(y, t):
    newton, lagrange = interpolate.KroghInterpolator(t, y), interpolate.BarycentricInterpolator(t[:4], y[:4])
    places = np.stack((t, np.cos(t)), axis=1)
    plate = interpolate.RBFInterpolator(places, y, smoothing=0.1)(places + 0.2)
    bells = interpolate.RBFInterpolator(np.expand_dims(t, 1), y, kernel="gaussian", epsilon=1.3)
    total = newton(t[2]) * lagrange(Q)[1] + interpolate.krogh_interpolate(T, y, t[0])
    return total + np.sum(plate) + np.sum(bells(np.expand_dims(Q, 1)))


def cubic_grids(y, t):
    values = np.stack((np.outer(y[:5], t[:4]), np.outer(t[:5], y[:4])), axis=-1)
    f = interpolate.RegularGridInterpolator((np.arange(5.0), t[:4]), values, method="cubic", solver=SOLVER)
    return np.sum(f(np.stack((1.0 + y[:3], t[1:4] - 0.3), axis=1)) ** 2)


def scattered(y, t):
    """Points in a plane: some of those asked for lie outside of all triangles."""
    places = CLOUD + 0.01 * np.stack((t, np.cos(t)), axis=1)
    at = np.stack((0.5 + 0.1 * y[:4], 0.4 + 0.05 * t[:4]), axis=1)
    plane = interpolate.LinearNDInterpolator(places, np.stack((y, y * t), axis=1), fill_value=0.0)
    steps = interpolate.NearestNDInterpolator(CLOUD, y**2)(at[:, 0], 0.5)
    grid = interpolate.griddata(places, y, (np.full((2, 3), 0.5), np.array([0.4, 0.5, 9.0])), fill_value=1.0)
    line = interpolate.griddata(t, y, 2.0 + 0.1 * y)
    return (
        np.sum(plane(at) ** 2)
        + np.sum(steps)
        + np.sum(grid**2)
        + np.sum(line)
        + PLANES(y[4], 0.5) * NEAREST(at)[1]
    )


PROGRAMS = (
    not_a_knot,
    other_ends,
    few_points,
    own_slopes,
    columns,
    degrees,
    coefficients,
    fitpack,
    lines,
    grids,
    outside,
    through_points,
    cubic_grids,
)


def test_scattered():
    adc.check_grads(scattered, (Y, T), order=2, modes=("rev",), mode="tape")
    assert adc.value_and_grad(scattered, mode="tape")(Y, T)[0] == pytest.approx(scattered(Y, T), rel=1e-12)
    with pytest.raises(adc.UnsupportedError, match="which compiled code cannot call"):
        adc.grad(scattered, mode="compiled")(Y, T)


@pytest.mark.parametrize("mode", ("tape", "python"))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_interpolators(f, mode):
    adc.check_grads(f, (Y, T), order=1, mode=mode)
    value, _ = adc.value_and_grad(f, argnums=(0, 1), mode=mode)(Y, T)
    assert np.allclose(value, f(Y, T), rtol=1e-12)


COMPILED = in_turn((own_slopes, coefficients, lines, grids, through_points), lambda f: f.__name__)[:2]


@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_compiled(f):
    value, gradient = adc.value_and_grad(f, mode="compiled")(Y, T)
    assert np.allclose(value, f(Y, T), rtol=1e-12)
    assert np.allclose(gradient, adc.grad(f, mode="tape")(Y, T))


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_what_scipy_refuses(mode):
    def unordered(y):
        return interpolate.CubicSpline(T[::-1], y)(1.0)

    def beyond(y):
        return interpolate.interp1d(T, y)(9.0)

    for f in (unordered, beyond):
        with pytest.raises(ValueError):
            adc.grad(f, mode=mode)(Y)


def test_a_smoothing_spline_is_refused():
    def smoothed(y):
        return interpolate.UnivariateSpline(T, y, s=0.5)(1.0)

    for mode in ("tape", "python"):
        with pytest.raises(adc.UnsupportedError, match="smooths") as found:
            adc.grad(smoothed, mode=mode)(Y)
        assert "UnivariateSpline(T, y, s=0.5)" in str(found.value)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_the_object_itself_is_differentiated(mode):
    for made in (CUBIC, LINE, SPLINE, SMOOTH):
        slopes = adc.vjp(made, Q, mode=mode)[1](np.ones(3))[0]
        np.testing.assert_allclose(slopes, adc.grad(lambda x, made=made: np.sum(made(x)), mode="tape")(Q))
    np.testing.assert_allclose(adc.jacobian(CUBIC, mode=mode)(Q), np.diag(CUBIC(Q, 1)), atol=1e-14)
