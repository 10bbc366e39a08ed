"""Products and Jacobians, strict ones too, as in PyTorch's own tests, with what PyTorch 2.13 answers."""

from __future__ import annotations

import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(((4.0, [[1.0, 1.0], [1.0, 1.0]]), ([2.0, 2.0], [[1.0, 2.0], [1.0, 2.0]])))
def vjp_scalar():
    return autograd.functional.vjp(lambda x: x.sum(), ones(2, 2)), autograd.functional.vjp(
        lambda x: x.sum(0), ones(2, 2), tensor([1.0, 2.0])
    )


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "The output of the user-provided function is independent of input 0. This is not allowed in",
        ),
        (
            "RuntimeError",
            "The jacobian of the user-provided function is independent of input 0. This is not allowed ",
        ),
    ]
)
def vjp_strict():
    x = ones(2)
    return [
        error_of(lambda: autograd.functional.vjp(lambda x: ones(2), x, ones(2), strict=True)),
        error_of(lambda: autograd.functional.vjp(lambda x: x.detach(), x, ones(2), strict=True)),
        error_of(
            lambda: autograd.functional.vjp(lambda x: ones(2).requires_grad_() * 2, x, ones(2), strict=True)
        ),
        error_of(
            lambda: autograd.functional.vjp(lambda x: x.clone(), x, ones(2), create_graph=True, strict=True)
        ),
    ]


@gives(([1.0, 1.0], [0.0, 0.0]))
def vjp_no_strict():
    x = ones(2)
    return autograd.functional.vjp(lambda x: ones(2), x, ones(2), strict=False)


@gives((([5.0, 5.0], 2.0), ([5.0, 7.0], [3.0, 6.0])))
def vjp_multi():
    return autograd.functional.vjp(
        lambda x, y: (2 * x + 3 * y, x.sum()), (ones(2), ones(2)), (tensor([1.0, 2.0]), tensor(3.0))
    )


@gives((True, [6.0, 12.0]))
def vjp_create():
    x = tensor([1.0, 2.0], True)
    o, g = autograd.functional.vjp(lambda x: x**3, x, ones(2), create_graph=True)
    g.sum().backward()
    return o.requires_grad, x.grad


@gives(((9.0, 9.0), (([3.0, 8.0], [7.0, 10.0]), ([4.0, 6.0], [3.0, 3.0]))))
def jvp_basic():
    return autograd.functional.jvp(
        lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 0.5])
    ), autograd.functional.jvp(
        lambda x, y: (x * y, x + 2 * y), (tensor([1.0, 2.0]), tensor([3.0, 4.0])), (ones(2), ones(2))
    )


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "The output of the user-provided function is independent of input 0. This is not allowed in",
        ),
        (
            "RuntimeError",
            "The jacobian of the user-provided function is independent of input 0. This is not allowed ",
        ),
    ]
)
def jvp_strict():
    x = ones(2)
    return [
        error_of(lambda: autograd.functional.jvp(lambda x: ones(2), x, ones(2), strict=True)),
        error_of(
            lambda: autograd.functional.jvp(lambda x: ones(2).requires_grad_() * 2, x, ones(2), strict=True)
        ),
        error_of(
            lambda: autograd.functional.jvp(lambda x: x.clone(), x, ones(2), create_graph=True, strict=True)
        ),
    ]


@gives((True, [6.0, 12.0], [3.0, 12.0]))
def jvp_create():
    x = tensor([1.0, 2.0], True)
    v = tensor([1.0, 1.0], True)
    _o, g = autograd.functional.jvp(lambda x: x**3, x, v, create_graph=True)
    g.sum().backward()
    return g.requires_grad, x.grad, v.grad


@gives(
    (
        [[1.0, 1.0], [1.0, 1.0]],
        [[[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]],
        (([[2.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]]), ([1.0, 1.0], [1.0, 1.0])),
    )
)
def jac_shapes():
    r = (
        autograd.functional.jacobian(lambda x: x.sum(), ones(2, 2)),
        autograd.functional.jacobian(lambda x: x.sum(1), ones(2, 3)),
        autograd.functional.jacobian(lambda x, y: (x * y, (x + y).sum()), (ones(2), tensor([2.0, 3.0]))),
    )
    return r


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function is independent of input 0. This is not allowed in s",
        ),
        (
            "RuntimeError",
            "The jacobian of the user-provided function is independent of input 0. This is not allowed ",
        ),
    ]
)
def jac_strict():
    x = ones(2)
    return [
        error_of(lambda: autograd.functional.jacobian(lambda x: ones(2), x, strict=True)),
        error_of(lambda: autograd.functional.jacobian(lambda x: x.detach(), x, strict=True)),
        error_of(
            lambda: autograd.functional.jacobian(lambda x: ones(2).requires_grad_() * 2, x, strict=True)
        ),
        error_of(
            lambda: autograd.functional.jacobian(lambda x: x.clone(), x, create_graph=True, strict=True)
        ),
    ]


@gives(
    ([[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]], [[0.0, 0.0], [0.0, 0.0]])
)
def jac_no_strict():
    return autograd.functional.jacobian(lambda x: ones(2, 3), ones(2)), autograd.functional.jacobian(
        lambda x: x.detach(), ones(2)
    )


@gives(([[2.0, 0.0], [0.0, 2.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
def jac_unused():
    return autograd.functional.jacobian(lambda x, y: x * 2, (ones(2), ones(3)))


@gives(
    (
        (([[2.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]]), ([1.0, 1.0], [0.0, 0.0])),
        [[2.0, 0.0], [0.0, 2.0]],
    )
)
def jac_vec():
    return autograd.functional.jacobian(
        lambda x, y: (x * y, x.sum()), (ones(2), tensor([2.0, 3.0])), vectorize=True
    ), autograd.functional.jacobian(lambda x: x * 2, ones(2), vectorize=True, strategy="forward-mode")


@gives((True, [6.0, 12.0]))
def jac_create():
    x = tensor([1.0, 2.0], True)
    j = autograd.functional.jacobian(lambda x: x**3, x, create_graph=True)
    j.sum().backward()
    return j.requires_grad, x.grad


@gives(
    (
        [
            [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 12.0], [0.0, 0.0]]],
            [[[0.0, 0.0], [18.0, 0.0]], [[0.0, 0.0], [0.0, 24.0]]],
        ],
        (
            ([[18.0, 24.0], [24.0, 32.0]], [[28.0, 12.0], [8.0, 38.0]]),
            ([[28.0, 8.0], [12.0, 38.0]], [[2.0, 4.0], [4.0, 8.0]]),
        ),
    )
)
def hess():
    return autograd.functional.hessian(
        lambda x: (x**3).sum(), tensor([[1.0, 2.0], [3.0, 4.0]])
    ), autograd.functional.hessian(lambda x, y: (x * y).sum() ** 2, (tensor([1.0, 2.0]), tensor([3.0, 4.0])))


@gives(
    (
        ([[2.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]),
        ([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    )
)
def hess_unused():
    return autograd.functional.hessian(lambda x, y: (x**2).sum(), (ones(2), ones(2)))


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        [[0.0, 0.0], [0.0, 0.0]],
    ]
)
def hess_strict():
    x = ones(2)
    return [
        error_of(lambda: autograd.functional.hessian(lambda x: ones(1).sum(), x, strict=True)),
        error_of(lambda: autograd.functional.hessian(lambda x: x.detach().sum(), x, strict=True)),
        error_of(lambda: autograd.functional.hessian(lambda x: (3 * x).sum(), x, strict=True)),
        autograd.functional.hessian(lambda x: (3 * x).sum(), x),
    ]


@gives(([[6.0, 0.0], [0.0, 12.0]], [[6.0, 0.0], [0.0, 12.0]]))
def hess_vec():
    return autograd.functional.hessian(
        lambda x: (x**3).sum(), tensor([1.0, 2.0]), vectorize=True
    ), autograd.functional.hessian(
        lambda x: (x**3).sum(), tensor([1.0, 2.0]), vectorize=True, outer_jacobian_strategy="forward-mode"
    )


@gives(((19.0, ([8.0, 4.0], [2.0, 4.0])), (19.0, ([8.0, 4.0], [2.0, 4.0]))))
def vhp_hvp():
    f = lambda x, y: (x**2 * y).sum()
    a = (tensor([1.0, 2.0]), tensor([3.0, 4.0]))
    v = (ones(2), tensor([1.0, -1.0]))
    return autograd.functional.vhp(f, a, v), autograd.functional.hvp(f, a, v)


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
    ]
)
def vhp_strict():
    x = ones(2)
    return [
        error_of(lambda: autograd.functional.vhp(lambda x: ones(1).sum(), x, x, strict=True)),
        error_of(lambda: autograd.functional.hvp(lambda x: (3 * x).sum(), x, x, strict=True)),
        error_of(lambda: autograd.functional.vhp(lambda x: x.detach().sum(), x, x, strict=True)),
    ]


@gives(((8.0, 12.0), (8.0, 12.0)))
def vhp_scalar():
    return autograd.functional.vhp(lambda x: x**3, tensor(2.0), None) if False else autograd.functional.vhp(
        lambda x: x**3, tensor(2.0)
    ), autograd.functional.hvp(lambda x: x**3, tensor(2.0))


@gives((True, True, [24.0, 48.0]))
def vhp_create():
    x = tensor([1.0, 2.0], True)
    o, h = autograd.functional.vhp(lambda x: (x**4).sum(), x, ones(2), create_graph=True)
    h.sum().backward()
    return o.requires_grad, h.requires_grad, x.grad


@gives((None, True))
def func_inputs_grad_untouched():
    x = tensor([1.0, 2.0], True)
    autograd.functional.jacobian(lambda x: x**2, x)
    autograd.functional.hessian(lambda x: (x**2).sum(), x)
    return x.grad, x.requires_grad


@gives((False, False))
def func_output_detached():
    x = tensor([1.0, 2.0], True)
    return autograd.functional.jacobian(lambda x: x**2, x).requires_grad, autograd.functional.vjp(
        lambda x: x**2, x, ones(2)
    )[0].requires_grad


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
