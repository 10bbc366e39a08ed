"""`vjp` and `jacobian` agree with differences on results of every form, in every mode."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import adc
from adc.api.phases import phased
from adc.api.pullback import Pulled

MODES = ["compiled", "python", "tape"]
X = np.array([1.0, 2.0, 3.0])


def several(x, a):
    y = x * a
    y[0] = a
    return {"y": y, "s": np.sum(y * y), "n": 3}


@pytest.mark.parametrize("mode", MODES)
def test_vjp_of_a_container(mode):
    value, pull = adc.vjp(several, X, 2.0, mode=mode)
    np.testing.assert_allclose(value["y"], [2.0, 4.0, 6.0])
    assert value["s"] == 56.0 and value["n"] == 3 and pull.mode == mode
    for _ in range(2):  # the pullback may be called again
        gx, ga = pull({"y": np.ones(3), "s": 1.0, "n": 0})
        np.testing.assert_allclose(gx, [0.0, 18.0, 26.0])
        assert ga == 62.0
    gx, ga = pull({"y": np.array([1.0, 0.0, 0.0]), "s": 0.0, "n": 0})
    np.testing.assert_allclose(gx, 0.0)
    assert ga == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_later_writes_do_not_reach_the_pullback(mode):
    x = X.copy()
    _, pull = adc.vjp(lambda x: x * x, x, mode=mode)
    x[:] = 0.0
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)


@pytest.mark.parametrize("mode", MODES)
def test_vjp_with_aux_argnums_and_keywords(mode):
    def f(x, n, scale=1.0):
        return x[:n] * scale, {"n": n}

    value, pull, aux = adc.vjp(f, X, 2, argnums=(0, "scale"), has_aux=True, mode=mode, scale=3.0)
    np.testing.assert_allclose(value, [3.0, 6.0])
    assert aux == {"n": 2}
    gx, gs = pull(np.array([1.0, 10.0]))
    np.testing.assert_allclose(gx, [3.0, 30.0, 0.0])
    assert gs == 21.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bar", [np.ones(2), 1.0, np.ones((3, 1))])
def test_adjoint_of_another_shape(mode, bar):
    _, pull = adc.vjp(lambda x: x * x, X, mode=mode)
    with pytest.raises(ValueError, match="shape"):
        pull(bar)


@pytest.mark.parametrize("mode", MODES)
def test_adjoint_of_another_structure(mode):
    _, pull = adc.vjp(several, X, 2.0, mode=mode)
    with pytest.raises((TypeError, ValueError), match="structure"):
        pull(np.ones(3))


class Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):
        return x * self.scale


def test_vjp_of_a_method():
    for scale in (2.0, 3.0):
        value, pull = adc.vjp(Model(scale).apply, X, mode="compiled")
        np.testing.assert_allclose(value, X * scale)
        np.testing.assert_allclose(pull(np.ones(3))[0], np.full(3, scale))


def test_code_is_generated_once():
    def f(x):
        return x * x

    for _ in range(3):
        adc.vjp(f, X, mode="compiled")
    forward = phased(Pulled, f, (0,), False, "compiled")[0]
    assert sum(map(len, forward._specialisations.values())) == 1
    assert "def f_forward(x):" in forward.source()


def test_wrapper_does_not_inherit_the_code_of_what_it_wraps():
    import functools

    def f(x):
        return x * 2.0

    adc.vjp(f, X)

    @functools.wraps(f)
    def wrapper(x):
        return x * 5.0

    np.testing.assert_allclose(adc.vjp(wrapper, X)[1](np.ones(3))[0], np.full(3, 5.0))


@pytest.mark.parametrize("mode", MODES)
def test_float32(mode):
    value, pull = adc.vjp(lambda x: x * x, X.astype(np.float32), mode=mode)
    (g,) = pull(np.ones(3, np.float32))
    assert value.dtype == g.dtype == np.float32


@pytest.mark.parametrize("mode", MODES)
def test_no_float_in_the_result(mode):
    with pytest.raises(adc.DerivativeError):
        adc.vjp(lambda x: None, X, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_jacobian(mode):
    random = np.random.default_rng(0)
    a = random.normal(size=(2, 3))
    np.testing.assert_allclose(
        adc.jacobian(lambda x: np.sin(a @ x), mode=mode)(X), np.cos(a @ X)[:, None] * a
    )
    np.testing.assert_allclose(adc.jacobian(lambda x: np.sum(x * x), mode=mode)(X), 2 * X)
    dy_dm = adc.jacobian(lambda m: m @ X, mode=mode)(a)
    assert dy_dm.shape == (2, 2, 3)
    np.testing.assert_allclose(dy_dm, np.einsum("ik,j->ikj", np.eye(2), X))


@pytest.mark.parametrize("mode", MODES)
def test_jacobian_of_containers(mode):
    found = adc.jacobian(several, argnums=(0, "a"), mode=mode)(X, 2.0)
    np.testing.assert_allclose(found["y"][0], np.diag([0.0, 2.0, 2.0]))
    np.testing.assert_allclose(found["s"][0], [0.0, 16.0, 24.0])
    np.testing.assert_allclose(found["y"][1], [1.0, 2.0, 3.0])
    assert found["s"][1] == 56.0
    by_tree = adc.jacobian(lambda p: p["w"] * p["b"], mode=mode)({"w": X, "b": 2.0})
    np.testing.assert_allclose(by_tree["w"], 2 * np.eye(3))
    np.testing.assert_allclose(by_tree["b"], X)


def test_jacobian_forms():
    @adc.jacobian(argnums="y", has_aux=True)
    def f(x, y):
        return x * y, "text"

    found, aux = f(X, 2.0)
    np.testing.assert_allclose(found, X)
    assert aux == "text"
    assert adc.jacobian(lambda x: x * x)(np.zeros(0)).shape == (0, 0)
    np.testing.assert_allclose(adc.jacobian(Model(2.0).apply)(X), 2 * np.eye(3))


def test_vjp_falls_back_to_the_tape():
    def f(x):
        class Local:
            exponent = 2

        return x**Local.exponent

    with pytest.warns(adc.FallbackWarning, match="the pull of `f` runs on the tape"):
        value, pull = adc.vjp(f, X)
    np.testing.assert_allclose(value, X * X)
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)
    assert pull.mode == "tape"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adc.vjp(f, X)
