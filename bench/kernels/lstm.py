"""A two-layer LSTM language model (ADBench's LSTM, l2 c1024): short vectors in a long loop."""

import math

import numpy as np
from kernel import Kernel


def data(length, width=14, layers=2):
    """Return the gates' parameters, the outer parameters, the first state and the sequence."""
    random = np.random.default_rng(0)
    return (
        random.uniform(-1.0, 1.0, size=(2 * layers, 4, width)),
        random.uniform(-1.0, 1.0, size=(3, width)),
        random.uniform(-1.0, 1.0, size=(2 * layers, width)),
        (random.uniform(size=(length, width)) < 0.1).astype(np.float64),
    )


def sigmoid(x):
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


def primal(gates, outer, start, sequence):
    """Return the cross-entropy per character of the next character."""
    layers = gates.shape[0] // 2
    state = start.copy()
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        x = sequence[t] * outer[0]
        for k in range(layers):
            weight, bias = gates[2 * k], gates[2 * k + 1]
            hidden, cell = state[2 * k], state[2 * k + 1]
            forget = sigmoid(x * weight[0] + bias[0])
            ingate = sigmoid(hidden * weight[1] + bias[1])
            outgate = sigmoid(x * weight[2] + bias[2])
            change = np.tanh(hidden * weight[3] + bias[3])
            new_cell = cell * forget + ingate * change
            x = outgate * np.tanh(new_cell)
            state[2 * k + 1] = new_cell
            state[2 * k] = x
        guess = x * outer[1] + outer[2]
        guess = guess - np.log(np.sum(np.exp(guess)) + 2.0)
        total += np.sum(sequence[t + 1] * guess)
    return -total / ((sequence.shape[0] - 1) * sequence.shape[1])


def loops(gates, outer, start, sequence):
    """Return what `primal` does."""
    layers = gates.shape[0] // 2
    length, width = sequence.shape
    state = start.copy()
    x = np.empty(width)
    total = 0.0
    for t in range(length - 1):
        for i in range(width):
            x[i] = sequence[t, i] * outer[0, i]
        for k in range(layers):
            for i in range(width):
                hidden = state[2 * k, i]
                forget = 1.0 / (1.0 + math.exp(-(x[i] * gates[2 * k, 0, i] + gates[2 * k + 1, 0, i])))
                ingate = 1.0 / (1.0 + math.exp(-(hidden * gates[2 * k, 1, i] + gates[2 * k + 1, 1, i])))
                outgate = 1.0 / (1.0 + math.exp(-(x[i] * gates[2 * k, 2, i] + gates[2 * k + 1, 2, i])))
                change = math.tanh(hidden * gates[2 * k, 3, i] + gates[2 * k + 1, 3, i])
                state[2 * k + 1, i] = state[2 * k + 1, i] * forget + ingate * change
                x[i] = outgate * math.tanh(state[2 * k + 1, i])
                state[2 * k, i] = x[i]
        norm = 2.0
        for i in range(width):
            norm += math.exp(x[i] * outer[1, i] + outer[2, i])
        norm = math.log(norm)
        for i in range(width):
            total += sequence[t + 1, i] * (x[i] * outer[1, i] + outer[2, i] - norm)
    return -total / ((length - 1) * width)


def step(np, gates, outer, state, now, following):
    """Return the next state and the log-likelihood of one character."""

    def squash(x):
        return 1.0 / (1.0 + np.exp(-x))

    x = now * outer[0]
    new = []
    for k in range(gates.shape[0] // 2):
        weight, bias = gates[2 * k], gates[2 * k + 1]
        forget = squash(x * weight[0] + bias[0])
        ingate = squash(state[2 * k] * weight[1] + bias[1])
        outgate = squash(x * weight[2] + bias[2])
        change = np.tanh(state[2 * k] * weight[3] + bias[3])
        cell = state[2 * k + 1] * forget + ingate * change
        x = outgate * np.tanh(cell)
        new += [x, cell]
    guess = x * outer[1] + outer[2]
    guess = guess - np.log(np.sum(np.exp(guess)) + 2.0)
    return new, np.sum(following * guess)


def in_jax(np):
    """Return the model as a scan."""
    from jax import lax

    def model(gates, outer, start, sequence):
        def body(state, pair):
            new, gain = step(np, gates, outer, state, *pair)
            return np.stack(new), gain

        _, gains = lax.scan(body, start, (sequence[:-1], sequence[1:]))
        return -np.sum(gains) / ((sequence.shape[0] - 1) * sequence.shape[1])

    return model


def eager(np):
    """Return the model as a Python loop that changes no array."""

    def model(gates, outer, start, sequence):
        state = [start[i] for i in range(start.shape[0])]
        total = 0.0
        for t in range(sequence.shape[0] - 1):
            state, gain = step(np, gates, outer, state, sequence[t], sequence[t + 1])
            total = total + gain
        return -total / ((sequence.shape[0] - 1) * sequence.shape[1])

    return model


KERNEL = Kernel(
    title="LSTM",
    family="recurrence",
    data=data,
    primal=primal,
    loops=loops,
    full=(1024,),
    quick=(128,),
    argnums=(0, 1),
    forms={"jax": in_jax, "autograd": eager, "torch": eager},
    small={"autograd": (128,), "torch": (128,), "torch.compile": ()},
    growth=((128,), (1024,), (8192,)),
    target=0.52,
)
