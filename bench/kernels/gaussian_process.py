"""The marginal likelihood of a Gaussian process: a kernel matrix by pairs, a Cholesky factor, a solve."""

import numpy as np
from kernel import Kernel, same


def data(n, dim):
    """Return log length scales, log amplitude and noise, inputs and outputs."""
    random = np.random.default_rng(0)
    x = random.normal(size=(n, dim))
    return np.zeros(dim), np.array([0.0, -1.0]), x, np.sin(x[:, 0]) + 0.1 * random.normal(size=n)


def primal(log_scales, log_sizes, x, y):
    """Return the negative log marginal likelihood."""
    n = x.shape[0]
    scaled = x / np.exp(log_scales)
    squares = np.sum(scaled * scaled, axis=1)
    apart = squares[:, None] + squares[None, :] - 2.0 * scaled @ scaled.T
    covariance = np.exp(2.0 * log_sizes[0] - 0.5 * apart) + np.exp(2.0 * log_sizes[1]) * np.eye(n)
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(covariance, y)
    return 0.5 * np.sum(y * weights) + np.sum(np.log(np.diag(factor))) + 0.5 * n * np.log(2.0 * np.pi)


def loops(log_scales, log_sizes, x, y):
    """Return what `primal` does; LAPACK stays LAPACK."""
    n, dim = x.shape
    covariance = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            square = 0.0
            for k in range(dim):
                apart = (x[i, k] - x[j, k]) / np.exp(log_scales[k])
                square += apart * apart
            covariance[i, j] = np.exp(2.0 * log_sizes[0] - 0.5 * square)
        covariance[i, i] += np.exp(2.0 * log_sizes[1])
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(covariance, y)
    total = 0.5 * n * np.log(2.0 * np.pi)
    for i in range(n):
        total += 0.5 * y[i] * weights[i] + np.log(factor[i, i])
    return total


def in_torch(torch):
    """Return `primal` for torch."""

    def likelihood(log_scales, log_sizes, x, y):
        n = x.shape[0]
        scaled = x / torch.exp(log_scales)
        squares = torch.sum(scaled * scaled, 1)
        apart = squares[:, None] + squares[None, :] - 2.0 * scaled @ scaled.T
        eye = torch.eye(n, dtype=torch.float64)
        covariance = torch.exp(2.0 * log_sizes[0] - 0.5 * apart) + torch.exp(2.0 * log_sizes[1]) * eye
        factor = torch.linalg.cholesky(covariance)
        weights = torch.linalg.solve(covariance, y)
        log_det = torch.sum(torch.log(torch.diag(factor)))
        return 0.5 * torch.sum(y * weights) + log_det + 0.5 * n * np.log(2.0 * np.pi)

    return likelihood


KERNEL = Kernel(
    title="Gaussian process",
    family="products",
    data=data,
    primal=primal,
    loops=loops,
    full=(300, 4),
    quick=(100, 4),
    argnums=(0, 1),
    forms={"jax": same(primal), "autograd": same(primal), "torch": in_torch},
    growth=((50, 4), (100, 4), (300, 4), (600, 4)),
)
