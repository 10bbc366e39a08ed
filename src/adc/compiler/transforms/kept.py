"""What the forward sweep keeps for the reverse sweep, in a finished program: where it is made, kept and restored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from adc.compiler.ir.nodes import Block, Buffer, Keep, NewBuffer, Program, Restore, Stmt, all_blocks, walk


class Kept:
    """The buffers of a program, and the blocks of its statements."""

    def __init__(self, program: Program) -> None:
        statements = walk(program.body)
        self.blocks = {s: block for block in all_blocks(program.body) for s in block}
        self.restored = Counter(s.buffer for s in statements if isinstance(s, Restore))
        self.kept = Counter(s.buffer for s in statements if isinstance(s, Keep))
        self.keeps = {s.buffer: s for s in statements if isinstance(s, Keep)}
        self.made = {s.buffer: s for s in statements if isinstance(s, NewBuffer)}

    def is_for_one(self, s: Restore) -> bool:
        """Whether what is restored is kept in one place, and restored in this one alone."""
        return self.restored[s.buffer] == self.kept[s.buffer] == 1 and s.buffer in self.made

    def replace(self, s: Stmt, instead: Block) -> None:
        """Let other statements stand in the place of one, which may be among them."""
        block = self.blocks.pop(s)
        at = block.index(s)
        block[at : at + 1] = instead
        self.blocks.update(dict.fromkeys(instead, block))

    def remove(self, statements: Iterable[Stmt]) -> None:
        """Take statements out of their blocks."""
        for s in statements:
            self.replace(s, [])

    def keep_no_more(self, buffer: Buffer) -> None:
        """Take out what makes a buffer, and what keeps a value in it."""
        self.remove((self.keeps[buffer], self.made[buffer]))
