"""Simulations with a row for each path and a column for each step: loops over time take columns of arrays."""

import numpy as np
from tests.corpus import program


@program(lambda r: (1.0, 0.2, 0.03, r.normal(size=(5, 4))))
def paths_of_prices(start, sigma, rate, z):
    n, m = z.shape
    dt = 1.0 / m
    s = np.full(n, start)
    total = np.zeros(n)
    for t in range(m):
        s = s * np.exp((rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z[:, t])
        total += s
    return np.exp(-rate) * np.mean(np.maximum(total / m - 1.0, 0.0))


@program(lambda r: (r.normal(size=(5, 4)), 0.3))
def all_states_are_columns(noise, a):
    n, m = noise.shape
    x = np.zeros((n, m + 1))
    x[:, 0] = 1.0
    for t in range(m):
        x[:, t + 1] = np.sin(x[:, t]) + a * noise[:, t]
    return np.sum(x[:, -1] ** 2) + np.mean(x[:, 2])


@program(lambda r: (r.normal(size=(4, 5)),))
def columns_backwards(x):
    n, m = x.shape
    v = np.empty((n, m))
    v[:, m - 1] = x[:, m - 1]
    for t in range(m - 2, -1, -1):
        v[:, t] = np.maximum(x[:, t], 0.9 * v[:, t + 1])
    return np.sum(v[:, 0] * x[:, -1])


@program(lambda r: (r.normal(size=(3, 4, 5)), r.uniform(0.5, 1.5, size=(3, 4, 5))))
def levels_of_a_grid(b, a):
    c = np.empty_like(a)
    d = np.empty_like(a)
    c[:, :, 0] = 0.5 / (a[:, :, 0] + 2.0)
    d[:, :, 0] = b[:, :, 0] / (a[:, :, 0] + 2.0)
    for k in range(1, a.shape[2]):
        w = a[:, :, k] + 2.0 - 0.5 * c[:, :, k - 1]
        c[:, :, k] = 0.5 / w
        d[:, :, k] = (b[:, :, k] - 0.5 * d[:, :, k - 1]) / w
    x = d[:, :, -1]
    total = np.sum(x**2)
    for k in range(a.shape[2] - 2, -1, -1):
        x = d[:, :, k] - c[:, :, k] * x
        total += np.sum(x**2)
    return total


@program(lambda r: (r.normal(size=(4, 6)),))
def written_and_read_by_rows_too(x):
    y = np.zeros(x.shape)
    for t in range(x.shape[1]):
        y[:, t] = np.tanh(x[:, t]) + (y[:, t - 1] if t > 0 else 0.0)
    return np.sum(np.sum(y, axis=1) ** 3) + np.sum(y[2])


@program(lambda r: (r.normal(size=(4, 6)),))
def columns_are_returned(x):
    y = np.zeros(x.shape)
    for t in range(1, x.shape[1]):
        y[:, t] = y[:, t - 1] + np.cos(x[:, t]) * x[:, t - 1]
    return np.sum(y @ y.T)


@program(lambda r: (r.normal(size=(4, 6)), 3))
def the_array_changes_on_the_way(x, steps):
    x = x.copy()
    total = 0.0
    for _ in range(steps):
        s = np.zeros(x.shape[0])
        for t in range(x.shape[1]):
            s = 0.5 * s + x[:, t]
            total += np.sum(s**2)
        x *= 0.7
    return total


@program(lambda r: (np.asfortranarray(r.normal(size=(5, 4))), r.normal(size=(8, 5)).T[:, ::2]))
def columns_of_other_layouts(x, y):
    s = np.ones(x.shape[0])
    for t in range(x.shape[1]):
        s = s * np.cos(x[:, t]) + y[:, t]
    return np.sum(s**2)
