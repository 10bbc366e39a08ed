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


def test_states_that_nobody_reads_are_not_kept():
    def last(x, y, a):
        s = 0.0
        for i in range(x.size):
            s = 0.9 * s + np.exp(x[i]) * y[i]
        return s

    assert "= rt.linear_recurrence(None, 0.9, product_each, s, 0, count)" in text(last)
    compare(gradient(last)(*given(1030)), gradient(last, "tape")(*given(1030)))


def test_the_counter_itself_is_no_row():
    def counted(x, y, a):
        s = a
        for i in range(x.size):
            s = s * a + i
        return s + np.sum(x) + np.sum(y)

    compare(gradient(counted)(*given(40)), gradient(counted, "tape")(*given(40)))


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


def equilibrium(x, y, a):  # s stays where it is, to the last bit; what it were off by would grow
    s, total = a, 0.0
    for i in range(x.size):
        s = s - 0.5 * (a - s)
        total += s * y[i]
    return total


def test_states_at_rest_stay_there():
    x, y, a = given(600)
    assert gradient(equilibrium)(x, y, a)[0] == pytest.approx(equilibrium(x, y, a), rel=1e-12)


def relaxed(u, f, w):
    u = u.copy()
    for _ in range(3):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = (1 - w) * u[i, j] + w * 0.25 * (around - f[i, j])
    return np.sum(u * u)


def nine_points_back(u, f, w):
    u = u.copy()
    n, m = u.shape
    for i in range(n - 2, 0, -1):
        for j in range(m - 2, 0, -1):
            u[i, j] = 0.1 * (
                u[i - 1, j - 1] + u[i - 1, j] + u[i - 1, j + 1] + u[i, j - 1] + u[i, j] + u[i, j + 1]
            )
            u[i, j] += w * (u[i + 1, j - 1] + u[i + 1, j] + u[i + 1, j + 1]) * f[i, j]
    return np.sum(np.sin(u))


def table(u, f, w):
    t = np.zeros((u.shape[0] + 1, u.shape[1] + 1))
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            t[i + 1, j + 1] = t[i, j + 1] * f[i, j] + t[i + 1, j] * w + u[i, j]
    return np.sum(np.sin(t))


def two_rows(u, f, w):  # of which the one is written to by the trips of the other
    u = u.copy()
    for i in range(1, u.shape[0]):
        for j in range(1, u.shape[1]):
            u[i, j] = w * u[i, j - 1] + u[i - 1, j] * f[i, j]
            u[i - 1, j] += 0.5 * u[i, j]
    return np.sum(u * f)


IN_ROWS = [relaxed, nine_points_back, table, two_rows]


def matrices(shape):
    random = np.random.default_rng(4)
    return random.uniform(-0.9, 0.9, shape), random.uniform(-0.9, 0.9, shape), 0.4


@pytest.mark.parametrize("function", IN_ROWS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (4, 9), (7, 5), (6, 40)])
def test_rows_one_by_one(function, shape):
    with interpreted():
        compare(gradient(function)(*matrices(shape)), gradient(function, "tape")(*matrices(shape)))


@pytest.mark.parametrize("function", [relaxed, nine_points_back, table])
def test_rows_look_ahead_in_both_sweeps(function):
    found = adc.source(gradient(function), *matrices((40, 50)), stage="optimized")
    assert found.count("= rt.linear_recurrence(") == 1
    assert found.count("= rt.linear_recurrence_back(") == 1
    assert "k in range(6)" not in found
    compare(gradient(function)(*matrices((40, 50))), gradient(function, "tape")(*matrices((40, 50))))


def test_what_rows_beside_it_get_is_made_in_loops_that_vectorise():
    """The adjoints of a row above, or below, are added to by trips that add to no element twice."""
    found = adc.source(gradient(nine_points_back), *matrices((40, 50)), stage="optimized")
    assert "u_bar_ahead" in found


def test_scratch_is_made_in_front_of_the_nest():
    lines = adc.source(gradient(relaxed), *matrices((40, 50)), stage="optimized").splitlines()
    made = [line for line in lines if "_each" in line and "rt.empty" in line]
    assert made
    assert all(line.startswith("    ") and not line.startswith("     ") for line in made)
