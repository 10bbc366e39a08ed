"""A composite operation is one node on the tape, whose pull is that of its steps."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import adc
from adc import tape
from adc.tape import autograd, recipes
from adc.tape.entry import find


def leaf(*values):
    return tape.tensor(np.array(values), requires_grad=True)


def variance_slope(x):
    return (x - x.mean()) / (x.size * x.std())


def test_one_node_with_the_name_of_the_function():
    x = leaf(1.0, 2.0, 4.0)
    y = np.std(x)
    assert y.grad_fn.name() == "StdBackward"
    assert y.grad_fn.next_functions[0][0].variable is x


def test_other_values_of_the_same_kind():
    for values in ([1.0, 2.0, 4.0], [3.0, -1.0, 0.5], [2.0, 2.0, 2.0]):
        x = leaf(*values)
        np.std(x).backward()
        array = np.array(values)
        wanted = variance_slope(array) if array.std() else np.zeros(3)
        np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-14, atol=1e-15)


def test_other_options_have_recipes_of_their_own():
    x = tape.tensor(np.arange(6.0).reshape(2, 3) ** 2, requires_grad=True)
    for axis in (0, 1, None):
        for ddof in (0, 1):
            (found,) = autograd.grad(np.std(x, axis=axis, ddof=ddof).sum(), x)
            a, step = x.detach().numpy(), 1e-6
            for index in np.ndindex(a.shape):
                moved = np.zeros_like(a)
                moved[index] = step
                slope = (
                    np.std(a + moved, axis=axis, ddof=ddof).sum()
                    - np.std(a - moved, axis=axis, ddof=ddof).sum()
                ) / (2 * step)
                assert found.numpy()[index] == pytest.approx(slope, abs=1e-8)


def test_zero_and_minus_zero_are_two_numbers():
    x = leaf(1.0, 2.0)
    kinds = [recipes._kind((x, value))[0] for value in (0.0, -0.0)]
    assert kinds[0] != kinds[1]


def test_second_derivative():
    x = leaf(1.0, 2.0, 4.0)
    (slope,) = autograd.grad(np.std(x), x, create_graph=True)
    rows = [autograd.grad(slope[k], x, retain_graph=True)[0].numpy() for k in range(3)]
    a = np.array([1.0, 2.0, 4.0])
    s = a.std()
    wanted = (np.eye(3) - 1 / 3) / (3 * s) - np.outer(a - a.mean(), a - a.mean()) / (9 * s**3)
    np.testing.assert_allclose(rows, wanted, atol=1e-14)


def test_second_derivative_where_one_operand_is_made_of_the_other():
    x = leaf(1.0, 2.0, 4.0)
    w = x * x
    y = np.average(x, weights=w)  # sum x^3 / sum x^2
    assert y.grad_fn.name() == "AverageBackward"
    (slope,) = autograd.grad(y, x, create_graph=True)
    (second,) = autograd.grad(slope.sum(), x)

    def first(a):
        return 3 * a**2 / (a**2).sum() - (a**3).sum() * 2 * a / (a**2).sum() ** 2

    a, h = np.array([1.0, 2.0, 4.0]), 1e-6
    np.testing.assert_allclose(slope.detach().numpy(), first(a), rtol=1e-13)
    wanted = [(first(a + h * e).sum() - first(a - h * e).sum()) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(second.numpy(), wanted, atol=1e-8)


def test_a_recipe_holds_no_array_of_the_call_it_was_written_for():
    x = tape.tensor(np.linspace(0.0, 1.0, 7), requires_grad=True)
    y = np.std(x)
    held = [weakref.ref(x), weakref.ref(x.primal), weakref.ref(y.grad_fn)]
    del x, y
    gc.collect()
    assert [ref() for ref in held] == [None, None, None]


def test_an_operand_written_to_before_the_pull():
    x = leaf(1.0, 2.0, 4.0)
    y = x * 1
    z = np.std(y)
    y += 1
    with pytest.raises(RuntimeError, match="StdBackward"):
        z.backward()


def test_a_linear_composite_keeps_nothing():
    x = leaf(1.0, 2.0, 4.0)
    y = x * 1
    z = np.trapezoid(y) if hasattr(np, "trapezoid") else np.trapz(y)
    y += 1
    z.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.5, 1.0, 0.5])


def test_what_looks_at_a_value_is_recorded_step_by_step():
    x = leaf(1.0, 2.0)
    found = recipes.of(find(np.std))
    entry = find(np.std)
    body = entry.operation.body

    class Looking:
        body = staticmethod(lambda a, axis=None, ddof=0, keepdims=False: body(a) if a[0] > 0 else -body(a))

    class Entry:
        operation = Looking
        real_only, names, positional, name = False, entry.names, entry.positional, "Looking"

    assert recipes._written(Entry, (x, None, 0, False)) is None
    assert found.recipe((x, None, 0, False), (x,), {}) is not None


DERIVATIVES = {
    "grad": lambda f, x: adc.grad(f, mode="tape")(x),
    "vjp": lambda f, x: adc.vjp(f, x, mode="tape")[1](1.0),
    "jvp": lambda f, x: adc.jvp(f, (x,), (x,), mode="tape"),
    "linearize": lambda f, x: adc.linearize(f, x, mode="tape")[1](x),
    "hessian": lambda f, x: adc.hessian(f, mode="tape")(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_what_a_derivative_was_made_of_goes_with_it(name):
    z = np.array([1.0 + 2.0j])
    adc.jvp(lambda z: np.sum(np.sin(z) ** 2), (z,), (z,), mode="tape")  # pulls of complex operands are traced

    def loss(x):
        return np.sum(np.sin(x) ** 2)

    def objects():
        DERIVATIVES[name](loss, np.ones(5))
        gc.collect()
        return len(gc.get_objects())

    gc.collect()
    gc.freeze()  # the collector looks at what comes from here on: a worker holds millions of objects
    before = [objects() for _ in range(4)][-1]
    after = [objects() for _ in range(6)][-1]
    assert after <= before + 5, "objects stay after each call"


@pytest.mark.parametrize("others", ([0.0, 1.0, 3.0], [1.0, 1.0, 1.0], [-0.5, 2.0, 2.0], [0.0, 1.0, 4.0]))
def test_steps_whose_shapes_are_in_the_data(others):
    """How many elements `setxor1d` takes differs from call to call of one kind; each has the gradient of its sum."""
    for x in (leaf(-0.5, 2.0), leaf(1.0, 3.0)):
        y = leaf(*others)
        z = np.setxor1d(y, x)
        z.sum().backward()
        assert x.grad.sum().item() + y.grad.sum().item() == z.size
