"""Functions, generators and writes as in PyTorch's own tests of autograd, with what PyTorch 2.13 answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives([True, True, True, [False, False, False, False], False, False, False, [True, True, True, True]])
def set_grad_coroutines():
    @adc.no_grad()
    def coro_no_grad(n=3):
        out = [adc.is_grad_enabled()]
        for i in range(n):
            (yield i)
            out.append(adc.is_grad_enabled())
        return out

    @adc.enable_grad()
    def coro_enable(n=3):
        out = [adc.is_grad_enabled()]
        for i in range(n):
            (yield i)
            out.append(adc.is_grad_enabled())
        return out

    res = []
    with adc.enable_grad():
        c = coro_no_grad()
        try:
            c.send(None)
            res.append(adc.is_grad_enabled())
            while True:
                c.send(None)
                res.append(adc.is_grad_enabled())
        except StopIteration as e:
            res.append(e.value)
    with adc.no_grad():
        c = coro_enable()
        try:
            c.send(None)
            res.append(adc.is_grad_enabled())
            while True:
                c.send(None)
                res.append(adc.is_grad_enabled())
        except StopIteration as e:
            res.append(e.value)
    return res


@gives([("y", False), ("e", False), True])
def set_grad_coroutines_exc():
    class Rec(Exception):
        pass

    @adc.no_grad()
    def coro(s):
        while True:
            try:
                yield 1
                s.append(("y", adc.is_grad_enabled()))
            except Rec:
                s.append(("e", adc.is_grad_enabled()))
                yield 2

    s = []
    c = coro(s)
    next(c)
    c.send(None)
    c.throw(Rec)
    next(c)
    c.close()
    s.append(adc.is_grad_enabled())
    return s


@gives((False, False, True, False, True))
def backward_no_grad_ctx():
    @adc.no_grad()
    def fn(x):
        return adc.is_grad_enabled()

    with adc.set_grad_enabled(False):
        a = adc.is_grad_enabled()
        with adc.set_grad_enabled(True):
            b = adc.is_grad_enabled()
        c = adc.is_grad_enabled()
    return fn(1), a, b, c, adc.is_grad_enabled()


@gives([True, True, True, True, False, True])
def set_grad_enabled_wraps():
    out = []
    for d in (True, False):
        with adc.set_grad_enabled(True):

            @adc.set_grad_enabled(d)
            def inner(x):
                out.append(adc.is_grad_enabled())

            out.append(adc.is_grad_enabled())
            inner(1)
            out.append(adc.is_grad_enabled())
    return out


@gives([[1.0, 2.0]])
def simple_reentrant():
    y = tensor([[1.0, 2.0]])

    class R(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with adc.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.out = (ctx.x * y).sum()
            return ctx.out.detach()

        @staticmethod
        def backward(ctx, g):
            with adc.enable_grad():
                ctx.out.backward()
            return ctx.x.grad * g

    x = tensor([[3.0, 4.0]], True)
    out = R.apply(x)
    out.backward()
    return x.grad


@gives(("Exception", "Simulate error"))
def reentrant_child_error():
    class Fail(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise Exception("Simulate error")

    a = tensor([1.0], True)
    b = Fail.apply(a).sum()

    class R(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            b.backward()
            return g

    d = tensor([2.0], True)
    return error_of(lambda: R.apply(d).sum().backward())


@gives(([2.0, 2.0], [1.0]))
def cat_requires_grad():
    x = tensor([1.0, 2.0], True)
    y = tensor([3.0], True)
    np.concatenate([x, y, x], 0).sum().backward()
    return x.grad, y.grad


@gives("none")
def saved_variables_deprecated():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a + b

        @staticmethod
        def backward(ctx, g):
            _a, _b = ctx.saved_variables
            return g, g

    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        x = ones(1, requires_grad=True)
        return error_of(lambda: F.apply(x, x).sum().backward())


@gives(
    (
        (True, True, False, True),
        True,
        (
            "RuntimeError",
            "you can only change requires_grad flags of leaf variables. If you want to use a computed v",
        ),
    )
)
def requires_grad_():
    x = ones(3)
    y = ones(3, requires_grad=True)
    r = x.requires_grad_() is x, x.requires_grad_(False) is x, x.requires_grad, y.requires_grad_() is y
    z = y * 2
    return r, z.requires_grad_() is z, error_of(lambda: z.requires_grad_(False))


@gives((True, True))
def requires_grad_inplace():
    a = ones(5)
    b = ones(5, requires_grad=True)
    a += b
    c = ones(5) + 0
    c += b
    return a.requires_grad, c.requires_grad


@gives((["RuntimeError", "RuntimeError", "TypeError", "TypeError"], None))
def grad_assignment():
    x = ones(5, 5, requires_grad=True)
    out = []
    for v in (x, ones(5), 2.0, [1]):

        def f():
            x.grad = v

        out.append(error_of(f)[0])
    x.grad = ones(5, 5)
    x.grad = None
    return out, x.grad


@gives(([[2.0, 2.0], [2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]]))
def duplicate_backward_root():
    a = ones(2, 2, requires_grad=True)
    b = ones(2, 2, requires_grad=True)
    x = a * b
    g = ones(2, 2)
    autograd.backward([x, x], [g, g])
    return a.grad, b.grad


@gives(("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn"))
def backward_no_grad():
    a = ones(2)
    return error_of(lambda: autograd.backward([a * 1], [None]))


@gives((2, True, True, 0, 2, True, (None, 0)))
def next_functions():
    x = ones(2, requires_grad=True)
    y = ones(2, requires_grad=True)
    a = x + y
    n = a.grad_fn.next_functions
    b = a + 5.0
    m = b.grad_fn.next_functions
    return (
        len(n),
        n[0][0].variable is x,
        n[1][0].variable is y,
        n[0][1],
        len(m),
        m[0][0] is a.grad_fn,
        m[1] if len(m) > 1 else None,
    )


@gives(([2.0], "none"))
def inplace_sibling():
    x = tensor([1.0, 2.0], True) * 1
    v = x[:1]
    x.mul_(2)
    return v.detach().clone(), error_of(lambda: v.sum().backward())


@gives(([("post", [1.0, 1.0]), ("pre", [15.0, 15.0])], [30.0, 30.0]))
def tensor_hooks_inplace():
    out = []
    t = tensor([1.0, 2.0], True)
    y = t * 1
    y.register_hook(lambda g: (out.append(("pre", g.clone())), g * 2)[1])
    y.mul_(3)
    y.register_hook(lambda g: (out.append(("post", g.clone())), g * 5)[1])
    y.sum().backward()
    return out, t.grad


@gives([])
def tensor_hooks_inplace_leaf_change():
    out = []
    t = tensor([1.0, 2.0], True) * 1
    h = t.register_hook(lambda g: out.append(1))
    t.mul_(2)
    h.remove()
    t.sum().backward()
    return out


@gives(([3.0, 3.0], [6.0, 6.0]))
def retain_grad_inplace():
    t = tensor([1.0, 2.0], True)
    a = t * 1
    a.retain_grad()
    a.mul_(2)
    a.retain_grad()
    (a * 3).sum().backward()
    return a.grad, t.grad


@gives(["tensor", "pre", "post", "leaf", "acc"])
def backward_hook_order_across():
    out = []
    x = tensor([1.0], True)
    y = x * 2
    y.register_hook(lambda g: out.append("tensor"))
    y.grad_fn.register_prehook(lambda g: out.append("pre"))
    y.grad_fn.register_hook(lambda gi, go: out.append("post"))
    y.retain_grad()
    x.register_hook(lambda g: out.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: out.append("acc"))
    y.sum().backward()
    return out


@gives(([2.0], [2.0]))
def retains_grad_all_hooks():
    x = tensor([1.0], True)
    y = x.clone()
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    return y.grad, x.grad


@gives(([((), [[20.0]])], [20.0]))
def node_post_hook_on_acc():
    out = []
    x = tensor([1.0], True)
    acc = (x * 2).grad_fn.next_functions[0][0]
    acc.register_hook(lambda gi, go: out.append((gi, [g.clone() for g in go])))
    acc.register_prehook(lambda g: (g[0] * 10,))
    (x * 2).sum().backward()
    return out, x.grad


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
