"""What a Function's context does, as in PyTorch's own tests, with what PyTorch 2.13 answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives((5, "FBackward", "FBackward"))
def fn_attr():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.foo = 5
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = F.apply(ones(1, requires_grad=True))
    return y.grad_fn.foo, y.grad_fn.name(), type(y.grad_fn).__name__


@gives([7.0])
def fn_set_attr():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k

    x = ones(1, requires_grad=True)
    y = F.apply(x)
    y.grad_fn.k = 7.0
    y.sum().backward()
    return x.grad


@gives("n")
def fn_kwargs():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            return x * k

        @staticmethod
        def backward(ctx, g):
            return g, None

    return error_of(lambda: F.apply(ones(1, requires_grad=True), k=2))[0]


@gives(([6.0], [3.0]))
def fn_setup_context():
    class F(autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]
            ctx.save_for_backward(inputs[0], output)

        @staticmethod
        def backward(ctx, g):
            _x, _o = ctx.saved_tensors
            return g * ctx.k, None

    x = tensor([2.0], True)
    y = F.apply(x, 3.0)
    y.sum().backward()
    return y, x.grad


@gives("RuntimeError")
def fn_instance():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    with warnings.catch_warnings(record=True):
        return error_of(lambda: F()(ones(1)))[0]


@gives([12.0])
def fn_raw_saved():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = tensor([3.0], True)
    y = F.apply(x)
    y.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t * 10, lambda t: t / 5)
    y.sum().backward()
    return x.grad


@gives(([(True, False)], [1.0, 1.0]))
def fn_materialize_false():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x.clone(), x.clone()

        @staticmethod
        def backward(ctx, a, b):
            seen.append((a is None, b is None))
            return a if a is not None else b

    x = ones(2, requires_grad=True)
    _a, b = F.apply(x)
    b.sum().backward()
    return seen, x.grad


@gives([4.0])
def fn_dict_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, d, x):
            ctx.d = d
            return x * d["k"]

        @staticmethod
        def backward(ctx, g):
            return None, g * ctx.d["k"]

    x = ones(1, requires_grad=True)
    F.apply({"k": 4.0}, x).sum().backward()
    return x.grad


@gives(False)
def fn_nested_list_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, xs):
            return xs[0] * 2

        @staticmethod
        def backward(ctx, g):
            return None

    x = ones(1, requires_grad=True)
    return F.apply([x]).requires_grad


@gives((True, True))
def fn_double_with_saved_output():
    class E(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = np.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    x = tensor([0.5, 1.0], True)
    return autograd.gradcheck(E.apply, (x,)), autograd.gradgradcheck(E.apply, (x,))


@gives((True, "none"))
def fn_once_diff_double():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2

    x = tensor([1.0], True)
    (g,) = autograd.grad(F.apply(x**2).sum(), x, create_graph=True)
    return g.requires_grad, error_of(lambda: g.sum().backward())


@gives((True, [2.0, 2.0]))
def fn_mark_dirty_leaf_nograd():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    x = ones(2)
    y = F.apply(x)
    return y is x, x


@gives((False, [2.0, 2.0]))
def fn_nondiff_output_grad():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            m = x > 0
            ctx.mark_non_differentiable(m)
            return x * 2, m

        @staticmethod
        def backward(ctx, g, gm):
            assert gm is not None
            return g * 2

    x = tensor([1.0, -1.0], True)
    y, m = F.apply(x)
    y.sum().backward()
    return m.requires_grad, x.grad


@gives([(True, True, False), (True, True, False)])
def ctx_needs_after():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            return x * y * z

        @staticmethod
        def backward(ctx, g):
            s.append(ctx.needs_input_grad)
            return g if ctx.needs_input_grad[0] else None, g if ctx.needs_input_grad[1] else None, None

    s = []
    a = ones(1, requires_grad=True)
    b = ones(1, requires_grad=True)
    F.apply(a, b, ones(1)).sum().backward()
    autograd.grad(F.apply(a, b, 2.0).sum(), b)
    return s


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
