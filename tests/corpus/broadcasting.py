"""Broadcasting in all its forms."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=4), 0.7))
def vector_and_scalar(x, b, s):
    return np.sum((x + b) * s * (x * b - s))


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 1))))
def column(x, c):
    return np.sum((x * c + c) ** 2)


@program(lambda r: (r.normal(size=(1, 4)), r.normal(size=(3, 1))))
def row_with_column(x, c):
    return np.sum((x * c - c / (2 + x * x)) ** 2)


@program(lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=(3, 1)), r.normal(size=4)))
def three_ranks(x, y, z):
    return np.sum(x * y * z + y**2 - z) + np.sum((x + z) ** 2)


@program(lambda r: (r.normal(size=1), r.normal(size=4)))
def length_one(x, y):
    return np.sum(x * y) + np.sum((x + y) ** 2) + x[0]


@program(lambda r: (r.normal(size=(1, 1)), r.normal(size=(3, 4))))
def one_by_one(x, y):
    return np.sum(x * y * y) + np.sum(x)


@program(lambda r: (r.normal(size=4), r.normal(size=(1, 4))))
def ranks_differ_by_ones(x, y):
    return np.sum(x * y) + np.sum((x - y) ** 3)


@program(lambda r: (r.normal(size=3), r.normal(size=4)))
def pairwise(x, y):
    d = x[:, None] - y[None, :]
    return np.sum(np.exp(-d * d))


@program(lambda r: (r.normal(size=(4, 2)), r.normal(size=(3, 2))))
def pairwise_distances(x, y):
    d = x[:, None, :] - y[None, :, :]
    return np.sum(np.sqrt(np.sum(d * d, axis=2)))


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(1, 4))))
def augmented(x, b):
    y = x * 1.0
    y += b
    y *= b
    return np.sum(y * y)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=3), r.normal(size=4)))
def normalised_rows_and_columns(x, a, b):
    y = x * a[:, None] + b
    y = y - y.mean(axis=0)
    return np.sum(y * y / (1 + np.sum(y * y, axis=1, keepdims=True)))


@program(lambda r: (0.7, r.normal(size=3)))
def scalar_accumulates_over_array(s, x):
    y = np.sin(s * x) + s
    z = y * s
    return np.sum(z) + s


@program(lambda r: (r.normal(size=(3, 1)), r.normal(size=(1, 3)), 3))
def broadcast_in_loop(x, y, n):
    for _ in range(n):
        m = x * y
        x = x + 0.1 * np.sum(np.sin(m), axis=1, keepdims=True)
        y = y - 0.1 * np.sum(np.cos(m), axis=0, keepdims=True)
    return np.sum(x * y)


@program(lambda r: (r.normal(size=(4, 3)), r.uniform(1.0, 2.0, size=(4, 1))))
def cuts_of_one_column(p, m):
    """A cut of an axis of unknown length is a column, and is stretched."""
    x, y, last = p[:, 0:1], p[:, 1:2], p[:, -1:]
    near = (x.T - x) ** 2 + (y.T - y) ** 2 + 0.1
    k = 1
    q = np.zeros((3, 4))
    q[...] = p.T[k : k + 1] * 2.0
    q[1:] += p.T[:1]
    spread = np.broadcast_to(last, p.shape)
    return (
        np.sum(near**-1.5 @ m)
        + np.sum(p[:1] * p**2)
        + np.sum(q**2 * spread.T)
        + np.sum(np.where(p > last, p, y))
    )


@program(lambda r: (r.normal(size=3), r.normal(size=(2, 1))))
def shapes_that_are_asked_for(x, y):
    shape = np.broadcast_shapes(x.shape, y.shape, (1,))
    both = np.broadcast(x, y)
    stretched = np.broadcast_to(x, shape) * np.broadcast_to(y, both.shape)
    out = np.zeros(both.shape)
    out[...] = x
    return np.sum(stretched**2) * both.size + np.sum(out * y) * both.ndim * shape[0]


@program(lambda r: (r.normal(size=3),))
def rows_of_what_was_spread(x):
    """What is written to the array is seen in all rows, of which each is the array."""
    a = x * 1.0
    rows = np.broadcast_to(a, (2, 3))
    a[0] = a[0] * 2.0
    row = rows[0]
    total = np.sum(row * row) + rows[1, 2]
    for i in range(2):
        a[i] = a[i] * rows[i, 2]
        total += np.sum(rows[i] ** 2) * rows[1 - i, i]
    return total + np.sum(np.swapaxes(rows, 0, 1)[1])


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 4))))
def parts_of_spread_columns(x, w):
    """To one number lead all those of a row, and all of the first axis."""
    a = x * 1.0
    b = np.broadcast_to(a[:, None], (2, 3, 4))
    both = np.broadcast_to(b[:, None], (2, 5, 3, 4))
    a[1] = x[0] ** 2
    part = both[1:, ::2, 1:]
    first = part[0]
    total = np.sum(b[:, 1:, None, 2:] ** 2) + b[1, 2, 3] + np.sum(b[0] * w) + np.sum(b[:, 0] ** 3)
    total += np.sum(b[:, [0, 2, 2]] ** 2) + np.sum(b[b > 0.0]) + np.sum(b.T[1, 2] * 2.0)
    return total + np.sum(first**2) + np.sum(both[0, 1] * part[0, 0, 1]) + both[1, 4, 2, 0]
