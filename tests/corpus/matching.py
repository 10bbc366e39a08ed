"""`match` over classes, mappings, sequences of any length and alternatives that capture"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


@dataclass
class Number:
    value: float


@dataclass
class Sum:
    left: Any
    right: Any


@dataclass
class Product:
    left: Any
    right: Any


class Point(NamedTuple):
    x: float
    y: float


class Plain:
    def __init__(self, a):
        self.a = a


def evaluated(e):
    match e:
        case Number(v):
            return v
        case Sum(left, right):
            return evaluated(left) + evaluated(right)
        case Product(left=a, right=b):
            return evaluated(a) * evaluated(b)
        case float(c) | int(c):
            return c
    raise TypeError(e)


def prefix(e, x):
    match e:
        case ("+", a, b):
            return prefix(a, x) + prefix(b, x)
        case ("sum", *rest):
            return sum(prefix(r, x) for r in rest)
        case ("last", *_, z):
            return prefix(z, x)
        case ["x", int(k)]:
            return x[k]
        case {"op": "neg", "arg": a}:
            return -prefix(a, x)
        case {"op": "times", "args": [a, b]}:
            return prefix(a, x) * prefix(b, x)
        case str():
            return 7.0
        case None:
            return 0.0
        case float(c):
            return c


@program(lambda r: (FOUR.copy(),))
def expression_of_dataclasses(x):
    return evaluated(Sum(Product(Number(x[0]), Number(x[1])), Product(2.0, Number(x[2])))) + evaluated(3)


@program(lambda r: (FOUR.copy(),))
def expression_of_tuples(x):
    e = ("sum", ("x", 0), ("+", ("x", 1), 2.0), ("last", 1.0, ("x", 3), {"op": "neg", "arg": ("x", 2)}))
    return prefix(e, x) * prefix({"op": "times", "args": [("x", 0), "a"], "of": 1}, x)


@program(lambda r: (FOUR.copy(),))
def fields_with_a_guard(x):
    match Point(x[0], x[1]):
        case Point(x=0.0):
            return 1.0
        case Point(a, b) if a < b:
            return a - b
        case Point(a, b):
            return a * b


@program(lambda r: (FOUR.copy(),))
def attribute_that_is_not_there(x):
    match Plain(x[0] * x[1]):
        case Plain(b=q):
            return q
        case Plain(a=q):
            return 2.0 * q


@program(lambda r: (FOUR.copy(),))
def first_middle_and_last(x):
    match x[0], x[1], x[2], x[3]:
        case first, *middle, last:
            return first * last * sum(middle) * len(middle)


@program(lambda r: (FOUR.copy(),))
def alternatives_that_capture(x):
    total = 0.0
    for e in (("a", x[0]), ("b", 1.0, x[1]), ["c", x[2]]):
        match e:
            case ("a", v) | ("b", _, v):
                total += v * 2.0
            case [_, v]:
                total += v * v
    return total


@program(lambda r: (FOUR.copy(),))
def rest_of_a_mapping(x):
    match {"a": x[0], "b": x[1]}:
        case {"a": v, **rest}:
            return v * rest["b"]


@program(lambda r: (FOUR.copy(),))
def rests_of_mappings(x):
    total, key = 0.0, 2.0
    for shape in ({"kind": "box", "w": x[0], "h": x[1]}, {"kind": "disc", "r": x[2]}, {}):
        match shape:
            case {"kind": "box", **sides}:
                sides["d"] = x[3]
                total += sides["w"] * sides["h"] * sides["d"] * len(sides) * key
            case {"kind": name, **rest} if len(rest) == 1:
                total += rest["r"] ** 2 * len(name)
            case {**nothing}:
                total += x[0] * (len(nothing) + 1) + len(shape)
    return total


def _quadrant(x, y):
    match x > 0, y > 0:
        case True, True:
            return x * y
        case (True, _) | (False, True):
            return x + 2.0 * y
        case _:
            return x * x


@program(lambda r: (0.7, -0.4, 1.3))
def truth_values_of_numbers(x, y, z):
    total = _quadrant(x, z) + 2.0 * _quadrant(x, y) + 3.0 * _quadrant(y, y)
    if (x < z) is not False and (y > z) is False:
        total *= z
    return total


@program(lambda r: (np.array([0.7, -0.4]),))
def truth_values_of_elements_that_are_pythons(x):
    match float(x[0]) > 0, float(x[1]) > 0:
        case True, False:
            return x[0] * x[1]
        case _:
            return x[0]
