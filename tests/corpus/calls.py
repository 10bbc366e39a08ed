"""Calls of the user's own functions, with every kind of argument."""

import numpy as np
from tests.corpus import program


def square(x):
    return x * x


def weighted(x, y, scale=2.0, *, shift=0.0):
    return scale * x * y + shift


def both(x, y):
    s = x + y
    return s, x * y


def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def norm(v):
    s = 0.0
    for i in range(v.shape[0]):
        s += v[i] * v[i]
    return np.sqrt(s)


def double_in_place(v, c):
    v[0] = v[1] * c
    v *= c


def smooth(v):
    out = np.zeros_like(v)
    for i in range(1, v.shape[0] - 1):
        out[i] = (v[i - 1] + v[i] + v[i + 1]) / 3
    return out


@program(lambda r: (0.7, 1.3))
def helper(x, y):
    return square(x) * square(x + y)


@program(lambda r: (0.7, 1.3))
def nested_helpers(x, y):
    return square(square(x) + weighted(x, square(y)))


@program(lambda r: (0.7, 1.3))
def keywords_and_defaults(x, y):
    a = weighted(x, y)
    b = weighted(y=x, x=y, scale=x)
    c = weighted(x, y, 3.0, shift=a)
    return a * b + c


@program(lambda r: (0.7, 1.3))
def tuple_result(x, y):
    s, p = both(x, y)
    t = both(s, p)
    return s * p + t[0] * t[1]


@program(lambda r: (0.7, 1.3))
def helper_with_returns(x, y):
    return clamp(x, 0.0, 0.5) * y + clamp(y, x, 2.0) * x + clamp(x * y, 2 * x, 4)


@program(lambda r: (r.normal(size=4), r.normal(size=3)))
def helper_with_loop(x, y):
    return norm(x) * norm(y * 2) + norm(x[1:])


@program(lambda r: (r.normal(size=4), 0.6))
def helper_writes_its_argument(x, c):
    y = x * x
    double_in_place(y, c)
    double_in_place(y[2:], c)
    return np.sum(y * x)


@program(lambda r: (r.normal(size=5),))
def helper_in_loop(x):
    for _ in range(3):
        x = smooth(x) * x + x
    return np.sum(x)


@program(lambda r: (0.7,), argnums=(0,))
def default_of_the_program(x, n=3, scale=0.5):
    for _ in range(n):
        x = x * scale + x * x
    return x


@program(lambda r: (0.7, 1.3))
def local_names_do_not_collide(x, y):
    s = x * y
    p = square(s)
    x_bar = p + s
    s_bar, forward = both(x_bar, s)
    return s_bar * forward + s


@program(lambda r: (0.7,))
def names_of_builtins(x):
    sum = x * x
    np_ = sum + 1
    max = np_ * x
    lambda_ = max - sum
    return lambda_ * sum


@program(lambda r: (0.7,))
def nested_function(x):
    def inner(t):
        return t * x

    return inner(x) + inner(2.0)


@program(lambda r: (0.7, 1.2))
def lambda_function(x, y):
    f = lambda t, k=2: t**k * y
    return f(x) + f(y, 3)


@program(lambda r: (0.7,))
def function_as_argument(x):
    def twice(f, t):
        return f(f(t))

    return twice(square, x) + twice(lambda t: t * x, x)


@program(lambda r: (0.7, 1.2))
def helper_called_on_constants(x, y):
    c = square(3.0)
    k = weighted(2, 3)
    return c * x * k + square(2) * y * y


@program(lambda r: (r.normal(size=4),))
def parameters_by_position_only(x):
    a = 100.0

    def f(a, /, b, *rest, c=1.0, **named):
        return a * b + sum(rest) * c + named.get("a", 0.0)

    g = lambda a, b=2.0, /: a * b
    values = (x[0], x[1], x[2])
    return f(*values) + f(x[0], b=x[1], a=x[2], c=x[3]) * a + f(*x[:2], x[3], c=2.0) + g(x[1]) * g(x[2], x[3])
