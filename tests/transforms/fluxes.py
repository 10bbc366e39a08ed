"""Writes by cases, each of which clears what it writes in the sweep backwards."""

from __future__ import annotations

import numpy as np


def fluxes(u, lam):
    """Writes to one row of elements by three cases."""
    u = u.copy()
    n = u.shape[1]
    for _ in range(3):
        f = np.zeros((2, n - 1))
        for i in range(n - 1):
            left = u[0, i] * u[1, i]
            right = u[0, i + 1] * u[1, i + 1]
            if left > 0.5:
                f[0, i] = left
                f[1, i] = left * left
            elif right < -0.5:
                f[0, i] = right
                f[1, i] = right * u[1, i]
            else:
                f[0, i] = left - right
                f[1, i] = np.sin(left)
        for i in range(1, n - 1):
            for k in range(2):
                u[k, i] = u[k, i] - lam * (f[k, i] - f[k, i - 1])
    return np.sum(u * u)
