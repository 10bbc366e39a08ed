"""A dict from outside the function that a loop writes to is refused as it is elsewhere, and stays as it is."""

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


@pytest.mark.parametrize("function", [by_two_names, by_one_name, a_list_in_it, a_dict_in_it, while_it_lasts])
def test_it_is_refused_and_stays_as_it_is(function):
    with pytest.raises(adc.UnsupportedError, match="outside the function, and is written to"):
        adc.grad(function, mode="compiled")(np.array([0.5, 0.7, 0.9]))
    assert SETTINGS == {"a": [1.0, 2.0], "b": {"c": 3.0}}
    assert type(SETTINGS["b"]["c"]) is float


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
