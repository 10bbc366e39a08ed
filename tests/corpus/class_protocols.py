"""What classes say of operators, comparisons and built-in functions: objects, named tuples, dataclasses"""

import functools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass
from functools import partialmethod
from typing import NamedTuple

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


class State(NamedTuple):
    pos: float
    vel: float = 2.0

    def step(self, dt):
        return State(self.pos + dt * self.vel, self.vel - dt * self.pos)

    @property
    def energy(self):
        return self.pos**2 + self.vel**2

    @classmethod
    def at_rest(cls, pos):
        return cls(pos, 0.0)

    def __add__(self, other):
        return State(self.pos + other.pos, self.vel + other.vel)

    def __mul__(self, k):
        return State(self.pos * k, self.vel * k)

    __rmul__ = __mul__

    def __neg__(self):
        return State(-self.pos, -self.vel)

    def __abs__(self):
        return np.hypot(self.pos, self.vel)

    def __eq__(self, other):
        return self.pos == other.pos

    def __lt__(self, other):
        return self.vel < other.vel

    def __call__(self, t):
        return self.pos + self.vel * t


class Pair(namedtuple("Pair", "a b")):
    __slots__ = ()

    def product(self):
        return self.a * self.b


@dataclass
class Record:
    a: float
    b: float = 0.0


@dataclass(order=True)
class Ordered:
    a: float
    b: float = 0.0


class Box:
    def __init__(self, v):
        self.v = v

    def __abs__(self):
        return abs(self.v)


@program(lambda r: (FOUR.copy(),))
def methods_of_a_named_tuple(x):
    s = State(x[0], x[1])
    for _ in range(6):
        s = s.step(0.2)
    return s.energy + State.at_rest(x[2]).step(x[3]).vel


@program(lambda r: (FOUR.copy(),))
def named_tuple_in_a_while(x):
    s, n = State(x[0], x[1]), 0
    while s.pos > 0.0 and n < 40:
        s = s.step(0.1)
        n += 1
    return s.vel * n


@program(lambda r: (FOUR.copy(),))
def operators_of_a_named_tuple(x):
    s = State(x[0], x[1]) + 2.0 * State(x[2], x[3])
    t = -s
    t += s * 3.0
    return abs(t) + s(x[1])


@program(lambda r: (FOUR.copy(),))
def comparisons_of_a_named_tuple(x):
    a, b = State(x[0], x[1]), State(x[0], x[2])
    return (x[0] if a == b else x[1]) + (x[2] if a < b else x[3]) + (x[0] if a != b else x[3])


@program(lambda r: (FOUR.copy(),))
def class_over_a_named_tuple(x):
    p = Pair(x[0], x[1])
    return p.product() + sum(p + Pair(x[2], x[3])) * p._replace(b=x[3]).product()


@program(lambda r: (FOUR.copy(),))
def dataclasses_compared_by_their_fields(x):
    a, b = Record(x[0], x[1]), Record(x[0], x[1])
    total = x[0] if a == b else x[1]
    total += x[2] if a != Record(x[0], x[3]) else x[3]
    total += x[1] if a in [Record(x[1]), b] else x[2]
    return total + (x[3] if a == Ordered(x[0], x[1]) else 2.0 * x[0])


@program(lambda r: (FOUR.copy(),))
def dataclasses_in_order(x):
    a, b = Ordered(x[0], x[1]), Ordered(x[0], x[2])
    return (x[0] if a < b else x[1]) * (x[2] if a >= b else x[3])


@program(lambda r: (FOUR.copy(),))
def object_with_an_absolute_value(x):
    return abs(Box(x[1])) * abs(Box(x[2]))


@program(lambda r: (FOUR.copy(),))
def object_among_others(x):
    a = Box(x[0])
    return (x[1] if a in (Box(x[1]), a) else x[2]) + (x[3] if Box(x[0]) in [a] else x[0])


@program(lambda r: (FOUR.copy(),))
def attributes_set_by_their_names(x):
    box = Box(x[0])
    for k, name in enumerate(("p", "q")):
        setattr(box, name, x[k] * 2.0)
    if x[2] > 0.0:
        box.v = x[3] * box.v
    return box.p * box.q + box.v


class Square:
    factor = 2.0

    def go(self, x):
        return self.factor * x**2


class Cube(Square):
    def go(self, x):
        return super().go(x) * x


@program(lambda r: (r.normal(size=3),))
def classes_without_an_init(x):
    cube = Cube()
    cube.factor = 3.0
    return np.sum(cube.go(x)) + np.sum(Square().go(x))


class Ensemble:
    def __init__(self, members):
        self.members = members

    def __iter__(self):
        return iter(self.members)

    def __len__(self):
        return len(self.members)


class Numbered(Ensemble):
    def __iter__(self):
        return enumerate(self.members)


@program(lambda r: (r.normal(size=3),))
def object_that_is_gone_over(x):
    ensemble = Ensemble([x, 2.0 * x, x**2])
    total = 0.0
    for member in ensemble:
        total = total + np.sum(member)
    first, second, third = ensemble
    for k, member in Numbered([x, x**2]):
        total += k * np.sum(member)
    return total * len(ensemble) + np.dot(first, second) + np.sum(third) + sum(m[0] for m in ensemble)


@program(lambda r: (r.normal(size=4),))
def object_over_an_array(x):
    total = 0.0
    for v in Ensemble(x):
        total = total * 0.5 + v * v
    return total


class Parameters:
    def __init__(self, **held):
        self.held = held

    def __getitem__(self, name):
        return self.held[name]

    def __setitem__(self, name, value):
        self.held[name] = value

    def __contains__(self, name):
        return name in self.held


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def object_that_is_asked_for_a_key(w, x):
    p = Parameters(w=w)
    if "out" not in p:
        p["out"] = p["w"] @ x
    if "w" in p and "bias" not in p:
        p["out"] = p["out"] * 0.5
    return np.sum(p["out"] ** 2)


class Chain:
    def __init__(self, *stages):
        self.stages = stages

    def __rshift__(self, stage):
        return Chain(*self.stages, stage)

    def __rlshift__(self, x):
        for stage in self.stages:
            x = stage(x)
        return x

    def __ilshift__(self, stage):
        self.stages = (stage, *self.stages)
        return self


@program(lambda r: (r.normal(size=3),), refused=dict.fromkeys(("python", "compiled"), "stands before a"))
def stages_joined_by_shifts(x):
    chain = Chain(np.sin) >> (lambda v: v * x[0]) >> np.tanh
    chain <<= np.square
    return np.sum(x << chain) + len(chain.stages)


class Weighed:
    def __init__(self, w):
        self.w = w

    def __add__(self, x):
        return np.sum(self.w * x)

    def __rfloordiv__(self, x):
        return np.sum(self.w * x**2)

    def __rand__(self, x):
        return np.sum(self.w * x**3)

    def __lt__(self, x):
        return np.sum(self.w * x**4)

    __gt__ = __lt__

    def __eq__(self, x):
        return np.sum(self.w * x**5)

    def __matmul__(self, x):
        return np.sum(self.w * x**6)


@program(lambda r: (r.normal(size=3), 0.3))
def operators_as_functions(x, t):
    w = Weighed(x)
    total = operator.add(w, t) + operator.floordiv(t, w) * operator.and_(t, w) + operator.matmul(w, t)
    total += operator.lt(w, t) + 2.0 * operator.gt(t, w) + operator.eq(w, t)
    joined = functools.reduce(operator.add, [[x[0]], [x[1], t]])
    return total + sum(joined) * operator.mul(t, x[2]) + (2.0 if operator.ge(t, 0.1) else 3.0) * t


@program(lambda r: (r.normal(size=3), 0.3))
def operators_without_a_derivative_of_objects(x, t):
    w = Weighed(x)
    return t // w + (t & w) * (w < t) + (t < w) * (t == w)


class Damped:
    rate = 2.0
    made = 1.0

    def __init__(self, w):
        self.w = w

    @property
    def gain(self):
        return self.w * 2.0

    @functools.cached_property
    def spread(self):
        return self.w**2

    @classmethod
    def scaled(cls, w):
        return cls(w * cls.rate)

    def go(self, v):
        return v * self.w


class Driven(Damped):
    rate = 3.0

    @property
    def gain(self):
        return super().gain * 10.0 + 1.0

    @property
    def spread(self):
        return super().spread + super(Driven, self).rate  # noqa: UP008  # what is tested

    @classmethod
    def scaled(cls, w):
        return super().scaled(w + super().made)

    def go(self, v):
        return super().go(v) * super().rate


DRIVEN = Driven(1.5)


@program(lambda r: (r.normal(size=3),))
def what_a_class_inherits_by_super(x):
    driven = Driven.scaled(x[0])
    return driven.go(x[1]) * driven.gain + driven.spread * x[2]


@program(lambda r: (r.normal(size=3),))
def super_of_an_object_from_outside(x):
    return DRIVEN.go(x[1]) * DRIVEN.gain + np.sum(DRIVEN.spread * x)


@dataclass(frozen=True, order=True)
class Term:
    name: str
    power: int = 1

    def __mul__(self, factor):
        return (self, factor)

    __rmul__ = __mul__


LINEAR, SQUARE = Term("x"), Term("x", 2)


@program(lambda r: (r.uniform(0.5, 1.5), r.uniform(0.5, 1.5)))
def objects_from_outside_beside_objects_of_the_program(x, y):
    scale = 2.0 if Term("x") == LINEAR and SQUARE == Term("x", 2) and LINEAR != Term("y") else 3.0
    scale += 5.0 if LINEAR < Term("x", 3) and max(Term("x", 3), SQUARE).power == 3 else 7.0
    (term, factor), (_, other) = SQUARE * x, y * LINEAR
    return scale * factor**term.power * other


@functools.total_ordering
class Bid:
    def __init__(self, price, size):
        self.price, self.size = price, size

    def __eq__(self, other):
        return self.price == other.price

    def __lt__(self, other):
        return self.price < other.price


@program(lambda r: (FOUR.copy(),))
def an_order_of_which_one_comparison_is_written(x):
    bids = [Bid(v, k + 1.0) for k, v in enumerate((x[0], x[1], x[2]))]
    best, worst = max(bids), min(bids)
    total = best.price * best.size
    if best >= worst:
        total += worst.price * worst.size
    if worst > bids[0] or bids[0] <= worst:
        total += 100.0 * x[3]
    return total


class _Measured:
    def __init__(self, x):
        self.x = x
        self.asked = 0

    def __getattr__(self, name):
        self.asked += 1
        if name.startswith("squared_"):
            return getattr(self, name[8:]) ** 2
        raise AttributeError(name)


class _Late:
    ready = False

    @property
    def width(self):
        if not self.ready:
            raise AttributeError("too early")
        return 0.5


@program(lambda r: (r.normal(size=2),))
def attributes_that_code_says_to_be_there(x):
    m, late = _Measured(x[0]), _Late()
    found = hasattr(m, "squared_x") + 2 * hasattr(m, "height") + 4 * hasattr(late, "width")
    y = getattr(m, "squared_x", 7.0) + getattr(m, "depth", x[1]) + 10.0 * getattr(late, "width", x[1])
    late.ready = True
    return (found + hasattr(late, "width")) * x[1] + y * m.asked + getattr(late, "width", 3.0)


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __float__(self):
        return float(self.amount)


@program(lambda r: (0.7,))
def a_class_says_what_its_float_is(x):
    return float(Money(x * x)) + math.sin(float(Money(3))) * x


class Slotted:
    __slots__ = ("gain", "offset")
    kind = None

    def __init__(self, gain):
        self.gain = gain


class Spring(Slotted):
    __slots__ = ("length",)


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def slots_leave_room_for_what_they_name(x):
    spring = Spring(x[0])
    y = getattr(spring, "offset", x[1]) * (2.0 if hasattr(spring, "length") else 3.0)
    spring.length, spring.gain = x[2], spring.gain * x[1]
    try:
        spring.mass = 7.0
        y *= 5.0
    except AttributeError as error:
        y += x[0] * len(str(error))
    try:
        y *= spring.offset
    except AttributeError:
        y += spring.length * spring.gain
    bare = hasattr(spring, "kind") and not hasattr(spring, "__dict__")
    return y * 2.0 if bare else y


class Doubling:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return found * 2.0 if name == "v" else found

    def sum(self, other):
        return self.v + other.v


@program(
    lambda r: (r.uniform(0.5, 1.5, size=2),),
    refused=dict.fromkeys(("compiled", "python"), "making a `Doubling` is not supported"),
)
def attributes_that_a_method_gives(x):
    a, b = Doubling(x[0]), Doubling(x[1])
    return a.sum(b) * a.v + isinstance(b, Doubling)


class Metres:
    def __init__(self, value):
        self.value = value

    def _with(self, other, function, turned=False):
        other = other.value if isinstance(other, Metres) else other
        return Metres(function(other, self.value) if turned else function(self.value, other))

    __add__ = partialmethod(_with, function=operator.add)
    __truediv__ = partialmethod(_with, function=operator.truediv)
    __rtruediv__ = partialmethod(_with, function=operator.truediv, turned=True)
    __getitem__ = partialmethod(_with, function=operator.getitem)


@program(lambda r: (r.normal(size=3) + 3.0,))
def operators_by_partial_methods(x):
    a = Metres(x)
    total = np.sum((a / Metres(2.0) + x * 2.0).value) + (a + a)[1].value ** 2
    return total + (2.0 / a[0]).value
