"""backward and grad: arguments, hooks, refusals with PyTorch's texts, threads, long graphs."""

import gc
import threading
import weakref

import numpy as np
import pytest

import adc
from adc import tape
from adc.tape import autograd, tensor


def leaf(*values):
    return tensor(values, dtype=float, requires_grad=True)


# Refusals ---------------------------------------------------------------------------------------------------


def test_only_scalars_have_an_implicit_gradient():
    with pytest.raises(RuntimeError, match=r"^grad can be implicitly created only for scalar outputs$"):
        (leaf(1, 2) * 2).backward()


def test_shape_of_the_gradient():
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output"):
        (leaf(1, 2) * 2).backward(np.ones(3))


def test_no_graph():
    message = "element 0 of tensors does not require grad and does not have a grad_fn"
    with pytest.raises(RuntimeError, match=message):
        tensor(1.0).backward()


def test_second_backward_names_retain_graph():
    x = leaf(1, 2)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [4, 8])
    with pytest.raises(RuntimeError, match=r"backward through the graph a second time.*retain_graph=True"):
        y.backward()


def test_unused_input():
    x, y = leaf(1.0), leaf(2.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        autograd.grad((x * 2).sum(), [x, y])
    gradients = autograd.grad((x * 2).sum(), [x, y], allow_unused=True)
    assert gradients[1] is None
    gradients = autograd.grad((x * 2).sum(), [x, y], materialize_grads=True)
    np.testing.assert_array_equal(gradients[1].numpy(), [0.0])
    with pytest.raises(RuntimeError, match="does not require grad"):
        autograd.grad((x * 2).sum(), tensor(1.0))


def test_integers_cannot_require_a_gradient():
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype"):
        tensor([1, 2], requires_grad=True)
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        (leaf(1.0) * 2).requires_grad = False


def test_leaves_cannot_be_written_to():
    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        x += 1
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[:1] += 1
    with tape.no_grad():
        x += 1
    np.testing.assert_array_equal(x.detach().numpy(), [2, 3])
    assert x.is_leaf and x.requires_grad


def test_stale_value_names_both_lines():
    x = leaf(1, 2)
    y = x * 1
    z = y * y
    y += 1  # the write
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        z.sum().backward()
    text = str(caught.value)
    assert "z = y * y" in text and "y += 1  # the write" in text and "test_autograd.py" in text


def test_stale_value_through_a_view_and_a_detached_alias():
    x = leaf(1, 2, 3)
    y = x * 1
    z = y * y
    y.detach()[1:] *= 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    assert y._version == 1


def test_anomaly_names_the_line():
    x = leaf(0.0, 4.0)
    with tape.detect_anomaly(), np.errstate(invalid="ignore"):
        y = np.sqrt(x) * np.array([0.0, 1.0])
        bad = y / x  # 0 / 0
        with pytest.raises(RuntimeError, match="returned nan values in its") as caught:
            bad.sum().backward()
    assert "Function 'DivBackward'" in str(caught.value) and "bad = y / x" in str(caught.value)


# Accumulation and arguments ---------------------------------------------------------------------------------


def test_grad_accumulates_in_the_same_tensor():
    x = leaf(1, 2)
    x.sum().backward()
    held = x.grad
    x.sum().backward()
    assert held is x.grad
    np.testing.assert_array_equal(held.numpy(), [2, 2])
    x.grad = None
    x.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 1])


def test_gradients_do_not_share_memory():
    x, y = leaf(1, 2), leaf(3, 4)
    bar = np.ones(2)
    (x + y).backward(bar)
    x.grad.zero_()
    np.testing.assert_array_equal(y.grad.numpy(), [1, 1])
    np.testing.assert_array_equal(bar, [1, 1])


def test_inputs_restrict_what_collects():
    x, y = leaf(1, 2), leaf(3, 4)
    (x * y).sum().backward(inputs=[x])
    np.testing.assert_array_equal(x.grad.numpy(), [3, 4])
    assert y.grad is None
    z = x * 3
    (z * y).sum().backward(inputs=[z])
    np.testing.assert_array_equal(z.grad.numpy(), [3, 4])


def test_several_outputs_in_one_pass():
    x = leaf(1, 2)
    autograd.backward([x.sum(), x * 2], [None, np.ones(2)])
    np.testing.assert_array_equal(x.grad.numpy(), [3, 3])


def test_grad_of_an_intermediate():
    x = leaf(1, 2)
    y = x * 3
    np.testing.assert_array_equal(autograd.grad((y * y).sum(), y)[0].numpy(), [6, 12])


def test_broadcast_operands_get_their_shape_and_dtype():
    x = tensor(np.ones((3, 1)), dtype=np.float32, requires_grad=True)
    y = tensor(np.ones(4), requires_grad=True)
    s = tensor(2.0, requires_grad=True)
    (x * y + s).sum().backward()
    assert x.grad.shape == (3, 1) and x.grad.dtype == np.float32
    assert y.grad.shape == (4,) and y.grad.dtype == np.float64
    assert s.grad.shape == () and s.grad.item() == 12


def test_strong_zero():
    x = leaf(0.0, 4.0)
    np.where(tensor([False, True]), np.sqrt(x), 0.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.25])
    w = tensor(0.0, requires_grad=True)
    v = tensor(4.0, requires_grad=True)
    (g,) = autograd.grad(w * np.sqrt(v), v, create_graph=True)
    assert g.item() == 0.0
    assert autograd.grad(g, w)[0].item() == 0.25  # a zero adjoint does not end the second derivative


def test_strong_zero_of_second_derivatives():
    def known(x):
        return np.nansum(np.sqrt(x)) + np.sum(np.where(x > 0, np.log(x), 0.0))

    x, v = np.array([1.0, -2.0, 0.0, 4.0]), np.ones(4)
    wanted = np.array([-1.25, 0.0, -np.inf, -0.09375])
    with np.errstate(all="ignore"):
        for mode in ("compiled", "python", "tape"):
            np.testing.assert_array_equal(adc.hvp(known, x, v, mode=mode), wanted)
            np.testing.assert_array_equal(np.diagonal(adc.hessian(known, mode=mode)(x)), wanted)


def test_inactive_operand_costs_no_product():
    a = tensor(np.ones((2, 3)))
    b = tensor(np.ones((3, 4)), requires_grad=True)
    node = (a @ b).grad_fn
    assert len(node.edges) == 1
    assert not any(isinstance(kept, np.ndarray) for kept in node.kept[1:])  # b itself is not kept


# Hooks ------------------------------------------------------------------------------------------------------


def test_hooks_see_and_replace():
    x = leaf(1, 2)
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.numpy().copy()))
    handle = y.register_hook(lambda g: g * 10)
    y.sum().backward(retain_graph=True)
    np.testing.assert_array_equal(seen, [[1, 1]])
    np.testing.assert_array_equal(x.grad.numpy(), [20, 20])
    handle.remove()
    x.grad = None
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 2])
    with pytest.raises(RuntimeError, match="cannot register a hook"):
        tensor(1.0).register_hook(print)


def test_hooks_of_leaves():
    x = leaf(1, 2)
    after = []
    x.register_hook(lambda g: g + 1)
    x.register_post_accumulate_grad_hook(lambda t: after.append(t.grad.numpy().copy()))
    x.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 2])
    np.testing.assert_array_equal(after, [[2, 2]])


# Functions --------------------------------------------------------------------------------------------------


class Scale(autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, z_bar):
        (x,) = ctx.saved_tensors
        return z_bar * 2 * x * ctx.factor, None


def test_function():
    x = leaf(1, 2)
    y = Scale.apply(x, 3.0)
    assert y.grad_fn.name() == "ScaleBackward"
    assert autograd.gradcheck(lambda x: Scale.apply(x, 3.0), x)
    assert autograd.gradgradcheck(lambda x: Scale.apply(x, 3.0), x)


def test_function_saving_its_output_and_several_outputs():
    class Exp(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = np.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, y_bar):
            return y_bar * ctx.saved_tensors[0]

    class Two(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2, x * x

        @staticmethod
        def backward(ctx, a_bar, b_bar):
            (x,) = ctx.saved_tensors
            return a_bar * 2 + b_bar * 2 * x

    x = leaf(0.5, 1.0)
    assert autograd.gradcheck(Exp.apply, x) and autograd.gradgradcheck(Exp.apply, x)
    assert autograd.gradcheck(Two.apply, x) and autograd.gradgradcheck(Two.apply, x)
    Two.apply(x)[1].sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1.0, 2.0])


def test_gradcheck_finds_a_wrong_gradient():
    class Wrong(Scale):
        @staticmethod
        def backward(ctx, z_bar):
            return z_bar, None

    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        autograd.gradcheck(lambda x: Wrong.apply(x, 3.0), x)
    assert not autograd.gradcheck(lambda x: Wrong.apply(x, 3.0), x, raise_exception=False)


# Functional -------------------------------------------------------------------------------------------------


def test_functional_products():
    f = autograd.functional
    x, y = tensor([1.0, 2.0]), tensor([3.0, 4.0])
    v = tensor([1.0, -1.0])

    def cube(x):
        return (x**3).sum()

    np.testing.assert_allclose(f.hessian(cube, x).numpy(), np.diag([6.0, 12.0]))
    np.testing.assert_allclose(f.hvp(cube, x, v)[1].numpy(), [6, -12])
    np.testing.assert_allclose(f.vhp(cube, x, v)[1].numpy(), [6, -12])
    np.testing.assert_allclose(f.jvp(lambda x: x**2, x, v)[1].numpy(), [2, -4])
    value, bars = f.vjp(lambda x, y: x * y, (x, y), v)
    np.testing.assert_allclose(value.numpy(), [3, 8])
    np.testing.assert_allclose(bars[0].numpy(), [3, -4])
    blocks = f.jacobian(lambda x, y: (x * y, x.sum()), (x, y))
    np.testing.assert_allclose(blocks[0][1].numpy(), np.diag([1.0, 2.0]))
    np.testing.assert_allclose(blocks[1][1].numpy(), [0, 0])
    with pytest.raises(RuntimeError, match="strict mode"):
        f.jacobian(lambda x, y: x.sum(), (x, y), strict=True)


# Whole functions as nodes -----------------------------------------------------------------------------------


def test_a_function_as_one_node():
    def cube(x, y):
        return np.sum(x**3 * y)

    def pull(bar, z, x, y):
        return 3 * x**2 * y * bar, x**3 * bar

    x, y = leaf(1, 2), tensor([3.0, 4.0])
    z = tape.call_as_node("Cube", cube, pull, [x, y])
    assert z.grad_fn.name() == "CubeBackward" and len(z.grad_fn.edges) == 1
    (z * 2).backward(retain_graph=True)
    np.testing.assert_array_equal(x.grad.numpy(), [18, 96])
    with pytest.raises(adc.GraphCutError, match="pull of Cube again"):
        autograd.grad(z, x, create_graph=True)
    z = tape.call_as_node("Cube", cube, pull, [x, y], lambda bar, z, *xs: tape.vjp(cube, *xs)[1](bar))
    (first,) = autograd.grad(z, x, create_graph=True)
    np.testing.assert_array_equal(autograd.grad(first.sum(), x)[0].numpy(), [18, 48])


# Size, memory, threads --------------------------------------------------------------------------------------


def test_a_long_chain_neither_recurses_nor_overflows():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y * 1.00001
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.00001**100_000, rtol=1e-9)
    z = x
    for _ in range(100_000):
        z = z + 1.0
    del z  # never differentiated: freed without recursion too


def test_kept_values_are_freed_on_the_way():
    x = leaf(*range(5))
    alive = []

    class Watched(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, bar):
            alive.append(held() is not None)
            return bar

    early = Watched.apply(x)
    y = early * 2
    held = weakref.ref(y.primal)
    z = (y * y).sum()
    del y
    gc.collect()
    assert held() is not None
    z.backward()
    assert alive == [False]  # the operand of y * y was gone before the walk reached its maker


def test_intermediates_that_nothing_reads_are_not_kept():
    x = leaf(1, 2)
    y = x + 1
    held = weakref.ref(y.primal)
    z = y + 2
    del y
    assert held() is None
    z.sum().backward()


def test_each_thread_has_its_own_mode():
    x = leaf(1, 2)
    answers = {}

    def work(name, factor):
        answers[name, "mode"] = tape.is_grad_enabled()
        a = leaf(1, 2)
        for _ in range(200):
            (a * factor).sum().backward()
        answers[name] = a.grad.numpy()

    with tape.no_grad():
        threads = [threading.Thread(target=work, args=(k, float(k))) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not (x * 2).requires_grad
    assert answers[0, "mode"] and answers[1, "mode"]
    np.testing.assert_array_equal(answers[1], [200, 200])


def test_quick_bodies_keep_nothing_of_the_caller():
    x = tape.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x.sum(axis=0, keepdims=True) + x.mean(1).reshape((2, 1)) + np.stack([x[0], x[1]])
    (g,) = tape.autograd.grad(y.sum(), x, create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), np.full((2, 2), 2.0 + 1.0 + 1.0))
    z = x.sum()
    z.backward()
    x.grad[0, 0] = 7.0  # the adjoint is the leaf's own array
    x.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[8.0, 2.0], [2.0, 2.0]])


def test_setup_context_dirty_inputs_and_delayed_errors():
    class Doubled(tape.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2.0

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        @tape.autograd.once_differentiable
        def backward(ctx, bar):
            (x,) = ctx.saved_tensors
            return bar * 2.0 + 0.0 * x

    x = tape.tensor([1.0, 2.0], requires_grad=True)
    (g,) = tape.autograd.grad(Doubled.apply(x), x, np.ones(2), create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), 2.0)
    bar = tape.tensor([1.0, 1.0], requires_grad=True)
    (g,) = tape.autograd.grad(Doubled.apply(x), x, bar, create_graph=True)
    with pytest.raises(RuntimeError, match="twice a function that was marked with @once_differentiable"):
        g.sum().backward()

    with pytest.raises(TypeError, match="can only save variables, but argument 0 is of type int"):

        class Wrong(tape.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(3)
                return x

        Wrong.apply(x)


def test_node_hooks_replace_adjoints():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3.0
    y.grad_fn.register_prehook(lambda bars: (bars[0] * 2.0,))
    handle = y.grad_fn.register_hook(lambda adjoints, bars: (adjoints[0] + bars[0],))
    y.sum().backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.numpy(), 2.0 * 3.0 + 2.0)
    handle.remove()
    x.grad = None
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6.0)


def test_multi_grad_hook_of_an_unreached_tensor():
    x, y = (tape.tensor([1.0], requires_grad=True) for _ in range(2))
    seen = []
    handle = tape.autograd.graph.register_multi_grad_hook((x, y), seen.append)
    (x * 2.0).sum().backward()
    assert seen[0][1] is None
    np.testing.assert_allclose(seen[0][0].numpy(), 2.0)
    handle.remove()
    (x * y).sum().backward()
    assert len(seen) == 1


def test_a_pass_that_keeps_nothing_can_run_again():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    y = (x + 2.0).sum(axis=0)
    y.backward()
    y.backward()  # as in PyTorch: no value was kept, so none was freed
    np.testing.assert_allclose(x.grad.numpy(), 2.0)
