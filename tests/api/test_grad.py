"""`grad` and `value_and_grad` in all forms give the right numbers in the right containers, in every mode."""

from __future__ import annotations

import copy
import dataclasses
import functools
import gc
import math
import pickle
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, signal

import adc

MODES = ["compiled", "python", "tape"]
X = np.array([1.0, 2.0, 3.0])

Pair = namedtuple("Pair", "w b")


@dataclasses.dataclass
class Record:
    w: Any
    b: Any


def loss(w, x, scale=1.0):
    return np.sum((x @ w) ** 2) * scale


@adc.grad
def decorated(x):
    """Sum of squares."""
    return np.sum(x * x)


class Spring:
    """A class whose methods are differentiated where they stand."""

    def __init__(self, stiffness):
        self.stiffness = stiffness

    @adc.grad
    def force(self, x):
        return self.stiffness * np.sum(x * x)

    @adc.hessian
    def curvature(self, x):
        return self.stiffness * np.sum(x * x)

    @adc.checkpoint
    def again(self, x):
        return self.stiffness * x * x

    @adc.custom_vjp
    def ruled(self, x):
        return self.stiffness * x * x

    def _forward(self, x):
        return self.stiffness * x * x, x

    def _backward(x, y_bar):
        return None, 7.0 * x * y_bar

    ruled.defvjp(_forward, _backward)


@adc.checkpoint
def recomputed(x):
    return np.sin(x)


@adc.value_and_grad(argnums=("b", 0), mode="compiled")
def decorated_with_arguments(a, b):
    return a * b * b


def total(tree, x):
    return np.sum(tree["w"] * x) * tree["b"]


@pytest.mark.tiny
@pytest.mark.parametrize("mode", MODES)
def test_call_form(mode):
    g = adc.grad(loss, mode=mode)
    np.testing.assert_allclose(g(X, np.eye(3)), 2 * X)
    assert g.mode == mode


@pytest.mark.tiny
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_a_function_of_numpy_takes_its_own_parameters(mode):
    np.testing.assert_allclose(adc.grad(np.max, mode=mode)(X), [0.0, 0.0, 1.0])
    np.testing.assert_allclose(adc.grad(np.sum, mode=mode)(X, None), np.ones(3))
    np.testing.assert_allclose(adc.grad(np.std, mode=mode)(X, ddof=1), [-0.5, 0.0, 0.5])
    np.testing.assert_allclose(adc.hessian(np.prod, mode=mode)(X), [[0, 3, 2], [3, 0, 1], [2, 1, 0]])
    np.testing.assert_allclose(adc.vjp(np.diff, X, prepend=0.0, mode=mode)[1](np.arange(3.0))[0], [-1, -1, 2])
    turned = adc.vjp(np.rot90, np.ones((2, 3)), axes=(1, 0), mode=mode)[1](np.arange(6.0).reshape(3, 2))[0]
    np.testing.assert_allclose(turned, [[1.0, 3.0, 5.0], [0.0, 2.0, 4.0]])
    second = adc.grad(lambda x: adc.grad(math.log, mode=mode)(x) + adc.vjp(math.hypot, x, 1.0)[0], mode=mode)
    np.testing.assert_allclose(second(2.0), -0.25 + 2.0 / np.sqrt(5.0))
    widened = adc.grad(lambda x, order: ndimage.zoom(x, 2.0, order=order).sum(), mode=mode)(X, 1)
    np.testing.assert_allclose(widened, [1.8, 2.4, 1.8])
    assert adc.vjp(signal.freqz, X, worN=5, mode=mode)[0][1].shape == (5,)
    columns = adc.jacobian(np.mean, mode=mode)(np.ones((2, 3)), 0, keepdims=True)
    np.testing.assert_allclose(columns, np.full((1, 3, 2, 3), 0.5) * np.eye(3)[:, None])


@pytest.mark.tiny
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_a_method_of_a_distribution(mode):
    stats = pytest.importorskip("scipy.stats")
    assert adc.grad(stats.norm.logpdf, mode=mode)(0.5) == -0.5
    np.testing.assert_allclose(adc.grad(stats.norm.logpdf, 1, mode=mode)(0.5, 1.0, scale=2.0), -0.125)
    np.testing.assert_allclose(adc.grad(stats.norm(1.0, 2.0).logpdf, mode=mode)(0.5), 0.125)


@pytest.mark.tiny
def test_decorator_forms():
    np.testing.assert_allclose(decorated(X), 2 * X)
    assert decorated.__name__ == "decorated" and decorated.__doc__ == "Sum of squares."
    value, (db, da) = decorated_with_arguments(2.0, 3.0)
    assert (value, db, da) == (18.0, 12.0, 9.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("argnums", [2, -1, "scale", (0, "scale"), (-1, 1)])
def test_argnums(mode, argnums):
    a = X, np.eye(3), 2.0
    full = [4 * X, 4 * np.outer(X, X), 14.0]
    which = {2: 2, -1: 2, "scale": 2, 0: 0, 1: 1}
    found = adc.grad(loss, argnums, mode=mode)(*a)
    if isinstance(argnums, tuple):
        assert isinstance(found, tuple)
        for g, k in zip(found, argnums, strict=False):
            np.testing.assert_allclose(g, full[which[k]])
    else:
        np.testing.assert_allclose(found, full[which[argnums]])


@pytest.mark.parametrize("mode", MODES)
def test_keyword_and_default_arguments(mode):
    g = adc.grad(loss, argnums="scale", mode=mode)
    assert g(X, np.eye(3)) == 14.0
    assert g(x=np.eye(3), w=X) == 14.0
    assert g(X, x=np.eye(3), scale=5.0) == 14.0
    with pytest.raises(TypeError, match=r"^loss\(.*: missing a required argument"):
        g(X)
    with pytest.raises(TypeError, match="unexpected keyword"):
        g(X, np.eye(3), other=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'xs'"):
        g(X, xs=np.eye(3))
    with pytest.raises(TypeError, match="multiple values"):
        g(X, np.eye(3), w=X)


@pytest.mark.parametrize("mode", MODES)
def test_star_arguments(mode):
    def f(*xs, **named):
        return xs[0] * xs[1] + named["a"] * 2.0

    g = adc.grad(f, argnums=(0, 1, "a"), mode=mode)
    assert g(2.0, 3.0, a=5.0) == (3.0, 2.0, 2.0)
    assert g(4.0, 3.0, a=5.0) == (3.0, 4.0, 2.0)


@pytest.mark.parametrize("mode", MODES)
def test_containers(mode):
    x = X
    value, g = adc.value_and_grad(total, mode=mode)({"w": X, "b": 2.0}, x)
    assert set(g) == {"w", "b"} and value == 28.0
    np.testing.assert_allclose(g["w"], 2 * x)
    assert g["b"] == 14.0

    def weighted(p):
        return np.sum(p[0] * X) * p[1]

    for made in ((X, 2.0), [X, 2.0]):
        g = adc.grad(weighted, mode=mode)(made)
        assert type(g) is type(made)
        np.testing.assert_allclose(g[0], 2 * X)
        assert g[1] == 14.0

    def attributes(p):
        return np.sum(p.w * X) * p.b

    for made in (Pair(X, 2.0), Record(X, 2.0)):
        g = adc.grad(attributes, mode=mode)(made)
        assert type(g) is type(made)
        np.testing.assert_allclose(g.w, 2 * X)
        assert g.b == 14.0


@pytest.mark.parametrize("mode", MODES)
def test_nested_containers_and_several_arguments(mode):
    def f(layers, shift):
        h = X
        for layer in layers:
            h = np.tanh(h * layer["w"] + layer["b"])
        return np.sum(h) + shift[0] * shift[1][0]

    layers = [{"w": np.ones(3), "b": 0.5}, {"w": np.full(3, 0.1), "b": -0.5}]
    g, h = adc.grad(f, (0, 1), mode=mode)(layers, (2.0, [3.0]))
    assert h == (3.0, [2.0])
    assert len(g) == 2 and g[0]["w"].shape == (3,)
    adc.check_grads(f, (layers, (2.0, [3.0])), mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_has_aux(mode):
    def f(x):
        y = x * 2.0
        y[0] = 7.0
        return np.sum(y * x), {"y": y, "n": 3, "half": np.float32(0.5)}

    (value, aux), g = adc.value_and_grad(f, has_aux=True, mode=mode)(X)
    expected, expected_aux = f(X)
    assert value == expected and aux["n"] == 3 and aux["half"] == 0.5
    # The reverse sweep has not undone the write in it.
    np.testing.assert_allclose(aux["y"], expected_aux["y"])
    np.testing.assert_allclose(g, [7.0, 8.0, 12.0])
    g, aux = adc.grad(f, has_aux=True, mode=mode)(X)
    np.testing.assert_allclose(aux["y"], expected_aux["y"])


@pytest.mark.parametrize("mode", MODES)
def test_static_arguments(mode):
    def f(x, kind, power=2, flag=True, function=np.sin):
        y = x**power if flag else x
        return np.sum(function(y)) if kind == "sum" else np.mean(y)

    g = adc.grad(f, mode=mode)
    np.testing.assert_allclose(g(X, "sum"), np.cos(X**2) * 2 * X)
    np.testing.assert_allclose(g(X, "mean"), 2 * X / 3)
    np.testing.assert_allclose(g(X, "mean", 3), X**2)
    np.testing.assert_allclose(g(X, "mean", flag=False), np.full(3, 1 / 3))
    np.testing.assert_allclose(g(X, "sum", flag=False, function=np.exp), np.exp(X))


def test_static_tuple_is_a_shape():
    def f(x, shape):
        return np.sum(np.reshape(x, shape)[0])

    g = adc.grad(f, mode="compiled")
    np.testing.assert_allclose(g(np.arange(6.0), (2, 3)), [1, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(g(np.arange(6.0), (3, 2)), [1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("mode", MODES)
def test_float32_stays_float32(mode):
    x = np.ones(3, np.float32)
    value, g = adc.value_and_grad(lambda a: np.sum(a * a), mode=mode)(x)
    assert g.dtype == np.float32 and value.dtype == np.float32
    value, g = adc.value_and_grad(lambda a: a * a, mode=mode)(np.float32(3.0))
    assert type(g) is np.float32 and type(value) is np.float32 and g == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_numbers(mode):
    g = adc.grad(lambda x: x * x, mode=mode)
    assert g(3) == 6.0 and isinstance(g(3), float)
    assert g(np.array(2.0)) == 4.0
    assert g(np.float64(2.0)) == 4.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(12.0).reshape(3, 4),
        lambda: np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        lambda: np.arange(24.0).reshape(6, 4)[::2],
        lambda: np.arange(12.0).reshape(4, 3).T,
        lambda: np.ones((1, 4)),
        lambda: np.ones((0, 4)),
        lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    ],
)
def test_layouts_and_sizes(mode, make):
    a = make()
    g = adc.grad(lambda x: np.sum(x * x * 3.0), mode=mode)(a)
    assert g.shape == a.shape and g.flags.writeable
    np.testing.assert_allclose(g, 6 * a)


class Model:
    def __init__(self):
        self.scale = 2.0
        self.weights = np.ones(3)

    @adc.grad
    def loss(self, w):
        return np.sum(w * w * self.weights) * self.scale

    def plain(self, w, b=1.0):
        return np.sum(w * w * self.weights) * b

    @staticmethod
    @adc.grad
    def static(w):
        return np.sum(w * w)

    def __call__(self, w):
        return np.sum(w * w * w)


@pytest.mark.parametrize("repeat", range(2))
def test_methods(repeat):
    model = Model()
    np.testing.assert_allclose(model.loss(X), 4 * X)
    model.scale, model.weights = 3.0, np.full(3, 2.0)
    np.testing.assert_allclose(model.loss(X), 12 * X)
    assert "loss_grad" in model.loss.source(X)
    np.testing.assert_allclose(Model.static(X), 2 * X)
    gw, gb = adc.grad(model.plain, argnums=(0, "b"))(X)
    np.testing.assert_allclose(gw, 4 * X)
    assert gb == 28.0
    np.testing.assert_allclose(adc.grad(model)(X), 3 * X * X)


@dataclasses.dataclass
class Beam:
    stiffness: float
    load: Any

    def energy(self):
        return self.stiffness * np.sum(self.load**2)

    @adc.grad
    def slope(self):
        return self.stiffness * np.sum(self.load**2)

    def scaled(self, x, y=1.0):
        return self.stiffness * np.sum(self.load * x) * y


@pytest.mark.parametrize("mode", MODES)
def test_methods_with_respect_to_their_instance(mode):
    """`self` goes by its name, and is meant where a method takes nothing else."""
    beam = Beam(2.0, X)
    for found in adc.grad(Beam.energy, mode=mode)(beam), beam.slope():
        assert found.stiffness == 14.0
        np.testing.assert_allclose(found.load, 4 * X)
    by_self, by_y = adc.grad(Beam.scaled, argnums=("self", 1), mode=mode)(beam, X, 3.0)
    assert (by_self.stiffness, by_y) == (42.0, 28.0)
    np.testing.assert_allclose(adc.jacobian(Beam.energy, mode=mode)(beam).load, 4 * X)
    with pytest.raises(adc.ArgumentError, match=r"Its arguments are: x, y\. `self` is not counted"):
        adc.grad(Beam.scaled, argnums=2, mode=mode)
    with pytest.raises(adc.ArgumentError, match="argnums='self' is no argument"):
        adc.grad(beam.scaled, argnums="self", mode=mode)


def test_partial():
    np.testing.assert_allclose(adc.grad(functools.partial(loss, X))(np.eye(3)), 2 * np.outer(X, X))
    np.testing.assert_allclose(adc.grad(functools.partial(loss, scale=2.0))(X, np.eye(3)), 4 * X)


def test_callers_arrays_are_not_changed():
    def f(x, y):
        x[0] = 5.0
        y[:] = y * x
        return np.sum(x * y)

    x, y = X.copy(), X.copy()
    for mode in MODES:
        gx, gy = adc.grad(f, (0, 1), mode=mode)(x, y)
        np.testing.assert_allclose(gx, [0.0, 2 * 2 * 2, 2 * 3 * 3])
        np.testing.assert_allclose(gy, [25.0, 4.0, 9.0])
        np.testing.assert_array_equal(x, X)
        np.testing.assert_array_equal(y, X)


def test_arguments_that_share_memory():
    def f(x, y):
        x[0] = 5.0
        return np.sum(x * y)

    x = X.copy()
    g = adc.grad(f, mode="compiled")
    with pytest.raises(adc.ArgumentError, match="may share memory"):
        g(x, x)
    with pytest.raises(adc.ArgumentError, match="may share memory"):
        g(x[:2], x[1:])
    np.testing.assert_allclose(g(x, x.copy()), [0.0, 2.0, 3.0])
    reads_only = adc.grad(lambda x, y: np.sum(x * y), mode="compiled")
    np.testing.assert_allclose(reads_only(x, x), x)


@pytest.mark.parametrize("mode", MODES)
def test_an_argument_that_overlaps_itself(mode):
    def f(x):
        x[0] = x[1] * 2
        return np.sum(x**2)

    windows = np.lib.stride_tricks.as_strided(np.arange(8.0), (3, 3), (8, 8))
    with pytest.raises(adc.ArgumentError, match="elements of the argument `x` share memory"):
        adc.grad(f, mode=mode)(windows)
    table = np.arange(24.0).reshape(4, 6)[::2, ::-2]
    np.testing.assert_allclose(adc.grad(f, mode=mode)(table)[1], 10 * table[1])
    reads_only = adc.grad(lambda x: np.sum(x**2), mode=mode)
    np.testing.assert_allclose(reads_only(windows), 2 * windows)


def test_gradient_is_the_callers_own():
    g = adc.grad(lambda x, y: np.sum(x * y), argnums=(0, 1), mode="compiled")
    x, y = X.copy(), X.copy()
    gx, _ = g(x, y)
    gx[:] = 0.0
    np.testing.assert_array_equal(y, X)


def test_pickle():
    assert pickle.loads(pickle.dumps(adc.grad(loss)))(X, np.eye(3)).shape == (3,)
    partial = functools.partial(loss, x=np.eye(3))
    assert np.array_equal(pickle.loads(pickle.dumps(adc.grad(partial)))(X), adc.grad(partial)(X))
    assert pickle.loads(pickle.dumps(adc.hessian(partial)))(X).shape == (3, 3)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_pickle_of_methods_and_rules(copied):
    """Workers of a pool get these: an error on the way there would stop them, and the program would wait for ever."""
    spring = Spring(2.0)
    np.testing.assert_array_equal(copied(spring.force)(X), 4.0 * X)
    np.testing.assert_array_equal(copied(spring.curvature)(X), 4.0 * np.eye(3))
    assert copied(recomputed) is recomputed
    assert adc.grad(copied(adc.checkpoint(math.sqrt)), mode="tape")(4.0) == 0.25
    for of_all in spring.again, spring.ruled:
        bound = copied(of_all)
        np.testing.assert_array_equal(bound(X), 2.0 * X * X)
        factor = 4.0 if of_all.func is Spring.again else 7.0
        grad = adc.grad(lambda x, bound=bound: np.sum(bound(x)), mode="tape")
        np.testing.assert_array_equal(grad(X), factor * X)


def test_scipy_takes_value_and_grad():
    optimize = pytest.importorskip("scipy.optimize")

    @adc.value_and_grad
    def rosenbrock(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    found = optimize.minimize(rosenbrock, np.zeros(4), jac=True, method="L-BFGS-B")
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_a_dict_has_its_order(mode):
    parameters = {"w": X, "b": 2.0, "a": 1.0}
    g = adc.grad(lambda p: np.sum(p["w"]) * p["b"] * p["a"], mode=mode)(parameters)
    assert list(g) == ["w", "b", "a"]  # zip(parameters.values(), g.values()) pairs what belongs together


def test_arguments_that_share_memory_where_nobody_reads_what_was_written():
    def f(x, y):
        x[0] = 5.0
        return np.sum(y * y)

    x = X.copy()
    for mode in ("compiled", "python"):
        with pytest.raises(adc.ArgumentError, match="may share memory"):
            adc.grad(f, 1, mode=mode)(x, x)


@functools.lru_cache
def remembered(t):
    return t**3


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_function_that_remembers_its_results(mode):
    assert adc.grad(remembered, mode=mode)(2.0) == 12.0
    assert adc.grad(adc.grad(remembered, mode=mode), mode=mode)(2.0) == 12.0


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_aux_under_a_second_name(mode):
    """What a loop names again is as the function left it, though the reverse sweep undoes the writes to it."""

    def function(x):
        z = np.cos(x)
        y = x.copy()
        for _ in range(2):
            y[:] = np.sin(z)
            z = y
        return np.sum(z * x), z

    x = np.array([0.3, -1.2, 2.0])
    (value, z), _ = adc.value_and_grad(function, has_aux=True, mode=mode)(x)
    np.testing.assert_allclose(z, function(x)[1], rtol=1e-12)
    np.testing.assert_allclose(value, function(x)[0], rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_what_a_function_closes_over_goes_with_its_derivative(mode):
    def used_once():
        batch = np.ones(3)

        def of_batch(x):
            return np.sum(batch * x)

        adc.grad(of_batch, mode=mode)(X)
        return weakref.ref(batch)

    batch = used_once()
    gc.collect()
    assert batch() is None


@dataclasses.dataclass
class Mesh:
    points: int
    length: float = 2.0

    def __post_init__(self):
        self.step = self.length / self.points
        self.at = np.linspace(0.0, self.length, self.points)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_attributes_of_a_dataclass_that_are_no_fields(mode):
    def energy(theta, mesh):
        return np.sum(theta * mesh.at**2) * mesh.step

    theta, mesh = np.array([0.5, -1.0, 2.0]), Mesh(3)
    g = adc.grad(energy, mode=mode)
    np.testing.assert_allclose(g(theta, mesh), mesh.at**2 * mesh.step)
    mesh.step = 5.0
    np.testing.assert_allclose(g(theta, mesh), mesh.at**2 * 5.0)
    np.testing.assert_allclose(adc.hessian(energy, mode=mode)(theta, mesh), np.zeros((3, 3)))


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_attributes_that_are_no_fields_where_the_gradient_is_with_respect_to_them(mode):
    def energy(mesh):
        return mesh.length * mesh.step

    with pytest.raises(adc.UnsupportedError, match="a `Mesh` has no attribute `step` here") as caught:
        adc.grad(energy, mode=mode)(Mesh(3))
    assert "Make it a property" in str(caught.value)


def in_the_order_of_keys(p):
    return sum((k + 1) * v for k, v in enumerate(p.values()))


def of_many(ps):
    return sum((k + 1) * in_the_order_of_keys(p) for k, p in enumerate(ps))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_dict_has_its_own_order_in_each_call(mode):
    derivative = adc.value_and_grad(in_the_order_of_keys, mode=mode)
    for p in ({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}, {"a": 1.0, "b": 2.0}):
        value, bar = derivative(p)
        assert value == in_the_order_of_keys(p)
        assert list(bar.items()) == [(key, float(k + 1)) for k, key in enumerate(p)]


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_dicts_in_a_list_have_each_its_own_order(mode):
    derivative = adc.value_and_grad(of_many, mode=mode)
    one, other = {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}
    for ps in ([one] * 9, [other] * 9, [one, other] * 5):
        ps = [dict(p) for p in ps]
        value, bars = derivative(ps)
        assert value == of_many(ps)
        assert [list(bar) for bar in bars] == [list(p) for p in ps]


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_second_derivatives_of_the_absolute_value_at_zero_are_zero(mode):
    def length(a):
        z = a[:1] + 1j * a[1:]
        return np.sum(np.abs(z))

    assert not adc.hessian(length, mode=mode)(np.zeros(2)).any()
    np.testing.assert_allclose(
        adc.hessian(length, mode=mode)(np.array([3.0, 4.0])), [[0.128, -0.096], [-0.096, 0.072]]
    )
