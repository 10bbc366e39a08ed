"""Rows and columns of a matrix of which each is taken once, and searches in an order that is given."""

import numpy as np
from tests.corpus import program

EDGES = np.array([[3, 1], [1, 2], [3, 1], [1, 1], [1, 2]])


@program(lambda r: (r.normal(size=5),))
def weights_of_rows_that_are_equal(x):
    pairs, place, counts = np.unique(EDGES, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros(len(pairs))
    np.add.at(sums, place, x)
    columns, first = np.unique(EDGES[:, ::-1].T, axis=1, return_index=True)
    return np.sum((sums / counts) ** 2 * pairs[:, 0]) + columns[0] @ x[first] ** 3


@program(lambda r: (np.array([[0.5, 1.5], [-1.2, 2.3], [0.5, -1.4], [0.2, 0.1]]),))
def rows_of_what_is_differentiated(x):
    rows = np.concatenate((np.floor(x), x), axis=1)
    found, counts = np.unique(rows, axis=0, return_counts=True)
    blocks = np.unique(np.stack((x, 2.0 * x, x[::-1])), axis=0)
    return np.sum(found[0] * found[-1] ** 2) * counts.sum() + np.sum(blocks[1] ** 2 * blocks[0])


@program(lambda r: (r.normal(size=4),))
def searches_in_an_order_that_is_given(x):
    order = np.argsort(-x)
    places = np.searchsorted(-x, np.array([-2.0, 0.1]), side="right", sorter=order)
    knots = np.array([3.0, 1.0, 2.0])
    found = knots.searchsorted(x, "left", np.argsort(knots))
    return np.sum(x**2 * (1 + found)) * (1 + places[0]) + places[1] * x[0]
