"""Arrays of known lengths are gone over in loops, as those of other lengths are."""

import numpy as np
import pytest

import adc


def paths(volatility):
    steps = np.random.default_rng(0).standard_normal((50, 12))
    return np.sum(np.cumsum(volatility * steps, axis=1) ** 2)


def products(scale):
    steps = np.random.default_rng(0).standard_normal((30, 20))
    return np.sum(np.cumprod(scale * steps, axis=0))


@pytest.mark.parametrize("function", [paths, products])
def test_a_running_value_is_a_loop(function: object) -> None:
    text = adc.source(adc.grad(function), 0.3, stage="optimized")
    assert len(text.splitlines()) < 80
