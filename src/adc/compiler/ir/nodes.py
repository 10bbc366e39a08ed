"""The intermediate representation: typed, structured SSA over Python values, with explicit array memory.

A block is a list of statements. Scalars and arrays are named once (`Var`). `For`, `While` and `If` are regions: what
they change is carried explicitly. An array name stands for its memory: `Store` writes it, in statement order.
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from adc.compiler.ir.types import Array, Type
from adc.errors import Location
from adc.rules.dims import Dim
from adc.rules.operation import Operation

_serial = itertools.count()


def newest() -> str:
    """What comes after the `order` of every variable that there is, and before those that will be made."""
    return f"{next(_serial):010}"


class Var:
    """A value. Identity is the name; `name` is only a wish, which the emitter makes unique."""

    __slots__ = ("derived", "dim", "element_of", "name", "named", "order", "root", "type", "view_of")

    def __init__(
        self,
        name: str,
        type: Type,
        *,
        named: bool = True,
        dim: Dim | None = None,
        root: Var | None = None,
        view_of: Var | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.named = named  # carries a name of the user's (or a textbook one), so it keeps its own line
        self.dim = dim  # for integers: the value as a length
        self.root = root or self  # for arrays: the array that owns the memory
        self.view_of = view_of  # for views: the array that this one was taken from
        self.element_of: Var | None = None  # for what loops compute: the array whose element it is
        self.derived = (
            False  # a product or quotient that is part of a derivative, and may be rounded otherwise
        )
        self.order = newest()  # among the terms of a length, which keeps its form when names change

    def __repr__(self) -> str:
        return f"{self.name}: {self.type}"

    @property
    def is_array(self) -> bool:
        return type(self.type) is Array


@dataclass(frozen=True)
class Const:
    """A value known at compile time: a number, None, a string, a dtype."""

    value: Any

    def __post_init__(self) -> None:
        # A member of an IntEnum is the number that it stands for: its name is nothing to generated code.
        if isinstance(self.value, enum.Enum) and isinstance(self.value, (int, float, str)):
            object.__setattr__(self, "value", self.value.value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and (self.value is other.value or repr(self.value) == repr(other.value))
        )

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


Atom = Var | Const


@dataclass(frozen=True)
class Slice:
    """`start:stop:step` in an index; None where the user left it out."""

    start: Atom | None
    stop: Atom | None
    step: Atom | None


Operand = Any  # Atom, or a tuple of operands (nested), or a Slice inside an index
Index = tuple[Any, ...]  # Atom (integer, integer array, mask), Slice, or Const(None) for newaxis


@dataclass(eq=False)
class Assign:
    """`targets = op(args)`. `op` is an `Operation`, or the name of a primitive of the compiler.

    getitem(array, index)  dim(array, axis)  cast(x, dtype)  alias(x)  trips(start, stop, step)  fetch(capture)
    """

    targets: tuple[Var, ...]
    op: Operation | str
    args: tuple[Operand, ...]
    origin: Location | None = None

    @property
    def target(self) -> Var:
        assert len(self.targets) == 1
        return self.targets[0]

    @property
    def name(self) -> str:
        return self.op if isinstance(self.op, str) else self.op.name


@dataclass(eq=False)
class Store:
    """`array[index] = value`, or `+=` when `accumulate`. `role` marks what the reverse sweep restores and clears."""

    array: Var
    index: Index
    value: Atom
    accumulate: bool = False
    origin: Location | None = None
    role: Literal["", "undo", "clear"] = ""


@dataclass(eq=False)
class Carried:
    """A value that a loop carries: `phi` in the body, first `init`, then `out` of the trip before; `result` after."""

    phi: Var
    init: Atom
    out: Atom
    result: Var


@dataclass(eq=False)
class For:
    index: Var
    start: Atom
    stop: Atom
    step: Atom
    carried: list[Carried]
    body: Block
    origin: Location | None = None
    note: str = ""  # printed behind the header's comment, e.g. the loop's class


@dataclass(eq=False)
class While:
    """`test_block` computes `test` from the phis before each trip; `counter` (from 0) counts trips where wanted."""

    carried: list[Carried]
    test_block: Block
    test: Atom
    body: Block
    origin: Location | None = None


@dataclass(eq=False)
class Merge:
    """A value that depends on which branch ran."""

    result: Var
    then: Atom
    orelse: Atom


@dataclass(eq=False)
class If:
    test: Atom
    then: Block
    orelse: Block
    merges: list[Merge]
    origin: Location | None = None


@dataclass(eq=False)
class Check:
    """`if not test: raise error(message)`: the user's own assertions, and the shapes that a program relies on."""

    test: Atom
    error: str
    message: tuple[Operand, ...]
    origin: Location | None = None
    user: bool = False  # written by the user: printed as `assert` or `raise`


@dataclass(eq=False)
class Print:
    """`print`: a text with a field of `str.format` for each value, whose kind `kinds` says (runtime/saying.py)."""

    text: str
    args: tuple[Operand, ...]
    kinds: tuple[str, ...]
    flush: bool = False
    origin: Location | None = None


@dataclass(eq=False)
class Buffer:
    """Where a value of each trip is kept for the reverse sweep.

    `trips` are the (start, step, trip count) of the loops around it, outermost first, when all are known before the
    outermost begins: then it is an array indexed by them. Otherwise (None) it is a stack that grows.
    """

    name: str
    dtype: str
    trips: list[Atom] | None
    shape: tuple[Dim, ...] = ()
    lengths: tuple[Atom, ...] = ()
    by_runtime: bool = False  # the stack is made and filled by functions of adc.runtime, and then settled


@dataclass(eq=False)
class NewBuffer:
    buffer: Buffer
    origin: Location | None = None


@dataclass(eq=False)
class Keep:
    """Forward sweep: `buffer[index] = value`, or push when `index` is None.

    With `lengths`, those of the value, the elements of an array go on a stack of numbers.
    """

    buffer: Buffer
    index: tuple[Atom, ...] | None
    value: Atom
    origin: Location | None = None
    lengths: tuple[Atom, ...] = ()
    in_place: bool = False  # the elements are in their `Room` on the stack already


@dataclass(eq=False)
class Room:
    """Forward sweep: `target` is the room above the elements of a stack for an array of these lengths."""

    target: Var
    buffer: Buffer
    lengths: tuple[Atom, ...]
    origin: Location | None = None


@dataclass(eq=False)
class Restore:
    """Reverse sweep: `target = buffer[index]`, or pop; an array with these `lengths` from a stack of numbers."""

    target: Var
    buffer: Buffer
    index: tuple[Atom, ...] | None
    origin: Location | None = None
    lengths: tuple[Atom, ...] = ()


@dataclass(eq=False)
class Settle:
    """Nothing more is pushed on a stack by the runtime: an array like others from here on."""

    buffer: Buffer
    origin: Location | None = None


@dataclass(eq=False)
class Mark:
    """A heading in the generated text: "forward", "reverse"."""

    text: str
    origin: Location | None = None


Stmt = Assign | Store | For | While | If | Check | Print | NewBuffer | Keep | Room | Restore | Settle | Mark
Block = list[Stmt]


@dataclass(eq=False)
class Program:
    """A function: parameters, body, and the values that it returns."""

    name: str
    params: list[Var]
    body: Block
    results: list[Atom]
    doc: str = ""
    fresh: bool = True
    meta: dict[str, Any] = field(default_factory=dict)


def atoms(operand: Operand) -> Iterator[Atom]:
    """All atoms in an operand: itself, or those of a tuple or a slice."""
    if isinstance(operand, tuple):
        for item in operand:
            yield from atoms(item)
    elif isinstance(operand, Slice):
        for part in (operand.start, operand.stop, operand.step):
            if part is not None:
                yield part
    elif isinstance(operand, (Var, Const)):
        yield operand


def variables(operand: Operand) -> list[Var]:
    """All variables in an operand."""
    found: list[Var] = []
    _collect(operand, found)
    return found


def _collect(operand: Operand, found: list[Var]) -> None:
    # Asked a million times for a long program: most operands are variables, or tuples of them and of constants.
    if type(operand) is Var:
        found.append(operand)
    elif type(operand) is tuple:
        for item in operand:
            if type(item) is Var:
                found.append(item)
            elif type(item) is not Const:
                _collect(item, found)
    elif isinstance(operand, tuple):
        _collect(tuple(operand), found)
    elif type(operand) is Slice:
        found.extend(p for p in (operand.start, operand.stop, operand.step) if type(p) is Var)


def length_variables(v: Var) -> Iterator[Var]:
    """The other variables of which the lengths of an array, or the value of an integer, are made."""
    for d in (*v.type.shape, *((v.dim,) if v.dim is not None else ())):
        yield from (owner for owner in owners(d) if owner is not v)


def owners(d: Dim) -> Iterator[Var]:
    """The variables of which a length is made."""
    for symbol, _ in d.terms:
        for part in symbol.payload:
            if isinstance(part, Dim):
                yield from owners(part)
            elif isinstance(part, Var):
                yield part


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    """The blocks of a region, in execution order."""
    if type(stmt) is Assign or type(stmt) is Store:  # most are
        return ()
    if isinstance(stmt, For):
        return (stmt.body,)
    if isinstance(stmt, While):
        return (stmt.test_block, stmt.body)
    if isinstance(stmt, If):
        return (stmt.then, stmt.orelse)
    return ()


def change_blocks(stmt: Stmt, change: Callable[[Block], Block]) -> None:
    """Put what `change` makes of each block of a region in its place, in execution order."""
    if type(stmt) is Assign or type(stmt) is Store:  # most are
        return
    if isinstance(stmt, For):
        stmt.body = change(stmt.body)
    elif isinstance(stmt, While):
        stmt.test_block, stmt.body = change(stmt.test_block), change(stmt.body)
    elif isinstance(stmt, If):
        stmt.then, stmt.orelse = change(stmt.then), change(stmt.orelse)


def walk(block: Block) -> list[Stmt]:
    """Every statement, regions before their contents."""
    found: list[Stmt] = []
    _walk(block, found)
    return found


def _walk(block: Block, found: list[Stmt]) -> None:
    for stmt in block:
        found.append(stmt)
        if type(stmt) is not Assign and type(stmt) is not Store:
            for inner in blocks(stmt):
                _walk(inner, found)


def all_blocks(block: Block) -> list[Block]:
    """A block and those of all regions in it, outer ones before inner ones, in the order of the text."""
    return [block, *(inner for s in block for part in blocks(s) for inner in all_blocks(part))]


def may_raise(stmt: Stmt) -> bool:
    """Whether a statement is a call that is not looked into: it stays where nobody reads its result."""
    return isinstance(stmt, Assign) and not isinstance(stmt.op, str) and "raises" in stmt.op.extra


def is_of_numbers(stmt: Assign) -> bool:
    """Whether an assignment works on numbers and elements of arrays alone, and cannot fail."""
    on_arrays = isinstance(stmt.op, Operation) and any(isinstance(a, Var) and a.is_array for a in stmt.args)
    return not on_arrays and not any(t.is_array for t in stmt.targets) and not may_raise(stmt)


def uses(stmt: Stmt) -> list[Var]:
    """The variables that a statement itself reads; for a region: its header, inits, outs and merges, not its blocks."""
    found: list[Var] = []
    if type(stmt) is Assign:
        _collect(stmt.args, found)
        return found
    if type(stmt) is Store:
        found.append(stmt.array)
        _collect(stmt.index, found)
        _collect(stmt.value, found)
        return found
    if isinstance(stmt, For):
        return variables(
            (stmt.start, stmt.stop, stmt.step, *(a for c in stmt.carried for a in (c.init, c.out)))
        )
    if isinstance(stmt, While):
        return variables((stmt.test, *(a for c in stmt.carried for a in (c.init, c.out))))
    if isinstance(stmt, If):
        return variables((stmt.test, *(a for m in stmt.merges for a in (m.then, m.orelse))))
    if isinstance(stmt, Check):
        return variables((stmt.test, stmt.message))
    if isinstance(stmt, Print):
        return variables(stmt.args)
    if isinstance(stmt, NewBuffer):
        return variables(((*(stmt.buffer.trips or ()),), stmt.buffer.lengths))
    if isinstance(stmt, Keep):
        return variables((stmt.index or (), stmt.value, stmt.lengths))
    if isinstance(stmt, Restore):
        return variables((stmt.index or (), stmt.lengths))
    if isinstance(stmt, Room):
        return variables(stmt.lengths)
    return []


def times_read(program: Program) -> Counter[Var]:
    """How often each variable is read: by a statement, or as a result."""
    found = Counter(v for stmt in walk(program.body) for v in uses(stmt))
    found.update(r for r in program.results if isinstance(r, Var))
    return found


def defined(stmt: Stmt) -> tuple[Var, ...]:
    """The variables that a statement binds in the block that it stands in."""
    if type(stmt) is Assign:
        return stmt.targets
    if type(stmt) is Store:
        return ()
    if isinstance(stmt, (For, While)):
        return tuple([c.result for c in stmt.carried])
    if isinstance(stmt, If):
        return tuple([m.result for m in stmt.merges])
    return (stmt.target,) if isinstance(stmt, (Room, Restore)) else ()


def bound_inside(stmt: Stmt) -> tuple[Var, ...]:
    """The variables that a loop binds at the head of its body."""
    if type(stmt) is For:
        return (stmt.index, *[c.phi for c in stmt.carried])
    return tuple([c.phi for c in stmt.carried]) if type(stmt) is While else ()


def reads_memory(stmt: Assign) -> bool:
    """Whether an assignment reads the elements of its array operands, and not only points at them or their shape."""
    return not is_view(stmt) and stmt.name not in (
        "dim",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "shape",
    )


VIEWS = {"transpose", "expand_dims", "squeeze", "reshape", "ravel", "broadcast_to", "alias"}


def is_view(stmt: Assign) -> bool:
    """Whether the target shares memory with the first operand."""
    target = stmt.targets[0]
    return target.view_of is not None


WRITING = {"rt.dot_into", "rt.linear_recurrence", "rt.linear_recurrence_back"}


def writes_arguments(stmt: Stmt) -> bool:
    """Whether a statement runs a loop in a function of its own, a product or a recurrence, which write to arguments."""
    return (
        isinstance(stmt, Assign)
        and isinstance(stmt.op, str)
        and (stmt.op.startswith("kernel.") or stmt.op in WRITING)
    )
