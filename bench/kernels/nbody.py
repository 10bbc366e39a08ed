"""The softened potential energy of n bodies: all pairs, three coordinates."""

import math

import numpy as np
from kernel import Kernel, same


def data(n):
    """Return positions and masses."""
    random = np.random.default_rng(0)
    return random.normal(size=(n, 3)), random.uniform(0.5, 1.5, size=n)


def primal(position, mass):
    """Return the energy."""
    apart = position[:, None, :] - position[None, :, :]
    distance = np.sqrt(np.sum(apart * apart, axis=2) + 1e-2)
    return -0.5 * np.sum(mass[:, None] * mass[None, :] / distance)


def loops(position, mass):
    """Return what `primal` does."""
    n = position.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(n):
            x = position[i, 0] - position[j, 0]
            y = position[i, 1] - position[j, 1]
            z = position[i, 2] - position[j, 2]
            total -= 0.5 * mass[i] * mass[j] / math.sqrt(x * x + y * y + z * z + 1e-2)
    return total


KERNEL = Kernel(
    title="n-body",
    family="pairs",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000,),
    quick=(300,),
    forms={"jax": same(primal), "autograd": same(primal), "torch": same(primal), "pytensor": same(primal)},
    growth=((100,), (300,), (1000,), (3000,)),
    target=0.28,
)
