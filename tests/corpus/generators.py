"""Generator functions as helpers: what a loop, a list, a sum or an unpacking takes from them."""

# ruff: noqa: B905, UP028  (as people write it)

import math
from itertools import islice

import numpy as np
from tests.corpus import program


def five(r):
    return (r.normal(size=5),)


def times(start, end, count):
    step = (end - start) / count
    for k in range(count):
        yield start + k * step, step


@program(lambda r: (0.7, 2.0))
def euler_over_times(rate, y):
    for t, dt in times(0.0, 1.0, 20):
        y = y + dt * (-rate * y + math.sin(t))
    return y


def batches(x, y, size):
    for i in range(0, len(x), size):
        yield x[i : i + size], y[i : i + size]


@program(lambda r: (r.normal(size=3), r.normal(size=(10, 3)), r.normal(size=10)))
def descent_over_batches(w, x, y):
    w = w.copy()
    for _ in range(2):
        for xb, yb in batches(x, y, 4):
            w -= 0.05 * xb.T @ (xb @ w - yb) / len(xb)
    return np.sum((x @ w - y) ** 2)


def newton(f, df, x):
    while True:
        step = f(x) / df(x)
        x = x - step
        yield x, abs(step)


@program(lambda r: (2.0, 3.0))
def iterations_without_end_are_left(a, start):
    for x, error in newton(lambda x: x * x - a, lambda x: 2 * x, start):  # noqa: B007
        if error < 1e-10:
            break
    return x


def geometric(first, ratio):
    while True:
        yield first
        first, ratio = first * ratio, ratio


@program(lambda r: (r.normal(size=4), 1.0, 0.5))
def the_first_of_them(x, first, ratio):
    total = sum(v**2 for v in islice(geometric(first, ratio), 3))
    for v, weight in zip(x, geometric(first, ratio)):
        total += v * weight
    for k, v in enumerate(geometric(first, ratio)):
        if k == 2:
            continue
        if k > 4:
            break
        total += v * k
    return total * next(geometric(ratio, first))


@program(five)
def names_of_the_generator_are_its_own(x):
    def running(x, k=2):
        total = 0.0
        for i in range(len(x)):
            total += x[i] * k
            yield total

    total, i = 1.0, 5.0
    for k in running(x):
        total = total * 0.5 + k * i
    return total * i


def below(n):
    for i in range(n):
        for j in numbers(i):
            yield i, j


def numbers(n):
    for i in range(n):
        yield i


@program(five)
def pairs_by_two_generators(x):
    total = 0.0
    for i, j in below(5):
        total += x[i] * x[j] ** 2
    for i in numbers(3):
        for j in numbers(3):
            total += x[i] * x[j]
    return total


@program(five)
def a_return_within_the_loop(x):
    for i, j in below(5):
        if x[i] * x[j] < -0.1:
            return x[i] * x[j] * x[i]
    return x[0]


def leaves(tree):
    if isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    else:
        yield tree


@program(lambda r: ((1.0, (2.0, 0.5), ((0.3,), 1.2)),), argnums=(0,))
def the_leaves_of_a_tree(tree):
    return math.log(sum(math.exp(v) for v in leaves(tree)))


@program(lambda r: (r.normal(size=3),))
def permutations_by_recursion(x):
    def permutations(items):
        if len(items) <= 1:
            yield items
        for i in range(len(items) if len(items) > 1 else 0):
            for rest in permutations(items[:i] + items[i + 1 :]):
                yield [items[i], *rest]

    return sum(x[p[0]] * x[p[1]] ** 2 * (1 + p[2]) for p in permutations([0, 1, 2]))


class Grid:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def __iter__(self):
        for i in range(self.rows):
            for j in range(self.columns):
                yield i, j

    def interior(self):
        yield from ((i, j) for i, j in self if 0 < i < self.rows - 1 and 0 < j < self.columns - 1)


@program(lambda r: (r.normal(size=(4, 5)),))
def the_cells_of_a_grid(u):
    grid = Grid(4, 5)
    total = 0.0
    for i, j in grid:
        total += u[i, j] ** 2
    for i, j in grid.interior():
        total += (u[i + 1, j] - u[i - 1, j]) ** 3
    return total


@program(five)
def what_builtins_take(x):
    def ends():
        yield x[0]
        for v in x[1:]:
            yield v * 2
        yield x[-1] ** 2

    def two():
        yield x[1]
        yield x[2] * 3.0

    a, b = two()
    return sum(ends()) + max(ends()) + np.prod(list(ends())) + math.hypot(*two()) + a * b


@program(lambda r: (r.normal(size=7),))
def one_after_the_other(x):
    def read(values):
        for v in values:
            yield v

    def positive(values):
        for v in values:
            if v > 0:
                yield v

    def scaled(values, factor):
        for v in values:
            yield v * factor

    return sum(scaled(positive(read(x)), 3.0)) ** 2


@program(lambda r: (2.0,))
def as_many_as_the_data_decides(x):
    def halved(v):
        while v > 0.01:
            yield v
            v = v / 2

    return sum(t**2 for t in halved(x)) + sum(halved(x))


@program(lambda r: (0.4,))
def a_dict_over_a_countdown(x):
    def countdown(n):
        while n > 0:
            yield n
            n -= 1

    return sum(v * k for k, v in {k: x**k for k in countdown(4)}.items())


@program(lambda r: (r.normal(size=2),))
def a_trajectory_is_unzipped(p):
    def simulated(x, v, dt):
        t = 0.0
        yield t, x, v
        for _ in range(6):
            v = v - dt * x
            x = x + dt * v
            t += dt
            yield t, x, v

    t, x, v = zip(*simulated(p[0], p[1], 0.1))
    return sum(x) * v[-1] + t[3]


@program(lambda r: (r.normal(size=4),))
def a_buffer_that_is_written_between(x):
    def filled():
        buffer = np.zeros(2)
        for i in range(len(x)):
            buffer[i % 2] = x[i] * 2
            yield buffer

    total = 0.0
    for b in filled():
        total += b[0] * b[1] + b[0]
    return total


@program(lambda r: (np.array([0.5, 1.5, -0.7]),))
def what_the_loop_does_is_seen(x):
    def each(items):
        i = 0
        while i < len(items):
            yield items[i]
            i += 1

    items = [x[0], x[1]]
    total = 0.0
    for k, v in enumerate(each(items)):
        total += v * (k + 1)
        if k < 2:
            items.append(v * v)
    late = each(items)
    items.append(x[2])
    return total + sum(late)


TWICE = dict.fromkeys(("compiled", "python"), "what is left of it depends on who took what")


@program(lambda r: (0.4, 0.9), refused=TWICE)
def what_is_left_in_a_name(first, ratio):
    left = geometric(first, ratio)
    return next(left) + next(left) * 3


@program(lambda r: (0.4, 0.9), refused=TWICE)
def what_is_left_in_a_list(first, ratio):
    left = [geometric(first * k, ratio) for k in (1, 2)]
    return next(left[0]) + next(left[0]) * 3 + next(left[1])


@program(lambda r: (r.normal(size=4), 0.9), refused=TWICE)
def what_is_left_for_each_trip(x, ratio):
    left = geometric(1.0, ratio)
    total = 0.0
    for v in x:
        total += next(left) * v
    return total


@program(five)
def functions_that_were_yielded(x):
    def powers():
        for i in range(3):
            yield lambda v: v ** (i + 1)

    late = list(powers())
    return late[0](x[3]) + late[1](x[4])


@program(five)
def names_of_builtins_and_globals(x):
    def some(sum, max=3):
        for len in range(max):
            yield sum[len] * TWICE_AS_MUCH

    TWICE_AS_MUCH = 3.0
    total = 0.0
    for v in some(x):
        total += v * len(x) * TWICE_AS_MUCH
    for t in doubled(x):
        total += t * TWICE_AS_MUCH
    return total + sum(x) + max(x)


TWICE_AS_MUCH = 2.0


def doubled(values):
    for v in values:
        yield v * TWICE_AS_MUCH


@program(five)
def a_state_through_an_outer_loop(x):
    def steps(v, n):
        for i in range(n):
            v = v * 0.9 + x[i]
            yield v

    total, last = 0.0, 1.0
    for k in range(len(x)):
        for last in steps(last, 3):  # noqa: B020
            total += last * (k + 1)
    return total + last


@program(five)
def the_generator_writes_to_its_argument(x):
    def doubling(values):
        for i in range(len(values)):
            values[i] *= 2
            yield values[i]

    y = x.copy()
    total = 0.0
    for v in doubling(y):
        total += v * y[0]
    return total + y.sum()


class _Held:
    def __init__(self, n, items=None):
        self.items = [0.0] * n if items is None else list(items)


@program(five)
def asked_whether_it_is_none(x):
    held = _Held(2, (v * v for v in x))
    return sum(held.items) * len(_Held(3).items)
