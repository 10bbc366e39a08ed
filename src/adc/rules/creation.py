"""Operations that make arrays: `full` carries a derivative into its fill value, `arange` into its start and step."""

import numpy as np

from adc.rules import shapes
from adc.rules.dims import Dim
from adc.rules.registry import composite, constant, linear, pull, push
from adc.rules.sampler import call


def _as_shape(shape, *_, **__):
    return tuple(Dim.of(d) for d in (shape if isinstance(shape, tuple) else (shape,)))


def _like(a, *_, **__):
    return shapes.shape_of(a)


constant(np.zeros, parameters="shape, dtype=float", shape=_as_shape)
constant(np.ones, parameters="shape, dtype=float", shape=_as_shape)
constant(np.empty, parameters="shape, dtype=float", shape=_as_shape)
constant(np.zeros_like, parameters="a, dtype=None", shape=_like)
constant(np.ones_like, parameters="a, dtype=None", shape=_like)
constant(
    np.empty_like,
    parameters="prototype, dtype=None",
    shape=lambda prototype, *_, **__: shapes.shape_of(prototype),
)


@linear(
    np.full,
    wrt="fill_value",
    shape=_as_shape,
    examples=lambda r: [(3, 1.5), ((2, 3), 0.5), ((2, 3), r.normal(3))],
)
def full(z_bar, shape, fill_value, dtype=None):
    return z_bar


@linear(
    np.full_like,
    wrt="fill_value",
    shape=_like,
    examples=lambda r: [(r.normal(3), 1.5), (r.normal(2, 3), 0.5), (r.normal(2, 3), r.normal(2, 1))],
)
def full_like(z_bar, a, fill_value, dtype=None):
    return z_bar


@linear(
    np.copy,
    wrt="a",
    methods="copy",
    shape=_like,
    examples=lambda r: [r.normal(3), r.normal(2, 3), call(r.normal(2))],
)
def copy(z_bar, a):
    return z_bar


@composite(
    np.asanyarray,
    np.asarray_chkfinite,
    extra={"gives_back": True},
    examples=lambda r: [r.normal(3), r.normal(2, 3)],
)
def asanyarray(a):
    return a


@composite(
    np.asfortranarray,
    extra={"view": True, "order": "A", "gives_back": True},
    examples=lambda r: [1.5, r.normal(3), r.normal(2, 3)],
)
def asfortranarray(a):
    return np.atleast_1d(a) if np.ndim(a) < 2 else np.transpose(np.copy(np.transpose(a)))


@pull(
    np.arange,
    wrt="start stop step",
    cost=1,
    notes="how many numbers there are is piecewise constant",
    examples=lambda r: [
        (0.3, 2.0, 0.45),
        call(0.3, 2.0),
        (2.0, 0.1, -0.7),
        (0, 2, 0.3),
    ],
    extra={"positional": True},
)
def arange_pull(z_bar, z, start, stop=None, step=None, dtype=None):
    # With one argument that is where the numbers stop.
    start_bar = 0.0 if stop is None else np.sum(z_bar)
    return start_bar, 0.0, np.sum(z_bar * np.arange(np.size(z)))


@push(np.arange)
def arange_push(z, start, stop=None, step=None, dtype=None, *, start_dot, stop_dot, step_dot):
    fixed = np.zeros_like(z)
    if stop is not None:
        fixed = fixed + start_dot
    return fixed if step is None else fixed + step_dot * np.arange(np.size(z))


# --- windows ------------------------------------------------------------------------------------------------

# Composites, although how many points a window has is an integer: a float is taken, too, and then it moves the points.


def _apart(M):
    """From -1 to 1, where the points of a window lie; 0 for a single one."""
    return np.arange(1 - M, M, 2) / np.maximum(M - 1, 1)


def _counts(r):
    return [5, 1, 4]


@composite(np.bartlett, examples=_counts)
def bartlett(M):
    return 1.0 - np.abs(_apart(M))


@composite(np.blackman, examples=_counts)
def blackman(M):
    angle = np.pi * _apart(M)
    return 0.42 + 0.5 * np.cos(angle) + 0.08 * np.cos(2.0 * angle)


@composite(np.hamming, examples=_counts)
def hamming(M):
    return 0.54 + 0.46 * np.cos(np.pi * _apart(M))


@composite(np.hanning, examples=_counts)
def hanning(M):
    return 0.5 + 0.5 * np.cos(np.pi * _apart(M))
