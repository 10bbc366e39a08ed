"""Small programs with what PyTorch answers: a value, or an error and how its text begins."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adc


def tensor(data, requires_grad=False, dtype=np.float64):
    return adc.tensor(data, dtype, requires_grad)


def itensor(data):
    return adc.tensor(np.array(data, np.int64))


def ones(*shape, requires_grad=False):
    return adc.tensor(np.ones(_lengths(shape)), requires_grad=requires_grad)


def zeros(*shape, requires_grad=False):
    return adc.tensor(np.zeros(_lengths(shape)), requires_grad=requires_grad)


def _lengths(shape):
    return shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape


def error_of(action):
    """The class and the first line of the error that an action raises."""
    try:
        action()
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0][:90]
    return "none"


def plain(answer: Any) -> Any:
    """Tensors and arrays as nested lists, rounded."""
    if isinstance(answer, adc.Tensor):
        return plain(answer.detach().numpy())
    if isinstance(answer, np.ndarray | np.generic):
        return (answer if answer.dtype == bool else np.round(answer, 8)).tolist()
    if isinstance(answer, float):
        return round(answer, 8)
    if isinstance(answer, tuple | list):
        return type(answer)(plain(part) for part in answer)
    return answer


class Case:
    """A program and its answer."""

    def __init__(self, program: Callable[[], Any], expected: Any, error: type[Exception] | None) -> None:
        self.program, self.expected, self.error = program, expected, error

    def check(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # reading .grad of a Tensor that is no leaf
            if self.error is None:
                assert repr(plain(self.program())) == repr(self.expected)
                return
            with pytest.raises(self.error) as caught:
                self.program()
        assert str(caught.value).startswith(self.expected)


class Answers:
    """Collects the programs of a file."""

    def __init__(self) -> None:
        self.cases: list[Any] = []

    def _add(self, expected: Any, error: type[Exception] | None) -> Callable[[Any], Any]:
        def decorate(program):
            self.cases.append(pytest.param(Case(program, expected, error), id=program.__name__))
            return program

        return decorate

    def gives(self, expected: Any) -> Callable[[Any], Any]:
        """The answer: the `repr` of what the program returns."""
        return self._add(expected, None)

    def raises(self, kind: type[Exception], text: str) -> Callable[[Any], Any]:
        """The answer: an error whose text begins so."""
        return self._add(text, kind)
