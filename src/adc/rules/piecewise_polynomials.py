"""Piecewise polynomials of scipy.interpolate: plain objects that hold break points and coefficients, as SciPy's do.

spline = CubicSpline(t, y); spline(2.5); spline(2.5, 1); spline.derivative()(x); spline.integrate(0.0, 1.0)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate
from scipy import linalg as sl

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.registry import static


class Piecewise:
    """On interval k the sum over j of rows[j][k] * (t - x[k])**(degree - j)."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.PPoly

    def __init__(self, rows, x, extrapolate):
        self.rows = rows
        self.x = x
        self.axis = 0
        self.extrapolate = extrapolate

    @property
    def c(self):
        return np.stack(self.rows)

    def _alike(self, rows, extrapolate):
        return Piecewise(rows, self.x, extrapolate)

    def __call__(self, x, nu=0, extrapolate=None):
        rows = derived(self.rows, nu) if nu >= 0 else integrated(self.rows, self.x, -nu)
        return evaluated(rows, self.x, x, self.extrapolate if extrapolate is None else extrapolate)

    def derivative(self, nu=1):
        if nu < 0:
            return self.antiderivative(-nu)
        return self._alike(derived(self.rows, nu), self.extrapolate)

    def antiderivative(self, nu=1):
        if nu <= 0:
            return self.derivative(-nu)
        how = False if self.extrapolate == "periodic" else self.extrapolate
        return self._alike(integrated(self.rows, self.x, nu), how)

    def integrate(self, a, b, extrapolate=None):
        how = self.extrapolate if extrapolate is None else extrapolate
        not_over_the_period(how)
        rows = integrated(self.rows, self.x, 1)
        return evaluated(rows, self.x, b, how) - evaluated(rows, self.x, a, how)


class CubicSpline(Piecewise):
    __adc_model__ = True
    __adc_stands_for__ = interpolate.CubicSpline

    def _alike(self, rows, extrapolate):
        return CubicSpline(rows, self.x, extrapolate)


class Hermite(Piecewise):
    __adc_model__ = True
    __adc_stands_for__ = interpolate.CubicHermiteSpline

    def _alike(self, rows, extrapolate):
        return Hermite(rows, self.x, extrapolate)


class Pchip(Piecewise):
    __adc_model__ = True
    __adc_stands_for__ = interpolate.PchipInterpolator

    def _alike(self, rows, extrapolate):
        return Pchip(rows, self.x, extrapolate)


class Akima(Piecewise):
    __adc_model__ = True
    __adc_stands_for__ = interpolate.Akima1DInterpolator

    def _alike(self, rows, extrapolate):
        return Akima(rows, self.x, extrapolate)


@static
def first_axis(axis, ndim):
    """Raise UnsupportedError unless an axis is the first of `ndim`."""
    if axis % ndim:
        raise UnsupportedError(
            f"an interpolation along axis {axis} is not supported",
            why="Its rule goes along the first one.",
            repair="Give np.moveaxis(y, axis, 0), with axis=0.",
        )


@static
def not_over_the_period(extrapolate):
    if extrapolate == "periodic":
        raise UnsupportedError(
            "the integral of a periodic spline is not supported",
            why="It goes over several periods.",
            repair="Subtract values of spline.antiderivative(), within one period.",
        )


@static
def ends(bc_type):
    """The conditions at both ends: "not-a-knot", "periodic", or (order of a derivative, its value)."""
    if isinstance(bc_type, str):
        bc_type = (bc_type, bc_type)
    names = {"natural": (2, 0.0), "clamped": (1, 0.0)}
    return tuple(names.get(end, end) if isinstance(end, str) else tuple(end) for end in bc_type)


def numbers(y):
    """An array of floats of 64 bits, or of complex numbers of such, which SciPy makes of the values it is given."""
    given = np.asarray(y)
    return given.astype(complex if np.iscomplexobj(given) else float)


@static
def _not_complex(is_complex):
    if is_complex:
        raise UnsupportedError(
            "complex numbers are not supported where SciPy takes real ones",
            why="SciPy refuses them, or leaves their imaginary parts out.",
            repair="Give np.real and np.imag one after the other.",
        )


def reals(x):
    """An array of floats of 64 bits: points, knots, and values that are real."""
    given = np.asarray(x)
    _not_complex(np.iscomplexobj(given))
    return given.astype(float)


def increasing(x, y):
    """Raise ValueError, as SciPy does, for points that are none to interpolate at."""
    if np.shape(x)[0] != np.shape(y)[0]:
        raise ValueError("The length of `y` along `axis`=0 doesn't match the length of `x`")
    if np.shape(x)[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if np.any(np.diff(x) <= 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")


def beside(values, extra):
    """Values for each point, in the shape of what has `extra` axes more."""
    return np.reshape(values, np.shape(values) + (1,) * extra)


def evaluated(rows, breaks, x, extrapolate):
    """The piecewise polynomial at points of any shape; NaN outside where nothing is said about it."""
    points = reals(x)
    first, last = breaks[0], breaks[-1]
    if extrapolate == "periodic":
        points = first + np.remainder(points - first, last - first)
    place = np.clip(np.searchsorted(breaks, points, side="right") - 1, 0, np.shape(breaks)[0] - 2)
    extra = np.ndim(rows[0]) - 1
    t = beside(points - breaks[place], extra)
    total = rows[0][place]
    for j in range(1, len(rows)):
        total = total * t + rows[j][place]
    if extrapolate:
        return total
    return np.where(beside((points >= first) & (points <= last), extra), total, np.nan)


def derived(rows, nu):
    """The coefficients of a derivative."""
    for _ in range(nu):
        degree = len(rows) - 1
        if degree == 0:
            rows = (0.0 * rows[0],)
        else:
            rows = tuple([(degree - j) * rows[j] for j in range(degree)])
    return rows


def integrated(rows, breaks, nu):
    """The coefficients of the antiderivative that is 0 at the first break point."""
    for _ in range(nu):
        degree = len(rows)
        parts = [rows[j] / (degree - j) for j in range(degree)]
        width = beside(np.diff(breaks), np.ndim(rows[0]) - 1)
        areas = parts[0] * width
        for j in range(1, degree):
            areas = (areas + parts[j]) * width
        before = np.concatenate((0.0 * areas[:1], np.cumsum(areas, axis=0)[:-1]))
        rows = tuple(parts) + (before,)
    return rows


def hermite(kind, x, y, slopes, extrapolate):
    """The cubics with given values and slopes at the points x, as an object of a class."""
    width = beside(np.diff(x), np.ndim(y) - 1)
    secant = np.diff(y, axis=0) / width
    bend = (slopes[:-1] + slopes[1:] - 2.0 * secant) / width
    rows = (bend / width, (secant - slopes[:-1]) / width - bend, slopes[:-1], y[:-1])
    return kind(rows, x, extrapolate)


# --- cubic splines ------------------------------------------------------------------------------------------


def _end(end, at, near, width, secant, step):
    """The equation for the slope at an end: diagonal, its neighbour and right side. `step` is -1 at the last."""
    h, second = width[at], width[near]
    if end == "not-a-knot":
        few = np.shape(width)[0] == 1
        both = h + second
        right = ((h + 2.0 * both) * second * secant[at] + h * h * secant[near]) / both
        return np.where(few, 1.0, second), np.where(few, 0.0, both), np.where(few, secant[at], right)
    order, value = end
    if order == 1:
        return 1.0, 0.0, value + 0.0 * secant[at]
    return 2.0 * h, h, 3.0 * h * secant[at] - step * 0.5 * value * h * h


def _cyclic_slopes(width, secant):
    """The slopes of a periodic spline."""
    m = np.shape(width)[0]
    before, before_secant = np.roll(width, 1), np.roll(secant, 1, axis=0)
    extra = np.ndim(secant) - 1
    eye = np.eye(m)
    system = beside(2.0 * (before + width), 1) * eye
    system = (
        system + beside(before, 1) * np.roll(eye, 1, axis=1) + beside(width, 1) * np.roll(eye, -1, axis=1)
    )
    right = 3.0 * (beside(width, extra) * before_secant + beside(before, extra) * secant)
    slopes = np.reshape(np.linalg.solve(system, np.reshape(right, (m, -1))), np.shape(right))
    return np.concatenate((slopes, slopes[:1]))


def _slopes(x, y, start, stop):
    """The slopes of a cubic spline, whose second derivative is continuous."""
    width = np.diff(x)
    extra = np.ndim(y) - 1
    wide = beside(width, extra)
    secant = np.diff(y, axis=0) / wide
    if start == "periodic":
        return _cyclic_slopes(width, secant)
    m = np.shape(width)[0]
    near = np.minimum(1, m - 1)
    first, upper, right_first = _end(start, 0, near, width, secant, 1.0)
    last, lower, right_last = _end(stop, m - 1, m - 1 - near, width, secant, -1.0)
    if start == "not-a-knot" and stop == "not-a-knot":
        parabola = m == 2  # both conditions say the same of three points
        first, upper = np.where(parabola, 1.0, first), np.where(parabola, 1.0, upper)
        last, lower = np.where(parabola, 1.0, last), np.where(parabola, 1.0, lower)
        right_first = np.where(parabola, 2.0 * secant[0], right_first)
        right_last = np.where(parabola, 2.0 * secant[-1], right_last)
    band = np.zeros((3, m + 1))
    band[0, 2:] = width[:-1]
    band[0, 1] = upper
    band[1, 1:-1] = 2.0 * (width[:-1] + width[1:])
    band[1, 0] = first
    band[1, -1] = last
    band[2, :-2] = width[1:]
    band[2, -2] = lower
    right = np.zeros_like(y)
    right[1:-1] = 3.0 * (wide[1:] * secant[:-1] + wide[:-1] * secant[1:])
    right[0] = right_first
    right[-1] = right_last
    columns = np.reshape(right, (m + 1, -1))
    if np.iscomplexobj(columns):
        real = sl.solve_banded((1, 1), band, np.real(columns))
        solved = real + 1j * sl.solve_banded((1, 1), band, np.imag(columns))
    else:
        solved = sl.solve_banded((1, 1), band, columns)
    return np.reshape(solved, np.shape(y))


def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """`CubicSpline(x, y)`."""
    x, y = reals(x), numbers(y)
    first_axis(axis, np.ndim(y))
    increasing(x, y)
    start, stop = ends(bc_type)
    if start == "periodic" and not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ValueError("The first and last `y` points must be identical when bc_type='periodic'.")
    how = extrapolate
    if how is None:
        how = "periodic" if start == "periodic" else True
    return hermite(CubicSpline, x, y, _slopes(x, y, start, stop), how)


# --- cubics with slopes of their own ------------------------------------------------------------------------


def cubic_hermite_spline(x, y, dydx, axis=0, extrapolate=None):
    """`CubicHermiteSpline(x, y, dydx)`."""
    x, y = reals(x), numbers(y)
    first_axis(axis, np.ndim(y))
    increasing(x, y)
    return hermite(Hermite, x, y, numbers(dydx), True if extrapolate is None else extrapolate)


def _one_sided(h, second, m, next_m):
    """The slope at an end from three points, kept from overshooting."""
    d = ((2.0 * h + second) * m - h * next_m) / (h + second)
    steep = (np.sign(m) != np.sign(next_m)) & (np.abs(d) > 3.0 * np.abs(m))
    return np.where(np.sign(d) != np.sign(m), 0.0, np.where(steep, 3.0 * m, d))


def pchip(x, y, axis=0, extrapolate=None):
    """`PchipInterpolator(x, y)`: slopes that keep a monotone succession of values monotone."""
    x, y = reals(x), reals(y)
    first_axis(axis, np.ndim(y))
    increasing(x, y)
    width = beside(np.diff(x), np.ndim(y) - 1)
    secant = np.diff(y, axis=0) / width
    m = np.shape(width)[0]
    near = np.minimum(1, m - 1)
    left, right = secant[:-1], secant[1:]
    flat = (np.sign(left) != np.sign(right)) | (left == 0.0) | (right == 0.0)
    one, two = 2.0 * width[1:] + width[:-1], width[1:] + 2.0 * width[:-1]
    means = (one + two) / (one / np.where(flat, 1.0, left) + two / np.where(flat, 1.0, right))
    slopes = np.zeros_like(y)
    slopes[1:-1] = np.where(flat, 0.0, means)
    slopes[0] = _one_sided(width[0], width[near], secant[0], secant[near])
    slopes[-1] = _one_sided(width[-1], width[m - 1 - near], secant[-1], secant[m - 1 - near])
    return hermite(Pchip, x, y, slopes, True if extrapolate is None else extrapolate)


def akima(x, y, axis=0, *, method="akima", extrapolate=None):
    """`Akima1DInterpolator(x, y)`."""
    x, y = reals(x), reals(y)
    first_axis(axis, np.ndim(y))
    increasing(x, y)
    secant = np.diff(y, axis=0) / beside(np.diff(x), np.ndim(y) - 1)
    count = np.shape(secant)[0]
    near = np.minimum(1, count - 1)
    first, last = secant[0], secant[-1]
    second, before_last = secant[near], secant[count - 1 - near]
    m = np.concatenate(
        (
            np.stack((3.0 * first - 2.0 * second, 2.0 * first - second)),
            secant,
            np.stack((2.0 * last - before_last, 3.0 * last - 2.0 * before_last)),
        )
    )
    change = np.abs(np.diff(m, axis=0))
    after, before = change[2:], change[:-2]
    slopes = 0.5 * (m[3:] + m[:-3])
    if method == "makima":
        size = 0.5 * np.abs(m[1:] + m[:-1])
        after, before = after + size[2:], before + size[:-2]
        slopes = 0.0 * slopes
    both = after + before
    uneven = both > 1e-9 * np.max(both)
    weighted = m[1:-2] + (before / np.where(uneven, both, 1.0)) * (m[2:-1] - m[1:-2])
    return hermite(
        Akima, x, y, np.where(uneven, weighted, slopes), False if extrapolate is None else extrapolate
    )


def _made_of(c, x, extrapolate=None, axis=0):
    """`PPoly(c, x)`."""
    c = numbers(c)
    first_axis(axis, np.ndim(c) - 1)
    rows = tuple([c[j] for j in range(np.shape(c)[0])])
    return Piecewise(rows, reals(x), True if extrapolate is None else extrapolate)


def _found(spline):
    """What stands for a piecewise polynomial that was made outside."""
    first_axis(spline.axis, spline.c.ndim - 1)
    return _KINDS[type(spline)](tuple(spline.c), spline.x, spline.extrapolate)


MAKERS: dict[Any, Callable[..., Any]] = {
    interpolate.PPoly: _made_of,
    interpolate.CubicSpline: cubic_spline,
    interpolate.CubicHermiteSpline: cubic_hermite_spline,
    interpolate.PchipInterpolator: pchip,
    interpolate.Akima1DInterpolator: akima,
}
_KINDS: dict[Any, type] = {
    kind.__adc_stands_for__: kind for kind in (Piecewise, CubicSpline, Hermite, Pchip, Akima)
}
for _class, _maker in MAKERS.items():
    registry.stands_for(_class, _maker)
    registry.model_of_type(_class, _found)
