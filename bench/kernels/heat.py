"""The heat equation on a square with unknown conductivity: an inverse problem, a stencil with two arrays."""

import numpy as np
from kernel import Kernel


def data(side, steps):
    """Return the conductivity, the first temperature, the measured one, and the number of steps."""
    random = np.random.default_rng(0)
    conductivity = 0.5 + 0.5 * random.uniform(size=(side, side))
    return conductivity, random.normal(size=(side, side)), random.normal(size=(side, side)), steps


def primal(conductivity, start, measured, steps):
    """Return half the squared distance of the last temperature from the measured one."""
    u = start.copy()
    for _ in range(steps):
        k = conductivity[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * k * around
    return 0.5 * np.sum((u - measured) ** 2)


def loops(conductivity, start, measured, steps):
    """Return what `primal` does."""
    n, m = start.shape
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                new[i, j] = u[i, j] + 0.2 * conductivity[i, j] * around
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = new[i, j]
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += 0.5 * (u[i, j] - measured[i, j]) ** 2
    return total


def inside(u, conductivity):
    """Return the new temperatures of all but the border."""
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    return u[1:-1, 1:-1] + 0.2 * conductivity[1:-1, 1:-1] * around


def in_jax(np):
    """Return the steps as a scan."""
    from jax import lax

    def misfit(conductivity, start, measured, steps):
        def body(u, _):
            return u.at[1:-1, 1:-1].set(inside(u, conductivity)), None

        return 0.5 * np.sum((lax.scan(body, start, None, length=steps)[0] - measured) ** 2)

    return misfit


def in_torch(torch):
    """Return the steps with a new array for each."""

    def misfit(conductivity, start, measured, steps):
        u = start
        for _ in range(steps):
            new = u.clone()
            new[1:-1, 1:-1] = inside(u, conductivity)
            u = new
        return 0.5 * torch.sum((u - measured) ** 2)

    return misfit


def in_autograd(np):
    """Return the steps with the border joined to the new inside."""

    def misfit(conductivity, start, measured, steps):
        u = start
        for _ in range(steps):
            middle = np.concatenate([u[1:-1, :1], inside(u, conductivity), u[1:-1, -1:]], axis=1)
            u = np.concatenate([u[:1], middle, u[-1:]], axis=0)
        return 0.5 * np.sum((u - measured) ** 2)

    return misfit


KERNEL = Kernel(
    title="heat equation, conductivity",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(150, 100),
    quick=(150, 5),
    forms={"jax": in_jax, "torch": in_torch, "autograd": in_autograd},
    small={"torch.compile": ()},
    growth=((50, 100), (150, 100), (300, 100)),
)
