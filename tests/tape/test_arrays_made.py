"""Arrays that operators, methods and helpers make of plain ones are written to in traced code as any other."""

from dataclasses import dataclass

import numpy as np
import pytest

import adc
from adc import tape

A = np.array([0.7, -0.4, 1.3])


def by_an_operator(x):
    t = np.arange(5) * 0.5
    u = t
    t[0] = x[0]
    return np.sum(u**2)


def with_a_sign(x):
    t = -np.arange(3) / 2
    w = (np.arange(3) > 1) * 1.0
    t[0], w[1] = x[0], x[1]
    return t @ w + t[0] * w[1]


def by_a_generator(x):
    rng = np.random.default_rng(3)
    t = rng.random(5)
    t[0] = x[0]
    t[1:3] += x[1:3]
    return np.sum(t**2)


def by_a_method(x):
    t = np.arange(6).astype(float)
    v = t[1:4]
    v[0] = x[0] ** 2
    return np.sum(t**2)


def laid_out_otherwise(x):
    t = (np.arange(6) / 2).reshape(2, 3)
    t[0, 1] = x[0]
    t[1] = x
    return np.sum(t**2)


def in_place(x):
    t = np.arange(3) * 0.5
    u = t
    t += x
    np.multiply(x, t, out=t)
    np.add.at(t, [0, 0, 2], x)
    return np.sum(u**2)


def _grid(n):
    return np.arange(n) / 4


def _fill(t, v):
    t[1] = v


def by_a_helper(x):
    t = _grid(5)
    _fill(t, x[0] * x[1])
    return np.sum(t**2)


class _State:
    def __init__(self, n):
        self.u = np.arange(n) * 0.1

    def bounded(self, v):
        self.u[0] = v
        return self


def in_an_object(x):
    return np.sum(_State(5).bounded(x[0]).u ** 3)


@dataclass
class _Held:
    u: np.ndarray


def in_containers(x):
    rows = [np.arange(3) * 0.5 for _ in range(2)]
    table = {"a": np.arange(3) * 1.0}
    held = _Held(np.arange(3) / 2)
    rows[0][1] = x[0]
    table["a"] += x
    held.u[1] = x[2] * rows[0][1]
    return np.sum(rows[0] ** 2) + np.sum(table["a"] ** 2) + np.sum(held.u**2)


def on_one_path(x):
    t = np.arange(3) * 0.5 if x[0] > 0 else np.zeros(3)
    t[0] = x[0]
    return np.sum(t**2)


PROGRAMS = [
    by_an_operator,
    with_a_sign,
    by_a_generator,
    by_a_method,
    laid_out_otherwise,
    in_place,
    by_a_helper,
    in_an_object,
    in_containers,
    on_one_path,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_written_to(f):
    assert tape.value_and_grad(f, (A,))[0] == pytest.approx(f(A))
    adc.check_grads(f, (A,), order=2, mode="tape")


def _growing():
    t = np.arange(3) * 0.5
    yield t
    yield t


def test_what_is_held_elsewhere_stays_plain():
    held = [np.arange(3) * 0.5]

    def of_a_list(x):
        t = held.pop(0) if x[0] > 5.0 else held[0]
        t[0] = x[0]
        return np.sum(held[0])

    with pytest.raises(adc.GraphCutError, match="cannot write a value with a derivative into this array"):
        tape.value_and_grad(of_a_list, (A,))


def test_what_a_generator_holds_is_one_array():
    def f(x):
        values = _growing()
        a = next(values)
        a[0] = x[0] ** 2
        return np.sum(next(values) * x)

    assert tape.value_and_grad(f, (A,))[0] == pytest.approx(f(A))
    adc.check_grads(f, (A,), order=2, mode="tape")


def test_constants_are_arrays_to_the_program():
    def f(x):
        t = np.arange(3) * 0.5
        assert type(t) is np.ndarray
        assert isinstance(t, np.ndarray)
        assert t.base is None
        return np.sum(x * t) + float(t[1])

    np.testing.assert_array_equal(tape.value_and_grad(f, (A,))[1], [0.0, 0.5, 1.0])
