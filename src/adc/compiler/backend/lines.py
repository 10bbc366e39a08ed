"""The lines of a text, each with the place in the user's source that it comes from."""

from __future__ import annotations

import ast

import astor

from adc.compiler.backend.expressions import ExpressionPrinter
from adc.compiler.backend.inlining import Inlining
from adc.compiler.backend.naming import Names
from adc.errors import Location


class Line(str):
    """A line of the text, with the place in the user's source that it comes from."""

    origin: Location | None = None


class LinePrinter(ExpressionPrinter):
    """Prints statements of Python, a line each."""

    def __init__(self, names: Names, inlining: Inlining) -> None:
        super().__init__(names, inlining)
        self.lines: list[str] = []
        self.origin: Location | None = None  # of the statement being printed

    def _line(self, node: ast.stmt, depth: int) -> None:
        source = astor.to_source(node, pretty_source=_on_one_line).rstrip("\n")
        for line in source.split("\n"):
            self._header(line, depth)

    def _header(self, text: str, depth: int) -> None:
        line = Line("    " * depth + text)
        line.origin = self.origin
        self.lines.append(line)

    def _expression(self, node: ast.expr) -> str:
        text: str = astor.to_source(ast.Expr(node), pretty_source=_on_one_line).strip()
        return text[1:-1] if text.startswith("(") and _encloses(text) else text


def _on_one_line(source: list[str]) -> str:
    return "".join(source)


def _encloses(text: str) -> bool:
    """Whether the first parenthesis closes at the very end."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(text) - 1
    return False
