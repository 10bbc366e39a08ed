"""Lists of tuples and named tuples with arrays in them, in loops of more trips than can be written out."""

from typing import NamedTuple

import numpy as np
from tests.corpus import program


class Belief(NamedTuple):
    mean: np.ndarray
    cov: np.ndarray


class Bid(NamedTuple):
    who: int
    amount: float
    valid: bool


def measurements(r):
    return r.normal(size=(150, 2)), 0.9


@program(measurements)
def filtered_and_smoothed(ys, q):
    belief, filtered, predicted = Belief(np.zeros(2), np.eye(2)), [], []
    for y in ys:
        belief = Belief(q * belief.mean, q * belief.cov + np.eye(2))
        predicted.append(belief)
        gain = belief.cov @ np.linalg.inv(belief.cov + 0.5 * np.eye(2))
        belief = Belief(belief.mean + gain @ (y - belief.mean), belief.cov - gain @ belief.cov)
        filtered.append(belief)
    smoothed = [filtered[-1]]
    for t in reversed(range(len(filtered) - 1)):
        gain = q * filtered[t].cov @ np.linalg.inv(predicted[t + 1].cov)
        mean = filtered[t].mean + gain @ (smoothed[0].mean - predicted[t + 1].mean)
        cov = filtered[t].cov + gain @ (smoothed[0].cov - predicted[t + 1].cov) @ gain.T
        smoothed.insert(0, Belief(mean, cov))
    moved = sum(np.sum((a.mean - b.mean) ** 2) for a, b in zip(filtered, smoothed, strict=True))
    return (
        moved
        + sum(np.trace(b.cov) for b in smoothed[1:])
        + np.stack([b.mean for b in smoothed])[3] @ q ** ys[0]
    )


@program(measurements)
def bids_in_order_of_amounts(ys, q):
    bids = [Bid(k, q * y[0] ** 2, y[1] > 0) for k, y in enumerate(ys)]
    valid = [b for b in bids if b.valid]
    valid.sort(key=lambda b: b.amount)
    first, second = max(valid, key=lambda b: b.amount), sorted(bids, key=lambda b: -b.amount)[1]
    nested = []
    while len(nested) < 80:
        nested.append((ys[len(nested)], (q, valid[-1].amount)))
        if q * ys[len(nested), 0] > 1.0:
            nested.pop()
            nested.append((2.0 * ys[len(nested)], (q, 1.0)))
    total = sum(y @ y * a * b for y, (a, b) in nested)
    return ys[first.who, 1] * second.amount + valid[0].amount + total


@program(measurements)
def an_array_in_a_tuple_is_written_to(ys, q):
    history = []
    for y in ys:
        z = q * y
        history.append((z, q))
        z[0] = 5.0
    return sum(z[0] * p for z, p in history)


@program(measurements)
def a_number_is_no_pair(ys, q):
    pairs = [(q * y[0], 1.0) for y in ys]
    return sum(a * b for a, b in pairs) * (2.0 - (1.0 in pairs))


def _peaks(x):
    found = []
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > 0.2:
                found.append((i, j))
    return found


PEAKS = np.array([[0.5, -0.3, 0.8], [0.1, 0.3, 0.25], [0.7, -0.2, 0.15]])


@program(lambda r: (PEAKS.copy(),))
def a_tuple_is_one_place(x):
    y = x.copy()
    for p in _peaks(x):
        y[p] *= 2.0
        np.add.at(y, p[::-1], np.sum(x[p]))
    return np.sum(y * y)


@program(lambda r: (PEAKS.copy(), np.arange(27.0).reshape(3, 3, 3)))
def tuples_put_together_are_places(x, weights):
    return sum(np.sum(weights[p + p[:1]]) * np.sum(weights[(0, *p)]) * np.sum(x[p * 1]) for p in _peaks(x))


@program(lambda r: (PEAKS.copy(),))
def the_best_of_some_places(x):
    places = _peaks(x)
    best = places[0]
    for p in places:
        if x[p] > x[best]:
            best = p
    chosen = places[0] if x[0, 0] > 0.3 else places[1]
    return np.sum(x[best]) + 2.0 * np.sum(x[chosen]) + 3.0 * np.sum(x[sorted(places)[-1]])


@program(lambda r: (PEAKS.copy(),))
def lists_are_several_places(x):
    return sum(np.sum(x[p]) for p in [list(p) for p in _peaks(x)])


@program(lambda r: (PEAKS.copy(),), refused=dict.fromkeys(("compiled", "python"), "on some paths only"))
def tuples_and_lists_are_mixed(x):
    found = []
    for i in range(x.shape[0]):
        if x[i, 0] > 0.3:
            found.append((i, 0))
        else:
            found.append([i, 0])
    return sum(np.sum(x[p]) for p in found)


@program(lambda r: (PEAKS.copy(),))
def a_tuple_is_compared_with_others(x):
    s = 0.0
    for p in _peaks(x):
        s += np.sum(x[p]) * (3.0 if p == (0, 0) else 2.0 if p in ((1, 1), (2, 0)) else len(p))
    return s


@program(lambda r: (PEAKS.copy(),))
def places_read_before_they_are_put_in(x):
    path, s = [], 0.0
    for k in range(x.shape[0]):
        if k > 0:
            s += np.sum(x[path[-1]])
        path.append((k, k * 2 % 3))
    return s


@program(lambda r: (r.normal(size=(3, 3)),))
def tuples_that_are_longer_after_each_trip(x):
    paths = [((), 0.0)]
    for row in x:
        longer = []
        for steps, score in paths:
            for k, v in enumerate(row):
                longer.append(((*steps, k), score + v))
        paths = sorted(longer, key=lambda path: path[1])[-4:]
    return paths[-1][1] - 0.5 * paths[0][1] * len(paths[0][0])


@program(lambda r: (r.normal(size=(3, 2)),))
def arrays_in_tuples_that_are_longer_after_each_trip(x):
    paths = [(np.zeros(1), 0.0)]
    for row in x:
        paths = [(np.append(steps, v), score + v * v) for steps, score in paths for v in row]
    return paths[0][1] + np.sum(paths[-1][0] ** 2)


@program(lambda r: (r.normal(size=(2, 3)),))
def dicts_of_lists_of_tuples_that_become_longer(x):
    state = {"paths": [([], 0.0)]}
    for row in x:
        state["paths"] = [([*steps, v], score * 0.5 + v) for steps, score in state["paths"] for v in row]
    return state["paths"][0][1] + sum(state["paths"][-1][0]) ** 2


def _scaled(x, n):
    return [(np.ones(n) * v, v * n) for v in x if v > -9.0]


@program(lambda r: (np.array([0.5, -1.0, 2.0]),))
def arrays_in_tuples_of_other_lengths_on_each_path(x):
    pairs = _scaled(x, 3) if x[0] > 9.0 else _scaled(x, 2)
    if x[1] < 0.0:
        pairs = _scaled(x, 4)
    return pairs[0][1] + np.sum(pairs[-1][0] ** 2)


@program(lambda r: (0.5 * r.normal(size=(2, 2)), r.normal(size=2), r.normal(size=(5, 2))))
def vectors_behind_matrices(a, m0, observed):
    """Means, covariances and predictions of a filter, taken apart by columns: a product of lengths lies before some."""
    m, p = m0, np.eye(len(m0))
    steps = []
    for y in observed:
        m_next, p_next = a @ m, a @ p @ a.T + 0.1 * np.eye(len(m))
        gain = p_next @ np.linalg.inv(p_next + np.eye(len(m)))
        m, p = m_next + gain @ (y - m_next), p_next - gain @ p_next
        steps.append((m, p, m_next, p_next))
    means, spreads, before, spreads_before = (np.array(column) for column in zip(*steps, strict=True))
    for t in range(len(means) - 2, -1, -1):
        back = spreads[t] @ a.T @ np.linalg.inv(spreads_before[t + 1])
        means[t] += back @ (means[t + 1] - before[t + 1])
    return np.sum(means**2) + np.sum(before[1:] * means[:-1])
