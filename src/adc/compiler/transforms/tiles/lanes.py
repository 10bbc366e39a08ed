"""Loops over the elements of arrays that are all of one length, and loops around them."""

from __future__ import annotations

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Mark,
    Stmt,
    Store,
    Var,
    is_of_numbers,
    uses,
    variables,
    walk,
)
from adc.compiler.transforms.strips.rows import is_plain, sums
from adc.rules.dims import Dim

FEWEST = 4  # trips of a loop around, where that is known
TILE = 256  # elements: a kilobyte or two of each array for each trip, and few turns of the loop around


class Lanes:
    """The elements, as many as `length`; what is as long."""

    def __init__(self, length: Dim, known: Equalities) -> None:
        self.length = length
        self.known = known
        self._go: dict[For, bool] = {}

    def go(self, s: For) -> bool:
        """Whether a loop goes over the elements: as far as is known where it stands, which is asked first there."""
        if s not in self._go:
            length = length_of(s.stop)
            self._go[s] = (
                s.start == Const(0)
                and s.step == Const(1)
                and length is not None
                and self.known.equal.same(length, self.length)
            )
        return self._go[s]

    def totals(self, s: Stmt) -> list[Carried] | None:
        """What a loop over the elements, or one around such loops, adds up over them; None of any other statement.

        The elements meet in sums alone, and of a sum nothing is made but a part of another.
        """
        if not isinstance(s, For):
            return None
        if not self.go(s):
            return self._around(s)
        plain = all(is_plain(t) for t in walk(s.body)) and all(sums(c.phi, c.out, s.body) for c in s.carried)
        return s.carried if plain else None

    def _around(self, loop: For) -> list[Carried] | None:
        inner: dict[For, list[Carried]] = {}
        with self.known.inside(loop):
            for s in loop.body:
                if isinstance(s, For):
                    found = self.totals(s)
                    if found is None:
                        return None
                    inner[s] = found
                elif not isinstance(s, (Mark, Store)) and not (isinstance(s, Assign) and is_of_numbers(s)):
                    return None
        if not inner:
            return None
        carried, varying = _varying(loop, inner)
        chains: set[Var] = set()
        for c in carried:
            chain = sums(c.phi, c.out, loop.body)
            if not chain:
                return None
            chains.update(chain)
        for s in loop.body:
            if not isinstance(s, For) and not varying.isdisjoint(uses(s)) and not _is_linear(s, varying):
                return None
            if isinstance(s, For) and not _starts_well(s, inner[s], chains, varying):
                return None
        return carried

    def nests(self, block: Block) -> list[For]:
        """The loops over the elements in statements of which each is one, or a loop around some."""
        found: list[For] = []
        for s in block:
            if isinstance(s, For):
                found += [s] if self.go(s) else self.nests(s.body)
        return found


def lengths_of(block: Block) -> list[Dim]:
    """How many elements loops go over in a block with loops in which others go over as many; the outer ones first."""
    inner: list[Stmt] = [t for s in block if isinstance(s, For) and _is_long(s) for t in walk(s.body)]
    if not any(isinstance(s, For) for s in inner):
        return []
    lengths = [length_of(s.stop) for s in (*block, *inner) if isinstance(s, For) and s.start == Const(0)]
    return list(dict.fromkeys(n for n in lengths if n is not None and (n.known is None or n.known > TILE)))


def _is_long(s: For) -> bool:
    start, stop = length_of(s.start), length_of(s.stop)
    trips = None if start is None or stop is None else (stop - start).known
    return trips is None or abs(trips) >= FEWEST


def _varying(loop: For, inner: dict[For, list[Carried]]) -> tuple[list[Carried], set[Var]]:
    """What a loop carries that depends on the elements, and all numbers of its trips that do."""
    carried: list[Carried] = []
    while True:
        varying = {c.phi for c in carried}
        for s in loop.body:
            if isinstance(s, For):
                varying.update(c.result for c in inner[s])
                varying.update(c.result for c in s.carried if c.init in varying)
            elif isinstance(s, Assign) and not varying.isdisjoint(uses(s)):
                varying.update(s.targets)
        more = [c for c in loop.carried if c.out in varying and c not in carried]
        if not more:
            return carried, varying
        carried += more


def _is_linear(s: Stmt, varying: set[Var]) -> bool:
    """Whether a number is the sum over parts of the elements of what it is for a part of them."""
    if not isinstance(s, Assign):
        return False
    of = [isinstance(a, Var) and a in varying for a in s.args]
    match s.name:
        case "add" | "subtract" | "negative":
            return all(of)
        case "multiply":
            return sum(of) == 1
        case "divide":
            return of == [True, False]
    return False


def _starts_well(s: For, totals: list[Carried], chains: set[Var], varying: set[Var]) -> bool:
    """Whether a loop in another one begins its sums with zero, or a sum so far, and else knows nothing of sums."""
    within = {u for t in walk(s.body) for u in uses(t)} | set(variables((s.start, s.stop)))
    if not varying.isdisjoint(within):
        return False
    return all(
        (c.init in chains or _is_zero(c.init)) if c in totals else c.init not in varying for c in s.carried
    )


def _is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and not isinstance(a.value, bool) and a.value == 0
