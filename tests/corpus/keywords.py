"""Keywords of NumPy's functions that say where a result lies, of which dtype it is, and what it is made of."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def laid_by_columns(a, x):
    y = np.zeros((2, 3), order="F")
    y[:] = a * x
    z = np.full_like(a, x[0], order="F") + np.ones((2, 3), None, "F")
    first = y.T[0]
    first[0] = x[1]
    return np.sum(y**2 * z) + np.sum(first**3)


@program(lambda r: (r.normal(size=(2, 3)),))
def of_another_shape(a):
    y = np.zeros_like(a, shape=(3,), order="C")
    y += a[0]
    return np.sum(y * np.full_like(a, a[0, 0], shape=3)) + np.sum(np.ones_like([1, 2], shape=(2,)) * a[0, :2])


@program(lambda r: (np.array([-1.3, 1.4, 0.7, -2.6]),))
def whole_numbers_of_fractions(x):
    """`np.linspace` takes those below, a mean cuts off."""
    below = np.linspace(-1, 1, 4, dtype=int) @ x
    return below + np.linspace(x[0], x[1], 5, dtype=int)[1] * x[2] + np.mean(x[[0, 3]], dtype=int) * x[1]


@program(lambda r: (np.array([0.4, np.nan, np.inf, 1.5]), 0.3))
def numbers_in_place_of_nan(x, s):
    y = x * 1.0
    z = np.nan_to_num(y, copy=False, nan=s, posinf=2.0)
    y[0] = 1.0
    return np.sum(y**2) + z[0] * z[3]


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def joined_in_a_dtype(a, x):
    both = np.hstack((x, a[0]), dtype=np.float64, casting="unsafe") * np.concatenate([a[1], x], dtype=float)
    rows = np.stack([x, a[0]], dtype=float) * np.vstack([x, x], dtype=float, casting="same_kind")
    y = a * 2.0
    same = y.astype(float, "C", "safe", True, False)
    same[0, 0] = x[0]  # no copy
    turned = np.zeros((3, 2))
    np.stack(a, 1, turned)
    np.stack(a, axis=1, out=turned)
    return np.sum(both) + np.sum(rows**2) + np.sum(y**3) + np.sum(turned**2) + np.trace(a[:, :2], dtype=float)


@program(lambda r: (r.normal(size=4),))
def diagonals_filled_again(x):
    tall, cube, square = np.zeros((7, 3)), np.zeros((2, 2, 2)), np.ones((4, 4))
    np.fill_diagonal(tall, x, wrap=True)
    np.fill_diagonal(cube, x[1:3])
    np.fill_diagonal(square, x[:2])  # two values, over and over
    return np.sum(tall**2 * np.arange(21.0).reshape(7, 3)) + np.sum(cube**3) + np.linalg.det(square)


@program(lambda r: (np.array([[0.5, -0.3, 0.8], [1.2, 0.4, -0.9]]), np.array([True, False, True])))
def some_of_them(a, some):
    chosen = (a > 0).all(axis=0, where=[[True], [False]]) * a[0] + np.any(
        a > 1, 0, None, False, where=some
    ) * a[1]
    inside = np.isin(np.arange(3), [0, 2], kind="sort") * a[1]
    return np.sum(chosen**2) + np.sum(inside) + np.sum(np.add.reduce(a, 1, float) ** 2)


@program(lambda r: (np.array([0.5, 2.0]), np.array([4.0, 3.0])))
def spaced_along_the_last_axis(low, high):
    points = np.geomspace(low, high, 3, axis=-1) * np.logspace(low, high, 3, base=1.5, axis=1)
    return np.sum(points * np.arange(3.0)) + np.linalg.matrix_rank(points, rtol=1e-9) * low[0]


@program(lambda r: (np.array([-0.5, -2.0, 1.3, 0.4]), 0.7))
def written_to_what_was_chosen(x, s):
    """What one number chooses is a copy; a product of all with all is written where it shall be."""
    y = x * s
    z = np.choose(0, [y, x])
    z[0] = 3.0
    square = np.zeros((2, 2))
    np.multiply.outer(x[:2], y[:2], out=square)
    np.maximum.at(y, [0, 0, 1], [s, 2 * s, 0.1])
    return np.sum(y**2) + np.sum(z**3) + np.sum(square) + np.sum(np.geomspace(x[0], x[1], 4) ** 2)
