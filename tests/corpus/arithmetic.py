"""The arithmetic of Python's operators and of NumPy's elementary functions."""

# ruff: noqa: B002  (as people write it)

import numpy as np
from tests.corpus import program


def positive(*shapes):
    return lambda r: tuple(r.uniform(0.5, 2.0, s) if s != () else float(r.uniform(0.5, 2.0)) for s in shapes)


@program(positive((), ()))
def four_operations(x, y):
    return (x + y) * (x - y) / (x * y + 1) - -x


@program(positive((), (), ()))
def powers(x, y, z):
    return x**y + x**2 + x**3 + x**-1 + x**0.5 + 2**z + z**x**0.5


@program(positive(4, 4))
def array_powers(x, y):
    return np.sum(x**y + x**2 + y**3 + x**-2 + y**0.5 + 2.0**x)


@program(lambda r: (np.array([-1.5, 2.5, 0.5]),))
def integer_powers_of_negatives(x):
    return np.sum(x**2 * 3 + x**3 + x**4 + x**1 + x**0)


@program(lambda r: (np.array([3.3, -2.6, 7.9]), 1.7))
def floor_and_modulo(x, y):
    return np.sum(x % y + (x // y) * x) + np.sum(np.mod(x, 2.5))


@program(lambda r: (5.3, 1.7))
def scalar_modulo(x, y):
    q, m = divmod(x, y)
    return q * x + m * m + x % y + (x // y) * y


@program(positive(3))
def unary(x):
    return np.sum(-x + +x * 2 - (-(-x)) * x)


@program(positive(4))
def elementary(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(x / 4) + np.exp(-x) + np.log(x) + np.sqrt(x) + np.tanh(x))


@program(lambda r: (r.uniform(-0.8, 0.8, 4),))
def inverse_functions(x):
    return np.sum(
        np.arcsin(x)
        + np.arccos(x) * x
        + np.arctan(x)
        + np.arcsinh(x)
        + np.arctanh(x)
        + np.sinh(x) * np.cosh(x)
    )


@program(positive(4, 4))
def more_elementary(x, y):
    return np.sum(
        np.log1p(x)
        + np.expm1(y)
        + np.log2(x)
        + np.log10(y)
        + np.exp2(x)
        + np.square(x)
        + np.reciprocal(y)
        + np.cbrt(x)
        + np.arctan2(x, y)
        + np.hypot(x, y)
        + np.logaddexp(x, y)
    )


@program(positive((), ()))
def scalar_elementary(x, y):
    return np.sin(x) * np.exp(y) / np.sqrt(x + y) + np.log(x * y) ** 2


@program(positive(3, ()))
def scalar_with_array(x, s):
    return np.sum(s * x + x / s - s / x + x**s + s**x)


@program(positive(3))
def array_with_integers(x):
    n = np.arange(3)
    return np.sum(x * n + n / x + (x + 1) ** n)


@program(positive(()))
def int_constants_do_not_truncate(x):
    a = 3 // 2 + 7 % 4
    return x * a + a / 2 * x * x


@program(positive(3, 3))
def functions_for_operators(x, y):
    return np.sum(
        np.add(x, y) * np.subtract(x, y)
        + np.multiply(x, y) / np.divide(x, y)
        + np.power(x, y)
        + np.negative(x)
        + np.true_divide(y, x)
    )


@program(positive(()))
def deep_expression(x):
    return ((((x + 1) * x + 1) * x + 1) * x + 1) * x + np.exp(np.sin(np.cos(np.tanh(x))))


@program(lambda r: (r.normal(size=3),))
def many_uses_of_one_value(x):
    y = np.exp(x)
    return np.sum(y * y + y / (1 + y) + y - np.log(y) + y * x + y**2)


@program(lambda r: (r.normal(size=4), np.concatenate([r.normal(size=18), [0.0]])))
def powers_counted_by_a_loop(c, x):
    total = np.zeros(x.shape)
    for i in range(c.shape[0]):
        total = total + c[i] * x**i - 0.5 * (1 - x) ** (3 - i)
    return np.sum(total**2)


@program(lambda r: (r.uniform(0.9, 1.1, 9), r.uniform(0.5, 1.5, 4)))
def powers_beyond_products_and_below_one(x, y):
    total = 0.0
    for k in range(-2, 3):
        total = total + np.sum(x ** (40 * k)) + np.sum(y**k) * k
    return total


@program(lambda r: (np.array([0.4, 1.7, 2.0, 0.7, 1.3]), np.array([2.0, 1.0, 0.0, 1.5, -0.5])))
def powers_with_both_exponents(x, y):
    return np.sum(x**y) + np.sum(x[2:] ** y[2:] * np.log(x[2:]))
