"""Containers outside the function: what is in them is read at each call; writing to them is refused."""

import sys
import types
from collections import defaultdict

import numpy as np
import pytest
from scipy.integrate import fixed_quad

import adc

SETTINGS = {"scale": 2.0, "weights": np.ones(3), "nested": {"shift": np.arange(3.0)}, "power": 2}
LAYERS = (np.ones(3), np.arange(3.0))
ROWS = [np.ones(3), np.arange(3.0)]
POINT = np.array([0.5, -1.0, 2.0])


class Model:
    def __init__(self):
        self.parameters = {"w": np.array([1.0, 2.0, 3.0])}

    def loss(self, x):
        return np.sum(self.parameters["w"] * x**2)


def by_key(x):
    return (
        np.sum((SETTINGS["weights"] * x - SETTINGS["nested"]["shift"]) ** SETTINGS["power"])
        * SETTINGS["scale"]
    )


def by_items(x):
    total = 0.0
    for value in SETTINGS["nested"].values():
        total = total + np.sum(value * x)
    return total * SETTINGS.get("scale", 1.0) + SETTINGS.get("nothing", 7.0) * x[0]


def scaled(x, scale, weights, **rest):
    return scale * np.sum(weights * x**2)


def as_keywords(x):
    return scaled(x, **SETTINGS) + {**SETTINGS}["scale"] * x[1] + dict(SETTINGS)["weights"][0]


def of_tuples(x):
    total = 0.0
    for layer in LAYERS:
        total = total + np.sum(layer * x**2)
    return total + np.sum(ROWS[1] * x) + len(ROWS) * x[0]


AXES = [1, 0]
PLACES = [0, 2]
SCALES = [2.0, [0.5, 3.0]]


def of_lists(x):
    a = np.reshape(np.concatenate((x, x**2)), (2, 3))
    total = np.sum(np.transpose(a, AXES)[PLACES] ** 2) + SCALES[0] * x[0] + SCALES[1][-1] * x[1]
    for factor in SCALES[1]:
        total = total + factor * x[2] ** 2
    return total * (2.0 if isinstance(PLACES, list) else 1.0) + sum(AXES + PLACES) * x[0]


@pytest.mark.parametrize("mode", ("python", "tape"))
@pytest.mark.parametrize(
    "f", (by_key, by_items, as_keywords, of_tuples, of_lists, Model().loss), ids=lambda f: f.__name__
)
def test_containers(f, mode):
    adc.check_grads(f, (POINT,), order=2, mode=mode)


@pytest.mark.machine_code
def test_containers_compiled():
    adc.check_grads(by_key, (POINT,), order=1, mode="compiled")


@pytest.mark.parametrize("mode", ("python", "tape"))
def test_what_changes_between_calls(mode):
    settings = {"scale": 2.0, "weights": np.ones(3)}
    gradient = adc.grad(lambda x: np.sum(settings["weights"] * x) * settings["scale"], mode=mode)
    assert np.array_equal(gradient(POINT), [2.0, 2.0, 2.0])
    settings["scale"] = 5.0
    assert np.array_equal(gradient(POINT), [5.0, 5.0, 5.0])
    settings["weights"] = np.arange(3.0)
    assert np.array_equal(gradient(POINT), [0.0, 5.0, 10.0])
    settings["weights"][0] = 1.0
    settings["more"] = 1
    assert np.array_equal(gradient(POINT), [5.0, 5.0, 10.0])


def test_a_list_that_grows():
    rows = [np.ones(3)]
    gradient = adc.grad(lambda x: sum(np.sum(row * x) for row in rows), mode="python")
    assert np.array_equal(gradient(POINT), [1.0, 1.0, 1.0])
    rows.append(np.arange(3.0))
    assert np.array_equal(gradient(POINT), [1.0, 2.0, 3.0])


TABLEAU = [[], [0.5], [0.0, 0.5]]


def by_stages(x):
    slopes = []
    for row in TABLEAU:
        y = x
        for weight, slope in zip(row, slopes, strict=True):
            y = y + 0.1 * weight * slope
        slopes.append(np.sin(y))
    return np.sum(sum(slopes) ** 2)


@pytest.mark.parametrize("mode", ("python", "tape", "compiled"))
def test_a_list_with_an_empty_one(mode):
    adc.check_grads(by_stages, (POINT,), order=1, mode=mode)


@pytest.mark.parametrize("mode", ("python", "tape"))
def test_an_empty_list_that_grows(mode):
    rows = []
    gradient = adc.grad(lambda x: np.sum(x) + sum(np.sum(row * x) for row in rows), mode=mode)
    assert np.array_equal(gradient(POINT), [1.0, 1.0, 1.0])
    rows.append(np.arange(3.0))
    assert np.array_equal(gradient(POINT), [1.0, 2.0, 3.0])


def assigned(x):
    SETTINGS["scale"] = x[0]
    return np.sum(x)


def augmented(x):
    SETTINGS["scale"] += 1.0
    return np.sum(x)


def updated(x):
    SETTINGS.update(scale=x[0])
    return np.sum(x)


def appended(x):
    for k in range(3):
        PLACES.append(k)
    return np.sum(x)


def appended_under_another_name(x):
    places = PLACES
    for k in range(x.size):
        places.append(k)
    return np.sum(x) * len(places)


def replaced(x):
    ROWS[0] = x
    return np.sum(ROWS[0])


def extended(x):
    places = PLACES
    places += [1]
    return np.sum(x) * len(places)


@pytest.mark.parametrize("f", (appended, appended_under_another_name, extended), ids=lambda f: f.__name__)
def test_what_is_appended_to_a_list(f):
    before = list(PLACES)
    try:
        value = adc.value_and_grad(f, mode="python")(POINT)[0]
        left = list(PLACES)
        PLACES[:] = before
        assert value == f(POINT) and left == PLACES != before
    finally:
        PLACES[:] = before


def test_writing_to_an_element_of_a_list_is_refused():
    with pytest.raises(adc.UnsupportedError, match="is a list outside the function, and is written to"):
        adc.grad(replaced, mode="python")(POINT)
    assert ROWS[0].shape == (3,)


@pytest.mark.parametrize("f", (assigned, augmented, updated), ids=lambda f: f.__name__)
def test_what_is_written_to_a_dict(f):
    try:
        value = adc.value_and_grad(f, mode="python")(POINT)[0]
        left = SETTINGS["scale"]
        SETTINGS["scale"] = 2.0
        assert value == f(POINT) and left == SETTINGS["scale"]
    finally:
        SETTINGS["scale"] = 2.0


COUNTS = defaultdict(float, {"a": 2.0})


def missing(x):
    return np.sum(x) * (COUNTS["a"] + COUNTS["b"])


def test_a_missing_key_is_put_in():
    assert np.array_equal(adc.grad(missing, mode="python")(POINT), [2.0, 2.0, 2.0])
    assert COUNTS.pop("b") == 0.0


def variable(value):
    """A function that multiplies by a variable around it, and one that changes the variable."""

    def multiplied(x):
        return np.sum(value * x)

    def change(new):
        nonlocal value
        value = new

    return multiplied, change


@pytest.mark.parametrize("mode", ("python", "tape"))
@pytest.mark.parametrize("value", (2, 2.5, np.ones(3)), ids=("constant", "number", "array"))
def test_two_variables_of_one_name_that_hold_one_value(value, mode):
    first, _ = variable(value)
    second, change = variable(value)
    gradient = adc.grad(lambda x: first(x) + second(x), mode=mode)
    assert np.array_equal(gradient(POINT), 2 * value * np.ones(3))
    change(7)
    assert np.array_equal(gradient(POINT), (value + 7) * np.ones(3))


def asking_for_a_module(x):
    return np.sum(x * x) if "numpy" in sys.modules and sys.modules.get("no such module") is None else x[0]


def test_other_keys_of_a_dict_may_change():
    # The module of the generated code is one of them.
    assert np.array_equal(adc.grad(asking_for_a_module, mode="python")(POINT), 2 * POINT)
    settings = {"scale": 2.0}
    gradient = adc.grad(lambda x: np.sum(x) * settings.get("scale", 1.0) * len(settings), mode="python")
    assert np.array_equal(gradient(POINT), [2.0, 2.0, 2.0])
    settings["more"] = 1
    assert np.array_equal(gradient(POINT), [4.0, 4.0, 4.0])
    del settings["scale"]
    assert np.array_equal(gradient(POINT), [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "f",
    (
        lambda x, held: np.sum(x) if held == {"power": 2} else np.sum(x**2),
        lambda x, held: np.sum(x ** ({"other": 1} | held)["power"]),
    ),
    ids=("compared", "joined"),
)
def test_dicts_as_a_whole_are_as_at_the_call(f):
    held = {"power": 2}
    gradient = adc.grad(lambda x: f(x, held), mode="python")
    first = gradient(POINT)
    held["power"] = 3
    assert not np.array_equal(gradient(POINT), first)
    adc.check_grads(lambda x: f(x, held), (POINT,), mode="python")


ORDER = 1.0


def test_a_number_that_says_what_is_computed_is_a_constant_or_the_tapes():
    def largest_column(a):
        return np.linalg.norm(a, ORDER)

    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(adc.UnsupportedError, match="an argument that says what is computed"):
        adc.grad(largest_column, mode="compiled")(a)
    np.testing.assert_array_equal(adc.grad(largest_column, mode="tape")(a), [[0.0, 1.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("name", "other", "use"),
    [
        ("__len__", lambda self: 7, lambda x, of: x * len(of(x))),
        ("__lt__", lambda self, other: False, lambda x, of: x if of(x) < of(2 * x) else 2 * x),
        ("__iter__", lambda self: iter([self.a] * 5), lambda x, of: sum([*of(x)])),
        ("__abs__", lambda self: 5 * self.a, lambda x, of: abs(of(x))),
        ("__contains__", lambda self, item: False, lambda x, of: x if 3 in of(x) else 2 * x),
        ("__eq__", lambda self, other: False, lambda x, of: x if of(x) == of(x) else 2 * x),
        ("__getattr__", lambda self, name: 4.0, lambda x, of: of(x).b * x),
    ],
)
def test_a_method_of_a_protocol_that_is_put_in_the_place_of_another(name, other, use):
    class Number:
        def __init__(self, a):
            self.a = a

        __len__, __lt__, __iter__ = lambda self: 3, lambda self, other: True, lambda self: iter([self.a] * 2)
        __abs__, __contains__ = lambda self: self.a, lambda self, item: True
        __eq__, __getattr__ = lambda self, other: True, lambda self, name: 1.0

    def f(x):
        return use(x, Number)

    g = adc.value_and_grad(f, mode="compiled")
    assert g(1.5)[0] == f(1.5)
    setattr(Number, name, other)
    assert g(1.5)[0] == f(1.5)


TABLES = types.ModuleType("scipy.tables")
TABLES.known, TABLES.seen = {}, []


def kept_in_a_library(x):
    TABLES.known[3] = x * 2.0
    return np.sum(TABLES.known[3])


def listed_in_a_library(x):
    TABLES.seen.append(x)
    return np.sum(TABLES.seen[0])


def test_what_is_put_into_a_dict_of_a_library():
    assert np.array_equal(adc.grad(kept_in_a_library, mode="python")(POINT), [2.0, 2.0, 2.0])
    assert np.array_equal(TABLES.known.pop(3), 2 * POINT)


def test_reading_a_list_that_gets_longer_is_refused():
    with pytest.raises(adc.UnsupportedError, match="a list outside the function, to which it appends"):
        adc.grad(listed_in_a_library, mode="python")(POINT)
    assert not TABLES.seen


@pytest.mark.parametrize("degree", (5, 7))
def test_what_scipy_remembers_stays_what_it_was(degree):
    """`fixed_quad` keeps its nodes in a dict."""

    def work(x):
        return fixed_quad(lambda t: x[0] * t**3, 0.0, x[2], n=degree)[0]

    for _ in range(2):
        np.testing.assert_allclose(adc.grad(work, mode="python")(POINT), [4.0, 0.0, 4.0])
    assert work(POINT) == pytest.approx(2.0)


GAINS = np.zeros(3)


def amplified(v):
    return v * GAINS[0]


def amplified_in_turn(x):
    GAINS[:] = 1.0
    s = 0.0
    for v in (amplified(u) for u in x):
        np.add(GAINS, x, GAINS)
        s += v
    return s


@pytest.mark.parametrize("mode", ["python", "compiled", "tape"])
def test_an_array_of_the_module_that_a_function_reads(mode):
    x = np.array([0.5, 1.5, 0.8])
    found = adc.grad(amplified_in_turn, mode=mode)(x)
    steps = 1e-6 * np.eye(3)
    expected = [(amplified_in_turn(x + d) - amplified_in_turn(x - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
