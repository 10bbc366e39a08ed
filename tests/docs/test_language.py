"""docs/language.md says of each construct which engines take it, and that is so."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.docs.language import FEATURES, PRELUDE, Feature

import adc
from adc.errors import AdcError

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
MODES = ("compiled", "python", "tape")
HEAD = """# Language

What may stand in a function that adc differentiates, tried on every engine by a test. "Compiled" goes through
Numba, "python" is the same generated text run by CPython, "tape" records what runs
([choosing engines](choosing_engines.md)). A construct that compiled mode does not take is refused with its
line; `mode="auto"` then uses the next engine and says so.

Operations of NumPy, `math` and SciPy are listed in [coverage](coverage.md).
"""


def module_of(feature: Feature, folder: Path) -> ModuleType:
    name = f"feature_{FEATURES.index(feature)}"
    path = folder / f"{name}.py"
    path.write_text(f"{PRELUDE}\n\ndef f(x):\n    {feature.body}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where a dataclass looks its annotations up
    spec.loader.exec_module(module)
    return module


def differences(function: Any, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    unit = np.eye(x.size)
    return np.array([function(x + step * e) - function(x - step * e) for e in unit]) / (2.0 * step)


def outcome(feature: Feature, mode: str, function: Any) -> str:
    """ "yes" or "no"; a wrong gradient is neither."""
    try:
        found = adc.grad(function, mode=mode)(*feature.arguments)
    except AdcError as error:
        assert error.what, "a refusal says what it refuses"
        return "no"
    np.testing.assert_allclose(
        found, differences(function, np.asarray(feature.arguments[0], np.float64)), rtol=1e-4, atol=1e-5
    )
    return "yes"


def row(feature: Feature, folder: Path) -> str:
    function = module_of(feature, folder).f
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [outcome(feature, mode, function) for mode in MODES]
    return f"| {feature.name} | {' | '.join(found)} | {feature.instead} |"


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.name)
def test_row(
    feature: Feature, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    if request.config.getoption("--update-golden"):
        pytest.skip("test_page writes all rows")
    assert row(feature, tmp_path) in PAGE.read_text(encoding="utf-8").splitlines()


def test_page(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    groups = list(dict.fromkeys(f.group for f in FEATURES))
    if request.config.getoption("--update-golden"):
        parts = [HEAD]
        for group in groups:
            rows = [row(f, tmp_path) for f in FEATURES if f.group == group]
            parts.append(
                "\n".join(
                    [
                        f"## {group}",
                        "",
                        "| | compiled | python | tape | instead |",
                        "|---|---|---|---|---|",
                        *rows,
                        "",
                    ]
                )
            )
        PAGE.write_text("\n".join(parts), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(HEAD) and [f"## {g}" in page for g in groups] == [True] * len(groups)
    assert page.count("\n| ") == len(FEATURES) + len(groups)
