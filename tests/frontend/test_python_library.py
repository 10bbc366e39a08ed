"""What of Python's own library is refused is named as the user writes it, at the user's line."""

import heapq
import itertools
import os
import random

import numpy as np
import pytest

import adc


def a_merge(x):
    return next(heapq.merge([x[0]], [x[1]]))


def a_seed(x):
    random.seed(3)
    return random.random() * x[0]


def a_folder(x):
    return len(os.getcwd()) * x[0]


NAMES = {
    a_merge: "heapq.merge",
    a_folder: "os.getcwd",
}


@pytest.mark.tiny
@pytest.mark.parametrize("function", NAMES)
def test_named_at_the_line_of_the_user(function):
    with pytest.raises(adc.UnsupportedError, match=f"`{NAMES[function]}` of Python's library") as caught:
        adc.grad(function, mode="python")(np.ones(3))
    assert caught.value.location.file == __file__


def a_seed_of_numpys(x):
    np.random.seed(3)
    return np.random.rand() * x[0]


def a_draw(x):
    return np.random.rand() * x[0]


@pytest.mark.tiny
@pytest.mark.parametrize(
    ("function", "name"),
    [(a_seed, "seed"), (a_seed_of_numpys, "seed"), (a_draw, "rand")],
)
def test_random_numbers_from_outside_are_refused_with_what_to_do(function, name):
    with pytest.raises(adc.UnsupportedError, match=f"`{name}` changes a generator") as caught:
        adc.grad(function, mode="python")(np.ones(3))
    assert "default_rng(seed)" in str(caught.value) and caught.value.location.file == __file__


@pytest.mark.tiny
def test_bytes_of_an_array():
    assert np.all(adc.grad(lambda x: x.nbytes * x[0], mode="python")(np.ones(2)) == [16.0, 0.0])


def a_few(x):
    count = int(np.sum(x > 0.5))
    return sum(itertools.islice([x[0], x[1] ** 2, x[2] ** 3], count))


@pytest.mark.tiny
def test_as_many_listed_items_as_the_run_says_are_the_tape_s():
    with pytest.raises(adc.UnsupportedError, match="takes as many as only the run knows") as caught:
        adc.grad(a_few, mode="python")(np.array([1.0, 1.0, 0.0]))
    assert caught.value.location.file == __file__
    assert adc.grad(a_few, mode="tape")(np.array([1.0, 1.0, 0.0])).tolist() == [1.0, 2.0, 0.0]
