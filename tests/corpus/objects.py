"""Objects of the user's own classes, made by the program."""

import enum
from dataclasses import dataclass, field, replace

import numpy as np
from tests.corpus import program


class Module:
    kind = "module"

    def __init__(self, name):
        self.name = name
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.forward(x)

    def describe(self):
        return self.name + self.kind


class Dense(Module):
    scale = 0.5

    def __init__(self, w, b, act=None):
        super().__init__("dense")
        self.w, self.b = w, b
        self.act = act or np.tanh

    def forward(self, x):
        return self.act(x @ self.w * self.scale + self.b)

    @property
    def size(self):
        return self.w.size

    @staticmethod
    def relu(z):
        return np.maximum(z, 0)

    @classmethod
    def identity(cls, n):
        return cls(np.eye(n), 0.0)


class Sequence(Module):
    def __init__(self, *layers):
        super().__init__("sequence")
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __imul__(self, k):
        self.x = self.x * k
        self.y = self.y * k * k
        return self

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def dot(self, other):
        return self.x * other.x + self.y * other.y


class Ordered:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __lt__(self, other):
        return self.a < other.a

    def __eq__(self, other):
        return self.a == other.a

    __hash__ = None

    def __bool__(self):
        return bool(self.b > 0)


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt, k):
        self.v = self.v - dt * k * self.x
        self.x = self.x + dt * self.v

    def energy(self, k):
        return 0.5 * self.v**2 + 0.5 * k * self.x**2


class Record:
    def __init__(self):
        self.n = 0
        self.total = 0.0
        self.history = []

    def add(self, value):
        self.n += 1
        self.total += value
        self.history.append(value * self.total)

    @property
    def mean(self):
        return self.total / self.n


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def total(self):
        found = self.value**2
        if self.left:
            found = found + self.left.total()
        return found + (self.right.total() if self.right is not None else 0)


@program(
    lambda r: (r.normal(size=(3, 4)) * 0.5, r.normal(size=4), r.normal(size=(4, 2)), r.normal(size=(5, 3)))
)
def network(w1, b1, w2, x):
    net = Sequence(Dense(w1, b1), Dense(w2, 0.1, act=Dense.relu), Dense.identity(2))
    y = net(x)
    assert isinstance(net.layers[0], Module) and net.describe() == "sequencemodule"
    size = sum(layer.size for layer in net.layers)
    return np.mean(y**2) + 0.01 * size + net.calls * np.sum(b1)


@program(lambda r: (1.0, 2.0, 0.3))
def vectors(a, b, k):
    p, q = Vector(a, b), Vector(b, -a * k)
    for _ in range(3):
        p = p + 0.1 * q - q * k
        q = Vector(q.x * p.x, q.y)
    return p.dot(q) + p[0] * len(q) + (-p).x


@program(lambda r: (1.5, 0.5))
def compared(a, b):
    p, q = Ordered(a, b), Ordered(b, a)
    smaller = p if p < q else q
    s = 1.0 if p == q else 2.0
    if p:
        s = s * a
    if not q:
        s = s * 3
    return smaller.a * s + (3.0 if p is not q else 1.0) * b + (1 if p != q else 5) * a


@program(lambda r: (1.0, 0.2, 2.0))
def state_that_steps(x, v, k):
    particle = Particle(x, v)
    for _ in range(10):
        particle.step(0.1, k)
    before = particle.energy(k)
    particle.x += 1.0
    return before + particle.energy(k)


@program(lambda r: (r.normal(size=3), 0.5, r.normal(size=7)))
def state_that_steps_as_often_as_the_data_say(x, k, forces):
    particle = Particle(x, np.zeros(3))
    for i, force in enumerate(forces):
        if i > 3:
            particle.step(0.1, k)
        else:
            particle.v = particle.v * 0.9 + force
    return np.sum(particle.energy(k))


@program(lambda r: (r.normal(size=6),))
def record_in_an_object(x):
    record = Record()
    for i in range(4):
        record.add(x[i] ** 2)
    return np.sum(np.array(record.history)) + record.mean + record.n * x[5]


@program(lambda r: (1.0, 2.0, 3.0))
def objects_in_objects(a, b, c):
    return Tree(a, Tree(b), Tree(c, Tree(a * b))).total()


@program(lambda r: (2.0, r.normal(size=5)))
def one_of_two_objects(a, x):
    v = Vector(a, 1.0) if a > 1 else Vector(1.0, a)
    if x[0] > 0:
        v = v * 2.0
    else:
        v.x = v.x + x[1]
    return v.x * v.y + np.sum(x)


@program(lambda r: (r.normal(size=4),))
def objects_in_lists_and_dicts(x):
    particles = [Particle(v, 0.1) for v in (x[0], x[1], x[2])]
    for _ in range(3):
        for p in particles:
            p.step(0.1, 2.0)
    known = {"first": particles[0], "second": particles[1]}
    known["first"].x += x[3]
    return sum(p.energy(2.0) for p in particles) + known["first"].x


@program(lambda r: (1.0, 2.0, 0.3))
def changed_by_an_operator(a, b, k):
    """`*=` is not `*`, and both names see it."""
    v = Vector(a, b)
    w = v
    v *= k
    pair = [Vector(b, a), w]
    pair[0] *= 2.0
    pair[1] += pair[0]
    return w.x + w.y * v.x + pair[0].y + pair[1].dot(v)


@program(lambda r: (r.normal(size=6),))
def record_of_as_many_as_there_are(x):
    record = Record()
    for value in x:
        record.history.append(value**2)
    return np.sum(np.array(record.history)) + len(record.history) * x[0]


@dataclass(frozen=True)
class Settled:
    place: np.ndarray
    weight: float


@dataclass
class Motion:
    place: np.ndarray
    speed: np.ndarray
    time: float = 0.0
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.energy = 0.5 * np.sum(self.speed**2)

    def __add__(self, other):
        return Motion(self.place + other.place, self.speed + other.speed, self.time)

    def moved(self, step):
        return replace(self, place=self.place + step * self.speed, time=self.time + step)


@program(lambda r: (r.normal(size=3), r.normal(size=(7, 3))))
def dataclasses_as_states(x, pushes):
    s = Motion(x, np.zeros(3))
    total = 0.0
    for push in pushes:
        s = Motion(s.place, 0.9 * s.speed + push * np.sin(s.place), s.time).moved(0.1)
        total += s.energy * s.time
    while s.time < 1.0 and total < 100.0:
        s = s.moved(0.25)
    return total + np.sum(s.place**2)


@program(lambda r: (r.normal(size=3), r.normal(size=(7, 3))))
def dataclasses_written_to(x, pushes):
    s = Motion(x.copy(), 0.5 * x, x[0])
    for push in pushes:
        s.speed = s.speed * np.cos(push)
        s.place += 0.1 * s.speed
        s.time += s.speed[0]
        if s.time > 0.2:
            s = s + Motion(s.speed, push)
    for k in range(3):
        s.seen.append(k * x[1])
    return np.sum(s.place * s.speed) + s.time**2 + s.seen[2]


@program(lambda r: (Motion(r.normal(size=3), r.normal(size=3), 0.4), r.normal(size=(7, 3))))
def dataclass_argument_in_a_loop(start, pushes):
    s = start
    for push in pushes:
        s = Motion(np.tanh(s.place + s.speed), s.speed + push * start.time, s.time)
    return np.sum(s.place * s.speed)


class Axis(enum.IntEnum):
    X = 0
    Y = 1
    COUNT = 2


@program(lambda r: (r.normal(size=4),))
def enum_as_index(x):
    y = np.zeros(Axis.COUNT)
    for k in Axis:
        y[k % Axis.COUNT] += x[k] * (k + 1)
    return y[Axis.X] * y[Axis.Y] + np.sum(x[Axis.Y : Axis.COUNT] ** Axis.COUNT)


RESTING = Settled(np.array([0.5, -0.5, 1.0]), 0.3)


@program(lambda r: (r.normal(size=3), r.normal(size=(7, 3))))
def dataclass_outside_as_first_state(x, pushes):
    s = RESTING
    for push in pushes:
        s = Settled(np.tanh(s.place * x + push), s.weight + x[0])
    last = RESTING
    if x[1] > 0.0:
        last = replace(last, place=x)
    return np.sum(s.place) * s.weight + last.place @ x * RESTING.weight


@dataclass(order=True)
class Job:
    priority: float
    cost: float = field(compare=False)


@program(lambda r: (np.array([0.3, -0.35, 0.2, 0.7]),))
def ordered_by_what_a_dataclass_compares(x):
    jobs = sorted([Job(x[0], x[1]), Job(x[2], x[3]), Job(0.1, 2.0)])
    total, waited = max(jobs).cost * min(jobs).priority, 0.0
    for job in jobs:
        waited += job.cost
        total += waited * job.priority
    jobs.sort(reverse=True)
    return total + jobs[0].cost ** 2


class Scheme(enum.IntEnum):
    EULER = 1
    HEUN = 2


class Boundary(enum.Enum):
    FREE = "free"
    FIXED = "fixed"


@program(lambda r: (np.array([0.3, -0.35]),))
def members_by_their_values(x):
    total = Scheme(2).value * x[0] + Scheme["EULER"] * x[1]
    if Boundary("fixed") is Boundary.FIXED:
        total *= x[0]
    return total


class Filter:
    """As a library writes it: there is no measurement until there is one."""

    def __init__(self, size):
        self.state, self.measured = np.zeros((size, 1)), np.array([[None] * size]).T
        self.seen = np.atleast_2d(self.measured).shape[0]

    def update(self, z, gain):
        self.measured = z.reshape(-1, 1)
        self.state = self.state + gain * (self.measured - self.state)


@program(lambda r: (r.normal(size=(3, 2)), 0.3))
def array_of_none_until_there_are_numbers(zs, gain):
    f = Filter(zs.shape[1])
    for z in zs:
        f.update(z, gain)
    return np.sum(f.state * f.measured) * f.seen


@program(lambda r: (r.normal(size=3),), refused={"tape": "adc cannot turn a Tensor"})
def array_that_is_asked_for_its_array(x):
    return np.sum(x.__array__() * np.arange(3.0))


class Cell:
    __gain = 7.0

    def __init__(self, x):
        self.__state = x

    def __scaled(self, __by=2.0):
        return self.__state * __by

    @property
    def __square(self):
        return self.__state**2

    def value(self):
        return self.__scaled() * self.__gain + self.__square + Cell.__half(self.__state)

    @staticmethod
    def __half(v):
        return v / 2.0


class _Compound(Cell):
    __gain = 11.0

    def __init__(self, x):
        super().__init__(x)
        self.__state = x * x

    def __scaled(self, by):
        return self.__state * by

    def own(self):
        return self.__scaled(3.0) * self.__gain * hasattr(self, "_Compound__state")


OUTSIDE = Cell(0.5)


@program(lambda r: (1.3,))
def names_that_are_private_to_a_class(x):
    class Local(Cell):
        def __init__(self, x):
            super().__init__(x * 3.0)
            self.__state = [x]

        def own(self):
            return sum(s * self.__state[0] for s in self.__state) + (lambda: self.__state[0])()

    compound, local = _Compound(x), Local(x)
    return (
        compound.value() * compound.own()
        + local.value() * local.own()
        + OUTSIDE.value() * compound._Cell__state
    )


class Length:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Length(self.a + other.a)

    def __radd__(self, other):
        return Length(self.a * other.a)

    def __lt__(self, other):
        return self.a < other.a

    def __gt__(self, other):
        return self.a > other.a


class Mark(Length):
    def __radd__(self, other):
        return Mark(self.a * 5.0 + other.a**2)

    def __gt__(self, other):
        return self.a > other.a + 100.0


@program(lambda r: (0.7,))
def operators_of_a_class_under_another(x):
    class Local(Length):
        pass

    total = (Length(x) + Mark(2.0 * x)).a + (Mark(x) + Length(x)).a + (Length(x) + Local(x)).a
    return total * x if Length(-50.0) < Mark(x) else total
