"""The cost of k-means: squared distances between all points and centres, and the smallest of each row."""

import numpy as np
from kernel import Kernel, same


def data(n, dim, clusters):
    """Return centres and points."""
    random = np.random.default_rng(0)
    return random.normal(size=(clusters, dim)), random.normal(size=(n, dim))


def primal(centres, points):
    """Return the sum over points of the squared distance from the nearest centre."""
    apart = points[:, None, :] - centres[None, :, :]
    return np.sum(np.min(np.sum(apart * apart, axis=2), axis=1))


def loops(centres, points):
    """Return what `primal` does."""
    total = 0.0
    for i in range(points.shape[0]):
        best = np.inf
        for k in range(centres.shape[0]):
            square = 0.0
            for j in range(points.shape[1]):
                apart = points[i, j] - centres[k, j]
                square += apart * apart
            best = min(best, square)
        total += best
    return total


def in_torch(torch):
    """Return `primal` with torch's name for the smallest along an axis."""

    def cost(centres, points):
        apart = points[:, None, :] - centres[None, :, :]
        return torch.sum(torch.amin(torch.sum(apart * apart, dim=2), dim=1))

    return cost


KERNEL = Kernel(
    title="k-means",
    family="pairs",
    data=data,
    primal=primal,
    loops=loops,
    full=(4000, 16, 16),
    quick=(400, 16, 16),
    forms={"jax": same(primal), "autograd": same(primal), "torch": in_torch, "pytensor": same(primal)},
    growth=((400, 16, 16), (4000, 16, 16), (40000, 16, 16)),
    target=0.42,
)
