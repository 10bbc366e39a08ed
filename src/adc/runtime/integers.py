"""The functions of math that are of integers, for compiled code: its integers have 64 bits.

Python's have any size. A result beyond 64 bits raises OverflowError, and is never wrapped.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

__all__ = ["comb", "factorial", "isqrt", "lcm", "perm"]

_LARGEST = np.iinfo(np.int64).max


@numba.njit(cache=True, error_model="numpy")
def _times(a: Any, b: Any) -> Any:
    if b != 0 and a > _LARGEST // b:
        raise OverflowError("the integer is beyond 64 bits, all that compiled code has: compute it in floats")
    return a * b


@numba.njit(cache=True, error_model="numpy")
def factorial(n: Any) -> Any:
    """1 2 ... n.

    >>> int(factorial(5))
    120
    """
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    return perm(n, n)


@numba.njit(cache=True, error_model="numpy")
def perm(n: Any, k: Any) -> Any:
    """The product n (n - 1) ... of k factors.

    >>> int(perm(5, 2)), int(perm(2, 3))
    (20, 0)
    """
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    if k > n:
        return np.int64(0)
    total = np.int64(1)
    for j in range(k):
        total = _times(total, n - j)
    return total


@numba.njit(cache=True, error_model="numpy")
def comb(n: Any, k: Any) -> Any:
    """How many sets of k there are of n things.

    >>> int(comb(5, 2)), int(comb(2, 3))
    (10, 0)
    """
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    if k > n:
        return np.int64(0)
    total = np.int64(1)
    few = min(k, n - k)
    for j in range(1, few + 1):
        # Divided before it is multiplied: no step is beyond the result.
        shared = math.gcd(total, j)
        total = _times(total // shared, (n - few + j) // (j // shared))
    return total


@numba.njit(cache=True, error_model="numpy")
def lcm(a: Any, b: Any) -> Any:
    """The least common multiple.

    >>> int(lcm(4, -6)), int(lcm(0, 3))
    (12, 0)
    """
    if a == 0 or b == 0:
        return np.int64(0)
    return _times(np.int64(abs(a)) // math.gcd(a, b), np.int64(abs(b)))


@numba.njit(cache=True, error_model="numpy")
def isqrt(n: Any) -> Any:
    """The root of n, rounded down.

    >>> int(isqrt(8)), int(isqrt(9))
    (2, 3)
    """
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = np.int64(math.sqrt(n))  # of the nearest double: at most one away
    if root > 0 and root > n // root:
        return root - 1
    return root + 1 if root + 1 <= n // (root + 1) else root
