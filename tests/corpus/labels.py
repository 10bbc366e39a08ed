"""Arrays of texts, as labels of rows: outside the function, made in it and passed to it; and texts that are read."""

import ast
import json
from collections import Counter, defaultdict

import numpy as np
from tests.corpus import program

LABELS = np.array(["b", "a", "c", "a"])
OBJECTS = np.array(["b", "a", "c", "a"], dtype=object)
GRID = np.array([["u", "v"], ["v", "u"]])
SETTINGS = '{"dt": 0.5, "weights": [1, 2.5], "names": {"a": 3, "b": null}}'


@program(lambda r: (r.normal(size=4),))
def masks_of_labels(x):
    of_a = (LABELS == "a") & (x > -10.0)
    total = np.sum(x[of_a] ** 2) + np.sum(np.where(OBJECTS != "b", x, x * x))
    y = x.copy()
    y[LABELS == "c"] *= 3.0
    return total + np.sum(y**2) * ("c" in LABELS) + (LABELS == "a").sum() * x[0]


@program(lambda r: (r.normal(size=4),))
def groups_of_labels(x):
    names, first, places, counts = np.unique(LABELS, True, True, True)
    means = np.bincount(places, weights=x) / counts
    total = sum(x[LABELS == name].prod() * (k + 1) for k, name in enumerate(names))
    return total + np.sum(means**2) + np.sum(x[first]) * names.size


@program(lambda r: (r.normal(size=4),))
def labels_one_by_one(x):
    groups = defaultdict(list)
    for label, v in zip(LABELS, x, strict=True):
        groups[label].append(v)
    total = sum(np.mean(groups[label]) * n for label, n in Counter(LABELS).items())
    for k in range(x.size):
        if LABELS[k] == "a":
            total += x[k] ** 2
    codes = np.array([sorted(set(LABELS.tolist())).index(label) for label in LABELS])
    return total + np.sum(codes * x) + np.sum(x[np.argsort(LABELS, kind="stable")] * np.arange(4))


@program(lambda r: (r.normal(size=(2, 2)),))
def a_table_of_labels(x):
    total = np.sum(x * (GRID == "u")) + np.prod(x[GRID == "v"])
    for row, labels in zip(x, GRID, strict=True):
        total += sum(v * v for v, label in zip(row, labels, strict=True) if label == "u")
    alike = GRID.ravel()[:, None] == GRID.ravel()[None, :]
    return total + x.ravel() @ alike @ x.ravel()


@program(lambda r: (r.normal(size=4), np.array(["a", "b", "b", "a"])), argnums=(0,))
def labels_that_are_passed(x, labels):
    labels = np.asarray(labels)
    rest = labels[labels != "a"]
    return np.sum(x[labels == "a"]) * np.sum(x[np.isin(labels, ["b", "c"])]) + x[0] * len(rest)


@program(lambda r: (r.normal(size=4), 3), argnums=(0,))
def masks_written_to_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        fresh = LABELS == "a"
        total += np.sum(x[fresh]) * (k + 1) * len(LABELS[fresh])
        fresh[0] = True
        total += np.prod(x[fresh])
    return total


@program(lambda r: (r.normal(size=3),))
def texts_taken_apart(x):
    settings = json.loads(SETTINGS)
    settings["weights"].append(x[1])
    total = (
        sum(w * v for w, v in zip(settings["weights"], x, strict=True))
        * settings["names"]["a"]
        * settings["dt"]
    )
    table = ast.literal_eval("{'k': (1, 2), 'l': [3.5]}")
    numbers = np.array("1 2.5 3".split(), dtype=float)
    word = "Dogs, cats!".lower().translate(str.maketrans("", "", ",!"))
    return total + x[0] ** 2 * table["k"][1] + x[2] * table["l"][0] + np.sum(numbers * x) * len(word.split())


@program(lambda r: (r.normal(size=4),))
def corners_of_faces(x):
    faces = np.array([(0, 1, 2), (1, 3, 2)])
    middles, lengths = {}, []
    for a, b, c in faces.tolist():
        for ends in ((a, b), (b, c), (c, a)):
            key = (min(ends), max(ends))
            if key not in middles:
                middles[key] = len(lengths)
                lengths.append((x[ends[0]] - x[ends[1]]) ** 2)
    return sum(v * (k + 1) for k, v in enumerate(lengths)) + lengths[middles[1, 2]]


@program(lambda r: (r.normal(size=4),))
def texts_made_by_numpy(x):
    names = np.concatenate((np.repeat("a", 2), ["b", "c"]))
    total = np.sum(x[names == "a"]) * (np.full(3, "a") == "a").sum() + np.sum(
        x[np.tile(["a", "b"], 2) == "b"] ** 2
    )
    total += np.sum(x[np.char.upper(LABELS) == "A"]) * np.char.str_len(LABELS).sum()
    picked = np.array(["a", "b"])[[0, 1, 1, 0]]
    order, other = np.lexsort((x, LABELS)), np.lexsort((LABELS, x))
    total += np.sum(x[order] * np.arange(4)) * np.sum(x[other] * np.arange(4.0) ** 2)
    return total + np.sum(x[picked == np.array(["a", "b"])[np.array([0, 0, 1, 0])]])
