"""Rules of scipy.stats for distances between the distributions of two samples: of Wasserstein, and of energy."""

import math

import numpy as np
from scipy import stats

from adc.rules.elementary import root
from adc.rules.samples import rule


def _examples(r):
    return [
        (r.distinct(4), r.distinct(3) + 0.3),
        (r.distinct(3), r.distinct(4) + 0.3, r.positive(3), r.positive(4)),
    ]


def _below(values, weights, points):
    """The part of the sample that lies at or below each point."""
    if np.size(values) == 0:
        raise ValueError("Distribution can't be empty.")
    order = np.argsort(values)
    counts = np.searchsorted(values[order], points, "right")
    if weights is None:
        return counts / values.shape[0]
    running = np.concatenate((np.zeros(1), np.cumsum(weights[order])))
    return running[counts] / running[-1]


def _apart(u_values, v_values, u_weights, v_weights):
    """How far the distribution functions are apart between the values of both, and the lengths of these parts."""
    points = np.sort(np.concatenate((u_values, v_values)))
    between = points[:-1]
    return _below(u_values, u_weights, between) - _below(v_values, v_weights, between), np.diff(points)


@rule(stats.wasserstein_distance, "u_values v_values u_weights v_weights", _examples)
def wasserstein_distance(u_values, v_values, u_weights=None, v_weights=None):
    apart, lengths = _apart(u_values, v_values, u_weights, v_weights)
    return np.sum(np.abs(apart) * lengths)


@rule(stats.energy_distance, "u_values v_values u_weights v_weights", _examples)
def energy_distance(u_values, v_values, u_weights=None, v_weights=None):
    apart, lengths = _apart(u_values, v_values, u_weights, v_weights)
    return math.sqrt(2.0) * root(np.sum(apart * apart * lengths))
