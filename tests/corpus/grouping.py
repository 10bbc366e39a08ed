"""What itertools groups, fills up, ends and repeats."""

# ruff: noqa: B905  (as people write it)

from itertools import compress, count, cycle, dropwhile, filterfalse, groupby, takewhile, zip_longest

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=3), r.normal(size=5)))
def polynomials_of_other_degrees(p, q):
    s = [a + 2 * b for a, b in zip_longest(p, q, fillvalue=0.0)]
    acc = 0.0
    for c in reversed(s):
        acc = acc * 0.7 + c
    return acc**2


@program(lambda r: ([1.0, 2.0], [0.5, 0.3, 0.2]))
def the_longest_of_lists(p, q):
    s = 0.0
    for i, (a, b) in enumerate(zip_longest(p, q)):
        if a is None:
            a = 0.0
        s += (a * b) * (i + 1)
    return s + sum(a * b for a, b in zip_longest(q, p, fillvalue=1.0))


@program(lambda r: (r.normal(size=8),))
def means_of_groups(x):
    labels = ["a", "a", "b", "b", "b", "c", "a", "a"]
    out = 0.0
    for _, grp in groupby(zip(labels, x), key=lambda p: p[0]):
        vals = [v for _, v in grp]
        out += (sum(vals) / len(vals)) ** 2
    return out


@program(lambda r: (r.normal(size=9),))
def groups_of_places(x):
    tot = 0.0
    for k, g in groupby(range(9), key=lambda i: i // 4):
        tot += np.prod(x[list(g)]) * (k + 1)
    runs = {k: len(list(g)) for k, g in groupby("aaabbc")}
    return tot + runs["a"] * x[0]


@program(lambda r: (r.normal(size=9),))
def as_long_as_it_holds(x):
    s = sum(takewhile(lambda v: v < 0.5, x))
    for v in dropwhile(lambda v: v < 0.3, x):
        s += v**2
    return s + sum(filterfalse(lambda v: v > 0, x)) + sum(compress(x, [1, 0, 1, 0, 0, 0, 0, 0, 1]))


@program(lambda r: (r.normal(size=7),))
def round_and_round(x):
    s = 0.0
    for v, w in zip(x, cycle([1.0, -2.0, 3.0])):
        s += v * w
    for k, (v, w) in enumerate(zip(cycle((0.5, 0.25)), x)):
        s += v * w**2 * k
    return s


@program(lambda r: (r.normal(size=7),))
def counted_as_long(x):
    s = 0.0
    for k in takewhile(lambda k: k < 4, count()):
        s += x[k] * k
    for k in takewhile(lambda k: x[0] * k * k < 3, count(1)):
        s += x[1] * k
        if k > 10:
            break
    return s


@program(lambda r: (r.normal(size=7),))
def runs_of_one_sign(x):
    n = 0.0
    for _, g in groupby(x, key=lambda v: v > 0):
        n += sum(g) ** 2
    return n
