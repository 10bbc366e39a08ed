"""Generated text runs with the versions of libraries that are installed."""

import numpy as np

import adc
from adc.compiler.backend import expressions


def sorted_beside(x):
    return np.sum(np.sort(x * x) * x)


def test_defaults_that_only_later_versions_have_are_written_out(monkeypatch):
    def demanded(function):
        return frozenset({"axis"}) if function is np.take_along_axis else frozenset()

    monkeypatch.setattr(expressions, "_demanded", demanded)  # as NumPy up to 2.2 has it
    text = str(adc.source(adc.grad(sorted_beside, mode="python"), np.array([0.3, 0.9, 0.6])))
    found = [line for line in text.splitlines() if "take_along_axis" in line]
    assert found and all("axis=-1" in line for line in found)
