"""arrays that are made once, in front of a loop, and written over in each trip"""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5), r.uniform(0.5, 1.5, size=5)))
def stages_of_a_step(y0, rates):
    n = len(y0)
    y = y0.copy()
    k1, k2 = np.empty(n), np.zeros(n)
    for _ in range(4):
        k1[0] = k2[0] = np.sin(y[n - 1])
        for i in range(1, n):
            k1[i] = rates[i] * np.sin(y[i - 1])
        for i in range(1, n):
            k2[i] = rates[i] * np.sin(y[i - 1] + 0.1 * k1[i - 1])
        for i in range(n):
            y[i] += 0.05 * (k1[i] + k2[i])
    return np.sum(y * y)


@program(lambda r: (r.normal(size=(6, 3)),))
def a_vector_for_each_point(points):
    d = np.zeros(3)
    s = 0.0
    for i in range(points.shape[0]):
        for j in range(i):
            for k in range(3):
                d[k] = points[i, k] - points[j, k]
            s += np.exp(-d[0] * d[0] - d[1] * d[2])
    return s


@program(lambda r: (r.uniform(0.5, 1.5, size=6), r.normal(size=7)))
def upwind_fluxes(u0, speed):
    n = len(u0)
    u = u0.copy()
    flux = np.zeros(n + 1)
    for _ in range(3):
        flux[0] = speed[0] * u[0] * u[0]
        flux[n] = speed[n] * u[n - 1] * u[n - 1]
        for i in range(1, n):
            if speed[i] > 0.0:
                flux[i] = speed[i] * u[i - 1] ** 2
            else:
                flux[i] = speed[i] * u[i] ** 2
        for i in range(n):
            u[i] -= 0.1 * (flux[i + 1] - flux[i])
    return np.sum(u * u)


@program(lambda r: (r.normal(size=7),))
def limited_slopes(u0):
    n = len(u0)
    u = u0.copy()
    slope = np.zeros(n)
    flux = np.zeros(n + 1)
    for _ in range(3):
        for i in range(1, n - 1):
            a, b = u[i] - u[i - 1], u[i + 1] - u[i]
            if a * b > 0.0:
                slope[i] = 2.0 * a * b / (a + b)
            else:
                slope[i] = 0.1 * a
        for i in range(2, n - 1):
            left, right = u[i - 1] + 0.5 * slope[i - 1], u[i] - 0.5 * slope[i]
            flux[i] = 0.25 * (left * left + right * right)
        for i in range(2, n - 2):
            u[i] -= 0.3 * (flux[i + 1] - flux[i])
    return np.sum(u * u)


@program(lambda r: (r.normal(size=5), 0.3))
def a_line_swept_both_ways(f, c):
    n = len(f)
    x = f.copy()
    low, right = np.zeros(n), np.zeros(n)
    for _ in range(3):
        low[0] = c / 2.0
        right[0] = x[0] / 2.0
        for i in range(1, n):
            low[i] = c / (2.0 - c * low[i - 1])
            right[i] = (x[i] + c * right[i - 1]) / (2.0 - c * low[i - 1])
        x[n - 1] = right[n - 1]
        for i in range(n - 2, -1, -1):
            x[i] = right[i] + low[i] * x[i + 1]
    return np.sum(x * x)


@program(lambda r: (r.normal(size=(4, 5)),))
def the_middle_of_a_table(a0):
    a = a0.copy()
    new = np.zeros_like(a)
    for _ in range(3):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                new[i, j] = np.tanh(a[i, j + 1] * a[i - 1, j]) + a[i, j]
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = new[i, j] * new[i, j]
    return np.sum(a)


@program(lambda r: (r.normal(size=4), 1.3))
def until_it_stands_still(x0, w):
    x = x0.copy()
    new = np.empty(4)
    change = 1.0
    while change > 1e-3:
        for i in range(4):
            new[i] = 0.3 * np.sin(w * x[i]) + 0.2 * x[3 - i]
        change = 0.0
        for i in range(4):
            change += (new[i] - x[i]) ** 2
            x[i] = new[i]
    return np.sum(x * x) + np.sum(new)


@program(lambda r: (r.normal(size=5),))
def what_the_trip_before_has_left(x):
    k = np.zeros(5)
    s = 0.0
    for t in range(4):
        for i in range(5):
            k[i] = np.sin(k[i] + x[(i + t) % 5])
        for i in range(1, 5):
            s += k[i] * k[i - 1]
    return s


@program(lambda r: (r.normal(size=5),))
def a_border_of_the_first_trip(x):
    k = np.zeros(5)
    s = 0.0
    for t in range(3):
        if t == 0:
            k[0] = x[0]
        for i in range(1, 5):
            k[i] = np.sin(k[i - 1] * x[i]) + s
        s += k[4] * k[2]
    return s


@program(lambda r: (r.normal(size=5),))
def a_row_that_grows(x):
    row = np.zeros(5)
    s = 0.0
    for t in range(5):
        for i in range(t + 1):
            row[i] = x[i] * x[t]
        s += row[0] * row[4] + np.sum(row)
    return s
