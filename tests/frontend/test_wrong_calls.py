"""A call of a built-in function with arguments that it does not take is refused at its line."""

import numpy as np
import pytest

import adc


def three_arguments(x):
    return divmod(7, 2, 3)[0] * x[0]


def an_unknown_keyword(x):
    return sum(x, begin=1.0)


@pytest.mark.tiny
@pytest.mark.parametrize("function", [three_arguments, an_unknown_keyword])
def test_arguments_that_it_does_not_take(function):
    with pytest.raises(adc.AdcError, match="argument") as caught:
        adc.grad(function, mode="python")(np.ones(2))
    assert not isinstance(caught.value, adc.InternalError)


def written_to_a_part(x):
    y = np.zeros(8)
    y[:] = np.ones(4) * x[0]
    return y.sum()


def indexed_by_lists(x):
    a = np.outer(x, x)
    return a[[0, 1], [0, 1, 0]].sum()


@pytest.mark.tiny
@pytest.mark.parametrize("function", [written_to_a_part, indexed_by_lists])
def test_lengths_that_do_not_fit(function):
    with pytest.raises(adc.ShapeError, match="broadcast") as caught:
        adc.grad(function, mode="python")(np.ones(2))
    assert caught.value.location.line > 0


def number_called(x):
    scale = 2.0
    return scale(x)


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_what_is_no_function_is_said(mode):
    with pytest.raises(adc.UnsupportedError, match="a float is called here, and is no function"):
        adc.grad(number_called, mode=mode)(1.5)
