"""The log-likelihood of a Kalman filter with four states and two measurements: small matrices in a loop."""

import numpy as np
from kernel import Kernel


def data(steps):
    """Return the transition matrix, log standard deviations, and measurements."""
    random = np.random.default_rng(0)
    transition = np.array(
        [[1.0, 0.1, 0.0, 0.0], [0.0, 0.95, 0.0, 0.05], [0.0, 0.0, 1.0, 0.1], [0.0, -0.05, 0.0, 0.95]]
    )
    return (
        transition,
        np.array([-2.0, -1.5, -2.0, -1.5]),
        np.array([-0.7, -0.5]),
        random.normal(size=(steps, 2)),
    )


def primal(transition, log_process, log_noise, measured):
    """Return the negative log-likelihood; the first and third state are measured."""
    observe = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    process = np.diag(np.exp(2.0 * log_process))
    noise = np.diag(np.exp(2.0 * log_noise))
    mean = np.zeros(4)
    spread = np.eye(4)
    total = 0.0
    for t in range(measured.shape[0]):
        mean = transition @ mean
        spread = transition @ spread @ transition.T + process
        surprise = measured[t] - observe @ mean
        total_spread = observe @ spread @ observe.T + noise
        gain = np.linalg.solve(total_spread, observe @ spread).T
        total += 0.5 * (
            surprise @ np.linalg.solve(total_spread, surprise) + np.log(np.linalg.det(total_spread))
        )
        mean = mean + gain @ surprise
        spread = spread - gain @ observe @ spread
    return total


def functional(np):
    """Return the step of the filter for a peer."""

    def step(mean, spread, measured, transition, process, noise, observe):
        mean = transition @ mean
        spread = transition @ spread @ transition.T + process
        surprise = measured - observe @ mean
        total_spread = observe @ spread @ observe.T + noise
        gain = np.linalg.solve(total_spread, observe @ spread).T
        gone = 0.5 * (
            surprise @ np.linalg.solve(total_spread, surprise) + np.log(np.linalg.det(total_spread))
        )
        return mean + gain @ surprise, spread - gain @ observe @ spread, gone

    return step


def in_jax(np):
    """Return the filter as a scan."""
    from jax import lax

    def likelihood(transition, log_process, log_noise, measured):
        observe = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        process, noise = np.diag(np.exp(2.0 * log_process)), np.diag(np.exp(2.0 * log_noise))
        step = functional(np)

        def body(state, z):
            mean, spread, gone = step(*state, z, transition, process, noise, observe)
            return (mean, spread), gone

        return np.sum(lax.scan(body, (np.zeros(4), np.eye(4)), measured)[1])

    return likelihood


def eager(np):
    """Return the filter as a Python loop."""
    make = getattr(np, "array", None) or np.tensor
    kind = {"dtype": np.float64}

    def likelihood(transition, log_process, log_noise, measured):
        observe = make([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], **kind)
        process, noise = np.diag(np.exp(2.0 * log_process)), np.diag(np.exp(2.0 * log_noise))
        step = functional(np)
        mean, spread, total = np.zeros(4, **kind), np.eye(4, **kind), 0.0
        for t in range(measured.shape[0]):
            mean, spread, gone = step(mean, spread, measured[t], transition, process, noise, observe)
            total = total + gone
        return total

    return likelihood


KERNEL = Kernel(
    title="Kalman filter",
    family="recurrence",
    data=data,
    primal=primal,
    full=(500,),
    quick=(50,),
    argnums=(0, 1, 2),
    forms={"jax": in_jax, "autograd": eager, "torch": eager},
    small={"torch.compile": ()},
    growth=((50,), (500,), (5000,)),
)
