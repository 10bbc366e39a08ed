"""Branches: the adjoint takes the side that was taken."""

import numpy as np
from tests.gallery import shown

X = np.linspace(-1.0, 2.0, 5)


@shown(0.5, 1.0)
def huber(r, width):
    if abs(r) < width:
        return 0.5 * r * r
    return width * (abs(r) - 0.5 * width)


@shown(X, 0.3)
def leaky(x, slope):
    return np.sum(np.where(x > 0.0, x, slope * x))


@shown(X, X + 0.1)
def hinge(x, y):
    total = 0.0
    for i in range(x.size):
        margin = 1.0 - x[i] * y[i]
        if margin > 0.0:
            total += margin * margin
    return total


@shown(0.3, "sphere")
def area(r, shape):
    if shape == "sphere":
        a = 4.0 * np.pi * r**2
    else:
        a = 6.0 * r**2
    return a
