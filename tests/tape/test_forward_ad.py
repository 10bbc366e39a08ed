"""Dual Tensors: tangents of everything that has a pull, of gradients, and through a Function's own `jvp`."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc import autograd, tape
from adc.tape.forward_ad import dual_level, enter_dual_level, exit_dual_level, make_dual, unpack_dual

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7], [0.2, 0.9, 1.1]])
V = np.array([[1.0, 0.5, -2.0], [0.0, 0.7, 0.1], [-0.3, 0.0, 1.0]])


def in_place(x):
    y = x * 1.0
    y[1:] *= x[:-1]
    y += 1.0
    y[0, 0] = 3.0
    return y.exp()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(x) * x.sum(),
        np.linalg.inv,
        lambda x: np.linalg.slogdet(x)[1],
        lambda x: np.linalg.qr(x)[0],
        lambda x: np.sort(x, axis=None).cumsum(),
        lambda x: np.concatenate([x, x.T])[[0, 0, 4]],
        lambda x: x.std(0),
        lambda x: np.where(x > 0, np.sqrt(np.abs(x)), 0.0),
        in_place,
        adc.checkpoint(lambda x: np.tanh(x) @ x),
        lambda x: x.detach() * x,
    ],
)
def test_tangents_are_directional_derivatives(f):
    with dual_level():
        value, dot = unpack_dual(f(make_dual(tape.tensor(X), tape.tensor(V))))
    eps = 1e-6
    plus, minus = (f(tape.tensor(X + s * V)).detach().numpy() for s in (eps, -eps))
    expected = (plus - minus) / (2 * eps)
    if "detach" in f.__code__.co_names if hasattr(f, "__code__") else False:
        expected = X * V  # one factor has no tangent
    np.testing.assert_allclose(dot.numpy(), expected, rtol=1e-6, atol=1e-7)
    assert not value.requires_grad and not dot.requires_grad


def test_the_parts_of_a_dual():
    x, v = tape.tensor(X), tape.tensor(V)
    with dual_level():
        dual = make_dual(x, v)
        primal, dot = unpack_dual(dual)
        assert primal.numpy() is x.numpy() and np.array_equal(dot.numpy(), V)
        assert dual.is_leaf and not dual.requires_grad and dual.grad_fn is None
        assert "tangent=tensor([[ 1. ," in repr(dual)
        assert unpack_dual(x).tangent is None and unpack_dual(np.floor(dual)).tangent is None
        assert unpack_dual(dual.detach()).tangent is None
        y = dual * 2
    assert unpack_dual(dual).tangent is None and unpack_dual(y).tangent is None
    assert not y.requires_grad


def test_tangents_are_part_of_the_graph():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    with dual_level():
        y = (make_dual(x, tape.tensor([1.0, 0.5])) ** 3).sum()
        dot = unpack_dual(y).tangent
        assert dot.requires_grad and y.requires_grad
        y.backward()
        assert x.grad.tolist() == [3.0, 12.0]
    assert autograd.grad(dot, x)[0].tolist() == [6.0, 6.0]


def test_a_gradient_of_a_dual_is_a_dual():
    with dual_level():
        x = make_dual(tape.tensor([1.0, 2.0]).requires_grad_(), tape.tensor([1.0, 0.5]))
        (g,) = autograd.grad((x**3).sum(), x)
        assert not g.requires_grad
        value, dot = unpack_dual(g)
    assert value.tolist() == [3.0, 12.0] and dot.tolist() == [6.0, 6.0]


class Product(autograd.Function):
    """Its tangent is marked by a factor, to be told from the transposed pull."""

    @staticmethod
    def forward(ctx, a, scale, b):
        ctx.save_for_backward(a, b)
        ctx.save_for_forward(a, b, a * b)
        ctx.scale = scale
        return scale * a * b, a.sum()

    @staticmethod
    def jvp(ctx, a_dot, scale_dot, b_dot):
        assert scale_dot is None
        a, b, _ = ctx.saved_tensors
        return 10 * ctx.scale * (a_dot * b + a * b_dot), a_dot.sum()

    @staticmethod
    def backward(ctx, y_bar, s_bar):
        a, b = ctx.saved_tensors
        return ctx.scale * y_bar * b + s_bar, None, ctx.scale * y_bar * a


def test_a_function_with_a_push_of_its_own():
    a, b = tape.tensor([1.0, 2.0], requires_grad=True), tape.tensor([3.0, 5.0])
    with dual_level():
        y, s = Product.apply(make_dual(a, tape.tensor([1.0, 0.5])), 2.0, b)
        dot = unpack_dual(y * 1.0).tangent
        assert dot.tolist() == [60.0, 50.0] and unpack_dual(s).tangent.item() == 1.5
        y.sum().backward()
        assert a.grad.tolist() == [6.0, 10.0]


def test_a_push_of_another_form_is_refused():
    class Wrong(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, x_dot):
            return x_dot.sum() if ctx.needs_input_grad else None

    with dual_level(), pytest.raises(RuntimeError, match=r"Wrong.jvp returned a tangent of shape \[\]"):
        unpack_dual(Wrong.apply(make_dual(tape.tensor([1.0, 2.0]), tape.tensor([1.0, 2.0]))))


def test_gradcheck_compares_tangents():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    assert autograd.gradcheck(np.sin, x, check_forward_ad=True)
    assert autograd.gradgradcheck(np.sin, x, check_fwd_over_rev=True)
    b = tape.tensor([3.0, 5.0])
    assert autograd.gradcheck(lambda a: Product.apply(a, 2.0, b), x)
    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"):
        autograd.gradcheck(lambda a: Product.apply(a, 2.0, b), x, check_forward_ad=True)
    with pytest.raises(RuntimeError, match="computed with forward mode"):
        autograd.gradcheck(
            lambda a: Product.apply(a, 2.0, b), x, check_forward_ad=True, check_backward_ad=False
        )


def test_values_may_be_written_to_after_they_were_read():
    with dual_level():
        x = make_dual(tape.tensor([1.0, 2.0]), tape.tensor([1.0, 3.0])) * 1.0
        y = x * x
        x.mul_(x)
        x[0] = 7.0
        assert unpack_dual(y).tangent.tolist() == [2.0, 12.0]
        assert unpack_dual(x).tangent.tolist() == [0.0, 12.0]


def test_what_has_but_a_tangent_has_no_gradient():
    with dual_level():
        x = make_dual(tape.tensor([1.0, 2.0]), tape.tensor([1.0, 3.0]))
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
            (x * x).sum().backward()


def test_levels():
    x = tape.tensor([1.0])
    with pytest.raises(RuntimeError, match="no level exists"):
        make_dual(x, x)
    assert enter_dual_level() == 0
    with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
        enter_dual_level()
    exit_dual_level()
    with pytest.raises(RuntimeError, match="Trying to exit a forward AD level"):
        exit_dual_level()
    with dual_level():
        with pytest.raises(RuntimeError, match="different size"):
            make_dual(x, tape.tensor([1.0, 2.0]))
        with pytest.raises(
            ValueError, match="Expected tangent to be floating point or complex, but got: int64"
        ):
            make_dual(x, tape.tensor([1]))
        with pytest.raises(RuntimeError, match="float32 beside float64"):
            make_dual(x, tape.tensor([1.0], dtype=np.float32))
        for pair in [(make_dual(x, x), x), (x, make_dual(x, x))]:
            with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
                make_dual(*pair)
        for off in (adc.no_grad, adc.inference_mode, lambda: adc.set_grad_enabled(False)):
            with pytest.raises(RuntimeError, match="inside a forward AD level"), off():
                pass
        assert adc.is_grad_enabled()
    with adc.no_grad(), dual_level():
        assert unpack_dual(make_dual(x, x) * 2.0).tangent.tolist() == [2.0]
    assert adc.is_grad_enabled()
