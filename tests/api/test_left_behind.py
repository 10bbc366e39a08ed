"""What a function leaves in lists, dicts, objects and names outside is there as NumPy leaves it, not as Tensors."""

import collections
import contextvars
import threading

import numpy as np
import pytest

import adc
from adc import tape
from adc.api import left_behind

HISTORY = []
LAST = None


class Model:
    __slots__ = ("history", "last")

    def __init__(self):
        self.history, self.last = [], None

    def loss(self, x):
        value = np.sum(x**2)
        self.history.append((value, "step"))
        self.last = x * 2.0
        return value


class Callable:
    def __call__(self, x):
        return self.inner(x) + 0.0

    def inner(self, x):
        HISTORY.append(x[0] * 3.0)
        return np.sum(x**3)


def helper(x):
    HISTORY.append(np.sum(x))
    return np.sum(x**2)


def test_a_method_that_keeps_its_history():
    model = Model()
    gradient = adc.grad(model.loss, mode="tape")
    x = np.array([1.0, 2.0])
    for _ in range(2):
        np.testing.assert_array_equal(gradient(x), 2.0 * x)
    assert model.history == [(5.0, "step"), (5.0, "step")]
    assert type(model.history[0][0]) is np.float64
    assert type(model.last) is np.ndarray
    np.testing.assert_array_equal(model.last, 2.0 * x)


ONES = np.ones(2)
TRANSFORMS = {
    "jvp": lambda f, x: adc.jvp(f, (x,), (ONES,), mode="tape"),
    "vjp": lambda f, x: adc.vjp(f, x, mode="tape"),
    "linearize": lambda f, x: adc.linearize(f, x, mode="tape"),
    "hessian": lambda f, x: adc.hessian(f, mode="tape")(x),
    "jacobian": lambda f, x: adc.jacobian(f, mode="tape")(x),
    "jacfwd": lambda f, x: adc.jacfwd(f, mode="tape")(x),
    "hvp": lambda f, x: adc.hvp(f, (x,), (ONES,), mode="tape"),
    "of a gradient": lambda f, x: adc.jacobian(adc.grad(f, mode="tape"), mode="tape")(x),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform(name):
    def loss(x):
        nonlocal last
        last = x[0]
        return model.loss(x)

    last, model, x = None, Model(), np.array([1.0, 2.0])
    found = TRANSFORMS[name](loss, x)
    assert model.history == [(5.0, "step")]
    assert [type(v) for v in (model.history[0][0], last, model.last)] == [np.float64, np.float64, np.ndarray]
    np.testing.assert_array_equal(model.last, 2.0 * x)
    if name == "vjp":
        np.testing.assert_array_equal(found[1](1.0)[0], 2.0 * x)
    if name == "linearize":
        assert found[1](ONES) == 6.0


@pytest.mark.parametrize("function", [lambda x: helper(x) * 1.0, Callable()])
def test_lists_of_helpers_and_of_methods(function):
    HISTORY.clear()
    adc.value_and_grad(function, mode="tape")(np.array([1.0, 2.0]))
    assert HISTORY == [3.0]
    assert type(HISTORY[0]) is np.float64


def test_names_and_other_containers():
    kept, seen = {"deep": {"x": 0.0}}, collections.deque(maxlen=2)
    before = None

    def loss(x):
        global LAST
        nonlocal before
        LAST = x[0] * x[1]
        before = x + 1.0
        kept["deep"]["x"] = x[0] ** 2
        seen.append([x[1], (x[0], x)])
        return LAST + kept["deep"]["x"]

    x = np.array([3.0, 2.0])
    np.testing.assert_array_equal(adc.grad(loss, mode="tape")(x), [8.0, 3.0])
    assert (LAST, kept["deep"]["x"]) == (6.0, 9.0)
    assert (type(LAST), type(kept["deep"]["x"]), type(before)) == (np.float64, np.float64, np.ndarray)
    [number, (first, whole)] = seen[0]
    assert (type(number), type(first), type(whole)) == (np.float64, np.float64, np.ndarray)


def test_a_derivative_in_a_derivative_keeps_what_the_outer_one_needs():
    kept = {}

    def inner(x):
        kept["square"] = x**2
        return np.sum(x * kept["square"])

    def outer(x):
        slope = adc.grad(inner, mode="tape")(x)
        return np.sum(slope * kept["square"])

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(adc.grad(outer, mode="tape")(x), 12.0 * x**3)
    assert type(kept["square"]) is np.ndarray


def test_tensors_of_the_user_stay():
    mine = tape.tensor(np.ones(2), requires_grad=True)
    kept = [mine * 2.0]

    def loss(x):
        kept.append(x * 3.0)
        return np.sum(x)

    adc.grad(loss, mode="tape")(np.ones(2))
    assert isinstance(kept[0], tape.Tensor)
    assert type(kept[1]) is np.ndarray


def test_nothing_is_looked_for_where_nothing_is_left(monkeypatch):
    monkeypatch.setattr(left_behind, "reached", None)
    np.testing.assert_array_equal(adc.grad(lambda x: np.sum(x**2), mode="tape")(np.ones(2)), [2.0, 2.0])


NOW, ALL = contextvars.ContextVar("now"), contextvars.ContextVar("all", default=HISTORY)
OWN = threading.local()


class OfThread(threading.local):
    def __init__(self):
        self.history = []


OF_THREAD = OfThread()


def test_context_variables_and_what_each_thread_has_its_own_of():
    HISTORY.clear()

    def loss(x):
        value = np.sum(x**2)
        NOW.set((value, "now"))
        ALL.get().append(2.0 * value)
        OWN.last, OWN.start = value, np.zeros(2)
        OF_THREAD.history.append(value)
        OF_THREAD.last = x
        return value

    np.testing.assert_array_equal(adc.grad(loss, mode="tape")(np.array([1.0, 2.0])), [2.0, 4.0])
    left = [NOW.get()[0], ALL.get()[0], OWN.last, OF_THREAD.history[0]]
    assert left == [5.0, 10.0, 5.0, 5.0]
    assert {type(v) for v in left} == {np.float64}
    assert {type(OWN.start), type(OF_THREAD.last)} == {np.ndarray}
