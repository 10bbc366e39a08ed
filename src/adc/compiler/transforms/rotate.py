"""Hand the memory of the arrays that a loop carries round among them, so that no trip allocates or copies.

    for t in range(steps):                      spare = np.empty(n)
        after = np.empty(n)                     for t in range(steps):
        for j in range(n):                          for j in range(n):
            after[j] = f(now, before, j)   ->           spare[j] = f(now, before, j)
        before, now = now, after                    before, now, spare = now, spare, before

In the adjoint of such a loop a trip begins with copies of the adjoints of what it was handed: it adds to them.

    for j in range(n):
        now_bar[j] = before_bar[j]         ->   # now_bar is before_bar from here on
    now_bar[k] += ...

The copy takes the memory over when nobody reads the original any more. No two of these arrays ever share memory: those
of the first trip are made for the loop, a trip makes one more or has the spare one, and each is handed on once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.handover import alike, copies, same_element
from adc.compiler.analysis.touches import part
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    For,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.owned import CarriedArrays, Loop, carries_arrays, memory_uses, rename, touches
from adc.compiler.transforms.rewrite import substitute
from adc.compiler.transforms.scopes import bound


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer arrays made and copied in loops."""
    if not carries_arrays(program):
        return program
    rotator = _Rotator(program, evaluator)
    rotator.block(program.body)
    if rotator.table:
        program.body = substitute(program.body, rotator.table)
        rename(evaluator.joined_roots, rotator.table)
    return program


@dataclass(frozen=True)
class TakenOver:
    """An array that a trip makes, which may have the memory of one that it was handed; its making, where a copy."""

    array: Var
    copy: For | None = None


def taken_over(loop: Loop, c: Carried, carried: CarriedArrays, equal: EqualLengths) -> TakenOver | None:
    """The copy whose making is the last that a trip has to do with an array it was handed."""
    found = _heir(loop, c, carried, equal)
    if found is None or not copies(found[0], c.phi, found[1]):
        return None
    copy, new = found
    # Where all that is done with a copy is done element by element it becomes a number in the loops that do it.
    if not (_handed_on(loop, new) or _is_scattered(loop, new, copy)):
        return None
    return TakenOver(new, copy)


def _written_over(loop: Loop, c: Carried, carried: CarriedArrays, equal: EqualLengths) -> TakenOver | None:
    """The array to hand on whose elements are made as those of one that the trip was handed are read for the last time.

    What is read at a distance stays apart: the loops that read it could not become one with the loop that writes.
    """
    found = _heir(loop, c, carried, equal)
    if found is None or not same_element(found[0], c.phi, found[1]):
        return None
    last, new = found
    return TakenOver(new) if _handed_on(loop, new) and not _is_scattered(loop, c.phi, last) else None


def _heir(loop: Loop, c: Carried, carried: CarriedArrays, equal: EqualLengths) -> tuple[For, Var] | None:
    """The nest that is the last to touch an array which a trip was handed, and the array that it is the first to touch.

    Nobody but the trip has them, and they are of one size.
    """
    old = c.phi
    last = next((s for s in reversed(loop.body) if touches(s, old)), None)
    if not isinstance(last, For) or not carried.is_local(loop, old, 0):
        return None
    new = next((s.array for s in walk([last]) if isinstance(s, Store)), None)
    if new is None or new is c.out or _made(loop, new) is None or not alike(old, new, equal):
        return None
    first = next(s for s in loop.body if touches(s, new))
    return (last, new) if first is last and carried.is_local(loop, new, _handed_on(loop, new)) else None


def _handed_on(loop: Loop, array: Var) -> int:
    """How often a trip hands an array on."""
    return sum(c.out is array for c in loop.carried)


@dataclass(eq=False)
class _Chain:
    """Carried arrays, the first of which a trip makes, each next of which is the one before it in the trip before.

    Without `made` the last one goes on as the first.
    """

    made: Assign | None
    carried: list[Carried] = field(default_factory=list)
    takeovers: list[tuple[Carried, TakenOver]] = field(default_factory=list)


class _Rotator:
    """`table[v]` is the array whose memory another one has."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.carried = CarriedArrays(program, evaluator)
        self.known = Equalities(program)
        self.table: dict[Var, Atom] = {}

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block, those in them first."""
        result: Block = []
        for s in list(block):
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    self.block(inner)
            if isinstance(s, (For, While)):
                # Of a loop without a trip, whose lengths are not checked, the states stay what they were.
                with self.known.inside(s):
                    for chain in self._chains(s, self.known.equal):
                        self._rotate(s, chain, self.known.equal, result)
            result.append(s)
        block[:] = result

    def _chains(self, loop: Loop, equal: EqualLengths) -> list[_Chain]:
        """The arrays that a loop carries whose memory nobody else has, in the order in which they are handed on."""
        arrays = [c for c in loop.carried if c.phi.is_array and isinstance(c.out, Var)]
        takeovers = self._takeovers(loop, arrays, equal)
        while True:
            origin = {t.array: c for c, t in takeovers.items() if c in arrays} | {c.phi: c for c in arrays}
            source = {c: origin.get(c.out) for c in arrays if isinstance(c.out, Var)}
            fit = [c for c in arrays if self._is_apart(loop, c, source[c])]
            if len(fit) == len(arrays):
                break
            arrays = fit
        follower = {one: c for c, one in source.items() if one is not None}
        left = set(arrays)
        chains = []
        for begin in sorted(arrays, key=lambda c: source[c] is not None):  # with those that a trip makes
            chain = _Chain(None if source[begin] is not None else _made(loop, begin.out))
            link: Carried | None = begin
            while link is not None and link in left:
                left.remove(link)
                chain.carried.append(link)
                if link in takeovers:
                    chain.takeovers.append((link, takeovers[link]))
                link = follower.get(link)
            if chain.carried:
                chains.append(chain)
        return chains

    def _takeovers(self, loop: Loop, arrays: list[Carried], equal: EqualLengths) -> dict[Carried, TakenOver]:
        """For what a trip was handed, the array that may have its memory: no two have the same."""
        takeovers: dict[Carried, TakenOver] = {}
        for find in (taken_over, _written_over):
            for c in arrays:
                found = None if c in takeovers else find(loop, c, self.carried, equal)
                if found is not None and all(found.array is not t.array for t in takeovers.values()):
                    takeovers[c] = found
        return takeovers

    def _is_apart(self, loop: Loop, c: Carried, source: Carried | None) -> bool:
        """Whether the array that a trip is handed shares memory with nothing else in it."""
        phi, out = c.phi, c.out
        assert isinstance(out, Var)
        handed_on = _handed_on(loop, phi)
        if handed_on > 1 or source is c or not self.carried.is_local(loop, phi, handed_on):
            return False
        if source is not None:
            return _handed_on(loop, out) == 1
        return _made(loop, out) is not None and self.carried.is_local(loop, out, 1)

    def _rotate(self, loop: Loop, chain: _Chain, equal: EqualLengths, before: Block) -> None:
        spare = chain.made if self._may_spare(loop, chain, equal) else None
        written = {s.array for s in walk(loop.body) if isinstance(s, Store)}
        change_places = len(chain.carried) > 1 and any(c.phi in written for c in chain.carried)
        if not (chain.takeovers or spare or change_places):
            return
        for c in chain.carried:
            first = self.carried.owned(c, loop, before)
            if c.phi.named:
                first.name, first.named = c.phi.name, True
            c.init = first
            for v in (c.phi, c.result):
                assert isinstance(v.type, Array)
                v.type = Array(v.type.dtype, v.type.shape, "C")  # as all that a trip makes
                self.ev.joined_roots.pop(v, None)
        gone: list[Stmt | None] = [spare]
        for c, takeover in chain.takeovers:
            gone += [_made(loop, takeover.array), takeover.copy]
            self.table[takeover.array] = c.phi
        if spare is not None:
            before.append(self._with_spare(loop, chain, spare))
        loop.body[:] = [s for s in loop.body if s not in gone]

    def _may_spare(self, loop: Loop, chain: _Chain, equal: EqualLengths) -> bool:
        """Whether what a trip makes may have the memory of what no later trip is handed."""
        return (
            chain.made is not None
            and all(alike(c.phi, chain.made.target, equal) for c in chain.carried)
            and may_have_a_spare(loop, chain.made.target)
        )

    def _with_spare(self, loop: Loop, chain: _Chain, made: Assign) -> Assign:
        """Let a loop carry one more array, which a trip writes where it made one; what makes the first."""
        array = made.target
        taken = {c.phi.name for c in chain.carried}
        name = array.name if array.named and array.name not in taken else "spare"
        first, phi, result = (Var(name, array.type, named=True) for _ in range(3))
        loop.carried.append(Carried(phi, first, chain.carried[-1].phi, result))
        self.table[array] = phi
        return Assign((first,), made.op, made.args, loop.origin)


def may_have_a_spare(loop: Loop, array: Var) -> bool:
    """Whether an array that a trip makes is as long as is known before the loop."""
    made = _made(loop, array)
    return made is not None and bound([loop]).isdisjoint(variables(made.args))


def _made(loop: Loop, array: Atom) -> Assign | None:
    """What makes an array in each trip of a loop."""
    return next(
        (s for s in loop.body if isinstance(s, Assign) and s.name == "empty" and s.target is array), None
    )


def _is_scattered(loop: Loop, array: Var, copy: For) -> bool:
    """Whether an array is used otherwise than element by element, in nests that go over all of it."""
    for top in loop.body:
        if top is copy or not touches(top, array):
            continue
        counters = {s.index for s in walk([top]) if isinstance(s, For)}
        for s in walk([top]):
            if array not in memory_uses(s):
                continue
            _, index = part(s) or (None, None)
            if index is None or len(set(index)) != len(index) or not counters.issuperset(index):
                return True
    return False
