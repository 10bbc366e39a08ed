"""Go straight to the element that was chosen, where all others would add nothing.

    for j in range(n):                                  for j in range(max(k, 0), min(k + 1, n)):
        y_bar = 2.0 if j == k else 0.0          ->          for i in range(m):
        for i in range(m):                                      x_bar[j, i] += 2.0 * x[j, i]
            x_bar[j, i] += y_bar * x[j, i]

The pull of an extreme gives its adjoint to one element, and zeros to the others: to the nearest centre, the largest
score, the best of a pool. What is made of the zeros alone is zero, also beside infinite numbers, as for every adjoint
that is zero. A sum of what one element gets leaves the loop that does other things, too.
"""

from __future__ import annotations

from dataclasses import replace

from adc.compiler.analysis.sums import is_sum
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Operand,
    Program,
    Store,
    Var,
    change_blocks,
    defined,
    uses,
    walk,
)
from adc.compiler.transforms import clone
from adc.compiler.transforms.rewrite import substitute
from adc.rules.operation import Operation

_ZERO_OF_BOTH = {"add", "subtract"}
_ZERO_OF_FIRST = {"negative", "positive", "cast", "divide", "true_divide"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without trips for elements that get nothing."""
    counters = {s.index for s in walk(program.body) if isinstance(s, For)}
    program.body = _Chooser(evaluator, counters).block(program.body)
    return program


class _Chooser:
    def __init__(self, evaluator: Evaluator, counters: set[Var]) -> None:
        self.ev = evaluator
        self.counters = counters

    def block(self, block: Block) -> Block:
        """A block with its loops narrowed, the innermost first."""
        out: Block = []
        for s in block:
            change_blocks(s, self.block)
            if isinstance(s, For) and s.step == Const(1) and s.carried:
                for test, place in _tests(s):
                    self._sums_of_one(s, test, place, out)
            elif isinstance(s, For) and s.step == Const(1):
                for test, place in _tests(s):
                    if _adds_nothing(s.body, test, set()):
                        s = self._narrowed(s, test, place, out)
                        break
            out.append(s)
        return out

    def _sums_of_one(self, loop: For, test: Var, place: Atom, out: Block) -> None:
        """Take out of a straight loop the sums to which only the chosen element adds something.

        Not where the place is a counter: a sum along a diagonal costs nothing beside what else the loop does.
        """
        if place in self.counters or not all(isinstance(s, (Assign, Store)) for s in loop.body):
            return
        zero: set[Var] = set()
        for s in loop.body:
            if isinstance(s, Assign) and _is_of_numbers(s) and _is_zero(s, test, zero):
                zero.add(s.target)
        for c in [c for c in loop.carried if is_sum(c, loop)]:
            added = next(s for s in loop.body if isinstance(s, Assign) and c.out in s.targets)
            if c.phi not in added.args or not any(_in(x, zero) for x in added.args):
                continue
            made = _made_for(added, loop)
            if made is None:
                continue
            (index, phi), body, (total,) = clone.run(
                [loop.index, c.phi], made, [added.target], self.ev, inside=True
            )
            own = replace(loop, index=index, carried=[Carried(phi, c.init, total, c.result)], body=body)
            its_test = next((t for t, its in _tests(own) if its is place), None)
            if its_test is not None:
                out.append(self._narrowed(own, its_test, place, out))
                loop.carried.remove(c)
                loop.body.remove(added)

    def _narrowed(self, loop: For, test: Var, place: Atom, out: Block) -> For:
        """The trip of a loop in which `test`, that its counter is `place`, holds."""
        with self.ev.at(out), self.ev.origin_at(loop.origin):
            first = self.ev.op("maximum", place, loop.start)
            stop = self.ev.op("minimum", self.ev.op("add", place, 1), loop.stop)
        chosen = {
            s.target: s.args[1]
            for s in walk(loop.body)
            if isinstance(s, Assign) and s.name == "where" and s.args[0] is test
        }
        body = substitute(loop.body, chosen)
        first, stop = self.ev.atom(first), self.ev.atom(stop)
        return replace(loop, start=first, stop=stop, body=body)


def _tests(loop: For) -> list[tuple[Var, Atom]]:
    """The questions in a loop whether its counter is some number made outside, and these numbers."""
    inside = {loop.index, *(v for s in walk([loop]) for v in defined(s))}
    return [
        (s.target, place)
        for s in loop.body
        if isinstance(s, Assign) and s.name == "equal"
        for counter, place in (s.args, s.args[::-1])
        if counter is loop.index and isinstance(place, Var) and place not in inside and _is_integer(place)
    ]


def _made_for(last: Assign, loop: For) -> Block | None:
    """The statements of a straight loop that make what one of them reads, and itself; None if it writes to that."""
    written = {s.array.root for s in loop.body if isinstance(s, Store)}
    wanted, made = {last.target}, Block()
    for s in reversed(loop.body):
        if isinstance(s, Assign) and not wanted.isdisjoint(s.targets):
            read = uses(s)
            if not written.isdisjoint(v.root for v in read if v.is_array):
                return None
            made.insert(0, s)
            wanted.update(read)
    return made


def _is_integer(v: Var) -> bool:
    return not v.is_array and v.type.dtype.startswith("int")


def _adds_nothing(block: Block, test: Var, zero: set[Var]) -> bool:
    """Whether all that a block does, where `test` is false, is to add zeros; `zero` are the values known to be zero."""
    for s in block:
        if isinstance(s, Assign):
            if not _is_of_numbers(s):
                return False
            if _is_zero(s, test, zero):
                zero.add(s.target)
        elif isinstance(s, Store):
            if not (s.accumulate and _in(s.value, zero)):
                return False
        elif not (isinstance(s, For) and not s.carried and _adds_nothing(s.body, test, zero)):
            return False
    return True


def _is_of_numbers(s: Assign) -> bool:
    """Whether a statement makes a number, and does nothing else."""
    if len(s.targets) != 1 or s.target.is_array:
        return False
    return s.name in ("getitem", "cast") or (isinstance(s.op, Operation) and is_elementwise(s.op))


def _is_zero(s: Assign, test: Var, zero: set[Var]) -> bool:
    if s.name == "where":
        return _in(s.args[2], zero) and (s.args[0] is test or _in(s.args[1], zero))
    if s.name == "multiply":
        return _in(s.args[0], zero) or _in(s.args[1], zero)
    if s.name in _ZERO_OF_BOTH:
        return _in(s.args[0], zero) and _in(s.args[1], zero)
    return s.name in _ZERO_OF_FIRST and _in(s.args[0], zero)


def _in(x: Operand, zero: set[Var]) -> bool:
    return x in zero if isinstance(x, Var) else isinstance(x, Const) and x.value == 0
