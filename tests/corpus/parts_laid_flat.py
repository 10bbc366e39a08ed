"""Rows of an array as a vector, and arrays with an axis more or less: all are the same memory."""

import numpy as np
from tests.corpus import program


def three(r):
    return (r.normal(size=3),)


@program(three)
def rows_are_written_flat(x):
    y = np.zeros((4, 3))
    y[1:3].ravel()[1:4] = x
    return np.sum(y**2 * np.arange(12).reshape(4, 3))


@program(three)
def rows_are_written_and_read_flat(x):
    y = np.zeros((4, 3))
    v = y[1:3].ravel()
    y[1] = x
    y[2] = x**2
    return v @ np.arange(6.0)


@program(three)
def first_rows_are_scaled_flat(x):
    y = np.outer(x, x)
    v = y[:2].reshape(6)
    v *= 2.0
    return np.sum(y * np.arange(9).reshape(3, 3))


@program(three)
def an_element_is_written_below_its_flat_rows(x):
    y = np.outer(x, x)
    v = y[:2].reshape(6)
    y[0, 0] = 1.0
    return v @ np.arange(6.0) + y[0, 0]


@program(three)
def last_rows_with_one_axis_more(x):
    y = np.outer(x, x)
    v = np.expand_dims(y[1:], 0).ravel()
    v[0] = x[0]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=3), 2))
def rows_of_a_block_from_a_position(x, k):
    y = np.zeros((2, 4, 3))
    for j in range(2):
        y[j, k:].reshape(-1)[:3] += x * (j + 1)
        y[-1, -k:].ravel()[-1] = x[0] ** 2
    return np.sum(y**2 * np.arange(24).reshape(2, 4, 3))


@program(lambda r: (r.normal(size=1),))
def one_row_is_laid_flat(x):
    y = np.zeros(2 * x.size).reshape(x.size, 2)
    y[:, 1] = x
    np.multiply(y, y, out=y)
    return y.ravel() @ np.arange(y.size)


@program(three)
def an_axis_is_taken_away(x):
    y = np.zeros((x.size, 1, 2))
    y[:, 0, 0] = x
    z = y.squeeze(1)
    z[:, 1] = x**2
    return np.sum(y.reshape(-1) * np.arange(y.size))


@program(three)
def two_shapes_of_one_array(x):
    y = np.zeros(6)
    z = y.reshape(3, 2)
    w = z.reshape(2, 3)
    w[0] = x
    z[1] *= 2
    return np.sum(y**2 * np.arange(6))


@program(three)
def a_plane_laid_flat(x):
    y = np.zeros((2, 3, 2))
    v = y[1].reshape(-1)
    v[:3] = x
    y[1, 0, 0] *= 3
    return np.sum(y**2 * np.arange(12).reshape(2, 3, 2))
