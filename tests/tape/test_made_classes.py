"""Objects of classes that Python makes for the program, and namespaces, hold what the program gives them."""

import argparse
import collections
import dataclasses
import math
import types

import pytest

import adc


def area(self, x):
    return math.sin(x) * self.side


Made = dataclasses.make_dataclass("Made", [("side", float)], namespace={"area": area})
New = types.new_class("New", (), {}, lambda names: names.update(side=2.0, area=area))
THINGS = {
    "dataclass": lambda: Made(2.0),
    "class": New,
    "namespace": lambda: types.SimpleNamespace(side=2.0, area=lambda x: math.sin(x) * 2.0),
    "arguments": lambda: argparse.Namespace(side=2.0, area=lambda x: math.sin(x) * 2.0),
}


@pytest.mark.parametrize("kind", THINGS)
def test_functions_in_them_are_traced(kind):
    thing = THINGS[kind]()

    def f(x):
        return thing.area(x) * x

    assert adc.grad(f, mode="tape")(0.5) == pytest.approx(2.0 * (math.cos(0.5) * 0.5 + math.sin(0.5)))


@pytest.mark.parametrize("kind", THINGS)
def test_what_is_left_in_them_is_plain(kind):
    thing = THINGS[kind]()

    def f(x):
        thing.side = 2.0 * x
        return thing.side * x

    assert adc.grad(f, mode="tape")(0.5) == pytest.approx(2.0)
    assert thing.side == 1.0
    assert not isinstance(thing.side, adc.Tensor)


CONTAINERS = [
    collections.UserDict(side=1.0),
    collections.UserList([1.0]),
    collections.ChainMap({"side": 1.0}, {"other": 2.0}),
]


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda container: type(container).__name__)
def test_what_is_left_in_pythons_containers_is_plain(container):
    key = 0 if isinstance(container, collections.UserList) else "side"

    def f(x):
        container[key] = 2.0 * x
        return container[key] * x

    assert adc.grad(f, mode="tape")(0.5) == pytest.approx(2.0)
    assert not isinstance(container[key], adc.Tensor)
