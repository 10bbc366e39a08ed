"""Distances to neighbours have derivatives on the tape; which points are neighbours is constant."""

import numpy as np
import pytest
from scipy.spatial import KDTree, cKDTree

import adc

POINTS = np.random.default_rng(0).uniform(0.0, 5.0, (20, 3))
OUTSIDE = KDTree(POINTS)
PERIODIC = cKDTree(POINTS, boxsize=[5.0, 0.0, 5.0])


def nearest(x):
    distance, _ = OUTSIDE.query(x[:3])
    return np.exp(-distance)


def several(x):
    distances, places = KDTree(POINTS).query(x.reshape(2, 3), k=[1, 3], p=1)
    return np.sum(distances**2) + np.sum((POINTS[places] - x[0]) ** 2)


def of_the_data(x):
    distances, _ = cKDTree(x.reshape(3, 2)).query([[0.1, 0.2], [3.0, 2.0]], k=2)
    return np.sum(np.sin(distances))


def round_the_ends(x):
    return np.sum(PERIODIC.query(x.reshape(2, 3) - 2.0, k=4)[0] ** 2)


def as_far_as(x):
    distances, places = OUTSIDE.query(x[:3], k=5, distance_upper_bound=1.5)
    return np.sum(distances[places < OUTSIDE.n])


def balls(x):
    return sum(
        np.sum(np.exp(-np.sum((OUTSIDE.data[near] - x[:3]) ** 2, axis=1)))
        for near in OUTSIDE.query_ball_point(x.reshape(2, 3), 1.5)
    )


def pairs(x):
    points = x.reshape(3, 2)
    tree = KDTree(points)
    return sum(np.linalg.norm(points[i] - points[j]) for i, j in tree.query_pairs(3.0)) * (
        x[0] + tree.count_neighbors(tree, 3.0)
    )


@pytest.mark.parametrize(
    "f", [nearest, several, of_the_data, round_the_ends, as_far_as, balls, pairs], ids=lambda f: f.__name__
)
def test_distances_to_neighbours(f):
    x = np.array([1.1, 2.9, 2.2, 4.3, 1.0, 2.0])
    value, slope = adc.value_and_grad(f, mode="tape")(x)
    assert value == pytest.approx(float(f(x)), rel=1e-12)
    steps = 1e-6 * np.eye(6)
    assert slope == pytest.approx([(f(x + h) - f(x - h)) / 2e-6 for h in steps], rel=1e-6, abs=1e-7)


def test_compiled_code_says_that_trees_are_the_tapes():
    with pytest.raises(adc.UnsupportedError, match=r"KDTree\.query is not supported"):
        adc.grad(nearest, mode="compiled")(np.ones(6))


def test_weights_of_pairs_are_refused():
    def counted(x):
        return OUTSIDE.count_neighbors(OUTSIDE, 1.0, weights=x)

    with pytest.raises(adc.UnsupportedError, match="with `weights`"):
        adc.grad(counted, mode="tape")(np.ones(20))
