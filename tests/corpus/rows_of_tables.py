"""Tuples and lists that are read at a position of the run stay what they are: as indices, put together, repeated."""

# ruff: noqa: B905, RUF005  (as people write it)

from collections import namedtuple

import numpy as np
from tests.corpus import program

SEVEN = np.array([1.3, 4.1, 2.2, 3.7, 1.9, 4.6, 2.8])
EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
MANY = [(i % 6, i % 5) for i in range(12)]
Edge = namedtuple("Edge", "start end length")


@program(lambda r: (SEVEN.copy(),))
def elements_at_places_of_a_table(w):
    m = np.outer(w, np.sin(w))
    t = 0.0
    for k in np.argsort(w):
        t += (k + 1) * np.sum(m[EDGES[k]])
    for v, place in zip(w, MANY):
        t += v * np.sum(m[place]) * len(place + (1, 2))
    return t + np.sum(m[MANY[int(w[0])]])


@program(lambda r: (SEVEN.copy(),))
def tuples_put_together(w):
    t = 0.0
    for k in np.argsort(w):
        both = EDGES[k] + (4, 5)
        t += w[both[1]] * w[both[3]] * len(EDGES[k] * 2)
    last = MANY[int(w[1])]
    return t * len(last + last) + w[last[0]]


@program(lambda r: (SEVEN.copy(),))
def rows_of_lists_put_together(w):
    rows = [[0, 1], [2, 3], [4, 5]]
    t = 0.0
    for k in np.argsort(w):
        row = rows[k % 3]
        t += (row + row)[2] * w[k] + len(row * 2) * w[row[1]] + np.sum(w[row])
    return t


@program(lambda r: (SEVEN.copy(),))
def floats_and_positions_in_rows(w):
    table = [((1, 2.5), 3), ((5, 6.5), 6), ((4, 1.5), 2)]
    t = 0.0
    for k in np.argsort(w):
        (a, b), c = table[k % 3]
        t += w[a] * b + w[c] * w[k]
    return t


@program(lambda r: (SEVEN.copy(),))
def records_and_tuples_at_positions(w):
    edges = [Edge(0, 1, 0.5), Edge(1, 2, 0.7), Edge(2, 3, 0.9)]
    t = 0.0
    for k in np.argsort(w):
        e = edges[k % 3]
        t += w[e.start] * e.length * w[e.end] + EDGES[k][k % 2] * w[0]
    return t


@program(lambda r: (SEVEN.copy(),))
def tables_by_two_positions(w):
    square = ((0.1, 0.2, 0.3), (0.2, 0.3, 0.1), (0.5, 0.4, 0.7))
    wide = [[0.1 * i + 0.01 * j * w[0] for j in range(10)] for i in range(3)]
    t = 0.0
    for i in range(int(w[0]) + 1):
        for j in range(3):
            t += square[i][j] * w[i] * w[j] + wide[i][j + 4] * w[i]
        row = wide[i]
        t += (
            sum(square[i]) * w[i] + np.dot(square[i], w[:3]) + max(square[i]) + len(row + row) + (2 * row)[13]
        )
    return t
