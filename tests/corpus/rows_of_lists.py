"""Lists of tuples and lists of a run-time length, whose elements stay tuples and lists"""

from typing import NamedTuple

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


class Point(NamedTuple):
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Point(self.x * other.x, self.y - other.y)


@program(lambda r: (FOUR.copy(),))
def tuple_repeated(x):
    rows = [(a, 1.0) for a in x]
    row = rows[0] * 2
    return sum(row) * len(row)


@program(lambda r: (FOUR.copy(),))
def tuples_put_together(x):
    rows = [(a, a * a) for a in x if a > 0.0]
    row = rows[0] + rows[1] + (x[1],)
    return len(row) * row[0] + row[2] * row[4]


@program(lambda r: (FOUR.copy(),))
def tuples_that_pass_a_test(x):
    total = 0.0
    for a, b in [(a, a * a) for a in x if a > 0.0]:
        total += a * b
    return total


@program(lambda r: (FOUR.copy(),))
def tuples_appended_in_a_branch(x):
    rows = []
    for k in range(len(x)):
        if x[k] > 0.0:
            rows.append((x[k], k * x[k]))
    return rows[-1][0] * rows[0][0] + sum(b for a, b in rows)


@program(lambda r: (FOUR.copy(),))
def tuples_as_an_array(x):
    rows = [(a, a * a) for a in x if a > 0.0]
    return np.sum(np.array(rows) * 2.0) + np.dot(rows[0], rows[1])


@program(lambda r: (FOUR.copy(),))
def list_repeated_no_times(x):
    rows = [[a, a] for a in x]
    return x[0] + sum(rows[0] * 0) + len(rows[1] * 3)


@program(lambda r: (FOUR.copy(),))
def sum_of_tuples(x):
    return sum(sum([(x[0], x[1]), (x[2] * x[3],)], ()))


@program(lambda r: (FOUR.copy(),))
def named_tuples_that_define_a_sum(x):
    points = [Point(a, 1.0) for a in x]
    total = points[0]
    for point in points[1:]:
        total = total + point
    return total.x + 3.0 * total.y
