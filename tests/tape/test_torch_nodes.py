"""Nodes, hooks, threads and saved values as in PyTorch's own tests of autograd, with what PyTorch 2.13 answers."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(None)
def sharded_multi_threads():
    x = ones(5, requires_grad=True)

    def train():
        for _ in range(20):
            ((x * 2).sum() * 1).backward() if False else autograd.grad((x * 3).sum(), x)

    ts = [threading.Thread(target=train) for _ in range(4)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return x.grad


@gives(("ValueError", "something"))
def preserve_backtrace():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, *i):
            return i[0]

        @staticmethod
        def backward(ctx, *g):
            raise ValueError("something")

    t = ones(2, requires_grad=True)
    return error_of(lambda: F.apply(t).sum().backward())


@gives(([2.0, 12.5], [[-2.0, -5.0], [2.0, 5.0]]))
def var_mean():
    x = tensor([[1.0, 2.0], [3.0, 7.0]], True)
    v = x.var(0)
    v.sum().backward()
    return v, x.grad


@gives([3.0, 3.0])
def select_expanded():
    x = tensor([1.0, 2.0], True)
    e = x.expand(3, 2) if hasattr(x, "expand") else x
    y = e.sum()
    y.backward()
    return x.grad


@gives(("RuntimeError", [0.0, 0.0]))
def detach_then_inplace():
    x = tensor([1.0, 2.0], True)
    y = x * 2
    z = y * y
    d = y.detach()
    d.zero_()
    return error_of(lambda: z.sum().backward())[0], y


@gives((False, None))
def isolated():
    x = tensor([1.0], True)
    with adc.no_grad():
        y = x + 1
    return y.requires_grad, y.grad_fn


@gives("RuntimeError")
def shape_hook():
    x = ones(2, 2, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g.view(4))
    return error_of(lambda: h.sum().backward())[0]


@gives(([2.0, 2.0], [1.0, 1.0]))
def grad_fn_prehooks_remove():
    a = ones(2, requires_grad=True)
    b = a.clone()
    h1 = b.grad_fn.register_prehook(lambda g: (g[0] * 2,))
    b.grad_fn.register_prehook(lambda g: (g[0] * 2,))
    h1.remove()
    b.sum().backward()
    r = a.grad.clone()
    a.grad = None
    b = a.clone()
    b.grad_fn.register_prehook(lambda g: None)
    b.sum().backward()
    return r, a.grad


@gives(([17.0, 17.0, 17.0], True))
def grad_fn_prehooks_multiple_outputs():
    b = tensor([1.0, 2.0, 3.0], True)

    class D(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            return a + b

    x, y = D.apply(b)
    x.grad_fn.register_prehook(lambda g: (g[0] * 2, g[1] * 3))
    (x.sum() + y.sum() * 5).backward()
    return b.grad, x.grad_fn is y.grad_fn


@gives((True, True))
def gradcheck_single_input():
    return autograd.gradcheck(lambda x: x * 5, tensor([1.0, 2.0], True)), autograd.gradgradcheck(
        lambda x: x * x, tensor([1.0, 2.0], True)
    )


@gives(
    (
        ([1.0, 2.0], [3.0, 4.0], True),
        (
            "RuntimeError",
            "Trying to backward through the graph a second time (or directly access saved tensors after",
        ),
    )
)
def saved_self_attr():
    a = tensor([1.0, 2.0], True)
    b = tensor([3.0, 4.0], True)
    y = a * b
    r = y.grad_fn._saved_self, y.grad_fn._saved_other, y.grad_fn._saved_self is a
    y.sum().backward()
    return r, error_of(lambda: y.grad_fn._saved_self)


@gives(([1.0, 2.0], [2.71828183, 7.3890561], [1.0, 2.0]))
def saved_pow_exp():
    a = tensor([1.0, 2.0], True)
    return (a**2).grad_fn._saved_self, np.exp(a).grad_fn._saved_result, np.sin(a).grad_fn._saved_self


@gives(([3.0], [6.0]))
def raw_saved_hooks():
    a = tensor([3.0], True)
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: 2 * x, lambda x: x / 2)
    r = y.grad_fn._saved_self
    y.sum().backward()
    return r, a.grad


@gives(
    [
        (
            "RuntimeError",
            "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one",
        ),
        "none",
    ]
)
def raw_saved_hooks_err():
    a = tensor([3.0], True)
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x)
    o = [error_of(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x))]
    y.sum().backward()
    o.append(error_of(lambda: y.grad_fn._raw_saved_self))
    return o


@gives(([2, 0], [2, 2], [2.0, 2.0, 2.0, 2.0, 2.0]))
def saved_hooks_pack_unpack_counts():
    n = [0, 0]

    def pack(x):
        n[0] += 1
        return x

    def unpack(x):
        n[1] += 1
        return x

    a = ones(5, requires_grad=True)
    with autograd.graph.saved_tensors_hooks(pack, unpack):
        y = a * a
    z = n[:]
    y.sum().backward()
    return z, n, a.grad


@gives([1.0, 0.0, 0.0])
def setitem_mask():
    x = tensor([1.0, 2.0, 3.0], True)
    y = x * 1
    y[y > 1.5] = 0.0
    y.sum().backward()
    return x.grad


@gives(([0.0, 4.0, 0.0], [10.0, 12.0]))
def advanced_index_write():
    x = tensor([1.0, 2.0, 3.0], True)
    v = tensor([5.0, 6.0], True)
    y = x * 1
    y[[0, 2]] = v
    (y * y).sum().backward()
    return x.grad, v.grad


@gives((True, [4.0, 4.0]))
def accumulate_grad_identity():
    x = tensor([1.0, 2.0], True)
    (x * 2).sum().backward()
    g = x.grad
    (x * 2).sum().backward()
    return x.grad is g, g


@gives((False, [6.0, 24.0], True))
def accumulate_grad_create_graph():
    x = tensor([1.0, 2.0], True)
    (x**3).sum().backward(create_graph=True)
    g = x.grad
    (x**3).sum().backward(create_graph=True)
    return x.grad is g, x.grad, x.grad.requires_grad


@gives([3.0])
def zero_grad_():
    x = tensor([1.0], True)
    (x * 2).sum().backward()
    x.grad.zero_()
    x.grad.detach_()
    (x * 3).sum().backward()
    return x.grad


@gives((5.0, ([0.0, 1.0, 1.0],)))
def sum_bool():
    x = tensor([1.0, 2.0, 3.0], True)
    return (x * (x > 1.5)).sum(), autograd.grad((x * (x > 1.5)).sum(), x)


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()


def test_a_node_is_called():
    x, g = tensor([1.0, 2.0], True), tensor([1.0, 1.0])
    tripled, squared = (x * 3).grad_fn, (x * x).grad_fn
    seen = []
    squared.register_hook(lambda *_: seen.append(1))
    assert squared._sequence_nr() > tripled._sequence_nr()
    by_x, by_number = tripled(g)
    np.testing.assert_array_equal(by_x, [3.0, 3.0])
    assert by_number is None
    assert squared(None) == (None, None)
    twice, _ = squared(g)
    np.testing.assert_array_equal(autograd.grad(twice.sum(), x)[0], [1.0, 1.0])
    with adc.no_grad():
        assert not squared(g)[0].requires_grad
    values, vectors = np.linalg.eigh(np.diag(x))
    assert vectors.grad_fn is values.grad_fn
    with adc.no_grad():
        np.testing.assert_array_equal(values.grad_fn(g, None), np.eye(2))
    leaf = tripled.next_functions[0][0]
    assert leaf(g) == ()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0])
    assert leaf._sequence_nr() == 2**64 - 1
    assert not seen


@pytest.mark.parametrize(
    ("bars", "error"),
    [
        ((), TypeError),
        ((np.ones(2), np.ones(2)), TypeError),
        (("a",), TypeError),
        ((np.ones(3),), RuntimeError),
    ],
)
def test_a_node_is_called_with_what_does_not_fit(bars, error):
    node = (tensor([1.0, 2.0], True) * 3).grad_fn
    with pytest.raises(error):
        node(*bars)


def test_a_node_is_called_when_what_it_keeps_is_gone():
    x = tensor([1.0, 2.0], True)
    y = x * x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn(tensor([1.0, 1.0]))
    q = x * 1
    z = q * q
    q += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.grad_fn(tensor([1.0, 1.0]))


def test_a_view_of_what_inference_made():
    with adc.tape.inference_mode():
        made = tensor([1.0, 2.0, 3.0])
    view = made[1:]
    assert view.is_inference()
    with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
        view.requires_grad_()
    assert not view.clone().is_inference()
