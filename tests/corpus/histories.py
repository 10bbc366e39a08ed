"""Lists that a dict holds, which grow in long loops: they are arrays, and the loop is one."""

from collections import defaultdict

import numpy as np
from tests.corpus import program


def slope(state):
    return np.array([[0.6, -0.8], [0.8, 0.6]]) @ np.sin(state) - 0.1 * state


@program(lambda r: (r.uniform(0.2, 0.4),))
def kept_by_name(p):
    history = {"z": [], "x": [p]}
    state = np.array([p, 2.0 * p])
    for k in range(40):
        state = state + 0.1 * (slope(state) + slope(state + 0.1 * slope(state)))
        history["z"].append(state[0])
        history["x"].append(state[1] * k)
    return np.mean(history["z"]) + history["x"][-1]


@program(lambda r: (r.uniform(0.2, 0.4),))
def kept_when_there_is_something(p):
    seen = defaultdict(list)
    state = np.array([p, 2.0 * p])
    for k in range(40):
        state = state + 0.1 * (slope(state) + slope(state + 0.1 * slope(state)))
        seen["state"].append(state)
        seen["norm"].append(np.sum(state**2) * k)
    return np.array(seen["state"])[3] @ seen["state"][-1] + max(seen["norm"])


@program(lambda r: (r.uniform(0.2, 0.4),))
def until_it_rests(p):
    history = defaultdict(list)
    for k in range(6):
        p = np.cos(p) + 0.1 * p
        history["p"].append(p)
        if k > 3 and abs(history["p"][-1] - history["p"][-2]) < 1e-1:
            break
    return sum(history["p"]) * len(history["p"])


@program(lambda r: (r.uniform(0.2, 0.4),))
def kept_with_their_sums(p):
    history = {"sum": [], "z": []}
    for k in range(40):
        history["z"].append(np.sin(p * k))
        history["sum"].append(sum(history["z"]))
    return sum(history["sum"]) * p
