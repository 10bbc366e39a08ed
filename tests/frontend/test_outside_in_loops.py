"""A dict from outside the function that a loop writes to holds afterwards what the function leaves there."""

import copy

import numpy as np
import pytest

import adc

SETTINGS = {"a": [1.0, 2.0], "b": {"c": 3.0}}


def by_two_names(x):
    d = SETTINGS["b"]
    e = SETTINGS
    total = 0.0
    for i in range(x.size):
        e["b"]["c"] = x[i] * d["c"]
        total += d["c"]
    return total


def by_one_name(x):
    e = SETTINGS
    total = 0.0
    for i in range(x.size):
        e["b"]["c"] = x[i] * e["b"]["c"]
        total += e["b"]["c"]
    return total


def a_list_in_it(x):
    e = SETTINGS
    total = 0.0
    for i in range(x.size):
        e["a"][1] = x[i] * 2
        total += e["a"][1]
    return total


def a_dict_in_it(x):
    e = SETTINGS["b"]
    total = 0.0
    for i in range(x.size):
        e["c"] = x[i] * 2
        total += e["c"]
    return total


def while_it_lasts(x):
    e = SETTINGS["b"]
    k, total = 0, 0.0
    while total < 1.0:
        e["c"] = x[k]
        total += e["c"] ** 2
        k += 1
    return total


@pytest.fixture
def as_before():
    before = copy.deepcopy(SETTINGS)
    yield
    SETTINGS.clear()
    SETTINGS.update(before)


@pytest.mark.parametrize("mode", ["compiled", "tape"])
@pytest.mark.parametrize("function", [by_two_names, by_one_name, a_dict_in_it, while_it_lasts])
def test_it_holds_what_the_function_leaves(function, mode, as_before):
    x = np.array([0.5, 0.7, 0.9])
    value, gradient = adc.value_and_grad(function, mode=mode)(x)
    left, SETTINGS["b"]["c"] = SETTINGS["b"]["c"], 3.0
    assert value == pytest.approx(function(x)) and left == pytest.approx(SETTINGS["b"]["c"])

    def from_the_start(x):
        SETTINGS["b"]["c"] = 3.0
        return function(x)

    for k, slope in enumerate(gradient):
        step = 1e-6 * np.eye(3)[k]
        assert slope == pytest.approx((from_the_start(x + step) - from_the_start(x - step)) / 2e-6, rel=1e-6)


def test_an_element_of_a_list_in_it_is_refused(as_before):
    with pytest.raises(adc.UnsupportedError, match="is a list outside the function, and is written to"):
        adc.grad(a_list_in_it, mode="compiled")(np.array([0.5, 0.7, 0.9]))
    assert SETTINGS == {"a": [1.0, 2.0], "b": {"c": 3.0}}


def test_what_a_loop_only_reads_is_read_at_each_call():
    def read(x):
        e = SETTINGS["b"]
        total = 0.0
        for i in range(x.size):
            e = SETTINGS["b"]
            total += e["c"] * x[i] ** 2
        return total

    x = np.array([0.5, 0.7, 0.9])
    compiled = adc.grad(read, mode="compiled")
    np.testing.assert_allclose(compiled(x), 6.0 * x)
    SETTINGS["b"]["c"] = 2.0
    try:
        np.testing.assert_allclose(compiled(x), 4.0 * x)
    finally:
        SETTINGS["b"]["c"] = 3.0
