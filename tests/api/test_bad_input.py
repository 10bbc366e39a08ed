"""Every bad input gives a clear error or a right answer, in every mode."""

from __future__ import annotations

import abc

import numpy as np
import pytest

import adc

MODES = ["auto", "compiled", "python", "tape"]
X = np.array([1.0, 2.0, 3.0])


def sum_of_products(x, y):
    z = x * 2.0
    return np.sum(z * y)


@pytest.mark.parametrize("mode", MODES)
def test_wrong_shapes_are_the_primals_own_error_at_its_line(mode):
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        adc.grad(sum_of_products, mode=mode)(np.ones(3), np.ones(4))
    frames = [f for f in caught.traceback if f.name == "sum_of_products"]
    assert frames and "np.sum(z * y)" in str(frames[-1].statement)


@pytest.mark.parametrize("mode", MODES)
def test_assert_of_the_user(mode):
    def f(x):
        assert np.sum(x) > 0, "must be positive"
        return np.sum(x * x)

    g = adc.grad(f, mode=mode)
    np.testing.assert_allclose(g(X), 2 * X)
    with pytest.raises(AssertionError, match="must be positive"):
        g(-X)
    np.testing.assert_allclose(g(X), 2 * X)


@pytest.mark.parametrize("mode", MODES)
def test_integer_arrays(mode):
    with pytest.raises(TypeError, match=r"`x` has the dtype int64.*\n(.*\n)*.*x.astype\(float\)"):
        adc.grad(sum_of_products, mode=mode)(np.arange(3), X)
    np.testing.assert_allclose(adc.grad(sum_of_products, mode=mode)(X, np.arange(3)), [0, 2, 4])


@pytest.mark.parametrize("mode", ["auto", "tape"])
@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_an_integer_that_is_needed_as_one(mode):
    def f(settings):
        return sum(settings["rate"] for _ in range(settings["n"]))

    with pytest.raises(adc.ArgumentError, match=r"with respect to `settings\['n'\]`\n    return sum"):
        adc.grad(f, mode=mode)({"n": 3, "rate": 0.1})
    with pytest.raises(TypeError, match=r"interpreted|range"):
        adc.grad(f, mode=mode)({"n": 3.5, "rate": 0.1})


@pytest.mark.parametrize("bad", [np.array([1.0], object), np.array([(1.0,)], [("a", float)])])
def test_arrays_that_do_not_say_that_they_hold_floats(bad):
    with pytest.raises(TypeError, match="does not say that it holds floats"):
        adc.grad(lambda x: np.sum(x))(bad)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bad", ["text", None, True, object(), {"w": "text"}, [], np.array(["a"])])
def test_no_number(mode, bad):
    with pytest.raises(adc.ArgumentError):
        adc.grad(lambda x: x, mode=mode)(bad)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.array])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_special_arrays(kind):
    with pytest.raises(adc.ArgumentError, match=r"np\.asarray"):
        adc.grad(lambda x: np.sum(x * x))(kind([[1.0]]))


@pytest.mark.parametrize("kind", [np.matrix, np.ma.array])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_special_arrays_outside(kind, mode):
    held = kind([[1.0, 2.0]])
    with pytest.raises(adc.AdcError, match=r"np\.asarray"):
        adc.grad(lambda x: np.sum(x * held), mode=mode)(np.ones((1, 2)))


def test_foreign_byte_order():
    with pytest.raises(adc.ArgumentError, match="byte order"):
        adc.grad(lambda x: np.sum(x * x))(X.astype(">f8"))


@pytest.mark.parametrize("mode", MODES)
def test_nan_goes_through(mode):
    g = adc.grad(lambda x: np.sum(x * x), mode=mode)(np.array([np.nan, 1.0]))
    assert np.isnan(g[0]) and g[1] == 2.0
    value, g = adc.value_and_grad(lambda x: np.sum(np.log(x)), mode=mode)(np.array([0.0, -1.0, 2.0]))
    assert np.isnan(value) and g[2] == 0.5


@pytest.mark.parametrize("thing", [np.random.standard_gamma, np.busday_count, print, dict, 3.0])
def test_builtins(thing):
    with pytest.raises(adc.SourceError):
        adc.grad(thing)


def test_lambda():
    np.testing.assert_allclose(adc.grad(lambda x: np.sum(x * x), mode="compiled")(X), 2 * X)


def test_no_source():
    space = {"np": np}
    exec("def f(x):\n    return np.sum(x * x)\n", space)
    with pytest.raises(adc.SourceError, match="cannot find the source"):
        adc.grad(space["f"], mode="compiled")(X)
    g = adc.grad(space["f"])
    with pytest.warns(adc.FallbackWarning, match="runs on the tape: adc cannot find the source"):
        np.testing.assert_allclose(g(X), 2 * X)
    assert g.mode == "tape"
    np.testing.assert_allclose(g(X), 2 * X)  # the warning came once


def nothing(x):
    np.sum(x)


def vector(x):
    return x * x


def whole_number(x):
    return np.argmax(x)


def pair(x):
    return np.sum(x), x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "function, text",
    [
        (nothing, "returns None"),
        (vector, "an array with 1 axis.*\n(.*\n)*.*adc.vjp .*adc.jacobian"),
        (whole_number, "returns an integer"),
        (pair, r"returns a tuple of 2(.*\n)*.*has_aux=True"),
    ],
)
def test_results_that_have_no_gradient(mode, function, text):
    with pytest.raises(adc.DerivativeError, match=text):
        adc.grad(function, mode=mode)(X)


class Model:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda x: (value for value in x), "an iterator"),
        (lambda x: zip(x, x, strict=True), "an iterator"),
        (lambda x: range(3), "a range"),
        (lambda x: lambda: x, "a function"),
        (lambda x: np.sin, "a ufunc"),
        (lambda x: [x], "a list of 1"),
        (lambda x: Model(x), "an object of class `Model`"),
    ],
)
def test_results_are_told_as_python_calls_them(function, text):
    with pytest.raises(adc.ResultError, match=f"returns {text}$|returns {text}\n"):
        adc.grad(function, mode="compiled")(X)


def squares(w, x, y):
    apart = x @ w - y  # a column
    return apart.T @ apart


@pytest.mark.parametrize("mode", MODES)
def test_an_array_of_one_element_counts_as_a_number(mode):
    w, x, y = np.array([[0.5], [2.0]]), np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 1.0]]), np.ones((3, 1))
    value, w_bar = adc.value_and_grad(squares, mode=mode)(w, x, y)
    np.testing.assert_allclose(
        [value, *w_bar[:, 0]], [squares(w, x, y).item(), *(2.0 * x.T @ (x @ w - y))[:, 0]]
    )
    np.testing.assert_allclose(adc.hvp(lambda w: squares(w, x, y), w, w, mode=mode), 2.0 * x.T @ x @ w)
    assert adc.hessian(squares, mode=mode)(w, x, y).shape == (1, 1, 2, 1, 2, 1)  # as of every array
    with pytest.raises(adc.ResultError, match="an array with 2 axes"):
        adc.grad(squares, mode=mode)(np.ones((2, 2)), x, y)


@pytest.mark.parametrize("mode", MODES)
def test_has_aux_without_a_pair(mode):
    with pytest.raises(adc.DerivativeError, match="pair"):
        adc.grad(lambda x: np.sum(x), has_aux=True, mode=mode)(X)
    with pytest.raises(adc.DerivativeError, match="the first of the pair must be one real number"):
        adc.grad(lambda x: (x, np.sum(x)), has_aux=True, mode=mode)(X)


@pytest.mark.parametrize("mode", MODES)
def test_constant_function(mode):
    assert adc.value_and_grad(lambda x: 3.0, mode=mode)(2.0) == (3.0, 0.0)
    np.testing.assert_array_equal(adc.grad(lambda x: 3.0, mode=mode)(X), np.zeros(3))


@pytest.mark.parametrize("argnums", [2, -3, "z", (0, 0), ("x", 0), 1.5, True])
def test_argnums_that_name_nothing(argnums):
    with pytest.raises(adc.ArgumentError):
        adc.grad(sum_of_products, argnums)


def test_mode_that_is_none():
    with pytest.raises(adc.ArgumentError, match="auto, compiled, python, tape"):
        adc.grad(vector, mode="fast")


@pytest.mark.parametrize("mode", MODES)
def test_empty_and_single(mode):
    g = adc.grad(lambda x: np.sum(x * x), mode=mode)
    assert g(np.zeros(0)).shape == (0,)
    np.testing.assert_allclose(g(np.array([3.0])), [6.0])
    np.testing.assert_allclose(g(X), 2 * X)


def refusing(x):
    if x.shape[0] > 0:
        raise ValueError("no elements, please")
    return np.sum(x)


def asserting(x):
    assert x.ndim == 2, "a matrix, please"
    return np.sum(x)


def sloped(x):
    return np.sum(np.gradient(x, edge_order=2) ** 2)


@pytest.mark.parametrize("mode", ["auto", "python", "tape"])
@pytest.mark.parametrize(
    ("function", "n", "message"),
    [
        (refusing, 3, "no elements"),
        (asserting, 3, "a matrix"),
        (sloped, 1, "edge_order"),
        (sloped, 2, "edge_order"),
    ],
)
def test_what_the_function_raises_is_raised(function, n, message, mode):
    # A rule's body says what NumPy refuses by an assertion.
    with pytest.raises((ValueError, AssertionError), match=message):
        adc.grad(function, mode=mode)(np.arange(float(n)))


def test_what_is_raised_for_all_arguments_says_the_numbers_of_these():
    def refused(x):
        raise RuntimeError(f"no step for {x:.2f}")

    with pytest.raises(RuntimeError, match=r"no step for 2\.50"):
        adc.grad(refused)(2.5)


@pytest.mark.parametrize("mode", ["tape", "compiled"])
def test_an_abstract_class_has_no_objects(mode):
    class Potential(abc.ABC):
        @abc.abstractmethod
        def energy(self, r):
            return r

    with pytest.raises((TypeError, adc.UnsupportedError), match="instantiate abstract class"):
        adc.grad(lambda r: Potential().energy(r), mode=mode)(1.0)


def over_a_row(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def over_a_list(x, y):
    total = 0.0
    for a, b in zip(x[: y.size], (1.0, 2.0, 3.0), strict=True):
        total += a * b
    return total


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [over_a_row, over_a_list])
def test_zip_that_is_strict(f, mode):
    g = adc.grad(f, mode=mode)
    np.testing.assert_allclose(g(X, X), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="argument 2"):
        g(X, X[:2])


def weighted(x, w):
    return np.sum(np.sin(x) * w["scale"])


def _bad_calls(mode):
    """Each transform with an argument that has no derivative, and how the user would write that argument."""
    return [
        (lambda bad: adc.grad(weighted, mode=mode)(bad, {"scale": X}), "x"),
        (lambda bad: adc.value_and_grad(weighted, "w", mode=mode)(X, {"scale": bad}), r"w(\['scale'\])?"),
        (lambda bad: adc.jacobian(weighted, mode=mode)(bad, {"scale": X}), "x"),
        (lambda bad: adc.hessian(weighted, mode=mode)(bad, {"scale": X}), "x"),
        (lambda bad: adc.vjp(weighted, bad, {"scale": X}, mode=mode), "x"),
        (lambda bad: adc.jvp(lambda x: weighted(x, {"scale": X}), (bad,), (bad,), mode=mode), "x"),
        (lambda bad: adc.hvp(lambda x: weighted(x, {"scale": X}), bad, bad, mode=mode), "x"),
        (lambda bad: adc.source(adc.grad(weighted, mode=mode), bad, {"scale": X}), "x"),
    ]


@pytest.mark.parametrize("mode", ["auto", "tape"])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (None, "is None|holds nothing"),
        ("text", "is 'text'|holds nothing"),
        (memoryview(b"12"), "class `memoryview`"),
        (np.arange(3), "dtype int64"),
        (np.ma.array(X, mask=[1, 0, 0]), "a `MaskedArray`"),
        (X.astype(">f8"), "byte order"),
    ],
    ids=["None", "text", "memoryview", "integers", "masked", "big_endian"],
)
def test_a_refused_argument_is_called_as_the_user_calls_it_and_the_function_is_shown(bad, said, mode):
    for call, name in _bad_calls(mode):
        with pytest.raises(adc.ArgumentError, match=rf"test_bad_input.py:\d+.*`{name}` .*({said})"):
            call(bad)


def test_an_argument_of_a_batch_without_the_axis():
    batched = adc.vmap(weighted, in_axes=(0, {"scale": 1}))
    with pytest.raises(
        adc.ArgumentError, match=r"axis 1 of `w\['scale'\]`, which has 1 axis\n    def weighted"
    ):
        batched(np.eye(3), {"scale": X})
    with pytest.raises(adc.ArgumentError, match="`x` is a `MaskedArray`"):
        adc.vmap(weighted)(np.ma.array(1.0), {"scale": X})


def test_what_is_no_argument_is_refused_before_the_function_runs():
    ran = []

    def product(x):
        ran.append(1)
        return np.sum(np.asarray(x) * x)

    with pytest.raises(adc.ArgumentError, match="`x` is a `MaskedArray`"):
        adc.jacobian(product)(np.ma.array(X))
    with pytest.raises(adc.ArgumentError, match="`x` is a `MaskedArray`"):
        adc.check_grads(product, (np.ma.array(X),))
    assert not ran


def test_a_function_of_a_library_has_no_line_of_the_user():
    with pytest.raises(adc.ArgumentError) as caught:
        adc.grad(np.sum)(None)
    assert caught.value.location is None


def squared(x):
    return np.sum(x * x)


@pytest.mark.parametrize(
    "call",
    [
        lambda: adc.grad(squared, X),
        lambda: adc.grad(squared, 0, X),
        lambda: adc.value_and_grad(squared, (X,)),
        lambda: adc.jacobian(squared, X),
        lambda: adc.hessian(squared, X),
        lambda: adc.vjp(squared, X, argnums=X),
    ],
)
def test_arguments_in_the_place_of_argnums_are_refused_where_they_are_written(call):
    with pytest.raises(adc.ArgumentError, match=r"but a `ndarray`\n.*adc\.grad\(f\)\(x\)"):
        call()


async def later(x):
    return np.sum(x)


async def steps(x):
    yield np.sum(x)


class Remote:
    async def loss(self, x):
        return np.sum(x)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [later, steps, Remote().loss])
def test_coroutines_have_no_derivative_on_any_engine(function, mode):
    with pytest.raises(
        adc.UnsupportedError, match=r"test_bad_input.py:\d+:\d+: .*coroutine.*\n    async def"
    ):
        adc.grad(function, mode=mode)(X)


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("kind", [np.matrix, np.ma.array])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_special_arrays_as_directions(mode, kind):
    def stretched(x):
        return x * 2.0

    column = np.ones((1, 3))
    with pytest.raises(adc.AdcError, match=r"the adjoint.*(MaskedArray|matrix)`"):
        adc.vjp(stretched, column, mode=mode)[1](kind(column))
    with pytest.raises(adc.AdcError, match=r"(MaskedArray|matrix)`"):
        adc.jvp(stretched, (column,), (kind(column),), mode=mode)
    with pytest.raises(adc.AdcError, match=r"(MaskedArray|matrix)`"):
        adc.linearize(stretched, column, mode=mode)[1](kind(column))


@pytest.mark.parametrize("kind", [np.matrix, np.ma.array])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_special_arrays_lose_nothing_in_a_tensor_or_vector(kind):
    for made in (adc.tensor, adc.from_numpy, adc.ravel_pytree):
        with pytest.raises(adc.AdcError, match=r"(MaskedArray|matrix)`"):
            made(kind([[1.0, 2.0]]))


@pytest.mark.parametrize("leaf", ["text", object(), b"12"])
def test_what_has_no_place_in_a_vector(leaf):
    with pytest.raises(adc.ArgumentError, match=r"`tree\['name'\]` is a"):
        adc.ravel_pytree({"w": X, "name": leaf})


@pytest.mark.parametrize("directions", [0, -1, 2.0, "3"])
def test_a_check_without_directions_checks_nothing(directions):
    with pytest.raises(adc.ArgumentError, match="directions="):
        adc.check_grads(squared, (X,), directions=directions)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_results_of_a_batch_without_the_axis():
    def plain(x):
        return x * 2.0

    with pytest.raises(adc.ArgumentError, match=r"axis 3 of results with 1 axes\n    def plain"):
        adc.vmap(plain, out_axes=3)(np.eye(2))
