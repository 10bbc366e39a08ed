"""A rule for a function of the user's own, as docs/adding_a_rule.md shows it."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import adc
from adc.rules import registry

PAGE = Path(__file__).parents[2] / "docs" / "adding_a_rule.md"
X = np.array([0.2, 0.5, 2.0])


@pytest.fixture
def forgotten():
    """What a test registers is gone behind it: where users have rules, transforms share no code."""
    yield
    for module in [m for m in registry.user_modules if m.startswith("shapes_")]:
        registry.user_modules.discard(module)
        for known in (registry._by_name, registry._by_callable):
            for key in [k for k, o in known.items() if getattr(o.function, "__module__", "") == module]:
                del known[key]


@pytest.mark.parametrize("mode", ["python", "tape", "compiled"])
def test_the_page_on_rules(mode, tmp_path, monkeypatch, forgotten):
    blocks = re.findall(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (text,) = [block for block in blocks if "adc.rule." in block]
    name = f"shapes_{mode}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    shapes = importlib.import_module(name)

    def squares(x):
        return np.sum(shapes.smoothstep(x) ** 2)

    np.testing.assert_allclose(adc.grad(squares, mode=mode)(X), [0.19968, 1.5, 0.0])
    with pytest.raises(adc.ArgumentError, match="has a rule already"):
        adc.rule.elementwise(shapes.smoothstep)


def test_a_function_that_no_module_has():
    def inner(x):
        return x

    inner.__module__ = "there_is_no_such_module"
    with pytest.raises(adc.ArgumentError, match="cannot import"):
        adc.rule.elementwise(inner)
