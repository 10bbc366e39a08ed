"""Matrix products for generated code, compiled once and kept on disk.

Numba compiles np.dot anew in every function that calls it, for about a second; a function of its own with a disk
cache costs milliseconds from the second process on.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True, error_model="numpy")
def dot(a: Any, b: Any) -> Any:
    """`np.dot` of vectors and matrices (ranks 1 and 2, one float dtype, contiguous in C or Fortran order).

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return np.dot(a, b)
