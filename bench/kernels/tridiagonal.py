"""A tridiagonal system by Thomas's algorithm, and the gradient in its three diagonals and right-hand side."""

import numpy as np
from kernel import Kernel


def data(n):
    """Return lower, middle and upper diagonal, and the right-hand side."""
    random = np.random.default_rng(0)
    return random.uniform(size=n), 3.0 + random.uniform(size=n), random.uniform(size=n), random.normal(size=n)


def primal(lower, middle, upper, right):
    """Return half the sum of squares of the solution."""
    n = middle.shape[0]
    c = np.empty(n)
    d = np.empty(n)
    c[0] = upper[0] / middle[0]
    d[0] = right[0] / middle[0]
    for i in range(1, n):
        pivot = middle[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i] * d[i - 1]) / pivot
    x = d[n - 1]
    total = 0.5 * x * x
    for i in range(n - 2, -1, -1):
        x = d[i] - c[i] * x
        total += 0.5 * x * x
    return total


def in_jax(np):
    """Return both sweeps as scans."""
    from jax import lax

    def energy(lower, middle, upper, right):
        def down(state, row):
            c, d = state
            low, mid, up, r = row
            pivot = mid - low * c
            new = (up / pivot, (r - low * d) / pivot)
            return new, new

        first = (upper[0] / middle[0], right[0] / middle[0])
        last, (c, d) = lax.scan(down, first, (lower[1:], middle[1:], upper[1:], right[1:]))
        c = np.concatenate([np.array([first[0]]), c])
        d = np.concatenate([np.array([first[1]]), d])

        def up_again(x, row):
            x = row[1] - row[0] * x
            return x, 0.5 * x * x

        _, squares = lax.scan(up_again, last[1], (c[:-1], d[:-1]), reverse=True)
        return 0.5 * last[1] ** 2 + np.sum(squares)

    return energy


def eager(np):
    """Return both sweeps on the peer's numbers."""

    def energy(lower, middle, upper, right):
        n = middle.shape[0]
        c, d = [upper[0] / middle[0]], [right[0] / middle[0]]
        for i in range(1, n):
            pivot = middle[i] - lower[i] * c[-1]
            c.append(upper[i] / pivot)
            d.append((right[i] - lower[i] * d[-1]) / pivot)
        x = d[-1]
        total = 0.5 * x * x
        for i in range(n - 2, -1, -1):
            x = d[i] - c[i] * x
            total = total + 0.5 * x * x
        return total

    return energy


KERNEL = Kernel(
    title="tridiagonal solve",
    family="recurrence",
    data=data,
    primal=primal,
    full=(10**5,),
    quick=(10**4,),
    argnums=(0, 1, 2, 3),
    forms={"jax": in_jax, "autograd": eager, "torch": eager, "casadi": eager},
    small={"autograd": (200,), "torch": (200,), "casadi": (200,), "torch.compile": ()},
    growth=((10**3,), (10**4,), (10**5,), (10**6,)),
)
