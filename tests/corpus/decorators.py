"""Decorators of `functools` on functions that the program defines."""

import functools
import inspect

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4),))
def a_decorator_that_wraps(x):
    def scaled(factor):
        def decorate(f):
            @functools.wraps(f)
            def inner(*args, **kwargs):
                return factor * f(*args, **kwargs)

            return inner

        return decorate

    @scaled(2.0)
    def powers(v, p=2):
        return np.sum(v**p)

    return powers(x) + powers(x, p=3)


@program(lambda r: (r.uniform(1.0, 5.0, size=6),))
def a_knapsack_by_recursion(values):
    weights = (2, 3, 4, 5, 1, 2)

    @functools.lru_cache(maxsize=None)  # noqa: UP033  (as people write it)
    def best(i, room):
        if i == len(weights):
            return 0.0
        without = best(i + 1, room)
        if weights[i] > room:
            return without
        return max(without, values[i] + best(i + 1, room - weights[i]))

    return best(0, 7)


@program(lambda r: (0.4,))
def a_recursion_that_remembers(x):
    @functools.cache
    def fibonacci(n):
        return x if n < 2 else fibonacci(n - 1) + 0.1 * fibonacci(n - 2) * x

    return fibonacci(20)


@program(lambda r: (r.normal(size=5),))
def remembered_in_branches_and_loops(x):
    @functools.lru_cache
    def square(v):
        return v * v * x[3]

    total = 0.0
    for k in range(5):
        total += square(2) * x[0]
        if x[k] > 0.0:
            total += square(3) * x[1]
    return total + square(3) * x[2]


@functools.singledispatch
def measure(shape):
    return np.sum(shape**2)


@measure.register
def _(shape: float):
    return shape**3


@measure.register
def _(shape: list):
    return sum(measure(part) for part in shape)


@program(lambda r: (r.normal(size=3), 0.7))
def chosen_by_the_class_of_an_argument(x, t):
    return measure(x) + measure(t) * measure([x[0], 2.0 * x, t])


@functools.lru_cache(maxsize=8)
def remembered(t, n):
    return t**n + np.sin(t)


@program(lambda r: (r.normal(size=3), 0.7))
def remembered_of_numbers_with_a_derivative(x, t):
    return remembered(t, 2) * remembered(x[0], 3) + remembered(2.0, 2) * x[1]


def with_an_option(f):
    def chosen(*args, twice=False, **options):
        return 2.0 * f(*args, **options) if twice else f(*args, **options)

    chosen.__signature__ = inspect.signature(f)
    return chosen


@with_an_option
def power_sum(x, n=2):
    return np.sum(x**n)


@program(lambda r: (r.normal(size=3),))
def a_signature_that_a_decorator_says(x):
    return power_sum(x, n=3) + power_sum(x, twice=True)
