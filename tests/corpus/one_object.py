"""Whether two are one object: asked of what a branch chose, a loop carries or a list hands out."""

import dataclasses
import itertools

import numpy as np
from tests.corpus import program

LIMITS = [0.5, 2.0]


@dataclasses.dataclass
class Mass:
    mass: float


class Point:
    def __init__(self, r):
        self.r = r


class Pair:
    def __init__(self, first, second):
        self.first, self.second, self.chosen = first, second, first


@program(lambda r: (np.array([2.0, 1.0, 0.2]),))
def chosen_by_branches(x):
    a, b, limits = Point(x[0]), [x[1], x[2]], LIMITS
    one = a if x[0] > 1.5 else Point(x[1])
    row = [x[2], x[0]] if x[1] > 1.5 else b
    best = None
    points = [Point(v) for v in (x[0], x[1], x[2])]
    for p in points:
        if best is None or p.r > best.r:
            best = p
    total = sum(p.r for p in points if p is not best) * (2.0 if limits is LIMITS else 5.0)
    return (
        total + (3.0 if one is a else 1.0) * x[0] + (7.0 if row is not b else 1.0) * x[1] + (one == a) * x[2]
    )


@program(lambda r: (r.uniform(1.0, 2.0, 5),))
def carried_by_loops(x):
    idle, busy = Point(x[0]), Point(2.0 * x[1])
    state, first, total = idle, (x[0], 1.0), 0.0
    best = first
    for v in x:
        total += state.r * v
        state = busy if v > 1.5 else state
        best = (v, 2.0) if v > best[0] else best
        total += (v**2 if state is busy else v) * (2.0 if best is first else 1.0)
    return total


@program(lambda r: (r.uniform(1.0, 2.0, 4),))
def bodies_but_themselves(x):
    bodies = [Point(x[0]), Point(x[1]), Point(x[2])]
    for _ in x:
        for a in bodies:
            a.r += 0.1 * sum((b.r - a.r) ** 3 for b in bodies if b is not a)
    return sum(b.r**2 for b in bodies)


@program(lambda r: (r.uniform(1.0, 2.0, 4),))
def handed_out_by_lists(x):
    a = x.copy()
    pairs, arrays = [(v, 2.0 * v) for v in x], [a]
    for v in x:
        arrays.append(v * x)
    a[0] = 5.0 * x[1]
    return sum(p[0] * q[1] for p in pairs for q in pairs if p is not q) + sum(np.sum(y**2) for y in arrays)


@program(lambda r: (np.array([2.0, 1.0, 0.2]),))
def named_and_written_in_a_branch(x):
    pair = Pair(Point(x[0]), Point(x[1]))
    held = {"here": [x[0], 1.0], "there": [x[1], 2.0]}
    if x[0] > 1.5:
        pair.chosen = pair.second
        held["here"] = held["there"]
        pair.second.r = x[1] * x[2]
        held["there"][0] = 5.0 * x[2]
    return pair.chosen.r + 2.0 * pair.second.r + held["here"][0] * held["there"][0]


@program(lambda r: (np.array([2.0, 1.0, 0.2]),))
def written_where_a_branch_put_it(x):
    pair = Pair(Point(x[0]), Point(x[1]))
    if x[0] > 1.5:
        pair.chosen = pair.second
    pair.chosen.r = pair.chosen.r * 3.0
    return pair.first.r + 2.0 * pair.second.r


@program(lambda r: (1.5, [{"a": 0.5 * k, "v": [1.0, k / 3]} for k in range(9)]), argnums=(0,))
def written_dicts_of_a_long_list(w, records):
    for record in records:
        record["a"] = record["a"] * w
    records[2]["v"].append(w)
    return sum(record["a"] * w + sum(record["v"]) * w for record in records)


@program(lambda r: (1.5, [Mass(1.0 + 0.5 * k) for k in range(9)]), argnums=(0,))
def written_objects_of_a_long_list(w, bodies):
    for a, b in itertools.pairwise(bodies):
        b.mass += a.mass * w
    return sum(np.tanh(b.mass * w) for b in bodies)


class _Unset:
    pass


_MISSING, _UNSET = object(), _Unset()


def _scaled(v, by=_MISSING, shift=_UNSET, through=np.sin):
    if by is _MISSING:
        by = 2.0
    if shift is not _UNSET:
        v = v + shift
    return v * by if through is not v and through is np.sin else through(v * by)


def _found(table, key, default=_MISSING):
    v = table.get(key, _MISSING)
    if v is _MISSING:
        return default
    return v


@program(lambda r: (r.normal(size=3), 0.7))
def a_default_that_no_number_is(x, a):
    table = {"a": a, "b": x[0]}
    best = _MISSING
    for v in x:
        if best is _MISSING or v > best:
            best = v
    return (
        _scaled(a)
        + np.sum(_scaled(x, a, x[1])) * _scaled(a, x[2], through=np.cos)
        + _found(table, "b") * _found(table, "c", a) * best
    )


def kernel(a, b=None, width=1.0):
    b = a if b is None else b
    distances = np.sum((a[:, None] - b[None]) ** 2, axis=-1)
    if a is b:
        distances.flat[:: len(a) + 1] += 0.1
    return np.exp(-distances / width)


@program(lambda r: (r.normal(size=(4, 2)), r.normal(size=(3, 2)), r.normal(size=4), 1.3))
def kernel_of_one_array_or_two(train, test, y, width):
    centred = train - train.mean(axis=0)
    weights = np.linalg.solve(kernel(centred, width=width), y)
    return np.sum((kernel(test, centred, width) @ weights) ** 2)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(3, 3))))
def ridge_on_products_with_transposes(x, y):
    total = 0.0
    for i in range(len(x)):
        c = y - x[i]
        g = np.dot(c, c.T)
        trace = np.trace(g)
        if trace > 0:
            ridge = 1e-2 * trace
        else:
            ridge = 1e-2
        g.flat[:: len(y) + 1] += ridge
        w = np.linalg.solve(g, np.ones(len(y)))
        total += np.sum((w / np.sum(w)) ** 2)
    return total


class Unequal:
    """Equal to nothing, in its own words."""

    def __init__(self, weight):
        self.weight = weight

    def __eq__(self, other):
        return False

    __hash__ = None


@program(lambda r: (r.normal(size=4),))
def one_object_is_equal_to_itself_in_containers(x):
    first, second = Unequal(x[0]), Unequal(x[1])
    held = [first, second]
    count = (first in held) + 2 * (Unequal(x[0]) in held) + 4 * (held == [first, second])
    count += 8 * ((second, 1) == (second, 1)) + 16 * (first == first) + 32 * held.index(second)
    return (held.count(first) * x[2] + x[3] * count) * first.weight


@program(lambda r: (r.normal(size=4),))
def a_value_that_is_none_is_equal_to_itself_in_containers(x):
    none = np.nan * x[0]
    constant = float("nan")
    found = (none in [x[1], none]) + 2 * (constant in (constant, x[0])) + 4 * (none == none)
    ordered = ((none, x[1]) < (none, x[1] + 1.0)) + 2 * ([none, x[2]] == [none, x[2]])
    return x[1] * found + x[2] * ordered + x[3] * ([x[2], none].index(none) + [none, none].count(none))


@dataclasses.dataclass
class Reading:
    value: float
    weight: float


@program(lambda r: (r.normal(size=2),))
def dataclasses_that_hold_nan(x):
    """As tuples of their fields until Python 3.12, field by field from Python 3.13 on."""
    none, constant = np.nan * x[0], float("nan")
    total = x[0]
    if Reading(none, 1.0) == Reading(none, 1.0):
        total = total + 2.0 * x[1]
    if Reading(constant, x[1]) == Reading(constant, x[1]):
        total = total + 4.0 * x[1]
    if Reading(x[0], 1.0) != Reading(x[0], 1.0):
        total = total + 8.0 * x[1]
    one = Reading(constant, x[1])
    return total * total if one == one else total
