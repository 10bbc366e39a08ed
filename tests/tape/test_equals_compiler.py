"""The tape and the generated adjoint give one gradient, to rounding, for every program of the corpus."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus import all_programs
from tests.corpus.reference import flat

import adc

PROGRAMS = [
    pytest.param(p, id=p.name)
    for p in all_programs()
    if "python" not in p.refused and "tape" not in p.refused
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient(program):
    found = {}
    for mode in ("tape", "python"):
        derivative = adc.value_and_grad(program.function, argnums=program.argnums, mode=mode)
        found[mode] = flat(derivative(*program.arguments()))
    for taped, generated in zip(found["tape"], found["python"], strict=True):
        single = np.asarray(generated).dtype == np.float32
        scale = max(1.0, float(np.max(np.abs(generated), initial=0.0)))
        tolerance = 1e-5 if single else 1e-10
        np.testing.assert_allclose(taped, generated, rtol=tolerance, atol=tolerance * scale)
