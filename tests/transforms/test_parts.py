"""Adjoints that are zero but for a part: the part alone is worked on, and the gradient is the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(11)


def slopes(y, h):
    for _ in range(2):
        k = np.zeros_like(y)
        k[0] = y[0]
        k[1:] = y[1:] * (y + h * y * y)[:-1]
        y = y + h * k
    return np.sum(y)


def block_of_a_matrix(y, h):
    inner = (y[:, None] * y * h)[1:-1, 2:]
    return np.sum(inner**2)


def an_element(y, h):
    return (h * (y * y + 1.0))[-1] ** 2 + (-(y * h))[2]


def chosen(y, h):
    return np.sum(np.where(y > 0.0, y * h, 0.0)[::2] ** 2) + np.sum((np.sin(y) / h)[1:])


def divided_by_an_array(y, h):
    return np.sum((y / (1.0 + y * y))[3:] * h)


def read_by_what_is_not_linear(y, h):
    return np.sum(np.exp(y * h)[:-1]) + np.sum((y + np.exp(h * y))[1:] ** 2)


def stretched(y, h):
    return np.sum((h * y[:, None] * np.ones(3))[1:, :2] ** 2)


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(
    "function",
    [
        slopes,
        block_of_a_matrix,
        an_element,
        chosen,
        divided_by_an_array,
        read_by_what_is_not_linear,
        stretched,
    ],
)
def test_gradient(function, mode):
    y, h = R.normal(size=7), 0.7
    found = adc.grad(function, (0, 1), mode=mode)(y, h)
    expected = adc.grad(function, (0, 1), mode="tape")(y, h)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    with interpreted():
        adc.check_grads(function, (y, h), order=2, mode=mode)


def test_no_zeros_are_made_around_a_part():
    text = adc.source(adc.grad(slopes), R.normal(size=7), 0.7)
    reverse = text[text.index("# reverse") :]
    assert "y_bar_2[:-1] +=" in reverse
    assert "zeros" not in reverse


def test_the_primal_keeps_its_zeros():
    """Times an infinity they are NaN, also on the compiled side."""

    def f(y, h):
        k = np.zeros_like(y)
        k[1:] = y[1:]
        out = y * 1.0
        out += k * h
        return np.sum(out)

    with np.errstate(invalid="ignore"):
        assert np.isnan(f(np.ones(3), np.inf))
        for mode in ("python", "compiled"):
            assert np.isnan(adc.value_and_grad(f, mode=mode)(np.ones(3), np.inf)[0])
