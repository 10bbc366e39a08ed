"""Views, views of views, and what is written through them."""

# ruff: noqa: B007  (as people write it)

import operator

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4), 1.5))
def write_through_slice(a, s):
    b = a[1:]
    b[0] = s * 2
    return np.sum(a * a)


@program(lambda r: (r.normal(size=6), 1.5))
def view_of_view(a, s):
    b = a[1:]
    c = b[::2]
    c[1] = s * c[0]
    b[0] = a[0] * s
    return np.sum(a**3)


@program(lambda r: (r.normal(size=4),))
def write_base_read_view(a):
    b = a[1:3]
    a[1] = a[0] * a[3]
    return np.sum(b * b)


@program(lambda r: (r.normal(size=(3, 4)), 0.5))
def row_view(a, s):
    row = a[1]
    row[2] = s
    row[:2] = row[2:] * s
    return np.sum(a * a)


@program(lambda r: (r.normal(size=(3, 4)), 0.5))
def column_view(a, s):
    column = a[:, 2]
    column[0] = s * column[1]
    column += s
    return np.sum(a**3)


@program(lambda r: (r.normal(size=(3, 4)), 0.5))
def transposed_view(a, s):
    t = a.T
    t[1, 0] = s
    t[2] = t[0] * s
    return np.sum(a**3)


@program(lambda r: (r.normal(size=6), 0.5))
def reshaped_view(a, s):
    m = a.reshape(2, 3)
    m[0, 1] = s
    m[1] = m[0] * s
    return np.sum(a**3)


@program(lambda r: (r.normal(size=(2, 3)), 0.5))
def raveled_view(a, s):
    flat = a.ravel()
    flat[1] = s * flat[4]
    return np.sum(a**3)


@program(lambda r: (r.normal(size=4),))
def second_name_for_one_array(a):
    b = a
    b[0] = a[1] * a[2]
    a[1] = b[0] * 2
    return np.sum(a * b)


@program(lambda r: (r.normal(size=4),))
def copy_is_independent(a):
    b = a.copy()
    b[0] = a[1]
    a[2] = b[0] * b[3]
    return np.sum(a * b)


@program(lambda r: (r.normal(size=6),))
def overlapping_slices(a):
    a[1:] = a[:-1] * 2
    a[:-1] = a[1:] * a[:-1]
    a[2:] = a[:-2]
    a[:-3] = a[3:]
    a[::-1] = a * 2
    return np.sum(a * a)


@program(lambda r: (r.normal(size=6),))
def overlapping_accumulation(a):
    a[1:] += a[:-1]
    a[:-1] += a[1:] * 2
    a[1:] *= a[:-1]
    return np.sum(a * a)


@program(lambda r: (r.normal(size=5),))
def views_in_loop(a):
    for i in range(4):
        v = a[i : i + 2]
        v[1] = v[0] * v[1]
        v *= 1.5
    return np.sum(a)


@program(lambda r: (r.normal(size=(3, 3)),))
def rows_in_loop(a):
    for i in range(1, 3):
        row = a[i]
        before = a[i - 1]
        for j in range(3):
            row[j] = row[j] * before[j] + j
    return np.sum(a * a)


@program(lambda r: (r.normal(size=5), 0.3))
def view_of_temporary(a, s):
    y = (a * s)[1:]
    z = np.exp(y)[::2]
    return np.sum(y) * np.sum(z * z)


@program(lambda r: (r.normal(size=5), 0.3))
def view_taken_before_a_write(a, s):
    y = a * s
    v = y[2:]
    w = np.sum(v)
    y[3] = w * s
    return np.sum(v * v) + w


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def ping_pong(x, y):
    for i in range(4):
        y[:] = np.sin(x) + y * 0.5
        x, y = y, x
    return np.sum(x * x + y)


@program(lambda r: (r.normal(size=5), 0.3, 5))
def ping_pong_buffers(u, c, n):
    a = u.copy()
    b = u.copy()
    for _ in range(n):
        for i in range(1, 4):
            b[i] = a[i] + c * (a[i - 1] - 2 * a[i] + a[i + 1]) * a[i]
        a, b = b, a
    return np.sum(a * a)


@program(lambda r: (r.normal(size=(2, 2, 3)),))
def nested_views(a):
    plane = a[0]
    row = plane[1]
    row[0] = a[1, 1, 2] * row[2]
    plane[0] = row
    return np.sum(a**3)


@program(lambda r: (r.normal(size=4),))
def expression_does_not_alias(a):
    b = a + 0
    b[0] = 7.0 * a[1]
    return np.sum(a * b)


@program(lambda r: (r.normal(size=(3, 3)),))
def diagonal_by_step(a):
    flat = a.reshape(-1)
    flat[::4] = flat[::4] * 2 + flat[1] * flat[0]
    return np.sum(a**3)


@program(lambda r: (r.normal(size=6), 5))
def slices_of_changing_length(a, n):
    for i in range(1, n):
        v = a[:i]
        w = np.exp(v * 0.3)
        a[i] = np.sum(w * w) * 0.1
        v *= a[i]
    return np.sum(a)


@program(lambda r: (r.normal(size=(4, 4)), 4))
def blocks_of_changing_shape(a, n):
    for k in range(1, n):
        block = a[k:, :k]
        a[k:, :k] = np.sin(block) * a[k - 1, k]
        s = np.sum(block * block)
        while s > 0.5:
            block *= 0.7
            s *= 0.5
    return np.sum(a * a)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 12)), r.normal(size=(3, 12))))
def gates_cut_from_one_product(xs, w, u):
    """Slices whose ends are lengths of other arrays; the list grows by what they make."""
    width = len(u)
    h = np.zeros(width)
    states = []
    for t in range(len(xs)):
        a = xs[t] @ w
        b = h @ u
        gate = np.tanh(a[:width] + b[:width])
        new = np.sin(a[2 * width : 3 * width] + gate * b[2 * width : 3 * width])
        h = (1 - gate) * new + gate * h
        states.append(h)
    return np.sum(np.stack(states) ** 2) + np.mean(a[-width:])


@program(lambda r: (r.normal(size=3),))
def slices_that_begin_behind_the_end(x):
    n = len(x)
    tail, half = x[5::2], x[: (n - 5) // 2]
    return (
        np.sum(tail * tail) + len(tail) + np.sum(half * half) * len(half) + np.sum(np.zeros(len(tail)) + x[0])
    )


@program(lambda r: (r.normal(size=7), r.normal(size=4)))
def halves_and_windows(x, w):
    k, n = len(w), len(x)
    low, high = x[: n // 2], x[n // 2 :]
    total = np.sum(low * high[: n // 2]) + np.sum(x[:k] * w) + np.sum(x[k:] * w[: n - k])
    for i in range(n - k + 1):
        total += np.tanh(x[i : i + k] @ w)
    return total + np.sum(np.minimum(x[: min(k, n)], w)) + len(x[max(n, k) :])


@program(lambda r: (r.normal(size=9), r.normal(size=3)))
def windows_that_move(x, w):
    """Where a counter goes says how long the slices are that follow it."""
    k, n = len(w), len(x)
    frames = np.array([x[i : i + k] * w for i in range(0, n - k + 1, 2)])
    rows = []
    for i in range(n - k + 1):
        rows.append(x[i : i + k])
    total = np.sum(frames**2) + np.sum((np.stack(rows) @ w) ** 2)
    for i in range(n - 1, k - 2, -1):
        total += np.tanh(x[i - k + 1 : i + 1] @ w)
    for i in range(1, n):
        total += np.sum(x[:i]) * x[i] + np.sum(x[i:] ** 2)
    return total


@program(lambda r: (r.uniform(1.0, 4.0, size=(4, 4)),))
def a_strided_column_stands_up_and_is_written(d):
    """A reshape that only adds axes of length 1 is a view of any array: the write reaches what it is of."""
    for k in range(len(d)):
        d[...] = np.minimum(d, np.add.outer(d[:, k], d[k]))
    upright = d[:, 1].reshape(-1, 1)
    d[2] *= 2.0
    beside = np.reshape(d.T, (1, 4, 4))
    beside[0, 1] += d[0]
    return np.sum(upright * d) + np.sum(np.multiply.outer(d[:, 3], beside[0, 2]))


@program(lambda r: (r.normal(size=6), r.normal(size=(2, 2))))
def a_doubtful_reshape_that_is_done_with(x, w):
    """Whether the turned rows are a view or a copy, nobody can tell: they are read before the array is written."""
    y = x.copy()
    for k in range(3):
        turned = np.transpose(np.reshape(y, (3, 2)))
        row = np.reshape(turned, (6,)) * x[k]
        y[:] = np.reshape(w @ np.reshape(row, (2, 3)), (6,))
    return np.sum(y**2)


@program(lambda r: (r.normal(size=6),), refused=dict.fromkeys(("compiled", "python"), "a view or a copy"))
def a_doubtful_reshape_that_is_read_again(x):
    turned = np.reshape(np.transpose(np.reshape(x, (3, 2))), (6,))
    total = 0.0
    for k in range(3):
        total += turned[k] * x[k]
        x[k + 1] *= 2.0
    return total


def _transposed(r):
    return (r.normal(size=(3, 3)),)


@program(_transposed)
def a_contiguous_copy_beside_its_source(a):
    f = np.ascontiguousarray(a.T)
    g = np.ascontiguousarray(a[:, ::2])
    s = np.sum(f @ a) + np.sum(g**3)
    a[0] = 3.0 * a[1]
    return s + np.sum(a**2)


AS_IT_LIES = dict.fromkeys(("compiled", "python"), "that NumPy gives as a view")


@program(_transposed, refused=AS_IT_LIES)
def a_contiguous_copy_is_written_to(a):
    f = np.ascontiguousarray(a.T)
    f[-1] = f[0] ** 2
    return np.sum(f @ a)


@program(lambda r: (r.normal(size=(1, 1)),), refused=AS_IT_LIES)
def what_is_contiguous_already_is_written_to(a):
    f = np.ascontiguousarray(a.T)
    f[-1] = 3.0 * f[0] ** 2
    return np.sum(f @ a)


@program(_transposed, refused=AS_IT_LIES)
def the_source_of_a_contiguous_copy_is_written_to(a):
    f = np.ascontiguousarray(a[:, ::2])
    a[0] = 7.0 * a[2]
    return np.sum(f**2)


@program(lambda r: (r.normal(size=(5, 4)), -1))
def rows_of_views_counted_from_their_ends(x, j):
    back, behind = x[::-1], np.tanh(x)[1:]
    total = np.sum(np.tanh(back[j]) * back[j - 1]) + behind[j][0] * np.sum(behind[j - 2] ** 2)
    y = x * 2.0
    flipped = y[::-2][:2]
    flipped[j] *= 2.0
    flipped[j - 1, 1:] += flipped[j, :-1]
    return total + np.sum(y * x) + np.sum((behind[j] * 3.0)[::-1][j] ** 2)


@program(lambda r: (1.3, r.uniform(0.5, 1.0, size=5)), argnums=(0,))
def an_array_without_a_derivative_under_other_names(w, x):
    y = np.atleast_1d(x.squeeze())
    y[0] = w
    np.real(x)[1:] *= w
    x.real[2] += w
    operator.imul(x[3:], w)
    return np.sum(x**2) + y[4]


@program(lambda r: (1.3, r.uniform(0.5, 1.0, size=(3, 4))))
def what_is_a_copy_and_not_a_view(w, a):
    row, column = np.take(a, 0, axis=0), a[:, 1]
    row[1] = w
    every = np.apply_along_axis(lambda v: v, 0, column)
    every *= w
    *rest, last = a[1]
    rest[0] = w**2
    return np.sum(a**2) + row[1] * every[2] + sum(rest) * last


@program(lambda r: (r.normal(size=(4, 6)), r.normal(size=(2, 2))))
def windows_by_strides(x, w):
    rows, columns = x.strides
    shape = (x.shape[0] // 2, x.shape[1] // 2, 2, 2)
    blocks = np.lib.stride_tricks.as_strided(x, shape, (2 * rows, 2 * columns, rows, columns))
    neighbours = np.lib.stride_tricks.as_strided(x, shape=(22, 3), strides=(x.itemsize,) * 2, writeable=False)
    return np.sum((blocks * w).max(axis=(2, 3)) ** 2) + np.sum(neighbours[:, 0] * neighbours[:, 2])


@program(lambda r: (r.normal(size=(5, 5)), r.normal(size=5)))
def rows_so_far_in_branches(a, v):
    """Three steps of Lanczos' method, which ends early where a vector has no new direction."""
    basis = np.zeros((4, len(v)))
    diagonal, beside = [], []
    for j in range(3):
        basis[j] = v
        w = a @ v
        diagonal.append(w @ v)
        w -= basis[: j + 1].T @ (basis[: j + 1] @ w)
        length = np.linalg.norm(w)
        if length < 1e-12:
            break
        beside.append(length)
        v = w / length
    return diagonal[0] * beside[-1] + basis[1, 0] * basis[2, 1]


@program(lambda r: (r.normal(size=(2, 3)),))
def parts_of_what_lies_flat_are_copies(x):
    a = x * 1.0
    part, every_other, flat = a.flat[:3], a.flat[::2], a.flat
    rest = flat[3:]
    part *= 2.0
    every_other[0] = a[1, 1] ** 2
    a[0, 1] = a[1, 2] * 3.0
    a[1] += 1.0
    flat[4] = part[0] * part[1]
    return np.sum(a**2) + np.sum(part**3) + np.sum(every_other**2) + np.sum(rest**2)


@program(lambda r: (r.normal(size=4),))
def parts_of_a_vector_that_lies_flat_are_copies(x):
    y = x * 1.0
    part = y.flat[1:3]
    part *= y[0]
    y.flat[1:3] += 1.0
    return np.sum(y**3) + np.sum(part**2)


@program(lambda r: (r.normal(size=(3, 2)),))
def rows_at_positions_without_axes_are_copies(x):
    a = x * 1.0
    where = np.array(1)
    row, seen = a[where], a[np.int64(1)]
    row *= 2.0
    seen += a[0]
    a[np.array(0)] *= 3.0
    return np.sum(a**2) + np.sum(row**3) + np.sum(seen * row)


@program(lambda r: (r.normal(size=4),))
def blocks_of_one_array_are_copies(x):
    y = x * 1.0
    block, row = np.block(y), np.block([y])
    block *= 2.0
    row[0] = y[1] ** 2
    return np.sum(y**2) + np.sum(block**3) + np.sum(row**2)


@program(
    lambda r: (r.normal(size=(2, 3)),),
    refused=dict.fromkeys(("compiled", "python"), "the copy that is column by column is taken for a view"),
)
def arrays_that_lie_otherwise_are_copies(x):
    a = x * 1.0
    turned, same = a.astype(float, order="F", copy=False), a.astype(float, order="C", copy=False)
    turned *= 2.0
    same[0] = a[1] ** 2
    return np.sum(a**2) + np.sum(turned**3)


@program(lambda r: (r.normal(size=(2, 3)),))
def a_column_squeezed_while_the_array_is_written(x):
    a = x * 1.0
    column = a[:, :1].squeeze(axis=1)
    a[0, 1] = 5.0
    return np.sum(column**2) + np.sum(a**3)


@program(lambda r: (r.normal(size=(3, 2)).T[:, :1],))
def squeezed_parts_are_written(x):
    a = x * 1.0
    column, other, row = np.squeeze(a, axis=1), a.squeeze(axis=(-1,)), np.squeeze(a.T[None], axis=(0, 1))
    a[0] = 5.0
    column[1] *= 2.0
    return np.sum(column**2) + np.sum(a**3) + np.sum(other * column * row)


@program(lambda r: (r.normal(size=3),))
def numbers_that_become_arrays_with_an_axis(x):
    a, b = np.ascontiguousarray(x[0]), np.asfortranarray(x[1] * 2.0)
    known = np.ascontiguousarray(1.5)
    without = np.asarray(x[2], order="C").ndim + np.require(x[2], requirements="F").ndim
    return a[0] * b[-1] * len(a) + known.ndim * x[2] + (without + len(known)) * b.shape[0] * x[0]


@program(lambda r: (r.normal(size=(3, 2)),))
def work_arrays_by_columns(x):
    n, m = x.shape
    work = np.zeros((n, 3), order="F")
    row, column = (work[:, k] for k in range(2))
    u, new = np.asfortranarray(x.copy()), np.empty((n, m), order="F")
    for _ in range(2):
        for j in range(m):
            for i in range(n):
                column[i] = u[i, j] * u[i - 1, j]
            row[:m] = column[:m]
            new[:, j] = column
        u[0, :] = row[:m] + new[1, :]
        u[1:, 0] = new[1:, 1]
    return np.sum(u**2) + np.sum(work)
