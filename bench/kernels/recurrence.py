"""A scalar recurrence with exp and sin: nothing to vectorise, and a state per step to remember."""

import math

import numpy as np
from kernel import Kernel


def data(n):
    """Return what drives the recurrence."""
    return (0.5 * np.random.default_rng(0).normal(size=n),)


def primal(x):
    """Return the last state."""
    state = 0.5
    for i in range(x.shape[0]):
        state = math.sin(state) + x[i] * math.exp(-state * state)
    return state


def in_jax(np):
    """Return the recurrence as a scan."""
    from jax import lax

    def last(x):
        return lax.scan(lambda s, xi: (np.sin(s) + xi * np.exp(-s * s), None), 0.5, x)[0]

    return last


def eager(np):
    """Return the recurrence as a Python loop on the peer's numbers."""

    def last(x):
        state = 0.5 + 0.0 * x[0]
        for i in range(x.shape[0]):
            state = np.sin(state) + x[i] * np.exp(-state * state)
        return state

    return last


KERNEL = Kernel(
    title="scalar recurrence",
    family="recurrence",
    data=data,
    primal=primal,
    full=(10**6,),
    quick=(10**5,),
    forms={"jax": in_jax, "autograd": eager, "torch": eager, "casadi": eager},
    small={"autograd": (1000,), "torch": (1000,), "casadi": (1000,), "torch.compile": ()},
    growth=((10**3,), (10**4,), (10**5,), (10**6,), (10**7,)),
    target=1.18,
)
