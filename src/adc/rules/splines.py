"""Splines of scipy.interpolate by their B-spline coefficients: BSpline, make_interp_spline, splrep, splev, bisplev."""

import numpy as np
from scipy import interpolate

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.piecewise_polynomials import beside, first_axis, not_over_the_period, numbers, reals
from adc.rules.registry import static


class Spline:
    """`BSpline(t, c, k)`."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.BSpline

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        first_axis(axis, np.ndim(c))
        self.t = t
        self.c = c
        self.k = k
        self.axis = 0
        self.extrapolate = extrapolate

    @property
    def tck(self):
        return self.t, self.c, self.k

    def __call__(self, x, nu=0, extrapolate=None):
        how = self.extrapolate if extrapolate is None else extrapolate
        x = reals(x)
        first, last = self.t[self.k], self.t[np.shape(self.t)[0] - self.k - 1]
        if how == "periodic":
            x = first + np.remainder(x - first, last - first)
        found = values(self.t, self.c, self.k, x, nu)
        if how:
            return found
        return np.where(beside((x >= first) & (x <= last), np.ndim(self.c) - 1), found, np.nan)

    def derivative(self, nu=1):
        t, c, k = derived(self.t, self.c, self.k, nu)
        return Spline(t, c, k, self.extrapolate)

    def antiderivative(self, nu=1):
        t, c, k = integrated(self.t, self.c, self.k, nu)
        return Spline(t, c, k, False if self.extrapolate == "periodic" else self.extrapolate)

    def integrate(self, a, b, extrapolate=None):
        how = self.extrapolate if extrapolate is None else extrapolate
        not_over_the_period(how)
        first, last = self.t[self.k], self.t[np.shape(self.t)[0] - self.k - 1]
        if not how:
            a, b = np.clip(a, first, last), np.clip(b, first, last)
        t, c, k = integrated(self.t, self.c, self.k, 1)
        return values(t, c, k, reals(b), 0) - values(t, c, k, reals(a), 0)


def derived(t, c, k, nu):
    """The spline that is a derivative of one."""
    for _ in range(nu):
        if k == 0:
            c = 0.0 * c
        else:
            n = np.shape(t)[0] - k - 1
            width = beside(t[k + 1 : n + k] - t[1:n], np.ndim(c) - 1)
            apart = width > 0.0
            c = np.where(apart, k * (c[1:n] - c[: n - 1]) / np.where(apart, width, 1.0), 0.0)
            t, k = t[1:-1], k - 1
    return t, c, k


def integrated(t, c, k, nu):
    """The spline that is 0 at the first knot and has this one for its derivative."""
    for _ in range(nu):
        n = np.shape(t)[0] - k - 1
        width = beside(t[k + 1 :] - t[:n], np.ndim(c) - 1)
        area = np.cumsum(c[:n] * width, axis=0) / (k + 1)
        t, c, k = np.concatenate((t[:1], t, t[-1:])), np.concatenate((0.0 * area[:1], area)), k + 1
    return t, c, k


def values(t, c, k, x, nu):
    """A spline or its derivative at points of any shape, by de Boor's recursion."""
    t, c, k = derived(t, c, k, nu)
    extra = np.ndim(c) - 1
    place = np.clip(np.searchsorted(t, x, side="right") - 1, k, np.shape(t)[0] - k - 2)
    near = beside(np.arange(-k, 1), np.ndim(x)) + place
    d = c[near]
    for r in range(1, k + 1):
        left, right = t[near[r:]], t[near[r:] + (k + 1 - r)]
        share = beside((x - left) / (right - left), extra)
        d = (1.0 - share) * d[:-1] + share * d[1:]
    return d[0]


# --- splines through points ---------------------------------------------------------------------------------


@static
def _conditions(k, bc_type):
    """The derivatives that are given at the first and the last point."""
    if bc_type is None or bc_type == "not-a-knot":
        return (), ()
    names = {"natural": ((2, 0.0),), "clamped": ((1, 0.0),), "not-a-knot": (), None: ()}
    if isinstance(bc_type, str):
        bc_type = (bc_type, bc_type)
    first, last = (
        names.get(end, ()) if end is None or isinstance(end, str) else tuple(end) for end in bc_type
    )
    if "periodic" in bc_type or len(first) + len(last) != k - 1:
        raise UnsupportedError(
            f"make_interp_spline with bc_type={bc_type!r} and k={k} is not supported",
            why="Its rule takes conditions on derivatives at both ends, k - 1 together.",
            repair='Use scipy.interpolate.CubicSpline, or bc_type=None, "natural" or "clamped".',
        )
    return first, last


@static
def _no_knots(t, w=None, s=None, x_range=(None, None)):
    if t is not None or w is not None or s not in (None, 0, 0.0) or tuple(x_range) != (None, None):
        raise UnsupportedError(
            "a spline that smooths, has weights, or knots or bounds of its own is not supported",
            why="Its rule is that of the spline through all points.",
            repair="Say s=0, and leave the others out.",
        )


def _knots(x, k, given):
    """The knots of a spline of degree k through the points x."""
    if given:
        return np.concatenate((np.repeat(x[:1], k), x, np.repeat(x[-1:], k)))
    inner = x if k % 2 else 0.5 * (x[1:] + x[:-1])
    cut = (k + 1) // 2 if k % 2 else k // 2
    inner = inner[cut:-cut] if cut else inner
    return np.concatenate((np.repeat(x[:1], k + 1), inner, np.repeat(x[-1:], k + 1)))


def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """`make_interp_spline(x, y, k)`."""
    x, y = reals(x), numbers(y)
    first_axis(axis, np.ndim(y))
    _no_knots(t)
    first, last = _conditions(k, bc_type)
    knots = _knots(x, k, bool(first or last))
    every = np.eye(np.shape(knots)[0] - k - 1)
    rows = [values(knots, every, k, x[:1], order) for order, _ in first]
    rows += [values(knots, every, k, x, 0)]
    rows += [values(knots, every, k, x[-1:], order) for order, _ in last]
    right = [np.expand_dims(value + 0.0 * y[0], 0) for _, value in first]
    right += [y]
    right += [np.expand_dims(value + 0.0 * y[0], 0) for _, value in last]
    flat = np.concatenate(right)
    c = np.linalg.solve(np.concatenate(rows), np.reshape(flat, (np.shape(flat)[0], -1)))
    return Spline(knots, np.reshape(c, np.shape(flat)), k)


def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """`splrep(x, y)`: knots, coefficients and degree of the spline through all points."""
    _no_knots(t, w, s, (xb, xe))
    spline = make_interp_spline(x, reals(y), k)
    return spline.t, np.concatenate((spline.c, np.zeros(k + 1))), k


@static
def _known_outside(ext):
    if ext not in (0, 1, 3, "extrapolate", "zeros", "const"):
        raise UnsupportedError(
            f"a spline with ext={ext!r} is not supported",
            why="Whether it raises is only known when the program runs.",
            repair="Say 0, 1 or 3.",
        )


def splev(x, tck, der=0, ext=0):
    """`splev(x, splrep(...))`."""
    _known_outside(ext)
    t, c, k = tck if isinstance(tck, (list, tuple)) else tck.tck
    x = reals(x)
    first, last = t[k], t[np.shape(t)[0] - k - 1]
    found = values(t, c, k, np.clip(x, first, last) if ext in (3, "const") else x, der)
    return np.where((x >= first) & (x <= last), found, 0.0) if ext in (1, "zeros") else found


class Univariate:
    """A derivative or integral of `InterpolatedUnivariateSpline(x, y)`."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.UnivariateSpline

    def __init__(self, t, c, k, ext):
        self.t = t
        self.c = c
        self.k = k
        self.ext = ext

    def __call__(self, x, nu=0, ext=None):
        return splev(x, (self.t, self.c, self.k), nu, self.ext if ext is None else ext)

    def derivative(self, n=1):
        t, c, k = derived(self.t, self.c, self.k, n)
        return Univariate(t, c, k, self.ext)

    def antiderivative(self, n=1):
        t, c, k = integrated(self.t, self.c, self.k, n)
        return Univariate(t, c, k, self.ext)

    def integral(self, a, b):
        return Spline(self.t, self.c, self.k).integrate(a, b, False)

    def get_coeffs(self):
        return self.c


class Interpolated(Univariate):
    """`InterpolatedUnivariateSpline(x, y)`, and `UnivariateSpline(x, y, s=0)`, which is one."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.InterpolatedUnivariateSpline


def interpolated_univariate_spline(x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
    """`InterpolatedUnivariateSpline(x, y)`."""
    _no_knots(None, w, 0, bbox)
    t, c, k = make_interp_spline(x, reals(y), k).tck
    return Interpolated(t, c, k, ext)


def univariate_spline(x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
    """`UnivariateSpline(x, y, s=0)`."""
    _no_knots(None, w, "given by SciPy" if s is None else s, bbox)
    t, c, k = make_interp_spline(x, reals(y), k).tck
    return Interpolated(t, c, k, ext)


class Surface:
    """`RectBivariateSpline(x, y, z)`: knots and degree over x and over y, and coefficients of their products."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.RectBivariateSpline

    def __init__(self, tx, kx, ty, ky, c):
        self.tx = tx
        self.kx = kx
        self.ty = ty
        self.ky = ky
        self.c = c

    def ev(self, xi, yi, dx=0, dy=0):
        xi, yi = np.broadcast_arrays(reals(xi), reals(yi))
        xi = np.clip(xi, self.tx[self.kx], self.tx[-self.kx - 1])
        yi = np.clip(yi, self.ty[self.ky], self.ty[-self.ky - 1])
        over_y = values(self.ty, np.eye(np.shape(self.ty)[0] - self.ky - 1), self.ky, yi, dy)
        return np.sum(values(self.tx, self.c, self.kx, xi, dx) * over_y, axis=-1)

    def __call__(self, x, y, dx=0, dy=0, grid=True):
        if not grid:
            return self.ev(x, y, dx, dy)
        xi, yi = np.atleast_1d(reals(x)), np.atleast_1d(reals(y))
        return self.ev(np.expand_dims(xi, 1), np.expand_dims(yi, 0), dx, dy)


def rect_bivariate_spline(x, y, z, bbox=(None, None, None, None), kx=3, ky=3, s=0):
    """`RectBivariateSpline(x, y, z)`."""
    _no_knots(None, None, s, (None, None) if tuple(bbox) == (None,) * 4 else bbox)
    over_y = make_interp_spline(y, np.transpose(reals(z)), ky)
    over_x = make_interp_spline(x, np.transpose(over_y.c), kx)
    return Surface(over_x.t, kx, over_y.t, ky, over_x.c)


@static
def _no_grid(x_axes, y_axes):
    if x_axes or y_axes:
        raise UnsupportedError(
            "bisplev at arrays of points is not supported",
            why="What axes it has depends on whether there is one point.",
            repair="Give it numbers, or use scipy.interpolate.RectBivariateSpline.",
        )


def bisplev(x, y, tck, dx=0, dy=0):
    """`bisplev(x, y, tck)` at one point."""
    _no_grid(np.ndim(x), np.ndim(y))
    tx, ty, c, kx, ky = tck
    tx = reals(tx)
    coefficients = np.reshape(reals(c), (np.shape(tx)[0] - kx - 1, -1))
    return Surface(tx, kx, reals(ty), ky, coefficients).ev(x, y, dx, dy)


def _made_of(t, c, k, extrapolate=True, axis=0):
    """`BSpline(t, c, k)`."""
    return Spline(reals(t), numbers(c), k, extrapolate, axis)


def _found(spline):
    """What stands for a spline that was made outside."""
    return Spline(spline.t, spline.c, spline.k, spline.extrapolate, spline.axis)


def _found_univariate(spline):
    t, c, k = spline._eval_args
    kind = Interpolated if isinstance(spline, interpolate.InterpolatedUnivariateSpline) else Univariate
    return kind(t, c[: len(t) - k - 1], k, spline.ext)


def _found_surface(spline):
    tx, ty, c = spline.tck
    kx, ky = spline.degrees
    return Surface(tx, kx, ty, ky, np.reshape(c, (len(tx) - kx - 1, -1)))


registry.stands_for(interpolate.BSpline, _made_of)
registry.stands_for(interpolate.make_interp_spline, make_interp_spline)
registry.stands_for(interpolate.splrep, splrep)
registry.stands_for(interpolate.splev, splev)
registry.stands_for(interpolate.bisplev, bisplev)
registry.stands_for(interpolate.InterpolatedUnivariateSpline, interpolated_univariate_spline)
registry.stands_for(interpolate.UnivariateSpline, univariate_spline)
registry.stands_for(interpolate.RectBivariateSpline, rect_bivariate_spline)
registry.model_of_type(interpolate.BSpline, _found)
registry.model_of_type(interpolate.InterpolatedUnivariateSpline, _found_univariate)
registry.model_of_type(interpolate.UnivariateSpline, _found_univariate)
registry.model_of_type(interpolate.RectBivariateSpline, _found_surface)
