"""How large plain integers may become: Python's have no limit, those of compiled code have 64 bits.

An interval analysis of absolute values alone (Cousot and Cousot, *Abstract interpretation*, 1977). A loop is entered
with two large values for what it carries: what comes out as large whatever went in is bounded, what comes out larger
by the same amount grows by that in a trip, and everything else has no bound.
"""

from __future__ import annotations

from adc.compiler.analysis.touches import paces
from adc.compiler.frontend.python_integers import LARGEST
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Const,
    For,
    If,
    Keep,
    Program,
    Restore,
    Var,
    While,
    walk,
)
from adc.compiler.ir.types import Scalar, is_plain_integer

# Of a number that comes from somewhere else: what it is added to is small beside the rest of 64 bits.
UNKNOWN = 2**62
LENGTH = 2**31
TRIPS = 2**31
NESTED_TRIPS = 2**15  # of all loops together no more than 2**46 are run, in a day
_PROBES = (2**44, 2**45)

Bounds = dict[Var, int]


def _counts(x: Atom) -> bool:
    """Whether a value is an integer, be it one of NumPy's."""
    return not isinstance(x, Const) and isinstance(x.type, Scalar) and x.type.dtype == "int64"


class Magnitudes:
    """`of(v)`: what the absolute value of an integer does not exceed, where it is no other than Python's would be.

    `argument` is what is assumed of the program's own arguments.
    """

    def __init__(self, program: Program, argument: int) -> None:
        self.bounds: Bounds = {p: argument for p in program.params if is_plain_integer(p.type)}
        self.kept: dict[Buffer, int] = {}
        self.nest: tuple[Var, ...] = ()  # the counters from zero of loops that lie directly in each other
        self._block(program.body)

    def of(self, x: Atom) -> int:
        """What the absolute value does not exceed."""
        if isinstance(x, Const):
            return abs(x.value) if isinstance(x.value, int) else UNKNOWN
        if x in self.bounds:
            return self.bounds[x]
        if x.dim is not None and all(s.kind == "shape" for s, _ in x.dim.terms):
            return abs(x.dim.const) + sum(abs(c) * LENGTH for _, c in x.dim.terms)
        return 1 if x.type.dtype == "bool" else UNKNOWN

    def result(self, s: Assign) -> int:
        """What an operation may give, were there no limit."""
        if any(not isinstance(a, (Var, Const)) for a in s.args):
            return UNKNOWN
        sizes = [self.of(a) for a in s.args]
        match s.name, sizes:
            case "dim" | "trips", _:
                return LENGTH
            case (("add" | "subtract"), [a, b]):
                together = self._of_counters(s.target)
                return a + b if together is None else min(a + b, together)
            case "multiply", [a, b]:
                return a * b
            case (("negative" | "absolute" | "positive" | "alias" | "right_shift"), [a, *_]):
                return a
            case "floor_divide", [a, _]:
                return a
            case "remainder", [_, b]:
                return b
            case (("maximum" | "minimum"), [a, b]):
                return max(a, b)
            case "where", [_, a, b]:
                return max(a, b)
            case "bitwise_and", [a, b]:
                masks = [x.value for x in s.args if isinstance(x, Const) and x.value >= 0]
                return min((int(m) for m in masks), default=max(a, b))
            case (("bitwise_or" | "bitwise_xor"), [a, b]):
                return (1 << max(a.bit_length(), b.bit_length())) - 1
            case "power", [a, b]:
                return int(a**b) if b <= 64 else LARGEST + 1
            case "left_shift", [a, b]:
                return a << b if b <= 64 else LARGEST + 1
        return UNKNOWN

    def _of_counters(self, x: Var) -> int | None:
        """What a sum of counters of one nest does not exceed: of its loops only one can have so many trips."""
        rates = paces(x.dim)
        if x.dim is None or len(rates) < len(x.dim.terms) or not rates.keys() <= set(self.nest):
            return None
        *others, most = sorted(map(abs, rates.values())) or [0]
        longest = max((LENGTH, *map(self.of, rates)))
        return most * longest + sum(others) * NESTED_TRIPS + abs(x.dim.const)

    # --- the walk -----------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for s in block:
            if isinstance(s, Assign) and len(s.targets) == 1 and _counts(s.target):
                # What exceeds the limit is found out, and does not.
                self.bounds[s.target] = min(self.result(s), LARGEST)
            elif isinstance(s, If):
                around, self.nest = self.nest, ()
                self._block(s.then)
                self._block(s.orelse)
                self.nest = around
                for m in s.merges:
                    if _counts(m.result):
                        self.bounds[m.result] = max(self.of(m.then), self.of(m.orelse))
            elif isinstance(s, (For, While)):
                self._loop(s)
            elif isinstance(s, Keep) and not isinstance(s.value, tuple) and _counts(s.value):
                self.kept[s.buffer] = max(self.kept.get(s.buffer, 0), self.of(s.value))
            elif isinstance(s, Restore) and _counts(s.target):
                self.bounds[s.target] = self.kept.get(s.buffer, UNKNOWN)

    def _inside(self, s: For | While) -> None:
        around = self.nest
        if isinstance(s, While):
            self.nest = ()
            self._block(s.test_block)
        else:
            self.nest = (*around, s.index) if _goes_from_zero(s) else ()
        self._block(s.body)
        self.nest = around

    def _loop(self, s: For | While) -> None:
        if isinstance(s, For):
            self.bounds[s.index] = max(self.of(s.start), self.of(s.stop))
        carried = [c for c in s.carried if _counts(c.phi)]
        free = list(carried)  # what may still turn out to be bounded
        kept = dict(self.kept)
        while free:
            found = []
            for probe in _PROBES:
                for c in carried:
                    self.bounds[c.phi] = probe if c in free else LARGEST
                self._inside(s)
                found.append([self.of(c.out) for c in free])
            first, second = found
            growth = [
                0 if b == a else b - _PROBES[1] if b - a == _PROBES[1] - _PROBES[0] else None
                for a, b in zip(first, second, strict=True)
            ]
            still = [c for c, g in zip(free, growth, strict=True) if g is not None]
            if len(still) == len(free):
                step = max((g for g in growth if g is not None), default=0)
                start = max(
                    *(self.of(c.init) for c in free),
                    *(a for a, b in zip(first, second, strict=True) if a == b),
                    0,
                )
                for c in free:
                    self.bounds[c.phi] = min(start + step * _trips(s, step), LARGEST)
                break
            free = still
        for c in carried:
            if c not in free:
                self.bounds[c.phi] = LARGEST
        self.kept = kept  # without what the probes left there
        self._inside(s)
        for c in carried:
            self.bounds[c.result] = max(self.bounds[c.phi], self.of(c.out), self.of(c.init))


def _goes_from_zero(s: For) -> bool:
    """Whether a loop counts from zero to a length, or from there to zero: as far in every trip of the loops around."""
    if s.step == s.stop == Const(-1):
        end = s.start
    elif s.step == Const(1) and s.start == Const(0):
        end = s.stop
    else:
        return False
    return isinstance(end, Const) or (
        end.dim is not None and all(t.kind == "shape" for t, _ in end.dim.terms)
    )


def _trips(s: For | While, step: int) -> int:
    """How often a step is made: one that holds those of an inner loop is not made as often again."""
    if step < TRIPS or not any(isinstance(inner, (For, While)) and inner.carried for inner in walk(s.body)):
        return TRIPS
    return NESTED_TRIPS if step < TRIPS * NESTED_TRIPS else 2
