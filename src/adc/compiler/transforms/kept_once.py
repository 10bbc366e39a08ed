"""Make again, in reverse, what takes little beside what is kept anyway.

    for t in range(n):                          for t in range(n):
        e = np.exp(-(w @ h))                        e = np.exp(-(w @ h))
        e_kept[t] = e                               e_kept[t] = e
        r = 1.0 / (1.0 + e)                         r = 1.0 / (1.0 + e)
        r_kept[t] = r                               ...
        ...                             ->      for t in range(n - 1, -1, -1):
    for t in range(n - 1, -1, -1):                  e = e_kept[t]
        r_bar = h_bar * r_kept[t]                   r_bar = h_bar * (1.0 / (1.0 + e))
        e_bar = -r_bar / (1.0 + e_kept[t]) ** 2     e_bar = -r_bar / (1.0 + e) ** 2

The sweep asks for one value after the other, the last one first, before it is known what else it will ask for: then
all of `r` looks as dear as the product behind it.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    For,
    Program,
    Restore,
    Store,
    Var,
    blocks,
    defined,
    is_view,
    may_raise,
    owners,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.kept import Kept
from adc.compiler.transforms.needs import own_cost
from adc.compiler.transforms.rewrite import operand

# What a store and a load of an element are worth, as operations count: two exponentials, or some arithmetic.
LITTLE = 10
TOO_MUCH = 1 << 30


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with less kept."""
    statements = walk(program.body)
    if any(isinstance(s, Restore) for s in statements):
        _KeptOnce(program, statements, evaluator).block(program.body, {})
    return program


class _KeptOnce:
    def __init__(self, program: Program, statements: Block, evaluator: Evaluator) -> None:
        self.again = evaluator.again
        self.kept = Kept(program)
        self.definition = {v: s for s in statements for v in defined(s)}
        self.position = {s: k for k, s in enumerate(statements)}
        self.stored = {s.array.root for s in statements if isinstance(s, Store)}
        self.counters: dict[Var, Var] = {}
        self.everywhere = {*program.params, *(v for s in program.body for v in defined(s))}

    def block(self, block: Block, counters: dict[Var, Var]) -> None:
        """Go through a block; `counters` are those of the loops around, by the ones of the forward sweep."""
        for s in list(block):
            own = counters
            if isinstance(s, For) and s.index in self.again:
                own = {**counters, self.again[s.index]: s.index}
            for inner in blocks(s):
                self.block(inner, own)
        self.counters = counters
        kept = {self.again[s.target]: s for s in block if isinstance(s, Restore) and self._stays(s)}
        made: set[Var] = set()  # again, for another
        for v in sorted(kept, key=lambda v: self.position.get(self.definition.get(v), -1)):  # type: ignore[arg-type]
            if not self._is_copied(v) and self._cost(v, v, kept, set(made)) <= LITTLE:
                made |= self._make_again(kept.pop(v), kept)

    def _stays(self, s: Restore) -> bool:
        """Whether what is restored is of one buffer, and stays as it is."""
        return (
            s.target in self.again
            and not s.lengths
            and s.target.root not in self.stored
            and self.kept.is_for_one(s)
        )

    def _is_copied(self, v: Var) -> bool:
        made = self.definition.get(v)
        return not isinstance(made, Assign) or is_view(made)

    def _cost(self, u: Var, v: Var, kept: dict[Var, Restore], seen: set[Var]) -> int:
        """What an element of `v` takes as far as `u` is concerned, down to what is there or `seen`."""
        if u.type.ndim > v.type.ndim:
            return TOO_MUCH
        if u is not v and (u in seen or self._is_there(u, kept)):
            return 0
        seen.add(u)
        made = self.definition.get(u)
        if (
            not isinstance(made, Assign)
            or len(made.targets) != 1
            or may_raise(made)
            or u.root in self.stored
            or self.kept.blocks[made] is not self.kept.blocks.get(self.definition[v])
            or not self.everywhere.issuperset(owners(u.dim) if u.dim is not None else ())
            or not all(self.everywhere.issuperset(owners(d)) for d in u.type.shape)
        ):
            return TOO_MUCH
        cost = own_cost(made)
        for w in variables(made.args):
            if cost > LITTLE:
                break
            cost += self._cost(w, v, kept, seen)
        return cost

    def _is_there(self, u: Var, kept: dict[Var, Restore]) -> bool:
        return u in kept or u in self.counters or (u in self.everywhere and u.root not in self.stored)

    def _make_again(self, restore: Restore, kept: dict[Var, Restore]) -> set[Var]:
        """Make a value in place of restoring it; what was made for it."""
        v, block = self.again[restore.target], self.kept.blocks[restore]
        out: Block = []
        table: dict[Var, Atom] = {}

        def fetched(u: Var) -> Atom:
            if u in kept:
                earlier = kept[u]
                if earlier not in out and block.index(earlier) > block.index(restore):
                    block.remove(earlier)
                    earlier.index = restore.index  # of the same trip, and made already
                    out.append(earlier)
                return earlier.target
            if u in table or self._is_there(u, kept):
                return table.get(u, self.counters.get(u, u))
            made = self.definition[u]
            assert isinstance(made, Assign)
            own = {w: fetched(w) for w in variables(made.args)}
            if u is v:
                new = restore.target
                if isinstance(v.type, Array):
                    new.type = Array(v.type.dtype, new.type.shape, v.type.layout)
            else:
                new = Var(u.name, u.type, named=u.named, dim=u.dim)
                if u.view_of is not None:
                    base = own.get(u.view_of, u.view_of)
                    assert isinstance(base, Var)
                    new.view_of, new.root = base, base.root
                self.again[new] = u
            out.append(Assign((new,), made.op, operand(made.args, own), made.origin))
            table[u] = new
            return new

        fetched(v)
        self.kept.replace(restore, out)
        self.kept.keep_no_more(restore.buffer)
        return set(table)
