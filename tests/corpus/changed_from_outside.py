"""Loops that change what no variable of their function stands for: states of closures, objects in comprehensions"""

import numpy as np
from tests.corpus import program


class Filter:
    def __init__(self, rate):
        self.rate = rate
        self.y = 0.0
        self.last = None

    def step(self, u):
        self.y += self.rate * (u - self.y)
        change = 0.0 if self.last is None else u - self.last
        self.last = u
        return self.y + change * self.rate


class Two:
    def __init__(self, rate):
        self.one, self.other = Filter(rate), Filter(2.0 * rate)
        self.gain = 1.0

    def step(self, u):
        self.gain *= 0.9
        return self.one.step(u) * self.other.step(u) * self.gain


def _plant(y, rate):
    n = 0

    def step(u):
        nonlocal y, n
        y = y + rate * (np.sin(u) - y)
        n += 1
        return y

    def total():
        return y * n

    return step, total


@program(lambda r: (r.normal(size=7), 0.3))
def states_of_closures(x, rate):
    step, total = _plant(x[0], rate)
    other, of_other = _plant(rate, rate)
    s = 0.0
    for v in x:
        s += step(v) * other(v)
        for w in x[:2]:
            step(w * s)
    return s + total() * of_other()


@program(lambda r: (r.normal(size=30), 0.3))
def objects_in_comprehensions(x, rate):
    one, two = Filter(rate), Two(rate)
    smooth = [one.step(v) for v in x]
    product = sum(two.step(v) for v in x)
    return sum(smooth) + product + one.y * one.last + two.other.y * two.gain


@program(
    lambda r: (np.array([0.5, 1.2, -0.3]),),
    refused={"compiled": "a container changes in", "python": "a container changes in"},
)
def a_method_taken_before_a_loop(x):
    two = Two(x[0])
    step = two.step
    s = 0.0
    while s < 2.0:
        s += step(x[1]) ** 2 + 0.3
        if s > 1.5:
            break
    return s * two.gain
