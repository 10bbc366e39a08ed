"""Programs that ask what a value has: an element of an array has attributes that a number of Python's has not."""

from collections.abc import Iterable

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5), 1.5))
def has_a_shape(x, s):
    total = 0.0
    for v in (x[:2], x[2], x):
        total += (v**2).sum() if hasattr(v, "shape") else v
    return total + s * (x[0] if hasattr(x[1], "dtype") else x[2]) * (
        x[3] if hasattr(x[1], "__len__") else x[4]
    )


@program(lambda r: (r.normal(size=3),))
def an_attribute_or_a_default(x):
    lengths = getattr(x[0], "shape", (9,)), getattr(x, "shape", ()), getattr(x[0], "tensor", 2.0)
    return x[0] ** 2 * len(lengths[0]) + x[1] * lengths[1][0] + x[2] * lengths[2]


@program(lambda r: (2.5, [0.5, 1.5, 3.5]))
def of_lists(x, limits):
    """What NumPy says of lists is said of the arrays that it makes of them."""
    total = x * np.size([x, 1.0]) * np.ndim([x]) + x * np.shape([[x, 1.0, 2.0]])[1]
    if np.any(np.less(limits, 0.0)) or not np.all(np.isfinite([x, 1.0])):
        total = 0.0
    if (
        np.isclose([x, 1.0], [1.0, 1.0])[1]
        and np.array_equal((1, 2), [1, 2])
        and np.isclose(limits[1], 2.0).any()
    ):
        total -= x
    return (
        total * np.searchsorted(limits, x) + x * np.full_like([1, 2], x)[0] + x * np.full(2, x, dtype=int)[1]
    )


@program(lambda r: (0.7, r.normal(size=3)))
def number_or_several(x, xs):
    """Functions that take either ask in many ways."""

    def squared(v):
        try:
            iter(v)
        except TypeError:
            return 2.0 * v
        return np.sum(v * v)

    def largest(v):
        try:
            return max(v)
        except TypeError:
            return v

    def first_two(v):
        try:
            a, b, *_ = v
        except TypeError:
            a, b = v, 3.0
        return a * b

    def scaled(v):
        try:
            return np.sum(v) * v.shape[0] * (2.0 if hasattr(v, "__call__") else 3.0)  # noqa: B004
        except (AttributeError, IndexError):
            return 5.0 * v

    total = 0.0
    for v in (x, xs):
        total += scaled(v)
        total += squared(v) + largest(v) * first_two(v)
        total += np.sum(v) * ((2.0 if np.iterable(v) else 3.0) + (0.5 if isinstance(v, Iterable) else 0.1))
    return total


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x


class Level:
    def __init__(self, height):
        self.height = height


class Wrapped:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def which_objects_can_be_called(x):
    """A function, an object of a class with `__call__`, one of a class without, or a number."""
    total = 0.0
    for k, part in enumerate((Scaled(x[0]), Level(x[1]), np.sin, x[2], Wrapped(Level(x[0] * x[1])))):
        if callable(part):
            total += (k + 1) * part(x[1])
        else:
            total += part.height ** (k + 2) if hasattr(part, "height") else 3.0 * part
    chosen = np.sin if x[0] > 1.0 else np.cos
    there = (lambda v: v * x[1]) if x[0] > 1.0 else None
    total += (chosen(x[2]) if callable(chosen) else x[0]) + (there(x[0]) if callable(there) else x[2])
    return total + x[1] * (5.0 if hasattr(Level(x[0]), "__name__") else 7.0)
