"""scipy.linalg takes stacks, one operand after the other: so does the tape, and compiled code refuses them by name.

The stacks are as many as the rows of an operand, so that formulas for one operand would fit, and give something else.
"""

from __future__ import annotations

import numpy as np
import pytest

import adc

sl = pytest.importorskip("scipy.linalg")

GENERATOR = np.random.default_rng(3)
STACK = GENERATOR.normal(size=(3, 3, 3))
DOMINANT = STACK + 4.0 * np.eye(3)
POSITIVE = STACK @ np.swapaxes(STACK, -1, -2) + 3.0 * np.eye(3)
VECTOR = GENERATOR.normal(size=3)
COLUMNS = GENERATOR.normal(size=(3, 3))


def both(a):
    return 0.5 * (a + np.swapaxes(a, -1, -2))


PROGRAMS = {
    "solve_triangular": (lambda a: sl.solve_triangular(a, STACK, lower=True), DOMINANT),
    "solve_triangular, a vector": (lambda a: sl.solve_triangular(a, VECTOR), DOMINANT),
    "solve_triangular, one matrix": (lambda a: sl.solve_triangular(a, COLUMNS), DOMINANT),
    "solve_triangular, several right sides": (lambda b: sl.solve_triangular(DOMINANT[0], b), STACK),
    "cholesky": (lambda a: sl.cholesky(both(a)), POSITIVE),
    "cho_solve": (lambda a: sl.cho_solve((a, True), STACK), DOMINANT),
    "cho_solve of cho_factor": (lambda a: sl.cho_solve(sl.cho_factor(both(a)), VECTOR), POSITIVE),
    "lu": (lambda a: sl.lu(a)[2], DOMINANT),
    "lu_solve of lu_factor": (lambda a: sl.lu_solve(sl.lu_factor(a), VECTOR), DOMINANT),
    "solve_banded": (lambda a: sl.solve_banded((1, 1), a, VECTOR), DOMINANT),
    "sqrtm": (sl.sqrtm, POSITIVE),
    "logm": (sl.logm, POSITIVE),
    "fractional_matrix_power": (lambda a: sl.fractional_matrix_power(a, 0.5), POSITIVE),
    "expm_frechet": (lambda a: sl.expm_frechet(a, STACK, compute_expm=False), 0.3 * STACK),
    "polar": (lambda a: sl.polar(a)[0], DOMINANT),
    "eigh": (lambda a: sl.eigh(both(a))[0], POSITIVE),
    "solve_sylvester": (lambda a: sl.solve_sylvester(a, POSITIVE, STACK), DOMINANT),
    "solve_continuous_lyapunov": (lambda a: sl.solve_continuous_lyapunov(a, STACK), DOMINANT),
    "solve_toeplitz": (lambda c: sl.solve_toeplitz(c, VECTOR), np.abs(COLUMNS) + 5.0 * np.eye(3)[0]),
    "toeplitz": (sl.toeplitz, COLUMNS),
    "khatri_rao": (lambda a: sl.khatri_rao(a, STACK), STACK),
}


def weighed(function):
    def program(a):
        z = function(a)
        return np.sum(z * np.cos(np.arange(np.size(z))).reshape(np.shape(z)))

    return program


def taken(function, x):
    try:
        return function(x).ndim >= 2
    except ValueError:
        return False  # of a SciPy that takes one operand


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::adc.errors.FallbackWarning")
@pytest.mark.parametrize("mode", ["tape", "auto"])
def test_each_of_a_stack(name, mode):
    function, x = PROGRAMS[name]
    if not taken(function, x):
        pytest.skip("this SciPy takes one operand at a time")
    adc.check_grads(weighed(function), (x,), order=1, mode=mode)


def test_second_derivatives():
    function, x = PROGRAMS["solve_triangular"]
    if not taken(function, x):
        pytest.skip("this SciPy takes one operand at a time")
    adc.check_grads(weighed(function), (x,), order=2, modes=("rev",), mode="tape")


def test_compiled_code_refuses_them():
    with pytest.raises(adc.UnsupportedError, match=r"scipy\.linalg\.solve_triangular of stacks"):
        adc.grad(weighed(PROGRAMS["solve_triangular"][0]), mode="compiled")(DOMINANT)


def test_more_axes_that_are_no_stack_are_refused():
    with pytest.raises(adc.UnsupportedError, match="for operands of more axes"):
        adc.grad(weighed(lambda c: sl.solve_circulant(c + 5.0 * np.eye(3), VECTOR)), mode="tape")(COLUMNS)
