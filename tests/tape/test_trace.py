"""Plain NumPy functions run on the tape as they stand: math, buffers, writes, loops, containers, callees."""

import dataclasses
import functools
import math
import warnings
from math import sin as imported_sin
from typing import NamedTuple

import numpy as np
import pytest

import adc
from adc import tape

SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])
calls = 0


def helper(v):
    return math.sin(v) * SCALE + imported_sin(v) * math.erf(v)


def uses_math(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = helper(x[i]) * WEIGHTS[i]
    return np.sum(y * y)


def writes_to_its_argument(x):
    for i in range(1, len(x)):
        x[i] *= x[i - 1]
    x[0] = 5.0
    return np.sum(x * x)


def stencil(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.05 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def overwrites_what_was_read(x):
    y = x * 1.0
    z = y * y
    y[0] = 7.0
    y *= 2.0
    return np.sum(z * y)


def settle(x):
    k = 0
    change = 1.0
    while change > 1e-3 and k < 100:
        change = 0.0
        for i in range(1, x.shape[0] - 1):
            old = x[i]
            x[i] = old + 0.3 * np.tanh(x[i - 1] - old)
            change = max(change, abs(x[i] - old))
        k += 1
    return np.sum(x * x)


def builds_arrays(x):
    a = np.array([[x[0], 1.0], [x[1], x[2] * x[0]]])
    b = np.asarray([x[2], 2.0])
    c = np.empty((2, 2))
    c[:, 0] = a @ b
    c[:, 1] = 1.0
    return np.linalg.det(c) + np.max(a)


def branches(x):
    if x[0] > 0.2 and isinstance(x, np.ndarray):
        return math.exp(x[1]) / (1.0 + math.fabs(x[2]))
    return x[0]


def global_write(x):
    global calls
    calls += 1
    return np.sum(x * calls)


def mutates_a_constant_copy(x):
    w = WEIGHTS.copy()
    w[1] = x[0]
    local = WEIGHTS * 2
    local[0] = x[1]
    return np.sum(w * local * x)


def std_is_numpys(x):
    return x.std() + x.var()


def recursion(x, n=4):
    return x[0] if n == 0 else math.cos(recursion(x, n - 1)) * x[n % 3]


def make_closure():
    factor = 3.0

    def inner(x):
        def innermost(v):
            nonlocal factor
            factor = 3.5
            return math.tanh(v) * factor

        return innermost(x[0]) + innermost(x[1] * x[2])

    return inner


class Model:
    gain = 1.5

    def loss(self, x):
        return self.gain * math.sqrt(np.sum(x * x))


class Callable:
    def __call__(self, x):
        return self.power(math.sin(x[0]), 3) + math.cos(x[1] * x[2])

    def power(self, v, n):
        return v**n


def takes_functions(x, f=math.tanh, *, g=helper):
    return sum(map(f, x)) + g(x[1])


def with_math_floor(x):
    table = np.zeros(4)
    table[math.floor(3 * x[0])] = x[1] ** 2
    table[int(np.floor(x[2] * 5))] += math.ceil(x[0]) * x[2]
    return np.sum(table * table)


def with_reduce(x):
    return functools.reduce(np.multiply, [x[0], x[1], x[2]]) + sum(v * v for v in x) + np.add.reduce(x)


FUNCTIONS = [
    uses_math,
    writes_to_its_argument,
    stencil,
    overwrites_what_was_read,
    settle,
    builds_arrays,
    branches,
    mutates_a_constant_copy,
    std_is_numpys,
    recursion,
    make_closure(),
    Model().loss,
    with_reduce,
    Callable(),
    takes_functions,
    with_math_floor,
    functools.partial(recursion, n=2),
    lambda x: math.log(x[0]) * x[1] ** x[2],
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: getattr(f, "__name__", "partial"))
def test_gradient_against_differences(function):
    x = np.array([0.3, 0.7, 0.5])
    before = x.copy()
    value, gradient = tape.value_and_grad(function, (x,))
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(WEIGHTS, [1.0, 2.0, 3.0])
    assert isinstance(value, float) and type(gradient) is np.ndarray
    np.testing.assert_allclose(value, function(x.copy()), rtol=1e-12)
    expected = np.empty(3)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        expected[k] = (function(x + step) - function(x - step)) / 2e-6
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    again = tape.value_and_grad(function, (x,))[1]
    np.testing.assert_array_equal(again, gradient)


def test_globals_are_read_and_written_as_they_are_now():
    global SCALE, calls
    first = tape.value_and_grad(uses_math, (np.ones(3),))[0]
    SCALE = 4.0
    assert tape.value_and_grad(uses_math, (np.ones(3),))[0] != first
    SCALE = 2.0
    calls = 0
    assert tape.value_and_grad(global_write, (np.ones(3),))[0] == 3.0
    assert calls == 1


def test_types_in_are_types_out():
    value, gradients = tape.value_and_grad(
        lambda x, y, z: np.sum(x * y) * z, (np.ones(3, np.float32), 2.0, np.float32(1.5)), argnums=(0, 1, 2)
    )
    assert gradients[0].dtype == np.float32 and gradients[0].shape == (3,)
    assert type(gradients[1]) is float and type(gradients[2]) is np.float32
    assert value == 9.0
    assert tape.value_and_grad(lambda x: x * x, (3.0,)) == (9.0, 6.0)


def test_untouched_inputs_have_zero_gradients():
    gradients = tape.value_and_grad(lambda x, y: x * 2.0, (1.0, np.ones(2)), argnums=(0, 1))[1]
    assert gradients[0] == 2.0
    np.testing.assert_array_equal(gradients[1], np.zeros(2))
    assert tape.value_and_grad(lambda x: 3.0, (1.0,)) == (3.0, 0.0)


def test_argnums_by_position_and_name():
    def f(x, *, rate):
        return x * rate**2

    assert tape.value_and_grad(f, (3.0,), {"rate": 2.0}, "rate") == (12.0, 12.0)
    assert tape.value_and_grad(f, (3.0,), {"rate": 2.0}, (0, "rate"))[1] == (4.0, 12.0)
    assert tape.value_and_grad(lambda a, b: a * b, (2.0, 5.0), argnums=-1)[1] == 2.0
    with pytest.raises(adc.ArgumentError, match="no argument 3"):
        tape.value_and_grad(lambda a: a, (2.0,), argnums=3)


class Point(NamedTuple):
    x: float
    y: np.ndarray


@dataclasses.dataclass
class Layer:
    weight: np.ndarray
    name: str


def test_containers():
    tree = {"p": Point(2.0, np.ones(2)), "l": [Layer(np.full(2, 3.0), "first"), None]}
    value, gradient = tape.value_and_grad(lambda t: t["p"].x * np.sum(t["p"].y * t["l"][0].weight), (tree,))
    assert value == 12.0
    assert gradient["p"].x == 6.0 and gradient["l"][1] is None and gradient["l"][0].name == "first"
    np.testing.assert_array_equal(gradient["p"].y, [6.0, 6.0])
    np.testing.assert_array_equal(gradient["l"][0].weight, [2.0, 2.0])


def test_auxiliary_results():
    (value, aux), gradient = tape.value_and_grad(lambda x: (x * x, {"twice": 2 * x}), (3.0,), has_aux=True)
    assert (value, aux, gradient) == (9.0, {"twice": 6.0}, 6.0)


def test_vjp_and_jvp():
    y, pull = tape.vjp(lambda t: {"a": t["x"] * 2.0, "b": t["y"] * t["x"].sum()}, {"x": np.ones(2), "y": 3.0})
    assert y["b"] == 6.0
    for _ in range(2):
        (bar,) = pull({"a": np.ones(2), "b": 1.0})
        np.testing.assert_array_equal(bar["x"], [5.0, 5.0])
        assert bar["y"] == 2.0
    with pytest.raises(adc.ArgumentError, match="structure"):
        pull(1.0)
    value, dot = tape.jvp(lambda x, y: x * y, (np.array([1.0, 2.0]), 3.0), (np.array([1.0, 0.0]), 1.0))
    np.testing.assert_array_equal(value, [3.0, 6.0])
    np.testing.assert_array_equal(dot, [4.0, 2.0])
    assert tape.jvp(lambda x: 5.0, (1.0,), (1.0,)) == (5.0, 0.0)
    assert tape.jvp(np.sqrt, (4.0,), (1.0,)) == (2.0, 0.25)


def test_derivatives_nest():
    def grad(f):
        return lambda x: tape.value_and_grad(f, (x,))[1]

    assert grad(lambda x: x**4)(2.0) == 32.0
    assert grad(grad(lambda x: x**4))(2.0) == 48.0
    assert grad(grad(grad(lambda x: x**4)))(2.0) == 48.0
    # The inner derivative is with respect to the inner variable alone.
    assert grad(lambda x: x * grad(lambda y: x * y * y)(1.0))(3.0) == 12.0
    np.testing.assert_allclose(grad(lambda x: np.sum(grad(uses_math)(x) ** 2))(np.ones(3)).shape, (3,))
    dot = tape.jvp(grad(lambda x: x**3), (2.0,), (1.0,))
    np.testing.assert_allclose(dot, (12.0, 12.0))


def test_refusals():
    with pytest.raises(adc.DerivativeError, match="single number"):
        tape.value_and_grad(lambda x: x * 2, (np.ones(2),))
    with pytest.raises(adc.ArgumentError, match="no floating-point values"):
        tape.value_and_grad(lambda x: np.sum(x), (np.arange(3),))
    with pytest.raises(adc.GraphCutError, match=r"x.__float__"):
        tape.value_and_grad(lambda x: x.__float__() * 2.0, (1.0,))
    with pytest.raises(adc.DerivativeError, match="complex"):
        tape.value_and_grad(lambda x: x * 1j, (1.0,))


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_integers_of_a_number_are_steps(mode):
    """As floor is, on every engine: what is rounded carries no derivative, the rest does."""
    assert adc.value_and_grad(lambda x: x * int(x), mode=mode)(2.5) == (5.0, 2.0)
    value, slope = adc.value_and_grad(lambda x: np.sum(x * x.astype(int)), mode=mode)(np.array([1.5, -2.5]))
    assert value == 6.5 and slope.tolist() == [1.0, -2.0]


@pytest.mark.parametrize("transform", ["grad", "value_and_grad", "jacrev", "jacobian", "hessian"])
def test_has_aux_needs_a_pair(transform):
    with pytest.raises(
        adc.DerivativeError, match="has_aux=True the function must return a pair, and this one"
    ):
        getattr(adc, transform)(lambda x: np.sum(x), has_aux=True, mode="tape")(np.ones(2))
    with pytest.raises(adc.DerivativeError, match="has_aux=True"):
        adc.vjp(lambda x: x * 2, np.ones(2), has_aux=True, mode="tape")


@pytest.mark.parametrize(
    ("ufunc", "method"),
    [
        (np.logaddexp, "reduce"),
        (np.logaddexp, "accumulate"),
        (np.maximum, "accumulate"),
        (np.minimum, "accumulate"),
        (np.hypot, "reduce"),
        (np.subtract, "reduce"),
        (np.divide, "accumulate"),
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_methods_of_ufuncs(ufunc, method, axis):
    x = np.random.default_rng(0).uniform(0.5, 1.5, (2, 3))
    weights = np.cos(np.arange(6.0)).reshape(2, 3)[: 1 if method == "reduce" and axis == 0 else 2]

    def value(x):
        found = getattr(ufunc, method)(x, axis=axis)
        return np.sum(
            found * weights[..., :1].ravel() if method == "reduce" and axis == 1 else found * weights
        )

    np.testing.assert_allclose(tape.value_and_grad(value, (x,))[0], value(x))
    steps = 1e-6 * np.eye(6).reshape(6, 2, 3)
    wanted = np.reshape([(value(x + s) - value(x - s)) / 2e-6 for s in steps], (2, 3))
    np.testing.assert_allclose(tape.value_and_grad(value, (x,))[1], wanted, rtol=1e-6, atol=1e-8)


def test_distributions_of_scipy():
    stats = pytest.importorskip("scipy.stats")

    def density(x, scale):
        return np.sum(stats.norm.logpdf(x, loc=1.0, scale=scale)) + stats.norm(0.0, 1.0).cdf(0.3)

    x = np.array([0.5, 2.0])
    g, s = adc.grad(density, argnums=(0, 1), mode="tape")(x, 2.0)
    np.testing.assert_allclose(g, -(x - 1.0) / 4.0)
    np.testing.assert_allclose(s, np.sum((x - 1.0) ** 2 / 8.0 - 0.5))
    with pytest.raises(adc.GraphCutError, match=r"test_trace.py(.|\n)*adc.tape.call"):
        stats.norm.logpdf(adc.tensor(x, requires_grad=True))


A = np.array([0.3, 0.5])


@pytest.mark.parametrize(
    ("question", "x", "answer"),
    [
        (lambda x: type(x) is float, 2.0, True),
        (lambda x: type(x) == float, 2.0, True),  # noqa: E721
        (lambda x: type(x) is float, np.float64(2.0), False),
        (lambda x: type(x) is np.float64, np.float64(2.0), True),
        (lambda x: type(x) is np.float32, np.float32(2.0), True),
        (lambda x: isinstance(x, np.floating), 2.0, False),
        (lambda x: isinstance(x, np.floating), np.float64(2.0), True),
        (lambda x: isinstance(2.0 * x, float), 2.0, True),
        (lambda x: type(np.float64(x)) is np.float64, 2.0, True),
        (lambda x: isinstance(x[0].copy(), float) and isinstance(x[1].astype(np.float64), float), A, True),
        (lambda x: type(x) is np.ndarray, A, True),
        (lambda x: type(x) in (list, np.ndarray), A, True),
        (lambda x: {np.ndarray: True}.get(type(x), False), A, True),
        (lambda x: issubclass(type(x), np.ndarray), A, True),
        (lambda x: type(x).__name__ == "ndarray", A, True),
        (lambda x: type(x * 2.0) is np.ndarray, A, True),
        (lambda x: type(x[0]) is np.float64, A, True),
        (lambda x: type(x[0] * 2.0 - 1.0) is np.float64, A, True),
        (lambda x: type(np.sum(x)) is np.float64, A, True),
        (lambda x: type(int) is type and isinstance(int, type) and issubclass(type, type), A, True),
        (lambda x: isinstance(type("Made", (), {"a": 1.0}), type), A, True),
        (lambda x: f"{x}" == "2.0" and f"{x!r}" == "2.0" and repr([x]) == "[2.0]", 2.0, True),
        (lambda x: str(x[0]) == "0.3" and repr(x[0]) == "np.float64(0.3)", A, True),
        (lambda x: str(x) == "[3.]" and repr(x) == "array([3.])", np.array([3.0]), True),
        (lambda x: f"{x[0]:.3f}" == "0.300" and str(x[0] > 0.0) == "True", A, True),
    ],
)
def test_what_a_value_is_to_a_plain_function(question, x, answer):
    assert question(x) is answer

    def f(x):
        return np.sum(x) * (2.0 if question(x) else 3.0)

    value, gradient = tape.value_and_grad(f, (x,))
    factor = 2.0 if answer else 3.0
    np.testing.assert_allclose(value, factor * np.sum(x), rtol=1e-6)
    np.testing.assert_array_equal(gradient, factor * np.ones_like(x))


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: x,
        lambda x: x + 2.0,
        lambda x: x + np.float64(2.0),
        lambda x: np.add(x, 2.0),
        lambda x: math.sin(x) * 2,
        lambda x: np.sin(x) * 2,
        lambda x: 1.0 / x,
        lambda x: np.float64(1.0) / x,
        lambda x: round(x, 2) // 0.5,
        lambda x: (x * 1j).imag,
        lambda x: (x > 0.0) * x,
        lambda x: (x > 0.0) + (x > -1.0),
        lambda x: math.prod([x, x]),
        lambda x: adc.stop_gradient(x) * x,
        lambda x: np.sinc(x),
    ],
)
@pytest.mark.parametrize("x", [0.3, np.float64(0.3)])
def test_whose_number_it_is(ask, x):
    asked = []

    def f(x):
        asked.append(type(ask(x)).__name__)
        return x

    tape.value_and_grad(f, (x,))
    assert asked[0] == type(ask(x)).__name__


def test_the_text_of_a_value_in_an_error_of_the_function():
    def f(x):
        raise ValueError(f"{x[0]} is too small")

    with pytest.raises(ValueError, match=r"^0.3 is too small$"):
        tape.value_and_grad(f, (A,))


def with_dtype(x):
    return np.sum(np.array([x[0], 2], dtype=np.float32))


def with_import(x):
    import math
    from math import sin

    import numpy.linalg as la

    return sin(x[0]) * math.cos(x[1]) * la.norm(x)


def with_scalars(x):
    return np.sum(x) * 2.0 if np.isscalar(x[0]) and not np.isscalar(x) else 0.0 * x[0]


def with_items(x):
    first, second = x.tolist()
    nested = x.reshape(2, 1).tolist()
    last = x.item(1) * x.reshape(2, 1).item(1, 0) * x.item(-1) * x[:1].item()
    return first * second + nested[1][0] ** 2 + last * (2.0 if type(first) is float else 3.0)


@pytest.mark.parametrize("function", [with_import, with_scalars, with_items])
def test_what_plain_functions_ask(function):
    value, gradient = tape.value_and_grad(function, (A,))
    assert value == pytest.approx(function(A))
    steps = [(function(A + h) - function(A - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, steps, rtol=1e-8)


def test_the_dtype_that_an_array_of_elements_is_given():
    value, gradient = tape.value_and_grad(with_dtype, (A.astype(np.float32),))
    assert type(value) is type(with_dtype(A.astype(np.float32))) is np.float32
    np.testing.assert_array_equal(gradient, [1.0, 0.0])


def test_numbers_of_python_in_single_precision_are_refused():
    for ask in (lambda x: x[0].item(), lambda x: x.tolist()[0]):
        with pytest.raises(adc.GraphCutError, match="float32 that requires a gradient"):
            tape.value_and_grad(ask, (A.astype(np.float32),))


def test_a_write_to_an_array_that_the_tape_does_not_see():
    held = [np.arange(5) * 1.0]

    def f(x):
        a = held[0]
        a[2] = x[0]
        return np.sum(a)

    def repaired(x):
        a = np.array(held[0])
        a[2] = x[0]
        return np.sum(a)

    with pytest.raises(adc.GraphCutError, match="cannot write a value with a derivative into this array"):
        tape.value_and_grad(f, (A,))
    np.testing.assert_array_equal(tape.value_and_grad(repaired, (A,))[1], [1.0, 0.0])


def _inner_derivatives(x):
    value, pull = adc.vjp(lambda y: y**3 * x, x)
    slope = adc.jvp(np.sin, (x,), (x,))[1]
    return value + pull(1.0)[0] + slope + adc.grad(lambda y: 0.25 * y**4)(x) + adc.hessian(lambda y: y**3)(x)


def test_derivatives_within_no_grad_are_constant():
    def f(x):
        with adc.no_grad():
            c = _inner_derivatives(x)
        return x * c

    expected = 16.0 + 24.0 + 2 * np.cos(2.0) + 8.0 + 12.0
    assert adc.grad(f, mode="tape")(2.0) == pytest.approx(expected)
    assert adc.jvp(f, (2.0,), (1.0,), mode="tape")[1] == pytest.approx(expected)


def test_directions_that_are_differentiated():
    for f in (
        lambda v: adc.vjp(np.sin, 1.0)[1](v)[0],
        lambda v: adc.jvp(np.sin, (1.0,), (v,))[1],
        lambda v: adc.linearize(np.sin, 1.0)[1](v),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", adc.FallbackWarning)
            assert adc.grad(f, mode="tape")(2.0) == pytest.approx(np.cos(1.0))


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_a_tangent_of_zero_stays_zero_where_the_partial_is_infinite(mode):
    x, v = np.array([0.0, 4.0]), np.array([0.0, 1.0])
    np.testing.assert_array_equal(adc.jvp(np.sqrt, (x,), (v,), mode=mode)[1], [0.0, 0.25])
    np.testing.assert_array_equal(adc.jvp(np.sqrt, (x,), (np.ones(2),), mode=mode)[1], [np.inf, 0.25])
    np.testing.assert_array_equal(adc.jacfwd(np.sqrt, mode=mode)(x), [[np.inf, 0.0], [0.0, 0.25]])


def quotient(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return 7.0 * a


@pytest.mark.parametrize(
    ("a", "b", "value", "bar"),
    [(1.0, 0.0, 7.0, 7.0), (1.0, 0, 7.0, 7.0), (np.float64(1.0), np.float64(0.0), np.inf, np.inf)],
)
def test_a_division_by_zero_of_pythons_numbers_raises(a, b, value, bar):
    with np.errstate(divide="ignore"):
        found = adc.value_and_grad(quotient, mode="tape")(a, b)
    assert found == (value, bar)


def test_a_division_by_zero_of_what_math_gives_raises():
    assert adc.grad(lambda a: quotient(a, math.sin(a) * 0.0), mode="tape")(1.0) == 7.0


@pytest.mark.tiny
@pytest.mark.parametrize("value, error", [(np.nan, ValueError), (np.inf, OverflowError)])
def test_no_integer_is_near_nan(value, error):
    with pytest.raises(error, match="cannot convert float"):
        tape.value_and_grad(lambda x: round(x[0]) * x[1], (np.array([value, 1.0]),))


def test_a_list_beside_a_tensor_is_an_array():
    special = pytest.importorskip("scipy.special")
    x = tape.tensor([0.7, 1.3], requires_grad=True)
    tape.call(special.polygamma, [[1], [2]], x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), special.polygamma([[2], [3]], x.detach().numpy()).sum(0))


def test_a_pullback_that_is_differentiated_gives_plain_numbers():
    _, pull = adc.vjp(np.sin, 0.7, mode="tape")
    _, push = adc.linearize(np.sin, 0.7, mode="tape")
    for linear in (lambda y: pull(y)[0], push):
        found = adc.grad(lambda y, linear=linear: linear(y) * y, mode="tape")(1.5)
        assert type(found) is float and found == pytest.approx(3.0 * np.cos(0.7))


def test_a_derivative_of_a_ufunc_is_made_in_traced_code():
    def f(x, y):
        return adc.vjp(adc.grad(np.sin), x)[1](y)[0]

    assert adc.grad(f, mode="tape")(0.7, 1.5) == pytest.approx(-1.5 * np.cos(0.7))


def itself(x, *, again=None, others=()):
    return x * x if again is not None else again


itself.__kwdefaults__["again"] = itself
itself.__defaults__ = None


def test_a_function_that_is_a_default_of_its_own():
    assert adc.grad(lambda x: itself(x) * x, mode="tape")(2.0) == 12.0
