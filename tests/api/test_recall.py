"""A program that was derived before gets its texts back, and only then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.corpus import Program, all_programs

import adc
from adc import config
from adc.api import keeping
from adc.compiler import pipeline
from adc.compiler.ir.nodes import Var

# Drawn numbers, functions and objects in the program itself.
WITHOUT_KEY = {
    "random_numbers",
    "custom_rules",
    "containers",
    "items_carried",
    "numbers_that_become_arrays",
    "objects",
}
NOT_SLOW = [p for p in all_programs() if not p.slow and not p.refused]


@pytest.fixture(autouse=True)
def kept(tmp_path: Path) -> Iterator[Path]:
    """Texts are kept where nothing watches the stages: not under the verifier."""
    with config.overridden(verify=False, cache_dir=tmp_path):
        yield tmp_path / "generated"


def derived(function: Any, *args: Any, mode: str = "python", **options: Any) -> pipeline.Context:
    gradient = adc.grad(function, mode=mode, **options)
    gradient(*args)
    context = gradient._latest()
    assert context is not None
    return context


def was_recalled(context: pipeline.Context) -> bool:
    return "reverse" not in context.seconds


def seen(context: pipeline.Context) -> tuple[Any, ...]:
    """All that is read of a context after its stages."""
    assert context.program is not None
    results = [
        (r.name, r.type.dtype, r.type.ndim) if isinstance(r, Var) else None for r in context.program.results
    ]
    given = [(v.name, v.type.dtype, v.type.ndim) for v in context.given]
    return context.texts, context.origins, results, given, context.written, context.name


@pytest.mark.parametrize("program", NOT_SLOW[::12], ids=lambda p: p.name)
def test_what_is_recalled_is_what_was_derived(program: Program) -> None:
    args = program.arguments()
    first, again = [derived(program.function, *args, argnums=program.argnums) for _ in range(2)]
    assert not was_recalled(first)
    if was_recalled(again):
        assert seen(again) == seen(first)
    else:
        assert program.feature in WITHOUT_KEY, program.name


def test_compiled_code_works_with_what_is_recalled() -> None:
    def made() -> Any:
        keeping._made_by_code.clear()  # two functions of one code would share what was made

        def f(x: Any) -> Any:
            y = np.sin(x) * x
            return np.sum(y * y)

        return f

    x = np.linspace(0.1, 1.0, 7)
    first, again = [derived(made(), x, mode="compiled") for _ in range(2)]
    assert was_recalled(again) and not was_recalled(first)
    assert seen(again) == seen(first)
    out = np.empty_like(x)
    expected = 2 * np.sin(x) * x * (np.cos(x) * x + np.sin(x))
    for _ in range(2):
        np.testing.assert_allclose(adc.grad(made(), mode="compiled")(x, out=out), expected)
    np.testing.assert_allclose(out, expected)


SCALE = 2.0


def scaled(x: Any) -> Any:
    return np.sum(SCALE * x * x)


def powers(x: Any) -> Any:
    return np.sum(x**POWER)


POWER = 2


def test_what_a_text_has_of_the_program_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    derived(scaled, x)
    derived(powers, x)
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)  # an input of the text
    monkeypatch.setattr(sys.modules[__name__], "POWER", 3)  # a constant in it
    again, other = derived(scaled, x), derived(powers, x)
    assert was_recalled(again) and not was_recalled(other)
    for function in (scaled, powers):
        np.testing.assert_allclose(adc.grad(function, mode="python")(x), {scaled: 6.0, powers: 3.0}[function])


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((np.ones(3, np.float32),), {}),
        ((np.ones((3, 2)),), {}),
        ((1.5,), {}),
        ((np.ones((3, 2)).T,), {}),
        ((np.ones(3),), {"argnums": (0,)}),
    ],
)
def test_what_is_asked_for_is_part_of_the_key(args: tuple[Any, ...], options: dict[str, Any]) -> None:
    derived(scaled, np.ones(3))
    found = adc.grad(scaled, mode="python", **options)(*args)
    expected = 2 * SCALE * args[0]
    np.testing.assert_allclose(found[0] if options else found, expected)
    derived(scaled, *args, **options)
    again = derived(scaled, *args, **options)
    assert was_recalled(again)
    value, gradient = adc.value_and_grad(scaled, mode="python")(*args)
    np.testing.assert_allclose(value, np.sum(SCALE * args[0] ** 2), rtol=1e-6)
    np.testing.assert_allclose(gradient, expected)


def test_pullbacks_and_pushes() -> None:
    def f(x: Any) -> Any:
        return np.tanh(x) * x[::-1]

    x, d = np.linspace(0.1, 1.0, 5), np.linspace(1.0, 2.0, 5)
    found = []
    for _ in range(3):
        _, pull = adc.vjp(lambda x: f(x), x, mode="python")
        _, x_dot = adc.jvp(lambda x: f(x), (x,), (d,), mode="python")
        found.append((pull(d)[0], x_dot))
    for bars, dots in found[1:]:
        np.testing.assert_array_equal(bars, found[0][0])
        np.testing.assert_array_equal(dots, found[0][1])
    np.testing.assert_allclose(np.dot(found[0][0], d), np.dot(found[0][1], d))


def test_a_custom_rule_is_not_recalled(kept: Path) -> None:
    slope = 3.0

    @adc.custom_vjp
    def doubled(x: Any) -> Any:
        return 2.0 * x

    doubled.defvjp(lambda x: (doubled(x), None), lambda _, bar: (slope * bar,))

    def f(x: Any) -> Any:
        return np.sum(doubled(x))

    x = np.ones(2)
    np.testing.assert_allclose(adc.grad(f, mode="python")(x), 3.0)
    slope = 5.0
    np.testing.assert_allclose(adc.grad(lambda x: f(x), mode="python")(x), 5.0)


def test_a_damaged_file_is_made_anew(kept: Path) -> None:
    x = np.ones(3)
    derived(scaled, x)
    (file,) = kept.glob("*.json")
    before = file.read_bytes()
    file.write_bytes(before[: len(before) // 2])
    assert not was_recalled(derived(scaled, x))
    assert file.read_bytes() == before
    assert was_recalled(derived(scaled, x))


def test_an_error_names_the_line_of_what_is_recalled() -> None:
    def f(x: Any, k: Any) -> Any:
        return x[k] * 2.0  # the line

    messages = []
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            adc.grad(f, mode="compiled")(np.ones(3), 7)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_another_process_recalls(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import numpy as np, adc\n"
        "def helper(x, names):\n"
        "    return sum(x[k] ** 2 for k in range(len(names)))\n"
        "def f(x):\n"
        "    y = np.zeros_like(x)\n"
        "    for i in range(1, x.shape[0]):\n"
        "        y[i] = 0.5 * y[i - 1] + x[i] if x[i] > 0 else x[i]\n"
        "    return helper(y, {'a', 'b', 'c'}) + np.sum(y)\n"
        "g = adc.grad(f, mode='python')\n"
        "g(np.ones(5))\n"
        "print('reverse' in g._latest().seconds)\n"
    )
    said = []
    for seed in ("1", "2", "3"):
        settings = {"PYTHONHASHSEED": seed, "ADC_CACHE_DIR": str(tmp_path / "cache"), "ADC_VERIFY": "0"}
        done = subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout.strip())
    assert said == ["True", "False", "False"]


def test_the_file_says_what_it_holds(kept: Path) -> None:
    context = derived(scaled, np.ones(3))
    (file,) = kept.glob("*.json")
    found = json.loads(file.read_text())
    assert found["texts"] == context.texts and file.name.startswith("scaled_grad_")
