"""The log-likelihood of a Gaussian mixture with a Wishart prior (ADBench's GMM), component by component."""

import math

import numpy as np
from kernel import Kernel, same


def data(n, dim, components):
    """Return log-weights, means, inverse covariance factors (log-diagonal, then the strict lower triangle), points."""
    random = np.random.default_rng(0)
    return (
        random.normal(size=components),
        random.normal(size=(components, dim)),
        0.1 * random.normal(size=(components, dim)),
        0.1 * random.normal(size=(components, dim, dim)),
        random.normal(size=(n, dim)),
        np.tril(np.ones((dim, dim)), -1),
    )


def primal(weights, means, log_scales, lower, x, mask):
    """Return the log-likelihood; component k has L = diag(exp(log_scales[k])) + lower[k] * mask as its factor."""
    n = x.shape[0]
    components = weights.shape[0]
    scores = np.empty((n, components))
    prior = 0.0
    for k in range(components):
        scale = np.exp(log_scales[k])
        factor = lower[k] * mask
        centred = x - means[k]
        whitened = centred * scale + centred @ factor.T
        log_det = np.sum(log_scales[k])
        scores[:, k] = weights[k] + log_det - 0.5 * np.sum(whitened * whitened, axis=1)
        prior += 0.5 * (np.sum(scale * scale) + np.sum(factor * factor)) - log_det
    top = np.max(scores, axis=1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(scores - top.reshape(n, 1)), axis=1)))
    most = np.max(weights)
    return likelihood - n * (most + np.log(np.sum(np.exp(weights - most)))) - prior


def loops(weights, means, log_scales, lower, x, mask):
    """Return what `primal` does."""
    n, dim = x.shape
    components = weights.shape[0]
    scores = np.empty(components)
    centred = np.empty(dim)
    scale = np.exp(log_scales)
    prior = 0.0
    most = -np.inf
    for k in range(components):
        most = max(most, weights[k])
        for i in range(dim):
            prior += 0.5 * scale[k, i] ** 2 - log_scales[k, i]
            for j in range(i):
                prior += 0.5 * lower[k, i, j] ** 2
    likelihood = 0.0
    for p in range(n):
        top = -np.inf
        for k in range(components):
            square = 0.0
            log_det = 0.0
            for i in range(dim):
                centred[i] = x[p, i] - means[k, i]
                whitened = scale[k, i] * centred[i]
                for j in range(i):
                    whitened += lower[k, i, j] * centred[j]
                square += whitened * whitened
                log_det += log_scales[k, i]
            scores[k] = weights[k] + log_det - 0.5 * square
            top = max(top, scores[k])
        total = 0.0
        for k in range(components):
            total += math.exp(scores[k] - top)
        likelihood += top + math.log(total)
    total = 0.0
    for k in range(components):
        total += math.exp(weights[k] - most)
    return likelihood - n * (most + math.log(total)) - prior


def batched(weights, means, log_scales, lower, x, mask):
    """Return what `primal` does, all components at once: how ADBench writes it for array frameworks."""
    scale = np.exp(log_scales)
    factor = lower * mask
    centred = x[:, None, :] - means[None, :, :]
    whitened = centred * scale + np.einsum("kij,nkj->nki", factor, centred)
    log_det = np.sum(log_scales, 1)
    scores = weights + log_det - 0.5 * np.sum(whitened * whitened, 2)
    prior = 0.5 * (np.sum(scale * scale) + np.sum(factor * factor)) - np.sum(log_det)
    top = np.max(scores, 1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(scores - top[:, None]), 1)))
    most = np.max(weights)
    return likelihood - x.shape[0] * (most + np.log(np.sum(np.exp(weights - most)))) - prior


def in_torch(torch):
    """Return `batched` for torch, which has a logsumexp."""

    def likelihood(weights, means, log_scales, lower, x, mask):
        scale = torch.exp(log_scales)
        factor = lower * mask
        centred = x[:, None, :] - means[None, :, :]
        whitened = centred * scale + torch.einsum("kij,nkj->nki", factor, centred)
        log_det = torch.sum(log_scales, 1)
        scores = weights + log_det - 0.5 * torch.sum(whitened * whitened, 2)
        prior = 0.5 * (torch.sum(scale * scale) + torch.sum(factor * factor)) - torch.sum(log_det)
        return torch.sum(torch.logsumexp(scores, 1)) - x.shape[0] * torch.logsumexp(weights, 0) - prior

    return likelihood


def kernel(n, dim, components, target):
    """Return the kernel for a number of points, their dimension, and a number of components."""
    return Kernel(
        title=f"GMM d={dim} K={components} n={n}",
        family="products",
        data=data,
        primal=primal,
        loops=loops,
        full=(n, dim, components),
        quick=(n // 5, dim, components),
        argnums=(0, 1, 2, 3),
        forms={"jax": same(batched), "autograd": same(batched), "torch": in_torch},
        growth=tuple((points, dim, components) for points in (100, 1000, 10000)),
        target=target,
    )


KERNEL = kernel(1000, 32, 10, 0.31)
