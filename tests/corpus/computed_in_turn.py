"""Loops over what is computed item by item, by functions whose variables the loops change."""

# ruff: noqa: B905, RUF058  (as people write it)

import functools
import itertools

import numpy as np
from tests.corpus import program

NOTED = dict.fromkeys(("compiled", "python"), "which has changed since it was made")


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def filter_by_a_function(x):
    w = 1.0

    def keep(v):
        return v * w > 0.4

    s = 0.0
    for v in filter(keep, x):
        w = w * 0.6
        s += v * v * w
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def generator_expression_and_nonlocal(x):
    w = 1.5

    def cool(rate):
        nonlocal w
        w *= rate

    s = 0.0
    for v in (v * w for v in x):
        cool(0.5 + 0.1 * x[0])
        s += v * v
    return s + w


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def accumulate_by_a_function(x):
    state = {"rate": 0.9}

    def step(total, v):
        return total * state["rate"] + v

    s = 0.0
    for total in itertools.accumulate(x, step):
        state["rate"] *= 0.8
        s += total * total
    return s


class Gain:
    def __init__(self, value):
        self.value = value

    def times(self, v):
        return v * self.value

    def grow(self, by):
        self.value = self.value + by


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def method_in_a_generator_expression(x):
    gain = Gain(1.0)
    s = 0.0
    for k, v in enumerate(gain.times(v) for v in x):
        gain.grow(0.3 * v)
        s += v * k
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def starmap_beside_an_array(x):
    w = 1.0

    def weigh(a, b):
        return a * w + b

    s = 0.0
    for v, a in zip(itertools.starmap(weigh, zip(x, x[::-1])), x):
        w = w - 0.2 * a
        s += v * v
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def rows_one_after_the_other(x):
    w = 1.0

    def row(v):
        return [v * w, v + w]

    s = 0.0
    for v in itertools.chain.from_iterable(row(v) for v in x):
        w = w * 0.8
        s += v * v
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def several_sequences_of_a_list(x):
    w = [1.0]
    s = 0.0
    for v in map(lambda a, b: a * b * w[-1], [x[0], x[1]], [x[2], x[3]]):
        w.append(w[-1] * 0.5)
        s += v * v
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def reduced_in_a_generator_expression(x):
    decay = 0.5
    s = 0.0
    for v in (functools.reduce(lambda a, b: a * decay + b, x[: k + 1]) for k in range(3)):
        decay = decay * 0.7
        s += v * v
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def returned_by_a_function(x):
    w = {"gain": 1.0}

    def scaled(values):
        return (v * w["gain"] for v in values)

    items = scaled(x)
    w["gain"] = 0.3
    return sum(items) ** 2


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def returned_by_a_function_and_gone_over(x):
    w = np.array([1.0, 2.0])

    def scaled(values):
        return filter(lambda v: v * w[0] > 0.1, (v * w[0] for v in values))

    s = 0.0
    for v in scaled(x):
        w *= 0.6
        s += v * v
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=4),), refused=NOTED)
def taken_one_by_one(x):
    w = 1.0
    items = iter(v * w for v in x)
    s = next(items)
    w = 0.5
    return s + next(items) ** 2


@program(lambda r: (r.uniform(0.5, 1.5, size=4),), refused=NOTED)
def held_by_a_tuple(x):
    w = 1.0
    items = (v * w for v in x)
    held = (items, 2.0)
    w = 0.5 * held[1]
    return sum(held[0]) * w


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def map_and_filter_by_turns(x):
    seen = []

    def note(v):
        seen.append(v)
        return v * len(seen)

    def few(v):
        return len(seen) < 2 or v > 1.2

    return sum(list(map(note, filter(few, x)))) + sum(seen)


def mixing(x):
    """Two functions, of which the first changes what the second reads."""
    state = [x[0]]

    def mix(v):
        state[0] = state[0] * v + 1.0
        return state[0]

    return state, mix, lambda v: state[0] < 1.9


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def elements_that_change_what_they_go_over(x):
    state, mix, low = mixing(x)
    first = sum([mix(v) for v in filter(low, x)])
    second = sum(mix(v) for v in (w * state[0] for w in [x[0], x[1]]))
    return first * second * state[0]


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def clauses_that_change_each_other(x):
    state, mix, _ = mixing(x)
    return sum([mix(v) * w for v in [x[0], x[1]] for w in (u * state[0] for u in [x[1], x[2]])])


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def chained_under_a_name(x):
    state, mix, low = mixing(x)
    scaled = (v * state[0] for v in x)
    mixed = map(mix, itertools.chain(filter(low, x), scaled))
    return sum(mixed) * state[0]


BETWEEN = dict.fromkeys(("compiled", "python"), "`state` changes between two items that are computed from it")


@program(lambda r: (r.uniform(0.5, 1.5, size=4),), refused=BETWEEN)
def reduced_by_turns(x):
    state, mix, low = mixing(x)
    return functools.reduce(lambda a, v: a + mix(v), filter(low, x), 0.0) * state[0]


@program(lambda r: (r.uniform(0.5, 1.5, size=4),), refused=BETWEEN)
def measured_by_turns(x):
    state, mix, _ = mixing(x)
    return max((v * state[0] for v in x), key=mix) * state[0]


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def results_that_go_behind_the_operands(x):
    scale, half = x.copy(), np.multiply
    s = 0.0
    for v in (u * scale[0] for u in x):
        np.sin(scale, scale)
        s += v
    for v in (u * scale[1] for u in x):
        half(scale, 0.5, scale)
        np.cumsum(scale, 0, None, scale)
        s += v
    return s


class Running:
    def __init__(self, k):
        self.k = k

    def step(self, v):
        self.k = self.k * v + 1.0
        return self.k

    def low(self, v):
        return self.k < 1.9


@program(lambda r: (r.uniform(0.5, 1.5, size=4),))
def methods_by_turns(x):
    running = Running(x[0])
    return sum(map(running.step, filter(running.low, x))) * running.k
