"""`vjp` and `jacobian` agree with differences on results of every form, in every mode."""

from __future__ import annotations

import dataclasses
import functools
import warnings

import numpy as np
import pytest

import adc
from adc import pytree
from adc.api.how import how
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


class Held:
    weights = np.array([1.0, 2.0, 3.0])


FACTORS = np.array([2.0, 3.0, 4.0])
ROWS = [np.array([2.0, 3.0, 4.0])]
READ_FROM_OUTSIDE = {
    "a global": (FACTORS, lambda x: np.sin(x) * FACTORS),
    "windows of one": (FACTORS, lambda x: x * FACTORS[::-1] + FACTORS * FACTORS * x**2),
    "an attribute": (Held.weights, lambda x: np.cos(x) * Held.weights),
    "an item": (ROWS[0], lambda x: np.exp(x * ROWS[0])),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", READ_FROM_OUTSIDE)
def test_later_writes_to_arrays_from_outside_do_not_reach_the_map(what, mode):
    outside, function = READ_FROM_OUTSIDE[what]
    before = outside.copy()
    bar = np.array([1.0, 0.5, 2.0])
    _, pull = adc.vjp(function, X, mode=mode)
    _, push = adc.linearize(function, X, mode=mode)
    pulled, pushed = pull(bar)[0], push(bar)
    _, pull = adc.vjp(function, X, mode=mode)
    _, push = adc.linearize(function, X, mode=mode)
    outside[:] = -7.0
    try:
        np.testing.assert_array_equal(pull(bar)[0], pulled)
        np.testing.assert_array_equal(push(bar), pushed)
    finally:
        outside[:] = before


def overwritten(x, y):
    x[0] = 5.0
    return np.sum(x * y)


OUTSIDE = np.array([1.0, 2.0, 3.0])


def overwritten_beside_a_global(x):
    x[0] = 5.0
    return np.sum(x * OUTSIDE)


SHARED = {
    "value_and_grad": lambda x, y, mode: adc.value_and_grad(overwritten, argnums=(0, 1), mode=mode)(x, y),
    "second": lambda x, y, mode: adc.grad(overwritten, argnums=1, mode=mode)(x, y),
    "vjp": lambda x, y, mode: adc.vjp(overwritten, x, y, mode=mode),
    "jvp": lambda x, y, mode: adc.jvp(overwritten, (x, y), (x, y), mode=mode),
    "linearize": lambda x, y, mode: adc.linearize(overwritten, x, y, mode=mode)[1](x, y),
    "jacrev": lambda x, y, mode: adc.jacrev(overwritten, mode=mode)(x, y),
    "hessian": lambda x, y, mode: adc.hessian(overwritten, mode=mode)(x, y),
    "in containers": lambda x, y, mode: adc.grad(lambda p: overwritten(*p), mode=mode)([x, y]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("other", [lambda x: x, lambda x: x[::-1], lambda x: x[:]])
@pytest.mark.parametrize("transform", SHARED)
def test_arguments_in_the_same_memory(transform, other, mode):
    x = X.copy()
    with pytest.raises(adc.ArgumentError, match="may share memory, and the function writes to"):
        SHARED[transform](x, other(x), mode)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_in_the_same_memory_that_are_read(mode):
    grad = adc.grad(lambda x, y: np.sum(x * y[::-1]), argnums=(0, 1), mode=mode)
    for found in (grad(X, X), adc.vjp(lambda x, y: np.sum(x * y[::-1]), X, X, mode=mode)[1](1.0)):
        np.testing.assert_array_equal(found, [X[::-1], X[::-1]])


@pytest.mark.parametrize("mode", MODES)
def test_a_direction_in_the_memory_of_an_argument(mode):
    y = X[::-1].copy()
    found = adc.jvp(overwritten, (X, y), (X, X), mode=mode)[1]
    assert found == adc.jvp(overwritten, (X, y), (X.copy(), X.copy()), mode=mode)[1]


@pytest.mark.parametrize("mode", MODES)
def test_an_argument_in_the_memory_of_a_global(mode):
    with pytest.raises(adc.ArgumentError, match=r"`x` and .* may share memory"):
        adc.grad(overwritten_beside_a_global, mode=mode)(OUTSIDE)
    np.testing.assert_array_equal(adc.grad(overwritten_beside_a_global, mode=mode)(X), [0.0, 2.0, 3.0])


LAYOUTS = {
    "by columns": lambda: np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
    "transposed": lambda: np.arange(1.0, 5.0).reshape(2, 2).T,
    "backwards": lambda: np.array([[1.0, 2.0], [3.0, 4.0]])[::-1],
    "every second column": lambda: np.arange(1.0, 9.0).reshape(2, 4)[:, ::2],
    "every second row": lambda: np.arange(1.0, 9.0).reshape(4, 2)[::2],
}


def through_reshape(x):
    r = x.reshape(-1)
    r[0] = 5.0 * r[1]
    return x * 1.0


def through_ravel(x):
    r = np.ravel(x)
    r[0] = 5.0 * r[1]
    return x * 1.0


def through_method(x):
    r = x.ravel()
    r[0] = 5.0 * r[1]
    return x * 1.0


TRANSFORMS = {
    "vjp": lambda f, x, mode: adc.vjp(f, x, mode=mode)[1](np.ones((2, 2)))[0],
    "jvp": lambda f, x, mode: adc.jvp(f, (x,), (np.ones((2, 2)),), mode=mode)[1],
    "linearize": lambda f, x, mode: adc.linearize(f, x, mode=mode)[1](np.ones((2, 2))),
    "jacrev": lambda f, x, mode: adc.jacrev(f, mode=mode)(x),
    "jacfwd": lambda f, x, mode: adc.jacfwd(f, mode=mode)(x),
    "value_and_grad": lambda f, x, mode: adc.value_and_grad(lambda x: np.sum(f(x)), mode=mode)(x),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [through_reshape, through_ravel, through_method])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_whether_a_reshape_is_a_view(transform, layout, function, mode):
    plain = LAYOUTS[layout]()
    kept = plain.copy()
    is_view = not np.array_equal(function(plain), kept)
    x = LAYOUTS[layout]()
    if mode != "tape":  # generated code does not know how an array lies
        with pytest.raises(adc.UnsupportedError, match="may be a view or a copy"):
            TRANSFORMS[transform](function, x, mode)
        return
    found = TRANSFORMS[transform](function, x, mode)
    expected = np.array([[0.0, 1.0], [1.0, 1.0]]) if is_view else np.ones((2, 2))
    pulled = np.array([[0.0, 6.0], [1.0, 1.0]]) if is_view else np.ones((2, 2))
    pushed = np.array([[5.0, 1.0], [1.0, 1.0]]) if is_view else np.ones((2, 2))
    if transform in ("jacrev", "jacfwd"):
        np.testing.assert_array_equal(np.diag(found.reshape(4, 4)).reshape(2, 2), expected)
    elif transform == "value_and_grad":
        assert found[0] == np.sum(plain if is_view else kept)
        np.testing.assert_array_equal(found[1], pulled)
    else:
        np.testing.assert_array_equal(found, pulled if transform == "vjp" else pushed)
    np.testing.assert_array_equal(x, kept)


def rotated(x):
    x[0] = x[1] * x[2]
    return x


RESULTS = {
    "exp": np.exp,
    "tanh": np.tanh,
    "its argument": lambda x: x,
    "its argument, changed": rotated,
    "a view": lambda x: np.exp(x)[::-1],
    "containers": lambda x: (np.exp(x), [np.exp(x)[:2], {"x": x}]),
    "linear": lambda x: 2.0 * x,
    "beside zeros": lambda x: (x * x, np.zeros(3)),
}


def scribble(tree):
    for leaf in pytree.leaves(tree):
        leaf[...] = 100.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("has_aux", [False, True])
@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("transform", [adc.vjp, adc.linearize])
def test_writes_to_what_was_given_do_not_reach_the_map(transform, function, has_aux, mode):
    def with_aux(x):
        y = function(x)
        return y, y

    x = X / 10.0
    value, run, *aux = transform(with_aux if has_aux else function, x, has_aux=has_aux, mode=mode)
    direction = pytree.map_structure(np.ones_like, value) if transform is adc.vjp else np.ones(3)
    expected = pytree.map_structure(np.copy, run(direction))
    scribble((value, *aux, x))
    first = run(direction)
    pytree.map_structure(np.testing.assert_allclose, first, expected)
    scribble(first)
    assert all(np.all(leaf == 1.0) for leaf in pytree.leaves(direction))
    pytree.map_structure(np.testing.assert_allclose, run(direction), expected)


def test_the_tape_keeps_copies_of_its_arguments():
    x = X.copy()
    _, pull = adc.tape.vjp(lambda x: x * x, x)
    x[:] = 0.0
    np.testing.assert_array_equal(pull(np.ones(3))[0], 2.0 * X)


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_of_zeros_belongs_to_the_caller(mode):
    _, pull = adc.vjp(lambda x, y: np.sum(x), X, X, mode=mode)
    scribble(pull(1.0))
    np.testing.assert_array_equal(pull(1.0), [np.ones(3), np.zeros(3)])


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
    forward = phased(Pulled, f, (0,), False, how("compiled"))[0]
    assert sum(map(len, forward._specialisations.values())) == 1
    assert "def f_forward(x):" in forward.source()


def test_wrapper_does_not_inherit_the_code_of_what_it_wraps():
    def f(x):
        return x * 2.0

    adc.vjp(f, X)

    @functools.wraps(f)
    def wrapper(x):
        return x * 5.0

    np.testing.assert_allclose(adc.vjp(wrapper, X)[1](np.ones(3))[0], np.full(3, 5.0))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_made_of_a_custom_rule_keeps_it(mode):
    @adc.custom_jvp
    def f(x):
        return np.sin(x)

    @f.defjvp
    def f_push(primals, tangents):
        return f(*primals), 7.0 * tangents[0]

    @functools.wraps(f)
    def named_like_it(x):
        return x * f(x)

    slope = adc.grad(f)

    @functools.wraps(slope)
    def named_like_a_slope(x):
        return x * slope(x)

    assert adc.grad(adc.checkpoint(f), mode=mode)(0.3) == 7.0
    assert adc.grad(named_like_it, mode=mode)(0.3) == pytest.approx(np.sin(0.3) + 0.3 * 7.0)
    assert adc.grad(named_like_a_slope, mode=mode)(0.3) == 7.0


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
    calls = set()

    def f(x):
        calls.add("called")
        return x**2

    with pytest.warns(adc.FallbackWarning, match="the pull of `f` runs on the tape"):
        value, pull = adc.vjp(f, X)
    np.testing.assert_allclose(value, X * X)
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)
    assert pull.mode == "tape"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adc.vjp(f, X)


def test_a_map_of_the_tape_in_generated_code():
    """It is refused where the user calls it, and by its name."""
    pull = adc.vjp(np.sin, X, mode="tape")[1]
    push = adc.linearize(np.sin, X, mode="tape")[1]

    def pulled(v):
        return np.sum(pull(v)[0])

    def pushed(v):
        return np.sum(push(v))

    for f in (pulled, pushed):
        with pytest.raises(adc.UnsupportedError, match="a point that the tape has recorded") as caught:
            adc.grad(f, mode="python")(X)
        assert f"test_vjp.py:{f.__code__.co_firstlineno + 1}:" in str(caught.value)
        with pytest.warns(adc.FallbackWarning, match="a point that the tape has recorded"):
            np.testing.assert_allclose(adc.grad(f)(X), np.cos(X))
    with pytest.raises(adc.ShapeError, match="the tangent has shape"):
        push(np.ones(2))


@dataclasses.dataclass
class Product:
    w: np.ndarray
    x: np.ndarray

    def applied(self):
        return self.w @ self.x


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_a_dataclass_as_an_argument(mode):
    """The class itself, which is no container of its fields."""

    def f(kind, w, x):
        return np.sum(kind(w, x).applied())

    w = np.array([[1.0, 2.0, 0.5]])
    np.testing.assert_allclose(adc.grad(f, argnums=2, mode=mode)(Product, w, X), w[0])


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_float_as_adjoint_of_double_precision_is_no_number_of_single_precision(mode):
    """In NumPy Python's 0.1 takes the precision of what it meets; the adjoint of a float64 has its own."""
    x, y = np.array([0.5, 1.5]), np.array([0.6, 1.6], np.float32)
    x_bar, y_bar = adc.vjp(np.dot, x, y, argnums=(0, 1), mode=mode)[1](0.1)
    assert (x_bar.dtype, y_bar.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(x_bar, 0.1 * y.astype(float), rtol=1e-14)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_directions_of_whole_numbers(mode):
    def cubes(p):
        return np.sum(p["w"] ** 3) * p["b"]

    x, p = np.array([1.0, 2.0]), {"w": np.array([1.0, 2.0]), "b": 2.0}
    assert adc.jvp(cubes, (p,), ({"w": np.array([1, 0]), "b": 1},), mode=mode)[1] == 15.0
    assert list(adc.hvp(lambda x: np.sum(x**3), x, np.array([1, 0]), mode=mode)) == [6.0, 0.0]
    assert adc.jvp(lambda x: x**3, (2.0,), (np.int64(1),), mode=mode)[1] == 12.0
    found = adc.jvp(np.sin, (x.astype(np.float32),), (np.array([True, False]),), mode=mode)[1]
    assert found.dtype == np.float32
