"""The short way into generated code takes the calls that the long way takes, and gives what it gives."""

from __future__ import annotations

import enum
import functools
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import adc
from adc.api import entry
from adc.api.arguments import read
from adc.api.specialise import Specialisation
from adc.compiler.frontend import columns


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Model:
    pass


A_MODEL = Model()
POINTS = np.arange(60.0).reshape(20, 3)

ARGUMENTS = [
    0.5,
    2,
    True,
    None,
    "relu",
    "tanh",
    1.0 + 2.0j,
    np.float32(0.5),
    np.float64(0.5),
    np.int64(2),
    np.bool_(True),
    Level.LOW,
    np.array(0.5),
    np.ones(0),
    np.ones(1),
    np.ones(3),
    np.ones(4),
    np.ones(5),
    np.ones(64),
    np.ones(64)[::2],
    np.ones(64, np.float32),
    np.ones(64, int),
    np.ones(64, complex),
    np.ones(64, ">f8"),
    np.ones((1, 64)),
    np.ones((64, 1)),
    np.ones((3, 3)),
    np.ones((5, 5)),
    np.ones((8, 9)),
    np.ones((8, 9)).T,
    POINTS,
    POINTS[:15],
    POINTS[:16],
    POINTS[:, :2].copy(),
    np.ones((6, 3, 3)),
    np.ones((16, 3, 3)),
    np.ones((20, 3, 2)),
    np.ones((2, 9, 3)),
    (3, 4),
    (3, 4.0),
    (3.0, 4.0),
    (3, True),
    (3, (4, 5)),
    (np.ones(5), 2),
    (np.ones(5), None),
    [np.ones(5), 2],
    [3, 4],
    [3, 4, 5],
    [0.5] * 9,
    [0.5] * 12,
    [2] * 9,
    [0.5] * 8 + [2],
    [np.ones(5)] * 9,
    [np.ones(6), np.ones(5)] * 5,
    [np.ones(5), np.ones((5, 5))] * 5,
    [np.ones(5), np.ones((5, 6))] * 5,
    [np.ones(5), np.ones((5, 5))] * 6,
    [(0.5, np.ones(5))] * 9,
    [(0.5, np.ones(6))] * 10,
    [(0.5, (np.ones(5), 2))] * 9,
    [(0.5, (np.ones(5), 2.0))] * 9,
    [{"w": 1.0, "b": np.ones(5)}] * 9,
    [{"b": np.ones(5), "w": 1.0}] * 9,
    [{"b": np.ones(5), "w": 1.0}] * 8 + [{"b": np.ones(6), "w": 1.0}],
    [[1.0, 2.0]] * 9,
    [[1.0, 2.0]] * 8 + [[1.0]],
    {"a": [0.5] * 9},
    (),
    [],
    {},
    {"a": 1.0, "b": np.ones(5)},
    {"b": np.ones(5), "a": 1.0},
    {"a": 1.0, "b": np.ones(3)},
    {"a": 1.0, "c": np.ones(5)},
    {"a": {"b": [1.0, 2.0]}, "c": "relu"},
    {"a": {"b": [1.0, 2]}, "c": "relu"},
    {1: 1.0},
    SimpleNamespace(a=1.0),
    A_MODEL,
    Model(),
    np.sum,
    max,
    slice(1, 3),
]


def key_and_inputs(value, wanted):
    key, inputs = [], []
    read((value,), (wanted,), key, inputs, columns.of)
    return tuple(key), inputs


def entry_for(value, wanted, runs):
    known = Specialisation(lambda *inputs: runs.append(inputs), "python")
    return entry.made(known, (value,), (wanted,), slice(0, 1), columns.of, None)


@pytest.mark.parametrize("wanted", [False, True], ids=["fixed", "differentiated"])
def test_it_takes_arguments_of_one_key_alone(wanted):
    entries, missed_its_own, runs = 0, [], []
    for value in ARGUMENTS:
        one = entry_for(value, wanted, runs)
        if one is None:
            continue
        entries += 1
        key, _ = key_and_inputs(value, wanted)
        for other in ARGUMENTS:
            runs.clear()
            if one((other,)) is entry.MISSED:
                if other is value:
                    missed_its_own.append(value)
                continue
            other_key, other_inputs = key_and_inputs(other, wanted)
            assert other_key == key, (value, other)
            [found] = runs
            assert len(found) == len(other_inputs)
            for x, y in zip(found, other_inputs, strict=True):
                assert x is y or (type(x) is type(y) and np.array_equal(x, y))
    assert entries > 45 and missed_its_own == []


def test_wrong_numbers_of_arguments_are_missed():
    one = entry_for(0.5, True, [])
    assert one(()) is entry.MISSED and one((0.5, 0.5)) is entry.MISSED


def goes_the_short_way(derivative):
    return derivative._entry is not entry.none_yet


def loss(p, x, scale=2.0, *, power=2):
    return scale * np.sum((x @ p["w"] + p["b"]) ** power)


def test_results_are_those_of_the_long_way():
    rng = np.random.default_rng(0)
    g = adc.value_and_grad(loss)
    for _ in range(4):
        p = {"w": rng.normal(size=(5, 6)), "b": rng.normal(size=6)}
        x = rng.normal(size=(7, 5))
        value, gradient = g(p, x)
        r = 4.0 * (x @ p["w"] + p["b"])
        assert value == pytest.approx(np.sum(r * r) / 8.0)
        np.testing.assert_allclose(gradient["w"], x.T @ r)
        np.testing.assert_allclose(gradient["b"], r.sum(0))
    assert goes_the_short_way(g)
    assert g(p, x, 4.0)[0] == pytest.approx(2.0 * value) and g(p, x, power=2)[0] == pytest.approx(value)
    assert g(p, x)[0] == pytest.approx(value)


def test_calls_of_several_kinds_in_turn():
    g = adc.grad(lambda x: np.sum(x * x))
    values = [2.0, np.ones(3), np.ones(3, np.float32), np.ones((2, 2)), np.float32(2.0), 3]
    for value in itertools.chain(values, values, values, reversed(values)):
        found = g(value)
        np.testing.assert_array_equal(found, 2 * np.asarray(value))
        if isinstance(value, np.ndarray):
            assert found.dtype == value.dtype


WEIGHTS = np.full(3, 2.0)
FACTOR = 3
STATE = {"rate": 0.5}


def with_what_is_outside(x):
    return np.sum(x * WEIGHTS) * FACTOR * STATE["rate"]


def test_what_is_outside_is_read_at_each_call(monkeypatch):
    g, x = adc.grad(with_what_is_outside), np.ones(3)

    def agrees():
        for _ in range(3):
            np.testing.assert_allclose(g(x), WEIGHTS * FACTOR * STATE["rate"] * np.ones(3))
        assert goes_the_short_way(g)

    agrees()
    monkeypatch.setitem(globals(), "WEIGHTS", np.full(3, 5.0))
    agrees()
    monkeypatch.setitem(globals(), "FACTOR", 7)
    agrees()
    monkeypatch.setitem(STATE, "rate", 0.25)
    agrees()
    monkeypatch.setitem(globals(), "WEIGHTS", np.float64(5.0))
    agrees()
    monkeypatch.delitem(STATE, "rate")
    with pytest.raises(KeyError), pytest.warns(adc.errors.FallbackWarning, match="KeyError"):
        g(x)


def test_another_function_under_a_name(monkeypatch):
    monkeypatch.setitem(globals(), "activation", np.sin)
    g = adc.grad(lambda x: activation(x))  # noqa: F821
    assert [g(0.5) for _ in range(3)][2] == np.cos(0.5)
    monkeypatch.setitem(globals(), "activation", np.cos)
    assert [g(0.5) for _ in range(3)][2] == -np.sin(0.5)


def test_new_defaults():
    def scaled(x, factor=2.0):
        return factor * x

    g = adc.grad(lambda x: scaled(x))
    assert [g(1.0) for _ in range(3)] == [2.0, 2.0, 2.0]
    scaled.__defaults__ = (5.0,)
    assert [g(1.0) for _ in range(3)] == [5.0, 5.0, 5.0]


def test_new_defaults_of_the_function_itself():
    def scaled(x, factor=2.0):
        return factor * x

    g = adc.grad(scaled)
    assert [g(1.0) for _ in range(3)] == [2.0, 2.0, 2.0]
    scaled.__defaults__ = (5.0,)
    assert [g(1.0) for _ in range(3)] == [5.0, 5.0, 5.0]


def test_what_a_partial_application_holds():
    def scaled(x, factor, n):
        return factor * x**n

    fixed = functools.partial(scaled, n=1)
    g = adc.grad(fixed)
    assert [g(1.0, 3.0) for _ in range(3)] == [3.0, 3.0, 3.0]
    fixed.keywords["n"] = 2
    assert [g(1.0, 3.0) for _ in range(3)] == [6.0, 6.0, 6.0]
    by_position = adc.grad(functools.partial(scaled, 3.0))
    assert [by_position(factor, 2) for factor in (1.0, 2.0, 3.0)] == [9.0, 9.0, 9.0]
    assert goes_the_short_way(by_position) and not goes_the_short_way(g)


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * np.sum(x**2)

    @adc.grad
    def force(self, x):
        return 0.5 * self.stiffness * np.sum(x**2)


def test_methods_read_their_object():
    x = np.ones(3)
    one, other = Spring(2.0), Spring(3.0)
    of_one = adc.grad(one.energy)
    for _ in range(3):
        assert of_one(x)[0] == one.force(x)[0] == 2.0 and other.force(x)[0] == 3.0
    assert goes_the_short_way(of_one)
    one.stiffness = 7.0
    assert of_one(x)[0] == one.force(x)[0] == 7.0


def test_attributes_that_python_has_no_names_for():
    held = SimpleNamespace(**{"class": 2.0, "with space": 3.0, "1st": 5.0})

    def product(x):
        return getattr(held, "class") * getattr(held, "with space") * getattr(held, "1st") * x

    g = adc.grad(product)
    assert [g(1.0) for _ in range(3)] == [30.0, 30.0, 30.0] and goes_the_short_way(g)
    assert "def product_grad(x, class_, with_space, _1st):" in adc.source(g)


def test_errors_name_the_line_on_the_short_way():
    def product(a, b):
        return np.sum(a * b)

    g = adc.grad(product, mode="compiled")
    for _ in range(3):
        g(np.ones(8), np.ones(8))
    assert goes_the_short_way(g)
    with pytest.raises(ValueError, match=r"operands could not be broadcast together") as raised:
        g(np.ones(8), np.ones(9))
    assert raised.traceback[-1].frame.code.name == "product"
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        g(np.ones(8))
    np.testing.assert_array_equal(g(np.ones(8), np.ones(8)), np.ones(8))


def test_the_user_s_own_errors_are_raised_on_the_short_way():
    def positive(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * x

    g = adc.grad(positive)
    assert [g(1.0) for _ in range(3)] == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="negative"):
        g(-1.0)


def test_the_engine_that_ran_last_is_said():
    def powers(x, n):
        return x if n == 0 else x * powers(x, n - 1)

    g = adc.grad(powers)
    for n in (2, 2, 3, 3, 2):  # code for the sizes of a call
        assert g(2.0, n) == (n + 1) * 2.0**n
        assert g.mode == "compiled"


def test_out_and_results_in_turn():
    g, x, out = adc.grad(lambda x: np.sum(x * x)), np.arange(3.0), np.empty(3)
    for _ in range(3):
        assert g(x, out=out) is out and g(x) is not out
        np.testing.assert_array_equal(g(x), 2 * x)
