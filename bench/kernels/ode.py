"""A chain of differential equations y_i' = x_i * y_(i-1) by classical Runge-Kutta: vectors, and a long loop."""

import numpy as np
from kernel import Kernel


def data(n, steps):
    """Return the rates and the number of steps."""
    return np.random.default_rng(0).uniform(0.5, 1.5, size=n), steps


def slope(x, y):
    """Return the derivative of the state in time."""
    result = np.empty_like(y)
    result[0] = x[0]
    result[1:] = x[1:] * y[:-1]
    return result


def primal(x, steps):
    """Return the sum of the state at time 2."""
    h = 2.0 / steps
    y = np.zeros_like(x)
    for _ in range(steps):
        k1 = slope(x, y)
        k2 = slope(x, y + 0.5 * h * k1)
        k3 = slope(x, y + 0.5 * h * k2)
        k4 = slope(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y)


def loops(x, steps):
    """Return what `primal` does."""
    n = x.shape[0]
    h = 2.0 / steps
    y = np.zeros(n)
    k1, k2, k3, k4 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for _ in range(steps):
        k1[0] = k2[0] = k3[0] = k4[0] = x[0]
        for i in range(1, n):
            k1[i] = x[i] * y[i - 1]
        for i in range(1, n):
            k2[i] = x[i] * (y[i - 1] + 0.5 * h * k1[i - 1])
        for i in range(1, n):
            k3[i] = x[i] * (y[i - 1] + 0.5 * h * k2[i - 1])
        for i in range(1, n):
            k4[i] = x[i] * (y[i - 1] + h * k3[i - 1])
        for i in range(n):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    total = 0.0
    for i in range(n):
        total += y[i]
    return total


def joined(x, y, np):
    """Return the slope without writing to an array."""
    return np.concatenate([x[:1], x[1:] * y[:-1]])


def advance(np, x, y, h):
    """Return the state after a step."""
    k1 = joined(x, y, np)
    k2 = joined(x, y + 0.5 * h * k1, np)
    k3 = joined(x, y + 0.5 * h * k2, np)
    k4 = joined(x, y + h * k3, np)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def in_jax(np):
    """Return the integration as a scan."""
    from jax import lax

    def final(x, steps):
        return np.sum(
            lax.scan(lambda y, _: (advance(np, x, y, 2.0 / steps), None), 0.0 * x, None, length=steps)[0]
        )

    return final


def eager(np):
    """Return the integration as a Python loop that changes no array."""

    def final(x, steps):
        y = 0.0 * x
        for _ in range(steps):
            y = advance(np, x, y, 2.0 / steps)
        return np.sum(y)

    return final


KERNEL = Kernel(
    title="ODE, RK4",
    family="recurrence",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000, 100),
    quick=(1000, 20),
    forms={"jax": in_jax, "autograd": eager, "torch": eager},
    small={"torch.compile": ()},
    growth=((1000, 10), (1000, 100), (1000, 1000), (1000, 10000)),
    target=2.8,
)
