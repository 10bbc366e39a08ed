"""Interpolators of scipy.interpolate between scattered points: the plane through each triangle, or the nearest point.

Which triangles Delaunay's method makes of the points, and in which of them one lies, is piecewise constant.
"""

import functools

import numpy as np
from scipy import interpolate
from scipy.spatial import Delaunay, cKDTree

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.grid_interpolation import interp1d
from adc.rules.piecewise_polynomials import beside, numbers, reals
from adc.rules.registry import constant, static


@functools.lru_cache(maxsize=8)
def _triangles(shape, memory):
    return Delaunay(np.frombuffer(memory).reshape(shape))


def corners(points, xi):
    """The points around each of `xi`, the corners of a triangle or simplex; -1 where it is in none."""
    given = np.ascontiguousarray(points, dtype=float)
    made = _triangles(given.shape, given.tobytes())
    place = made.find_simplex(np.asarray(xi, dtype=float))
    return np.where(place[..., np.newaxis] < 0, -1, made.simplices[place]).astype(np.int64)


def nearest(points, xi):
    """The point that is nearest to each of `xi`."""
    return np.asarray(cKDTree(points).query(xi)[1])


ON_THE_TAPE = {"tape": "SciPy finds it in Python, which compiled code cannot call"}
constant(
    corners,
    parameters="points, xi",
    spelling="scipy.spatial.Delaunay.find_simplex",
    name="corners",
    extra=ON_THE_TAPE,
)
constant(
    nearest,
    parameters="points, xi",
    spelling="scipy.spatial.cKDTree.query",
    name="nearest",
    extra=ON_THE_TAPE,
)


@static
def _refuse(what):
    raise UnsupportedError(
        f"{what} is not supported",
        why="The rules of scattered points are those of planes and of the nearest point.",
        repair='Say method="linear", or use scipy.interpolate.RBFInterpolator.',
    )


@static
def _is_column(ndim):
    return ndim == 1


def _coordinates(x):
    """Points as an array whose last axis is that of the coordinates, of that or one array for each coordinate."""
    return np.stack(np.broadcast_arrays(*x), axis=-1) if isinstance(x, tuple) else reals(x)


class Planes:
    """`LinearNDInterpolator(points, values)`."""

    __adc_model__ = True

    def __init__(self, points, values, fill_value):
        self.points = points
        self.values = values
        self.fill_value = fill_value

    def __call__(self, *args):
        x = _coordinates(args[0] if len(args) == 1 else args)
        places = corners(self.points, x)
        outside = places[..., 0] < 0
        safe = np.where(places < 0, np.arange(places.shape[-1]), places)
        around = np.swapaxes(self.points[safe], -1, -2)
        ones = np.ones_like(around[..., :1, :])
        # Of points in no triangle nothing is computed that may fail: the corners are those of one that is none.
        matrix = np.where(
            beside(outside, 2),
            np.eye(places.shape[-1]),
            np.concatenate((around, ones), axis=-2),
        )
        known = np.concatenate((x, np.ones_like(x[..., :1])), axis=-1)
        shares = np.linalg.solve(matrix, known[..., np.newaxis])[..., 0]
        extra = np.ndim(self.values) - 1
        found = np.sum(beside(shares, extra) * self.values[safe], axis=np.ndim(outside))
        return np.where(beside(outside, extra), self.fill_value, found)


class Nearest:
    """`NearestNDInterpolator(x, y)`."""

    __adc_model__ = True

    def __init__(self, points, values):
        self.points = points
        self.values = values

    def __call__(self, *args):
        return self.values[nearest(self.points, _coordinates(args[0] if len(args) == 1 else args))]


def linear(points, values, fill_value=np.nan, rescale=False):
    """`LinearNDInterpolator(points, values)`."""
    if rescale:
        _refuse("LinearNDInterpolator with `rescale`")
    return Planes(_coordinates(points), numbers(values), fill_value)


def of_nearest(x, y, rescale=False, tree_options=None):
    """`NearestNDInterpolator(x, y)`."""
    if rescale or tree_options is not None:
        _refuse("NearestNDInterpolator with `rescale` or `tree_options`")
    return Nearest(_coordinates(x), numbers(y))


def griddata(points, values, xi, method="linear", fill_value=np.nan, rescale=False):
    """`griddata(points, values, xi)`."""
    places = _coordinates(points)
    if _is_column(np.ndim(places)):
        fill = "extrapolate" if method == "nearest" else fill_value
        return interp1d(places, values, kind=method, bounds_error=False, fill_value=fill)(
            xi[0] if isinstance(xi, tuple) else xi
        )
    if method == "nearest":
        return of_nearest(places, values, rescale)(xi)
    if method != "linear":
        _refuse(f"griddata with method={method!r}")
    return linear(places, values, fill_value, rescale)(xi)


registry.stands_for(interpolate.LinearNDInterpolator, linear)
registry.stands_for(interpolate.NearestNDInterpolator, of_nearest)
registry.stands_for(interpolate.griddata, griddata)
registry.model_of_type(
    interpolate.LinearNDInterpolator,
    lambda made: Planes(np.asarray(made.points), _outside(made), float(made.fill_value)),
)
registry.model_of_type(interpolate.NearestNDInterpolator, lambda made: Nearest(made.points, made.values))


def _outside(made):
    """The values of an interpolator that was made outside: SciPy keeps them with one axis more."""
    values = np.asarray(made.values)
    return values.reshape((values.shape[0], *made.values_shape))
