"""Branches of inner loops that only choose numbers become choices, and the loops vectorise."""

import numpy as np
import pytest

import adc


def leaky(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total += x[i] ** 2 * w
        else:
            total -= 0.01 * x[i]
    return total


def huber(x, w):
    total = 0.0
    for v in x:
        a = abs(v)
        if a <= w:
            total += 0.5 * v * v
        elif a < 2.0:
            total += w * (a - 0.5 * w)
            total -= w * w
    return total / len(x)


def within_a_distance(x, w):
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            if d * d < w:
                total += (w - d * d) ** 2
    return total


def written_on_one_side(x, w):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * w
        if x[i] > 0.2:
            y[i] += np.sin(x[i])
    return np.sum(y * y)


def written_on_both_sides(x, w):
    y = np.empty(len(x))
    for i in range(len(x)):
        if x[i] > 0.2:
            y[i] = np.sin(w * x[i])
        else:
            y[i] = x[i] - w
    return np.sum(y * y)


def rows_written_on_all_sides(x, w):
    y = np.empty((2, len(x)))
    for i in range(len(x)):
        if x[i] > 0.9:
            y[0, i] = w
            y[1, i] = x[i]
        elif x[i] > 0.2:
            y[0, i] = np.sin(w * x[i])
            y[1, i] = w * x[i]
        else:
            y[1, i] = x[i] * x[i]
            y[0, i] = x[i] - w
    return np.sum(y[0, 1:] * y[1, :-1])


def one_side_costs_much(x, w):
    """The sides take longer than most that are worked out both, but so does what each trip does anyway."""
    total = 0.0
    for v in x:
        s = np.sin(v) * np.exp(-v * v) + np.cos(w * v) * np.tanh(v) + np.exp(np.sin(v)) * np.log1p(v * v)
        if s > 0.2:
            p = np.exp(-s * v) * np.sin(s + v) + np.cos(s - v) * np.exp(s * w)
            p = np.tanh(p) * np.sin(p * v) + np.exp(-p * p) * np.cos(p + w)
            total += np.sin(p) * np.exp(-p * v) + np.tanh(p * w)
        else:
            total += s
    return total


def last_of_two_writes(x, w):
    """`j` is `i` in some trips: which side is written last is seen."""
    y = np.zeros(len(x) + 2)
    for i in range(len(x)):
        j = max(i, 2)
        if x[i] > 0.0:
            y[i] = w * x[i]
            y[j] = np.sin(x[i])
        else:
            y[j] = w
            y[i] = x[i] * x[i]
    return np.sum(y * y)


def carried_on(x, w):
    state = 0.3
    for i in range(len(x)):
        if x[i] > state:
            state = 0.9 * state + w
        else:
            state = np.sin(state) * x[i]
    return state


def one_element_behind(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0 and i + 1 < len(x):
            total += x[i + 1] * w
    return total


CHOSEN = [
    leaky,
    huber,
    within_a_distance,
    written_on_one_side,
    written_on_both_sides,
    rows_written_on_all_sides,
    one_side_costs_much,
]
KEPT = [carried_on, one_element_behind, last_of_two_writes]


@pytest.mark.parametrize("function", [*CHOSEN, *KEPT])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_gradients_are_the_tape_s(function, n):
    given = np.linspace(-1.5, 1.4, n), 0.6
    value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-13)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("function", CHOSEN)
def test_loops_of_choices_are_straight(function):
    text = adc.source(adc.value_and_grad(function, (0, 1)), np.ones(5), 0.6, stage="optimized")
    assert "        if " not in text
    assert "@rt.kernel" in text


@pytest.mark.parametrize("function", KEPT)
def test_what_is_read_or_carried_keeps_its_branches(function):
    text = adc.source(adc.value_and_grad(function, (0, 1)), np.ones(5), 0.6, stage="optimized")
    assert "        if " in text


def test_numbers_that_are_not_chosen_do_no_harm():
    def safe(x):
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                total += np.log(x[i]) + 1.0 / x[i]
            else:
                total += x[i] ** 2
        return total

    x = np.array([-1.0, 0.0, 2.0, -0.0, np.inf, -np.inf])[:4]
    value, found = adc.value_and_grad(safe, mode="compiled")(x)
    assert value == pytest.approx(safe(x), rel=1e-14)
    np.testing.assert_allclose(found, [-2.0, 0.0, 0.25, 0.0])
