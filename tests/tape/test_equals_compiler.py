"""The tape and the loops that the compiler writes give one gradient, to rounding, for every program of the corpus.

The same for the examples of every operation: tests/rules/test_compiled.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus import all_programs
from tests.corpus.reference import flat
from tests.interpreted import interpreted

import adc

PROGRAMS = [
    pytest.param(p, id=p.name)
    for p in all_programs()
    if "compiled" not in p.refused and "tape" not in p.refused
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient(program):
    taped, compiled = (
        adc.value_and_grad(program.function, argnums=program.argnums, mode=mode)
        for mode in ("tape", "compiled")
    )
    found = [np.asarray(x) for x in flat(taped(*program.arguments()))]
    with interpreted():
        wanted = [np.asarray(x) for x in flat(compiled(*program.arguments()))]
    # An adjoint that is zero but for rounding is as large as the rest of the answer lets it be.
    scale = max(float(np.max(np.abs(x), initial=0.0)) for x in wanted)
    single = any(x.dtype == np.float32 for x in wanted)
    for x, y in zip(found, wanted, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(x, y, rtol=0.0, atol=(1e-6 if single else 1e-12) * scale)
