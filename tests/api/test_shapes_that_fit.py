"""A shape that compiled code does not get right is no error of the user's function, where that runs."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.compiler import pipeline


def test_a_function_that_runs_is_differentiated(monkeypatch):
    def fails(*args, **kwargs):
        raise adc.ShapeError("shapes do not fit")

    monkeypatch.setattr(pipeline, "run", fails)
    with pytest.warns(adc.FallbackWarning, match="shapes do not fit"):
        assert adc.grad(lambda x: np.sum(x * x))(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(adc.ShapeError):
        adc.grad(lambda x: np.sum(x * np.ones(3)))(np.ones(2))
    with pytest.raises(adc.ShapeError):
        adc.grad(lambda x: np.sum(x * x), mode="compiled")(np.ones(2))
