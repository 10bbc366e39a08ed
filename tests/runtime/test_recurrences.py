"""Linear recurrences four trips at a time are what they are one by one, but for rounding."""

import numba
import numpy as np
import pytest

from adc.runtime import linear_recurrence, linear_recurrence_back

upwards = numba.njit(lambda *given: linear_recurrence(*given))
back = numba.njit(lambda *given: linear_recurrence_back(*given))


def one_by_one(factors, terms, state, trips):
    states = {}
    for k in trips:
        states[k] = state
        state = factors[k] * state + terms[k]
    return [states[k] for k in sorted(states)], state


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 30])
@pytest.mark.parametrize("form", ["each", "one factor", "one term"])
@pytest.mark.parametrize(
    "called", [(upwards, 1), (back, -1), (linear_recurrence, 1), (linear_recurrence_back, -1)]
)
def test_states_are_those_of_single_trips(dtype, count, form, called):
    function, step = called
    random = np.random.default_rng(count)
    factors, terms = (random.uniform(-1.2, 1.2, count + 2).astype(dtype) for _ in range(2))
    if form == "one factor":
        factors[:] = factors[0]
    if form == "one term":
        terms[:] = terms[0]
    given = (factors[0] if form == "one factor" else factors), (terms[0] if form == "one term" else terms)
    states = np.full(count + 1, 7, dtype)
    ends = (0, count) if step == 1 else (count - 1, -1)
    found = function(states, *given, dtype(0.3), *ends)
    expected, last = one_by_one(factors.astype(float), terms.astype(float), 0.3, range(count)[::step])
    close = {"rtol": 1e-13, "atol": 1e-14} if dtype == np.float64 else {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(states[:count], expected, **close)
    np.testing.assert_allclose(found, last, **close)
    assert states[count] == 7
    np.testing.assert_allclose(function(None, *given, dtype(0.3), *ends), last, **close)


def test_parts_of_arrays():
    x = np.arange(12.0)
    states = np.zeros(12)
    last = upwards(states, 0.5, x[1:], 1.0, 2, 8)
    expected, end = one_by_one(np.full(8, 0.5), x[1:], 1.0, range(2, 8))
    np.testing.assert_allclose(states, [0, 0, *expected, 0, 0, 0, 0])
    assert last == pytest.approx(end)


def test_nothing_happens_without_trips():
    states = np.ones(3)
    assert upwards(states, 0.5, states, 7.0, 3, 1) == 7.0
    assert back(states, 0.5, states, 7.0, 0, 0) == 7.0
    assert list(states) == [1, 1, 1]
