"""`copy.copy` and `copy.deepcopy`, and the order in memory of what `x.copy()` gives."""

import copy
import math
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from tests.corpus import program


@dataclass
class Model:
    weights: np.ndarray
    history: list


def vector(r):
    return (r.normal(size=3),)


@program(vector)
def copy_of_an_array(x):
    y = copy.copy(x)
    y[0] = 5.0 * x[1]
    z = deepcopy(y)
    z *= y
    return np.sum(x * y) + np.sum(z)


@program(vector)
def copy_of_a_dict(x):
    held = {"a": x * 1.0, "b": [x, 2.0]}
    shallow = copy.copy(held)
    shallow["a"][0] = 5.0 * x[1]
    shallow["a"] = x * x
    shallow["b"].append(3.0)
    return np.sum(held["a"] * shallow["a"]) * len(held["b"])


@program(vector)
def deep_copy_of_a_dict(x):
    held = {"a": x * 1.0, "b": [x * 2.0, 2.0]}
    deep = deepcopy(held)
    deep["a"][0] = 5.0 * x[1]
    deep["b"][0][1] = x[2] * x[0]
    deep["b"].append(3.0)
    return np.sum(held["a"] * deep["a"]) * len(held["b"]) + np.sum(held["b"][0] * deep["b"][0])


@program(vector)
def one_array_twice_in_a_deep_copy(x):
    held = [x * 1.0] * 2
    deep = deepcopy(held)
    deep[0][1] = 7.0 * x[0]
    return np.sum(held[1] * x) + np.sum(deep[1] * x)


@program(vector)
def copies_of_an_object(x):
    first = Model(x * 1.0, [x * 1.0])
    second, third = copy.copy(first), deepcopy(first)
    second.weights[0] = x[1] * x[2]
    second.history = [x]
    third.weights[1] = 2.0
    third.history.append(x * x)
    return np.sum(first.weights * third.weights) + np.sum(third.history[-1] * first.history[-1])


@program(vector)
def parameters_copied_for_a_trial_step(x):
    best = {"w": x, "scale": 1.0}
    lowest = np.sum(x**2)
    for step in (0.5, 0.1, 0.9):
        trial = deepcopy(best)
        trial["w"] -= step * np.sin(trial["w"])
        trial["scale"] *= 0.9
        found = np.sum(trial["w"] ** 2)
        if found < lowest:
            best, lowest = trial, found
    return lowest * best["scale"]


@program(lambda r: (r.normal(size=(3, 4)),))
def transposed_copy_written_as_a_vector(a):
    t = a.T.copy()
    flat = t.ravel()
    flat[1] = flat[0] * flat[-1]
    return np.sum(t * np.arange(12.0).reshape(4, 3))


@program(lambda r: (np.asfortranarray(r.normal(size=(3, 4))),))
def copy_by_columns_written_as_a_vector(a):
    t = a.copy()
    t.reshape(-1)[::5] *= 3.0
    return np.sum(t**3)


@program(lambda r: (r.normal(size=3), 0.4))
def matrix_made_of_a_diagonal(axis, angle):
    """A rotation as Gohlke writes it."""
    sine, cosine = math.sin(angle), math.cos(angle)
    rotation = np.diag([cosine, cosine, cosine])
    rotation += np.outer(axis, axis) * (1.0 - cosine)
    rotation += (
        np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]]) * sine
    )
    scale = np.diag(axis)
    axis[0] = 2.0 * angle
    scale[0, 1] = axis[0]
    return np.sum(rotation @ scale) + axis @ rotation[0]


@program(
    lambda r: (r.normal(size=3),),
    refused=dict.fromkeys(("compiled", "python", "tape"), "objects carry no derivative"),
)
def an_array_of_objects(x):
    return x.astype(object).sum() * 2.0


@program(
    lambda r: (r.normal(size=3),),
    refused=dict.fromkeys(("compiled", "python", "tape"), "fields"),
)
def an_array_with_fields(x):
    bodies = np.zeros(3, dtype=[("mass", float), ("place", float, 2)])
    bodies["mass"] = x
    return bodies["mass"].sum()
