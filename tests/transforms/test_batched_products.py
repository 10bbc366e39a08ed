"""A batch meets a matrix many elements at a time: the same results as one by one."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(0)
W1, W2 = R.normal(size=(4, 6)), R.normal(size=(6, 2))
XS, YS = R.normal(size=(70, 4)), R.normal(size=70)


def loss(w, x, y):
    return (np.tanh(x @ w) - y) ** 2


def network(x, a, b):
    return np.tanh(np.sin(x @ a) @ b)


def branching(x, a, y):
    z = a.T @ x
    if z[0] > y:
        z = z * 2.0
    while np.sum(z * z) > 4.0:
        z = z * 0.5
    return np.dot(z, a.T @ (x * x))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_per_example_gradients(mode):
    w = R.normal(size=4)
    found = adc.vmap(adc.grad(loss), in_axes=(None, 0, 0), mode=mode)(w, XS, YS)
    t = np.tanh(XS @ w)
    np.testing.assert_allclose(found, (2.0 * (t - YS) * (1.0 - t * t))[:, None] * XS)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_network(mode):
    found = adc.vmap(network, in_axes=(0, None, None), mode=mode)(XS, W1, W2)
    np.testing.assert_allclose(found, network(XS, W1, W2))
    found = adc.vmap(network, in_axes=(1, None, None), out_axes=1, mode=mode)(XS.T, W1, W2)
    np.testing.assert_allclose(found, network(XS, W1, W2).T)
    found = adc.vmap(adc.jacrev(network), in_axes=(0, None, None), mode=mode)(XS[:3], W1, W2)
    np.testing.assert_allclose(found, [adc.jacrev(network, mode="python")(x, W1, W2) for x in XS[:3]])


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_branches_and_loops(mode):
    found = adc.vmap(branching, in_axes=(0, None, 0), mode=mode)(XS, W1, YS)
    np.testing.assert_allclose(found, [branching(x, W1, y) for x, y in zip(XS, YS, strict=True)])


def test_gradient_through_a_batch():
    def total(w):
        return np.sum(adc.vmap(loss, in_axes=(None, 0, 0))(w, XS, YS))

    w = R.normal(size=4)
    expected = np.sum(adc.vmap(adc.grad(loss), in_axes=(None, 0, 0), mode="python")(w, XS, YS), 0)
    np.testing.assert_allclose(adc.grad(total, mode="python")(w), expected)
    assert adc.vmap(loss, in_axes=(None, 0, 0), mode="python")(w, XS[:0], YS[:0]).shape == (0,)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_shapes_that_do_not_fit(mode):
    batched = adc.vmap(adc.grad(loss), in_axes=(None, 0, 0), mode=mode)
    for length in (3, 5):
        with pytest.raises(ValueError, match=r"@|matmul"):
            batched(np.ones(length), XS, YS)


def by_rows(stack, x):
    return np.sum(np.tanh((stack @ x[:, :, None])[:, :, 0]))


def by_columns(stack, x):
    return np.sum(np.tanh((stack.transpose(0, 2, 1) @ x[:, :, None])[:, :, 0]))


def rows_by_columns(stack, x):
    return np.sum(np.tanh(np.einsum("ni,nji->nj", x, stack)))


def one_for_all(stack, x):
    return np.sum(np.tanh(x[0][None, :] @ stack.transpose(0, 2, 1)))


@pytest.mark.parametrize("function", [by_rows, by_columns, rows_by_columns, one_for_all])
@pytest.mark.parametrize("shape", [(30, 5, 7), (2, 1, 7), (3, 6, 1), (0, 5, 7)])
def test_stacks_by_vectors_lie_as_they_are_read(function, shape):
    count, n, m = shape
    stack, x = (
        R.normal(size=(count, m, n) if function is by_columns else shape),
        R.normal(size=(max(count, 1), m)),
    )
    x = x if function is one_for_all else x[:count]
    gradient = adc.grad(function, argnums=(0, 1), mode="compiled")
    for found, wanted in zip(
        gradient(stack, x), adc.grad(function, (0, 1), mode="tape")(stack, x), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def test_a_transposed_stack_is_read_along_its_rows():
    stack, x = R.normal(size=(30, 7, 5)), R.normal(size=(30, 7))
    text = str(adc.source(adc.grad(by_columns, mode="compiled"), stack, x, stage="optimized"))
    assert "+= stack[i, j, k] * x[i, j]" in text, text


def network_of_two_layers(p, x):
    return p["out"] @ np.tanh(p["in"].T @ np.tanh(p["in"] @ x))


def penalty(p, xs):
    """How far the slopes of a network are from 1: a gradient, within, of a sum over a batch."""

    def total(xs):
        return np.sum(adc.vmap(network_of_two_layers, in_axes=(None, 0))(p, xs) ** 2)

    slopes = adc.grad(total)(xs)
    return np.sum((np.sqrt(np.sum(slopes * slopes, axis=1)) - 1.0) ** 2)


def columns_penalty(p, xs):
    def total(xs):
        return np.sum(adc.vmap(lambda x: np.tanh(p["in"] @ x), in_axes=1, out_axes=1)(xs) ** 3)

    return np.sum(adc.grad(total)(xs.T) ** 2)


@pytest.mark.parametrize("function", [penalty, columns_penalty])
def test_a_second_reverse_sweep_over_a_batch(function):
    p = {"in": R.normal(size=(3, 4)), "out": R.normal(size=4)}
    found, wanted = (adc.grad(function, mode=mode)(p, XS[:40]) for mode in ("python", "tape"))
    for key in p:
        np.testing.assert_allclose(found[key], wanted[key], rtol=1e-9, atol=1e-12)
