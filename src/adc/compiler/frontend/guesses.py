"""Lengths that are guessed where a list is read before anything was put into it: they never get into a program."""

from __future__ import annotations

from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar
from adc.rules.dims import Dim

_NAME = "a guess"  # no user name has a space


def guessed() -> Dim:
    """A length that equals no other."""
    length = Var(_NAME, Scalar("int64", True))
    length.dim = found = Dim.symbol("value", length)
    return found


def known(a: Dim, b: Dim) -> Dim | None:
    """That one of two lengths which is no guess, where the other is: the two must be equal."""
    guesses = [any(_is_guess(part) for s in d.symbols() for part in s.payload) for d in (a, b)]
    return None if guesses[0] == guesses[1] else b if guesses[0] else a


def _is_guess(part: object) -> bool:
    return isinstance(part, Var) and part.name == _NAME
