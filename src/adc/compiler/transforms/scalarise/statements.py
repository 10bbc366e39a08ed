"""Turn array statements into explicit loops over scalars.

After it, arrays are only allocated, indexed element by element, viewed for matrix products and library calls, and
returned. Views are resolved: an element of a slice, a transpose or a broadcast is an element of its base. The loops
of neighbouring statements are merged afterwards (fuse.py), and the buffers between them contracted (contract.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.frontend.indexing import FULL, indexed_type
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Buffer,
    Const,
    If,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    change_blocks,
)
from adc.compiler.ir.types import REALS, Array, Scalar
from adc.compiler.transforms import library, stacks
from adc.compiler.transforms.scalarise import (
    determinants,
    edges,
    layouts,
    positions,
    products,
    reductions,
    rows,
)
from adc.compiler.transforms.scalarise.nests import FILLS, Nests
from adc.rules.dims import Dim
from adc.rules.operation import Operation

REDUCTIONS = {"sum", "mean", "max", "min", "prod", "any", "all", "count_nonzero", "argmax", "argmin"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with every array statement that is not a library call written as loops."""
    return _Scalariser(program, evaluator).build()


class _Scalariser:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.nests = Nests(program, evaluator)
        self.buffers: dict[Buffer, Var] = {}
        self.rows = rows.of(program, evaluator)
        self.edges = edges.of(program)

    def build(self) -> Program:
        self.program.body = self._block(self.program.body)
        return self.program

    def _block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case Assign():
                self._assign(stmt)
            case Store():
                self._store(stmt)
            case NewBuffer() if stmt.buffer.trips is not None:
                self._new_buffer(stmt.buffer)
            case Keep() if stmt.buffer in self.rows:
                return  # it was made there
            case Keep() if stmt.index is not None:
                array = self.buffers[stmt.buffer]
                self._store(
                    Store(
                        array,
                        (*stmt.index, *(FULL,) * len(stmt.buffer.shape)),
                        stmt.value,
                        False,
                        stmt.origin,
                    )
                )
            case Restore() if stmt.index is not None:
                self._restore(stmt)
            case _:
                change_blocks(stmt, self._block if isinstance(stmt, If) else self._in_loop)
                self.ev.block.append(stmt)

    def _in_loop(self, block: Block) -> Block:
        self.nests.depth += 1
        try:
            return self._block(block)
        finally:
            self.nests.depth -= 1

    def _new_buffer(self, buffer: Buffer) -> None:
        assert buffer.trips is not None
        lengths = [self.ev.length(a) for a in (*buffer.trips, *buffer.lengths)]
        assert all(d is not None for d in lengths)
        array = Var(buffer.name, Array(buffer.dtype, tuple(d for d in lengths if d is not None)))
        self.buffers[buffer] = array
        self.nests.allocate(array)
        if buffer in self.rows:
            value, index = self.rows[buffer]
            self.nests.place(value, array, (*index, *(FULL,) * len(buffer.shape)))

    def _restore(self, stmt: Restore) -> None:
        array, index = self.buffers[stmt.buffer], stmt.index
        assert index is not None
        if not stmt.buffer.shape:
            self.ev.block.append(Assign((stmt.target,), "getitem", (array, index), stmt.origin))
            return
        self.nests.lies_in(stmt.target, array)
        view = Assign(
            (stmt.target,), "getitem", (array, (*index, *(FULL,) * len(stmt.buffer.shape))), stmt.origin
        )
        self.nests.definition[stmt.target] = view
        self.ev.block.append(view)

    def _assign(self, stmt: Assign) -> None:
        target = stmt.targets[0]
        if not any(t.is_array for t in stmt.targets) and not any(
            isinstance(a, Var) and a.is_array for a in stmt.args
        ):
            if stmt.name == "clip":
                self.nests.define(target, self.nests.element(stmt, target, []))
                return
            self.ev.block.append(library.of_numbers(self._typed(stmt)))
            return
        name = stmt.name
        if name == "getitem" and not target.is_array:
            items = self.nests.from_front(stmt.args[0], stmt.args[1])
            if items is None:
                self.ev.block.append(stmt)
            else:
                self.nests.define(target, self.nests.load(stmt.args[0], items))
            return
        if (isinstance(stmt.op, Operation) and is_elementwise(stmt.op)) or (
            name in ("cast", "copy") and target.is_array
        ):
            self.nests.elementwise(stmt)
        elif name in FILLS or name in ("full", "full_like"):
            self._fill(stmt)
        elif name in ("empty", "empty_like"):
            self.nests.allocate(target)
        elif name in REDUCTIONS:
            reductions.reduce(self.nests, stmt)
        elif name == "getitem" and any(isinstance(i, Var) and i.is_array for i in stmt.args[1]):
            positions.gather(self.nests, stmt)
        elif name == "outer":
            self._outer(stmt)
        elif name in ("eye", "identity", "tri"):
            self._ones_by_place(stmt)
        elif name in ("tril", "triu"):
            self._triangle(stmt)
        elif name in ("concatenate", "stack"):
            self._joined(stmt)
        elif name == "roll" and _along_one_axis(stmt):
            self._rolled(stmt)
        elif name == "arange":
            self._arange(stmt)
        elif name in ("matmul", "dot"):
            products.product(self.nests, stmt)
        elif name == "convolve" and _of_one_float(stmt):
            a, v, mode = stmt.args
            self.ev.block.append(Assign(stmt.targets, _CONVOLUTIONS[mode.value], (a, v), stmt.origin))
        elif name in ("reshape", "ravel", "squeeze"):
            layouts.reshaped(self.nests, stmt)
        elif determinants.is_small(stmt):
            determinants.by_elements(self.nests, stmt)
        elif isinstance(stmt.op, Operation) and stmt.op.body is not None:
            self._expanded_body(stmt)
        else:
            # Views stay for library calls; calls stay calls.
            self.ev.block.append(library.named(stmt, self.nests.definition, self.ev.mutated))

    def _typed(self, stmt: Assign) -> Assign:
        """A scalar statement whose numbers are of single precision where NumPy computes with that."""
        if len(stmt.targets) != 1 or not isinstance(stmt.op, Operation) or not is_elementwise(stmt.op):
            return stmt
        return Assign(
            stmt.targets, stmt.op, self.nests.in_single(stmt.op, stmt.args, stmt.target), stmt.origin
        )

    def _fill(self, stmt: Assign) -> None:
        if stmt in self.edges:
            zero = Const(self.nests.filler(stmt))
            self.nests.allocate(stmt.target)
            for edge in self.edges[stmt]:
                self._store(Store(stmt.target, (edge, *(FULL,) * (stmt.target.type.ndim - 1)), zero))
            return
        filler = self.nests.filler(stmt)
        if isinstance(filler, Var) and filler.type.dtype != stmt.target.type.dtype:
            filler = self.ev.assign(
                "cast", (filler, Const(stmt.target.type.dtype)), Scalar(stmt.target.type.dtype)
            )
        self.nests.nest(stmt.target, lambda index: filler)

    def _arange(self, stmt: Assign) -> None:
        start, stop, step, _ = (plain_value(a) for a in stmt.args)
        if any(stmt.target in s.payload for d in stmt.target.type.shape for s in d.symbols()):
            self.ev.block.append(stmt)  # only the call knows how many there are
            return
        if stop is None:
            start = 0
        step = 1 if step is None else step
        self.nests.nest(
            stmt.target, lambda index: self.ev.op("add", start, self.ev.op("multiply", index[0], step))
        )

    def _expanded_body(self, stmt: Assign) -> None:
        """An operation that Numba lacks, computed by the body that its rule file gives for compiled code."""
        assert isinstance(stmt.op, Operation) and stmt.op.body is not None
        made: Block = []
        with self.ev.at(made):
            value = self.ev.inline_rule(stmt.op.body, [_value_of(a) for a in stmt.args])
        made = stacks.unstacked(made, self.ev)
        self.nests.learn(made)
        for s in made:
            with self.ev.origin_at(stmt.origin):
                self._statement(s)
        for target, v in zip(stmt.targets, value if len(stmt.targets) > 1 else (value,), strict=True):
            self.nests.define(target, v)

    def _store(self, stmt: Store) -> None:
        if any(isinstance(i, Var) and i.is_array for i in stmt.index):
            positions.scatter(self.nests, stmt)
            return
        target_type, _ = indexed_type(self.ev, stmt.array, stmt.index)

        owned = self.nests.resolve(stmt.array, [0] * stmt.array.type.ndim)[0] is stmt.array
        if not owned and any(isinstance(i, Var) and not self.nests.never_negative(i) for i in stmt.index):
            self.ev.block.append(stmt)
            return

        def body(index: list[Any]) -> None:
            full = self.nests.through_slice(stmt.array, stmt.index, index)
            value = self.nests.aligned(stmt.value, index)
            self.nests.put(stmt.array, full, value, stmt.accumulate)
            last = self.ev.block[-1]
            assert isinstance(last, Store)
            last.role = stmt.role

        self.nests.loops(self.nests.iterated(stmt, _lengths_of_value(stmt, target_type.shape)), body)

    def _joined(self, stmt: Assign) -> None:
        arrays, axis = stmt.args[0], stmt.args[1].value
        target = stmt.target
        axis = axis % target.type.ndim
        self.nests.allocate(target)
        start: Any = 0
        for k, part in enumerate(arrays):
            shape = part.type.shape if isinstance(part, Var) else ()
            if stmt.name == "stack":

                def body(index: list[Any], part: Any = part, k: int = k) -> None:
                    self.nests.put(
                        target,
                        [*index[:axis], k, *index[axis:]],
                        self.nests.converted(self.nests.aligned(part, index), target),
                    )

                numbers = self._numbers_of(part)
                for at, number in numbers or ():
                    body(at, number)
                if numbers is None:
                    self.nests.loops(shape, body)
                continue

            def joined(index: list[Any], part: Any = part, start: Any = start) -> None:
                at = [*index[:axis], self.ev.op("add", start, index[axis]), *index[axis + 1 :]]
                self.nests.put(target, at, self.nests.converted(self.nests.load(part, index), target))

            self.nests.loops(shape, joined)
            start = self.ev.op("add", start, self.ev.dim_value(shape[axis]))

    def _numbers_of(self, part: Any) -> list[tuple[list[Any], Any]] | None:
        """The numbers that an array was stacked of, with their places: a row of `np.array([[1.0, x], [y, z]])`."""
        made = self.nests.definition.get(part) if isinstance(part, Var) and part.is_array else None
        if made is None:
            return None if isinstance(part, Var) and part.is_array else [([], part)]
        if made.name != "stack" or part.root in self.nests.written:
            return None
        axis = made.args[1].value % part.type.ndim
        found = []
        for k, inner in enumerate(made.args[0]):
            numbers = self._numbers_of(inner)
            if numbers is None:
                return None
            found += [([*at[:axis], k, *at[axis:]], number) for at, number in numbers]
        return found

    def _rolled(self, stmt: Assign) -> None:
        """The array with what is pushed over its end in front."""
        ev, target, source = self.ev, stmt.target, stmt.args[0]
        shape = target.type.shape
        axis = plain_value(stmt.args[2]) % len(shape) if plain_value(stmt.args[2]) is not None else 0
        n = ev.dim_value(shape[axis])
        shift = ev.op("remainder", plain_value(stmt.args[1]), ev.op("maximum", n, 1))
        rest = ev.op("maximum", ev.op("subtract", n, shift), 0)

        def element(index: list[Any]) -> Any:
            wraps = ev.op("less", index[axis], shift)
            at = ev.op("where", wraps, ev.op("add", index[axis], rest), ev.op("subtract", index[axis], shift))
            return self.nests.load(source, [*index[:axis], at, *index[axis + 1 :]])

        self.nests.nest(target, element)

    def _ones_by_place(self, stmt: Assign) -> None:
        """A matrix that is one on a diagonal, or from there to the left, and zero elsewhere."""
        kind = np.dtype(stmt.target.type.dtype)
        shift = 0 if stmt.name == "identity" else plain_value(stmt.args[2])
        test = "less_equal" if stmt.name == "tri" else "equal"

        def element(index: list[Any]) -> Any:
            within = self.ev.op(test, index[1], self.ev.op("add", index[0], shift))
            return (
                within
                if kind.kind == "b"
                else self.ev.op("where", within, kind.type(1).item(), kind.type(0).item())
            )

        self.nests.nest(stmt.target, element)

    def _triangle(self, stmt: Assign) -> None:
        """The elements on one side of a diagonal of the last two axes, that diagonal included."""
        side = "less_equal" if stmt.name == "tril" else "greater_equal"
        zero = np.dtype(stmt.target.type.dtype).type(0).item()

        def element(index: list[Any]) -> Any:
            within = self.ev.op(side, index[-1], self.ev.op("add", index[-2], plain_value(stmt.args[1])))
            return self.ev.op("where", within, self.nests.load(stmt.args[0], index), zero)

        self.nests.nest(stmt.target, element)

    def _outer(self, stmt: Assign) -> None:
        a, b = (layouts.flat(self.nests, x) for x in stmt.args)
        self.nests.nest(
            stmt.target,
            lambda index: self.ev.op(
                "multiply", self.nests.aligned(a, index[:1]), self.nests.aligned(b, index[1:])
            ),
        )


def _lengths_of_value(stmt: Store, region: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The lengths of a part that is written to, as what is written has them: loops over both are then alike.

    They are equal wherever the program gets here, unless what is written has one element for all. A number is what a
    loop is written out by.
    """
    value = stmt.value
    if not isinstance(value, Var) or not value.is_array:
        return region
    lengths = value.type.shape[max(value.type.ndim - len(region), 0) :]
    behind = len(region) - len(lengths)
    return (
        *region[:behind],
        *(r if d.known == 1 else d for d, r in zip(lengths, region[behind:], strict=True)),
    )


def _along_one_axis(stmt: Assign) -> bool:
    source, shift, axis = stmt.args
    ndim = source.type.ndim
    return not isinstance(shift, tuple) and isinstance(axis, Const) and (axis.value is not None or ndim == 1)


_CONVOLUTIONS: dict[str | int, str] = {
    "full": "rt.convolve",
    "same": "rt.convolve_same",
    "valid": "rt.convolve_valid",
}
_CONVOLUTIONS |= dict(enumerate(reversed(_CONVOLUTIONS.values())))  # as NumPy numbers them


def _of_one_float(stmt: Assign) -> bool:
    """Whether the operands are vectors of the dtype of the result, which is real."""
    vectors = [a.type for a in stmt.args[:2] if isinstance(a, Var) and isinstance(a.type, Array)]
    dtype = stmt.target.type.dtype
    return dtype in REALS and [t.dtype for t in vectors] == [dtype, dtype]


def _value_of(operand: Any) -> Any:
    return tuple(_value_of(i) for i in operand) if isinstance(operand, tuple) else plain_value(operand)
