"""Let an adjoint have the memory of the one that is handed to it whole.

    x_bar = np.zeros(n)
    x_bar[1:] += g                         y_bar[1:] += g
    x_bar += y_bar               ->        # x_bar is y_bar from here on

The pull of `y = x.copy()` hands all of `y_bar` on. Where nobody reads `y_bar` behind that, and it has its values before
`x_bar` gets any, what would be added to zeros is added to it; a copy of what nobody reads any more is that itself. A
state that is copied and then changed in its middle, `new = u.copy(); new[1:-1] = ...`, so has an adjoint that is
changed in its middle, as if the state had been written to in place. So has what a loop carries and copies in each
trip.

Sums come in another order, so only the reverse sweep is looked at.
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.analysis.roots import laid_flat
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.creation import ZEROS
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    blocks,
    is_view,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.owned import memory_uses, rename
from adc.compiler.transforms.parts import reverse_sweep
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.operation import Operation


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer adjoints that are made of one other."""
    for look in (_Heirs.look_through, _Heirs.look_at_loops, _Heirs.look_through):
        heirs = _Heirs(program, evaluator)
        for block in all_blocks(reverse_sweep(program.body)):
            look(heirs, block)
        if heirs.table:
            for block in all_blocks(program.body):
                block[:] = [s for s in block if s not in heirs.gone]
            program.body = substitute(program.body, heirs.table, program.params)
            program.results = [operand(r, heirs.table) for r in program.results]
            rename(evaluator.joined_roots, heirs.table)
    return program


class _Heirs:
    """`table[x]` is the array whose memory x has; `users` has, by what owns the memory, the statements that use it."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.laid_flat = laid_flat(walk(program.body))
        self.returned = {r.root for r in program.results if isinstance(r, Var)}
        self.table: dict[Var, Atom] = {}
        self.gone: set[Stmt] = set()
        self.users: dict[Var, list[Stmt]] = {}
        for s in walk(program.body):
            for root in {v.root for v in memory_uses(s) if v.is_array}:
                self.users.setdefault(root, []).append(s)

    def look_at_loops(self, block: Block) -> None:
        """Find the arrays that loops carry, of which each trip changes a copy: one serves all trips."""
        made = {s.target: s for s in block if isinstance(s, Assign) and len(s.targets) == 1}
        for k, loop in enumerate(block):
            if not isinstance(loop, For):
                continue
            handed = Counter(a for c in loop.carried for a in (c.init, c.out))
            for c in list(loop.carried):
                copy = next((s for s in loop.body if isinstance(s, Assign) and s.targets[0] is c.out), None)
                init = c.init
                if (
                    copy is None
                    or copy.name != "copy"
                    or copy.args[0] is not c.phi
                    or isinstance(init, Const)
                ):
                    continue
                place = {s: j for j, top in enumerate(loop.body) for s in walk([top])}
                changed = min((place[u] for u in self._users(copy.target) if u in place), default=len(place))
                outside = {s: j for j, top in enumerate(block) for s in walk([top])}
                if (
                    handed[init] == handed[c.out] == 1
                    and init in made
                    and _makes_memory(made[init])
                    and copy.target not in self.returned
                    and all(u in place or u is loop for u in self._users(copy.target))
                    and self._is_done_with(c.phi, copy, place, changed)
                    and self._is_done_with(init, loop, outside, k)
                    and self._alike(init, copy.target)
                ):
                    self.table |= {c.phi: init, copy.target: init, c.result: init}
                    if c.phi.named:
                        init.name, init.named = c.phi.name, True
                    self.gone.add(copy)
                    loop.carried.remove(c)

    def look_through(self, block: Block) -> None:
        """Find the arrays that a block makes of one other which it has made before."""
        place = {s: k for k, top in enumerate(block) for s in walk([top])}
        made = {s.target: s for s in block if isinstance(s, Assign) and len(s.targets) == 1}
        for k, s in enumerate(block):
            if isinstance(s, Assign) and s.name == "copy" and isinstance(s.args[0], Var):
                new, old = s.target, s.args[0]
                begin: Stmt = s
                first = k
            elif isinstance(s, Store) and s.accumulate and isinstance(s.value, Var) and _is_whole(s):
                new, old = s.array, s.value
                if new not in made or made[new].name not in ZEROS or made[new] in self.gone:
                    continue
                begin = made[new]
                adding = [u for u in self._users(new) if u is not s and place.get(u, k) < k]
                if not all(_only_adds(u, new) for u in adding):
                    continue
                first = min((place[u] for u in adding), default=k)
            else:
                continue
            if old.root is not old or new.root is not new:
                continue
            owner = operand(old, self.table)
            if (
                isinstance(owner, Var)
                and owner in made
                and place[made[owner]] < first
                and _makes_memory(made[owner])
                and self._is_done_with(owner, s, place, first)
                and self._alike(owner, new)
            ):
                self.table[new] = owner
                if new.named:
                    owner.name, owner.named = new.name, True
                self.gone |= {s, begin}
                self.users[owner] = self._users(owner) + self._users(new)
                if new in self.returned:
                    self.returned.add(owner)

    def _users(self, root: Var) -> list[Stmt]:
        return [u for u in self.users.get(root, ()) if u not in self.gone]

    def _is_done_with(self, owner: Var, handing: Stmt, place: dict[Stmt, int], first: int) -> bool:
        """Whether nothing but one statement has to do with an array from a place in the block on, or outside it."""
        return owner not in self.returned and all(
            u is handing or (place.get(u, first) < first and not blocks(u)) for u in self._users(owner)
        )

    def _alike(self, one: Var, other: Var) -> bool:
        assert isinstance(one.type, Array)
        assert isinstance(other.type, Array)
        return (
            one.type.dtype == other.type.dtype
            and (other not in self.laid_flat or one.type.layout in ("C", other.type.layout))
            and self.ev.equal.same_shape(one.type.shape, other.type.shape)
        )


def _is_whole(s: Store) -> bool:
    return all(i == FULL for i in s.index)


def _only_adds(s: Stmt, array: Var) -> bool:
    """Whether a statement adds something else to an array, or takes a part of it."""
    if isinstance(s, Store):
        return (
            s.accumulate
            and s.array.root is array
            and not (isinstance(s.value, Var) and s.value.root is array)
        )
    return isinstance(s, Assign) and is_view(s)


def _makes_memory(s: Assign) -> bool:
    """Whether what a statement makes is memory that nothing else has."""
    fresh = s.name in ("copy", *ZEROS) or (isinstance(s.op, Operation) and is_elementwise(s.op))
    return fresh and not is_view(s)
