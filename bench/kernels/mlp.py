"""The cross-entropy of a two-layer network: two matrix products, bound by BLAS."""

import math

import numpy as np
from kernel import Kernel, same


def data(n, pixels, hidden, classes):
    """Return both layers, images, and one-hot targets."""
    random = np.random.default_rng(0)
    return (
        random.normal(size=(pixels, hidden)) / math.sqrt(pixels),
        0.1 * random.normal(size=hidden),
        random.normal(size=(hidden, classes)) / math.sqrt(hidden),
        0.1 * random.normal(size=classes),
        random.normal(size=(n, pixels)),
        np.eye(classes)[random.integers(0, classes, size=n)],
    )


def primal(weights, bias, out_weights, out_bias, images, targets):
    """Return the mean cross-entropy of the softmax."""
    scores = np.tanh(images @ weights + bias) @ out_weights + out_bias
    scores = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(scores), axis=1)) - np.sum(targets * scores, axis=1))


def loops(weights, bias, out_weights, out_bias, images, targets):
    """Return what `primal` does, with the products left to BLAS."""
    hidden = images @ weights
    for i in range(hidden.shape[0]):
        for j in range(hidden.shape[1]):
            hidden[i, j] = math.tanh(hidden[i, j] + bias[j])
    scores = hidden @ out_weights
    total = 0.0
    for i in range(scores.shape[0]):
        top = -np.inf
        for j in range(scores.shape[1]):
            scores[i, j] += out_bias[j]
            top = max(top, scores[i, j])
        norm = 0.0
        for j in range(scores.shape[1]):
            norm += math.exp(scores[i, j] - top)
            total -= targets[i, j] * (scores[i, j] - top)
        total += math.log(norm)
    return total / scores.shape[0]


def in_torch(torch):
    """Return `primal` with torch's log-softmax."""

    def loss(weights, bias, out_weights, out_bias, images, targets):
        scores = torch.tanh(images @ weights + bias) @ out_weights + out_bias
        return -torch.sum(targets * torch.log_softmax(scores, 1)) / images.shape[0]

    return loss


KERNEL = Kernel(
    title="MLP",
    family="products",
    data=data,
    primal=primal,
    loops=loops,
    full=(512, 784, 256, 10),
    quick=(128, 784, 64, 10),
    argnums=(0, 1, 2, 3),
    forms={"jax": same(primal), "autograd": same(primal), "torch": in_torch, "pytensor": same(primal)},
    growth=((64, 784, 256, 10), (512, 784, 256, 10), (4096, 784, 256, 10)),
    target=1.38,
)
