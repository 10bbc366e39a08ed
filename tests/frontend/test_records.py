"""Dataclasses in compiled functions: what `dataclasses` offers for them, and what they come back as."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field
from typing import Any

import numpy as np
import pytest

import adc

pytestmark = pytest.mark.tiny


@dataclass
class Point:
    place: Any
    weight: Any = 2.0
    tags: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Settled:
    place: Any


@dataclass
class Moved:
    place: Any


def test_as_a_dict_and_a_tuple_are_copies() -> None:
    def f(x: Any) -> Any:
        p = Point(x, tags=[x[0]])
        d = asdict(p)
        d["place"][0] = 0.0
        return np.sum(p.place * d["weight"]) + np.sum(d["place"]) + astuple(p)[2][0]

    np.testing.assert_array_equal(adc.grad(f, mode="python")(np.array([1.0, 5.0])), [3.0, 3.0])


def test_the_auxiliary_value_is_the_dataclass() -> None:
    def f(x: Any) -> Any:
        p = Point(np.zeros(2))
        for k in range(x.size):
            p = Point(p.place + x[k], p.weight * x[k])
        return np.sum(p.place), p

    gradient, aux = adc.grad(f, has_aux=True, mode="python")(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(gradient, [2.0, 2.0])
    assert type(aux) is Point and aux.weight == 6.0
    np.testing.assert_array_equal(aux.place, [4.0, 4.0])


def test_a_frozen_one_is_not_written_to() -> None:
    def f(x: Any) -> Any:
        s = Settled(x)
        s.place = 2.0 * x
        return np.sum(s.place)

    with pytest.raises(adc.UnsupportedError, match="frozen"):
        adc.grad(f, mode="python")(np.ones(2))


def test_a_missing_argument_is_named() -> None:
    def f(x: Any) -> Any:
        return np.sum(Point(weight=x).weight)

    with pytest.raises(adc.AdcError, match="place"):
        adc.grad(f, mode="python")(np.ones(2))


FEW = Settled(np.ones(2))


def test_one_outside_is_read_at_each_call() -> None:
    def f(x: Any) -> Any:
        s = FEW
        for k in range(x.size):
            s = Settled(s.place * x[k])
        return np.sum(s.place)

    g = adc.grad(f, mode="python")
    np.testing.assert_array_equal(g(np.array([2.0, 5.0])), [10.0, 4.0])
    FEW.place[0] = 3.0
    np.testing.assert_array_equal(g(np.array([2.0, 5.0])), [20.0, 8.0])


def test_one_outside_is_written_to() -> None:
    kept = Point(np.ones(2), 1.0, None)  # type: ignore[arg-type]
    moved = Moved(np.ones(2))

    def f(x: Any) -> Any:
        moved.place = 2 * x
        return np.sum(moved.place)

    def g(x: Any) -> Any:
        kept.place = 2 * x
        return np.sum(kept.place)

    for function, held in ((f, moved), (g, kept)):
        np.testing.assert_array_equal(adc.grad(function, mode="python")(np.ones(2)), [2.0, 2.0])
        np.testing.assert_array_equal(held.place, [2.0, 2.0])


def test_a_frozen_one_outside_is_not_written_to() -> None:
    def f(x: Any) -> Any:
        FEW.place = x  # type: ignore[misc]
        return np.sum(FEW.place)

    with pytest.raises(adc.UnsupportedError, match=r"frozen|written"):
        adc.grad(f, mode="python")(np.ones(2))
