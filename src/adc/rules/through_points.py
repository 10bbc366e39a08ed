"""Interpolators through scattered points: polynomials (Krogh, barycentric) and radial functions (RBFInterpolator).

A polynomial is the sum over points of y[i] times the product over j != i of (x - x[j]) / (x[i] - x[j]): smooth at the
points, too, where the barycentric formula divides by zero.
"""

import numpy as np
from scipy import interpolate

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.piecewise_polynomials import reals
from adc.rules.registry import static
from adc.rules.usual import require_usual


def _through(xi, yi, x):
    points = 1.0 * np.asarray(x)
    flat = np.ravel(points)
    itself = np.eye(xi.shape[0]) > 0.0
    above = np.where(itself, 1.0, np.expand_dims(flat, (1, 2)) - xi)
    below = np.where(itself, 1.0, np.expand_dims(xi, 1) - xi)
    basis = np.prod(above / below, axis=2)
    return np.reshape(basis @ yi, np.shape(points) + np.shape(yi)[1:])


class Krogh:
    """`KroghInterpolator(xi, yi)`."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.KroghInterpolator

    def __init__(self, xi, yi):
        self.xi = 1.0 * np.asarray(xi)
        self.yi = 1.0 * np.asarray(yi)

    def __call__(self, x):
        return _through(self.xi, self.yi, x)


class Barycentric(Krogh):
    """`BarycentricInterpolator(xi, yi)`."""

    __adc_model__ = True
    __adc_stands_for__ = interpolate.BarycentricInterpolator


def krogh(xi, yi, axis=0):
    require_usual("KroghInterpolator", axis=(axis, 0))
    return Krogh(xi, yi)


def barycentric(xi, yi=None, axis=0, *, wi=None, rng=None, random_state=None):
    require_usual("BarycentricInterpolator", axis=(axis, 0), wi=(wi, None))
    return Barycentric(xi, yi)


def krogh_interpolate(xi, yi, x, der=0, axis=0):
    require_usual("krogh_interpolate", der=(der, 0), axis=(axis, 0))
    return Krogh(xi, yi)(x)


def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    require_usual("barycentric_interpolate", der=(der, 0), axis=(axis, 0))
    return Krogh(xi, yi)(x)


# --- radial functions ---------------------------------------------------------------------------------------

_LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
_SCALED = ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")


@static
def _degree(kernel, degree, epsilon, neighbors):
    if kernel not in (*_LEAST_DEGREE, *_SCALED):
        raise ValueError(f"`kernel` must be one of {{{', '.join((*_LEAST_DEGREE, *_SCALED[1:]))}}}.")
    if neighbors is not None:
        raise UnsupportedError(
            "RBFInterpolator with `neighbors` is not supported",
            why="Which points are near changes from place to place.",
            repair="Leave it away.",
        )
    if epsilon is None and kernel in _SCALED:
        raise ValueError(
            f"`epsilon` must be specified if `kernel` is not one of {{{', '.join(_LEAST_DEGREE)}}}."
        )
    found = max(_LEAST_DEGREE.get(kernel, -1), 0) if degree is None else degree
    if found > 1:
        raise UnsupportedError(
            "RBFInterpolator with polynomials of degree 2 and more is not supported",
            repair="Take degree=1, or another kernel.",
        )
    return found


def _kernel(kernel, square):
    """A radial function of the squared distance; those that have a kink at 0 have the slope 0 there."""
    apart = square > 0.0
    r2 = np.where(apart, square, 1.0)
    if kernel == "linear":
        return np.where(apart, -np.sqrt(r2), 0.0)
    if kernel == "thin_plate_spline":
        return np.where(apart, 0.5 * r2 * np.log(r2), 0.0)
    if kernel == "cubic":
        return np.where(apart, r2 * np.sqrt(r2), 0.0)
    if kernel == "quintic":
        return np.where(apart, -r2 * r2 * np.sqrt(r2), 0.0)
    if kernel == "multiquadric":
        return -np.sqrt(square + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(square + 1.0)
    if kernel == "inverse_quadratic":
        return 1.0 / (square + 1.0)
    return np.exp(-square)


class Radial:
    """`RBFInterpolator(y, d)`: radial functions about the points, and a polynomial of degree -1 (none), 0 or 1."""

    __adc_model__ = True

    def __init__(
        self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None
    ):
        self.kernel = kernel
        self.degree = _degree(kernel, degree, epsilon, neighbors)
        self.epsilon = 1.0 if epsilon is None else epsilon
        self.y = reals(y)
        self.middle = np.mean(self.y, axis=0)  # as good as any; near the points the system is well scaled
        data = 1.0 * np.asarray(d)
        n = self.y.shape[0]
        among = self._radial(self.y) + smoothing * np.eye(n)
        beside = self._powers(self.y)
        m = beside.shape[1]
        upper = np.concatenate((among, beside), axis=1)
        lower = np.concatenate((beside.T, np.zeros((m, m))), axis=1)
        right = np.concatenate((data, np.zeros((m,) + np.shape(data)[1:])), axis=0)
        self.weights = np.linalg.solve(np.concatenate((upper, lower), axis=0), right)

    def _radial(self, x):
        apart = (np.expand_dims(x, 1) - self.y) * self.epsilon
        return _kernel(self.kernel, np.sum(apart * apart, axis=2))

    def _powers(self, x):
        one = np.ones((x.shape[0], 1))
        if self.degree < 0:
            return one[:, :0]
        return one if self.degree == 0 else np.concatenate((one, x - self.middle), axis=1)

    def __call__(self, x):
        points = reals(x)
        return np.concatenate((self._radial(points), self._powers(points)), axis=1) @ self.weights


registry.stands_for(interpolate.KroghInterpolator, krogh)
registry.stands_for(interpolate.BarycentricInterpolator, barycentric)
registry.stands_for(interpolate.krogh_interpolate, krogh_interpolate)
registry.stands_for(interpolate.barycentric_interpolate, barycentric_interpolate)
registry.stands_for(interpolate.RBFInterpolator, Radial)
