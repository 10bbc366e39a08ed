"""A text, an enum member or None that the data choose is what the function returns beside its numbers."""

import enum

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]


class State(enum.Enum):
    LOW = 1
    HIGH = 2


def named(x):
    return x * x, "high" if x > 1 else "low"


def in_containers(x):
    if x > 1:
        found = {"state": State.HIGH, "steps": 3, "parts": ["a", x]}
    else:
        found = {"state": State.LOW, "steps": 4, "parts": ["b", 2.0 * x]}
    return x * x, found


def of_three(x):
    return x * x, "high" if x > 1 else ("middle" if x > 0.3 else "low")


def nothing_or_text(x):
    return x * x, None if x > 1 else "late"


def nothing_or_number(x):
    best = None
    if x > 1:
        best = x * 3.0
    return x * x, best


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [named, in_containers, of_three, nothing_or_text, nothing_or_number])
def test_beside_the_value(f, mode):
    both = adc.value_and_grad(f, has_aux=True, mode=mode)
    for x in (2.0, 0.5, 0.1, 2.0):
        assert both(x) == (f(x), 2 * x)
        assert adc.grad(f, has_aux=True, mode=mode)(x) == (2 * x, f(x)[1])


def label_first(x):
    return "high" if x > 1 else "low", x * x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("x", [2.0, 0.5])
def test_in_a_result(mode, x):
    value, pull = adc.vjp(label_first, x, mode=mode)
    assert value == label_first(x)
    assert pull((0.0, 3.0)) == (6 * x,)
    value, dot = adc.jvp(label_first, (x,), (3.0,), mode=mode)
    assert value == label_first(x) and dot == (0.0, 6 * x)
    value, push = adc.linearize(label_first, x, mode=mode)
    assert value == label_first(x) and push(3.0) == (0.0, 6 * x)


@pytest.mark.parametrize("mode", MODES)
def test_in_a_derivative_within(mode):
    def f(x):
        (value, name), slope = adc.value_and_grad(named, has_aux=True)(x)
        return slope * value if name == "high" else slope

    assert adc.grad(f, mode=mode)(2.0) == 24.0
    assert adc.grad(f, mode=mode)(0.5) == 2.0


def described(x):
    return x * x, f"{x:.2f}"


def closed(x):
    return x * x, lambda y: y * x


def counted(x):
    return x * x, range(int(x))


@pytest.mark.parametrize(
    ("f", "what"), [(described, "a text with"), (closed, "function"), (counted, "range")]
)
def test_what_compiled_code_cannot_return_is_refused(f, what):
    with pytest.raises(adc.UnsupportedError, match=what):
        adc.value_and_grad(f, has_aux=True, mode="compiled")(2.0)
    (value, _), slope = adc.value_and_grad(f, has_aux=True, mode="tape")(2.0)
    assert (value, slope) == (4.0, 4.0)


def test_a_text_for_each_element_is_refused():
    with pytest.raises(adc.UnsupportedError, match=r"a batch of a text[\s\S]*number in its place"):
        adc.vmap(named, mode="compiled")(np.array([2.0, 0.5]))
    with pytest.raises(adc.UnsupportedError, match=r"jacobian of a text[\s\S]*has_aux=True"):
        adc.jacobian(named, mode="compiled")(2.0)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_a_number_or_none_has_no_one_structure(mode):
    with pytest.raises(adc.DerivativeError, match="None on some paths"):
        adc.vjp(nothing_or_number, 2.0, mode=mode)
