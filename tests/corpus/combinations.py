"""Constructs that meet: writes in closures, integer arrays that change, arrays that grow, nested exits."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(3, 4)), 0.7))
def chained_index_written(a, s):
    a[1][2] = s * a[0][1]
    a[2][1:][0] = s
    a[0][:] = a[1]
    return np.sum(a * a * a)


@program(lambda r: (r.normal(size=3), 0.7))
def chained_assignment_to_elements(x, s):
    x[0] = x[1] = s * x[2]
    a = x[2] = x[0] * 3
    return np.sum(x * x) * a


@program(lambda r: (r.normal(size=4), 0.7, 1.1))
def list_written_into_slice(x, s, t):
    y = x.copy()
    y[:2] = [s, t * s]
    y[2:] = (x[0], 1.0)
    return np.sum(y * y * x)


@program(lambda r: (r.normal(size=4), 0.7))
def closure_writes_an_array(x, s):
    out = np.zeros(4)

    def put(k, v):
        out[k] = v
        out[k - 1] += v * s

    for i in range(4):
        put(i, x[i] * x[i])
    return np.sum(out * out)


@program(lambda r: (np.array([[0.1, 2.0, 1.0], [4.0, 1.0, 0.2], [1.0, 0.3, 5.0]]), r.normal(size=3)))
def permutation_vector(a, b):
    n = 3
    a = a.copy()
    perm = np.arange(n)
    for k in range(n):
        p = k
        for i in range(k, n):
            if abs(a[perm[i], k]) > abs(a[perm[p], k]):
                p = i
        perm[k], perm[p] = perm[p], perm[k]
        for i in range(k + 1, n):
            a[perm[i], k] /= a[perm[k], k]
            for j in range(k + 1, n):
                a[perm[i], j] -= a[perm[i], k] * a[perm[k], j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[perm[i]]
        for j in range(i):
            y[i] -= a[perm[i], j] * y[j]
    return np.sum(y * y) + a[perm[2], 2]


@program(lambda r: (r.normal(size=2), 3))
def array_that_grows(x, n):
    s = 0.0
    for i in range(n):
        x = np.concatenate([x, x[:1] * x[-1]])
        s += np.sum(np.sin(x)) * x[i]
    return s


@program(lambda r: (r.normal(size=6), 0.3))
def while_in_if_in_for(x, s):
    total = 0.0
    for i in range(6):
        if x[i] > 0:
            k = 0
            v = x[i]
            while v < 2.0:
                v = v * 1.5 + s
                k += 1
                if k > 3:
                    break
            total += v
        else:
            x[i] = s * x[i]
            total -= x[i] ** 2
    return total


@program(lambda r: (r.normal(size=(2, 2, 2, 2)),))
def four_nested_loops(a):
    s = 0.5
    for i in range(2):
        for j in range(2):
            for k in range(2):
                for m in range(2):
                    s = np.sin(s + a[i, j, k, m]) + a[m, k, j, i] * s
    return s


@program(lambda r: (r.normal(size=5), 0.4))
def while_carries_written_arrays(x, c):
    a = x.copy()
    b = np.zeros(5)
    k = 0
    while np.sum(a * a) > 0.05 and k < 6:
        b[:] = a * c
        b[k % 5] += x[0]
        a, b = b, a
        k += 1
    return np.sum(a * b) + a[0]


@program(lambda r: (r.normal(size=5), 3))
def helper_returns_early_with_arrays(x, n):
    def step(v, k):
        if np.sum(v) > 1:
            return v * 0.5
        if k == 1:
            return v
        w = v.copy()
        w[k] = np.sin(v[k]) + 1
        return w

    for k in range(n):
        x = step(x, k)
    return np.sum(x * x)


@program(lambda r: (r.normal(size=4), 0.6))
def array_defined_on_each_path(x, s):
    if s > 1:
        y = np.zeros(4)
    elif s > 0.5:
        y = x * s
        y[0] = 1.0
    else:
        y = x
    return np.sum(y * x)


@program(lambda r: ({"w": r.normal(size=3), "b": 0.5}, r.normal(size=3)))
def dict_argument_changed(p, x):
    p["b"] = p["b"] * 2
    p["w"] *= x
    p["w"][0] += p["b"]
    return np.sum(p["w"] ** 2)


@program(lambda r: (0.7, 4))
def augmented_container_elements(x, n):
    values = [x, 1.0]
    state = {"a": x}
    for _ in range(4):
        values[0] *= values[1] + x
        values[1] += values[0]
        state["a"] -= values[0] * 0.1
    return values[0] * state["a"]


@program(lambda r: (r.normal(size=6),))
def masks_combined(x):
    inside = (x > -0.5) & (x < 1.0)
    outside = ~inside | (x > 0.9)
    return np.sum(np.where(inside, x * x, 0.0)) + np.sum(np.where(outside, np.sin(x), x))


@program(lambda r: (r.normal(size=(4, 3)),))
def row_views_of_two_arrays(a):
    b = np.zeros((4, 3))
    for i in range(4):
        row = a[i]
        out = b[3 - i]
        for j in range(3):
            out[j] = row[j] * row[j - 1]
            row[j] += out[j]
    return np.sum(a * b)


@program(lambda r: (1.3, 5))
def powers_by_an_integer_variable(x, n):
    total = 0.0
    for k in range(n):
        total += x**k / (k + 1) + k**2 * x
    return total * x**n


@program(lambda r: (r.normal(size=5),))
def partly_written_empty(x):
    y = np.empty(5)
    y[:3] = x[2:]
    y[3:] = y[:2] * x[:2]
    z = np.empty((2, 5))
    for i in range(2):
        z[i] = y * (i + 1)
    return np.sum(z**2)


@program(lambda r: (r.normal(size=4),))
def constant_result(x):
    x[0] = 2.0
    return x[0] * 3.0


@program(lambda r: (r.normal(size=6), 2))
def step_depends_on_nothing_known(x, k):
    s = 0.3
    for i in range(k, 6, 2):
        for j in range(5, i - k, -3):
            s = s * x[i] + np.cos(x[j])
    return s


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3)))
def matrix_updated_by_rank_one(a, v):
    for k in range(3):
        a += np.outer(v, a[k]) * 0.1
        a[:, k] -= v
        v = a @ v * 0.2
    return np.sum(a * a) + v[0]


@program(lambda r: (r.normal(size=4), 0.5))
def view_survives_rebinding(x, s):
    y = x * 2
    v = y[1:]
    y = y * s
    v[0] = s
    return np.sum(v * v) + np.sum(y)


@program(lambda r: (r.normal(size=4), 0.5))
def view_of_a_loop_variable(x, s):
    for i in range(3):
        y = x * s
        v = y[1:3]
        v += i * s
        x = y + 0
    return np.sum(x * x)


@program(lambda r: (r.normal(size=3), r.normal(size=3), 3))
def in_place_on_carried_and_viewed(q, v, n):
    q = q.copy()
    v = v.copy()
    for _ in range(n):
        first = q[0]
        tail = q[1:]
        v += 0.1 * np.sin(q) * first
        q += 0.2 * v
        tail *= 0.9
    return np.sum(q * v)
