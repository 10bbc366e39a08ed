"""What loops carry and branches choose is contiguous where all that it may be is."""

from __future__ import annotations

import re

import numpy as np

import adc

R = np.random.default_rng(0)


def horner(c, x):
    p = np.zeros_like(x)
    for a in c:
        p = p * x + a
    return np.sum(p * p)


def turned(w, x):
    for i in range(3):
        w = w.T * 0.5 if i == 1 else w @ x
    return np.sum(w * w)


def test_a_carried_adjoint_keeps_its_name():
    c, x = R.normal(size=3), R.normal(size=4)
    g = adc.grad(horner, mode="python")
    text = adc.source(g, c, x)
    assert not re.search(r"^ *p_bar = p_bar_\d$", text, re.M)
    assert "any layout" not in adc.source(g, c, x, stage="ir")
    np.testing.assert_allclose(g(c, x), adc.grad(horner, mode="tape")(c, x))


def test_a_transposed_one_is_not():
    w, x = R.normal(size=(3, 3)), R.normal(size=(3, 3))
    for mode in ("python", "compiled"):
        g = adc.grad(turned, argnums=(0, 1), mode=mode)
        for a, b in zip(g(w, x), adc.grad(turned, argnums=(0, 1), mode="tape")(w, x), strict=True):
            np.testing.assert_allclose(a, b)
    assert "any layout" in adc.source(g, w, x, stage="ir")
