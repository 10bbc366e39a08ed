"""`autograd.functional` and the checks, as in PyTorch's own tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


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
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
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
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
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
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
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
            "Output 0 of the user-provided function does not require gradients. The outputs must be com",
        ),
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]
)
def strict():
    f = autograd.functional
    x = ones(3)
    det = lambda a: a.detach()
    ind = lambda a: ones(3) * 2
    out = []
    for g in (det, ind):
        out.append(error_of(lambda: f.vjp(g, x, x, strict=True)))
        out.append(error_of(lambda: f.jvp(g, x, x, strict=True)))
        out.append(error_of(lambda: f.jacobian(g, x, strict=True)))
        out.append(f.vjp(g, x, x)[1])
        out.append(f.jvp(g, x, x)[1])
        out.append(f.jacobian(g, x))
    gs = lambda a: a.detach().sum()
    gi = lambda a: ones(1) * 2
    gl = lambda a: (3 * a).sum()
    for g in (gs, gi, gl):
        for m in ("hessian",):
            out.append(error_of(lambda: getattr(f, m)(g, x, strict=True)))
        for m in ("vhp", "hvp"):
            out.append(error_of(lambda: getattr(f, m)(g, x, x, strict=True)))
        out.append(f.hessian(g, x))
        out.append(f.vhp(g, x, x)[1])
        out.append(f.hvp(g, x, x)[1])
    return out


@gives(
    [
        (
            "RuntimeError",
            "Output 0 of the user-provided function is independent of input 1. This is not allowed in s",
        ),
        ([[2.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]),
        (
            "RuntimeError",
            "The output of the user-provided function is independent of input 1. This is not allowed in",
        ),
        (
            "RuntimeError",
            "While computing the hessian, found that the jacobian of the user-provided function with re",
        ),
        (
            "RuntimeError",
            "Output 0 of the user-provided function is independent of input 0. This is not allowed in s",
        ),
        (
            "RuntimeError",
            "The output of the user-provided function is independent of input 1. This is not allowed in",
        ),
    ]
)
def strict2():
    f = autograd.functional
    x = ones(2)
    y = ones(2)
    return [
        error_of(lambda: f.jacobian(lambda a, b: a * 2, (x, y), strict=True)),
        f.jacobian(lambda a, b: a * 2, (x, y)),
        error_of(lambda: f.vjp(lambda a, b: a * 2, (x, y), x, strict=True)),
        error_of(lambda: f.hessian(lambda a, b: (a * a).sum() + b.sum(), (x, y), strict=True)),
        error_of(lambda: f.hessian(lambda a, b: (a * b).sum(), (x, y), strict=True)),
        error_of(lambda: f.jvp(lambda a, b: a * 2, (x, y), (x, y), strict=True)),
    ]


@gives(
    (
        True,
        [[3.0, 0.0], [0.0, 12.0]],
        [6.0, 12.0],
        [[6.0, 0.0], [0.0, 12.0]],
        [6.0, 6.0],
        True,
        [3.0, 12.0],
        [6.0, 12.0],
        [3.0, 12.0],
        [6.0, 12.0],
        True,
        [6.0, 12.0],
        [6.0, 6.0],
        [6.0, 6.0],
    )
)
def func_create_graph():
    f = autograd.functional
    x = tensor([1.0, 2.0], True)
    j = f.jacobian(lambda a: a**3, x, create_graph=True)
    a = j.requires_grad
    (g,) = autograd.grad(j.sum(), x)
    h = f.hessian(lambda a: (a**3).sum(), x, create_graph=True)
    (hg,) = autograd.grad(h.sum(), x)
    o, v = f.vjp(lambda a: a**3, x, ones(2), create_graph=True)
    (vg,) = autograd.grad(v.sum(), x)
    _, v2 = f.jvp(lambda a: a**3, x, ones(2), create_graph=True)
    (v2g,) = autograd.grad(v2.sum(), x)
    o3, v3 = f.vhp(lambda a: (a**3).sum(), x, ones(2), create_graph=True)
    (v3g,) = autograd.grad(v3.sum(), x)
    _, v4 = f.hvp(lambda a: (a**3).sum(), x, ones(2), create_graph=True)
    (v4g,) = autograd.grad(v4.sum(), x)
    return a, j, g, h, hg, o.requires_grad, v, vg, v2, v2g, o3.requires_grad, v3, v3g, v4g


@gives(([False, False, False, False], None))
def func_no_create():
    f = autograd.functional
    x = tensor([1.0, 2.0], True)
    return [
        t.requires_grad
        for t in (
            f.jacobian(lambda a: a**3, x),
            f.vjp(lambda a: a**3, x, ones(2))[0],
            f.vjp(lambda a: a**3, x, ones(2))[1],
            f.jvp(lambda a: a**3, x, ones(2))[0],
        )
    ], x.grad


@gives((([3.0, 12.0],), ([3.0, 12.0],)))
def func_vec_grad():
    f = autograd.functional
    x = tensor([1.0, 2.0], True)
    v = tensor([3.0, 4.0], True)
    _, r = f.jvp(lambda a: a**3, x, v, create_graph=True)
    a = autograd.grad(r.sum(), v, retain_graph=True)
    _, r = f.vjp(lambda a: a**3, x, v, create_graph=True)
    b = autograd.grad(r.sum(), v)
    return a, b


@gives(
    (
        (
            ([[3.0, 3.0], [4.0, 4.0], [5.0, 5.0]], [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]),
            ([[12.0, 0.0], [0.0, 12.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]),
            ([12.0, 12.0], [3.0, 3.0, 3.0]),
        ),
        (([9.0, 12.0, 15.0], [12.0, 24.0], 36.0), ([36.0, 36.0], [9.0, 9.0, 9.0])),
        (([9.0, 12.0, 15.0], [12.0, 24.0], 36.0), ([18.0, 24.0, 30.0], [24.0, 48.0], 72.0)),
        (
            ([[100.0, 0.0], [0.0, 100.0]], [[12.0, 16.0, 20.0], [24.0, 32.0, 40.0]]),
            (
                [[12.0, 24.0], [16.0, 32.0], [20.0, 40.0]],
                [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]],
            ),
        ),
        (250.0, ([300.0, 600.0], [90.0, 120.0, 150.0])),
        (250.0, ([300.0, 600.0], [90.0, 120.0, 150.0])),
    )
)
def func_multi():
    f = autograd.functional
    x = tensor([1.0, 2.0])
    y = tensor([3.0, 4.0, 5.0])

    def g(a, b):
        return a.sum() * b, b.sum() * a, (a.sum() * b.sum())

    h = lambda a, b: (a**2).sum() * (b**2).sum()
    return (
        f.jacobian(g, (x, y)),
        f.vjp(g, (x, y), (ones(3), ones(2), ones(()))),
        f.jvp(g, (x, y), (x, y)),
        f.hessian(h, (x, y)),
        f.vhp(h, (x, y), (x, y)),
        f.hvp(h, (x, y), (x, y)),
    )


@gives((12.0, 12.0, (8.0, 12.0), (8.0, 12.0), (8.0, 12.0), (8.0, 12.0), [1.0, 1.0], [1.0, 1.0, 1.0]))
def func_scalar():
    f = autograd.functional
    x = tensor(2.0)
    return (
        f.jacobian(lambda a: a**3, x),
        f.hessian(lambda a: a**3, x),
        f.vjp(lambda a: a**3, x),
        f.jvp(lambda a: a**3, x),
        f.hvp(lambda a: a**3, x),
        f.vhp(lambda a: a**3, x),
        f.jacobian(lambda a: a.sum(), ones(2)),
        f.jacobian(lambda a: a.expand(3), x),
    )


@gives(
    (
        [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]],
        [[6.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 18.0]],
        ([1.0, 4.0, 9.0], [2.0, 8.0, 18.0]),
        ([1.0, 4.0, 9.0], [2.0, 8.0, 18.0]),
        (36.0, [6.0, 24.0, 54.0]),
        (36.0, [6.0, 24.0, 54.0]),
    )
)
def func_nograd():
    f = autograd.functional
    x = tensor([1.0, 2.0, 3.0])
    with adc.no_grad():
        r = (
            f.jacobian(lambda a: a**2, x),
            f.hessian(lambda a: (a**3).sum(), x),
            f.vjp(lambda a: a**2, x, x),
            f.jvp(lambda a: a**2, x, x),
            f.hvp(lambda a: (a**3).sum(), x, x),
            f.vhp(lambda a: (a**3).sum(), x, x),
        )
    return r


@gives(
    (
        "TypeError",
        "The inputs given to jacobian must be either a Tensor or a tuple of Tensors but the given i",
    )
)
def func_list_inputs():
    f = autograd.functional
    return error_of(lambda: f.jacobian(lambda a: a**2, [ones(2)]))


@gives(
    (
        ("GradcheckError", "Jacobian mismatch for output 0 with respect to input 0,\nnume", True),
        False,
        True,
        True,
        (
            "ValueError",
            "gradcheck expects at least one input tensor to require gradient, but none of them have req",
        ),
    )
)
def gradcheck_err():
    gc_ = autograd.gradcheck

    class B(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = ones(2, requires_grad=True)
    try:
        gc_(B.apply, (x,))
        e = None
    except Exception as ex:
        e = type(ex).__name__, str(ex)[:60], isinstance(ex, RuntimeError)
    return (
        e,
        gc_(B.apply, (x,), raise_exception=False),
        gc_(lambda x: x * x, (x,), fast_mode=True),
        gc_(lambda x: x * x, x),
        error_of(lambda: gc_(lambda x: x * 2, (ones(2),))),
    )


@gives(True)
def gradcheck_check_undefined():
    class B(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return autograd.gradcheck(
        B.apply, (ones(2, requires_grad=True),), check_undefined_grad=True, check_batched_grad=False
    )


@gives((True, True, True, True))
def gradcheck_kwargs():
    x = tensor([0.5, 0.25], True)
    return (
        autograd.gradcheck(lambda x: x.exp(), (x,), eps=1e-6, atol=1e-5, rtol=1e-3, check_grad_dtypes=True),
        autograd.gradgradcheck(lambda x: x.exp(), (x,), gen_non_contig_grad_outputs=True),
        autograd.gradgradcheck(lambda x: x.exp(), (x,), fast_mode=True, nondet_tol=0.1),
        autograd.gradgradcheck(lambda x, y: x.exp() * y, (x, x), (ones(2),)),
    )


@gives(True)
def gradcheck_multi():
    x = tensor([0.5], True)
    y = tensor([0.7, 0.2], True)
    return autograd.gradcheck(lambda x, y, k: (x * y, y.sum() * k), (x, y, 3.0))


@gives(("none", True))
def gradcheck_dtype():
    x = tensor([0.5], True, dtype=np.float32)

    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        r = error_of(lambda: autograd.gradcheck(lambda x: x * 1, (x,), atol=1e-1))
    return r, any("double precision" in str(v.message) for v in w)


@gives(None)
def gradcheck_mutates():
    x = tensor([0.5], True)
    autograd.gradcheck(lambda x: x * 2, (x,))
    return x.grad


@gives((True, True, True, True))
def gradcheck_complex():
    z = tensor([1 + 2j, 0.5 - 1j], True, dtype=np.complex128)
    return (
        autograd.gradcheck(lambda z: (z * z).real, (z,)),
        autograd.gradcheck(lambda z: z * z, (z,)),
        autograd.gradcheck(lambda z: np.exp(z), (z,)),
        autograd.gradgradcheck(lambda z: z * z * z, (z,)),
    )


@gives((True, True))
def gradcheck_noncontig():
    x = tensor([[1.0, 2.0], [3.0, 4.0]], True)
    return autograd.gradcheck(lambda x: x.t() * 2, (x,)), autograd.gradcheck(lambda x: x.sum(0)[:1] * x, (x,))


@gives((True, [("GradcheckError", "Jacobian mismatch for output 0 with respect to input 0,")], [1.0, 2.0]))
def gradcheck_moves_the_inputs_themselves():
    def hooked(x):
        y = x * 1
        y.register_hook(lambda g: g + 1e-2)
        return y

    x = tensor([1.0, 2.0], True)
    return autograd.gradcheck(lambda y: x * x, (x,)), [error_of(lambda: autograd.gradcheck(hooked, (x,)))], x


@raises(RuntimeError, "grad can be implicitly created only for real scalar outputs but got")
def jacobian_of_a_complex_output():
    autograd.functional.jacobian(lambda x: x * (1.0 + 2.0j), tensor([1.0, 2.0]))


@raises(
    AssertionError,
    "Expected `func` to return outputs with the same shape when inputs are perturbed on index (0,)",
)
def gradcheck_of_an_output_that_grows():
    autograd.gradcheck(lambda x: np.concatenate([x, x]) if x[0] >= 1 else x * 1, (tensor([1.0], True),))


@raises(
    AssertionError,
    "Expected `func` to return outputs with the same dtype when inputs are perturbed on index (0,)",
)
def gradcheck_of_an_output_of_two_dtypes():
    autograd.gradcheck(lambda x: x.float() if x[0] >= 1 else x * 1, (tensor([1.0], True),))


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
