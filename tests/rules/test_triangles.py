"""Where SciPy and NumPy read one triangle of a matrix, so do their rules."""

from __future__ import annotations

import numpy as np
import pytest

import adc

sl = pytest.importorskip("scipy.linalg")

GENERATOR = np.random.default_rng(3)
SQUARE = GENERATOR.normal(size=(3, 3))
COVARIANCE = SQUARE @ SQUARE.T + 3.0 * np.eye(3)
OTHER = 2.0 * np.eye(3) + 0.1 * (SQUARE + SQUARE.T)
B = GENERATOR.normal(size=3)
WEIGHTS = GENERATOR.normal(size=(3, 3))


def weighed(x):
    return np.sum(x * WEIGHTS[: x.shape[0]] if np.ndim(x) == 2 else x * B[: x.shape[0]])


PROGRAMS = {
    "cholesky": lambda a: weighed(sl.cholesky(a)),
    "cholesky, lower": lambda a: weighed(sl.cholesky(a, lower=True)),
    "numpy's cholesky": lambda a: weighed(np.linalg.cholesky(a)),
    "numpy's cholesky, upper": lambda a: weighed(np.linalg.cholesky(a, upper=True)),
    "cho_factor": lambda a: weighed(sl.cho_factor(a)[0]),
    "cho_solve": lambda a: weighed(sl.cho_solve(sl.cho_factor(a), B)),
    "cho_solve, lower": lambda a: weighed(sl.cho_solve(sl.cho_factor(a, lower=True), B)),
    "eigvalsh": lambda a: weighed(np.linalg.eigvalsh(a)),
    "eigvalsh, upper": lambda a: weighed(np.linalg.eigvalsh(a, UPLO="U")),
    "scipy's eigvalsh": lambda a: weighed(sl.eigvalsh(a)),
    "scipy's eigvalsh, upper": lambda a: weighed(sl.eigvalsh(a, lower=False, subset_by_index=[1, 2])),
    "eigh": lambda a: weighed(sl.eigh(a)[0]),
    "eigh of a pair": lambda a: weighed(sl.eigh(a, OTHER, eigvals_only=True)),
    "eigh of a pair, upper": lambda a: weighed(sl.eigh(a, OTHER, eigvals_only=True, lower=False)),
    "eigh of a pair, second": lambda a: weighed(sl.eigh(OTHER, a, eigvals_only=True)),
    "eigh of a pair, second, upper": lambda a: weighed(sl.eigh(OTHER, a, eigvals_only=True, lower=False)),
    "solve": lambda a: weighed(sl.solve(a, B)),
    "solve, pos": lambda a: weighed(sl.solve(a, B, assume_a="pos")),
    "solve, pos, lower": lambda a: weighed(sl.solve(a, B, assume_a="pos", lower=True)),
    "solve, sym": lambda a: weighed(sl.solve(a, B, assume_a="sym")),
    "solve, upper": lambda a: weighed(sl.solve(a, B, assume_a="upper triangular")),
    "solve, lower, transposed": lambda a: weighed(
        sl.solve(a, B, assume_a="lower triangular", transposed=True)
    ),
    "solve, diagonal": lambda a: weighed(sl.solve(a, B, assume_a="diagonal")),
    "solve, tridiagonal": lambda a: weighed(sl.solve(a, B, assume_a="tridiagonal")),
    "pinv": lambda a: weighed(np.linalg.pinv(a, hermitian=True)),
    "pinvh": lambda a: weighed(sl.pinvh(a, lower=False)),
}
MATRICES = {
    "symmetric": COVARIANCE,
    "above": COVARIANCE + np.triu(WEIGHTS, 1),
    "below": COVARIANCE + np.tril(WEIGHTS, -1),
}


def differences(f, a, step=1e-6):
    units = np.eye(a.size).reshape(-1, *a.shape)
    slopes = [(f(a + step * e) - f(a - step * e)) / (2.0 * step) for e in units]
    return np.reshape(slopes, a.shape)


@pytest.mark.parametrize("engine", ["python", "tape"])
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_read(program, matrix, engine):
    f, a = PROGRAMS[program], MATRICES[matrix]
    value, slope = adc.value_and_grad(f, mode=engine)(a)
    assert value == pytest.approx(f(a))
    wanted = differences(f, a)
    if matrix == "symmetric":  # may have a symmetric adjoint: right for every change that keeps it so
        slope, wanted = slope + slope.T, wanted + wanted.T
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-6)
    direction = WEIGHTS + WEIGHTS.T if matrix == "symmetric" else WEIGHTS
    _, dot = adc.jvp(f, (a,), (direction,), mode=engine)
    np.testing.assert_allclose(dot, np.sum(differences(f, a) * direction), rtol=1e-5, atol=1e-6)


def half_filled(x):
    n = x.size
    k = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            k[i, j] = np.exp(-((x[i] - x[j]) ** 2)) + (0.5 if i == j else 0.0)
    values, _ = np.linalg.eigh(k)
    return np.sum(np.log(np.diagonal(np.linalg.cholesky(k)))) + np.sum(values * x)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_a_program_that_fills_one_triangle(engine):
    x = np.array([0.0, 0.5, 1.2])
    np.testing.assert_allclose(
        adc.grad(half_filled, mode=engine)(x), differences(half_filled, x), rtol=1e-6, atol=1e-8
    )
    curvature = adc.hessian(half_filled, mode=engine)(x)
    for k, e in enumerate(np.eye(3)):
        above, below = (adc.grad(half_filled, mode="tape")(x + h * e) for h in (1e-5, -1e-5))
        np.testing.assert_allclose(curvature[k], (above - below) / 2e-5, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_an_unknown_structure_is_refused(engine):
    def f(a):
        return np.sum(sl.solve(a, B, assume_a="hankel"))

    with pytest.raises(Exception, match="hankel"):
        adc.grad(f, mode=engine)(COVARIANCE)


WHOLE = np.array([[6, 0, 0], [1, 5, 0], [3, 2, 2]])


def with_whole_numbers(x):
    signs = (x > 0) * 1
    below = sl.solve_triangular(WHOLE, x, lower=True) + sl.solve_triangular(WHOLE, signs, lower=True) * x
    factored = sl.cho_solve((WHOLE * 0.5, True), signs) * x + sl.lu_solve(sl.lu_factor(WHOLE), x)
    return np.sum(below * below) + np.sum(factored * factored)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_integers_are_solved_for_in_double_precision(engine):
    x = np.array([1.0, -2.0, 3.0])
    value, slope = adc.value_and_grad(with_whole_numbers, mode=engine)(x)
    assert value == pytest.approx(with_whole_numbers(x))
    np.testing.assert_allclose(slope, differences(with_whole_numbers, x), rtol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_zeros_on_both_sides(program):
    """Nobody knows whether one triangle was filled with them, or both: the one that is read is as it is elsewhere."""
    f, a = PROGRAMS[program], np.diag([2.0, 3.0, 4.5])
    np.testing.assert_allclose(adc.grad(f, mode="tape")(a), differences(f, a), rtol=1e-5, atol=1e-6)
    _, dot = adc.jvp(f, (a,), (WEIGHTS,), mode="tape")
    np.testing.assert_allclose(dot, np.sum(differences(f, a) * WEIGHTS), rtol=1e-5, atol=1e-6)


def test_a_triangle_that_is_filled():
    def f(x):
        a = np.zeros((2, 2))
        a[0, 0], a[1, 0], a[1, 1] = x
        return np.sum(np.linalg.cholesky(a)) + np.linalg.eigh(a)[1][0, 0]

    for x in (np.array([2.0, 0.3, 3.0]), np.array([2.0, 0.0, 3.0])):
        adc.check_grads(f, (x,), order=1, mode="python")
