"""What a table outside a function holds is read at each call, and positions past its end raise."""

import pytest

import adc

TABLE = [0.5 * k for k in range(12)]
LARGE = [2**60 + 1, *TABLE]


def entry(x):
    return TABLE[int(x)] * x


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_table_that_changes_between_calls(mode):
    gradient = adc.grad(entry, mode=mode)
    assert gradient(7.5) == 3.5
    TABLE[7] = 11.0
    try:
        assert gradient(7.5) == 11.0
        assert gradient(8.5) == 4.0
    finally:
        TABLE[7] = 3.5


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_position_past_the_end(mode):
    with pytest.raises(IndexError, match="list index out of range"):
        adc.grad(entry, mode=mode)(12.5)
    assert adc.grad(entry, mode=mode)(-2.5) == 5.0


def test_a_whole_number_that_is_no_float_stays_one():
    with pytest.raises(adc.UnsupportedError, match="only known at run time"):
        adc.grad(lambda x: LARGE[int(x)] * x, mode="python")(0.5)
