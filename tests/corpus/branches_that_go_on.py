"""Branches whose paths leave what cannot be one variable: views of one array, lists of two lengths, other keys"""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.uniform(0.2, 1.5, size=6), 5))
def buffers_by_turns(u, n):
    old, new = u.copy(), np.zeros(len(u))
    for k in range(n):
        src, dst = (old, new) if k % 2 == 0 else (new, old)
        dst[1:-1] = 0.5 * src[1:-1] + 0.25 * (src[:-2] + src[2:])
    return np.sum(old * new)


@program(lambda r: (r.uniform(0.2, 1.5, size=4),))
def row_or_column(x):
    table = np.outer(x, x)
    for k in range(len(x)):
        line = table[k] if x[k] > 0.8 else table[:, k]
        line -= line.mean()
    return np.sum(table**3)


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def sorted_into_two_arrays(x, y):
    above, below = np.zeros(6), np.zeros(6)
    for i in range(6):
        side = above if y[i] > 0.0 else below
        side[i] += x[i] ** 2
    return np.sum(above) ** 2 - np.sum(below * y) ** 3


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def one_of_three(x):
    low, middle, high = x.copy(), x * 2.0, x**2
    for i in range(len(x)):
        if x[i] < 0.6:
            part = low
        elif x[i] < 1.0:
            part = middle
        else:
            part = high
        part[i] = part[i] * low[0]
        part[0] += 1.0
    return np.sum(low * middle * high)


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def left_from_a_loop_behind_it(x):
    table = np.outer(x, x)
    line = table[0] if x[0] > 0.5 else table[:, 0]
    for i in range(len(x)):
        line[i] *= 2.0
        if line[i] > 3.0:
            return np.sum(table)
    return np.sum(table**3)


def centred(table, k):
    line = table[k] if table[k, k] > 0.5 else table[:, k]
    line -= line.mean()
    return line


@program(lambda r: (r.uniform(0.2, 1.5, size=4),))
def chosen_in_a_helper(x):
    table = np.outer(x, x)
    s = 0.0
    for k in range(len(x)):
        s += np.sum(centred(table, k) ** 2)
    return np.sum(table**3) + s


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def written_by_a_function_inside(x):
    y, z = x.copy(), x * 2.0
    buffer = y if x[0] > 0.8 else z

    def put(i, v):
        buffer[i] = v

    for i in range(3):
        put(i, x[i] ** 2)
    return np.sum(y * z)


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def chosen_one_after_the_other(x):
    y, z = x.copy(), x * 2.0
    p = y if x[0] > 0.8 else z
    p[0] = p[1] * 2.0
    q = y if x[1] > 0.8 else z
    q[1] = q[2] * p[0]
    r = y if x[2] > 0.8 else z
    r[2] = r[3] * q[1]
    return np.sum(y * z)


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def array_or_number(x):
    y = x * 2.0 if x[0] > 0.8 else 0.5
    z = y + 1.0
    return np.sum(z * z * x)


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def key_on_one_path(x):
    parts = {"a": x[0]}
    if x[1] > 0.8:
        parts["b"] = x[2] ** 2
    s = 0.0
    for value in parts.values():
        s += value * value
    return s + parts.get("b", x[3])


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def key_in_a_dict_that_a_helper_is_given(x):
    def filled(parts, v):
        if v > 0.8:
            parts["b"] = v * v
        return sum(parts.values())

    parts = {"b": x[0]}
    return filled(parts, x[1]) * parts["b"] + x[2]


class Body:
    def __init__(self, mass):
        self.mass = mass


@program(lambda r: (r.uniform(0.2, 1.5, size=5),))
def object_or_none(x):
    body, found = Body(x[0]), None
    if x[1] > 0.5:
        found = body
    if found is None:
        return x[3]
    found.mass = found.mass * 2.0
    return body.mass**2 + found.mass
