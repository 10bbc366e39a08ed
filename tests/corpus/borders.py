"""Loops whose first and last trips tests tell apart."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=7),))
def ends_by_cases(u):
    u = u.copy()
    n = len(u)
    for _ in range(3):
        new = np.zeros(n)
        for i in range(n):
            if i == 0:
                new[i] = u[i] + 0.1 * (u[1] - u[0]) ** 2
            elif i == n - 1:
                new[i] = u[i] + 0.1 * (u[i - 1] - u[i])
            else:
                new[i] = u[i] + 0.1 * np.sin(u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    return np.sum(u**2)


@program(lambda r: (r.uniform(0.5, 1.0, size=6), r.normal(size=6)))
def currents_from_both_sides(g, v):
    v = v.copy()
    n = len(g)
    for _ in range(4):
        after = v.copy()
        for i in range(n):
            current = 0
            if i > 0:
                current += g[i - 1] * (v[i - 1] - v[i])
            if i < n - 1:
                current += g[i] * (v[i + 1] - v[i])
            after[i] = v[i] + 0.1 * (current - v[i] ** 3)
        v = after
    return np.sum(v**2)


@program(lambda r: (r.normal(size=8),))
def neighbours_come_round(u):
    u = u.copy()
    n = len(u)
    for _ in range(3):
        new = u.copy()
        for i in range(n):
            right = i + 1 if i < n - 1 else 0
            left = i - 1 if i > 0 else n - 1
            new[i] = u[i] - 0.1 * (u[i] * (u[right] - u[left]) + u[(i + 2) % n] - u[(i - 2) % n])
        u = new
    return np.sum(u**2)


@program(lambda r: (r.normal(size=(5, 6)),))
def nothing_at_the_rim(u):
    n, m = u.shape
    u, before = u.copy(), u.copy()
    for _ in range(3):
        new = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                if i == 0 or j == 0 or i == n - 1 or j == m - 1:
                    continue
                lap = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
                new[i, j] = 2 * u[i, j] - before[i, j] + 0.1 * np.sin(lap)
        before, u = u, new
    return np.sum(u**2)


@program(lambda r: (r.normal(size=(5, 4)),))
def copied_at_the_rim(u):
    n, m = u.shape
    for _ in range(2):
        new = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                if 0 < i < n - 1 and 0 < j < m - 1:
                    new[i, j] = u[i - 1, j] * u[i + 1, j] + u[i, j - 1] * u[i, j + 1]
                else:
                    new[i, j] = u[i, j]
        u = new
    return np.sum(u**2)


@program(lambda r: (r.normal(size=7),))
def limited_indices(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[max(i - 2, 0)] * x[i] + np.cos(x[min(i + 1, n - 1)])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=6),))
def backwards(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n - 1, -1, -1):
        y[i] = x[i] ** 2
        if i < n - 1:
            y[i] += 0.5 * y[i + 1]
        if i != 0:
            y[i] *= x[i - 1]
    return np.sum(y)


@program(lambda r: (r.normal(size=6),))
def a_variance_that_starts(e):
    variance, total = 0, 0.0
    for t in range(len(e)):
        if t == 0:
            variance = 1 + e[0] ** 2
        else:
            variance = 0.1 + 0.2 * e[t - 1] ** 2 + 0.7 * variance
        total += np.log(variance) + e[t] ** 2 / variance
    return total


@program(lambda r: (r.normal(size=7),))
def differences_where_there_are_some(x):
    n = len(x)
    energy = 0.0
    for i in range(n):
        if i < n - 1:
            energy += (x[i + 1] - x[i]) ** 2
        energy += np.cos(x[i])
        if i >= 2:
            energy += 0.1 * (x[i] - 2 * x[i - 1] + x[i - 2]) ** 2
    return energy


@program(lambda r: (r.normal(size=7), r.normal(size=7)))
def one_of_three_elements(x, w):
    n = len(x)
    total = 0.0
    for i in range(n):
        a = x[0] if i == 0 else (x[n - 1] if i == n - 1 else x[i + 1])
        b = w[i] if i % 2 == 0 else w[n - 1 - i]
        total += a * b**2
    return total


@program(lambda r: (r.normal(size=(4, 4)),))
def round_a_square(a):
    n = len(a)
    a = a.copy()
    for _ in range(2):
        new = np.empty_like(a)
        for i in range(n):
            for j in range(n):
                s = 0.0
                for di, dj in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
                    s += np.sin(a[(i + di) % n, (j + dj) % n] - a[i, j])
                new[i, j] = a[i, j] + 0.1 * s
        a = new
    return np.sum(np.cos(a))


@program(lambda r: (r.normal(size=9), 4))
def fewer_than_there_are(x, n):
    total = 0.0
    for i in range(n):
        before = x[i - 1] if i > 0 else x[n]
        after = x[i + 1] if i < n - 1 else 0.0
        total += before * x[i] ** 2 * (1 + after)
    return total


@program(lambda r: (r.normal(size=(6, 3)),))
def forces_of_all_others(p):
    f = np.zeros((len(p), 3))
    for i in range(len(p)):
        for j in range(len(p)):
            if i == j:
                continue
            d = p[j] - p[i]
            f[i] += d / (np.dot(d, d) + 0.1) ** 1.5
    return np.sum(f**2)


@program(lambda r: (r.normal(size=(5, 5)),))
def below_and_above_the_diagonal(a):
    s = 0
    for i in range(len(a)):
        for j in range(len(a)):
            if j <= i:
                s += a[i, j] ** 2 * np.sin(a[i, j])
            else:
                s = 0.5 * s + a[i, j] * a[j, i]
    return s


@program(lambda r: (r.normal(size=(5, 7)), r.normal(size=5)))
def the_diagonal_of_an_oblong(a, x):
    n, m = a.shape
    y = np.zeros(n)
    for i in range(n):
        for j in range(m - 1, -1, -1):
            if j == i:
                y[i] += x[i] * a[i, j]
            elif j == i + 1:
                y[i] *= a[i, j]
            elif j > i:
                y[i] -= np.tanh(a[i, j])
    return np.sum(y**2)


@program(lambda r: (r.normal(size=(4, 6)),))
def a_diagonal_that_leaves_the_array(a):
    n, m = a.shape
    s = 0.0
    for j in range(m):
        for i in range(n):
            if i != j - 1:
                s += np.sin(a[i, j])
            else:
                s += a[i, j] ** 3
    return s


@program(lambda r: (r.normal(size=(4, 4)) + 6 * np.eye(4), r.normal(size=4)))
def iterations_of_jacobi(a, b):
    n = len(b)
    x = np.zeros(n)
    for _ in range(3):
        new = np.zeros(n)
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += a[i, j] * x[j]
            new[i] = (b[i] - s) / a[i, i]
        x = new
    return np.sum(x**2)


@program(lambda r: (r.normal(size=6),))
def ends_of_a_loop_that_counts(u):
    n = len(u)
    new = np.zeros(n)
    i = 0
    while i < n:
        if i == 0 or i == n - 1:
            new[i] = u[i] ** 2
        else:
            new[i] = np.sin(u[i - 1] + u[i + 1]) * u[i]
        i += 1
    return np.sum(new**2)


@program(lambda r: (r.normal(size=(5, 4)), r.normal(size=(5, 4))))
def neighbours_on_a_torus(u, w):
    n, m = u.shape
    for _ in range(2):
        new = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                below = i + 1
                if below == n:
                    below = 0
                above = i - 1
                if above < 0:
                    above += n
                right = 0 if j == m - 1 else j + 1
                left = j - 1 if j != 0 else m - 1
                lap = u[below, j] + u[above, j] + u[i, right] + u[i, left] - 4 * u[i, j]
                new[i, j] = u[i, j] + 0.1 * w[i, j] * np.sin(lap)
        u = new
    return np.sum(u**2)


@program(lambda r: (r.normal(size=6),))
def not_round_the_ends(x):
    n = len(x)
    total = 0.0
    for i in range(n):
        k = i + 1 if i < n - 1 else 1
        j = i - 1 if i > 1 else n - 1
        total += x[i] * x[k] ** 2 * np.cos(x[j])
    return total


@program(lambda r: (r.normal(size=6),))
def round_the_ends_backwards(x):
    n = len(x)
    total = 0.0
    for i in range(n - 1, -1, -1):
        after = i + 1 if i + 1 < n else 0
        total = 0.5 * total + x[i] * x[after] ** 2
    return total
