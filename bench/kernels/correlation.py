"""A loss on the correlations between matching columns: only the diagonal of a matrix product is used."""

import math

import numpy as np
from kernel import Kernel, same


def data(n, width):
    """Return two batches of the same things."""
    random = np.random.default_rng(0)
    a = random.normal(size=(n, width))
    return a, a + random.normal(size=(n, width))


def primal(a, b):
    """Return the sum of squares of what the correlations lack to one."""
    a = (a - np.mean(a, axis=0)) / np.std(a, axis=0)
    b = (b - np.mean(b, axis=0)) / np.std(b, axis=0)
    correlation = np.diag(a.T @ b) / a.shape[0]
    return np.sum((1.0 - correlation) ** 2)


def loops(a, b):
    """Return what `primal` does, with the whole product as in the user's text."""
    n, width = a.shape
    u = np.empty((n, width))
    v = np.empty((n, width))
    for j in range(width):
        mean_a = mean_b = square_a = square_b = 0.0
        for i in range(n):
            mean_a += a[i, j] / n
            mean_b += b[i, j] / n
        for i in range(n):
            square_a += (a[i, j] - mean_a) ** 2 / n
            square_b += (b[i, j] - mean_b) ** 2 / n
        for i in range(n):
            u[i, j] = (a[i, j] - mean_a) / math.sqrt(square_a)
            v[i, j] = (b[i, j] - mean_b) / math.sqrt(square_b)
    product = u.T @ v
    total = 0.0
    for j in range(width):
        total += (1.0 - product[j, j] / n) ** 2
    return total


def in_torch(torch):
    """Return `primal` with torch's deviation, which divides by n only when told."""

    def loss(a, b):
        a = (a - torch.mean(a, 0)) / torch.std(a, 0, correction=0)
        b = (b - torch.mean(b, 0)) / torch.std(b, 0, correction=0)
        return torch.sum((1.0 - torch.diag(a.T @ b) / a.shape[0]) ** 2)

    return loss


KERNEL = Kernel(
    title="correlation loss",
    family="products",
    data=data,
    primal=primal,
    loops=loops,
    full=(1024, 256),
    quick=(256, 128),
    argnums=(0, 1),
    forms={"jax": same(primal), "autograd": same(primal), "torch": in_torch, "pytensor": same(primal)},
    growth=((128, 256), (1024, 256), (8192, 256)),
    target=0.10,
)
