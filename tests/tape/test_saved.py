"""Hooks on what is kept, modes on generators, and backward functions that give nothing, as PyTorch has them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import adc
from adc import tape

# --- what is kept, and how -----------------------------------------------------------------------------------------


def test_saved_tensors_hooks():
    x = tape.tensor(np.ones(3), requires_grad=True)
    calls = []

    def pack(t):
        assert isinstance(t, tape.Tensor) and not t.requires_grad
        calls.append("pack")
        return t.numpy().tolist()

    def unpack(packed):
        calls.append("unpack")
        return tape.tensor(np.array(packed))

    with adc.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).sum()
        z = np.sum(np.stack([y * x, np.exp(x)]) ** 2)
    before = calls.count("pack")
    w = x * x  # no hooks any more
    assert calls.count("pack") == before >= 5 and "unpack" not in calls
    (z + w.sum()).backward()
    assert "unpack" in calls
    np.testing.assert_allclose(x.grad.numpy(), np.full(3, 56 + 2 * np.e**2), rtol=1e-12)


def test_saved_tensors_hooks_change_what_is_read():
    x = tape.tensor(np.array([1.0, 2.0]), requires_grad=True)
    with adc.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        y = x.exp()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp([1.0, 2.0]))


def test_saved_tensors_hooks_of_reads_and_writes():
    x = tape.tensor(np.arange(4.0), requires_grad=True)
    with adc.autograd.graph.save_on_cpu():
        y = x * 1.0
        y[1:3] = y[np.array([0, 3])] * 2.0
        s = np.linalg.svd(np.reshape(y, (2, 2)) + np.eye(2) * 3.0)[1]
        total = y[0] + np.sum(s)
    g = tape.tensor(np.arange(4.0), requires_grad=True)
    h = g * 1.0
    h[1:3] = h[np.array([0, 3])] * 2.0
    (h[0] + np.sum(np.linalg.svd(np.reshape(h, (2, 2)) + np.eye(2) * 3.0)[1])).backward()
    total.backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.numpy(), g.grad.numpy(), rtol=1e-12)


def test_saved_tensors_hooks_and_second_derivatives():
    x = tape.tensor(np.array([2.0]), requires_grad=True)
    with adc.autograd.graph.save_on_cpu():
        y = (x**3).sum()
        (first,) = adc.autograd.grad(y, x, create_graph=True)
    (second,) = adc.autograd.grad(first.sum(), x)
    assert second.item() == 12.0


def test_saved_tensors_hooks_are_those_of_a_thread():
    packed = []
    x = tape.tensor(np.ones(2), requires_grad=True)
    with adc.autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
        thread = threading.Thread(target=lambda: (x * x).sum().backward())
        thread.start()
        thread.join()
    assert not packed
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 2.0])


def test_saved_tensors_hooks_disabled():
    hooks = adc.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with (
        adc.autograd.graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
        hooks,
    ):
        pass
    with (
        hooks,
        pytest.raises(RuntimeError, match="nor here"),
        adc.autograd.graph.disable_saved_tensors_hooks("nor here"),
    ):
        pass
    x = tape.tensor(np.ones(1), requires_grad=True)
    with adc.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3.0):
        y = (x * x).sum()
    with pytest.raises(TypeError, match="expected to be a Tensor"):
        y.backward()


def test_freed_graph_with_hooks():
    x = tape.tensor(np.ones(2), requires_grad=True)
    with adc.autograd.graph.save_on_cpu():
        y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph"):
        y.backward()


def test_modes_on_generators():
    @adc.no_grad()
    def states():
        found = yield tape.is_grad_enabled()
        try:
            yield found, tape.is_grad_enabled()
        except KeyError:
            yield "caught", tape.is_grad_enabled()
        return "end"

    generator = states()
    assert next(generator) is False and tape.is_grad_enabled()
    assert generator.send(5) == (5, False) and tape.is_grad_enabled()
    assert generator.throw(KeyError()) == ("caught", False) and tape.is_grad_enabled()
    with pytest.raises(StopIteration, match="end"):
        next(generator)
    assert tape.is_grad_enabled()


def test_backward_that_returns_none():
    class Cut(adc.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, bar):
            return None, bar

    x, y = (tape.tensor(np.ones(3), requires_grad=True) for _ in range(2))
    Cut.apply(x * 2, y).sum().backward()
    assert x.grad is None
    np.testing.assert_array_equal(y.grad.numpy(), np.ones(3))
    assert adc.autograd.grad(Cut.apply(x, y).sum(), x, allow_unused=True) == (None,)


def test_numbers_and_truth_of_several_elements():
    x = tape.tensor(np.arange(3.0))
    assert x.item(1) == 1.0
    with pytest.raises(RuntimeError, match="3 elements cannot be converted to Scalar"):
        x.item()
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(x)


def test_division_by_a_number_that_is_zero():
    x = tape.tensor(np.array([1.0]), requires_grad=True)
    with np.errstate(invalid="ignore"):
        x.std().backward()
    assert np.isnan(x.grad.item())
    y = tape.tensor(2.0, requires_grad=True)
    with np.errstate(divide="ignore"):
        (y / 0).backward()
    assert np.isinf(y.grad.item())
