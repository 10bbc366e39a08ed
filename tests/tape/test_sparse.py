"""Products with sparse matrices of SciPy, and solutions of systems with them, carry derivatives of all orders."""

import inspect

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

dense = np.diag([4.0, 5.0, 6.0]) + np.diag([1.0, -2.0], 1) + np.diag([0.5, 1.5], -1)
matrix = sparse.csc_matrix(dense)
tilted = sparse.csr_array(dense + 1j * np.eye(3))
symmetric = sparse.csr_array(dense + dense.T)
factors = linalg.splu(matrix)
solve = linalg.factorized(matrix)
turned = linalg.splu(sparse.csc_matrix(tilted))
exact = {"rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol": 1e-14}

PROGRAMS = {
    "products": (
        lambda x: (
            matrix @ x + matrix * x + x @ matrix + matrix.T.dot(x) + (matrix @ np.stack([x, x**2], 1))[:, 1]
        ),
        lambda x: 2 * (dense + dense.T) @ x + dense @ x**2,
    ),
    "complex": (
        lambda x: np.abs(tilted @ x + turned.solve(x, "H") + turned.solve(1j * x, "T")),
        lambda x: np.abs(
            tilted.toarray() @ x
            + np.linalg.solve(tilted.toarray().conj().T, x)
            + np.linalg.solve(tilted.toarray().T, 1j * x)
        ),
    ),
    "direct": (
        lambda x: (
            linalg.spsolve(matrix, x) + factors.solve(x**2, "T") + solve(linalg.splu(matrix).solve(x**3))
        ),
        lambda x: (
            np.linalg.solve(dense, x) + np.linalg.solve(dense.T, x**2) + np.linalg.solve(dense @ dense, x**3)
        ),
    ),
    "iterative": (
        lambda x: (
            linalg.cg(symmetric, x**2, M=sparse.eye(3) / 9, **exact)[0] + linalg.gmres(dense, x, **exact)[0]
        ),
        lambda x: np.linalg.solve(symmetric.toarray(), x**2) + np.linalg.solve(dense, x),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_are_those_of_dense_matrices(name):
    f, same = PROGRAMS[name]
    x = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(f(x), same(x))
    got = adc.hessian(lambda x: np.sum(f(x) ** 3), mode="tape")(x)
    want = adc.hessian(lambda x: np.sum(same(x) ** 3), mode="tape")(x)
    np.testing.assert_allclose(got, want, rtol=1e-7)


def test_dense_matrices_with_a_derivative_are_refused():
    with pytest.raises(UnsupportedError, match="cg with a dense matrix that has a derivative"):
        adc.grad(lambda a: np.sum(linalg.cg(a, np.ones(3))[0]), mode="tape")(symmetric.toarray())
