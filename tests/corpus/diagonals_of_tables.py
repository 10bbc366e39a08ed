"""Loops along the anti-diagonals of tables: the limits of the inner loop are the larger and smaller of two."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4), r.normal(size=3)))
def convolution(a, b):
    n, m = len(a), len(b)
    s = 0.0
    for i in range(n + m - 1):
        for k in range(max(0, i - m + 1), min(i + 1, n)):
            s += a[k] * b[i - k] * i
    return s


@program(lambda r: (r.normal(size=5),))
def sines_along_diagonals(x):
    n = len(x)
    s = 0.0
    for d in range(2 * n - 1):
        for i in range(max(0, d - n + 1), min(d + 1, n)):
            s += np.sin(x[d - i]) * (i + 1)
    return s


@program(lambda r: (r.normal(size=(4, 4)),))
def a_wave_front(a):
    n = a.shape[0]
    y = a.copy()
    for d in range(2, 2 * n - 1):
        low = max(1, d - n + 1)
        high = min(d, n)
        for i in range(low, high):
            y[i, d - i] = y[i, d - i] + 0.5 * y[i - 1, d - i] * np.sin(y[i, d - i - 1])
    return np.sum(y * y)


@program(lambda r: (r.normal(size=1),))
def of_one_element(x):
    n = len(x)
    s = 0.0
    for d in range(2 * n - 1):
        for i in range(max(0, d - n + 1), min(d + 1, n)):
            s += x[d - i] ** 2
    return s
