"""Print what a program prints: by an f-string where people read it, by `rt.say` where Numba does."""

from __future__ import annotations

import ast
import string

from adc.compiler.backend.expressions import call, constant, name
from adc.compiler.backend.lines import LinePrinter
from adc.compiler.ir.nodes import Print, Var

__all__ = ["SayingPrinter"]


class SayingPrinter(LinePrinter):
    """Prints the statements that print."""

    def _say(self, stmt: Print, depth: int) -> None:
        """The call as Numba compiles it."""
        said = [repr(stmt.text), repr(" ".join(stmt.kinds)), repr(stmt.flush)]
        self._header(
            f"rt.say({', '.join([*said, *(self._expression(self.atom(a)) for a in stmt.args)])})", depth
        )

    def _print(self, stmt: Print, depth: int) -> None:
        """The call as a person writes it."""
        ended = stmt.text.endswith("\n")
        text = stmt.text[:-1] if ended else stmt.text
        options = [] if ended else ["end=''"]
        options += ["flush=True"] if stmt.flush else []
        self._header(f"print({', '.join([*self._text(text, stmt), *options])})", depth)

    def _text(self, text: str, stmt: Print) -> list[str]:
        fields = list(string.Formatter().parse(text))
        found = [(spec or "", conversion) for _, field, spec, conversion in fields if field is not None]
        values: list[str] = []
        for a, kind, (spec, conversion) in zip(stmt.args, stmt.kinds, found, strict=True):
            node = self.atom(a)
            if kind in ("bool", "int", "float", "complex") and conversion == "r" and isinstance(a, Var):
                node = call(name(kind), [node])  # the text may hold a number of NumPy's where they look alike
            if kind == "plain":
                node = call(ast.Attribute(node, "tolist", ast.Load()), [])
            if kind == "list":
                node = call(name("list"), [node])
            if spec.startswith("%"):
                node = ast.BinOp(constant(spec), ast.Mod(), node)
            values.append(self._expression(node))
        if not values:
            plain = "".join(literal for literal, *_ in fields)
            return [repr(plain)] if plain else []
        if text in ("{}", "{!s}"):
            return values
        if any(c in v for v in values for c in "'\"\\{}"):  # which an f-string does not take everywhere
            shown = "".join(
                _escaped(literal)
                + ("" if field is None else _field("", "" if (spec or "").startswith("%") else spec, how))
                for literal, field, spec, how in fields
            )
            return [f"{shown!r}.format({', '.join(values)})"]
        rest = iter(values)
        shown = "".join(
            _inside(literal) + ("" if field is None else _field(next(rest), spec, how))
            for literal, field, spec, how in fields
        )
        return [f"f'{shown}'"]


def _field(value: str, spec: str | None, conversion: str | None) -> str:
    return "{" + value + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"


def _escaped(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def _inside(literal: str) -> str:
    """A literal part between the quotes of an f-string."""
    written = repr('"' + _escaped(literal))  # with a quote of the other kind in it: repr takes single ones
    return written[2:-1]
