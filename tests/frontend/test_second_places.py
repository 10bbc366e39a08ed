# ruff: noqa: RUF059 - each program takes all that there is, and uses some of it
"""Lists and objects that loops and branches put into second places: as the tape has it, or refused."""

import copy

import numpy as np
import pytest

import adc

X = np.random.default_rng(5).normal(size=8)


class Point:
    def __init__(self, v, k):
        self.v, self.k = v, k


def held(x):
    a, b = [x[0], x[1]], [x[2], x[3]]
    p, q = Point(x[4], a), Point(x[5], [x[6], x[7]])
    return a, b, p, q, {"m": b, "n": p}, [a, b]


def place_gets_a_list(x):
    a, b, p, q, d, r = held(x)
    for _ in range(3):
        d["m"] = a
    return sum(a) + 2.0 * sum(b) + 3.0 * sum(d["m"])


def place_gets_an_object(x):
    a, b, p, q, d, r = held(x)
    for _ in range(len(x)):
        d["n"] = q
        r[0] = q.k
    return p.v + 2.0 * q.v + 3.0 * d["n"].v + 4.0 * sum(a) + 5.0 * sum(r[0])


def same_in_two_names_behind_a_branch(x):
    a, b, p, q, d, r = held(x)
    if x[0] > -9.0:
        d["n"], q, p = q, p, q
    return 2.0 * p.v + 3.0 * q.v + (5.0 if p is d["n"] else 7.0) * d["n"].v


def written_by_one_of_two_names(x):
    a, b, p, q, d, r = held(x)
    if x[0] > 9.0:
        d["n"] = q
        p = d["n"]
    p.v = np.sin(x[3])
    return p.v + 2.0 * d["n"].v


ONE_PLACE = [
    place_gets_a_list,
    place_gets_an_object,
    same_in_two_names_behind_a_branch,
    written_by_one_of_two_names,
]


def chosen_in_a_loop_and_written(x):
    a, b, p, q, d, r = held(x)
    best = p
    for v in x:
        if v > 0.0:
            best = q
    best.v = 3.0 * x[1]
    return p.v + 2.0 * q.v


def put_into_a_list_and_written(x):
    a, b, p, q, d, r = held(x)
    for _ in x:
        r[1] = q.k
    q.k[0] = 0.25 + x[0]
    return sum(r[1]) + sum(q.k)


def named_in_a_loop_and_written(x):
    a, b, p, q, d, r = held(x)
    for _ in x:
        b = a
        a = d["n"].k
    a[0] = x[6] * b[0]
    return sum(a) + 2.0 * sum(d["n"].k)


WRITTEN = [
    chosen_in_a_loop_and_written,
    put_into_a_list_and_written,
    named_in_a_loop_and_written,
]


@pytest.mark.parametrize("program", ONE_PLACE, ids=lambda f: f.__name__)
def test_equals_the_tape(program):
    (value, slope), (wanted, wanted_slope) = (
        adc.value_and_grad(program, mode=mode)(X) for mode in ("python", "tape")
    )
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("program", WRITTEN, ids=lambda f: f.__name__)
def test_what_may_be_one_of_two_is_not_written_to(program):
    with pytest.raises(adc.UnsupportedError, match="has another name"):
        adc.value_and_grad(program, mode="python")(np.resize(X, 700))


def test_one_that_a_branch_chose_is_not_copied_twice():
    def copied(x):
        a, b, p, q, d, r = held(x)
        chosen = a if x[0] > 0.0 else b
        one, other = copy.deepcopy((a, chosen))
        other[0] = 5.0 * x[1]
        return sum(one) + 2.0 * sum(other)

    with pytest.raises(adc.UnsupportedError, match="two that may be one"):
        adc.grad(copied, mode="python")(X)
