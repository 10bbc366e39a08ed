"""What several backward passes, hooks, views and writes do together; the answers are PyTorch's."""

import numpy as np
import pytest

from adc import tape
from adc.tape import no_grad, tensor

pytestmark = pytest.mark.tiny


def leaf(*values):
    return tensor([float(v) for v in values], requires_grad=True)


def same(actual, expected):
    np.testing.assert_array_equal(actual.detach().numpy(), expected)


def test_a_freed_graph_that_was_written_to_says_that_it_is_freed():
    y = leaf(1, 2) * 1.0
    z = np.sin(y).sum()
    z.backward()
    y += 1.0
    with pytest.raises(RuntimeError, match="a second time"):
        z.backward()


def test_a_kept_gradient_is_not_written_to_by_the_pass():
    x = leaf(1, 2, 3)
    y = x * 1.0
    y[::2] *= 1.5
    seen = []
    y.retain_grad()
    y.register_hook(seen.append)
    y[:1].sum().backward()
    same(y.grad, [1, 0, 0])
    same(seen[0], [1, 0, 0])
    same(x.grad, [1.5, 0, 0])


def test_gradients_made_with_create_graph_share_no_memory():
    x = leaf(1, 2)
    y = x.reshape(2, 1)
    y.retain_grad()
    with pytest.warns(UserWarning, match="reference cycle"):
        y.backward(np.ones((2, 1)), create_graph=True)
    x.backward(np.ones(2))
    same(x.grad, [2, 2])
    same(y.grad, [[1], [1]])


def test_a_pass_adds_to_a_gradient_that_has_a_graph():
    x = leaf(2)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).sum().backward(create_graph=True)
    first = x.grad
    (x * 5.0).sum().backward()
    assert x.grad is first and x.grad.requires_grad
    same(first, [17])
    same(tape.autograd.grad(first.sum(), x)[0], [12])


def test_a_gradient_that_was_kept_and_added_to_is_stale():
    x = leaf(2)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).sum().backward(create_graph=True)
    square = (x.grad * x.grad).sum()
    (x * 5.0).sum().backward()
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        square.backward()


def test_inputs_that_are_no_leaves_keep_their_gradients():
    x = leaf(1, 2)
    y, z = x * 2.0, x * 3.0
    (y * y).sum().backward(inputs=[y, z])
    assert y.retains_grad and z.retains_grad
    same(y.grad, [4, 8])
    assert z.grad is None and x.grad is None


def test_a_write_through_a_view_goes_past_the_hooks_on_the_view():
    x = leaf(1, 2, 3)
    y = x * 2.0
    v = y[1:]
    calls = []
    v.register_hook(lambda gradient: calls.append(1) or gradient * 3.0)
    w = v[:1]
    w *= 1.5
    y.sum().backward()
    assert calls == []
    same(x.grad, [2, 3, 2])


def test_a_write_without_recording_makes_the_nodes_of_views_new():
    x = leaf(1, 2, 3)
    v = x[1:]
    calls = []
    v.register_hook(calls.append)
    v.retain_grad()
    before = v * 2.0
    with no_grad():
        x += 1.0
    before.sum().backward()  # through the former node, where the hook stays
    assert len(calls) == 1 and v.grad is None
    (v * 2.0).sum().backward()
    assert len(calls) == 1
    same(v.grad, [2, 2])
    same(x.grad, [0, 4, 4])


def test_a_view_of_a_leaf_that_was_detached_since_is_not_written_to():
    x = leaf(1, 2, 3)
    v = x[1:]
    x.detach_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        v[:1] = 2.0


def test_a_view_that_was_made_a_leaf_is_not_written_to():
    v = tensor([1.0, 2.0])[1:].requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable"):
        v += 1.0


def test_a_leaf_is_not_written_to_with_its_own_values():
    x = leaf(1, 2, 3)
    v = x[1:]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        v[...] = v


def test_leading_axes_of_what_is_written_are_dropped():
    x = leaf(1, 2)
    y = tensor(np.zeros(2))
    y[...] = x.reshape(1, 2) * 3.0
    (y * y).sum().backward()
    same(x.grad, [18, 36])


def test_a_number_summed_over_axis_0_has_derivatives_of_every_order():
    x = tensor(3.0, requires_grad=True)
    (first,) = tape.autograd.grad((x**3).sum(0), x, create_graph=True)
    same(tape.autograd.grad(first, x)[0], 18)


def test_a_gradient_outlives_detaching_in_place():
    y = leaf(1, 2) * 2.0
    y.retain_grad()
    y.sum().backward()
    y.detach_()
    same(y.grad, [1, 1])


def test_an_empty_window_can_be_written_to():
    x = tensor(np.ones((0, 3)), requires_grad=True)
    y = x * 2.0
    v = y[:, ::2]
    v += 1.0
    y.sum().backward()
    assert x.grad.shape == (0, 3)
