"""Long lists among the arguments, and outside the function, are arrays in generated code: any length, one loop."""

import copy
import importlib.util
import inspect

import numpy as np
import pytest
from tests.api import list_programs

import adc
from adc import pytree
from adc.compiler.frontend import columns

WRITING = {"writes", "writes2"}
# What a list of columns is not able to do: there each element is an input of its own.
APART = {"chosen_in_loop", "points2", *WRITING}
COMPILED = {
    "plain",
    "rag",
    "mats",
    "pairs",
    "obs",
    "items",
    "sl2",
    "rag6",
    "points",
    "conn",
    "rag3",
    "index_lists",
}


def programs():
    return [pytest.param(f, a, id=f.__name__) for f, a in list_programs.PROGRAMS]


@pytest.mark.parametrize("function, arguments", programs())
def test_gradients(function, arguments):
    wanted = adc.grad(function, mode="tape")(*copy.deepcopy(arguments))
    g = adc.grad(function, mode="compiled" if function.__name__ in COMPILED else "python")
    for _ in range(2):
        np.testing.assert_allclose(g(*copy.deepcopy(arguments)), wanted, rtol=1e-9, atol=1e-12)
    assert (g.instead is None) == (function.__name__ in APART)
    longer = [a * 2 if type(a) is list else a for a in arguments]
    if function.__name__ not in WRITING:
        longer_wanted = adc.grad(function, mode="tape")(*longer)
        np.testing.assert_allclose(g(*longer), longer_wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("function, arguments", programs())
def test_lists_outside(function, arguments, tmp_path):
    if function.__name__ in WRITING:
        pytest.skip("lists outside the function are not written to")
    w, *lists = arguments
    names = list(inspect.signature(function).parameters)[1:]
    name = function.__name__
    text = f"def closed(w):\n    return {name}(w, {', '.join(names)})\n"
    text = f"from tests.api.list_programs import {name}\n{text}"
    (tmp_path / "outside.py").write_text(text)
    spec = importlib.util.spec_from_file_location("outside", tmp_path / "outside.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    g = adc.grad(module.closed, mode="python")
    for now in (lists, [a[1:] + a[:1] if type(a) is list else a for a in lists]):
        vars(module).update(zip(names, now, strict=True))
        wanted = adc.grad(function, mode="tape")(w, *now)
        np.testing.assert_allclose(g(w), wanted, rtol=1e-9, atol=1e-12)


def test_the_code_does_not_grow_with_the_list():
    def loss(w, batches):
        return sum(np.sum((x * w) ** 2) for x in batches)

    g = adc.grad(loss, mode="python")
    few, many = ([np.full(k % 3 + 1, 0.5) for k in range(n)] for n in (8, 300))
    np.testing.assert_allclose(g(2.0, many), 4.0 * sum(np.sum(x**2) for x in many))
    text = adc.source(g)
    np.testing.assert_allclose(g(2.0, few), 4.0 * sum(np.sum(x**2) for x in few))
    assert adc.source(g) == text == adc.source(g, 2.0, few)
    assert "batches[batches_starts[i]:batches_starts[i + 1]]" in text
    assert text.count("\n") < 20


def layers(parameters, x):
    for w, b in parameters:
        x = np.tanh(w @ x + b)
    return np.sum(x**2)


def horner(c, x):
    total = 0.0
    for a in reversed(c):
        total = total * x + a
    return total + c[3] * c[-1] + np.sum(np.array(c) ** 2)


def table(rows):
    return sum(row[0] * row[1] for row in rows) + np.sum(np.array(rows) ** 2)


def named(p, xs):
    return p["scale"] * sum(np.sum(a**3) for a in p["a"]) + sum(np.sum(x) for x in xs) * p["a"][0][1]


def ragged(xs):
    return sum(np.sum(x**2) for x in xs)


def unpacked(p):
    a, b, c, d, e, f, g, h = p
    return a * b + c * d - e * f + g / h


RNG = np.random.default_rng(7)
DIFFERENTIATED = [
    (layers, [(RNG.normal(size=(3, 3)), RNG.normal(size=3)) for _ in range(9)], np.ones(3)),
    (horner, [0.1 * k for k in range(12)], 0.3),
    (table, [[0.1 * k, 0.5] for k in range(9)]),
    (named, {"a": list(RNG.normal(size=(8, 2))), "scale": 1.5}, list(RNG.normal(size=(9, 3)))),
    (ragged, [np.full(k % 2 + 1, 0.5 * k) for k in range(9)]),
    (ragged, list(np.ones((9, 2), np.float32))),
    (unpacked, [1, 2, 3, 4, 5, 6, 7, 8]),
]


@pytest.mark.parametrize(
    "function, arguments", [pytest.param(f, a, id=f.__name__) for f, *a in DIFFERENTIATED]
)
def test_gradients_of_lists_are_lists(function, arguments):
    every = tuple(range(len(arguments)))
    g = adc.grad(function, every, mode="compiled" if function in (layers, horner) else "python")
    wanted = pytree.flatten(adc.grad(function, every, mode="tape")(*arguments))
    out = copy.deepcopy(tuple(arguments))
    for found in (g(*arguments), g(*arguments, out=out)):
        leaves, structure = pytree.flatten(found)
        assert structure == wanted[1] and g.instead is not None
        for a, b in zip(leaves, wanted[0], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)
            assert np.result_type(a) == np.result_type(b)


def test_a_list_of_another_length_is_not_taken_for_the_first():
    g = adc.grad(unpacked, mode="python")
    np.testing.assert_allclose(g([1.0] * 8), [1, 1, 1, 1, -1, -1, 1, -1])
    with pytest.raises(ValueError, match="too many values"):
        g([1.0] * 9)


def test_elements_of_other_kinds_make_other_code():
    def loss(w, items):
        return sum(np.sum(np.asarray(x) * w) for x in items)

    g = adc.grad(loss, mode="python")
    for items in (
        [1.0] * 9,
        [np.ones(2)] * 9,
        [np.ones(k + 1) for k in range(9)],
        [1.0, np.ones(2)] * 5,
        [2] * 9,
        [2**70] * 9,
        [[1.0, 2.0]] * 9,
        [[1.0, 2.0], [3.0]] * 5,
        [np.ones((2, k % 2 + 1)) for k in range(9)],
        [np.ones(2, np.float32)] * 9,
    ):
        wanted = float(sum(np.sum(np.asarray(x)) for x in items))
        np.testing.assert_allclose(g(1.0, items), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "items",
    [
        [np.ones(2)] * 7,
        [np.ones(2), 1.0] * 5,
        [np.ones(2), np.ones(2, np.float32)] * 5,
        [np.ones((2, 3)), np.ones((2, 4))] * 5,
        [np.ones(()) for _ in range(9)],
        [True] * 9,
        ["a"] * 9,
        [(1.0,), (1.0, 2.0)] * 5,
        [()] * 9,
        [None] * 9,
        [np.array(["a"])] * 9,
    ],
    ids=str,
)
def test_lists_that_are_no_columns(items):
    assert columns.of(items) is None


def test_a_list_outside_that_changes():
    data = [np.ones(k % 2 + 1) for k in range(9)]

    def loss(w):
        return sum(np.sum(x * w) for x in data)

    g = adc.grad(loss, mode="python")
    assert g(1.0) == 13.0
    data[0][:] = 3.0
    data.append(np.ones(4))
    assert g(1.0) == 19.0
    data[:] = [1.0, 2.0]
    assert g(1.0) == 3.0
    data[:] = [np.ones((2, 2))] * 9
    assert g(1.0) == 36.0


def test_the_message_names_the_list():
    def loss(w, rows):
        return sum(x[4] * w for x in rows)

    with pytest.raises(IndexError):
        adc.grad(loss, mode="compiled")(1.0, [np.ones(3)] * 9)
