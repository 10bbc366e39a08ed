"""Linear recurrences of the first order go four trips at a time, where nobody sees the last bit."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc
from adc.compiler.transforms import distribute
from adc.compiler.transforms.distribute import blocked


def average(x, y, a):
    s, total = x[0], 0.0
    for i in range(1, x.size):
        s = a * x[i] + (1.0 - a) * s
        total += (s - y[i]) ** 2
    return total


def in_elements(x, y, a):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = a * x[i] + (1 - a) * out[i - 1]
    return np.sum(np.tanh(out) * y)


def from_the_end(x, y, a):
    out = np.zeros(len(x))
    run = 0.0
    for t in range(len(x) - 1, -1, -1):
        run = x[t] + a * np.tanh(y[t]) * run
        out[t] = run
    return np.sum(out**2)


def polynomial(x, y, a):
    p = 0.0
    for c in x:
        p = p * a + c
    return p


def leaky(x, y, a):
    v, e = 0.0, 0.0
    for t in range(len(x)):
        v = v + 0.1 * (x[t] - v) / (1.0 + a)
        e += np.exp(-v * v) * y[t]
    return e


def variance(x, y, a):
    h, total = 1.0, 0.0
    for t in range(1, x.size):
        h = 0.1 + a * x[t - 1] ** 2 + 0.7 * h
        total += np.log(h) + y[t] ** 2 / h
    return total


def distance(x, y, a):
    s, total = 1.0, 0.0
    for t in range(x.size):
        s = s + x[t] - a * s
        total += np.sqrt(1.0 + s * s) * y[t]
    return total


def two_averages(x, y, a):
    fast, slow, total = 0.0, 0.0, 0.0
    for i in range(x.size):
        fast = 0.5 * fast + 0.5 * x[i]
        slow = a * slow + (1 - a) * x[i]
        total += (fast - slow) * y[i]
    return total


AHEAD = [average, in_elements, from_the_end, polynomial, leaky, variance, distance]


def above_a_level(x, y, a):  # which side of 0.2 the average is on may depend on the last bit
    s, total = 0.0, 0.0
    for i in range(x.size):
        s = a * x[i] + (1.0 - a) * s
        total += s * y[i] if s > 0.2 else 0.0
    return total


def rounded(x, y, a):
    out = np.empty(x.size)
    s = 0.0
    for i in range(x.size):
        s = 0.5 * s + x[i]
        out[i] = np.floor(s) * y[i]
    return np.sum(out) * a


def side(x, y, a):
    s, total = 0.0, 0.0
    for i in range(x.size):
        s = a * x[i] + (1.0 - a) * s
        total += y[i] * np.sign(s)
    return total


def root_of_what_is_left(x, y, a):  # an average of ones is one, or by its last bit more
    s, total = 1.0, 0.0
    for i in range(x.size):
        s = a + (1.0 - a) * s
        total += np.sqrt(1.0 - s) * y[i]
    return total


OTHERS = [above_a_level, rounded, side, root_of_what_is_left]


def given(n):
    random = np.random.default_rng(3)
    return random.uniform(-0.9, 0.9, n), random.uniform(-0.9, 0.9, n), 0.3


def gradient(function, mode="compiled"):
    return adc.value_and_grad(function, (0, 1, 2), mode=mode)


def compare(found, taped):
    assert found[0] == pytest.approx(taped[0], rel=1e-11)
    for a, b in zip(found[1], taped[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def text(function):
    return adc.source(gradient(function), *given(40), stage="optimized")


@pytest.mark.parametrize("function", AHEAD)
@pytest.mark.parametrize("n", [1, 5, 1030])
def test_gradients_are_the_tape_s(function, n):
    compare(gradient(function)(*given(n)), gradient(function, "tape")(*given(n)))


@pytest.mark.parametrize("function", [*AHEAD, *OTHERS, two_averages])
@pytest.mark.parametrize("n", [4, 6, 7, 11, 20])
def test_blocks_of_five_trips(function, n, monkeypatch):
    """Where blocks meet, and what four trips leave over; whatever it costs."""
    monkeypatch.setattr(blocked, "BLOCK", 5)
    monkeypatch.setattr(distribute, "GAIN", 0.0)
    with interpreted():
        compare(gradient(function)(*given(n)), gradient(function, "tape")(*given(n)))


@pytest.mark.parametrize("function", AHEAD)
def test_recurrences_look_ahead(function):
    assert "rt.linear_recurrence" in text(function)


@pytest.mark.parametrize("function", OTHERS)
def test_the_primal_keeps_its_order_where_the_last_bit_can_be_seen(function):
    forward = text(function).split("# reverse")[0]
    assert "rt.linear_recurrence(" not in forward


@pytest.mark.filterwarnings("ignore:invalid value")
def test_values_on_the_edge_are_numpy_s():
    x, y, a = given(600)
    for function in OTHERS:
        assert gradient(function)(x, y, a)[0] == pytest.approx(function(x, y, a), rel=1e-13)


def test_rows_are_read_where_they_lie():
    found = text(polynomial)
    assert "p = rt.linear_recurrence(p_each, a, x[" in found


def test_what_is_the_same_in_all_trips_is_computed_once():
    assert "rt.linear_recurrence(s_each, difference, " in text(average)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_precision_stays(dtype):
    x, y, a = given(600)
    numbers = x.astype(dtype), y.astype(dtype), a
    found = adc.grad(average, mode="compiled")(*numbers)
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, adc.grad(average, mode="tape")(*numbers), rtol=2e-3 if dtype == np.float32 else 1e-9, atol=1e-6
    )


def test_two_recurrences_are_apart(monkeypatch):
    """Side by side they wait no longer than one alone, so that two arrays more are not worth it; but they could."""
    assert "rt.linear_recurrence" not in text(two_averages)
    monkeypatch.setattr(distribute, "GAIN", 0.0)
    assert text(two_averages).count("= rt.linear_recurrence(") == 2


def test_costs_decide(monkeypatch):
    monkeypatch.setattr(distribute, "LOOKING_AHEAD", 1000.0)
    assert "rt.linear_recurrence" not in text(average)
