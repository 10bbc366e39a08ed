"""The names of numbers that took the place of arrays: the user's, and those of adjoints."""

from __future__ import annotations

import numpy as np

import adc

X = np.linspace(0.2, 0.9, 12).reshape(3, 4)


def text(function, *arguments):
    return adc.grad(function, mode="compiled").source(*arguments, stage="optimized")


def test_names_of_the_user_are_those_of_the_elements():
    def f(x, w):
        angle = x * w
        wave = np.sin(angle) * x
        return np.sum(np.exp(-wave * wave) / (1.0 + angle))

    lines = text(f, X, X)
    assert " angle = x_element * " in lines
    assert " wave = " in lines
    assert " wave_bar = " in lines
    assert " angle_bar = " in lines


def test_an_array_that_is_left_keeps_its_name_for_itself():
    def f(x, w):
        h = np.tanh(x * 2.0)
        return np.sum((h @ w) ** 2)

    lines = text(f, X, np.ones(4))
    assert " h[" in lines
    assert " h = vm" not in lines
    assert "h_2" not in lines


def test_adjoints_of_nameless_values_stand_where_they_are_read():
    def f(x, w):
        return np.sum(np.log(1.0 + np.exp(-x * w)) * w)

    lines = text(f, X, X)
    assert "_bar = " not in lines.replace("x_bar = rt.", "").replace("w_bar = rt.", "")


def test_a_sum_of_adjoints_is_one_expression():
    def f(x):
        slope = x * 0.5
        return np.sum(slope * np.cos(slope) + np.sin(slope))

    lines = text(f, X)
    assert lines.count("slope_bar = ") <= 1
