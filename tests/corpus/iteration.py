"""for over arrays, enumerate, zip, reversed and their combinations."""

# ruff: noqa: B905, RUF007  (as people write it)

import math

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4),))
def over_elements(x):
    s = 0.1
    for v in x:
        s = s * v + np.cos(v)
    return s


@program(lambda r: (r.normal(size=(3, 2)), r.normal(size=2)))
def over_rows(a, w):
    s = 0.0
    for row in a:
        s += np.tanh(row @ w) * row[0]
    return s


@program(lambda r: (r.normal(size=4),))
def enumerate_elements(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s * v + i * v * v
    return s


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def zip_elements(x, y):
    s = 0.3
    for a, b in zip(x, y):
        s = s * a + b
    return s


@program(lambda r: (r.normal(size=(3, 2)), r.normal(size=3)))
def zip_rows(a, y):
    s = 0.3
    for i, (row, target) in enumerate(zip(a, y)):
        s += (row[0] * row[1] - target) ** 2 * (i + 1)
    return s


@program(lambda r: (r.normal(size=4),))
def reversed_elements(x):
    s = 0.3
    for v in reversed(x):
        s = s * v + v
    for i in reversed(range(4)):
        s = s + x[i] * s * i
    return s


@program(lambda r: (r.normal(size=4), r.normal(size=3)))
def range_of_len(x, c):
    s = 0.0
    for i in range(len(x)):
        p = 0.0
        for k in range(len(c)):
            p = p * x[i] + c[k]
        s += p * p
    return s


@program(lambda r: (r.normal(size=(2, 3)),))
def ndindex(a):
    s = 0.1
    for i, j in np.ndindex(2, 3):
        s = s * a[i, j] + i - j
    return s


@program(lambda r: (0.4,))
def over_constants(x):
    s = x
    for c in (1.0, 2.0, 0.5):
        s = s * c + x
    for name in ["a", "b"]:
        s = s * 2 if name == "a" else s * x
    return s


@program(lambda r: (r.normal(size=3), np.array([2, 0, 1, 2])))
def over_indices(x, order):
    s = 0.2
    for k in order:
        s = s * x[k] + x[k]
    return s


@program(lambda r: (r.normal(size=4),))
def row_changed_while_iterating(x):
    a = np.zeros((4, 2))
    for i, row in enumerate(a):
        row[0] = x[i]
        row[1] = x[i] * x[0]
    return np.sum(a**2)


@program(lambda r: (r.normal(size=4),))
def enumerate_from_one(x):
    s = 0.0
    for k, v in enumerate(x, 1):
        s += v**2 / k
    return s


@program(lambda r: (r.normal(size=5),))
def zip_shifted(x):
    s = 0.0
    for a, b in zip(x[:-1], x[1:]):
        s += a * b * b
    return s


@program(lambda r: (r.normal(size=(3, 4)),))
def ndenumerate_pairs(m):
    s = 0.0
    for (i, j), v in np.ndenumerate(m):
        s += v * v * (i + 2 * j)
    return s


@program(lambda r: (r.normal(size=6),))
def members_of_a_set(x):
    keep = {0, 2, 3}
    return sum(x[i] ** 2 for i in range(len(x)) if i in keep and i not in (3, 5))


@program(lambda r: (r.normal(size=(5, 2)), r.normal(size=3)))
def lists_beside_arrays(w, x):
    """The lists have a known length, the arrays do not: the shorter of the two ends the loop."""
    state = np.zeros(2)
    for row, t in zip(w, [0.1, 0.2, 0.3]):
        state = state * math.exp(-t) + row * t
    functions = [np.sin, np.cos, lambda t: t**3, np.tanh]
    total = sum(f(v) for f, v in zip(functions, x))
    for k, (f, v) in enumerate(zip(functions, x)):
        total += f(v) * k
    for v, m in zip(x, (np.ones((2, 2)), np.ones((2, 3)))):
        total += v * np.sum(m * state[0])
    return np.sum(state**2) + total


@program(lambda r: (r.normal(size=8),))
def every_other_backwards(x):
    total = 0.0
    for k in reversed(range(1, len(x), 2)):
        total = total * 0.5 + x[k] ** 2 * k
    return total


@program(lambda r: (r.normal(size=7),))
def enumerated_steps(x):
    total = 0.0
    for place, k in enumerate(range(0, len(x), 3)):
        total += x[k] ** 2 * (place + 1)
    return total


@program(lambda r: (r.normal(size=6),))
def zipped_with_a_falling_range(x):
    total = 0.0
    n = len(x)
    for v, k in zip(x, range(n - 1, -1, -1)):
        total += np.sin(v) * x[k] * (k + 1)
    for a, b in zip(range(n - 1, 0, -2), range(0, n, 2)):
        total += x[a] * x[b]
    return total


@program(lambda r: (r.normal(size=1),))
def steps_of_which_there_are_none(x):
    total = np.sum(x * x)
    for k in reversed(range(1, len(x), 2)):
        total += x[k]
    for place, k in enumerate(range(len(x) - 2, 0, -2)):
        total += x[k] * place
    return total


@program(lambda r: (r.normal(size=9), 4))
def a_length_of_a_range_with_a_step(x, start):
    total = 0.0
    for k in range(len(range(start, len(x), 2))):
        total += x[k] ** 2
    return total


@program(lambda r: (r.normal(size=5),))
def parts_of_ranges(x):
    s = 0.0
    for i in range(len(x))[::-1]:
        s = s * 0.5 + x[i] ** 2
    for i in range(len(x))[1:]:
        s += x[i] * x[i - 1]
    for i in range(len(x))[:-1]:
        s += 2.0 * x[i]
    for i in range(1, len(x), 2)[::-1]:
        s = 0.5 * s + 7.0 * x[i]
    for i in range(x.size)[::2]:
        s += x[i] * i
    for i in range(5)[1:4:2]:
        s += x[i]
    return s + x[range(len(x))[-1]] + range(1, 10)[2] * x[0]


@program(lambda r: (r.normal(size=5),))
def items_of_ranges(x):
    places = range(1, len(x), 2)
    total = 0.0
    for k in range(len(places)):
        total += x[places[k]] * places[-1 - k]
    return total


@program(lambda r: (r.normal(size=1),))
def parts_of_short_ranges(x):
    s = 1.0
    for i in range(len(x))[1:]:
        s += x[i] * 100.0
    for i in range(len(x))[:-1]:
        s += x[i] * 100.0
    for i in range(len(x) - 1)[::-1]:
        s += x[i] * 100.0
    return s * x[0]


@program(lambda r: (r.normal(size=(2, 3)),))
def elements_by_nditer(x):
    s = 0.0
    for v in np.nditer(x):
        s = 0.5 * s + v**2
    for k in np.nditer(np.arange(2)):
        s += k * x[k, 0]
    return s


WRITTEN = "more than the elements of one array"


@program(
    lambda r: (r.normal(size=3),),
    refused={"compiled": WRITTEN, "python": WRITTEN, "optimized": WRITTEN, "tape": WRITTEN},
)
def elements_written_by_nditer(x):
    with np.nditer(x, op_flags=["readwrite"]) as elements:
        for v in elements:
            v[...] = 2 * v
    return np.sum(x**2)


@program(lambda r: (r.normal(size=7), r.normal()))
def groups_of_one_iterator(x, a):
    s = 0.0
    for p, q in zip(*[iter(x)] * 2):
        s += p * q * q
    it = iter(x)
    s += a * next(it)
    for k, (p, q, v) in enumerate(zip(it, it, it)):
        s += k * p * q - v * a
    squares = (v * v for v in x)
    pairs = zip(squares, squares)
    known = [x[0], x[1], x[2], a, x[3]]
    they = iter(known)
    both = zip(they, they)
    known.append(a * x[4])
    s += sum(p * q * v * v for p, q, v in zip(*[known] * 3)) + len(list(zip(*[iter(x)] * 0)))
    return s + sum(p * np.sin(q) for p, q in pairs) + sum(p * q * q for p, q in both)


@program(lambda r: (r.normal(size=7),), refused=dict.fromkeys(("compiled", "python"), "is read again here"))
def what_groups_leave_of_an_iterator(x):
    it = iter(x)
    s = sum(p * q for p, q in zip(it, it))
    return s + sum(it) + x[0]


@program(
    lambda r: (r.normal(size=7),), refused=dict.fromkeys(("compiled", "python"), "is put into a container")
)
def groups_of_a_generator_function(x):
    def squares():
        for v in x:
            yield v * v

    return sum(p * q * q for p, q in zip(*[squares()] * 2))


@program(lambda r: (r.normal(size=5), r.normal()))
def names_that_change_before_what_reads_them_is_gone_over(x, a):
    w = 2.0
    scaled = (v * w for v in x)
    pairs = zip(scaled, x)
    sines = map(np.sin, (v * w for v in x))
    again = (u * w for u in (v * w for v in x))
    squares = (v * w for v in x)
    groups = zip(squares, squares)
    w = a
    s = sum(p * q * q for p, q in pairs) + sum(sines) + sum(again)
    return s + sum(p * q * q for p, q in groups)


@program(lambda r: (r.normal(size=4),))
def a_loop_that_changes_what_a_generator_expression_reads(x):
    w = [2.0]
    s = 0.0
    for k, v in enumerate(v * w[0] for v in x):
        s += v * v * k
        w[0] = w[0] * 0.5
    return s


TOGETHER = dict.fromkeys(("compiled", "python"), "several generators are gone over together")


@program(lambda r: (r.normal(size=4),), refused=TOGETHER)
def a_loop_that_changes_what_a_named_generator_reads(x):
    w = 2.0
    s = 0.0
    pairs = zip((v * w for v in x), filter(lambda v: v * w > -9.0, x))
    for a, b in pairs:
        s += a * b
        w = w * 0.5
    return s


@program(lambda r: (r.normal(size=4),))
def a_loop_that_changes_what_was_sorted(x):
    w = 2.0
    s = 0.0
    for a, v in zip(sorted(v * w for v in x), (v * x.sum() for v in x)):
        w = w * 0.5 + a
        s += w * v * x.mean()
    return s
