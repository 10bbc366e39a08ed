"""Arrays that are made with the keywords that their rules leave away: `order`, `shape`, `device`.

An array whose elements lie by columns is the transpose of one whose elements lie by rows, also in compiled code: what
is a view of it there is one here, and what is a copy is a copy. Every array is NumPy's own and lies in memory that the
processor reads, so that `subok` and `device` change nothing.
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import creation as creation  # registers what stands below
from adc.rules import diagonals as diagonals
from adc.rules.registry import full as in_full
from adc.rules.registry import static


@static
def _by_columns(order, device=None):
    """Whether elements are to lie by columns; what NumPy refuses is refused."""
    if order not in ("C", "F", "A", "K", None):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
    return order == "F"


@static
def _has_shape(shape, order, ndim):
    """Whether another shape is asked for; NumPy keeps the order of an array of as many axes."""
    if shape is not None and order in ("A", "K") and ndim > 1 and _axes(shape) == ndim:
        raise UnsupportedError(
            f'`shape` with order="{order}" is not supported',
            why="It asks how the array lies in memory.",
            repair='Say order="C" or order="F".',
        )
    return shape is not None


def _axes(shape):
    return len(shape) if isinstance(shape, (tuple, list)) else 1


def _turned(shape):
    return tuple(shape)[::-1] if isinstance(shape, (tuple, list)) else shape


def _laid(made, by_columns):
    return np.transpose(np.copy(np.transpose(made))) if by_columns else made


@in_full(np.zeros)
def zeros(shape, dtype=float, order="C", device=None):
    if _by_columns(order, device):
        return np.transpose(np.zeros(_turned(shape), dtype))
    return np.zeros(shape, dtype)


@in_full(np.ones)
def ones(shape, dtype=None, order="C", device=None):
    kind = float if dtype is None else dtype
    return np.transpose(np.ones(_turned(shape), kind)) if _by_columns(order, device) else np.ones(shape, kind)


@in_full(np.empty)
def empty(shape, dtype=float, order="C", device=None):
    if _by_columns(order, device):
        return np.transpose(np.empty(_turned(shape), dtype))
    return np.empty(shape, dtype)


@in_full(np.full)
def full(shape, fill_value, dtype=None, order="C", device=None):
    made = np.full(shape, fill_value, dtype)
    return _laid(made, _by_columns(order, device))


def _like(make, make_like, a, dtype, order, shape, device):
    """An array like another one, by what makes it of a shape, or where that is the other's."""
    if _has_shape(shape, order, np.ndim(a)):
        return make(shape, dtype=np.result_type(a) if dtype is None else dtype, order=order, device=device)
    return _laid(make_like(a, dtype=dtype), _by_columns(order, device))


@in_full(np.zeros_like)
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, device=None):
    return _like(zeros, np.zeros_like, a, dtype, order, shape, device)


@in_full(np.ones_like)
def ones_like(a, dtype=None, order="K", subok=True, shape=None, device=None):
    return _like(ones, np.ones_like, a, dtype, order, shape, device)


@in_full(np.empty_like)
def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, device=None):
    return _like(empty, np.empty_like, prototype, dtype, order, shape, device)


@in_full(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, device=None):
    def make(shape, dtype, order, device):
        return full(shape, fill_value, dtype, order, device)

    def make_like(a, dtype):
        return np.full_like(a, fill_value, dtype)

    return _like(make, make_like, a, dtype, order, shape, device)


@in_full(np.eye)
def eye(N, M=None, k=0, dtype=float, order="C", device=None):
    made = np.eye(N, M, k, dtype)
    return _laid(made, _by_columns(order, device))
