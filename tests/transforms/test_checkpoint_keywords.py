"""Checkpointed functions take arguments that go by name only, which have derivatives as others have."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.2, 2.0])
MODES = ["compiled", "python", "tape"]


@adc.checkpoint
def waves(x, shift=0.0, *, scale=2.0, **more):
    return np.sin(x * scale + shift) * more.get("height", 1.0)


@pytest.mark.parametrize("mode", MODES)
def test_gradients(mode):
    def f(x, k):
        return np.sum(waves(x, scale=k) + waves(x) + waves(x, height=k, shift=k))

    by_x, by_k = adc.grad(f, argnums=(0, 1), mode=mode)(X, 3.0)
    np.testing.assert_allclose(by_x, 3 * np.cos(3 * X) + 2 * np.cos(2 * X) + 6 * np.cos(2 * X + 3))
    of_last = np.sin(2 * X + 3) + 3 * np.cos(2 * X + 3)
    np.testing.assert_allclose(by_k, np.sum(X * np.cos(3 * X) + of_last))


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_forward_mode_and_batches(mode):
    tangent = adc.jvp(lambda k: waves(X, scale=k), (3.0,), (1.0,), mode=mode)[1]
    np.testing.assert_allclose(tangent, X * np.cos(3 * X))
    hessian = adc.hessian(lambda x: np.sum(waves(x, scale=3.0)), mode=mode)(X)
    np.testing.assert_allclose(hessian, np.diag(-9 * np.sin(3 * X)))
    rows = adc.vmap(adc.grad(lambda x: np.sum(waves(x, scale=3.0))), mode=mode)(np.stack([X, -X]))
    np.testing.assert_allclose(rows, np.stack([3 * np.cos(3 * X)] * 2))


def test_names_that_a_function_lacks():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        adc.checkpoint(lambda x: x)(1.0, y=2.0)
