"""A checkpointed call on Tensors has the gradients of the plain call, and runs twice."""

import functools
import gc
import itertools
import weakref
from collections import deque

import numpy as np
import pytest

import adc
from adc.tape import autograd
from adc.tape.tensor import Tensor, tensor


def wave(x, rate=2.0):
    y = np.zeros(3)
    for k in range(3):
        y[k] = np.sin(x[k]) * rate
    return y * np.exp(y)


def slopes(f, *values):
    inputs = [tensor(v, requires_grad=True) for v in values]
    result = f(*inputs)
    (first,) = autograd.grad(result.sum(), inputs[0], create_graph=True)
    first.sum().backward()
    return [first.tolist(), *[x.grad.tolist() for x in inputs]]


X = np.array([0.1, 0.5, -0.3])


def test_first_and_second_derivatives_are_those_of_the_plain_function():
    again = adc.checkpoint(wave)
    twice = adc.checkpoint(lambda x: again(again(x)) + np.sum(x))
    np.testing.assert_allclose(slopes(again, X), slopes(lambda x: (2 * x.sin()) * (2 * x.sin()).exp(), X))
    np.testing.assert_allclose(slopes(twice, X), slopes(lambda x: again(again(x)) + x.sum(), X))


def test_what_it_reads_from_outside_gets_its_gradient():
    w = tensor([1.0, 2.0, 3.0], requires_grad=True)
    constant = tensor(X)
    adc.checkpoint(lambda x: np.cos(x * w) * w)(constant).sum().backward()
    u = w.numpy(force=True)
    np.testing.assert_allclose(w.grad.numpy(), np.cos(X * u) - u * X * np.sin(X * u))


class Layer:
    """A callable object without a name."""

    def __init__(self):
        self.w = tensor([1.0, 2.0, 3.0], requires_grad=True)

    def __call__(self, data, *, power=1):
        return {"out": (data["x"] * self.w) ** power, "power": power}


def test_objects_keywords_and_containers():
    layer = Layer()
    found = adc.checkpoint(layer)({"x": tensor(X)}, power=2)
    assert found["power"] == 2
    found["out"].sum().backward()
    np.testing.assert_allclose(layer.w.grad.numpy(), 2 * X**2 * layer.w.detach().numpy())
    layer.w.grad = None
    adc.checkpoint(functools.partial(layer, power=3))({"x": tensor(X)})["out"].sum().backward()
    np.testing.assert_allclose(layer.w.grad.numpy(), 3 * X**3 * layer.w.detach().numpy() ** 2)


class Norm:
    def __call__(self, x, power=2):
        return np.sum(np.abs(x) ** power)

    def method(self, x):
        return np.sum(np.sin(x))


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_callables_of_all_kinds(mode):
    for function, slope in (
        (Norm(), 2 * X),
        (functools.partial(Norm(), power=4), 4 * X**3),
        (Norm().method, np.cos(X)),
        (np.sin, np.cos(X)),
    ):
        again = adc.checkpoint(function)
        np.testing.assert_allclose(adc.grad(lambda x: np.sum(again(x)), mode=mode)(X), slope)
    assert adc.checkpoint(Norm()).__name__ == "Norm"


def test_arguments_by_keyword_alone():
    @adc.checkpoint
    def f(x, *, rate=2.0, scale):
        return np.sum(np.sin(x) * rate * scale)

    assert f(X, scale=3.0) == np.sum(np.sin(X) * 2.0 * 3.0)
    found = adc.grad(lambda x: f(x, scale=x[0]), mode="tape")(X)
    np.testing.assert_allclose(found, 2 * np.cos(X) * X[0] + np.array([2 * np.sum(np.sin(X)), 0.0, 0.0]))


def test_it_runs_twice_and_stops_where_nothing_more_is_kept():
    seen = deque()
    note = (
        seen.append
    )  # behind a method of C code nobody looks: of a list or deque the second run leaves nothing

    def f(x):
        note("start")
        y = np.exp(x)
        note("end")
        return y

    x = tensor(X, requires_grad=True)
    y = adc.checkpoint(f)(x)
    y.sum().backward(retain_graph=True)
    assert [*seen] == ["start", "end", "start"]
    y.sum().backward()  # the values lived as long as the pass
    assert [*seen] == ["start", "end", "start", "start"]
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_values_go_as_the_pass_goes_on():
    alive = deque()
    note = alive.append

    def f(x):
        y = np.exp(x)
        note(weakref.ref(y.primal if isinstance(y, Tensor) else y))
        return np.sin(y)

    y = tensor(X, requires_grad=True)
    most = []
    for _ in range(4):
        y.register_hook(lambda _: most.append(sum(ref() is not None for ref in alive)))
        y = adc.checkpoint(f)(y)
    gc.collect()
    assert sum(ref() is not None for ref in alive) == 0
    y.sum().backward()
    assert max(most) <= 1
    assert len(alive) == 8


def test_random_numbers_are_drawn_again():
    def f(x):
        return x * np.random.normal(size=3)

    np.random.seed(3)
    expected = np.random.normal(size=3)
    after = np.random.normal()
    np.random.seed(3)
    x = tensor(X, requires_grad=True)
    y = adc.checkpoint(f)(x)
    assert np.random.normal() == after
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), expected)


CALLS = 0
STATE = {"n": 0, "seen": set()}


class Stepper:
    calls = 0

    def __init__(self):
        self.time, self.history = 0, []

    def at_a_time(self, x):
        return np.sin(x * (self.time + 1))

    def counted(self, x):
        self.history.append(np.sum(x))
        Stepper.calls += 1
        return np.sin(x * len(self.history)) * self.history[-1]


def by_a_name(x):
    global CALLS
    CALLS += 1
    return np.sin(x * CALLS)


def by_an_entry(x):
    STATE["n"] += 1
    STATE["seen"].add(STATE["n"] // 2)
    return np.sin(x * STATE["n"]) * len(STATE["seen"])


@pytest.mark.parametrize("name", ["at_a_time", "counted", "by_a_name", "by_an_entry"])
def test_the_second_run_finds_what_the_first_one_found_and_leaves_nothing(name):
    def made(checkpoint):
        global CALLS
        CALLS, Stepper.calls, stepper = 0, 0, Stepper()
        STATE.update(n=0, seen=set())
        step = checkpoint(getattr(stepper, name) if hasattr(stepper, name) else globals()[name])

        def loss(x):
            for t in range(3):
                stepper.time = t
                x = step(x)
            return np.sum(x)

        value, gradient = adc.value_and_grad(loss, mode="tape")(X)
        return value, gradient.tolist(), CALLS, Stepper.calls, STATE["n"], STATE["seen"], stepper.history

    assert made(adc.checkpoint) == made(lambda step: step)


def test_another_course_the_second_time_is_refused():
    runs = itertools.count(1)

    def f(x):
        return np.exp(x[: next(runs)]).sum()

    with pytest.raises(adc.DerivativeError, match=r"`f` kept float64 of shape \(2,\) in place of .*\(1,\)"):
        adc.checkpoint(f)(tensor(X, requires_grad=True)).backward()

    def g(x):
        return np.exp(x) * np.cos(x) if next(runs) == 3 else x + 1.0

    with pytest.raises(adc.DerivativeError, match="`g` kept 0 values in place of"):
        adc.checkpoint(g)(tensor(X, requires_grad=True)).sum().backward()


def test_an_argument_that_was_written_to_is_refused():
    x = tensor(X, requires_grad=True).clone()
    y = adc.checkpoint(np.exp)(x)
    x += 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation: an argument of a checkpointed"):
        y.sum().backward()


def test_a_gradient_inside():
    def f(x):
        y = x.detach().requires_grad_()
        (g,) = autograd.grad((y**3).sum(), y)
        return x * g

    x = tensor(X, requires_grad=True)
    adc.checkpoint(f)(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * X**2)


def test_without_recording_it_runs_once():
    with adc.no_grad():
        assert not adc.checkpoint(wave)(tensor(X, requires_grad=True)).requires_grad
