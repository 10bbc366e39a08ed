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
    Block,
    Buffer,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Stmt,
    Var,
    all_blocks,
    defined,
    times_read,
    uses,
    walk,
)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with truth values kept in place of what they were found from."""
    _KeptTests(program, evaluator).build()
    return program


class _KeptTests:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.again = evaluator.again
        self.times_read = times_read(program)
        self.blocks = {s: block for block in all_blocks(program.body) for s in block}
        self.definition = {v: s for s in self.blocks for v in defined(s)}
        statements = walk(program.body)
        self.restored = Counter(s.buffer for s in statements if isinstance(s, Restore))
        self.keeps = {s.buffer: s for s in statements if isinstance(s, Keep)}
        self.made = {s.buffer: s for s in statements if isinstance(s, NewBuffer)}

    def build(self) -> None:
        tests = [s for s in self.blocks if isinstance(s, Assign) and self._is_test(s)]
        for test in reversed(tests):
            if test in self.blocks:  # what another test alone asked for has gone with that one
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
        block = self.blocks[test]
        found: dict[Stmt, None] = {test: None}
        read: Counter[Var] = Counter(uses(test))
        waiting = [*read]
        while waiting:
            v = waiting.pop()
            s = self.definition.get(v)
            if s is None or s in found or self.blocks.get(s) is not block or read[v] < self.times_read[v]:
                continue
            if isinstance(s, Restore) and not v.is_array and self._is_kept_for_one(s):
                found[s] = None
            elif isinstance(s, Assign) and s.targets == (v,) and v in self.again and not v.is_array:
                found[s] = None
                read.update(uses(s))
                waiting += uses(s)
        return found, [s for s in found if isinstance(s, Restore)]

    def _is_kept_for_one(self, s: Restore) -> bool:
        return self.restored[s.buffer] == 1 and s.buffer in self.keeps and s.buffer in self.made

    def _keep(self, test: Assign, found: dict[Stmt, None], restores: list[Restore]) -> None:
        primal = self.again[test.target]
        compared = self.definition.get(primal)
        keep = self.keeps[restores[0].buffer]
        if compared is None or self.blocks[compared] is not self.blocks[keep]:
            return
        made = self.made[keep.buffer]
        buffer = Buffer(f"{primal.name}_kept", "bool", keep.buffer.trips)
        self._replace(made, [NewBuffer(buffer, made.origin), made])
        self._replace(compared, [compared, Keep(buffer, keep.index, primal, keep.origin)])
        self._replace(test, [Restore(test.target, buffer, restores[0].index, test.origin)])
        for s in (
            *(s for s in found if s is not test),
            *(x for r in restores for x in (self.keeps[r.buffer], self.made[r.buffer])),
        ):
            self._replace(s, [])

    def _replace(self, s: Stmt, instead: Block) -> None:
        block = self.blocks.pop(s)
        at = block.index(s)
        block[at : at + 1] = instead
        self.blocks.update(dict.fromkeys(instead, block))
