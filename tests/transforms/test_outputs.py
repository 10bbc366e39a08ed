"""Products that are written to an array which the trips of a loop share."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def filtered(a, b, x, z):
    for t in range(z.shape[0]):
        x = a @ x
        x = x + b @ (z[t] - x)
    return np.sum(x * x)


def powers(a, b, x, z):
    for _ in range(z.shape[0]):
        x = a @ x
    return np.sum(x * b[0])


def powers_from_the_left(a, b, x, z):
    for _ in range(z.shape[0]):
        x = x @ a
    return np.sum(x * b[0])


def powers_read_later(a, b, x, z):
    total = 0.0
    for t in range(z.shape[0]):
        y = x
        x = a @ x
        total += np.sum(y * x * z[t])
    return total + np.sum(x)


def of_matrices(a, b, x, z):
    m = b.copy()
    for t in range(z.shape[0]):
        m = a @ m
        m = np.tanh(m @ b) + z[t, 0]
    return np.sum(m * m)


def two_change_places(a, b, x, z):
    y = np.ones_like(x)
    for t in range(z.shape[0]):
        x, y = a @ y, b @ x + z[t]
    return np.sum(x * y)


def one_before(a, b, x, z):
    y = x
    for _ in range(z.shape[0]):
        y, x = x, a @ x
    return np.sum(x * y)


def all_are_kept(a, b, x, z):
    states = []
    for _ in range(z.shape[0]):
        x = a @ x
        states.append(x)
    return sum(np.sum(s**3) for s in states)


def written_to(a, b, x, z):
    for t in range(z.shape[0]):
        x = a @ x
        x[0] = np.sin(z[t, 0])
        x[1:] *= 0.5
    return np.sum(x * x)


def in_a_branch(a, b, x, z):
    for t in range(z.shape[0]):
        if t % 2 == 0:
            x = a @ x
        else:
            x = np.cos(b @ x) * z[t]
    return np.sum(x * x)


def until_it_is_small(a, b, x, z):
    while np.sum(x * x) > 0.01:
        x = 0.5 * (a @ x)
    return np.sum(x * b[0])


def until_its_power_is_small(a, b, x, z):
    a = a / (2.0 * np.sqrt(np.sum(a * a)))
    while np.sum(x * x) > 0.01:
        x = a @ x
    return np.sum(x * b[0])


def a_view_is_read_later(a, b, x, z):
    total = 0.0
    last = x[:2]
    for _ in range(z.shape[0]):
        x = a @ x
        total += np.sum(last * x[1:3])
        last = x[:2]
    return total


def rows_of_a_result(a, b, x, z):
    out = np.zeros_like(z)
    for t in range(z.shape[0]):
        out[t] = a @ z[t]
    return np.sum(out * out)


def a_matrix_of_products(a, b, x, z):
    out = np.zeros((2, a.shape[0], b.shape[1]))
    for k in range(2):
        out[k] = a @ b
        a = a + out[k]
    return np.sum(out * out)


def outer_loop_hands_on(a, b, x, z):
    for t in range(z.shape[0]):
        y = x
        for _ in range(3):
            y = a @ y
        x = y + z[t]
    return np.sum(x * x)


def first_trip_of_an_argument(a, b, x, z):
    y = x
    for _ in range(z.shape[0]):
        y = b @ y
    return np.sum(y * x)


PROGRAMS = [
    filtered,
    powers,
    powers_from_the_left,
    powers_read_later,
    of_matrices,
    two_change_places,
    one_before,
    all_are_kept,
    written_to,
    in_a_branch,
    until_it_is_small,
    until_its_power_is_small,
    a_view_is_read_later,
    rows_of_a_result,
    a_matrix_of_products,
    outer_loop_hands_on,
    first_trip_of_an_argument,
]


def arguments(n, steps, dtype=float):
    rng = np.random.default_rng(n + steps)
    shapes = (n, n), (n, n), (n,), (steps, n)
    return [(rng.normal(size=s) / n**0.5).astype(dtype) for s in shapes]


def check(program, args, tolerance):
    wanted = adc.value_and_grad(program, argnums=(0, 1, 2, 3), mode="tape")(*(a.copy() for a in args))
    gradient = adc.value_and_grad(program, argnums=(0, 1, 2, 3), mode="compiled")
    for _ in range(2):
        given = [a.copy() for a in args]
        found = gradient(*given)
        np.testing.assert_allclose(found[0], wanted[0], rtol=tolerance)
        for a, b in zip(found[1], wanted[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.max(np.abs(b), initial=1.0))
        for a, b in zip(given, args, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, steps):
    with interpreted():
        check(program, arguments(5, steps), 1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", [filtered, powers, of_matrices, two_change_places])
def test_compiled(program, dtype):
    for n in (3, 9, 40):
        check(program, arguments(n, 4, dtype), 1e-9 if dtype == "float64" else 2e-3)


def test_no_trip():
    with interpreted():
        for program in PROGRAMS[:-2]:
            if program is not all_are_kept:
                check(program, arguments(5, 0), 1e-12)


def drift(a, b, x, z):
    y = np.ones_like(x)
    for t in range(z.shape[0]):
        x = x + z[t]
        x, y = 0.5 * y + x, np.sin(x) * z[t]
    return np.sum(x * x) + np.sum(y)


LENGTHS = [((4, 3), (5, 2), (7,), (0, 6)), ((2, 9), (8, 3), (3,), (0, 1)), ((6, 6), (6, 6), (2,), (0, 4))]


@pytest.mark.parametrize("shapes", LENGTHS)
@pytest.mark.parametrize("program", [*PROGRAMS, drift])
def test_lengths_that_only_a_trip_would_compare(program, shapes):
    rng = np.random.default_rng(0)
    args = [rng.normal(size=s) for s in shapes]
    try:
        program(*args)
    except ValueError:
        pytest.skip("NumPy compares them all the same")
    with interpreted():
        check(program, args, 1e-12)


def text_of(program, **options):
    return str(adc.source(adc.value_and_grad(program, **options), *arguments(5, 4), stage="optimized"))


def test_no_trip_makes_an_array():
    """Of products with a vector, nothing is left that a trip allocates."""
    for program in (filtered, powers, two_change_places):
        lines = text_of(program, argnums=(0, 1, 2)).splitlines()
        loops = [k for k, line in enumerate(lines) if re.match(r"    for t|    for _", line)]
        inside = [
            line
            for k in loops
            for line in lines[k + 1 : next(i for i in range(k + 1, len(lines)) if lines[i][:5].strip())]
        ]
        assert any("rt.dot_into(" in line for line in inside)
        assert not [line for line in inside if "rt.dot(" in line or "rt.empty(" in line], program


def test_what_goes_into_an_array_is_written_there():
    text = text_of(filtered, argnums=(0, 1, 2))
    assert re.search(r"^    a_bar = rt\.dot\(\w+\.T, \w+\)$", text, re.MULTILINE), text


def test_gradients_in_arrays_of_the_caller():
    args = arguments(6, 3)
    wanted = adc.grad(filtered, argnums=(0, 1, 2), mode="tape")(*args)
    given = tuple(np.full_like(a, np.nan) for a in args[:3])
    adc.grad(filtered, argnums=(0, 1, 2), mode="compiled")(*args, out=given)
    for a, b in zip(given, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 31, 33])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_dot_into(n, dtype):
    """In any order of memory, smaller and larger than what loops do."""
    rng = np.random.default_rng(n)
    a, b = (rng.normal(size=(n, n + 1)).astype(dtype), rng.normal(size=(n + 1, n)).astype(dtype))
    x = rng.normal(size=2 * n + 2).astype(dtype)[::2]
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    for left in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], a[::-1]):
        for right in (b, np.asfortranarray(b), b[:, ::-1], x, x[::-1]):
            out = np.empty((left @ right).shape, dtype)
            adc.runtime.dot_into(left, right, out)
            np.testing.assert_allclose(out, left @ right, rtol=tolerance, atol=tolerance)
    out = np.empty(n, dtype)
    adc.runtime.dot_into(x, b, out)
    np.testing.assert_allclose(out, x @ b, rtol=tolerance, atol=tolerance)
