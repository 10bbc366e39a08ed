"""Lists of so many items, which a loop writes whose trips the run decides, or are too many to be written out"""

import numpy as np
from tests.corpus import program


def _relaxed(state):
    state[0] = state[0] * 0.5 + 0.1 * state[1]
    state[1] = state[1] * 0.7


@program(lambda r: (r.uniform(0.5, 1.0, size=3),))
def items_written_until_they_are_small(x):
    state, trips = [x, np.outer(x, x)[:, 0]], 0
    while np.max(np.abs(state[0])) > 0.1:
        _relaxed(state)
        trips += 1
    return np.sum(state[0] * state[1]) * trips


@program(lambda r: (r.uniform(0.5, 1.0, size=3), 0.3))
def items_of_an_objects_list(x, tolerance):
    state = {"weights": [x, np.outer(x, x)], "trips": 0}
    while np.max(state["weights"][0]) > tolerance:
        for k in range(len(state["weights"])):
            state["weights"][k] = state["weights"][k] - 0.3 * np.tanh(state["weights"][k])
        state["trips"] += 1
    return sum(w.sum() for w in state["weights"]) * state["trips"]


def _banana(p):
    return (1.0 - p[0]) ** 2 + 5.0 * (p[1] - p[0] ** 2) ** 2


def _simplex(x, trips):
    simplex = [x, x + np.array([0.5, 0.0]), x + np.array([0.0, 0.5])]
    for _ in range(trips):
        simplex.sort(key=_banana)
        best, middle, worst = simplex
        centre = (best + middle) / 2
        reflected = 2 * centre - worst
        if _banana(best) <= _banana(reflected) < _banana(middle):
            simplex[-1] = reflected
        elif _banana(reflected) < _banana(best):
            further = 3 * centre - 2 * worst
            simplex[-1] = further if _banana(further) < _banana(reflected) else reflected
        else:
            nearer = 0.5 * (centre + worst)
            if _banana(nearer) < _banana(worst):
                simplex[-1] = nearer
            else:
                simplex = [best] + [0.5 * (best + p) for p in simplex[1:]]
    return _banana(min(simplex, key=_banana))


@program(lambda r: (np.array([0.3, 0.3]),))
def simplex_of_few_trips(x):
    return _simplex(x, 12)


@program(lambda r: (np.array([0.31, 0.3]),))
def simplex_of_trips_that_the_data_say(x):
    return _simplex(x, int(x[0] * 40))
