"""Arrays that a branch or a loop gave another name, written afterwards; containers changed while gone over."""

import math

import numpy as np
from tests.corpus import program

REFUSED = {"compiled": "a name that may be the array is read afterwards", "python": "as compiled"}
GROWS = {"compiled": "the trips are counted when the loop begins", "python": "as compiled"}


@program(lambda r: (r.normal(size=5), r.normal(size=5), -2.0))
def rebound_in_branch_then_written(x, y, s):
    if x[0] > s:
        y = np.tanh(y)
    y[1] = np.sin(s) * y[2]
    return np.sum(x * y)


@program(lambda r: (r.normal(size=5), r.normal(size=5), 0.7))
def chosen_array_written(x, y, s):
    z = y * y
    w = np.sum(z * z)
    if x[0] > 9.0:
        z = np.tanh(z)
    elif x[1] > 8.0:
        z = np.sin(z)
    z[1] = np.sin(s) * z[2]
    return np.sum(x * z * z) + w


@program(lambda r: (r.normal(size=5), r.normal(size=5), 0.7))
def swapped_in_branch_then_written(x, y, s):
    z = y * y
    u = y * x
    w = np.sum(z * z * u)
    if s > 0.5:
        z, u = u, z
    z[1] = np.sin(s) * u[2]
    u[2] *= s
    return np.sum(x * z * z * u) + w


@program(lambda r: (r.normal(size=4), 0.3))
def branch_in_loop_then_written(x, s):
    y = x * 1.0
    for k in range(4):
        if x[k] > 0.0:
            y = y * 0.5 + s
        y[k] = np.sin(y[k - 1]) * s
    return np.sum(y * y)


@program(lambda r: (r.normal(size=(3, 4)), 0.7))
def rebound_in_nested_loops_then_written(m, s):
    for _ in range(2):
        for _ in range(3):
            m = np.tanh(m + m * s)
    m[1:, ::2] *= m[:2, :2]
    return np.sum(m * m)


@program(lambda r: (r.normal(size=5), 0.5))
def two_ping_pongs_from_the_same_start(x, s):
    a, b = x * 2.0, np.zeros(5)
    for _ in range(2):
        b[1:-1] = a[1:-1] * s - 0.2 * a[2:]
        a, b = b, a
    c, d = x * 2.0, np.zeros(5)
    for _ in range(3):
        d[1:-1] = c[1:-1] * s - 0.2 * c[:-2]
        c, d = d, c
    return np.sum(a * a) + np.sum(c * x)


@program(lambda r: (r.normal(size=5), 0.5), refused=REFUSED)
def first_trip_writes_what_is_read_later(x, s):
    a = x * 2.0
    z = x * 3.0
    y = a
    u = a[0] * s
    for _ in range(3):
        y[0] = y[0] * s
        y, z = z, y
    return u * a[0] * s + y[0] * z[0]


@program(lambda r: (r.normal(size=3),))
def array_changes_while_gone_over(x):
    v = np.array([x[0], x[1], x[2]])
    s = 0.0
    for k, e in enumerate(v):
        s += e * k
        v[(k + 1) % 3] += e
    return s * v[0]


@program(lambda r: (r.normal(size=3), 1.5))
def array_changes_before_a_break(x, limit):
    v = np.array([0.1, 0.5, 0.7]) * 0.9
    for e in v:
        if e > limit:
            break
        x[[2, 0]] *= np.sin(x[[0, 2]])
        v[1:] += 0.6
    return np.sum(x * x)


@program(lambda r: (r.normal(size=3),))
def list_changes_while_gone_over(x):
    parts = [x[0], x[1], x[2]]
    s = 0.0
    for k, e in enumerate(parts):
        s += e * k
        parts[(k + 1) % 3] += e
    for e in parts:
        parts[2] *= e
    return s + sum(parts)


@program(lambda r: (r.normal(size=3),), refused=GROWS)
def list_grows_while_gone_over(x):
    parts = [x[0], x[1], x[2]]
    s = 0.0
    for e in parts:
        if len(parts) < 6:
            parts.append(e * e)
        s += e
    return s + sum(parts)


@program(lambda r: (r.normal(size=5), 0.5))
def add_at_positions_in_a_list(x, s):
    np.add.at(x, [0, 3, 3], s)
    np.add.at(x, [1, 4, 4], x[:3] * s)
    x[[0, 2, 4]] *= np.sin(x[[4, 2, 0]])
    return np.sum(x * x * x)


@program(lambda r: (r.normal(size=(2, 3)), 0.7))
def rebound_on_one_side_written_on_the_other(m, s):
    if s > 0.9:
        for _ in range(2):
            m = np.tanh(m)
    else:
        m[1, 2] += np.tanh(m[0, 1]) * s
    return np.sum(m * m)


@program(lambda r: (r.normal(size=4), 0.7))
def written_and_rebound_unless_skipped(x, s):
    for i in range(3):
        if i % 2 == 1:
            continue
        for _ in range(2):
            x[-4] += np.tanh(x[3] * s)
            x = np.tanh(x[::-1])
    return np.sum(x)


@program(lambda r: (r.normal(size=4), np.array([0.2, 0.9, 0.7, 0.4])))
def masked_accumulation_in_a_loop(x, y):
    for _ in zip(y, x, strict=True):
        x[y > 0.5] += x[-1]
        x[-2] = np.tanh(math.sin(x[-3]))
    return np.tanh(np.sum(x))


@program(lambda r: (r.normal(size=5), -9.0))
def list_changed_on_one_path_and_replaced_on_the_other(x, t):
    parts = [x[0], x[1] * x[2]]
    if x[3] > t:
        parts[0] = x[4]
    else:
        parts = [x[1], x[1]]
    grown = [0.3 * x[0]] * len(x)
    if x[3] > t:
        last = grown.pop()
    else:
        grown = grown[:2]
        last = 0.0
    return sum(grown) * grown[-1] + last + parts[0] * parts[1]
