"""Interpolators of scipy.interpolate that take the nearest points of a grid: interp1d, RegularGridInterpolator."""

import numpy as np
from scipy import interpolate

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.piecewise_polynomials import beside, cubic_spline, numbers, reals
from adc.rules.registry import static
from adc.rules.splines import make_interp_spline

LINEAR, STEPS = ("linear", "slinear"), ("previous", "zero", "next", "nearest", "nearest-up")
DEGREES = {"quadratic": 2, "cubic": 3}


@static
def _known(kind):
    if kind not in (*LINEAR, *STEPS, *DEGREES):
        raise UnsupportedError(
            f"interp1d with kind={kind!r} is not supported",
            why="Its rule takes lines, steps, and splines that are quadratic or cubic.",
            repair="Use scipy.interpolate.make_interp_spline.",
        )


@static
def _is_extrapolated(fill_value):
    return isinstance(fill_value, str) and fill_value == "extrapolate"


@static
def _fills(fill_value):
    """What stands below and above the points."""
    return fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)


def floats(x):
    """An array of floats: those of 32 bits stay so."""
    return 1.0 * np.asarray(x)


class Interpolator:
    """`interp1d(x, y)`; the points go along the first axis here."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.interp1d

    def __init__(self, x, y, kind, bounds_error, fill_value, axis):
        self.x = x
        self.y = y
        self.kind = kind
        self.bounds_error = bounds_error
        self.fill_value = fill_value
        self.axis = axis

    def __call__(self, x):
        points = floats(x)
        below, above = points < self.x[0], points > self.x[-1]
        if self.bounds_error and np.any(below | above):
            raise ValueError("A value in x_new is outside the interpolation range.")
        extra = np.ndim(self.y) - 1
        if self.kind == "cubic":
            found = cubic_spline(self.x, self.y)(points)
        elif self.kind == "quadratic":
            found = make_interp_spline(self.x, self.y, 2)(points)
        elif self.kind in LINEAR:
            place = np.clip(np.searchsorted(self.x, points), 1, np.shape(self.x)[0] - 1)
            left, right = self.x[place - 1], self.x[place]
            low, high = self.y[place - 1], self.y[place]
            found = low + (high - low) * beside((points - left) / (right - left), extra)
        else:
            found = self.y[self._step(points)]
        if not _is_extrapolated(self.fill_value):
            low, high = _fills(self.fill_value)
            found = np.where(beside(below, extra), low, np.where(beside(above, extra), high, found))
        count = np.ndim(points)
        return np.moveaxis(found, tuple(range(count)), tuple(range(self.axis, self.axis + count)))

    def _step(self, points):
        """The point whose value is taken."""
        last = np.shape(self.x)[0] - 1
        if self.kind in ("previous", "zero"):
            return np.clip(np.searchsorted(self.x, points, side="right") - 1, 0, last)
        if self.kind == "next":
            return np.clip(np.searchsorted(self.x, points, side="left"), 0, last)
        middle = 0.5 * (self.x[1:] + self.x[:-1])
        return np.searchsorted(middle, points, side="left" if self.kind == "nearest" else "right")


def interp1d(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False
):
    """`interp1d(x, y)`."""
    x, y = floats(x), floats(y)
    _known(kind)
    axis = axis % np.ndim(y)
    y = np.moveaxis(y, axis, 0)
    if np.shape(x)[0] != np.shape(y)[0]:
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if kind in DEGREES and np.shape(x)[0] <= DEGREES[kind]:
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {DEGREES[kind] + 1 - np.shape(x)[0]},"
            " got 0+0"
        )
    if not assume_sorted:
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    raises = bounds_error
    if raises is None:
        raises = not _is_extrapolated(fill_value) and isinstance(fill_value, float) and np.isnan(fill_value)
    return Interpolator(x, y, kind, raises, fill_value, axis)


def _found(line):
    """What stands for an interpolator that was made outside."""
    kind = line._kind
    if kind == "spline":
        kind = {0: "zero", 1: "linear", 2: "quadratic", 3: "cubic"}.get(line._spline.k, line._spline.k)
    _known(kind)
    fill = "extrapolate" if line._extrapolate else line.fill_value
    y = np.moveaxis(np.asarray(line.y), line.axis % np.ndim(line.y), 0)
    return Interpolator(line.x, y, kind, bool(line.bounds_error), fill, line.axis % np.ndim(line.y))


class Grid:
    """`RegularGridInterpolator(points, values)`."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.RegularGridInterpolator

    def __init__(self, points, values, method, bounds_error, fill_value):
        self.grid = points
        self.values = values
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, xi, method=None):
        how = self.method if method is None else method
        axes = len(self.grid)
        if isinstance(xi, tuple):
            x = np.broadcast_arrays(*xi)
        else:
            given = reals(xi)
            if np.ndim(given) == 1:
                given = np.reshape(given, (-1, axes))
            x = [given[..., k] for k in range(axes)]
        outside = x[0] != x[0]
        for k in range(axes):
            outside = outside | (x[k] < self.grid[k][0]) | (x[k] > self.grid[k][-1])
        if self.bounds_error and np.any(outside):
            raise ValueError("One of the requested xi is out of bounds")
        found = (
            _through(self.grid, self.values, x)
            if how == "cubic"
            else _in_cell(self.grid, self.values, x, (), how)
        )
        if self.bounds_error or self.fill_value is None:
            return found
        return np.where(beside(outside, np.ndim(self.values) - axes), self.fill_value, found)


def _in_cell(grid, values, x, places, method):
    """The values at points x, one coordinate for each axis: from one axis on, those before it at places."""
    k = len(places)
    if k == len(grid):
        return values[places]
    last = np.shape(grid[k])[0] - 1
    place = np.clip(np.searchsorted(grid[k], x[k], side="right") - 1, 0, last - 1)
    share = (x[k] - grid[k][place]) / (grid[k][place + 1] - grid[k][place])
    if method == "nearest":
        return _in_cell(grid, values, x, places + (np.where(share <= 0.5, place, place + 1),), method)
    share = beside(share, np.ndim(values) - len(grid))
    low = _in_cell(grid, values, x, places + (place,), method)
    return (1.0 - share) * low + share * _in_cell(grid, values, x, places + (place + 1,), method)


def _through(grid, values, x):
    """The values at points x of cubic splines along each axis, one after the other from the last one on."""
    places = np.ndim(x[0])
    found = np.broadcast_to(values, np.shape(x[0]) + np.shape(values))
    for k in range(len(grid)):
        share = cubic_spline(grid[k], np.eye(np.shape(grid[k])[0]))(x[k])  # of each point's value
        found = np.sum(beside(share, np.ndim(found) - places - 1) * found, axis=places)
    return found


@static
def _known_method(method):
    if method not in ("linear", "slinear", "nearest", "cubic"):
        raise UnsupportedError(
            f"RegularGridInterpolator with method={method!r} is not supported",
            why="Its rule takes lines, steps and cubic splines.",
            repair='Say method="linear" or "cubic", or use scipy.interpolate.RectBivariateSpline.',
        )


def regular_grid(points, values, method="linear", bounds_error=True, fill_value=np.nan, **solver):
    """`RegularGridInterpolator(points, values)`."""
    _known_method(method)
    lines = tuple([reals(p) for p in points])
    for k in range(len(lines)):
        if method == "cubic" and np.shape(lines[k])[0] < 4:
            raise ValueError("method cubic requires at least 4 points per dimension.")
    return Grid(lines, numbers(values), method, bounds_error, fill_value)


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    """`interpn(points, values, xi)`."""
    return regular_grid(points, values, method, bounds_error, fill_value)(xi)


def _found_grid(grid):
    return Grid(tuple(grid.grid), grid.values, grid.method, bool(grid.bounds_error), grid.fill_value)


registry.stands_for(interpolate.interp1d, interp1d)
registry.stands_for(interpolate.RegularGridInterpolator, regular_grid)
registry.stands_for(interpolate.interpn, interpn)
registry.model_of_type(interpolate.interp1d, _found)
registry.model_of_type(interpolate.RegularGridInterpolator, _found_grid)
