"""A call means to a rule what it means to its function: also by position, by NumPy's names, and with options that only
say how it is computed.
"""

import numpy as np
import pytest

import adc

sl = pytest.importorskip("scipy.linalg")
X = np.array([[2.0, 0.3, -0.4], [0.5, 3.0, 0.7], [-0.2, 0.9, 4.0]])

CALLS = [
    lambda x: np.median(x, 0, None, False, True),
    lambda x: np.nanmedian(x, 0, None, False, True),
    lambda x: np.quantile(x, 0.3, 0, None, False, "hazen", True),
    lambda x: np.ptp(x, 0, None, True),
    lambda x: np.take(x, [0, 2], 0, None, "clip"),
    lambda x: np.argmax(x, 0, None) * x,
    lambda x: np.all(x > 0, 0, None, True) * x,
    lambda x: np.choose([0, 1, 0], x, None, "wrap"),
    lambda x: np.concatenate((x, x), 0, None, dtype=None),
    lambda x: np.sort(x, axis=0, stable=True),
    lambda x: np.argsort(x, axis=0, stable=True) * x,
    lambda x: x.clip(-1, 1, None),
    lambda x: np.empty_like(prototype=x).shape[0] * x,
    lambda x: np.stack([x, x], 0, casting="same_kind"),
    lambda x: np.broadcast_to(x, (2, 3, 3), subok=False),
    lambda x: sl.lu(x, False, False)[2],
    lambda x: sl.solveh_banded(np.stack([np.diag(x), 0.1 * x[0]]), x[0], False, False, True),
    lambda x: sl.cholesky(x @ x.T, lower=True, check_finite=False),
    lambda x: sl.cho_solve(sl.cho_factor(x @ x.T, check_finite=False), x[0], check_finite=False),
    lambda x: sl.solve_triangular(x, x[0], lower=True, check_finite=False),
    lambda x: sl.lu_solve(sl.lu_factor(x, check_finite=False), x[0], check_finite=False),
    lambda x: sl.svd(x, full_matrices=False, check_finite=False, lapack_driver="gesvd")[1],
    lambda x: np.quantile(x, [0.1, 0.6], axis=0, method="inverted_cdf", weights=np.array([1.0, 0.0, 3.0])),
    lambda x: np.percentile(x, 40.0, method="inverted_cdf", weights=np.arange(9.0).reshape(3, 3)),
    lambda x: np.nanquantile(
        np.where(x > x[0, 1], x, np.nan), 0.6, method="inverted_cdf", weights=np.arange(9.0).reshape(3, 3)
    ),
    lambda x: np.sum(x, 0, None, None, np._NoValue, np._NoValue, np._NoValue),
    lambda x: np.prod(x, axis=0, initial=np._NoValue, keepdims=np._NoValue),
    lambda x: np.diff(x, append=np._NoValue),
]


def _line(f):
    return f.__code__.co_firstlineno


@pytest.mark.tiny
@pytest.mark.parametrize("f", CALLS, ids=_line)
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_the_words_of_the_function(f, mode):
    weights = np.cos(np.arange(np.size(f(X)))).reshape(np.shape(f(X)))
    value, g = adc.value_and_grad(lambda x: np.sum(f(x) * weights), mode=mode)(X)
    assert value == pytest.approx(np.sum(f(X) * weights))
    for k in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[k] = 1e-6
        slope = np.sum((f(X + step) - f(X - step)) * weights) / 2e-6
        assert g[k] == pytest.approx(slope, abs=1e-6)


def test_weights_of_quantiles_are_as_numpy_wants_them():
    def f(x, method, sign):
        return np.quantile(x, 0.3, method=method, weights=sign * np.ones((3, 3)))

    for mode in ("python", "tape"):
        with pytest.raises((ValueError, adc.UnsupportedError), match="Only method 'inverted_cdf'"):
            adc.grad(f, mode=mode)(X, "linear", 1.0)
        with pytest.raises(ValueError, match="must be non-negative"):
            adc.grad(f, mode=mode)(X, "inverted_cdf", -1.0)
