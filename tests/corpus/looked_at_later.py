"""Iterators look at what they go over when they are gone over: lists, names and dicts that have changed by then."""

# ruff: noqa: B905, C417, RUF007  (as people write it)

import itertools

import numpy as np
from tests.corpus import program

CHANGED = dict.fromkeys(("compiled", "python"), "goes over a list that has changed since")


def four(r):
    return (r.normal(size=4),)


@program(four)
def lists_that_change_after_zip(x):
    items = [x[0], x[1]]
    pairs = zip(items, [1.0, 2.0, 3.0])
    numbered = enumerate(items)
    items.append(x[2])
    items[0] = x[3]
    return sum(a * b for a, b in pairs) + sum(i * b for i, b in numbered) ** 2


@program(four)
def lists_that_change_after_map(x):
    items, k = [x[0], x[1]], 2.0
    scaled = map(lambda v: v * k, items)
    kept = filter(lambda v: v < 9.0, items)
    sums = itertools.accumulate(items)
    both = itertools.chain(items, [x[1]])
    k = 5.0
    items[0] = x[2]
    items.append(x[3])
    return sum(scaled) + sum(kept) ** 2 + sum(v * v for v in sums) + sum(v**3 for v in both)


@program(four)
def what_map_leaves_behind_comes_later(x):
    items, log = [x[0], x[1]], []
    noted = map(lambda v: (log.append(v), v)[1], items)
    log.append(x[2])
    total = sum(noted)
    return total * log[0] + log[1] * 3.0


@program(four)
def what_takes_all_at_once(x):
    items = [x[0], x[1]]
    grid, pairs = itertools.product(items, items), itertools.combinations(items, 2)
    orders = itertools.permutations(items)
    items[0] = x[3]
    return sum(a * b for a, b in grid) + sum(a * b for a, b in pairs) * 2.0 + sum(a for a, b in orders)


@program(four)
def arrays_that_change_after_zip(x):
    y = x.copy()
    pairs, numbered = zip(y, y[1:]), enumerate(y)
    y[0] = x[2]
    y[1] *= 3.0
    y = y * 2.0
    return sum(a * b for a, b in pairs) + sum(a * b for a, b in numbered) + y[0]


@program(four)
def dicts_that_change_after_enumerate(x):
    d = {"a": x[0]}
    numbered, values = enumerate(d.items(), 1), d.values()
    d["a"] = x[2]
    return sum(i * v for i, (_, v) in numbered) + sum(values) ** 2


@program(four, refused=CHANGED)
def an_argument_whose_list_changes(x):
    items = [x[0], x[1]]

    def total(squares):
        items[0] = x[3]
        return sum(squares)

    return total(map(lambda v: v * v, items)) + total(v * v for v in items)


@program(four)
def a_result_whose_list_changes(x):
    items = [x[0], x[1]]

    def squares():
        return map(lambda v: v * v, items)

    found = squares()
    items[0] = x[2]
    return sum(found)


@program(four, refused=CHANGED)
def an_element_whose_list_changes(x):
    items, found = [x[0], x[1]], []
    found.append(zip(items, x))
    items.append(x[2])
    return sum(a * b for a, b in found[0]) * np.sin(x[0])


@program(four)
def an_iterator_of_an_iterator_whose_list_changes(x):
    items = [x[0]]
    pairs = zip(map(lambda v: v * v, items), [3.0])
    items[0] = x[2]
    return sum(a * b for a, b in pairs)
