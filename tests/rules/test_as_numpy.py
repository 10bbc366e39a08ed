"""The edges of functions are NumPy's: coefficients that are zero, arrays without elements, calls that it refuses."""

import numpy as np
import pytest

import adc

X = np.array([0.6, -0.2, 1.1])
NOTHING = np.zeros(0)


def product_with_leading_zeros(x):
    return np.sum(np.polymul(np.array([0.0, 0.0, 2.0, 1.0]), x) ** 2)


def product_whose_zeros_change(x):
    first, second = np.polymul(x, np.array([1.0, 0.0, 2.0])), np.polymul(x, np.array([0.0, 1.0, 2.0]))
    return first[0] * second[0] * first.size * second.size


def product_of_zeros(x):
    return np.polymul(x, np.zeros(2))[0] + x[0]


def quotient_of_integers(x):
    return np.sum(np.polydiv(np.array([1, 2, 3, 4]), x)[0] ** 2)


def sums_of_numbers_and_polynomials(x):
    return np.sum(np.polyadd(x, 0.5) ** 2) + np.sum(np.polysub(2.0, x) ** 2) + np.sum(np.polymul(x, 3.0))


def norm_of_nothing(x):
    return np.linalg.norm(x[:0], -1) + np.linalg.norm(x[:0], 0.5) + np.sum(x)


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
@pytest.mark.parametrize(
    "f",
    [
        product_with_leading_zeros,
        product_whose_zeros_change,
        product_of_zeros,
        quotient_of_integers,
        sums_of_numbers_and_polynomials,
        norm_of_nothing,
    ],
    ids=lambda f: f.__name__,
)
def test_values(f, mode):
    with np.errstate(all="ignore"):
        expected = f(X)
        value, gradient = adc.value_and_grad(f, mode=mode)(X)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    if np.isfinite(expected):
        steps = 1e-6 * np.eye(3)
        differences = [(f(X + step) - f(X - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("reduce", [np.max, np.min, np.maximum.reduce, np.minimum.reduce, np.sum])
def test_first_axis_of_an_array_without_axes(reduce, mode):
    value, gradient = adc.value_and_grad(lambda x: reduce(x, axis=0) ** 2, mode=mode)(np.array(0.4))
    np.testing.assert_allclose([value, gradient], [0.16, 0.8])


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
def test_axes_put_in_on_both_sides(mode):
    value, pull = adc.vjp(lambda x: np.expand_dims(x * x, (0, -1)), X, mode=mode)
    assert value.shape == (1, 3, 1)
    np.testing.assert_allclose(pull(np.ones((1, 3, 1)))[0], 2.0 * X)


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_outer_product_with_a_length(mode):
    value, gradient = adc.value_and_grad(lambda x, n: np.sum(np.outer(x, n) ** 2), mode=mode)(X, 2)
    np.testing.assert_allclose(value, 4.0 * np.sum(X**2))
    np.testing.assert_allclose(gradient, 8.0 * X)


@pytest.mark.filterwarnings("ignore")
def test_deviation_of_nothing_in_single_precision():
    value = adc.value_and_grad(lambda x: np.std(x, dtype=np.float32), mode="tape")(NOTHING)[0]
    assert np.isnan(np.asarray(value)) and np.asarray(value).dtype == np.float32


REFUSED = {
    "method_with_correction": lambda x: x.std(correction=1),
    "out_of_sinc": lambda x: np.sum(np.sinc(x, out=np.zeros(3))),
    "out_of_linspace": lambda x: np.sum(np.linspace(x[0], 1.0, 3, out=np.zeros(3))),
    "negative_order": lambda x: np.sum(np.diff(x, -1)),
    "dstack_of_a_number": lambda x: np.sum(np.dstack(x[0])),
    "hstack_of_a_number": lambda x: np.sum(np.hstack(x[0])),
    "column_stack_of_a_number": lambda x: np.sum(np.column_stack(x[0])),
    "axis_put_in_twice": lambda x: np.sum(np.expand_dims(x, (0, 0))),
}


@pytest.mark.parametrize("mode", ["auto", "tape", "python"])
@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, mode):
    f = REFUSED[name]
    try:
        f(X)
    except (TypeError, ValueError) as error:
        numpys = error
    else:
        pytest.skip("this NumPy takes it")
    with pytest.raises(Exception) as raised:
        adc.grad(f, mode=mode)(X)
    # Without another engine to ask, what surely happens is said of the user's line.
    assert isinstance(raised.value, type(numpys)) or f"{type(numpys).__name__}: {numpys}" in str(raised.value)
