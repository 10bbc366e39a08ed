"""Writing in place, and views of what is written."""

import numpy as np
from tests.gallery import shown

X = np.linspace(0.2, 0.8, 6)


@shown(X)
def fibonacci_like(x):
    y = np.empty(x.size)
    y[0] = x[0]
    y[1] = x[1]
    for i in range(2, x.size):
        y[i] = y[i - 1] * y[i - 2] + x[i]
    return y[-1]


@shown(X, 0.1, 20, argnums=(0, 1))
def heat(u, rate, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


@shown(X, 10)
def burgers(u, steps):
    new = np.empty_like(u)
    for _ in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1])
        new[0] = 0.0
        new[-1] = 0.0
        u, new = new, u
    return np.sum(u * u)


@shown(X, 0.5, argnums=(0, 1))
def settle(x, rate):
    k = 0
    change = 1.0
    while change > 1e-3 and k < 100:
        change = 0.0
        for i in range(1, x.shape[0] - 1):
            old = x[i]
            x[i] = old + rate * np.tanh(x[i - 1] - old)
            change = max(change, abs(x[i] - old))
        k += 1
    return np.sum(x * x)


@shown(X, 2.0, argnums=(0, 1))
def through_a_view(a, s):
    a = a * a
    tail = a[1:]
    tail[0] = s * tail[1]
    a[-1] = a[1] * s
    return np.sum(a)
