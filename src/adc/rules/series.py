"""Rules of numpy.polynomial: values of power, Chebyshev, Legendre, Hermite and Laguerre series.

Each family of polynomials has p[k + 1] = (rise(k) x + shift(k)) p[k] + back(k) p[k - 1].
"""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adc.rules.registry import composite
from adc.rules.sampler import call


def power_step(k, x):
    return x, 0.0


def chebyshev_step(k, x):
    return (2 - (k == 0)) * x, -1.0


def legendre_step(k, x):
    return (2 * k + 1) * x / (k + 1), -k / (k + 1)


def hermite_step(k, x):
    return 2.0 * x, -2.0 * k


def hermite_e_step(k, x):
    return x, -1.0 * k


def laguerre_step(k, x):
    return (2 * k + 1 - x) / (k + 1), -k / (k + 1)


def _beside(c, x, tensor):
    """Coefficients whose columns are ready to multiply what x has at each position."""
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor else c


def _value(step, x, c, tensor):
    weights = _beside(c + 0.0, x, tensor)
    before, now = 0.0 * x, 0.0 * x + 1.0
    first = weights[0] * now
    total = first
    for k in range(1, weights.shape[0]):
        factor, back = step(k - 1, x)
        before, now = now, factor * now + back * before
        total = total + weights[k] * now
    return total.astype(first.dtype)  # the factors are float64 in compiled code


def _points(r):
    return [
        (0.4, r.normal(4)),
        (r.unit(2, 3), r.normal(3)),
        (r.unit(3), r.normal(1)),
        (r.unit(3), r.normal(4, 2)),
        call(r.unit(3), r.normal(4, 3), tensor=False),
    ]


@composite(
    polynomial.polyval,
    wrt="x c",
    name="polynomial.polyval",
    spelling="np.polynomial.polynomial.polyval",
    examples=_points,
)
def polyval(x, c, tensor=True):
    return _value(power_step, x, c, tensor)


@composite(
    chebyshev.chebval,
    wrt="x c",
    name="chebval",
    spelling="np.polynomial.chebyshev.chebval",
    examples=_points,
)
def chebval(x, c, tensor=True):
    return _value(chebyshev_step, x, c, tensor)


@composite(
    legendre.legval,
    wrt="x c",
    name="legval",
    spelling="np.polynomial.legendre.legval",
    examples=_points,
)
def legval(x, c, tensor=True):
    return _value(legendre_step, x, c, tensor)


@composite(
    hermite.hermval,
    wrt="x c",
    name="hermval",
    spelling="np.polynomial.hermite.hermval",
    examples=_points,
)
def hermval(x, c, tensor=True):
    return _value(hermite_step, x, c, tensor)


@composite(
    hermite_e.hermeval,
    wrt="x c",
    name="hermeval",
    spelling="np.polynomial.hermite_e.hermeval",
    examples=_points,
)
def hermeval(x, c, tensor=True):
    return _value(hermite_e_step, x, c, tensor)


@composite(
    laguerre.lagval,
    wrt="x c",
    name="lagval",
    spelling="np.polynomial.laguerre.lagval",
    examples=_points,
)
def lagval(x, c, tensor=True):
    return _value(laguerre_step, x, c, tensor)
