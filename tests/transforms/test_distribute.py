"""Recurrences go in blocks of trips, and what waits for no other trip has loops of its own, which vectorise."""

import math

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc
from adc.compiler.transforms import distribute
from adc.compiler.transforms.distribute import blocked


def state(x, y, a, b):
    s = a
    for i in range(x.size):
        s = math.sin(s) + x[i] * math.exp(-s * s) * b
    return s + np.sum(y)


def variance(x, y, a, b):  # the likelihood behind a linear recurrence
    h, total = 1.0, 0.0
    for t in range(1, x.size):
        h = 0.1 + a * x[t - 1] ** 2 + b * h
        total += math.log(h) + y[t] ** 2 / h
    return total


def elements(x, y, a, b):
    z = np.empty(x.size)
    z[0] = b
    for t in range(1, z.size):
        z[t] = z[t - 1] - a * np.sin(z[t - 1]) * x[t]
    return np.mean((z - y) ** 2)


def two_behind(x, y, a, b):
    z = x.copy()
    for t in range(2, z.size):
        z[t] = a * np.tanh(z[t - 1]) + b * z[t - 2] * np.exp(-y[t])
    return np.sum(z * y)


def downwards(x, y, a, b):
    z = x.copy()
    for t in range(z.size - 3, -1, -1):
        z[t + 1] += a * np.exp(-z[t + 2])
        z[t] *= b * np.cos(y[t])
    return np.sum(z * y)


def two_states(x, y, a, b):  # each handed on by the other
    p, q = a, b
    for i in range(x.size):
        p, q = p + 0.1 * np.sin(q) * x[i], q - 0.1 * np.sin(p) * y[i]
    return p * q


def with_a_reset(x, y, a, b):
    v, total = 0.0, 0.0
    for t in range(x.size):
        v = v + 0.1 * (a * x[t] - v + b * np.exp(v - 1.0))
        if v > 0.7:
            v = 0.0
        total += v * v * y[t]
    return total


def behind_it(x, y, a, b):  # what is written is read by later trips, behind what goes in order
    z, w = np.zeros(x.size), np.zeros(x.size)
    s = a
    for t in range(1, x.size):
        s = b * s + x[t]
        z[t] = np.exp(-s * s)
        w[t] = np.log(2.0 + z[t - 1]) * y[t]
    return np.sum(w) + np.sum(z * z)


def around_sums(x, y, a, b):  # the functions of a trip stand beside the loop that makes their argument
    total = 0.0
    w = np.outer(x, y[:3])
    for i in range(x.size):
        z = b
        for j in range(w.shape[1]):
            z += w[i, j] * a
        h = math.tanh(z)
        total += math.log(2.0 + h) * y[i]
        w[i, 0] = h * math.exp(-y[i])
    return total + np.sum(w * w)


def a_sum_that_a_loop_reads(x, y, a, b):
    w = np.outer(x, y[:3])
    u = np.sin(y)
    for i in range(x.size):
        u[i] = y[i] * 0.7
        for j in range(w.shape[1]):
            a += 0.1 * np.sin(w[i, j])
        u[i] = u[i] * np.log(2.0 + a**2)
    return a + np.sum(u * x) * b


def of_positions(x, y, a, b):  # which elements a trip reads is data
    k = np.argsort(y)
    z = x.copy()
    for t in range(1, z.size):
        z[k[t]] = np.sin(z[k[t - 1]]) * np.exp(-x[t]) * a
    return np.sum(z) * b


IN_BLOCKS = [
    state,
    variance,
    elements,
    two_behind,
    downwards,
    two_states,
    with_a_reset,
    behind_it,
    around_sums,
    a_sum_that_a_loop_reads,
    of_positions,
]


def nothing_in_order(x, y, a, b):
    total = 0.0
    for i in range(x.size):
        total += np.exp(-x[i] * a) * np.sin(y[i] * b)
    return total


OTHERS = [nothing_in_order]


def given(n, seed=3):
    random = np.random.default_rng(seed)
    return random.uniform(-0.9, 0.9, n), random.uniform(-0.9, 0.9, n), 0.6, 0.4


def gradient(function, mode):
    return adc.value_and_grad(function, (0, 1, 2, 3), mode=mode)


def compare(found, taped):
    assert found[0] == pytest.approx(taped[0], rel=1e-11)
    for a, b in zip(found[1], taped[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("function", [*IN_BLOCKS, *OTHERS])
@pytest.mark.parametrize("n", [3, 1300])
def test_gradients_are_the_tape_s(function, n):
    compare(gradient(function, "compiled")(*given(n)), gradient(function, "tape")(*given(n)))


@pytest.mark.parametrize("function", [*IN_BLOCKS, *OTHERS])
@pytest.mark.parametrize("n", [4, 6, 7, 11])
def test_blocks_of_three_trips(function, n, monkeypatch):
    """Where blocks meet; whatever it costs."""
    monkeypatch.setattr(blocked, "BLOCK", 3)
    for name, value in (("GAIN", 0.0), ("GAIN_ALONE", 0.0), ("BESIDE", 1000)):
        monkeypatch.setattr(distribute, name, value)
    with interpreted():
        compare(gradient(function, "compiled")(*given(n)), gradient(function, "tape")(*given(n)))


def text(function):
    return adc.source(gradient(function, "compiled"), *given(40), stage="optimized")


@pytest.mark.parametrize("function", IN_BLOCKS)
def test_loops_go_in_blocks(function):
    assert "count = min(" in text(function)


@pytest.mark.parametrize("function", OTHERS)
def test_other_loops_do_not(function):
    assert "count = min(" not in text(function)


def test_functions_that_wait_for_nothing_are_of_the_loops_that_vectorise():
    found = text(state)
    assert "s = np.sin(s) + x[i] * np.exp(-s * s) * b" in found
    assert "vm.exp(" in found
    assert "vm.cos(" in found


def test_what_a_reverse_sweep_hands_on_is_one_product():
    assert "s_bar = partial_each[k] * s_bar" in text(state)


def test_the_adjoint_to_read_has_no_blocks():
    assert "count = min(" not in adc.source(gradient(state, "compiled"), *given(40))


def compensated(x):
    total, lost = 0.0, 0.0
    for i in range(x.size):
        term = np.exp(x[i]) - lost
        raised = total + term
        lost = (raised - total) - term
        total = raised
    return total


def test_a_compensated_sum_is_not_multiplied_out():
    """(raised - total) - term is zero times what is handed on, but for what was rounded: that is what it is for."""
    x = np.log(np.r_[1e8, np.full(5000, 0.1)])
    value, _ = adc.value_and_grad(compensated, mode="compiled")(x)
    assert value == compensated(x)
    assert value != np.cumsum(np.exp(x))[-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_precision_stays(dtype):
    x, y, a, b = given(600)
    numbers = x.astype(dtype), y.astype(dtype), a, b
    found = adc.grad(elements, mode="compiled")(*numbers)
    taped = adc.grad(elements, mode="tape")(*numbers)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, taped, rtol=2e-3 if dtype == np.float32 else 1e-9, atol=1e-7)


def test_a_loop_without_trips_reads_no_element():
    """The elements that a block begins with are there if it has a trip."""

    def program(x, n):
        z = np.ones(1)
        for t in range(3, n):
            z[t] = z[t - 1] * np.exp(-x[t])
        return np.sum(z * x[0])

    np.testing.assert_array_equal(adc.grad(program, mode="compiled")(np.ones(2), 1), [1.0, 0.0])


def springs(x, stiffness, one, other):
    force = np.zeros_like(x)
    for e in range(one.shape[0]):
        d = x[other[e]] - x[one[e]]
        length = np.sqrt(d @ d + 1e-3)
        pull = stiffness[e] * (length - 1.0) * d / length
        force[one[e]] += pull
        force[other[e]] -= pull
    return np.sum(force**2)


def _edges(count):
    r = np.random.default_rng(5)
    one = r.integers(0, 30, count)
    other = (one + r.integers(-29, 0, count)) % 30 - 30
    return r.normal(size=(30, 2)), r.uniform(size=count), one, other


@pytest.mark.parametrize("edges", [0, 1, 40, 700])
def test_gradients_where_the_data_say_what_is_written(edges):
    given = _edges(edges)
    value, found = adc.value_and_grad(springs, (0, 1), mode="compiled")(*given)
    assert value == pytest.approx(springs(*given), rel=1e-12)
    for x, y in zip(found, adc.grad(springs, (0, 1), mode="tape")(*given), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


def test_what_goes_where_the_data_say_is_written_behind_what_makes_it():
    text = adc.source(adc.value_and_grad(springs, (0, 1)), *_edges(40), stage="optimized")
    written = text.split("range(count)")[2].split("@rt")[0]
    assert "force[0, other_i] -= product" in written and "sqrt" not in written


def laplacian(weights, edges):
    table = np.zeros((3, 3))
    for one, other in edges:
        w = weights[one] * weights[other]
        table[one, one] += w
        table[other, other] += w
        table[one, other] -= w
        table[other, one] -= w
    values, vectors = np.linalg.eigh(table)
    return values[1] * values[2] + np.abs(vectors[0, 0])


def test_a_loop_that_writes_where_the_data_say_may_call_what_has_several_results():
    weights, edges = np.array([[2.0, 1.0, 3.0], [1.0, 4.0, 2.0]]), np.array([[0, 1], [1, 2]])
    found = adc.vmap(laplacian, (0, None), mode="compiled")(weights, edges)
    np.testing.assert_allclose(found, [laplacian(w, edges) for w in weights], rtol=1e-12)
