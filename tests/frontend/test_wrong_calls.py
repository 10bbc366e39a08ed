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
