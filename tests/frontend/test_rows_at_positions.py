"""A list that is read at a position of the run is a copy: a write to it, or to the original, is right or refused."""

import functools

import numpy as np
import pytest

import adc

X = np.array([0.7, -0.4, 1.3, 0.2, 0.9, -1.1])


def _rows(x):
    return [[x[0], x[1]], [x[2], 1.0]]


def _tables(x):
    return [_rows(x), [[x[3], 2.0], [x[4], x[5]]]]


def _place(x):
    return int(x[0] > 0)


def _all(tables):
    return sum(
        v * v * (1 + i + 2 * j) for i, rows in enumerate(tables) for j, row in enumerate(rows) for v in row
    )


def written_in_a_table(x):
    t = _tables(x)
    t[_place(x)][0][1] = x[0] * 3.0
    return _all(t)


def added_in_a_table(x):
    t, p = _tables(x), _place(x)
    t[p][p][0] += x[1]
    return _all(t)


def row_of_a_table_with_a_name(x):
    t = _tables(x)
    row = t[_place(x)][0]
    row[1] = x[0] * 3.0
    return _all(t)


def table_written_to_behind_a_name(x):
    t = _tables(x)
    row = t[_place(x)][0]
    t[1][0][1] = x[0] * 3.0
    return _all(t) + row[1]


def rows_gone_over(x):
    t = _tables(x)
    for row in t[_place(x)]:
        row[0] += 2.0
    return _all(t)


def rows_unpacked(x):
    t = _tables(x)
    a, _ = t[_place(x)]
    a[0] = x[5]
    return _all(t)


def tables_in_a_loop(x):
    t = _tables(x)
    for v in x:
        p = int(v > 0)
        t[p][p][0] += v
    return _all(t)


def in_a_tuple(x):
    m = _rows(x)
    held = (m[_place(x)], 1.0)
    m[1][1] = x[4]
    return held[0][1]


def in_a_dict(x):
    m = _rows(x)
    held = {"row": m[_place(x)]}
    m[1][1] = x[4]
    return held["row"][1]


def in_a_list(x):
    m = _rows(x)
    held = []
    held.append(m[_place(x)])
    m[1][1] = x[4]
    return held[0][1]


def by_a_default(x):
    m, p = _rows(x), _place(x)
    read = lambda row=m[p]: row[1]
    m[1][1] = x[4]
    return read()


def by_a_partial_function(x):
    m = _rows(x)
    read = functools.partial(lambda row, k: row[1] * k, m[_place(x)])
    m[1][1] = x[4]
    return read(2.0)


def by_an_iterator(x):
    m = _rows(x)
    it = iter(m[_place(x)])
    first = next(it)
    m[1][1] = x[4]
    return first * next(it)


def by_zip(x):
    m = _rows(x)
    pairs = zip(m[_place(x)], m[0], strict=True)
    m[1][1] = x[4]
    return sum(a * b for a, b in pairs)


def in_a_loop_over_it(x):
    m, total = _rows(x), 0.0
    for v in m[_place(x)]:
        total += v
        m[1][1] = x[4] * 9.0
    return total


def as_an_argument(x):
    m = _rows(x)

    def change():
        m[1][1] = x[4] * 9.0
        return 2.0

    def both(row, k):
        return row[1] * k

    return both(m[_place(x)], change())


def asked_which_it_is(x):
    m = _rows(x)
    return x[0] * (3.0 if m[_place(x)] is m[1] else 5.0)


def exchanged_with_a_name(x):
    m = _rows(x)
    row = m[0]
    m[0], m[_place(x)] = m[_place(x)], m[0]
    p = _place(x)
    m[0], m[p] = m[p], m[0]
    row[0] = x[3] * 5.0
    return _all([m]) + row[1]


def exchanged_in_two_lists(x):
    m, p = _rows(x), _place(x)
    n = m[:]
    m[0], m[p] = m[p], m[0]
    m[0][0] = x[3] * 2.0
    return _all([m]) + 3.0 * _all([n])


REFUSED = [
    written_in_a_table,
    added_in_a_table,
    row_of_a_table_with_a_name,
    table_written_to_behind_a_name,
    rows_gone_over,
    rows_unpacked,
    tables_in_a_loop,
    in_a_tuple,
    in_a_dict,
    in_a_list,
    by_a_default,
    by_a_partial_function,
    by_an_iterator,
    by_zip,
    in_a_loop_over_it,
    as_an_argument,
    asked_which_it_is,
    exchanged_with_a_name,
    exchanged_in_two_lists,
]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_would_miss_a_write_is_refused(f):
    with pytest.raises(adc.UnsupportedError):
        adc.grad(f, mode="python")(X)


def copies_of_it(x):
    m, p = _rows(x), _place(x)
    a, b, c, d = list(m[p]), m[p][:], m[p].copy(), np.array(m[p])
    m[1][1] = x[4] * 9.0
    return sum(a) + 2.0 * sum(b) + 3.0 * sum(c) + 4.0 * np.sum(d)


def read_between_writes(x):
    t, p = _tables(x), _place(x)
    total = sum(t[p][0]) * x[0]
    t[1][0][1] += x[3]
    for row in t[p]:
        total += row[0] * row[1]
    t[1][0][1] += x[3]
    a, b = t[p][1]
    t[1][1] = [x[5], a * b]
    return total + _all(t)


def written_where_it_was_read(x):
    m = [[x[0], x[1]], [x[2], 1.0], [x[3], x[4]]]
    for k in range(3):
        p = int(np.argmax([abs(row[0]) for row in m]))
        m[p][0] = m[p][0] * 0.5 + m[p][1] + max(m[p]) * 0.1
        m[k] = [a * 0.5 + b for a, b in zip(m[k], m[p], strict=True)]
    return _all([m])


@pytest.mark.parametrize(
    "f", [copies_of_it, read_between_writes, written_where_it_was_read], ids=lambda f: f.__name__
)
def test_what_is_read_at_once_is_right(f):
    adc.check_grads(f, (X,), order=1, mode="python")
    assert adc.value_and_grad(f, mode="python")(X)[0] == pytest.approx(f(X))


def chain_of_frames(turns, parents):
    """A list that is written out, as its items are: the first trip finds no parent in it."""
    frames = []
    for k in range(len(turns)):
        if parents[k] < 0:
            frames.append(turns[k])
        else:
            frames.append(frames[parents[k]] @ turns[k])
    return sum(np.sum(frame**2) for frame in frames)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_position_in_a_list_that_is_still_empty_is_out_of_range(mode):
    turns = list(np.random.default_rng(0).normal(size=(4, 2, 2)))
    adc.check_grads(chain_of_frames, (turns, np.array([-1, 0, 0, 1])), order=1, argnums=0, mode=mode)
    with pytest.raises(IndexError, match="list index out of range"):
        adc.grad(chain_of_frames, mode=mode)(turns, np.array([0, 0, 0, 1]))
