"""What the forward sweep has checked of an index is not checked again in reverse, and only that."""

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def table(x, steps, at):
    """One number from a table in each trip, by a position that the numbers decide."""
    s = 1.0
    for _ in range(steps):
        k = int(s * 3.0) + at
        s = np.sin(s * x[k]) + 1.0
    return s


def advected(q, u, steps, at):
    n = q.shape[0]
    cells = np.arange(n)
    for _ in range(steps):
        x = np.minimum(np.maximum(cells - 0.5 * u, 0.0), n - 1.5)
        i = np.floor(x).astype(int) + at
        a = x - i
        q = (1 - a) * q[i] + a * q[i + 1] * q[i]
    return np.sum(q**2)


def in_one_branch(x, steps, at):
    """Both arrays are as long; on the other branch only the reverse sweep, which writes, has to do with the index."""
    y = 2.0 * x
    s, r = 1.0, 0.0
    for t in range(steps):
        k = int(x[t] * 3.0) + at
        if t % 2 == 0:
            s = np.sin(s * x[k]) + 1.0
        else:
            r += y[k]
    return s + r


def not_in_each_trip(x, steps, at):
    y = 2.0 * x
    s, r = 1.0, 0.0
    for t in range(steps):
        k = int(x[t] * 3.0) + at
        for _ in range(t % 2):
            s = np.sin(s * x[k]) + 1.0
        r += y[k]
    return s + r


def shorter_than_another(x, steps, at):
    y = x[: steps + 1] * 1.0
    s, r = 1.0, 0.0
    for t in range(steps):
        k = int(x[t] * 3.0) + at
        s = np.sin(s * x[k]) + 1.0
        r += y[k]
    return s + r


def moved_on(x, steps, at):
    """The positions are checked before they are moved, and read again behind that in reverse alone."""
    y = 2.0 * x
    rows = np.zeros(2, dtype=int)
    s, r = 1.0, 0.0
    for _ in range(steps):
        s = np.sin(s * np.sum(x[rows])) + 1.0
        rows += 1
        rows[1] += at
        r += np.sum(y[rows])
    return s + r


X = np.array([0.3, 0.9, 0.5, 1.2, 0.7, 0.4])
PROGRAMS = {
    "table": (table, (X,)),
    "advected": (advected, (X, np.array([0.5, -0.7, 1.0, 0.2, -1.5, 0.1]))),
    "in_one_branch": (in_one_branch, (X,)),
    "not_in_each_trip": (not_in_each_trip, (X,)),
    "shorter_than_another": (shorter_than_another, (X,)),
    "moved_on": (moved_on, (X,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("at", [-8, -6, -1, 0, 1, 2, 5])
def test_the_gradient_is_the_tape_s_or_raises(name, steps, at):
    function, arrays = PROGRAMS[name]
    wrt = tuple(range(len(arrays)))
    gradient = adc.grad(function, wrt, mode="compiled")
    try:
        function(*arrays, steps, at)
    except IndexError:
        with interpreted(), pytest.raises(IndexError):
            gradient(*arrays, steps, at)
        return
    with interpreted():
        found = gradient(*arrays, steps, at)
    for mine, wanted in zip(found, adc.grad(function, wrt, mode="tape")(*arrays, steps, at), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.machine_code
def test_compiled_code_raises(name):
    """In CPython what is not checked raises, too."""
    function, arrays = PROGRAMS[name]
    wrt = tuple(range(len(arrays)))
    gradient = adc.grad(function, wrt, mode="compiled")
    for at in (-9, -7, 1, 3, 4, 6):
        try:
            function(*arrays, 3, at)
        except IndexError:
            with pytest.raises(IndexError):
                gradient(*arrays, 3, at)
        else:
            found = gradient(*arrays, 3, at)
            for mine, wanted in zip(found, adc.grad(function, wrt, mode="tape")(*arrays, 3, at), strict=True):
                np.testing.assert_allclose(mine, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["table", "advected"])
def test_it_is_checked_once(name):
    function, arrays = PROGRAMS[name]
    text = adc.source(adc.value_and_grad(function), *arrays, 3, 0, stage="optimized")
    forward, reverse = text.split("# reverse")
    assert "IndexError" in forward and "IndexError" not in reverse


def test_all_positions_are_looked_through_at_once():
    gradient = adc.value_and_grad(advected, (0, 1))
    forward = adc.source(gradient, *PROGRAMS["advected"][1], 3, 0, stage="optimized").split("# reverse")[0]
    # One loop computes the positions and looks at them all, another reads by them.
    assert forward.count("IndexError") == 2
    assert forward.count("&=") == 2 and forward.index("&=") < forward.index("raise IndexError")
    assert forward.rindex("&=") < forward.index("raise IndexError")


def test_nothing_the_user_would_see_comes_after_a_check(capsys):
    def f(x, i, j):
        y = x[i]
        print("first")
        if np.sum(y) > 100.0:
            raise ValueError("too much")
        return np.sum(y * x[j])

    gradient = adc.grad(f, mode="compiled")
    x, i = np.array([1.0, 2.0, 3.0]), np.array([0, 1])
    with pytest.raises(IndexError):
        gradient(x, i, np.array([1, 7]))
    assert (
        capsys.readouterr().out == "first\nfirst\n"
    )  # by the gradient; by the function, asked for its error
    with pytest.raises(ValueError, match="too much"):
        gradient(100.0 * x, i, np.array([1, 7]))


def interpolated(x, w):
    s = 0.0
    for k in range(len(x)):
        i = int(x[k])
        s += ((1 - (x[k] - i)) * w[i] + (x[k] - i) * w[i + 1]) ** 2
    return s


def test_one_loop_checks_and_adds():
    """The reverse sweep adds where data says, and so does not vectorise: it goes along with the loop that checks."""
    x, w = np.array([0.5, 2.25, 1.75, 0.5]), np.array([1.0, -2.0, 0.5, 3.0])
    grad = adc.value_and_grad(interpolated, (0, 1), mode="compiled")
    text = str(adc.source(grad, x, w, stage="optimized"))
    assert len(re.findall(r"^ +for ", text, re.MULTILINE)) == 1, text
    theirs = adc.grad(interpolated, (0, 1), mode="tape")(x, w)
    for one, other in zip(grad(x, w)[1], theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    with pytest.raises(IndexError):
        grad(np.array([0.5, 3.5]), w)
    with pytest.raises(ValueError, match="integer"):
        grad(np.array([0.5, np.nan]), w)


def along(x, places):
    return np.sum(np.take_along_axis(x, places, axis=0) ** 2)


def laid_flat(x, places):
    return np.sum(np.take_along_axis(x, places, axis=None) ** 2)


@pytest.mark.parametrize("function", [along, laid_flat])
@pytest.mark.parametrize("place", [7, -6, 2**40])
def test_places_along_an_axis_are_checked_without_a_reverse_sweep(function, place):
    # The compiled tangent read whatever was in memory there.
    x, places = np.arange(5.0), np.array([0, place])
    with pytest.raises(IndexError):
        adc.jvp(lambda x: function(x, places), (x,), (x,), mode="compiled")
    with pytest.raises(IndexError):
        adc.grad(function, mode="compiled")(x, places)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize(
    "function, x, places",
    [
        (along, np.arange(5.0), np.array([[1]])),
        (along, np.ones((2, 2)), np.array([1])),
        (laid_flat, np.ones((2, 2)), np.array([[1]])),
    ],
)
def test_places_have_as_many_axes_as_the_array(function, x, places, mode):
    with pytest.raises(ValueError, match="dimension"):
        adc.value_and_grad(function, mode=mode)(x, places)


def ordered(x):
    return np.sum(np.sort(x) ** 2 * np.arange(x.shape[0]))


def in_order(x):
    total = 0.0
    for k in np.argsort(x)[::-1]:
        total = np.sin(total) + x[k]
    return total


def largest(x):
    return x[np.argmax(x)] ** 2 + np.sum(x[np.argpartition(x, 2)[:2]])


@pytest.mark.parametrize("function", [ordered, in_order, largest])
def test_what_sorts_and_extremes_say_is_inside(function):
    x = np.array([0.3, -1.0, 2.0, 0.7])
    text = adc.source(adc.grad(function), x, stage="optimized")
    assert "IndexError" not in text
    taped = adc.grad(function, mode="tape")(x)
    with interpreted():
        np.testing.assert_allclose(adc.grad(function, mode="compiled")(x), taped, rtol=1e-13)


def read_twice(x, places):
    return np.sum(np.take_along_axis(x, places, axis=0) * x[places])


def test_an_array_that_was_looked_through_is_not_looked_at_again():
    x, places = np.arange(5.0), np.array([3, 0, -1, 3])
    text = adc.source(adc.grad(read_twice), x, places, stage="optimized")
    assert text.count("IndexError") == 1
    with interpreted():
        found = adc.grad(read_twice, mode="compiled")(x, places)
    np.testing.assert_allclose(found, adc.grad(read_twice, mode="tape")(x, places), rtol=1e-13)
