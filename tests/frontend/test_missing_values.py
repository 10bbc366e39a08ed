"""A name that has no value on the path taken raises what Python raises, and never stands for zero."""

from __future__ import annotations

import numpy as np
import pytest

import adc


def branch(x, c):
    if c > 0:
        y = x
    return y * y


def loop(x, c):
    i = 0
    while i < c:
        y = x * i
        i += 1
    return y * y


def none(x, c):
    y = None
    if c > 0:
        y = x
    return y * y


@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
@pytest.mark.parametrize(
    ("function", "error"), [(branch, UnboundLocalError), (loop, UnboundLocalError), (none, TypeError)]
)
def test_a_name_without_a_value_is_no_zero(function, error, mode):
    run = adc.value_and_grad(function, mode=mode)
    with pytest.raises(error):
        run(1.5, -1.0)
    assert run(1.5, 2.0) == (pytest.approx(2.25), pytest.approx(3.0))


def chosen(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            scale = "double" if v > 2.0 else "single"
            f = np.sin if v > 1.5 else np.exp
        if v > 0.5:
            total += f(v) * (2.0 if scale == "double" else 1.0)
    return total


def test_a_loop_carries_a_choice_that_has_no_value_before_it():
    """One text for all lengths: a program with a copy for each trip would have more statements than it may."""
    gradient = adc.grad(chosen, mode="compiled")
    gradient(np.array([0.2, 1.2]))
    text = adc.source(gradient)
    x = np.append([0.2, 1.2], np.linspace(0.6, 3.0, 200))
    np.testing.assert_allclose(gradient(x), adc.grad(chosen, mode="tape")(x), rtol=1e-12)
    assert adc.source(gradient) == text
    with pytest.raises(UnboundLocalError):
        gradient(np.array([0.2, 0.7]))
