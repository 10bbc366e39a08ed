"""Closures, lambdas, functions as values, partial, recursion, globals."""

import functools
import math
from dataclasses import dataclass

import numpy as np
from tests.corpus import program

RATE = 0.25
MATRIX = np.array([[0.5, 1.0], [-0.3, 0.8]])
OPTIONS = {"power": 2, "norm": np.inf}


def square(x):
    return x * x


@program(lambda r: (0.7, 1.3))
def closure_over_values(x, y):
    scale = x * y

    def apply(t):
        return t * scale + y

    return apply(x) * apply(2.0)


@program(lambda r: (0.7,))
def closure_sees_the_latest_value(x):
    a = x

    def read():
        return a * a

    first = read()
    a = x * 3
    return first + read()


@program(lambda r: (0.7, 1.3))
def function_returns_a_function(x, y):
    def scaled(factor):
        return lambda t: factor * t * t

    f = scaled(x)
    g = scaled(y)
    return f(y) + g(f(x))


@program(lambda r: (0.7, 1.3))
def functions_in_a_list(x, y):
    total = 0.0
    for f in [np.sin, square, math.exp, lambda t: t * y]:
        total += f(x)
    return total


@program(lambda r: (0.7, 1.3))
def composed_functions(x, y):
    def compose(f, g):
        return lambda t: f(g(t))

    return compose(np.sin, square)(x) * compose(square, lambda t: t + y)(x)


@program(lambda r: (0.7, 1.3))
def partial_application(x, y):
    def weighted(a, b, c=1.0):
        return a * b + c

    f = functools.partial(weighted, x)
    g = functools.partial(weighted, c=y)
    return f(y) * g(x, y)


@program(lambda r: (r.normal(size=2),))
def globals_read(x):
    return np.sum(MATRIX @ x) * RATE + np.sum(x ** OPTIONS["power"]) + np.linalg.norm(x, OPTIONS["norm"])


@program(lambda r: (0.7,))
def euler_with_function_argument(x):
    def integrate(f, y, h, n):
        for _ in range(n):
            y = y + h * f(y)
        return y

    return integrate(lambda t: -t * x, 1.0, 0.1, 5) + integrate(np.sin, x, 0.1, 3)


@program(lambda r: (0.7, 5))
def recursion(x, n):
    def power(t, k):
        if k == 0:
            return 1.0
        return t * power(t, k - 1)

    return power(x, 5)


@dataclass(frozen=True)
class Well:
    depth: float
    width: float

    def energy(self, x):
        return self.depth * np.exp(-((x / self.width) ** 2))


WELL = Well(2.0, 0.8)


@program(lambda r: (0.7,))
def bound_method(x):
    return WELL.energy(x) * WELL.depth


@program(lambda r: (Well(2.0, 0.8), 0.7))
def dataclass_argument(well, x):
    return well.energy(x) + well.width**2


@program(lambda r: (0.7, 1.3))
def star_arguments(x, y):
    def total(*values):
        s = 0.0
        for v in values:
            s += v * v
        return s * len(values)

    return total(x, y, x * y)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@logged
def cube(x):
    return x**3


@program(lambda r: (0.7,))
def decorated_helper(x):
    return cube(x) + cube(x * 2)


@program(lambda r: (0.7, "tanh"))
def chosen_by_name(x, name):
    activations = {"tanh": np.tanh, "relu": lambda t: np.maximum(t, 0.0)}
    return activations[name](x) * x


@program(lambda r: (0.7, 1.3))
def default_from_outer_value(x, y):
    def f(t, scale=x):
        return t * scale

    x = 10.0
    return f(y) + x * y


@program(lambda r: (0.7,))
def conditional_function(x):
    f = np.sin if x > 0.5 else np.cos
    return f(x)


@program(lambda r: (0.7,))
def closure_called_in_a_loop(x):
    a = x

    def read():
        return a * a

    s = x
    for _ in range(3):
        s += read()
        a = s * 0.5
    return s * x


def odd(x, n):
    return even(x, n - 1) * x if n > 0 else x


def even(x, n):
    return odd(x, n - 1) + x if n > 0 else 1.0


@program(lambda r: (0.7,))
def mutual_recursion(x):
    return even(x, 6) * odd(x, 3)


def quadrature(f, a, b, depth):
    m = 0.5 * (a + b)
    coarse = 0.5 * (b - a) * (f(a) + f(b))
    fine = 0.25 * (b - a) * (f(a) + 2 * f(m) + f(b))
    if depth == 0 or abs(coarse - fine) < 1e-3:
        return fine
    return quadrature(f, a, m, depth - 1) + quadrature(f, m, b, depth - 1)


@program(lambda r: (1.7,))
def adaptive_quadrature(x):
    return quadrature(lambda t: np.sin(x * t) * t, 0.0, 1.0, 3)


def _scaled(a, *, scale=1.0, **options):
    y = a * scale
    if options.get("square", False):
        y = y**2
    return y + options.get("offset", 0.0)


@program(lambda r: (r.normal(size=4),))
def keywords_collected(x):
    def inner(a, *, scale=1.0, **options):
        return _scaled(a, scale=scale, **options)

    options = {"square": True, "offset": x[1]}
    return inner(x[0], scale=x[2], **options) + inner(x[3], offset=2.0)


def _counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2.0

    return wrapper


@program(lambda r: (r.normal(size=4), 3))
@_counted
def decorated_with_wraps(x, power=2):
    return np.sum(x**power)


class _Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


_LAYER = _Layer(np.arange(9.0).reshape(3, 3) / 9.0, np.ones(3))


@program(lambda r: (r.normal(size=3),))
def object_that_is_called(x):
    return np.sum(_LAYER(_LAYER(x)) * x)


def _square(v):
    return v**2


@program(lambda r: (r.normal(size=5),))
def map_and_reduce(x):
    squares = sum(map(_square, x))
    folded = functools.reduce(lambda a, b: a * 0.9 + b**2, x)
    return squares * folded + functools.reduce(lambda a, b: a * b, x, 2.0)


@program(lambda r: (r.normal(size=4), 0.3))
def one_of_two_lambdas(x, a):
    if a > 0.2:
        f = lambda v: v**2
    else:
        f = lambda v: np.sin(v)
    return f(x).sum() + f(a)


@program(lambda r: (r.normal(size=4), 0.3))
def one_of_two_functions(x, a):
    if a > 0.2:

        def f(v):
            return v**2
    else:

        def f(v):
            return np.sin(v)

    return np.sum(f(x))


@program(lambda r: (r.normal(size=4), 0.3))
def one_of_two_operations(x, a):
    f = np.sin if a > 0.2 else np.cos
    return np.sum(f(x)) * a


@program(lambda r: (r.normal(size=4),))
def nonlocal_that_is_read(x):
    scale = 2.0

    def f(v):
        nonlocal scale
        return v * scale

    return np.sum(f(x))


@program(lambda r: (r.normal(size=5), 0.3))
def one_of_three_functions_in_a_loop(x, a):
    s = 0.0
    for v in x:
        if v > a:
            f, word = np.sin, "up"
        elif v > 0:
            f, word = np.cos, "up"
        else:
            f, word = (lambda u: u * a), "down"
        s += f(v) * (2.0 if word == "up" else 1.0)
    return s


@program(lambda r: (r.normal(size=5), 7), argnums=(0,))
def closure_made_in_a_loop_without_trips(x, n):
    s = np.sum(x * x)
    for i in range(n, len(x)):
        f = lambda v: v * i
        s += f(x[i])
    return s


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@functools.lru_cache
def softened(v, beta=2.0):
    return np.log1p(np.exp(beta * v)) / beta


@program(lambda r: (r.normal(size=6),))
def functions_with_a_cache(x):
    weighted = sum(binomial(5, k) * (-1) ** k * v for k, v in enumerate([x[0], x[1], x[2], x[3]]))
    return weighted * softened(x[4]) + softened(x[5], beta=0.5)


@program(lambda r: (r.normal(size=5),))
def nonlocal_that_a_loop_adds_to(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v

    for v in x:
        add(v)
    return total * x[0]


@program(lambda r: (np.array([1.0, -2.0, 3.0, 0.6]),))
def nonlocal_that_counts_evaluations(x):
    calls, best = 0, np.inf

    def cost(v):
        nonlocal calls, best
        calls += 1
        found = v * v * calls
        if found < best:
            best = found
        return found

    total, i = 0.0, 0
    while i < len(x):
        total += cost(x[i]) if x[i] > 0 else -cost(-x[i])
        i += 1
    return total * calls + best


@program(lambda r: (r.normal(size=4),))
def nonlocal_of_a_parameter_that_is_an_array(x):
    def smooth(state):
        def push(v):
            nonlocal state
            state = 0.5 * state + v
            return np.sum(state)

        return sum(push(v) for v in x) + [push(v) for v in x][-1], lambda: state

    total, state = smooth(np.zeros(3))
    return total + state()[0]


@program(lambda r: (r.normal(size=3),))
def nonlocal_of_the_nearest_scope(x):
    def outer():
        k = x[0]

        def inner(v, k_before=k):
            nonlocal k
            k, w = k * v, k
            return w * k_before

        return inner(x[1]) + inner(x[2]) + k

    k = 3.0
    return outer() * k + sum(k * k for k in x) + (lambda k: k)(x[1])


def _counter(k):
    def step(v):
        nonlocal k
        k += v
        return k

    return step


@program(lambda r: (r.normal(size=3),))
def nonlocal_of_two_closures(x):
    first, second = _counter(x[0]), _counter(1.0)
    return first(x[1]) * first(x[2]) + second(x[0]) * second(2.0)


def _made_with(y, k):
    @program(lambda r: (0.7,))
    def parameters_named_as_what_is_outside(x):
        def scaled(y):
            return (lambda z: x * y * z)(2.0)

        return np.sum(scaled(x + 1.0) * y)

    @program(lambda r: (0.7,))
    def global_past_a_name_of_the_function_around(x):
        RATE = x * 3.0 + k

        def read():
            global RATE
            return (lambda: RATE * x)()

        return read() * RATE

    return parameters_named_as_what_is_outside, global_past_a_name_of_the_function_around


outside_names = _made_with(np.array([1.0, 2.0, 3.0]), 2.0)
