"""Numba knows the algebraic Riccati equations of scipy.linalg.

Continuous: from the stable eigenvectors of the Hamiltonian matrix, and one step of Newton from there. Discrete:
by doubling, each step of which goes twice as far in time.
Sources: Laub (1979); Kleinman (1968); Chu, Fan, Lin and Wang (2004).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from scipy import linalg

from adc.runtime.apart import apart
from adc.runtime.lu import inv, solve
from adc.runtime.matrix_functions import known, sylvester
from adc.runtime.products import dot

__all__: list[str] = []

STEPS = 100  # of doubling: far more than any system needs whose closed loop is stable


@apart(cache=True, error_model="numpy")
def continuous(a: Any, b: Any, q: Any, r: Any) -> Any:
    """The stabilising x with a^T x + x a - x b r^-1 b^T x + q = 0."""
    n = a.shape[0]
    feedback = solve(r, np.ascontiguousarray(b.T))
    quadratic = dot(b, feedback)
    hamiltonian = np.empty((2 * n, 2 * n), np.complex128)
    for i in range(n):
        for j in range(n):
            hamiltonian[i, j] = a[i, j]
            hamiltonian[i, n + j] = -quadratic[i, j]
            hamiltonian[n + i, j] = -q[i, j]
            hamiltonian[n + i, n + j] = -a[j, i]
    w, v = np.linalg.eig(hamiltonian)
    # The halves of the stable vectors, as rows.
    above, below = np.empty((n, n), np.complex128), np.empty((n, n), np.complex128)
    count = 0
    for k in range(2 * n):
        if w[k].real < 0.0:
            for i in range(n if count < n else 0):
                above[count, i], below[count, i] = v[i, k], v[n + i, k]
            count += 1
    if count != n:
        raise np.linalg.LinAlgError("Failed to find a finite solution.")
    x = _symmetric(solve(above, below))
    gain = dot(feedback, x)
    closed = a - dot(b, gain)
    forced = -(q + dot(dot(gain.T, r), gain))
    return _symmetric(sylvester(closed.T, closed, forced))


@numba.njit(cache=True, error_model="numpy")
def _symmetric(x: Any) -> Any:
    """The real part, and of it what is the same on both sides of the diagonal."""
    half = np.empty(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            half[i, j] = 0.5 * (x[i, j].real + x[j, i].real)
    return half


@apart(cache=True, error_model="numpy")
def discrete(a: Any, b: Any, q: Any, r: Any) -> Any:
    """The stabilising x with a^T x a - x - a^T x b (r + b^T x b)^-1 b^T x a + q = 0."""
    n = a.shape[0]
    along, gramian, x = a.copy(), dot(b, solve(r, np.ascontiguousarray(b.T))), q.copy()
    for _ in range(STEPS):
        both = dot(gramian, x)
        for i in range(n):
            both[i, i] += 1.0
        inverse = inv(both)
        step = dot(along, inverse)
        change = dot(dot(dot(along.T, x), inverse), along)
        gramian = gramian + dot(dot(step, gramian), along.T)
        along = dot(step, along)
        x = x + change
        if np.max(np.abs(change)) <= 1e-16 * np.max(np.abs(x)):
            return _symmetric(x)
    raise np.linalg.LinAlgError("Failed to find a finite solution.")


@known(linalg.solve_continuous_are)
def _solve_continuous_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    return lambda a, b, q, r: continuous(
        np.ascontiguousarray(a), np.ascontiguousarray(b), np.ascontiguousarray(q), np.ascontiguousarray(r)
    )


@known(linalg.solve_discrete_are)
def _solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> Any:
    return lambda a, b, q, r: discrete(
        np.ascontiguousarray(a), np.ascontiguousarray(b), np.ascontiguousarray(q), np.ascontiguousarray(r)
    )
