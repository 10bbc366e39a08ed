"""Linear least squares, a row at a time: the user's loop over independent rows."""

import numpy as np
from kernel import Kernel, same


def data(n, width):
    """Return weights, rows and right-hand sides."""
    random = np.random.default_rng(0)
    return random.normal(size=width), random.normal(size=(n, width)), random.normal(size=n)


def primal(w, x, y):
    """Return half the sum of squares of the residuals."""
    total = 0.0
    for i in range(x.shape[0]):
        r = x[i] @ w - y[i]
        total += 0.5 * r * r
    return total


def loops(w, x, y):
    """Return what `primal` does."""
    total = 0.0
    for i in range(x.shape[0]):
        r = -y[i]
        for j in range(x.shape[1]):
            r += x[i, j] * w[j]
        total += 0.5 * r * r
    return total


def in_jax(np):
    """Return the loop as a scan over rows."""
    from jax import lax

    def loss(w, x, y):
        def body(total, row):
            r = row[0] @ w - row[1]
            return total + 0.5 * r * r, None

        return lax.scan(body, 0.0, (x, y))[0]

    return loss


def at_once(np):
    """Return the loss without the loop, for peers whose graph has one node per statement."""

    def loss(w, x, y):
        r = x @ w - y
        return 0.5 * (r.T @ r)

    return loss


KERNEL = Kernel(
    title="least squares by loops",
    family="products",
    data=data,
    primal=primal,
    loops=loops,
    full=(4096, 128),
    quick=(1024, 128),
    forms={
        "jax": in_jax,
        "autograd": same(primal),
        "torch": same(primal),
        "pytensor": at_once,
        "casadi": at_once,
    },
    small={"autograd": (512, 128), "torch": (512, 128), "torch.compile": ()},
    growth=((256, 128), (4096, 128), (65536, 128)),
    target=0.60,
)
