"""Lengths and amounts of memory as formulas of the sizes of the arguments, and as numbers for given ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Atom, Buffer, Const, Var
from adc.compiler.ir.types import Array, Type
from adc.inspect.ledger import Bytes
from adc.rules.dims import Dim, Symbol

__all__ = ["Sizes"]


class Sizes:
    """Answers for one program and one list of arguments, in the order of the program's parameters."""

    def __init__(self, params: Sequence[Var], arguments: Sequence[Any]) -> None:
        self.values: dict[Any, Any] = {}
        self.learn(params, arguments)

    def learn(self, params: Sequence[Var], arguments: Sequence[Any]) -> None:
        """A later stage may have given the parameters other names."""
        self.values.update(zip(params, arguments, strict=False))

    def type(self, t: Type) -> str:
        """A type with its lengths as formulas, like `float64[x.shape[0], 3]`."""
        if not isinstance(t, Array):
            return str(t)
        return f"{t.dtype}[{', '.join(self.formula(d) for d in t.shape)}]"

    def formula(self, d: Dim) -> str:
        """A length as Python would write it."""
        text = ""
        for symbol, coefficient in d.terms:
            part = self._symbol(symbol)
            part = part if abs(coefficient) == 1 else f"{abs(coefficient)} * {part}"
            text += (
                f" {'+' if coefficient > 0 else '-'} " if text else "" if coefficient > 0 else "-"
            ) + part
        if d.const or not text:
            text += f" {'+' if d.const > 0 else '-'} {abs(d.const)}" if text else str(d.const)
        return text

    def number(self, d: Dim) -> int | None:
        """A length for the given arguments; None where they do not determine it."""
        try:
            return d.evaluate(self._value)
        except LookupError:
            return None

    def length(self, atom: Atom) -> Dim:
        """An integer atom as a length."""
        if isinstance(atom, Const):
            return Dim(int(atom.value))
        return atom.dim if atom.dim is not None else Dim.symbol("value", atom)

    def of_buffer(self, buffer: Buffer) -> Bytes:
        """What a buffer takes: an entry per trip of the loops around it."""
        if buffer.trips is None:
            lengths = [Dim.symbol("trips"), *buffer.shape]
        else:
            lengths = [*(self.length(t) for t in buffer.trips), *buffer.shape]
        return self.product(buffer.dtype, lengths)

    def of_value(self, t: Type) -> Bytes:
        """What one value takes."""
        return self.product(t.dtype, list(t.shape) if isinstance(t, Array) else [])

    def product(self, dtype: str, lengths: Sequence[Dim]) -> Bytes:
        """The bytes of an array of a dtype."""
        size: int | None = np.dtype(dtype).itemsize
        factors = [str(size)]
        for d in lengths:
            number = self.number(d)
            size = None if number is None or size is None else size * max(number, 0)
            factors.append(self._factor(d))
        return Bytes(" * ".join(factors), size)

    def total(self, parts: Sequence[Bytes]) -> Bytes:
        """The sum of some amounts."""
        numbers = [p.number for p in parts]
        known = [n for n in numbers if n is not None]
        return Bytes(" + ".join(p.formula for p in parts), sum(known) if len(known) == len(numbers) else None)

    def _value(self, symbol: Symbol) -> int:
        if symbol.kind == "shape":
            array, axis = symbol.payload
            return int(np.shape(self.values[array])[axis])
        if symbol.kind == "value":
            return int(self.values[symbol.payload[0]])
        raise LookupError(symbol.kind)

    def _symbol(self, symbol: Symbol) -> str:
        first = symbol.payload[0] if symbol.payload else None
        match symbol.kind:
            case "shape":
                assert isinstance(first, Var)
                return f"{first.name}.shape[{symbol.payload[1]}]"
            case "value":
                assert isinstance(first, Var)
                return first.name
            case "product":
                return " * ".join(self._factor(p) for p in symbol.payload)
            case "clamp":
                assert isinstance(first, Dim)
                return f"max({self.formula(first)}, 0)"
            case "cut":
                end = symbol.payload[1]
                assert isinstance(first, Dim) and isinstance(end, Dim)
                return f"len(range({self.formula(first)})[:{self.formula(end)}])"
            case "floordiv":
                return f"{self._factor(first)} // {symbol.payload[1]}"
            case _:
                return symbol.kind

    def _factor(self, d: object) -> str:
        if not isinstance(d, Dim):
            return str(d)
        single = not d.terms or (d.const == 0 and len(d.terms) == 1 and d.terms[0][1] == 1)
        whole = single and (not d.terms or d.terms[0][0].kind != "floordiv")
        return self.formula(d) if whole else f"({self.formula(d)})"
