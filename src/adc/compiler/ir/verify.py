"""Hold a program to the rules of the IR: raises InternalError where a stage has broken one.

Every value is defined once and before it is read, in a scope that the reader can see; regions carry values
of one kind; memory is written through arrays. One liberty is allowed, because the emitted Python has it: at
the top of a function, a branch of the reverse sweep reads values of the forward branch that ran on the same
test.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Check,
    Const,
    For,
    If,
    Keep,
    Mark,
    NewBuffer,
    Operand,
    Print,
    Program,
    Restore,
    Room,
    Settle,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    bound_inside,
    defined,
    variables,
)
from adc.compiler.ir.types import Array, Scalar, Type
from adc.errors import InternalError, Location

__all__ = ["verify"]


def verify(program: Program, stage: str = "") -> None:
    """Raise InternalError, naming the stage and the line of the user, unless the program is well formed.

    >>> x, y = Var("x", Scalar("float64")), Var("y", Scalar("float64"))
    >>> verify(Program("f", [x], [], [x]))
    >>> verify(Program("f", [x], [], [y]), "dead")
    Traceback (most recent call last):
    adc.errors.InternalError: after the stage `dead`: `y` is returned and never defined...
    """
    _Verifier(stage).program(program)


@dataclass
class _Scope:
    """What can be read here; `loops` counts the loops around."""

    values: set[Var] = field(default_factory=set)
    buffers: set[Buffer] = field(default_factory=set)
    loops: int = 0
    same: dict[Var, Atom] = field(default_factory=dict)  # a merge, and what it is where its branch was taken

    def inner(self, loop: bool = False) -> _Scope:
        return _Scope(set(self.values), set(self.buffers), self.loops + loop, dict(self.same))

    def first(self, test: Atom) -> Atom:
        """The test of the branch that a later branch mirrors: it came out of the branch around it by merges."""
        while isinstance(test, Var) and test in self.same:
            test = self.same[test]
        return test


@dataclass
class _Taken:
    """What a branch that was taken has left behind."""

    values: set[Var] = field(default_factory=set)
    buffers: set[Buffer] = field(default_factory=set)
    same: dict[Var, Atom] = field(default_factory=dict)


class _Verifier:
    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.seen: set[Var] = set()
        self.settled: set[Buffer] = set()
        self.branches: dict[tuple[Atom, str], _Taken] = {}

    def fail(self, what: str, origin: Location | None = None) -> InternalError:
        where = f"after the stage `{self.stage}`: " if self.stage else ""
        return InternalError(where + what, origin)

    def program(self, program: Program) -> None:
        scope = _Scope()
        names = [p.name for p in program.params]
        if len(set(names)) != len(names):
            raise self.fail(f"two parameters have one name: {', '.join(names)}")
        for p in program.params:
            self._define(p, scope, None)
        self._block(program.body, scope)
        for result in program.results:
            for v in variables(result):
                if v not in scope.values:
                    raise self.fail(f"`{v.name}` is returned and never defined")

    def _block(self, block: Block, scope: _Scope) -> None:
        if not isinstance(block, list):
            raise self.fail(f"a block is a {type(block).__name__}, not a list")
        for stmt in block:
            if type(stmt) is Assign:  # most are
                self._assign(stmt, scope)
            else:
                self._statement(stmt, scope)

    def _assign(self, stmt: Assign, scope: _Scope) -> None:
        origin = stmt.origin
        if type(stmt.args) is not tuple:
            raise self.fail(f"{stmt.args!r} are no operands", origin)
        self._read(stmt.args, scope, origin)
        for v in stmt.targets:
            self._define(v, scope, origin)

    def _read(self, operand: Operand, scope: _Scope, origin: Location | None) -> None:
        """Operands are atoms, slices, and tuples of them, of what is defined: nothing else reaches the printer."""
        values = scope.values
        kind = type(operand)
        if isinstance(operand, tuple):
            for item in operand:
                if type(item) is not Const and (type(item) is not Var or item not in values):
                    self._read(item, scope, origin)
        elif kind is Slice:
            for bound in (operand.start, operand.stop, operand.step):
                if bound is not None:
                    self._read(bound, scope, origin)
        elif kind is Var:
            if operand not in values:
                raise self.fail(f"`{operand.name}` is read where it is not defined", origin)
        elif kind is not Const:
            raise self.fail(f"{operand!r} is no operand", origin)

    def _define(self, v: Var, scope: _Scope, origin: Location | None) -> None:
        if v in self.seen:
            raise self.fail(f"`{v.name}` is defined twice", origin)
        kind = type(v.type)
        if kind is not Scalar and kind is not Array:
            raise self.fail(f"`{v.name}` has the type {v.type!r}", origin)
        if kind is Array and v.root is not v and not v.root.is_array:
            raise self.fail(f"`{v.name}` is a view of a number", origin)
        self.seen.add(v)
        scope.values.add(v)

    def _statement(self, stmt: Stmt, scope: _Scope) -> None:
        origin = stmt.origin
        match stmt:
            case Store():
                self._read((stmt.array, stmt.index, stmt.value), scope, origin)
                self._store(stmt)
            case For():
                self._read((stmt.start, stmt.stop, stmt.step), scope, origin)
                if isinstance(stmt.step, Const) and stmt.step.value == 0:
                    raise self.fail("a loop has the step 0", origin)
                self._loop(stmt, scope)
            case While():
                self._loop(stmt, scope)
            case If():
                self._read(stmt.test, scope, origin)
                self._if(stmt, scope)
            case Check():
                self._read((stmt.test, stmt.message), scope, origin)
            case Print():
                self._read(stmt.args, scope, origin)
            case NewBuffer():
                self._read((tuple(stmt.buffer.trips or ()), tuple(stmt.buffer.lengths)), scope, origin)
                scope.buffers.add(stmt.buffer)
            case Keep() | Restore():
                self._buffered(stmt, scope)
            case Room():
                self._made(stmt, scope)
                self._read(stmt.lengths, scope, stmt.origin)
            case Settle():
                self._made(stmt, scope)
                self.settled.add(stmt.buffer)
            case Mark():
                pass
            case _:
                raise self.fail(f"{type(stmt).__name__} is no statement of the IR", origin)
        for v in defined(stmt):
            self._define(v, scope, origin)

    def _store(self, stmt: Store) -> None:
        array = stmt.array
        if not isinstance(array.type, Array):
            raise self.fail(f"`{array.name}` is written to by index and is a number", stmt.origin)
        if any(v.is_array for v in variables(stmt.index)):
            return  # index arrays bring axes of their own
        axes = [i for i in stmt.index if type(i) is Var or i != Const(None)]
        if len(axes) > array.type.ndim:
            raise self.fail(f"`{array.name}` has {array.type.ndim} axes and {len(axes)} indices", stmt.origin)
        if isinstance(stmt.value, Var) and stmt.value.type.ndim > array.type.ndim + len(stmt.index) - len(
            axes
        ):
            raise self.fail(
                f"`{stmt.value.name}` has more axes than `{array.name}`, into which it is stored", stmt.origin
            )

    def _loop(self, stmt: For | While, scope: _Scope) -> None:
        origin = stmt.origin
        self._read(tuple(c.init for c in stmt.carried), scope, origin)
        inner = scope.inner(loop=True)
        for v in bound_inside(stmt):
            self._define(v, inner, origin)
        if isinstance(stmt, While):
            self._block(stmt.test_block, inner)
            self._read(stmt.test, inner, origin)
        self._block(stmt.body, inner)
        self._read(tuple(c.out for c in stmt.carried), inner, origin)
        for c in stmt.carried:
            for value in (c.init, c.out, c.result):
                self._same_kind(value, c.phi, origin)

    def _if(self, stmt: If, scope: _Scope) -> None:
        for side, block, values in (
            ("then", stmt.then, [m.then for m in stmt.merges]),
            ("orelse", stmt.orelse, [m.orelse for m in stmt.merges]),
        ):
            inner = scope.inner()
            taken = self.branches.setdefault((scope.first(stmt.test), side), _Taken())
            if scope.loops == 0:
                inner.values |= taken.values
                inner.buffers |= taken.buffers
                inner.same |= taken.same
            self._block(block, inner)
            self._read(tuple(values), inner, stmt.origin)
            if scope.loops == 0:
                taken.values |= inner.values - scope.values
                taken.buffers |= inner.buffers - scope.buffers
                taken.same.update(zip((m.result for m in stmt.merges), values, strict=True))
        for m in stmt.merges:
            self._same_kind(m.then, m.result, stmt.origin)
            self._same_kind(m.orelse, m.result, stmt.origin)

    def _same_kind(self, value: Atom, holder: Var, origin: Location | None) -> None:
        """A region's value is held by one Python variable: one rank, and for arrays one dtype."""
        if isinstance(value, Const):
            if holder.is_array:
                raise self.fail(f"the array `{holder.name}` is given the constant {value.value!r}", origin)
            return
        if not _compatible(value.type, holder.type):
            raise self.fail(f"`{holder.name}` ({holder.type}) is given `{value.name}` ({value.type})", origin)

    def _made(self, stmt: Keep | Room | Restore | Settle, scope: _Scope) -> None:
        if stmt.buffer not in scope.buffers:
            raise self.fail(f"the buffer `{stmt.buffer.name}` is used before it is made", stmt.origin)

    def _buffered(self, stmt: Keep | Restore, scope: _Scope) -> None:
        self._made(stmt, scope)
        if stmt.buffer.by_runtime and isinstance(stmt, Restore) is not (stmt.buffer in self.settled):
            raise self.fail(
                f"the stack `{stmt.buffer.name}` is read before it is settled, or filled after", stmt.origin
            )
        indices = tuple(stmt.index or ())
        self._read((indices, stmt.lengths), scope, stmt.origin)
        if isinstance(stmt, Keep):
            self._read(stmt.value, scope, stmt.origin)
        if (stmt.index is None) != (stmt.buffer.trips is None):
            raise self.fail(f"the buffer `{stmt.buffer.name}` is a stack and an array at once", stmt.origin)
        value = stmt.value if isinstance(stmt, Keep) else stmt.target
        rank = value.type.ndim if isinstance(value, Var) else 0
        if stmt.index is None and len(stmt.lengths) + len(stmt.buffer.shape) != rank:
            raise self.fail(f"an item of the stack `{stmt.buffer.name}` has another rank", stmt.origin)


def _compatible(a: Type, b: Type) -> bool:
    if isinstance(a, Array) and isinstance(b, Array):
        return a.ndim == b.ndim and a.dtype == b.dtype
    return isinstance(a, Scalar) and isinstance(b, Scalar)
