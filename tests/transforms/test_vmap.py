"""`vmap`: batches in one loop, over functions and over derivatives."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]
A = np.arange(6.0).reshape(2, 3)
W = np.array([0.5, -1.0, 2.0])


def loss(w, x, y):
    return (x @ w - y) ** 2


@pytest.mark.parametrize("mode", MODES)
def test_per_example_gradients(mode):
    y = np.array([1.0, 2.0])
    found = adc.vmap(adc.grad(loss), in_axes=(None, 0, 0), mode=mode)(W, A, y)
    np.testing.assert_allclose(found, 2 * (A @ W - y)[:, None] * A)


@pytest.mark.parametrize("mode", MODES)
def test_axes(mode):
    np.testing.assert_allclose(adc.vmap(lambda x: x * 2.0, in_axes=1, out_axes=1, mode=mode)(A), 2 * A)
    np.testing.assert_allclose(adc.vmap(lambda x: x * 2.0, in_axes=-1, mode=mode)(A), 2 * A.T)
    found = adc.vmap(
        lambda p, s: {"d": p["x"] * s, "s": s},
        in_axes=({"x": 0, "c": None}, None),
        out_axes={"d": 0, "s": None},
        mode=mode,
    )({"x": A, "c": 1.0}, 3.0)
    np.testing.assert_allclose(found["d"], 3 * A)
    assert found["s"] == 3.0


@pytest.mark.parametrize("mode", MODES)
def test_each_element_takes_its_own_branches(mode):
    def f(x):
        total = 0.0
        while total < x:
            total += 1.0
        return total if x > 2 else -total

    np.testing.assert_allclose(adc.vmap(f, mode=mode)(np.array([0.5, 2.5, 4.0])), [-1.0, 3.0, 4.0])


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_a_batch(mode):
    def total(w):
        return np.sum(adc.vmap(lambda x: np.sin(x @ w))(A))

    np.testing.assert_allclose(adc.grad(total, mode=mode)(W), np.cos(A @ W) @ A)


@pytest.mark.parametrize("mode", MODES)
def test_batches_of_batches(mode):
    f = adc.vmap(adc.vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None), mode=mode)
    np.testing.assert_allclose(f(W, np.array([1.0, 2.0])), np.outer(W, [1.0, 2.0]))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_hessians_and_jacobians_of_each(mode):
    found = adc.vmap(adc.hessian(lambda x: np.sum(x**3)), mode=mode)(A)
    np.testing.assert_allclose(found, np.stack([np.diag(6 * row) for row in A]))
    found = adc.vmap(adc.jacfwd(lambda x: np.sin(x)), mode=mode)(A)
    np.testing.assert_allclose(found, np.stack([np.diag(np.cos(row)) for row in A]))


def residuals(a, b):
    return np.linalg.lstsq(a, b)[1]


@pytest.mark.parametrize("mode", MODES)
def test_results_that_are_empty_for_some_lengths(mode):
    a, b = np.random.default_rng(0).normal(size=(2, 5, 2)), np.random.default_rng(1).normal(size=(2, 5, 3))
    expected = [residuals(*pair) for pair in zip(a, b, strict=True)]
    np.testing.assert_allclose(adc.vmap(residuals, mode=mode)(a, b), expected)


def test_a_shape_that_the_data_of_an_element_decide_is_refused():
    with pytest.raises(adc.UnsupportedError, match="whose shape is only known inside the batch"):
        adc.vmap(lambda x: x[x > 0.0], mode="python")(A)


def test_refusals():
    with pytest.raises(adc.ShapeError, match="lengths 2, 3"):
        adc.vmap(lambda x, y: x * y, mode="python")(A, W)
    with pytest.raises(adc.ArgumentError, match="axis 0 of `x`, which has no axes"):
        adc.vmap(lambda x: x, mode="python")(1.0)
    with pytest.raises(adc.UnsupportedError, match="no argument to map over"):
        adc.vmap(lambda x: x, in_axes=None, mode="python")(A)
    with pytest.raises(adc.ArgumentError, match="axis 2"):
        adc.vmap(lambda x: x, in_axes=2, mode="python")(A)
    with pytest.raises(adc.ArgumentError, match="in_axes has 2 entries"):
        adc.vmap(lambda x: x, in_axes=(0, 0), mode="python")(A)


def test_empty_batch_and_text():
    f = adc.vmap(lambda x: x * 2.0, mode="compiled")
    assert f(np.zeros((0, 3))).shape == (0, 3)
    assert "for k in range(" in f.source(A)


def scaled(x, scale=1.0, power=2):
    return x**power * scale


@pytest.mark.parametrize("mode", ["tape", "python", "compiled"])
def test_arguments_by_name_and_defaults(mode):
    x, scale = np.arange(1.0, 5.0).reshape(2, 2), np.array([3.0, 5.0])
    np.testing.assert_array_equal(adc.vmap(scaled, mode=mode)(x), x**2)
    np.testing.assert_array_equal(adc.vmap(scaled, in_axes=1, mode=mode)(x), x.T**2)
    np.testing.assert_array_equal(adc.vmap(scaled, mode=mode)(x, scale), x**2 * scale[:, None])
    for in_axes in (0, (0,)):
        by_name = adc.vmap(scaled, in_axes, mode=mode)
        np.testing.assert_array_equal(by_name(x, scale=scale), x**2 * scale[:, None])
        np.testing.assert_array_equal(by_name(x), x**2)
    parallel = adc.vmap(scaled, parallel=True, mode=mode)
    np.testing.assert_array_equal(parallel(x, scale=scale), x**2 * scale[:, None])
    with pytest.raises(adc.ArgumentError, match="axis 0 of `scale`, which has no axes"):
        adc.vmap(scaled, mode=mode)(x, 3.0)


def doubled(x, y):
    x[0] = 2 * x[0] + y[1]
    return x[0] * y[0] + x[1]


def summed_into(x, y):
    y[0] += x[0]
    y *= 2
    return np.sum(y * y) * x[1]


@pytest.mark.parametrize("mode", MODES)
def test_each_call_writes_to_copies(mode):
    a, b, y = A[:, :2].copy() + 1, A[:, 1:].copy(), np.array([0.5, 1.5])
    want = [doubled(*pair) for pair in zip(a.copy(), b.copy(), strict=True)]
    np.testing.assert_allclose(adc.vmap(doubled, mode=mode)(a, b), want)
    want = [summed_into(x, y.copy()) for x in a]
    np.testing.assert_allclose(adc.vmap(summed_into, in_axes=(0, None), mode=mode)(a, y), want)
    slopes = adc.vmap(adc.grad(summed_into), in_axes=(0, None), mode="tape")(a, y)
    np.testing.assert_allclose(slopes, [adc.grad(summed_into, mode=mode)(x, y) for x in a])
    np.testing.assert_array_equal(a, A[:, :2] + 1)
    np.testing.assert_array_equal(y, [0.5, 1.5])

    def total(y):
        return np.sum(adc.vmap(summed_into, in_axes=(0, None))(a, y)) + y[0]

    found, slope = adc.value_and_grad(total, mode=mode)(y)
    np.testing.assert_allclose(found, sum(want) + y[0])
    differences = [(total(y + h) - total(y - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(slope, differences, rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("second", [lambda a: a, lambda a: a[::-1]])
def test_written_elements_that_share_memory_are_refused_or_shared(mode, second):
    a = A.reshape(3, 2) + 1

    def by_loop():
        for k in range(len(a)):
            x = a.copy()
            yield doubled(x[k], second(x)[k])

    batched = adc.vmap(doubled, mode=mode)
    if mode == "tape":
        np.testing.assert_allclose(batched(a, second(a)), list(by_loop()))
    else:
        with pytest.raises(adc.AdcError, match="share memory"):
            batched(a, second(a))
    with pytest.raises(adc.AdcError, match="memory"):
        adc.grad(lambda x: np.sum(adc.vmap(doubled)(x, second(x))), mode=mode)(a)
    np.testing.assert_array_equal(a, A.reshape(3, 2) + 1)


def _scaled(x, *, by=2.0):
    return np.sum(x) * by


@pytest.mark.parametrize("mode", MODES)
def test_what_a_call_leaves_out_of_arguments_by_keyword_is_the_same_for_all(mode):
    batch = adc.vmap(_scaled, mode=mode)
    np.testing.assert_allclose(batch(A), 2 * A.sum(1))
    np.testing.assert_allclose(batch(A, by=np.arange(1.0, 1 + len(A))), np.arange(1.0, 1 + len(A)) * A.sum(1))
    np.testing.assert_allclose(adc.vmap(np.sum, in_axes=1, mode=mode)(A), A.sum(0))
    np.testing.assert_allclose(adc.vmap(adc.grad(_scaled), mode=mode)(A), np.full(A.shape, 2.0))


def _beside(x, y):
    total = np.zeros(2)
    for k in range(2):
        total[k] = y[k] ** 2
    return x * total, total, np.ones(3)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_the_same_for_all_stands_in_front_of_the_loop(mode):
    xs, y = np.arange(3.0), np.array([1.0, 2.0])
    batch = adc.vmap(_beside, in_axes=(0, None), out_axes=(0, None, None), mode=mode)
    scaled, total, ones = batch(xs, y)
    np.testing.assert_allclose(scaled, np.outer(xs, y**2))
    np.testing.assert_allclose(total, y**2)
    np.testing.assert_allclose(ones, np.ones(3))
    gradient = adc.grad(lambda y: np.sum(adc.vmap(_beside, (0, None), (0, None, None))(xs, y)[1]), mode=mode)
    np.testing.assert_allclose(gradient(y), 2 * y)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "function", [lambda x, y: x * y, lambda x, y: y * 2.0 if x > 1.0 else y, lambda x, y: np.array([x, 1.0])]
)
def test_no_axis_for_what_differs_is_refused(mode, function):
    with pytest.raises((adc.ArgumentError, adc.UnsupportedError), match="out_axes is None for"):
        adc.vmap(function, in_axes=(0, None), out_axes=None, mode=mode)(np.arange(3.0), 1.5)
    with pytest.raises(adc.ArgumentError, match="is no axis"):
        adc.vmap(function, in_axes=0.5)


@pytest.mark.parametrize("mode", MODES)
def test_axes_of_another_structure_are_refused(mode):
    for out_axes in ((0, 0, 0), {"a": 0}):
        with pytest.raises((adc.ArgumentError, adc.UnsupportedError), match="structure"):
            adc.vmap(lambda x: (x, x), out_axes=out_axes, mode=mode)(np.arange(2.0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [np.argmax, np.argsort, np.any])
def test_library_functions_without_a_derivative(function, mode):
    found = adc.vmap(function, mode=mode)(A[:, ::-1])
    np.testing.assert_array_equal(found, [function(row) for row in A[:, ::-1]])


@dataclass
class Pair:
    w: object
    b: object


@pytest.mark.parametrize("mode", MODES)
def test_axes_of_dataclasses(mode):
    f = adc.vmap(lambda p: p.w * p.b, in_axes=(Pair(0, None),), mode=mode)
    np.testing.assert_allclose(f(Pair(A, 2.0)), 2 * A)
    with pytest.raises(adc.ArgumentError, match="do not fit the structure"):
        adc.vmap(lambda p: p["a"], in_axes=({"b": 0},), mode=mode)({"a": A})


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_batch(mode):
    none = np.zeros((0, 3))

    def both(x):
        return np.outer(x[:2], x), {"sum": np.sum(x)}

    outer, parts = adc.vmap(both, out_axes=(1, 0), mode=mode)(none)
    assert outer.shape == (2, 0, 3) and parts["sum"].shape == (0,)
    assert adc.vmap(adc.grad(loss), in_axes=(None, 0, 0), mode=mode)(W, none, np.zeros(0)).shape == (0, 3)
    total = adc.grad(lambda x: np.sum(adc.vmap(lambda v: v @ v, mode=mode)(x)), mode=mode)
    assert total(none).shape == (0, 3)


def apart(a, b, scale=1.0):
    return (a - b) * scale


def apart_by_name(a, b, *, scale=1.0):
    return (a - b) * scale


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "function",
    [apart, apart_by_name, functools.partial(apart, scale=1.0)],
    ids=["default", "by name", "partial"],
)
def test_batches_of_batches_leave_defaults_alone(function, mode):
    f = adc.vmap(adc.vmap(function, in_axes=(None, 0)), in_axes=(0, None), mode=mode)
    np.testing.assert_allclose(f(W, np.array([1.0, 2.0])), W[:, None] - np.array([1.0, 2.0]))


@pytest.mark.parametrize("mode", MODES)
def test_batches_of_batches_of_a_partial_that_the_function_makes(mode):
    def energy(scale):
        pairs = adc.vmap(
            adc.vmap(functools.partial(apart, scale=scale), in_axes=(None, 0)), in_axes=(0, None)
        )
        return np.sum(pairs(W, W) ** 2)

    np.testing.assert_allclose(adc.grad(energy, mode=mode)(2.0), 4.0 * np.sum((W[:, None] - W) ** 2))
