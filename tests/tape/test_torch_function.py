"""`autograd.Function` as in PyTorch's own tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


class Combine(autograd.Function):
    @staticmethod
    def forward(ctx, a, k, b):
        ctx.k = k
        ctx.save_for_backward(a, b)
        return a + k * b + a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g + g * b, None, g * ctx.k + g * a


@gives(([[6.0, 7.0], [8.0, 9.0]], [[3.0, 4.0], [5.0, 6.0]], True, True))
def function():
    x = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    y = tensor([[5.0, 6.0], [7.0, 8.0]], True)
    r = Combine.apply(x, 2, y)
    go = ones((), requires_grad=True)
    r.sum().backward(go, create_graph=True)
    return x.grad, y.grad, x.grad.grad_fn is not None, y.grad.requires_grad


@gives([(False, True, False, True), [2.0], [2.0], (False, True, False, True), 2.0, 2.0])
def function_returns_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    out = []
    for s in [(1,), ()]:
        v = ones(s, requires_grad=True)
        r = F.apply(v)
        out.append((r is v, r.requires_grad, r.is_leaf, v.is_leaf))
        r.backward()
        out.append(v.grad.clone())
        with adc.no_grad():
            v.grad.zero_()
        F.apply(v.clone()).backward()
        out.append(v.grad)
    return out


@gives((True, True, True, True))
def function_returns_none():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    x = ones(1, requires_grad=True)
    F.apply(x).backward()
    a = x.grad is None
    F.apply(x**2).backward()
    b = x.grad is None
    F.apply(x).sum().backward()
    c = x.grad is None
    return a, b, c, autograd.grad(F.apply(x), x, allow_unused=True)[0] is None


@gives(
    (3, None, True, "bar", [13.0, 16.0], [18.0, 24.0], None, [[True, False, True, True, False, True, False]])
)
def nontensor_io():
    got = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, t1, t2, scale, t3):
            t4 = t1 + t2 * t3
            t5 = t1 * t2 + t3
            t4 *= scale
            t5 *= scale
            ctx.scale = scale
            ctx.save_for_backward(t1, t2, t3)
            return scale, t4, None, True, t5, "bar", t1

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, *grads):
            got.append([g is None for g in grads])
            scale = ctx.scale
            v1, v2, v3 = ctx.saved_tensors
            return (
                grads[1] * scale + grads[4] * v2 * scale + grads[6],
                grads[1] * v3 * scale + grads[4] * v1 * scale,
                None,
                grads[1] * v2 * scale + grads[4] * scale,
            )

    t1 = tensor([1.0, 2.0], True)
    t2 = tensor([3.0, 4.0], True)
    t3 = tensor([5.0, 6.0])
    r = F.apply(t1, t2, 3, t3)
    autograd.backward([r[1].sum(), r[4].sum(), r[6].sum()])
    return r[0], r[2], r[3], r[5], t1.grad, t2.grad, t3.grad, got


@gives(False)
def no_grad_params():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g.detach() * 1

    x = tensor([1.0], True)
    (g,) = autograd.grad(F.apply(x).sum(), x, create_graph=True)
    return g.requires_grad


@gives([(True, True), (True, True), (True, True), (True, True), (True, True), (False, False)])
def needs_input_grad():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            seen.append(tuple(ctx.needs_input_grad))
            return x * y

        @staticmethod
        def backward(ctx, g):
            seen.append(tuple(ctx.needs_input_grad))
            return g, g

    x = tensor([1.0], True)
    y = tensor([2.0], True)
    autograd.grad(F.apply(x, y).sum(), x)
    F.apply(x, y).sum().backward(inputs=[y])
    with adc.no_grad():
        F.apply(x, y)
    F.apply(x.detach(), 3.0)
    return seen


@gives([1.0, 1.0])
def extra_none_grads():
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


@raises(
    RuntimeError,
    "function FBackward returned a gradient different than None at position 2, but the corresponding forward input was "
    "not a Variable",
)
def gradient_of_a_number():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            return x * k

        @staticmethod
        def backward(ctx, g):
            return g, g

    F.apply(ones(2, requires_grad=True), 2.0).sum().backward()


@raises(RuntimeError, "function FBackward returned an incorrect number of gradients (expected 2, got 1)")
def missing_grads():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return (g,)

    x = ones(2, requires_grad=True)
    y = ones(2, requires_grad=True)
    F.apply(x, y).sum().backward()


@gives("list")
def forward_returns_list():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return [x * 1, x * 2]

        @staticmethod
        def backward(ctx, g, h):
            return g + h

    x = ones(2, requires_grad=True)
    r = F.apply(x)
    return type(r).__name__


@gives([3.0])
def save_none():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(None, a, None)
            return a * 1

        @staticmethod
        def backward(ctx, g):
            n1, a, n2 = ctx.saved_tensors
            return g * a * (n1 is None and n2 is None), None

    x = tensor([3.0], True)
    F.apply(x, None).sum().backward()
    return x.grad


@raises(TypeError, "save_for_backward can only save variables, but argument 0 is of type int")
def save_bad():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(1, a)
            return a

        @staticmethod
        def backward(ctx, g):
            return g

    return F.apply(ones(1, requires_grad=True))


@gives(([9.0], True, (0, 1)))
def save_output_nr():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a = x * 1
            b = x * 2
            ctx.save_for_backward(a, b)
            return a, b

        @staticmethod
        def backward(ctx, g, h):
            a, b = ctx.saved_tensors
            return (g * a + h * b,)

    x = tensor([3.0], True)
    a, b = F.apply(x)
    ga = a.grad_fn is b.grad_fn
    n = (a.output_nr, b.output_nr)
    (a + b).sum().backward()
    return x.grad, ga, n


@gives(([1.64872127], [1.64872127], [1.64872127], [1.64872127]))
def save_output_double():
    class Exp(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            r = np.exp(x)
            ctx.save_for_backward(r)
            return r

        @staticmethod
        def backward(ctx, g):
            (r,) = ctx.saved_tensors
            return g * r

    x = tensor([0.5], True)
    y = Exp.apply(x)
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x, create_graph=True)
    (k,) = autograd.grad(h.sum(), x)
    return y, g, h, k


@gives(([13.44506721], [40.33520163]))
def saved_double_two_outputs():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a = np.exp(x)
            b = a * a
            ctx.save_for_backward(a, b)
            return a, b

        @staticmethod
        def backward(ctx, g, h):
            a, b = ctx.saved_tensors
            return g * a + 2 * h * b

    x = tensor([0.5], True)
    a, b = F.apply(x)
    (g,) = autograd.grad((a * b).sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    return g, h


@gives(("CombineBackward", "CombineBackward", [(True, 0), (True, 0)], 3, [True, True], (True, False, True)))
def ctx_attrs():
    x = tensor([1.0, 2.0], True)
    y = Combine.apply(x, 3, x)
    fn = y.grad_fn
    return (
        fn.name(),
        type(fn).__name__,
        [(a is not None, b) for a, b in fn.next_functions],
        fn.k,
        [t is x for t in fn.saved_tensors],
        tuple(fn.needs_input_grad),
    )


@raises(
    RuntimeError,
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that",
)
def dirty_not_returned():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.add_(1)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    x = ones(2, requires_grad=True) * 1
    F.apply(x)


@gives(([2.0, 2.0, 1.0], [2.0, 2.0, 1.0]))
def dirty_view():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = ones(3, requires_grad=True)
    y = x * 1
    v = y[:2]
    F.apply(v)
    y.sum().backward()
    return x.grad, y


@gives(((True, True, False), [3.0, 3.0, 3.0]))
def dirty_no_grad_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.mark_dirty(x)
            x.add_(y)
            return x

        @staticmethod
        def backward(ctx, g):
            return g, g * 3

    x = ones(3)
    y = ones(3, requires_grad=True)
    r = F.apply(x, y)
    f = r is x, x.requires_grad, x.is_leaf
    x.sum().backward()
    return f, y.grad


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation: the ",
)
def dirty_version():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = ones(3, requires_grad=True)
    y = x * 1
    z = y * y
    F.apply(y)
    z.sum().backward()


@gives([11.0, 11.0])
def two_inputs_same():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g, g * 10

    x = ones(2, requires_grad=True)
    F.apply(x, x).sum().backward()
    return x.grad


@gives(([([1.0, 1.0], [False, False], [0.0, 0.0])], False, False, [1.0, 1.0]))
def nondiff_materialize():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a = x * 1
            b = x > 0
            c = x * 2
            ctx.mark_non_differentiable(b, c)
            return a, b, c

        @staticmethod
        def backward(ctx, g, h, k):
            seen.append((g, h, k))
            return g

    x = ones(2, requires_grad=True)
    a, b, c = F.apply(x)
    a.sum().backward()
    return seen, b.requires_grad, c.requires_grad, x.grad


@gives((1, False, [2.0, 2.0]))
def int_output():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.argmax(), x * 2

        @staticmethod
        def backward(ctx, g, h):
            return h * 2

    x = tensor([1.0, 3.0], True)
    i, y = F.apply(x)
    y.sum().backward()
    return i, i.requires_grad, x.grad


@gives((False, False, True))
def function_no_rg():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    y = F.apply(ones(2))
    with adc.no_grad():
        z = F.apply(ones(2, requires_grad=True))
    return y.requires_grad, z.requires_grad, z.grad_fn is None


@raises(
    RuntimeError,
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd",
)
def function_instance():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    return F()(ones(1))


@raises(
    NotImplementedError,
    "You must implement either the backward or vjp method for your custom autograd.Function to use it wit",
)
def function_no_backward():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = ones(2, requires_grad=True)
    F.apply(x).sum().backward()


@raises(NotImplementedError, "You must implement the forward function for custom autograd.Function.")
def function_no_forward():
    class F(autograd.Function):
        @staticmethod
        def backward(ctx, g):
            return g

    F.apply(ones(2, requires_grad=True))


@gives([2.0, 2.0])
def function_vjp_alias():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    return x.grad


@gives([3.0, 3.0])
def function_broadcast_grad():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return ones(3, 2)

    x = ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    return x.grad


@raises(ValueError, "boom")
def function_backward_error_of():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("boom")

    x = ones(2, requires_grad=True)
    F.apply(x).sum().backward()


@gives([6.0])
def function_nested():
    class Sq(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with adc.enable_grad():
                xx = x.detach().requires_grad_()
                y = xx * xx
                (gg,) = autograd.grad(y, xx, g)
            return gg

    x = tensor([3.0], True)
    Sq.apply(x).sum().backward()
    return x.grad


@gives([12.0])
def reentrant():
    class R(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with adc.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = ctx.x**2
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            with adc.enable_grad():
                ctx.y.sum().backward()
            return ctx.x.grad * g

    x = tensor([3.0], True)
    (R.apply(x) * 2).sum().backward()
    return x.grad


@gives([(False, False), (True, False), (False, False), (True, False)])
def grad_mode_in_backward():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            seen.append((adc.is_grad_enabled(), g.requires_grad))
            return g * 2

    x = ones(1, requires_grad=True)
    F.apply(x).sum().backward()
    F.apply(x).sum().backward(create_graph=True)
    with adc.no_grad():
        pass
    y = F.apply(x).sum()
    with adc.no_grad():
        y.backward()
    autograd.grad(F.apply(x * x).sum(), x, create_graph=True)
    return seen


@gives([(True, False, True), (True, False, True)])
def ctx_needs_in_backward_subset():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            ctx.save_for_backward(x, y, z)
            return x * y * z

        @staticmethod
        def backward(ctx, g):
            seen.append(tuple(ctx.needs_input_grad))
            x, y, z = ctx.saved_tensors
            return g * y * z, g * x * z, g * x * y

    x = ones(1, requires_grad=True)
    y = ones(1)
    z = ones(1, requires_grad=True)
    autograd.grad(F.apply(x, y, z), x)
    autograd.grad(F.apply(x, y, z), z)
    return seen


@gives(
    (
        True,
        (
            "RuntimeError",
            "trying to differentiate twice a function that was marked with @once_differentiable",
        ),
    )
)
def once_diff_msg():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = tensor([1.0], True)
    go = ones(1, requires_grad=True)
    (g,) = autograd.grad(F.apply(x), x, go, create_graph=True)
    f = g.requires_grad
    return f, error_of(lambda: g.sum().backward())


@gives(([12.0], [27.0], [[True, False]]))
def defaults_of_forward_reach_setup_context():
    flags = []

    class Power(autograd.Function):
        @staticmethod
        def forward(x, n=3):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * ctx.n * x ** (ctx.n - 1), None

    x = tensor([2.0], True)
    Power.apply(x).backward()
    z = tensor([3.0], True)
    Power.apply(z).backward()
    flags.append([x.grad.item() == 12.0, Power.apply(x, 2).item() == 8.0])
    return x.grad, z.grad, flags


@raises(RuntimeError, "Implementing both 'backward' and 'vjp' for a custom Function is not allowed.")
def backward_and_vjp():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    F.apply(ones(2, requires_grad=True)).sum().backward()


@gives(["ctx.mark_dirty() received a tensor that was not an input."])
def dirty_but_no_input():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        F.apply(ones(2, requires_grad=True))
    return [str(w.message)[:57] for w in seen]


@raises(RuntimeError, "Trying to backward through the graph a second time")
def a_context_that_outlives_its_graph():
    stash = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, g):
            stash.append(ctx)
            return ctx.saved_tensors

    loss = F.apply(ones(1, requires_grad=True))
    loss.backward(retain_graph=True)
    del loss
    return stash[0].saved_tensors


@gives((True, 4.0))
def a_result_that_is_given_twice_is_one():
    class Twice(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 2

    x = tensor(1.0, True)
    a, b = Twice.apply(x)
    (a + b).backward()
    return a is b, x.grad.item()


@gives(("RuntimeError", "Function 'MulBackward' returned nan values in its 1th output."))
def the_output_that_is_nan_is_counted_among_all_operands():
    x = tensor(0.0, True)
    with adc.autograd.detect_anomaly():
        return error_of(lambda: (np.float64(np.nan) * x).backward())


@gives(
    (
        "RuntimeError",
        "data set to a tensor that requires gradients must be floating point or complex dtype, not ",
    )
)
def integers_as_data():
    def put():
        tensor(1.0, True).data = adc.tensor(3)

    return error_of(put)


class Increased(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1.0)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, bar):
        return bar


@gives(
    ("RuntimeError", "a view of a leaf Variable that requires grad is being used in an in-place operation.")
)
def a_view_of_a_leaf_is_not_to_be_made_dirty():
    x = ones(2, requires_grad=True)
    return error_of(lambda: Increased.apply(x[:1]))


class Scaled(autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return k * x

    @staticmethod
    def backward(ctx, bar):
        return ctx.k * bar, None


@gives(6.0)
def a_second_pass_where_nothing_was_saved():
    x = tensor(1.0, True)
    y = Scaled.apply(x, 3.0)
    y.backward()
    y.backward()
    return x.grad.item()


class Handed(autograd.Function):
    """Gives back what it is given beside a Tensor."""

    @staticmethod
    def forward(ctx, x, result):
        return result

    @staticmethod
    def backward(ctx, bar):
        return None, None


@gives("none")
def no_result_at_all():
    return "none" if Handed.apply(ones(1, requires_grad=True), None) is None else "some"


def test_a_result_that_is_no_tensor_is_named():
    with pytest.raises(TypeError, match="forward returned a float, which carries no derivative"):
        Handed.apply(ones(1, requires_grad=True), 2.0)
    assert Handed.apply(ones(1), 2.0) == 2.0


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
