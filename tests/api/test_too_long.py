"""A program that would be too long for Numba runs on the tape in mode auto, which says so; mode compiled goes on."""

import numpy as np
import pytest

import adc
from adc.api import sizes

X = np.array([0.5, 0.7, 0.3])


class Body:
    def __init__(self, place):
        self.place, self.pull = place, 0.0


def bodies_that_change(x):
    bodies = [Body(x * k) for k in range(12)]
    for _ in range(3):
        for a in bodies:
            for b in bodies:
                if a is not b:
                    d = a.place - b.place
                    a.pull = a.pull + 1.0 / (d @ d + 1.0)
        for a in bodies:
            a.place = a.place + 0.1 * a.pull
    return sum(np.sum(b.place**2) for b in bodies)


def helper(x, t):
    return np.sin(x[0] * t) + np.cos(x[1] * t) * np.exp(x[2] - t)


def many_calls(x):
    t = helper(x, helper(x, helper(x, helper(x, 0.1))))
    t = helper(x, helper(x, helper(x, helper(x, t))))
    return helper(x, helper(x, helper(x, helper(x, t))))


@pytest.mark.parametrize(("program", "line"), [(bodies_that_change, 21), (many_calls, 34)])
def test_auto_takes_the_tape_and_names_the_loop(program, line, monkeypatch):
    monkeypatch.setattr(sizes, "LONGEST", 50)
    gradient = adc.grad(program)
    with pytest.warns(
        adc.FallbackWarning, match="on the tape: the code of .* more than 50 statements"
    ) as told:
        found = gradient(X)
    assert f"test_too_long.py:{line}" in str(told[0].message)
    np.testing.assert_allclose(found, adc.grad(program, mode="tape")(X), rtol=1e-12)


def test_python_mode_has_no_limit(monkeypatch):
    monkeypatch.setattr(sizes, "LONGEST", 50)
    found = adc.grad(bodies_that_change, mode="python")(X)
    np.testing.assert_allclose(found, adc.grad(bodies_that_change, mode="tape")(X), rtol=1e-9)
