"""Classes that the function itself defines."""

import math
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np
from tests.corpus import program


@program(lambda r: (0.5, 1.5))
def methods_and_properties(k, m):
    class Spring:
        """doc"""

        gravity = 9.81
        count: int = 0

        def __init__(self, k, m):
            self.k, self.m = k, m
            self.x, self.v = 1.0, 0.0

        def step(self, dt):
            self.v -= dt * self.k / self.m * self.x
            self.x += dt * self.v

        @property
        def energy(self):
            return 0.5 * self.m * self.v**2 + 0.5 * self.k * self.x**2

        @staticmethod
        def twice(v):
            return 2 * v

        @classmethod
        def default(cls):
            return cls(k, m=2.0)

    s = Spring(k, m)
    for _ in range(10):
        s.step(0.1)
    return s.energy + s.x + Spring.twice(s.v) + Spring.default().energy * s.gravity


@program(lambda r: (0.5, 1.5))
def a_dataclass(a, b):
    @dataclass
    class State:
        x: float
        v: float = 0.0
        log: list = field(default_factory=list)

        def moved(self, dt):
            return State(self.x + dt * self.v, self.v - dt * b * self.x)

        def __post_init__(self):
            self.log.append(self.x)

    s = State(a)
    for _ in range(5):
        s = s.moved(0.1)
    return s.x * s.v + s.log[0]


@program(lambda r: (0.5, 1.5))
def an_abstract_base(a, b):
    class Shape(ABC):
        def __init__(self, s):
            self.s = s

        @abstractmethod
        def area(self): ...
        def total(self):
            return self.area() * self.s

    class Circle(Shape):
        def __init__(self, r, s=2.0):
            super().__init__(s)
            self.r = r

        def area(self):
            return math.pi * self.r**2

    class Square(Shape):
        def area(self):
            return b * b

    return sum(s.total() for s in [Circle(a), Square(b), Circle(b, s=a)])


@program(lambda r: (0.5, 1.5))
def operators_of_a_class(a, b):
    class Dual:
        def __init__(self, re, du=0.0):
            self.re, self.du = re, du

        def __add__(self, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(self.re + o.re, self.du + o.du)

        __radd__ = __add__

        def __mul__(self, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(self.re * o.re, self.re * o.du + self.du * o.re)

        __rmul__ = __mul__

    def f(x):
        return 3 * x * x + b * x + 1

    d = f(Dual(a, 1.0))
    return d.re * d.du


@program(lambda r: (0.5, 1.5))
def named_tuples(a, b):
    Point = namedtuple("Point", "x y")
    Q = namedtuple("Q", ["u", "v"], defaults=[2.0])

    class P3(NamedTuple):
        x: float
        y: float = 1.0

        def norm(self):
            return math.hypot(self.x, self.y)

    p = Point(a, b)
    q = p._replace(x=p.x * 2)
    return math.hypot(q.x, q.y) * p.y + P3(a).norm() + Q(a).v * Q(b).u


@program(lambda r: (0.5, 1.5))
def an_enum(a, b):
    class Mode(Enum):
        LIN = 1
        QUAD = 2

    def f(m, x):
        if m is Mode.LIN:
            return x
        return x * x

    return sum(f(m, a) * b for m in Mode)


@program(lambda r: (r.normal(size=4),))
def a_stack(x):
    class Stack:
        def __init__(self):
            self._items = []

        def push(self, v):
            self._items.append(v)

        def pop(self):
            return self._items.pop()

        def __len__(self):
            return len(self._items)

        def __iter__(self):
            return iter(self._items)

    s = Stack()
    for v in x:
        s.push(v * v)
    top = s.pop()
    return top + sum(s) * 1.0


@program(lambda r: (r.normal(size=4),))
def a_class_that_yields(x):
    class Grid:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            for i in range(self.n):
                yield i, x[i]

    return sum(i * v for i, v in Grid(3))


@program(lambda r: (r.normal(size=4),))
def a_linked_list(x):
    class Node:
        def __init__(self, val, nxt=None):
            self.val, self.next = val, nxt

    head = None
    for v in x:
        head = Node(v, head)
    s, k, n = 0.0, 1, head
    while n is not None:
        s += n.val * k
        k += 1
        n = n.next
    return s


@program(lambda r: (0.5, 1.5))
def a_value_of_the_class_with_a_derivative(a, b):
    class Scaled:
        factor = 2.0

        def of(self, x):
            return self.factor * x * a

    class More(Scaled):
        factor = 3.0

    return Scaled().of(b) + More().of(b * b)


@program(lambda r: (r.normal(size=3),))
def named_as_its_method(x):
    class Model:
        def named_as_its_method(self, v):
            return np.sum(v * v) * v[0]

    return Model().named_as_its_method(x)


@program(lambda r: (r.normal(size=3),))
def names_of_the_class_itself(x):
    k, n = 5.0, 1.0

    class Scaled:
        k = 2.0
        b = k * 3.0
        both = [k, b] * 2
        here = [v * k for v in both]

        def of(self, v, by=k, also=lambda v, k=b: v * k * n):
            return v * by + also(v) * k * self.b

    made = Scaled()
    return made.of(x[0]) + Scaled.b * x[1] + sum(Scaled.here) * x[1] ** 2 + sum(Scaled.both) * x[2] * x[0]


@program(lambda r: (r.normal(size=2),))
def fields_made_of_fields(x):
    order = 7

    @dataclass
    class Method:
        step: float
        order: int = 2
        places: int = order + 1

    class Point(NamedTuple):
        u: float
        order: int = 3
        width: int = order * 2

    return Method(x[0]).places * x[0] ** order + Point(x[1]).width * x[1] ** Method.order
