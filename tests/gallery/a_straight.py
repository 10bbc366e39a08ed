"""Formulas: straight lines of scalars and whole arrays."""

import math

import numpy as np
from tests.gallery import shown

X = np.linspace(0.1, 0.9, 5)
A = np.linspace(-1.0, 1.0, 15).reshape(5, 3)


@shown(0.7, 1.2, argnums=(0, 1))
def wave(x, t):
    u = math.sin(x - 2.0 * t)
    v = math.exp(-x * x)
    return u * v + u


@shown(X)
def norm(x):
    return np.sqrt(np.sum(x * x))


@shown(X, X[::-1].copy(), argnums=(0, 1))
def cosine(x, y):
    return x @ y / (np.sqrt(x @ x) * np.sqrt(y @ y))


@shown(X)
def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


@shown(np.ones(3), A, X)
def least_squares(w, x, y):
    residual = x @ w - y
    return 0.5 * np.mean(residual**2) + 0.01 * np.sum(w**2)


@shown(np.ones(3), A, (X > 0.5) * 1.0)
def logistic(w, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


@shown(A, np.array([1, 0, 2, 2, 1]))
def softmax_loss(scores, labels):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(labels.size), labels])


@shown(A, np.ones(3), 0.5, argnums=(1, 2))
def standardised(x, scale, shift):
    centred = x - np.mean(x, axis=0)
    z = centred / np.sqrt(np.mean(centred**2, axis=0) + 1e-5)
    return np.sum(np.maximum(scale * z + shift, 0.0))


@shown(X)
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
