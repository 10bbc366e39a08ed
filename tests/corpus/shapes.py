"""Reshaping, transposing and making arrays."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=6),))
def reshape(x):
    a = x.reshape(2, 3)
    b = np.reshape(x, (3, 2))
    c = x.reshape((3, -1))
    return np.sum((a @ b) ** 2) + np.sum(b * c)


@program(lambda r: (r.normal(size=(2, 3)),))
def ravel_and_flatten(x):
    a = x.ravel()
    b = np.ravel(x * 2)
    c = x.flatten()
    return np.sum(a[1:] * b[:-1]) + c[2] * c[3] + np.sum(x.reshape(-1) ** 3)


@program(lambda r: (r.normal(size=(2, 3)),))
def transpose(x):
    a = x.T
    b = np.transpose(x)
    return np.sum((a @ x) ** 2) + np.sum(b[0] * x[:, 0]) + np.sum(x.transpose() ** 3)


@program(lambda r: (r.normal(size=(2, 3, 4)),))
def transpose_with_axes(x):
    a = np.transpose(x, (2, 0, 1))
    b = x.transpose(1, 0, 2)
    return np.sum(a[0] * b[:, :, 0].T) + np.sum(np.swapaxes(x, 0, 2)[1] ** 3)


@program(lambda r: (r.normal(size=(2, 3)),))
def sizes(x):
    return (
        np.sum(x) * x.shape[0] + np.sum(x * x) / x.size + x[0, 0] * x.ndim * len(x) + x[1, 1] * np.shape(x)[1]
    )


@program(lambda r: (r.normal(size=3), 4))
def creation(x, n):
    a = np.zeros(n)
    b = np.ones((n, 3))
    c = np.full(3, 2.5)
    d = np.arange(n) * 1.0
    e = np.arange(1, 7, 2)
    f = np.linspace(0.0, 1.0, 3)
    return np.sum(a) + np.sum(b * x * c) + np.sum(d) * x[0] + np.sum(e * x * f * x)


@program(lambda r: (r.normal(size=3), 4))
def dtypes_that_are_none_or_of_any_array(x, n):
    y = np.empty(n, dtype=None)
    y[:3] = np.asanyarray(x, dtype=float)
    y[3:] = np.ones(1, None)
    first = np.atleast_1d(np.asanyarray(x[0], np.float64))
    return np.sum(y**2) + np.sum(first * np.zeros((2, 1), dtype=None) + first)


@program(lambda r: (r.normal(size=(2, 3)),))
def like_another(x):
    a = np.zeros_like(x)
    b = np.ones_like(x) * x
    c = np.full_like(x, 3.0)
    d = np.empty_like(x)
    d[:] = b * c
    a[0] = x[1]
    return np.sum(a * b) + np.sum(d * x)


@program(lambda r: (0.7, 3))
def full_of_a_variable(x, n):
    a = np.full(n, x)
    b = np.full((n, 2), x * x)
    return np.sum(a * a) + np.sum(b) * x + np.sum(np.ones(n) * x)


@program(lambda r: (r.normal(size=3),))
def copies(x):
    a = x.copy()
    b = np.copy(x)
    c = np.array(x)
    a[0] = b[1]
    b[0] = c[2] * c[2]
    return np.sum(a * b * c)


@program(lambda r: (0.7, 1.3))
def array_of_numbers(x, y):
    a = np.array([x, y, x * y])
    b = np.array([[x, 1.0], [y, x]])
    return np.sum(a * a) + np.sum(b @ b)


@program(lambda r: (r.normal(size=3), r.normal(size=(2, 3))))
def broadcast_to(x, y):
    a = np.broadcast_to(x, (2, 3))
    return np.sum(a * y) + np.sum(a * a)


@program(lambda r: (r.normal(size=(3, 1)), r.normal(size=4)))
def squeeze_and_expand(x, y):
    a = np.squeeze(x)
    b = np.expand_dims(y, 0)
    return np.sum(a[:, None] * b * b) + np.sum(x * b)


@program(lambda r: (r.normal(size=4),))
def astype_and_float(x):
    a = x.astype(np.float64)
    k = int(2.7)
    return np.sum(a * a) * float(k) + float(x[0]) * x[1] + a.item(2)


@program(lambda r: (r.normal(size=(2, 3)),))
def flips_rolls_and_tiles(x):
    return (
        np.sum(np.flip(x, axis=1) * x) + np.sum(np.roll(x, 1, axis=1) * x**2) + np.sum(np.tile(x[0], 2) ** 2)
    )


@program(lambda r: (r.normal(size=(3, 3)),))
def diagonals_and_triangles(x):
    return np.sum(np.diag(x) ** 2) + np.sum(np.tril(x) * x) + np.sum(np.triu(x, 1) ** 3) + np.trace(x) ** 2


@program(lambda r: (r.normal(size=5),))
def differences(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.diff(x * x))


@program(lambda r: (r.normal(size=4),))
def repeated_reshape_in_loop(x):
    for _ in range(3):
        m = x.reshape(2, 2)
        x = (m @ m).reshape(-1) * 0.3 + x
    return np.sum(x)


@program(lambda r: (r.normal(size=3),))
def one_element(x):
    a = np.sum(x * x, keepdims=True).reshape(())
    b = np.reshape(np.sum(x), (1, 1))
    c = np.ravel(x[0] * x[1])
    return a * b[0, 0] + c[0] + np.sum(x**3, keepdims=True).squeeze()


@program(lambda r: (r.normal(size=5), 0.6), argnums=(0, 1))
def grids_by_index(x, s):
    n = len(x)
    i, j = np.mgrid[0:n, 1:4]
    waves = np.exp(-2.0j * np.pi * i * j / n)
    rows, columns = np.ogrid[s : 2 * s : 3j, 0:n:2]
    line = np.mgrid[-1.0:1.0:5j]
    return np.sum(np.abs(x @ waves) ** 2) + np.sum(np.sin(rows * columns) * x[:3]) + x @ line


@program(lambda r: (r.normal(size=4),))
def memory_by_the_name_of_its_class(x):
    y = np.ndarray((2, len(x)), dtype=x.dtype)
    y[0] = x * x[0]
    y[1] = y[0] * x
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 2, 2)), r.normal(size=(2, 2, 4))))
def inverse_in_another_shape(a, w):
    inverse = np.linalg.inv(a.reshape(4, 4))
    return np.sum(w * inverse.reshape(2, 2, 4)) + np.sum(np.linalg.solve(inverse, np.eye(4)).ravel()[:5] ** 2)


@program(lambda r: (r.normal(size=(4, 5)), r.normal(size=(3, 1, 2)), r.normal(size=6), 7))
def rolls_by_any_shift(x, y, z, n):
    total = 0.0
    for k in range(-n, n, 3):
        total = total + np.sum(np.roll(x, k, axis=0) * np.roll(x, -k, 1)) + np.sum(np.roll(z, k) * z**2)
    w = np.roll(y, 1, axis=1) * np.roll(np.roll(y, 5, 0), -1, axis=-1) + np.roll(y, (1, 1), axis=(0, 2))
    return total + np.sum(w**2 * np.roll(y, 1)) + np.sum(np.roll(x[:0], 1, axis=0))


@program(lambda r: (r.normal(size=(4, 4)), r.normal(size=(4, 4))))
def a_grid_without_edges(u, c):
    v = np.zeros_like(u)
    for _ in range(3):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        v = v + 0.1 * c**2 * (around - 4 * u)
        u = u + 0.1 * v
    u[1] += np.roll(u, 2, axis=0)[0] * np.roll(u, 1, axis=0)[0]
    return np.sum(u**2)


@program(lambda r: (r.normal(size=4), r.normal(size=6)))
def a_shape_that_is_written_to(x, y):
    a = x * 2
    first = a[:2]
    a.shape = (2, -1)
    a[0, 0] *= 3.0
    a[1] += first
    y.shape = 3, 2
    y[1] *= a[0]
    b = np.zeros(4)
    b.shape = a.shape
    b[0] = y[2]
    return np.sum(a[0] * a[1] ** 2) + np.sum(y @ b)


@program(
    lambda r: (r.normal(size=4),),
    refused={"compiled": "is written to", "python": "is written to", "optimized": "is written to"},
)
def a_shape_that_is_written_to_under_two_names(x):
    a = x * 2
    both = a
    middle = a[1:3]
    if x[0] < 9.0:
        a.shape = (2, 2)
    middle *= 3.0
    both[1] += middle
    row = both[0]
    row.shape = (2, 1)
    row[0, 0] = x[3]
    return np.sum(a[0] * a[1] ** 2) + np.sum(both @ row)
