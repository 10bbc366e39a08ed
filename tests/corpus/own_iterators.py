"""Iterators of the user's classes: `__iter__` and `__next__`, which raises StopIteration."""

# ruff: noqa: B905  (as people write it)

import itertools

import numpy as np
from tests.corpus import program


class Weighted:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= len(self.x):
            raise StopIteration
        self.i += 1
        return self.x[self.i - 1] * self.i


class Batches:
    def __init__(self, x, y, size):
        self.x, self.y, self.size, self.at = x, y, size, 0

    def __iter__(self):
        return self

    def __next__(self):
        start = self.at
        if start < len(self.x):
            self.at += self.size
            return self.x[start : self.at], self.y[start : self.at]
        raise StopIteration()


class Newton:
    def __init__(self, a):
        self.a, self.x = a, 1.0

    def __iter__(self):
        return self

    def __next__(self):
        new = 0.5 * (self.x + self.a / self.x)
        if abs(new - self.x) < 1e-9:
            raise StopIteration
        self.x = new
        return new


class Roots:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        return Newton(self.a)


@program(lambda r: (r.normal(size=4),))
def steps_of_an_iterator(x):
    it, s = Weighted(x), 0.0
    for v in it:
        s += v**2
        if v > 0.9:
            break
    return s + it.i * x[0] + sum(v * v for v in Weighted(x))


@program(lambda r: (r.normal(size=3), r.normal(size=(7, 3)), r.normal(size=7)))
def batches_of_data(w, x, y):
    for xb, yb in Batches(x, y, 3):
        w = w - 0.1 * xb.T @ (xb @ w - yb)
    return w @ w


@program(lambda r: (1.5 + r.uniform(),))
def until_it_has_converged(a):
    n, k = Newton(a), 0
    for _ in n:
        k += 1
    s = n.x * a + k * a + max(Newton(3 * a))
    for k, v in enumerate(Newton(2 * a)):
        s += v * k
    for v, w in zip(Newton(a * 2), [1.0, 2.0, 3.0]):
        s += v * w
    return s + sum(v * v for v in Roots(a)) + sum(v for u in (a, 2 * a) for v in Roots(u))


@program(lambda r: (1.5 + r.uniform(), r.normal(size=4)))
def one_step_at_a_time(a, x):
    n = Newton(a)
    u = next(n)
    v = next(n)
    first = next(iter(Weighted(x[1:])))
    s = u * v + n.x * a + first
    s += sum(itertools.islice(Weighted(x), 2)) + sum(p * q for p, q in itertools.pairwise(Weighted(x)))
    return s + list(Weighted(x))[2] * np.sum(list(Weighted(x)))


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Pair(self.a + other.a, self.b * other.b)

    def __call__(self, v):
        return self.a * v + self.b

    def __iter__(self):
        yield self.a
        yield self.b


@program(lambda r: (r.normal(size=3),))
def objects_that_are_added_compared_and_called(x):
    first, second = Pair(x[0], 1.5), Pair(x[1], 0.5)
    total = sum([first, second], Pair(0.0, 1.0))
    larger = max(first, second, key=lambda p: p.a)
    return total.a * total.b + larger.a + sum(map(first, second)) + sum(total) + max(total)


class Samples:
    def __init__(self, rows, targets):
        self.rows, self.targets = rows, targets

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, k):
        return self.rows[k], self.targets[k]


class Pieces:
    def __init__(self, samples, size):
        self.samples, self.size = samples, size

    def __len__(self):
        return -(-len(self.samples) // self.size)

    def __getitem__(self, k):
        if k >= len(self):
            raise IndexError(k)
        return self.samples[k * self.size : (k + 1) * self.size]


@program(lambda r: (r.normal(size=(5, 3)), r.normal(size=5), r.normal(size=3)))
def items_by_position(rows, targets, w):
    total, samples, rest = 0.0, Samples(rows, targets), iter(w)
    for row, target in samples:
        total += (row @ w - target) ** 2
    for k, (some, these) in enumerate(Pieces(samples, 2)):
        total += np.sum((some @ w - these) ** 2) * (k + 1)
    for k in range(3):
        total *= 1.0 + 0.1 * next(rest) ** 2 * k
    return total + sum(t for _, t in samples)


@program(
    lambda r: (r.normal(size=4),),
    refused=dict.fromkeys(("compiled", "python"), "more elements than its `__len__` says"),
)
def items_without_end(x):
    total = 0.0
    for part in Endless(x):
        total += np.sum(part)
        if total > -9.0:
            break
    return total * x[0]


class Endless(Samples):
    def __init__(self, x):
        super().__init__(x, x)

    def __getitem__(self, k):
        return self.rows[k:] * 2.0
