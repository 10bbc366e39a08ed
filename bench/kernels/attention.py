"""Attention of one head: two matrix products around a softmax by rows."""

import math

import numpy as np
from kernel import Kernel, same


def data(n, width):
    """Return queries, keys, values, and the wanted output."""
    random = np.random.default_rng(0)
    return tuple(random.normal(size=(n, width)) for _ in range(4))


def primal(queries, keys, values, wanted):
    """Return the mean squared distance of the attended values from the wanted ones."""
    scores = queries @ keys.T / np.sqrt(queries.shape[1])
    scores = np.exp(scores - np.max(scores, axis=1)[:, None])
    weights = scores / np.sum(scores, axis=1)[:, None]
    return np.mean((weights @ values - wanted) ** 2)


def loops(queries, keys, values, wanted):
    """Return what `primal` does, with the products left to BLAS."""
    n, width = queries.shape
    scores = queries @ keys.T
    for i in range(n):
        top = -np.inf
        for j in range(n):
            scores[i, j] /= math.sqrt(width)
            top = max(top, scores[i, j])
        total = 0.0
        for j in range(n):
            scores[i, j] = math.exp(scores[i, j] - top)
            total += scores[i, j]
        for j in range(n):
            scores[i, j] /= total
    found = scores @ values
    total = 0.0
    for i in range(n):
        for j in range(width):
            total += (found[i, j] - wanted[i, j]) ** 2
    return total / (n * width)


def in_torch(torch):
    """Return `primal` with torch's softmax."""

    def loss(queries, keys, values, wanted):
        weights = torch.softmax(queries @ keys.T / math.sqrt(queries.shape[1]), 1)
        return torch.mean((weights @ values - wanted) ** 2)

    return loss


KERNEL = Kernel(
    title="attention",
    family="products",
    data=data,
    primal=primal,
    loops=loops,
    full=(512, 64),
    quick=(128, 64),
    argnums=(0, 1, 2),
    forms={"jax": same(primal), "autograd": same(primal), "torch": in_torch, "pytensor": same(primal)},
    growth=((128, 64), (512, 64), (1024, 64)),
)
