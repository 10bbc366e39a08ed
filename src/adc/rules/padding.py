"""Rule of np.pad: what stands beside an array is a constant, a ramp, a statistic of it, or the array itself again."""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _fits(count, wanted):
    """Whether there are as many items as wanted, and not one for all."""
    if count not in (1, wanted):
        raise ValueError(f"np.pad is given {count} items where 1 or {wanted} are said")
    return count == wanted


@static
def _widths(pad_width, ndim):
    """(before, after) for each axis."""
    if isinstance(pad_width, dict):
        named = {axis % ndim: width for axis, width in pad_width.items()}
        pairs = [named.get(k, 0) for k in range(ndim)]
        return tuple(tuple(p) if isinstance(p, (list, tuple)) else (p, p) for p in pairs)
    if not isinstance(pad_width, (list, tuple, range)):
        return ((pad_width, pad_width),) * ndim
    if not isinstance(pad_width[0], (list, tuple, range)):
        before, after = pad_width if _fits(len(pad_width), 2) else (pad_width[0], pad_width[0])
        return ((before, after),) * ndim
    pairs = tuple(tuple(p) if _fits(len(p), 2) else (p[0], p[0]) for p in pad_width)
    return pairs if _fits(len(pairs), ndim) else pairs * ndim


@static
def _padded(widths):
    """The axes that are padded at all."""
    zero = [all(isinstance(w, (int, np.integer)) and w == 0 for w in pair) for pair in widths]
    return tuple(k for k in range(len(widths)) if not zero[k])


def _is_for_all(values):
    """Whether one value is said of both sides of all axes."""
    return not isinstance(values, (list, tuple)) and np.ndim(values) == 0


def _chosen(values, axis, side, ndim):
    """What is said of one side of one axis: a value for all, one per side, or a pair per axis."""
    if values is None or _is_for_all(values):
        return values
    if not isinstance(values, (list, tuple)):
        return np.broadcast_to(values, (ndim, 2))[axis, side]
    if isinstance(values[0], (list, tuple)):
        pair = values[axis if _fits(len(values), ndim) else 0]
        return pair[side if _fits(len(pair), 2) else 0]
    return values[side if _fits(len(values), 2) else 0]


@static
def _known_mode(mode):
    known = (
        "constant",
        "edge",
        "wrap",
        "symmetric",
        "reflect",
        "linear_ramp",
        "maximum",
        "minimum",
        "mean",
        "median",
    )
    if mode not in known:
        raise UnsupportedError(
            f'np.pad with mode="{mode}" is not supported', repair="Concatenate what stands at the edges."
        )
    return mode


def _period(n, mode):
    """After how many positions a mirrored axis turns round."""
    return n if mode == "symmetric" else np.maximum(n - 1, 1)


def source(n, before, after, mode):
    """For each position of a padded axis, the position that it repeats."""
    position = np.arange(-before, n + after)
    if mode == "edge":
        return np.clip(position, 0, n - 1)
    if mode == "wrap":
        return np.remainder(position, n)
    period = _period(n, mode)
    folded = np.remainder(position, 2 * period)
    turned = np.minimum(folded, 2 * period - folded - (1 if mode == "symmetric" else 0))
    return np.minimum(turned, n - 1)  # a single element is its own mirror image


def _repeated(a, k, before, after, mode):
    """An axis with parts of itself on both sides: only what stands there is gathered."""
    n = a.shape[k]
    position = source(n, before, after, mode)
    at = (slice(None),) * k
    return np.concatenate((a[at + (position[:before],)], a, a[at + (position[before + n :],)]), axis=k)


def _beside_axis(factors, a, k):
    """Numbers for the positions of one axis, in the precision of a and ready to multiply it."""
    typed = factors.astype(a.dtype)
    return np.reshape(typed, (1,) * k + (np.size(factors),) + (1,) * (np.ndim(a) - 1 - k))


def _odd(a, k, before, after, mode):
    """An axis mirrored at its ends, with the sign turned: 2 a[end] minus what a mirror shows."""
    n = a.shape[k]
    at = (slice(None),) * k
    mirrored = a[at + (source(n, before, after, mode),)]
    first, last = np.expand_dims(a[at + (0,)], k), np.expand_dims(a[at + (n - 1,)], k)
    turns = np.floor_divide(np.arange(-before, n + after), _period(n, mode))
    odd = np.remainder(turns, 2)
    # After two turns the axis repeats, higher by twice the rise from one end to the other.
    rise = (last - first) * _beside_axis(turns - odd, a, k)
    return np.where(_beside_axis(odd, a, k) == 1, 2 * last - mirrored, mirrored) + rise


def _statistic(a, k, mode, length, side):
    """The statistic of the elements near one end of an axis, of all where no length is given."""
    n = a.shape[k]
    near = a
    if length is not None:
        taken = np.minimum(length, n)
        near = a[(slice(None),) * k + (slice(0, taken) if side == 0 else slice(n - taken, n),)]
    if mode == "maximum":
        return np.max(near, axis=k, keepdims=True)
    if mode == "minimum":
        return np.min(near, axis=k, keepdims=True)
    if mode == "mean":
        return np.mean(near, axis=k, keepdims=True)
    return np.median(near, axis=k, keepdims=True)


def _typed(x, a):
    return x if a.dtype.kind in "fc" else x.astype(a.dtype)


def _beside(a, k, mode, width, side, values):
    """What stands before (side 0) or after the elements of one axis."""
    lengths = np.shape(a)[:k] + (width,) + np.shape(a)[k + 1 :]
    zeros = np.zeros(lengths, dtype=a.dtype)
    if mode == "constant":
        return _typed(zeros + values, a)
    if mode == "linear_ramp":
        edge = np.expand_dims(a[(slice(None),) * k + (0 if side == 0 else a.shape[k] - 1,)], k)
        step = np.arange(width) if side == 0 else width - 1 - np.arange(width)
        if a.dtype.kind in "fc":
            share = _beside_axis(step / np.maximum(width, 1), a, k)
            return zeros + (values + (edge - values) * share)
        share = _beside_axis(step / np.maximum(width, 1), as_floats(a), k)
        return np.floor(values + (edge * 1.0 - values) * share).astype(a.dtype)
    statistic = _statistic(a, k, mode, values, side)
    if mode in ("mean", "median") and a.dtype.kind not in "fc":
        statistic = np.rint(statistic)
    return zeros + _typed(statistic, a)


def _within(a, widths, value):
    """An array in the middle of a larger one that is one number all round."""
    lengths = ()
    middle = ()
    for k in range(np.ndim(a)):
        before, after = widths[k]
        lengths = lengths + (before + a.shape[k] + after,)
        middle = middle + (slice(before, before + a.shape[k]),)
    result = np.full(lengths, value, dtype=a.dtype)
    result[middle] = a
    return result


@composite(
    np.pad,
    wrt="array constant_values end_values",
    examples=lambda r: [
        (r.normal(3), 2),
        (r.normal(2, 3), 1),
        (r.normal(2, 3), ((1, 0), (2, 1))),
        (r.normal(2, 3), ((0, 0), (1, 2))),
        (r.normal(2, 3), 0, "edge"),
        call(r.normal(2, 3), ((1, 0), (0, 2)), constant_values=0.5),
        call(r.normal(3), (1, 2), constant_values=1.5),
        call(r.normal(3), (1, 2), constant_values=np.array([1.5, -2.0])),
        call(r.normal(2, 2), ((1, 0), (1, 2)), constant_values=np.array([[1.5], [-2.0]])),
        call(r.normal(2, 2), ((1, 1), (0, 2)), constant_values=((1.0, 2.0), (3.0, 4.0))),
        (r.normal(3), 2, "edge"),
        (r.normal(4), (2, 3), "reflect"),
        (r.normal(2, 3), 1, "reflect"),
        (r.normal(1), (3, 2), "reflect"),
        call(r.normal(1, 3), (2, 5), "reflect", reflect_type="odd"),
        (r.normal(3), (5, 4), "wrap"),
        (r.normal(3), (4, 2), "symmetric"),
        (r.normal(2, 3), ((0, 1), (2, 0)), "edge"),
        call(r.normal(3), (5, 7), "reflect", reflect_type="odd"),
        call(r.normal(2, 3), ((2, 1), (1, 2)), "symmetric", reflect_type="odd"),
        (r.normal(2, 3), ((1, 2), (3, 0)), "linear_ramp"),
        call(r.normal(3), (2, 1), "linear_ramp", end_values=(1.0, -2.0)),
        call(r.normal(2, 3), ((1, 2), (3, 0)), "linear_ramp", end_values=((1.0, 2.0), (3.0, 4.0))),
        (r.distinct(2, 3), 2, "maximum"),
        call(r.distinct(4), (2, 1), "minimum", stat_length=(2, 9)),
        (r.normal(2, 3), ((1, 2), (0, 3)), "mean"),
        call(r.distinct(5), 2, "median", stat_length=3),
    ],
    notes='every mode but "empty" and functions',
)
def pad(
    array,
    pad_width,
    mode="constant",
    constant_values=0,
    end_values=0,
    stat_length=None,
    reflect_type="even",
):
    if isinstance(pad_width, np.ndarray):
        pad_width = pad_width.tolist()
    widths = _widths(pad_width, np.ndim(array))
    kind = _known_mode(mode)
    axes = _padded(widths)
    if len(axes) == 0:
        return np.copy(array)
    for k in axes:
        if widths[k][0] < 0 or widths[k][1] < 0:
            raise ValueError("index can't contain negative values")
    if kind == "constant" and len(axes) > 1 and _is_for_all(constant_values):
        return _within(array, widths, constant_values)
    said = constant_values if kind == "constant" else end_values if kind == "linear_ramp" else stat_length
    result = array
    for k in axes:
        before, after = widths[k]
        if kind in ("edge", "wrap") or (kind in ("reflect", "symmetric") and reflect_type == "even"):
            result = _repeated(result, k, before, after, kind)
        elif kind in ("reflect", "symmetric"):
            result = _odd(result, k, before, after, kind)
        else:
            head = _beside(result, k, kind, before, 0, _chosen(said, k, 0, np.ndim(array)))
            tail = _beside(result, k, kind, after, 1, _chosen(said, k, 1, np.ndim(array)))
            result = np.concatenate((head, result, tail), axis=k)
    return result
