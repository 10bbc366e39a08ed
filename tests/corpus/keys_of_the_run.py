"""Dicts and sets under keys that only the run knows: whole numbers of the data, and tuples of them"""

from collections import Counter, defaultdict

import numpy as np
from tests.corpus import program

LABELS = np.array([2, 0, 1, 2, 0, 1, 2])
ROWS, COLUMNS = np.array([0, 1, 2, 0, 1, 0, 2]), np.array([1, 2, 0, 1, 1, 1, 0])


def labelled(r):
    return r.uniform(0.2, 1.5, size=7), LABELS


def entries(r):
    return r.uniform(0.2, 1.5, size=7), ROWS, COLUMNS


@program(labelled)
def sums_of_groups(x, labels):
    sums = {}
    for k in range(len(labels)):
        label = labels[k]
        sums[label] = sums.get(label, 0.0) + x[k] ** 2
    return sum(s * s for s in sums.values())


@program(labelled)
def asked_for_before(x, labels):
    sums = {}
    for label, v in zip(labels, x, strict=True):
        if label not in sums:
            sums[label] = 1.0
        sums[label] *= v
    s = 0.0
    for label, product in sums.items():
        s += (label + 1) * product**2
    return s + len(sums)


@program(labelled)
def with_a_default(x, labels):
    sums, counts = defaultdict(float), defaultdict(int)
    for label, v in zip(labels, x, strict=True):
        sums[label] += v * v
        counts[int(label)] += 1
    s = 0.0
    for label, v in zip(labels, x, strict=True):
        s += v * sums[label] / counts[int(label)]
    return s + max(sums.values())


@program(labelled)
def weights_counted(x, labels):
    weights = Counter()
    for label, v in zip(labels, x, strict=True):
        weights[int(label)] += v
    return weights[0] * weights[1] + weights[2] + weights[7]


@program(labelled)
def first_of_each(x, labels):
    seen, s = set(), 0.0
    for label, v in zip(labels, x, strict=True):
        if label in seen:
            continue
        seen.add(label)
        s += v * v
    return s * len(seen)


@program(labelled)
def remembered(x, labels):
    known, s = {}, 0.0
    for label in labels:
        if label in known:
            y = known[label]
        else:
            y = np.sin(x[label]) * x[0]
            known[label] = y
        s += y
    return s


@program(labelled)
def in_the_order_of_keys(x, labels):
    products = {}
    for label, v in zip(labels, x, strict=True):
        products[label] = products.get(label, 1.0) * v
    s = 0.0
    for n, label in enumerate(sorted(products)):
        s += (n + 1) * products[label]
    largest = max(products, key=products.get)
    return s + products[largest] ** 2


@program(labelled)
def taken_out_again(x, labels):
    waiting, s = {}, 0.0
    for label, v in zip(labels, x, strict=True):
        if label in waiting:
            s += waiting.pop(label) * v
        else:
            waiting[label] = v * v
    return s + sum(waiting.values())


@program(entries)
def matrix_by_places(x, rows, columns):
    matrix = {}
    for i, j, v in zip(rows, columns, x, strict=True):
        matrix[i, j] = matrix.get((i, j), 0.0) + v
    s = 0.0
    for (i, j), v in matrix.items():
        s += v**2 * (i + 2 * j)
    return s


@program(entries)
def matrix_with_a_default(x, rows, columns):
    matrix = defaultdict(float)
    for i, j, v in zip(rows, columns, x, strict=True):
        matrix[i, j] += v
        matrix[j, i] += v * v
    return sum(v * v for v in matrix.values()) * len(matrix)
