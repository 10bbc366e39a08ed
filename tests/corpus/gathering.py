"""Integer arrays and masks as indices, reading and writing."""

import bisect

import numpy as np
from scipy.fft import next_fast_len
from tests.corpus import program

ORDER = np.array([2, 0, 2, 1])
PAIRS = np.array([[0, 1], [2, 0]])


@program(lambda r: (r.normal(size=4), ORDER.copy()))
def gather(x, k):
    y = x[k]
    return np.sum(y * y * np.arange(4.0))


@program(lambda r: (r.normal(size=(3, 2)), ORDER.copy()))
def gather_rows(a, k):
    return np.sum(a[k] ** 2 * np.arange(4.0)[:, None])


@program(lambda r: (r.normal(size=(2, 3)), ORDER.copy()))
def gather_columns(a, k):
    return np.sum(a[:, k] ** 3 * np.arange(4.0))


@program(lambda r: (r.normal(size=(3, 3)), np.array([0, 1, 2]), np.array([2, 0, 1])))
def gather_pairs(a, i, j):
    return np.sum(a[i, j] ** 2) + np.sum(a[i, 1] * a[0, j])


@program(lambda r: (r.normal(size=4), PAIRS.copy()))
def gather_two_dimensional(x, k):
    y = x[k]
    return np.sum(y @ y)


@program(lambda r: (r.normal(size=5), np.array([True, False, True, True, False])))
def mask(x, keep):
    y = x[keep]
    return np.sum(y * y) * y[0]


@program(lambda r: (np.array([0.5, -1.5, 2.5]),))
def mask_from_data(x):
    return np.sum(x[x > 0] ** 2) + np.sum(x[x < 0])


@program(lambda r: (r.normal(size=4), r.normal(size=4), np.array([3, 0, 1, 2])))
def scatter(x, y, k):
    z = x.copy()
    z[k] = y * x
    return np.sum(z * z)


@program(lambda r: (r.normal(size=3), r.normal(size=4), ORDER.copy()))
def add_at(x, y, k):
    z = x.copy()
    np.add.at(z, k, y * y)
    return np.sum(z**2)


@program(lambda r: (np.array([0.5, -1.5, 2.5]), 0.3))
def mask_write(x, s):
    y = x * 2
    y[y < 0] = s
    y[x > 2] *= s
    return np.sum(y * y)


@program(lambda r: (r.normal(size=5),))
def take(x):
    return np.sum(np.take(x, [0, 3, 3]) ** 2) + np.sum(x[[1, 2]] * x[[2, 4]])


@program(lambda r: (np.array([0.5, -1.5, 2.5, 1.0]),))
def argmax_and_argsort(x):
    k = np.argmax(x)
    order = np.argsort(x)
    return x[k] ** 2 + np.sum(x[order] * np.arange(4.0))


@program(lambda r: (np.array([0.5, -1.5, 2.5, 1.0]),))
def sort(x):
    return np.sum(np.sort(x) * np.arange(4.0)) + np.median(x)


@program(lambda r: (r.normal(size=(3, 3)),))
def diagonal_by_arrays(a):
    i = np.arange(3)
    b = a.copy()
    b[i, i] = a[i, i] ** 2
    return np.sum(b * a)


@program(lambda r: (r.normal(size=(4, 3)), np.array([2, 0, 1, 2])))
def cross_entropy(logits, labels):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(4), labels])


@program(lambda r: (r.normal(size=(5, 2)), np.array([[0, 1], [1, 2], [3, 4], [0, 4]])))
def edges_of_a_graph(x, edges):
    d = x[edges[:, 0]] - x[edges[:, 1]]
    return np.sum(np.sqrt(np.sum(d * d, axis=1)))


@program(lambda r: (r.normal(size=4), ORDER.copy()))
def gather_in_loop(x, k):
    for _ in range(3):
        x = np.sin(x[k]) * x + x
    return np.sum(x)


@program(lambda r: (np.array([[1.0, 2.0], [3.0, 4.5]]),))
def swap_rows(a):
    a[[0, 1]] = a[[1, 0]]
    return np.sum(a[0] * a[1] ** 2 * np.array([1.0, 2.0]))


@program(lambda r: (r.normal(size=(3, 4)), 0.7))
def positions_of_what_is_large(a, s):
    rows, columns = np.nonzero(a > 0.1)
    return np.sum(a[rows, columns] ** 2) * s + np.sum(a[np.where(a < -0.1)] * s)


@program(lambda r: (np.array([0.45, 0.5]), 0.7, 0.1))
def a_range_whose_length_the_data_decides(step, s, start):
    steps = np.arange(start, 2.0, step[0])
    return np.sum(steps**2 * s) + s * np.sum(np.arange(4, 0, -2) * step[1])


@program(lambda r: (np.array([0.5, -1.0, 2.0, -0.3, 0.8]),))
def positions_that_are_not_zero(x):
    k = np.nonzero(x > 0)[0]
    s = np.sum(x[k] ** 2)
    (where,) = np.where(x < 0)
    for i in where:
        s += x[i] ** 3
    return s


@program(lambda r: (r.normal(size=4),))
def added_to_itself_at_positions(x):
    x = x.copy()
    np.add.at(x, [1, 3, 3, 0], x)
    x[[2, 0, 1, 3]] += x
    return np.sum(x * np.arange(1.0, 5.0))


@program(lambda r: (r.normal(size=(3, 2)),))
def tuples_in_an_index(x):
    read = np.sum(x[(0, 1, 0), (1, 1, 0)] ** 2) + np.sum(x[:, (1, 0)] * np.arange(2.0))
    x[(0, 2), (1, 1)] = 3.0 * x[0, 0]
    return read + np.sum(x**3)


@program(lambda r: (r.normal(size=9),))
def pairs_of_a_part(x):
    """The number of pairs is no length that two short examples show."""
    i, j = np.triu_indices(len(x) // 2, 1)
    k, m = np.tril_indices(len(x) // 3)
    first, _ = np.triu_indices(len(x) // 1000 + 3, 1)
    return np.sum((x[i] - x[j]) ** 2) + np.sum(x[k] * x[m] ** 2) + np.sum(x[first] ** 3)


@program(lambda r: (r.normal(size=(4, 3)), np.array([0, 2, 1, 2])))
def ranges_as_indices(a, label):
    n = a.shape[0]
    b = a.copy()
    b[range(n), label] *= 2.0
    return np.sum(np.exp(b[range(len(label)), label])) + b[range(n - 1, 0, -2), 0] @ np.asarray(range(1, 3))


@program(lambda r: (r.normal(size=6),))
def counts_by_a_list_of_positions(x):
    bars = np.bincount([0, 1, 1, 3, 0, 2], weights=x, minlength=6)
    return np.sum(bars**2 * x) + np.sum(np.bincount([0, 2, 2])) * x[0]


@program(lambda r: (r.uniform(0.5, 1.5, 5), r.uniform(0.5, 1.5, 3)))
def updates_at_positions(x, y):
    """Of one operand and of two; an element that is named twice is updated twice."""
    z = x * 1.0
    np.sqrt.at(z, [0, 2, 2])
    np.negative.at(z, np.array([1]))
    np.arctan2.at(z, [3, 3, 4], y)
    np.hypot.at(z, [0, 1], 0.5)
    return np.sum(z * x) + np.sum(np.remainder.reduce(np.stack([x + 4.0, 0.1 * x + 2.8]), axis=0))


@program(lambda r: (r.normal(size=4), np.array([0, 3, -1, 2])))
def positions_that_move_on(x, k):
    """What is written over is needed again: where the trips before have read."""
    k = k.copy()
    for _ in range(3):
        x = x + 0.1 * x[k] ** 2
        k[0] += 1
    return np.sum(x * x)


@program(lambda r: (r.normal(size=3), np.array([-1, 0])))
def one_element_from_both_ends(x, k):
    y = np.zeros(3)
    y[k[0]] = 2.0 * x[0]
    y[k[0] + 3] = x[1] ** 2
    return y[k[0]] * x[2]


@program(lambda r: (r.normal(size=4), np.array([-1, 0, -5])))
def elements_of_a_range_from_its_end(x, k):
    return np.sum(x) ** 2 * np.arange(5)[k[0]] + np.sum(np.sin(x[:3]) * np.arange(2, 7)[k])


@program(lambda r: (r.normal(size=4), np.array([[0, -4], [3, 1], [-1, 1], [2, 2]]), 3))
def spread_along_edges(x, edges, steps):
    for _ in range(steps):
        y = np.zeros_like(x)
        np.add.at(y, edges[:, 1], 0.3 * np.tanh(x[edges[:, 0]]))
        x = x + y
    return np.sum(x * x)


@program(lambda r: (r.normal(size=(4, 2)), np.array([0, 3, -1]), np.array([-1, 1, 1])))
def rows_in_a_branch_of_a_loop(a, k, m):
    for t in range(4):
        if t % 2 == 0:
            a[k[:2]] += 0.2 * a[m[:2]] ** 2
        else:
            a = a + 0.1 * np.sin(a[:, ::-1][[1, 0, -1, 2]])
    return np.sum(a[k, m] ** 2)


@program(lambda r: (r.normal(size=6), r.normal(size=4)))
def columns_of_a_sparse_matrix_some_empty(data, x):
    first, rows = [0, 2, 3, 3, 6], np.array([0, 2, 1, 0, 1, 3])
    y = np.zeros(4)
    z = np.ones(4)
    for j in range(4):
        column = slice(first[j], first[j + 1])
        y[rows[column]] += data[column] * x[j]
        z[rows[column]] = data[column]
    return np.sum(y * y * z)


@program(lambda r: (r.normal(size=7), np.array([3, -1, 0, 0, 6, -7])), (0,))
def differences_of_what_was_gathered(x, k):
    g = x[k]
    return np.sum(g[1:] * g[:-1] ** 2)


@program(
    lambda r: (
        r.normal(size=(3, 5, 4)),
        r.normal(size=(6, 3)),
        np.array([[1, 4, -2, 0, 0, 3], [2, 2, 1, -5, 4, 0]]),
    )
)
def matrices_at_positions(core, v, k):
    for t in range(2):
        v = np.einsum("nr,rns->ns", v, core[:, k[t]])[:, :3]
    return np.sum(v**2)


@program(lambda r: (r.normal(size=6), np.array([1, 4, 4, 0])), (0,))
def positions_changed_behind_the_gathering(x, k):
    p = k.copy()
    g = x[p]
    p[1] = 2
    p[3] = 5
    return np.sum(g[1:] * g[:-1]) + np.sum(x[p] ** 2)


@program(lambda r: (r.normal(size=8), r.normal(size=3)))
def windows_as_long_as_a_filter(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, len(w))
    return np.sum(np.tanh(windows @ w) ** 2)


@program(lambda r: (r.normal(size=(5, 4)), 2, 3), (0,))
def windows_of_two_axes(image, a, b):
    windows = np.lib.stride_tricks.sliding_window_view(image, (a, b))
    return np.sum(windows.max(axis=(2, 3)) * windows.mean(axis=(-2, -1)))


@program(lambda r: (r.normal(size=(4, 6)), r.normal(size=(2, 2))))
def greatest_of_pieces(image, w):
    """A pull looks for the greatest by its number among all of a piece, which has two axes."""
    y = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            y[i, j] = np.max(image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] + w)
    return np.sum(y * y) + np.max(image.reshape(2, 2, 3, 2), axis=(1, 3))[1, 2]


@program(lambda r: (r.normal(size=4),))
def a_diagonal_and_a_block_of_positions(x):
    a = np.zeros((4, 4))
    i = np.arange(4)
    a[i, i] = x
    a[np.ix_([0, 3], [1, 2])] = np.outer(x[:2], x[2:])
    a[..., -1] *= 2
    return np.sum(a**2)


@program(lambda r: (r.normal(size=5), np.array([1.7, 0.2, 1.4, 2.9])))
def table_looked_up_by_bisect(y, more):
    at = [0.0, 0.5, 1.2, 2.0, 3.0]
    s = 0.0
    for x in more:
        i = bisect.bisect_right(at, x) - 1
        t = (x - at[i]) / (at[i + 1] - at[i])
        s += (1.0 - t) * y[i] + t * y[i + 1]
    return s * s + y[bisect.bisect_left(at, 0.5)] + y[bisect.bisect(at, 0.5)] ** 2


@program(lambda r: (r.uniform(0.5, 2.0, size=4), np.array([0, 2])))
def what_is_free(stiffness, held):
    n = len(stiffness)
    k = np.diag(stiffness) + 0.1
    free = np.setdiff1d(np.arange(n), held)
    u = np.zeros(n)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], np.ones(len(free)))
    return np.sum(u**2) + np.sum(np.setdiff1d(stiffness, [stiffness[1], 5.0]) ** 3 * np.arange(1.0, n))


@program(lambda r: (r.normal(size=3), r.normal(size=2)))
def open_mesh_of_coordinates(x, y):
    across, along = np.ix_(x, y)
    return np.sum(np.sin(across * along) + across**2)


@program(
    lambda r: (
        np.array([0.5, -1.0, 2.0, 3.0]),
        np.array([0.5, 2.5, 3.0]),
        np.array([7, 4, 9, 5]),
        np.array([5, 7, 8]),
    )
)
def what_both_have(x, y, names, others):
    """How many there are to look among is in the data, and may be none."""
    _, here, there = np.intersect1d(names, others, return_indices=True)
    found, none = x[np.isin(names, others[y > 1.0])], x[np.isin(names, others[y > 9.0])]
    lone = np.setxor1d(x, y[y > 1.0] + 0.1) * np.arange(6.0)
    return np.sum(x[here] * y[there]) + np.sum(found**2) + np.sum(none) + np.sum(lone)


@program(lambda r: (r.normal(size=5),))
def padded_to_a_fast_length(x):
    spectrum = np.fft.rfft(x, next_fast_len(2 * len(x) - 1, real=True))
    return np.sum(np.abs(spectrum) ** 2 * np.arange(1.0, len(spectrum) + 1.0))
