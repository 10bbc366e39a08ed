"""Rows, dicts and objects in a list change places where the data say which, and are written to there."""

from dataclasses import dataclass

import numpy as np
from tests.corpus import program

SIX = np.array([0.7, -0.4, 1.3, 0.2, 0.9, -1.1])


def _weighed(m):
    return sum(v * v * (1 + i + 2 * j) for i, row in enumerate(m) for j, v in enumerate(row))


def _rows(x):
    return [[x[0], 2.0, x[3]], [2.0 + x[1], 1.0, x[2]], [0.5, x[4], 3.0 * x[5]]]


def _highest(x):
    return int(np.argmax(x[:3]))


@program(lambda r: (SIX.copy(),))
def elimination_with_pivots_in_lists(x):
    m = _rows(x)
    for k in range(3):
        pivot = k
        for i in range(k + 1, 3):
            if abs(m[i][k]) > abs(m[pivot][k]):
                pivot = i
        m[k], m[pivot] = m[pivot], m[k]
        for i in range(k + 1, 3):
            f = m[i][k] / m[k][k]
            for j in range(k, 3):
                m[i][j] -= f * m[k][j]
    return m[0][0] * m[1][1] + m[2][2]


def _solved(a, b):
    n = len(a)
    m = [[*row, v] for row, v in zip(a, b, strict=True)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda r: abs(m[r][k]))
        if pivot != k:
            m[k], m[pivot] = m[pivot], m[k]
        for i in range(k + 1, n):
            f = m[i][k] / m[k][k]
            m[i] = [u - f * w for u, w in zip(m[i], m[k], strict=True)]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return x


@program(lambda r: (SIX.copy(),))
def system_solved_in_lists(x):
    found = _solved([[x[0], 2.0, x[3]], [2.0 + x[1], 1.0, x[2]], [0.5, x[4], 3.0]], [x[5], 1.0, x[0]])
    return sum(v * v for v in found)


@program(lambda r: (SIX.copy(),))
def places_counted_from_the_end(x):
    m, p = _rows(x), _highest(x) - 3
    m[0], m[p] = m[p], m[0]
    m[p][-1] = x[0] * 7.0
    m[p][p] += x[1]
    return _weighed(m)


@program(lambda r: (SIX.copy(),))
def both_places_of_the_run(x):
    m, p = _rows(x), _highest(x)
    q = (p + 1) % 3
    m[q], m[p] = m[p], m[q]
    m[q][0], m[p][0] = m[p][0], m[q][0]
    return _weighed(m)


@program(lambda r: (SIX.copy(),))
def on_one_path(x):
    m, p = _rows(x), _highest(x)
    if x[3] > 0:
        m[0], m[p] = m[p], m[0]
        m[p][0] = x[3]
    else:
        m[p][1] = x[4]
    m[0][0] *= 2.0
    return _weighed(m)


@program(lambda r: (SIX.copy(),))
def in_a_loop_over_the_data(x):
    m = [[x[0], 1.0], [2.0, x[1]], [x[2], x[3]]]
    for v in x:
        p = 0 if v > 0.5 else 1 if v > 0 else 2
        m[0], m[p] = m[p], m[0]
        m[0][1] += v * v
        m[p][0] *= v
    return _weighed(m)


@program(lambda r: (SIX.copy(),))
def a_row_that_stands_twice(x):
    row, other = [x[0], x[1]], [x[2], x[3]]
    m = [row, row, other]
    p = 0 if x[5] > 0 else 1
    m[p][0] = x[4] * 2.0
    m[p][1] += x[5]
    return _weighed(m) + row[0]


@program(lambda r: (SIX.copy(),))
def a_row_with_a_name(x):
    m, p = _rows(x), _highest(x)
    row = m[2]
    m[p][0] = x[3] * 2.0
    row[1] += x[0]
    m[p][1] *= x[3]
    return _weighed(m) + row[0] * 3.0 + row[1]


@program(lambda r: (SIX.copy(),))
def places_that_are_taken_from_a_list(x):
    m, order = _rows(x), [2, 1, 0]
    m[order.pop()][0] = x[3]
    m[order.pop()][1] += x[4]
    return _weighed(m) + len(order)


@dataclass
class Body:
    place: float
    mass: float


@program(lambda r: (SIX.copy(),))
def objects_exchanged(x):
    bodies = [Body(x[0], 1.0), Body(x[1], 2.0), Body(x[2], x[3])]
    p = _highest(x)
    bodies[p].mass *= x[4]
    bodies[0], bodies[p] = bodies[p], bodies[0]
    bodies[0].place *= 2.0
    return sum((i + 1) * b.place * b.mass for i, b in enumerate(bodies))


@program(lambda r: (SIX.copy(),))
def the_worst_of_several_replaced(x):
    corners = [
        {"at": x[0], "value": x[0] ** 2},
        {"at": x[1], "value": x[1] ** 2},
        {"at": x[2], "value": x[2] ** 2},
    ]
    for _ in range(3):
        worst = max(range(3), key=lambda k: [c["value"] for c in corners][k])
        middle = sum(c["at"] for c in corners) / 3.0
        corners[worst]["at"] *= -0.5
        corners[worst]["at"] += 1.5 * middle
        corners[worst]["value"] = 0.5 * middle**2 + 0.1 * x[3]
        corners[0], corners[worst] = corners[worst], corners[0]
    return sum((k + 1) * c["value"] * c["at"] for k, c in enumerate(corners))


class Table:
    def __init__(self, rows):
        self.rows = rows

    def exchange(self, a, b):
        self.rows[a], self.rows[b] = self.rows[b], self.rows[a]


@program(lambda r: (SIX.copy(),))
def rows_of_an_object_and_of_a_function_around(x):
    table, p = Table(_rows(x)), _highest(x)
    m = _rows(x * 2.0)

    def exchange(a, b):
        m[a], m[b] = m[b], m[a]

    table.exchange(1, p)
    exchange(p, 0)
    table.rows[p][0] += 1.0
    return _weighed(table.rows) + x[3] * _weighed(m)
