"""Merge loops over one index space, so that what one computes the next reads at once.

Two loops of a block with equal bounds become one when every memory that one writes and the other touches is accessed,
in both, at the loop's own index in one place: each trip then has its own part (Kennedy & Allen, *Optimizing Compilers
for Modern Architectures*, chapter 6). Sums that only accumulate may interleave. Reverse loops whose trips are
independent run forwards first, so that they meet the forward sweep's loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adc.compiler.analysis.alignment import Form, aligned, form, opposed
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Effects, Memory, clash
from adc.compiler.analysis.equalities import Checks, Equalities
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
    For,
    If,
    Mark,
    Program,
    Stmt,
    Store,
    Var,
    While,
)
from adc.compiler.transforms import dead
from adc.compiler.transforms.rewrite import substitute
from adc.compiler.transforms.vectorise import is_vector_call, scatters

WINDOW = 40  # among how many earlier loops a partner is sought: keeps the pass linear in long functions
LONGEST_CHAIN = 12  # of loops that wait for each other


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with loops merged, outermost first."""
    return _Fuser(program, evaluator).build()


class _Kind(NamedTuple):
    """Of a loop: whether no other statement holds a block, whether it scatters, and calls functions of vectormath."""

    straight: bool
    scatters: bool
    calls: bool


class _Before:
    """The statements that were gone through, and the loops among them."""

    def __init__(self) -> None:
        self.block: Block = []
        self._loops: list[For] = []

    def add(self, statements: Iterable[Stmt]) -> None:
        for stmt in statements:
            self.block.append(stmt)
            if type(stmt) is For:
                self._loops.append(stmt)

    def cut(self, position: int) -> None:
        """Take out all from a place on."""
        loops = sum(1 for stmt in self.block[position:] if type(stmt) is For)
        del self.block[position:], self._loops[len(self._loops) - loops :]

    def last_loops(self) -> list[For]:
        """The last loop first."""
        return self._loops[: -WINDOW - 1 : -1]

    def position(self, loop: For) -> int:
        """Where one of the last loops stands."""
        return len(self.block) - 1 - next(k for k, stmt in enumerate(reversed(self.block)) if stmt is loop)


class _Needed:
    """The statements at the end of a block on which a loop behind the block depends, directly or not.

    They are the same whatever partner is tried, so the block is gone through once, as far as the furthest of them.
    """

    def __init__(self, memory: Memory, block: Block, loop: For) -> None:
        self.memory = memory
        self.block = block
        self.loop = loop
        self.reached = len(block)
        self.found: list[tuple[int, Stmt]] = []  # with their places, the last one first
        self.effects = (
            Effects()
        )  # of the loop and of all that were found: one question, however many they are

    def behind(self, position: int) -> Block:
        """Those behind a place, in order: the first of them are the likeliest to wait for what stands there."""
        if position + 1 < self.reached == len(self.block):
            self.effects.include(self.memory.effects(self.loop))
        while self.reached > position + 1:
            self.reached -= 1
            stmt = self.block[self.reached]
            if isinstance(stmt, Mark):
                continue
            effects = self.memory.effects(stmt)
            if clash(effects, self.effects):
                self.found.append((self.reached, stmt))
                self.effects.include(effects)
        return [stmt for place, stmt in reversed(self.found) if place > position]


class _Chain:
    """A loop, the first loop that reads what it writes, the first that reads what that writes, and so on.

    `block` holds them, the loop behind what was merged so far; where nobody reads it need not.
    """

    def __init__(self, memory: Memory, block: Block, loop: For, readers: list[For]) -> None:
        self.memory = memory
        self.block = block
        self.loop = loop
        self.readers = readers
        self.members: set[Stmt] = {loop, *readers}
        self._needed: dict[For, _Needed] = {}

    def joined(self, partner: For, joined: For) -> None:
        """The loop has been merged with another one."""
        self.loop = joined
        self.members |= {partner, joined}

    def needed(self, reader: For, position: int) -> Block:
        """What one of the readers depends on behind a place, other than the chain."""
        if reader not in self._needed:
            before = self.block[: self.block.index(reader)]
            self._needed[reader] = _Needed(self.memory, before, reader)
        return [s for s in self._needed[reader].behind(position) if s not in self.members]


class _Fuser:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.depths: dict[For, int] = {}
        self.kinds: dict[For, _Kind] = {}

    def build(self) -> Program:
        self.known = Equalities(self.program)
        self.counters = ranges(self.program.body)
        self.tests = dead.only_checked(self.program, self.ev.joined_roots)
        self.program.body = self._block(self.program.body)
        return self.program

    # --- merging ------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> Block:
        if not any(isinstance(s, (For, While, If)) for s in block):
            return self.known.early(block)
        around, self.memory = self.memory, self.memory.inside(block)
        before = _Before()
        checks = Checks(self.known)
        in_order = self._neighbours_last(self.known.early(block))
        readers = self._readers(in_order)
        for position, stmt in enumerate(in_order):
            if isinstance(stmt, For):
                its = readers.get(stmt, [])
                block = [*before.block, *in_order[position:]] if its else []
                chain = _Chain(self.memory, block, stmt, its)
                if self._merge(stmt, before, checks, chain):
                    continue
            checks.passed(stmt)
            before.add([stmt])
        for stmt in before.block:
            self.known.passed(stmt)
            if isinstance(stmt, (For, While)):
                if isinstance(stmt, While):
                    with self.known.inside(stmt):
                        stmt.test_block = self._block(stmt.test_block)
                with self.known.inside(stmt):
                    stmt.body = self._block(stmt.body)
            elif isinstance(stmt, If):
                with self.known.inside(stmt):
                    stmt.then = self._block(stmt.then)
                with self.known.inside(stmt):
                    stmt.orelse = self._block(stmt.orelse)
            self.memory.forget(stmt)
        self.memory = around
        return before.block

    def _readers(self, block: Block) -> dict[For, list[For]]:
        """The chains of loops that fill arrays of this block."""
        made = {s.target for s in block if isinstance(s, Assign) and s.name == "empty"}
        filled: dict[Var, For] = {}  # by memory: what has written it, and nobody has read
        first: dict[For, For] = {}
        for stmt in block:
            effects = self.memory.effects(stmt)
            for root in effects.accesses:
                writer = filled.pop(root, None)
                if writer is not None and isinstance(stmt, For):
                    first.setdefault(writer, stmt)
            if isinstance(stmt, For) and not is_fill(stmt) and effects.writes <= made:
                filled.update(dict.fromkeys(effects.writes, stmt))
        chains: dict[For, list[For]] = {}
        for writer in reversed(first):
            chains[writer] = [first[writer], *chains.get(first[writer], ())][:LONGEST_CHAIN]
        return chains

    def _merge(self, loop: For, before: _Before, checks: Checks, chain: _Chain, fills: bool = False) -> bool:
        """Merge a loop into an earlier one, or only into a fill; False when there is none that takes it.

        It stays with the `chain` of its readers where one of them cannot come along.
        """
        depth = self._depth(loop)
        # One of the same depth first: a loop over rows that takes a loop over all elements keeps those apart.
        nearest = sorted(before.last_loops(), key=lambda partner: self._depth(partner) != depth)
        needed = _Needed(self.memory, before.block, loop)
        for partner in nearest:
            if (
                (not fills or is_fill(partner))
                and self._same_space(partner, loop, checks.before(partner))
                and self._may_merge(partner, loop)
            ):
                if is_fill(loop) and not is_fill(partner):
                    continue  # a fill waits for the loop that adds to what it fills
                position = before.position(partner)
                first = needed.behind(position)
                if any(self._holds_back(partner, s) for s in first):
                    continue
                if self._parts(partner, position, chain, checks.before(partner)):
                    continue
                moved = set(first)
                rest = [s for s in before.block[position + 1 :] if s not in moved]
                was_fill = is_fill(partner)
                joined = self._joined(partner, loop)
                checks.stands_for(joined, partner)
                chain.joined(partner, joined)
                before.cut(position)
                before.add(first)
                # What was only a fill until now may have a partner further up itself; what was not, fills.
                if not self._merge(joined, before, checks, chain, fills=fills or not was_fill):
                    before.add([joined])
                before.add(rest)
                return True
        return False

    def _parts(self, partner: For, position: int, chain: _Chain, equal: EqualLengths) -> bool:
        """Whether a loop that joins one further up, of which it reads nothing, leaves behind what reads its array."""
        loop = chain.loop
        if self.memory.effects(loop).accesses.keys() & self.memory.effects(partner).writes:
            return False
        for reader in chain.readers:
            if not (self._same_space(loop, reader, equal) and self._may_merge(loop, reader)):
                return False
            for s in chain.needed(reader, position):
                # A loop that comes along holds nothing back.
                if self._holds_back(partner, s) and not (
                    isinstance(s, For) and self._same_space(partner, s, equal) and self._may_merge(partner, s)
                ):
                    return True
        return False

    def _neighbours_last(self, block: Block) -> Block:
        """A block in which additions to neighbours wait: they keep apart what works on the sums at its own place.

        What only fills memory stands in front of them all.
        """
        read: dict[Var, set[Form]] = {}  # by memory, where loops read it or write it over
        for stmt in block:
            if isinstance(stmt, For) and not is_fill(stmt):
                for root, found in self.memory.effects(stmt).accesses.items():
                    read.setdefault(root, set()).update(form(a) for a in found if not a.accumulate)
        out = list(block)
        waiting: list[Stmt] = []
        for stmt in reversed(block):
            if not (isinstance(stmt, For) and self._adds_elsewhere(stmt, read)):
                continue
            at = out.index(stmt)
            while at + 1 < len(out):
                behind = out[at + 1]
                if isinstance(behind, Mark) or behind in waiting or self._conflict(stmt, behind):
                    break
                out[at], out[at + 1] = behind, stmt
                at += 1
            waiting.append(stmt)
        return out

    def _adds_elsewhere(self, loop: For, read: dict[Var, set[Form]]) -> bool:
        """Whether all that a loop does is add to elements that others read at another distance."""
        effects = self.memory.effects(loop)
        return bool(effects.writes) and all(
            root not in effects.plain
            and read.get(root)
            and not any(form(a) in read[root] for a in effects.accesses[root])
            for root in effects.writes
        )

    def _conflict(self, a: Stmt, b: Stmt) -> bool:
        if isinstance(a, Mark) or isinstance(b, Mark):
            return False
        return self.memory.conflict(a, b)

    def _holds_back(self, partner: For, s: Stmt) -> bool:
        """Whether a statement after `partner` may not move in front of it. A check may: it only fails sooner.

        So may what makes and fills memory that the partner does not know, whatever that checks.
        """
        x, y = self.memory.effects(partner), self.memory.effects(s)
        if isinstance(s, Check):
            return bool(x.defs & y.uses)
        is_new = y.accesses.keys() <= y.defs or (isinstance(s, For) and is_fill(s))
        if x.checks and is_new and not y.checks and not y.stacks:
            return bool(x.defs & y.uses or x.accesses.keys() & y.accesses.keys())
        return self._conflict(partner, s)

    def _same_space(self, a: For, b: For, equal: EqualLengths) -> bool:
        if (
            is_fill(a)
            and a.step == Const(1)
            and b.step == Const(-1)
            and a.start == Const(0)
            and b.stop == Const(-1)
        ):
            # A fill runs in any order: it takes that of the loop that uses what it fills.
            last, length = self.ev.length(b.start), self.ev.length(a.stop)
            return last is not None and length is not None and equal.same(last + 1, length)
        return a.step == b.step and equal.same_value(a.start, b.start) and equal.same_value(a.stop, b.stop)

    def _may_merge(self, a: For, b: For) -> bool:
        if self._keeps_from_vectorising(a, b):
            return False
        x, y = self.memory.effects(a), self.memory.effects(b)
        if x.defs & y.uses or x.stacks or y.stacks or y.checks:
            return False
        # A test of indices, with its check, keeps behind it what reads by them: it joins what makes the indices alone.
        if (a in self.tests) != (b in self.tests) and (a in self.tests or x.writes.isdisjoint(y.accesses)):
            return False
        # What is checked in a trip is so before the other loop's. One that would vectorise does so no longer.
        if x.checks and not (self._scatters(b) or self._checks_between_loops(a, b)):
            return False
        for root in x.accesses.keys() & y.accesses.keys():
            mine, theirs = x.accesses[root], y.accesses[root]
            if (
                (root in x.writes or root in y.writes)
                and not aligned(mine, a.index, theirs, b.index, self.counters)
                and not (
                    all(c.accumulate for c in (*mine, *theirs))
                    and not opposed(mine, a.index, theirs, b.index)
                )
            ):
                return False
        return True

    def _keeps_from_vectorising(self, a: For, b: For) -> bool:
        """Whether one loop writes where data says, as two of its trips may do at once, and the other would vectorise.

        In place of what the functions in it cost then, they cost three times as much: more than the array in between.
        """
        x, y = self._kind(a), self._kind(b)
        if not (x.straight and y.straight):
            return False
        kinds = [(kind.scatters, kind.calls) for kind in (x, y)]
        return (True, False) in kinds and (False, True) in kinds

    def _kind(self, loop: For) -> _Kind:
        if loop not in self.kinds:
            straight = all(isinstance(s, (Assign, Store)) for s in loop.body)
            self.kinds[loop] = _Kind(
                straight, straight and scatters(loop), straight and any(map(is_vector_call, loop.body))
            )
        return self.kinds[loop]

    def _scatters(self, loop: For) -> bool:
        """Whether a loop writes where data says, or those in it do, and nothing else but to fill arrays."""
        inner = _loops_in(loop)
        return all(map(self._scatters, inner)) if inner else scatters(loop)

    def _checks_between_loops(self, a: For, b: For) -> bool:
        """Whether what a loop checks stands between the loops in it: those of both vectorise as before."""
        inner = _loops_in(a)
        return bool(inner and _loops_in(b)) and not any(self.memory.effects(s).checks for s in inner)

    def _joined(self, a: For, b: For) -> For:
        x, y = self._kind(a), self._kind(b)
        if is_fill(a) and a.step != b.step:
            a = For(a.index, b.start, b.stop, b.step, a.carried, a.body, a.origin, a.note)
        carried = [*a.carried, *(_renamed(c, {b.index: a.index}) for c in b.carried)]
        a.body.extend(substitute(b.body, {b.index: a.index}))
        joined = For(a.index, a.start, a.stop, a.step, carried, a.body, a.origin, a.note)
        self.memory.merge(a, b, b.index, a.index, joined)
        self.depths[joined] = max(self._depth(a), self._depth(b))
        if a in self.tests and b in self.tests:
            self.tests.add(joined)
        self.kinds[joined] = _Kind(x.straight and y.straight, x.scatters or y.scatters, x.calls or y.calls)
        return joined

    def _depth(self, stmt: Stmt) -> int:
        """How many loops lie in each other, the statement itself included."""
        if not isinstance(stmt, For):
            return 0
        if stmt not in self.depths:
            self.depths[stmt] = 1 + max((self._depth(s) for s in stmt.body), default=0)
        return self.depths[stmt]


def _loops_in(loop: For) -> list[For]:
    """The loops of which a trip of a loop consists, but for those that fill arrays."""
    return [s for s in loop.body if isinstance(s, For) and not is_fill(s)]


def is_fill(loop: For) -> bool:
    """Whether a loop only sets elements to a constant."""
    return not loop.carried and all(
        (isinstance(s, Store) and isinstance(s.value, Const) and not s.accumulate)
        or (isinstance(s, For) and is_fill(s))
        for s in loop.body
    )


def _renamed(c: Carried, table: dict[Var, Atom]) -> Carried:
    out = table.get(c.out, c.out) if isinstance(c.out, Var) else c.out
    return Carried(c.phi, c.init, out, c.result)
