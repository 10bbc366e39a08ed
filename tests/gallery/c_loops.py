"""Loops: sums, recurrences, and a trip count that nobody knows in advance."""

import math

import numpy as np
from tests.gallery import shown

X = np.linspace(0.2, 0.8, 6)


@shown(np.ones(3), np.ones((4, 3)), np.ones(4))
def squared_errors(w, x, y):
    loss = 0.0
    for i in range(x.shape[0]):
        r = x[i] @ w - y[i]
        loss += 0.5 * r * r
    return loss


@shown(X, 1.5)
def horner(coefficients, x):
    value = 0.0
    for c in coefficients[::-1]:
        value = value * x + c
    return value


@shown(0.4, 2.5, 10, argnums=(0, 1))
def logistic_map(x, r, steps):
    for _ in range(steps):
        x = r * x * (1.0 - x)
    return x


@shown(0.2, 1000)
def recurrence(x, steps):
    y = x
    for _ in range(steps):
        y = math.sin(y) + x * math.exp(-y)
    return y


@shown(2.0)
def babylonian(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@shown(X)
def pair_energy(x):
    energy = 0.0
    for i in range(x.size):
        for j in range(i):
            d = x[i] - x[j]
            energy += 1.0 / (d * d + 0.01)
    return energy


@shown(np.ones((4, 3)), np.ones((3, 2)), argnums=(0, 1))
def matrix_product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)
