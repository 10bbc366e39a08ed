"""Methods of a Tensor that PyTorch has and ndarray has not, each made of operations that have rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape import dispatch, inplace, record, views
from adc.tape.tensor import make
from adc.tape.torchmatrices import ADDED, MATRICES
from adc.tape.torchpicks import CHOOSING, WRITING, axis_of, narrow, of_numbers, on_an_axis, put
from adc.tape.torchshared import CHANGING, SHARED, axes_of, lengths
from adc.tape.torchwindows import WINDOWS

Method = Callable[..., Any]


def in_place(method: Method) -> Method:
    """`t.sigmoid_()`: the method, written over its Tensor."""
    return lambda t, *args, **kwargs: inplace.by(method, t, args, kwargs)


# Functions of NumPy and SciPy by PyTorch's names ------------------------------------------------------------


def _named(function: Callable[..., Any]) -> Method:
    """A function of NumPy, with PyTorch's keywords."""

    def method(t: Any, *args: Any, dim: Any = None, keepdim: Any = None, **kwargs: Any) -> Any:
        if dim is not None:
            kwargs["axis"] = dim
        if keepdim is not None:
            kwargs["keepdims"] = keepdim
        return function(t, *args, **kwargs)

    return method


def _scipy(name: str) -> Any:
    import scipy.special  # only where its functions are differentiated

    return getattr(scipy.special, name)


def _special(name: str) -> Method:
    """A function of scipy.special, which knows no Tensors."""
    return lambda t, *args: dispatch.call(_scipy(name), t, *args)


_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "not_equal": np.not_equal,
    "lt": np.less,
    "less": np.less,
    "le": np.less_equal,
    "less_equal": np.less_equal,
    "gt": np.greater,
    "greater": np.greater,
    "ge": np.greater_equal,
    "greater_equal": np.greater_equal,
    **{f"logical_{word}": getattr(np, f"logical_{word}") for word in ("and", "or", "xor", "not")},
    **{f"bitwise_{word}": getattr(np, f"bitwise_{word}") for word in ("and", "or", "xor", "not")},
}
_STEPS = {
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "fix": np.trunc,
    "sign": np.sign,
    "sgn": np.sign,
    "floor_divide": np.floor_divide,
}
_QUESTIONS = {
    name: getattr(np, name)
    for name in ("isnan", "isinf", "isfinite", "isneginf", "isposinf", "isreal", "isclose", "signbit")
}


# Elementwise ------------------------------------------------------------------------------------------------


def _add(t: Any, other: Any, *, alpha: Any = 1) -> Any:
    return t + other if alpha == 1 else t + alpha * other


def _sub(t: Any, other: Any, *, alpha: Any = 1) -> Any:
    return t - other if alpha == 1 else t - alpha * other


def _div(t: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    match rounding_mode:
        case None:
            return t / other
        case "floor":
            return np.floor_divide(t, other)
        case "trunc":
            return np.trunc(t / other)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
    )


_ELEMENTWISE: dict[str, Method] = {
    **{name: _named(function) for name, function in _STEPS.items()},
    "add": _add,
    "sub": _sub,
    "subtract": _sub,
    "addcmul": lambda t, x, y, *, value=1: t + value * (x * y),
    "addcdiv": lambda t, x, y, *, value=1: t + value * (x / y),
    "clamp_max": lambda t, bound: np.minimum(t, bound),
    "clamp_min": lambda t, bound: np.maximum(t, bound),
    "digamma": _special("digamma"),
    "div": _div,
    "divide": _div,
    "erf": _special("erf"),
    "erfc": _special("erfc"),
    "erfinv": _special("erfinv"),
    "lgamma": _special("gammaln"),
    "xlogy": _special("xlogy"),
    "frac": lambda t: t - np.trunc(t),
    "i0": lambda t: dispatch.call(np.i0, t),
    "hardshrink": lambda t, lambd=0.5: np.where(np.abs(t) <= lambd, 0.0, t),
    "igamma": _special("gammainc"),
    "igammac": _special("gammaincc"),
    "lerp": lambda t, end, weight: t + weight * (end - t),
    "mvlgamma": lambda t, p: _mvlgamma(t, p),
    "polygamma": lambda t, n: dispatch.call(_scipy("polygamma"), n, t),
    "prelu": lambda t, weight: np.where(t > 0, t, _by_channel(t, weight) * t),
    "masked_fill": lambda t, mask, value: np.where(mask, value, t),
    "relu": lambda t: np.where(t <= 0, 0.0, t),
    "rsqrt": lambda t: 1.0 / np.sqrt(t),
    "sigmoid": lambda t: _sigmoid(t),
}


def _sigmoid(t: Any) -> Any:
    if t.dtype.kind == "c":
        return 1.0 / (1.0 + np.exp(-t))
    return np.exp(-np.logaddexp(0.0, -t))  # stays finite far out


def _by_channel(t: Any, weight: Any) -> Any:
    """A weight for all elements, or one for each place of the second axis."""
    return weight if np.size(weight) == 1 or t.ndim < 2 else np.reshape(weight, (-1,) + (1,) * (t.ndim - 2))


def _mvlgamma(t: Any, p: int) -> Any:
    """The logarithm of the multivariate gamma function."""
    logarithms = [dispatch.call(_scipy("gammaln"), t - 0.5 * k) for k in range(p)]
    return sum(logarithms[1:], logarithms[0]) + 0.25 * p * (p - 1) * math.log(math.pi)


# Along an axis ----------------------------------------------------------------------------------------------


def _shifted(t: Any, dim: Any) -> tuple[Any, Any]:
    """The Tensor less its largest element along `dim`, or the real part of a complex one, and that, as a constant."""
    largest = np.max(np.real(t.primal), axis=dim, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    return t - largest, largest


def _logsumexp(t: Any, dim: Any, keepdim: bool = False) -> Any:
    t, dim, keepdim = on_an_axis(t, axes_of(dim), keepdim)
    shifted, largest = _shifted(t, dim)
    total = np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True)) + largest
    return total if keepdim else np.squeeze(total, dim)


def _softmax(t: Any, dim: int, dtype: Any = None) -> Any:
    e = np.exp(_shifted(t if dtype is None else t.astype(dtype), dim)[0])
    return e / np.sum(e, axis=dim, keepdims=True)


def _log_softmax(t: Any, dim: int, dtype: Any = None) -> Any:
    t = t if dtype is None else t.astype(dtype)
    return t - _logsumexp(t, dim, True)


def _renorm(t: Any, p: float, dim: int, maxnorm: float) -> Any:
    """The parts along an axis, those with a larger norm made as short as that."""
    if t.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {t.ndim} dimensions")
    others = tuple(k for k in range(t.ndim) if k != axis_of(t, dim))
    norm = t.norm(p, others, True)
    return t * np.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)


def _dist(t: Any, other: Any, p: Any = 2) -> Any:
    return (t - other).norm(p)


# Shapes -----------------------------------------------------------------------------------------------------


def _expand(t: Any, *shape: Any) -> Any:
    wanted = lengths(shape)
    extra = len(wanted) - t.ndim
    kept = [t.shape[k - extra] if n == -1 else n for k, n in enumerate(wanted)]
    return np.broadcast_to(t, tuple(kept))


def _flatten(t: Any, start_dim: Any = 0, end_dim: int = -1, *, order: Any = "C") -> Any:
    if isinstance(start_dim, str) or order != "C":  # NumPy's order
        return np.copy(np.reshape(t, (-1,), order=order if start_dim == 0 else start_dim))
    whole = t if t.ndim else np.reshape(t, (1,))
    shape = whole.shape
    start, end = axis_of(whole, start_dim), axis_of(whole, end_dim)
    return np.copy(np.reshape(t, (*shape[:start], -1, *shape[end + 1 :])))


def _split(t: Any, size: Any, dim: int = 0) -> tuple[Any, ...]:
    n = t.shape[dim]
    sizes = [min(size, n - at) for at in range(0, n, size)] if isinstance(size, int) else list(size)
    if sum(sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n}, but got {sizes}")
    ends = np.cumsum(sizes).tolist()
    return tuple(narrow(t, dim, end - length, length) for end, length in zip(ends, sizes, strict=True))


def _chunk(t: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    return _split(t, max(1, -(-t.shape[dim] // chunks)), dim)


def _unflatten(t: Any, dim: int, sizes: Sequence[int]) -> Any:
    k = axis_of(t, dim)
    return np.reshape(t, (*t.shape[:k], *sizes, *t.shape[k + 1 :]))


def _take_along_dim(t: Any, indices: Any, dim: int | None = None) -> Any:
    places = record.plain(indices)
    if dim is None:  # of all elements, row by row, as many as there are indices
        return np.take(t, np.ravel(places))
    return np.take_along_axis(t, places, dim)


def _sum_to_size(t: Any, *shape: Any) -> Any:
    wanted = lengths(shape)
    if wanted == t.shape:
        return np.reshape(t, wanted)
    extra = t.ndim - len(wanted)
    axes = [k for k in range(t.ndim) if k < extra or (wanted[k - extra] == 1 and t.shape[k] != 1)]
    return np.reshape(np.sum(t, axis=tuple(axes), keepdims=True), wanted)


# Diagonals -------------------------------------------------------------------------------------------------


def _fill_diagonal(t: Any, value: Any) -> Any:
    result = t.clone()
    every = np.arange(min(t.shape))
    result[(every,) * t.ndim] = value
    return result


def _diag_embed(t: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    n = t.shape[-1] + abs(offset)
    start = (0, offset) if offset >= 0 else (-offset, 0)
    every = np.arange(t.shape[-1])
    filled: Any = make(np.zeros((*t.shape[:-1], n, n), t.dtype))
    filled[..., every + start[0], every + start[1]] = t
    return np.moveaxis(filled, (-2, -1), (dim1, dim2))


# New Tensors, and questions ---------------------------------------------------------------------------------


def _new(function: Callable[..., Any]) -> Method:
    def method(t: Any, *shape: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
        made = make(function(lengths(shape), dtype=dtype or t.dtype))
        return made.requires_grad_() if requires_grad else made

    return method


def _new_full(t: Any, size: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
    made = make(np.full(size, fill_value, dtype or t.dtype))
    return made.requires_grad_() if requires_grad else made


def _new_tensor(t: Any, data: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
    made = make(np.array(record.plain(data), dtype or t.dtype))
    return made.requires_grad_() if requires_grad else made


def _histc(t: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    bounds = (t.primal.min(initial=np.inf), t.primal.max(initial=-np.inf)) if min == max else (min, max)
    return make(np.histogram(t.primal, bins, bounds)[0].astype(t.dtype))


METHODS: dict[str, Method] = {
    **{name: _named(function) for name, function in (_COMPARISONS | _QUESTIONS).items()},
    **_ELEMENTWISE,
    **CHOOSING,
    **WINDOWS,
    **SHARED,
    **WRITING,
    **MATRICES,
    **ADDED,
    **{f"{name}_": in_place(method) for name, method in (_ELEMENTWISE | CHANGING | WRITING | ADDED).items()},
    "fill_diagonal_": in_place(_fill_diagonal),
    "put_": in_place(put),  # `put` is NumPy's
    "diag_embed": _diag_embed,
    "msort": lambda t: np.sort(t, axis=0),
    "allclose": lambda t, other, rtol=1e-5, atol=1e-8, equal_nan=False: bool(
        np.allclose(t.primal, record.plain(other), rtol, atol, equal_nan)
    ),
    "aminmax": lambda t, *, dim=None, keepdim=False: (
        np.min(t, axis=dim, keepdims=keepdim),
        np.max(t, axis=dim, keepdims=keepdim),
    ),
    "argwhere": lambda t: make(np.argwhere(t.primal)),
    "cpu": lambda t: t,
    "resolve_conj": lambda t: t,
    "resolve_neg": lambda t: t,
    "chunk": _chunk,
    "conj_physical": lambda t: np.conj(t) if t.dtype.kind == "c" else t,
    "dist": _dist,
    "element_size": lambda t: t.itemsize,
    "equal": lambda t, other: bool(np.array_equal(t.primal, record.plain(other))),
    "expand": _expand,
    "expand_as": lambda t, other: np.broadcast_to(t, other.shape),
    "flatten": _flatten,
    "gcd": lambda t, other: make(np.gcd(t.primal, record.plain(other))),
    "histc": _histc,
    "lcm": lambda t, other: make(np.lcm(t.primal, record.plain(other))),
    "is_contiguous": lambda t: t.flags["C_CONTIGUOUS"],
    "is_nonzero": bool,
    "is_same_size": lambda t, other: t.shape == other.shape,
    "is_signed": lambda t: t.dtype.kind in "ifc",
    "log_softmax": _log_softmax,
    "logcumsumexp": of_numbers(lambda t, dim: np.logaddexp.accumulate(t, dim)),
    "logsumexp": _logsumexp,
    "movedim": of_numbers(lambda t, source, destination: np.moveaxis(t, source, destination)),
    "ndimension": lambda t: t.ndim,
    "new_empty": _new(np.zeros),
    "new_full": _new_full,
    "new_ones": _new(np.ones),
    "new_tensor": _new_tensor,
    "new_zeros": _new(np.zeros),
    "repeat_interleave": lambda t, repeats, dim=None: np.repeat(t, record.plain(repeats), axis=dim),
    "renorm": _renorm,
    "reshape_as": lambda t, other: np.reshape(t, other.shape),
    "softmax": _softmax,
    "split": _split,
    "split_with_sizes": _split,
    "stride": lambda t, dim=None: (
        tuple(s // t.itemsize for s in t.strides) if dim is None else t.strides[dim] // t.itemsize
    ),
    "sum_to_size": _sum_to_size,
    "swapdims": of_numbers(lambda t, first, second: np.swapaxes(t, first, second)),
    "take_along_dim": _take_along_dim,
    "tensor_split": lambda t, parts, dim=0: tuple(
        np.array_split(t, np.asarray(record.plain(parts)).tolist(), dim)
    ),
    "hsplit": lambda t, parts: tuple(np.hsplit(t, parts)),
    "vsplit": lambda t, parts: tuple(np.vsplit(t, parts)),
    "dsplit": lambda t, parts: tuple(np.dsplit(t, parts)),
    "type_as": lambda t, other: t.astype(other.dtype, copy=False),
    "unflatten": _unflatten,
    "view_as": lambda t, other: views.required(t, np.reshape(t, other.shape)),
    "where": lambda t, condition, other: np.where(condition, t, other),
}
