"""A name that has no value on the path taken raises what Python raises, and never stands for zero."""

from __future__ import annotations

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
