"""`try` around linear algebra: the handler is a branch, on whether the matrix can be factored."""

import numpy as np
import scipy.linalg
from tests.corpus import program

_GOOD = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
_INDEFINITE = _GOOD - 1.2 * np.eye(3)
_SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 0.5]])


def both(r):
    return _GOOD.copy(), _INDEFINITE.copy(), r.normal(size=3)


def _symmetric(*matrices):
    return [0.5 * (m + m.T) for m in matrices]


def _factor(k, jitter):
    try:
        return np.linalg.cholesky(k)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(k + jitter * np.eye(len(k)))


@program(both)
def jitter_where_it_is_needed(k, m, b):
    k, m = _symmetric(k, m)
    return np.sum(np.linalg.solve(_factor(k, 2.0), b) ** 2) + np.sum(np.linalg.solve(_factor(m, 3.0), b))


@program(both)
def jitter_that_grows(k, m, b):
    k, m = _symmetric(k, m)
    jitter = 1e-3
    while True:
        try:
            lower = np.linalg.cholesky(m + jitter * np.eye(3))
            break
        except np.linalg.LinAlgError:
            jitter *= 10
            if jitter > 1e4:
                raise
    return np.sum(np.linalg.solve(lower, b) ** 2) + np.sum(k) * jitter


@program(both)
def density_or_penalty(k, m, b):
    k, m = _symmetric(k, m)

    def density(matrix):
        try:
            factor = scipy.linalg.cho_factor(matrix, lower=True)
            return -0.5 * b @ scipy.linalg.cho_solve(factor, b) - np.log(np.diag(factor[0])).sum()
        except scipy.linalg.LinAlgError:
            return -1e2 * b[0]

    return density(k) + 2.0 * density(m)


@program(lambda r: (_GOOD.copy(), r.normal(size=3)), argnums=(0, 1))
def solved_or_not(k, b):
    total = 0.0
    for matrix in (k, _SINGULAR):
        try:
            x = np.linalg.solve(matrix, b)
            total += x @ x
        except np.linalg.LinAlgError:
            total += 3.0 * b @ b
    return total


@program(lambda r: (_GOOD.copy(), r.normal(size=3)))
def any_exception(k, b):
    (k,) = _symmetric(k)
    total = 0.0
    for sign in (1.0, -1.0):
        try:
            total += np.linalg.inv(k * sign)[0, 0] + np.log(np.linalg.cholesky(k * sign)[1, 1])
        except Exception:
            total -= b @ b
    return total
