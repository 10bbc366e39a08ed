"""Loops over rows and columns: those that multiply by a matrix or go down columns become statements on whole arrays."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(5, 3)), r.normal(size=(4, 3)), r.normal(size=4)))
def layer_row_by_row(x, w, b):
    y = np.zeros((x.shape[0], w.shape[0]))
    for i in range(x.shape[0]):
        y[i] = np.tanh(w @ x[i] + b)
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(3, 6)), r.normal(size=(4, 3))))
def layer_column_by_column(x, w):
    y = np.empty((4, x.shape[1]))
    for j in range(x.shape[1]):
        y[:, j] = np.dot(w, x[:, j]) * x[0, j]
    return np.sum(np.sin(y))


@program(lambda r: (r.normal(size=(6, 3)), r.normal(size=(3, 3))))
def quadratic_forms(x, s):
    total = 0.0
    for i in range(x.shape[0]):
        d = x[i] - 0.5
        total += d @ s @ d
    return total / x.shape[0]


@program(lambda r: (r.normal(size=(6, 4)) + 2.0,))
def columns_to_mean_zero(x):
    z = np.empty_like(x)
    for j in range(x.shape[1]):
        c = x[:, j]
        z[:, j] = (c - c.mean()) / (c.max() + np.sqrt(np.sum(c**2)))
    return np.sum(z**3)


@program(lambda r: (r.normal(size=(5, 4)), r.normal(size=4)))
def weighted_columns(a, w):
    s = np.zeros(a.shape[0])
    for j in range(a.shape[1]):
        s += w[j] * a[:, j]
    return np.sum(s**2)


@program(lambda r: (0.7, r.normal(size=(4, 4)), r.normal(size=(4, 5))))
def lower_part_of_a_product(alpha, c, a):
    c = c.copy()
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 0.5
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return np.sum(c**2)


@program(lambda r: (r.normal(size=(4, 4)), r.normal(size=(4, 3))))
def triangle_times_matrix(a, b):
    b = b.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    return np.sum(b**2)


@program(lambda r: (1.3, r.normal(size=(4, 3)), r.normal(size=(4, 4)), r.normal(size=(4, 3))))
def symmetric_times_matrix(alpha, c, a, b):
    c = c.copy()
    row = np.empty(c.shape[1])
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            row[j] = b[:i, j] @ a[i, :i]
        c[i] += alpha * b[i] * a[i, i] + alpha * row
    return np.sum(c**2)


@program(lambda r: (r.normal(size=(3, 4, 5)), r.normal(size=(5, 5))))
def vectors_of_a_grid(a, c):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            row = a[i, j, :] @ c
            a[i, j, :] = row
    return np.sum(a**3)


@program(lambda r: (r.normal(size=(6, 4)),))
def orthogonal_columns(a):
    a = a.copy()
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return np.sum(q**3) + np.sum(r**2)


@program(lambda r: (r.normal(size=(4, 6)), r.normal(size=4)))
def backwards_and_from_the_second(x, w):
    y = np.zeros((4, 7))
    for j in range(x.shape[1] - 1, 0, -1):
        y[:, j + 1] = w * x[:, j] + y[0, j + 1]
        y[:, j + 1] *= x[1, j]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 6)),))
def each_column_needs_the_one_before(x):
    y = x.copy()
    for j in range(1, x.shape[1]):
        y[:, j] += 0.5 * np.sin(y[:, j - 1])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 6)),))
def each_column_reads_the_next(x):
    y = x.copy()
    for j in range(x.shape[1] - 1):
        y[:, j] = y[:, j] * y[:, j + 1]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(5, 3)), r.normal(size=(3, 3))))
def one_row_is_written_by_all(x, w):
    last = np.zeros(3)
    total = np.zeros(3)
    for i in range(x.shape[0]):
        last[:] = w @ x[i]
        total += last
    return np.sum(total**2) + np.sum(last)


@program(lambda r: (r.normal(size=(5, 5)), r.normal(size=(5, 5))))
def rows_and_columns_of_one_array(x, w):
    y = x.copy()
    for j in range(5):
        y[:, j] = w @ y[j]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(3, 5)), r.normal(size=(4, 3)), r.normal(size=(2, 4))))
def two_layers_of_columns(x, a, b):
    loss = 0.0
    for j in range(x.shape[1]):
        h = np.maximum(a @ x[:, j], 0.0)
        loss += np.sum((b @ h - x[:2, j]) ** 2)
    return loss


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 2)), r.normal(size=(4, 2))))
def with_a_view_of_each_row(x, w, y):
    y = y.copy()
    for i in range(len(x)):
        target = y[i]
        y[i] = target + x[i] @ w
        y[i, 0] += target[1]
    return np.sum(y**2)


@program(
    lambda r: (
        r.integers(-3, 4, size=(4, 3)).astype(np.float32),
        r.integers(-3, 4, size=(3, 3)).astype(np.float32),
    )
)
def single_precision_rows(x, w):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = w @ x[i]
    return np.sum(y * y)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 3))))
def functional_sum_of_vectors(x, w):
    total = np.zeros(3)
    for i in range(x.shape[0]):
        total = total + np.exp(0.1 * (w @ x[i]))
    return np.sum(total**2)


@program(lambda r: (np.zeros((0, 3)), r.normal(size=(3, 3))))
def no_rows(x, w):
    total = 1.0
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = w @ x[i]
        total += np.sum(w @ x[i])
    return total * np.sum(w) + np.sum(y)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 3)), 2))
def some_of_the_rows(x, w, first):
    y = np.zeros_like(x)
    for i in range(first, x.shape[0]):
        y[i - first] = w @ x[i]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 3))))
def the_row_before_the_first_is_the_last(x, w):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = w @ x[i - 1]
    return np.sum(y**2 * x)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(5, 3)), r.normal(size=(5, 4))))
def linear_layer(w, x, y):
    difference = x @ w - y
    turned = y @ w.T
    return np.sum(difference**2) + np.sum(np.cos(turned))


@program(lambda r: (r.normal(size=(6, 3)), r.normal(size=3), r.normal(size=(3, 3))))
def densities_of_rows(x, mean, root):
    factor = np.linalg.cholesky(root @ root.T + 3.0 * np.eye(3))
    total = 0.0
    for i in range(x.shape[0]):
        z = np.linalg.solve(factor, x[i] - mean)
        total += -0.5 * z @ z - np.sum(np.log(np.diag(factor)))
    return total


@program(lambda r: (r.normal(size=(7, 4)), r.normal(size=(4, 4)) + 4.0 * np.eye(4)))
def one_solution_for_each_row(x, a):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = np.linalg.solve(a, x[i])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=20), r.normal(size=4)))
def filter_by_windows(x, h):
    n, m = len(x), len(h)
    y = np.zeros(n)
    for i in range(m - 1, n):
        y[i] = np.dot(h[::-1], x[i - m + 1 : i + 1])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 3))))
def whole_columns_are_added_first(x, w):
    s = np.zeros(3)
    y = np.zeros_like(x)
    for j in range(x.shape[1]):
        s += x[:, j]
        y[:, j] = w @ x[:, j]
    return np.sum(s**2) + np.sum(y)


@program(lambda r: (r.normal(size=5), np.arange(5)), argnums=(0,))
def written_into_an_array_of_integers(x, i):
    rounded = np.empty_like(i)
    rounded[:] = i * 1.6
    return np.sum(rounded * x)


@program(lambda r: (r.uniform(1.0, 4.0, size=3), np.arange(3)), argnums=(0,), tolerance=1e-5)
def filled_with_what_is_cut(x, i):
    thirds, ones = np.full_like(i, 2.7), np.full(3, 1.9, dtype=int)
    truths, cut = np.full(2, 0.5, dtype=bool), np.full(3, np.floor(x[0]) + 0.25, dtype=int)
    thirds[0] = 3.9
    return np.sum(thirds) * x[0] + np.sum(ones) * x[1] + np.sum(truths) * x[2] + np.sum(cut) * x[1]
