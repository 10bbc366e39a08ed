"""Views and in-place writes, as in PyTorch's own tests."""

from __future__ import annotations

import gc
import pickle
import weakref

import pytest
from tests.tape.torch_programs import Answers, error_of, itensor, ones, tensor, zeros

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(([[2.0, 400.0], [600.0, 8.0]], [[1.0, 20.0], [30.0, 4.0]]))
def view_of_view():
    x = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    y = x * 1
    v = y.view(4)[1:3]
    v.mul_(10)
    (y * y).sum().backward()
    return x.grad, y


@gives(("SliceBackward", True, [2.0, 4.0]))
def view_grad_fn():
    x = tensor([1.0, 2.0, 3.0], True)
    y = x * 1
    v = y[:2]
    n1 = v.grad_fn.name().rstrip("0")
    y.mul_(2)
    v2 = v.grad_fn is not None
    return n1, v2, v


@gives((True, True, True, False, False))
def view_base():
    x = ones(3)
    v = x[:2]
    return v._base is x, x._base is None, v._is_view(), x._is_view(), v.clone()._is_view()


@gives(((True, True, False), [1.0, 1.0]))
def view_requires_grad_after():
    base = ones(3)
    v = base[:2]
    w = ones(2, requires_grad=True)
    v.mul_(w)
    f = base.requires_grad, v.requires_grad, v.is_leaf
    base.sum().backward()
    return f, w.grad


@gives(("none", True))
def view_leaf_rg_inplace_base():
    base = ones(3)
    v = base[:2]
    v.requires_grad_()
    return error_of(lambda: base.add_(1)), v.is_leaf


@gives(([2.0, 2.0], [1.0, 1.0, 0.0]))
def leaf_base_view_nograd():
    x = ones(3, requires_grad=True)
    v = x[:2]
    with adc.no_grad():
        x.mul_(2)
    v.sum().backward()
    return v, x.grad


def view_without_a_record(mode=adc.no_grad):
    y = ones(3, requires_grad=True) * 2
    with mode():
        v = y[:2]
    return y, v


IN_NO_GRAD = (
    "RuntimeError",
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. G",
)
IN_INFERENCE = (
    "RuntimeError",
    "A view was created in inference mode and is being modified inplace in normal mode. Given t",
)


@gives((IN_NO_GRAD, IN_NO_GRAD, IN_INFERENCE, "none"))
def view_without_a_record_is_not_written():
    _, v = view_without_a_record()
    _, of_view = view_without_a_record()
    _, in_inference = view_without_a_record(adc.inference_mode)
    base = ones(3)
    with adc.no_grad():
        of_constant = base[:2]
    return (
        error_of(lambda: v.mul_(3)),
        error_of(lambda: of_view[:1].zero_()),
        error_of(lambda: in_inference.mul_(3)),
        error_of(lambda: of_constant.mul_(3)),
    )


@gives([2.0, 2.0, 2.0])
def view_without_a_record_written_without_one():
    x = ones(3, requires_grad=True)
    y = x * 2
    with adc.no_grad():
        v = y[:2]
        v.mul_(3)
    y.sum().backward()
    return x.grad


@gives(([0.0, 0.0, 0.0], [2.0, 2.0, 2.0]))
def inplace_on_detached():
    x = ones(3, requires_grad=True)
    y = x * 2
    d = y.detach()
    d.zero_()
    y.sum().backward()
    return y, x.grad


@gives((True, True, True, True, True))
def inplace_returns_self():
    x = ones(3)
    return x.add_(1) is x, x.mul_(2) is x, x.zero_() is x, x.fill_(3.0) is x, x.copy_(ones(3)) is x


@gives(([2.0, 4.0], [2.0, 2.0]))
def iadd_self():
    x = tensor([1.0, 2.0], True)
    y = x * 1
    y += y
    y.sum().backward()
    return y, x.grad


@gives(([[8.0, 14.0, 5.0], [5.0, 8.0, 1.0]], [[2.0, 0.0, 0.0], [42.0, 10.0, 0.0]]))
def setitem_variants():
    x = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], True)
    y = x * 1
    y[0] = 7.0
    y[:, 1] = y[:, 0] * 2
    y[1, 2] = x[0, 0]
    y[..., 0] += 1
    y[y > 100] = 0.0
    y[itensor([0]), itensor([2])] = x[1, 1]
    (y * y).sum().backward()
    return y, x.grad


@gives([2.0, 2.0, 2.0])
def setitem_broadcast():
    x = ones(2, 3, requires_grad=True) * 1
    v = tensor([1.0, 2.0, 3.0], True)
    x[:] = v
    x.sum().backward()
    return v.grad


@gives((3.0, True, False))
def setitem_tensor_nonreq():
    y = zeros(3)
    v = tensor(2.0, True)
    y[1] = v
    (y * 3).sum().backward()
    return v.grad, y.requires_grad, y.is_leaf


@gives(((1, 2), [2.0, 2.0]))
def index_none():
    x = tensor([1.0, 2.0], True)
    (x[None, :, None] * 2).sum().backward()
    return x[None].shape, x.grad


@gives([4.0, 4.0, 4.0])
def no_error_inplace_unneeded():
    x = ones(3, requires_grad=True)
    y = x * 2
    z = y + 1
    y.add_(5)
    (z + y).sum().backward()
    return x.grad


@gives((True, True, False))
def detach_view():
    x = ones(3, requires_grad=True)
    d = x.detach()
    return d.is_leaf, d._base is None, d.requires_grad


@gives(([3.0, 3.0], None))
def detach_then_rg():
    x = ones(2, requires_grad=True)
    y = (x * 2).detach().requires_grad_()
    (y * 3).sum().backward()
    return y.grad, x.grad


@gives(([1.0, 2.0], True, True))
def pickled():
    x = tensor([1.0, 2.0], True)
    y = pickle.loads(pickle.dumps(x))
    return y, y.requires_grad, y.is_leaf


@gives(True)
def freed():
    x = ones(2, requires_grad=True)
    y = x * 2
    w = weakref.ref(y)
    _z = y * 3
    del y
    return w() is None


@gives(True)
def cycle_free():
    class Fn(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            r = x * 2
            ctx.save_for_backward(r)
            return r

        @staticmethod
        def backward(ctx, g):
            return g

    gc.collect()
    gc.disable()
    x = ones(2, requires_grad=True)
    y = Fn.apply(x)
    w = weakref.ref(y)
    del y
    r = w() is None
    gc.enable()
    return r


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
