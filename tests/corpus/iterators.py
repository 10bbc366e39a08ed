"""What is gone over once, names of comprehensions, and functions that see what their names come to be."""

# ruff: noqa: B008, B905, C408, C417, RUF007  (as people write it)

import functools
import itertools
import operator
from dataclasses import dataclass

import numpy as np
from tests.corpus import program

ONCE = dict.fromkeys(("compiled", "python"), "gone over once")
MAPPED = dict.fromkeys(("compiled", "python"), "or the like gives, and is kept in an object")
HELD = dict.fromkeys(("compiled", "python"), "is put into a container")
NAMED = dict.fromkeys(("compiled", "python"), "is assigned in a comprehension")


def three(r):
    return (r.normal(size=3),)


@program(three)
def functions_of_a_comprehension_share_its_name(x):
    i = 10
    scaled = [lambda v: v * i for i in range(3)]
    bound = [lambda v, i=i: v * i for i in range(3)]
    return i * sum(f(v) for f, v in zip(scaled, x)) + sum(f(v * v) for f, v in zip(bound, x))


@program(three)
def functions_of_two_loops_of_a_comprehension(x):
    rows = [[lambda: v * w for w in (1.0, 2.0)] for v in (x[0], x[1])]
    return rows[0][0]() + rows[1][0]() * 3.0


@program(three)
def a_sum_that_a_comprehension_carries(x):
    total = 0.0
    parts = [total := total + v for v in (x[0], x[1], x[2])]
    return total * parts[1]


@program(three)
def a_product_that_a_dict_comprehension_carries(x):
    y = 5.0
    found = {k: (y := y * v) for k, v in enumerate((x[0], x[1]))}
    return y + found[0]


@program(three, refused=NAMED)
def the_first_that_is_found(x):
    if any((hit := v) > -5.0 for v in x):
        return hit**2
    return x[1]


@program(lambda r: (r.normal(size=20),))
def a_sum_over_as_many_as_there_are(x):
    total = 0.0
    parts = [total := total + v for v in x]
    return total * parts[1]


@program(three)
def a_generator_is_evaluated_where_it_is_read(x):
    k = 2.0
    y = x.copy()
    scaled = (v * k for v in y)
    k = 3.0
    y[0] = 5.0
    return sum(scaled) ** 2


@program(three, refused=ONCE)
def a_generator_twice(x):
    squares = (v * v for v in x)
    total = 0.0
    for s in squares:
        total += s**2
    return total + sum(squares)


@program(three, refused=ONCE)
def map_twice(x):
    squares = map(lambda v: v * v, x)
    return sum(squares) ** 2 + sum(squares)


@program(three, refused=ONCE)
def zip_twice(x):
    pairs = zip(x, x[1:])
    first, second = list(pairs), list(pairs)
    return sum(p * q for p, q in first) + len(second)


@program(three, refused=ONCE)
def enumerate_in_a_loop(x):
    numbered = enumerate(x)
    total = 0.0
    for k in range(2):
        for i, v in numbered:
            total += (i + k) * v
    return total


def _twice(items):
    return sum(items) ** 2 + sum(items)


@program(three, refused=ONCE)
def a_generator_for_a_function(x):
    return _twice(v * v for v in x)


@program(three)
def a_list_for_that_function(x):
    return _twice([v * v for v in x])


class Pairs:
    def __init__(self, x):
        self.pairs = zip(x, x)

    def total(self):
        return sum(a * b for a, b in self.pairs)


@program(three, refused=MAPPED)
def pairs_in_an_object(x):
    pairs = Pairs(x)
    return pairs.total() ** 2 + pairs.total()


@program(three, refused=HELD)
def pairs_in_a_tuple(x):
    both = (zip(x, x), 1.0)
    return sum(a * b for a, b in both[0]) + sum(a for a, b in both[0])


@program(three)
def each_once(x):
    columns = zip(*[(x[0], x[1]), (x[1], x[2])])
    ends = itertools.chain(x, x)
    total = sum(a * b for a, b in columns)
    for v in ends:
        total = 0.5 * total + v
    by_place = enumerate(x)
    return total * {i: v**2 for i, v in by_place}[2]


@program(three)
def once_in_each_branch(x):
    pairs = zip(x, x[::-1])
    return sum(a * b for a, b in pairs) if x[0] > 0 else sum(a - b * b for a, b in pairs)


@program(three)
def a_name_of_the_function_and_of_its_comprehension(x):
    v = 3.0
    parts = [np.sin(v) for v in x]
    return v * sum(parts)


@program(lambda r: (r.uniform(0.1, 1.0, 5),))
def the_first_beyond_a_half(x):
    sums = np.cumsum(x)
    k = next(k for k, v in enumerate(sums) if v > 0.5 * sums[-1])
    none = next((v for v in sums if v > 100.0), x[0])
    return (0.5 * sums[-1] - sums[k - 1]) / (sums[k] - sums[k - 1]) * none if k else none


@program(three)
def the_first_of_several(x):
    names = {"b": x[1], "a": x[0]}
    return (
        names[next(iter(names))] * next(iter(x)) + next(a * b for a, b in zip(x, x[1:])) + next(zip(x, x))[1]
    )


@program(three)
def one_after_the_other(x):
    values = iter([x[0], x[1], x[2]])
    first = next(values)
    return first * 2.0 + next(values)


@program(three)
def a_generator_is_unpacked(x):
    first, *rest = (2.0 * v for v in x)
    each = (v * v for v in x)
    a, b, c = each
    return first * sum(rest) + a * b + c


@program(lambda r: (r.normal(size=5), r.normal()))
def the_first_items_taken_apart(x, a):
    it = iter(x)
    s = next(it)
    t = next(it)
    for v in it:
        s = s * 0.5 + v * t
    parts = iter([x[0], x[1], a])
    u = next(parts)
    rest = list(parts)
    numbers = iter(range(len(x)))
    first = next(numbers)
    for k in numbers:
        s += x[k] * k * x[first]
    return s + u * rest[1] * len(rest) + sum(iter(x[1:]))


@program(lambda r: (r.normal(size=5), r.normal()))
def each_item_and_the_one_before(x, a):
    it = iter(x)
    previous = next(it)
    s = 0.0
    for current in it:
        s += (current - previous) ** 2
        previous = current
    others = iter(x)
    next(others)
    return s * a + sum(p * q for p, q in zip(x, others, strict=False))


@program(lambda r: (r.normal(size=5), r.normal()))
def items_taken_in_a_loop(x, a):
    it, s = iter(x), 0.0
    for k in range(len(x)):
        s += next(it) * a**k
    return s


@program(lambda r: (r.normal(size=7),))
def groups_by_a_number_and_by_the_data(x):
    s = 0.0
    for k, group in itertools.groupby(range(len(x)), key=lambda i: i // 3):
        s += np.prod([x[i] for i in group]) * k
    for positive, group in itertools.groupby(x, key=lambda v: v > 0):
        s += sum(group) ** 2 * (positive + 1)
    return s


# An iterator that is kept somewhere is gone over once, too, whichever way the program comes to it.


@dataclass
class Kept:
    items: object


@program(three)
def kept_and_gone_over_once(x):
    found = []
    found.append(zip(x, x[1:]))
    named = {}
    named["k"] = (v * v for v in x)
    kept = Kept(map(np.sin, x))
    a, b = iter(x), iter(x[1:])
    s = sum(p * q for p, q in found[0]) + sum(named["k"]) + sum(kept.items)
    return s + next(a) * next(b) + next(a)


@program(three, refused=ONCE)
def an_element_twice(x):
    found = []
    found.append(zip(x, x[1:]))
    return sum(p * q for p, q in found[0]) + sum(p for p, q in found[0])


@program(three, refused=ONCE)
def an_iterator_under_a_key_twice(x):
    found = {}
    found["k"] = iter(x)
    return next(found["k"]) * 2.0 + next(found["k"])


@program(three, refused=ONCE)
def an_iterator_of_a_dict_twice(x):
    found = dict(k=iter(x))
    found.setdefault("m", map(np.sin, x))
    return sum(found.get("m")) ** 2 + sum(found.get("m"))


@program(three, refused=ONCE)
def a_field_twice(x):
    kept = Kept(iter(x))
    return next(kept.items) * 2.0 + next(kept.items)


@program(three, refused=ONCE)
def one_of_many_arguments_twice(x):
    def total(*parts, **named):
        return (
            sum(p * q for p, q in parts[0])
            + sum(p for p, q in parts[0])
            + next(named["i"]) * next(named["i"])
        )

    return total(zip(x, x), i=iter(x))


@program(three)
def an_iterator_by_default(x):
    def following(i=iter(x)):
        return next(i)

    return following() * 2.0 + following()


@program(three, refused=ONCE)
def a_generator_by_default_twice(x):
    def total(i=(v * v for v in x)):
        return sum(i)

    return total() * 2.0 + total()


@program(three, refused=ONCE)
def an_argument_of_a_partial_twice(x):
    following = functools.partial(next, iter(x))
    return following() * 2.0 + following()


@program(three, refused=ONCE)
def named_where_it_is_used(x):
    return next(it := iter(x)) * 2.0 + next(it)


class Pulling:
    def __init__(self, x):
        self.items = iter(x)

    def pull(self):
        return next(self.items)


@program(three, refused=MAPPED)
def an_iterator_in_an_object(x):
    source = Pulling(x)
    return source.pull() * 2.0 + source.pull()


def _pairs(items):
    a, b = itertools.tee(items)
    next(b, None)
    return zip(a, b)


@program(lambda r: (r.normal(size=4), r.normal(size=1)))
def several_of_one(x, y):
    a, b, c = itertools.tee([x[0], x[1], x[2]], 3)
    next(b)
    next(c)
    s = sum(a) * sum(b) * next(c) + sum((q - p) ** 2 * p for p, q in _pairs(x)) + sum(p for p, _ in _pairs(y))
    squares, again = itertools.tee(v * v for v in x)
    it = iter(y)
    return s + sum(squares) * max(again) + next(it, 2.0) * next(it, 3.0)


@program(three, refused=dict.fromkeys(("compiled", "python"), "written to after itertools.tee"))
def what_was_gone_over_changes(x):
    y = x.copy()
    a, b = itertools.tee(y)
    s = sum(a)
    y[0] = 5.0
    return s * sum(b)


@program(lambda r: (r.normal(), 2.9))
def extremes_by_key_of_generators(x, end):
    path = [(0.0, x)]
    t = 0.0
    while t < end:
        t += 0.5
        path.append((t, x * np.sin(t)))
    at, largest = max(((t, y) for t, y in path), key=operator.itemgetter(1))
    least = min((y for _, y in path if y != 0.0), key=lambda y: y**2)
    most = max((y for _, y in path if y > 9.0), key=abs, default=at * x)
    return largest * 3.0 + least + most


@program(three)
def pairs_of_words_in_a_row(x):
    words = ["the", "cat", "sat", "the"]
    rows = [itertools.islice(words, k, None) for k in range(2)]
    return sum(x[k] * (k + 1) if a < b else x[2] ** 2 for k, (a, b) in enumerate(zip(*rows)))


@program(lambda r: (r.normal(size=(6, 2)),))
def as_many_as_each_step_takes(points):
    """A reader that takes one point for a line and three for a curve, in comprehensions and in a helper."""
    left = iter(points)

    def pen():
        return next(left)

    at = pen()
    area = 0.0
    for count in (1, 3):
        taken = [next(left) for _ in range(count)]
        for p in taken:
            area += 0.5 * (at[0] * p[1] - at[1] * p[0])
            at = p
    return area**2 + np.sum(pen() ** 3)
