"""A Tensor is a key by identity; in a NumPy function a number is found by its value, as NumPy's are."""

import numpy as np
import pytest

import adc
from adc import tape


def test_by_identity_where_the_user_holds_tensors():
    a, b = tape.tensor(1.0, requires_grad=True), tape.tensor(1.0, requires_grad=True)
    assert len({a, b}) == 2
    assert {a: "a", b: "b"}[a] == "a"


def test_by_value_in_a_numpy_function():
    def f(x):
        return {True: 2.0, False: 3.0}[x[0] > 0] * x[1] + (1.0 if np.floor(x[1]) in {1.0} else 5.0) * x[0]

    value, bar = adc.value_and_grad(f, mode="tape")(np.array([0.5, 1.5]))
    assert value == 3.5
    assert np.array_equal(bar, [1.0, 2.0])


def test_a_number_with_a_derivative_is_no_key():
    def f(x):
        known = {}
        for v in x:
            known[v] = known.get(v, 0.0) + v
        return sum(known.values())

    with pytest.raises(adc.errors.GraphCutError, match="is a key of a dict") as error:
        adc.grad(f, mode="tape")(np.ones(2))
    assert "known[v] = known.get(v, 0.0) + v" in str(error.value)
