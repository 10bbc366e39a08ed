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
