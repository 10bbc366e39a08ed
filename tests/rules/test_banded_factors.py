"""Banded factors: a matrix that has none raises as in SciPy, and the equations of a factor are those of its matrix."""

import numpy as np
import pytest
from scipy import linalg

import adc


def logarithm(ab):
    return np.sum(np.log(linalg.cholesky_banded(ab, lower=True)[0]))


@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
def test_a_matrix_that_is_not_positive_definite_raises(mode):
    band = np.array([[1.0, 1.0, 1.0], [2.0, 0.1, 0.0]])
    with pytest.raises(np.linalg.LinAlgError):
        linalg.cholesky_banded(band, lower=True)
    with pytest.raises((np.linalg.LinAlgError, adc.AdcError), match="positive definite"):
        adc.grad(logarithm, mode=mode)(band)


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("driver", [None, "gelsd", "gelsy"])
def test_the_rank_of_a_fit_is_that_of_its_driver(mode, driver):
    a = np.array([[1.0, 0.2], [0.3, 1.0], [0.4, 0.1]])

    def fitted(b):
        return np.sum(linalg.lstsq(a, b, cond=0.1, lapack_driver=driver)[0])

    derivative = adc.grad(fitted, mode=mode)
    if driver == "gelsy":
        with pytest.raises(adc.UnsupportedError, match="lapack_driver"):
            derivative(np.ones(3))
    else:
        np.testing.assert_allclose(derivative(np.ones(3)), np.sum(np.linalg.pinv(a), axis=0))
