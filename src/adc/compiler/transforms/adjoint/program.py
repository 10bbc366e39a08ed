"""Append the reverse sweep: from a primal program to one that also returns the adjoints of its inputs.

Reverse-mode differentiation of structured programs (Griewank & Walther, *Evaluating Derivatives*, chapters 3 to 6;
Hascoet & Pascual, *The Tapenade automatic differentiation tool*, 2013). Each statement's reverse is its rule's body,
inlined. What a body reads is asked of `Needs`, which recomputes it, or keeps it in the forward sweep.

Scalars and arrays that are never written in place have adjoints that are values: assigned once, then added to. An
array that is written, indexed, or used inside a region deeper than its own has a shadow array, accumulated in place.
"""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    For,
    If,
    Mark,
    Program,
    Store,
    Var,
    While,
    walk,
)
from adc.compiler.transforms.adjoint.regions import Regions
from adc.compiler.transforms.needs import Frame


def run(
    program: Program, wrt: list[Var], output: Var | None, extra: list[Atom], evaluator: Evaluator
) -> Program:
    """The program that returns `[output, *extra, *adjoints of wrt]`."""
    return Adjoint(program, wrt, output, extra, evaluator).build()


class Adjoint(Regions):
    """The reverse sweep of a whole program."""

    def build(self) -> Program:
        self.names = {v.name for v in self.layout.home if v.named}
        self.returned: set[Var] = set()
        self._save_overwritten()
        reverse: Block = []
        top = self.layout.region(self.program.body)
        frame = Frame(top, reverse)
        if self.output is not None and self.active(self.output):
            self.bar[self.output] = 1.0
        self._reverse_block(self.program.body, frame)
        bars = [self._final(p, reverse) for p in self.wrt]
        forward = self.needs.with_insertions(self.program.body)
        body: Block = [Mark("forward"), *forward, Mark("reverse"), *reverse]
        results = [*([self.output] if self.output is not None else []), *self.extra, *bars]
        return Program(self.program.name, self.program.params, body, results, self.program.doc)

    def _final(self, p: Var, block: Block) -> Any:
        """The adjoint of an input, as an array of its own, under its name."""
        g = self.bar.get(p)
        with self.ev.at(block):
            if not p.is_array:
                return self._result(self.ev.atom(0.0 if g is None else g), p)
            if g is None:
                return self._result(self.ev.zeros_like(p), p)
            if isinstance(g, Var) and g.is_array:
                memory = _reshaped_from(g, block)
                if memory in self.owned or memory in self.fresh:
                    self.owned.discard(memory)
                    self.fresh.discard(memory)
                    return self._result(g, p)
            return self._result(self._owned_copy(g, p), p)

    def _result(self, g: Any, p: Var) -> Any:
        """Call what is returned for an input `<p>_bar`, unless it is the adjoint of a value that the user named."""
        if isinstance(g, Var) and g not in self.layout.home and g not in self.returned:
            named = g.named and g.name.removesuffix("_bar") in self.names
            if not named:
                g.name, g.named = f"{p.name}_bar", True
            self.returned.add(g)
        return g

    def _save_overwritten(self) -> None:
        """Before each write, remember what it overwrites; the clean-up strikes what the reverse sweep never reads."""
        for stmt in [s for s in walk(self.program.body) if isinstance(s, Store)]:
            region = self.layout.region_of[stmt]
            before = self._already_read(stmt, region.block)
            if before is None:
                saves: Block = []
                with self.ev.at(saves), self.ev.origin_at(stmt.origin):
                    before = self.ev.getitem(stmt.array, stmt.index, f"{stmt.array.name}_old")
                    if before.is_array:
                        before = self.ev.op("copy", before)
                    before.name, before.named = f"{stmt.array.name}_old", True
                self.needs.insert_before(stmt, saves)
                for s in saves:  # among them the check that arrays of positions are equally long
                    if isinstance(s, Assign):
                        self.layout.home[s.target] = region
                        self.layout.definition[s.target] = s
                    self.layout.start[s] = self.layout.end[s] = self.layout.start[stmt] - 1
                    self.layout.region_of[s] = region
                self.needs.force_kept.add(before)
            self.saved[stmt] = before

    def _already_read(self, store: Store, block: Block) -> Var | None:
        """A scalar read of the very element that is overwritten, with no write in between."""
        for stmt in reversed(block[: block.index(store)]):
            if isinstance(stmt, Store) and stmt.array.root is store.array.root:
                return None
            if isinstance(stmt, (For, While, If)) and any(
                isinstance(s, Store) and s.array.root is store.array.root for s in walk([stmt])
            ):
                return None
            if (
                isinstance(stmt, Assign)
                and stmt.name == "getitem"
                and not stmt.target.is_array
                and stmt.args[0] is store.array
                and stmt.args[1] == store.index
            ):
                return stmt.target
        return None


def _reshaped_from(array: Var, block: Block) -> Var:
    """The array of which another is all the elements, in another shape."""
    made = {s.target: s for s in block if isinstance(s, Assign) and s.name == "reshape"}
    while array in made and array.view_of is not None:
        array = array.view_of
    return array
