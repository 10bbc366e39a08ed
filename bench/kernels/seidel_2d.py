"""Gauss and Seidel's nine-point average, each element from neighbours of which half are new (polybench's seidel_2d)."""

import numpy as np
from kernel import Kernel


def data(side, steps):
    """Return the first values, and the number of sweeps."""
    return np.random.default_rng(0).normal(size=(side, side)), steps


def primal(start, steps):
    """Return half the sum of squares after the sweeps."""
    a = start.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return 0.5 * np.sum(a * a)


def in_jax(np):
    """Return the sweeps as scans over rows; the recurrence inside a row is an associative scan."""
    from jax import lax

    def energy(start, steps):
        factor = np.full(start.shape[1] - 2, 1.0 / 9.0)

        def joined(left, right):
            return left[0] * right[0], right[0] * left[1] + right[1]

        def row(above, rows):
            old, below = rows
            known = (
                above[:-2]
                + above[1:-1]
                + above[2:]
                + old[1:-1]
                + old[2:]
                + below[:-2]
                + below[1:-1]
                + below[2:]
            )
            known = (known / 9.0).at[0].add(old[0] / 9.0)
            _, inside = lax.associative_scan(joined, (factor, known))
            new = np.concatenate([old[:1], inside, old[-1:]])
            return new, new

        def sweep(a, _):
            _, inside = lax.scan(row, a[0], (a[1:-1], a[2:]))
            return np.concatenate([a[:1], inside, a[-1:]]), None

        a = lax.scan(sweep, start, None, length=steps)[0]
        return 0.5 * np.sum(a * a)

    return energy


KERNEL = Kernel(
    title="seidel_2d",
    family="stencil",
    data=data,
    primal=primal,
    full=(120, 20),
    quick=(120, 4),
    forms={"jax": in_jax},
    growth=((40, 20), (120, 20), (400, 20)),
    target=1.45,
)
