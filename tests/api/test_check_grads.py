"""`check_grads` passes what is right and says which argument and element is wrong."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import adc
from adc.api import Derivative, specialise, transformed
from adc.testing.check import GradientMismatch


def loss(params, x, n):
    return np.sum(np.tanh(x @ params["w"]) * params["b"]) * n


@pytest.fixture
def arguments():
    random = np.random.default_rng(0)
    return {"w": random.normal(size=(3, 2)), "b": 2.0}, random.normal(size=(4, 3)), 3


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_right_gradients_pass(arguments, mode):
    adc.check_grads(loss, arguments, mode=mode)
    adc.check_grads(loss, arguments, argnums="params", mode=mode)
    adc.check_grads(adc.grad(loss), arguments)
    adc.check_grads(lambda x: np.sum(x * x), (np.ones(3, np.float32),), mode=mode)


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("function", [np.sin, np.sum, np.max, np.sort, np.prod, np.kron, np.linalg.norm])
def test_functions_of_numpy_pass(function, mode):
    arrays = (np.array([0.5, 2.0, 1.0]),) * (2 if function is np.kron else 1)
    adc.check_grads(function, arrays, order=1, mode=mode)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_where_generated_code_fails_the_tape_is_checked(monkeypatch):
    def failing(*args):
        raise ZeroDivisionError("as no text of ours does")

    monkeypatch.setattr(
        specialise,
        "compiled",
        lambda context, inputs: specialise.specialisation(context, "compiled", failing),
    )
    monkeypatch.setattr(transformed, "compiled", specialise.compiled)
    adc.check_grads(lambda x: x * np.sin(x), (np.ones(3),), order=1)


def test_wrong_gradient_is_located(arguments, monkeypatch):
    call = Derivative.__call__

    def wrong(self, *args):
        value, gradients = call(self, *args)
        gradients[0]["w"][1, 0] *= 1.01
        return value, gradients

    monkeypatch.setattr(Derivative, "__call__", wrong)
    with pytest.raises(
        GradientMismatch, match=r"params\['w'\]` disagrees(.|\n)*Worst at `params\['w'\]\[1, 0\]`"
    ):
        adc.check_grads(loss, arguments)


def test_wrong_value_is_told(monkeypatch):
    call = Derivative.__call__

    def wrong(self, *args):
        value, gradients = call(self, *args)
        return value + 1e-3, gradients

    monkeypatch.setattr(Derivative, "__call__", wrong)
    with pytest.raises(GradientMismatch, match="computes the value"):
        adc.check_grads(lambda x: np.sum(x * x), (np.ones(3),))


def test_nothing_to_check():
    with pytest.raises(adc.ArgumentError, match="none of the arguments"):
        adc.check_grads(lambda n: n * 2, (3,))
    with pytest.raises(adc.ArgumentError, match="takes a tuple of arguments"):
        adc.check_grads(np.sin, np.ones(1))


def test_a_zero_that_rounding_has_left():
    def spread(x):  # of two numbers: half their distance, which has no curvature
        return np.std(x, axis=0)

    adc.check_grads(spread, (np.array([[0.1, 0.7, -0.3], [1.3, 0.2, 0.6]]),), mode="tape")


def test_what_is_missing_stays_where_it_is():
    adc.check_grads(lambda x: np.nanvar(x), (np.array([0.4, np.nan, 1.1]),), mode="tape")
    adc.check_grads(lambda x: np.sum(np.exp(x)), (np.array([0.4, -np.inf]),), mode="tape")
    adc.check_grads(lambda x: x * x, (float("nan"),), mode="tape")  # nothing moves


@pytest.mark.parametrize("half", [np.float16(0.5), np.ones(2, np.float16)])
def test_half_precision_has_too_few_digits_for_differences(half):
    with pytest.raises(adc.ArgumentError, match=r"half precision(.|\n)*np\.float32"):
        adc.check_grads(np.sum, (half,), mode="tape")
    with pytest.raises(adc.ArgumentError, match=r"half precision(.|\n)*np\.float32"):
        adc.grad(lambda x: np.sum(x), check="first", mode="tape")(half)


def test_what_disagrees_is_said_of_the_function():
    def cut(x):
        return adc.stop_gradient(x) * x

    with pytest.raises(GradientMismatch, match=r"test_check_grads.py:\d+:\d+: the gradient.*\n    def cut"):
        adc.check_grads(cut, (3.0,), mode="tape")


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return np.sum(np.sin(x)) * self.factor


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize(
    "function",
    [
        Scaled(2.0),
        Scaled(3.0).__call__,
        functools.partial(np.sum, axis=0, keepdims=True),
        functools.partial(np.cumsum, axis=0),
        functools.partial(lambda power, x, axis: np.sum(x**power, axis=axis), 3.0, axis=None),
        np.polynomial.Polynomial([1.0, 2.0, 3.0]),
        np.poly1d([1.0, 2.0, 3.0]),
    ],
    ids=[
        "object",
        "method",
        "partial_of_sum",
        "partial_of_cumsum",
        "partial_of_a_lambda",
        "series",
        "poly1d",
    ],
)
def test_callables_that_are_no_functions(function, mode):
    adc.check_grads(function, (np.array([0.3, 1.1]),), mode=mode)
