"""Parameters of Lotka and Volterra's equations from data, by Runge-Kutta on two scalars."""

import numpy as np
from kernel import Kernel


def data(steps):
    """Return the four rates, and the measured prey at each step."""
    random = np.random.default_rng(0)
    return np.array([1.1, 0.4, 0.1, 0.4]), 10.0 + random.normal(size=steps)


def primal(rates, measured):
    """Return the mean squared distance from the measured prey."""
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    h = 0.01
    x, y = 10.0, 5.0
    total = 0.0
    for t in range(measured.shape[0]):
        k1x, k1y = a * x - b * x * y, c * x * y - d * y
        x2, y2 = x + 0.5 * h * k1x, y + 0.5 * h * k1y
        k2x, k2y = a * x2 - b * x2 * y2, c * x2 * y2 - d * y2
        x3, y3 = x + 0.5 * h * k2x, y + 0.5 * h * k2y
        k3x, k3y = a * x3 - b * x3 * y3, c * x3 * y3 - d * y3
        x4, y4 = x + h * k3x, y + h * k3y
        k4x, k4y = a * x4 - b * x4 * y4, c * x4 * y4 - d * y4
        x = x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
        y = y + h / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
        total += (x - measured[t]) ** 2
    return total / measured.shape[0]


def step(rates, x, y):
    """Return both populations after a step."""
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    h = 0.01
    k1x, k1y = a * x - b * x * y, c * x * y - d * y
    x2, y2 = x + 0.5 * h * k1x, y + 0.5 * h * k1y
    k2x, k2y = a * x2 - b * x2 * y2, c * x2 * y2 - d * y2
    x3, y3 = x + 0.5 * h * k2x, y + 0.5 * h * k2y
    k3x, k3y = a * x3 - b * x3 * y3, c * x3 * y3 - d * y3
    x4, y4 = x + h * k3x, y + h * k3y
    k4x, k4y = a * x4 - b * x4 * y4, c * x4 * y4 - d * y4
    return x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x), y + h / 6.0 * (
        k1y + 2.0 * k2y + 2.0 * k3y + k4y
    )


def in_jax(np):
    """Return the steps as a scan."""
    from jax import lax

    def misfit(rates, measured):
        def body(state, z):
            x, y = step(rates, *state)
            return (x, y), (x - z) ** 2

        return np.mean(lax.scan(body, (10.0, 5.0), measured)[1])

    return misfit


def eager(np):
    """Return the steps as a Python loop."""

    def misfit(rates, measured):
        x, y, total = 10.0, 5.0, 0.0
        for t in range(measured.shape[0]):
            x, y = step(rates, x, y)
            total = total + (x - measured[t]) ** 2
        return total / measured.shape[0]

    return misfit


KERNEL = Kernel(
    title="Lotka-Volterra, RK4",
    family="recurrence",
    data=data,
    primal=primal,
    full=(2000,),
    quick=(2000,),
    forms={"jax": in_jax, "autograd": eager, "torch": eager, "casadi": eager},
    small={"autograd": (200,), "torch": (200,), "casadi": (200,), "torch.compile": ()},
    growth=((200,), (2000,), (20000,)),
)
