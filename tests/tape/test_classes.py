"""Methods, operators and properties of classes run on the tape as functions do; the classes stay as they are.

Each program goes through what only the tape takes, a generator, so that `mode="auto"` comes to it as well.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import inspect
import math
import threading
import types
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import adc
from adc.runtime.detours import own_code

X = np.array([0.7, 1.3, 0.4])


class Vec:
    def __init__(self, x, y, z=0.0):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def __neg__(self):
        return -1.0 * self

    def __abs__(self):
        return math.sqrt(self.dot(self))

    def __lt__(self, other):
        return math.hypot(self.x, self.y) < math.hypot(other.x, other.y)

    def __iter__(self):
        yield self.x
        yield math.sin(self.y)
        yield self.z

    def __len__(self):
        return 3

    def __getitem__(self, k):
        return (self.x, math.exp(self.y), self.z)[k]

    def __call__(self, t):
        return self.x * math.cos(self.y * t)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    @property
    def unit(self):
        return self * (1.0 / abs(self))

    @functools.cached_property
    def angle(self):
        return math.atan2(self.y, self.x)

    @classmethod
    def polar(cls, r, phi):
        return cls(r * math.cos(phi), r * math.sin(phi))

    @staticmethod
    def mean(a, b):
        return math.sqrt(a * b)

    @contextlib.contextmanager
    def scaled(self, k):
        yield self * math.exp(k)


class Moving(Vec):
    def __init__(self, x, y, speed=1.0, *, ease=math.tanh):
        super().__init__(x, y)
        self.speed, self.ease = speed, ease

    def __abs__(self):
        return super().__abs__() + math.log(self.speed)

    def at(self, t):
        return self.x + self.ease(self.speed * t)


class Slotted:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v

    def value(self):
        return math.cosh(self.v)


@dataclasses.dataclass
class Layer:
    w: float
    b: float = 0.1
    power: float = dataclasses.field(init=False)

    def __post_init__(self):
        self.power = math.exp(self.w)

    def __call__(self, v):
        return math.tanh(self.w * v + self.b) + self.power


class State(NamedTuple):
    q: float
    p: float

    def energy(self):
        return 0.5 * self.p**2 - math.cos(self.q)


class Kind(enum.Enum):
    SOFT = 1
    HARD = 2

    def of(self, v):
        return math.log1p(math.exp(v)) if self is Kind.SOFT else v


class Square:
    def __get__(self, owner, kind=None):
        return math.pow(owner.side, 2.0)


class Box:
    area = Square()

    def __init__(self, side):
        self.side = side


class Buffer:
    def __init__(self, n):
        self.values = np.zeros(n)

    def fill(self, x):
        for k in range(len(x)):
            self.values[k] = math.sin(x[k])
        return self


class Node:
    def __init__(self, value, *children):
        self.value, self.children = value, children

    def total(self):
        return math.sin(self.value) + sum(child.total() for child in self.children)


def cube(v):
    return math.pow(v, 3.0)


@functools.lru_cache
def weight(k):
    return math.sqrt(k + 1.0)


SCENE = [Vec(1.0, 2.0), Moving(0.5, 0.25, 2.0, ease=cube)]
TABLE = {"cube": cube, "sum": functools.partial(lambda k, v: math.sin(k * v), 2.0)}
NET = collections.deque([Layer(0.5), Layer(0.3, -0.2)])


def on_the_tape(x):
    yield from x


def chain(x):
    v = Vec(*on_the_tape(x))
    w = Moving(x[1], 2.0, x[2])
    total = abs(-(v + w * 0.5)) + abs(w) + w.at(x[0]) + v.angle + v.unit.dot(w) + v(x[2])
    with v.scaled(x[1]) as longer:
        total = total + longer.x
    return total + sum(list(v)) + v[1] + len(v) + max(v, w).x + Vec.polar(x[0], x[1]).y + Vec.mean(x[0], x[1])


def outside(x):
    found = [s.dot(Vec(*on_the_tape(x))) * abs(s) for s in SCENE]
    h = x[0]
    for layer in NET:
        h = layer(h)
    return sum(found) + h + TABLE["cube"](x[1]) + TABLE["sum"](x[2]) + weight(2) * x[0]


def others(x):
    a, b, c = on_the_tape(x)
    tree = Node(a, Node(b), Node(c, Node(a * b)))
    buffer = Buffer(3).fill(x)
    return (
        Slotted(a).value() + Layer(b)(c) + State(a, b).energy() + Kind.SOFT.of(a) + Box(c).area
        + tree.total() + np.sum(buffer.values**2)
    )  # fmt: skip


def defined_inside(x):
    class Local(Vec):
        def norm(self):
            return math.sqrt(x[0]) * super().__abs__()

    return Local(*on_the_tape(x)).norm()


PROGRAMS = [chain, outside, others, defined_inside]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
@pytest.mark.parametrize("mode", ["tape", "auto"])
def test_methods_that_use_math(program, mode):
    before = {
        f: f.__code__
        for kind in (Vec, Moving, Layer, Node)
        for f in vars(kind).values()
        if inspect.isfunction(f)
    }
    adc.check_grads(program, (X,), mode=mode)
    assert all(f.__code__ is code for f, code in before.items())


def test_a_method_of_an_object_outside():
    scene = Moving(0.5, 0.25, 2.0, ease=cube)
    assert adc.grad(scene.at, mode="tape")(0.1) == pytest.approx(6.0 * 0.2**2)
    assert adc.grad(scene, mode="tape")(0.1) == pytest.approx(-0.5 * 0.25 * math.sin(0.025))


def test_an_object_among_the_arguments():
    def loss(layer, other, x):
        return layer(x) * other.dot(other)

    found = adc.grad(loss, argnums=(0, 2), mode="tape")(Layer(0.5, 0.2), Vec(1.0, 2.0), 0.3)
    h = 1e-6
    assert found[1] == pytest.approx(5.0 * 0.5 / math.cosh(0.35) ** 2)
    assert found[0].b == pytest.approx(
        (loss(Layer(0.5, 0.2 + h), Vec(1.0, 2.0), 0.3) - loss(Layer(0.5, 0.2 - h), Vec(1.0, 2.0), 0.3))
        / (2 * h)
    )


class Settings(dict):
    def __getattr__(self, name):
        return self[name]  # KeyError for names that it has not


def test_objects_that_answer_to_names_of_their_own():
    pytest.importorskip("scipy.sparse.linalg")  # whose objects are told from others once it is there
    settings = Settings(gain=1.5)
    wanted = pytest.approx(1.5 * math.cos(0.45))
    assert adc.grad(lambda x: math.sin(settings.gain * x), mode="tape")(0.3) == wanted
    assert adc.grad(lambda s, x: math.sin(s.gain * x), argnums=1, mode="tape")(settings, 0.3) == wanted


def test_classes_are_as_they_were_after_an_error():
    def loss(x):
        abs(Vec(x[0], x[1]))
        raise KeyError("mine")

    with pytest.raises(KeyError):
        adc.grad(loss, mode="tape")(X)
    assert "sqrt" in Vec.__abs__.__code__.co_names
    assert abs(Vec(3.0, 4.0)) == 5.0


def test_the_signature_is_the_same_meanwhile():
    def loss(x):
        seen.append(inspect.signature(Moving.__init__))
        seen.append(own_code(Moving.__init__))
        return Moving(x[0], x[1]).at(1.0)

    seen = []
    adc.grad(loss, mode="tape")(X)
    assert seen[0] == inspect.signature(Moving.__init__)
    assert seen[1] is Moving.__init__.__code__


def test_a_compiled_derivative_within():
    inner = adc.grad(lambda y: Moving(y, 1.0).at(y), mode="compiled")

    def loss(x):
        return inner(x[0]) * Vec(x[0], x[1]).unit.x

    plain = adc.grad(
        lambda x: adc.grad(lambda y: Moving(y, 1.0).at(y), mode="tape")(x[0]) * Vec(x[0], x[1]).unit.x,
        mode="tape",
    )
    np.testing.assert_allclose(adc.grad(loss, mode="tape")(X), plain(X), rtol=1e-12)


def test_second_derivatives():
    def loss(x):
        return abs(Vec(x[0], x[1], x[2]))

    n = np.linalg.norm(X)
    np.testing.assert_allclose(
        adc.hessian(loss, mode="tape")(X), np.eye(3) / n - np.outer(X, X) / n**3, rtol=1e-12
    )


class Model:
    """An object that remembers what it made."""

    def __init__(self):
        self.seen, self.matrices, self.calls = None, {}, 0

    def matrix(self, n):
        if n not in self.matrices:
            self.matrices[n] = np.eye(n) * 2.0
        self.seen = np.ones(n)
        self.calls += 1
        return self.matrices[n]

    def loss(self, x):
        return np.sum(self.matrix(len(x)) @ x) + math.sin(x[0])


def test_what_is_left_in_an_object_is_plain():
    model = Model()
    adc.grad(model.loss, mode="tape")(X)
    assert type(model.seen) is type(model.matrices[3]) is np.ndarray
    assert model.calls == 1
    assert isinstance(model.loss(X), float)


def test_what_is_left_in_an_attribute_of_a_function_is_plain():
    def table(n):
        if n not in table.known:
            table.known[n] = table.latest = np.full(n, 2.0)
        return table.known[n]

    table.known = {}
    np.testing.assert_array_equal(adc.grad(lambda x: np.sum(table(3) * x), mode="tape")(X), [2.0, 2.0, 2.0])
    assert type(table.known[3]) is type(table.latest) is np.ndarray


def test_what_is_left_in_a_module_is_plain():
    module = types.ModuleType("settings")

    def loss(x):
        module.table = np.full(3, 2.0)
        return np.sum(module.table * x)

    np.testing.assert_array_equal(adc.grad(loss, mode="tape")(X), [2.0, 2.0, 2.0])
    assert type(module.table) is np.ndarray


def test_what_is_remembered_is_plain():
    table = functools.lru_cache(lambda n: np.arange(n) * 0.5)
    adc.grad(lambda x: np.sum(table(3) * x), mode="tape")(X)
    assert type(table(3)) is np.ndarray


def test_other_threads_call_methods_as_they_are():
    begun, done = threading.Event(), threading.Event()

    def loss(x):
        found = abs(Vec(x[0], x[1]))
        begun.set()
        assert done.wait(10)
        return found + abs(Vec(x[1], x[2]))

    thread = threading.Thread(target=lambda: found.append(adc.grad(loss, mode="tape")(X)))
    found = []
    thread.start()
    assert begun.wait(10)
    elsewhere = abs(Vec(3.0, 4.0)), Moving(0.0, 0.0).at(0.0), Buffer(2).fill([0.0, 0.0]).values
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = adc.grad(lambda x: abs(Vec(x[0], x[1])), mode="compiled")(X)
    done.set()
    thread.join()
    assert elsewhere[:2] == (5.0, 0.0)
    assert type(elsewhere[2]) is np.ndarray
    np.testing.assert_allclose(compiled[:2], X[:2] / np.hypot(*X[:2]))
    np.testing.assert_allclose(found[0][2], X[2] / np.hypot(*X[1:]))


def test_an_error_names_the_line_of_the_method():
    class Cut:
        def value(self, x):
            return x[0].__float__()

    with pytest.raises(adc.GraphCutError, match=r"return x\[0\].__float__"):
        adc.grad(lambda x: Cut().value(x), mode="tape")(X)


def test_what_counts_as_true_is_a_truth_value():
    class Step:
        def __init__(self, x, y):
            self.x, self.y = x, y

        def __bool__(self):
            return math.hypot(self.x, self.y) > 1e-3

    def loss(x):
        step = Step(x[0], x[1])
        return x[0] * x[2] if step and not Step(0.0, 0.0) else x[1]

    gradient = adc.grad(loss, mode="tape")(X)
    np.testing.assert_array_equal(gradient, [X[2], 0.0, X[0]])


def test_a_derivative_of_a_derivative_in_traced_code_is_no_fallback():
    def loss(x):
        def wave(t):
            return np.sum(np.sin(x * t))

        return adc.grad(adc.grad(wave))(0.3)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient = adc.grad(loss, mode="tape")(X)
    np.testing.assert_allclose(gradient, -2 * X * np.sin(0.3 * X) - 0.3 * X**2 * np.cos(0.3 * X))


def test_generators_of_random_numbers_are_copied():
    def loss(x):
        a = np.random.default_rng(0)
        b = copy.deepcopy(a)
        return a.normal() * x[0] - b.normal() * x[1] + copy.copy(a).normal() * x[2]

    first, second = np.random.default_rng(0).normal(size=2)
    np.testing.assert_allclose(adc.grad(loss, mode="tape")(X), [first, -first, second])


class Watched:
    """Every question to the object, also that for its class, goes through code of its own."""

    def __init__(self, scale):
        self.scale = scale

    def __getattribute__(self, name):
        return object.__getattribute__(self, "scale") if name == "factor" else super().__getattribute__(name)

    def __call__(self, x):
        return self.factor * x

    def square(self, x):
        return self(x) * self.scale


class Holder:
    def __init__(self, inner):
        self.inner = inner


HOLDER = Holder(Watched(2.0))


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.sum(HOLDER.inner(x)), [2.0, 2.0, 2.0]),
        (lambda x: np.sum(Watched(x[0]).square(x[1:])), [2 * 0.7 * 1.7, 0.49, 0.49]),
        (lambda x, model=HOLDER: model.inner.square(x[1]), [0.0, 4.0, 0.0]),
    ],
)
def test_objects_that_are_called_and_answer_for_their_attributes(f, expected):
    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), expected)
