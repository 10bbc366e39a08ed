"""Full-waveform inversion in one dimension: a wave, a trace recorded at the end, the gradient in the speed."""

import numpy as np
from kernel import Kernel


def data(n, steps):
    """Return the squared speeds and the recorded trace."""
    random = np.random.default_rng(0)
    return 0.3 + 0.4 * random.uniform(size=n), 0.1 * random.normal(size=steps)


def primal(speed2, trace):
    """Return half the squared distance between the computed and the recorded trace."""
    n = speed2.shape[0]
    steps = trace.shape[0]
    before = np.zeros(n)
    now = np.zeros(n)
    misfit = 0.0
    for t in range(steps):
        after = np.zeros(n)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + speed2[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        after[n // 4] += np.exp(-((t - 40.0) ** 2) / 200.0)
        misfit += 0.5 * (after[3 * n // 4] - trace[t]) ** 2
        before = now
        now = after
    return misfit


def loops(speed2, trace):
    """Return what `primal` does, in three arrays."""
    n = speed2.shape[0]
    before = np.zeros(n)
    now = np.zeros(n)
    after = np.zeros(n)
    misfit = 0.0
    for t in range(trace.shape[0]):
        for i in range(1, n - 1):
            after[i] = 2.0 * now[i] - before[i] + speed2[i] * (now[i + 1] - 2.0 * now[i] + now[i - 1])
        after[n // 4] += np.exp(-((t - 40.0) ** 2) / 200.0)
        misfit += 0.5 * (after[3 * n // 4] - trace[t]) ** 2
        for i in range(n):
            before[i] = now[i]
            now[i] = after[i]
    return misfit


def step(np, before, now, t, speed2, source, zero):
    """Return the wave a step later, without writing to an array."""
    inside = 2.0 * now[1:-1] - before[1:-1] + speed2[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
    return np.concatenate([zero, inside, zero]) + source * np.exp(-((t - 40.0) ** 2) / 200.0)


def in_jax(np):
    """Return the steps as a scan."""
    from jax import lax

    def misfit(speed2, trace):
        n = speed2.shape[0]
        source = np.zeros(n).at[n // 4].set(1.0)
        zero = np.zeros(1)

        def body(pair, now_and_trace):
            t, recorded = now_and_trace
            after = step(np, *pair, t, speed2, source, zero)
            return (pair[1], after), 0.5 * (after[3 * n // 4] - recorded) ** 2

        times = np.arange(trace.shape[0], dtype=float)
        return np.sum(lax.scan(body, (np.zeros(n), np.zeros(n)), (times, trace))[1])

    return misfit


def in_autograd(np):
    """Return the steps as a Python loop that changes no array."""

    def misfit(speed2, trace):
        n = speed2.shape[0]
        source = np.zeros(n)
        source[n // 4] = 1.0
        zero = np.zeros(1)
        before, now = np.zeros(n), np.zeros(n)
        total = 0.0
        for t in range(trace.shape[0]):
            before, now = now, step(np, before, now, t, speed2, source, zero)
            total = total + 0.5 * (now[3 * n // 4] - trace[t]) ** 2
        return total

    return misfit


KERNEL = Kernel(
    title="wave inversion",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(1000, 500),
    quick=(1000, 50),
    forms={"jax": in_jax, "autograd": in_autograd},
    growth=((1000, 50), (1000, 500), (1000, 5000)),
)
