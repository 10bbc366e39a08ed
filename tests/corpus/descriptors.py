"""Classes that say what their attributes and operators are: descriptors, cached properties, NotImplemented."""

import dataclasses
import enum
import functools
import types

import numpy as np
from tests.corpus import program


class Squared:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind):
        return getattr(owner, self.name) ** 2

    def __set__(self, owner, value):
        setattr(owner, self.name, value)


class Doubled:
    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind):
        return self.function(owner) * 2


class Described:
    p = Squared()

    def __init__(self, v):
        self.v = v

    @Doubled
    def q(self):
        return self.v + 1

    @functools.cached_property
    def c(self):
        return self.v * 3


def vector(r):
    return (r.normal(size=4),)


@program(vector)
def a_descriptor_is_asked(x):
    h = Described(x[2])
    h.p = x[0]
    h.p = h.p + x[1]
    return h.p * h.q


@program(vector)
def what_the_object_has_goes_before_a_descriptor_that_only_gets(x):
    h = Described(x[2])
    h.q = x[1]
    return h.q * x[0]


@program(vector)
def a_property_is_computed_once(x):
    h = Described(x[2])
    first = h.c
    h.v = x[1]
    return first * h.c + h.q


class Left:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        if not isinstance(other, Left):
            return NotImplemented
        return Left(self.v * other.v)

    def __eq__(self, other):
        return NotImplemented

    def __iadd__(self, other):
        return NotImplemented

    def __add__(self, other):
        return Left(self.v + other)

    def __divmod__(self, other):
        return self.v, other

    __hash__ = None


class Right:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return Left(self.v * other.v * 2)


@program(vector)
def the_other_one_is_asked(x):
    a = Left(x[0])
    a += x[1]
    same = x[2] if a == Left(x[0]) else x[3]
    return ((a * Right(x[1])) * Left(x[2])).v + same * divmod(a, 3.0)[0]


@program(vector)
def a_namespace(x):
    n = types.SimpleNamespace(a=x[0], b=x[1])
    n.c = n.a * n.b
    n.a = 2
    return n.c * n.a


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 2.0

    def __post_init__(self):
        object.__setattr__(self, "c", self.a * self.b)


@program(vector)
def a_frozen_object_that_sets_what_follows(x):
    q = Frozen(x[0], x[1])
    return q.c + dataclasses.replace(q, a=x[2]).c


class Law(enum.Enum):
    FLAT = 1
    SQUARE = 2

    @property
    def of(self):  # makes its functions anew at each read
        return {Law.FLAT: lambda v: 2.0 * v, Law.SQUARE: lambda v: v * v}[self]


@program(vector)
def a_property_that_makes_functions(x):
    total, law = 0.0, Law.FLAT
    for v in x:
        total += law.of(v)
        law = Law.SQUARE if v > 0 else Law.FLAT
    return total + Law.SQUARE.of(x[0])


class Doubled:
    """What is set is doubled, also what stood there already."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return vars(owner)[self.name]

    def __set__(self, owner, value):
        vars(owner)[self.name] = value * 2.0


class Tripled:
    level = Doubled()

    def __init__(self, values):
        self.values = values
        self.level = values

    @property
    def weights(self):
        return self.values

    @weights.setter
    def weights(self, values):
        self.values = values * 3.0


@program(lambda r: (r.normal(size=4),))
def an_array_changed_in_place_is_set_again(x):
    made = Tripled(x * 1.0)
    made.weights += 1.0
    made.weights *= x
    made.level += x
    return np.sum(made.values**2) + np.sum(made.level**3)


class Counted:
    def __init__(self, values):
        object.__setattr__(self, "writes", 0)
        self.values = values

    def __setattr__(self, name, value):
        object.__setattr__(self, "writes", self.writes + 1)
        object.__setattr__(self, name, value)


@program(lambda r: (r.normal(size=4),))
def writes_in_place_are_counted(x):
    counted = Counted(x)
    counted.values += 1.0
    counted.values *= counted.values
    return np.sum(counted.values) * counted.writes
