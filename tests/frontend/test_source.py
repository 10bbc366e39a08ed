"""The text found is that of the function that runs, whatever its kind and wherever it was typed."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import linecache
import math
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import gast
import numba
import numpy as np
import pytest

import adc
from adc.compiler.frontend import source
from adc.errors import SourceError, UnsupportedError

pytestmark = pytest.mark.tiny


def body(function) -> str:
    """The tree printed as Python on one line: what the compiler will see."""
    tree = ast.fix_missing_locations(gast.gast_to_ast(copy.deepcopy(source.of(function).tree)))
    return "; ".join(ast.unparse(statement) for statement in tree.body)


def named(decorator):
    return decorator


def identity(function):
    return function


def plain(x):
    return x + 1


@named(identity)
@identity
def decorated(x):
    return x + 2


def scaled(function):
    @functools.wraps(function)
    def wrapper(x):
        return 2 * function(x)

    return wrapper


@scaled
def wrapped(x):
    return x + 3


@functools.lru_cache
def cached(x):
    return x + 4


@numba.njit
def jitted(x):
    return x + 5


@numba.vectorize
def vectorized(x):
    return x + 6


class Model:
    __scale = 2.0

    def loss(self, x):
        return self.__scale * x

    @staticmethod
    def static(x):
        return x + 7

    @classmethod
    def made(cls, x):
        return cls.__scale + x

    def inner(self):
        return lambda x: self.__scale * x

    def __call__(self, x):
        return x


def outer(a):
    b = 10.0

    def nested(x):
        return a * x + b

    return nested


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def with_inner_functions(x):
    def square(y):
        return y * y

    return sum([square(v) for v in x], start=(lambda: 0.0)())


def asserted(x):
    assert x.ndim == 1, "one dimension"
    return x + 8


def test_plain_function():
    found = source.of(plain)
    assert (found.name, found.qualname, found.function) == ("plain", "plain", plain)
    assert found.text == "def plain(x):\n    return x + 1"
    assert found.line(found.first_line) == "def plain(x):"
    assert found.file == __file__
    assert found.globals is globals()
    assert dict(found.closure) == {}
    assert found.tree.body[0].lineno == found.first_line + 1


@pytest.mark.parametrize(
    "function, expected",
    [
        (plain, "return x + 1"),
        (decorated, "return x + 2"),
        (cached, "return x + 4"),
        (jitted, "return x + 5"),
        (Model.loss, "return self._Model__scale * x"),
        (Model().loss, "return self._Model__scale * x"),
        (Model.static, "return x + 7"),
        (Model.made, "return cls._Model__scale + x"),
        (Model().inner(), "return self._Model__scale * x"),
        (outer(3.0), "return a * x + b"),
        (factorial, "return 1 if n == 0 else n * factorial(n - 1)"),
        (asserted, "assert x.ndim == 1, 'one dimension'; return x + 8"),  # rewritten by pytest on import
    ],
)
def test_kinds_of_function(function, expected):
    assert body(function) == expected
    assert source.of(function).tree.decorator_list == []


def test_inner_functions_come_along():
    assert "def square(y)" in source.of(with_inner_functions).text


def test_decorators_are_not_in_the_text():
    assert source.of(decorated).text == "def decorated(x):\n    return x + 2"


def test_a_wrapper_gives_its_own_text():
    # It is the wrapper that runs: the derivative of `wrapped` is 2, not 1.
    found = source.of(wrapped)
    assert body(wrapped) == "return 2 * function(x)"
    assert found.closure["function"].cell_contents(1.0) == 4.0


def test_closure_cells_are_live():
    found = source.of(outer(3.0))
    assert {name: cell.cell_contents for name, cell in found.closure.items()} == {"a": 3.0, "b": 10.0}
    assert found.qualname == "outer.<locals>.nested"


def test_dedent_keeps_file_columns():
    found = source.of(Model.loss)
    assert found.text.startswith("def loss(self, x):\n    return")
    node = found.tree.body[0].value.right
    assert source.location(node, found).quoted().splitlines() == [
        "    return self.__scale * x",
        "                          ^",
    ]
    assert found.file_lines[node.lineno - 1][node.col_offset] == "x"


# --- lambdas ------------------------------------------------------------------------------------------------

assigned = lambda x: x * 9
pair = (lambda x: x + 10, lambda x: x + 11)
twins = [lambda x: x * x, lambda x: x * x]
nested_lambdas = lambda a: lambda b: a + b
default = sorted([3, 1], key=(keyed := lambda v: -v)) and keyed
several_lines = functools.reduce(
    lambda f, g: f,
    [
        lambda x: (
            x
            + 12
        ),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    "function, name, expected",
    [
        (assigned, "assigned", "return x * 9"),
        (pair[0], "anonymous", "return x + 10"),
        (pair[1], "anonymous", "return x + 11"),
        (twins[1], "anonymous", "return x * x"),
        (nested_lambdas, "nested_lambdas", "return lambda b: a + b"),
        (nested_lambdas(2), "anonymous", "return a + b"),
        (keyed, "keyed", "return -v"),
        (several_lines, "anonymous", "return x + 12"),
        ((lambda x, *, k=2.0: k * x), "anonymous", "return k * x"),
        ((lambda x, f=lambda y: y + 1: f(x)), "anonymous", "return f(x)"),
    ],
)
def test_lambdas(function, name, expected):
    assert body(function) == expected
    assert source.of(function).name == name


def test_lambdas_that_differ_by_a_constant_or_a_name_only():
    fs = [lambda x: x + 0.0, lambda x: x + -0.0, lambda x: x + 0, lambda x: x + math.pi, lambda x: x + math.e]
    assert [body(f) for f in fs] == [
        "return x + 0.0", "return x + -0.0", "return x + 0", "return x + math.pi", "return x + math.e",
    ]  # fmt: skip


def test_lambda_text_and_closure():
    k = 4.0
    found = source.of(lambda x: k * x)
    assert found.text == "lambda x: k * x"
    assert found.closure["k"].cell_contents == 4.0


# --- texts that are not files -------------------------------------------------------------------------------


def typed(text, name="<cell-1>", keep=True):
    """What a notebook does: run a text and leave its lines in linecache."""
    text = textwrap.dedent(text)
    if keep:
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace


def test_a_notebook_cell():
    loss = typed(
        """
        from __future__ import annotations
        rate = 2
        def loss(w: Array):
            return rate * w
        """
    )["loss"]
    assert body(loss) == "return rate * w"
    assert source.of(loss).first_line == 4


def test_a_notebook_cell_with_imports_of_its_own():
    """A notebook compiles each statement of a cell by itself, and Python calls methods of what the same text imports
    by other bytecode."""
    text = "import numpy as np\n\ndef loss(w):\n    return np.sum(np.sin(w))\n"
    name = "<cell-7>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], type_ignores=[]), name, "exec"), namespace)
    assert body(namespace["loss"]) == "return np.sum(np.sin(w))"


def test_a_doctest():
    # `of` carries a doctest that reads a function typed in it.
    import doctest

    outcome = doctest.testmod(source)
    assert outcome.attempted >= 4
    assert outcome.failed == 0


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt keeps its text since 3.13")
def test_the_prompt():
    typed_in = "\n".join(
        [
            "import adc",
            "def f(x):",
            "    return x * x",
            "",
            "class Scaled:",
            "    def g(self, x):",
            "        return [3.0 * v for v in (x, x)][1]",
            "",
            'print("found", adc.grad(f, mode="python")(3.0), adc.grad(Scaled().g, mode="python")(3.0))',
            "def f(x):",
            "    return x * x * x",
            "",
            'print("then", adc.grad(f, mode="python")(1.0), adc.grad(lambda x: x**4, mode="python")(1.0))',
            "",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=typed_in,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(adc.__file__).parents[1])},
    )
    assert "found 6.0 3.0" in done.stdout and "then 3.0 4.0" in done.stdout, done.stderr


def test_carets_count_characters_not_bytes():
    f = typed("def f(θ, x): return θ['é'] + x @ x\n", "<cell-2>")["f"]
    node = source.of(f).tree.body[0].value.right
    assert source.location(node, source.of(f)).quoted().splitlines() == [
        "    def f(θ, x): return θ['é'] + x @ x",
        "                                 ^^^^^",
    ]


def test_text_and_comments_left_of_the_function():
    f = typed(
        '''
class A:
    def f(self, x):
        """One
  two
"""
  # a comment further left
        return x
''',
        "<cell-3>",
    )["A"].f
    assert body(f).endswith("return x")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with 3.12")
def test_type_parameters():
    f = typed("def f[T](x: T) -> T:\n    return x + 1\n", "<cell-4>")["f"]
    assert body(f) == "return x + 1"


def test_lines_that_go_on():
    f = typed("def f(x):\n    return (x +\n            np.sum(x,\n  axis=0))\n", "<cell-5>")["f"]
    found = source.of(f)
    node = found.tree.body[0].value.right
    assert source.location(node, found).quoted() == "    np.sum(x,\n    ^"
    assert source.location(found.tree.body[0].value, found).quoted() == "    return (x +\n            ^^^"


def test_conditional_definitions():
    names = typed("import sys\nif sys:\n    def f(x): return x\nelse:\n    def f(x): return -x\n", "<cell-6>")
    assert body(names["f"]) == "return x"


def test_names_imported_under_a_condition():
    text = "try:\n    import numpy as np\nexcept ImportError:\n    np = None\ndef f(x):\n    return np.sum(x, axis=0)\n"
    assert body(typed(text, "<cell-8>")["f"]) == "return np.sum(x, axis=0)"


# --- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, thing",
    {
        "builtin": len,
        "math": math.sin,
        "ufunc": np.sin,
        "numpy_function": np.sum,
        "c_method": [].append,
        "class": Model,
        "callable_object": Model(),
        "partial": functools.partial(plain, 1),
        "vectorized": vectorized,
        "number": 3.0,
        "array": np.ones(3),
    }.items(),
)
def test_no_python_text(name, thing, golden):
    with pytest.raises(SourceError) as caught:
        source.of(thing)
    golden(f"source/{name}.txt", str(caught.value))


def test_no_text_at_all(golden):
    f = typed("def f(x): return x\n", "<nowhere>", keep=False)["f"]
    with pytest.raises(SourceError) as caught:
        source.of(f)
    golden("source/no_text.txt", str(caught.value))


def test_async_is_refused_with_its_line(golden):
    f = typed("async def f(x):\n    return x\n", "<cell-7>")["f"]
    with pytest.raises(UnsupportedError) as caught:
        source.of(f)
    golden("source/async.txt", str(caught.value))


def test_a_file_that_changed_after_import(tmp_path, monkeypatch):
    file = tmp_path / "stale_model.py"
    file.write_text("def f(x):\n    return x * 2.0 + 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("stale_model")
    assert body(module.f) == "return x * 2.0 + 1.0"
    for edited in (
        "def f(x):\n    return x * 2.0 + 1.50\n",  # another constant
        "def f(x):\n    return x + 2.0 * 1.00\n",  # another operation
        "def f(x:\n",
    ):
        file.write_text(edited)
        linecache.checkcache(str(file))
        with pytest.raises(SourceError, match=r"changed after it was imported|does not parse"):
            source.of(module.f)
    for edited in (
        "def f(x):  # this comment is new\n    return x * 2.0 + 1.0\n",
        "\ndef f(x):\n    return x * 2.0 + 1.0\n\n",  # moved
        "def f(x):\n    return x * 3.0\ndef g():\n    def f(x): return x * 2.0 + 1.0\n    return f\n",
    ):
        file.write_text(edited)
        linecache.checkcache(str(file))
        assert body(module.f) == "return x * 2.0 + 1.0"
    monkeypatch.delitem(sys.modules, "stale_model")


def test_code_that_autoreload_puts_in_place_has_lines_of_its_own(tmp_path, monkeypatch):
    file = tmp_path / "reloaded_model.py"
    file.write_text("# one\n# two\ndef f(x):\n    y = x * 3.0\n    return y - 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_model")
    patch: dict = {}
    exec(compile("def f(x):\n    y = x * 3.0\n    return y - 1.0", str(file), "exec"), patch)
    module.f.__code__ = patch["f"].__code__
    assert "y = x * 3.0" in body(module.f)
    monkeypatch.delitem(sys.modules, "reloaded_model")


def test_error_crosses_processes():
    with pytest.raises(SourceError) as caught:
        source.of(len)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


class Scaled:
    def __init__(self, values):
        self.values = values

    @staticmethod
    def by(factor):
        return lambda other: Scaled(other.values * factor)


def test_a_method_whose_lambda_makes_an_object_of_its_class():
    assert body(Scaled.by) == "return lambda other: Scaled(other.values * factor)"
