"""Keep what a comparison found, not what it compared, where nothing else in the reverse sweep asks for that.

    for k in range(n):                          for k in range(n):
        a_kept[k] = a                               ...
        b_kept[k] = b                               less_a_kept[k] = a < b
        if a < b:                                   if less_a_kept[k]:
            ...                         ->              ...
    for k in range(n - 1, -1, -1):              for k in range(n - 1, -1, -1):
        if a_kept[k] < b_kept[k]:                   if less_a_kept[k]:
            ...                                         ...

The sweep asks for the test of a branch before it is known what the branch asks for, so this is seen only afterwards.
One byte takes the place of eight or more, and the comparison is made once.
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Buffer,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Stmt,
    Var,
    defined,
    times_read,
    uses,
)
from adc.compiler.transforms.kept import Kept


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with truth values kept in place of what they were found from."""
    _KeptTests(program, evaluator).build()
    return program


class _KeptTests:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.again = evaluator.again
        self.times_read = times_read(program)
        self.kept = Kept(program)
        self.definition = {v: s for s in self.kept.blocks for v in defined(s)}

    def build(self) -> None:
        tests = [s for s in self.kept.blocks if isinstance(s, Assign) and self._is_test(s)]
        for test in reversed(tests):
            if test in self.kept.blocks:  # what another test alone asked for has gone with that one
                found, restores = self._made_for(test)
                if restores:
                    self._keep(test, found, restores)

    def _is_test(self, s: Assign) -> bool:
        return (
            len(s.targets) == 1
            and s.target in self.again
            and s.target.type.dtype == "bool"
            and not s.target.is_array
        )

    def _made_for(self, test: Assign) -> tuple[dict[Stmt, None], list[Restore]]:
        """What is made again for a test alone, with it, and which of that was kept."""
        block = self.kept.blocks[test]
        found: dict[Stmt, None] = {test: None}
        read: Counter[Var] = Counter(uses(test))
        waiting = [*read]
        while waiting:
            v = waiting.pop()
            s = self.definition.get(v)
            if (
                s is None
                or s in found
                or self.kept.blocks.get(s) is not block
                or read[v] < self.times_read[v]
            ):
                continue
            if isinstance(s, Restore) and not v.is_array and self.kept.is_for_one(s):
                found[s] = None
            elif isinstance(s, Assign) and s.targets == (v,) and v in self.again and not v.is_array:
                found[s] = None
                read.update(uses(s))
                waiting += uses(s)
        return found, [s for s in found if isinstance(s, Restore)]

    def _keep(self, test: Assign, found: dict[Stmt, None], restores: list[Restore]) -> None:
        primal = self.again[test.target]
        compared = self.definition.get(primal)
        keep = self.kept.keeps[restores[0].buffer]
        if compared is None or self.kept.blocks[compared] is not self.kept.blocks[keep]:
            return
        made = self.kept.made[keep.buffer]
        buffer = Buffer(f"{primal.name}_kept", "bool", keep.buffer.trips)
        self.kept.replace(made, [NewBuffer(buffer, made.origin), made])
        self.kept.replace(compared, [compared, Keep(buffer, keep.index, primal, keep.origin)])
        self.kept.replace(test, [Restore(test.target, buffer, restores[0].index, test.origin)])
        self.kept.remove(s for s in found if s is not test)
        for r in restores:
            self.kept.keep_no_more(r.buffer)
