"""What the stages `inplace` and `absorb` leave of the arrays that a loop makes, and that the derivatives stay right."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(3)


def steps(x, count):
    y = x * x
    for _ in range(count):
        y = y + 0.1 * np.sin(y)
    return np.sum(y)


def shifted(x):
    total = x[:-1] + 2.0 * x[1:]
    return np.sum(total[1:] * x[2:])


def two_kept(x, count):
    before, now = x, x * x
    for _ in range(count):
        before, now = now, 1.5 * now - 0.5 * before
    return np.sum(now * before)


def dear(x):
    wave = np.sin(x)
    return np.sum((wave[1:] - wave[:-1]) ** 2)


def recorded(speed, trace):
    n = speed.shape[0]
    before, now = np.zeros(n), np.zeros(n)
    misfit = 0.0
    for t in range(trace.shape[0]):
        after = np.zeros(n)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + speed[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        misfit += (after[n // 2] - trace[t]) ** 2
        before, now = now, after
    return misfit


def text_of(function, *args):
    return str(adc.source(adc.value_and_grad(function), *args, stage="optimized"))


def test_state_is_updated_in_place():
    text = text_of(steps, R.normal(size=50), 3)
    assert "y[k] = y_j + " in text
    loops = [line for line in text.splitlines() if line.startswith("        ") and "np.empty" in line]
    assert loops == []


def test_two_states_of_which_one_becomes_the_other_stay_apart():
    x = R.normal(size=8)
    found = adc.grad(two_kept)(x, 4)
    np.testing.assert_allclose(found, adc.grad(two_kept, mode="tape")(x, 4), rtol=1e-12)


def test_cheap_element_is_computed_where_it_is_read():
    assert "total[" not in text_of(shifted, R.normal(size=50))


def test_dear_element_is_not_computed_twice():
    assert text_of(dear, R.normal(size=50)).count("vm.sin(") == 1


def test_of_a_state_that_only_one_element_is_read_of_that_element_is_kept():
    arguments = R.normal(size=9), R.normal(size=4)
    text = str(adc.source(adc.grad(recorded), *arguments))
    assert "after_element_kept[t]" in text and "now_kept[t]" in text
    assert "after_kept" not in text and "before_kept" not in text


def test_what_a_trip_allocates_is_written_at_once():
    assert "after[j + 1] = " in text_of(recorded, R.normal(size=9), R.normal(size=4))
    assert "total[j]" not in text_of(recorded, R.normal(size=9), R.normal(size=4))


@pytest.mark.parametrize("n", [2, 3, 4, 40])
@pytest.mark.parametrize("function", [shifted, dear])
def test_gradient(function, n):
    x = R.normal(size=n)
    found = adc.grad(function, mode="compiled")(x)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(x), rtol=1e-11, atol=1e-12)
    v, h = R.normal(size=n), 1e-6
    slope = (function(x + h * v) - function(x - h * v)) / (2 * h)
    assert np.sum(found * v) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def squares_of_state(x, count):
    y = x.copy()
    for _ in range(count):
        y[1:] = 0.5 * y[1:] + x[:-1]
    return 0.5 * np.sum(y**2)


def test_an_adjoint_that_is_the_state_is_not_written_over_it():
    x = R.normal(size=6)
    text = text_of(squares_of_state, x, 3)
    assert "y_bar = y\n" in text
    assert "y_bar[i] = y_" not in text
    got = adc.grad(squares_of_state, mode="compiled")(x, 3)
    np.testing.assert_allclose(got, adc.grad(squares_of_state, mode="tape")(x, 3), rtol=1e-13)
