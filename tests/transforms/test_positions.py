"""Positions given by data: looked through once where no loop changes them, and read as they are."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def spread(x, source, target, steps):
    for _ in range(steps):
        y = np.zeros(x.shape[0])
        np.add.at(y, target, 0.3 * x[source])
        x = x + y
    return np.sum(x * x)


def spread_along_edges(x, edges, steps):
    for _ in range(steps):
        y = np.zeros(x.shape[0])
        np.add.at(y, edges[:, 1], 0.3 * x[edges[:, 0]])
        x = x + y
    return np.sum(x * x)


def spread_until_large(x, source, target, steps):
    while np.sum(x * x) < 10.0 * steps:
        y = x.copy()
        np.add.at(y, target, 0.3 * x[source] ** 2 + 0.1)
        x = y
    return np.sum(x * x)


def spread_in_a_branch(x, source, target, steps):
    for t in range(4):
        if t < steps:
            x = x + 0.1 * x[source]
    return np.sum(x * x) + 0.0 * target[0]


def moved_on(x, source, target, steps):
    source = source.copy()
    for _ in range(steps):
        x = x + 0.1 * x[source]
        source[0] += 1
    return np.sum(x * x) + 0.0 * target[0]


def followed(x, source, target, steps):
    at = target
    for _ in range(steps):
        x = x + 0.1 * x[at]
        at = source[at]
    return np.sum(x * x)


def grown(x, source, target, steps):
    for _ in range(steps):
        x = np.concatenate((x, x[source]))
    return np.sum(x * x) + 0.0 * target[0]


X = np.array([0.7, -0.4, 0.2, 0.9])
SOURCE, TARGET = np.array([0, 3, -1, 2]), np.array([-4, 1, 1, 2])
FUNCTIONS = (spread, spread_until_large, spread_in_a_branch, moved_on, followed, grown)


def text_of(f, *args):
    return str(adc.source(adc.grad(f), *args, stage="optimized"))


def depths(text, what):
    """How deep in the function the lines with a text stand."""
    return [(len(line) - len(line.lstrip())) // 4 for line in text.splitlines() if what in line]


def test_what_no_trip_changes_is_looked_through_once():
    text = text_of(spread, X, SOURCE, TARGET, 3)
    assert depths(text, "raise IndexError") == [2, 2]
    assert "if source_" not in text and "< 0" not in text, text


def test_columns_of_a_table():
    # Long enough to be known to have two columns.
    edges = np.tile(np.stack([SOURCE, TARGET], axis=1), (10, 1))
    text = text_of(spread_along_edges, X, edges, 3)
    assert depths(text, "raise IndexError") == [2, 2], text


def test_before_a_while_loop():
    text = text_of(spread_until_large, X, SOURCE, TARGET, 3)
    assert set(depths(text, "total &= ")) == {2}, text


def test_positions_that_a_trip_makes_are_looked_through_in_it():
    for f in (moved_on, followed):
        assert max(depths(text_of(f, X, SOURCE, TARGET, 2), "raise IndexError")) == 3


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("steps", (0, 1, 2))
def test_derivatives(f, steps):
    with interpreted():
        adc.check_grads(f, (X, SOURCE, TARGET, steps), order=1, mode="compiled")


def test_columns_that_may_not_be_there():
    """A loop without a trip reads none of them, not even to look through it."""
    gradient = adc.grad(spread_along_edges, mode="compiled")
    with interpreted():
        for edges in (np.zeros((3, 0), dtype=np.int64), np.zeros((20, 2), dtype=np.int64) + 9):
            assert np.array_equal(gradient(X, edges, 0), 2.0 * X)
            with pytest.raises(IndexError):
                gradient(X, edges, 1)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("far", (9, -9))
def test_a_position_outside_raises_where_it_is_used(f, far):
    """In the first trip that reads it, as in NumPy; with none, not at all."""
    source = np.array([0, far, 1, 2])
    gradient = adc.grad(f, mode="compiled")
    with interpreted():
        for target in (TARGET, np.array([1, 1, 1, 1])):
            for steps in (0, 1, 3):
                try:
                    f(X, source, target, steps)
                except IndexError:
                    with pytest.raises(IndexError):
                        gradient(X, source, target, steps)
                else:
                    gradient(X, source, target, steps)


@pytest.mark.machine_code
def test_machine_code_raises():
    gradient = adc.grad(spread, mode="compiled")
    for source, target in ((SOURCE, TARGET + 4), (SOURCE - 5, TARGET)):
        with pytest.raises(IndexError):
            gradient(X, source, target, 2)
        assert np.array_equal(gradient(X, source, target, 0), 2.0 * X)
    with interpreted():
        expected = adc.grad(spread)(X, SOURCE, TARGET, 3)
    np.testing.assert_allclose(gradient(X, SOURCE, TARGET, 3), expected, rtol=1e-14)


def test_no_positions():
    nothing = np.zeros(0, dtype=np.int64)
    with interpreted():
        assert np.array_equal(adc.grad(spread)(X, nothing, nothing, 2), 2.0 * X)


def rows(table, ids, segment):
    total = np.zeros((3, table.shape[1]))
    np.add.at(total, segment, table[ids])
    return np.sum(total**2)


def test_a_position_is_read_once_for_a_row():
    text = text_of(rows, np.ones((4, 5)), SOURCE, np.array([0, 0, 1, 2]))
    assert all(line.startswith(" " * 8) and "[j" not in line for line in text.splitlines() if "ids[" in line)
    assert all("[i]" in line for line in text.splitlines() if "segment[" in line), text


def softened(w, source, target, x):
    y = np.zeros(x.shape[0])
    np.add.at(y, target, w * np.tanh(x[source]))
    return np.sum(y * y)


def test_what_is_dear_is_computed_in_a_loop_that_vectorises():
    """Apart from the loop that adds where data says, which cannot; and known not to overlap what it reads."""
    text = text_of(softened, np.ones(4), SOURCE, TARGET, X)
    kernels = text[: text.index("\ndef softened_grad(")]
    assert "vm.tanh(x[source[i]])" in kernels, text
    assert not [line for line in text.splitlines() if "vm.tanh" in line and "+=" in line]


def every_row(x, labels):
    return np.sum(x[np.arange(labels.shape[0]), labels] ** 2)


def test_a_range_is_compared_with_a_length():
    text = text_of(every_row, np.ones((4, 5)), SOURCE)
    assert depths(text, "&= ") == [2], text
    gradient = adc.grad(every_row, mode="compiled")
    with interpreted():
        adc.check_grads(every_row, (np.arange(20.0).reshape(4, 5), SOURCE), order=1, mode="compiled")
        with pytest.raises(IndexError):
            gradient(np.ones((3, 5)), SOURCE)


def read_in_a_range(x, k):
    return x * np.arange(5)[k]


def read_in_ranges(x, k):
    return np.sum(x * np.arange(2, 7)[k])


@pytest.mark.parametrize(("f", "k"), ((read_in_a_range, -1), (read_in_ranges, np.array([-1, 0, -5]))))
def test_elements_of_a_range_from_its_end(f, k):
    with interpreted():
        assert adc.value_and_grad(f, mode="compiled")(2.0, k) == (f(2.0, k), f(1.0, k))


def of_one_element(x, k):
    y = np.zeros(3)
    y[k] = 2.0 * x[0]
    y[k + 3] = x[1]
    return y[k] * x[2]


def of_one_element_in_a_loop(x, k):
    y = np.zeros(3)
    for i in range(-1, k):
        y[i] = 2.0 * x[0]
        y[i + 3] = x[1]
        x = x * y[i]
    return np.sum(x)


@pytest.mark.parametrize("f", (of_one_element, of_one_element_in_a_loop))
def test_one_from_the_front_and_one_from_the_end_may_be_one(f):
    x = np.array([1.0, 5.0, 3.0])
    with interpreted():
        for k in (-1, 0):
            if f is of_one_element and k == 0:
                continue
            assert adc.value_and_grad(f, mode="compiled")(x, k)[0] == f(x, k)
            adc.check_grads(f, (x, k), order=1, mode="compiled")


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap", "symmetric"])
def test_a_pad_gathers_its_ends_alone(mode):
    def f(a):
        return np.sum(np.pad(a, ((1, 2), (2, 1)), mode=mode) ** 3)

    a = np.random.default_rng(3).normal(size=(5, 6))
    np.testing.assert_allclose(
        adc.grad(f, mode="compiled")(a), adc.grad(f, mode="tape")(a), rtol=1e-12, atol=1e-12
    )
    for rows, columns in ((1, 1), (2, 3)):  # fewer than are put beside them
        b = a[:rows, :columns].copy()
        assert adc.value_and_grad(f, mode="compiled")(b)[0] == pytest.approx(f(b))


def test_a_grid_that_reads_at_positions_is_gone_through_once():
    def warped(image, shift):
        total = 0.0
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                x = min(max(j + shift[i, j], 0.0), image.shape[1] - 1.001)
                k = int(x)
                part = x - k
                total += ((1.0 - part) * image[i, k] + part * image[i, k + 1]) ** 2
        return total

    r = np.random.default_rng(5)
    image, shift = r.normal(size=(6, 8)), r.normal(size=(6, 8))
    gradient = adc.value_and_grad(warped, argnums=(0, 1), mode="compiled")
    value, found = gradient(image, shift)
    np.testing.assert_allclose(value, warped(image, shift))
    for g, wanted in zip(found, adc.grad(warped, argnums=(0, 1), mode="tape")(image, shift), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=1e-12, atol=1e-13)
    text = str(gradient.source(image, shift, stage="optimized"))
    assert text.count("int(") == 1, text
