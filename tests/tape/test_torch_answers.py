"""Small programs as in PyTorch's own tests of autograd, with what PyTorch 2.13 answers."""

from __future__ import annotations

import copy

import adc.autograd.functional
import numpy as np
import pytest
from tests.tape.torch_programs import Answers

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


def tensor(data, requires_grad=False):
    return adc.tensor(data, np.float64, requires_grad)


def arr(t):
    """The values of a Tensor."""
    return None if t is None else np.round(t.detach().numpy(), 6).tolist()


class Square(autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * ctx.k, None


@gives(([("a", [1.0, 1.0]), ("b", [2.0, 2.0])], [4.0, 4.0]))
def hook_order():
    x = tensor([1.0, 2.0], True)
    out = []
    y = x * 2
    y.register_hook(lambda g: out.append(("a", arr(g))))
    y.register_hook(lambda g: g * 2)
    y.register_hook(lambda g: out.append(("b", arr(g))))
    y.sum().backward()
    return (out, arr(x.grad))


@gives(([20.0, 20.0], [22.0, 22.0]))
def hook_leaf():
    x = tensor([1.0, 2.0], True)
    h = x.register_hook(lambda g: g * 10)
    (x * 2).sum().backward()
    a = arr(x.grad)
    h.remove()
    (x * 2).sum().backward()
    return (a, arr(x.grad))


@raises(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient")
def hook_nograd():
    tensor([1.0]).register_hook(lambda g: g)


@gives(([3.0, 3.0], [6.0, 6.0], True, False))
def retain_grad_then_hook():
    x = tensor([1.0, 2.0], True)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 3)
    y.sum().backward()
    return (arr(y.grad), arr(x.grad), y.retains_grad, x.retains_grad)


@raises(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")
def retain_grad_nograd():
    tensor([1.0]).retain_grad()


@gives(False)
def retain_on_leaf():
    x = tensor([1.0], True)
    x.retain_grad()
    return x.retains_grad


@raises(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.")
def inplace_leaf():
    x = tensor([1.0], True)
    x += 1


@raises(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.")
def inplace_leaf_mul_():
    x = tensor([1.0], True)
    x.mul_(2)


@raises(RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation.")
def view_inplace_leaf():
    x = tensor([1.0, 2.0], True)
    x[:1].add_(1)


@gives(([7.0, 6.0], True, True))
def nograd_inplace():
    x = tensor([1.0, 2.0], True)
    with adc.no_grad():
        x += 1
        x.mul_(2)
        x[0] = 7.0
    return (arr(x), x.is_leaf, x.requires_grad)


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation",
)
def nograd_inplace_after_use():
    x = tensor([1.0, 2.0], True)
    y = (x * x).sum()
    with adc.no_grad():
        x.add_(1)
    y.backward()


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation",
)
def detach_inplace_after_use():
    x = tensor([1.0, 2.0], True)
    z = x * 1
    y = (z * z).sum()
    z.detach().add_(1)
    y.backward()


@gives((False, True, None))
def detach_():
    x = tensor([1.0, 2.0], True)
    y = x * 2
    y.detach_()
    return (y.requires_grad, y.is_leaf, y.grad_fn)


@raises(RuntimeError, "Can't detach views in-place. Use detach() instead.")
def detach_view():
    x = tensor([1.0, 2.0], True)
    y = (x * 1)[:1]
    y.detach_()


@gives(([5.0, 2.0], False))
def detach_shares():
    x = tensor([1.0, 2.0], True)
    d = x.detach()
    d[0] = 5.0
    return (arr(x), d.requires_grad)


@raises(
    RuntimeError,
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgrap",
)
def rg_nonleaf():
    x = tensor([1.0], True)
    y = x * 2
    y.requires_grad_(False)


@raises(
    RuntimeError,
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgrap",
)
def rg_nonleaf2():
    x = tensor([1.0], True)
    y = x * 2
    y.requires_grad = False


@raises(
    RuntimeError,
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already b",
)
def twice():
    x = tensor([1.0], True)
    y = (x * x).sum()
    y.backward()
    y.backward()


@gives([2.0])
def twice_linear():
    x = tensor([1.0], True)
    y = (x + 2).sum()
    y.backward()
    y.backward()
    return arr(x.grad)


@gives([4.0])
def twice_retain():
    x = tensor([1.0], True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return arr(x.grad)


@raises(RuntimeError, "grad can be implicitly created only for scalar outputs")
def nonscalar():
    x = tensor([1.0, 2.0], True)
    (x * 2).backward()


@raises(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
def no_graph():
    tensor([1.0]).sum().backward()


@gives(([2.0], None))
def bwd_inputs():
    x = tensor([1.0], True)
    y = tensor([2.0], True)
    (x * y).sum().backward(inputs=[x])
    return (arr(x.grad), arr(y.grad))


@gives(([3.0], None))
def bwd_inputs_nonleaf():
    x = tensor([1.0], True)
    z = x * 2
    (z * 3).sum().backward(inputs=[z])
    return (arr(z.grad), arr(x.grad))


@raises(RuntimeError, "`inputs` argument to `backward()` cannot be empty.")
def bwd_inputs_empty():
    x = tensor([1.0], True)
    (x * 3).sum().backward(inputs=[])


@raises(
    RuntimeError,
    "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this",
)
def grad_unused():
    x = tensor([1.0], True)
    y = tensor([1.0], True)
    autograd.grad((x * 2).sum(), [x, y])


@gives([[2.0], None])
def grad_allow_unused():
    x = tensor([1.0], True)
    y = tensor([1.0], True)
    return [arr(g) for g in autograd.grad((x * 2).sum(), [x, y], allow_unused=True)]


@gives([[2.0], [0.0, 0.0]])
def grad_materialize():
    x = tensor([1.0], True)
    y = tensor([1.0, 2.0], True)
    return [arr(g) for g in autograd.grad((x * 2).sum(), [x, y], allow_unused=True, materialize_grads=True)]


@raises(
    ValueError,
    "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
)
def grad_materialize_err():
    x = tensor([1.0], True)
    y = tensor([1.0, 2.0], True)
    return [arr(g) for g in autograd.grad((x * 2).sum(), [x, y], allow_unused=False, materialize_grads=True)]


@raises(RuntimeError, "One of the differentiated Tensors does not require grad")
def grad_notrequires():
    x = tensor([1.0])
    y = tensor([1.0], True)
    autograd.grad((x * y).sum(), [x])


@raises(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
def grad_output_nograd():
    x = tensor([1.0], True)
    autograd.grad(tensor([1.0]), [x])


@raises(RuntimeError, "`inputs` argument to `grad()` cannot be empty.")
def grad_empty_inputs():
    x = tensor([1.0], True)
    return autograd.grad((x * 2).sum(), [])


@gives([4.0, 6.0])
def grad_multi_outputs():
    x = tensor([1.0, 2.0], True)
    return arr(autograd.grad([(x * 2).sum(), (x * x).sum()], x)[0])


@gives([[2.0, 0.0], [0.0, 4.0]])
def grad_batched():
    x = tensor([1.0, 2.0], True)
    y = x * x
    return arr(autograd.grad(y, x, tensor([[1.0, 0.0], [0.0, 1.0]]), is_grads_batched=True)[0])


@gives(None)
def grad_doesnt_accumulate():
    x = tensor([1.0], True)
    autograd.grad((x * x).sum(), x)
    return x.grad


@gives(([32.0], [48.0], [48.0], True, False))
def create_graph_order3():
    x = tensor([2.0], True)
    y = (x**4).sum()
    (g,) = autograd.grad(y, x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x, create_graph=True)
    (k,) = autograd.grad(h.sum(), x)
    return (arr(g), arr(h), arr(k), g.requires_grad, k.requires_grad)


@gives((True, [2.0]))
def grad_is_same_object():
    x = tensor([2.0], True)
    (x * 1).sum().backward()
    g = x.grad
    (x * 1).sum().backward()
    return (g is x.grad, arr(g))


@gives([3.0])
def grad_none_reset():
    x = tensor([2.0], True)
    (x * 1).sum().backward()
    x.grad = None
    (x * 3).sum().backward()
    return arr(x.grad)


@gives([3.0])
def grad_zero_():
    x = tensor([2.0], True)
    (x * 1).sum().backward()
    x.grad.zero_()
    (x * 3).sum().backward()
    return arr(x.grad)


@raises(TypeError, "assigned grad expected to be a Tensor or None but got grad of type float")
def grad_assign_type():
    x = tensor([2.0], True)
    x.grad = 3.0


@gives(None)
def nonleaf_grad_warn():
    x = tensor([2.0], True)
    y = x * 2
    y.sum().backward()
    return y.grad


@gives(([(True, False), (True, False)], [1.0], None))
def fn_needs():
    x = tensor([3.0], True)
    y = tensor([3.0])
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            seen.append(ctx.needs_input_grad)
            return a * b

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return (g, g)

    F.apply(x, y).sum().backward()
    return (seen, arr(x.grad), y.grad)


@raises(RuntimeError, "function FBackward returned an incorrect number of gradients (expected 2, got 1)")
def fn_wrong_count():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g

    F.apply(tensor([1.0], True), tensor([1.0], True)).sum().backward()


@raises(
    RuntimeError,
    "Function FBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]",
)
def fn_wrong_shape():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 1

        @staticmethod
        def backward(ctx, g):
            return tensor([1.0, 2.0, 3.0])

    F.apply(tensor([1.0, 2.0], True)).sum().backward()


@gives((True, False, [1.0]))
def fn_nondiff():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            b = a * 2
            ctx.mark_non_differentiable(b)
            return (a * 1, b)

        @staticmethod
        def backward(ctx, g, h):
            return g

    x = tensor([1.0], True)
    a, b = F.apply(x)
    a.sum().backward()
    return (a.requires_grad, b.requires_grad, arr(x.grad))


@raises(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
def fn_once():

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
    (g,) = autograd.grad(F.apply(x).sum(), x, create_graph=True)
    return autograd.grad(g.sum(), x)


@gives(([12.0], [4.0]))
def fn_double():
    x = tensor([3.0], True)
    (g,) = autograd.grad(Square.apply(x, 2.0).sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    return (arr(g), arr(h))


@gives([1.0])
def fn_none_grad():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return (a * 1, a * 2)

        @staticmethod
        def backward(ctx, g, h):
            return g if h is None else g + h

    x = tensor([1.0], True)
    a, _b = F.apply(x)
    a.sum().backward()
    return arr(x.grad)


@gives([True])
def fn_set_materialize():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            return (a * 1, a * 2)

        @staticmethod
        def backward(ctx, g, h):
            seen.append(h is None)
            return g

    x = tensor([1.0], True)
    a, _b = F.apply(x)
    a.sum().backward()
    return seen


@gives(([5.0], True))
def fn_mark_dirty():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            a.add_(1)
            ctx.mark_dirty(a)
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 5

    x = tensor([1.0], True)
    y = x * 1
    z = F.apply(y)
    z.sum().backward()
    return (arr(x.grad), z is y)


@gives([6.0])
def fn_setup_context():

    class F(autograd.Function):
        @staticmethod
        def forward(a):
            return a * a

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = tensor([3.0], True)
    F.apply(x).sum().backward()
    return arr(x.grad)


@raises(
    RuntimeError,
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already b",
)
def fn_saved_freed():
    x = tensor([3.0], True)
    y = Square.apply(x, 2.0)
    y.sum().backward()
    return y.grad_fn.saved_tensors


@gives([False, False])
def fn_no_grad_in_forward():
    seen = []

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            seen.append(adc.is_grad_enabled())
            return a * 1

        @staticmethod
        def backward(ctx, g):
            seen.append(adc.is_grad_enabled())
            return g

    x = tensor([1.0], True)
    F.apply(x).sum().backward()
    return seen


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation",
)
def saved_inplace_err():
    x = tensor([1.0], True)
    y = x * 1
    z = Square.apply(y, 1.0)
    y.add_(1)
    z.sum().backward()


@gives((False, True))
def no_grad_dec():

    @adc.no_grad()
    def f(x):
        return x * 2

    x = tensor([1.0], True)
    return (f(x).requires_grad, adc.is_grad_enabled())


@gives((False, True, False))
def enable_in_no():
    x = tensor([1.0], True)
    with adc.no_grad():
        a = (x * 2).requires_grad
        with adc.enable_grad():
            b = (x * 2).requires_grad
        c_ = (x * 2).requires_grad
    return (a, b, c_)


@gives((False, True, False))
def set_grad():
    x = tensor([1.0], True)
    with adc.set_grad_enabled(False):
        a = (x * 2).requires_grad
    b = (x * 2).requires_grad
    adc.set_grad_enabled(False)
    d = (x * 2).requires_grad
    adc.set_grad_enabled(True)
    return (a, b, d)


@raises(
    RuntimeError,
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
)
def deepcopy_nonleaf():
    x = tensor([1.0], True)
    copy.deepcopy(x * 2)


@gives((True, True, [1.0], [2.0]))
def deepcopy_leaf():
    x = tensor([1.0], True)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    return (y.requires_grad, y.is_leaf, arr(y), arr(y.grad))


@gives(([2.0, 0.0, 1.0], [0.0, 1.0, 1.0]))
def index_ops():
    x = tensor([1.0, 2.0, 3.0], True)
    idx = adc.tensor([0, 0, 2])
    y = x[idx]
    y.sum().backward()
    a = arr(x.grad)
    x.grad = None
    x[x.detach() > 1.5].sum().backward()
    return (a, arr(x.grad))


@gives(([2.0, 0.0, 6.0], 10.0))
def setitem_grad():
    x = tensor([1.0, 2.0, 3.0], True)
    y = x * 1
    v = tensor(5.0, True)
    y[1] = v
    (y * y).sum().backward()
    return (arr(x.grad), arr(v.grad))


@gives([2.0, 0.0, 0.0])
def setitem_mask():
    x = tensor([1.0, 2.0, 3.0], True)
    y = x * 1
    y[y.detach() > 1.5] = 0.0
    (y * 2).sum().backward()
    return arr(x.grad)


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation",
)
def inplace_chain():
    x = tensor([2.0], True)
    y = x * 1
    y *= y
    y += x
    y.sum().backward()
    return arr(x.grad)


@raises(
    RuntimeError,
    "one of the variables needed for gradient computation has been modified by an inplace operation",
)
def inplace_saved_err():
    x = tensor([2.0], True)
    y = x.exp()
    y += 1
    y.sum().backward()


@gives(([3.0, 0.0], [3.0]))
def view_of_inplace():
    x = tensor([1.0, 2.0], True)
    y = x * 1
    v = y[:1]
    y.mul_(3)
    v.sum().backward()
    return (arr(x.grad), arr(v))


@gives([3.0, 1.0])
def inplace_view_base():
    x = tensor([1.0, 2.0], True)
    y = x * 1
    y[:1].mul_(3)
    y.sum().backward()
    return arr(x.grad)


@gives((0, 2))
def version():
    x = tensor([1.0])
    a = x._version
    x.add_(1)
    x[0] = 2.0
    return (a, x._version)


@gives((True, False, True, True))
def is_leaf_tab():
    a = tensor([1.0], True)
    b = a.clone()
    d = tensor([1.0]) * 2
    e = (tensor([1.0], True) + 1).detach()
    return (a.is_leaf, b.is_leaf, d.is_leaf, e.is_leaf)


@gives((1.5, 1, True))
def float_ok():
    x = tensor([1.5], False)
    return (float(x), int(x), bool(x))


@gives([[2.0, 0.0], [0.0, 4.0]])
def func_jac():
    return arr(autograd.functional.jacobian(lambda x: x * x, tensor([1.0, 2.0])))


@gives([[[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]], [[1.0, 1.0], [0.0, 0.0]]])
def func_jac2():
    r = autograd.functional.jacobian(lambda x, y: (x * y, x.sum()), (tensor([1.0, 2.0]), tensor([3.0, 4.0])))
    return [[arr(b) for b in a] for a in r]


@gives([[6.0, 0.0], [0.0, 12.0]])
def func_hess():
    return arr(autograd.functional.hessian(lambda x: (x**3).sum(), tensor([1.0, 2.0])))


@gives(([1.0, 4.0], [2.0, 4.0]))
def func_vjp():
    a, b = autograd.functional.vjp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 1.0]))
    return (arr(a), arr(b))


@gives(([1.0, 4.0], [2.0, 4.0]))
def func_jvp():
    a, b = autograd.functional.jvp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 1.0]))
    return (arr(a), arr(b))


@gives((9.0, [6.0, 12.0]))
def func_vhp():
    a, b = autograd.functional.vhp(lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 1.0]))
    return (arr(a), arr(b))


@raises(RuntimeError, "The Tensor returned by the function given to hessian should contain a single element")
def func_nonscalar_hess():
    return autograd.functional.hessian(lambda x: x, tensor([1.0, 2.0]))


@gives(False)
def gradchk_fail():

    class F(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    return autograd.gradcheck(F.apply, (tensor([0.5, 1.0], True),), raise_exception=False)


@gives(True)
def gradgrad():
    return autograd.gradgradcheck(lambda x: np.sin(x) * x, (tensor([0.5, 1.0], True),))


@gives([[1.0]])
def node_prehook():
    x = tensor([2.0], True)
    y = x * 3
    out = []
    y.grad_fn.register_prehook(lambda g: out.append(arr(g[0])))
    y.sum().backward()
    return out


@gives([([3.0], [1.0])])
def node_hook():
    x = tensor([2.0], True)
    y = x * 3
    out = []
    y.grad_fn.register_hook(lambda gi, go: out.append((arr(gi[0]), arr(go[0]))))
    y.sum().backward()
    return out


@gives([[2.0], [4.0]])
def post_acc():
    x = tensor([2.0], True)
    out = []
    x.register_post_accumulate_grad_hook(lambda t: out.append(arr(t.grad)))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    return out


@gives([[[2.0], [2.0]]])
def multi_grad_hook():
    x = tensor([2.0], True)
    y = tensor([2.0], True)
    out = []
    autograd.graph.register_multi_grad_hook((x, y), lambda gs: out.append([arr(g) for g in gs]))
    (x * y).sum().backward()
    return out


@gives([1.0, 1.0])
def shared_storage_grad():
    x = tensor([1.0, 2.0], True)
    y = tensor([1.0, 2.0], True)
    (x + y).sum().backward()
    x.grad.add_(1)
    return arr(y.grad)


@gives((3.0, 6.0, True))
def scalar_mixed():
    x = adc.tensor(2.0, requires_grad=True)
    y = 3 * x
    y.backward()
    return (arr(x.grad), y.item(), str(x.shape) in ("()", "torch.Size([])"))


@gives([[0.0, 1.0], [1.0, 0.0]])
def max_dim():
    x = tensor([[1.0, 5.0], [7.0, 2.0]], True)
    m = x.max(1)
    m.sum().backward()
    return arr(x.grad)


@gives((None, 0))
def set_default_hooks():
    x = tensor([1.0], True)
    return (x.grad_fn, x.output_nr)


@raises(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
def backward_no_reqgrad_msg():
    autograd.backward([tensor([1.0]).sum()])


@gives([5.0])
def ag_backward_two():
    x = tensor([1.0], True)
    autograd.backward([(x * 2).sum(), (x * 3).sum()])
    return arr(x.grad)


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
