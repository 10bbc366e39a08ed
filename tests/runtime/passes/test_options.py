"""The options of a function are those that Numba's own method says."""

import inspect

from numba.core import targetconfig
from numba.core.compiler import Flags

import adc.runtime.passes.options

OWN = inspect.getclosurevars(targetconfig.TargetConfig.values).nonlocals["own"]


def test_the_same_values_in_the_same_order():
    assert targetconfig.TargetConfig.values.__module__ == adc.runtime.passes.options.__name__
    plain, changed = Flags(), Flags()
    changed.error_model = "numpy"
    changed.release_gil = True
    for flags in (plain, changed, changed.copy()):
        assert list(flags.values().items()) == list(OWN(flags).items())
    assert plain != changed and changed == changed.copy() and hash(changed) == hash(changed.copy())
    assert changed.values()["release_gil"] and not plain.values()["release_gil"]
