"""Integers of Python's that may not fit into 64 bits are looked at before they are computed.

    factorial *= k
    if not abs(float(factorial) * float(k)) < 9.2e18: raise OverflowError('an integer exceeds 64 bits')
    factorial *= k

What is made of lengths, counters and the like does not come so far, and is computed as it stands. Of the arguments of a
function that multiplies them it is asked once, at its head, that they are small.
"""

from __future__ import annotations

from collections.abc import Mapping

from adc.compiler.analysis import counters
from adc.compiler.analysis.magnitudes import UNKNOWN, Magnitudes
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.python_integers import LARGEST
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    Program,
    Stmt,
    Var,
    change_blocks,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Scalar, is_plain_integer
from adc.errors import UnsupportedError

NEAR_LIMIT = 9.2e18  # below 2**63, by more than the rounding of a product
SMALL = 2**31
_GROWING = {"add", "subtract", "multiply", "power", "left_shift"}
_MESSAGE = "an integer exceeds 64 bits"


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with checks where plain integers may grow without limit."""
    _refuse_large_constants(program)
    if not any(_grows(s) for s in walk(program.body)):
        return program
    large = _exceeding(program, UNKNOWN)
    if not large:
        return program
    guarded = _exceeding(program, SMALL)
    if guarded:
        _Guards(evaluator, guarded).block(program.body)
    if len(guarded) < len(large):
        program.body = _small_arguments(program, large - guarded, evaluator) + program.body
    return program


def _grows(s: Stmt) -> bool:
    return (
        isinstance(s, Assign)
        and len(s.targets) == 1
        and s.name in _GROWING
        and is_plain_integer(s.target.type)
        and not all(isinstance(a, Const) for a in s.args)
    )


def _exceeding(program: Program, argument: int) -> set[Assign]:
    """The operations whose results may exceed 64 bits, or be no integer, with arguments that are no larger."""
    sizes = Magnitudes(program, argument)
    ranges = counters.ranges(program.body)
    return {
        s
        for s in walk(program.body)
        if isinstance(s, Assign)
        and _grows(s)
        and (sizes.result(s) > LARGEST or (s.name == "power" and _may_be_negative(s.args[1], ranges)))
    }


def _may_be_negative(x: Atom, ranges: Mapping[Var, counters.Range]) -> bool:
    return x.value < 0 if isinstance(x, Const) else not counters.never_negative(x.dim, ranges)


class _Guards:
    def __init__(self, evaluator: Evaluator, guarded: set[Assign]) -> None:
        self.ev = evaluator
        self.guarded = guarded

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            change_blocks(s, self.block)
            if isinstance(s, Assign) and s in self.guarded:
                with self.ev.at(out), self.ev.origin_at(s.origin):
                    self._check(s.name, *s.args)
            out.append(s)
        block[:] = out
        return block

    def _check(self, name: str, a: Atom, b: Atom) -> None:
        ev = self.ev
        if name in ("power", "left_shift") and not isinstance(b, Const):
            message = (
                "a negative power of an integer is a fraction" if name == "power" else "negative shift count"
            )
            self._require(
                ev.op("greater_equal", b, 0), "OverflowError" if name == "power" else "ValueError", message
            )
        if name == "left_shift":
            x, y = self._float(a), ev.op("power", 2.0, self._float(b))
            name = "multiply"
        else:
            x, y = self._float(a), self._float(b)
        self._require(
            ev.op("less", ev.op("absolute", ev.op(name, x, y)), NEAR_LIMIT), "OverflowError", _MESSAGE
        )

    def _float(self, x: Atom) -> object:
        return (
            float(x.value)
            if isinstance(x, Const)
            else self.ev.assign("cast", (x, Const("float64")), Scalar("float64", True))
        )

    def _require(self, test: object, error: str, message: str) -> None:
        self.ev.block.append(Check(self.ev.atom(test), error, (Const(message),), self.ev.origin))


def _small_arguments(program: Program, large: set[Assign], evaluator: Evaluator) -> Block:
    """Checks that the arguments on which these operations depend are small."""
    definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
    reached: dict[Var, Assign] = {}
    front = [(v, s) for s in large for v in uses(s)]
    while front:
        v, s = front.pop()
        if v not in reached:
            reached[v] = s
            if v in definition:
                front.extend((u, s) for u in variables(definition[v].args))
    out: Block = []
    for p in program.params:
        if p in reached and is_plain_integer(p.type):
            with evaluator.at(out), evaluator.origin_at(reached[p].origin):
                small = evaluator.op("less_equal", evaluator.op("absolute", p), SMALL)
                message = f"{p.name} is so large that what is made of it may exceed 64 bits"
                out.append(Check(evaluator.atom(small), "OverflowError", (Const(message),), evaluator.origin))
    return out


def _refuse_large_constants(program: Program) -> None:
    for s in walk(program.body):
        for x in s.args if isinstance(s, Assign) else ():
            if isinstance(x, Const) and type(x.value) is int and abs(x.value) > LARGEST:
                raise UnsupportedError(
                    f"{x.value} has more than 64 bits",
                    location=s.origin,
                    why="Compiled code computes with integers of 64 bits.",
                    repair='Write it as a number with a point where it is one, or use mode="tape".',
                )
