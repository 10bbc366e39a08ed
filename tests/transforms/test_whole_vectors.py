"""Which functions go in the widest vectors without LLVM being asked how wide, and that those around them do not."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc import runtime
from adc.runtime import tuning

R = np.random.default_rng(0)
MARK = "@rt.whole_vectors"


def step(a, b):
    return np.sin(a) * b + np.exp(-a * a) / (1.0 + b * b)


def eight(a, b):
    for_each = step(a, b), step(b, a)
    c = step(for_each[0], for_each[1])
    d = step(c, for_each[0] * for_each[1])
    return step(d, c) + step(c, d * b) + step(c - d, a)


def large(x, y):
    return np.sum(eight(eight(x, y), y))


def large_and_small(x, y):
    return large(x, y) * np.sum(x * y)


def small(x, y):
    return np.sum(step(x, y))


def large_of_points(p, y):
    return large(p[:, 0], y)


def large_at_positions(x, y):
    return large(x[np.array([2, 0, 1, 1, 3, 2])], y)


def text(function, *args):
    return str(adc.source(adc.grad(function, (0, 1), mode="compiled"), *args, stage="optimized"))


@pytest.mark.parametrize("function", [large, large_and_small])
def test_large_loops_over_floats(function):
    assert MARK in text(function, *R.normal(size=(2, 6)))
    compiled, taped = (adc.grad(function, (0, 1), mode=mode) for mode in ("compiled", "tape"))
    for n in (0, 2, 7, 50):
        x, y = R.normal(size=(2, n))
        for one, other in zip(compiled(x, y), taped(x, y), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_others_are_left_to_llvm():
    x, y = R.normal(size=(2, 6))
    assert MARK not in text(small, x, y)
    assert MARK not in text(large, x.astype(np.float32), y.astype(np.float32))
    assert MARK not in text(large, R.normal(size=(6, 2))[:, 0], y)  # steps that only the run knows
    assert MARK not in text(large_of_points, R.normal(size=(6, 2)), y)
    assert MARK not in text(large_at_positions, x, y)


def test_sums_keep_their_order():
    strict = adc.grad(large, (0, 1), mode="compiled", strict=True)
    assert MARK not in str(adc.source(strict, *R.normal(size=(2, 6)), stage="optimized"))


def test_what_llvm_is_told_is_taken_back(monkeypatch):
    told = []
    monkeypatch.setattr(tuning.binding, "set_option", lambda _, option: told.append(option))
    monkeypatch.setattr(tuning, "_TRIED", tuning.binding.llvm_version_info[:1])
    with tuning.tuned(runtime.whole_vectors(lambda x: x)):
        width = f"-force-vector-width={tuning._numbers_in_a_vector()}"
        assert told.count(width) == 1
        with tuning.tuned(lambda x: x):  # what it calls
            assert told[-1] == "-force-vector-width=0"
        assert told[-1] == width
    assert [option for option in told if "width" in option][-1] == "-force-vector-width=0"


def test_a_marked_function_is_itself():
    def f(x):
        return 2.0 * x

    assert runtime.whole_vectors(f) is f
    assert f(1.5) == 3.0
