"""Hooks of gradients and of what is kept, as in PyTorch's own tests, with what PyTorch 2.13 answers."""

from __future__ import annotations

import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives([[False, False, True], [False, False, False]])
def multi_grad_all():
    out = []
    a, b, c = (tensor([1.0], True) for _ in range(3))
    h = autograd.graph.register_multi_grad_hook((a, b, c), lambda g: out.append([x is None for x in g]))
    (a * b).sum().backward()
    (a * b * c).sum().backward()
    h.remove()
    (a * b).sum().backward()
    return out


@gives(1)
def multi_grad_any():
    out = []
    a, b = tensor([1.0], True), tensor([2.0], True)
    autograd.graph.register_multi_grad_hook((a, b), lambda g: out.append(g.clone()), mode="any")
    (a * b).sum().backward()
    return len(out)


@gives([([3.0], [2.0])])
def multi_grad_nonleaf():
    out = []
    a = tensor([1.0], True)
    t = a * 2
    u = a * 3
    autograd.graph.register_multi_grad_hook((t, u), lambda g: out.append(tuple(x.clone() for x in g)))
    (t * u).sum().backward()
    return out


@gives(("RuntimeError", "error message"))
def multi_grad_err_in_hook():
    a = tensor([1.0], True)

    def bad(g):
        raise RuntimeError("error message")

    autograd.graph.register_multi_grad_hook((a,), bad)
    return error_of(lambda: (a * 2).sum().backward())


@gives((1, True, ([1.0, 1.0],)))
def gradient_edge_output():
    x = tensor([1.0, 2.0], True)

    class D(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            return a + 2 * b

    a, b = D.apply(x)
    e = autograd.graph.get_gradient_edge(b)
    return e.output_nr, e.node is b.grad_fn, autograd.grad((a + b).sum(), e)


@gives(([2.0, 4.0],))
def edge_as_output():
    x = tensor([1.0, 2.0], True)
    y = (x * x).sum()
    e = autograd.graph.get_gradient_edge(y)
    return autograd.grad(e, x, tensor(1.0))


@gives([("a", [2.0]), ("b", True), ("a", [4.0])])
def post_acc_hook_order():
    out = []
    x = tensor([1.0], True)
    x.register_post_accumulate_grad_hook(lambda t: out.append(("a", t.grad.clone())))
    h = x.register_post_accumulate_grad_hook(lambda t: out.append(("b", t is x)))
    (x * 2).sum().backward()
    h.remove()
    (x * 2).sum().backward()
    return out


@gives(([0.8], None))
def post_acc_zero():
    x = tensor([1.0], True)

    def step(p):
        with adc.no_grad():
            p.add_(p.grad, alpha=-0.1)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    return x, x.grad


@gives(("TypeError", "expected Variable, but hook returned 'int'"))
def hook_wrong_type():
    x = tensor([1.0], True)
    x.register_hook(lambda g: 5)
    return error_of(lambda: (x * 2).sum().backward())


@gives([1])
def remove_during():
    x = tensor([1.0], True)
    o = []
    hs = []
    hs.append(x.register_hook(lambda g: (o.append(1), hs[0].remove())[0]))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    return o


@gives(("RuntimeError", "can't retain_grad on Tensor that has requires_grad=False"))
def retain_no_rg():
    return error_of(lambda: ones(1).retain_grad())


@gives((False, False, True))
def retains_grad():
    x = tensor([1.0], True)
    y = x * 2
    a = y.retains_grad
    y.retain_grad()
    return x.retains_grad, a, y.retains_grad


@gives((1, 1, 0))
def version_after():
    x = ones(2)
    y = x.detach()
    x.add_(1)
    z = x.clone()
    return x._version, y._version, z._version


@gives(["p2", "p2", "p1", "p1", "u1", "u1", "u2", "u2"])
def unpack_hooks_chain():
    a = tensor([2.0], True)
    out = []
    with autograd.graph.saved_tensors_hooks(
        lambda x: (out.append("p1"), x)[1], lambda x: (out.append("u1"), x)[1]
    ):
        with autograd.graph.saved_tensors_hooks(
            lambda x: (out.append("p2"), x)[1], lambda x: (out.append("u2"), x)[1]
        ):
            y = a * a
        z = y * y
    z.sum().backward()
    return out


@gives("TypeError")
def hooks_err_unpack():
    a = tensor([2.0], True)
    with autograd.graph.saved_tensors_hooks(lambda x: 1, lambda x: x):
        y = a * a
    return error_of(lambda: y.sum().backward())[0]


@gives(("RuntimeError", "no hooks"))
def disable():
    with autograd.graph.disable_saved_tensors_hooks("no hooks"):
        return error_of(lambda: autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__())


@gives([4.0])
def save_on_cpu():
    a = tensor([2.0], True)
    with autograd.graph.save_on_cpu():
        y = (a * a).sum()
    y.backward()
    return a.grad


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
