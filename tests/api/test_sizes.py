"""What cannot be compiled for arguments of any size is compiled for those of the call, and again for others."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import adc
from adc import config
from adc.api.sizes import MOST_SIZES

pytestmark = pytest.mark.filterwarnings("error::adc.FallbackWarning")


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def by_halves(x):
    return x[0] if len(x) == 1 else by_halves(x[: len(x) // 2]) * by_halves(x[len(x) // 2 :])


def spread(p, t):
    def line(t, a, b):
        return a * t + b

    return np.sum(line(t, *p) ** 2)


def test_an_int_is_taken_as_it_is():
    g = adc.grad(power, mode="compiled")
    for n in (3, 1, 4, 3):
        np.testing.assert_allclose(g(1.5, n), n * 1.5 ** (n - 1), rtol=1e-14)
        assert g.mode == "compiled"
    np.testing.assert_allclose(g(np.float32(1.5), np.int64(3)), 6.75)


def test_lengths_are_taken_as_they_are():
    g = adc.value_and_grad(by_halves, mode="compiled")
    for n in (1, 2, 5, 2):
        x = np.linspace(0.5, 1.5, n)
        value, x_bar = g(x)
        np.testing.assert_allclose(value, np.prod(x), rtol=1e-14)
        np.testing.assert_allclose(x_bar, np.prod(x) / x, rtol=1e-14)


TABLE = np.ones((4, 3))


def by_columns(x):
    columns = [np.concatenate([np.zeros(k), x[k:]]) for k in range(TABLE.shape[1])]
    return np.sum((TABLE @ np.stack(columns)) ** 2)


def of_a_number(x):
    return power(x, len(TABLE))


def test_lengths_of_arrays_outside_are_taken_as_they_are(monkeypatch):
    g, of_number = (adc.value_and_grad(f, mode="compiled") for f in (by_columns, of_a_number))
    for shape in ((4, 3), (5, 3), (2, 2), (4, 3)):
        table = np.linspace(0.5, 1.5, np.prod(shape)).reshape(shape)
        monkeypatch.setitem(globals(), "TABLE", table)
        x = np.linspace(1.0, 2.0, shape[1])
        value, x_bar = g(x)
        np.testing.assert_allclose(value, by_columns(x), rtol=1e-13)
        np.testing.assert_allclose(x_bar @ x, 2 * value, rtol=1e-13)
        np.testing.assert_allclose(of_number(2.0), (2.0 ** shape[0], shape[0] * 2.0 ** (shape[0] - 1)))
    assert "for x of shape (3,), TABLE of shape (4, 3). Generated" in adc.source(g, x)
    assert "for TABLE of shape (4, 3) only: in general" in str(adc.explain(of_number, 2.0))


def test_a_spread_array_has_as_many_elements_as_there_are_parameters():
    t = np.arange(3.0)
    g = adc.grad(spread, argnums=(0, 1), mode="compiled")
    p_bar, t_bar = g(np.array([2.0, 1.0]), t)
    np.testing.assert_allclose(p_bar, [2 * np.sum((2 * t + 1) * t), 2 * np.sum(2 * t + 1)])
    np.testing.assert_allclose(t_bar, 2 * (2 * t + 1) * 2)
    with pytest.warns(adc.FallbackWarning), pytest.raises(TypeError, match="takes 3 positional"):
        adc.grad(spread)(np.ones(3), t)


def test_with_too_many_sizes_the_tape_runs_and_says_why():
    g = adc.grad(power)
    with config.overridden(mode="auto"):
        for n in range(MOST_SIZES):
            g(1.5, n + 1)
            assert g.mode != "tape"
        with pytest.warns(adc.FallbackWarning, match="calls itself"):
            assert g(1.5, 20) == pytest.approx(20 * 1.5**19)
        assert g.mode == "tape"
        assert g(1.5, 2) == 3.0 and g.mode != "tape", "the code for sizes seen before is still there"
        assert g(1.5, 21) == pytest.approx(21 * 1.5**20) and g.mode == "tape"


def test_a_program_that_would_be_too_long_runs_on_the_tape():
    g = adc.grad(lambda x: by_halves(x) + 0.0)
    x = np.linspace(0.99, 1.01, 2000)
    with pytest.warns(adc.FallbackWarning, match="calls itself"):
        x_bar = g(x)
    np.testing.assert_allclose(x_bar, np.prod(x) / x, rtol=1e-12)


def test_what_is_asked_for_is_made_where_auto_would_take_the_tape():
    x = np.linspace(0.99, 1.01, 300)
    x_bar = adc.grad(by_halves, mode="python")(x)
    np.testing.assert_allclose(x_bar, np.prod(x) / x, rtol=1e-12)
    with pytest.warns(adc.FallbackWarning, match="on the tape"):
        np.testing.assert_allclose(adc.grad(by_halves)(x), x_bar, rtol=1e-12)


def test_source_and_explain_name_the_sizes_and_the_reason():
    g = adc.grad(power, mode="python")
    assert "with respect to x, for n = 3. Generated" in adc.source(g, 2.0, 3)
    told = str(adc.explain(g, 2.0, 3))
    assert "for n = 3 only: in general " in told and "`power` calls itself" in told
    lengths = adc.grad(by_halves, mode="python")
    assert "for x of shape (2,). Generated" in adc.source(lengths, np.ones(2))


def test_other_transforms():
    x, v = np.array([1.5, 0.5, 2.0]), np.array([1.0, -1.0, 0.5])
    mode = {"mode": "python"}
    _, slope = adc.jvp(by_halves, (x,), (v,), **mode)
    np.testing.assert_allclose(slope, np.sum(np.prod(x) / x * v))
    hessian = np.prod(x) / np.outer(x, x) * (1.0 - np.eye(3))
    np.testing.assert_allclose(adc.hessian(by_halves, **mode)(x), hessian, atol=1e-15)
    np.testing.assert_allclose(adc.hvp(by_halves, (x,), (v,), **mode)[0], hessian @ v)
    value, pull = adc.vjp(by_halves, x, **mode)
    np.testing.assert_allclose(pull(2.0)[0], 2.0 * value / x)
    rows = adc.vmap(adc.grad(by_halves, **mode), **mode)(np.stack([x, 2.0 * x]))
    np.testing.assert_allclose(rows, [np.prod(x) / x, 4.0 * np.prod(x) / x])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adc.grad(adc.grad(power, **mode), **mode)(1.5, 3)


def camera(x, turn, move):
    y = x @ turn.T + move
    return np.sum((y[:, :2] / y[:, 2:]) ** 2)


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_a_length_that_turns_out_to_be_one_is_stretched_by_code_for_these_sizes(mode):
    r = np.random.default_rng(1)
    g = adc.grad(camera, (0, 1, 2), mode=mode)
    for n in (5, 8, 5):
        arguments = r.normal(size=(n, 3)), r.normal(size=(3, 3)), r.normal(size=3) + 5.0
        expected = adc.grad(camera, (0, 1, 2), mode="tape")(*arguments)
        for found, wanted in zip(g(*arguments), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10)
        assert g.mode == mode
    value, pull = adc.vjp(camera, *arguments, mode=mode)
    assert value == pytest.approx(camera(*arguments))
    for found, wanted in zip(pull(1.0), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
    _, slope = adc.jvp(camera, arguments, arguments, mode=mode)
    assert slope == pytest.approx(sum(np.sum(e * a) for e, a in zip(expected, arguments, strict=True)))


def test_what_does_not_fit_for_any_size_is_the_error_of_numpy():
    g = adc.grad(camera, mode="python")
    with pytest.raises(ValueError, match="could not be broadcast"):
        g(np.ones((4, 5)), np.ones((5, 5)), np.ones(5))


def lit(light, directions):
    total = 0.0
    for k in range(directions.shape[0]):
        normal = np.array([np.cos(directions[k]), np.sin(directions[k]), 1.0])
        total += np.maximum(normal @ light, 0.0) ** 2
    return total


def test_a_short_length_that_the_function_demands_is_taken_for_granted():
    g = adc.value_and_grad(lit, mode="compiled")
    light, directions = np.array([0.3, -0.5, 0.8]), np.linspace(0.0, 6.0, 9)
    assert "for light of shape (3,)" in adc.source(g, light, directions)
    assert "the function demands them" in str(adc.explain(g, light, directions))
    for n in (9, 4):  # of which it demands nothing
        value, light_bar = g(light, directions[:n])
        normals = np.stack([np.cos(directions[:n]), np.sin(directions[:n]), np.ones(n)], 1)
        lengths = np.maximum(normals @ light, 0.0)
        np.testing.assert_allclose(value, np.sum(lengths**2))
        np.testing.assert_allclose(light_bar, 2 * lengths @ normals)
    with pytest.raises(ValueError, match="mismatch"):
        g(np.ones(4), directions)
    np.testing.assert_allclose(g(light, directions[:4])[1], light_bar)


def seen(turn, x):
    y = x @ turn.T
    return np.sum(y[:, :2] / (y[:, 2:] ** 2 + 2.0))


def test_beside_a_length_that_is_demanded_another_may_turn_out_to_be_one():
    turn, x = np.linspace(-1.0, 1.0, 9).reshape(3, 3), np.linspace(0.0, 1.0, 60).reshape(20, 3)
    g = adc.grad(seen, mode="compiled")
    np.testing.assert_allclose(g(turn, x), adc.grad(seen, mode="tape")(turn, x))
    assert g.mode == "compiled"


def turned(parts, stack):
    moved = stack @ parts
    return np.sum(moved[:, 0] ** 2)


def test_short_matrices_of_a_stack_have_lengths_that_are_known():
    g = adc.grad(turned, argnums=(0, 1), mode="compiled")
    for n in (2, 3, 4, 5):
        parts, stack = np.ones(n) / n, np.linspace(0.0, 1.0, 20 * n * n).reshape(20, n, n)
        moved = (stack @ parts)[:, 0]
        parts_bar, stack_bar = g(parts, stack)
        np.testing.assert_allclose(parts_bar, 2 * moved @ stack[:, 0])
        np.testing.assert_allclose(stack_bar[:, 0], 2 * moved[:, None] * parts)
        assert not stack_bar[:, 1:].any()


def integral(f, a, b, tolerance, level):
    middle = 0.5 * (a + b)
    left = (middle - a) / 6 * (f(a) + 4 * f(0.5 * (a + middle)) + f(middle))
    right = (b - middle) / 6 * (f(middle) + 4 * f(0.5 * (middle + b)) + f(b))
    whole = (b - a) / 6 * (f(a) + 4 * f(middle) + f(b))
    if level == 0 or abs(left + right - whole) < tolerance:
        return left + right
    return integral(f, a, middle, tolerance, level - 1) + integral(f, middle, b, tolerance, level - 1)


def test_recursion_that_would_be_much_code_is_the_tapes():
    def oscillation(p, level):
        return integral(lambda t: np.exp(-p * t) * np.sin(3 * t), 0.0, 2.0, 1e-4, level)

    few = adc.grad(oscillation, mode="python")(0.7, 2)
    assert few == pytest.approx((oscillation(0.7 + 1e-6, 2) - oscillation(0.7 - 1e-6, 2)) / 2e-6, rel=1e-6)
    g = adc.grad(oscillation)
    with pytest.warns(adc.FallbackWarning, match="calls itself"):
        many = g(0.7, 7)
    assert g.mode == "tape"
    assert many == pytest.approx((oscillation(0.7 + 1e-6, 7) - oscillation(0.7 - 1e-6, 7)) / 2e-6, rel=1e-6)


def by_text_of_the_run(x, factor):
    latest = {}
    for v in x:
        latest[f"{v:.0f}"] = factor * v
    return sum(latest.values())


def test_what_refuses_code_for_the_sizes_is_said_beside_the_first_refusal():
    x = np.array([0.5, 1.0, 2.0])
    with pytest.raises(
        adc.UnsupportedError, match=r"Code for these sizes alone is refused at .*: a list is written"
    ):
        adc.grad(by_text_of_the_run, mode="compiled")(x, 2)
    assert np.allclose(adc.grad(by_text_of_the_run, mode="tape")(x, 2), [2.0, 2.0, 2.0])


@pytest.mark.tiny
def test_a_dict_whose_keys_the_data_choose_is_named():
    def f(b):
        flows = {f"{i}": v * 2.0 for i, v in zip(range(3), b, strict=False)}
        over = {k: v for k, v in flows.items() if v > 0.3}
        return sum(v**2 for v in over.values())

    line = f.__code__.co_firstlineno + 2
    with pytest.raises(adc.UnsupportedError, match=rf"{line}:\d+: the condition of a comprehension"):
        adc.grad(f, mode="python")(np.ones(3))


def test_infinity_says_what_is_computed():
    def longest(x, order=np.inf):
        return np.linalg.norm(x, order)

    x = np.array([1.0, -3.0, 2.0])
    gradient = adc.grad(longest)
    for _ in range(2):
        np.testing.assert_array_equal(gradient(x), [0.0, -1.0, 0.0])
        np.testing.assert_array_equal(gradient(x, -np.inf), [1.0, 0.0, 0.0])
        np.testing.assert_array_equal(adc.grad(np.linalg.norm)(x, np.inf), [0.0, -1.0, 0.0])
    assert gradient.mode == "compiled"
    bounded = adc.grad(lambda x, high: np.sum(np.clip(x, 0.0, high) ** 2), argnums=(0, 1))
    for high in (np.inf, 1.5, -np.inf):
        slope = bounded(x, high)
        np.testing.assert_array_equal(slope[0], np.where((x > 0) & (x < high), 2 * x, 0.0))
