"""Rules of functions that take floating-point numbers apart: copysign, ldexp, frexp, modf, nan_to_num, ..."""

import math

import numpy as np

from adc.rules import shapes
from adc.rules.registry import composite, constant, elementwise, lowered, pull, push
from adc.rules.sampler import call


@elementwise(
    np.copysign,
    math.copysign,
    cost=1,
    notes="the sign of the second operand is piecewise constant; derivative 1 or -1 at 0",
    examples=lambda r: [(0.7, -2.0), (r.nonzero(4), r.nonzero(4)), (r.nonzero(2, 3), r.nonzero(3))],
)
def copysign(z, x1, x2):
    return np.copysign(1.0, x1) * np.copysign(1.0, x2), 0.0


@elementwise(
    np.ldexp,
    math.ldexp,
    wrt="x1",
    cost=2,
    extra={"integers": ("x2",)},
    examples=lambda r: [(0.7, 3), (r.normal(4), r.integers(-3, 4, 4)), (r.normal(2, 3), 2)],
)
def ldexp(z, x1, x2):
    return np.exp2(x2)


@elementwise(
    np.heaviside,
    cost=1,
    extra={"ranks": ()},  # Numba has no function of that name
    notes="0 away from 0; at 0 the second operand passes",
    examples=lambda r: [(0.7, 0.5), (r.nonzero(4), 0.5), (r.nonzero(2, 3), r.normal(3))],
)
def heaviside(z, x1, x2):
    return 0.0, np.where(x1 == 0.0, 1.0, 0.0)


@lowered(np.heaviside)
def heaviside_by_cases(x1, x2):
    step = np.where(np.isnan(x1), x1, x2)  # which has the dtype of both
    return np.where(x1 > 0.0, 1.0, np.where(x1 < 0.0, 0.0, step))


@elementwise(
    np.nan_to_num,
    wrt="x nan posinf neginf",
    cost=1,
    notes="0 where a value is replaced; 1 for what replaces it",
    extra={"copies": "copy", "gives_back": True},
    examples=lambda r: [
        r.normal(3),
        call(np.array([1.0, np.nan, 2.0]), nan=3.0),
        call(np.array([1.0, np.inf, -np.inf]), posinf=3.0, neginf=-2.0),
    ],
)
def nan_to_num(z, x, copy=True, nan=0.0, posinf=None, neginf=None):
    return (
        np.where(np.isfinite(x), 1.0, 0.0),
        np.where(np.isnan(x), 1.0, 0.0),
        np.where(x == np.inf, 1.0, 0.0),
        np.where(x == -np.inf, 1.0, 0.0),
    )


@composite(np.modf, math.modf, name="modf", examples=lambda r: [1.7, -2.3, r.nonzero(3) * 1.7])
def modf(x):
    whole = np.trunc(x)
    return np.where(np.abs(x) == np.inf, 0.0, x - whole), whole


@pull(
    np.frexp,
    math.frexp,
    wrt="x",
    cost=4,
    shape=lambda x: (shapes.shape_of(x), shapes.shape_of(x)),
    examples=lambda r: [1.7, r.nonzero(3) * 5.3],
    notes="the exponent is piecewise constant",
)
def frexp_pull(z_bar, z, x):
    mantissa_bar, _ = z_bar
    _, exponent = z
    return np.ldexp(mantissa_bar, -exponent)


@push(np.frexp)
def frexp_push(z, x, *, x_dot):
    _, exponent = z
    return np.ldexp(x_dot, -exponent), np.zeros_like(exponent)


@elementwise(
    np.nextafter,
    math.nextafter,
    cost=4,
    notes="as x1: the step to the neighbour is piecewise constant",
    examples=lambda r: [(0.5, 1.0), (0.5, -1.0), (r.normal(4), r.normal(4)), (r.normal(2, 3), 1.0)],
)
def nextafter(z, x1, x2):
    return 1.0, 0.0


constant(np.spacing, parameters="x", elementwise=True, examples=lambda r: [0.5])
constant(math.ulp, parameters="x", examples=lambda r: [0.5])
