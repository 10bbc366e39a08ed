"""Whether linear algebra raises for a matrix: what a `try` around it asks before it does."""

import numpy as np

from adc.rules.registry import constant, lowered


def positive_definite(a):
    """Whether np.linalg.cholesky takes a matrix."""
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return True


constant(
    positive_definite, parameters="a", name="positive_definite", examples=lambda r: [r.positive_definite(3)]
)


@lowered(positive_definite)
def by_pivots(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    fine = True
    for j in range(n):
        pivot = a[j, j] - np.sum(lower[j, :j] * lower[j, :j])
        fine = np.logical_and(fine, pivot > 0.0)
        root = np.sqrt(np.where(pivot > 0.0, pivot, 1.0))
        lower[j, j] = root
        for i in range(j + 1, n):
            lower[i, j] = (a[i, j] - np.sum(lower[i, :j] * lower[j, :j])) / root
    return fine


def invertible(a):
    """Whether np.linalg.solve and inv take a matrix: no pivot is zero."""
    return bool(np.linalg.slogdet(a)[0] != 0)


constant(invertible, parameters="a", name="invertible", examples=lambda r: [r.well_conditioned(3)])


@lowered(invertible)
def by_determinant(a):
    return np.linalg.slogdet(a)[0] != 0.0


def without_zeros_on_its_diagonal(a):
    """Whether scipy.linalg.solve_triangular takes a matrix."""
    return bool(np.all(np.diagonal(a) != 0))


constant(
    without_zeros_on_its_diagonal,
    parameters="a",
    name="without_zeros_on_its_diagonal",
    examples=lambda r: [r.well_conditioned(3)],
)


@lowered(without_zeros_on_its_diagonal)
def by_elements(a):
    return np.all(np.diagonal(a) != 0.0)
