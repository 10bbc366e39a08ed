"""The reference of names is complete."""

from pathlib import Path
from types import ModuleType

import adc

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def path_of(name):
    thing = getattr(adc, name)
    return thing.__name__ if isinstance(thing, ModuleType) else f"{thing.__module__}.{name}"


def test_every_public_name_is_in_it():
    told = {line.removeprefix("::: ") for line in PAGE.splitlines() if line.startswith("::: ")}
    assert told == {path_of(name) for name in adc.__all__ if name not in ("__version__", "autograd")}
