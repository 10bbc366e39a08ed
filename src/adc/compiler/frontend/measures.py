"""Lengths as values, and integer arithmetic as lengths: what is known of them where the builder stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from adc.compiler.frontend.lengths import EqualLengths, length_of
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Atom, Block, Check, Const, Operand, Var
from adc.compiler.ir.types import Array, Scalar, Type
from adc.errors import Location, ShapeError
from adc.rules.dims import Dim
from adc.rules.operation import Operation
from adc.rules.shapes import larger, smaller


class Measures(ABC):
    """The part of a builder that has to do with lengths."""

    block: Block
    origin: Location | None
    equal: EqualLengths  # checked on the path that leads here
    ever_equal: EqualLengths  # checked somewhere: what the reverse of that place may use
    ranges: dict[Var, tuple[Dim, Dim]]  # the least and the largest value of a counter of a loop
    throughout: set[Var]  # integers from in front of all loops: no trip has others
    shape_source: dict[Var, Var]  # array -> another of its shape that exists earlier

    @abstractmethod
    def op(self, operation: Operation | str, *args: Value, **kwargs: Value) -> Value:
        """The result of an operation."""

    @abstractmethod
    def assign(
        self,
        op: Operation | str,
        args: tuple[Operand, ...],
        type: Type,
        name: str = "",
        *,
        named: bool = False,
        dim: Dim | None = None,
        view_of: Var | None = None,
    ) -> Var:
        """A statement that assigns, and what it assigns to."""

    @abstractmethod
    def atom(self, value: Value) -> Atom:
        """A value as an IR atom."""

    def integer_value(self, operation: Operation, bound: tuple[Value, ...], type: Type) -> Dim | None:
        """Follow integer arithmetic as lengths, so that `n - 1` is known to be one less than n."""
        if type.dtype != "int64" or isinstance(type, Array):
            return None  # narrow integers wrap around
        dims = [d for d in map(self.length, bound) if d is not None]
        if len(dims) != len(bound):
            return None
        match operation.name:
            case "add":
                return dims[0] + dims[1]
            case "subtract":
                return dims[0] - dims[1]
            case "negative":
                return -dims[0]
            case "multiply" if dims[0].known is not None or dims[1].known is not None:
                return dims[0] * dims[1]
            case "floor_divide" if (dims[1].known or 0) > 0:
                return dims[0] // dims[1].const
            case "minimum":
                return smaller(*dims)
            case "maximum":
                return larger(*dims)
        return None

    def length(self, value: Value) -> Dim | None:
        """An integer value as a length; None when it is not an integer."""
        return length_of(value)

    def dim_value(self, d: Dim) -> Value:
        """A length as a value: statements that compute it where it is not a plain integer."""
        if d.known is not None:
            return d.known
        ends = d.smaller_of()
        if ends is not None and len(ends[1].terms) <= len(ends[0].terms):
            return self.extreme("minimum", *map(self.dim_value, ends))
        total: Value = None
        for symbol, coefficient in sorted(d.terms, key=lambda term: term[1] < 0):  # `n - m`, not `-m + n`
            part = self._symbol_value(symbol)
            if abs(coefficient) != 1:
                part = self.op("multiply", part, abs(coefficient))
            if total is None:
                total = part if coefficient > 0 else self.op("negative", part)
            else:
                total = self.op("add" if coefficient > 0 else "subtract", total, part)
        if d.const:
            total = self.op("add" if d.const > 0 else "subtract", total, abs(d.const))
        return total

    def _symbol_value(self, symbol: Any) -> Value:
        if symbol.kind == "value":
            return symbol.payload[0]
        if symbol.kind == "shape":
            array, axis = symbol.payload
            array = self.shape_source.get(array, array)
            return self.assign(
                "dim", (array, Const(axis)), Scalar("int64", True), dim=Dim(0, ((symbol, 1),)), name="n"
            )
        parts = [self.dim_value(p) if isinstance(p, Dim) else p for p in symbol.payload]
        if symbol.kind == "product":
            result = parts[0]
            for p in parts[1:]:
                result = self.op("multiply", result, p)
        elif symbol.kind == "clamp":
            result = self.extreme("maximum", parts[0], 0)
        elif symbol.kind == "cut":
            length, end = parts
            from_front = self.op("where", self.op("less", end, 0), self.op("add", end, length), end)
            result = self.extreme("minimum", self.extreme("maximum", from_front, 0), length)
        else:
            result = self.op("floor_divide", parts[0], parts[1])
        if isinstance(result, Var):
            result.dim = Dim(0, ((symbol, 1),))
        return result

    def extreme(self, name: str, a: Value, b: Value) -> Value:
        """The smaller or larger of two lengths: a plain integer, where NumPy's function gives one of its own."""
        found = self.op(name, a, b)
        if isinstance(found, Var) and found is not a and found is not b:
            found.type = Scalar("int64", True)
        return found

    def shape_values(self, shape: tuple[Dim, ...]) -> tuple[Value, ...]:
        return tuple(self.dim_value(d) for d in shape)

    def is_throughout(self, d: Dim) -> bool:
        """Whether an integer is made of lengths, and of integers that no loop makes."""
        return all(s.kind != "value" or s.payload[0] in self.throughout for s in d.symbols())

    def never_negative(self, d: Dim) -> bool:
        """Whether an integer is seen to be at least zero in every trip of the loops around it."""
        ends = d.smaller_of()
        return self.least(d).nonnegative if ends is None else all(map(self.never_negative, ends))

    def least(self, d: Dim) -> Dim:
        """What an integer is in that trip of the loops around it in which it is least."""
        least = Dim(d.const)
        for symbol, coefficient in d.terms:
            part = Dim(0, ((symbol, 1),))
            ends = self.ranges.get(symbol.payload[0]) if symbol.kind == "value" else None  # type: ignore[call-overload]
            least = least + (part if ends is None else ends[coefficient < 0]) * coefficient
        return least

    def require_equal(self, a: Dim, b: Dim, message: str, error: str = "ValueError") -> None:
        """The program goes on only if two lengths are equal at run time."""
        if self.equal.find(a) == self.equal.find(b):
            return
        if a.known is not None:
            a, b = b, a  # `x.shape[0] != 3`, as one writes it
        test = self.op("equal", self.dim_value(a), self.dim_value(b))
        if test is False:
            raise ShapeError(
                message, location=self.origin, why="the lengths are different", repair="check the shapes"
            )
        self.block.append(Check(self.atom(test), error, (Const(message),), self.origin))
        self.equal.union(a, b)
        self.ever_equal.union(a, b)
