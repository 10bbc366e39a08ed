"""What an OrderedDict or a defaultdict is, where it is an argument and where the function makes it."""

from collections import Counter, OrderedDict, defaultdict, deque

import pytest

import adc


def by_class(d):
    scale = 2.0 if type(d) is dict else 3.0
    return (
        d["a"] * scale * (5.0 if isinstance(d, OrderedDict) else 7.0 if isinstance(d, defaultdict) else 1.0)
    )


def of_its_own(x):
    made = [OrderedDict(a=x), defaultdict(float, a=x), {"a": x}]
    total = sum(by_class(d) for d in made)
    return total + (x if type(deque([x])) is deque and type(Counter("a")) is Counter else 0.0)


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_a_dict_has_its_class(mode):
    derivative = adc.value_and_grad(by_class, mode=mode)
    for d in ({"a": 2.0}, OrderedDict(a=2.0), defaultdict(float, a=2.0), {"a": 2.0}):
        value, bar = derivative(d)
        assert value == by_class(d) and type(bar) is type(d)
    assert adc.grad(of_its_own, mode=mode)(2.0) == of_its_own(1.0)


def ends(x, r):
    return x * (r.stop + r.start + 1)


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_ranges_that_are_equal_have_their_own_ends(mode):
    derivative = adc.grad(ends, mode=mode)
    for r in (range(0), range(1, 1), range(0, 3, 2), range(0, 4, 2)):
        assert derivative(1.0, r) == ends(1.0, r)


def by_keys(d):
    return d.get(1, 0.0) * (2.0 if any(key is True for key in d) else 3.0)


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_keys_that_are_equal_have_their_own_class(mode):
    derivative = adc.value_and_grad(by_keys, mode=mode)
    for d in ({1: 2.0}, {True: 2.0}, {1.0: 2.0}, OrderedDict({1: 2.0}), OrderedDict({True: 2.0})):
        value, bar = derivative(d)
        assert value == by_keys(d) and repr(list(bar)) == repr(list(d))
