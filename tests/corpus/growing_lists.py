"""Lists that grow in loops whose number of trips is only known at run time; comprehensions over arrays"""

import numpy as np
from tests.corpus import program

PATHS = {"compiled": "the length depends on the path taken", "python": "as compiled"}
ALIAS = {"compiled": "an element of the list is written to", "python": "as compiled"}


@program(lambda r: (r.normal(size=5),))
def appended_then_array(x):
    out = []
    for i in range(len(x) - 1):
        out.append(x[i + 1] * x[i])
    return np.sum(np.array(out) ** 2) + len(out) * out[-1] + out[0]


@program(lambda r: (r.normal(size=5),))
def history_of_states(x):
    ts, ys = [0.0], [x[:2]]
    for _ in range(2 * len(x)):
        y = ys[-1]
        ys.append(y + 0.1 * np.array([y[1], -np.sin(y[0])]))
        ts.append(ts[-1] + 0.1)
    ys = np.array(ys)
    return np.sum(ys[:, 0] ** 2) + ts[-1] * ys[-1, 1]


@program(lambda r: (r.normal(size=5),))
def rows_stacked(x):
    rows = []
    for i in range(len(x)):
        rows.append(x * x[i] + i)
    return (
        np.linalg.norm(np.vstack(rows) @ x) + np.sum(np.stack(rows)[1] * rows[-1]) + np.sum(np.hstack(rows))
    )


@program(lambda r: (r.normal(size=7),))
def two_in_a_trip_with_a_step(x):
    s = 0.0
    parts = [0.5]
    for i in range(2, len(x), 2):
        parts.append(x[i])
        parts.append(x[i] * x[i - 1])
        s += parts[i - 1] * len(parts) + parts[-2]
    for p in parts:
        s += p * p
    return s + max(parts) + sum(parts, 2.0) * sum(parts[1:])


@program(lambda r: (r.normal(size=4),))
def a_list_in_each_trip(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x)):
            row.append(x[i] * x[j] + j)
        rows.append(np.array(row))
    return np.sum(np.array(rows) ** 2) + rows[0][1] * rows[-1][0]


@program(lambda r: (r.normal(size=4),))
def lists_of_lists(x):
    rows = []
    for i in range(len(x)):
        rows.append([x[i] * x[j] for j in range(len(x))])
    s = sum(rows[1]) + rows[0][-1] * len(rows[2])
    for first, _ in [[a, a * b] for a, b in zip(x, x[::-1], strict=True)]:
        s += first
    return s + np.array(rows).sum()


@program(lambda r: (r.normal(size=4), 0.7), refused={"compiled": "joins two lists", "python": "as compiled"})
def rows_joined(x, s):
    rows = []
    for i in range(len(x)):
        rows.append([x[i], s])
    both = rows[0] + rows[1]
    return both[2] * both[1]


@program(lambda r: (r.normal(size=4),))
def comprehension_over_an_array(x):
    squares = [v * v for v in x]
    pairs = [a * b + i for i, (a, b) in enumerate(zip(x, x[::-1], strict=True))]
    s = 0.0
    for k, p in enumerate(pairs):
        s += k * p * pairs[k - 1]
    return s + sum(squares) * np.prod(np.array([np.cos(v) for v in x])) + max([-v for v in x])


@program(lambda r: (r.normal(size=4),))
def nested_comprehension_over_an_array(x):
    m = np.array([[x[i] * x[j] for j in range(len(x))] for i in range(len(x))])
    return np.sum(m * m * m)


@program(lambda r: (r.normal(size=5),))
def numbers_read_at_a_running_position(x):
    weights, powers = [0.2, 0.5, x[0]], (1, 2)
    s = 0.0
    for i in range(len(x)):
        s += weights[i % 3] * x[i] ** powers[i % 2]
    return s


@program(lambda r: (r.normal(size=5),))
def state_put_into_a_list_then_rebound(x):
    y = x * 1.0
    steps = []
    for _ in range(len(x)):
        steps.append(y)
        y = y * 0.5
        y[0] = 1.0
    return np.sum(steps[2] * steps[-1])


@program(lambda r: (r.normal(size=5),), refused=ALIAS)
def one_array_put_into_a_list_again_and_again(x):
    y = np.zeros(2)
    parts = []
    for v in x:
        y[0] = v
        parts.append(y)
    return sum(parts)[0] * x[0]


@program(lambda r: (r.normal(size=5),), refused=PATHS)
def appended_on_one_path(x):
    out = [x[0]]
    for i in range(len(x)):
        if x[i] > 0:
            out.append(x[i] * out[-1])
    return sum(out)


@program(lambda r: (r.normal(size=4),))
def extremes_with_a_key(x):
    largest = max(x[0], x[1], x[2], key=abs)
    smallest = min([x[3], x[1]], key=lambda v: -v)
    return largest * smallest + max([], default=x[0]) + sum([x[0], x[1]], 3.0 * x[2]) + sum(x, x[0] * x[1])
