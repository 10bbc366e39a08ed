"""Additions to neighbours in the loop that makes them: nothing beyond the ends of a row is added, or written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(6)


def burgers(u):
    u = u.copy()
    for _ in range(3):
        middle = u[1:-1]
        u[1:-1] = middle - 0.2 * middle * (middle - u[:-2]) + 0.1 * (u[2:] - 2.0 * middle + u[:-2])
    return 0.5 * np.sum(u * u)


def wide(u):
    for _ in range(2):
        u = u + 0.1 * np.pad(np.sin(u[4:]) * u[:-4], 2)
    return np.sum(u * u)


def wave(speed, steps):
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    now[len(speed) // 2] = 1.0
    for _ in range(steps):
        after = np.zeros_like(speed)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + speed[1:-1] * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now = now, after
    return np.sum(now**2)


def heat(u, k):
    u = u.copy()
    for _ in range(3):
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * k[1:-1, 1:-1] * around
    return np.sum(u**2)


def slopes(function, args, h=1e-6):
    """Differences along a direction of all arguments, and the direction."""
    along = [R.normal(size=np.shape(a)) if isinstance(a, np.ndarray) else 0 for a in args]
    pairs = list(zip(args, along, strict=True))
    there, back = (function(*(a + s * h * v if np.ndim(a) else a for a, v in pairs)) for s in (1, -1))
    return along, (there - back) / (2 * h)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 40])
@pytest.mark.parametrize("function", [burgers, wave, heat])
def test_gradient_at_every_length(function, n):
    args = {
        burgers: (R.normal(size=n),),
        wave: (R.uniform(0.2, 0.8, size=n), 5),
        heat: (R.normal(size=(n, n + 1)), R.normal(size=(n, n + 1))),
    }[function]
    given = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    along, slope = slopes(function, args)
    with interpreted():
        found = adc.grad(function, argnums=given, mode="compiled")(*args)
    assert sum(np.sum(found[k] * along[k]) for k in given) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_rows_without_elements_touch_nothing():
    with interpreted():
        gradient = adc.grad(burgers, mode="compiled")
        for n in (1, 0):
            u = R.normal(size=n)
            np.testing.assert_array_equal(gradient(u), u)


def test_lengths_that_are_numbers():
    def fixed(k):
        u = np.cos(np.arange(40.0))
        for _ in range(3):
            u[1:-1] = u[1:-1] + k * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        return np.sum(u**2)

    with interpreted():
        found = adc.grad(fixed, mode="compiled")(0.1)
        text = str(adc.source(adc.grad(fixed), 0.1, stage="optimized"))
    assert found == pytest.approx((fixed(0.1 + 1e-6) - fixed(0.1 - 1e-6)) / 2e-6, rel=1e-6)
    assert "range(38)" in text and "if" not in text.replace("differ", "")


def test_distances_of_four():
    u = R.normal(size=12)
    (along,), slope = slopes(wide, (u,))
    with interpreted():
        found = adc.grad(wide, mode="compiled")(u)
    assert np.sum(found * along) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_no_number_of_one_place_reaches_another():
    """A product with what lies beyond the end would make a NaN of it; and an infinite adjoint stays where it is."""

    def last(u):
        u = u.copy()
        for _ in range(2):
            u[1:-1] = u[1:-1] + 0.5 * (u[2:] * u[:-2])
        return u[0] * u[1]

    u = np.array([1.0, 2.0, 3.0, 4.0, np.inf, 1.0])
    with interpreted(), np.errstate(all="ignore"):
        found = adc.grad(last, mode="compiled")(u)
        np.testing.assert_array_equal(found, adc.grad(last, mode="python")(u))


def test_the_text_loads_and_writes_a_row_once():
    text = str(adc.source(adc.grad(burgers), np.ones(40), stage="optimized"))
    loop = text[text.index("for j in range(maximum):\n                u_bar_element = u_bar[j + 1]") :]
    loop = loop[: loop.index("u_bar[maximum + 1]")]
    assert [line.split(" = ")[0].strip() for line in loop.splitlines() if re.search(r"\] [-+]?= ", line)] == [
        "u_bar[j]"
    ]
    assert loop.count("u_bar[") == 2
    assert "bend_bar" not in text[text.index("# reverse") : text.index("for trip")]  # no scratch


def two_rows(u, v, c):
    u, v = u.copy(), v.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            flux = u[i + 1] * v[i - 1]
            u[i] += c * flux
            v[i] = v[i] - 0.1 * flux + c * v[i + 1]
    return np.sum(u * u) + np.sum(v)


def products(u, v):
    """Of differences of what was read only: nobody reads the rows between."""
    return np.sum(np.diff(u)[1:] * np.diff(v, 2))


def shifted(u, w):
    """The row that a trip itself adds to is not among those that it reads."""
    total = 0.0
    for i in range(2, len(u) - 3):
        total += np.tanh(u[i - 2] * w[i] + u[i + 3]) * u[i]
    return total


def read_between(u, v, w):
    """What a loop between, which adds to another row, reads of the row is not what is added behind it."""
    u, v = u.copy(), v.copy()
    for _ in range(3):
        u[:-4] += 0.5 * (v[4:] * u[4:] + v[2:-2] * w[2:-2] + 0.1 * w[3:-1])
        v[1:-3] = 0.5 * (u[:-4] * u[3:-1] + np.sin(w[:-4]))
    return np.sum(u * u) + np.sum(v * v)


def float32(u):
    u = u.copy()
    for _ in range(2):
        u[1:-1] += np.float32(0.1) * (u[2:] - u[:-2]) * u[1:-1]
    return np.sum(u * u)


@pytest.mark.parametrize("n", [6, 7, 9, 23])
def test_rows_of_several_kinds(n):
    u, v = R.normal(size=n), R.normal(size=n)
    programs = (two_rows, (u, v, 0.3)), (products, (u, v)), (shifted, (u, v)), (read_between, (u, v, v[::-1]))
    for function, args in programs:
        argnums = tuple(range(len(args)))
        with interpreted():
            found = adc.grad(function, argnums=argnums, mode="compiled")(*args)
            wanted = adc.grad(function, argnums=argnums, mode="tape")(*args)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_numbers_that_wait_have_the_dtype_of_the_row():
    u = R.normal(size=20).astype(np.float32)
    with interpreted():
        found = adc.grad(float32, mode="compiled")(u)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, adc.grad(float32, mode="tape")(u), rtol=1e-4)
    assert "np.float32(0" in str(adc.source(adc.grad(float32), u, stage="optimized"))


def test_both_sweeps_read_the_rows_that_are_kept():
    text = str(adc.source(adc.grad(burgers), np.ones(40), stage="optimized"))
    forward = text[text.index("# forward") : text.index("# reverse")]
    reverse = text.replace(forward, "")
    assert "u_old_kept[trip, j + 2]" in forward and "u_old_kept[trip, j + 1]" in reverse
    code = [line for line in reverse.splitlines() if not line.lstrip().startswith("#")]
    assert not any(line.lstrip().startswith(("u[", "u_2[")) for line in code)  # nothing is put back


def test_a_part_that_is_put_back_is_not_cleared():
    text = str(adc.source(adc.grad(heat), np.ones((5, 5)), np.ones((5, 5))))
    assert "u_bar[1:-1, 1:-1] = 0.0" not in text


def test_a_part_that_changed_meanwhile_is_put_back():
    def moved(u):
        u = u.copy()
        for _ in range(3):
            old = u[1:].copy()
            u[1:] = np.sin(u[:-1])
            u[:-1] = u[:-1] + old
        return np.sum(u**2)

    u = R.normal(size=7)
    (along,), slope = slopes(moved, (u,))
    for mode in ("python", "compiled"):
        with interpreted():
            found = adc.grad(moved, mode=mode)(u)
        assert np.sum(found * along) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def jumps(x, p):
    """A loop of the user's that hands a number to the next trip."""
    last, before = 0.0, 0.0
    total = 0.0
    for i in range(len(x)):
        total += np.exp(-((x[i] - last) ** 2)) * p + np.sin(before)
        before = last
        last = x[i]
    return total


def test_numbers_that_go_from_trip_to_trip_leave_a_loop_its_vectors():
    x = R.normal(size=30)
    derivative = adc.value_and_grad(jumps, argnums=(0, 1), mode="compiled")
    value, gradients = derivative(x, 0.7)
    assert value == pytest.approx(jumps(x, 0.7), rel=1e-13)
    for found, wanted in zip(gradients, adc.grad(jumps, argnums=(0, 1), mode="tape")(x, 0.7), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    assert "vm.exp" in str(adc.source(derivative, x, 0.7, stage="optimized"))
