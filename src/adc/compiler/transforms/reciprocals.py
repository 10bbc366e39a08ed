"""Divide once where derivatives divide by one number again and again.

    x_bar = z_bar / y                       reciprocal = 1.0 / y
    y_bar = z_bar * (-z / y)                x_bar = z_bar * reciprocal
                                            y_bar = z_bar * (-z * reciprocal)

A division takes the time of four products or more. By a number that a loop does not change it is made in front of the
loop, and by an array that is stretched along an axis, once for each of its own elements: so arrays are looked at before
they become loops, and numbers behind that. By a constant it is a product with its reciprocal. So are quotients of the
primal whose last bit nobody can see (analysis/rounding): the product rounds once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from adc.compiler.analysis.roots import written_roots
from adc.compiler.analysis.rounding import tolerant
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Program,
    Stmt,
    Var,
    blocks,
    bound_inside,
    defined,
    walk,
)
from adc.compiler.ir.types import REALS, Array
from adc.rules import registry

_Home = tuple[Block, For]  # the block in which a loop stands, and the loop


def of_arrays(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with reciprocals of the arrays by which larger ones are divided.

    From here on quotients whose last bit nobody can see count as parts of derivatives, but in a `strict` program.
    """
    for quotient in () if strict else tolerant(program, evaluator.joined_roots):
        quotient.target.derived = True
    written = written_roots(walk(program.body), evaluator.joined_roots)

    def divisor(s: Stmt) -> Var | None:
        found = _divisor(s)
        return found if found is not None and _is_stretched(found, s) and found.root not in written else None

    return _run(program, evaluator, divisor, 1)


def of_numbers(program: Program, evaluator: Evaluator) -> Program:
    """The program with reciprocals of the numbers by which a block divides several times, or in a loop."""

    def divisor(s: Stmt) -> Var | None:
        found = _divisor(s)
        return None if found is None or found.is_array or defined(s)[0].is_array else found

    for s in walk(program.body):
        if isinstance(s, For):
            for inner in s.body:
                _by_constant(inner)
    return _run(program, evaluator, divisor, 2)


def _run(
    program: Program, evaluator: Evaluator, divisor: Callable[[Stmt], Var | None], least: int
) -> Program:
    if any(divisor(s) is not None for s in walk(program.body)):
        _Reciprocals(evaluator, divisor, least).block(program.body, ())
    return program


def _divisor(s: Stmt) -> Var | None:
    """By what a statement divides a part of a derivative."""
    if not isinstance(s, Assign) or s.name != "divide" or not s.target.derived:
        return None
    divisor, dtype = s.args[1], s.target.type.dtype
    return divisor if isinstance(divisor, Var) and divisor.type.dtype == dtype in REALS else None


def _by_constant(s: Stmt) -> None:
    """Multiply by the reciprocal of a constant instead; powers of two LLVM knows."""
    if not isinstance(s, Assign) or s.name != "divide" or not s.target.derived or s.target.is_array:
        return
    divisor, dtype = s.args[1], s.target.type.dtype
    if dtype not in REALS or not isinstance(divisor, Const) or isinstance(s.args[0], Const):
        return
    value, tiny = float(divisor.value), float(np.finfo(dtype).tiny)
    if value != 0.0 and abs(np.frexp(value)[0]) != 0.5 and tiny < abs(value) < 1.0 / tiny:
        s.op, s.args = registry.named("multiply"), (s.args[0], Const(1.0 / value))


def _is_stretched(divisor: Var, s: Stmt) -> bool:
    target = defined(s)[0]
    if not isinstance(divisor.type, Array) or not isinstance(target.type, Array):
        return False
    shape = divisor.type.shape
    return len(shape) < target.type.ndim or any(
        d.known == 1 and n.known != 1 for d, n in zip(shape, target.type.shape, strict=True)
    )


class _Reciprocals:
    """`divisor(s)` is by what a statement divides; where `least` of a block do, or a loop, they become products."""

    def __init__(self, evaluator: Evaluator, divisor: Callable[[Stmt], Var | None], least: int) -> None:
        self.ev = evaluator
        self.divisor = divisor
        self.least = least
        self.inside: dict[For, set[Var]] = {}  # what a loop makes
        self.in_front: dict[tuple[For, Var], Var] = {}

    def block(self, block: Block, around: tuple[_Home, ...]) -> None:
        """Rewrite a block; `around` are the loops in which it stands, with nothing else between them."""
        for s in list(block):
            for inner in blocks(s):
                self.block(inner, (*around, (block, s)) if isinstance(s, For) else ())
        count = Counter(d for s in block if (d := self.divisor(s)) is not None)
        own: dict[Var, Var] = {}
        for s in list(block):
            divisor = self.divisor(s)
            if divisor is None:
                continue
            home = self._home(divisor, around)
            if home is not None:
                self._multiplied(s, self._before(home, divisor, s))
            elif count[divisor] >= self.least:
                if divisor not in own:
                    own[divisor] = self._made(block, block.index(s), divisor, s)
                self._multiplied(s, own[divisor])

    def _home(self, divisor: Var, around: tuple[_Home, ...]) -> _Home | None:
        """The outermost loop in front of which the divisor is known; None where it is made in the innermost."""
        found = None
        for place, loop in reversed(around):
            if loop not in self.inside:
                self.inside[loop] = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
                self.inside[loop] -= set(defined(loop))
            if divisor in self.inside[loop]:
                break
            found = place, loop
        return found

    def _before(self, home: _Home, divisor: Var, s: Stmt) -> Var:
        place, loop = home
        if (loop, divisor) not in self.in_front:
            self.in_front[loop, divisor] = self._made(place, place.index(loop), divisor, s)
        return self.in_front[loop, divisor]

    def _made(self, block: Block, position: int, divisor: Var, s: Stmt) -> Var:
        made: Block = []
        with self.ev.at(made), self.ev.origin_at(s.origin):
            reciprocal = self.ev.op("divide", 1.0, divisor)
        assert isinstance(reciprocal, Var)
        reciprocal.name, reciprocal.named = "reciprocal", False
        block[position:position] = made
        return reciprocal

    def _multiplied(self, s: Stmt, reciprocal: Var) -> None:
        assert isinstance(s, Assign)
        if s.args[0] in (Const(1.0), Const(1)):
            s.op, s.args = "alias", (reciprocal,)
        else:
            s.op, s.args = registry.named("multiply"), (s.args[0], reciprocal)
