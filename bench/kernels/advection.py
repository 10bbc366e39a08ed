"""Advection by a second-order scheme with the minmod limiter: branches in every element of a stencil."""

import numpy as np
from kernel import Kernel


def data(n, steps):
    """Return a smooth profile with a jump, and the number of steps."""
    x = np.linspace(0.0, 1.0, n)
    return np.sin(6.0 * x) + np.where(x > 0.5, 1.0, 0.0) + 0.01 * np.random.default_rng(0).normal(
        size=n
    ), steps


def primal(start, steps):
    """Return half the sum of squares at the end; two cells at each end are held."""
    u = start.copy()
    for _ in range(steps):
        left = u[1:-1] - u[:-2]
        right = u[2:] - u[1:-1]
        smaller = np.where(np.abs(left) < np.abs(right), left, right)
        slope = np.where(left * right > 0.0, smaller, 0.0)
        flux = u[1:-1] + 0.3 * slope
        u[2:-1] = u[2:-1] - 0.4 * (flux[1:] - flux[:-1])
    return 0.5 * np.sum(u * u)


def loops(start, steps):
    """Return what `primal` does."""
    n = start.shape[0]
    u = start.copy()
    flux = np.empty(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            left = u[i] - u[i - 1]
            right = u[i + 1] - u[i]
            slope = 0.0
            if left * right > 0.0:
                slope = left if abs(left) < abs(right) else right
            flux[i] = u[i] + 0.3 * slope
        for i in range(2, n - 1):
            u[i] -= 0.4 * (flux[i] - flux[i - 1])
    total = 0.0
    for i in range(n):
        total += 0.5 * u[i] * u[i]
    return total


def inside(np, u):
    """Return the new values of all but two cells at the left and one at the right."""
    left = u[1:-1] - u[:-2]
    right = u[2:] - u[1:-1]
    smaller = np.where(np.abs(left) < np.abs(right), left, right)
    flux = u[1:-1] + 0.3 * np.where(left * right > 0.0, smaller, 0.0 * left)
    return u[2:-1] - 0.4 * (flux[1:] - flux[:-1])


def in_jax(np):
    """Return the steps as a scan."""
    from jax import lax

    def energy(start, steps):
        u = lax.scan(lambda u, _: (u.at[2:-1].set(inside(np, u)), None), start, None, length=steps)[0]
        return 0.5 * np.sum(u * u)

    return energy


def eager(np):
    """Return the steps as a Python loop that changes no array."""

    def energy(start, steps):
        u = start
        for _ in range(steps):
            u = np.concatenate([u[:2], inside(np, u), u[-1:]])
        return 0.5 * np.sum(u * u)

    return energy


KERNEL = Kernel(
    title="advection with limiter",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000, 300),
    quick=(1000, 30),
    forms={"jax": in_jax, "autograd": eager, "torch": eager},
    small={"torch.compile": ()},
    growth=((1000, 30), (1000, 300), (1000, 3000)),
)
