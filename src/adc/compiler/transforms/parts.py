"""Work on the part of an adjoint that is not zero.

    y_bar = np.zeros_like(y)
    y_bar[:-1] = g                           ->        x_bar[:-1] += g * h
    x_bar += y_bar * h

The pull of a slice leaves zeros around what it was given. As long as all that comes of them is multiplied and added to
something else, they need not be made: the part is multiplied, and added to the part of the other array.
"""

from __future__ import annotations

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Index,
    Mark,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    change_blocks,
    uses,
    walk,
)
from adc.compiler.transforms.first import first_writes

NOTHING = Const(0.0)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with adjoints that are zero but for a part reduced to that part."""
    return _Parts(program, evaluator).build()


class _Parts:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.readers: dict[Var, list[Stmt]] = {}
        self.stores: dict[Var, list[Store]] = {}  # by the array that owns the memory
        for s in walk(program.body):
            for v in uses(s):
                self.readers.setdefault(v, []).append(s)
            if isinstance(s, Store):
                self.stores.setdefault(s.array.root, []).append(s)
        self.returned = {r for r in program.results if isinstance(r, Var)}
        self.part: dict[Var, tuple[Index, Value]] = {}  # where an array is not zero, and what it is there
        self.consumers: set[Stmt] = set()

    def build(self) -> Program:
        dropped: set[Stmt] = set()
        for zeros, first in list(first_writes(reverse_sweep(self.program.body))):
            array = zeros.target
            found: list[Stmt] = []
            if self._is_part(array, first) and self._only_linear(array, first, found):
                dropped |= {zeros, first}
                self.consumers.update(found)
                self.part[array] = first.index, first.value
        if dropped:
            self.program.body = self._block(self.program.body, dropped)
        return self.program

    def _is_part(self, array: Var, first: Store) -> bool:
        """Whether nothing but this write of a part, which stays what it is, reaches the array."""
        value = first.value
        return (
            first.array is array
            and not first.accumulate
            and self.stores[array] == [first]
            and all(isinstance(i, Slice) or _is_number(i) for i in first.index)
            and not all(i == FULL for i in first.index)
            and self.ev.type_of(value) is not None
            and self.ev.type_of(value).dtype == array.type.dtype  # type: ignore[union-attr]
            and not (isinstance(value, Var) and value.is_array and value.root in self.stores)
        )

    def _only_linear(self, array: Var, first: Store | None, found: list[Stmt]) -> bool:
        """Whether everything that reads an array adds it to another one, or makes such an array of it."""
        if array in self.returned or array.view_of is not None:
            return False
        for s in self.readers.get(array, ()):
            if s is first:
                continue
            if isinstance(s, Store):
                if not (
                    s.accumulate
                    and s.value is array
                    and s.array.root is not array
                    and all(i == FULL for i in s.index)
                    and self.ev.equal.same_shape(s.array.type.shape, array.type.shape)
                ):
                    return False
            elif not (
                isinstance(s, Assign)
                and self._keeps_zeros(s, array)
                and s.target.root not in self.stores
                and self._only_linear(s.target, None, found)
            ):
                return False
            found.append(s)
        return True

    def _keeps_zeros(self, s: Assign, array: Var) -> bool:
        """Whether an elementwise operation makes zeros of the zeros of an operand; no operand is stretched."""
        if s.name == "negative":
            return True
        if s.name == "multiply":
            others = [a for a in s.args if a is not array]
        elif s.name == "divide" and s.args[0] is array:
            others = [s.args[1]]
        elif s.name == "where" and (s.args[1:] == (array, NOTHING) or s.args[1:] == (NOTHING, array)):
            others = [s.args[0]]
        else:
            return False
        return len(others) == 1 and all(
            _is_number(o) or (isinstance(o, Var) and self.ev.equal.same_shape(o.type.shape, array.type.shape))
            for o in others
        )

    def _block(self, block: Block, dropped: set[Stmt]) -> Block:
        out: Block = []
        for s in block:
            if s in dropped:
                continue
            if s in self.consumers:
                with self.ev.at(out), self.ev.origin_at(s.origin):
                    self._on_part(s)
                continue
            change_blocks(s, lambda inner: self._block(inner, dropped))
            out.append(s)
        return out

    def _on_part(self, s: Stmt) -> None:
        if isinstance(s, Store):
            assert isinstance(s.value, Var)
            index, value = self.part[s.value]
            self.ev.store(s.array, index, value, accumulate=True)
            return
        assert isinstance(s, Assign) and not isinstance(s.op, str)
        (array,) = (a for a in s.args if a in self.part)
        index, value = self.part[array]
        operands = [value if a is array else self._there(a, index) for a in s.args]
        made = self.ev.op(s.op, *operands)
        if isinstance(made, Var) and made.root is made:
            made.name, made.named = s.target.name, s.target.named
        self.part[s.target] = index, made

    def _there(self, x: Atom, index: Index) -> Value:
        """The elements of another operand that meet the part."""
        return self.ev.getitem(x, index) if isinstance(x, Var) and x.is_array else x


def reverse_sweep(block: Block) -> Block:
    """The reverse sweep: what the user wrote keeps its zeros, which a NaN may meet."""
    starts = [k for k, s in enumerate(block) if isinstance(s, Mark) and s.text == "reverse"]
    return block[starts[0] :] if starts else []


def _is_number(x: object) -> bool:
    if isinstance(x, Var):
        return not x.is_array
    return isinstance(x, Const) and isinstance(x.value, (int, float, complex))
