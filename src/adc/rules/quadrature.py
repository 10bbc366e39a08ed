"""Rules of the sample-based integrals of scipy.integrate."""

import numpy as np
from scipy import integrate

from adc.rules.differences import along, trapezoid
from adc.rules.reductions import as_floats, in_dtype
from adc.rules.registry import composite
from adc.rules.sampler import call


def _samples(r):
    return [
        r.normal(4),
        call(r.normal(4), np.array([0.0, 0.5, 1.5, 1.8])),
        call(r.normal(3, 4), dx=0.5, axis=0),
    ]


@composite(
    integrate.trapezoid,
    wrt="y x dx",
    name="scipy.integrate.trapezoid",
    spelling="scipy.integrate.trapezoid",
    examples=_samples,
)
def trapezoid_of_scipy(y, x=None, dx=1.0, axis=-1):
    return in_dtype(trapezoid(y, x, dx, axis), as_floats(y).dtype)


@composite(
    integrate.cumulative_trapezoid,
    wrt="y x dx",
    name="scipy.integrate.cumulative_trapezoid",
    spelling="scipy.integrate.cumulative_trapezoid",
    examples=lambda r: [*_samples(r), call(r.normal(4), dx=0.5, initial=0)],
)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    k = axis % np.ndim(y)
    if y.shape[k] == 0:
        raise ValueError("At least one point is required along `axis`.")
    before = y[along(k, np.ndim(y), slice(None, -1))]
    after = y[along(k, np.ndim(y), slice(1, None))]
    if x is None:
        pieces = 0.5 * dx * (before + after)
    elif np.ndim(x) == 1:
        widths = np.reshape(x[1:] - x[:-1], (1,) * k + (np.size(x) - 1,) + (1,) * (np.ndim(y) - 1 - k))
        pieces = 0.5 * widths * (before + after)
    else:
        widths = x[along(k, np.ndim(x), slice(1, None))] - x[along(k, np.ndim(x), slice(None, -1))]
        pieces = 0.5 * widths * (before + after)
    total = np.cumsum(pieces, axis=k)
    if initial is None:
        return total
    return np.concatenate((np.zeros_like(y[along(k, np.ndim(y), slice(0, 1))]) + initial, total), axis=k)


def _simpson_weights(n):
    """The weights of n samples at distance 1. Of an even number the last interval has a parabola of its own."""
    k = np.arange(n)
    inside = n - (n + 1) % 2  # samples of the rule proper, an odd number
    weights = np.where(k % 2 == 1, 4.0, 2.0) / 3.0
    weights = np.where((k == 0) | (k == inside - 1), 1.0 / 3.0, weights)
    weights = np.where(k < inside, weights, 0.0)
    last = np.where(k == n - 1, 5.0, 0.0) + np.where(k == n - 2, 8.0, 0.0) - np.where(k == n - 3, 1.0, 0.0)
    weights = weights + last / 12.0 * ((n + 1) % 2)
    # One sample has no area, two have that of the trapezoid.
    return np.where(n < 3, (n - 1) * 0.5, weights)


def _ratio(a, b):
    """The quotient, and 0 where b is 0, as SciPy has it of positions that are equal."""
    return np.where(b == 0.0, 0.0, a / np.where(b == 0.0, 1.0, b))


def _uneven_simpson(y, x):
    """The areas under parabolas through samples at the positions x, along the last axis."""
    n = y.shape[-1]
    pairs = (n - 1) // 2
    h = x[..., 1:] - x[..., :-1]
    left, right = h[..., 0 : 2 * pairs : 2], h[..., 1 : 2 * pairs : 2]
    both = left + right
    terms = y[..., 0 : 2 * pairs : 2] * (2.0 - _ratio(right, left))
    terms = terms + y[..., 1 : 2 * pairs : 2] * _ratio(both * both, left * right)
    terms = terms + y[..., 2 : 2 * pairs + 1 : 2] * (2.0 - _ratio(left, right))
    area = np.sum(both / 6.0 * terms, axis=-1)
    # Of an even number of samples the last interval has a parabola of its own, of two samples a straight line.
    before, last = h[..., np.maximum(n - 3, 0)], h[..., n - 2]
    parabola = (
        _ratio(2.0 * last**2 + 3.0 * before * last, 6.0 * (before + last)) * y[..., n - 1]
        + _ratio(last**2 + 3.0 * before * last, 6.0 * before) * y[..., n - 2]
        - _ratio(last**3, 6.0 * before * (before + last)) * y[..., np.maximum(n - 3, 0)]
    )
    line = 0.5 * last * (y[..., n - 1] + y[..., n - 2])
    return area + np.where(n % 2 == 1, 0.0, np.where(n == 2, line, parabola))


@composite(
    integrate.simpson,
    wrt="y x dx",
    name="scipy.integrate.simpson",
    spelling="scipy.integrate.simpson",
    examples=lambda r: [
        r.normal(5),
        call(r.normal(7), dx=0.5),
        call(r.normal(3, 5), axis=1),
        call(r.normal(4), dx=0.5),
        call(r.normal(6, 2), axis=0),
        r.normal(2),
        *(call(r.normal(n), x=np.cumsum(r.positive(n))) for n in (2, 3, 4, 5, 6)),
        call(r.normal(5, 2), x=np.cumsum(r.positive(5)), axis=0),
        call(r.normal(2, 4), x=np.cumsum(r.positive(2, 4), axis=1)),
    ],
    extra={"float64_only": True},  # SciPy's positions are float64
)
def simpson(y, *, x=None, dx=1.0, axis=-1):
    if x is not None:
        if x.dtype != np.float64:
            x = x.astype(np.float64)  # SciPy takes their distances in double precision
        return _uneven_simpson(np.moveaxis(y, axis, -1), x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    if y.shape[axis] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    weights = _simpson_weights(y.shape[axis])
    if y.dtype.kind in "fc":
        weights = weights.astype(y.dtype)
    return np.tensordot(weights, y, axes=((0,), (axis,))) * dx
