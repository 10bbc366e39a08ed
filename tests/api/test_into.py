"""`out=`: gradients in arrays of the caller's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import adc

R = np.random.default_rng(4)
MODES = ["compiled", "python", "tape"]


def loss(x, w, scale):
    return scale * np.sum(np.tanh(x @ w) ** 2)


def arguments():
    return R.normal(size=(5, 3)), R.normal(size=(3, 4)), 1.5


@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_written_into_the_arrays(mode):
    a = arguments()
    g = adc.value_and_grad(loss, (0, 1, 2), mode=mode)
    value, expected = adc.value_and_grad(loss, (0, 1, 2), mode="tape")(*a)
    out = np.full((5, 3), np.nan), np.full((3, 4), np.nan), 0.0
    for _ in range(2):
        found, bars = g(*a, out=out)
        assert found == pytest.approx(value)
        assert bars[0] is out[0] and bars[1] is out[1]
        for bar, wanted in zip(bars, expected, strict=True):
            np.testing.assert_allclose(bar, wanted, rtol=1e-12)
    for given, kept in zip(g(*a)[1], expected, strict=True):  # without `out` they are new
        np.testing.assert_allclose(given, kept, rtol=1e-12)
    assert g.mode == mode


def test_the_compiled_code_has_no_array_of_its_own_for_them():
    def squares(x):
        return np.sum(x**2)

    g = adc.grad(squares, mode="compiled")
    x, x_bar = R.normal(size=1000), np.empty(1000)
    assert g(x, out=x_bar) is x_bar
    np.testing.assert_allclose(x_bar, 2 * x)
    (into,) = [s for (key, *_), group in g._specialisations.items() if key == "into" for s in group]
    text = into.context.texts["optimized"]
    assert "def squares_grad(x, x_bar):" in text and "np.empty" not in text


@pytest.mark.parametrize("given", ["as returned", "copies of them", "views"])
def test_code_works_in_arrays_that_an_earlier_call_returned(given):
    def product(x, y):
        return np.sum(x * y)

    g = adc.grad(product, (0, 1), mode="compiled")
    x, y = R.normal(size=7), R.normal(size=7)
    returned = g(x, y)
    out = {
        "as returned": returned,
        "copies of them": tuple(a.copy() for a in returned),
        "views": tuple(np.zeros((2, 7))),
    }[given]
    g(x, y, out=out)
    (into,) = [s for (key, *_), group in g._specialisations.items() if key == "into" for s in group]
    run, taken = into.run, []
    into.run = lambda *arguments: taken.append(arguments[2:]) or run(*arguments)
    bars = g(y, x, out=out)
    assert all(a is b for bars_ in (bars, taken[0]) for a, b in zip(bars_, out, strict=True))
    np.testing.assert_array_equal(bars[0], x)


@pytest.mark.parametrize("mode", MODES)
def test_arrays_that_code_cannot_work_in_are_copied_to(mode):
    a = arguments()
    expected = adc.grad(loss, mode="tape")(*a)
    g = adc.grad(loss, mode=mode)
    fortran, strided, single = (
        np.empty((5, 3), order="F"),
        np.empty((10, 6))[::2, ::2],
        np.empty((5, 3), np.float32),
    )
    for out in (fortran, strided, single):
        assert g(*a, out=out) is out
        np.testing.assert_allclose(out, expected, rtol=1e-6 if out is single else 1e-12)
    x = a[0].copy()
    assert g(x, *a[1:], out=x) is x  # in place of the argument itself
    np.testing.assert_allclose(x, expected, rtol=1e-12)


def test_containers_aux_and_results_that_are_views():
    def of_dict(p, x):
        y = p["w"] @ x + p["b"]
        return np.sum(y**2) + p["c"], y

    p = {"w": R.normal(size=(2, 3)), "b": R.normal(size=2), "c": 0.5}
    x = R.normal(size=3)
    out = {"w": np.empty((2, 3)), "b": np.empty(2), "c": 0.0}
    bars, aux = adc.grad(of_dict, has_aux=True, mode="compiled")(p, x, out=out)
    assert bars["w"] is out["w"] and bars["b"] is out["b"] and bars["c"] == 1.0
    np.testing.assert_allclose(aux, p["w"] @ x + p["b"])
    np.testing.assert_allclose(out["w"], np.outer(2 * aux, x))

    def turned(a, b):
        return np.sum(a.T * b) + np.sum(np.broadcast_to(np.sum(a), (3,)))

    a, b = R.normal(size=(2, 3)), R.normal(size=(3, 2))
    found = adc.grad(turned, (0, 1), mode="compiled")(a, b, out=(np.empty((2, 3)), np.empty((3, 2))))
    np.testing.assert_allclose(found[0], b.T + 3.0)
    np.testing.assert_allclose(found[1], a.T)

    def same(a, b):
        return np.sum((a + b) ** 2)

    a, b = R.normal(size=4), R.normal(size=4)
    found = adc.grad(same, (0, 1), mode="compiled")(a, b, out=(np.empty(4), np.empty(4)))
    assert found[0] is not found[1]
    np.testing.assert_allclose(found, [2 * (a + b)] * 2)


def test_one_array_twice_and_a_branch():
    def either(x, flag):
        if flag > 0:
            y = x * 2.0
        else:
            y = np.sin(x)
        return np.sum(y * y)

    x, out = R.normal(size=6), np.empty(6)
    g = adc.grad(either, mode="compiled")
    for flag in (1.0, -1.0):
        np.testing.assert_allclose(g(x, flag, out=out), adc.grad(either, mode="tape")(x, flag), rtol=1e-12)
    a = R.normal(size=3)
    both = adc.grad(lambda a, b: np.sum(a * a * b), (0, 1), mode="python")
    shared = np.empty(3)
    both(a, a + 1.0, out=(shared, shared))
    np.testing.assert_allclose(shared, a * a)  # the last one that is written to it


def test_methods_and_a_parameter_of_that_name():
    class Model:
        w = np.arange(3.0)

        @adc.grad
        def loss(self, x):
            return np.sum(self.w * x**2)

    x, out = R.normal(size=3), np.empty(3)
    assert Model().loss(x, out=out) is out
    np.testing.assert_allclose(out, 2 * Model.w * x)

    def own(x, out=2.0):
        return np.sum(out * x)

    np.testing.assert_allclose(adc.grad(own, mode="python")(x, out=3.0), np.full(3, 3.0))


def test_what_is_refused():
    g = adc.grad(loss, mode="python")
    a = arguments()
    with pytest.raises(adc.ShapeError, match=r"`out` is to be an array of the shape \(5, 3\)"):
        g(*a, out=np.empty((3, 5)))
    with pytest.raises(adc.ShapeError, match="is none"):
        g(*a, out=3.0)
    with pytest.raises(adc.ArgumentError, match="structure"):
        g(*a, out=[np.empty((5, 3))])
    with pytest.raises(adc.ArgumentError, match="cannot be written"):
        g(*a, out=np.empty((5, 3), int))
    kept = np.empty((5, 3))
    kept.flags.writeable = False
    with pytest.raises(adc.ArgumentError, match="read-only"):
        g(*a, out=kept)
    with pytest.raises(adc.ArgumentError, match="hold 2 gradients"):
        adc.grad(loss, (0, 1), mode="python")(*a, out=np.empty((5, 3)))
    with pytest.raises(adc.ArgumentError, match="takes no `out`"):
        adc.hessian(loss)(*a, out=np.empty((5, 3)))


def test_errors_of_the_function_are_its_own():
    def checked(x):
        if x[0] > 0:
            raise RuntimeError("positive")
        return np.sum(x * x)

    g = adc.grad(checked)
    with warnings.catch_warnings(), pytest.raises(RuntimeError, match="positive"):
        warnings.simplefilter("ignore")
        g(np.ones(2), out=np.empty(2))
    np.testing.assert_allclose(g(-np.ones(2), out=np.empty(2)), [-2.0, -2.0])
