"""Properties that write to their object, and cached ones, where only some paths and some trips read them"""

from functools import cached_property

import numpy as np
from tests.corpus import program


class Cell:
    def __init__(self, side):
        self.side = side
        self.asked = 0.0
        self._weight = None

    @cached_property
    def area(self):
        return self.side * self.side

    @cached_property
    def volume(self):
        return self.area * self.side

    @property
    def weight(self):
        if self._weight is None:
            self._weight = 2.0 * self.side**3
        self.asked += 1.0
        return self._weight

    def __getitem__(self, k):
        self.asked += k
        return self.side + k


def _on_one_path(x):
    cell = Cell(x[0])
    y = 0.0
    if x[1] > 0:
        y = cell.volume
    cell.side = x[1]
    return y + cell.volume * cell.area


@program(lambda r: (np.array([0.7, 1.3, -0.4]),))
def a_cached_property_read_on_one_path(x):
    return _on_one_path(x) + 2.0 * _on_one_path(x * np.array([1.0, -1.0, 1.0]))


def _behind_a_return(x):
    cell = Cell(x)
    if x[0] < 0:
        return x[1] * 3.0
    return np.sum(cell.area) + cell.volume[1]


@program(lambda r: (np.array([1.1, 0.7]),))
def a_cached_property_behind_an_early_return(x):
    return _behind_a_return(x) + 2.0 * _behind_a_return(x * np.array([-1.0, 1.0]))


def _in_a_loop(x):
    cell = Cell(x[0])
    s = 0.0
    while s < 5:
        if s > 1:
            s += cell.volume
            cell.side = cell.side + 1.0
        s += 1
    return s * cell.area


@program(lambda r: (np.array([1.1, 0.7, 0.2]),))
def a_cached_property_first_read_in_a_loop(x):
    return _in_a_loop(x) + 2.0 * _in_a_loop(x + 1.5)


def _operands(x):
    cell = Cell(x[0])
    y = cell.weight if x[1] > 0 else 0.0
    y += cell[2.0] if x[1] > 0.5 else x[1]
    if x[1] > 0 and cell.weight > 100:
        y += 1.0
    return y + cell.weight * x[1] + cell.asked * x[0]


@program(lambda r: (np.array([1.1, 0.7]),))
def operands_that_write_to_an_object(x):
    return _operands(x) + 2.0 * _operands(x * np.array([1.0, -1.0]))
