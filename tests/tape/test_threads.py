"""Threads have their own modes and may run graphs of their own at once: each gives what it gives alone."""

import sys
import threading

import numpy as np
import pytest

import adc
from adc import tape
from adc.tape import autograd, no_grad, tensor

TIMES = 150


@pytest.fixture(autouse=True)
def switch_often():
    """Let the interpreter change threads as often as it can: what is shared by mistake shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works):
    """Run each in a thread of its own, starting at once, and raise what one of them raises."""
    barrier = threading.Barrier(len(works))
    failures = []

    def run(work):
        try:
            barrier.wait(10)
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def recording():
    for k in range(TIMES):
        x = tensor([1.0, 2.0], requires_grad=True)
        y = np.sin(x * 2.0) + x[:1]
        assert tape.is_grad_enabled() and y.requires_grad, k
        y.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 2.0 * np.cos([2.0, 4.0]) + [2.0, 0.0])


def not_recording():
    x = tensor([1.0, 2.0], requires_grad=True)
    for k in range(TIMES):
        with no_grad():
            y = np.sin(x * 2.0)
            assert not tape.is_grad_enabled() and not y.requires_grad, k
            with tape.enable_grad():
                assert (x * 2.0).requires_grad


def inferring():
    x = tensor([1.0, 2.0], requires_grad=True)
    for _ in range(TIMES):
        with tape.inference_mode():
            y = np.cos(x + 1.0)
            assert y.is_inference() and not y.requires_grad
        assert not (x + 1.0).is_inference()


def looking_for_nan():
    x = tensor([0.0, 1.0], requires_grad=True)
    for _ in range(TIMES):
        with tape.detect_anomaly(), np.errstate(all="ignore"):
            y = np.sqrt(x) / x
            with pytest.raises(RuntimeError, match="nan values"):
                y.sum().backward()


def making_nan():
    x = tensor([0.0, 1.0], requires_grad=True)
    for _ in range(TIMES):
        assert not tape.is_anomaly_enabled()
        with np.errstate(all="ignore"):
            (np.sqrt(x) / x).sum().backward()
    assert np.isnan(x.grad.numpy()[0])


def packing():
    for _ in range(TIMES):
        x = tensor([1.0, 2.0], requires_grad=True)
        packed = []
        with autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
            y = np.tanh(x) * np.exp(x)
        assert packed
        y.sum().backward()


def writing():
    for _ in range(TIMES):
        x = tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x * 1.0
        v = y[1:]
        v *= 2.0
        y[0] = x[2] * x[2]
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [0.0, 2.0, 8.0])


def twice():
    for _ in range(TIMES):
        x = tensor([1.0, 2.0], requires_grad=True)
        (first,) = autograd.grad((x**3).sum(), x, create_graph=True)
        (second,) = autograd.grad(np.std(first) + first.sum(), x)
        assert np.isfinite(second.numpy()).all()


def of_new_kinds():
    for n in range(2, 40):
        x = tensor(np.linspace(0.1, 1.0, n), requires_grad=True)
        np.linalg.norm(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), x.detach().numpy() / np.linalg.norm(x.detach().numpy()))


def traced():
    def f(x):
        y = np.zeros(3)
        for i in range(3):
            y[i] = np.sin(x[i]) * x[0]
        return np.sum(y)

    for _ in range(TIMES // 5):
        value, gradient = adc.value_and_grad(f, mode="tape")(np.array([0.1, 0.2, 0.3]))
        assert isinstance(value, float)
        np.testing.assert_allclose(gradient[1], 0.1 * np.cos(0.2))


WORKS = [
    recording,
    not_recording,
    inferring,
    looking_for_nan,
    making_nan,
    packing,
    writing,
    twice,
    of_new_kinds,
    traced,
]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)
def test_two_threads_do_the_same(work):
    together(work, work)


@pytest.mark.parametrize("work", WORKS[1:], ids=lambda work: work.__name__)
def test_a_thread_records_whatever_another_does(work):
    together(recording, work)


def test_all_at_once():
    together(*WORKS)
    assert tape.is_grad_enabled()
    assert tensor([1.0], requires_grad=True).requires_grad


def test_two_passes_are_under_way_at_once():
    """One backward waits in a hook until the other has ended: neither sees the other's mode nor its callbacks."""
    inside, outside = threading.Event(), threading.Event()
    seen = {}

    def slow():
        x = tensor([1.0, 2.0], requires_grad=True)
        y = x * 2.0

        def hook(gradient):
            inside.set()
            assert outside.wait(10)
            seen["mode"] = tape.is_grad_enabled()

        y.register_hook(hook)
        (y * y).sum().backward()
        seen["slow"] = x.grad.numpy()

    def quick():
        assert inside.wait(10)
        x = tensor([1.0, 2.0], requires_grad=True)
        (first,) = autograd.grad((x**3).sum(), x, create_graph=True)
        assert first.requires_grad and tape.is_grad_enabled()
        first.sum().backward()
        seen["quick"] = x.grad.numpy()
        outside.set()

    together(slow, quick)
    assert seen["mode"] is False
    np.testing.assert_array_equal(seen["slow"], [8.0, 16.0])
    np.testing.assert_array_equal(seen["quick"], [6.0, 12.0])


def test_a_new_thread_records_though_its_maker_does_not():
    answers = []

    def ask():
        x = tensor([1.0], requires_grad=True)
        answers.append((x * 2.0).requires_grad)

    with no_grad():
        together(ask, ask)
        assert not tape.is_grad_enabled()
    assert answers == [True, True]


class Nested(autograd.Function):
    """Its backward pass runs another one, as deep as its value says."""

    fails = False

    @staticmethod
    def forward(ctx, x):
        with adc.enable_grad():
            ctx.inner = x.detach().requires_grad_() - 1
        return ctx.inner.detach()

    @staticmethod
    def backward(ctx, g):
        if ctx.inner < 0:
            assert not Nested.fails
            return g
        with adc.enable_grad():
            Nested.apply(ctx.inner).backward()
        return g


def test_passes_inside_each_other_go_as_deep_as_one_likes():
    x = adc.tensor(1500.0, requires_grad=True)
    with adc.autograd.detect_anomaly():
        Nested.apply(x).backward()
    assert x.grad.item() == 1.0


def test_an_error_from_deep_below_comes_up():
    Nested.fails = True
    try:
        with pytest.raises(AssertionError):
            Nested.apply(adc.tensor(100.0, requires_grad=True)).backward()
    finally:
        Nested.fails = False
    assert adc.is_grad_enabled()
    x = adc.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad.item() == 6.0
