"""On the tape `float(x)` and `complex(x, y)` keep the derivative, and functions of `math` raise as Python's do."""

import dataclasses
import decimal
import fractions
import functools
import math

import numpy as np
import pytest

import adc

X = np.array([0.5, -1.5, 2.0])
ONE = 1.0


def of_a_sum(x):
    return float(np.sum(x * x)) * x[0]


def of_an_array_of_one(x):
    return float(np.sum(x * x, keepdims=True)[0]) * 3.0


def mapped(x):
    return sum(map(float, x * x))


def of_a_complex(x):
    return abs(complex(x[0], x[1] * x[2])) + complex(1.0, x[0]).imag + complex(x[1]).real


def of_single_precision(x):
    return float(x.astype(np.float32)[0]) * 3.0


def as_a_dtype(x):
    y = np.zeros(3, dtype=float)
    y[:] = x
    z = np.asarray(x, float).astype(complex)
    return np.sum(y * y.astype(float)) + np.abs(z[0])


def in_a_match(x):
    match float(x[0]):
        case int() | complex():
            return x[2]
        case float(v) if v > 0:
            return v * v
        case _:
            return x[1]


def default_of_a_dict(x):
    import collections

    total = collections.defaultdict(float)
    for k, v in enumerate(x):
        total[k % 2] += v * v
    return total[0] * total[1]


def numbers_of_text(x):
    return float("2.5") * x[0] + float("inf") * 0 if x[0] > 9 else float("2.5") * x[0]


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (of_a_sum, 2 * X * X[0] + np.array([X @ X, 0, 0])),
        (of_an_array_of_one, 6 * X),
        (mapped, 2 * X),
        (of_a_complex, np.array([0.5, -3 * 2, 3 * 1.5]) / math.hypot(0.5, 3.0) + np.array([1.0, 1.0, 0.0])),
        (of_single_precision, np.array([3.0, 0, 0])),
        (as_a_dtype, 2 * X + np.array([1.0, 0, 0])),
        (in_a_match, np.array([1.0, 0, 0])),
        (
            default_of_a_dict,
            2 * X * np.array([X[1] ** 2, X[0] ** 2 + X[2] ** 2, X[1] ** 2]),
        ),
        (numbers_of_text, np.array([2.5, 0, 0])),
    ],
)
def test_what_is_made_of_a_number_keeps_its_derivative(f, wanted):
    value, bar = adc.value_and_grad(f, mode="tape")(X)
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(bar, wanted, rtol=1e-12, atol=1e-14)
    h = 1e-6 * np.ones(3)
    second = adc.hvp(f, (X,), (np.ones(3),), mode="tape")[0]
    slope = (adc.grad(f, mode="tape")(X + h) - adc.grad(f, mode="tape")(X - h)) / 2e-6
    np.testing.assert_allclose(second, slope, rtol=1e-5, atol=1e-5)


def test_the_names_are_the_classes():
    @dataclasses.dataclass
    class Point:
        x: float

    def f(x):
        class Metres(float):
            pass

        y = float(x)
        assert isinstance(y, float) and type(y) is float and type(ONE) is float
        assert type(y) in (int, float) and not isinstance(y, np.floating) and not isinstance(y, complex)
        assert issubclass(np.float64, float) and type(ONE) in {float} and {float: 1}[type(y)] == 1
        assert isinstance(complex(x, 1.0), complex) and str(float) == "<class 'float'>"
        assert np.dtype(float) == np.float64 and np.issubdtype(np.float64, float)
        assert isinstance(Metres(2.0), float) and not isinstance(2.0, Metres) and Metres(2.0) == 2.0
        assert float.fromhex("0x1p3") == 8.0 and isinstance(float("1"), float)
        point = Point(float(x))
        return point.x * y

    assert adc.grad(f, mode="tape")(np.float64(3.0)) == 6.0


KIND = float
WIDER = {float: 2.0, int: 3.0}


def converted(v, kind=float):
    return kind(v)


def by_other_names(x):
    return converted(x[0]) * KIND(x[1]) * (2.0 if type(ONE) is KIND else 3.0)


def in_tables(x):
    here, number = {float: 5.0}, 1.5
    return x[0] * WIDER[type(float(x[1]))] * here[type(number)]


def by_their_texts(x):
    named = (
        float.__name__ == "float" and repr(complex) == "<class 'complex'>" and float.__module__ == "builtins"
    )
    return x[0] * (2.0 if named else 3.0)


@functools.singledispatch
def by_class(v):
    return v * 10.0


@by_class.register(float)
def _(v):
    return v * v


def dispatched(x):
    return by_class(float(x[0])) + by_class(ONE) * x[2]


@pytest.mark.parametrize("f", [by_other_names, in_tables, by_their_texts, dispatched])
def test_the_classes_by_other_ways(f):
    value, bar = adc.value_and_grad(f, mode="tape")(X)
    slope = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    assert value == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(bar, slope, atol=1e-8)


@pytest.mark.parametrize("make", [float, complex])
def test_what_is_no_number_is_refused_as_python_does(make):
    def f(x):
        return make(x) + 0.0

    def g(x):
        return float(x) + 0.0

    with pytest.raises(TypeError):
        adc.grad(g, mode="tape")(X)
    with pytest.raises((TypeError, adc.AdcError)):
        adc.grad(f, mode="tape")(X)


def logarithm(x):
    try:
        return math.log(x)
    except ValueError:
        return 7.0 * x


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return 7.0 * x


def root(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return 7.0 * x


def power(x):
    try:
        return x**400.0
    except OverflowError:
        return 7.0 * x


def of_zero(x):
    try:
        return x**-1.5
    except ZeroDivisionError:
        return 7.0 + 7.0 * x


def power_of_two(x):
    try:
        return 10.0**x
    except OverflowError:
        return 7.0 * x


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (logarithm, 0.0),
        (logarithm, -2.0),
        (exponential, 1000.0),
        (root, -1.0),
        (power, 10.0),
        (of_zero, 0.0),
        (power_of_two, 500.0),
    ],
)
def test_numbers_raise_as_pythons_do(f, x):
    assert adc.value_and_grad(f, mode="tape")(x) == (f(x), 7.0)
    assert adc.grad(f, mode="tape")(1.5) != 7.0


def test_a_number_of_numpys_does_not_raise():
    with np.errstate(all="ignore"):
        assert adc.value_and_grad(power, mode="tape")(np.float64(10.0))[0] == np.inf


def test_a_power_that_python_makes_complex_is_refused():
    with pytest.raises(adc.UnsupportedError, match=r"complex[\s\S]*x\*\*0\.5"):
        adc.grad(lambda x: abs(x**0.5), mode="tape")(-2.0)


def test_a_power_of_what_math_gives_raises():
    with pytest.raises(OverflowError):
        adc.grad(lambda x: math.exp(x) ** 400.0, mode="tape")(10.0)


def test_numbers_of_pythons_library_are_compared():
    """A Fraction and a Decimal leave what they do not know to the other side, and a Tensor did so, too."""

    def chosen(x):
        near = [v**2 for v in x if v == fractions.Fraction(1, 2) or decimal.Decimal(1) < v]
        return sum(near) + np.sum(np.where(x != fractions.Fraction(2), 3.0 * x, x))

    np.testing.assert_array_equal(adc.grad(chosen, mode="tape")(X), [2 * 0.5 + 3.0, 3.0, 2 * 2.0 + 1.0])
