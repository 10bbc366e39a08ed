"""Rules of the integrals of samples that run along with them, or refine themselves."""

import numpy as np
from scipy import integrate

from adc.rules.registry import composite
from adc.rules.sampler import call


def _of_first(y, h, next_h):
    """The integrals over the first of each two intervals, under the parabola through three samples."""
    share, ratio = h / (h + next_h), h / next_h
    product = share * ratio
    terms = (3.0 - share) * y[..., :-2] + (3.0 + product + share) * y[..., 1:-1] - product * y[..., 2:]
    return h / 6.0 * terms


def _of_equal(y, h):
    return h / 3.0 * (1.25 * y[..., :-2] + 2.0 * y[..., 1:-1] - 0.25 * y[..., 2:])


@composite(
    integrate.cumulative_simpson,
    wrt="y x dx",
    name="scipy.integrate.cumulative_simpson",
    spelling="scipy.integrate.cumulative_simpson",
    notes="of three samples at least",
    extra={"float64_only": True, "order": "A", "arrays": "dx initial"},
    examples=lambda r: [
        r.normal(5),
        call(r.normal(6), dx=0.5, initial=1.5),
        call(r.normal(4, 2), axis=0),
        call(r.normal(3), x=np.cumsum(r.positive(3))),
        call(r.normal(6), x=np.cumsum(r.positive(6)), initial=0.0),
        call(r.normal(2, 5), x=np.cumsum(r.positive(2, 5), axis=1)),
        call(r.normal(5, 2), x=np.cumsum(r.positive(5)), axis=0),
    ],
)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    rows = np.moveaxis(y, axis, -1)
    n = rows.shape[-1]
    if n < 3:
        raise ValueError("adc takes scipy.integrate.cumulative_simpson of three samples at least.")
    turned = np.flip(rows, -1)
    if x is None:
        dx = np.array(dx)  # also the default has a dtype of its own
        first, second = _of_equal(rows, dx), np.flip(_of_equal(turned, dx), -1)
    else:
        positions = x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1)
        h = positions[..., 1:] - positions[..., :-1]
        first = _of_first(rows, h[..., :-1], h[..., 1:])
        second = np.flip(_of_first(turned, np.flip(h[..., 1:], -1), np.flip(h[..., :-1], -1)), -1)
    # Parabolas over two intervals each; what is left over has that of the last three samples.
    k = np.arange(n - 1)
    opens = (k % 2 == 0) & (k < n - 2)
    before = np.concatenate((first, first[..., :1]), axis=-1)
    pieces = np.where(opens, before, np.concatenate((second[..., :1], second), axis=-1))
    total = np.cumsum(pieces, axis=-1)
    if initial is not None:
        total = np.concatenate((np.zeros_like(total[..., :1]), total), axis=-1) + initial
    return np.moveaxis(total, -1, axis)


@composite(
    integrate.romb,
    wrt="y dx",
    name="scipy.integrate.romb",
    spelling="scipy.integrate.romb",
    extra={"doubles": True},
    examples=lambda r: [r.normal(5), call(r.normal(9), dx=0.5), call(r.normal(3, 2), axis=0), r.normal(2)],
)
def romb(y, dx=1.0, axis=-1, show=False):
    rows = np.moveaxis(y, axis, 0)
    intervals = rows.shape[0] - 1
    levels = int(np.rint(np.log2(np.maximum(intervals, 1))))
    if 2**levels != intervals:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    areas = np.zeros((levels + 1, *np.shape(rows)[1:]), dtype=rows.dtype)
    for i in range(levels + 1):
        step = intervals // 2**i
        areas[i] = (np.sum(rows[::step], axis=0) - 0.5 * (rows[0] + rows[intervals])) * step
    for j in range(1, levels + 1):
        for i in range(levels, j - 1, -1):
            areas[i] += (areas[i] - areas[i - 1]) / (4.0**j - 1.0)
    return areas[levels] * dx
