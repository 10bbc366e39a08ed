"""PyTorch's methods whose names are those of functions of NumPy: their parameters, and what they mean, are PyTorch's.

`x.median()` is the lower of two middle elements, and `np.median(x)` their mean. An axis may be a list of axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import record, views
from adc.tape.tensor import make
from adc.tape.torchpicks import along, axis_of, of_numbers, on_an_axis

__all__ = ["CHANGING", "SHARED", "axes_of", "lengths"]

Method = Callable[..., Any]


def axes_of(dim: Any) -> Any:
    """An axis, or several as NumPy takes them."""
    return tuple(dim) if isinstance(dim, list) else dim


def lengths(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Lengths or axes that were given one by one, or as one tuple or list."""
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape


def _flip(t: Any, *dims: Any, **named: Any) -> Any:
    return views.apart(np.flip(t, lengths(dims or (named["dims"],))))


def _t(t: Any) -> Any:
    if t.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {t.ndim}D")
    return np.transpose(t)


def _tile(t: Any, *dims: Any, **named: Any) -> Any:
    return np.tile(t, lengths(dims or (named["dims"],)))


def _roll(t: Any, shifts: Any, dims: Any = None) -> Any:
    if dims is not None and np.size(shifts) != np.size(dims):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {np.size(shifts)}, dims: {np.size(dims)}"
        )
    return np.roll(t, axes_of(shifts), axes_of(dims))


def _diff(t: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return np.copy(t)
    ends = {name: value for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    return np.diff(t, n, dim, **ends)


def _cross(t: Any, other: Any, dim: int | None = None) -> Any:
    if dim is None:
        dim = next((k for k, n in enumerate(t.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return np.cross(t, other, axis=dim)


def _cov(t: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(t, ddof=correction, fweights=record.plain(fweights), aweights=aweights)


def _quantile(function: Callable[..., Any]) -> Method:
    def method(
        t: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Any:
        t, dim, keepdim = on_an_axis(t, dim, keepdim)
        return function(t, q, axis=dim, keepdims=keepdim, method=interpolation)

    return method


# Middle elements --------------------------------------------------------------------------------------------


def _median(t: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Of an even number of elements the lower of the two in the middle; NaN if one of them is NaN."""
    t, dim, keepdim = on_an_axis(t, dim, keepdim)
    return _middle(t, dim, keepdim, np.where(np.isnan(t.primal), -np.inf, t.primal), _all_or_first)


def _nanmedian(t: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The median of the elements that are not NaN."""
    t, dim, keepdim = on_an_axis(t, dim, keepdim)
    return _middle(t, dim, keepdim, t.primal, _not_nan)


def _middle(t: Any, dim: Any, keepdim: bool, keys: Any, counted: Method) -> Any:
    """The element in the middle of those counted, in the order of their keys; with an axis its position, too."""
    axis = -1 if dim is None else dim
    if dim is None:
        t, keys = np.ravel(t), np.ravel(keys)
    places = (counted(np.isnan(t.primal), axis) - 1) // 2
    order = np.argsort(keys, axis=axis, kind="stable")
    values, chosen = along(t, axis, np.take_along_axis(order, np.maximum(places, 0), axis))
    if dim is None:
        return values[0]
    return (values, chosen) if keepdim else (np.squeeze(values, dim), np.squeeze(chosen, dim))


def _all_or_first(nan: Any, axis: int) -> Any:
    """How many elements count: all, or, for the median to be NaN, the first, which is NaN in the order of keys."""
    return np.where(nan.any(axis, keepdims=True), 1, nan.shape[axis])


def _not_nan(nan: Any, axis: int) -> Any:
    return np.count_nonzero(~nan, axis, keepdims=True)


# Norms ------------------------------------------------------------------------------------------------------


def _norm(
    t: Any, p: Any = None, dim: Any = None, keepdim: bool = False, *, axis: Any = None, ord: Any = None
) -> Any:
    """The norm of all elements, or of those along axes, taken for one vector; "fro" and "nuc" are of matrices.

    NumPy's `ord` and `axis` mean what NumPy means by them: of two axes a norm of matrices.
    """
    if p == 0:
        t = t.detach()  # a step in every element
    if ord is not None:
        return np.linalg.norm(t, ord=ord, axis=axes_of(dim if axis is None else axis), keepdims=keepdim)
    t, axis, keepdim = on_an_axis(t, axes_of(dim if axis is None else axis), keepdim)
    if axis is None and p != "nuc":
        z = np.linalg.norm(np.ravel(t), ord=None if p == "fro" else p)
        return np.reshape(z, (1,) * t.ndim) if keepdim else z
    if isinstance(axis, tuple) and p not in (None, "fro", "nuc"):
        return _vector_norm(t, p, axis, keepdim)
    return np.linalg.norm(t, ord=None if p == "fro" else p, axis=axis, keepdims=keepdim)


def _vector_norm(t: Any, p: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    axes = tuple(axis_of(t, k) for k in axes)
    rest = [n for k, n in enumerate(t.shape) if k not in axes]
    last = np.moveaxis(t, axes, tuple(range(-len(axes), 0)))
    z = np.linalg.norm(np.reshape(last, (*rest, math.prod(t.shape[k] for k in axes))), ord=p, axis=-1)
    return np.reshape(z, tuple(1 if k in axes else n for k, n in enumerate(t.shape))) if keepdim else z


# By name ----------------------------------------------------------------------------------------------------


def _logit(t: Any, eps: float | None = None) -> Any:
    x = t if eps is None else np.clip(t, eps, 1.0 - eps)
    return np.log(x) - np.log1p(-x)


def _triangle(function: Callable[..., Any]) -> Method:
    """Of matrices: NumPy's function makes one of a vector."""

    def method(t: Any, diagonal: int = 0) -> Any:
        if t.ndim < 2:
            raise RuntimeError(f"{function.__name__}: input tensor must have at least 2 dimensions")
        return function(t, diagonal)

    return method


def _as_in_pytorch(method: Method) -> Method:
    """PyTorch takes NumPy's names of axes, too."""

    def spelled(t: Any, *args: Any, **kwargs: Any) -> Any:
        return method(t, *args, **{_NAMES.get(name, name): value for name, value in kwargs.items()})

    return spelled


_NAMES = {"axis": "dim", "keepdims": "keepdim"}

# Those that have a form which writes over the Tensor.
CHANGING: dict[str, Method] = {
    "clamp": lambda t, min=None, max=None: np.clip(t, min, max),
    "logit": _logit,
    "nan_to_num": lambda t, nan=None, posinf=None, neginf=None: np.nan_to_num(
        t, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf
    ),
    "tril": _triangle(np.tril),
    "triu": _triangle(np.triu),
}
SHARED: dict[str, Method] = {
    **CHANGING,
    "count_nonzero": _as_in_pytorch(lambda t, dim=None: make(np.count_nonzero(t.primal, axis=axes_of(dim)))),
    "cov": _cov,
    "cross": _as_in_pytorch(_cross),
    "diag": lambda t, diagonal=0: views.apart(np.diag(t, diagonal)),
    "diagflat": lambda t, offset=0: np.diagflat(t, offset),
    "diff": _as_in_pytorch(_diff),
    "flip": of_numbers(_flip),
    "fliplr": lambda t: views.apart(np.fliplr(t)),
    "flipud": lambda t: views.apart(np.flipud(t)),
    "ldexp": lambda t, other: t * np.exp2(other),
    "median": _as_in_pytorch(_median),
    "nanmedian": _as_in_pytorch(_nanmedian),
    "nanquantile": _as_in_pytorch(_quantile(np.nanquantile)),
    "norm": _norm,
    "quantile": _as_in_pytorch(_quantile(np.quantile)),
    "positive": lambda t: t,
    "roll": _roll,
    "rot90": lambda t, k=1, dims=(0, 1): (
        np.copy(t) if k % 4 == 0 else views.apart(np.rot90(t, k, tuple(dims)))
    ),
    "t": _t,
    "tile": _tile,
}
