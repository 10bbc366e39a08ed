"""Lower layers never import higher ones, and the compiler and the tape do not know each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import adc

pytestmark = pytest.mark.tiny

PACKAGE = Path(adc.__file__).parent

# errors, config, pytree, syntax <- runtime <- rules <- compiler | tape <- api <- inspect, interop, testing, cli
LEVEL = {
    "errors": 0,
    "config": 0,
    "pytree": 0,
    "ravel": 0,
    "syntax": 0,
    "runtime": 1,
    "rules": 2,
    "compiler": 3,
    "tape": 3,
    "api": 4,
    "inspect": 5,
    "interop": 5,
    "testing": 5,
    "cli": 6,
    "__init__": 7,
    "__main__": 7,
}


def layer(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_layers(file: Path) -> Iterator[tuple[int, str]]:
    """The layers of adc that a file imports anywhere, in functions too, with the line."""
    package = ["adc", *file.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            modules = [f"adc.{alias.name}" for alias in node.names] if module == "adc" else [module]
        else:
            continue
        for name in modules:
            parts = name.split(".")
            if parts[0] == "adc":
                yield node.lineno, parts[1] if len(parts) > 1 else "__init__"


@pytest.mark.parametrize(
    "file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: "/".join(file.relative_to(PACKAGE).parts)
)
def test_imports_go_down(file: Path) -> None:
    own = layer(file)
    assert own in LEVEL, f"{file} belongs to no layer: give it one here and in CONTRIBUTING.md"
    for line, other in imported_layers(file):
        # `from adc import name` of a public name is the package itself, the highest level.
        other = other if other in LEVEL else "__init__"
        allowed = other == own or LEVEL[other] < LEVEL[own] or (LEVEL[own] == LEVEL[other] == 0)
        assert allowed, f"{file}:{line}: {own} imports {other}, which is not below it"
