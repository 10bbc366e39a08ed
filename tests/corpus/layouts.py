"""Sizes zero and one, other layouts in memory, float32, integers beside floats."""

import numpy as np
from tests.corpus import program


def polynomial(x):
    return np.sum(x * x) + np.sum(np.exp(x) * x)


@program(lambda r: (np.zeros(0),))
def empty_vector(x):
    y = x * x + 1
    return np.sum(y) + np.sum(np.exp(x))


@program(lambda r: (np.zeros(0), 1.5))
def empty_in_loop(x, c):
    s = c
    for i in range(x.shape[0]):
        s += x[i] * c
        x[i] = s
    return s * c + np.sum(x)


@program(lambda r: (np.zeros((0, 3)), np.ones(3)))
def empty_matrix(a, x):
    y = a @ x
    return np.sum(y) + np.sum(x * x) + np.sum(a * x)


@program(lambda r: (np.zeros((2, 0)),))
def empty_columns(a):
    return np.sum(a) + np.sum(np.sum(a, axis=1) ** 2)


@program(lambda r: (np.array([0.7]),))
def size_one(x):
    y = x * x
    z = np.concatenate([y, x, y])
    return np.sum(z[1:] * z[:-1]) + y[0] * x[-1] + np.max(x)


@program(lambda r: (np.array([0.7]), r.normal(size=3)))
def size_one_broadcast(x, y):
    return np.sum(x * y) + np.sum(x + y**2 * x)


@program(lambda r: (np.array([[0.7]]),))
def one_by_one_matrix(x):
    return np.sum(x @ x) + x[0, 0] * np.mean(x, axis=0)[0] + np.sum(x.T * x)


@program(lambda r: (np.asfortranarray(r.normal(size=(3, 4))),))
def fortran_order(x):
    y = x * 2
    y[0] = x[1] * x[2]
    return np.sum(y * y) + np.sum(x.reshape(2, 6)[0] ** 3) + np.sum(x.ravel()[1:4] ** 2)


@program(lambda r: (np.asfortranarray(r.normal(size=(3, 4))), np.asfortranarray(r.normal(size=(4, 3)))))
def fortran_product(x, y):
    return np.sum((x @ y) ** 2) + np.sum(x.T * y)


@program(lambda r: (np.asfortranarray(r.normal(size=(3, 3))), 0.4))
def fortran_written(x, s):
    for i in range(1, 3):
        for j in range(3):
            x[i, j] = x[i - 1, j] * s + x[i, j] ** 2
    return np.sum(x)


@program(lambda r: (r.normal(size=8)[::2], r.normal(size=(4, 6))[:, ::3]))
def strided(x, y):
    z = x * 2
    z[1] = x[0] * y[2, 1]
    return np.sum(z * z) + np.sum((x @ y) ** 2) + np.sum(y * y)


@program(lambda r: (r.normal(size=5)[::-1],))
def negative_stride(x):
    s = 0.0
    for i in range(5):
        s = s * x[i] + x[i]
    return s + np.sum(x[1:] * x[:-1])


@program(lambda r: (r.normal(size=8)[::2], 0.4))
def strided_written(x, s):
    x[1:] = x[:-1] * s + x[1:]
    x[0] *= s
    return np.sum(x * x)


@program(lambda r: (r.normal(size=(3, 4)).T,))
def transposed_argument(x):
    return np.sum(x[0] * x[1]) + np.sum(x @ x.T) + polynomial(x)


@program(lambda r: (r.normal(size=4).astype(np.float32),), tolerance=1e-4)
def float32_vector(x):
    y = x * 2 + 1
    return np.sum(y * np.exp(x)) + np.sum(x / (1 + x * x))


@program(
    lambda r: (r.normal(size=(3, 4)).astype(np.float32), r.normal(size=4).astype(np.float32)), tolerance=1e-4
)
def float32_product(a, x):
    y = np.tanh(a @ x)
    return np.mean(y * y) + np.max(a)


@program(lambda r: (r.normal(size=5).astype(np.float32), 4), tolerance=1e-4)
def float32_loop(x, n):
    s = x[0]
    for i in range(n):
        s = s * x[i] + x[i + 1] * 0.5
        x[i] = s
    return np.sum(x) * s


@program(lambda r: (r.normal(size=4).astype(np.float32), r.normal(size=4)), tolerance=1e-4)
def float32_with_float64(x, y):
    return np.sum(x * y) + np.sum(x**2) + np.sum(y**2)


@program(lambda r: (r.normal(size=4), np.array([1, 2, 3, 4])))
def integer_array(x, n):
    return np.sum(x * n) + np.sum(x**n) + np.sum(n) * x[0]


@program(lambda r: (r.normal(size=4), np.array([True, False, True, True])))
def boolean_array(x, keep):
    return np.sum(np.where(keep, x * x, 0.0)) + np.sum(x * keep)


@program(lambda r: (np.float64(0.7), np.float32(1.25)), tolerance=1e-4)
def numpy_scalars(x, y):
    return x * x * y + np.sin(y)


@program(lambda r: (0.7, r.normal(size=3)))
def same_array_read_only(s, x):
    y = x
    z = y * s
    return np.sum(z * x) + np.sum(y * y)


@program(lambda r: (r.normal(size=4).astype(np.float32), 0.7), tolerance=1e-2)
def float32_beside_numbers(x, s):
    """Plain numbers, however computed, take the dtype of the array; NumPy's scalars do not."""
    k = 0
    for i in range(3):
        k += i
    scale = (2.0 * s + 1) / 3 + k % 2 + int(s > 0.0) + round(0.6 + len(x))
    return np.sum(scale * x * x) + np.sum((s if s > 0.5 else -s) ** 2 * np.sin(x))


OF_ROWS = {"tape": "`flat` of a Tensor that does not lie row by row"}


@program(lambda r: (r.normal(size=4), r.normal(size=(3, 2))), refused=OF_ROWS)
def flat_of_what_does_not_lie_row_by_row(x, a):
    total = x[::-1].flat[0] * a.T.flat[2]
    for v in a.copy().T.flat:
        total = total * 0.5 + v**2
    return total


@program(
    lambda r: (r.normal(size=(3, 2)),),
    refused={**OF_ROWS, "python": "the write is to a copy", "compiled": "the same"},
)
def a_write_by_flat_of_columns(a):
    b = a.copy().T
    b.flat[1] = 7.0
    return (b * a.T).sum()


@program(lambda r: (r.normal(size=(3, 2)),))
def arrays_as_they_are_required(x):
    y = np.require(x.T, dtype=float, requirements=["C", "W"])
    z = np.require(y * 2.0, requirements="F")
    return np.sum(np.ravel(y) * np.arange(6.0)) + np.sum(np.ravel(z, order="F")[:2] * x[1])


@program(lambda r: (r.uniform(0.4, 0.6), r.normal(size=(5, 4))))
def pieces_joined_of_lengths_that_two_equal_ranges_tell(width, image):
    def smoothed(a):
        weights = np.exp(-0.5 * (np.arange(-int(4 * width), int(4 * width) + 1) / width) ** 2)
        rows = np.concatenate((a[:1], a[: len(weights)] * weights[0], a[1:] + weights[-1]))
        return rows[: len(a)]

    twice = smoothed(smoothed(image).T).T
    inner = 0.5 * (twice[2:] - twice[:-2])
    slopes = np.concatenate((twice[1:2] - twice[:1], inner, twice[-1:] - twice[-2:-1]))
    return np.sum(slopes**2)


@program(lambda r: (r.normal(size=(8, 9)),))
def last_row_of_svd_reshaped(a):
    h = np.linalg.svd(a)[2][-1].reshape(3, 3)
    return h[0, 0] / h[2, 2] + h[1, 2] / h[2, 2]


@program(lambda r: (r.normal(size=(4, 4)),))
def rows_of_factors_reshaped(a):
    u, _, vt = np.linalg.svd(a)
    v = np.linalg.eigh(a @ a.T)[1]
    q, r = np.linalg.qr(a)
    total = 0.0
    for f in (u, vt, v):
        total += np.sum(f[1].reshape(2, 2)[0] ** 4) + np.sum(f[1:3].reshape(-1)[2:5] ** 4)
    return (
        total
        + q[2].reshape(2, 2)[1, 0] ** 2
        + np.linalg.inv(a)[1].reshape(2, 2)[0, 1]
        + r[0].reshape(2, 2)[1, 1]
    )


@program(lambda r: (r.normal(size=(4, 4)), 0.3))
def diagonal_written_through_flat(a, c):
    g = a @ a.T
    g.flat[:: len(g) + 1] = c
    return np.linalg.det(g)


@program(lambda r: (r.normal(size=(4, 4)), 0.3))
def rows_of_a_reshape_written(a, c):
    g = a @ a.T
    pairs = g.reshape(8, 2)
    pairs[::3] *= c
    return np.sum(np.linalg.inv(g + 5.0 * np.eye(4)) * a) + pairs[1, 0]


@program(lambda r: (r.normal(size=8),))
def new_row_of_every_other(x):
    """What is computed of a view with gaps lies in a row: its reshape is a view of it."""
    y = 2.0 * x[::2]
    z = np.reshape(y, (2, 2))
    z -= x[0]
    return np.sum(y * z.ravel())
