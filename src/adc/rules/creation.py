"""Operations that make arrays. Only `full` carries a derivative, into its fill value."""

import numpy as np

from adc.rules import shapes
from adc.rules.dims import Dim
from adc.rules.registry import composite, constant, linear
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
constant(np.empty_like, parameters="a, dtype=None", shape=_like)


@linear(np.full, wrt="fill_value", shape=_as_shape, examples=lambda r: [(3, 1.5), ((2, 3), 0.5)])
def full(z_bar, shape, fill_value, dtype=None):
    return np.sum(z_bar)


@linear(
    np.full_like,
    wrt="fill_value",
    shape=_like,
    examples=lambda r: [(r.normal(3), 1.5), (r.normal(2, 3), 0.5)],
)
def full_like(z_bar, a, fill_value, dtype=None):
    return np.sum(z_bar)


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
    np.asanyarray, np.asfortranarray, np.asarray_chkfinite, examples=lambda r: [r.normal(3), r.normal(2, 3)]
)
def asanyarray(a):
    return a


for function in (np.bartlett, np.blackman, np.hamming, np.hanning):
    constant(function, parameters="M", shape=lambda M: (Dim.of(M),), examples=lambda r: [5])
