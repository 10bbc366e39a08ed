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


@program(
    measurements,
    refused=dict.fromkeys(("compiled", "python"), "this writes to `z`, which was put into a list before"),
)
def an_array_in_a_tuple_is_written_to(ys, q):
    history = []
    for y in ys:
        z = q * y
        history.append((z, q))
        z[0] = 5.0
    return sum(z[0] * p for z, p in history)


@program(
    measurements,
    refused=dict.fromkeys(("compiled", "python"), "`in` is only supported for values known before"),
)
def a_number_is_no_pair(ys, q):
    pairs = [(q * y[0], 1.0) for y in ys]
    return sum(a * b for a, b in pairs) * (2.0 - (1.0 in pairs))
