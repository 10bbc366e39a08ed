"""What is said of cached properties that only one path has read."""

from functools import cached_property

import numpy as np
import pytest

import adc


class Curve:
    def __init__(self, values):
        self.values = values

    @cached_property
    def logs(self):
        return [-2.0 * v for v in self.values]

    def at(self, t):
        return np.exp(t) if t < 1.0 else np.exp(self.logs[0] * t)


def test_a_list_that_one_path_has_computed():
    def f(x):
        curve = Curve(list(x))
        return curve.at(x[0]) + curve.at(x[1])

    with pytest.raises(
        adc.UnsupportedError, match="`logs` is a cached property that one path has read"
    ) as error:
        adc.grad(f, mode="compiled")(np.array([0.5, 1.5]))
    assert "self.logs[0]" in str(error.value)
