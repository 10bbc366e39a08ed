"""Numbers of Python's beside float32 keep it, in values and in gradients; what is float64 makes float64."""

import math
import operator

import numpy as np
import pytest

import adc
from adc import tape

pytestmark = pytest.mark.tiny

X = np.array([0.5, 1.5, 2.5], np.float32)
NAMES = ["add", "sub", "mul", "truediv", "pow", "mod"]
NUMBERS = [2.5, 3, 0.1]


def same_types(function):
    """Compare a function's types with NumPy's on the plain array."""
    x = tape.tensor(X, requires_grad=True)
    y = function(x)
    assert y.dtype == function(X.copy()).dtype
    bar = np.ones(y.shape, y.dtype)
    for create_graph in (False, True):
        (g,) = tape.autograd.grad(y, x, bar, retain_graph=True, create_graph=create_graph)
        assert g.dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", NUMBERS)
def test_operators(name, number):
    function = getattr(operator, name)
    same_types(lambda x: function(x, number))
    same_types(lambda x: function(number, x))
    same_types(lambda x: function(x.sum(), number))
    same_types(lambda x: function(x[1], number) * x)


@pytest.mark.parametrize("zero", [0.0, 0, -0.0])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_division_by_zero(zero):
    same_types(lambda x: x / zero)
    same_types(lambda x: np.nan_to_num(x / zero, posinf=2.0))
    assert np.all(np.sign((tape.tensor(X) / zero).numpy()) == np.sign(X / zero))


def written(x):
    y = x * 1
    y[0] = 2.5
    y += 0.1
    return y


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.maximum(x, 1.0),
        lambda x: np.clip(x, 0.6, 2.0),
        lambda x: np.hypot(x, 1.0),
        lambda x: np.logaddexp(x, 0.0),
        lambda x: np.arctan2(x, 1.0),
        lambda x: np.power(x, 0.5),
        lambda x: np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi),
        lambda x: np.linalg.norm(x) * 0.5,
        lambda x: np.prod(x) * 0.3,
        lambda x: x.mean() / 3,
        lambda x: np.var(x) * 2.0,
        lambda x: np.stack([x, x * 0.5]),
        lambda x: x * np.array([1.0, 2.0, 3.0]),
        lambda x: x * np.float64(2.0),
        lambda x: x * np.array(2.0),
        written,
    ],
)
def test_functions(function):
    same_types(function)


NARROW = np.array([0.3, 1.7], np.float32)
OPERANDS = [
    0.1,
    np.float64(0.1),
    np.float32(0.1),
    np.array(0.1),
    np.array(0.1, np.float32),
    np.array([0.1, 0.7]),
]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: y / x,
        lambda x, y: y**x,
        lambda x, y: (x * 2.0 + 1) * y,
        lambda x, y: math.exp(float(np.sum(x))) * y,
        lambda x, y: np.exp(x) * y,
        lambda x, y: np.add(x, 1.0) * y,
        lambda x, y: np.maximum(x, y),
        lambda x, y: np.where(y > x, x, y),
        lambda x, y: np.clip(y, x, 5.0),
        lambda x, y: np.hypot(y, x),
        lambda x, y: y // x * x,
        lambda x, y: np.float32(0.1) * np.sum(x < np.float32(0.1)) * x,
        lambda x, y: np.sum(np.ones_like(y) * x),
        lambda x, y: np.linspace(x, y, 3),
        lambda x, y: np.ones(2).astype(np.result_type(x, y)) * x,
    ],
)
@pytest.mark.parametrize("y", [NARROW, NARROW[0], np.array([1, 2]), np.float64(0.3)])
def test_a_number_of_pythons_beside_another(function, y):
    for x in OPERANDS:
        expected = np.asarray(function(x, y))
        found, pull = adc.vjp(lambda x: function(x, y), x, mode="tape")
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-7)  # powers of numbers are rounded otherwise
        (bar,) = pull(np.ones_like(expected))
        assert np.shape(bar) == np.shape(x) and np.asarray(bar).dtype == np.asarray(x).dtype


def test_an_argument_beside_arrays_of_single_precision_is_a_number_of_pythons():
    value, bar = adc.value_and_grad(lambda t, a: np.sum(t * t * a), mode="tape")(0.1, NARROW)
    assert value == np.sum(0.1 * 0.1 * NARROW) and value.dtype == np.float32
    assert bar == pytest.approx(0.4, rel=1e-6)
