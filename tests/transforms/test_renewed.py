"""Arrays that are written over as a whole become other arrays, where nobody can tell."""

import numpy as np
import pytest
from tests.interpreted import by_readable_text, interpreted

import adc


def normalised(x):
    y = np.exp(x - x.max())
    y /= y.sum()
    y *= np.log(y)
    return np.sum(y)


def a_layer(x):
    w = np.outer(x, np.cos(x))
    h = w @ x
    h -= h.mean()
    h /= np.sqrt(np.mean(h * h) + 0.1)
    np.maximum(h, 0.1, out=h)
    h **= 2
    return np.sum(h)


def into_an_empty_one(x):
    y = np.empty(len(x))
    y[:] = np.tanh(x)
    y[:] = y * x
    return np.sum(y)


def a_view_from_before(x):
    y = np.sin(x)
    z = y[1:]
    y *= x
    return np.sum(y * y) + np.sum(z**3)


def a_view_that_is_through(x):
    y = np.sin(x)
    s = np.sum(y[1:] ** 2)
    y *= x
    z = y[::2]
    y += s
    return np.sum(y * y) + np.sum(z**3)


def a_view_of_a_view(x):
    y = np.sin(x)
    z = y[1:][::2]
    y *= x
    y /= 2.0
    return np.sum(y) * np.sum(z)


def a_view_goes_round(x):
    for _ in range(3):
        y = np.sin(x) * 1.5
        z = y[: len(x)]
        y *= 2.0
        x = z
    return np.sum(x)


def in_a_list(x):
    y = np.sin(x)
    kept = [y, x]
    y *= x
    kept.append(y)
    return np.sum(kept[0] * kept[2]) + np.sum(kept[1])


def by_a_helper(x):
    def doubled(a):
        a *= 2.0
        return a

    y = np.sin(x)
    z = doubled(y)
    z += x
    return np.sum(y * z)


def power_iteration(x):
    v = np.ones(len(x))
    for _ in range(4):
        w = np.outer(x, np.sin(x)) @ v + v
        w /= np.sqrt(np.sum(w * w))
        if np.sum((w - v) ** 2) < 1e-30:
            break
        v = w
    return np.sum(v * x)


def the_trip_before(x):
    y = x * 1.0
    total = 0.0
    for t in range(3):
        z = np.sin(y) * x
        z *= 1.0 + t
        total += np.sum(z * y)
        z -= y
        y = z
    return total + np.sum(y)


def in_turn(x):
    a, b = np.sin(x), np.cos(x)
    for _ in range(3):
        b *= a
        a, b = b, a
    return np.sum(a * x + b)


def in_a_branch(x):
    y = np.sin(x)
    if y[0] > 0.1:
        y *= 2.0
        y += x
    else:
        y /= 3.0
    y *= x
    return np.sum(y**2)


def made_in_a_branch(x):
    if x[0] > 0.1:
        y = np.sin(x)
        y *= x
        y *= x
    else:
        y = np.cos(x)
        y /= 2.0
    y *= 1.5
    return np.sum(y**2)


def one_of_two(x):
    y = np.sin(x)
    z = np.cos(x)
    z *= 2.0
    best = y if x[0] > 0.1 else z
    z *= x
    return np.sum(best * x) + np.sum(z) if x[0] > 0.1 else np.sum(y)


def parts_and_wholes(x):
    y = np.zeros(len(x))
    y[0] = x[1]
    y[1:] += x[:-1] ** 2
    y *= x
    y[0] *= 3.0
    y += np.sin(y)
    y[-1] = x[0]
    return np.sum(y**2)


def each_of_its_rows(x):
    a = np.outer(x, x)
    for row in a:
        row *= np.sum(row)
    a /= np.sum(a)
    for k in range(len(x)):
        a[k] -= a[k, k] * x
    return np.sum(a**2)


def broadcast(x):
    a = np.outer(x, x)
    a[:] = x
    a *= x[:, None]
    a[:] = 2.0
    a += np.sin(x)
    return np.sum(a * np.outer(x, x))


def the_same_value_twice(x):
    y, z = np.empty(len(x)), np.empty(len(x))
    t = x * x
    y[:] = t
    z[:] = t
    t[0] = 5.0
    z[1] = 2.0
    y *= z
    return np.sum(y) + np.sum(t * x)


def itself(x):
    y = np.sin(x)
    y[:] = y
    y *= y
    y[:] = y[::-1]
    y += y
    return np.sum(y * x)


def where(x):
    y = np.sin(x)
    np.multiply(y, x, out=y, where=x > 0.3)
    np.add(y, 1.0, out=y)
    return np.sum(y * y)


def single(x):
    y = np.sin(x).astype(np.float32)
    y *= x
    y += np.float32(0.5)
    return float(np.sum(y))


def positions(x):
    k = np.arange(len(x))
    s = np.sum(x[k])
    k += 1
    k %= len(x)
    s *= np.sum(x[k] * x)
    k *= 0
    return s + np.sum(x[k])


def while_it_lasts(x):
    y = np.sin(x)
    n = 0
    while np.sum(y * y) > 0.5 and n < 8:
        z = y * x
        z -= 0.1 * y
        z /= 1.0 + np.sum(z * z)
        y = z
        n += 1
    return np.sum(y * x)


def over_an_inner_loop(x):
    s = 0.0
    for _ in range(2):
        y = np.sin(x)
        for k in range(3):
            y *= x + k
        s += np.sum(y)
        y *= 2.0
        s *= np.sum(y)
    return s


def transposed(x):
    a = np.outer(x, np.cos(x)).T
    b = np.sin(a)
    b *= a
    c = np.empty((len(x), len(x)))
    c[:] = b.T
    c -= b
    return np.sum(c.ravel() * np.arange(c.size)) + np.sum(b.reshape(-1) * np.arange(c.size))


def caught(x):
    y = np.sin(x)
    try:
        y *= 2.0
        if x[0] > 0.1:
            raise ValueError
        y *= x
    except ValueError:
        y += 1.0
    y *= x
    return np.sum(y)


ALL = [
    normalised, a_layer, into_an_empty_one, a_view_from_before, a_view_that_is_through, a_view_of_a_view,
    a_view_goes_round, in_a_list, by_a_helper, power_iteration, the_trip_before, in_turn, in_a_branch,
    made_in_a_branch, one_of_two, parts_and_wholes, each_of_its_rows, broadcast, the_same_value_twice, itself, where,
    positions, while_it_lasts, over_an_inner_loop, transposed, caught,
]  # fmt: skip
# Which array is written to is decided as it runs; loops of which nobody knows how many trips they have.
NOT_TWICE = [one_of_two, while_it_lasts, power_iteration]
XS = [np.array([0.4, 0.9, -0.3, 0.7]), np.array([-0.2, 0.5, 0.8, 0.31])]


@pytest.mark.parametrize("x", XS, ids=["above", "below"])
@pytest.mark.parametrize("function", ALL)
def test_the_gradient_is_the_tape_s(function, x):
    wanted = adc.value_and_grad(function, mode="tape")(x)
    made = adc.value_and_grad(function, mode="compiled")
    try:
        with interpreted():
            found = made(x)
    except adc.UnsupportedError as error:
        assert function is one_of_two and "may be the same array" in str(error)
        return
    for value, gradient in (found, by_readable_text(made)(x)):
        np.testing.assert_allclose(value, function(x.copy()), rtol=1e-13)
        np.testing.assert_allclose(gradient, wanted[1], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("x", XS, ids=["above", "below"])
@pytest.mark.parametrize("function", [f for f in ALL if f not in NOT_TWICE])
def test_the_hessian_is_the_slope_of_the_gradient(function, x):
    gradient = adc.grad(function, mode="tape")
    wanted = np.array([(gradient(x + d) - gradient(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))])
    np.testing.assert_allclose(adc.hessian(function, mode="python")(x), wanted, rtol=1e-5, atol=1e-6)
    rows = adc.jacrev(adc.grad(function, mode="python"), mode="python")(x)
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)


def test_single_precision_stays_what_it_is():
    x = XS[0]
    with interpreted():
        value, gradient = adc.value_and_grad(single, mode="compiled")(x)
    assert value == pytest.approx(single(x), rel=1e-6)
    np.testing.assert_allclose(gradient, adc.grad(single, mode="tape")(x), rtol=1e-6)


@pytest.mark.parametrize("function", [normalised, a_layer, into_an_empty_one, in_a_list, by_a_helper])
def test_nothing_is_kept_of_it(function):
    text = "\n".join(line.split("#")[0] for line in adc.source(adc.grad(function), XS[0]).splitlines())
    assert "_old" not in text and "[:] =" not in text and ".copy()" not in text


def test_a_loop_keeps_what_it_begins_with_alone():
    def f(x):
        for _ in range(5):
            y = np.sin(x)
            y /= np.sum(y)
            y *= x
            x = y
        return np.sum(x)

    text = adc.source(adc.grad(f), XS[0])
    assert text.count("np.empty((5") == 1


@pytest.mark.parametrize("function", [a_view_from_before, a_view_of_a_view])
def test_what_a_view_sees_is_written_in_place(function):
    assert "[:] =" in adc.source(adc.grad(function), XS[0])
