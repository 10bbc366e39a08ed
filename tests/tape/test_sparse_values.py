"""Sparse matrices made of entries with a derivative: products, sums, parts and systems, to the second order."""

import warnings

import numpy as np
import pytest

import adc

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

X, V = np.array([0.7, 1.3, 2.1, 0.9]), np.array([1.0, -2.0, 0.5, 3.0])
ROWS, COLUMNS = np.array([0, 1, 2, 3, 0, 1, 0]), np.array([0, 1, 2, 3, 1, 0, 0])  # one place twice
CONSTANT = sparse.csr_matrix(
    np.diag([4.0, 3.0, 5.0, 6.0]) + np.diag([1.0, 2.0], 2) + np.diag([1.0, 0.5, 0.0], -1)
)


def entries(x):
    return np.concatenate([x + 3.0, x[:2] ** 2, x[:1]])


def assembled(x):
    return sparse.coo_matrix((entries(x), (ROWS, COLUMNS)), shape=(4, 4))


def banded(x):
    return sparse.diags([x + 4.0, x[:3], x[1:] ** 2], [0, 1, -1])


def made_in_every_way(x):
    by_rows = sparse.csr_matrix((x, [0, 1, 2, 0], [0, 1, 2, 3, 4]))
    by_columns = sparse.csc_array((x, [0, 1, 2, 0], [0, 1, 2, 3, 4]), shape=(4, 4))
    full, bands = sparse.csr_matrix(np.outer(x, x)), sparse.spdiags(np.stack([x, x**2]), [0, 1], 4, 4)
    constant_band = sparse.diags([x[0], -2.0, x[1]], [-1, 0, 1], shape=(4, 4)) + sparse.diags_array(
        [x], offsets=[0]
    )
    return sum(np.sum((A @ V[: A.shape[1]]) ** 2) for A in (by_rows, by_columns, full, bands, constant_band))


def products(x):
    A, B = banded(x), sparse.csr_array(assembled(x))
    of_matrices = (A @ A.T @ V) @ (CONSTANT @ A @ V) + np.sum((A * CONSTANT) @ x) + np.sum((A.T * V) ** 2)
    of_arrays = (
        np.sum((B * V).toarray() ** 2) + np.sum((V @ B) * (x @ B)) + np.sum(B.multiply(CONSTANT).toarray())
    )
    return of_matrices + of_arrays + np.sum((A @ np.outer(x, V)) ** 2) + np.sum(np.outer(V, x) @ A)


def sums(x):
    A = sparse.diags(x)
    together = (
        np.sum(((CONSTANT + A) @ V) * ((A - CONSTANT) @ x))
        + sum([A, A]).sum()
        + np.sum((-A / x[1]).toarray() ** 2)
    )
    return together + np.sum((x[0] * CONSTANT) @ x) + np.sum((CONSTANT * x[1] + CONSTANT / x[2]) @ V)


def parts(x):
    A = assembled(x).tocsr()
    rows = A[np.array([0, 1, 3]), :][:, [1, 0]].toarray()
    along = (
        np.sum(A.diagonal() ** 2) + A.trace() + A[0, 1] + A[3, 0] + np.sum(sparse.tril(A @ A).toarray() ** 2)
    )
    return np.sum(rows**3) + along + np.sum(sparse.csr_array(A).sum(axis=0) ** 2) + np.sum(A.power(2) @ V)


def blocks(x):
    A = sparse.diags(x)
    side, below = sparse.hstack([A, CONSTANT]), sparse.vstack([CONSTANT, A])
    square = sparse.bmat([[A, None], [CONSTANT, A]])
    diagonal = sparse.block_diag([A, x[None]])
    found = np.sum((side @ below @ V) ** 2) + np.sum((square @ np.concatenate([V, x])) ** 2)
    return found + np.sum(diagonal.toarray() ** 2) + np.sum(sparse.kron(sparse.eye(2), A) @ np.ones(8))


def systems(x):
    A = assembled(x).tocsc()
    free = np.array([0, 1, 3])
    u = np.zeros(4)
    u[free] = linalg.spsolve(A[free, :][:, free], V[free])
    factors = linalg.splu(A)
    direct = np.sum(factors.solve(V) * factors.solve(x, "T")) + np.sum(linalg.factorized(A)(x) ** 2)
    return u @ V + direct + np.sum(linalg.spsolve(banded(x).tocsc(), np.stack([x, V], 1)) ** 2)


def steps_in_time(x):
    second = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(4, 4))
    step, u = (sparse.eye(4) - 0.1 * sparse.diags(x) @ second).tocsc(), V
    for _ in range(3):
        u = linalg.spsolve(step, u)
    return u @ u


def complex_entries(x):
    A = sparse.csc_array((entries(x) * (1.0 + 1.0j), (ROWS, COLUMNS)), shape=(4, 4))
    return np.sum(np.abs(linalg.spsolve(A, x)) ** 2) + np.sum(np.real(A.conj().T @ V))


PROGRAMS = [made_in_every_way, products, sums, parts, blocks, systems, steps_in_time, complex_entries]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_first_and_second_derivatives(f):
    adc.check_grads(f, (X,), order=2, directions=1, mode="tape")
    assert adc.value_and_grad(f, mode="tape")(X)[0] == pytest.approx(f(X))


def test_iterative_solvers():
    def f(x):
        return np.sum(
            linalg.cg(banded(x) + banded(x).T, V, rtol=1e-13)[0] * linalg.gmres(banded(x), x, rtol=1e-13)[0]
        )

    adc.check_grads(f, (X,), order=1, mode="tape")


def test_questions():
    def f(x):
        A, B = sparse.csr_matrix((entries(x), (ROWS, COLUMNS))), sparse.csr_matrix((4, 4))
        assert (
            sparse.issparse(A) and isinstance(A, sparse.csr_matrix) and not isinstance(A, sparse.csc_matrix)
        )
        assert isinstance(A, sparse.spmatrix) and not isinstance(A, sparse.sparray)
        assert (
            isinstance(B, sparse.csr_matrix) and not sparse.issparse(x) and A.shape == (4, 4) and A.nnz == 6
        )
        return np.sum(A.data)

    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), [2.0 + 2.0 * 0.7, 1.0 + 2.0 * 1.3, 1.0, 1.0])


def test_what_is_left_of_it_is_scipys():
    kept = []

    def f(x):
        kept.append(assembled(x))
        return np.sum(kept[-1] @ V), (kept[-1].T, 2.0)

    for mode in ("tape", "auto"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", adc.FallbackWarning)
            _, (aux, _) = adc.grad(f, has_aux=True, mode=mode)(X)
        assert type(kept[-1]) is sparse.coo_matrix and sparse.issparse(aux)
        np.testing.assert_allclose(kept[-1].toarray(), assembled(X).toarray())
        np.testing.assert_allclose(aux.toarray(), assembled(X).toarray().T)


REFUSED = {
    "todense": (lambda A: np.sum(A.todense()), "todense"),
    "axis": (lambda A: np.sum(A.sum(axis=1)), "sum along an axis"),
    "write": (lambda A: A.tolil().__setitem__((0, 0), 1.0), "writing to a sparse matrix"),
    "method": (lambda A: A.max(), "`.max` of a sparse matrix"),
    "function": (lambda A: linalg.eigsh(A, 2)[0].sum(), "scipy.sparse.linalg"),
    "order": (lambda A: np.sum((A + A).data), "`.data` of a sparse matrix with a derivative that is a sum"),
    "comparison": (lambda A: np.sum((A != 0) @ V), "a comparison"),
    "sum of NumPy": (lambda A: np.sum(A), "adc has no rule for np.sum of a sparse matrix"),
    "norm of NumPy": (lambda A: np.linalg.norm(A), "no rule for np.linalg.norm of a sparse matrix"),
    "row": (lambda A: sparse.csr_array(A)[0].sum(), "one axis"),
    "loop": (lambda A: sum(row.sum() for row in A), "a loop over a sparse matrix"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_rest_is_refused(name):
    f, match = REFUSED[name]
    with pytest.raises(adc.UnsupportedError, match=match):
        adc.grad(lambda x: f(assembled(x).tocsr()), mode="tape")(X)


@pytest.mark.parametrize("f", [np.asarray, np.sin, lambda A: np.dot(A, V), lambda A: np.multiply(V, A)])
def test_no_plain_array_of_it(f):
    with pytest.raises((adc.AdcError, TypeError)):
        adc.grad(lambda x: np.sum(f(assembled(x))), mode="tape")(X)


def test_entries_lie_as_scipy_keeps_them():
    def f(x):
        by_rows = sparse.csr_matrix((x, [2, 0, 1, 0], [0, 2, 3, 4]), shape=(3, 3))
        places = sparse.coo_matrix((x, ([2, 0, 1, 0], [0, 2, 1, 1])), shape=(3, 3))
        summed = sparse.csr_matrix((entries(x), (ROWS, COLUMNS)))
        return (
            V @ by_rows.data
            + (V**2) @ places.tocsc().T.data
            + V @ places.data
            + np.sum(summed.data**2 * np.arange(6))
        )

    adc.check_grads(f, (X,), order=1, mode="tape")
    assert adc.value_and_grad(f, mode="tape")(X)[0] == pytest.approx(f(X))

    def writes(x):
        A = sparse.csr_matrix((x, [2, 0, 1, 0], [0, 2, 3, 4]))
        A.data[0] = 2.0
        return np.sum(A @ V[:3])

    with pytest.raises(ValueError, match="read-only"):
        adc.grad(writes, mode="tape")(X)
    with pytest.raises(adc.UnsupportedError, match="data"):
        adc.grad(lambda x: np.sum(assembled(x).data ** 2), mode="tape")(X)  # one place twice
