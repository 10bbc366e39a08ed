"""Every public function says what it takes, raises and gives, shows it, and has its place in the documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import adc

DOCS = Path(__file__).parents[2] / "docs"
PAGES = "\n".join(p.read_text(encoding="utf-8") for p in sorted(DOCS.glob("*.md")) if p.name != "api.md")
# Errors and the settings show what fails in `errors.py`; modules speak for themselves.
NAMES = [
    name
    for name in adc.__all__
    if callable(getattr(adc, name))
    and not (inspect.isclass(getattr(adc, name)) and issubclass(getattr(adc, name), Exception))
]


@pytest.mark.tiny
@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    text = inspect.getdoc(getattr(adc, name)) or ""
    assert ">>> " in text, "an example that runs"
    if name != "Tensor":  # its methods say what they raise
        assert re.search(r"[Rr]aises?\b|errors? (are|is) .*(those|that) of|[Ee]rrors .*of `", text), (
            "what it raises"
        )


@pytest.mark.tiny
@pytest.mark.parametrize("name", NAMES)
def test_page(name):
    assert re.search(rf"adc\.{name}\b|`{name}`|`{name}\(|\b{name}\(", PAGES), f"a page that speaks of {name}"
