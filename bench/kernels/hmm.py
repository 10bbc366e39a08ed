"""The log-likelihood of a hidden Markov model by the forward recursion in logarithms."""

import math

import numpy as np
from kernel import Kernel


def data(steps, states, symbols):
    """Return transition and emission scores, and the observed symbols."""
    random = np.random.default_rng(0)
    return (
        random.normal(size=(states, states)),
        random.normal(size=(states, symbols)),
        random.integers(0, symbols, size=steps),
    )


def primal(transition, emission, observed):
    """Return the log-likelihood; the scores are normalised by rows."""
    log_a = transition - np.log(np.sum(np.exp(transition), axis=1))[:, None]
    log_b = emission - np.log(np.sum(np.exp(emission), axis=1))[:, None]
    alpha = log_b[:, observed[0]] - np.log(transition.shape[0])
    for t in range(1, observed.shape[0]):
        paths = alpha[:, None] + log_a
        top = np.max(paths, axis=0)
        alpha = top + np.log(np.sum(np.exp(paths - top), axis=0)) + log_b[:, observed[t]]
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


def loops(transition, emission, observed):
    """Return what `primal` does."""
    states, symbols = emission.shape
    log_a = np.empty((states, states))
    log_b = np.empty((states, symbols))
    for i in range(states):
        norm = 0.0
        for j in range(states):
            norm += math.exp(transition[i, j])
        for j in range(states):
            log_a[i, j] = transition[i, j] - math.log(norm)
        norm = 0.0
        for j in range(symbols):
            norm += math.exp(emission[i, j])
        for j in range(symbols):
            log_b[i, j] = emission[i, j] - math.log(norm)
    alpha = np.empty(states)
    new = np.empty(states)
    for j in range(states):
        alpha[j] = log_b[j, observed[0]] - math.log(states)
    for t in range(1, observed.shape[0]):
        for j in range(states):
            top = alpha[0] + log_a[0, j]
            for i in range(states):
                top = max(top, alpha[i] + log_a[i, j])
            total = 0.0
            for i in range(states):
                total += math.exp(alpha[i] + log_a[i, j] - top)
            new[j] = top + math.log(total) + log_b[j, observed[t]]
        for j in range(states):
            alpha[j] = new[j]
    top = alpha[0]
    for j in range(states):
        top = max(top, alpha[j])
    total = 0.0
    for j in range(states):
        total += math.exp(alpha[j] - top)
    return top + math.log(total)


def in_jax(np):
    """Return the recursion as a scan."""
    from jax import lax

    def likelihood(transition, emission, observed):
        log_a = transition - np.log(np.sum(np.exp(transition), axis=1))[:, None]
        log_b = emission - np.log(np.sum(np.exp(emission), axis=1))[:, None]

        def body(alpha, symbol):
            paths = alpha[:, None] + log_a
            top = np.max(paths, axis=0)
            return top + np.log(np.sum(np.exp(paths - top), axis=0)) + log_b[:, symbol], None

        first = log_b[:, observed[0]] - np.log(transition.shape[0])
        alpha = lax.scan(body, first, observed[1:])[0]
        top = np.max(alpha)
        return top + np.log(np.sum(np.exp(alpha - top)))

    return likelihood


def in_torch(torch):
    """Return the recursion with torch's logsumexp."""

    def likelihood(transition, emission, observed):
        log_a = torch.log_softmax(transition, 1)
        log_b = torch.log_softmax(emission, 1)
        alpha = log_b[:, observed[0]] - math.log(transition.shape[0])
        for t in range(1, observed.shape[0]):
            alpha = torch.logsumexp(alpha[:, None] + log_a, 0) + log_b[:, observed[t]]
        return torch.logsumexp(alpha, 0)

    return likelihood


def in_autograd(np):
    """Return `primal`, which autograd takes."""
    from kernel import same

    return same(primal)(np)


KERNEL = Kernel(
    title="hidden Markov model",
    family="recurrence",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000, 32, 20),
    quick=(100, 32, 20),
    argnums=(0, 1),
    forms={"jax": in_jax, "autograd": in_autograd, "torch": in_torch},
    small={"torch.compile": ()},
    growth=((100, 32, 20), (1000, 32, 20), (10000, 32, 20)),
)
