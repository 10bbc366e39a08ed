"""Determinants, inverses and systems of a few rows are as exact as LAPACK's, and singular where those are."""

import numpy as np
import pytest

import adc
from adc import runtime as rt


def stacks(a):
    return np.linalg.det(a), np.linalg.inv(a), np.linalg.slogdet(a)[1], np.linalg.solve(a, a[:, :, :1])


def matrices(n, dtype):
    r = np.random.default_rng(n)
    a = r.normal(size=(60, n, n)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a += 1j * r.normal(size=a.shape)
    a[20:30] *= (10.0 ** r.uniform(-6, 6, size=(10, n, 1))).astype(dtype)
    a[30:40] *= (10.0 ** r.uniform(-6, 6, size=(10, 1, n))).astype(dtype)
    if n > 1:  # nearly singular
        a[40:, -1] = (a[40:, 0] + 1e3 * np.finfo(dtype).eps * r.normal(size=(20, n))).astype(dtype)
    a[0] = np.eye(n)[::-1]
    return a


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_as_exact_as_elimination_with_pivots(n, dtype):
    few = 64 * n * np.finfo(dtype).eps
    for a in matrices(n, dtype):
        b = np.arange(1.0, 2 * n + 1).reshape(n, 2).astype(dtype)
        size = np.linalg.norm(a)
        # Residuals hold for any matrix, however badly conditioned: the steps are those of LAPACK.
        x, y, z = rt.solve(a, b), rt.solve(a, b[:, 0].copy()), rt.inv(a)
        assert x.dtype == y.dtype == z.dtype == dtype
        assert np.linalg.norm(a @ x - b) <= few * size * np.linalg.norm(x)
        assert np.linalg.norm(a @ y - b[:, 0]) <= few * size * np.linalg.norm(y)
        assert np.linalg.norm(a @ z - np.eye(n)) <= few * size * np.linalg.norm(z)
        error = few * abs(np.linalg.det(a)) * max(1.0, np.linalg.cond(a))
        assert abs(rt.det(a) - np.linalg.det(a)) <= error
        sign, log = rt.slogdet(a)
        assert abs(sign * np.exp(log) - rt.det(a)) <= error + few * abs(rt.det(a)) * (1 + abs(log))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_singular_matrices(n):
    singular = [np.zeros((n, n)), np.diag([0.0, *[2.0] * (n - 1)])]
    if n > 1:
        singular += [
            np.ones((n, n)),
            np.diag([*[2.0] * (n - 1), 0.0]),
            np.outer([1.0, 2.0, 4.0][:n], np.ones(n)),
        ]
    for a in singular:
        assert rt.det(a) == 0.0
        assert rt.slogdet(a) == (0.0, -np.inf)
        for call in (lambda a: rt.inv(a), lambda a: rt.solve(a, a), lambda a: rt.solve(a, a[0])):
            with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
                call(a)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_infinite_and_missing_elements(n):
    a = np.eye(n) + 0.5
    a[-1, 0] = np.nan
    assert np.isnan(rt.det(a)) and np.isnan(rt.slogdet(a)[1])
    assert np.isnan(rt.inv(a)).any() and np.isnan(rt.solve(a, np.ones(n))).any()
    assert np.isinf(rt.det(np.diag([np.inf, *[1.0] * (n - 1)])))


def test_determinants_that_no_number_holds():
    sign, log = rt.slogdet(np.diag([1e200, -1e200, 1e200]))
    assert sign == -1.0 and log == pytest.approx(600 * np.log(10))


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(np.linalg.LinAlgError):
        rt.det(np.ones(shape))


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_stacks(n, count):
    def total(a):
        parts = stacks(a)
        return np.sum(parts[0]) + np.sum(parts[1] ** 2) + np.sum(parts[2]) + np.sum(parts[3])

    a = np.random.default_rng(n).normal(size=(count, n, n)) + 3.0 * np.eye(n)
    value, a_bar = compiled(total)(a)
    np.testing.assert_allclose(value, total(a), rtol=1e-12)
    np.testing.assert_allclose(a_bar, adc.grad(total, mode="tape")(a), rtol=1e-10, atol=1e-12)


_known = {}


def compiled(total):
    """One program for all tests: the text is the same."""
    return _known.setdefault(total.__code__.co_code, adc.value_and_grad(total, mode="compiled"))
