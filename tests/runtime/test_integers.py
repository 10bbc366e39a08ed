"""The integer functions of compiled code against those of math: equal, or OverflowError beyond 64 bits."""

import math

import pytest

from adc.runtime import integers

LARGEST = 2**63 - 1
CALLS = [("factorial", (n,)) for n in (0, 1, 20, 21, 30)]
CALLS += [("perm", pair) for pair in ((5, 2), (2, 5), (0, 0), (20, 20), (60, 12))]
CALLS += [("comb", pair) for pair in ((5, 2), (2, 5), (62, 31), (66, 33), (67, 33), (10**9, 2), (100, 97))]
CALLS += [("lcm", pair) for pair in ((4, 6), (-4, 6), (0, 3), (2**40, 2**40 - 1))]
CALLS += [("isqrt", (n,)) for n in (0, 1, 8, 9, 2**52, 3037000499**2 - 1, 3037000499**2, LARGEST)]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_as_math_or_beyond_64_bits(name, arguments):
    wanted = getattr(math, name)(*arguments)
    if wanted > LARGEST:
        with pytest.raises(OverflowError, match="beyond 64 bits"):
            getattr(integers, name)(*arguments)
    else:
        assert getattr(integers, name)(*arguments) == wanted


@pytest.mark.parametrize(("name", "arguments"), [("factorial", (-1,)), ("comb", (-1, 2)), ("isqrt", (-1,))])
def test_negative_integers_are_refused(name, arguments):
    with pytest.raises(ValueError):
        getattr(integers, name)(*arguments)
