"""Nests of loops that multiply matrices are products of matrices: as loops would, also where nothing fits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(0)


def rows_by_columns(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return np.sum(np.sin(c))


def element_by_element(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(np.sin(c))


def multiples_of_rows(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += 0.5 * a[i, k] * b[k, j]
    return np.sum(np.sin(c))


def outer_products(a, b):
    c = np.ones((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                c[i, j] -= a[i, k] * b[k, j]
    return np.sum(np.sin(c))


def backwards(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0] - 1, -1, -1):
        for j in range(b.shape[1] - 1, -1, -1):
            for k in range(a.shape[1] - 1, -1, -1):
                c[i, j] += b[k, j] * a[i, k]
    return np.sum(np.sin(c))


def products_of_vectors(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = np.dot(a[i, :], b[:, j])
    return np.sum(np.sin(c))


def sums_of_products(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total += np.sin(np.sum(a[i] * b[:, j]))
    return total


PRODUCTS = [
    rows_by_columns,
    element_by_element,
    multiples_of_rows,
    outer_products,
    backwards,
    products_of_vectors,
    sums_of_products,
]


def layer(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        out = np.zeros(w.shape[1])
        for h in range(w.shape[1]):
            s = w[0, h]
            for k in range(w.shape[0]):
                s += x[i, k] * w[k, h]
            out[h] = np.tanh(s)
        for h in range(len(out)):
            total += out[h] ** 2
    return total


def read_before_it_is_written_over(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        row = np.ones(w.shape[1])
        for h in range(w.shape[1]):
            before = row[h]
            for k in range(w.shape[0]):
                row[h] += x[i, k] * w[k, h]
            row[h] *= before + 2.0
        first = row[0]
        row[0] = 3.0
        for h in range(len(row)):
            total += np.sin(row[h]) * first
    return total


def a_copy_that_is_added_to(x, w):
    total = 0.0
    start = w[0] * 2.0
    for i in range(x.shape[0]):
        row = start.copy()
        own = x[i].copy()
        own[0] = 1.5
        for h in range(w.shape[1]):
            for k in range(w.shape[0]):
                row[h] += own[k] * w[k, h]
        total += np.sum(np.tanh(row))
    return total


def quadratic_forms(x, w):
    p = w @ w.T
    total = 0.0
    for i in range(x.shape[0]):
        q = 0.0
        for a in range(p.shape[0]):
            for b in range(p.shape[1]):
                q += x[i, a] * p[a, b] * x[i, b]
        total += np.log(1.0 + q * q)
    return total


def covariance(x, w):
    n, d = x.shape
    c = np.zeros((d, d))
    mean = np.zeros(d)
    for i in range(n):
        for j in range(d):
            mean[j] += x[i, j] / n
    for i in range(n):
        for j in range(d):
            for k in range(d):
                c[j, k] += (x[i, j] - mean[j]) * (x[i, k] - mean[k])
    return np.sum(np.abs(c)) + np.sum(w)


def weights_of_all(x, w):
    n, m = x.shape[0], w.shape[1]
    v = x @ w
    out = np.zeros((n, m))
    for i in range(n):
        a = np.zeros(n)
        for j in range(n):
            s = 0.0
            for k in range(x.shape[1]):
                s += x[i, k] * x[j, k]
            a[j] = np.exp(s / 3.0)
        z = 0.0
        for j in range(n):
            z += a[j]
        for k in range(m):
            for j in range(n):
                out[i, k] += a[j] / z * v[j, k]
    return np.sum(out**2)


def a_stack_of_rows(x, w):
    y = x.reshape(1, *x.shape) * np.ones((2, 1, 1))
    total = 0.0
    for n in range(2):
        for t in range(y.shape[1]):
            for h in range(w.shape[1]):
                s = 0.0
                for k in range(w.shape[0]):
                    s += y[n, t, k] * w[k, h]
                total += np.tanh(s)
    return total


def mixture(x, w):
    roots = np.ones((w.shape[1], 1, 1)) * (w @ w.T)
    total = 0.0
    for i in range(x.shape[0]):
        density = 0.1
        for c in range(w.shape[1]):
            q = 0.0
            for a in range(w.shape[0]):
                s = 0.0
                for b in range(w.shape[0]):
                    s += roots[c, a, b] * (x[i, b] - w[b, c])
                q += s * s
            density += np.exp(-0.5 * q)
        total += np.log(density)
    return total


def scores_of_classes(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        z = np.zeros(w.shape[1])
        for c in range(w.shape[1]):
            s = w[0, c]
            for k in range(w.shape[0]):
                s += x[i, k] * w[k, c]
            z[c] = s
        most = z[0]
        for c in range(1, w.shape[1]):
            if z[c] > most:
                most = z[c]
        e = 0.0
        for c in range(w.shape[1]):
            z[c] -= most
            e += np.exp(z[c])
        total += np.log(e) - z[(i * i) % w.shape[1]]
    return total


def scores_of_labels(x, w):
    labels = np.arange(x.shape[0]) % w.shape[1] - 1
    total = 0.0
    for i in range(x.shape[0]):
        z = np.zeros(w.shape[1])
        for c in range(w.shape[1]):
            for k in range(w.shape[0]):
                z[c] += x[i, k] * w[k, c]
        e = 0.0
        for c in range(w.shape[1]):
            e += np.exp(z[c])
        total += np.log(e) - z[labels[i]]
    return total


def one_after_the_other(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        h, before = x[i, 0], 0.5
        for c in range(w.shape[1]):
            s = 0.1 * h
            for k in range(w.shape[0]):
                s += x[i, k] * w[k, c]
            h, before = before + np.tanh(s), h
            total += h * w[0, c]
        total += h * before
    return total


def states_in_place(x, w):
    d = w.shape[0]
    total = 0.0
    for i in range(x.shape[0]):
        h = np.zeros(d)
        for _ in range(3):
            new = np.zeros(d)
            for a in range(d):
                s = x[i, a]
                for b in range(w.shape[1]):
                    for k in range(d):
                        s += w[a, b] * w[k, b] * h[k]
                new[a] = np.tanh(s)
            for a in range(d):
                h[a] = new[a]
        for a in range(d):
            total += h[a] ** 2
    return total


NESTS = [
    mixture,
    scores_of_labels,
    states_in_place,
    layer,
    read_before_it_is_written_over,
    a_copy_that_is_added_to,
    quadratic_forms,
    covariance,
    weights_of_all,
    a_stack_of_rows,
]


def into_itself(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            for k in range(a.shape[1]):
                a[i, j] += 0.1 * a[i, k] * b[k, j]
    return np.sum(np.sin(a))


def what_went_before(a, b):
    c = np.zeros((a.shape[0] + 1, b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i + 1, j] += a[i, k] * b[k, j] * c[i, j] + 0.1
    return np.sum(np.sin(c))


def one_row_for_all(a, b):
    row = np.zeros(b.shape[1])
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            row[j] *= 0.5
            for k in range(a.shape[1]):
                row[j] += a[i, k] * b[k, j]
        total += np.sum(row**2)
    return total


def triangle(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(i):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            total += s**2
    return total + np.sum(b)


def three_at_a_time(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(3):
                s += a[i, k] * b[k, j]
            total += np.sin(s)
    return total


def distances(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += (a[i, k] - b[k, j]) ** 2
            total += np.exp(-s)
    return total


LOOPS = [
    scores_of_classes,
    into_itself,
    what_went_before,
    one_row_for_all,
    triangle,
    three_at_a_time,
    distances,
]


def gradients(f, a, b, mode):
    found = adc.value_and_grad(f, argnums=(0, 1), mode=mode)
    return found(a.copy(), b.copy())


def agree(f, a, b, modes=("compiled", "python")):
    value, wanted = gradients(f, a, b, "tape")
    np.testing.assert_allclose(value, f(a.copy(), b.copy()), rtol=1e-12)
    for mode in modes:
        with interpreted():
            got, found = gradients(f, a, b, mode)
        np.testing.assert_allclose(got, value, rtol=1e-12)
        for x, y in zip(found, wanted, strict=True):
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


SHAPES = [(5, 9, 4), (9, 9, 9), (1, 1, 1), (3, 1, 2), (0, 4, 3), (3, 0, 4), (4, 3, 0)]


def operands(n, m, p):
    return R.normal(size=(n, m)), R.normal(size=(m, p))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", PRODUCTS)
def test_products(f, shape):
    agree(f, *operands(*shape))


@pytest.mark.parametrize("f", PRODUCTS)
def test_any_order_of_memory(f):
    a, b = operands(5, 12, 4)
    agree(f, np.asfortranarray(a), b[::1, ::-1], modes=("compiled",))
    agree(f, a[:, ::2], np.asfortranarray(b[::2]), modes=("compiled",))


@pytest.mark.parametrize("f", NESTS)
def test_nests(f):
    for shape in ((5, 9, 4), (1, 1, 1), (9, 9, 9)):
        agree(f, *operands(*shape))


@pytest.mark.parametrize("f", [*PRODUCTS, *NESTS])
def test_they_are_products(f):
    text = adc.source(adc.grad(f, argnums=(0, 1)), *operands(5, 9, 4), stage="adjoint")
    assert " @ " in text


@pytest.mark.parametrize("f", LOOPS)
def test_what_stays_loops(f):
    a, b = operands(6, 6, 6)
    agree(f, a, b)
    assert " @ " not in adc.source(adc.grad(f, argnums=(0, 1)), a, b, stage="adjoint")


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_a_nest_without_arrays(mode):
    def f(x, n):
        total = 0.0
        for _ in range(n):
            t = x
            for _ in range(n):
                for _ in range(n):
                    t = t * 0.9 + x * t
            total += t * t
        return total

    with interpreted():
        found = adc.value_and_grad(f, mode=mode)(0.3, 3)
    np.testing.assert_allclose(found, adc.value_and_grad(f, mode="tape")(0.3, 3), rtol=1e-12)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_operands_that_do_not_fit(mode):
    a, b = R.normal(size=(3, 4)), R.normal(size=(3, 2))
    gradient = adc.grad(rows_by_columns, argnums=(0, 1), mode=mode)
    with pytest.raises(IndexError, match="index"):
        gradient(a, b)
    # The loops use what there is of a longer one, and nothing where they have no trip.
    longer = R.normal(size=(6, 2))
    found = gradient(a, longer)
    np.testing.assert_allclose(found[0], np.cos(a @ longer[:4]) @ longer[:4].T)
    assert not found[1][4:].any()
    assert [x.shape for x in gradient(a[:0], b)] == [(0, 4), (3, 2)]


def test_single_precision():
    r = np.random.default_rng(
        1
    )  # of its own: a sum that comes near zero, by the draws before, has no such digits
    a, b = r.normal(size=(5, 9)).astype(np.float32), r.normal(size=(9, 4)).astype(np.float32)
    for f in (rows_by_columns, products_of_vectors):
        value, wanted = gradients(f, a, b, "tape")
        with interpreted():
            got, found = gradients(f, a, b, "compiled")
        np.testing.assert_allclose(got, value, rtol=1e-5)
        for x, y in zip(found, wanted, strict=True):
            assert x.dtype == y.dtype == np.float32
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


def test_sums_in_higher_precision_than_their_terms_stay():
    def f(a, b):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                s = np.float64(0.0)
                for k in range(a.shape[1]):
                    s += a[i, k] * b[k, j]
                total += s
        return total

    a = np.full((2, 4), 1e8, np.float32)
    a[:, 1] = 1.0
    a[:, 2] = -1e8
    b = np.ones((4, 3), np.float32)
    for mode in ("compiled", "python"):
        assert gradients(f, a, b, mode)[0] == f(a, b)


def test_of_complex_numbers():
    def f(a, b):
        c = np.zeros((a.shape[0], b.shape[1]), complex)
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * (b[k, j] + 1j * b[k, j] ** 2)
        return np.sum(np.abs(c))

    agree(f, *operands(4, 5, 3))


@pytest.mark.machine_code
def test_compiled():
    for f in (rows_by_columns, layer):
        a, b = operands(5, 9, 4)
        value, wanted = gradients(f, a, b, "tape")
        got, found = gradients(f, a, b, "compiled")
        np.testing.assert_allclose(got, value, rtol=1e-12)
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
