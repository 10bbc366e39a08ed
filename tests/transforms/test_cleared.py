"""Adjoints that the cases of a branch clear, each for itself."""

from __future__ import annotations

import numpy as np
import pytest
from tests.transforms.fluxes import fluxes

import adc

R = np.random.default_rng(5)


def handed_on(x, c):
    """What one trip clears, another one reads that takes the other side."""
    y = np.zeros(x.shape[0] + 1)
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[i + 1] = c * x[i] + y[i]
            y[0] = x[i]
        else:
            y[0] = y[0] * c
            y[i + 1] = y[0] * x[i]
        total += y[0] * y[i]
    return total + np.sum(y * y)


PROGRAMS = {
    "fluxes": (fluxes, (R.normal(size=(2, 12)), 0.1)),
    "handed_on": (handed_on, (R.normal(size=9), 0.8)),
}


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_tape(name, mode):
    function, arguments = PROGRAMS[name]
    mine = adc.grad(function, (0, 1), mode=mode)(*arguments)
    tape = adc.grad(function, (0, 1), mode="tape")(*arguments)
    for x, y in zip(mine, tape, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-13)


def test_what_one_case_clears_no_other_reads():
    text = str(adc.source(adc.grad(fluxes), *PROGRAMS["fluxes"][1], stage="adjoint"))
    assert "f_bar[0, i] = 0.0" not in text and "f_bar[1, i] = 0.0" not in text, text
