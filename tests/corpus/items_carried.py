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


@program(lambda r: (r.normal(size=(5, 2)),))
def means_of_clusters_in_lists(x):
    centres = [x[0], x[1]]
    for _ in range(3):
        sums, counts = [np.zeros(2) for _ in range(2)], [0] * 2
        for point in x:
            distances = [np.sum((point - c) ** 2) for c in centres]
            k = int(np.argmin(distances))
            sums[k] = sums[k] + point
            counts[k] += 1
        centres = [s / max(n, 1) for s, n in zip(sums, counts, strict=True)]
    return np.sum(centres[0] ** 2) + centres[1][0]


@program(lambda r: (r.normal(size=(4, 2)),))
def nearest_that_was_not_visited(x):
    visited, here, total = [False] * 4, 0, 0.0
    for _ in range(3):
        visited[here] = True
        nearest, least = None, np.inf
        for j in range(4):
            if not visited[j]:
                distance = np.linalg.norm(x[here] - x[j])
                if distance < least:
                    least, nearest = distance, j
        total += least
        here = nearest
    return total * x[0, 0]


@program(lambda r: (np.array([[0.3, 0.5], [-0.4, 0.2], [1.1, -0.7]]),))
def written_at_a_position_of_the_run(x):
    rows, k = [x[0] * 1.0, x[1] * 2.0, x[2]], int(x[0, 0] > 0)
    before = rows[k]
    rows[k] = x[2] * 3.0
    rows[k - 2] = rows[k] * before
    numbers = [1.0, x[0, 1], 3.0]
    numbers[k] = x[1, 1]
    numbers[k - 1] += 0.5
    return rows[0] @ rows[1] + rows[2] @ before + numbers[0] * numbers[1] + numbers[2] ** 2


@program(lambda r: (r.uniform(0.5, 1.0, size=(2, 3)),))
def the_larger_is_halved(x):
    pair, total = [x[0], x[1]], 0.0
    while total < 5.0:
        k = int(np.argmax([np.sum(v) for v in pair]))
        pair[k] = pair[k] * 0.5 + 0.2
        pair[1 - k] = pair[1 - k] + 0.1
        total += np.sum(np.abs(pair[k]))
    return pair[0] @ pair[1]
