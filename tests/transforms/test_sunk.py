"""What is made of adjoints that one side of a branch leaves at zero stands in the other side."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.searches import nearest_with_its_weight
from tests.transforms.fluxes import fluxes

import adc

R = np.random.default_rng(5)


def otherwise(x, w):
    """The zeros are on the side that is taken, and one of them is read behind the branch as well."""
    total = 0.0
    largest = -1e9
    for k in range(x.shape[0]):
        t = w[k] * np.sin(x[k])
        if t <= largest or t > 0.9:
            total += 0.5 * largest
        else:
            largest = t
    return total + largest


def bilinear(image, m):
    n, columns = image.shape
    total = 0.0
    for i in range(n):
        for j in range(columns):
            y = m[0, 0] * i + m[0, 1] * j + m[0, 2]
            x = m[1, 0] * i + m[1, 1] * j + m[1, 2]
            a = int(np.floor(y))
            b = int(np.floor(x))
            if 0 <= a < n - 1 and 0 <= b < columns - 1:
                fy = y - a
                fx = x - b
                above = (1 - fx) * image[a, b] + fx * image[a, b + 1]
                below = (1 - fx) * image[a + 1, b] + fx * image[a + 1, b + 1]
                total += ((1 - fy) * above + fy * below) ** 2
    return total


def in_turn(x, limit):
    """Two branches that ask the same, and one between them that writes what the second reads."""
    y = np.zeros(x.shape[0])
    total = 0.0
    for i in range(1, x.shape[0]):
        large = x[i] > limit
        if large:
            y[i] = x[i] * y[i - 1] + 1.0
        if x[i - 1] > 0.0:
            y[i - 1] += x[i]
        if large:
            total += y[i - 1] * x[i]
    return total + np.sum(y * y)


def scored(x, c):
    """Sums of several terms for one parameter, each zero where nothing is chosen."""
    best = -1e9
    total = 0.0
    for k in range(x.shape[0]):
        s = c * x[k] + np.sin(c + x[k]) - c**2 * x[k]
        if s > best:
            best = s
            total += c * s
        else:
            total += np.cos(c)
    return best * c + total


def halves(low, high, c):
    """Intervals on a stack: what one side of a branch adds up, the other pushes."""

    def area(a, b):
        return (b - a) * np.exp(-c * 0.25 * (a + b) ** 2)

    stack = [(low, high, area(low, high))]
    total = 0.0
    while stack:
        a, b, whole = stack.pop()
        m = 0.5 * (a + b)
        left, right = area(a, m), area(m, b)
        if abs(left + right - whole) < 1e-2:
            total += left + right + (left + right - whole) / 3.0
        else:
            stack.append((a, m, left))
            stack.append((m, b, right))
    return total


def hinges(w, rows, labels):
    """A row is added where the margin is violated, and once more for what others read of it."""
    loss = 0.5 * np.dot(w, w)
    for i in range(len(labels)):
        margin = labels[i] * np.dot(w, rows[i])
        if margin < 1:
            loss += (1 - margin) * np.sum(rows[i])
    return loss


PROGRAMS = {
    "hinges": (hinges, (R.normal(size=3), R.normal(size=(6, 3)), np.sign(R.normal(size=6))), (0, 1)),
    "scored": (scored, (R.normal(size=25), 0.7), (0, 1)),
    "halves": (halves, (0.0, 2.0, 1.3), (0, 1, 2)),
    "fluxes": (fluxes, (R.normal(size=(2, 12)), 0.1), (0,)),
    "nearest": (
        nearest_with_its_weight,
        (R.normal(size=(9, 2)), R.normal(size=9), R.normal(size=(7, 2))),
        (0, 1),
    ),
    "otherwise": (otherwise, (R.normal(size=30), R.normal(size=30)), (0, 1)),
    "bilinear": (bilinear, (R.normal(size=(9, 8)), np.array([[0.91, 0.11, 0.7], [-0.13, 0.9, 1.3]])), (0, 1)),
    "in_turn": (in_turn, (R.normal(size=20), 0.2), (0, 1)),
}


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_tape(name, mode):
    function, arguments, argnums = PROGRAMS[name]
    g = adc.grad(function, argnums, mode=mode)
    for _ in range(2):
        for mine, tape in zip(
            _all(g(*arguments)), _all(adc.grad(function, argnums, mode="tape")(*arguments)), strict=True
        ):
            np.testing.assert_allclose(mine, tape, rtol=1e-11, atol=1e-13)


def _all(gradients):
    return gradients if isinstance(gradients, tuple) else (gradients,)


def text(name):
    function, arguments, argnums = PROGRAMS[name]
    return adc.source(adc.value_and_grad(function, argnums), *arguments, stage="optimized")


def test_a_row_is_added_in_its_branch():
    function, arguments, _ = PROGRAMS["hinges"]
    shown = adc.source(adc.grad(function, mode="python"), *arguments).split("# reverse")[1]
    branch = shown[shown.index("if less_margin:") :]
    added = next(line for line in branch.splitlines() if "w_bar +=" in line)
    assert added.startswith(" " * 12) and "else" not in branch


def test_both_sweeps_of_a_trip_are_one_loop_and_one_branch():
    shown = text("bilinear")
    assert shown.count("np.floor(y)") == 1 and shown.count(" if 0 <= a") == 1
    assert "m_bar_sum" in shown, "what all trips add to is added up in numbers"


def test_what_one_case_clears_no_other_reads():
    assert "f_bar[0, i] = 0.0" not in text("fluxes") and "f_bar[1, i] = 0.0" not in text("fluxes")


def own_zeros(x, y):
    """A zero of the program's own, and what it makes beside an infinite number."""
    z = np.zeros(4)
    best = 0.0
    for k in range(x.shape[0]):
        if np.sin(x[k]) > best:
            a = x[k]
            best = np.sin(x[k])
        else:
            a = 0.0
        z[0] += a * y[k]
        z[1] += a * y[k] * 2.0
        z[k % 4] += a * best
        z[3] += a / (1.0 + y[k] ** 2)
    return np.sum(z)


def test_zeros_of_the_program_stay_numbers_that_it_multiplies():
    x, y = np.array([0.5, 0.2, 0.9, 0.1]), np.array([1.0, np.inf, 2.0, 3.0])
    for mode in ("python", "compiled"):
        with np.errstate(invalid="ignore"):
            value, _ = adc.value_and_grad(own_zeros, (0, 1), mode=mode)(x, y)
        assert np.isnan(value)
    y = R.normal(size=4)
    for mine, tape in zip(
        adc.grad(own_zeros, (0, 1))(x, y), adc.grad(own_zeros, (0, 1), mode="tape")(x, y), strict=True
    ):
        np.testing.assert_allclose(mine, tape, rtol=1e-11)
