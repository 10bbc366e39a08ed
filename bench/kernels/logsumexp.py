"""A reduction with one exponential per element; the shift by the maximum carries no derivative."""

import math

import numpy as np
from kernel import Kernel, same


def data(n):
    """Return a vector."""
    return (np.random.default_rng(0).normal(size=n),)


def primal(x):
    """Return log(sum(exp(x))) without overflow."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def loops(x):
    """Return what `primal` does."""
    top = x[0]
    for i in range(x.shape[0]):
        top = max(top, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        total += math.exp(x[i] - top)
    return top + math.log(total)


def in_casadi(ca):
    """Return CasADi's own function."""
    return lambda x: ca.logsumexp(x)


KERNEL = Kernel(
    title="logsumexp",
    family="reduction",
    data=data,
    primal=primal,
    loops=loops,
    full=(10**6,),
    quick=(10**5,),
    forms={
        "jax": same(primal),
        "autograd": same(primal),
        "torch": same(primal),
        "pytensor": same(primal),
        "casadi": in_casadi,
    },
    growth=((10**3,), (10**4,), (10**5,), (10**6,), (10**7,)),
    target=0.28,
)
