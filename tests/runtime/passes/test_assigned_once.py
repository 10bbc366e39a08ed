"""What Numba keeps in registers is what it always was, found in one go."""

import inspect

import numba
import numpy as np
from numba.core import lowering

from adc.runtime.passes import assigned_once

OWN = inspect.getclosurevars(lowering.Lower._find_singly_assigned_variable).nonlocals["own"]


def branches(x, n):
    total = 0.0
    last = x[0]
    for i in range(n):
        y = x[i] * 2.0
        if y > 1.0:
            total += y
        elif y < -1.0:
            total -= last
            last = y
        while total > 10.0:
            half = total / 2.0
            total = half
    return total + last


def straight(x, n):
    y = x * n
    y = np.sin(y) + x
    z = y * y
    y += z
    return y.sum(), [v * 2 for v in range(n)]


def steps(n):
    for i in range(n):
        yield i * 2


def test_the_same_variables(monkeypatch):
    compared = []

    def both(self):
        OWN(self)
        wanted = self._singly_assigned_vars
        in_one_go(self)
        compared.append(len(wanted))
        assert self._singly_assigned_vars == wanted

    in_one_go = lowering.Lower._find_singly_assigned_variable
    monkeypatch.setattr(lowering.Lower, "_find_singly_assigned_variable", both)
    x = np.linspace(-2.0, 2.0, 9)
    assert numba.njit(branches)(x, 9) == branches(x, 9)
    assert numba.njit(straight)(x, 3)[1] == [0, 2, 4]
    assert list(numba.njit(steps)(3)) == [0, 2, 4]
    assert len(compared) > 5 and max(compared) > 10


def test_another_text_of_numbas_is_left_alone(monkeypatch):
    called = []

    def other(self):
        called.append(self)
        OWN(self)

    monkeypatch.setattr(lowering.Lower, "_find_singly_assigned_variable", assigned_once.in_one_go(other))
    assert numba.njit(lambda x: x + 1)(2) == 3
    assert called
