"""Functions that call functions."""

import numpy as np
from tests.gallery import shown

X = np.linspace(-1.0, 1.0, 8).reshape(4, 2)


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def layer(x, w, b):
    return np.tanh(x @ w + b)


@shown(np.ones(2), 0.1, X, argnums=(0, 1))
def two_layers(w, b, x):
    h = sigmoid(x * w + b)
    return np.sum(sigmoid(h @ w))


@shown(
    np.full((2, 3), 0.1), np.zeros(3), np.full((3, 1), 0.2), np.zeros(1), X, np.ones(4), argnums=(0, 1, 2, 3)
)
def network(w1, b1, w2, b2, x, y):
    out = layer(layer(x, w1, b1), w2, b2)
    return np.mean((out[:, 0] - y) ** 2)


@shown(np.full((3, 3), 0.1), np.full((3, 2), 0.2), X, argnums=(0, 1))
def recurrent(w, u, inputs):
    h = np.zeros(w.shape[0])
    loss = 0.0
    for t in range(inputs.shape[0]):
        h = np.tanh(w @ h + u @ inputs[t])
        loss += h @ h
    return loss


def slope(y, k):
    return -k * y + np.sin(y)


@shown(np.array([1.0, 0.5]), 0.3, 50, argnums=(0, 1))
def runge_kutta(y, k, steps):
    h = 0.01
    for _ in range(steps):
        k1 = slope(y, k)
        k2 = slope(y + 0.5 * h * k1, k)
        k3 = slope(y + 0.5 * h * k2, k)
        k4 = slope(y + h * k3, k)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y @ y


@shown({"w": np.ones(2), "b": 0.5}, X)
def from_a_dict(params, x):
    return np.sum(np.tanh(x @ params["w"] + params["b"]))
