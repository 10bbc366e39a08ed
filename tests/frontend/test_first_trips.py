"""A number that a loop makes an array of: an array from the start, or the first trip written out; checked to come."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.array([0.4, -0.7, 1.1])
MODES = ("compiled", "python", "tape")


def added_to(x, w):
    s = 0.5
    for v in w:
        s = s + np.tanh(x * v)
    return np.sum(s * s)


def looked_at(x, w):
    s = 0.5
    seen = 0.0
    for v in w:
        seen += np.sum(s)
        s = s + x * v
    return np.sum(s) * seen + np.ndim(s)


def of_pairs(x, w):
    total = 0.0
    for i in range(len(w)):
        s = 0.0
        for j in range(i):
            s = s + x * (w[i] - w[j])
        total += np.sum(s * s) + np.size(s)
    return total


def until_small(x, t):
    s = 1.0
    while t > 0.5:
        s = s * np.cos(x * t)
        t = t * 0.5
    return np.sum(s) * t


def text(function, *args):
    return adc.source(adc.grad(function, mode="compiled"), *args)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [added_to, looked_at, of_pairs])
def test_any_number_of_trips_by_one_derivative(function, mode):
    g = adc.value_and_grad(function, argnums=(0, 1), mode=mode)
    for n in (3, 0, 1, 2, 7, 0, 1):
        w = np.linspace(0.5, 1.5, n)
        value, bars = g(X, w)
        np.testing.assert_allclose(value, function(X, w), rtol=1e-13)
        for bar, reference in zip(bars, differences(function, X, w), strict=True):
            np.testing.assert_allclose(bar, reference, rtol=1e-6, atol=1e-8)
        assert g.mode == mode


def differences(function, *args):
    for k, arg in enumerate(args):
        bar = np.zeros_like(arg)
        for i in range(arg.size):
            step = np.zeros_like(arg)
            step[i] = 1e-6
            ends = [function(*args[:k], arg + d, *args[k + 1 :]) for d in (step, -step)]
            bar[i] = (ends[0] - ends[1]) / 2e-6
        yield bar


def test_a_number_that_is_added_to_is_an_array_from_the_start():
    found = text(added_to, X, np.ones(3))
    assert "s = np.full(x.shape[0], 0.5)" in found
    assert "for i in range(n):" in found and "w[0]" not in found


def test_where_the_number_itself_shows_the_first_trip_is_written_out():
    found = text(looked_at, X, np.ones(3))
    assert "np.full" not in found.split("# reverse")[0] and "for i in range(n - 1):" in found


def test_trips_that_are_known_are_not_checked():
    def function(x):
        s = 0.0
        for k in range(1, 4):
            s = s + x**k
        return np.sum(s * s)

    assert "raise" not in text(function, X)


def test_pairs_have_a_trip_where_the_counter_says_so():
    def function(x, w):
        total = 0.0
        for i in range(len(w)):
            s = 0.0
            for j in range(i, len(w)):
                s = s + x * (w[i] - w[j])
            total += np.sum(s * s)
        return total

    assert "raise" not in text(function, X, np.ones(3))


def test_a_while_without_a_trip_is_refused_or_runs_on_the_tape():
    with pytest.raises(adc.UnsupportedError, match="`s` starts as a number and becomes an array"):
        adc.grad(until_small, mode="compiled")(X, 0.25)
    g = adc.grad(until_small)
    with pytest.warns(adc.FallbackWarning, match="starts as a number"):
        np.testing.assert_array_equal(g(X, 0.25), np.zeros(3))
    np.testing.assert_allclose(g(X, 3.0), adc.grad(until_small, mode="compiled")(X, 3.0))


def test_the_number_is_what_a_nested_function_sees():
    def function(x, w):
        s = 0.5

        def seen():
            return np.sum(s) + np.ndim(s)

        total = 0.0
        for v in w:
            s = s + x * v + seen()
            total += seen()
        return total + np.sum(s)

    w = np.array([0.5, 1.5])
    value, x_bar = adc.value_and_grad(function, mode="compiled")(X, w)
    np.testing.assert_allclose(value, function(X, w))
    np.testing.assert_allclose(x_bar, next(differences(function, X, w)), rtol=1e-6)


def test_float32_rounds_as_in_numpy():
    def function(x, w):
        s = np.float32(0.1)
        for v in w:
            s = s * x + v * np.ones(3)
        return np.sum(s)

    x = X.astype(np.float32)
    w = np.array([0.5])
    value, _ = adc.value_and_grad(function, mode="compiled")(x, w)
    np.testing.assert_allclose(value, function(x, w), rtol=1e-15)


def test_other_transforms():
    w = np.array([0.5, 1.5])
    for function in (added_to, looked_at):
        g = adc.grad(function)
        hessian = adc.hessian(function)(X, w)
        columns = [(g(X + 1e-6 * e, w) - g(X - 1e-6 * e, w)) / 2e-6 for e in np.eye(3)]
        np.testing.assert_allclose(hessian, columns, atol=1e-7)
        batch = np.stack([X, 2 * X])
        np.testing.assert_allclose(
            adc.vmap(g, in_axes=(0, None))(batch, w), [g(X, w), g(2 * X, w)], rtol=1e-13
        )
        _, forward = adc.jvp(function, (X, np.zeros(0)), (np.ones(3), np.zeros(0)))
        np.testing.assert_allclose(forward, np.sum(g(X, np.zeros(0))), atol=1e-14)
