"""Exceptions of the program's own classes: what they hold reaches the handler."""

import numpy as np
from tests.corpus import program


class Diverged(RuntimeError):
    def __init__(self, step, norm):
        super().__init__(f"no convergence after {step}: {norm:.2e}")
        self.step, self.norm = step, norm


class Coded(Exception):
    def __init__(self, text, *, code=0.0):
        Exception.__init__(self, text)
        self.code = code

    @property
    def twice(self):
        return 2.0 * self.code


class Negative(Coded):
    def __init__(self, value):
        super().__init__("negative", code=value)


def _settled(x):
    norm = np.sum(x * x)
    if norm > 5.0:
        raise Diverged(3, norm)
    return norm * x[0]


@program(lambda r: (np.array([0.7, 0.4]),))
def a_text_made_by_its_class(x):
    if np.max(x) > 2.0:
        raise Diverged(3, np.max(x))
    return np.sum(x * x)


@program(lambda r: (np.array([0.7, 0.4]), np.array([2.0, 3.0])))
def what_it_holds(x, y):
    total = 0.0
    for v in (x, y):
        try:
            total += _settled(v)
        except Diverged as error:
            print(error)
            total += error.norm * v[1] + error.step * v[0]
    return total


@program(lambda r: (0.7, -0.4))
def returned_from_a_handler(x, y):
    def checked(v):
        try:
            if v < 0.0:
                raise Negative(v * v)
            return v**3
        except (KeyError, Coded) as error:
            return error.twice * v if isinstance(error, Negative) else 0.0

    return checked(x) + 3.0 * checked(y)


@program(lambda r: (0.7, -0.4))
def its_arguments(x, y):
    total = 0.0
    for v in (x, y):
        try:
            if v < 0.0:
                raise ValueError("negative", v * 2.0)
            total += v
        except ValueError as error:
            text, value = error.args
            total += value * v if text == "negative" else v
    return total


@program(lambda r: (0.7, -0.4))
def raised_again(x, y):
    def checked(v):
        try:
            if v < 0.0:
                raise Negative(v)
            return v
        except Coded as error:
            if v < -3.0:
                raise
            return error.code * x

    return checked(x) + checked(y)


@program(lambda r: (0.7, -0.4))
def from_another(x, y):
    def checked(v):
        try:
            w = 1.0 / v
            if w < 0.0:
                raise Negative(w)
        except Coded as error:
            raise ValueError("bad") from error
        return w

    return checked(x) * y + checked(-1.0 / y)


def _solved(x, limit):
    history = []
    for k in range(3):
        history.append(x[k] * x[k])
        if history[-1] > limit:
            raise Diverged(k, history[-1])
    return sum(history)


@program(lambda r: (np.array([0.7, 0.4, 1.5]),))
def a_list_made_before_it(x):
    try:
        return _solved(x, 2.0)
    except Diverged as error:
        return x[0] * error.step
