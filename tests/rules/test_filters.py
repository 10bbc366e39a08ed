"""Filters that are not at rest: what they begin with, and what is left in them."""

from __future__ import annotations

import numpy as np
import pytest

import adc

signal = pytest.importorskip("scipy.signal")
GENERATOR = np.random.default_rng(0)
SECTIONS = signal.butter(4, 0.3, output="sos")


def normal(*shape):
    return GENERATOR.normal(size=shape)


def weighed(y, state):
    return np.sum(y * np.cos(np.arange(float(y.size))).reshape(y.shape)) + np.sum(state * state)


def slope(f, args, dots, step=1e-6):
    above, below = (f(*[x + h * dot for x, dot in zip(args, dots, strict=True)]) for h in (step, -step))
    return (above - below) / (2.0 * step)


def agrees(f, args, engine):
    value, gradients = adc.value_and_grad(f, argnums=tuple(range(len(args))), mode=engine)(*args)
    assert value == pytest.approx(f(*args))
    dots = [normal(*x.shape) for x in args]
    found = sum(np.sum(bar * dot) for bar, dot in zip(gradients, dots, strict=True))
    assert found == pytest.approx(slope(f, args, dots), rel=1e-5)


def along_rows(b, a, x, zi):
    return weighed(*signal.lfilter(b, a, x, zi=zi))


def along_columns(b, a, x, zi):
    return weighed(*signal.lfilter(b, a, x, axis=0, zi=zi))


@pytest.mark.parametrize("engine", ["python", "tape"])
@pytest.mark.parametrize("lengths", [(3, 3, 6), (2, 4, 5), (4, 1, 2), (5, 3, 3), (1, 1, 4)])
def test_a_state(lengths, engine):
    b, a, n = lengths
    denominator = np.concatenate(([1.7], 0.3 * normal(a - 1)))
    agrees(along_rows, (normal(b), denominator, normal(n), normal(max(a, b) - 1)), engine)
    agrees(along_rows, (normal(b), denominator, normal(2, n), normal(2, max(a, b) - 1)), engine)
    agrees(along_columns, (normal(b), denominator, normal(n, 2), normal(max(a, b) - 1, 2)), engine)


def in_pieces(x):
    state = np.zeros(2)
    total = 0.0
    for k in range(3):
        y, state = signal.lfilter([0.2, 0.3, 0.1], [1.0, -0.4, 0.1], x[4 * k : 4 * k + 4], zi=state)
        total = total + np.sum(y * y * y)
    return total


def by_sections(x, zi):
    return weighed(*signal.sosfilt(SECTIONS, x, zi=zi))


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_a_signal_in_pieces_and_by_sections(engine):
    agrees(lambda x: in_pieces(x), (normal(12),), engine)
    agrees(by_sections, (normal(7), signal.sosfilt_zi(SECTIONS)), engine)


@pytest.mark.parametrize("engine", ["compiled", "python", "tape"])
def test_a_state_of_another_length(engine):
    with pytest.raises(Exception, match="zi"):
        adc.grad(along_rows, argnums=2, mode=engine)(normal(3), np.array([1.0, 0.5]), normal(4), normal(3))


@pytest.mark.parametrize("engine", ["python", "tape"])
def test_the_tangent_of_an_image_that_is_smoothed_along_both_axes(engine):
    ndimage = pytest.importorskip("scipy.ndimage")
    image, dot = normal(4, 5), normal(4, 5)
    value, found = adc.jvp(ndimage.gaussian_filter, (image, 0.8), (dot, 0.3), mode=engine)
    np.testing.assert_allclose(value, ndimage.gaussian_filter(image, 0.8))
    np.testing.assert_allclose(
        found, slope(ndimage.gaussian_filter, (image, 0.8), (dot, 0.3)), rtol=1e-5, atol=1e-8
    )
