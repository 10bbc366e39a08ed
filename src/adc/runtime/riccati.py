"""Numba knows the algebraic Riccati equations of scipy.linalg.

Continuous: from the stable eigenvectors of the Hamiltonian matrix, and one step of Newton from there. Discrete:
by doubling, each step of which goes twice as far in time.
Sources: Laub (1979); Kleinman (1968); Chu, Fan, Lin and Wang (2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adc.runtime.apart import apart
from adc.runtime.matrix_functions import known, sylvester

__all__: list[str] = []

STEPS = 100  # of doubling: far more than any system needs whose closed loop is stable


@apart(cache=True, error_model="numpy")
def continuous(a: Any, b: Any, q: Any, r: Any) -> Any:
    """The stabilising x with a^T x + x a - x b r^-1 b^T x + q = 0."""
    n = a.shape[0]
    feedback = np.linalg.solve(r, np.ascontiguousarray(b.T))
    hamiltonian = np.zeros((2 * n, 2 * n), np.complex128)
    hamiltonian[:n, :n] = a
    hamiltonian[:n, n:] = -b @ feedback
    hamiltonian[n:, :n] = -q
    hamiltonian[n:, n:] = -a.T
    w, v = np.linalg.eig(hamiltonian)
    stable = np.argsort(w.real)[:n]
    if not np.all(w.real[stable] < 0.0):
        raise np.linalg.LinAlgError("Failed to find a finite solution.")
    basis = np.ascontiguousarray(v[:, stable])
    x = np.ascontiguousarray(
        np.linalg.solve(np.ascontiguousarray(basis[:n].T), np.ascontiguousarray(basis[n:].T)).real
    )
    x = 0.5 * (x + x.T)
    gain = feedback @ x
    closed = np.ascontiguousarray(a - b @ gain)
    forced = -(q + np.ascontiguousarray(gain.T) @ r @ gain)
    x = np.ascontiguousarray(sylvester(np.ascontiguousarray(closed.T), closed, forced).real)
    return 0.5 * (x + x.T)


@apart(cache=True, error_model="numpy")
def discrete(a: Any, b: Any, q: Any, r: Any) -> Any:
    """The stabilising x with a^T x a - x - a^T x b (r + b^T x b)^-1 b^T x a + q = 0."""
    n = a.shape[0]
    along, gramian, x = a.copy(), b @ np.linalg.solve(r, np.ascontiguousarray(b.T)), q.copy()
    for _ in range(STEPS):
        inverse = np.linalg.inv(np.eye(n) + gramian @ x)
        back = np.ascontiguousarray(along.T)
        change = back @ x @ inverse @ along
        gramian = gramian + along @ inverse @ gramian @ back
        along = along @ inverse @ along
        x = x + change
        if np.max(np.abs(change)) <= 1e-16 * np.max(np.abs(x)):
            return 0.5 * (x + x.T)
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
