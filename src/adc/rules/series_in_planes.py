"""Rules of numpy.polynomial: series in two and three variables, on points and on grids, and matrices of their terms."""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adc.rules import series
from adc.rules.registry import composite
from adc.rules.sampler import call


def _points(axes):
    """Examples of points of so many coordinates, and of coefficients."""
    return lambda r: [
        (*(r.unit(3) for _ in range(axes)), r.normal(*(4, 3, 2)[:axes])),
        (*(r.unit(2, 2) for _ in range(axes)), r.normal(*(2, 1, 3)[:axes], 2)),
        (*(0.3 for _ in range(axes)), r.normal(*(2, 3, 2)[:axes])),
    ]


def _lines(axes):
    """Examples of the lines of a grid, and of coefficients."""
    return lambda r: [
        (*(r.unit(2 + k) for k in range(axes)), r.normal(*(4, 3, 2)[:axes])),
        (*(r.unit(3 - k) for k in range(axes)), r.normal(*(2, 1, 3)[:axes], 2)),
        (*((0.3, r.unit(2), r.unit(1))[:axes]), r.normal(*(2, 3, 2)[:axes])),
    ]


def _register(module, prefix, step):
    """Register the functions of a family of polynomials, of which `step` goes from one to the next."""
    value = getattr(module, f"{prefix}val")

    def named(suffix):
        public = f"{prefix}{suffix}"
        return {"name": public, "spelling": f"np.polynomial.{module.__name__.rpartition('.')[2]}.{public}"}

    @composite(
        getattr(module, f"{prefix}val2d"),
        wrt="x y c",
        extra={"arrays": "x y"},
        examples=_points(2),
        **named("val2d"),
    )
    def val2d(x, y, c):
        if np.shape(x) != np.shape(y):
            raise ValueError("x, y are incompatible")
        return value(y, value(x, c), tensor=False)

    @composite(
        getattr(module, f"{prefix}val3d"),
        wrt="x y z c",
        extra={"arrays": "x y z"},
        examples=_points(3),
        **named("val3d"),
    )
    def val3d(x, y, z, c):
        if np.shape(x) != np.shape(y) or np.shape(x) != np.shape(z):
            raise ValueError("x, y, z are incompatible")
        return value(z, value(y, value(x, c), tensor=False), tensor=False)

    @composite(getattr(module, f"{prefix}grid2d"), wrt="x y c", examples=_lines(2), **named("grid2d"))
    def grid2d(x, y, c):
        return value(y, value(x, c))

    @composite(getattr(module, f"{prefix}grid3d"), wrt="x y z c", examples=_lines(3), **named("grid3d"))
    def grid3d(x, y, z, c):
        return value(z, value(y, value(x, c)))

    @composite(
        getattr(module, f"{prefix}vander"),
        wrt="x",
        extra={"order": "A"},
        examples=lambda r: [
            (r.unit(4), 3),
            (r.unit(2, 3), 2),
            (0.4, 2),
            (r.unit(3), 0),
            call(x=r.unit(2), deg=1),
        ],
        **named("vander"),
    )
    def vander(x, deg):
        points = np.atleast_1d(x) + 0.0
        now = 0.0 * points + 1.0
        before, terms = 0.0 * points, (now,)
        for k in range(deg):
            factor, back = step(k, points)
            before, now = now, (factor * now + back * before).astype(points.dtype)
            terms = terms + (now,)
        return np.moveaxis(np.stack(terms), 0, -1)  # lies in memory as NumPy's does


for _family in (
    (polynomial, "poly", series.power_step),
    (chebyshev, "cheb", series.chebyshev_step),
    (legendre, "leg", series.legendre_step),
    (hermite, "herm", series.hermite_step),
    (hermite_e, "herme", series.hermite_e_step),
    (laguerre, "lag", series.laguerre_step),
):
    _register(*_family)
