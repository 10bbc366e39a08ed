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
    guesses = is_guess(a), is_guess(b)
    return None if guesses[0] == guesses[1] else b if guesses[0] else a


def is_guess(length: Dim) -> bool:
    """Whether a length is guessed, or made of one that is."""
    return any(isinstance(p, Var) and p.name == _NAME for s in length.symbols() for p in s.payload)
