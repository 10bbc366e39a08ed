"""Functions that say they have the signature of another (`functools.wraps`) are called by the one they have."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]


def scaled(x, k=2.0, *, flag=True):
    return x * k if flag else x


@functools.wraps(scaled)
def of_one(x):
    return np.cos(x)


@functools.wraps(scaled)
def of_settings(settings):
    return scaled(settings["x"], settings["k"])


@functools.wraps(scaled)
def with_one_more(more, *args, **kwargs):
    return more * scaled(*args, **kwargs)


@functools.wraps(scaled)
def handed_on(*args, **kwargs):
    return 3.0 * scaled(*args, **kwargs)


@functools.wraps(scaled)
def handed_on_beside_the_first(x, *args, **kwargs):
    return x + scaled(x, *args, **kwargs)


class Model:
    @functools.wraps(scaled)
    def energy(self, x):
        return 5.0 * x


@pytest.mark.parametrize("mode", MODES)
def test_parameters_of_its_own(mode):
    assert adc.grad(of_one, mode=mode)(1.0) == pytest.approx(-np.sin(1.0))
    assert adc.grad(of_settings, mode=mode)({"x": 1.0, "k": 2.0}) == {"x": 2.0, "k": 1.0}
    assert adc.grad(of_settings, argnums="settings", mode=mode)(settings={"x": 1.0, "k": 2.0})["x"] == 2.0
    assert adc.grad(with_one_more, argnums=(0, 1, 2), mode=mode)(2.0, 3.0, 4.0) == (12.0, 8.0, 6.0)
    assert adc.grad(Model().energy, mode=mode)(1.0) == 5.0
    assert adc.grad(adc.checkpoint(of_one), mode=mode)(1.0) == pytest.approx(-np.sin(1.0))
    np.testing.assert_allclose(adc.vmap(of_one, mode=mode)(np.ones(2)), np.cos(np.ones(2)))
    assert adc.grad(lambda x: adc.grad(of_one)(x) * with_one_more(x, x), mode=mode)(1.0) == pytest.approx(
        -2.0 * np.cos(1.0) - 4.0 * np.sin(1.0)
    )


@pytest.mark.parametrize("mode", MODES)
def test_parameters_of_the_function_that_is_called(mode):
    assert adc.grad(handed_on, argnums="k", mode=mode)(1.0) == 3.0
    assert adc.grad(handed_on, mode=mode)(1.0, flag=False) == 3.0
    assert adc.grad(handed_on_beside_the_first, argnums=("x", "k"), mode=mode)(1.0, k=4.0) == (5.0, 1.0)
