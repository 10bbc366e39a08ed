"""The dtype of a result is NumPy's, of Python's numbers, small integers and single precision beside each other.

A function that makes arrays of its operands gives a plain number a dtype of its own: beside float32 the result is
float64, where an operator would leave it single. The precision of what follows hangs on it.
Much of SciPy computes in double precision, whatever it is given.
"""

import numpy as np
import pytest
from scipy import integrate, linalg, ndimage, signal, special, stats
from scipy.spatial import distance

import adc

X = np.array([1.3, 0.7, 2.1], np.float32)
Y = np.float32(1.3)
BYTES = np.array([1, 2, 3], np.int8)
CASES = {
    "inner": (lambda x: np.sum(np.inner(0.8, x)), X),
    "inner_number": (lambda x: np.inner(x, 0.8) * 2, Y),
    "kron": (lambda x: np.sum(np.kron(x, 0.8)), X),
    "dot_numbers": (lambda x: np.dot(0.8, x), Y),
    "append": (lambda x: np.sum(np.append(x, 0.8)), X),
    "multiply_outer": (lambda x: np.sum(np.multiply.outer(x, 0.8)), X),
    "subtract_outer": (lambda x: np.sum(np.subtract.outer(0.8, x)), X),
    "equal_outer": (lambda x: np.sum(x * np.equal.outer(x, 0.7)), X),
    "polyval_number": (lambda x: np.polyval(x, 0.8), X),
    "polyval_integer": (lambda x: np.polyval(x, 3), X),
    "polyval_byte": (lambda x: np.polyval(x, np.int8(3)), X),
    "polyval_bytes": (lambda x: np.sum(np.polyval(x, BYTES)), X),
    "average_bytes": (lambda x: np.average(x, weights=BYTES), X),
    "average_of_bytes": (lambda x: np.average(BYTES, weights=x), X),
    "average_truths": (lambda x: np.average(x, weights=np.array([True, True, False])), X),
    "average_list": (lambda x: np.average(x, weights=[1, 2, 3]), X),
    "polyint_constant": (lambda x: np.sum(np.polyint(x, 1, 0.8)), X),
    "insert": (lambda x: np.sum(np.insert(x, 1, 0.8)), X),
    "ediff1d": (lambda x: np.sum(np.ediff1d(x, to_end=np.float32(0.8))), X),
    "linspace": (lambda x: np.sum(np.linspace(x, 0.8, 3)), Y),
    "linspace_integer": (lambda x: np.sum(np.linspace(2, x, 3)), Y),
    "linspace_byte": (lambda x: np.sum(np.linspace(x, np.int8(2), 3)), X),
    "linspace_truth": (lambda x: np.sum(np.linspace(True, x, 3)), Y),
    "linspace_0d": (lambda x: np.sum(np.linspace(np.array(0.3, np.float32), x, 3)), Y),
    "linspace_step": (lambda x: np.linspace(x, 0.8, 3, retstep=True)[1] * 2, Y),
    "linspace_of_bytes": (lambda x: np.sum(x) * np.sum(np.linspace(np.int8(-100), np.int8(100), 4)[1]), X),
    "logspace": (lambda x: np.sum(np.logspace(x, np.int8(1), 3)), X),
    "geomspace_double": (lambda x: np.sum(np.geomspace(np.float32(1.3), x, 3)), X.astype(float)),
    "geomspace_single": (lambda x: np.sum(np.geomspace(x, 2.7, 3)), X),
    "interp_bytes": (lambda x: np.sum(np.interp(BYTES, x, x)), np.sort(X)),
    "where_of_integer_and_float": (lambda x: x * np.where(x < 1, np.int32(3), 0.8), Y),
    "where_of_single_and_double": (lambda x: x * np.where(x > 1, np.float32(3), np.float64(0.8)), Y),
    "where_of_argument_and_double": (lambda x: np.where(x > 1, x, np.float64(0.8)) * 1.1, Y),
    "interp_values": (lambda x: np.sum(np.interp(BYTES, np.array([1.0, 2.0, 4.0], np.float32), x)), X),
}


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.machine_code
def test_dtype(name, mode):
    f, x = CASES[name]
    value, gradient = adc.value_and_grad(f, mode=mode)(x)
    expected = f(x)
    assert np.asarray(value).dtype == np.asarray(expected).dtype
    assert np.asarray(gradient).dtype == x.dtype
    precision = 1e-12 if np.asarray(expected).dtype == np.float64 else 1e-6
    np.testing.assert_allclose(value, expected, rtol=precision)


OF_SCIPY = {
    "beta": lambda x: np.sum(stats.beta.cdf(x / 3, 2.5, 1.5)),
    "cauchy": lambda x: np.sum(stats.cauchy.logpdf(x, loc=x[0], scale=x[1])),
    "multivariate_normal": lambda x: stats.multivariate_normal.logpdf(x, x * 0.5),
    "dirichlet": lambda x: stats.dirichlet.logpdf(np.array([0.2, 0.5, 0.3], np.float32), x),
    "cdist": lambda x: np.sum(distance.cdist(np.outer(x, x), np.outer(x, x * x))),
    "pdist": lambda x: np.sum(distance.pdist(np.outer(x, x * x), "cityblock")),
    "weighted_cityblock": lambda x: distance.cityblock(x, x * x, w=x),
    "minkowski": lambda x: distance.minkowski(x, x * x, 3.0),
    "det": lambda x: linalg.det(np.outer(x, x) + np.diag(x)),
    "solve_toeplitz": lambda x: np.sum(linalg.solve_toeplitz((x, x * x), x)),
    "chirp": lambda x: np.sum(signal.chirp(x, 1.0, 2.0, 3.0)),
    "factorial": lambda x: np.sum(special.factorial(x)),
    "romb": lambda x: integrate.romb(x),
    "cumulative_simpson": lambda x: np.sum(integrate.cumulative_simpson(x, initial=0)),
    "cumulative_simpson_single": lambda x: np.sum(integrate.cumulative_simpson(x, x=np.cumsum(x))),
    "trapezoid_of_scipy": lambda x: integrate.trapezoid(x, dx=np.float64(0.5)),
    "sem": lambda x: stats.sem(x),
    "pearsonr": lambda x: stats.pearsonr(x, x * x * x)[1],
    "median_abs_deviation": lambda x: stats.median_abs_deviation(x, scale="normal"),
    "sum_labels": lambda x: ndimage.sum_labels(x, np.array([1, 0, 1])),
    "columns": lambda x: np.sum(np.c_[x[None], 0.8]),
    "polyder": lambda x: np.sum(np.polynomial.polynomial.polyder(x)),
    "polyint_lowest_first": lambda x: np.sum(np.polynomial.polynomial.polyint(x, k=0.8)),
    "chebder": lambda x: np.sum(np.polynomial.chebyshev.chebder(x, scl=np.float64(0.8))),
    "legval2d": lambda x: np.polynomial.legendre.legval2d(0.8, 0.3, np.outer(x, x)),
}


@pytest.mark.parametrize(
    "name, mode",
    [(name, mode) for mode in ("tape", "python") for name in OF_SCIPY]
    + [(name, "compiled") for name in ("cauchy", "cdist", "det", "polyder")],
)
@pytest.mark.machine_code
def test_dtype_of_scipy(name, mode):
    function = OF_SCIPY[name]
    value, gradient = adc.value_and_grad(function, mode=mode)(X)
    assert np.asarray(value).dtype == np.asarray(function(X)).dtype
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(value, function(X), rtol=1e-4)


OF_TWO = {
    "inner": lambda x, k: np.sum(np.inner(x, k)),
    "kron": lambda x, k: np.sum(np.kron(x, k * 2.0)),
    "multiply_outer": lambda x, k: np.sum(np.multiply.outer(k, x)),
    "multiply_outer_column": lambda x, k: np.sum(np.multiply.outer(x, k)),
    "add_outer": lambda x, k: np.sum(np.add.outer(x, k)),
    "double_element": lambda x, k: np.sum(np.float64(x[0]) * x) * k,
    "double_number": lambda x, k: np.sum(np.float64(k) * x),
    "plain_element": lambda x, k: np.sum(float(x[0]) * x) * k,
    "item": lambda x, k: x[0].item() / 3 + x.item(1) * k,
    "list": lambda x, k: np.sum(x.tolist()[1] * x) * k,
}


ARRAYS_OF_NUMBERS = ("inner", "kron", "multiply_outer", "multiply_outer_column", "add_outer")


@pytest.mark.parametrize(
    "name, mode",
    [(name, mode) for mode in ("compiled", "python") for name in OF_TWO]
    + [(name, "tape") for name in ARRAYS_OF_NUMBERS],
)
@pytest.mark.machine_code
def test_dtype_beside_a_number_that_is_an_argument(name, mode):
    function = OF_TWO[name]
    value, pull = adc.vjp(lambda x, k: np.stack([function(x, k)]), X, 0.8, mode=mode)
    assert value.dtype == np.stack([function(X, 0.8)]).dtype
    assert [np.asarray(bar).dtype for bar in pull(value)] == [np.float32, np.float64]
