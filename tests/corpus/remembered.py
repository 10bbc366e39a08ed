"""Recursions that remember what they computed: in a dict, under tuples of positions, behind a decorator."""

import functools

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4), r.normal(size=5), 0.1))
def warped_distance(a, b, penalty):
    memo = {}

    def cost(i, j):
        if i < 0 and j < 0:
            return 0.0
        if i < 0 or j < 0:
            return 1e6
        if (i, j) in memo:
            return memo[(i, j)]
        best = min(cost(i - 1, j - 1), cost(i - 1, j) + penalty, cost(i, j - 1) + penalty)
        memo[i, j] = (a[i] - b[j]) ** 2 + best
        return memo[i, j]

    return np.sqrt(cost(len(a) - 1, len(b) - 1))


@program(lambda r: (r.uniform(1, 2, 5), [2, 1, 3, 2, 2], 5), argnums=(0,))
def knapsack(values, weights, capacity):
    best = {}

    def fill(k, room):
        if k == len(weights):
            return 0.0
        key = f"{k}:{room}"
        if key not in best:
            best[key] = fill(k + 1, room)
            if weights[k] <= room:
                best[key] = max(best[key], values[k] + fill(k + 1, room - weights[k]))
        return best[key]

    return fill(0, capacity) ** 2


@program(lambda r: (r.uniform(1, 2, 6),))
def best_order_of_products(sizes):
    @functools.cache
    def cost(i, j):
        if j - i < 2:
            return 0.0
        return min(cost(i, k) + cost(k, j) + sizes[i] * sizes[k] * sizes[j] for k in range(i + 1, j))

    return cost(0, len(sizes) - 1)
