"""Burgers' equation in one dimension, explicit and upwind: a nonlinear stencil, many steps, short arrays."""

import numpy as np
from kernel import Kernel


def data(n, steps):
    """Return the first values, and the number of steps."""
    x = np.linspace(0.0, 2.0 * np.pi, n)
    return 1.0 + 0.5 * np.sin(x) + 0.1 * np.cos(3.0 * x), steps


def primal(start, steps):
    """Return half the sum of squares at the end; the ends are held."""
    u = start.copy()
    for _ in range(steps):
        middle = u[1:-1]
        slope = middle - u[:-2]
        bend = u[2:] - 2.0 * middle + u[:-2]
        u[1:-1] = middle - 0.2 * middle * slope + 0.1 * bend
    return 0.5 * np.sum(u * u)


def loops(start, steps):
    """Return what `primal` does."""
    n = start.shape[0]
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            bend = u[i + 1] - 2.0 * u[i] + u[i - 1]
            new[i] = u[i] - 0.2 * u[i] * (u[i] - u[i - 1]) + 0.1 * bend
        for i in range(1, n - 1):
            u[i] = new[i]
    total = 0.0
    for i in range(n):
        total += 0.5 * u[i] * u[i]
    return total


def inside(u):
    """Return the new values of all but the ends."""
    middle = u[1:-1]
    return middle - 0.2 * middle * (middle - u[:-2]) + 0.1 * (u[2:] - 2.0 * middle + u[:-2])


def in_jax(np):
    """Return the steps as a scan."""
    from jax import lax

    def energy(start, steps):
        u = lax.scan(lambda u, _: (u.at[1:-1].set(inside(u)), None), start, None, length=steps)[0]
        return 0.5 * np.sum(u * u)

    return energy


def eager(np):
    """Return the steps as a Python loop that changes no array."""

    def energy(start, steps):
        u = start
        for _ in range(steps):
            u = np.concatenate([u[:1], inside(u), u[-1:]])
        return 0.5 * np.sum(u * u)

    return energy


KERNEL = Kernel(
    title="Burgers",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000, 500),
    quick=(1000, 50),
    forms={"jax": in_jax, "autograd": eager, "torch": eager},
    small={"torch.compile": ()},
    growth=((1000, 50), (1000, 500), (1000, 5000)),
    target=2.0,
)
