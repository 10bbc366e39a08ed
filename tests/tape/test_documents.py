"""The examples that explain PyTorch's autograd hold here, value for value."""

import doctest
from pathlib import Path

import numpy as np
import pytest

from adc import tape
from adc.tape import autograd, no_grad, tensor


def same(actual, expected):
    np.testing.assert_allclose(actual.detach().numpy(), expected, rtol=1e-12)


def test_sum_of_cubes():
    t = tensor(np.arange(5.0), requires_grad=True)
    t.pow(3).sum().backward()
    same(t.grad, [0, 3, 12, 27, 48])


def test_product_and_its_gradient():
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = tensor([4.0, 5.0, 6.0], requires_grad=True)
    z = x * y
    z.backward(np.ones(3))
    same(x.grad, [4, 5, 6])
    same(y.grad, [1, 2, 3])


@pytest.mark.parametrize("zeroed", [True, False])
def test_rows_of_a_matrix_one_by_one(zeroed):
    x = tensor([[2.0, 1.0]], requires_grad=True)
    m = tensor([[1.0, 2.0], [3.0, 4.0]])
    y = x @ m
    expected = np.zeros((1, 2))
    for bar, row in (([[1, 0]], [[1, 3]]), ([[0, 1]], [[2, 4]]), ([[1, 1]], [[3, 7]])):
        if zeroed and x.grad is not None:
            x.grad.zero_()
            expected = np.zeros((1, 2))
        y.backward(tensor(bar, dtype=float), retain_graph=True)
        expected = expected + row
        same(x.grad, expected)


def test_doubling_until_the_norm_is_large():
    x = tensor([0.5, -1.0, 1.5], requires_grad=True)
    y = x * 2
    doublings = 1
    while y.norm() < 1000:
        y = y * 2
        doublings += 1
    v = tensor([0.1, 1.0, 0.0001])
    y.backward(v)
    same(x.grad, 2.0**doublings * v.numpy())


def test_sine_of_a_hundred_points():
    x = tensor(np.linspace(0, 2 * np.pi, 100), requires_grad=True)
    np.sin(x).backward(np.ones(100))
    same(x.grad, np.cos(x.detach().numpy()))


def test_dot_products_by_grad():
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = tensor([4.0, 5.0, 6.0], requires_grad=True)
    same(autograd.grad(np.dot(x, y), x)[0], [4, 5, 6])
    same(autograd.grad(np.dot(x, x), x)[0], [2, 4, 6])
    same(autograd.grad(x.dot(y), y)[0], [1, 2, 3])


def test_full_jacobian_row_by_row():
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2 * x.sum()
    rows = [autograd.grad(y, x, np.eye(3)[k], retain_graph=True)[0].numpy() for k in range(3)]
    values = x.detach().numpy()
    expected = np.diag(2 * values * values.sum()) + values[:, None] ** 2
    np.testing.assert_allclose(rows, expected)
    same(autograd.functional.jacobian(lambda x: x**2 * x.sum(), x), expected)
    stacked = autograd.grad(y, x, tensor(np.eye(3)), is_grads_batched=True)[0]
    same(stacked, expected)


def test_correlation_loss():
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(8, 3)), generator.normal(size=(8, 3))
    z1, z2 = tensor(a, requires_grad=True), tensor(b, requires_grad=True)

    def loss(z1, z2, std):
        n1 = (z1 - z1.mean(0)) / std(z1)
        n2 = (z2 - z2.mean(0)) / std(z2)
        c = n1.T @ n2 / 8
        return ((c.diagonal() - 1) ** 2).sum() + 0.1 * (c**2).sum()

    value = loss(z1, z2, lambda z: z.std(0))
    value.backward()
    plain = loss(a, b, lambda z: z.std(0, ddof=1))
    np.testing.assert_allclose(value.item(), plain)
    same(loss(z1, z2, lambda z: z.std(0, ddof=0)), loss(a, b, lambda z: z.std(0)))
    step = 1e-6 * generator.normal(size=a.shape)
    ahead = loss(a + step, b, lambda z: z.std(0, ddof=1))
    behind = loss(a - step, b, lambda z: z.std(0, ddof=1))
    np.testing.assert_allclose((z1.grad.numpy() * step).sum(), (ahead - behind) / 2, rtol=1e-6)

    _, gradient = tape.value_and_grad(lambda z1, z2: loss(z1, z2, lambda z: z.std(0, ddof=1)), (a, b))
    np.testing.assert_allclose(gradient, z1.grad.numpy())


def test_what_requires_a_gradient():
    a = tensor(1.0)
    b = tensor(2.0, requires_grad=True)
    assert not a.requires_grad and b.requires_grad
    assert not (a + 1).requires_grad and (a + b).requires_grad
    with no_grad():
        assert not (a + b).requires_grad
        with tape.enable_grad():
            assert (a + b).requires_grad

    @no_grad()
    def double(x):
        return x * 2

    assert not double(b).requires_grad
    assert not b.detach().requires_grad
    with tape.set_grad_enabled(False):
        assert not (b * 2).requires_grad
    assert (b * 2).requires_grad
    with tape.inference_mode():
        assert not (b * 2).requires_grad


def test_what_is_a_leaf():
    a = tensor([1.0], requires_grad=True)
    assert a.is_leaf and a.grad_fn is None
    b = a * 2
    assert not b.is_leaf and b.grad_fn is not None
    assert tensor([1.0]).is_leaf and (tensor([1.0]) + 1).is_leaf
    assert b.detach().is_leaf
    c = tensor([1.0]) + 2
    c.requires_grad_()
    assert c.is_leaf and c.requires_grad


@pytest.mark.parametrize(
    "make, name",
    [
        (lambda x: x * 2, "MulBackward"),
        (lambda x: x + 1, "AddBackward"),
        (lambda x: x - 1, "SubBackward"),
        (lambda x: x / 2, "DivBackward"),
        (lambda x: -x, "NegBackward"),
        (lambda x: x**2, "PowBackward"),
        (lambda x: x @ x, "MmBackward"),
        (lambda x: x.sum(), "SumBackward"),
        (lambda x: x.mean(), "MeanBackward"),
        (np.exp, "ExpBackward"),
        (np.log, "LogBackward"),
        (lambda x: x[0], "SelectBackward"),
        (lambda x: x[:1], "SliceBackward"),
        (lambda x: x[[0, 1]], "IndexBackward"),
        (lambda x: x.clone(), "CloneBackward"),
        (lambda x: x.reshape(2, 1), "ViewBackward"),
        (lambda x: np.concatenate([x, x]), "CatBackward"),
    ],
)
def test_names_of_nodes(make, name):
    x = tensor([1.0, 2.0], requires_grad=True)
    y = make(x)
    assert y.grad_fn.name() == name
    assert repr(y.grad_fn).startswith(f"<{name} object at ")


def test_next_functions_lead_to_the_leaves():
    x = tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2 + x).sum()
    add = y.grad_fn.next_functions[0][0]
    assert add.name() == "AddBackward"
    (mul, _), (leaf, _) = add.next_functions
    assert mul.name() == "MulBackward" and leaf.name() == "AccumulateGrad"
    assert leaf.variable is x
    assert mul.next_functions == ((leaf, 0), (None, 0))


def test_gradients_live_at_the_leaves():
    x = tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    assert x.grad is None
    y.sum().backward()
    same(x.grad, [2, 2])
    with pytest.warns(UserWarning, match="not a leaf Tensor"):
        assert y.grad is None
    z = x * 2
    z.retain_grad()
    (z * z).sum().backward()
    same(z.grad, [4, 8])


def test_higher_derivatives():
    x = tensor(2.0, requires_grad=True)
    y = x**5
    for expected in (5 * 16.0, 20 * 8.0, 60 * 4.0, 120 * 2.0, 120.0):
        (y,) = autograd.grad(y, x, create_graph=True)
        same(y, expected)
    assert not autograd.grad(y, x, allow_unused=True)[0]


def test_the_tutorial():
    document = Path(__file__).parents[2] / "docs" / "tape.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    results = doctest.testfile(str(document), module_relative=False, optionflags=flags)
    assert results.failed == 0 and results.attempted > 40
