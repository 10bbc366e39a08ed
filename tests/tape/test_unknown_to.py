"""Code that knows no Tensors is named by the user's line, with what to do."""

import datetime
import decimal
import json
import re

import numpy as np
import pytest

import adc

CALLS = [
    lambda x: float(decimal.Decimal(x[0])),
    lambda x: datetime.timedelta(seconds=x[0]).total_seconds(),
    lambda x: json.loads(json.dumps(x[0])),
    lambda x: np.sum(memoryview(x)),
    lambda x: x.ctypes.data * x[0],
]


@pytest.mark.tiny
@pytest.mark.parametrize("f", CALLS, ids=range(len(CALLS)))
def test_what_knows_no_tensors(f):
    with pytest.raises(adc.UnsupportedError, match=r"custom_vjp") as caught:
        adc.grad(f, mode="tape")(np.array([1.5, 2.0]))
    assert f"test_unknown_to.py:{f.__code__.co_firstlineno}:" in str(caught.value)


def test_the_line_is_where_it_was_raised():
    """Not where the function has gone on to since: a `finally`, or the end of a comprehension."""

    def left_by_finally(x):
        y = x[0]
        try:
            return y * decimal.Decimal(x[1])
        finally:
            y = 2.0
            del y

    def in_a_comprehension(x):
        values = [
            v * w
            for v in x
            for w in [decimal.Decimal(v)]
        ]  # fmt: skip
        return sum(values)

    for f, lines in ((left_by_finally, 3), (in_a_comprehension, 4)):
        with pytest.raises(adc.UnsupportedError) as caught:
            adc.grad(f, mode="tape")(np.array([1.5, 2.0]))
        assert caught.value.location.line == f.__code__.co_firstlineno + lines


class Tensor:
    """A class of the user's."""

    def __init__(self, value):
        self.value = value


@pytest.mark.tiny
def test_a_class_of_the_users_of_that_name():
    def f(x):
        return x[0] * Tensor(x[1])

    text = re.escape("unsupported operand")
    with pytest.raises(TypeError, match=text):
        f(np.array([1.5, 2.0]))
    with pytest.raises(TypeError, match=text):
        adc.grad(f, mode="tape")(np.array([1.5, 2.0]))


@pytest.mark.parametrize(("x", "kind"), [(np.ones(3), "numpy.ndarray"), (2.0, "float")])
def test_an_attribute_that_arrays_lack_is_what_numpy_says(x, kind):
    def f(x):
        y = x * 2.0
        return y.nonsense()

    with pytest.raises(AttributeError, match=f"'{kind}' object has no attribute 'nonsense'"):
        adc.grad(f, mode="tape")(x)
