"""Rules of the functions of `math` that have no NumPy function of the same meaning."""

import math

import numpy as np

from adc.rules.registry import composite, constant, elementwise, full, lowered


@elementwise(math.erf, examples=lambda r: [0.3, -1.2, 0.0])
def erf(z, x):
    return 2.0 / math.sqrt(math.pi) * np.exp(-x * x)


@elementwise(math.erfc, examples=lambda r: [0.3, -1.2, 0.0])
def erfc(z, x):
    return -2.0 / math.sqrt(math.pi) * np.exp(-x * x)


@composite(math.log, name="math.log", wrt="x", examples=lambda r: [2.5, (2.5, 10.0), (2.5, 3)])
def log(x, base=None):
    if base is None:
        return np.log(x)
    return np.log(x) / np.log(base)


@composite(
    math.hypot,
    name="math.hypot",
    wrt="coordinates",
    examples=lambda r: [(3.0, 4.0), (-1.0, 2.0, -3.0), (-1.5,), (0.0, -2.0)],
    notes="0 at the origin",
)
def math_hypot(*coordinates):
    if len(coordinates) < 2:
        coordinates = 0.0, *coordinates, 0.0
    # Not the root of a sum of squares, which may be too large or too small for a number.
    length = coordinates[0]
    for c in coordinates[1:]:
        length = np.hypot(length, c)
    return length


@composite(
    math.dist,
    name="math.dist",
    wrt="p q",
    examples=lambda r: [((1.0, 2.0), (0.5, -1.0))],
    notes="0 where p == q",
)
def math_dist(p, q):
    total = 0.0
    for k in range(len(p)):
        total = total + (p[k] - q[k]) * (p[k] - q[k])
    return np.where(total == 0.0, 0.0, np.sqrt(np.where(total == 0.0, 1.0, total)))


@composite(math.fsum, name="math.fsum", wrt="seq", examples=lambda r: [((1.0, 2.0, 3.5),)])
def math_fsum(seq):
    total = 0.0
    for item in seq:
        total = total + item
    return total


@composite(
    math.prod,
    name="math.prod",
    wrt="iterable",
    examples=lambda r: [((1.0, 2.0, 3.5),)],
    extra={"as_operands": True},  # a number of NumPy's, if one of them is
)
def math_prod(iterable, *, start=1):
    total = start
    for item in iterable:
        total = total * item
    return total


@elementwise(
    math.remainder,
    name="math.remainder",
    cost=4,
    examples=lambda r: [
        (5.3, 2.1),
        (-5.3, 2.1),
        (6.4, -2.5),
        (-0.7, 1e9),
    ],
    extra={"positional": True, "ranks": ()},  # Numba has no function of that name
)
def math_remainder(z, x, y):
    return 1.0, -np.rint(x / y)


@lowered(math.remainder)
def math_remainder_by_cases(x, y):
    length, step = np.abs(x), np.abs(y)
    over = np.fmod(length, step)
    under = step - over
    half = over - 2.0 * np.fmod(0.5 * (length - over), step)  # to the even multiple
    return np.copysign(1.0, x) * np.where(over < under, over, np.where(over > under, -under, half))


if hasattr(math, "sumprod"):

    @composite(
        math.sumprod,
        name="math.sumprod",
        wrt="p q",
        examples=lambda r: [((1.0, 2.0), (0.5, -1.0))],
        extra={"as_operands": True},
    )
    def math_sumprod(p, q):
        total = 0.0
        for k in range(len(p)):
            total = total + p[k] * q[k]
        return total


if hasattr(math, "fma"):

    @elementwise(math.fma, name="math.fma", cost=1, examples=lambda r: [(1.5, 2.5, 0.5)])
    def math_fma(result, x, y, z):
        return y, x, 1.0


for question in (math.isnan, math.isinf, math.isfinite):
    constant(question, parameters="x", name=f"math.{question.__name__}", examples=lambda r: [0.5])
constant(math.isclose, parameters="a, b, rel_tol=1e-09, abs_tol=0.0", name="math.isclose")


@lowered(math.isclose)
def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    near = np.abs(a - b) <= np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    return np.logical_or(a == b, np.logical_and(near, np.isfinite(a - b)))


OF_INTEGERS = {"comb": "n, k", "perm": "n, k=None", "factorial": "n", "isqrt": "n"}
OF_INTEGERS |= {"gcd": "a, b", "lcm": "a, b"}
for name, parameters in OF_INTEGERS.items():
    constant(getattr(math, name), parameters=parameters, name=f"math.{name}", extra={"positional": True})


@full(math.gcd)
def gcd_of_several(a, b, *integers):
    common = math.gcd(a, b)
    for n in integers:
        common = math.gcd(common, n)
    return common


@full(math.lcm)
def lcm_of_several(a, b, *integers):
    common = math.lcm(a, b)
    for n in integers:
        common = math.lcm(common, n)
    return common
