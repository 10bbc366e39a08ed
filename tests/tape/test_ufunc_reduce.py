"""A reduction on the tape is NumPy's, or it is refused."""

from __future__ import annotations

import numpy as np
import pytest

import adc


@pytest.mark.parametrize("ufunc", (np.power, np.arctan2, np.float_power, np.copysign, np.nextafter))
def test_the_value_is_numpys_or_refused(ufunc):
    x = np.array([1.2, 0.7, 1.5, 0.9])
    try:
        value, _ = adc.value_and_grad(lambda x: ufunc.reduce(x), mode="tape")(x)
    except adc.UnsupportedError as error:
        assert "reduce" in str(error)
        return
    np.testing.assert_allclose(value, ufunc.reduce(x))


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_lists_of_arrays_are_arrays(mode):
    def f(x):
        rows = [x[0], x[1] * 2.0, x[2]]
        most = np.maximum.reduce(rows) + np.add.reduce((x[0], x[1])) + np.multiply.accumulate(rows)[2]
        return np.sum(most * np.add.outer([x[0, 0], 1.0], x[1])[0])

    x = np.array([[1.2, 0.7], [1.5, 0.9], [0.3, 2.4]])
    value, slope = adc.value_and_grad(f, mode=mode)(x)
    np.testing.assert_allclose(value, f(x))
    steps = [(f(x + 1e-6 * e), f(x - 1e-6 * e)) for e in np.eye(6).reshape(6, 3, 2)]
    np.testing.assert_allclose(slope.ravel(), [(a - b) / 2e-6 for a, b in steps], rtol=1e-6)
