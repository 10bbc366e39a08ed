"""A polynomial to derive, and constants split into parts."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath as mp
from remez import Function


@dataclass(frozen=True)
class Approximation:
    """A polynomial to derive: what it approximates, with which weight, where, and with how many terms."""

    name: str
    meaning: str
    function: Function
    weight: Function
    low: float
    high: float
    terms: int


def root(function: Function) -> Function:
    """The function of z = x**2, for even functions."""
    return lambda z: function(mp.sqrt(z))


def leading(value: mp.mpf, bits: int) -> float:
    """The nearest number with that many significant bits."""
    with mp.workprec(bits):
        return float(+value)


def parts(value: mp.mpf, *bits: int) -> list[float]:
    """Doubles of the given numbers of bits whose sum is the value."""
    found: list[float] = []
    for width in bits:
        found.append(leading(value - mp.fsum(found), width))
    return found
