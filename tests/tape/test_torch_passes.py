"""Backward passes as in PyTorch's own tests of autograd, with what PyTorch 2.13 answers."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor, zeros

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives((False, False, True))
def grad_mode_class_decoration():
    @adc.no_grad()
    def f():
        return adc.is_grad_enabled()

    @adc.no_grad()
    class Foo:
        def __init__(self):
            self.g = adc.is_grad_enabled()

        def foo(self):
            return adc.is_grad_enabled()

    with warnings.catch_warnings(record=True):
        return f(), Foo().g, Foo().foo()


@gives([0, 1, 1])
def tensor_grad_warnings():
    out = []
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        d = tensor([1.0, 2.0], True)
        _ = d.grad
        out.append(len(w))
        f = d * 2
        _ = f.grad
        out.append(len(w))
        f.retain_grad()
        _ = f.grad
        out.append(len(w))
    return out


@gives("none")
def function_ctx_default():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, k=3.0):
            ctx.k = k
            return x * k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = tensor([1.0], True)
    return error_of(lambda: F.apply(x).sum().backward())


@gives("RuntimeError")
def invalid_gradients():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return ones(10)

    x = ones(5, 5, requires_grad=True)
    return error_of(lambda: F.apply(x).sum().backward())[0]


@gives(
    (
        "RuntimeError",
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow",
    )
)
def unrelated_inputs_grad():
    x = tensor([1.0], True)
    y = tensor([2.0], True)
    return error_of(lambda: autograd.grad((x * 2).sum(), [x, y]))


@gives(([2.0], None))
def grad_unreachable_discovery():
    x = tensor([1.0], True)
    y = tensor([2.0], True)
    return autograd.grad((x * 2).sum(), [x, y], allow_unused=True)


@gives([False, False])
def hook_edge_case_create_graph():
    x = tensor([3.0], True)
    s = []
    y = x * x
    y.register_hook(lambda g: s.append(g.requires_grad))
    y.sum().backward(create_graph=True)
    y2 = x * x
    y2.register_hook(lambda g: s.append(g.requires_grad))
    y2.sum().backward()
    return s


@gives((True, ([1.0, 1.0, 1.0, 1.0, 1.0],)))
def retain_grad_cycle():
    x = ones(5, requires_grad=True)

    def run():
        y = x * 2
        y.retain_grad()
        return y / 2, weakref.ref(y)

    z, ref = run()
    gc.collect()
    return ref() is None, autograd.grad(z.sum(), x)


@gives(
    [
        [[5.0, 3.0], [4.0, 7.0]],
        [[4.0, 3.0], [5.0, 8.0]],
        [[5.0, 3.0], [4.0, 7.0]],
        None,
        None,
        [[4.0, 3.0], [5.0, 8.0]],
        ("RuntimeError", "`inputs` argument to `backward()` cannot be empty."),
    ]
)
def backward_with_inputs():
    x = tensor([[2.0, 1.0], [1.0, 2.0]], True)
    y = tensor([[1.0, 1.0], [2.0, 3.0]], True)
    f = lambda: x**2 + y * x + y**2
    g = ones(2, 2)
    out = []
    f().backward(g, inputs=[x, y])
    out += [x.grad.clone(), y.grad.clone()]
    x.grad = None
    y.grad = None
    f().backward(g, inputs=[x])
    out += [x.grad.clone(), y.grad]
    x.grad = None
    f().backward(g, inputs=y)
    out += [x.grad, y.grad.clone()]
    out.append(error_of(lambda: f().backward(g, inputs=[])))
    return out


@gives(([[[5.0, 5.0]], [[4.0, 7.0]], [[4.0, 2.0]]], [[10.0, 10.0]], [[8.0, 4.0]], "none"))
def backward_with_nonleaf_inputs():
    x = tensor([[2.0, 1.0]], True)
    y = tensor([[1.0, 3.0]], True)
    xn = x.clone()
    out = xn**2 + y * x + y**2
    out.backward(ones(1, 2), create_graph=True, inputs=[x, y, xn])
    r = [x.grad, y.grad, xn.grad]
    out.backward(ones(1, 2), create_graph=True, inputs=[x, y, xn])
    z = x * 3
    r2 = error_of(lambda: out.backward(ones(1, 2), inputs=[z]))
    return [q.detach().clone() for q in r], x.grad.detach(), xn.grad.detach(), r2


@gives([5.0, 52.0])
def dependent_backward():
    x = tensor([1.0, 2.0], True)
    y = x**2
    z = y**3
    autograd.backward([y, z], [ones(2), tensor([0.5, 0.25])])
    return x.grad


@gives((0, 1))
def save_output_nr():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone(), x * 2

        @staticmethod
        def backward(ctx, a, b):
            return a + 2 * b

    a, b = F.apply(ones(2, requires_grad=True))
    return a.output_nr, b.output_nr


@gives(True)
def free_deep_graph():
    x = ones(1, requires_grad=True)
    y = x.clone()
    for _ in range(20000):
        y = y + y * 1e-5
    del y
    return True


@gives([3.0])
def no_unnecessary_save():
    mu = ones(1, requires_grad=True)
    x = zeros(1)
    loss = 0
    for i in range(3):
        x = x.detach()
        x.copy_(mu + i)
        loss = loss + x * tensor([float(i)])
    loss.backward()
    return mu.grad


@gives(
    (
        [1.0, 1.0, 1.0, 1.0, 1.0],
        ("RuntimeError", "a leaf Variable that requires grad is being used in an in-place operation."),
    )
)
def no_requires_grad_inplace():
    a = ones(5)
    b = ones(5)
    a += b
    a.requires_grad = True
    a.sum().backward()
    c = ones(5, 5, requires_grad=True)

    def f():
        c.__iadd__(ones(5, 5))

    return a.grad, error_of(f)


@gives((True, True, False))
def no_grad_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    x = ones(5, requires_grad=True)
    with adc.no_grad():
        y = F.apply(x)
    return x.requires_grad, y.grad_fn is None, y.requires_grad


@gives(
    ([[5.0, 5.0], [5.0, 5.0]], [[5.0, 5.0], [5.0, 5.0]], [[2.0, 2.0], [2.0, 2.0]], [[3.0, 3.0], [3.0, 3.0]])
)
def backward_copy():
    a = zeros(2, 2, requires_grad=True)
    b = zeros(2, 2, requires_grad=True)
    x = a + b
    y = a + b
    x.retain_grad()
    y.retain_grad()
    (x * 2 + y * 3).sum().backward()
    return a.grad, b.grad, x.grad, y.grad


@gives([6.0])
def save_none_for_backward():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(None, x, None)
            return x * x

        @staticmethod
        def backward(ctx, g):
            n1, x, n2 = ctx.saved_tensors
            assert n1 is None and n2 is None
            return 2 * x * g

    x = tensor([3.0], True)
    F.apply(x).sum().backward()
    return x.grad


@gives([1.0, 1.0])
def too_many_grads():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g, None, None

    x = ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    return x.grad


@gives(
    [
        (True, [1.0, 2.0]),
        (True, [1.0, 2.0]),
        (True, [1.0, 2.0]),
        (True, [1.0, 2.0]),
        (False, [1.0, 2.0]),
        (False, [1.0, 2.0]),
        (False, [1.0, 2.0]),
        (False, [1.0, 2.0]),
    ]
)
def pickled():
    out = []
    for rg in (True, False):
        x = tensor([1.0, 2.0], rg)
        for proto in range(2, pickle.HIGHEST_PROTOCOL + 1):
            y = pickle.loads(pickle.dumps(x, protocol=proto))
            out.append((y.requires_grad, y))
    return out


@gives(((True, False), [1.0, 1.0]))
def dep_nograd():
    class F1(autograd.Function):
        @staticmethod
        def forward(ctx, i):
            out = i.clone()
            ctx.mark_non_differentiable(out)
            return i, out

        @staticmethod
        def backward(ctx, g, ig):
            return g

    class F2(autograd.Function):
        @staticmethod
        def forward(ctx, i, ignored):
            return i

        @staticmethod
        def backward(ctx, g):
            return g, None

    x = tensor([1.0, 2.0], True)
    a, b = F1.apply(x)
    b = b + 1
    r = (a.requires_grad, b.requires_grad)
    F2.apply(a, b).sum().backward()
    return r, x.grad


@gives(([0.0], [True, False], 0.0))
def zeros_in_place_of_none_have_a_derivative():
    x, a = tensor(0.5, True), tensor(1.0, True)
    (g,) = autograd.grad(x * a, x, create_graph=True)
    (second,) = autograd.grad(g, x, create_graph=True, materialize_grads=True)
    (third,) = autograd.grad(second, x, materialize_grads=True)
    kept = [
        autograd.grad(x * 2, [x, a], create_graph=graph, materialize_grads=True)[1].requires_grad
        for graph in (True, False)
    ]
    return [second.item()], kept, third.item()


@gives(
    [
        (
            "RuntimeError",
            "For complex Tensors, both grad_output and output are required to have the same dty",
        ),
        (
            "RuntimeError",
            "For complex Tensors, both grad_output and output are required to have the same dty",
        ),
        ("RuntimeError", "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "),
        ("RuntimeError", "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "),
    ]
)
def adjoints_that_do_not_fit():
    x = tensor([1.0, 2.0], True)
    z = x * (1 + 1j)
    found = [
        error_of(lambda: autograd.grad(x * 1, x, ones(2) + 0j)),
        error_of(lambda: z.backward(ones(2))),
        error_of(lambda: autograd.grad(x * 1, x, ones(2), is_grads_batched=True)),
        error_of(lambda: autograd.grad(x * 1, x, ones(4, 3), is_grads_batched=True)),
    ]
    return [(kind, text[:81] if "batched" in text else text[:82]) for kind, text in found]


def test_stacks_of_adjoints_of_different_lengths():
    x = tensor([1.0, 2.0], True)
    with pytest.raises(ValueError, match=r"\[2, 3\] adjoints"):
        autograd.grad([x * x, x * 2], x, [ones(2, 2), ones(3, 2)], is_grads_batched=True)
    with pytest.raises(ValueError, match="hold no adjoint"):
        autograd.grad(x * x, x, ones(0, 2), is_grads_batched=True)


@gives(([0.97, 1.0], [0.97, 1.0]))
def checkpoint_of_a_function_of_tensors():
    x = tensor([0.25, 0.0], True)
    adc.checkpoint(lambda t: t.sin())(x).sum().backward()

    def buffered(t):
        y = np.zeros(2)
        for k in range(2):
            y[k] = np.sin(t[k])
        return y

    z = tensor([0.25, 0.0], True)
    adc.checkpoint(buffered)(z).sum().backward()
    return [round(v, 2) for v in x.grad.tolist()], [round(v, 2) for v in z.grad.tolist()]


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
