"""`as_strided` and `unfold` count places in memory as PyTorch does, and their results are views; or they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tape.torch_programs import plain

import adc

torch = pytest.importorskip("torch")


def made(library):
    leaf = library.tensor(np.arange(12.0).reshape(3, 4), requires_grad=True)
    return leaf, leaf * 1.0


def answer(program, library):
    leaf, y = made(library)
    window = program(y)
    ((y * y).sum() + (window * window).sum()).backward()
    return [t.detach().numpy().tolist() for t in (window, y, leaf.grad)]


def turned(y):
    return y.T.as_strided((2, 2), (1, 2))


def part(y):
    return y[1:, 1:].as_strided((2, 2), (4, 1), 6)


def every_other(y):
    return y[:, ::2].as_strided((2, 2), (4, 2))


def repeated(y):
    return y.expand(2, 3, 4).as_strided((2, 3), (0, 1))


def of_turned_memory(y):
    return y.T.clone().as_strided((2, 3), (2, 1), 1)


def written(y):
    window = y.as_strided((2, 2), (4, 1), 1)
    window.mul_(10.0)
    return window


def base_written(y):
    window = y[1:, 1:].as_strided((2, 2), (1, 4))
    y.mul_(10.0)
    return window


def no_axes(y):
    return y.sum().as_strided((3,), (0,))


def apart(y):
    windows = y.unfold(1, 2, 2)
    windows.mul_(10.0)
    return windows


def overlapping(y):
    windows = y.T.unfold(0, 2, 1)
    y.mul_(10.0)
    return windows


def of_a_number(y):
    return y.sum().unfold(0, 1, 1)


PROGRAMS = [turned, part, every_other, repeated, of_turned_memory, written, base_written, no_axes]
PROGRAMS += [apart, overlapping, of_a_number]


@pytest.mark.tiny
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_pytorch(program):
    assert answer(program, adc) == answer(program, torch)


@pytest.mark.tiny
@pytest.mark.parametrize(
    "refused",
    [
        lambda y: y[1:].as_strided((2, 2), (1, 2), 0),  # PyTorch reads the first row, without a gradient
        lambda y: y[:, ::2].as_strided((2, 2), (1, 1)),
        lambda y: y.as_strided((2, 2), (10, 10)),
        lambda y: y.as_strided((2, 2), (-1, 1), 3),
        lambda y: y.as_strided((2, 2), (1,)),
        lambda y: adc.from_numpy(np.arange(5.0)[1:]).as_strided((2,), (1,), 1),
    ],
)
def test_places_that_the_tensor_does_not_have_are_refused(refused):
    with pytest.raises(RuntimeError):
        refused(made(adc)[1])


@pytest.mark.tiny
@pytest.mark.parametrize("window", [lambda y: y.as_strided((2, 2), (1, 1)), lambda y: y.unfold(0, 2, 1)])
def test_windows_that_overlap_are_not_written_to(window):
    _, y = made(adc)
    windows = window(y)
    with pytest.raises(ValueError, match="read-only"):
        windows.mul_(2.0)
    assert plain(y) == np.arange(12.0).reshape(3, 4).tolist()
