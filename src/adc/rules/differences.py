"""Rules of differences, integrals over samples, interpolation and convolution of sampled functions."""

import numpy as np

from adc.rules.products import conjugated
from adc.rules.reductions import as_floats, in_dtype
from adc.rules.registry import composite, lowered, pull, push, static
from adc.rules.sampler import call
from adc.rules.shapes import larger, smaller


def along(axis, ndim, part):
    """An index that takes `part` of one axis."""
    return (slice(None),) * (axis % ndim) + (part,)


def _between(a, axis, start, stop):
    """The elements from one place along an axis up to another."""
    return a[along(axis, np.ndim(a), slice(start, stop))]


def _difference(a, axis):
    later, earlier = _between(a, axis, 1, None), _between(a, axis, None, -1)
    return later != earlier if a.dtype.kind == "b" else later - earlier


def _end(value, a, axis):
    """A value to stand before or after `a` along an axis; a number is one slice."""
    if np.ndim(value) == 0:
        k = axis % np.ndim(a)
        return np.broadcast_to(value, np.shape(a)[:k] + (1,) + np.shape(a)[k + 1 :])
    return value


@composite(
    np.diff,
    wrt="a prepend append",
    extra={"gives_back": True},
    examples=lambda r: [
        r.normal(4),
        r.normal(2, 3),
        call(r.normal(3, 2), axis=0),
        (r.normal(5), 2),
        call(r.normal(3), prepend=0.5),
        call(r.normal(2, 3), append=r.normal(2, 1)),
        (r.normal(3), 0),
    ],
)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    x = a
    if n < 0:
        raise ValueError("order must be non-negative")
    if n == 0:
        return x
    if prepend is not None:
        x = np.concatenate((_end(prepend, a, axis), x), axis=axis)
    if append is not None:
        x = np.concatenate((x, _end(append, a, axis)), axis=axis)
    for _ in range(n):
        x = _difference(x, axis)
    return x


@composite(
    np.ediff1d,
    wrt="ary to_end to_begin",
    examples=lambda r: [r.normal(4), r.normal(2, 2), call(r.normal(3), to_end=0.5, to_begin=r.normal(2))],
)
def ediff1d(ary, to_end=None, to_begin=None):
    x = np.reshape(ary, (np.size(ary),))
    result = x[1:] - x[:-1]
    if to_begin is not None:
        begin = in_dtype(np.reshape(to_begin, (np.size(to_begin),)), x.dtype)
        result = np.concatenate((begin, result))
    if to_end is not None:
        result = np.concatenate((result, in_dtype(np.reshape(to_end, (np.size(to_end),)), x.dtype)))
    return result


def _slope(f, spacing, axis, edge_order):
    """The derivative of samples along one axis, second order inside, one-sided at the ends."""
    ndim = np.ndim(f)
    if f.shape[axis] <= edge_order:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    earlier = _between(f, axis, None, -2)
    later = _between(f, axis, 2, None)
    first, second = _between(f, axis, 0, 1), _between(f, axis, 1, 2)
    last, next_to_last = _between(f, axis, -1, None), _between(f, axis, -2, -1)
    if np.ndim(spacing) == 0:
        inner = (later - earlier) / (2.0 * spacing)
        if edge_order == 1:
            begin = (second - first) / spacing
            end = (last - next_to_last) / spacing
        else:
            third, third_to_last = _between(f, axis, 2, 3), _between(f, axis, -3, -2)
            begin = (-1.5 * first + 2.0 * second - 0.5 * third) / spacing
            end = (1.5 * last - 2.0 * next_to_last + 0.5 * third_to_last) / spacing
    else:
        steps = spacing[1:] - spacing[:-1]
        k = axis % ndim
        h = np.reshape(steps, (1,) * k + (np.size(steps),) + (1,) * (ndim - 1 - k))
        left = _between(h, axis, None, -1)
        right = _between(h, axis, 1, None)
        inner = (
            later * (left / right)
            + _between(f, axis, 1, -1) * ((right * right - left * left) / (left * right))
            - earlier * (right / left)
        ) / (left + right)
        if edge_order == 1:
            begin = (second - first) / steps[0]
            end = (last - next_to_last) / steps[-1]
        else:
            third, third_to_last = _between(f, axis, 2, 3), _between(f, axis, -3, -2)
            a, b = steps[0], steps[1]  # numbers: arrays of one element are as much code as long ones
            begin = (
                -(2.0 * a + b) / (a * (a + b)) * first
                + (a + b) / (a * b) * second
                - a / (b * (a + b)) * third
            )
            a, b = steps[-2], steps[-1]
            end = (
                b / (a * (a + b)) * third_to_last
                - (a + b) / (a * b) * next_to_last
                + (2.0 * b + a) / (b * (a + b)) * last
            )
    return np.concatenate((begin, inner, end), axis=axis)


@static
def _one_or_each(spacings, axes):
    if spacings not in (0, 1, axes):
        raise TypeError("invalid number of arguments")


@composite(
    np.gradient,
    wrt="f varargs",
    examples=lambda r: [
        r.normal(5),
        (r.normal(5), 0.5),
        (r.normal(4), np.array([0.0, 0.5, 1.5, 1.8])),
        r.normal(3, 4),
        call(r.normal(3, 4), 0.5, axis=1),
        call(r.normal(4), edge_order=2),
        call(r.normal(3, 4), 0.5, np.array([0.0, 1.0, 1.5, 3.0])),
        call(r.normal(4), np.array([0.0, 0.5, 1.5, 1.8]), edge_order=2),
        call(r.normal(2, 3, 4), axis=(0, -1)),
        call(r.normal(3, 4), axis=[1]),
    ],
)
def gradient(f, *varargs, axis=None, edge_order=1):
    axes = (
        tuple(range(np.ndim(f))) if axis is None else (axis if isinstance(axis, (tuple, list)) else (axis,))
    )
    _one_or_each(len(varargs), len(axes))
    values, results = as_floats(f), []
    for k in range(len(axes)):
        spacing = 1.0 if len(varargs) == 0 else varargs[k if len(varargs) > 1 else 0]
        spacing = spacing if np.ndim(spacing) == 0 else as_floats(spacing)
        results.append(in_dtype(_slope(values, spacing, axes[k], edge_order), values.dtype))
    if len(axes) == 1:
        return results[0]
    return tuple(results)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    before = _between(y, axis, None, -1)
    after = _between(y, axis, 1, None)
    if x is None:
        return np.sum((before + after) * 0.5, axis=axis) * dx
    if np.ndim(x) == 1:
        n = np.size(x) - 1
        k = axis % np.ndim(y)
        widths = np.reshape(x[1:] - x[:-1], (1,) * k + (n,) + (1,) * (np.ndim(y) - 1 - k))
    else:
        widths = _difference(x, axis)
    return np.sum(widths * (before + after) * 0.5, axis=axis)


def _samples(r):
    return [
        r.normal(4),
        (r.normal(4), np.array([0.0, 0.5, 1.5, 1.8])),
        call(r.normal(4), dx=0.5),
        call(r.normal(3, 4), axis=0),
        call(r.normal(3, 4), x=np.array([0.0, 0.5, 1.5]), axis=0),
        call(r.normal(2, 3), r.normal(2, 3)),
    ]


# NumPy 2.0 renamed trapz.
if hasattr(np, "trapezoid"):
    composite(
        np.trapezoid,
        *((np.__dict__["trapz"],) if "trapz" in np.__dict__ else ()),
        wrt="y x dx",
        examples=_samples,
        spelling="np.trapezoid",
    )(trapezoid)


@composite(
    np.interp,
    wrt="x fp xp left right",
    examples=lambda r: [
        (0.3, np.array([0.0, 1.0, 2.5]), r.normal(3)),
        (r.uniform(-1.0, 4.0, 5), np.array([0.0, 1.0, 2.5]), r.normal(3)),
        (r.uniform(-1.0, 4.0, 2, 3), np.array([0.0, 1.0, 2.5]), r.normal(3), 0.5, -0.5),
        call(r.uniform(-3.0, 4.0, 4), np.array([0.1, 1.0, 1.7]), r.normal(3), period=2.0),
        call(r.uniform(-3.0, 4.0, 4), np.array([0.1, 1.0, 1.7]), r.normal(3), period=-2.0),
        (np.array([0.1, 0.7, 0.9]), np.array([0.4]), r.normal(1)),
    ],
    notes="at a knot the slope of the interval on its right; constant outside",
    extra={"float64_only": True},
)
def interp(x, xp, fp, left=None, right=None, period=None):
    if np.size(xp) != np.size(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        period = np.abs(period)
        where = np.remainder(x, period)
        folded = np.remainder(1.0 * xp, period)
        order = np.argsort(folded)
        knots = folded[order]
        values = 1.0 * fp[order]
        knots = np.concatenate((knots[-1:] - period, knots, knots[:1] + period))
        values = np.concatenate((values[-1:], values, values[:1]))
    else:
        where = x
        knots = 1.0 * xp  # integers would wrap
        values = 1.0 * fp
    knots, values = in_dtype(knots, np.float64), in_dtype(values, np.result_type(values, np.float64))
    n = np.size(knots)
    k = np.clip(np.searchsorted(knots, where, side="right") - 1, 0, n - 2)
    width = knots[k + 1] - knots[k] + np.where(n == 1, 1.0, 0.0)  # a single knot has no interval
    inside = values[k] + (values[k + 1] - values[k]) / width * (where - knots[k])
    below = values[0] if left is None else left
    above = values[n - 1] if right is None else right
    return np.where(where < knots[0], below, np.where(where > knots[n - 1], above, inside))


@composite(
    np.unwrap,
    wrt="p",
    examples=lambda r: [
        np.array([0.1, 3.0, 6.5, -0.3]),
        r.normal(2, 3) * 4.0,
        call(np.array([0.1, 3.0, 6.5, -0.3]), period=5.0),
    ],
)
def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
    n = p.shape[axis]
    step = _difference(p, axis)
    # The jumps are piecewise constant: whole periods.
    wrapped = np.remainder(step + 0.5 * period, period) - 0.5 * period
    wrapped = np.where((wrapped == -0.5 * period) & (step > 0.0), 0.5 * period, wrapped)
    limit = 0.5 * period if discont is None else np.maximum(discont, 0.5 * period)
    jumps = np.where(np.abs(step) < limit, 0.0, np.rint((wrapped - step) / period) * period)
    first = _between(p, axis, 0, 1)
    return np.concatenate((first, _between(p, axis, 1, n) + np.cumsum(jumps, axis=axis)), axis=axis)


# --- convolution --------------------------------------------------------------------------------------------


def _mode(mode):
    """The name of a mode, which NumPy also takes as a number."""
    return mode if isinstance(mode, str) else ("valid", "same", "full")[mode]


def _convolved(a, v, mode="full"):
    mode = _mode(mode)
    n, m = a.shape[0], v.shape[0]
    if mode == "full":
        return (n + m - 1,)
    return (larger(n, m),) if mode == "same" else (larger(n, m) - smaller(n, m) + 1,)


def _embedded(z_bar, n, m, mode):
    """The adjoint of a convolution as that of the full one."""
    if mode == "full":
        return z_bar
    shorter = np.minimum(n, m)
    before = (shorter - 1) // 2 if mode == "same" else shorter - 1
    after = shorter - 1 - before if mode == "same" else shorter - 1
    return np.concatenate((np.zeros(before, dtype=z_bar.dtype), z_bar, np.zeros(after, dtype=z_bar.dtype)))


@pull(
    np.convolve,
    wrt="a v",
    cost=100,
    shape=_convolved,
    examples=lambda r: [
        (r.normal(5), r.normal(3)),
        (r.normal(2), r.normal(4)),
        (r.normal(5), r.normal(3), "same"),
        (r.normal(5), r.normal(2), "same"),
        (r.normal(5), r.normal(3), "valid"),
        (r.normal(3), r.normal(4), "valid"),
        (r.normal(3), r.normal(4), "same"),
        (r.normal(1), r.normal(1)),
        (r.normal(5), r.normal(3), 1),
    ],
)
def convolve_pull(z_bar, z, a, v, mode="full"):
    full = _embedded(z_bar, np.size(a), np.size(v), _mode(mode))
    return np.convolve(full, np.flip(v), "valid"), np.convolve(full, np.flip(a), "valid")


@lowered(np.convolve)
def convolve_by_shifts(a, v, mode="full"):
    n, m, mode = a.shape[0], v.shape[0], _mode(mode)
    dtype = (a[:1] * v[:1]).dtype
    if mode == "valid":
        z = np.zeros(np.maximum(n, m) - np.minimum(n, m) + 1, dtype=dtype)
        if n >= m:
            _add_inside(z, a, v)
        else:
            _add_inside(z, v, a)
        return z
    z = np.zeros(n + m - 1, dtype=dtype)
    if n >= m:
        for j in range(m):
            z[j : j + n] += v[j] * a
    else:
        for j in range(n):
            z[j : j + m] += a[j] * v
    if mode == "full":
        return z
    start = (np.minimum(n, m) - 1) // 2
    return z[start : start + np.maximum(n, m)].copy()


def _add_inside(z, long, short):
    """Add to `z` the part of the convolution where the short row lies within the long one."""
    n, m = long.shape[0], short.shape[0]
    if n - m + 1 < m:
        turned = short[::-1].copy()
        for i in range(n - m + 1):
            z[i] += long[i : i + m] @ turned
    else:
        for j in range(m):
            z += short[j] * long[m - 1 - j : n - j]


@push(np.convolve)
def convolve_push(z, a, v, mode="full", *, a_dot, v_dot):
    return np.convolve(a_dot, v, mode) + np.convolve(a, v_dot, mode)


@composite(
    np.correlate,
    wrt="a v",
    examples=lambda r: [
        (r.normal(5), r.normal(3)),
        (r.normal(5), r.normal(3), "same"),
        (r.normal(5), r.normal(3), "full"),
        (r.normal(5), r.normal(2), "same"),
        (r.normal(2), r.normal(5), "same"),
        (r.normal(3), r.normal(5), "same"),
        (r.normal(4), r.normal(5), "same"),
        (r.normal(2), r.normal(4)),
        (r.normal(2), r.normal(4), "full"),
        (r.normal(4), r.normal(2), 0),
    ],
)
def correlate(a, v, mode="valid"):
    turned, mode = conjugated(np.flip(v)), _mode(mode)
    if mode != "same":
        return np.convolve(a, turned, mode)
    # NumPy correlates the longer row with the shorter one, and turns the result: of an even number of places beside
    # the middle ones, the one more is on the other side than in a convolution where `a` is the shorter.
    n, m = a.shape[0], v.shape[0]
    start = np.where(n < m, n // 2, (m - 1) // 2)
    return np.convolve(a, turned)[start : start + np.maximum(n, m)]
