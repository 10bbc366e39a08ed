"""Ask the tests themselves which of a few holds first, not their numbers.

    hit = 0 if a == m else 3
    hit_2 = 1 if b == m else 3                     chosen = a == m
    hit_3 = 2 if c == m else 3            ->       chosen_2 = (b == m) & (not chosen)
    position = min(min(hit, hit_2), hit_3)         earlier = chosen | (b == m)
    chosen = position == 0                         chosen_3 = (c == m) & (not earlier)
    chosen_2 = position == 1
    chosen_3 = position == 2

So is the element of a window of two by two found to which the adjoint of its largest goes. Of choices between integers
LLVM makes branches, which the data decide; truths are a few instructions, and leave a loop that vectorises.
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, Program, Var, change_blocks, uses, walk

MOST = 16  # tests


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without the numbers of tests of which only the first is asked for."""
    finder = _Finder(program, evaluator)
    program.body = finder.block(program.body)
    return program


class _Finder:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.definition: dict[Var, Assign] = {}
        self.asked: Counter[Var] = Counter()  # how often a number is compared with a constant
        self.used: Counter[Var] = Counter(v for v in program.results if isinstance(v, Var))
        for s in walk(program.body):
            self.used.update(uses(s))
            if isinstance(s, Assign) and len(s.targets) == 1:
                self.definition[s.target] = s
                compared = _compared(s)
                if compared is not None:
                    self.asked[compared[0]] += 1

    def block(self, block: Block) -> Block:
        out: Block = []
        held: dict[
            tuple[Var, int], Atom
        ] = {}  # whether a test with a smaller number holds: made in this block
        for s in block:
            change_blocks(s, self.block)
            compared = _compared(s) if isinstance(s, Assign) else None
            tests = None if compared is None else self._tests(compared[0])
            if not isinstance(s, Assign) or compared is None or tests is None or compared[1] not in tests:
                out.append(s)
                continue
            with self.ev.at(out), self.ev.origin_at(s.origin):
                answer = self._first(*compared, tests, held)
            out.append(Assign(s.targets, "alias", (answer,), s.origin))
        return out

    def _tests(self, position: Var) -> dict[int, Atom] | None:
        """The tests by their numbers, in order, if a number is that of the first that holds and is only compared."""
        if self.asked[position] != self.used[position]:
            return None
        found: dict[int, Atom] = {}
        others: set[int] = set()  # the number where a test does not hold
        waiting = [position]
        while waiting:
            made = self.definition.get(waiting.pop())
            if made is None or made.target.is_array or made.target.type.dtype != "int64":
                return None
            if made.name == "minimum" and all(isinstance(x, Var) for x in made.args):
                waiting += dict.fromkeys(made.args)
                continue
            if made.name != "where":
                return None
            test, number, other = made.args
            if not (isinstance(test, Var) and isinstance(number, Const) and isinstance(other, Const)):
                return None
            if found.setdefault(number.value, test) is not test:
                return None
            if not test.named:
                test.name = "hit"
            others.add(other.value)
        if len(others) != 1 or not 1 < len(found) <= MOST or not max(found) < min(others):
            return None
        return dict(sorted(found.items()))

    def _first(
        self, position: Var, number: int, tests: dict[int, Atom], held: dict[tuple[Var, int], Atom]
    ) -> Atom:
        """Whether the first test that holds is the one with a number."""
        earlier: Atom | None = None  # whether one with a smaller number holds
        for k, test in tests.items():
            if k == number:
                break
            if (position, k) not in held:
                held[position, k] = (
                    test if earlier is None else self._op("earlier", "bitwise_or", earlier, test)
                )
            earlier = held[position, k]
        if earlier is None:
            return tests[number]
        return self._op("first", "bitwise_and", tests[number], self._op("later", "invert", earlier))

    def _op(self, name: str, operation: str, *args: Atom) -> Atom:
        made = self.ev.atom(self.ev.op(operation, *args))
        if isinstance(made, Var):
            made.name = name
        return made


def _compared(s: Assign) -> tuple[Var, int] | None:
    """The integer that a statement compares with a constant, and that."""
    if s.name != "equal" or s.target.is_array:
        return None
    for x, y in (s.args, s.args[::-1]):
        if isinstance(x, Var) and x.type.dtype == "int64" and isinstance(y, Const) and type(y.value) is int:
            return x, y.value
    return None
