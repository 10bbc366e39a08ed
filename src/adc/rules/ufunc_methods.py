"""Rules of the methods of ufuncs: `np.add.reduce`, `np.multiply.accumulate`, `np.subtract.outer`, ..."""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import keywords
from adc.rules.cumulative import widened
from adc.rules.reductions import flattened
from adc.rules.registry import composite, constant, full, lowered, static
from adc.rules.sampler import call


def _reductions(r):
    return [
        r.distinct(4),
        r.distinct(2, 3),
        call(r.distinct(2, 3), axis=1),
        call(r.distinct(2, 3), axis=None),
        call(r.distinct(2, 3), axis=1, keepdims=True),
    ]


def _accumulations(r):
    return [r.distinct(4), r.distinct(2, 3), call(r.distinct(2, 3), axis=1)]


def _outers(r):
    return [(r.positive(2), r.positive(3)), (r.positive(2, 2), r.positive(3)), (1.5, r.positive(2))]


def method(ufunc, name, wrt, examples, notes=""):
    """Register a method of a ufunc by its meaning."""
    text = f"{ufunc.__name__}.{name}"
    return composite(
        getattr(ufunc, name),
        name=text,
        spelling=f"np.{text}",
        wrt=wrt,
        examples=examples,
        notes=notes,
        extra={"arrays": wrt} if name == "outer" else None,
    )


@method(np.add, "reduce", "array", _reductions)
def add_reduce(array, axis=0, keepdims=False):
    return np.sum(array, axis=axis, keepdims=keepdims)


@method(np.multiply, "reduce", "array", _reductions, "as prod")
def multiply_reduce(array, axis=0, keepdims=False):
    return np.prod(array, axis=axis, keepdims=keepdims)


@method(np.maximum, "reduce", "array", _reductions, "as max")
def maximum_reduce(array, axis=0, keepdims=False):
    return np.max(array, axis=axis, keepdims=keepdims)


@method(np.minimum, "reduce", "array", _reductions, "as min")
def minimum_reduce(array, axis=0, keepdims=False):
    return np.min(array, axis=axis, keepdims=keepdims)


@full(np.add.reduce)
def add_reduce_in_full(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return keywords.sum(array, axis, dtype, None, keepdims, initial, where)


@full(np.multiply.reduce)
def multiply_reduce_in_full(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return keywords.prod(array, axis, dtype, None, keepdims, initial, where)


@full(np.maximum.reduce)
def maximum_reduce_in_full(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return keywords.max(keywords.as_dtype(array, dtype), axis, None, keepdims, initial, where)


@full(np.minimum.reduce)
def minimum_reduce_in_full(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return keywords.min(keywords.as_dtype(array, dtype), axis, None, keepdims, initial, where)


@static
def _of_all(name, initial, where):
    """Refuse what begins elsewhere, or leaves elements out, where elements follow each other."""
    if initial is not None or where is not None:
        raise UnsupportedError(
            f"np.{name}.reduce with `initial` or `where` is not supported",
            repair="Reduce what is chosen, x[mask].",
        )


def _told(ufunc):
    """Register the reduction in a dtype, for ufuncs whose rule has no `dtype`, which stands before `keepdims`."""
    reduce, name = ufunc.reduce, ufunc.__name__

    @full(reduce)
    def reduced(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
        _of_all(name, initial, where)
        return reduce(keywords.as_dtype(array, dtype), axis=axis, keepdims=keepdims)


def _finite_max(array, axis, keepdims):
    largest = np.max(array, axis=axis, keepdims=keepdims)
    return np.where(np.isinf(largest), 0.0, largest)


@method(np.logaddexp, "reduce", "array", _reductions)
def logaddexp_reduce(array, axis=0, keepdims=False):
    total = np.sum(np.exp(array - _finite_max(array, axis, True)), axis=axis, keepdims=keepdims)
    nothing = total == 0.0  # of elements that are all -inf, whose derivative is 0
    logarithm = np.where(nothing, -np.inf, np.log(np.where(nothing, 1.0, total)))
    return logarithm + _finite_max(array, axis, keepdims)


_told(np.logaddexp)


@static
def _one_axis(name, ndim, axis):
    if (ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1) > 1:
        raise ValueError(
            f"reduction operation '{name}' is not reorderable, so at most one axis may be specified"
        )


def _folds(ufunc, examples, reorderable):
    """Register the reduction that goes from one element to the next, as NumPy does."""
    name = ufunc.__name__

    @method(ufunc, "reduce", "array", examples)
    def fold(array, axis=0, keepdims=False):
        if not reorderable:
            _one_axis(name, np.ndim(array), axis)
        return _folded(ufunc, array, axis, keepdims)

    _told(ufunc)


def _folded(ufunc, array, axis, keepdims):
    x = np.moveaxis(flattened(array, axis), -1, 0)
    total = x[0]
    for k in range(1, x.shape[0]):
        total = ufunc(total, x[k])
    if not keepdims:
        return total
    return np.reshape(total, (1,) * np.ndim(array)) if axis is None else np.expand_dims(total, axis)


@method(np.hypot, "reduce", "array", _reductions)
def hypot_reduce(array, axis=0, keepdims=False):
    return _folded(np.hypot, np.abs(array), axis, keepdims)  # of one element the length is its size


_told(np.hypot)


def _runs(ufunc):
    """Register what it makes of all elements so far."""

    @method(ufunc, "accumulate", "array", lambda r: [r.positive(4), call(r.positive(2, 3), axis=1)])
    def run(array, axis=0):
        x = np.moveaxis(array, axis, 0)
        if x.dtype.kind not in "fc":
            x = x.astype(ufunc(x[:1], x[:1]).dtype)
        y = np.zeros_like(x)
        y[:1] = x[:1]
        for k in range(1, x.shape[0]):
            y[k] = ufunc(y[k - 1], x[k])
        return np.moveaxis(y, 0, axis)


for of_any_axes in (np.fmax, np.fmin, np.logaddexp2):
    _folds(of_any_axes, _reductions, True)
# NumPy 2.4 computes something else for np.power.reduce and np.arctan2.reduce: they have no rule.
for in_order in (np.subtract, np.divide, np.float_power, np.remainder, np.fmod, np.copysign):
    _folds(
        in_order,
        lambda r: [r.positive(4), r.positive(2, 3), call(r.positive(2, 3), axis=1, keepdims=True)],
        False,
    )
for running in (
    *(np.fmax, np.fmin, np.hypot, np.logaddexp, np.logaddexp2, np.subtract, np.divide, np.power),
    *(np.remainder, np.fmod, np.arctan2, np.copysign),
):
    _runs(running)


@method(np.add, "accumulate", "array", _accumulations)
def add_accumulate(array, axis=0):
    return np.cumsum(array, axis=axis)


@method(np.multiply, "accumulate", "array", _accumulations, "as cumprod")
def multiply_accumulate(array, axis=0):
    return np.cumprod(array, axis=axis)


def _segments(r):
    return [
        (r.distinct(5), np.array([0, 2, 3])),
        (r.distinct(5), np.array([3, 1, 1])),
        call(r.distinct(2, 4), [0, 1], axis=1),
    ]


def _positive_segments(r):
    return [(r.positive(5), np.array([0, 2, 3])), call(r.positive(2, 4), [0, 1], axis=1)]


def _by_segments(array, indices, axis, reduce):
    """Each position with all elements up to the next position; alone where that is not further on."""
    moved = np.moveaxis(array, axis, 0)
    starts = np.array(indices) if isinstance(indices, (list, tuple)) else indices
    if np.any((starts < 0) | (starts >= moved.shape[0])):
        raise IndexError("index out-of-bounds in reduceat")
    stops = np.maximum(np.append(starts[1:], moved.shape[0]), starts + 1)
    result = np.zeros((np.size(starts),) + np.shape(moved)[1:], dtype=array.dtype)
    for k in range(np.size(starts)):
        result[k] = reduce(moved[starts[k] : stops[k]], axis=0)
    return np.moveaxis(result, 0, axis)


@method(np.add, "reduceat", "array", _segments)
def add_reduceat(array, indices, axis=0):
    return _by_segments(widened(array), indices, axis, np.sum)


@method(np.multiply, "reduceat", "array", _segments)
def multiply_reduceat(array, indices, axis=0):
    return _by_segments(widened(array), indices, axis, np.prod)


@method(np.maximum, "reduceat", "array", _segments, "as max")
def maximum_reduceat(array, indices, axis=0):
    return _by_segments(array, indices, axis, np.max)


@method(np.minimum, "reduceat", "array", _segments, "as min")
def minimum_reduceat(array, indices, axis=0):
    return _by_segments(array, indices, axis, np.min)


def _segments_of(ufunc):
    """Register what segments come to, one element after the other."""

    def reduce(segment, axis):  # not ufunc.reduce: hypot's makes an element that is alone positive
        return _folded(ufunc, segment, axis, False)

    @method(ufunc, "reduceat", "array", _positive_segments)
    def segments(array, indices, axis=0):
        x = array
        if x.dtype.kind not in "fc":
            x = x.astype(ufunc(x[:1], x[:1]).dtype)
        return _by_segments(x, indices, axis, reduce)


for _ufunc in (np.subtract, np.divide, np.hypot, np.logaddexp, np.logaddexp2, np.fmax, np.fmin, np.fmod):
    _segments_of(_ufunc)


def column(a, b):
    """`a` with an axis of length 1 for each axis of `b`."""
    return a if np.ndim(a) == 0 else np.reshape(a, np.shape(a) + (1,) * np.ndim(b))


@method(np.add, "outer", "A B", _outers)
def add_outer(A, B):
    return column(A, B) + B


@method(np.subtract, "outer", "A B", _outers)
def subtract_outer(A, B):
    return column(A, B) - B


@method(np.multiply, "outer", "A B", _outers)
def multiply_outer(A, B):
    return column(A, B) * B


@method(np.divide, "outer", "A B", _outers)
def divide_outer(A, B):
    return column(A, B) / B


@method(np.power, "outer", "A B", _outers)
def power_outer(A, B):
    return column(A, B) ** B


@method(np.maximum, "outer", "A B", _outers)
def maximum_outer(A, B):
    return np.maximum(column(A, B), B)


@method(np.minimum, "outer", "A B", _outers)
def minimum_outer(A, B):
    return np.minimum(column(A, B), B)


@method(np.hypot, "outer", "A B", _outers)
def hypot_outer(A, B):
    return np.hypot(column(A, B), B)


@method(np.arctan2, "outer", "A B", _outers)
def arctan2_outer(A, B):
    return np.arctan2(column(A, B), B)


@method(np.logaddexp, "outer", "A B", _outers)
def logaddexp_outer(A, B):
    return np.logaddexp(column(A, B), B)


def _pairs(ufunc):
    """Register the results of all pairs."""

    @method(ufunc, "outer", "A B", _outers)
    def pairs(A, B):
        return ufunc(column(A, B), B)


for of_pairs in (np.fmax, np.fmin, np.logaddexp2, np.float_power, np.remainder, np.fmod, np.copysign):
    _pairs(of_pairs)


def _comparison(ufunc):
    constant(
        ufunc.outer,
        parameters="A, B",
        name=f"{ufunc.__name__}.outer",
        spelling=f"np.{ufunc.__name__}.outer",
        examples=_outers,
        extra={"arrays": "A B"},
    )

    @lowered(ufunc.outer)
    def outer(A, B):
        return ufunc(column(A, B), B)


for ufunc in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
    _comparison(ufunc)
for logical in (np.logical_and, np.logical_or):
    constant(
        logical.reduce,
        parameters="array, axis=0, keepdims=False",
        name=f"{logical.__name__}.reduce",
        spelling=f"np.{logical.__name__}.reduce",
        examples=lambda r: [r.mask(3), call(r.normal(2, 3), axis=1)],
    )


@lowered(np.logical_and.reduce)
def logical_and_reduce(array, axis=0, keepdims=False):
    return np.all(array, axis=axis, keepdims=keepdims)


@lowered(np.logical_or.reduce)
def logical_or_reduce(array, axis=0, keepdims=False):
    return np.any(array, axis=axis, keepdims=keepdims)
