"""In-place writes and views carry the derivative of what NumPy computes."""

import re

import numpy as np
import pytest

import adc
from adc import tape
from adc.tape import autograd, methods, tensor
from adc.tape.tensor import Tensor


def check(function, *shapes, seed=0):
    """The gradient of a function of Tensors against differences of the same function on arrays."""
    generator = np.random.default_rng(seed)
    arrays = [generator.uniform(0.5, 1.5, size=s) for s in shapes]
    leaves = [tensor(a, requires_grad=True) for a in arrays]
    value = function(*leaves)
    np.testing.assert_allclose(value.item(), function(*[a.copy() for a in arrays]), rtol=1e-12)
    gradients = autograd.grad(value, leaves, materialize_grads=True)
    directions = [generator.normal(size=s) for s in shapes]
    h = 1e-6
    ahead = function(*[a + h * d for a, d in zip(arrays, directions, strict=True)])
    behind = function(*[a - h * d for a, d in zip(arrays, directions, strict=True)])
    slope = sum((g.numpy() * d).sum() for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-7)


def copied(x):
    return np.copy(x)


def items(x, y):
    z = copied(x)
    z[0] = y[1] * 2
    z[1:3] = y[:2] * z[0]
    z[-1] *= z[1]
    return (z * z).sum()


def fancy(x, y):
    z = copied(x)
    z[np.array([0, 2, 0])] = y[:3]  # the last of the repeated writes stays
    z[z > 1.0] = y[0] ** 2
    return (z * z[[0, 0, 1]].sum()).sum()


def views(x, y):
    z = copied(x)
    front, back = z[:2], z[2:]
    z *= y
    front += back * 2
    back[0] = front[1] ** 2
    return (z * z).sum() + (front * 3).sum()


def products_of_matrices(x, y):
    m = np.outer(x, y)
    row = m[1]
    m @= np.outer(y, y)
    return (row * row).sum() + (m * m).sum()


def whole_multiples(x, y):
    z = x * y
    first = z[:2]
    z //= 0.3
    return (first * y[:2]).sum() + (z * x).sum()


def whole_numbers(x, y):
    z = x * y
    first = z[:2]
    np.floor(z, out=z)
    return (first * y[:2]).sum() + (z * x).sum()


def truth_values(x, y):
    high = x > 0.9
    second = high
    high &= y > 0.8
    high |= x > 1.4
    high ^= y > 1.3
    return np.sum(np.where(second, x * y, x))


def deep_views(x, y):
    z = copied(x)
    w = z.T[1:].reshape(-1)  # a copy: writes to it stay there
    w *= 2
    v = z.T[1:][::-1]
    v[0, :] = y[0] * np.copy(v[1, :2])
    v[...] += 1.0
    return (z * z).sum() + w.sum()


def broadcast_write(x, y):
    z = copied(x)
    z[:] = y
    z[1] += x[0]
    return (z**3).sum()


def out_parameter(x, y):
    z = copied(x)
    np.multiply(x, y, out=z)
    np.add(z, 1.0, out=z)
    np.sin(z, out=z, where=np.array([True, False, True, True]))
    return z.sum()


def add_at(x, y):
    z = copied(x)
    np.add.at(z, np.array([0, 1, 0]), y[:3] ** 2)
    return (z * z).sum()


def augmented_items(x, y):
    z = copied(x)
    for i in range(1, 4):
        z[i] += z[i - 1] * y[i]
        z[i - 1] /= 2.0
    return (z * z).sum()


def diagonal_filled(x, y):
    z = copied(x)
    np.fill_diagonal(z, y)
    np.copyto(z[0], y[:4])
    return (z * z * z).sum()


@pytest.mark.parametrize(
    "function, shapes",
    [
        (items, [(4,), (4,)]),
        (fancy, [(3,), (3,)]),
        (views, [(4,), (4,)]),
        (products_of_matrices, [(3,), (3,)]),
        (whole_multiples, [(4,), (4,)]),
        (whole_numbers, [(4,), (4,)]),
        (truth_values, [(4,), (4,)]),
        (deep_views, [(2, 3), (2,)]),
        (broadcast_write, [(2, 3), (3,)]),
        (out_parameter, [(4,), (4,)]),
        (add_at, [(4,), (4,)]),
        (augmented_items, [(4,), (4,)]),
        (diagonal_filled, [(4, 4), (4,)]),
    ],
)
def test_writes(function, shapes):
    check(function, *shapes)


def test_second_derivative_through_writes():
    def f(x):
        z = copied(x)
        z[1:] *= copied(z[:-1]) ** 2
        z[0] = copied(z)[2] * z[1]
        return (z**3).sum()

    assert autograd.gradgradcheck(f, tensor([0.7, 0.9, 1.1], requires_grad=True))


def test_a_view_sees_the_write_to_its_base_and_the_reverse():
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = x * 1
    v = z[1:]
    z[1] = x[0] * 10
    np.testing.assert_array_equal(autograd.grad(v.sum(), x, retain_graph=True)[0].numpy(), [10, 0, 1])
    v[1] = x[0] * 5
    np.testing.assert_array_equal(autograd.grad(z.sum(), x)[0].numpy(), [16, 0, 0])


def test_a_buffer_becomes_active():
    x = tensor([1.0, 2.0], requires_grad=True)
    buffer = tensor(np.zeros(4))
    window = buffer[1:3]
    window[:] = x * 3
    assert buffer.requires_grad
    buffer.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [3, 3])


def test_writing_what_was_read_from_the_same_place_once_is_enough():
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = x * 1
    z[:2] *= 2
    assert z.grad_fn.name() == "CopySlicesBackward"
    # The write alone, not one more for `z[:2] =`.
    assert z.grad_fn.next_functions[0][0].name() == "MulBackward"


def test_reading_elements_in_a_loop_costs_one_buffer():
    x = tensor(np.ones(2000), requires_grad=True)
    total = 0.0
    for i in range(2000):
        total = total + x[i] * x[i]
    total.backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full(2000, 2.0))


@pytest.mark.parametrize(
    "cut",
    [
        float,
        complex,
        np.asarray,
        np.float64,
        lambda x: np.array([x, x]),
        lambda x: x.numpy(),
        lambda x: np.zeros(1).__iadd__(x),
        lambda x: np.zeros((1, 2)).__setitem__(0, np.stack([x, x])),
        lambda x: tensor(np.zeros(1, dtype=int)).__setitem__(0, x),
        lambda x: np.random.normal(x),
    ],
)
def test_what_would_cut_the_graph_is_refused(cut):
    x = tensor(1.5, requires_grad=True)
    with pytest.raises(adc.GraphCutError) as caught:
        cut(x)
    assert caught.value.location is not None and caught.value.location.file == __file__
    assert re.search(r"stop_gradient\(x\)|floats|detach\(\)", str(caught.value))


def test_an_element_of_a_plain_array_refuses_a_tensor():
    with pytest.raises((adc.GraphCutError, ValueError)):
        np.zeros(2)[0] = tensor(1.5, requires_grad=True)


def test_conversions_that_cut_nothing():
    x = tensor(1.5, requires_grad=True)
    assert int(x) == 1 and not x.long().requires_grad and x.astype(bool).tolist() is True
    assert float(x.detach()) == 1.5 and x.item() == 1.5 and f"{x:.2f}" == "1.50"
    with tape.no_grad():
        assert float(x) == 1.5
    assert bool(x > 1) and len(tensor([1.0, 2.0], requires_grad=True)) == 2
    assert [row.item() for row in tensor([1.0, 2.0], requires_grad=True)] == [1.0, 2.0]


def test_functions_without_a_rule_are_refused():
    x = tensor([1.5, 2.5], requires_grad=True)
    with pytest.raises(adc.UnsupportedError, match=r"no rule for np.packbits"):
        np.packbits(x > 1, axis=x)
    np.testing.assert_array_equal(np.packbits(x > 1).numpy(), [192])
    with pytest.raises(
        adc.UnsupportedError, match=r"has no derivative of np.sort with the parameter `order`"
    ):
        np.sort(x, order="a")
    assert np.median(x, overwrite_input=True).item() == 2.0  # what changes no value is taken


def test_a_part_that_nobody_has_read_is_written(monkeypatch):
    monkeypatch.setattr(Tensor, "imag", methods._Late("imag"))  # as before it was read for the first time

    def f(x):
        z = x + 1j * x**2
        z.imag = 3.0 * x
        return np.sum(np.abs(z) ** 2)

    np.testing.assert_allclose(adc.grad(f, mode="tape")(np.array([1.0, 2.0])), [20.0, 40.0])


def test_a_method_is_not_written():
    with pytest.raises(AttributeError):
        tensor([1.0]).cumsum = 1.0


def test_a_class_of_the_user_has_attributes_with_the_names_of_methods():
    class Own(Tensor):
        pass

    x = Own.__new__(Own)
    x.nanmean = 2.0
    assert x.nanmean == 2.0


def test_windows_by_strides_see_writes():
    def f(x):
        y = x * 2.0
        v = np.lib.stride_tricks.as_strided(y, (3,), (y.itemsize * 2,))
        y[2] = x[0] ** 2
        v[2] = x[1]
        return np.sum(v**3) + np.sum(y)

    x = np.linspace(0.3, 1.3, 6)
    adc.check_grads(f, (x,), order=1, mode="tape")
    with pytest.raises(adc.UnsupportedError, match="may not lie row by row"):
        adc.grad(lambda x: np.sum(np.lib.stride_tricks.as_strided(x[::2], (2,), (16,))), mode="tape")(x)
