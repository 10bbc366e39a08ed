"""Rules of functions that write to their first argument, as the assignments that they are."""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _writes(parameter):
    """What an engine and the kit must know: the function returns nothing and changes this parameter."""
    return {"writes": parameter}


def position_of(flat, lengths):
    """Positions in a flattened array as one index array per axis; what lies outside stays outside, and is refused."""
    index = ()
    rest = flat
    for k in range(len(lengths) - 1, 0, -1):
        index = (np.remainder(rest, lengths[k]),) + index
        rest = np.floor_divide(rest, lengths[k])
    return (rest,) + index


def axis_index(indices, axis, arr):
    """One index array per axis of `arr`, `indices` along one of them."""
    ndim = np.ndim(arr)
    index = ()
    for k in range(ndim):
        if k == axis % ndim:
            index = index + (indices,)
        else:
            n = arr.shape[k]
            index = index + (np.reshape(np.arange(n), (1,) * k + (n,) + (1,) * (ndim - 1 - k)),)
    return index


@composite(
    np.put_along_axis,
    wrt="arr values",
    extra=_writes("arr"),
    examples=lambda r: [
        (r.normal(2, 3), np.array([[2], [0]]), r.normal(2, 1), 1),
        (r.normal(3), np.array([1]), 0.5, 0),
        (r.normal(3, 4), np.array([[1, -1]]), r.normal(3, 2), 1),
        (r.normal(3, 4), np.array([[1, -1]]), r.normal(2), 1),
        (r.normal(1, 4), np.array([[1, 0], [3, -2], [1, 2]]), r.normal(3, 2), 1),
        (r.normal(2, 3), np.array([4, 0, -2]), r.normal(3), None),
    ],
)
def put_along_axis(arr, indices, values, axis):
    if axis is None:
        arr[position_of(indices, np.shape(arr))] = values
    else:
        arr[axis_index(indices, axis, arr)] = values


@composite(
    np.put,
    wrt="a v",
    extra=_writes("a"),
    examples=lambda r: [
        (r.normal(4), np.array([2, 0]), r.normal(2)),
        (r.normal(2, 3), np.array([4, 0]), 0.5),
        (r.normal(2, 3), np.array([4, 0, 1]), r.normal(2)),
        (r.normal(2, 3), np.array([-1, -6]), r.normal(2)),
        call(r.normal(2, 3), np.array([-2, 9]), r.normal(2), mode="clip"),
        call(r.normal(2, 3), np.array([-2, 9]), r.normal(2), mode="wrap"),
    ],
)
def put(a, ind, v, mode="raise"):
    if mode == "wrap":
        ind = np.remainder(ind, np.size(a))
    elif mode == "clip":
        ind = np.clip(ind, 0, np.size(a) - 1)
    values = v if np.ndim(v) == 0 else v[np.remainder(np.arange(np.size(ind)), np.size(v))]
    a[position_of(ind, np.shape(a))] = values


@composite(
    np.place,
    wrt="arr vals",
    extra=_writes("arr"),
    examples=lambda r: [
        (r.normal(4), np.array([True, False, True, True]), r.normal(2)),
        (r.normal(2, 2), np.array([[True, False], [False, True]]), r.normal(2)),
        (r.normal(3), np.zeros(3, dtype=bool), r.normal(0)),
        (r.normal(3), np.array([True, False, True]), 0.5),
    ],
)
def place(arr, mask, vals):
    rank = np.reshape(np.cumsum(np.where(mask, 1, 0)) - 1, np.shape(mask))
    if np.ndim(vals):
        turns = np.remainder(np.maximum(rank, 0), np.maximum(np.size(vals), 1))
        vals = np.append(vals, np.zeros(1, dtype=vals.dtype))[turns]  # also of no values
    arr[...] = np.where(mask, vals, arr)


@composite(
    np.putmask,
    wrt="a values",
    extra=_writes("a"),
    examples=lambda r: [
        (r.normal(4), np.array([True, False, True, True]), r.normal(4)),
        (r.normal(2, 2), r.mask(2, 2), 0.5),
        (r.normal(2, 3), r.mask(2, 3), r.normal(2)),
    ],
)
def putmask(a, mask, values):
    if np.ndim(values):  # taken in turn, by the position in the array
        turns = np.remainder(np.arange(np.size(a)), np.size(values))
        values = np.reshape(np.ravel(values)[turns], np.shape(a))
    a[...] = np.where(mask, values, a)


@composite(
    np.copyto,
    wrt="dst src",
    extra=_writes("dst"),
    examples=lambda r: [
        (r.normal(2, 3), r.normal(3)),
        call(r.normal(4), r.normal(4), where=r.mask(4)),
        (r.normal(4), 0.5),
    ],
)
def copyto(dst, src, casting="same_kind", where=True):
    dst[...] = np.where(where, src, dst)


@composite(
    np.fill_diagonal,
    wrt="a val",
    extra=_writes("a"),
    examples=lambda r: [
        (r.normal(3, 3), 0.5),
        (r.normal(2, 3), r.normal(2)),
        (r.normal(5, 2), r.normal(3), True),
        (r.normal(2, 2, 2), 0.5),
    ],
)
def fill_diagonal(a, val, wrap=False):
    if np.ndim(a) < 2:
        raise ValueError("array must be at least 2-d")
    if wrap and np.ndim(a) == 2:
        places = np.arange(0, np.size(a), a.shape[1] + 1)
        a[places // a.shape[1], places % a.shape[1]] = _repeated(val, places)
    elif np.ndim(a) == 2:
        steps = np.arange(np.minimum(a.shape[0], a.shape[1]))
        a[steps, steps] = _repeated(val, steps)
    else:
        if np.min(a.shape) < np.max(a.shape):
            raise ValueError("All dimensions of input must be of equal length")
        steps = np.arange(a.shape[0])
        a[(steps,) * np.ndim(a)] = _repeated(val, steps)


def _repeated(val, places):
    """Values for so many places: NumPy begins anew where they are fewer."""
    return val if np.ndim(val) == 0 else np.resize(val, np.shape(places))


@static
def _alone(condition, ndim):
    """A condition that stands for a list of one; of more axes, NumPy takes its rows for the conditions."""
    if ndim > 1:
        raise UnsupportedError(
            "np.piecewise with an array of conditions", repair="Give a list of conditions."
        )
    return condition


@static
def _enough(conditions, functions):
    if functions not in (conditions, conditions + 1):
        raise ValueError(
            f"with {conditions} condition(s), either {conditions} or {conditions + 1} functions are expected"
        )


@composite(
    np.piecewise,
    wrt="x args",
    notes="each function sees only the elements of its own condition",
    examples=lambda r: [
        (
            r.distinct(4),
            [np.array([True, False, True, False]), np.array([False, True, False, False])],
            [np.sin, np.exp],
        ),
        (r.distinct(4), [np.array([True, False, True, False])], [np.sin, 2.5]),
        (r.distinct(3), [r.mask(3)], [np.exp]),
        (r.distinct(4), np.array([True, False, True, False]), [np.sin, np.exp]),
        (0.7, [np.array(False), np.array(True)], [np.exp, np.sin]),
        (r.distinct(3), [np.array([False, True, True]), np.zeros(3, dtype=bool)], [np.exp, np.max]),
        (r.distinct(3), [np.array([False, True, True])], [np.hypot, np.multiply], 3.0),
    ],
)
def piecewise(x, condlist, funclist, *args):
    conditions = condlist if isinstance(condlist, (list, tuple)) else (_alone(condlist, np.ndim(condlist)),)
    # A number is an array of one element for a while.
    row = np.reshape(x, (1,)) if np.ndim(x) == 0 else x
    _enough(len(conditions), len(funclist))
    y = np.zeros_like(row)
    rest = np.ones(np.shape(row), dtype=bool)
    for k in range(len(conditions)):
        chosen = np.reshape(conditions[k], (1,)) if np.ndim(x) == 0 else conditions[k]
        rest = rest & ~chosen
        if not callable(funclist[k]):
            y[chosen] = funclist[k]
        elif np.any(chosen):  # of no elements a function is not asked, which may ask for their largest
            y[chosen] = funclist[k](row[chosen], *args)
    if len(funclist) > len(conditions):
        last = funclist[len(conditions)]
        if not callable(last):
            y[rest] = last
        elif np.any(rest):
            y[rest] = last(row[rest], *args)
    return y[0] if np.ndim(x) == 0 else y
