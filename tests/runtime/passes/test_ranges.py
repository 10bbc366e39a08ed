"""Loops over ranges that are compiled without structures in memory take the numbers that Python's take."""

import inspect

import numba
import numpy as np
import pytest
from numba.core import base
from numba.cpython import rangeobj

from adc.runtime.passes import ranges
from adc.runtime.tuning import tuned


def one(a, b, k):
    seen = 0
    for i in range(b):
        seen = seen * 3 + i
    return seen


def two(a, b, k):
    seen = 1
    for i in range(a, b):
        for j in range(i, b):
            seen = seen * 3 + j
    return seen


def backwards(a, b, k):
    seen = 1
    for i in range(b - 1, a - 1, -1):
        seen = seen * 3 + i
    return seen


def steps(a, b, k):
    seen = 1
    for i in range(a, b, 3):
        seen = seen * 5 + i
    for i in range(b, a, -2):
        seen = seen * 5 + i
    for i in range(a, b, k):
        seen = seen * 5 + i
    return seen


def known(a, b, k):
    seen = 1
    for i in range(2, 9, 3):
        seen = seen * 5 + i
    for i in range(9, 2, -7):
        seen = seen * 5 + i
    for i in range(4, 4, -1):
        seen = seen * 5 + i
    for i in range(-3):
        seen = seen * 5 + i
    return seen


def left_early(a, b, k):
    seen = 1
    for i in range(a, b):
        if i == 2:
            continue
        seen = seen * 3 + i
        if seen > 40:
            break
    else:
        seen = -seen
    return seen


def by_others(a, b, k):
    which = range(a, b) if k > 0 else range(b, a)
    seen = len(which) + len(range(a, b, 2))
    for i, j in zip(range(b), which):  # noqa: B905 (Numba has no `strict`)
        seen = seen * 3 + i - j
    for i, j in enumerate(range(a, b)):
        seen += i * j
    for j in [2 * i for i in range(b, a, -1)]:
        seen += j
    return seen


FUNCTIONS = [one, two, backwards, steps, known, left_early, by_others]
ENDS = [(0, 4, 1), (2, -3, -1), (-2, 5, 2), (3, 3, 1), (1, 2, -2), (-4, -1, 5)]


@pytest.mark.parametrize("kind", [int, np.int32])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_numbers(function, kind):
    with tuned(function):
        compiled = numba.njit(function)
        compiled(kind(0), kind(1), kind(1))
    for ends in ENDS:
        assert compiled(*map(kind, ends)) == function(*ends)


def test_numbers_without_a_sign():
    def added(a, b, k):
        seen = np.uint64(0)
        for i in range(a, b):
            seen = seen * np.uint64(3) + i
        return seen

    with tuned(added):
        compiled = numba.njit(added)
        assert compiled(np.uint64(2), np.uint64(6), np.uint64(1)) == ((2 * 3 + 3) * 3 + 4) * 3 + 5


def test_a_step_that_is_zero_is_told():
    with tuned(steps):
        compiled = numba.njit(steps)
        with pytest.raises(ValueError, match="range"):
            compiled(0, 3, 0)


def lines_given_to_llvm(function, monkeypatch):
    seen = []
    library = numba.core.codegen.CPUCodeLibrary
    own = library.add_ir_module
    monkeypatch.setattr(
        library, "add_ir_module", lambda self, module: (seen.append(str(module)), own(self, module))
    )
    numba.njit(function)(0, 1, 1)
    monkeypatch.undo()
    return "".join(seen).count("\n")


def test_each_loop_is_eighty_instructions_less(monkeypatch):
    theirs = lines_given_to_llvm(two, monkeypatch)
    with tuned(two):
        ours = lines_given_to_llvm(_again(two), monkeypatch)
    assert ours < theirs - 2 * 80


def _again(function):
    """The same function as another one, for Numba to compile anew."""
    return type(function)(function.__code__, function.__globals__, function.__name__)


def test_the_texts_are_those_that_were_read():
    assert ranges.is_known(rangeobj.make_range_impl, ranges.RANGES)
    pair = [
        inspect.getclosurevars(getattr(base.BaseContext, name)).nonlocals["own"]
        for name in ("pair_first", "pair_second")
    ]
    assert ranges.is_known(pair[0], ranges.PAIR_FIRST)
    assert ranges.is_known(pair[1], ranges.PAIR_SECOND)
