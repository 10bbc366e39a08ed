"""`del owner.name` and `delattr(owner, "name")` of objects that the function makes, on every engine."""

import numpy as np
import pytest

import adc

X = np.array([0.3, 0.4, 0.5])


class Plain:
    default = 4.0


class Slots:
    __slots__ = ("a", "b")


class WithDeleter:
    def __init__(self):
        self.held, self.log = {}, 0.0

    @property
    def value(self):
        return self.held["value"]

    @value.setter
    def value(self, y):
        self.held["value"] = y

    @value.deleter
    def value(self):
        self.log += self.held["value"] * 2.0
        del self.held["value"]


class Counting:
    count = 0.0

    def __delattr__(self, name):
        object.__setattr__(self, "count", self.count + 1.0)
        super().__delattr__(name)


class Tripled:
    def __get__(self, owner, kind=None):
        return owner.whole * 3.0

    def __set__(self, owner, y):
        owner.whole = y

    def __delete__(self, owner):
        owner.whole = 0.5


class WithDescriptor:
    part = Tripled()


def is_not_there_any_more(x):
    o = Plain()
    o.a, o.b, o.w = x[0], x[1], x
    product = o.a * o.b
    del o.a, o.w
    return product * 3.0 * len(vars(o)) if not hasattr(o, "a") else product * 2.0


def set_again(x):
    o = Plain()
    o.a = x[0]
    delattr(o, "a")
    o.a = x[1]
    return o.a * x[0]


def the_class_has_one_too(x):
    o = Plain()
    o.default = x[0]
    first = o.default
    object.__delattr__(o, "default")
    return first * o.default * x[1]


def raises(x):
    o = Plain()
    o.a = x[0]
    del o.a
    try:
        del o.a
    except AttributeError:
        return x[1] * x[2]
    return x[0]


def of_slots(x):
    o = Slots()
    o.a, o.b = x[0], x[1]
    del o.a
    return o.b * x[2] if not hasattr(o, "a") else x[0]


def by_the_class(x):
    o, counting, described = WithDeleter(), Counting(), WithDescriptor()
    o.value, described.part = x[0] * x[1], x[0]
    counting.a, counting.b = x[0], x[1]
    product = counting.a * counting.b * described.part
    del o.value, counting.a, counting.b, described.part
    return o.log + len(o.held) + product * counting.count * described.part


def in_a_loop(x):
    o, total = Plain(), 0.0
    for v in x:
        o.square = v * v
        total += o.square
        del o.square
    return total


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize(
    "f",
    [
        is_not_there_any_more,
        set_again,
        the_class_has_one_too,
        raises,
        of_slots,
        by_the_class,
        in_a_loop,
    ],
)
def test_an_attribute_that_is_deleted(f, mode):
    value, gradient = adc.value_and_grad(f, mode=mode)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(
        gradient, [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)], rtol=1e-7, atol=1e-8
    )


KEPT = Plain()


def test_of_an_object_outside_it_is_refused():
    with pytest.raises(adc.UnsupportedError, match="no object of the function"):
        adc.grad(lambda x: (delattr(KEPT, "a"), x[0])[1], mode="python")(X)
