"""Which function one is, traced code asks of the function itself: in comparisons, and as keys of tables."""

import math
import types

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

special = pytest.importorskip("scipy.special")


def square(x):
    return x * x


TABLE = {"sin": np.sin, "log": special.gammaln, "math": math.sin, "own": square}
WEIGHTS = {np.sin: 2.0, np.cos: 3.0, special.gammaln: 4.0, square: 5.0}


class Layer:
    activation = staticmethod(np.tanh)

    def __init__(self):
        self.inner, self.outer = np.sin, square

    def scale(self):
        return 2.0


LAYER = Layer()


def of_a_table(x):
    return 2.0 * x if TABLE["sin"] is np.sin and TABLE["own"] is square else 3.0 * x


def by_equality(x):
    return 2.0 * x if TABLE["log"] == special.gammaln and TABLE["math"] != math.cos else 3.0 * x


def of_an_object(x):
    return 2.0 * x if LAYER.inner is np.sin and LAYER.outer is square and Layer.activation is np.tanh else x


def among_several(x):
    return 2.0 * x if np.sin in (TABLE["sin"],) and TABLE["own"] in [np.cos, square] else x


def as_a_key(x):
    here = {np.sin: 2.0, square: 3.0}
    return x * WEIGHTS[special.gammaln] + WEIGHTS.get(square, 0.0) * x * here[TABLE["sin"]] * here[square]


def counted(x):
    return x * [np.sum, np.cos].index(np.cos) + x * x * [square].count(square)


def of_a_method(x):
    return 2.0 * x if LAYER.scale == LAYER.scale and LAYER.scale.__func__ is Layer.scale else x


def _applied(x, f=np.sin, g=square):
    return 2.0 * x if f is np.sin and g is square and f is not g else 3.0 * x


def of_parameters(x):
    return _applied(x) + _applied(x, np.sin, g=TABLE["own"]) + _applied(x, TABLE["sin"], square)


def of_a_closure(x):
    chosen = TABLE["sin"]

    def slope():
        return 2.0 if chosen is np.sin else 3.0

    return slope() * x + sum(v * x for v in (1.0, 2.0) if chosen is np.sin)


PROGRAMS = [
    of_a_table,
    by_equality,
    of_an_object,
    among_several,
    as_a_key,
    counted,
    of_a_method,
    of_parameters,
    of_a_closure,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_answer_is_that_of_the_function(f):
    value, slope = adc.value_and_grad(f, mode="tape")(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-8)


def test_without_a_source_it_is_refused():
    text = "def f(x):\n    return 2.0 * x if TABLE['sin'] is np.sin else 3.0 * x\n"
    module = types.ModuleType("typed")
    module.__dict__.update(TABLE=TABLE, np=np)
    exec(compile(text, "<nowhere>", "exec"), module.__dict__)
    with pytest.raises(UnsupportedError, match="`f` asks which function one is, and has no source"):
        adc.grad(module.f, mode="tape")(0.7)


def test_equal_code_of_two_files_keeps_its_place(tmp_path):
    functions = []
    for name in ("first.py", "second.py"):
        file = tmp_path / name
        file.write_text("def f(x):\n    return np.save('nowhere', x)\n")
        module = types.ModuleType(name)
        module.__dict__["np"] = np
        exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
        functions.append(module.f)
    for f, name in zip(functions, ("first.py", "second.py"), strict=True):
        with pytest.raises(UnsupportedError, match=name):
            adc.grad(f, mode="tape")(0.7)
