"""Which names the user has given, and which adjoints are of values without one: these need no line of their own."""

from __future__ import annotations

from collections.abc import Set

from adc.compiler.ir.nodes import Program, Var, defined, walk


def given_names(program: Program) -> set[str]:
    """The names that the user has given, and those of adjoints and of what is made for them to be read."""
    return {p.name for p in program.params} | {
        v.name for s in walk(program.body) for v in defined(s) if v.named
    }


def is_of_nameless(v: Var, names: Set[str]) -> bool:
    """Whether a value is the adjoint of one that the user has not named."""
    return v.name.endswith("_bar") and v.name.removesuffix("_bar") not in names
