"""Grad modes, hooks on what is kept and anomaly detection, as in PyTorch's own tests."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(
    (
        (True, False, True, True, True),
        ("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn"),
    )
)
def inference_leaf():
    with adc.inference_mode():
        x = ones(2, requires_grad=True)
        y = x * x
        f = x.requires_grad, y.requires_grad, x.is_leaf, y.is_leaf, y.grad_fn is None
        r = error_of(lambda: y.sum().backward())
    return f, r


@gives(((False, False), [2.0, 2.0]))
def inference_existing_inplace():
    x = ones(2)
    with adc.inference_mode():
        x.add_(1)
        w = x.view(2, 1)
        f = x.is_inference(), w.is_inference()
    return f, x


@gives(((True, True, False), False))
def inference_false():
    x = ones(2, requires_grad=True)
    with adc.inference_mode():
        with adc.inference_mode(False):
            y = x * 2
            f = y.requires_grad, adc.is_grad_enabled(), y.is_inference()
        g = (x * 2).requires_grad
    return f, g


@gives((True, False, False))
def inference_dec():
    x = ones(2, requires_grad=True)

    @adc.inference_mode()
    def f(x):
        return adc.tape.is_inference_mode_enabled(), x * 2

    a, y = f(x)

    @adc.inference_mode
    def g(x):
        return x * 2

    return a, y.requires_grad, g(x).requires_grad


@gives([False, 0, True, "x", False, 1, True, "y", "done"])
def no_grad_gen():
    out = []

    @adc.no_grad()
    def gen(n):
        for i in range(n):
            out.append(adc.is_grad_enabled())
            r = yield i
            out.append(r)
        return "done"

    g = gen(2)
    out.append(next(g))
    out.append(adc.is_grad_enabled())
    out.append(g.send("x"))
    out.append(adc.is_grad_enabled())
    try:
        g.send("y")
    except StopIteration as e:
        out.append(e.value)
    return out


@gives([False, ("caught", True), 2, False, ("fin", True), False])
def enable_grad_gen_throw():
    out = []

    @adc.enable_grad()
    def gen():
        try:
            yield 1
        except ValueError:
            out.append(("caught", adc.is_grad_enabled()))
            yield 2
        finally:
            out.append(("fin", adc.is_grad_enabled()))

    with adc.no_grad():
        g = gen()
        next(g)
        out.append(adc.is_grad_enabled())
        out.append(g.throw(ValueError()))
        out.append(adc.is_grad_enabled())
        g.close()
        out.append(adc.is_grad_enabled())
    return out


@gives((("RuntimeError", "x"), True))
def gen_forward_exc():
    @adc.no_grad()
    def gen():
        yield 1
        raise RuntimeError("x")

    g = gen()
    next(g)
    return error_of(lambda: next(g)), adc.is_grad_enabled()


@gives([False, (0, True), False, (1, True)])
def set_grad_gen():
    out = []

    @adc.set_grad_enabled(False)
    def gen():
        for i in range(2):
            out.append(adc.is_grad_enabled())
            yield i

    for v in gen():
        out.append((v, adc.is_grad_enabled()))
    return out


@gives([False, True, False, True])
def set_grad_func_form():
    out = []
    with adc.set_grad_enabled(mode=False):
        out.append(adc.is_grad_enabled())
    out.append(adc.is_grad_enabled())

    @adc.set_grad_enabled(False)
    def f():
        return adc.is_grad_enabled()

    out += [f(), adc.is_grad_enabled()]
    return out


@gives(True)
def no_grad_exc():
    try:
        with adc.no_grad():
            raise ValueError
    except ValueError:
        pass
    return adc.is_grad_enabled()


@gives((False, True))
def no_grad_class():
    @adc.no_grad()
    class Foo:
        def __init__(self):
            self.e = adc.is_grad_enabled()

        def foo(self):
            return adc.is_grad_enabled()

    f = Foo()
    return f.e, f.foo()


@gives(([3.0, 1.0], [6.0, 2.0], True))
def no_grad_leaf_inplace_view():
    x = ones(2, requires_grad=True)
    with adc.no_grad():
        x[:1].mul_(3)
    (x * x).sum().backward()
    return x, x.grad, x.is_leaf


@gives(([3.0, 3.0], None, True))
def no_grad_input():
    x = ones(2, requires_grad=True)
    with adc.no_grad():
        w = x + 1
        w.requires_grad_()
    (w * 3).sum().backward()
    return w.grad, x.grad, w.is_leaf


@gives([True])
def thread_mode():
    out = []
    with adc.no_grad():
        t = threading.Thread(target=lambda: out.append(adc.is_grad_enabled()))
        t.start()
        t.join()
    return out


@gives([8.0, 8.0, 8.0, 8.0, 8.0])
def thread_shared_graph():
    x = ones(5, requires_grad=True)

    def work():
        y = (x * x).sum()
        y.backward()

    ts = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return x.grad


@gives(True)
def thread_hooks():
    ids = []
    x = ones(2, requires_grad=True)
    x.register_hook(lambda g: ids.append(threading.get_ident()))
    x.sum().backward()
    return ids[0] == threading.get_ident()


@gives(([16.0], [29.5562244]))
def saved_hooks_custom():
    x = tensor([2.0], True)
    with autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t * 2):
        y = x * x
        e = np.exp(x)
    (g1,) = autograd.grad(y.sum(), x)
    (g2,) = autograd.grad(e.sum(), x)
    return g1, g2


@gives((("ValueError", "nope"), "none"))
def saved_hooks_exc():
    a = ones(3, requires_grad=True)

    def pack(t):
        raise ValueError("nope")

    def f():
        with autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            return a * a

    r = error_of(f)
    return r, error_of(lambda: (a * a).sum().backward())


@gives(
    (
        "RuntimeError",
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pac",
    )
)
def saved_hooks_inplace():
    a = ones(3, requires_grad=True)

    def pack(t):
        t.mul_(2)
        return t

    def f():
        with autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            return (a * 1) ** 2

    return error_of(f)


@gives(("TypeError", "Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"))
def saved_hooks_ret():
    a = ones(3, requires_grad=True)
    with autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 0):
        y = a * a
    return error_of(lambda: y.sum().backward())


@gives((["p"], [6.0]))
def saved_hooks_function():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x

    out = []
    x = tensor([3.0], True)
    with autograd.graph.saved_tensors_hooks(lambda t: (out.append("p"), t)[1], lambda t: t * 2):
        y = F.apply(x)
    y.backward()
    return out, x.grad


@gives(([27.0], [18.0]))
def saved_hooks_double():
    x = tensor([3.0], True)
    with autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t):
        y = x * x * x
        (g,) = autograd.grad(y, x, create_graph=True)
    (h,) = autograd.grad(g, x)
    return g, h


@gives((("RuntimeError", "no hooks"), ("RuntimeError", "no hooks2")))
def disable_saved_hooks():
    def f():
        with autograd.graph.disable_saved_tensors_hooks("no hooks"):
            with autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass

    def g():
        with autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            with autograd.graph.disable_saved_tensors_hooks("no hooks2"):
                pass

    return error_of(f), error_of(g)


@gives(("RuntimeError", "Function 'FBackward' returned nan values in its 0th output."))
def anomaly():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum(0)

        @staticmethod
        def backward(ctx, g):
            gi = g.clone().expand(3) * 1
            gi[0] = float("nan")
            return gi

    x = ones(3, requires_grad=True)
    with autograd.detect_anomaly():
        out = F.apply(x)
        return error_of(lambda: out.backward())


@gives([2.0])
def anomaly_nonan():
    x = tensor([1.0], True)
    with autograd.detect_anomaly():
        (x * x).sum().backward()
    return x.grad


@gives("nan")
def anomaly_check_nan():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    x = ones(3, requires_grad=True)
    with autograd.detect_anomaly(check_nan=False):
        F.apply(x).sum().backward()
    return str(x.grad.sum().item())


@gives((False, (True, False, True), (False, [2.0, 2.0]), (True, True)))
def enable_grad_in_inference_mode():
    x = ones(2, requires_grad=True)
    with adc.inference_mode():
        outside = adc.is_grad_enabled()
        with adc.enable_grad():
            y = x * 2
            inside = adc.is_grad_enabled(), y.requires_grad, y.is_inference()
        adc.set_grad_enabled(True)
        z = x * 2
        set_on = z.requires_grad, z
        with adc.inference_mode(False):
            again = adc.is_grad_enabled(), (x * 2).requires_grad
    assert adc.is_grad_enabled() and (x * 2).requires_grad
    return outside, inside, set_on, again


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
