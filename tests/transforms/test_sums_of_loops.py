"""A sum to which a trip adds in several places is one sum; one that is read in between keeps its order."""

import numpy as np
import pytest

import adc

pytestmark = pytest.mark.machine_code  # what is asked is what LLVM leaves as it is


def used_often(x, w, b):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(-w * x[i]) * w + b * x[i] / (1 + w * w * x[i])
        total -= b * w
        total += x[i] ** 3 * b
    return total


def taken_off_only(x, w, b):
    total = 0.0
    for i in range(len(x)):
        total -= np.sin(w * x[i])
        total -= b * w * x[i]
    return total


def read_between(x, w, b):
    total, most = 0.0, 0.0
    for i in range(len(x)):
        total += w * x[i]
        most += total * b
        total -= w * b
    return total + most


def compensated(x, w, b):
    total, lost = 0.0, 0.0
    for i in range(len(x)):
        y = w * x[i] - lost
        t = total + y
        lost = (t - total) - y
        total = t
    return total * b


@pytest.mark.parametrize("function", [used_often, taken_off_only, read_between, compensated])
@pytest.mark.parametrize("n", [0, 1, 5, 50])
def test_gradients_are_the_tape_s(function, n):
    given = np.linspace(0.5, 1.5, n), 0.7, 0.3
    value, found = adc.value_and_grad(function, (0, 1, 2), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1, 2), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-13)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("function", [used_often, taken_off_only])
def test_sums_in_several_places_are_one(function):
    text = adc.source(adc.grad(function, (0, 1, 2)), np.ones(5), 0.7, 0.3, stage="optimized")
    assert text.count("w_bar = vm.add(w_bar, ") == text.count("b_bar = vm.add(b_bar, ") == 1
    assert "w_bar +=" not in text
    assert "vm.exp(" in text or "vm.cos(" in text


@pytest.mark.parametrize("function", [read_between, compensated])
def test_what_is_read_in_between_keeps_its_order(function):
    value = adc.source(adc.value_and_grad(function), np.ones(5), 0.7, 0.3, stage="optimized")
    assert "total = vm.add" not in value


def test_a_compensated_sum_is_compensated():
    x = np.where(np.arange(20000) % 2 == 0, 1.0, 1e-14)
    value, _ = adc.value_and_grad(compensated, mode="compiled")(x, 1.0, 1.0)
    assert value == compensated(x, 1.0, 1.0)
    assert value > 10000.0
