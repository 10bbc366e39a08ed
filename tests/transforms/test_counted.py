"""A `while` that counts is a `for`; what any other counts is counted again in reverse, and not kept."""

import numpy as np
import pytest

import adc

X = np.array([0.4, 0.9, 0.2, 0.7, 0.5, 0.8])


def up(x, n):
    i = 0
    total = 0.0
    while i < n:
        total = total + np.sin(x[i]) * total + x[i]
        i += 1
    return total * i


def up_to_the_bound_by_two(x, n):
    i = 1
    total = 0.0
    while n >= i:
        total = total * x[i] + x[i - 1]
        i += 2
    return total + i * x[0]


def down(x, n):
    i = n - 1
    total = 1.0
    while i > -1:
        total = total * x[i] + i
        i = i - 1
    return total * total + i


def in_each_other(x, n):
    y = np.zeros(6)
    i = j = 0
    while i < n:
        j = i
        while j >= 0:
            y[i] += x[j] * x[i] + y[i] * x[j]
            j -= 1
        i += 1
    return np.sum(y**2) * j


def bound_that_changes(x, n):
    i = 0
    total = 0.0
    while i < n:
        total += x[i] * total + x[i]
        i += 1
        if total > 2.0:
            n -= 1
    return total * i


def with_another_question(x, n):
    i = 0
    total = 1.0
    while i < n and total < 3.0:
        total += x[i] * total
        i += 1
    return total * i


def counted_down_from_a_counter(x, n):
    total = 0.0
    for k in range(2, n):
        j = k
        while j > 0 and x[j] > 0.3:
            total += x[j] * total * 0.1 + x[j]
            j -= 1
    return total


def counter_that_is_changed_twice(x, n):
    i = 0
    total = 0.0
    while i < n:
        if x[i] > 0.45:
            i += 1
        total += x[i] * total + x[i]
        i += 1
    return total


def left_by_breaks(x, n):
    i = 0
    total = 1.0
    while True:
        if i >= n:
            break
        total += x[i] * total
        if total > 4.0:
            total = total * 2.0
            break
        i += 1
    return total * i


def left_by_a_return(x, n):
    k = n
    root = 1.0
    while k > 0:
        k -= 1
        new = 0.5 * (root + x[k % 3] / root)
        if abs(new - root) < 0.021:
            return new * k
        root = new
    return root


def counted_twice_in_a_branch(x, n):
    i = 0
    total = 0.1
    while i < n and total < 9.0:
        if x[i] > 0.6:
            total += x[i]
            i += 1
            total *= x[i]
            i += 1
        else:
            total += x[i] * total
            i += 2
    return total


def bound_in_an_array(x, n):
    last = np.array([n, 0])
    i = 0
    total = 0.0
    while i < last[0]:
        total = total * 0.5 + x[i] ** 2
        i += 1
        if total > 0.5:
            last[0] -= 1
    return total + i


def bound_that_is_a_length(x, n):
    taken = [x[0]]
    i = 0
    total = 0.0
    while i < len(taken):
        total += taken[i] ** 2
        if i < n:
            taken.append(taken[i] * x[i])
        i += 1
    return total * i


PROGRAMS = [
    up,
    up_to_the_bound_by_two,
    down,
    in_each_other,
    bound_that_changes,
    with_another_question,
    counted_down_from_a_counter,
    counter_that_is_changed_twice,
    left_by_breaks,
    left_by_a_return,
    counted_twice_in_a_branch,
    bound_in_an_array,
    bound_that_is_a_length,
]


@pytest.mark.parametrize("mode", ["compiled", "tape"])
@pytest.mark.parametrize("n", [-1, 0, 1, 4, 5])
@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_gradients(program, n, mode):
    value, gradient = adc.value_and_grad(program, mode=mode)(X, n)
    assert value == pytest.approx(program(X, n), rel=1e-13)
    for k in range(X.size):
        step = 1e-6 * np.eye(X.size)[k]
        wanted = (program(X + step, n) - program(X - step, n)) / 2e-6
        assert gradient[k] == pytest.approx(wanted, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("program", PROGRAMS[:4])
def test_loops_that_count_have_no_stack(program):
    text = str(adc.source(adc.grad(program), X, 4))
    assert not any(line.strip().startswith("while") for line in text.splitlines())
    assert "_top" not in text and "trips" not in text


@pytest.mark.parametrize(
    "program",
    [
        with_another_question,
        counted_down_from_a_counter,
        left_by_breaks,
        left_by_a_return,
        counted_twice_in_a_branch,
    ],
)
def test_counters_are_not_kept(program):
    text = str(adc.source(adc.grad(program), X, 4))
    assert "total_kept" in text or "root_kept" in text
    assert not any(f"{name}_kept" in text for name in "ijk")
