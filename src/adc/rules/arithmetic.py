"""Rules of the arithmetic operators and of the ufuncs that mean the same."""

import math
import operator

import numpy as np

from adc.rules.registry import composite, elementwise
from adc.rules.sampler import call


@elementwise(np.add, operator.add, operator.iadd, symbol="+", cost=1)
def add(z, x, y):
    return 1.0, 1.0


@elementwise(np.subtract, operator.sub, operator.isub, symbol="-", cost=1)
def subtract(z, x, y):
    return 1.0, -1.0


@elementwise(np.multiply, operator.mul, operator.imul, symbol="*", cost=1)
def multiply(z, x, y):
    return y, x


@elementwise(
    np.true_divide,
    operator.truediv,
    operator.itruediv,
    symbol="/",
    cost=2,
    domain="nonzero",
    singular=True,
    spelling="np.divide",
    name="divide",
)
def divide(z, x, y):
    return 1.0 / y, -z / y


@elementwise(np.negative, operator.neg, symbol="-", cost=1)
def negative(z, x):
    return -1.0


@elementwise(np.positive, operator.pos, symbol="+", cost=0)
def positive(z, x):
    return 1.0


@elementwise(
    np.power,
    operator.pow,
    operator.ipow,
    pow,
    math.pow,
    symbol="**",
    domain="positive",
    singular=True,
    notes="d/dy at x == 0 is 0 for y > 0 (the limit) and d/dx of x**0 is 0 everywhere, as in JAX",
)
def power(z, x, y):
    # The derivative with respect to the exponent has the limit 0 at x == 0, where log(x) is infinite.
    log_x = np.log(np.where(x == 0.0, 1.0, x))
    if np.result_type(y) == np.int64:  # and so are these exponents, of which a loop makes products
        return y * x ** np.where(y == 0, 0, y - 1), z * log_x
    # Of y == 0 only 0 ** 0 is set apart: elsewhere the product is 0, but its derivative with respect to y is 1 / x.
    return y * x ** np.where((y == 0.0) & (x == 0.0), 0.0, y - 1.0), z * log_x


@elementwise(
    np.float_power, domain="positive", singular=True, extra={"float64_only": True}, notes="as np.power"
)
def float_power(z, x, y):
    log_x = np.log(np.where(x == 0.0, 1.0, x))
    return y * x ** np.where((y == 0.0) & (x == 0.0), 0.0, y - 1.0), z * log_x


@elementwise(
    np.remainder,
    operator.mod,
    operator.imod,
    symbol="%",
    cost=4,
    name="remainder",
    examples=lambda r: [
        (5.3, 2.1),
        (-5.3, 2.1),
        (r.nonzero(4) * 3.1, r.positive(4)),
        (r.nonzero(2, 3) * 3.1, 0.7),
    ],
)
def remainder(z, x, y):
    return 1.0, -np.floor(x / y)


@elementwise(
    np.fmod, math.fmod, cost=4, examples=lambda r: [(5.3, 2.1), (-5.3, 2.1), (r.nonzero(4) * 3.1, 0.7)]
)
def fmod(z, x, y):
    return 1.0, -np.trunc(x / y)


@elementwise(
    np.maximum,
    cost=1,
    notes="at a tie the first operand takes all",
    examples=lambda r: [
        (0.3, 0.7),
        (r.distinct(4), r.distinct(4) + 0.05),
        (r.distinct(2, 3), 0.01),
        (r.distinct(2, 3), r.distinct(3) + 0.05),
    ],
)
def maximum(z, x, y):
    first = (x >= y) | (x != x)
    return np.where(first, 1.0, 0.0), np.where(first, 0.0, 1.0)


@elementwise(
    np.minimum,
    cost=1,
    notes="at a tie the first operand takes all",
    examples=lambda r: [
        (0.3, 0.7),
        (r.distinct(4), r.distinct(4) + 0.05),
        (r.distinct(2, 3), 0.01),
        (r.distinct(2, 3), r.distinct(3) + 0.05),
    ],
)
def minimum(z, x, y):
    first = (x <= y) | (x != x)
    return np.where(first, 1.0, 0.0), np.where(first, 0.0, 1.0)


@elementwise(
    np.absolute,
    abs,
    operator.abs,
    cost=1,
    domain="nonzero",
    name="absolute",
    spelling="np.abs",
    notes="derivative 0 at 0",
)
def absolute(z, x):
    if np.iscomplexobj(x):
        return np.conjugate(x) / np.where(z == 0.0, np.inf, z)  # 0 at 0, and so is its derivative
    return np.sign(x)


@composite(
    np.fabs,
    math.fabs,
    name="fabs",
    examples=lambda r: [0.5, 3, r.nonzero(4), r.nonzero(2, 3)],
    notes="derivative 0 at 0",
)
def fabs(x):
    return np.abs(x * 1.0)  # a float of an integer


@elementwise(
    np.fmax,
    cost=1,
    notes="as maximum; a NaN takes nothing",
    examples=lambda r: [
        (0.3, 0.7),
        (r.distinct(4), r.distinct(4) + 0.05),
        (r.distinct(2, 3), r.distinct(3) + 0.05),
        (np.array([np.nan, 1.0]), np.array([2.0, np.nan])),
    ],
)
def fmax(z, x, y):
    first = (x >= y) | (y != y)
    return np.where(first, 1.0, 0.0), np.where(first, 0.0, 1.0)


@elementwise(
    np.fmin,
    cost=1,
    notes="as minimum; a NaN takes nothing",
    examples=lambda r: [
        (0.3, 0.7),
        (r.distinct(4), r.distinct(4) + 0.05),
        (r.distinct(2, 3), r.distinct(3) + 0.05),
        (np.array([np.nan, 1.0]), np.array([2.0, np.nan])),
    ],
)
def fmin(z, x, y):
    first = (x <= y) | (y != y)
    return np.where(first, 1.0, 0.0), np.where(first, 0.0, 1.0)


@elementwise(
    np.clip,
    cost=1,
    methods="clip",
    notes="1 on the closed interval, 0 outside",
    extra={"positional": True},
    examples=lambda r: [
        (0.2, -0.5, 0.5),
        (r.distinct(6), -0.33, 0.37),
        (r.distinct(2, 3), -0.33, 0.37),
        (r.distinct(4), r.distinct(4) - 2.0, r.distinct(4) + 2.0),
        (r.distinct(4), r.distinct(4) + 2.0, r.distinct(4) - 2.0),
        call(r.distinct(5), -0.33, None),
    ],
)
def clip(z, a, a_min, a_max):
    below = a < a_min if a_min is not None else False
    above = a > a_max if a_max is not None else False
    if a_min is not None and a_max is not None:
        above = above | (a_min > a_max)  # bounds that have changed places leave the upper one
    low = np.where(above, 0.0, np.where(below, 1.0, 0.0))
    return np.where(below | above, 0.0, 1.0), low, np.where(above, 1.0, 0.0)


@composite(
    np.divmod,
    divmod,
    name="divmod",
    spelling="np.divmod",
    wrt="x y",
    examples=lambda r: [(5.3, 2.1), (r.nonzero(4) * 3.1, r.positive(4))],
)
def divmod_(x, y):
    return np.floor_divide(x, y), np.remainder(x, y)
