"""Products of vectors and matrices."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def vector_vector(x, y):
    return (x @ y) ** 2 + np.dot(x, x) * x.dot(y)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=4)))
def matrix_vector(a, x):
    return np.sum((a @ x) ** 2) + np.sum(np.dot(a, x) ** 3)


@program(lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=4), r.normal()))
def dot_of_other_ranks(a, x, y):
    rows = np.dot(a, x)
    return np.sum(rows**2) + np.sum(np.dot(rows, a[:, :, :2]) ** 3) + np.dot(y, y) ** 2 + np.dot(x, y)[1] ** 2


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 4))))
def vector_matrix(x, a):
    return np.sum((x @ a) ** 2) + np.sum(np.dot(x, a) ** 3)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(3, 4))))
def matrix_matrix(a, b):
    c = a @ b
    return np.sum(c * c) + np.sum(np.matmul(a, b) ** 3)


@program(lambda r: (r.normal(size=(3, 3)),))
def matrix_with_itself(a):
    return np.sum(a @ a @ a) + np.trace(a @ a.T)


@program(lambda r: (r.normal(size=(3, 2)), r.normal(size=(3, 2))))
def transposed_factors(a, b):
    return np.sum((a.T @ b) ** 2) + np.sum((a @ b.T) ** 2)


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 3)), r.normal(size=3)))
def quadratic_form(x, a, y):
    return x @ a @ y + (x @ (a + a.T) @ x) ** 2


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=3), r.normal(size=4)))
def least_squares(a, w, y):
    e = a @ w - y
    return 0.5 * e @ e


@program(lambda r: (r.normal(size=3), r.normal(size=4)))
def outer_product(x, y):
    return np.sum(np.outer(x, y) ** 2)


@program(lambda r: (r.normal(size=3), r.normal(size=(1, 2)), 0.7))
def outer_product_of_a_matrix_and_of_a_scalar(x, y, s):
    return np.sum(np.outer(x, y @ np.eye(2)) ** 2) + np.sum(np.outer(s, y) ** 3)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3), 4))
def power_iteration(a, v, n):
    for _ in range(n):
        v = a @ v
        v = v / np.sqrt(v @ v)
    return v @ a @ v


@program(lambda r: (r.normal(size=(2, 2)), 4))
def matrix_power_by_loop(a, n):
    p = np.eye(2)
    for _ in range(n):
        p = p @ a
    return np.sum(p * p)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3)))
def products_of_rows(a, x):
    s = 0.0
    for i in range(3):
        s += (a[i] @ x) * (a[:, i] @ x)
    return s


@program(
    lambda r: (
        r.normal(size=(4, 2)),
        r.normal(size=(2, 3)),
        r.normal(size=3),
        r.normal(size=(3, 2)),
        r.normal(size=2),
    )
)
def two_layer_network(x, w1, b1, w2, b2):
    h = np.tanh(x @ w1 + b1)
    y = h @ w2 + b2
    return np.mean((y - x) ** 2)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3)))
def solve(a, b):
    x = np.linalg.solve(a + 4 * np.eye(3), b)
    return np.sum(x * x)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(3, 2)), r.normal(size=2)))
def product_written_into_array(a, b, v):
    out = np.zeros((2, 2))
    out[:] = a @ b
    out[0] += a @ (b @ v)
    out[1, 0] = v @ v
    return np.sum(out**2)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(3, 2))))
def product_by_three_loops(a, b):
    c = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            for k in range(3):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


@program(lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=(2, 4, 2)), r.normal(size=4)))
def stacks_of_matrices(a, b, x):
    return np.sum((a @ b) ** 2) + np.sum((a @ x) ** 3) + np.sum((x @ b) ** 2)


@program(lambda r: (r.normal(size=(2, 3, 3)), r.normal(size=(2, 3))))
def stacks_of_systems(a, y):
    a = a + 4.0 * np.eye(3)
    x = np.linalg.solve(a, y[..., np.newaxis])
    return np.sum(x**2) + np.sum(np.linalg.det(a)) + np.sum(np.linalg.inv(a)[:, 0, 1])


@program(lambda r: (r.normal(size=4), 0.3))
def numbers_as_small_arrays(x, s):
    total = np.sum(x * s)
    column = np.reshape(total, (1, 1)) @ np.ravel(total * s)
    return np.sum(column) + np.sum(np.reshape(total, -1) ** 2) + np.squeeze(total) + np.sum(np.atleast_2d(s))


@program(lambda r: (r.normal(size=(5, 3)), r.normal(size=(5, 3))))
def diagonal_of_a_product(a, b):
    """Only the diagonal is used: nothing of the rest is formed."""
    return np.sum(np.diag(a.T @ b) ** 2) + np.trace(a @ b.T) ** 2


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 2))))
def diagonal_of_a_product_that_is_not_square(a, b):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.diag(a @ b) ** 3) * np.trace(a[:2] @ b)
        a = a * 0.5
    return total


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=(3, 3))))
def diagonal_of_a_product_that_is_used_again(a, b):
    c = a @ b
    d = np.diag(c).copy()
    c[0, 0] = 2.0 * c[1, 1]
    return np.sum(c * c) + np.sum(d**3)


@program(lambda r: (r.normal(size=(6, 6)), r.normal(size=6), r.normal(size=(6, 2))))
def systems_with_a_cholesky_factor(m, b, c):
    factor = np.linalg.cholesky(m @ m.T + 6.0 * np.eye(6))
    white = np.linalg.solve(factor, b)
    back = np.linalg.solve(factor.T, np.linalg.solve(factor, c))
    return white @ white + np.sum(back**2) + np.sum(np.log(np.diag(factor)))


@program(lambda r: (r.normal(size=(4, 3)), 2.0))
def triangles_and_units(x, s):
    square = x.T @ x + s * np.eye(3)
    return np.sum(np.tril(x, -1) ** 2) + np.sum(np.triu(square, 1) * s) + np.sum(np.eye(4, 3, 1) * x)


@program(lambda r: (r.normal(size=(2, 2, 3)), r.normal(size=(2, 3, 4)), r.normal(size=3)))
def dot_of_stacks(a, b, x):
    whole = np.dot(a, b)
    return np.sum(whole**2) + np.sum(a.dot(x) ** 2) + np.sum(np.dot(x, b) ** 2) + np.sum(a.dot(b[0]))


@program(lambda r: (r.normal(size=(9, 12)),))
def columns_of_a_matrix(x):
    total = 0.0
    for i in range(x.shape[1] - 1):
        total += np.sum((x[:, i] @ x[:, i + 1 :]) ** 2) + x[:, i] @ x[:, i + 1]
    return total


@program(lambda r: (r.normal(size=(12, 14)), r.normal(size=14)))
def blocks_of_a_matrix(x, v):
    total = 0.0
    for k in range(1, 11):
        y = x[k:, k:] @ v[k:] + x[k:, :k] @ v[:k][::-1]
        total += np.sum(y**2) + np.sum(x[:k, k:].T @ x[:k, :3]) + np.sum(v[::2] @ x[2:9, 1:6])
        x[k:, k] -= 0.1 * (x[k:, :k] @ x[k, :k])
    return total


@program(lambda r: (r.normal(size=9), np.array([0, 4, 9])))
def fits_of_pieces(y, bounds):
    total = 0.0
    for k in range(len(bounds) - 1):
        n = bounds[k + 1] - bounds[k]
        a = np.ones((n, 2))
        a[:, 0] = np.arange(n)
        total = total + np.sum(np.linalg.lstsq(a, y[bounds[k] : bounds[k + 1]], rcond=None)[0] ** 2)
    return total


WHOLE = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]])


@program(lambda r: (r.normal(size=(3, 3)) + 3.0 * np.eye(3), r.normal(size=3)))
def systems_with_integers(a, b):
    x = np.linalg.solve(WHOLE, b)
    y = np.linalg.solve(a, np.array([1, 2, 3]))
    fit = np.linalg.lstsq(WHOLE, b, rcond=None)[0]
    scale = np.linalg.slogdet(WHOLE)[1] + np.linalg.det(WHOLE)
    return x @ y + np.sum((np.linalg.inv(WHOLE) @ x) * fit) + scale * np.sum(np.linalg.cholesky(WHOLE) @ y)


@program(
    lambda r: (r.normal(size=(4, 2)).astype(np.float32), r.normal(size=4).astype(np.float32)), tolerance=1e-2
)
def single_precision_beside_double(x, y):
    k = np.exp(-np.sum((x[:, None] - x) ** 2, axis=2)) + 0.5 * np.eye(4)
    half = np.linalg.solve(np.linalg.cholesky(k), y)
    return half @ half + np.linalg.slogdet(k)[1] + np.sum(np.linalg.solve(k, y) * y)


@program(lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=(5, 3)), r.normal(size=(5, 4))))
def einsum_of_a_form_and_two_vectors(a, x, y):
    return np.sum(np.einsum("kij,ni,nj->nk", a, x, y) ** 2)


@program(lambda r: (r.normal(size=(5, 1, 3)), r.normal(size=(5, 3, 4)), r.normal(size=(2, 1, 4, 1))))
def stacks_of_rows_and_columns(a, b, c):
    z = a @ b
    return np.sum((z @ c) ** 2) + np.sum((np.transpose(z, (0, 2, 1)) @ a) ** 2) + np.sum((b @ c) ** 3)


@program(lambda r: (r.normal(size=12), r.normal(size=5)))
def convolutions_of_parts(x, k):
    y = np.convolve(x[::2], k[::-1]) + np.convolve(k, x[1::2], "full")
    for _ in range(2):
        y = np.tanh(np.convolve(y, k[1:4], mode="same"))
    return np.sum(np.convolve(k, y, "valid") ** 2)


@program(lambda r: (r.normal(size=(4, 4)), 0.7))
def logarithm_of_a_determinant_by_cholesky(a, w):
    s = a @ a.T + (1.0 + w * w) * np.eye(4)
    factor = np.linalg.cholesky(s)
    return 2.0 * np.sum(np.log(np.diag(factor)))


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3)))
def determinants_by_cholesky_step_by_step(a, y):
    p = a @ a.T + 2.0 * np.eye(3)
    total = 0.0
    for k in range(3):
        factor = np.linalg.cholesky(p)
        total += np.sum(np.log(np.diag(factor))) + y[k] ** 2 * np.diag(factor)[k]
        p = 0.5 * p + np.eye(3) * (1.0 + y[k] ** 2)
    return total


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=3)))
def identity_in_both_sweeps(a, w):
    k = np.exp(a @ np.diag(w) @ a.T) + 0.5 * np.eye(4)
    return np.sum(np.sin(k) * k) + np.sum(np.tri(4, 4) * k)


@program(lambda r: (r.normal(size=(2, 5, 6)), r.normal(size=(6, 6))))
def heads_of_attention(x, w):
    q = (x @ w).reshape(2, 5, 3, 2).transpose(0, 2, 1, 3)
    k = (x * 0.5).reshape(2, 5, 3, 2).transpose(0, 2, 1, 3)
    a = np.exp(0.1 * (q @ k.transpose(0, 1, 3, 2)))
    return np.sum((a @ k).transpose(0, 2, 1, 3).reshape(2, 5, 6) ** 2)


@program(lambda r: (r.normal(size=(3, 2, 4, 5)), r.normal(size=(2, 3, 5, 6))))
def products_of_transposed_stacks(x, y):
    a = x.transpose(1, 0, 2, 3) @ y
    b = (
        x.transpose(3, 1, 2, 0) @ y.transpose(2, 0, 1, 3) * 0.5
    )  # of the first, neither rows nor columns are contiguous
    c = np.transpose(np.transpose(x, (3, 2, 1, 0)), (2, 0, 3, 1)) @ y.transpose(0, 2, 3, 1)[:, :, :4, :]
    return np.sum(a**2) + np.sum(np.sin(b)) + np.sum(c**2)


@program(lambda r: (r.normal(size=(5, 4)) + 2.0 * np.eye(5, 4), 0.2))
def least_squares_of_as_many_columns_as_a_loop_finds(a, least):
    columns = np.zeros((5, 4))
    m = 4
    for k in range(4):
        columns[:, k] = a[:, k] * least
        if np.abs(a[k, k]) < least or k == 2:
            m = k + 1
            break
    y = np.linalg.lstsq(columns[: m + 1, :m], np.ones(m + 1), rcond=None)[0]
    return y @ y + np.sum(np.linalg.pinv(a[:m], m * 1e-12) ** 2)
