"""Short lists of objects and dicts, read at positions that are data."""

import dataclasses

import numpy as np
from tests.corpus import program


@dataclasses.dataclass
class Camera:
    turn: np.ndarray
    shift: np.ndarray
    focal: float

    def project(self, point):
        seen = self.turn @ point + self.shift
        return self.focal * seen[:2] / seen[2]


class Rig:
    def __init__(self, cameras):
        self.cameras = cameras

    def at(self, k):
        return self.cameras[k]


def sightings(r):
    turns = np.eye(3) + 0.1 * r.normal(size=(2, 3, 3))
    shifts = np.array([0.0, 0.0, 5.0]) + 0.2 * r.normal(size=(2, 3))
    return turns, shifts, r.normal(size=(4, 3)), np.array([0, 1, 1, 0, 1]), np.array([3, 0, 2, 1, 3])


@program(sightings)
def cameras_by_index(turns, shifts, points, camera, place):
    cameras = [Camera(turns[k], shifts[k], 1.1 + k) for k in range(2)]
    total = 0.0
    for c, p in zip(camera, place, strict=True):
        residual = cameras[c].project(points[p]) - 0.2
        total += residual @ residual
    return total + cameras[-1].focal


@program(sightings)
def cameras_of_a_rig(turns, shifts, points, camera, place):
    rig = Rig([Camera(turns[0], shifts[0], 1.3), Camera(turns[1], shifts[1], 0.9)])
    total = 0.0
    for c, p in zip(camera, place, strict=True):
        total += np.sum(rig.at(-1 - c).project(points[p])) ** 2 / rig.at(c).focal
    return total + rig.at(camera[1]).shift @ shifts[0]


@program(lambda r: (r.normal(size=3), np.array([2, 0, 1, 2, 2])))
def tables_of_materials(x, kinds):
    materials = [{"name": "sand", "k": x[0], "layers": [x[1], x[2]]}]
    materials += [{"name": "clay", "k": x[1] * 2.0, "layers": [x[0] * 0.5, x[2]]}]
    materials += [{"name": "rock", "k": x[2] ** 2, "layers": [x[0], x[0]]}]
    total, j = 0.0, 0
    while j < len(kinds) and total < 1e3:
        here = materials[kinds[j]]
        total += here["k"] * here["layers"][1] * (j + 1) + here["layers"][0] ** 2
        if here["name"] == "rock":
            total += np.sin(x[0])
        j += 1
    return total
