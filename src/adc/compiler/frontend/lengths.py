"""Lengths that are known to be equal, because the program has checked them."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.frontend.guesses import is_guess
from adc.compiler.ir.nodes import Atom, Const, Var
from adc.compiler.ir.types import Scalar, is_integer
from adc.rules.dims import Dim


def length_of(value: Any) -> Dim | None:
    """An integer, as an operand or as a plain value, as a length; None when it is not an integer."""
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, np.integer)):
        return Dim(int(value))
    if isinstance(value, Var) and isinstance(value.type, Scalar) and is_integer(value.type):
        return value.dim if value.dim is not None else Dim.symbol("value", value)
    return None


class EqualLengths:
    """Lengths that were checked to be equal, as disjoint sets."""

    def __init__(self) -> None:
        self._parent: dict[Dim, Dim] = {}

    def find(self, d: Dim) -> Dim:
        while d in self._parent:
            d = self._parent[d]
        return d

    def number(self, d: Dim) -> int | None:
        """The number that a length was checked to be, if any."""
        root = self.find(d)
        if root.known is not None:
            return root.known
        return next((e.known for e in self._parent if e.known is not None and self.find(e) == root), None)

    def union(self, a: Dim, b: Dim) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            if is_guess(a):
                a, b = b, a  # what a guess turns out to be is a length
            self._parent[b] = a

    def snapshot(self) -> dict[Dim, Dim]:
        return dict(self._parent)

    def restore(self, snapshot: dict[Dim, Dim]) -> None:
        self._parent = dict(snapshot)

    def same(self, a: Dim, b: Dim) -> bool:
        return self.find(a) == self.find(b)

    def same_value(self, a: Atom, b: Atom) -> bool:
        """Whether two operands, as the bounds of loops, are one integer."""
        if a is b or a == b:
            return True
        x, y = length_of(a), length_of(b)
        return x is not None and y is not None and self.same(x, y)

    def same_shape(self, a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
        return len(a) == len(b) and all(self.same(x, y) for x, y in zip(a, b, strict=True))
