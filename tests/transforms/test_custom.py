"""Custom rules, checkpoints and stopped gradients act in every mode, under every transform, or say why not."""

from __future__ import annotations

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]
X = np.array([0.3, 0.5, 0.7])
V = np.array([1.0, 2.0, -3.0])


@adc.custom_vjp
def clipped(x):
    return x * 1.0


def clipped_fwd(x):
    return x * 1.0, {"total": np.sum(x), "x": x}


def clipped_bwd(residuals, bar):
    out = np.zeros_like(bar)
    for i in range(len(bar)):
        if bar[i] > 0:
            out[i] = 10.0 * bar[i]
        else:
            out[i] = residuals["x"][i] * residuals["total"]
    return (out,)


clipped.defvjp(clipped_fwd, clipped_bwd)


@adc.custom_jvp
def scaled(x, y):
    return x * x * y


@scaled.defjvp
def scaled_jvp(primals, tangents):
    x, y = primals
    x_dot, y_dot = tangents
    return scaled(x, y), 3.0 * x * y * x_dot + x * x * y_dot  # 3 in place of 2: to see that it is used


@adc.checkpoint
def step(x, a):
    for _ in range(3):
        x = x + np.sin(x * a)
    return x


def march(x, a):
    for _ in range(4):
        x = step(x, a)
    return np.sum(x)


def march_plainly(x, a):
    for _ in range(12):
        x = x + np.sin(x * a)
    return np.sum(x)


@pytest.mark.parametrize("mode", MODES)
def test_custom_vjp(mode):
    found = adc.grad(lambda x: np.sum(clipped(x) * np.array([1.0, -1.0, 2.0])), mode=mode)(X)
    np.testing.assert_allclose(found, [10.0, 0.5 * 1.5, 20.0])
    np.testing.assert_array_equal(clipped(X), X)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_forward_mode_refuses_a_custom_vjp(mode):
    with pytest.raises(adc.UnsupportedError, match="forward mode meets a function with a custom_vjp"):
        adc.jvp(lambda x: np.sum(clipped(x)), (X,), (V,), mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_custom_vjp_is_differentiated_again(mode):
    def slope(x):
        return np.sum(adc.grad(lambda x: np.sum(clipped(x) * -1.0))(x) * V)  # V @ (x * total)

    np.testing.assert_allclose(adc.grad(slope, mode=mode)(X), V * np.sum(X) + V @ X)


@pytest.mark.parametrize("mode", MODES)
def test_custom_jvp_serves_both_modes(mode):
    def f(x):
        return np.sum(scaled(x, np.cos(x)))

    slope = 3 * X * np.cos(X) - X**2 * np.sin(X)
    np.testing.assert_allclose(adc.jvp(f, (X,), (V,), mode=mode)[1], slope @ V)
    np.testing.assert_allclose(adc.grad(f, mode=mode)(X), slope)
    # The rule itself is differentiated: of 3xy + x^2 y' by the text, where y = cos x is a constant of the inner rule.
    curvature = 3 * np.cos(X) - 3 * X * np.sin(X) - 2 * X * np.sin(X) - X**2 * np.cos(X)
    np.testing.assert_allclose(adc.hvp(f, X, V, mode=mode), curvature * V)


@pytest.mark.parametrize("mode", MODES)
def test_custom_rules_in_loops_with_numbers(mode):
    def f(x):
        total = 0.0
        for i in range(len(x)):
            total += scaled(x[i], 2.0)
        return total

    np.testing.assert_allclose(adc.grad(f, mode=mode)(X), 6 * X)


@pytest.mark.parametrize("mode", MODES)
def test_nondiff_arguments(mode):
    @adc.custom_vjp(nondiff_argnums=(0,))
    def power(n, x):
        return x**n

    power.defvjp(lambda n, x: (x**n, x), lambda n, x, bar: (bar * 100.0 * n * x ** (n - 1),))
    np.testing.assert_allclose(adc.grad(lambda x: np.sum(power(3, x)), mode=mode)(X), 300 * X**2)

    @adc.custom_jvp(nondiff_argnames=("n",))
    def root(x, n):
        return x ** (1.0 / n)

    root.defjvp(lambda n, primals, tangents: (root(*primals, n), 100.0 * n * tangents[0]))
    np.testing.assert_allclose(adc.grad(lambda x: np.sum(root(x, 3)), mode=mode)(X), np.full(X.shape, 300.0))


@pytest.mark.parametrize("mode", MODES)
def test_functions_of_numpy(mode):
    f = adc.custom_jvp(np.multiply)
    f.defjvp(lambda primals, tangents: (f(*primals), 100.0 * tangents[0] + tangents[1]))
    np.testing.assert_allclose(adc.grad(f, argnums=(0, 1), mode=mode)(2.0, 3.0), (100.0, 1.0))
    np.testing.assert_allclose(adc.grad(adc.checkpoint(np.sin), mode=mode)(2.0), np.cos(2.0))


@pytest.mark.parametrize("mode", MODES)
def test_another_rule_later(mode):
    @adc.custom_vjp
    def f(x):
        return np.sum(x)

    g = adc.grad(f, mode=mode)
    for factor in (2.0, 5.0):
        f.defvjp(lambda x: (f(x), x), lambda x, bar, factor=factor: (factor * bar * x,))
        np.testing.assert_allclose(g(X), factor * X)


@pytest.mark.parametrize("mode", MODES)
def test_containers_through_custom_rules(mode):
    @adc.custom_vjp
    def split(p):
        return {"u": p["a"] * 2.0, "v": p["b"]}

    split.defvjp(lambda p: (split(p), None), lambda _, bar: ({"a": bar["u"] * 7.0, "b": bar["v"]},))

    def f(p):
        parts = split(p)
        return np.sum(parts["u"]) + parts["v"] ** 2

    found = adc.grad(f, mode=mode)({"a": X, "b": 3.0})
    np.testing.assert_allclose(found["a"], np.full(3, 7.0))
    assert found["b"] == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_checkpoint_changes_nothing_but_memory(mode):
    for f in (
        adc.grad(march, argnums=(0, 1), mode=mode),
        lambda x, a: adc.hvp(march, (x, a), (V, 1.0), mode=mode),
    ):
        reference = (
            adc.grad(march_plainly, argnums=(0, 1))
            if isinstance(f, adc.api.Derivative)
            else (lambda x, a: adc.hvp(march_plainly, (x, a), (V, 1.0)))
        )
        for got, wanted in zip(f(X, 0.4), reference(X, 0.4), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


def chain(turns, parents):
    """A list that is read in the loop before anything is put into it."""
    out = []
    for i in range(len(parents)):
        out.append(turns[i] if parents[i] < 0 else out[parents[i]] @ turns[i])
    return np.sum(np.sin(out[-1]))


def falling(x):
    """A class that is made anew when the function is evaluated again."""

    class Ball:
        gravity = 9.8

        def __init__(self, place):
            self.place = place

    return np.sum(Ball(x).place * Ball.gravity * x)


@pytest.mark.parametrize("mode", MODES)
def test_what_a_checkpointed_function_makes_is_made_again(mode):
    turns, parents = np.cos(np.arange(18.0)).reshape(2, 3, 3), np.array([-1, 0])
    wanted = adc.grad(chain, mode=mode)(turns, parents)
    np.testing.assert_allclose(adc.grad(adc.checkpoint(chain), mode=mode)(turns, parents), wanted)
    np.testing.assert_allclose(adc.grad(adc.checkpoint(falling), mode=mode)(X), 19.6 * X)


def test_checkpoint_keeps_the_arguments_alone():
    text = adc.grad(march, mode="python").source(X, 0.4)
    forward, reverse = text.split("# reverse")
    assert "x_kept = np.empty((4, n))" in forward and "(3, n)" not in forward
    assert "(3, n)" in reverse


@pytest.mark.parametrize("mode", MODES)
def test_stop_gradient(mode):
    def f(x):
        parts = adc.stop_gradient({"s": np.sin(x), "n": 2})
        return np.sum(x * parts["s"]) * parts["n"]

    np.testing.assert_allclose(adc.grad(f, mode=mode)(X), 2 * np.sin(X))
    np.testing.assert_allclose(adc.jvp(f, (X,), (V,), mode=mode)[1], 2 * np.sin(X) @ V)
    assert adc.stop_gradient(1.5) == 1.5


@pytest.mark.parametrize("mode", MODES)
def test_what_is_stopped_has_memory_of_its_own(mode):
    def f(x):
        y = 2.0 * x
        before, after = adc.stop_gradient({"y": y})["y"], adc.stop_gradient(y)
        y[0] = 9.0
        after[1] = 7.0
        return np.sum(before * after * y)

    value, gradient = adc.value_and_grad(f, mode=mode)(X)
    np.testing.assert_allclose(value, f(X))
    np.testing.assert_allclose(gradient, [0.0, 28.0 * X[1], 8.0 * X[2] ** 2])


def test_what_custom_rules_refuse():
    @adc.custom_vjp
    def bare(x):
        return x

    with pytest.raises(adc.DerivativeError, match="custom_vjp without a rule"):
        adc.grad(lambda x: bare(x) * 2.0, mode="python")(1.0)
    bare.defvjp(lambda x: (x, None), lambda _, bar: (bar, bar))
    with pytest.raises(adc.UnsupportedError, match="a tuple of 2, and the function has 1"):
        adc.grad(lambda x: bare(x) * 2.0, mode="python")(1.0)
    bare.defvjp(lambda x: (x, None), lambda _, bar: (np.ones(3) * bar,))
    with pytest.raises(adc.UnsupportedError, match="the adjoint of `x` has 1 axes, its primal 0"):
        adc.grad(lambda x: bare(x) * 2.0, mode="python")(1.0)

    def captures(x, y):
        @adc.custom_vjp
        def inner(z):
            return z

        return inner(x) * y

    with pytest.raises(adc.AdcError):
        adc.grad(captures, mode="python")(1.0, 2.0)


def test_direct_derivatives_of_custom_functions():
    assert adc.grad(scaled)(2.0, 5.0) == 30.0
    np.testing.assert_allclose(adc.grad(lambda x: np.sum(adc.checkpoint(_sine)(x)))(X), np.cos(X))


def _sine(x):
    return np.sin(x)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_decorators_of_inner_functions_are_not_lost(mode):
    def f(x):
        @adc.checkpoint
        def inner(z):
            return np.sin(z) * 2.0

        @adc.grad
        def slope(z):
            return z**3

        return inner(x) * slope(x)

    np.testing.assert_allclose(adc.grad(f, mode=mode)(0.7), 6 * 0.49 * np.cos(0.7) + 12 * 0.7 * np.sin(0.7))


@pytest.mark.parametrize("mode", MODES)
def test_a_tangent_of_another_shape_is_refused(mode):
    @adc.custom_jvp
    def sine(x):
        return np.sin(x)

    @sine.defjvp
    def sine_jvp(primals, tangents):
        return sine(primals[0]), np.ones(3) * tangents[0]

    with pytest.raises((adc.ShapeError, adc.UnsupportedError), match="tangent"):
        adc.grad(sine, mode=mode)(1.0)


def _checkpoint_reads(x):
    inner = adc.checkpoint(lambda y: np.sin(y) * x)
    return np.sum(inner(x))


def _pull_reads(x):
    @adc.custom_vjp
    def inner(y):
        return y * x

    inner.defvjp(lambda y: (inner(y), y), lambda y, bar: (bar * x,))
    return np.sum(inner(3.0 * x))


def _push_reads(x):
    @adc.custom_jvp
    def inner(y):
        return y * x

    inner.defjvp(lambda primals, tangents: (inner(*primals), tangents[0] * x))
    return np.sum(inner(3.0 * x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("x", [2.0, np.array([1.0, 2.0])])
def test_a_checkpoint_that_reads_its_own_argument_from_outside_is_refused_where_it_is_compiled(mode, x):
    if mode == "tape":
        np.testing.assert_allclose(adc.grad(_checkpoint_reads, mode=mode)(x), np.sin(x) + x * np.cos(x))
        return
    with pytest.raises(
        (adc.DerivativeError, adc.UnsupportedError), match=r"reads .* of the function around it"
    ):
        adc.grad(_checkpoint_reads, mode=mode)(x)


@pytest.mark.parametrize("function", [_pull_reads, _push_reads])
def test_a_rule_that_reads_a_differentiated_value_is_refused_on_the_tape(function):
    with pytest.raises(adc.DerivativeError, match="reads a differentiated value of the function around it"):
        adc.grad(function, mode="tape")(2.0)


def test_lengths_of_arguments_may_be_read_from_outside():
    def f(x):
        inner = adc.checkpoint(lambda y: np.sin(y) * x.shape[0])
        return np.sum(inner(x))

    for mode in MODES:
        np.testing.assert_allclose(adc.grad(f, mode=mode)(X), 3 * np.cos(X))


@pytest.mark.parametrize("mode", MODES)
def test_a_forward_rule_that_returns_no_pair_is_refused(mode):
    @adc.custom_vjp
    def double(x):
        return x * 2.0

    double.defvjp(lambda x: x * 2.0, lambda x, bar: (2.0 * bar,))
    with pytest.raises((adc.DerivativeError, adc.UnsupportedError)):
        adc.grad(double, mode=mode)(1.0)


def _own_rule(x):
    @adc.custom_jvp
    def sine(z):
        return np.sin(z)

    sine.defjvp(lambda primals, tangents: (sine(*primals), 3.0 * tangents[0]))
    return sine(x**2)


def test_a_rule_made_inside_pushes_on_the_tape():
    assert adc.grad(_own_rule, mode="tape")(2.0) == 12.0
    assert adc.jvp(_own_rule, (2.0,), (1.0,), mode="tape")[1] == 12.0


def _rules_made_inside(x):
    total = 0.0
    for k in range(2):

        @adc.custom_vjp
        def square(z):
            return z * z

        square.defvjp(lambda z: (square(z), z), lambda z, bar: (20.0 * z * bar,))
        total += np.sum(square(x)) * k

    @adc.custom_jvp
    def product(a, b):
        return a * b

    product.defjvps(lambda dot, _, a, b: 3.0 * dot * b, None)
    return total + np.sum(product(x, x))


@pytest.mark.parametrize("mode", MODES)
def test_rules_may_be_made_inside(mode):
    np.testing.assert_allclose(adc.grad(_rules_made_inside, mode=mode)(X), 23.0 * X)
    assert adc.grad(_own_rule, mode=mode)(2.0) == 12.0


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_no_rule_that_the_data_choose(mode):
    def f(x):
        @adc.custom_vjp
        def square(z):
            return z * z

        square.defvjp(lambda z: (z * z, z), lambda z, bar: (2.0 * z * bar,))
        if x > 0.0:
            square.defvjp(lambda z: (z * z, z), lambda z, bar: (20.0 * z * bar,))
        return square(x)

    with pytest.raises(adc.UnsupportedError, match="given another rule in a branch"):
        adc.grad(f, mode=mode)(2.0)
    assert adc.grad(f, mode="tape")(2.0) == 40.0


def test_rules_and_checkpoints_are_compiled_for_arguments_of_any_length():
    for function in (clipped, adc.checkpoint(lambda x: np.sin(x) * x.shape[0])):
        text = adc.source(adc.grad(lambda x, f=function: np.sum(f(x)), mode="compiled"), np.ones(3))
        assert "x.shape[0]" in text


class Layer:
    def __init__(self, weight):
        self.weight = weight

    def forward(self, x):
        return np.tanh(x * self.weight)


def test_what_a_checkpointed_method_reads_of_its_object_is_refused_by_what_it_is():
    def of_the_method(w):
        return np.sum(adc.checkpoint(Layer(w).forward)(X))

    def of_the_object(w):
        return np.sum(adc.checkpoint(Layer.forward)(Layer(w), X))

    for function, said in (
        (of_the_method, "a checkpointed function reads `w`"),
        (of_the_object, "`forward` is given an object of `Layer`"),
    ):
        with pytest.raises(adc.UnsupportedError, match=said):
            adc.grad(function, mode="python")(V)
        np.testing.assert_allclose(adc.grad(function, mode="tape")(V), X / np.cosh(X * V) ** 2)


@adc.custom_jvp
def product(a, x):
    return a @ x


@product.defjvp
def product_jvp(primals, tangents):
    a, x = primals
    a_dot, x_dot = tangents
    return product(a, x), product(a_dot, x) + product(a, x_dot)


def test_a_rule_that_applies_its_function_to_tangents():
    def f(x):
        return np.sum(np.sin(product(np.outer(x, x), product(np.outer(x, X), x))))

    def plain(x):
        return np.sum(np.sin(np.outer(x, x) @ (np.outer(x, X) @ x)))

    # It has no end where it is inlined; the tape went on until the memory was full.
    with pytest.raises(adc.UnsupportedError, match="calls itself"):
        adc.grad(f, mode="python")(X)
    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), adc.grad(plain, mode="python")(X))
    np.testing.assert_allclose(adc.hessian(f, mode="tape")(X), adc.hessian(plain, mode="python")(X))
    found = adc.jvp(f, (X,), (V,), mode="tape")
    np.testing.assert_allclose(found, adc.jvp(plain, (X,), (V,), mode="python"))


def by_another(y):
    @adc.custom_vjp
    def f(x):
        return 2.0 * np.sin(x)

    f.defvjp(lambda x: (f(x), y), lambda kept, bar: (2.0 * np.cos(kept) * bar,))
    return adc.grad(f)(1.0)


def test_a_value_from_outside_that_a_forward_rule_hands_on_is_read():
    # No statement of the rule reads it: the second derivative was 0, without a word.
    with pytest.raises(adc.UnsupportedError, match="reads `y` of the function around it"):
        adc.grad(by_another, mode="python")(1.0)
    with pytest.raises(adc.UnsupportedError, match="of the function around it"):
        adc.vmap(by_another, mode="python")(X)
    np.testing.assert_allclose(adc.grad(by_another, mode="tape")(1.0), -2.0 * np.sin(1.0))
