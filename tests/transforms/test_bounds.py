"""Indices are proven inside, by the counters of loops and the tests of branches, or checked."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def text_of(function, *given):
    return adc.source(adc.grad(function), *given, stage="optimized")


def neighbours(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        left = x[i - 1] if i > 0 else x[i]
        right = x[i + 1] if i < n - 1 else x[i]
        y[i] = left * right
    return np.sum(y**2)


def windows(x, w):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        for k in range(-w, w + 1):
            if 0 <= i + k and not i + k >= n:
                y[i] += x[i + k] ** 2
    return np.sum(y**2)


def cases(x):
    n, m = x.shape
    d = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                d[i, j] = x[i, j]
            elif i == 0:
                d[i, j] = x[i, j] * d[i, j - 1]
            elif j != 0:
                d[i, j] = x[i, j] * d[i - 1, j - 1]
    return np.sum(d**2)


@pytest.mark.parametrize(
    ("function", "given"),
    [(neighbours, (np.ones(5),)), (windows, (np.ones(5), 2)), (cases, (np.ones((3, 4)),))],
)
def test_what_a_branch_keeps_inside_is_not_checked(function, given):
    text = text_of(function, *given)
    assert "IndexError" not in text
    assert "_kept" not in text


def one_too_far(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[i + 1] if i < n else x[i]
    return np.sum(y)


def one_too_near(x):
    total = 0.0
    for i in range(len(x)):
        if i > 0 or x[i] > 0:
            total += x[i - len(x) - 1]
    return total


def the_other_branch(x):
    total = 0.0
    for i in range(len(x)):
        if i < len(x) - 1:
            total += x[i]
        else:
            total += x[i + 1]
    return total


@pytest.mark.parametrize("function", [one_too_far, one_too_near, the_other_branch])
@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_what_a_branch_lets_outside_raises(function, mode):
    with pytest.raises(IndexError):
        function(np.ones(4))
    with pytest.raises(IndexError):
        adc.grad(function, mode=mode)(np.ones(4))


def wrapped(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if i >= 0:
            y[i] = x[i - 1] * y[i - 1] + x[i]
    return np.sum(y**2)


def test_a_branch_that_lets_indices_wrap_keeps_what_they_read():
    x = np.linspace(0.5, 1.5, 6)
    np.testing.assert_allclose(
        adc.grad(wrapped, mode="compiled")(x), adc.grad(wrapped, mode="tape")(x), rtol=1e-13
    )


def shortest(w, n, m):
    d = w.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                v = d[i, k] + d[k, j]
                if v < d[i, j]:
                    d[i, j] = v
    return np.sum(d[:m] ** 2)


def test_what_was_checked_is_not_checked_again():
    """One length against another, once: in the branch, and where the sweep is reversed, it is known."""
    text = text_of(shortest, np.ones((3, 3)), 3, 3)
    assert text.count("IndexError") == 2  # rows and columns
    assert "no_trip or no_trip" not in text


def in_a_loop_of_its_own(x, n, m):
    total = 0.0
    for i in range(n):
        total += x[i] ** 2
    for j in range(m):
        total += x[j] ** 3
    return total


def only_in_a_branch(x, n, m):
    total = 0.0
    for i in range(m):
        if x[0] > 2.0:
            total += x[n - 1]
        total += x[i] * x[n - 1]
    return total


def in_a_branch_before(x, n, m):
    total = 0.0
    if m > 2:
        for i in range(n):
            total += x[i]
    for i in range(n):
        total += x[i] ** 2
    return total


def from_the_end(x, n, m):
    total = 0.0
    for i in range(n):
        total += x[-n] * x[i]
        for j in range(m):
            total += x[-n] * x[j - 1]
    return total


def one_more_each_time(x, n, m):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += x[j] ** 2
        total += x[i + m] ** 2
    return total


@pytest.mark.parametrize(
    "function",
    [in_a_loop_of_its_own, only_in_a_branch, in_a_branch_before, from_the_end, one_more_each_time],
)
@pytest.mark.parametrize("n", [0, 1, 3, 5, 6, 7])
@pytest.mark.parametrize("m", [-1, 0, 2, 5, 6, 9])
def test_what_was_checked_elsewhere_does_not_count(function, n, m):
    x = np.linspace(0.5, 1.5, 6)
    gradient = adc.grad(function, mode="compiled")
    try:
        function(x, n, m)
    except IndexError:
        with interpreted(), pytest.raises(IndexError):
            gradient(x, n, m)
        return
    with interpreted():
        found = gradient(x, n, m)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(x, n, m), rtol=1e-12)


def first_squares(x, n):
    assert n <= len(x)
    s = 0.0
    for i in range(n):
        s += x[i] ** 2
    return s


def test_what_was_asserted_is_known():
    text = text_of(first_squares, np.ones(5), 3)
    assert "assert n <=" in text
    assert "IndexError" not in text


def test_nothing_rests_on_assertions_that_python_leaves_out(tmp_path):
    script = tmp_path / "optimised.py"
    script.write_text(
        "import numpy as np, adc\n\n\n"
        + inspect.getsource(first_squares)
        + "\n\ngrad = adc.grad(first_squares, mode='compiled')\n"
        "print(grad(np.ones(3), 2))\n"
        "try:\n    grad(np.ones(3), 5)\nexcept IndexError as error:\n    print(type(error).__name__)\n"
    )
    ran = subprocess.run([sys.executable, "-O", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:2] == ["[2. 2. 0.]", "IndexError"], ran
