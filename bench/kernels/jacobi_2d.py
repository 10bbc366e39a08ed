"""Jacobi's five-point average on a square, two arrays that swap roles (polybench's jacobi_2d)."""

import numpy as np
from kernel import Kernel


def data(side, steps):
    """Return the first values, and the number of pairs of sweeps."""
    return np.random.default_rng(0).normal(size=(side, side)), steps


def primal(start, steps):
    """Return half the sum of squares after the sweeps."""
    a = start.copy()
    b = start.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return 0.5 * np.sum(a * a)


def loops(start, steps):
    """Return what `primal` does."""
    a = start.copy()
    b = start.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += 0.5 * a[i, j] * a[i, j]
    return total


def average(a):
    """Return the five-point averages of the inside."""
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def in_jax(np):
    """Return the sweeps as a scan."""
    from jax import lax

    def energy(start, steps):
        def body(pair, _):
            a, b = pair
            b = b.at[1:-1, 1:-1].set(average(a))
            a = a.at[1:-1, 1:-1].set(average(b))
            return (a, b), None

        (a, _), _ = lax.scan(body, (start, start), None, length=steps)
        return 0.5 * np.sum(a * a)

    return energy


def in_torch(torch):
    """Return the sweeps with writes in place, which torch takes."""

    def energy(start, steps):
        a = start
        for _ in range(2 * steps):
            new = a.clone()
            new[1:-1, 1:-1] = average(a)
            a = new
        return 0.5 * torch.sum(a * a)

    return energy


def in_autograd(np):
    """Return the sweeps with the border joined to the new inside."""

    def energy(start, steps):
        a = start
        for _ in range(2 * steps):
            middle = np.concatenate([a[1:-1, :1], average(a), a[1:-1, -1:]], axis=1)
            a = np.concatenate([a[:1], middle, a[-1:]], axis=0)
        return 0.5 * np.sum(a * a)

    return energy


KERNEL = Kernel(
    title="jacobi_2d",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(250, 50),
    quick=(250, 5),
    forms={"jax": in_jax, "autograd": in_autograd, "torch": in_torch},
    small={"torch.compile": ()},
    growth=((50, 50), (150, 50), (500, 50)),
    target=2.0,
)
