"""while: trip counts that depend on the data."""

import numpy as np
from tests.corpus import program


@program(lambda r: (0.9,))
def counted(x):
    k = 0
    while k < 4:
        x = x * x + 0.1 * k
        k += 1
    return x


@program(lambda r: (0.9, 3.7))
def data_dependent(x, limit):
    s = x
    while s < limit:
        s = s * 1.5 + x
    return s * limit


@program(lambda r: (2.0,))
def newton_square_root(a):
    x = 1.0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


@program(lambda r: (0.9, 0.5))
def no_trips(x, limit):
    s = x
    while s < limit:
        s = s * 2
    return s * x


@program(lambda r: (0.3,))
def two_conditions(x):
    k = 0
    s = x
    while k < 10 and s < 2.0:
        s = s + x * np.exp(-s)
        k += 1
    return s * k


@program(lambda r: (0.3, 4))
def while_in_for(x, n):
    total = 0.0
    for i in range(n):
        s = x * (i + 1)
        while s < 1.25:
            s = s * 1.7 + 0.01 * i
        total += s
    return total


@program(lambda r: (0.3,))
def for_in_while(x):
    s = x
    while s < 3.0:
        for i in range(3):
            s += x * np.cos(0.3 * s * i) ** 2
    return s


@program(lambda r: (0.3,))
def while_in_while(x):
    s = x
    while s < 4.0:
        t = s
        while t < 1.5 * s:
            t = t * 1.3
        s = t + x * s
    return s


@program(lambda r: (r.normal(size=5), 0.3))
def writes_in_while(x, rate):
    k = 0
    change = 1.0
    while change > 1e-3 and k < 20:
        change = 0.0
        for i in range(1, x.shape[0] - 1):
            old = x[i]
            x[i] = old + rate * np.tanh(x[i - 1] - old)
            change = max(change, abs(x[i] - old))
        k += 1
    return np.sum(x * x)


@program(lambda r: (r.uniform(0.1, 0.4, 3),))
def array_carried(x):
    y = x
    while np.sum(y) < 5:
        y = y * y + y + x
    return np.sum(y * x)


@program(lambda r: (0.7,))
def condition_computes(x):
    y = x
    while np.sin(y) * y < 0.9:
        y = y + 0.1 * x
    return y * y


@program(lambda r: (0.7, 6))
def countdown(x, n):
    while n > 0:
        x = np.sin(x) + 0.1 * n
        n -= 2
    return x


@program(lambda r: (0.7,))
def branch_in_while(x):
    k = 0
    while k < 5:
        if k % 2 == 0:
            x = x * x
        else:
            x = x + 0.5
        k += 1
    return x


@program(lambda r: (np.array([0.3, 1.2, 2.2, 3.1]), 1.7))
def binary_search(x, t):
    low, high = 0, 3
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle] > t:
            high = middle
        else:
            low = middle
    w = (t - x[low]) / (x[high] - x[low])
    return w * w * x[low]


@program(lambda r: (1.7,))
def array_that_is_doubled_when_full(x):
    values, n = np.zeros(2), 0
    while x > 0.1:
        if n == values.shape[0]:
            more = np.zeros(2 * n)
            more[:n] = values
            values = more
        values[n] = x
        n += 1
        x = 0.6 * x
    return np.sum(values[:n] ** 2)


@program(lambda r: (r.normal(size=16),))
def an_array_that_is_halved(x):
    e = 0.0
    for _ in range(3):
        e = e + np.sum(np.abs(x[0::2] - x[1::2]))
        x = np.sin(x[0::2]) * x[1::2]
    return e + np.sum(x**2)


@program(lambda r: (r.normal(size=(5, 7)), np.arange(7)))
def a_matrix_and_positions_that_shrink(x, k):
    e = 0.0
    while x.shape[0] > 1:
        x = np.sin(x[1:, 1:] * x[:-1, :-1])
        k = k[::-1][1:] % x.shape[1]
        e = e + np.sum(x[0, k] ** 2)
    return e + np.sum(x**3)


@program(lambda r: (r.normal(size=9),))
def an_array_that_shrinks_and_is_written_to(x):
    x = x.copy()
    while x.shape[0] > 2:
        x[1] = x[0] * x[-1]
        x = np.tanh(x[2:] * x[1])
        x[0] *= 2.0
    return np.sum(x**2)


@program(lambda r: (r.uniform(1.0, 2.0, size=2),))
def a_table_written_where_it_is_read(x):
    s = 0.0
    k = 0
    while s < 20.0:
        s += [x[0], 2.0, x[1] ** 2][k % 3] * x[1]
        k += 1
    return s
