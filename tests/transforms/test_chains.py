"""A loop that could join one further up stays with what reads its array, where that cannot come along."""

import numpy as np

import adc

R = np.random.default_rng(9)


def wave(c, steps):
    n = c.shape[0]
    u, before = np.ones((n, n)), np.zeros((n, n))
    for _ in range(steps):
        bend = np.zeros((n, n))
        bend[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        after = (2.0 * u - before + c**2 * bend) * 0.9
        before, u = u, after
    return np.sum(u**2)


def test_what_an_update_is_made_of_waits_for_the_stencil():
    c = 0.1 + R.random((7, 7))
    gradient = adc.value_and_grad(wave, mode="compiled")
    value, found = gradient(c, 4)
    expected, taped = adc.value_and_grad(wave, mode="tape")(c, 4)
    np.testing.assert_allclose([value], [expected], rtol=1e-13)
    np.testing.assert_allclose(found, taped, rtol=1e-12, atol=1e-14)
    forward = adc.source(gradient, c, 4, stage="optimized").split("# reverse")[0]
    assert "difference[" not in forward and "power[" not in forward
