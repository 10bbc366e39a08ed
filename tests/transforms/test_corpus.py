"""First derivatives along directions, and second ones, of the programs of the corpus.

Of a tenth of the programs the derivative along a direction and reverse over reverse, of another second derivatives
in the other two orders, and with other sources of other quarters: `make rules` takes all.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from tests.corpus import Program
from tests.corpus.reference import flat
from tests.in_turn import in_turn
from tests.interpreted import by_readable_text, interpreted
from tests.transforms.directions import (
    NOT_TWICE,
    Derived,
    directions,
    forward_over_reverse,
    programs,
    pushed,
    reverse_over_forward,
    reverse_over_reverse,
    slope,
    tenth,
)

import adc
from adc.errors import UnsupportedError

COMPILED = [p for p in programs() if "compiled" not in p.refused]
# Compiling each would take an hour: one in 40, in turn. The text for Numba is run for all.
SAMPLE = [
    pytest.param(p, id=p.name) for p in in_turn(COMPILED, lambda program: program.name)[: len(COMPILED) // 40]
]


def agree(found, wanted, tolerance=1e-6):
    for got, reference in zip(flat(found), wanted, strict=True):
        scale = max(1.0, float(np.max(np.abs(reference), initial=0.0)))
        np.testing.assert_allclose(got, reference, rtol=tolerance, atol=tolerance * scale)


@functools.lru_cache(maxsize=4)
def optimized(program: Program, how) -> Derived:
    """The derivative whose text for Numba runs in CPython. It has been called: it has its texts."""
    derived = Derived(program, how, "compiled")
    with interpreted():
        derived(*program.arguments(), *directions(program))
    return derived


def readable(program: Program, how) -> Derived:
    """By the readable text, which is derived once with the one for Numba where there is one."""
    if "compiled" in program.refused:
        return Derived(program, how, "python")
    return by_readable_text(optimized(program, how))


def by_python(program: Program, how) -> Derived:
    return Derived(program, how, "python")


def by_numba(program: Program, how) -> Derived:
    return Derived(program, how, "compiled")


def check_first(program: Program, derived: Derived) -> None:
    dots = directions(program)
    found = derived(*program.arguments(), *dots)
    agree(found, slope(program.function, program, dots), program.tolerance)


def check_second(program: Program, how, derived) -> None:
    """`derived` makes the derivative: one that there is not is no fault where the gradient is none either."""
    if program.name in NOT_TWICE:
        pytest.skip("differences of the gradient say something else")
    try:
        wanted = differences_of_the_gradient(program)
    except UnsupportedError as error:
        pytest.skip(f"has no gradient: {error.what}")
    found = derived(program, how)(*program.arguments(), *directions(program))
    agree(found, wanted, 10 * program.tolerance)


@functools.cache
def differences_of_the_gradient(program: Program) -> list[Any]:
    gradient = adc.grad(program.function, program.argnums, mode="python")
    gradient(*program.arguments())  # one that there is not says so
    return slope(gradient, program, directions(program))


@pytest.mark.parametrize("program", tenth(1, programs()))
def test_push(program):
    check_first(program, readable(program, pushed))


@pytest.mark.parametrize("program", tenth(0, programs()))
def test_forward_over_reverse(program):
    check_second(program, forward_over_reverse, readable)


@pytest.mark.slow
@pytest.mark.parametrize("program", tenth(0, programs()))
def test_reverse_over_forward(program):
    check_second(program, reverse_over_forward, by_python)


@pytest.mark.slow
@pytest.mark.parametrize("program", tenth(1, programs()))
def test_reverse_over_reverse(program):
    try:
        check_second(program, reverse_over_reverse, by_python)
    except UnsupportedError as error:
        # An iterator of the user's own is at its end after a number of steps that only the lengths of a call say.
        ends = "a loop whose number of trips is not known", "on some paths only inside a loop"
        assert any(reason in str(error) for reason in ends)


@pytest.mark.parametrize("program", tenth(1, COMPILED))
def test_push_optimized(program):
    check_first(program, optimized(program, pushed))


@pytest.mark.parametrize("program", tenth(0, COMPILED))
def test_forward_over_reverse_optimized(program):
    check_second(program, forward_over_reverse, optimized)


@pytest.mark.slow
@pytest.mark.machine_code
@pytest.mark.parametrize("program", SAMPLE)
def test_push_compiled(program):
    check_first(program, by_numba(program, pushed))


@pytest.mark.slow
@pytest.mark.machine_code
@pytest.mark.parametrize("program", SAMPLE)
def test_forward_over_reverse_compiled(program):
    check_second(program, forward_over_reverse, by_numba)
