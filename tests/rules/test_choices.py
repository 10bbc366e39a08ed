"""What is not chosen gets an adjoint of zero, also where its own derivative is infinite."""

import numpy as np
import pytest

import adc

NOT_CHOSEN = np.array([0.0, 1.0, 4.0])  # the slope of the root is infinite at the first
DIAGONAL = np.array([[0.0, 1.0], [4.0, 0.0]])


def mask_as_a_factor(x):
    return np.sum(np.sqrt(x) * (x > 0.5))


def off_the_diagonal_as_a_factor(x):
    return np.sum(np.sqrt(x) * ~np.eye(2, dtype=bool))


def ones_off_the_diagonal(x):
    return np.sum(np.sqrt(x) * (1.0 - np.eye(len(x))))


def ones_below_the_diagonal(x):
    return np.sum(np.tri(2, k=-1) * np.sqrt(x))


def below_the_diagonal(x):
    return np.sum(np.tril(np.sqrt(x), -1))


def above_the_diagonal(x):
    return np.sum(np.triu(np.sqrt(x), 1) ** 2)


def largest_two(x):
    return np.sum(np.sort(np.sqrt(x))[1:])


def middle(x):
    return np.median(np.sqrt(x))


def upper_quartile(x):
    return np.percentile(np.sqrt(x), 75)


def parted(x):
    return np.sum(np.partition(np.sqrt(x), 1)[1:])


def second_in_order(x):
    return sorted(np.sqrt(x))[1]


def picked_along_an_axis(x):
    return np.sum(np.take_along_axis(np.sqrt(x), np.array([[1], [0]]), 1))


def largest_so_far(x):
    return np.sum(np.maximum.accumulate(np.sqrt(x))[1:])


def distances_of_pairs(x):
    distances = np.sqrt((x[:, None] - x) ** 2)
    return np.sum(np.tril((distances - 0.5) ** 2, -1))


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize(
    ("function", "point", "wanted"),
    [
        (mask_as_a_factor, NOT_CHOSEN, [0.0, 0.5, 0.25]),
        (off_the_diagonal_as_a_factor, DIAGONAL, [0.0, 0.5, 0.25, 0.0]),
        (ones_off_the_diagonal, DIAGONAL, [0.0, 0.5, 0.25, 0.0]),
        (ones_below_the_diagonal, DIAGONAL, [0.0, 0.0, 0.25, 0.0]),
        (below_the_diagonal, DIAGONAL, [0.0, 0.0, 0.25, 0.0]),
        (above_the_diagonal, DIAGONAL, [0.0, 1.0, 0.0, 0.0]),
        (largest_two, NOT_CHOSEN, [0.0, 0.5, 0.25]),
        (middle, NOT_CHOSEN, [0.0, 0.5, 0.0]),
        (upper_quartile, NOT_CHOSEN, [0.0, 0.25, 0.125]),
        (parted, NOT_CHOSEN, [0.0, 0.5, 0.25]),
        (second_in_order, NOT_CHOSEN, [0.0, 0.5, 0.0]),
        (picked_along_an_axis, DIAGONAL, [0.0, 0.5, 0.25, 0.0]),
        (largest_so_far, NOT_CHOSEN, [0.0, 0.5, 0.25]),
        (distances_of_pairs, NOT_CHOSEN, [-8.0, -4.0, 12.0]),
    ],
)
def test_what_is_not_chosen_contributes_nothing(function, point, wanted, mode):
    with np.errstate(all="ignore"):
        found = adc.grad(function, mode=mode)(point)
    np.testing.assert_allclose(found.ravel(), wanted)


@pytest.mark.parametrize("function", [mask_as_a_factor, off_the_diagonal_as_a_factor])
def test_nor_does_its_tangent(function):
    point = NOT_CHOSEN if function is mask_as_a_factor else DIAGONAL
    with np.errstate(all="ignore"):
        _, tangent = adc.jvp(function, (point,), (np.ones_like(point),), mode="python")
    np.testing.assert_allclose(tangent, 0.75)
