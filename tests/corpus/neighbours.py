"""Loops over elements that read neighbours become statements on whole arrays, with what stands beside them."""

import math

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=9),))
def heat_written_aside(u0):
    u = u0.copy()
    new = u0.copy()
    n = len(u)
    for _ in range(4):
        for i in range(1, n - 1):
            new[i] = u[i] + 0.2 * u[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, n - 1):
            u[i] = new[i]
    return np.sum(u**2) + new[0]


@program(lambda r: (r.normal(size=9),))
def heat_that_changes_places(u0):
    u = u0.copy()
    v = u0.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.2 * np.sin(u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return np.sum(u**2) + np.sum(v)


@program(lambda r: (r.normal(size=(4, 5)), r.normal(size=(4, 5))))
def total_variation(u, v):
    n, m = u.shape
    total = 0.0
    for i in range(n - 1):
        for j in range(m - 1):
            across = (u[i + 1, j] - u[i, j]) ** 2 + (u[i, j + 1] - u[i, j]) ** 2
            total += math.sqrt(across + 0.1) * v[i, j]
    return total


@program(lambda r: (r.normal(size=8), r.uniform(0.5, 1.5, size=8)))
def a_staggered_grid(e, weight):
    e = e.copy()
    n = len(e)
    h = np.zeros(n)
    seen = 0.0
    for t in range(4):
        for i in range(n - 1):
            h[i] += 0.5 * (e[i + 1] - e[i])
        for i in range(1, n):
            e[i] += 0.5 / weight[i] * (h[i] - h[i - 1])
        e[n // 2] += math.exp(-((t - 2.0) ** 2))
        seen += e[n // 4] ** 2
    return seen


@program(lambda r: (r.normal(size=9),))
def limited_fluxes(start):
    u = start.copy()
    n = len(u)
    flux = np.empty(n)
    for _ in range(3):
        for i in range(1, n - 1):
            left = u[i] - u[i - 1]
            right = u[i + 1] - u[i]
            slope = 0.0
            if left * right > 0.0:
                slope = left if abs(left) < abs(right) else right
            flux[i] = u[i] + 0.3 * slope
        for i in range(2, n - 1):
            u[i] -= 0.4 * (flux[i] - flux[i - 1])
    return 0.5 * np.sum(u * u)


@program(lambda r: (np.array([1.0, np.nan, 2.0, 0.5, -1.0, 3.0]), r.normal(size=6)), argnums=(1,))
def a_branch_keeps_nan_out(data, w):
    total = 0.0
    for i in range(1, len(w)):
        if data[i] > 0.0:
            total += data[i] * (w[i] - w[i - 1]) ** 2
    return total


@program(lambda r: (r.normal(size=7),))
def round_the_ends(x):
    x = x.copy()
    n = len(x)
    d = np.zeros(n)
    for _ in range(3):
        for i in range(n):
            d[i] = (x[(i + 1) % n] - x[i - 2]) * x[i - 1] - x[i] + 8.0
        for i in range(n):
            x[i] += 0.01 * d[i]
    return np.sum(x**2)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 4))))
def two_species_on_a_torus(u, v):
    n, m = u.shape
    u, v = u.copy(), v.copy()
    un, vn = np.zeros((n, m)), np.zeros((n, m))
    for _ in range(3):
        for i in range(n):
            for j in range(m):
                up, down, left, right = (i + 1) % n, (i + n - 1) % n, (j - 1) % m, (j + 1) % m
                lu = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4 * v[i, j]
                q = u[i, j] * v[i, j] ** 2
                un[i, j] = u[i, j] + 0.1 * lu - q
                vn[i, j] = v[i, j] + 0.05 * lv + q
        u, un = un, u
        v, vn = vn, v
    return np.sum(u * v)


@program(lambda r: (r.normal(size=6),))
def what_it_writes_is_read_by_the_next(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = 0.5 * y[i - 1] + np.sin(y[i])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=8),))
def a_part_of_what_was_stored(x):
    y = np.zeros(len(x))
    y[1:-1] = np.sin(x[:-2] * x[2:])
    z = y[2:-2] * y[1:-3]
    y[1:-1] = 2.0
    return np.sum(z) + np.sum(y * x)


@program(lambda r: (r.normal(size=8),))
def a_part_that_is_written_to_later(x):
    y = np.zeros(len(x))
    y[1:-1] = x[1:-1] ** 2
    z = y[1:-1]
    y[3] = x[0]
    z[1] *= 2.0
    return np.sum(z**2) + np.sum(y * x)


@program(lambda r: (r.normal(size=8),))
def what_was_stored_is_written_to(x):
    y = np.zeros(len(x))
    s = np.sin(x)
    y[:] = s
    s[2] = 5.0
    return np.sum(y[:] * x) + np.sum(s)


@program(lambda r: (r.normal(size=6), r.integers(0, 6, 9), r.integers(0, 6, 9), r.normal(size=9)))
def messages_along_edges(x, source, target, weight):
    y = np.zeros(len(x))
    for e in range(len(source)):
        y[target[e]] += weight[e] * np.tanh(x[source[e]])
    total = 0.0
    for i in range(len(x)):
        total += y[i] ** 2
    return total


@program(lambda r: (r.normal(size=(5, 2)), r.integers(0, 5, 7), r.integers(0, 5, 7)))
def springs_between_points(x, first, second):
    energy = 0.0
    for k in range(len(first)):
        i = first[k]
        j = second[k]
        dx = x[i, 0] - x[j, 0]
        dy = x[i, 1] - x[j, 1]
        energy -= 0.5 * (math.sqrt(dx * dx + dy * dy + 0.1) - 1.0) ** 2
    return energy


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(5, 3)), r.integers(0, 4, 8), r.integers(-5, 5, 8)))
def rows_at_positions(u, v, a, b):
    total = 0.0
    for n in range(len(a)):
        total += (np.sum(u[a[n]] * v[b[n]]) - 0.5) ** 2
    return total


@program(lambda r: (r.normal(size=6), r.integers(0, 5, 7)))
def what_is_added_to_is_read(x, to):
    y = x.copy()
    for e in range(len(to)):
        y[to[e]] += 0.5 * y[to[e] + 1]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 5)),))
def sums_and_differences(s):
    n, m = s.shape
    energy = 0.0
    for i in range(n):
        for j in range(m):
            energy -= s[i, j] * (s[(i + 1) % n, j] + s[i, (j + 1) % m])
            energy += 0.1 * s[i, j] ** 4
    return energy


@program(lambda r: (r.normal(size=7),))
def a_number_that_is_written_over_before_it_is_used(x):
    v = x * 0.5
    w = np.zeros(len(x))
    for i in range(1, len(x)):
        old = v[i]
        v[i] += np.cos(x[i] * x[i - 1])
        w[i] = old * v[i]
    return np.sum(v * w)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(5, 4)), r.integers(0, 3, (5, 4))))
def positions_beside_the_counter(y, x, row):
    y = y.copy()
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[row[i, j], j] += x[i, j] * x[i - 1, j]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(3, 6)), r.integers(0, 4, 6)))
def columns_added_to_rows_at_positions(y, x, row):
    y = y.copy()
    for e in range(len(row)):
        y[row[e], :] += np.sin(x[:, e])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 3, 2)), r.integers(0, 4, 6)))
def a_part_of_rows_at_positions(x, row):
    total = 0.0
    for e in range(len(row)):
        total += np.sum(x[row[e], 1] * x[row[e], :, 0][1]) + x[row[e], 2, 1]
    return total


@program(lambda r: (r.normal(size=6), r.integers(0, 3, 6)))
def a_position_that_is_counted_on(x, at):
    at = at.copy()
    y = np.zeros(5)
    for e in range(len(at)):
        k = at[e]
        at[e] += 1
        y[k] += x[e] ** 2
        y[at[e]] -= np.sin(x[e])
    return np.sum(y * np.arange(5.0))


@program(lambda r: (r.normal(size=5), 3))
def written_over_before_and_in_a_loop(x, steps):
    u = np.zeros(len(x))
    u[:] = x
    for _ in range(steps):
        v = np.sin(u)
        u[:] = v * 0.5 + x[::-1]
    u[0] = 3.0 * u[1]
    return np.sum(u * x)


@program(lambda r: (r.normal(size=4), np.array([1, 0, 1, 2])))
def positions_that_come_twice(x, at):
    y = np.zeros(3)
    y[at] = np.sin(x)
    return np.sum(y[at] ** 2 * np.arange(4.0))


@program(lambda r: (r.normal(size=(4, 13)), 0.6))
def weights_by_what_lies_around(image, s):
    out = np.zeros(image.shape)
    for y in range(1, image.shape[0] - 1):
        for x in range(image.shape[1] - 2, 0, -1):
            total, norm = 0.0, 0.0
            for i in range(-1, 2):
                for j in range(-1, 2):
                    w = np.exp(-s * (image[y + i, x + j] - image[y, x]) ** 2)
                    total += w * image[y + i, x + j]
                    norm += w
            out[y, x] = total / norm
    return np.sum(out**2)


@program(lambda r: (r.normal(size=(5, 12)), r.normal(size=(2, 3))))
def a_window_of_any_size(image, weights):
    rows, columns = weights.shape
    total = 0.0
    for y in range(image.shape[0] - rows + 1):
        for x in range(image.shape[1] - columns + 1):
            value, count = 0.5, 0
            for i in range(rows):
                for j in range(columns):
                    value += weights[i, j] * image[y + i, x + j]
                    count += 1
            total += np.tanh(value / count)
    return total
