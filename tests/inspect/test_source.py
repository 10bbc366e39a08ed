"""`source` and `explain` of the transforms that are called with their function at once."""

import numpy as np
import pytest

import adc


def curve(x):
    return np.sin(x) * x


def height(x):
    return np.sum(np.sin(x) * x)


X, V = np.linspace(0.1, 1.0, 3), np.ones(3)


@pytest.mark.parametrize(
    "transform, arguments",
    [
        (adc.jvp, (curve, (X,), (V,))),
        (adc.vjp, (curve, X)),
        (adc.linearize, (curve, X)),
        (adc.hvp, (height, X, V)),
        (adc.vhp, (height, X, V)),
        (adc.gauss_newton_vp, (curve, X, V)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_transforms_that_are_called_with_their_function(transform, arguments):
    text = adc.source(transform, *arguments)
    compile(text, "generated", "exec")
    assert "np.sin(x)" in text
    assert "np.cos(x)" in text
    ledger = adc.explain(transform, *arguments)
    assert ledger.mode == "compiled"
    assert "compiled in" in str(ledger)


def test_a_value_and_a_map_are_two_programs():
    text = adc.source(adc.vjp, curve, X)
    assert [line.split("(")[0] for line in text.splitlines() if line.startswith("def ")] == [
        "def curve_forward",
        "def curve_pullback",
    ]
