"""Lists of lists of a run-time length are matrices: a list in two of them is right as the tape has it, or refused."""

import copy

import numpy as np
import pytest

import adc

X = np.random.default_rng(3).normal(size=11)


def rows(x):
    a = []
    for v in x:
        a.append([v, v * 2.0, 1.0])
    return a


def all_of_them(x):
    a = rows(x)
    b = a[:]
    b[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def a_part(x):
    a = rows(x)
    b = a[1:]
    a[1][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def listed(x):
    a = rows(x)
    b = list(a)
    b[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def copied(x):
    a = rows(x)
    b = copy.copy(a)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def copied_with_its_rows(x):
    a = rows(x)
    b = copy.deepcopy(a)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def joined(x):
    a = rows(x)
    b = a + rows(x * 2)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def repeated(x):
    a = rows(x)
    b = a * 2
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def extended(x):
    a = rows(x)
    b = rows(x * 2)
    b.extend(a)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def in_order(x):
    a = rows(x)
    b = sorted(a)
    b[0][1] = x[5]
    return sum(r[1] for r in a) + 2 * sum(r[1] for r in b)


def appended(x):
    a = rows(x)
    b = []
    for i in range(len(a)):
        b.append(a[len(a) - 1 - i])
    b[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def taken_one_by_one(x):
    a = rows(x)
    b = [r for r in a]  # noqa: C416 - the form of it is what is tried
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def some_of_them(x):
    a = rows(x)
    b = [r for r in a if r[0] > 0]
    a[0][0] = x[5]
    a[1][0] = x[6]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def backwards(x):
    a = rows(x)
    b = a[::-1]
    b[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def put_in_the_place_of_another(x):
    a = rows(x)
    b = rows(x)
    a[0] = b[1]
    b[1][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def written_and_taken_in_a_loop(x):
    a = rows(x)
    b = a[:1]
    for i in range(len(x)):
        a[0][0] = x[i] * 3
        if i == 2:
            b = a[:2]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def row_by_its_name(x):
    a = rows(x)
    r = a[0]
    r[0] = x[5]
    a[0][1] = x[6]
    return sum(q[0] for q in a) + r[1]


def rows_in_a_loop(x):
    a = rows(x)
    for r in a:
        r[0] = r[1] * x[3]
    return sum(q[0] * q[1] for q in a)


def swapped(x):
    a = rows(x)
    for i in range(len(x) - 1):
        a[i], a[i + 1] = a[i + 1], a[i]
    return sum(i * q[0] for i, q in enumerate(a))


def row_that_the_last_trip_made(x):
    a = []
    row = [1.0, 2.0]
    for v in x:
        row = [v, v * 2]
        a.append(row)
    a[-1][0] = x[5]
    return row[0] * 3 + a[0][0]


def row_of_this_trip(x):
    a = []
    t = 0.0
    for v in x:
        row = [v, v * 2]
        a.append(row)
        a[-1][0] = x[5] * v
        t += row[0]
    return t + a[0][0]


def row_written_after_it_is_put_in(x):
    a = []
    for v in x:
        row = [v, v * 2]
        a.append(row)
        row[0] = x[5]
    return sum(r[0] for r in a)


def put_into_two(x):
    a = []
    b = []
    for v in x:
        row = [v, v * 2]
        a.append(row)
        b.append(row)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def zipped(x):
    a = rows(x)
    b = []
    for r, _ in zip(a, x, strict=True):
        b.append(r)
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def reversed_rows(x):
    a = rows(x)
    b = list(reversed(a))
    a[0][0] = x[5]
    return sum(r[0] for r in a) + 2 * sum(r[0] for r in b)


def some_of_them_written(x):
    a = rows(x)
    a = [r for r in a if r[0] > -1]
    for r in a:
        r[1] = r[0] * 2
    return sum(r[1] for r in a)


def taken_in_a_while_loop(x):
    a = rows(x)
    i = 0
    while i < len(x):
        b = a[:2]
        b[0][0] = a[1][1] + x[i]
        i += 1
    return sum(r[0] for r in a)


def taken_in_a_branch(x):
    a = rows(x)
    if x[0] > -9:
        b = a[:]
    else:
        b = rows(x)
    b[0][0] = x[5]
    return sum(r[0] for r in a)


def held_by_a_dict(x):
    d = {"a": rows(x)}
    d["b"] = list(d["a"])
    d["b"][0][0] = x[5]
    return sum(r[0] for r in d["a"])


PROGRAMS = [
    all_of_them,
    a_part,
    listed,
    copied,
    copied_with_its_rows,
    joined,
    repeated,
    extended,
    in_order,
    appended,
    taken_one_by_one,
    some_of_them,
    backwards,
    put_in_the_place_of_another,
    written_and_taken_in_a_loop,
    row_by_its_name,
    rows_in_a_loop,
    swapped,
    row_that_the_last_trip_made,
    row_of_this_trip,
    row_written_after_it_is_put_in,
    put_into_two,
    zipped,
    reversed_rows,
    some_of_them_written,
    taken_in_a_while_loop,
    taken_in_a_branch,
    held_by_a_dict,
]
REFUSED = [in_order, some_of_them, some_of_them_written]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_equals_the_tape_or_is_refused(program):
    gradient = adc.value_and_grad(program, mode="python")
    if program in REFUSED:
        with pytest.raises(adc.UnsupportedError, match="stands in two lists"):
            gradient(X)
        return
    value, slope = gradient(X)
    wanted, wanted_slope = adc.value_and_grad(program, mode="tape")(X)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-10, atol=1e-12)


def test_rows_of_an_argument():
    def written(rows):
        rows[0][0] = rows[1][1] * 2.0
        part = rows[:]
        part[2][0] = rows[1][0] * 3.0
        return sum(r[0] * r[1] for r in rows)

    given = [[float(i), i + 1.0] for i in range(9)]
    found, wanted = (adc.grad(written, mode=mode)(copy.deepcopy(given)) for mode in ("python", "tape"))
    np.testing.assert_allclose(found, wanted)
