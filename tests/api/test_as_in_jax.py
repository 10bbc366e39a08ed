"""What users of JAX expect of arguments, containers and rules, or an error that names them."""

import warnings
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import adc

X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "transform", [adc.grad, adc.value_and_grad, adc.jacobian, adc.jacfwd, adc.jacrev, adc.hessian]
)
@pytest.mark.parametrize("argnums", [(), []])
def test_no_argnums(transform, argnums):
    with pytest.raises(adc.ArgumentError, match="names no argument"):
        transform(lambda x: x * x, argnums=argnums)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("empty", [{}, (), []])
def test_argument_without_leaves(empty, mode):
    def f(p, x):
        return x * x

    assert adc.grad(f, argnums=(0, 1), mode=mode)(empty, 2.0) == (empty, 4.0)
    assert adc.vjp(f, empty, 2.0, mode=mode)[1](1.0) == (empty, 4.0)
    assert adc.jvp(f, (empty, 2.0), (empty, 1.0), mode=mode) == (4.0, 4.0)
    with pytest.raises(adc.ArgumentError, match="holds nothing, and a gradient is wanted"):
        adc.grad(f, mode=mode)(empty, 2.0)


def test_no_gradient_with_respect_to_none():
    with pytest.raises(adc.ArgumentError, match="gradient is wanted with respect to it"):
        adc.grad(lambda p, x: x * 1.0, argnums=(0, 1))(None, 2.0)


def test_containers_with_empty_parts():
    def f(p):
        return p["w"] * 2.0 + np.sum(p["none"]["b"] ** 2)

    found = adc.grad(f)({"w": 3.0, "none": {"a": None, "b": np.zeros(0)}, "list": []})
    assert found["w"] == 2.0 and found["none"]["a"] is None and found["list"] == []
    assert found["none"]["b"].shape == (0,)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("jacobian", [adc.jacobian, adc.jacfwd, adc.jacrev])
def test_results_and_arguments_of_size_zero(jacobian, mode):
    assert jacobian(lambda x: x[:0] * 2.0, mode=mode)(X).shape == (0, 3)
    assert jacobian(lambda x: x * 2.0, mode=mode)(np.zeros(0)).shape == (0, 0)


@pytest.mark.parametrize("mode", ["auto", "compiled", "tape"])
def test_batches_that_are_none(mode):
    with pytest.raises(adc.ArgumentError, match="axis 0 of `x`, which has no axes"):
        adc.vmap(lambda x: x * 2.0, mode=mode)(3.0)
    with pytest.raises(adc.ArgumentError, match="axis 2 of `x`, which has 2 axes"):
        adc.vmap(lambda x: x * 2.0, in_axes=2, mode=mode)(np.ones((2, 3)))
    with pytest.raises(adc.ArgumentError, match="in_axes has 1 entries, and the call 2 arguments"):
        adc.vmap(lambda x, y: x * y, in_axes=(0,), mode=mode)(X, X)


@pytest.mark.parametrize("mode", ["auto", "compiled", "python", "tape"])
def test_rule_with_too_many_adjoints(mode):
    @adc.custom_vjp
    def f(x):
        return np.sum(x * x)

    f.defvjp(lambda x: (f(x), x), lambda x, bar: (bar * x, bar))
    with warnings.catch_warnings(), pytest.raises(adc.AdcError, match="differentiable arguments"):
        warnings.simplefilter("ignore", adc.FallbackWarning)
        adc.grad(f, mode=mode)(X)


def test_rule_inside_derivatives_of_derivatives():
    @adc.custom_jvp
    def f(x, y):
        return x * y

    @f.defjvp
    def f_jvp(primals, tangents):
        x, y = primals
        return f(x, y), 10.0 * y * tangents[0] + x * tangents[1]

    assert adc.grad(f, argnums=(0, 1))(2.0, 3.0) == (30.0, 2.0)
    assert adc.grad(lambda x: adc.grad(f)(x, x))(2.0) == 10.0
    np.testing.assert_allclose(adc.vmap(adc.grad(f), in_axes=(0, None))(X, 3.0), np.full(3, 30.0))


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_ordered_and_defaulting_dicts_are_containers(mode):
    def f(p):
        return sum((k + 1) * value**2 for k, value in enumerate(p.values()))

    found = adc.grad(f, mode=mode)(OrderedDict(b=2.0, a=3.0))
    assert type(found) is OrderedDict and list(found.items()) == [("b", 4.0), ("a", 12.0)]
    found = adc.grad(f, mode=mode)(defaultdict(float, b=2.0, a=3.0))
    assert type(found) is defaultdict and list(found.items()) == [("b", 4.0), ("a", 12.0)]
    assert found["c"] == 0.0


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_ordered_and_defaulting_dicts_are_results(mode):
    def f(x):
        parts = defaultdict(list)
        parts["squares"].append(x * x)
        return OrderedDict(z=[x, parts], a=np.sin(x))

    value, slope = adc.jvp(f, (2.0,), (1.0,), mode=mode)
    assert type(value) is OrderedDict and list(value) == ["z", "a"]
    assert type(value["z"][1]) is defaultdict and value["z"][1]["new"] == []
    assert slope["z"][1]["squares"] == [4.0]
    found = adc.vmap(f, mode=mode)(X)
    np.testing.assert_array_equal(found["z"][1]["squares"][0], X**2)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_functions_of_numpy_without_a_derivative_are_mapped_as_they_are(mode):
    x = np.array([[0.0, 2.0, 1.0], [3.0, -1.0, 0.5]])
    np.testing.assert_array_equal(adc.vmap(np.argmax, mode=mode)(x), [1, 0])
    np.testing.assert_array_equal(adc.vmap(np.argsort, mode=mode)(x), np.argsort(x))
    np.testing.assert_array_equal(adc.jacfwd(np.ones_like, mode=mode)(x[0]), np.zeros((3, 3)))
    with pytest.raises(adc.DerivativeError, match="returns an integer"):
        adc.grad(np.argmax, mode=mode)(x[0])


def places(x):
    return np.argsort(x)


def as_many_as_are_large(x):
    return np.ones(x[x > 1.5].size)


def signs(p):
    return {"above": p["w"] > 1.5, "first": np.argmax(p["w"])}


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("jacobian", [adc.jacobian, adc.jacfwd, adc.jacrev])
def test_integers_and_truth_values_have_jacobians_of_zeros(jacobian, mode):
    np.testing.assert_array_equal(jacobian(places, mode=mode)(X), np.zeros((3, 3)))
    np.testing.assert_array_equal(jacobian(as_many_as_are_large, mode=mode)(X), np.zeros((2, 3)))
    found = jacobian(signs, mode=mode)({"w": X, "b": 1.0})
    assert [np.shape(found[y][p]) for y in ("above", "first") for p in "wb"] == [(3, 3), (3,), (3,), ()]


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_what_is_no_pair_is_described(mode):
    with pytest.raises(adc.ResultError, match="must return a pair, and this one returns a tuple of 3"):
        adc.grad(lambda x: (x, 2.0, 3.0), has_aux=True, mode=mode)(1.0)
