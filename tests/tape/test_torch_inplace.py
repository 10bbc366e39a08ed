"""Writes into Tensors and their views as in PyTorch's own tests, with what PyTorch 2.13 answers."""

from __future__ import annotations

import pytest
from tests.tape.torch_programs import Answers, error_of, itensor, ones, tensor, zeros

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives([[8.0, 16.0], [6.0, 8.0]])
def iov_backprop_base():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    v1 = x[0]
    v1.mul_(2)
    (x * x).sum().backward()
    return r.grad


@gives([[2.0, 2.0], [0.0, 0.0]])
def iov_backprop_view_of_view():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    v1 = x[0]
    v2 = x[0]
    v1.mul_(2)
    v2.sum().backward()
    return r.grad


@gives([[4.0, 8.0], [1.0, 1.0]])
def iov_of_view():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    v1 = x[0]
    v2 = v1[1:]
    v2.mul_(2)
    (v1.sum() * 3 + x.sum()).backward()
    return r.grad


@gives(([[7.0], [1.0], [1.0]], [[2.0], [2.0], [2.0]]))
def iov_then_no_grad():
    a = ones(3, 1, requires_grad=True)
    b = a.clone()
    c = b.view(3, 1)
    with adc.no_grad():
        b[0] = 7.0
    (c * 2).sum().backward()
    return c, a.grad


@gives((True, [[2.0], [1.0]], [[2.0], [2.0]]))
def iov_python():
    a = tensor([[1.0], [2.0]], True)
    b = a * 1

    class P(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            x.mul_(2)
            ctx.mark_dirty(x)
            ctx.save_for_backward(y)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    v = b[0:1]
    o = P.apply(v, tensor([1.0]))
    b.sum().backward()
    return o is v, a.grad, b


@gives((True, True, [[1.0, 1.0]]))
def iov_makes_base_require_grad():
    r = tensor([[1.0, 2.0]], True)
    x = zeros(2, 2)
    v = x[0:1]
    v.mul_(r) if False else v.add_(r)
    y = x.sum()
    y.backward()
    return x.requires_grad, v.requires_grad, r.grad


@gives((True, [6.0]))
def iov_modify_base():
    r = ones(1, requires_grad=True)
    x = ones(5)
    v = x[0:2]
    x.add_(r)
    (v * 3).sum().backward()
    return v.requires_grad, r.grad


@gives(
    (
        (
            "RuntimeError",
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ),
        (
            "RuntimeError",
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ),
    )
)
def leaf_view_noaccess():
    x = tensor([1.0, 2.0], True)
    return error_of(lambda: x[0:1].mul_(2)), error_of(lambda: x.view(2, 1).add_(1))


@gives([[50.0, 4.0], [6.0, 200.0]])
def diag_inplace():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    d = x.diagonal()
    d.mul_(5)
    (x * x).sum().backward()
    return r.grad


@gives([[8.0, 4.0], [22.0, 22.0]])
def transpose_inplace():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    x.t()[0].add_(x[1])
    (x**2).sum().backward()
    return r.grad


@gives(([[3.0, 0.0], [5.0, 1.0]], [[3.0, 0.0], [15.0, 4.0]], [3.0, 3.0]))
def elements_are_windows():
    r = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    x = r.clone()
    x[0, 1].zero_()
    for row, factor in zip(x, (3.0, 5.0), strict=True):
        row[0].mul_(factor)
    x.sum().backward()
    y = tensor([1.0, 1.0])
    y[0].fill_(2.0).add_(1)
    y.unbind()[1].copy_(y[0])
    return r.grad, x.detach(), y


@gives(([24.0, 42.0], [4.0, 7.0]))
def squeeze_unsq():
    r = tensor([1.0, 2.0], True)
    x = r.clone()
    u = x.unsqueeze(0)
    u.mul_(3)
    s = u.squeeze(0)
    s.add_(1)
    (x * x).sum().backward()
    return r.grad, x


@gives([2.0, 100.0, 150.0, 8.0])
def narrow_write():
    r = tensor([1.0, 2.0, 3.0, 4.0], True)
    x = r.clone()
    x.narrow(0, 1, 2).mul_(5)
    (x * x).sum().backward()
    return r.grad


@gives(([4.0, 8.0], True))
def copy_():
    a = tensor([1.0, 2.0], True)
    b = zeros(2)
    b.copy_(a)
    (b * b).sum().backward()
    c = zeros(2, 2)
    c[0].copy_(a)
    (c * c).sum().backward()
    return a.grad, b.requires_grad


@gives((True, "none"))
def fill_():
    a = tensor([1.0, 2.0], True).clone()
    a.fill_(3.0)
    return a.requires_grad, error_of(lambda: a.sum().backward())


@gives([2.0, 0.0, 0.0])
def masked_fill_():
    r = tensor([1.0, 2.0, 3.0], True)
    x = r.clone()
    x.masked_fill_(x > 1.5, 0.0)
    (x * x).sum().backward()
    return r.grad


@gives(([26.0, 4.0, 6.0], [26.0, 26.0]))
def index_put_():
    r = tensor([1.0, 2.0, 3.0], True)
    v = tensor([5.0, 7.0], True)
    x = r.clone()
    x.index_put_((itensor([0, 0]),), v, accumulate=True)
    (x * x).sum().backward()
    return r.grad, v.grad


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
