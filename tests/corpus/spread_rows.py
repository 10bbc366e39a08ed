"""`f(*row)` of a row whose length only the run knows: the function says how many it takes"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tests.corpus import program


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Disc:
    x: float
    y: float
    r: float = 1.0


def weighed(a, b, *, by=1.0):
    return a * b * b * by


@program(lambda r: (r.normal(size=(3, 2)),))
def rows_spread_over_parameters(rows):
    s = 0.0
    for row in rows:
        p = Point(*row)
        s += weighed(*row, by=p.x) + weighed(p.y, *row[:1]) + weighed(*(2.0 * v for v in row))
        s += np.arctan2(*row)
    return s


@program(lambda r: (r.normal(size=5),))
def a_part_spread_over_parameters_with_defaults(x):
    disc = Disc(*x[:3])
    point = Disc(*x[1:3])
    return disc.x * disc.y + disc.r**2 + point.r * point.y
