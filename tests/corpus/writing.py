"""In-place writes to elements and slices."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4),))
def write_element(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[1] = x[2]
    y[-1] = y[0] * y[1]
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4), 0.7))
def overwrite_element(x, s):
    y = x * 1.0
    y[1] = s
    y[1] = y[0] * s
    y[2] = y[1] * y[2]
    return np.sum(y**3)


@program(lambda r: (r.normal(size=4), 0.7))
def write_to_argument(x, s):
    x[0] = x[1] * s
    x[1] = x[0] * x[0]
    return np.sum(x * x)


@program(lambda r: (r.normal(size=4), r.normal(size=3)))
def write_slice(x, y):
    z = x.copy()
    z[1:] = y * z[0]
    z[:2] = z[2:] * 2
    return np.sum(z * z)


@program(lambda r: (r.normal(size=4),))
def write_constant(x):
    y = np.exp(x)
    z = y * 1.0
    z[1] = 0
    z[2:] = 2.5
    return np.sum(z * y)


@program(lambda r: (r.normal(size=5),))
def write_stepped_slice(x):
    y = np.ones(5)
    y[::2] = x[:3] ** 2
    y[1::2] = y[:3:2] * x[3:]
    y[::-1] = y * x
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def add_in_place(x, y):
    z = x.copy()
    z[0] += y[0] * z[1]
    z[1:] += y[1:] * z[0]
    z[:] += x
    z += y
    return np.sum(z * z)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def other_operations_in_place(x, y):
    z = x.copy()
    z[0] *= y[0]
    z[1:] -= y[1:] * z[0]
    z[:2] /= y[2:]
    z[3] **= 2
    z *= z
    return np.sum(z * y)


@program(lambda r: (r.normal(size=4),))
def multiply_by_itself_in_place(x):
    z = x.copy()
    for _ in range(3):
        z *= z
        z += x
    return np.sum(z)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=4)))
def write_row(x, y):
    z = x.copy()
    z[1] = y * z[0]
    z[0, :] = z[1] + z[2]
    z[2, 1:3] = y[:2]
    return np.sum(z**3)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=3)))
def write_column(x, y):
    z = x.copy()
    z[:, 1] = y * z[:, 0]
    z[:, -1] += z[:, 1]
    z[:, 0] = 1.0
    return np.sum(z**2)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3), 0.4))
def write_broadcast(x, y, s):
    z = x.copy()
    z[:] = y
    z[0] = s
    z[1, 1:] += s * y[0]
    w = np.zeros((2, 3))
    w[...] = z * x
    w += y
    return np.sum(w * w)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(2, 1))))
def write_broadcast_of_length_one(x, y):
    z = x.copy()
    z[:] = y
    z *= x
    z += y
    return np.sum(z * z)


@program(lambda r: (r.normal(size=6),))
def read_after_overwrite(x):
    a = x[0]
    x[0] = 5.0
    b = x[0] * x[1]
    x[1] = a
    return a * b * x[1] * x[2]


@program(lambda r: (r.normal(size=5),))
def cumulative_in_place(x):
    for i in range(1, 5):
        x[i] = x[i] * x[i - 1] + x[i]
    return np.sum(x * x)


@program(lambda r: (r.normal(size=5), 0.2))
def sweep_back_and_forth(x, c):
    for k in range(3):
        for i in range(1, 5):
            x[i] = x[i] + c * np.sin(x[i - 1])
        for i in range(3, -1, -1):
            x[i] = x[i] - c * x[i] * x[i + 1] + k
    return np.sum(x * x)


@program(lambda r: (1.0, 0.1))
def trajectory(x0, dt):
    n = 6
    u = np.zeros((n + 1, 2))
    u[0, 0] = x0
    for t in range(n):
        u[t + 1, 0] = u[t, 0] + dt * u[t, 1]
        u[t + 1, 1] = u[t, 1] - dt * np.sin(u[t, 0])
    return u[n, 0] ** 2 + np.sum(u[:, 1])


@program(lambda r: (r.normal(size=7), 0.1))
def stencil(u, c):
    u = u.copy()
    for _ in range(4):
        un = u.copy()
        un[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u = un
    return np.sum(u**2)


@program(lambda r: (r.normal(size=7), 0.1))
def stencil_in_place(u, c):
    for _ in range(4):
        u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


@program(lambda r: (r.normal(size=(4, 5)), 0.1))
def stencil_two_dimensional(u, c):
    for _ in range(3):
        new = u.copy()
        new[1:-1, 1:-1] += (
            c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]) * u[1:-1, 1:-1]
        )
        u = new
    return np.sum(u**2)


@program(lambda r: (r.normal(size=4), 3))
def fill_history(x, n):
    history = np.empty((n + 1, 4))
    history[0] = x
    for k in range(n):
        history[k + 1] = np.sin(history[k]) * x + history[k]
    return np.sum(history[n] * history[1])


@program(lambda r: (r.normal(size=4),))
def same_element_again_and_again(x):
    s = np.zeros(1)
    for i in range(4):
        s[0] = s[0] * x[i] + np.sin(x[i])
    return s[0]


@program(lambda r: (r.normal(size=4),))
def accumulate_into_element(x):
    s = np.zeros(2)
    for i in range(4):
        s[i % 2] += x[i] * x[i]
    return s[0] * s[1]


@program(lambda r: (r.normal(size=5), np.array([0, 2, 0, 1, 2])))
def histogram(x, k):
    bins = np.zeros(3)
    for i in range(5):
        bins[k[i]] += np.exp(x[i])
    return np.sum(bins * bins)


@program(lambda r: (r.normal(size=4),))
def write_then_reduce_in_loop(x):
    w = np.zeros(4)
    total = 0.0
    for i in range(4):
        w[i] = x[i] * x[i]
        total += np.sum(w) * x[0]
    return total


@program(lambda r: (r.normal(size=(2, 3)),))
def whole_array_assignment(x):
    y = np.zeros((2, 3))
    y[:] = x * x
    y[:, :] = y + x
    y[...] = y * y
    return np.sum(y)


@program(lambda r: (r.normal(size=4),))
def fill_method(x):
    y = x.copy()
    s = x[0] * x[1]
    y.fill(s)
    y[1] = x[2]
    return np.sum(y * x)


@program(lambda r: (np.arange(3.0) + 0.5,))
def integer_array_written(x):
    k = np.zeros(3, dtype=int)
    for i in range(3):
        k[i] = 2 - i
    s = 0.0
    for i in range(3):
        s += x[k[i]] ** (i + 1)
    return s


@program(lambda r: (r.normal(size=5),))
def swap_elements(x):
    x[0], x[1] = x[1], x[0]
    x[2], x[3] = x[3] * x[0], x[2]
    return x[0] * 2 + x[1] ** 2 + x[2] ** 3 + x[3] * x[4]


@program(lambda r: (r.normal(size=(3, 2)),))
def constant_written_inactive(x):
    y = np.zeros((3, 2))
    for i in range(3):
        for j in range(2):
            y[i, j] = i + 2.0 * j
    return np.sum(y * x * x)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def ufuncs_into_arrays(x, start):
    out = start * 1.0
    np.exp(x, where=x > 0.0, out=out)
    safe = np.divide(1.0, x, where=x != 0.0, out=np.zeros_like(x))
    np.add(out, 1.0, out)
    np.subtract.at(out, np.array([0, 0, 2]), x[:3])
    return np.sum(out * safe)


@program(lambda r: (r.normal(size=5),))
def written_to_itself(x):
    y = x * x
    y[:] = y
    y[1:3] = y[1:3]
    y[1:] = y[:-1]
    y[2] = y[2]
    return np.sum(y**3)


@program(lambda r: (r.uniform(0.5, 1.5, size=4), r.normal(size=5), np.array([0, 2, 2, 1, 2])))
def ufuncs_at_positions(x, y, where):
    scaled = x * 2
    np.multiply.at(scaled, where, y)
    largest = x * x
    np.maximum.at(largest, where, y)
    rows = np.outer(x, x)
    np.divide.at(rows, where[:3], np.outer(y[:3] ** 2 + 1.0, x))
    np.minimum.at(largest, np.array([3, 3]), 0.4)
    return np.sum(scaled**2) + np.sum(largest**3) + np.sum(rows**2)


@program(lambda r: (r.normal(size=4), r.uniform(0.5, 1.0, 4), 2))
def array_written_and_then_replaced_in_a_branch(x, y, trips):
    for _ in range(trips):
        if y[0] > 0.1:
            for j in range(1, x.shape[0]):
                x[j] = x[j] * 0.3 + 0.2 * x[j - 1]
            x = np.tanh(y) * x
    return np.sum(x)


@program(lambda r: (r.normal(size=5), 0.4))
def arrays_that_stay_while_their_source_is_written_to(x, s):
    """The tangent of `x * 1.0` is that of `x`, as it is before `x` changes."""
    u = x * 1.0
    v = x + s
    w = np.where(s > 0.0, x, u) if s > 1.0 else x - 0.0
    x[1] += np.sum(x)
    for k in range(2):
        z = x * 1.0
        x[k] *= s
        u = u + z
    return np.sum(u * v) + np.sum(x * w)


@program(lambda r: (r.normal(size=5), r.normal(size=5), 0.4))
def part_of_one_of_two_arrays_in_each_others_place(x, y, t):
    if t > 0.1:
        y, x = (x, y)
    x[0] = t
    part = x[:4]
    return np.sum(part * part)


@program(lambda r: (r.normal(size=(3, 4)), 0.7))
def written_to_before_it_is_reshaped(x, s):
    """NumPy copies here, and might not elsewhere: nobody sees which, as nothing is written afterwards."""
    x[1] *= s
    flat = x.T.reshape(-1)
    part = flat[2:7]
    return np.sum(part * part) + np.sum(flat[::3]) + np.sum(x[:, 1] * x.T.ravel()[:3])


@program(lambda r: (0.3, r.normal(size=3)))
def nested_lists_into_a_block(angle, p):
    rotation = np.identity(3)
    rotation[:2, :2] = [[np.cos(angle), -np.sin(angle)], (np.sin(angle), np.cos(angle))]
    rotation[2] = [0, p[0], 1.0]
    return np.sum((rotation @ p) ** 3)


@program(lambda r: (r.normal(size=4),))
def flat_is_assigned(x):
    """Elements over and over, in the order of rows whatever the layout."""
    a, b, c = np.zeros((2, 4)), np.outer(x, x).T, np.ones((2, 3))
    a.flat = x
    b.flat = np.concatenate([x, x, x, 2.0 * x])
    c.flat = x[0]
    return np.sum(a * a) + np.sum(b * b * np.arange(16.0).reshape(4, 4)) + c.sum()


@program(lambda r: (r.normal(size=3),))
def what_was_repeated(x):
    twice = np.tile(x, 2)
    twice[0] = x[1] ** 2
    rows = np.repeat(x[:, None], 3, axis=1)
    rows[0] = 1.0
    rows[:, 1] += x
    pairs = np.repeat(x, 2)
    pairs[1:4] *= 2.0
    x[2] = x[0] * x[1]  # none of these sees it
    table = np.tile(x, (2, 1))
    table[1] = 0.5 * table[0] + np.tile(x, 1)
    return np.sum(twice**3) + np.sum(rows**2) + np.sum(pairs**2) + np.sum(table**2) + x[2]


# --- elements that an index names twice -----------------------------------------------------------------------


@program(lambda r: (r.normal(size=4), np.array([0, 2, 2, 1]), np.array([1, 0, 0, 1])))
def changed_at_pairs_of_positions(x, i, j):
    g = np.ones((3, 2))
    np.multiply.at(g, (i, j), x)
    np.maximum.at(g, (i, 0), 0.5 * x)
    np.negative.at(g, (slice(1, None), [0, 0, 1]))
    return np.sum(g * np.arange(1.0, 7.0).reshape(3, 2))


@program(lambda r: (r.normal(size=4), np.array([0, 2, 2, 1])))
def changed_at_masks_and_by_itself(x, i):
    y = x * 1.0
    np.multiply.at(y, x > 0.0, 1.0 + x[x > 0.0])
    np.multiply.at(y, i, y[::-1])
    z = np.outer(x, x)
    np.multiply.at(z.T[1:], (slice(None), i), x)
    return np.sum(y**2) + np.sum(z**2)


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 3))))
def products_with_matrices_in_place(x, a):
    y, z = x.copy(), a * x
    y @= a
    y[:2] @= a[:2, 1:]
    z @= a
    return np.sum(y**2) + np.sum(z)


@program(lambda r: (np.array([0.5, 0.2, 0.4, 0.9]),))
def arrays_that_say_where_they_are_written(x):
    y = x.copy()
    todo = np.ones(len(x), dtype=bool)
    for _ in range(20):
        y[todo] = y[todo] - (y[todo] ** 2 - 2 * x[todo]) / (2 * y[todo])
        todo[todo] = np.abs(y[todo] ** 2 - 2 * x[todo]) > 1e-9
        if not todo.any():
            break
    return np.sum(y * np.arange(4.0))


if np.lib.NumpyVersion(np.__version__) >= "2.3.0":  # before, NumPy reads positions that it has just written

    @program(lambda r: (np.array([0.5, 0.2, 0.4, 0.9]),))
    def positions_that_say_where_they_are_written(x):
        places, total = np.array([2, 0, 1, 3]), 0.0
        for k in range(3):
            total += np.sum(np.sin(x[places]) * np.arange(4.0) * (k + 1))
            places[places] = np.array([1, 2, 3, 0])
        return total
