"""Print what the forward sweep keeps and the reverse sweep takes: in an array, or on a stack of unknown height.

A stack has room for 64 values at first, and twice as much each time that it is full.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from adc.compiler.backend.expressions import attribute, call, constant, name
from adc.compiler.backend.printing import SayingPrinter
from adc.compiler.ir.nodes import Atom, Buffer, Const, Keep, NewBuffer, Restore, Room, Settle

FIRST_STACK_SIZE = 64


class KeepingPrinter(SayingPrinter):
    """Prints the statements of buffers."""

    def _new_buffer(self, stmt: NewBuffer, depth: int) -> None:
        buffer = stmt.buffer
        lengths: list[Any] = [
            *(buffer.trips if buffer.trips is not None else [Const(FIRST_STACK_SIZE)]),
            *buffer.lengths,
        ]
        shape = (
            self.atom(lengths[0])
            if len(lengths) == 1
            else ast.Tuple([self.atom(n) for n in lengths], ast.Load())
        )
        text = self.names.buffers[buffer]
        dtype = [] if buffer.dtype == "float64" else [constant(_dtype(buffer.dtype))]
        if buffer.by_runtime:
            room = call(attribute("rt", "empty_of" if dtype else "empty"), [shape, *dtype])
            made = call(attribute("rt", "lent"), [room])
        else:
            made = call(attribute("np", "empty"), [shape], [ast.keyword("dtype", d) for d in dtype])
        self._line(ast.Assign([ast.Name(text, ast.Store())], made), depth)
        if buffer.trips is None and self.names.heights.shared[buffer] is buffer:
            self._header(f"{self.names.tops[buffer]} = 0", depth)

    def _keep(self, stmt: Keep, depth: int) -> None:
        text = self.names.buffers[stmt.buffer]
        if stmt.index is None:
            top = self.names.tops[stmt.buffer]
            if stmt.lengths:
                self._keep_elements(stmt, text, depth)
                return
            self._header(f"if {top} == {text}.shape[0]:", depth)
            twice = f"np.concatenate(({text}, np.empty_like({text})))"
            self._header(
                f"{text} = {f'rt.extended({text}, {top})' if stmt.buffer.by_runtime else twice}", depth + 1
            )
            value = self._expression(self.atom(stmt.value))
            by_runtime = stmt.buffer.by_runtime and bool(stmt.buffer.lengths)
            pushed = f"rt.push({text}, {top}, {value})" if by_runtime else f"{text}[{top}] = {value}"
            self._header(pushed, depth)
            if self.names.heights.changes_at(stmt):
                self._header(f"{top} += 1", depth)
            return
        target = ast.Subscript(name(text), self.index(stmt.index), ast.Store())
        self._line(ast.Assign([target], self.atom(stmt.value)), depth)

    def _keep_elements(self, stmt: Keep, text: str, depth: int) -> None:
        """Push the elements of an array together."""
        count, top = self._count(stmt.lengths), self.names.tops[stmt.buffer]
        if not stmt.in_place:
            self._make_room(stmt.buffer, count, depth)
            value = self._expression(self.atom(stmt.value))
            if stmt.buffer.by_runtime:
                pushed = f"rt.push({text}, {top}, {value})"
            else:
                flat = ".ravel()" if len(stmt.lengths) > 1 else ""
                pushed = f"{self._part(stmt.buffer, count)} = {value}{flat}"
            self._header(pushed, depth)
        self._header(f"{top} += {count}", depth)

    def _make_room(self, buffer: Buffer, count: str, depth: int) -> None:
        """Make room for so many elements, if there is none; a stack grows at least twofold."""
        text, top = self.names.buffers[buffer], self.names.tops[buffer]
        made = [f"{top} + {count}"]
        if buffer.dtype != "float64":
            made.append(self._expression(constant(_dtype(buffer.dtype))))
        grown = f"np.concatenate(({text}, np.empty({', '.join(made)})))"
        if buffer.by_runtime:
            grown = f"rt.extended({text}, {made[0]})"
        self._header(f"if {top} + {count} > {text}.shape[0]:", depth)
        self._header(f"{text} = {grown}", depth + 1)

    def _room(self, stmt: Room, depth: int) -> None:
        count = self._count(stmt.lengths)
        self._make_room(stmt.buffer, count, depth)
        self._header(f"{self.names[stmt.target]} = {self._part(stmt.buffer, count)}", depth)

    def _restore(self, stmt: Restore, depth: int) -> None:
        text, top = self.names.buffers[stmt.buffer], self.names.tops.get(stmt.buffer, "")
        target = ast.Name(self.names[stmt.target], ast.Store())
        if stmt.index is None and stmt.lengths:
            count = self._count(stmt.lengths)
            self._header(f"{top} -= {count}", depth)
            part = self._part(stmt.buffer, count)
            source = part if len(stmt.lengths) == 1 else f"{part}.reshape({self._shape(stmt.lengths)})"
            self._header(f"{self.names[stmt.target]} = {source}", depth)
            return
        if stmt.index is None:
            if self.names.heights.changes_at(stmt):
                self._header(f"{top} -= 1", depth)
            self._line(ast.Assign([target], ast.Subscript(name(text), name(top), ast.Load())), depth)
            return
        self._line(ast.Assign([target], ast.Subscript(name(text), self.index(stmt.index), ast.Load())), depth)

    def _settle(self, stmt: Settle, depth: int) -> None:
        text = self.names.buffers[stmt.buffer]
        self._header(f"{text} = rt.settled({text})", depth)

    def _part(self, buffer: Buffer, count: str) -> str:
        """The elements of a stack from the top on."""
        top = self.names.tops[buffer]
        return f"{self.names.buffers[buffer]}[{top}:{top} + {count}]"

    def _shape(self, lengths: tuple[Atom, ...]) -> str:
        return f"({', '.join(self._expression(self.atom(n)) for n in lengths)})"

    def _count(self, lengths: tuple[Atom, ...]) -> str:
        """How many elements an array with these lengths has."""
        factors = [self._expression(self.atom(n)) for n in lengths]
        if len(factors) == 1:
            return factors[0]
        return " * ".join(f if f.isidentifier() or f.isdigit() else f"({f})" for f in factors)


def _dtype(text: str) -> Any:
    return np.dtype(text)
