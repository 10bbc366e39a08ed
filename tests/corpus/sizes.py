"""Compiled for the sizes of one call: recursion on lengths, `*array`, lists laid out by the shape of the data"""

import itertools
from collections import namedtuple

import numpy as np
from tests.corpus import program

State = namedtuple("State", "s i r")


@program(lambda r: (1.3, 5))
def power_by_recursion(x, n):
    def power(x, n):
        if n == 0:
            return 1.0
        half = power(x, n // 2)
        return half * half * x if n % 2 else half * half

    return power(x, n) + x


@program(lambda r: (r.normal(size=(3, 3)), 4))
def matrix_power_of_an_argument(a, n):
    return np.trace(np.linalg.matrix_power(a, n))


@program(lambda r: (r.normal(size=(3, 2)), 1))
def axis_of_an_argument(x, axis):
    return np.sum(np.cumsum(x, axis=axis).max(axis=axis) ** 2)


@program(lambda r: (r.normal(size=8),))
def fourier_transform_by_halves(x):
    def transformed(x):
        n = len(x)
        if n == 1:
            return x
        even, odd = transformed(x[::2]), transformed(x[1::2])
        turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turned, even - turned])

    return np.sum(np.abs(transformed(x.astype(complex))) ** 3)


@program(lambda r: (np.array([0.5, 1.2, -0.3]), np.linspace(0, 1, 5), r.normal(size=5)))
def parameters_spread(p, t, y):
    def model(t, a, b, c):
        return a * np.exp(-b * t) + c

    return 0.5 * np.sum((model(t, *p) - y) ** 2) + max(*p)


@program(lambda r: (0.4, 0.1, np.array([0.99, 0.01, 0.0])))
def state_spread_into_fields(beta, gamma, start):
    state = State(*start)
    for _ in range(5):
        ill = beta * state.s * state.i
        state = state._replace(s=state.s - ill, i=state.i + ill - gamma * state.i)
    return state.i**2 + state.s + state.r


@program(lambda r: (r.normal(size=(4, 2)),))
def pairs_in_a_list(x):
    n = len(x)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    energy = 0.0
    for i, j in pairs:
        energy += 1.0 / np.sqrt(np.sum((x[i] - x[j]) ** 2) + 0.1)
    return energy


@program(lambda r: (r.normal(size=(4, 2)),))
def pairs_of_combinations(x):
    energy = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        energy += np.exp(-np.linalg.norm(x[i] - x[j]))
    return energy


@program(lambda r: (r.normal(size=(3, 4)),))
def rows_by_their_names(x):
    sums = {}
    for i, row in enumerate(x):
        sums[f"row {i}"] = np.sum(row**2)
    return max(sums.values()) + sum(sums[k] / (1 + n) for n, k in enumerate(sorted(sums)))


@program(lambda r: (r.normal(size=6), 3))
def levels_of_other_lengths(x, levels):
    details = []
    for _ in range(levels):
        details.append(x[1:] - x[:-1])
        x = 0.5 * (x[1:] + x[:-1])
    return sum(np.sum(d**2) * (k + 1) for k, d in enumerate(details)) + np.sum(x)


@program(lambda r: (r.normal(size=4), 13))
def digits_of_an_argument(x, n):
    terms = []
    while n > 0:
        n, digit = divmod(n, 3)
        terms.append(x if digit == 1 else x[:digit])
    return sum(np.sum(t**2) for t in terms)


@program(lambda r: (r.normal(size=5), r.uniform(1, 2, size=4)))
def sorted_by_a_key(x, y):
    s = 0.0
    for k, v in enumerate(sorted(x, key=lambda v: abs(v - 0.1))):
        s += v * (k + 1)
    a, b, *rest = sorted([y[0], y[1], x[0] * y[2], y[3]], key=lambda v: -(v**2), reverse=True)
    return s + a * b + sum(rest)


@program(lambda r: (r.normal(size=5),))
def elements_as_long_as_the_counter(x):
    heads = [(x[:i], i) for i in range(1, len(x))]
    tails = []
    for i in range(len(x)):
        tail = x[min(i, 3) :] * 2.0
        if i % 2:
            tails.append(tail)
    return sum(np.sum(p * p) * i for p, i in heads) + sum(np.prod(t) for t in tails)
