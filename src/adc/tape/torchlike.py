"""Methods of a Tensor that PyTorch has and ndarray has not, each made of operations that have rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape import dispatch, inplace, record
from adc.tape.tensor import make

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


def _special(name: str) -> Method:
    """A function of scipy.special, which knows no Tensors."""

    def method(t: Any, *args: Any) -> Any:
        import scipy.special  # only where its functions are differentiated

        return dispatch.call(getattr(scipy.special, name), t, *args)

    return method


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
    "lerp": lambda t, end, weight: t + weight * (end - t),
    "logit": lambda t: np.log(t / (1.0 - t)),
    "masked_fill": lambda t, mask, value: np.where(mask, value, t),
    "relu": lambda t: np.where(t > 0, t, 0.0),
    "rsqrt": lambda t: 1.0 / np.sqrt(t),
    "sigmoid": lambda t: np.exp(-np.logaddexp(0.0, -t)),  # stays finite far out
}


# Along an axis ----------------------------------------------------------------------------------------------


def _shifted(t: Any, dim: Any) -> tuple[Any, Any]:
    """The Tensor less its largest element along `dim`, and that element, as a constant."""
    largest = np.max(t.primal, axis=dim, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    return t - largest, largest


def _logsumexp(t: Any, dim: Any, keepdim: bool = False) -> Any:
    shifted, largest = _shifted(t, dim)
    total = np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True)) + largest
    return total if keepdim else np.squeeze(total, dim)


def _softmax(t: Any, dim: int) -> Any:
    e = np.exp(_shifted(t, dim)[0])
    return e / np.sum(e, axis=dim, keepdims=True)


def _topk(t: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    order = np.argsort(-t.primal if largest else t.primal, axis=dim, kind="stable")
    chosen = np.take(order, np.arange(k), axis=dim)
    return np.take_along_axis(t, chosen, dim), make(chosen)


def _dist(t: Any, other: Any, p: Any = 2) -> Any:
    return (t - other).norm(p)


# Shapes -----------------------------------------------------------------------------------------------------


def _lengths(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape


def _expand(t: Any, *shape: Any) -> Any:
    wanted = _lengths(shape)
    extra = len(wanted) - t.ndim
    kept = [t.shape[k - extra] if n == -1 else n for k, n in enumerate(wanted)]
    return np.broadcast_to(t, tuple(kept))


def _flatten(t: Any, start_dim: Any = 0, end_dim: int = -1, *, order: Any = "C") -> Any:
    if isinstance(start_dim, str) or order != "C":  # NumPy's order
        return np.copy(np.reshape(t, (-1,), order=order if start_dim == 0 else start_dim))
    shape = t.shape or (1,)
    start, end = start_dim % len(shape), end_dim % len(shape)
    return np.copy(np.reshape(t, (*shape[:start], -1, *shape[end + 1 :])))


def _split(t: Any, size: Any, dim: int = 0) -> tuple[Any, ...]:
    n = t.shape[dim]
    sizes = [min(size, n - at) for at in range(0, n, size)] if isinstance(size, int) else list(size)
    if sum(sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n}, but got {sizes}")
    ends = np.cumsum(sizes).tolist()
    return tuple(_narrow(t, dim, end - length, length) for end, length in zip(ends, sizes, strict=True))


def _chunk(t: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    return _split(t, max(1, -(-t.shape[dim] // chunks)), dim)


def _narrow(t: Any, dim: int, start: int, length: int) -> Any:
    return t[_at(t, dim, slice(start, start + length))]


def _at(t: Any, dim: int, index: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * (dim % t.ndim), index)


def _unflatten(t: Any, dim: int, sizes: Sequence[int]) -> Any:
    k = dim % t.ndim
    return np.reshape(t, (*t.shape[:k], *sizes, *t.shape[k + 1 :]))


def _sum_to_size(t: Any, *shape: Any) -> Any:
    wanted = _lengths(shape)
    extra = t.ndim - len(wanted)
    axes = [k for k in range(t.ndim) if k < extra or (wanted[k - extra] == 1 and t.shape[k] != 1)]
    return np.reshape(np.sum(t, axis=tuple(axes), keepdims=True), wanted)


# Elements chosen by an index --------------------------------------------------------------------------------


def _grid(index: Any, dim: int) -> tuple[Any, ...]:
    """The index of PyTorch's gather and scatter as NumPy's: every axis but `dim` counts up."""
    at = record.plain(index)
    every = list(np.indices(at.shape, sparse=True))
    every[dim % at.ndim] = at
    return tuple(every)


def _gather(t: Any, dim: int, index: Any) -> Any:
    return t[_grid(index, dim)]


def _scatter(t: Any, dim: int, index: Any, src: Any) -> Any:
    result = t.clone()
    result[_grid(index, dim)] = _part(src, index)
    return result


def _scatter_add(t: Any, dim: int, index: Any, src: Any) -> Any:
    result = t.clone()
    np.add.at(result, _grid(index, dim), _part(src, index))
    return result


def _part(src: Any, index: Any) -> Any:
    """As much of the source as there are indices."""
    return src if np.ndim(src) == 0 else src[tuple(slice(n) for n in np.shape(index))]


def _index_add(t: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    result = t.clone()
    np.add.at(result, _at(t, dim, record.plain(index)), source if alpha == 1 else alpha * source)
    return result


def _index_copy(t: Any, dim: int, index: Any, source: Any) -> Any:
    result = t.clone()
    result[_at(t, dim, index)] = source
    return result


def _index_put(t: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    result = t.clone()
    index = tuple(record.plain(tuple(indices)))
    if accumulate:
        np.add.at(result, index, values)
    else:
        result[index] = values
    return result


def _fill_diagonal(t: Any, value: Any) -> Any:
    result = t.clone()
    every = np.arange(min(t.shape))
    result[(every,) * t.ndim] = value
    return result


def _diag_embed(t: Any) -> Any:
    return np.expand_dims(t, -1) * np.eye(t.shape[-1], dtype=t.dtype)


def _masked_select(t: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(t.shape, np.shape(mask))
    return np.broadcast_to(t, shape)[np.broadcast_to(record.plain(mask), shape)]


_WRITING: dict[str, Method] = {
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_copy,
    "index_put": _index_put,
    "scatter": _scatter,
    "scatter_add": _scatter_add,
}


# New Tensors, and questions ---------------------------------------------------------------------------------


def _new(function: Callable[..., Any]) -> Method:
    def method(t: Any, *shape: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
        made = make(function(_lengths(shape), dtype=dtype or t.dtype))
        return made.requires_grad_() if requires_grad else made

    return method


def _new_full(t: Any, size: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
    made = make(np.full(size, fill_value, dtype or t.dtype))
    return made.requires_grad_() if requires_grad else made


def _new_tensor(t: Any, data: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
    made = make(np.array(record.plain(data), dtype or t.dtype))
    return made.requires_grad_() if requires_grad else made


def _as_type(dtype: Any) -> Method:
    return lambda t: t.astype(dtype)


METHODS: dict[str, Method] = {
    **{name: _named(function) for name, function in (_COMPARISONS | _QUESTIONS).items()},
    **_ELEMENTWISE,
    **_WRITING,
    **{f"{name}_": in_place(method) for name, method in (_ELEMENTWISE | _WRITING).items()},
    "fill_diagonal_": in_place(_fill_diagonal),
    "diag_embed": _diag_embed,
    "msort": lambda t: np.sort(t, axis=0),
    "addmm": lambda t, a, b, *, beta=1, alpha=1: beta * t + alpha * (a @ b),
    "addmv": lambda t, a, b, *, beta=1, alpha=1: beta * t + alpha * (a @ b),
    "addr": lambda t, a, b, *, beta=1, alpha=1: beta * t + alpha * np.outer(a, b),
    "baddbmm": lambda t, a, b, *, beta=1, alpha=1: beta * t + alpha * (a @ b),
    "adjoint": lambda t: np.conj(np.swapaxes(t, -1, -2)),
    "allclose": lambda t, other, rtol=1e-5, atol=1e-8, equal_nan=False: bool(
        np.allclose(t.primal, record.plain(other), rtol, atol, equal_nan)
    ),
    "aminmax": lambda t, *, dim=None, keepdim=False: (
        np.min(t, axis=dim, keepdims=keepdim),
        np.max(t, axis=dim, keepdims=keepdim),
    ),
    "argwhere": lambda t: make(np.argwhere(t.primal)),
    "cdouble": _as_type(np.complex128),
    "cfloat": _as_type(np.complex64),
    "byte": _as_type(np.uint8),
    "char": _as_type(np.int8),
    "short": _as_type(np.int16),
    "cholesky": lambda t: np.linalg.cholesky(t),
    "chunk": _chunk,
    "count_nonzero": lambda t, dim=None: make(np.count_nonzero(t.primal, axis=dim)),
    "det": lambda t: np.linalg.det(t),
    "dist": _dist,
    "element_size": lambda t: t.itemsize,
    "equal": lambda t, other: bool(np.array_equal(t.primal, record.plain(other))),
    "expand": _expand,
    "expand_as": lambda t, other: np.broadcast_to(t, other.shape),
    "flatten": _flatten,
    "gather": _gather,
    "index_select": lambda t, dim, index: np.take(t, record.plain(index), axis=dim),
    "inverse": lambda t: np.linalg.inv(t),
    "is_contiguous": lambda t: t.flags["C_CONTIGUOUS"],
    "is_nonzero": bool,
    "is_same_size": lambda t, other: t.shape == other.shape,
    "is_signed": lambda t: t.dtype.kind in "ifc",
    "log_softmax": lambda t, dim: t - _logsumexp(t, dim, True),
    "logcumsumexp": lambda t, dim: np.logaddexp.accumulate(t, dim),
    "logdet": lambda t: np.linalg.slogdet(t)[1],
    "logsumexp": _logsumexp,
    "masked_select": _masked_select,
    "matrix_power": lambda t, n: np.linalg.matrix_power(t, n),
    "movedim": lambda t, source, destination: np.moveaxis(t, source, destination),
    "narrow": _narrow,
    "ndimension": lambda t: t.ndim,
    "new_empty": _new(np.zeros),
    "new_full": _new_full,
    "new_ones": _new(np.ones),
    "new_tensor": _new_tensor,
    "new_zeros": _new(np.zeros),
    "pinverse": lambda t: np.linalg.pinv(t),
    "qr": lambda t: np.linalg.qr(t),
    "repeat_interleave": lambda t, repeats, dim=None: np.repeat(t, record.plain(repeats), axis=dim),
    "reshape_as": lambda t, other: np.reshape(t, other.shape),
    "select": lambda t, dim, index: t[_at(t, dim, index)],
    "slogdet": lambda t: np.linalg.slogdet(t),
    "softmax": _softmax,
    "split": _split,
    "split_with_sizes": _split,
    "stride": lambda t, dim=None: (
        tuple(s // t.itemsize for s in t.strides) if dim is None else t.strides[dim] // t.itemsize
    ),
    "sum_to_size": _sum_to_size,
    "svd": lambda t: np.linalg.svd(t, full_matrices=False),
    "swapdims": lambda t, first, second: np.swapaxes(t, first, second),
    "take_along_dim": lambda t, indices, dim=None: np.take_along_axis(t, record.plain(indices), dim),
    "tensor_split": lambda t, parts, dim=0: tuple(np.array_split(t, parts, dim)),
    "topk": _topk,
    "type_as": lambda t, other: t.astype(other.dtype),
    "unbind": lambda t, dim=0: tuple(t[_at(t, dim, k)] for k in range(t.shape[dim])),
    "unflatten": _unflatten,
    "view_as": lambda t, other: np.reshape(t, other.shape),
    "where": lambda t, condition, other: np.where(condition, t, other),
}
