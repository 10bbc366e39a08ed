"""Truth values, bytes and other small integers: NumPy's dtypes, sums and wrapping around, in programs of floats."""

import numpy as np
from tests.corpus import program


def _vector(r):
    return (r.normal(size=4),)


def _matrix(r):
    return (r.normal(size=(3, 3)),)


def _bytes(r):
    return r.normal(size=4), np.array([200, 3, 0, 7], np.uint8), np.array([5, 200, 2, 3], np.uint8)


# --- masks made of matrices -----------------------------------------------------------------------------------


@program(_matrix)
def off_the_diagonal(x):
    return np.sum(np.where(~np.eye(x.shape[0], dtype=bool), x * x, 0.0))


@program(_matrix)
def causal_mask(x):
    n = x.shape[0]
    masked = np.where(~np.tril(np.ones((n, n), bool)), -np.inf, x)
    weights = np.exp(masked - np.max(masked, axis=1, keepdims=True))
    return np.sum((weights / np.sum(weights, axis=1, keepdims=True)) ** 2)


@program(_matrix)
def two_diagonals(x):
    n = x.shape[0]
    band = np.eye(n, dtype=bool) | np.eye(n, k=1, dtype=bool)
    return np.sum(x[band] ** 2) + np.sum(x * (np.identity(n, dtype=bool) ^ band))


@program(_matrix)
def triangles_of_truth(x):
    n = x.shape[0]
    lower = np.tri(n, dtype=bool)
    return np.sum(x * (lower + lower)) + np.sum(np.where(lower & ~np.tri(n, k=-1, dtype=bool), x * x, 0.0))


@program(_matrix)
def a_diagonal_of_truth(x):
    m = np.diag(x[0] > -9.0)
    return np.sum(x * (m + m)) + np.sum(np.where(~np.diagflat(x[0] > -9.0), x * x, 0.0))


@program(_matrix)
def diagonal_matrices_as_positions(x):
    return np.sum(x[np.diag(np.arange(3)), 0] ** 2) + np.sum(x[np.tri(3, dtype=int), 1])


@program(_matrix)
def a_frame_of_truth(x):
    m = np.pad(x[1:2, 1:2] > -9.0, 1)
    return np.sum(x * (m + np.eye(3, dtype=bool)))


@program(_vector)
def where_truth_changes(x):
    return np.sum(x[1:] ** 2 * np.diff(x > 0.0))


# --- counting -------------------------------------------------------------------------------------------------


@program(_vector)
def rank_among_the_positive(x):
    mask = x > -0.2
    return np.sum(x[np.cumsum(mask) - 1] * x)


@program(_matrix)
def running_counts(x):
    m = x > -9.0
    return np.sum(x * np.cumsum(m, axis=0)) + np.sum(x * m.cumsum(axis=1)) + np.sum(x.ravel() * np.cumsum(m))


@program(_vector)
def counts_of_segments(x):
    return np.sum(x[:2] * np.add.reduceat(x > -9.0, [0, 1])) + np.sum(x * np.add.accumulate(x > -9.0))


@program(_vector)
def a_sum_that_starts_with_zero(x):
    return x[0] * sum([v > -9.0 for v in x]) + np.sum(x * ((x > -9.0) * 1 + (x > -9.0) * 1))


@program(_matrix)
def statistics_of_a_mask(x):
    m = x > 0.0
    return np.sum(x * np.mean(m, axis=0)) + np.var(m) * np.sum(x) + np.median(m) * x[0, 0]


@program(_matrix)
def a_mask_times_a_matrix(x):
    return np.sum((x > 0.0) @ x) + np.sum(np.einsum("ij,jk->ik", x > 0.0, x) * x)


@program(_matrix)
def products_of_integers(x):
    a, m = np.arange(9).reshape(3, 3), x > -0.5
    return (
        np.sum(x * (a @ a)) + np.sum(x * (m @ m)) + np.dot(a[0], a[1]) * x[0, 0] + np.sum(x[0] * (m @ a[0]))
    )


# --- bytes ----------------------------------------------------------------------------------------------------


@program(_bytes)
def arithmetic_of_bytes(x, v, w):
    return (
        np.sum(x * (v - w))
        + np.sum(x * (v + 100))
        + np.sum(x * (v * w))
        + np.sum(x * (-v))
        + np.sum(x * v**2)
    )


@program(_bytes)
def bits_of_bytes(x, v, w):
    return np.sum(x * ~v) + np.sum(x * (v << 1)) + np.sum(x * ((v ^ w) >> 1)) + np.sum(x * ((v | w) - 7))


@program(_bytes)
def differences_of_bytes(x, v, w):
    return np.sum(x[1:] * np.diff(v)) + np.sum(x[1:] * np.ediff1d(w)) + np.sum(x * (v > w) * np.abs(v - w))


@program(_bytes)
def totals_of_bytes(x, v, w):
    return np.sum(x) * (np.sum(v) + np.prod(w) + v.max()) + np.sum(x * np.cumsum(v)) + np.dot(v, w) * x[0]


@program(_bytes)
def statistics_of_bytes(x, v, w):
    return (
        np.sum(x * np.gradient(v))
        + x[0] * np.median(v)
        + x[1] * np.linalg.norm(w)
        + x[2] * np.quantile(v, 0.3)
    )


@program(_bytes)
def elements_of_bytes(x, v, w):
    s = np.zeros(4, v.dtype)
    total = v[0]
    for i in range(4):
        s[i] = v[i] * w[i] + v[i]
        total = total + w[i]
    s[1:] += v[1:]
    return np.sum(x * s) + x[0] * total


@program(lambda r: (r.normal(size=(3, 3)),))
def a_matrix_of_bytes(x):
    m = np.eye(3, dtype=np.uint8) - np.uint8(1)
    return np.sum(x * m)


@program(lambda r: (r.normal(size=3), np.array([2**20, 3, -5], np.int32)))
def products_of_short_integers(x, k):
    return np.sum(x * (k * k)) + np.sum(x * np.cumprod(k)) + np.sum(x) * np.sum(k * 2048)


@program(lambda r: (r.normal(size=3), np.array([100, -128, 7], np.int8)))
def signed_bytes(x, k):
    return np.sum(x * np.abs(k)) + np.sum(x * (k + k)) + np.sum(x * (k * k)) + np.sum(x * (k // -1))


@program(lambda r: (r.normal(size=3), np.array([2**63 + 2048, 5, 0], np.uint64)))
def long_unsigned_integers(x, k):
    return np.sum(x * (k // 3)) + np.sum(x * (k - 1)) + np.sum(x * np.sign(k)) + x[0] * np.sum(k >> 1)


@program(_bytes, refused={"compiled": "compiled code has no half precision"})
def a_root_of_bytes(x, v, w):
    return np.sum(x * np.sqrt(v))


@program(_bytes)
def numbers_as_truth(x, v, w):
    return (
        np.sum(x * np.logical_and(v, w)) + np.sum(x * np.logical_or(v, w)) + x[0] * np.logical_and(v[0], w[0])
    )


@program(_bytes)
def lists_of_bytes(x, v, w):
    pair = np.array([v[0], w[1]])
    chosen = np.select([v > 100, w > 100], [v, w])
    return np.sum(x[:2] * (pair + pair)) + np.sum(x * (chosen + chosen)) + x[0] * sum(v)


@program(_bytes)
def bytes_beside_counters(x, v, w):
    n = x.shape[0]
    return np.sum(x * (v - np.arange(n))) + np.sum(x * (v + v - np.arange(n, dtype=np.uint8)))


@program(_matrix)
def contractions_of_truth(x):
    m = x > -9.0
    rows = np.einsum("ij,ij->i", m, m)
    return (
        np.sum(x[0] * (rows + np.einsum("ij->i", m)))
        + np.vdot(m, m) * x[0, 0]
        + np.sum(np.einsum("ij,k->k", m, x[0]))
    )


@program(lambda r: (r.normal(size=4), np.array([-7, 7, -8, 5]), np.array([3, -3, 70, 0])))
def what_numba_computes_otherwise(x, k, n):
    rest = np.fmod(k, n) + np.fmod(k.astype(np.int8), np.int8(3))
    return (
        np.sum(x * rest)
        + np.sum(x * (k << n))
        + np.sum(x * (k >> n))
        + np.sum(x * np.round(k))
        + x[0] * np.fmod(k[0], n[0])
    )


@program(_bytes)
def shifts_by_bytes(x, v, w):
    return np.sum(x * (v << w)) + np.sum(x * (v >> w))


@program(lambda r: (r.normal(size=3),))
def counted_bytes_below_zero(x):
    u = np.arange(3, dtype=np.uint8)
    u = u - 1
    v = np.ones(2, dtype=np.int8) * 100
    v = v + v
    return float(u[0]) * x[0] + (u[0] > 5) * x[1] + int(v[1]) * x[2]


@program(lambda r: (r.normal(size=5), 2), argnums=(0,))
def bits_and_powers_of_what_is_known(x, k):
    padded = 1 << (len(x) - 1).bit_length()
    return x[pow(3, k, 5)] + x[k.bit_length()] * padded + pow(x[0], 3) + x[1] * (2.5).is_integer()


@program(lambda r: (r.normal(size=6), np.array([3, 2, 1], np.uint8)))
def pythons_integers_of_bytes_have_a_sign(x, k):
    total = -int(k[0]) * x[0] + (k[1].item() - 5) * x[1] + (k.tolist()[2] - 5) * x[2]
    powers = np.abs(x[0]) ** -int(k[1])
    return total + powers + x[-int(k[0])] + np.sum(np.triu(np.outer(x, x), -int(k[0])))


@program(lambda r: (r.normal(size=6), np.array([2, 1], np.uint8)))
def places_that_elements_are_moved_by_without_a_sign(x, k):
    grid = np.roll(x.reshape(2, 3), (k[1], k[0]), axis=(0, 1))
    return np.sum(np.roll(x, k[0]) * np.arange(6.0)) + np.sum(grid**2 * np.arange(6.0).reshape(2, 3))


# --- dtypes that one spelling has and the other has not -------------------------------------------------------


@program(_bytes)
def squares_of_truths_are_bytes(x, a, b):
    return np.sum((a > 4) ** 2 * 100 * x) + np.sum((a > 4) ** 2 * 100 * 2 * x)


@program(_bytes)
def powers_of_truths_are_whole_numbers(x, a, b):
    return np.sum(np.power(a > 4, 2) * 100 * 2 * x) + np.sum((a > 4) ** 3 * 100 * 2 * x)


@program(_bytes)
def constants_with_a_width(x, a, b):
    three = np.int8(3)
    shifted = np.left_shift(a, three) * 100 + np.floor_divide(a, three) * 100
    return np.sum(shifted * x) + np.sum(np.bitwise_or(b > 4, three) * 100 * x)
