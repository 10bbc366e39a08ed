"""Of a product of matrices of which only the sum along an axis is wanted, a factor is summed."""

import numpy as np
import pytest

import adc


def bias(x, b, w):
    return np.sum(np.tanh((x - b) @ w))


def row_by_row(x, b, w):
    y = (x - b) * 0.5 + (b * x) @ w @ w.T
    return np.sum(y * y)


def columns(x, b, w):  # a row of weights for each column
    return np.sum(np.sin(w.T @ (x + b).T))


def several(x, b, w):
    centred = x - b
    y = centred @ w - centred * 2.0 @ w[::-1] + np.sin(centred) @ w
    return np.sum(np.cos(y))


def of_the_primal(x, b, w):
    y = np.sum(x @ w - 2.0 * np.sin(x) @ w, axis=0)
    z = np.sum(np.cos(x) @ w, axis=1)
    return np.sum(y * y) + np.sum(z * z) + np.sum(b)


SUMMED = [bias, row_by_row, columns, several, of_the_primal]


def given(dtype=float, n=6):
    random = np.random.default_rng(1)
    x, b, w = random.normal(size=(n, 4)), random.normal(size=4), random.normal(size=(4, 3))
    return x.astype(dtype), b.astype(dtype), w.astype(dtype)


@pytest.mark.parametrize("function", SUMMED)
@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("argnums", [(1,), (0, 1, 2)])
def test_gradients_are_the_tape_s(function, n, argnums):
    value, found = adc.value_and_grad(function, argnums, mode="compiled")(*given(n=n))
    expected, taped = adc.value_and_grad(function, argnums, mode="tape")(*given(n=n))
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def reverse(function, argnums):
    text = adc.source(adc.grad(function, argnums), *given()).split("# reverse")[1]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def test_the_adjoint_of_a_bias_needs_no_product_of_matrices():
    found = reverse(bias, 1)
    assert "b_bar = -(np.sum(product_bar, axis=0) @ w.T)" in found
    assert found.count("@") == 1


def test_what_is_wanted_itself_is_made():
    """The adjoint of x is the product, and that of b its sum."""
    found = reverse(bias, (0, 1))
    assert "x_bar = product_bar @ w.T" in found
    assert "b_bar = np.sum(-x_bar, axis=0)" in found


def test_sums_that_keep_their_axis_stay():
    def kept(x, w):
        return np.sum(np.sum(x @ w, axis=0, keepdims=True) ** 2)

    x, _, w = given()
    assert adc.grad(kept, mode="compiled")(x, w) == pytest.approx(adc.grad(kept, mode="tape")(x, w))


def test_truths_are_not_summed():
    def paths(x, edges):
        return np.sum(np.sum(edges @ edges, axis=0) * x)

    edges = np.array([[True, True, False], [True, False, True], [True, True, True]])
    x = np.array([0.5, 1.5, 2.5])
    np.testing.assert_array_equal(adc.grad(paths, mode="compiled")(x, edges), np.sum(edges @ edges, axis=0))


@pytest.mark.parametrize("dtype", [np.float32, complex])
def test_other_dtypes(dtype):
    def real(x, b, w):
        return np.sum(np.abs((x - b) @ w) ** 2)

    found = adc.grad(real, 1, mode="compiled")(*given(dtype))
    taped = adc.grad(real, 1, mode="tape")(*given(dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, taped, rtol=1e-4 if dtype == np.float32 else 1e-11)


def test_what_is_written_over_is_read_where_it_was():
    def changed(x, w):
        q = 2.0 * x
        c = x @ w + q
        q[0] = 7.0
        return np.sum(np.sum(c, axis=0) ** 2) + np.sum(q)

    def changed_itself(x, w):
        c = x @ w + x
        c[1] = 0.5 * x[0]
        return np.sum(np.sum(c, axis=0) ** 2)

    x = np.random.default_rng(2).normal(size=(4, 4))
    for function in (changed, changed_itself):
        value, found = adc.value_and_grad(function, mode="compiled")(x, x[::-1])
        expected, taped = adc.value_and_grad(function, mode="tape")(x, x[::-1])
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(found, taped, rtol=1e-11)
