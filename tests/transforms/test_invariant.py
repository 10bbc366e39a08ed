"""What every trip of a loop would compute alike is computed once, in front of it."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def filtered(A, e):
    a = e[0]
    for t in range(1, e.shape[0]):
        a = np.log(np.exp(a) @ np.exp(A)) + e[t]
    return np.sum(a)


def walked(A, x):
    for _ in range(4):
        x = 0.85 * A @ x + 0.1
    return np.sum(x**2)


def grown(A, x):
    while np.sum(x) < 3.0:
        x = x + np.exp(A) @ x
    return np.sum(x**2)


def written(A, x):
    A = A.copy()
    for k in range(3):
        x = np.exp(A) @ x
        A[k] = 0.1 * x
    return np.sum(x)


def of_any_lengths(A, b, x, n):
    for _ in range(n):
        x = x + np.exp(A + b)
    return np.sum(x)


def weighted(A, x):
    weights = [0.1, 0.3, -0.2, 0.5, 0.7, -0.4, 0.2, 0.6, 0.9]
    s = 0.0
    for k in range(int(A[0, 0] > 9.0) + 9):
        s = np.tanh(s * x[k % 3] + weights[k])
    return s * np.sum(A)


R = np.random.default_rng(0)
A, E, X = R.normal(size=(3, 3)) * 0.3, R.normal(size=(5, 3)), R.uniform(0.1, 0.2, size=3)


def places_of(text, what):
    """How often an expression is computed in front of the loops, and how often in one."""
    lines = [line for line in text.splitlines() if what in line and not line.lstrip().startswith("#")]
    outside = sum(not line.startswith(" " * 5) for line in lines)
    return outside, len(lines) - outside


@pytest.mark.parametrize(
    ("f", "args", "what", "places"),
    (
        (filtered, (A, E), "np.exp(A)", (1, 0)),
        (walked, (A, X), "0.85 * A", (1, 0)),
        (grown, (A, X), "np.exp(A)", (1, 0)),
        (written, (A, X), "np.exp(A", (0, 2)),
        (weighted, (A, X), "-0.4, 0.2", (1, 0)),
    ),
    ids=lambda v: getattr(v, "__name__", None),
)
def test_where_it_is_computed(f, args, what, places):
    gradient = adc.grad(f, argnums=(0, 1))
    assert places_of(adc.source(gradient, *args, stage="adjoint"), what) == places
    with interpreted():
        adc.check_grads(f, args, order=1, mode="compiled")


def test_a_loop_without_a_trip_raises_nothing():
    gradient = adc.grad(of_any_lengths, argnums=("A", "x"))
    with interpreted():
        A_bar, x_bar = gradient(np.ones(3), np.ones(2), np.ones(3), 0)
        assert np.array_equal(A_bar, np.zeros(3)) and np.array_equal(x_bar, np.ones(3))
        with pytest.raises(ValueError, match="broadcast"):
            gradient(np.ones(3), np.ones(2), np.ones(3), 1)
