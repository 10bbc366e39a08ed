"""What is asked of the class of a value: isinstance with several classes, type(), functools.singledispatch."""

import collections.abc
import functools
import math
import numbers
import operator
from dataclasses import dataclass, field
from typing import Generic, Optional, TypeVar, Union

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(), r.normal(size=3)))
def one_of_several_classes(a, x):
    s = 0.0
    if isinstance(a, int | float):
        s += a**2
    if isinstance(x, np.ndarray | list):
        s += x.sum()
    if isinstance(x[0], (int, (float, complex))):
        s += x[0] * x[1]
    if isinstance(x, (list, (tuple, np.ndarray))):
        s += x[2] ** 2
    return s * (3.0 if isinstance(x, int | list) else 2.0)


@program(lambda r: (r.normal(), r.normal(size=3)))
def abstract_classes(a, x):
    s = a * 0.1
    if isinstance(a, numbers.Real):
        s += a**2
    if isinstance(x, numbers.Number):
        s += 100.0
    if isinstance(x, collections.abc.Iterable) and not isinstance(x, collections.abc.Sequence):
        s += x.sum()
    if isinstance(x[0], numbers.Number):
        s += x[0] * x[1]
    if isinstance([x[0]], collections.abc.Sequence):
        s += x[2]
    if isinstance(len(x), numbers.Integral):
        s += x[1] ** 2
    return s


@program(lambda r: (r.normal(), r.normal(size=3)))
def types_of_values(a, x):
    s = a * 0.1
    if type(x) is np.ndarray:
        s += x.sum() ** 2
    if type(a) is float and type(a) in (int, float):
        s += a * a
    if type(x[0]) is np.float64 and issubclass(type(x[0]), np.floating):
        s += x[0] ** 2
    if type(x) is list or type(len(x)) is not int or x.dtype not in (np.float32, np.float64):
        s += 99.0
    s += x[np.int64(x * 0)] @ np.int32(10 * x)
    return s * len(type(x).__name__)


@program(lambda r: (r.normal(), r.uniform(0.5, 1.0, size=3), 5))
def classes_of_lists_that_grow(a, x, n):
    values, rows = [], []
    for k in range(n):
        values.append(a * x[k % 3])
        rows.append((a * k, x[k % 3]))
    s = (
        a * 0.1 * (type(values) is list)
        + a**2 * (type(rows) is list)
        + a**3 * (type(list(values)) is np.ndarray)
    )
    s += x[0] * hasattr(values, "append") + x[1] * (not hasattr(rows, "shape")) + x[2] * bool(values)
    return (
        s
        + a * any(rows) * all(isinstance(row, (list, tuple)) for row in rows)
        + x[0] * isinstance(rows[0], float)
    )


@program(lambda r: (r.normal(), 5))
def the_class_of_a_row(a, n):
    rows = []
    for k in range(n):
        rows.append((a * k, a))
    return a * isinstance(rows[0], tuple) + a**2 * (type(rows[1]) is tuple)


@dataclass
class Square:
    a: float


@dataclass
class Circle:
    r: float


class Odd:
    def __init__(self, w):
        self.weird = w


class Larger(Square):
    pass


@functools.singledispatch
def area(s):
    return s.weird * 3


@area.register
def _(s: Square):
    return s.a**2


@area.register(Circle)
def _(s):
    return math.pi * s.r**2


@area.register(float)
def _(s):
    return s * 10


@area.register
def _(s: np.ndarray):
    return s.sum()


@area.register(list)
@area.register(tuple)
def _(s):
    return sum(area(v) for v in s)


@program(lambda r: (r.normal(size=2), r.normal()))
def chosen_by_the_class(x, a):
    s = sum(area(s) for s in [Square(x[0]), Circle(x[1]), Larger(x[0] * 2)])
    return s + area(a) + area(x[0]) + area(x) + area([a, Square(a)]) + area((a,)) + area(Odd(a))


class Doubling:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2 if name == "a" else value)


class Logging(Doubling):
    def __init__(self, q):
        self.q = q
        self.log = []

    def __setattr__(self, name, value):
        if name == "z":
            self.log.append(value)
            return
        super().__setattr__(name, value)


class Keeping:
    def __init__(self):
        self.__dict__["m"] = 1.0

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            self.__dict__[name] = value * 3
        else:
            super().__setattr__(name, value)


@program(lambda r: (r.normal(size=3),))
def what_sets_attributes(x):
    g = Doubling()
    g.a = x[0]
    g.b = x[1]
    g.a += 1
    h = Logging(x[2])
    h.a = x[1]
    h.z = x[0]
    setattr(h, "z", x[1])  # noqa: B010  (as people write it)
    k = Keeping()
    k.v = x[0]
    k.v = k.v * x[1]
    k.m += x[2]
    return g.a * g.b + h.a * h.q + sum(h.log) * x[2] + k.v * k.m


@program(lambda r: (r.normal(size=5),))
def methods_as_functions(x):
    largest = max(range(5), key=x.__getitem__)
    taken = list(map(x.__getitem__, [0, 2]))
    total = operator.methodcaller("sum")
    row = operator.methodcaller("reshape", 1, -1)(x)[0, 2]
    return x[largest] ** 2 + taken[1] * row + total(x * x) + sum(map(total, [x, x[:2]]))


@program(lambda r: (r.uniform(1.0, 2.0, size=3),))
def numbers_that_math_gives(x):
    whole, part = math.modf(x[1])[::-1]
    found = [math.hypot(x[0], x[1]), math.dist(x, 2 * x), math.pow(x[0], 2.0), math.fabs(x[2]), part]
    return sum(v * (k + (2.0 if type(v) is float else 1.0)) for k, v in enumerate(found)) + whole


@program(lambda r: (r.uniform(1.0, 2.0, size=3),))
def products_of_math_are_as_their_factors(x):
    found = [math.prod(x), math.prod([x[0], 2.0]), math.prod([float(x[0]), 2.0]), complex(x[0], x[1]).imag]
    return sum(v * (k + (2.0 if type(v) is float else 1.0)) for k, v in enumerate(found))


T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self):
        self.items = []

    def push(self, item: T):
        self.items.append(item)
        return self

    @classmethod
    def of(cls, *items):
        made = cls()
        for item in items:
            made.push(item)
        return made


@dataclass
class Pair(Generic[T]):
    a: T
    b: float = 1.0
    rest: list = field(default_factory=list[float])


class Side(Pair[float]):
    def area(self):
        return self.a * self.b


NumberStack = Stack[float]


class Factor:
    def __class_getitem__(cls, k):
        return k * k


@program(lambda r: (r.uniform(1.0, 2.0, size=3),))
def types_for_the_parameters_of_classes(x):
    class Box(Generic[T]):
        def __init__(self, v):
            self.v = v

    made = Stack[T]
    s = made[float]().push(x[0]).items[0] * NumberStack.of(x[1], x[2]).items[1]
    pairs = list(map(Pair[float], x, 2.0 * x))
    pairs[0].rest.append(x[1])
    s += sum(p.a * p.b for p in pairs) + Pair[float](x[0], b=x[2]).b * pairs[0].rest[0]
    s += Side(x[0], x[1]).area() + Box[float](x[2]).v ** 2 + Factor[x[0]]
    return s + list[float]([x[0], 1.0])[0] * dict[str, float](a=x[1])["a"]


@program(lambda r: (r.normal(size=3),))
def types_that_are_one_of_several(x):
    found = isinstance(x, Union[int, np.ndarray]) + 2 * isinstance(None, Optional[float])  # noqa: UP007, UP045
    try:
        found += 10 * isinstance(x, list[float])
    except TypeError:
        found += 4
    return x[0] * found


@program(lambda r: (r.normal(size=3),))
def integers_of_pythons(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[operator.index(i)] * x[operator.index(np.argmax(x))]
    try:
        s += x[operator.index(1.0)]
    except TypeError:
        s += 2.0 * x[operator.index(True)]
    return s
