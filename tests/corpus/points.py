"""Many points of a few coordinates: arrays of short rows, for which code is made that knows how short they are."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(20, 3)), r.uniform(0.5, 1.5, size=20)))
def energy_of_all_pairs(x, m):
    apart = x[:, None, :] - x[None, :, :]
    distance = np.sqrt(np.sum(apart * apart, axis=2) + 0.1)
    return -0.5 * np.sum(m[:, None] * m[None, :] / distance)


@program(lambda r: (r.normal(size=(18, 2)),))
def pairs_by_loops(x):
    total = 0.0
    n = x.shape[0]
    for i in range(n):
        for j in range(n):
            if i != j:
                d = 0.0
                for k in range(x.shape[1]):
                    d += (x[i, k] - x[j, k]) ** 2
                total += np.exp(-d)
    return total


@program(lambda r: (r.normal(size=(17, 3)), r.normal(size=(17, 3))))
def steps_in_time(x, v):
    x, v = x.copy(), v.copy()
    for _ in range(3):
        force = np.zeros_like(x)
        for i in range(x.shape[0]):
            apart = x - x[i]
            force[i] = np.sum(apart / (np.sum(apart**2, axis=1) + 1.0)[:, None] ** 1.5, axis=0)
        v += 0.05 * force
        x += 0.05 * v
    return np.sum(x[:, 0] * x[:, 1]) + np.sum(v**2)


@program(lambda r: (r.normal(size=(40, 3)), r.normal(size=(3, 3)), r.normal(size=3)))
def turned_and_moved(x, turn, move):
    y = x @ turn.T + move
    return np.sum(y[:, :2] / (y[:, 2:] ** 2 + 2.0)) + np.sum(np.linalg.norm(y, axis=1))


@program(lambda r: (r.normal(size=(30, 2)), r.normal(size=(4, 2))))
def nearest_center(x, centers):
    square = np.sum((x[:, None, :] - centers[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(square, axis=1))


@program(lambda r: (r.normal(size=(24, 3)),))
def written_in_place(x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] += 0.5 * y[i - 1]
        y[i, 0] = np.sin(y[i, 1]) * y[i, -1]
    y[::2, 1] *= 2.0
    return np.sum(y**2) + np.max(y[:, 2])


@program(lambda r: (r.normal(size=(5, 6, 3)), r.normal(size=(5, 6, 3))))
def grid_of_vectors(a, b):
    product = np.cross(a, b)
    return np.sum(product**2) + np.sum(np.sum(a * b, axis=-1) ** 3)


@program(lambda r: (r.normal(size=(20, 3)).astype(np.float32),), tolerance=1e-4)
def single_precision(x):
    center = np.mean(x, axis=0)
    spread = x - center
    return np.sum(np.sqrt(np.sum(spread**2, axis=1) + np.float32(1)))


@program(lambda r: (r.normal(size=(3, 32)).T, r.normal(size=(64, 3))[::2]))
def in_another_order(x, y):
    total = 0.0
    for i in range(len(x)):
        d = x[i] - y
        total += np.sum(np.exp(-np.sum(d * d, axis=1)))
    return total


@program(lambda r: (r.normal(size=(16, 2)), r.normal(size=(21, 4))))
def two_kinds(x, y):
    reach = x @ np.ones((2, 4)) * 0.3
    gram = np.exp(-0.1 * np.sum((reach[:, None] - y[None]) ** 2, axis=-1))
    return np.sum(gram @ y) + np.linalg.norm(gram)


@program(lambda r: (r.normal(size=(50, 3)), [[k, (7 * k + 3) % 50] for k in range(40)]))
def springs_between_points(x, pairs):
    total = 0.0
    for a, b in pairs:
        total += (np.linalg.norm(x[a] - x[b]) - 1.0) ** 2
    return total


@program(lambda r: (r.normal(size=(60, 3)), np.array([[k, (7 * k + 3) % 60] for k in range(40)])))
def springs_by_index_arrays(x, pairs):
    apart = x[pairs[:, 0]] - x[pairs[:, 1]]
    return np.sum((np.sqrt(np.sum(apart**2, axis=1) + 0.01) - 1.0) ** 2)
