"""Loops over lists known element by element whose trips would be long text: one loop over columns, where that is right.

Each program is compared with the tape, which runs it as Python does.
"""

import itertools

import numpy as np
import pytest

import adc

X = np.array([0.5, 0.7, 0.3])
SCALES, EDGES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [(0, 1), (1, 2), (2, 0), (0, 0), (1, 1), (2, 2)]


class Body:
    def __init__(self, r, v, name="a"):
        self.r, self.v, self.name = r, v, name


def much(t, a, b):
    """Some hundred operations, so that six trips of it are long."""
    t = t + np.sin(a * t + b) * np.cos(b * t) + a * b + np.exp(-a * a) * np.tanh(b) + a**2 * b**3
    t = t * 0.9 + np.arctan(a) * np.sinh(b * 0.1) + np.exp(0.1 * a) / (1 + b * b) + a * a / (2 + b**2)
    t = t - np.sqrt(1 + a * a) * np.log(1 + b * b) + np.sin(a * t + b) * np.cos(b * t) + a * b
    t = t * 0.9 + np.arctan(b) * np.sinh(a * 0.1) + np.exp(0.1 * b) / (1 + a * a) + b * b / (2 + a**2)
    t = t - np.sqrt(1 + b * b) * np.log(1 + a * a) + np.sin(b * t + a) * np.cos(a * t) + b * a
    t = t + np.exp(-b * b) * np.tanh(a) + b**2 * a**3 + np.arctan(a + t) * np.sinh(b * 0.1)
    return t * 0.9 + np.exp(0.1 * a) / (1 + b * b) - a * a / (2 + b**2) + np.cos(t) * np.sin(a - b)


def pairs(x):
    return [(x[0] * 0.1 * k, x[1] + 0.2 * k) for k in range(9)]


def numbers(x):
    t, last = 0.0, None
    for p in pairs(x):
        t = much(t, p[0], p[1])
        if last is not None:
            t += last[0]
        last = p
    return t * last[1]


def words_and_functions(x):
    t, held = 0.0, {"a": x[0], "b": x[1]}
    bodies = [Body(x[0] * k * 0.1, x[1], "ab"[k % 2]) for k in range(9)]
    for o, (f, n) in zip(bodies, [(np.sin, 1), (np.cos, 2), (np.tanh, 3)] * 3, strict=True):
        t = much(t, f(o.r), o.v) + held[o.name] * np.sum(np.ones(n) * t)
    return t


def arrays(x):
    t, parts = 0.0, [x * k * 0.1 for k in range(9)]
    for v in parts:
        t = much(t, v[0], v[1])
    parts[3][0] = t
    return np.sum(parts[3])


def positions_and_what_is_outside(x):
    t, degree, kept = 0.0, np.zeros(3), []
    for a, (i, j) in zip(SCALES, EDGES, strict=True):
        t = much(t, a * x[i], x[j])
        degree[i] += x[j]
        kept.append(t)
    return t + degree @ degree + sum(kept) * kept[2]


def pairs_of_pairs(x):
    t, basis = 0.0, [(x[0], 1.0), (x[1], 2.0), (x[2], 3.0)]
    for (a, b), (c, d) in itertools.product(basis, basis):
        t = much(t, a * c, b * d * 0.1)
    return t


PARENTS = [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 10]


def list_read_at_the_counter(x):
    t, angles = 0.0, np.zeros(len(PARENTS))
    weights = [0.5] + [0.1 * k for k in range(1, len(PARENTS))]
    for i in range(len(PARENTS)):
        if PARENTS[i] == -1:
            angles[i] = x[0] * weights[i]
        else:
            angles[i] = angles[PARENTS[i]] + x[i % 3] * weights[i]
        t = much(t, angles[i], x[1])
    return t


def list_read_and_written(x):
    t, held = 0.0, [x[0], x[1], x[2], x[0] * x[1]] * 3
    for i in range(len(held)):
        t = much(t, held[i], x[1])
        held[2] = t * 0.1
    return t + held[2]


ONE_LOOP = [
    numbers,
    words_and_functions,
    positions_and_what_is_outside,
    pairs_of_pairs,
    list_read_at_the_counter,
]


def list_changes_under_a_condition(x):
    t, items = 0.0, pairs(x)
    for k, (a, b) in enumerate(items):
        t = much(t, a, b)
        if k == 3:
            items[5] = (x[2], x[1])
    return t


def list_changes_by_a_function(x):
    t, items, k = 0.0, pairs(x), 0

    def change(k):
        items[k] = (x[2], 0.1 * t)

    for a, b in items:
        t, k = much(t, a, b), k + 1
        if k < 9:
            change(k)
    return t


def object_is_written(x):
    t, bodies = 0.0, [Body(x[0] * k * 0.1, x[1]) for k in range(9)]
    for k, o in enumerate(bodies):
        t = much(t, o.r, o.v)
        bodies[(k + 1) % 9].r = t * 0.01
    for o in bodies:
        o.v = o.v * t
    return t + sum(o.r * o.v for o in bodies)


def object_is_held_by_all(x):
    t, p = 0.0, Body(x[0], x[1])
    for o in [Body(p, k * 0.1) for k in range(9)]:
        t = much(t, o.r.r, o.v)
        p.r = p.r * 0.95
    return t + p.r


def array_is_written(x):
    t, y = 0.0, x.copy()
    for a, k in zip([y, y, y] * 3, y[[0, 1, 2] * 3], strict=True):
        t = much(t, a[0], k)
        y[0] = y[0] * 0.9 + 0.01 * t
    return t


def one_of_them(x):
    t, bodies = 0.0, [Body(x[0] * k * 0.1, x[1]) for k in range(9)]
    for o in bodies:
        t = much(t, o.r, o.v)
        if o is bodies[4]:
            t = t * 2.0
    return t


def rows_are_written(x):
    t, rows = 0.0, [[x[0] * k, x[1], x[2] * 0.1 * k] for k in range(9)]
    for r in rows:
        t = much(t, r[0], r[2])
        r[1] = t * 0.01
    return t + sum(r[1] for r in rows)


TRIP_BY_TRIP = [
    list_read_and_written,
    arrays,
    list_changes_under_a_condition,
    list_changes_by_a_function,
    object_is_written,
    object_is_held_by_all,
    array_is_written,
    one_of_them,
    rows_are_written,
]


@pytest.mark.parametrize("program", [*ONE_LOOP, *TRIP_BY_TRIP], ids=lambda f: f.__name__)
def test_equals_the_tape(program):
    gradient = adc.value_and_grad(program, mode="python")
    value, slope = gradient(X)
    wanted, wanted_slope = adc.value_and_grad(program, mode="tape")(X)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-8, atol=1e-12)
    if program in ONE_LOOP:
        assert adc.source(gradient, X).count("\n") < 400


def inner_loops(x):
    basis = [(x[0], 1.0), (x[1], 2.0), (x[2], 3.0), (0.4, 0.5), (0.5, x[0])]
    found = [
        sum(np.exp(-a * b * c) * np.sin(d + k) / (1.0 + a * c) ** 2 for a, b in basis for c, d in basis)
        for k in range(12)
    ]
    return sum(found) * found[3]


def test_loops_in_written_out_loops_are_short():
    gradient = adc.grad(inner_loops, mode="python")
    np.testing.assert_allclose(gradient(X), adc.grad(inner_loops, mode="tape")(X), rtol=1e-9)
    assert adc.source(gradient, X).count("\n") < 400


def at_counters(x):
    bodies = [Body(x[k % 3] * 0.1 * k, x.copy() * k, "a") for k in range(12)]
    t = 0.0
    for i in range(len(bodies)):
        for j in range(i + 1, len(bodies)):
            d = bodies[i].v - bodies[j].v
            t += bodies[i].r * bodies[j].r / (d @ d + 0.1) + much(t, bodies[i].r, d[0]) * 0.01
    return t


def rows_of_arrays_at_counters(x):
    shells = [(0.5, 0.2), (0.3, 0.1), (0.7, 0.4)]
    basis = [(x, shells), (x[::-1], shells), (x * 2, shells), (x * 3, shells), (x * 4, shells)]
    t = 0.0
    for i in range(5):
        a, left = basis[i]
        for j in range(5):
            b, right = basis[j]
            for p, v in left:
                for q, w in right:
                    t += v * w * much(p * a[0], q * b[1], a[2] * 0.1)
    return t


def counted_from_the_end(x):
    parts = [(x[k % 3] * 0.1, x * k) for k in range(9)]
    t = 0.0
    for k in range(9):
        a, b = parts[k - 3]
        c, _ = parts[-1 - k]
        t += much(t * 0.01, a * c, b[1])
    return t


@pytest.mark.parametrize("program", [at_counters, rows_of_arrays_at_counters, counted_from_the_end])
def test_elements_at_counters_are_read_from_columns(program):
    gradient = adc.value_and_grad(program, mode="python")
    for found, wanted in zip(gradient(X), adc.value_and_grad(program, mode="tape")(X), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    assert adc.source(gradient, X).count("\n") < 800


def written_at_counters(x):
    bodies, t = [Body(x[k % 3] * 0.1, x * k) for k in range(9)], 0.0
    for i in range(9):
        t += much(t * 0.01, bodies[i].r, bodies[i].v[1])
        bodies[(i + 1) % 9].r = 0.1 * t
    return t


def array_of_an_element_is_written(x):
    bodies, t = [Body(x[k % 3] * 0.1, x * k) for k in range(9)], 0.0
    for i in range(9):
        t += much(t * 0.01, bodies[i].r, bodies[i].v[1])
        bodies[i].v[0] = t * 0.1
    return t + bodies[3].v[0]


def array_of_an_element_is_written_by_another_name(x):
    y, t = x.copy(), 0.0
    bodies = [Body(x[k % 3] * 0.1, y) for k in range(9)]
    for i in range(9):
        t += much(t * 0.01, bodies[i].r, bodies[i].v[1])
        y[1] = t * 0.1
    return t


def one_is_another(x):
    bodies, t, best = [Body(x[k % 3] * 0.1, x * k) for k in range(9)], 0.0, None
    for i in range(9):
        t += much(t * 0.01, bodies[i].r, bodies[i].v[1])
        if best is None or bodies[i].r > best.r:
            best = bodies[i]
    best.r = 5.0
    return t + sum(b.r for b in bodies)


def made_in_each_trip(x):
    t = 0.0
    for i in range(9):
        parts = [(x * (0.1 * k + t * 0.01), x[k % 3]) for k in range(9)]
        a, b = parts[i]
        c, _ = [(x[1] * k * 0.1, "a") for k in range(9)][i]
        t = np.tanh(much(t * 0.1, a[0] * c, b))
    return t


def past_the_end(x):
    parts, t = [(x[k % 3] * 0.1, x * k) for k in range(9)], 0.0
    for k in range(9):
        a, b = parts[k + 1]
        t += much(t * 0.01, a, b[1])
    return t


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")  # what a branch chose among nine may be the tape's
@pytest.mark.parametrize(
    "program",
    [
        written_at_counters,
        array_of_an_element_is_written,
        array_of_an_element_is_written_by_another_name,
        one_is_another,
        made_in_each_trip,
    ],
)
def test_elements_that_change_are_not(program):
    value, slope = adc.value_and_grad(program)(X)
    wanted, wanted_slope = adc.value_and_grad(program, mode="tape")(X)
    np.testing.assert_allclose(value, wanted, rtol=1e-9)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-9)


def test_a_place_past_the_end_raises():
    with pytest.raises(IndexError):
        adc.grad(past_the_end, mode="python")(X)
