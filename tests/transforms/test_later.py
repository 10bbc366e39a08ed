"""What is differentiated later is the call that was made, whatever the program assigns or writes to meanwhile."""

from functools import partial

import numpy as np
import pytest

import adc

X = np.array([0.2, 0.3])
STEP = 1e-6


def product(v):
    return v[0] ** 2 * v[1]


@partial(adc.custom_vjp, nondiff_argnums=(0,))
def pulled(f, x):
    return f(x)


pulled.defvjp(lambda f, x: (f(x), x), lambda f, x, g: (adc.vjp(f, x)[1](g)[0],))


@partial(adc.custom_jvp, nondiff_argnums=(0,))
def pushed(f, x):
    return f(x)


pushed.defjvp(lambda f, primals, tangents: adc.jvp(f, primals, tangents))


def argument_written_before_the_pull(x):
    z = x.copy()
    y, pull = adc.vjp(product, z)
    z[0] = 7.0
    return np.sum(pull(1.0)[0]) + y


def argument_written_in_the_loop_of_the_pull(x):
    z = x.copy()
    _, pull = adc.vjp(product, z)
    total = 0.0
    for _ in range(3):
        total = total + np.sum(pull(1.0)[0]) * z[1]
        z *= 2.0
    return total


def scope_written_before_the_pull(x):
    w = np.ones(2)
    y, pull = adc.vjp(lambda v: product(v) * w[0], x)
    w[0] = 10.0
    return np.sum(pull(1.0)[0]) + y


def name_assigned_before_the_pull(x):
    k = 2.0
    _, pull = adc.vjp(lambda v: np.sin(k * v), x)
    k = 5.0
    return k * np.sum(pull(np.ones(2))[0])


def name_of_a_helper_assigned_before_the_pull(x):
    k = 2.0

    def scaled(v):
        return k * v

    _, pull = adc.vjp(lambda v: np.sin(scaled(v)), x)
    k = 5.0
    return k * np.sum(pull(np.ones(2))[0])


def argument_list_changed_before_the_pull(x):
    given = [x, 2.0 * x]
    _, pull = adc.vjp(lambda p: np.sum(p[0] * p[1]), given)
    given[0] = 5.0 * x
    return np.sum(pull(1.0)[0][1])


def pulls_of_a_loop(x):
    pulls = []
    y = x
    for w in [1.0, 2.0, 3.0]:
        y, pull = adc.vjp(lambda v: np.tanh(w * v), y)
        pulls.append(pull)
    y_bar = np.ones(2)
    for pull in reversed(pulls):
        y_bar = pull(y_bar)[0]
    return np.sum(y_bar)


def argument_written_before_the_push(x):
    z = x.copy()
    y, push = adc.linearize(product, z)
    z[0] = 7.0
    return push(np.ones(2)) + y


def pushes_in_a_loop(x):
    _, push = adc.linearize(np.tanh, x)
    total = 0.0
    for i in range(3):
        total = total + np.sum(push(i * x))
    return total


def push_of_containers(x):
    y, push = adc.linearize(lambda p: {"s": p["a"] * np.sin(p["b"])}, {"a": x[0], "b": x})
    return np.sum(push({"a": 1.0, "b": np.ones(2)})["s"]) + np.sum(y["s"])


def push_and_aux(x):
    _, push, aux = adc.linearize(lambda v: (np.tanh(v), {"k": v**2}), x, has_aux=True)
    return np.sum(push(x)) + np.sum(aux["k"])


def push_of_what_writes_to_its_argument(x):
    def f(v):
        v[0] = v[0] ** 2
        return v * v[0]

    y, push = adc.linearize(f, x)
    return np.sum(push(x)) + np.sum(y)


def name_assigned_after_a_checkpoint(x):
    k = 2.0
    y = adc.checkpoint(lambda z: np.sin(k * z))(x)
    k = 5.0
    return k * np.sum(y)


def checkpoints_of_a_loop(x):
    for w in [1.0, 2.0, 3.0]:
        x = adc.checkpoint(lambda v: np.tanh(w * v))(x)
    return np.sum(x)


def name_assigned_after_a_rule(x):
    k = 2.0
    y = pulled(lambda z: np.sin(k * z), x) + pushed(lambda z: np.cos(k * z), x)
    k = 5.0
    return k * np.sum(y)


def functions_for_a_rule(x):
    def doubled(y):
        return 2.0 * y

    return np.sum(pulled(doubled, x) * pushed(partial(lambda a, y: a * y**2, 3.0), x) + pulled(np.sin, x))


def rules_of_a_loop(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(pulled(lambda z: np.sin(i * z), x))
    return total


def checkpoints_of_functions_of_the_program(x):
    mapped = adc.vmap(adc.checkpoint(lambda v: np.sin(v) * v))(x)
    slope = adc.checkpoint(adc.grad(lambda v: np.sum(np.sin(v) ** 2)))(x)
    return np.sum(mapped * slope)


PROGRAMS = [
    argument_written_before_the_pull,
    argument_written_in_the_loop_of_the_pull,
    scope_written_before_the_pull,
    name_assigned_before_the_pull,
    name_of_a_helper_assigned_before_the_pull,
    argument_list_changed_before_the_pull,
    pulls_of_a_loop,
    argument_written_before_the_push,
    pushes_in_a_loop,
    push_of_containers,
    push_and_aux,
    push_of_what_writes_to_its_argument,
    name_assigned_after_a_checkpoint,
    checkpoints_of_a_loop,
    name_assigned_after_a_rule,
    functions_for_a_rule,
    checkpoints_of_functions_of_the_program,
    rules_of_a_loop,
]


@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(program, mode):
    value, gradient = adc.value_and_grad(program, mode=mode)(X)
    np.testing.assert_allclose(value, program(X.copy()), rtol=1e-12)
    differences = [(program(X + STEP * d) - program(X - STEP * d)) / (2.0 * STEP) for d in np.eye(2)]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


def captured_and_written(x):
    w = x.copy()
    y = adc.checkpoint(lambda z: np.sin(z * w))(x)
    w[0] = 9.0
    w = 5.0 * w
    return np.sum(y * w)


def test_what_a_checkpoint_reads_on_the_tape():
    gradient = adc.grad(captured_and_written, mode="tape")(X)
    np.testing.assert_allclose(
        gradient, [45.0 * np.cos(0.04) * 0.4, 0.0 + 5.0 * (np.sin(0.09) + 0.3 * 0.6 * np.cos(0.09))]
    )


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_a_rule_that_reads_the_loop_around_it(mode):
    def f(x):
        total = 0.0
        for i in range(int(10.0 * x[0])):
            total = total + np.sum(pulled(lambda z: i * z, x))
        return total

    with pytest.raises(adc.UnsupportedError, match="reads `i` of the function around it"):
        adc.grad(f, mode=mode)(X)


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize(
    "aux_of",
    [
        lambda f, x: adc.grad(f, has_aux=True)(x)[1],
        lambda f, x: adc.value_and_grad(f, has_aux=True)(x)[0][1],
        lambda f, x: adc.jacfwd(f, has_aux=True)(x)[1],
        lambda f, x: adc.jacrev(f, has_aux=True)(x)[1],
        lambda f, x: adc.hessian(f, has_aux=True)(x)[1],
        lambda f, x: adc.jvp(f, (x,), (1.0,), has_aux=True)[2],
        lambda f, x: adc.vjp(f, x, has_aux=True)[2],
        lambda f, x: adc.linearize(f, x, has_aux=True)[2],
    ],
    ids=["grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "jvp", "vjp", "linearize"],
)
def test_what_is_handed_through_has_a_derivative(aux_of, mode):
    def outer(x):
        return aux_of(lambda y: (y**3, {"k": [y**2]}), x)["k"][0] * np.sin(x)

    wanted = 8.0 * np.sin(4.0) + 16.0 * np.cos(4.0)
    np.testing.assert_allclose(adc.grad(outer, mode=mode)(4.0), wanted)
    np.testing.assert_allclose(adc.jvp(outer, (4.0,), (1.0,), mode=mode)[1], wanted)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_directions_that_are_none(mode):
    _, pull = adc.vjp(lambda x: x * x, 3.0, mode=mode)
    with pytest.raises(adc.ArgumentError, match="complex"):
        pull(1j)
    _, push = adc.linearize(lambda x, y: x * y, 3.0, 2.0, mode=mode)
    with pytest.raises(adc.ArgumentError, match=r"structure|tangents"):
        push(1.0)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_rules_that_do_not_return_what_they_should(mode):
    @adc.custom_jvp
    def f(x):
        return x**2

    f.defjvp(lambda primals, tangents: f(primals[0]))
    with pytest.raises(adc.AdcError, match="the rule of `f` returns a"):
        adc.grad(f, mode=mode)(2.0)

    @adc.custom_vjp
    def g(x):
        return x**2

    g.defvjp(lambda x: (x**2, x), lambda x, bar: ((bar, bar),))
    with pytest.raises(adc.AdcError, match="an adjoint of the structure"):
        adc.grad(g, mode=mode)(2.0)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_the_pull_of_integers(mode):
    with pytest.raises(
        adc.DerivativeError, match=r"an array of integers\n(.*\n)*Integers are piecewise constant"
    ):
        adc.vjp(lambda x: np.argsort(x), X, mode=mode)
