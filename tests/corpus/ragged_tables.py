"""Lists of lists that are not all as long, read at positions that only the run knows: neighbours in a graph."""

# ruff: noqa: RUF005  (as people write it)

import numpy as np
from tests.corpus import program

NEIGHBOURS = [[1, 2], [0], [0, 3, 1], []]
WEIGHTS = [[0.5, 2.0], [1.5], [1.0, 0.2, 3.0], []]
COPIED = dict.fromkeys(("compiled", "python"), "which only the run knows, and has a name")


def five(r):
    return (r.permutation(5) + 0.1 * r.normal(size=5),)


@program(five)
def neighbours_of_a_node(x):
    node = int(np.argmax(x)) % 3
    s = 0.0
    for j, w in zip(NEIGHBOURS[node], WEIGHTS[node], strict=True):
        s += w * x[j] ** 2
    near = NEIGHBOURS[node - 4]
    if 0 in near:
        s = s * x[4]
    return s + np.sum(x[near] ** 2) + sum(x[j] for j in near + [3]) / max(len(near), 1) + x[near[-1]] * x[4]


@program(five)
def a_walk_over_a_graph(x):
    node, s = 0, 0.0
    while s < 4.0 and node < 3:
        best = NEIGHBOURS[node][0]
        for j in NEIGHBOURS[node]:
            if x[j] > x[best]:
                best = j
        s += 0.5 + x[best] ** 2
        node = best
    return s


@program(five)
def rows_of_numbers_with_a_derivative(x):
    rows = [[x[0], x[1] * x[2]], [x[3]], [x[0], x[1], x[4] ** 2]]
    node = int(np.argmax(x)) % 3
    s = sum(rows[node]) * x[0] + max(rows[node]) ** 2
    rows[2][0] = x[2] * 7.0
    return s + sum(rows[node]) * len(rows[node])


@program(five)
def no_such_node(x):
    try:
        return x[0] ** 2 * len(NEIGHBOURS[int(np.argmax(x)) + 4])
    except IndexError:
        return x[1] ** 2


@program(five, refused=COPIED)
def a_row_with_a_name_that_changes(x):
    rows = [[x[0], x[1] * x[2]], [x[3]], [x[0], x[1], x[4] ** 2]]
    row = rows[int(np.argmax(x)) % 3]
    rows[2].append(x[0])
    return sum(row) ** 2


@program(five, refused=COPIED)
def a_row_as_long_as_the_others_that_changes(x):
    rows = [[x[0], x[1] * x[2]], [x[3], 1.0], [x[0], x[4] ** 2]]
    row = rows[int(np.argmax(x)) % 3]
    last = rows[2]
    last[0] = x[2] * 7.0
    return sum(row) ** 2
