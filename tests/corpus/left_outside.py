"""What a function leaves outside and reads again in the same call: derivatives go through it."""

import types

import numpy as np
from tests.corpus import program

STATE = types.SimpleNamespace(total=0.0, trips=0, best=None)
TABLE = {"sum": 0.0, "calls": 0}
STEPS = 0


@program(lambda r: (r.normal(size=4),))
def a_sum_in_an_attribute(x):
    STATE.total = 1.0
    for v in x:
        STATE.total = STATE.total * v + v
    return STATE.total**2


@program(lambda r: (np.array([3.0, 5.0]),))
def trips_and_the_last_value_of_a_while(x):
    global STEPS
    STEPS, STATE.total = 0, x[0]
    while STATE.total**2 - x[1] > 1e-9:
        STATE.total = 0.5 * (STATE.total + x[1] / STATE.total)
        STEPS += 1
    return STATE.total * STEPS + x[0] ** 2


@program(lambda r: (r.normal(size=5),))
def an_entry_on_some_paths(x):
    TABLE["sum"] = 0.5
    TABLE["calls"] += 1
    for k in range(x.size):
        if x[k] > 0.0:
            TABLE["sum"] += x[k] ** 2
        else:
            TABLE["sum"] *= 0.9 + x[k]
    return TABLE["sum"] * np.sin(x[0])


def noted(v):
    noted.weight = noted.weight * 0.5 + v
    return noted.weight * v


noted.weight = 0.0


@program(lambda r: (r.normal(size=(3, 2)),))
def an_attribute_of_a_helper(a):
    noted.weight = a[0]
    return sum(np.sum(noted(row)) for row in a)


@program(lambda r: (r.normal(size=3),))
def the_best_so_far(x):
    STATE.best = x[0] ** 2
    for v in x[1:]:
        value = (v - 0.3) ** 2
        if value < STATE.best:
            STATE.best = value
    return STATE.best + np.sum(x * STATE.best)
