"""Gather the constants of the products that derivatives are, each the product of several partial derivatives.

    d_bar = z_bar * 0.5 * (1.128 * exp(-d * d)) * 0.707     ->     d_bar = z_bar * 0.399 * exp(-d * d)

Such a product may be rounded otherwise. What the user wrote is left as it is, as is what is read twice or has a name.
"""

from __future__ import annotations

import math

from adc.compiler.ir.nodes import Assign, Atom, Block, Const, Program, Stmt, Var, blocks, times_read
from adc.compiler.ir.types import REALS
from adc.rules import registry

PRODUCTS = ("multiply", "negative")


def run(program: Program) -> Program:
    """The program with one constant in each product of numbers that is part of a derivative."""
    gatherer = _Gatherer(program)
    gatherer.block(program.body)
    return program


class _Gatherer:
    def __init__(self, program: Program) -> None:
        self.count = times_read(program)
        self.definition: dict[Var, Assign] = {}  # of the products in the block that is looked at
        self.inner: set[Stmt] = set()  # those that are a part of a larger one

    def block(self, block: Block) -> None:
        for s in block:
            for inside in blocks(s):
                self.block(inside)
        self.definition = {s.target: s for s in block if isinstance(s, Assign) and _is_product(s)}
        out: Block = []
        for s in reversed(block):
            if isinstance(s, Assign) and s.targets[:1] and s.targets[0] in self.definition:
                if s in self.inner:
                    continue
                out += reversed(self._gathered(s))
            else:
                out.append(s)
        block[:] = reversed(out)

    def _gathered(self, s: Assign) -> Block:
        """A product as one of fewer factors; the products that it is made of are left out where they stand."""
        inner: list[Assign] = []
        factors = self._factors(s, inner)
        constants = [float(f.value) for f in factors if isinstance(f, Const)]
        others = [f for f in factors if isinstance(f, Var)]
        constant = math.prod(constants)
        if len(constants) < 2 or not others or not math.isfinite(constant) or constant == 0.0:
            return [s]
        self.inner.update(inner)
        first, *rest = others
        made: Block = []
        value: Atom = first
        if constant not in (1.0, -1.0):
            rest.insert(0, Const(constant))  # type: ignore[arg-type]
        for f in rest:
            target = Var("product", s.target.type, named=False)
            target.derived = True
            made.append(Assign((target,), registry.named("multiply"), (value, f), s.origin))
            value = target
        if constant == -1.0:
            made.append(Assign(s.targets, registry.named("negative"), (value,), s.origin))
        elif made:
            last = made[-1]
            assert isinstance(last, Assign)
            made[-1] = Assign(s.targets, last.op, last.args, s.origin)
        else:
            made.append(Assign(s.targets, "alias", (value,), s.origin))
        return made

    def _factors(self, s: Assign, inner: list[Assign]) -> list[Atom]:
        """What a product is made of; `inner` takes the statements that made parts of it."""
        found: list[Atom] = [Const(-1.0)] if s.name == "negative" else []
        for x in s.args:
            made = self.definition.get(x) if isinstance(x, Var) else None
            if made is None or self.count[made.target] != 1 or made.target.named:
                found.append(x)
            else:
                inner.append(made)
                found += self._factors(made, inner)
        return found


def _is_product(s: Assign) -> bool:
    """Whether a statement is a product of floats, numbers that are part of a derivative."""
    return s.name in PRODUCTS and is_of_floats(s) and s.target.derived


def is_of_floats(s: Assign) -> bool:
    """Whether a statement makes one number of double or single precision of such numbers, and of constants."""
    if len(s.targets) != 1 or s.target.is_array or s.target.type.dtype not in REALS:
        return False
    return all(
        isinstance(x.value, (int, float)) and not isinstance(x.value, bool)
        if isinstance(x, Const)
        else isinstance(x, Var) and not x.is_array and x.type.dtype == s.target.type.dtype
        for x in s.args
    )
