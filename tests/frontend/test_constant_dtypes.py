"""Numbers that a function makes of constants have the dtype that NumPy gives them: beside float32 it shows."""

import math

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.5, -2.0], np.float32)


def by_numpy(x):
    return np.sum(x * np.sqrt(2.0))


def of_several(x):
    return np.sum(x / np.sqrt(2.0 * np.pi) * 0.5)


def by_math(x):
    return np.sum(x * math.sqrt(2.0) + math.exp(1.0))


def by_operators(x):
    return np.sum(np.real(x * 1j * (2.0 + 1.0j) ** 2))


def negated(x):
    return np.sum(np.real(x * 1j * -1j))


def complex_by_numpy(x):
    return np.sum(np.real(x * np.exp(2.0j)))


def conjugate(x):
    return np.sum(np.real(x * np.conj(1 + 2.0j)))


def real_part(x):
    return np.sum(x * np.real(1 + 2.0j) + x * abs(3 + 4j))


@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
@pytest.mark.parametrize(
    "f",
    [by_numpy, of_several, by_math, by_operators, negated, complex_by_numpy, conjugate, real_part],
)
def test_the_dtype_is_numpys(f, mode):
    value, bar = adc.value_and_grad(f, mode=mode)(X)
    assert np.asarray(value).dtype == f(X).dtype
    assert bar.dtype == np.float32
    np.testing.assert_allclose(value, f(X), rtol=1e-6 if f(X).dtype == np.float32 else 1e-12)


def inverted(x, flag):
    return np.sum(x) * ~flag + x[0] * ~bool(x[1] > 0) + x[1] * ~(x[0] > 0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Python 3.12, which asks whether `not` is meant
@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
def test_the_inverse_of_a_truth_value_is_pythons(mode):
    value = adc.value_and_grad(inverted, mode=mode)(X.astype(float), True)[0]
    np.testing.assert_allclose(value, inverted(X.astype(float), True))
