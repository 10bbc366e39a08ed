"""Those who listen to Numba hear of LLVM's lock, but not while a derivative is compiled."""

import numba
import numpy as np
from numba.core import event

import adc


def heard(run):
    with event.install_recorder("numba:llvm_lock") as recorder:
        run()
    return [e for _, e in recorder.buffer]


def test_functions_of_others_are_heard_of():
    found = heard(lambda: numba.njit(lambda x: x + 1.0)(2.0))
    assert len(found) > 10
    assert sum(e.is_start for e in found) == sum(e.is_end for e in found)


def test_derivatives_are_not():
    gradient = adc.grad(lambda x: np.sum(np.sin(x) * 1.7320508), mode="compiled")
    found = heard(lambda: gradient(np.ones(3)))
    assert sum(e.is_start for e in found) == sum(e.is_end for e in found)
    assert len(found) < 400 < len(heard(lambda: numba.njit(lambda x: np.sum(np.sin(x)))(np.ones(3))))
