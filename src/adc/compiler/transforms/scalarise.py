"""Turn array statements into explicit loops over scalars.

After it, arrays are only allocated, indexed element by element, viewed for matrix products and library calls, and
returned. Views are resolved: an element of a slice, a transpose or a broadcast is an element of its base. The loops
of neighbouring statements are merged afterwards (fuse.py), and the buffers between them contracted (contract.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.frontend.indexing import FULL, indexed_type
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Carried,
    Check,
    Const,
    For,
    If,
    Keep,
    Merge,
    NewBuffer,
    Program,
    Restore,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    walk,
)
from adc.compiler.ir.types import Array, Scalar, is_float
from adc.compiler.transforms import library, stacks
from adc.rules import registry
from adc.rules.dims import Dim
from adc.rules.operation import Operation
from adc.rules.shapes import normalize_axes, size

INDEX_NAMES = "ijklmnpq"
FILLS = {"zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}
REDUCTIONS = {"sum", "mean", "max", "min", "prod", "any", "all", "count_nonzero", "argmax", "argmin"}
VIEWS = {"transpose", "expand_dims", "squeeze", "broadcast_to", "reshape", "ravel"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with every array statement that is not a library call written as loops."""
    return _Scalariser(program, evaluator).build()


class _Scalariser:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.definition: dict[Var, Assign] = {
            t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets
        }
        self.buffers: dict[Buffer, Var] = {}
        self.written = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
        self._least: dict[Any, int] | None = None
        self.depth = 0

    def build(self) -> Program:
        self.program.body = self._block(self.program.body)
        return self.program

    def _block(self, block: Block) -> Block:
        out: Block = []
        with self.ev.at(out):
            for stmt in block:
                with self.ev.origin_at(stmt.origin):
                    self._statement(stmt)
        return out

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case Assign():
                self._assign(stmt)
            case Store():
                self._store(stmt)
            case For():
                stmt.body = self._inner(stmt.body)
                self.ev.block.append(stmt)
            case While():
                stmt.test_block, stmt.body = self._inner(stmt.test_block), self._inner(stmt.body)
                self.ev.block.append(stmt)
            case NewBuffer() if stmt.buffer.trips is not None:
                self._new_buffer(stmt.buffer)
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
            case If():
                stmt.then, stmt.orelse = self._block(stmt.then), self._block(stmt.orelse)
                self.ev.block.append(stmt)
            case _:
                self.ev.block.append(stmt)

    def _inner(self, block: Block) -> Block:
        self.depth += 1
        try:
            return self._block(block)
        finally:
            self.depth -= 1

    # --- kept values, where all trip counts are known ------------------------------------------------------------

    def _new_buffer(self, buffer: Buffer) -> None:
        assert buffer.trips is not None
        lengths = [self.ev.length(a) for a in (*buffer.trips, *buffer.lengths)]
        assert all(d is not None for d in lengths)
        array = Var(buffer.name, Array(buffer.dtype, tuple(d for d in lengths if d is not None)))
        self.buffers[buffer] = array
        self._allocate(array)

    def _restore(self, stmt: Restore) -> None:
        array, index = self.buffers[stmt.buffer], stmt.index
        assert index is not None
        if not stmt.buffer.shape:
            self.ev.block.append(Assign((stmt.target,), "getitem", (array, index), stmt.origin))
            return
        stmt.target.view_of, stmt.target.root = array, array
        view = Assign(
            (stmt.target,), "getitem", (array, (*index, *(FULL,) * len(stmt.buffer.shape))), stmt.origin
        )
        self.definition[stmt.target] = view
        self.ev.block.append(view)

    # --- assignments --------------------------------------------------------------------------------------------

    def _assign(self, stmt: Assign) -> None:
        target = stmt.targets[0]
        if not any(t.is_array for t in stmt.targets) and not any(
            isinstance(a, Var) and a.is_array for a in stmt.args
        ):
            if stmt.name == "clip":
                self._define(target, self._element(stmt, target, []))
                return
            self.ev.block.append(self._typed(stmt))
            return
        name = stmt.name
        if name == "getitem" and not target.is_array:
            items = self._from_front(stmt.args[0], stmt.args[1])
            if items is None:
                self.ev.block.append(stmt)
            else:
                self._define(target, self._load(stmt.args[0], items))
            return
        if (isinstance(stmt.op, Operation) and is_elementwise(stmt.op)) or (
            name in ("cast", "copy") and target.is_array
        ):
            self._elementwise(stmt)
        elif name in FILLS or name in ("full", "full_like"):
            self._fill(stmt)
        elif name in ("empty", "empty_like"):
            self._allocate(target)
        elif name in REDUCTIONS:
            self._reduction(stmt)
        elif name == "getitem" and any(isinstance(i, Var) and i.is_array for i in stmt.args[1]):
            self._gather(stmt)
        elif name == "outer":
            self._outer(stmt)
        elif name in ("eye", "identity"):
            self._eye(stmt)
        elif name in ("tril", "triu"):
            self._triangle(stmt)
        elif name in ("concatenate", "stack"):
            self._joined(stmt)
        elif name == "arange":
            self._arange(stmt)
        elif name in ("matmul", "dot"):
            self._product(stmt)
        elif name in ("reshape", "ravel", "squeeze"):
            self._reshaped(stmt)
        elif isinstance(stmt.op, Operation) and stmt.op.body is not None:
            self._expanded_body(stmt)
        else:
            # Views stay for library calls; calls stay calls.
            self.ev.block.append(library.named(stmt, self.definition, self.ev.mutated))

    def _typed(self, stmt: Assign) -> Assign:
        """A scalar statement whose constants have the dtype that NumPy would give them."""
        target = stmt.target if len(stmt.targets) == 1 else None
        if (
            target is None
            or not isinstance(stmt.op, Operation)
            or stmt.op.name == "where"
            or target.type.dtype != "float32"
        ):
            return stmt
        args = tuple(self._as_dtype(a, "float32") if is_elementwise(stmt.op) else a for a in stmt.args)
        return Assign(stmt.targets, stmt.op, args, stmt.origin)

    def _as_dtype(self, value: Any, dtype: str) -> Any:
        if isinstance(value, Const):
            if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
                return Const(np.dtype(dtype).type(value.value))
            return value
        if (
            isinstance(value, Var)
            and not value.is_array
            and value.type.dtype != dtype
            and value.type.dtype != "bool"
        ):
            return self.ev.assign("cast", (value, Const(dtype)), Scalar(dtype))
        return value

    def _from_front(self, array: Var, items: tuple[Any, ...]) -> list[Any] | None:
        """An element's index counted from the front of each axis, or None where a sign is not known and a view would
        be taken apart: a negative index counts from the end of the view, not of the array that owns it."""
        found: list[Any] = []
        owned = self.resolve(array, [0] * array.type.ndim)[0] is array
        for item, length in zip(items, array.type.shape, strict=True):
            if isinstance(item, Var) and not owned and not self._never_negative(item):
                return None
            found.append(_plain(self._positive(item, length)))
        return found

    # --- elements -----------------------------------------------------------------------------------------------

    def _load(self, array: Value, index: list[Any]) -> Any:
        """The element of an array at an index (one atom per axis), read from the array that owns it."""
        if not isinstance(array, Var) or not array.is_array:
            return array.value if isinstance(array, Const) else array
        base, items = self.resolve(array, index)
        if not isinstance(base, Var) or not base.is_array:
            return base
        computed = self._computed(base, items)
        if computed is not None:
            return computed
        return self.ev.getitem(base, tuple(self.ev.atom(i) for i in items))

    def _computed(self, array: Var, items: list[Any]) -> Any:
        """An element of an array that is only written by the operation that made it, where that needs no memory."""
        stmt = self.definition.get(array)
        if stmt is None or array.root in self.written:
            return None
        if stmt.name == "arange":
            start, stop, step, _ = (_plain(a) for a in stmt.args)
            if not all(
                isinstance(v, int) or v is None or (isinstance(v, Var) and v.type.dtype == "int64")
                for v in (start, stop, step)
            ):
                return None
            start, step = (0 if stop is None else start), (1 if step is None else step)
            return self.ev.op("add", start, self.ev.op("multiply", items[0], step))
        if stmt.name in FILLS or stmt.name in ("full", "full_like"):
            value = self._filler(stmt)
            return value if not isinstance(value, Var) else None
        return None

    def resolve(self, array: Var, index: list[Any]) -> tuple[Any, list[Any]]:
        """Follow views: the array that owns an element, and the element's index in it."""
        stmt = self.definition.get(array)
        if stmt is None:
            return array, index
        base = stmt.args[0] if stmt.args else None
        match stmt.name:
            case "getitem" if stmt.target.view_of is not None:
                return self._follow(base, self._through_slice(base, stmt.args[1], index))
            case "transpose":
                axes, ndim = stmt.args[1], array.type.ndim
                order = list(range(ndim))[::-1] if axes == Const(None) else [a.value % ndim for a in axes]
                items: list[Any] = [None] * len(order)
                for position, axis in enumerate(order):
                    items[axis] = index[position]
                return self._follow(base, items)
            case "broadcast_to":
                if not isinstance(base, Var) or not base.is_array:
                    return _plain(base), []
                lead = array.type.ndim - base.type.ndim
                items = [0 if d.known == 1 else index[lead + k] for k, d in enumerate(base.type.shape)]
                return self._follow(base, items)
            case "expand_dims" | "squeeze" | "reshape":
                kept = _matching_axes(base.type.shape, array.type.shape) if isinstance(base, Var) else None
                if kept is None:
                    return array, index
                items = [0 if k is None else index[k] for k in kept]
                return self._follow(base, items)
            case "alias":
                return self._follow(base, index)
        return array, index

    def _follow(self, base: Any, items: list[Any]) -> tuple[Any, list[Any]]:
        return self.resolve(base, items) if isinstance(base, Var) and base.is_array else (_plain(base), [])

    def _through_slice(self, base: Any, items: tuple[Any, ...], index: list[Any]) -> list[Any]:
        result: list[Any] = []
        remaining = iter(index)
        axis = 0
        for item in items:
            if item == Const(None):
                next(remaining)
                continue
            if isinstance(item, Slice):
                result.append(self._sliced(item, next(remaining), base.type.shape[axis]))
            else:
                result.append(self._positive(item, base.type.shape[axis]))
            axis += 1
        return result

    def _sliced(self, item: Slice, k: Any, length: Dim) -> Any:
        step = 1 if item.step is None or item.step == Const(None) else item.step.value  # type: ignore[union-attr]
        if step < 0:
            start: Any = (
                self.ev.op("subtract", self.ev.dim_value(length), 1)
                if item.start is None or item.start == Const(None)
                else self._positive(item.start, length)
            )
            return self.ev.op("subtract", start, self.ev.op("multiply", k, -step))
        scaled = self.ev.op("multiply", k, step)
        if item.start is None or item.start == Const(None) or item.start == Const(0):
            return scaled
        return self.ev.op("add", self._start(item.start, length), scaled)

    def _start(self, start: Atom, length: Dim) -> Any:
        """A slice's start as a position from the front; NumPy clips what lies outside."""
        if isinstance(start, Const):
            if start.value >= 0:
                return start.value
            n = self.ev.dim_value(length)
            return self.ev.op("maximum", self.ev.op("add", n, start.value), 0)
        if isinstance(start, Var) and start.dim is not None and (start.dim - length).known in (0, -1):
            return start
        if self._never_negative(start):
            return start
        n = self.ev.dim_value(length)
        return self.ev.op(
            "where",
            self.ev.op("less", start, 0),
            self.ev.op("maximum", self.ev.op("add", start, n), 0),
            start,
        )

    def _positive(self, item: Any, length: Dim) -> Any:
        """An integer index from the front."""
        if isinstance(item, Const):
            if item.value >= 0:
                return item.value
            return self.ev.op("add", self.ev.dim_value(length), item.value)
        return item  # Numba wraps a negative index at run time, as Python does

    def _never_negative(self, v: Var) -> bool:
        """Whether an integer is a loop counter, or a sum of such, that cannot be less than zero."""
        if v.dim is None:
            return False
        least = v.dim.const
        for symbol, coefficient in v.dim.terms:
            smallest = (
                0
                if symbol.kind == "shape"
                else self._counters().get(symbol.payload[0])
                if symbol.kind == "value"
                else None
            )
            if smallest is None or coefficient < 0:
                return False
            least += coefficient * smallest
        return least >= 0

    def _counters(self) -> dict[Any, int]:
        """The loop counters of the program, with the least value that each takes."""
        if self._least is None:
            self._least = {}
            for s in walk(self.program.body):
                if isinstance(s, For) and isinstance(s.step, Const):
                    end = s.start if s.step.value > 0 else s.stop
                    if isinstance(end, Const):
                        self._least[s.index] = end.value if s.step.value > 0 else end.value + 1
        return self._least

    # --- loops --------------------------------------------------------------------------------------------------

    def _allocate(self, target: Var) -> None:
        assert isinstance(target.type, Array)
        target.type = Array(
            target.type.dtype, target.type.shape, "C"
        )  # whatever NumPy's layout would have been
        shape = self.ev.shape_values(target.type.shape)
        operands = (self.ev.operand(shape), Const(np.dtype(target.type.dtype)))
        self.ev.block.append(Assign((target,), registry.named("empty"), operands, self.ev.origin))

    def _loops(
        self, shape: tuple[Dim, ...], body: Callable[[list[Any]], None], index: list[Any] | None = None
    ) -> None:
        """A loop nest over a shape; `body` emits the innermost statements."""
        index = index or []
        if not shape:
            body(index)
            return
        length, *rest = shape
        if length.known == 1:
            self._loops(tuple(rest), body, [*index, 0])
            return
        counter = Var(INDEX_NAMES[(self.depth + len(index)) % len(INDEX_NAMES)], Scalar("int64", True))
        counter.dim = Dim.symbol("value", counter)
        loop = For(
            counter, Const(0), self.ev.atom(self.ev.dim_value(length)), Const(1), [], [], self.ev.origin
        )
        with self.ev.at(loop.body):
            self._loops(tuple(rest), body, [*index, counter])
        self.ev.block.append(loop)

    def _nest(self, target: Var, element: Callable[[list[Any]], Any]) -> None:
        """Allocate an array and fill it element by element."""
        assert isinstance(target.type, Array)
        self._allocate(target)

        def body(index: list[Any]) -> None:
            value = element(index)
            self._put(target, index, value)

        self._loops(target.type.shape, body)

    def _put(self, array: Var, index: list[Any], value: Any, accumulate: bool = False) -> None:
        if not isinstance(value, Var):
            kind = np.dtype(array.type.dtype)
            value = (
                float(value)
                if kind == np.float64 and isinstance(value, int) and not isinstance(value, bool)
                else (
                    kind.type(value)
                    if kind.kind == "f" and kind != np.float64 and not isinstance(value, np.generic)
                    else value
                )
            )
        base, items = self.resolve(array, index)
        self.ev.store(base, tuple(self.ev.atom(i) for i in items), value, accumulate)

    def _elementwise(self, stmt: Assign) -> None:
        target = stmt.targets[0]
        self._nest(target, lambda index: self._element(stmt, target, index))

    def _element(self, stmt: Assign, target: Var, index: list[Any]) -> Any:
        """The value of an elementwise statement at one index of its result."""
        loaded = [
            self._aligned(a, index) for a in stmt.args if not (stmt.name == "cast" and a is stmt.args[1])
        ]
        dtype = target.type.dtype
        if stmt.name == "copy":
            return loaded[0]
        if stmt.name == "cast":
            given = self.ev.type_of(loaded[0])
            if given is not None and given.dtype == dtype:
                return loaded[0]
            return self.ev.assign("cast", (self.ev.atom(loaded[0]), Const(dtype)), Scalar(dtype))
        assert isinstance(stmt.op, Operation)
        if dtype == "float32" and stmt.op.kind == "elementwise":
            loaded = [_plain(self._as_dtype(self.ev.atom(v), dtype)) for v in loaded]
        if stmt.op.name == "where" and dtype == "float32":
            loaded[1:] = [_plain(self._as_dtype(self.ev.atom(v), dtype)) for v in loaded[1:]]
        if stmt.op.name == "clip":
            value, low, high = loaded
            if low is not None:
                value = self.ev.op("maximum", value, low)
            return value if high is None else self.ev.op("minimum", value, high)
        return self.ev.op(stmt.op, *loaded)

    def _aligned(self, operand: Any, index: list[Any]) -> Any:
        """An operand's element at an index of the broadcast result."""
        if not isinstance(operand, Var) or not operand.is_array:
            return _plain(operand)
        lead = len(index) - operand.type.ndim
        return self._load(
            operand, [0 if d.known == 1 else index[lead + k] for k, d in enumerate(operand.type.shape)]
        )

    def _fill(self, stmt: Assign) -> None:
        filler = self._filler(stmt)
        if isinstance(filler, Var) and filler.type.dtype != stmt.target.type.dtype:
            filler = self.ev.assign(
                "cast", (filler, Const(stmt.target.type.dtype)), Scalar(stmt.target.type.dtype)
            )
        self._nest(stmt.target, lambda index: filler)

    def _filler(self, stmt: Assign) -> Any:
        value = FILLS.get(stmt.name)
        kind = np.dtype(stmt.target.type.dtype)
        filler: Any = _plain(stmt.args[1]) if value is None else (float(value) if kind.kind == "f" else value)
        if kind.kind == "b":
            filler = bool(filler)
        if kind == np.float32 and isinstance(filler, (int, float)):
            filler = np.float32(filler)
        return filler

    def _arange(self, stmt: Assign) -> None:
        start, stop, step, _ = (_plain(a) for a in stmt.args)
        if any(stmt.target in s.payload for d in stmt.target.type.shape for s in d.symbols()):
            self.ev.block.append(stmt)  # only the call knows how many there are
            return
        if stop is None:
            start = 0
        step = 1 if step is None else step
        self._nest(
            stmt.target, lambda index: self.ev.op("add", start, self.ev.op("multiply", index[0], step))
        )

    def _gather(self, stmt: Assign) -> None:
        array, items = stmt.args
        if _mask_of(items) is not None:
            self._masked_read(stmt)
            return
        at = self._fancy(array, items)
        self._nest(stmt.target, lambda index: self._load(array, at(index)))

    def _fancy(self, array: Var, items: tuple[Any, ...]) -> Callable[[list[Any]], list[Any]]:
        """From an index of `array[items]` to the index in the array, where some items are integer arrays."""
        advanced = [i for i in items if isinstance(i, Var) and i.is_array]
        rank = max(i.type.ndim for i in advanced)
        positions = [k for k, i in enumerate(items) if not isinstance(i, Slice) and i != Const(None)]
        together = positions == list(range(positions[0], positions[-1] + 1))
        lead = sum(isinstance(i, Slice) or i == Const(None) for i in items[: positions[0]]) if together else 0

        def at(index: list[Any]) -> list[Any]:
            gathered, rest = index[lead : lead + rank], iter([*index[:lead], *index[lead + rank :]])
            found: list[Any] = []
            for item in items:
                if item == Const(None):
                    next(rest)
                    continue
                length = array.type.shape[len(found)]
                if isinstance(item, Slice):
                    found.append(self._sliced(item, next(rest), length))
                elif isinstance(item, Var) and item.is_array:
                    found.append(self._wrapped(self._aligned(item, gathered), length))
                else:
                    found.append(self._wrapped(self._positive(item, length), length))
            return found

        return at

    def _wrapped(self, position: Any, length: Dim) -> Any:
        """A position given by data, counted from the front."""
        if not isinstance(position, Var) or self._never_negative(position):
            return position
        return self.ev.op(
            "where",
            self.ev.op("less", position, 0),
            self.ev.op("add", position, self.ev.dim_value(length)),
            position,
        )

    def _masked_read(self, stmt: Assign) -> None:
        """The elements where a mask is true, in order: counted first, then copied."""
        array, items = stmt.args
        mask, rest = self._mask_parts(array, items)
        target = stmt.target
        assert isinstance(target.type, Array)
        ev = self.ev
        count = self._accumulated("count_nonzero", mask, tuple(range(mask.type.ndim)), {}, "int64")
        lengths = (count, *ev.shape_values(rest))
        target.type = Array(target.type.dtype, target.type.shape, "C")
        ev.block.append(
            Assign(
                (target,),
                registry.named("empty"),
                (ev.operand(lengths), Const(np.dtype(target.type.dtype))),
                ev.origin,
            )
        )
        self._over_mask(
            mask,
            rest,
            lambda position, tail, where: self._put(target, [position, *tail], self._load(array, where)),
        )

    def _mask_parts(self, array: Var, items: tuple[Any, ...]) -> tuple[Var, tuple[Dim, ...]]:
        mask = _mask_of(items)
        assert mask is not None
        if items[0] is not mask or any(i != FULL for i in items[1:]):
            raise self.ev.refuse(
                "a mask together with other indices is only supported in python mode",
                "its elements are counted at run time",
                "put the mask first and alone",
            )
        return mask, array.type.shape[mask.type.ndim :]

    def _over_mask(
        self, mask: Var, rest: tuple[Dim, ...], body: Callable[[Any, list[Any], list[Any]], None]
    ) -> None:
        """Run `body(position, tail, where)` for each true element: `position` counts, `where` is the full index."""
        ev = self.ev
        counter_type = Scalar("int64", True)

        def level(axis: int, index: list[Any], start: Any) -> Any:
            if axis == mask.type.ndim:
                test = self._load(mask, index)
                region = If(ev.atom(test), [], [], [], ev.origin)
                with ev.at(region.then):
                    self._loops(rest, lambda tail: body(start, tail, [*index, *tail]))
                    after = ev.op("add", start, 1)
                result = Var("position", counter_type)
                result.dim = Dim.symbol("value", result)
                region.merges.append(Merge(result, ev.atom(after), ev.atom(start)))
                ev.block.append(region)
                return result
            counter = Var(INDEX_NAMES[(self.depth + axis) % len(INDEX_NAMES)], counter_type)
            counter.dim = Dim.symbol("value", counter)
            phi, result = Var("position", counter_type), Var("position", counter_type)
            phi.dim, result.dim = Dim.symbol("value", phi), Dim.symbol("value", result)
            loop = For(
                counter, Const(0), ev.atom(ev.dim_value(mask.type.shape[axis])), Const(1), [], [], ev.origin
            )
            with ev.at(loop.body):
                out = level(axis + 1, [*index, counter], phi)
            loop.carried.append(Carried(phi, ev.atom(start), ev.atom(out), result))
            ev.block.append(loop)
            return result

        level(0, [], 0)

    def _fancy_store(self, stmt: Store) -> None:
        """Write, or add, at integer positions or where a mask is true, one element after the other."""
        array = stmt.array
        if _mask_of(stmt.index) is not None:
            mask, rest = self._mask_parts(array, stmt.index)
            value = stmt.value
            by_position = (
                isinstance(value, Var) and value.type.ndim == 1 + len(rest) and value.type.shape[0].known != 1
            )

            def put(position: Any, tail: list[Any], where: list[Any]) -> None:
                element = (
                    self._load(value, [position, *tail]) if by_position else self._aligned(value, [0, *tail])
                )
                self._put(array, where, element, stmt.accumulate)

            self._over_mask(mask, rest, put)
            return
        space, _ = indexed_type(self.ev, array, stmt.index)
        at = self._fancy(array, stmt.index)
        self._loops(
            self._iterated(stmt, space.shape),
            lambda index: self._put(array, at(index), self._aligned(stmt.value, index), stmt.accumulate),
        )

    def _expanded_body(self, stmt: Assign) -> None:
        """An operation that Numba lacks, computed by the body that its rule file gives for compiled code."""
        assert isinstance(stmt.op, Operation) and stmt.op.body is not None
        made: Block = []
        with self.ev.at(made):
            value = self.ev.inline_rule(stmt.op.body, [_value_of(a) for a in stmt.args])
        made = stacks.unstacked(made, self.ev)
        for s in walk(made):
            if isinstance(s, Assign):
                self.definition.update(dict.fromkeys(s.targets, s))
            elif isinstance(s, Store):
                self.written.add(s.array.root)
        self._least = None
        for s in made:
            with self.ev.origin_at(stmt.origin):
                self._statement(s)
        for target, v in zip(stmt.targets, value if len(stmt.targets) > 1 else (value,), strict=True):
            self._define(target, v)

    # --- writes -------------------------------------------------------------------------------------------------

    def _store(self, stmt: Store) -> None:
        if any(isinstance(i, Var) and i.is_array for i in stmt.index):
            self._fancy_store(stmt)
            return
        target_type, _ = indexed_type(self.ev, stmt.array, stmt.index)

        owned = self.resolve(stmt.array, [0] * stmt.array.type.ndim)[0] is stmt.array
        if not owned and any(isinstance(i, Var) and not self._never_negative(i) for i in stmt.index):
            self.ev.block.append(stmt)
            return

        def body(index: list[Any]) -> None:
            full = self._through_slice(stmt.array, stmt.index, index)
            value = self._aligned(stmt.value, index)
            self._put(stmt.array, full, value, stmt.accumulate)
            last = self.ev.block[-1]
            assert isinstance(last, Store)
            last.role = stmt.role

        self._loops(self._iterated(stmt, target_type.shape), body)

    def _iterated(self, stmt: Store, shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
        """The index space of a write; lengths only known as `len(slice)` come from the value where it has them."""
        unknown = [k for k, d in enumerate(shape) if d == Dim(-1)]
        if not unknown:
            return shape
        lengths = list(shape)
        value_shape = stmt.value.type.shape if isinstance(stmt.value, Var) else ()
        for k in unknown:
            from_value = k - (len(shape) - len(value_shape))
            if from_value >= 0 and value_shape[from_value].known != 1:
                lengths[k] = value_shape[from_value]
            else:
                # Its length is that of the slice itself.
                view = self.ev.getitem(stmt.array, stmt.index)
                lengths[k] = view.type.shape[k]
        return tuple(lengths)

    def _joined(self, stmt: Assign) -> None:
        arrays, axis = stmt.args[0], stmt.args[1].value
        target = stmt.target
        axis = axis % target.type.ndim
        self._allocate(target)
        start: Any = 0
        for k, part in enumerate(arrays):
            shape = part.type.shape if isinstance(part, Var) else ()
            if stmt.name == "stack":

                def body(index: list[Any], part: Any = part, k: int = k) -> None:
                    self._put(
                        target,
                        [*index[:axis], k, *index[axis:]],
                        self._converted(self._aligned(part, index), target),
                    )

                self._loops(shape, body)
                continue

            def joined(index: list[Any], part: Any = part, start: Any = start) -> None:
                at = [*index[:axis], self.ev.op("add", start, index[axis]), *index[axis + 1 :]]
                self._put(target, at, self._converted(self._load(part, index), target))

            self._loops(shape, joined)
            start = self.ev.op("add", start, self.ev.dim_value(shape[axis]))

    def _converted(self, value: Any, target: Var) -> Any:
        if isinstance(value, Var) and value.type.dtype != target.type.dtype:
            return self.ev.assign("cast", (value, Const(target.type.dtype)), Scalar(target.type.dtype))
        return value

    # --- reductions ---------------------------------------------------------------------------------------------

    def _reduction(self, stmt: Assign) -> None:
        assert isinstance(stmt.op, Operation)
        source = stmt.args[0]
        names = [p.name for p in stmt.op.parameters]
        axis_operand = stmt.args[names.index("axis")]
        axis = tuple(a.value for a in axis_operand) if isinstance(axis_operand, tuple) else axis_operand.value
        axes = normalize_axes(axis, source.type.ndim)
        keepdims = "keepdims" in names and stmt.args[names.index("keepdims")] == Const(True)
        kept = [k for k in range(source.type.ndim) if k not in axes]
        target = stmt.target
        name = stmt.name
        if name in ("argmax", "argmin"):
            self._extreme_position(stmt, source, axes, kept, keepdims)
            return
        if not target.is_array:
            if name in ("max", "min"):
                self._require_some(source, axes, name)
            total = self._accumulated(name, source, axes, {}, target.type.dtype)
            self._define(target, self._finished(name, total, source, axes, target.type.dtype))
            return
        assert isinstance(target.type, Array)
        suffix = axes == tuple(range(len(kept), source.type.ndim))

        def at(index: list[Any]) -> list[Any]:
            if not keepdims:
                return index
            counters = iter(index)
            return [0 if k in axes else next(counters) for k in range(source.type.ndim)]

        kept_shape = tuple(source.type.shape[k] for k in kept)
        if name in ("max", "min"):
            self._require_some(source, axes, name)
        if suffix or name in ("max", "min", "any", "all", "prod", "count_nonzero"):
            self._allocate(target)

            def row(index: list[Any]) -> None:
                known = dict(zip(kept, index, strict=True))
                self.depth += len(index)
                total = self._accumulated(name, source, axes, known, target.type.dtype)
                self.depth -= len(index)
                self._put(target, at(index), self._finished(name, total, source, axes, target.type.dtype))

            self._loops(kept_shape, row)
            return
        # A sum over leading axes runs along the rows of memory and adds into the result.
        self._allocate(target)
        zero = np.dtype(target.type.dtype).type(0).item()
        self._loops(kept_shape, lambda index: self._put(target, at(index), zero))

        def add(index: list[Any]) -> None:
            kept_index = [index[k] for k in kept]
            self._put(
                target, at(kept_index), self._converted(self._load(source, index), target), accumulate=True
            )

        self._loops(source.type.shape, add)
        if name == "mean":
            count = self._count(source, axes)

            def scale(index: list[Any]) -> None:
                value = self.ev.getitem(target, tuple(self.ev.atom(i) for i in at(index)))
                self._put(target, at(index), self.ev.op("divide", value, count))

            self._loops(kept_shape, scale)

    def _define(self, target: Var, value: Any) -> None:
        self.ev.block.append(Assign((target,), "alias", (self.ev.atom(value),), self.ev.origin))

    def _count(self, source: Var, axes: tuple[int, ...]) -> Any:
        total: Any = 1
        for k in axes:
            total = (
                self.ev.op("multiply", total, self.ev.dim_value(source.type.shape[k]))
                if total != 1 or isinstance(total, Var)
                else self.ev.dim_value(source.type.shape[k])
            )
        return total

    def _finished(self, name: str, total: Any, source: Var, axes: tuple[int, ...], dtype: str) -> Any:
        if name != "mean":
            return total
        count = self._count(source, axes)
        if dtype == "float32":
            count = _plain(self._as_dtype(self.ev.atom(count), dtype))
        return self.ev.op("divide", total, count)

    def _accumulated(
        self, name: str, source: Var, axes: tuple[int, ...], known: dict[int, Any], dtype: str
    ) -> Any:
        """The reduction of a source over axes, at fixed positions of the others: nested loops with a carried total."""
        combine, start = self._combiner(name, dtype)
        shape = source.type.shape
        if name in ("max", "min"):
            # The first element is the start, so that no made-up extreme is needed; an empty reduction is an error.
            first = self._load(source, [known.get(k, 0) for k in range(len(shape))])
            start = first

        def level(remaining: tuple[int, ...], index: dict[int, Any], total: Any) -> Any:
            if not remaining:
                value = self._load(source, [index[k] for k in range(len(shape))])
                return combine(total, value)
            axis, *rest = remaining
            if shape[axis].known == 1:
                return level(tuple(rest), {**index, axis: 0}, total)
            counter = Var(
                INDEX_NAMES[(self.depth + len(axes) - len(remaining)) % len(INDEX_NAMES)],
                Scalar("int64", True),
            )
            counter.dim = Dim.symbol("value", counter)
            phi, result = Var("total", Scalar(dtype), named=False), Var("total", Scalar(dtype), named=False)
            loop = For(
                counter,
                Const(0),
                self.ev.atom(self.ev.dim_value(shape[axis])),
                Const(1),
                [],
                [],
                self.ev.origin,
            )
            with self.ev.at(loop.body):
                out = level(tuple(rest), {**index, axis: counter}, phi)
            loop.carried.append(Carried(phi, self.ev.atom(total), self.ev.atom(out), result))
            self.ev.block.append(loop)
            return result

        return level(axes, known, start)

    def _require_some(self, source: Var, axes: tuple[int, ...], name: str) -> None:
        for k in axes:
            d = source.type.shape[k]
            if d.known is None:
                test = self.ev.op("greater", self.ev.dim_value(d), 0)
                self.ev.block.append(
                    Check(
                        self.ev.atom(test),
                        "ValueError",
                        (Const(f"zero-size array to reduction operation {name}imum which has no identity"),),
                        self.ev.origin,
                    )
                )

    def _combiner(self, name: str, dtype: str) -> tuple[Callable[[Any, Any], Any], Any]:
        zero: Any = np.dtype(dtype).type(0).item() if dtype != "float32" else np.float32(0)
        one: Any = np.dtype(dtype).type(1).item() if dtype != "float32" else np.float32(1)
        ev = self.ev

        def number(v: Any) -> Any:
            if isinstance(v, Var) and v.type.dtype != dtype:
                return ev.assign("cast", (v, Const(dtype)), Scalar(dtype))
            return v

        match name:
            case "sum" | "mean":
                return lambda total, v: self._add(total, number(v), dtype), zero
            case "prod":
                return lambda total, v: ev.op("multiply", total, number(v)), one
            case "max":
                return lambda total, v: ev.op("maximum", total, v), None
            case "min":
                return lambda total, v: ev.op("minimum", total, v), None
            case "any":
                return lambda total, v: ev.op("logical_or", total, ev.truth(v)), False
            case "all":
                return lambda total, v: ev.op("logical_and", total, ev.truth(v)), True
            case "count_nonzero":
                return lambda total, v: ev.op("add", total, number(ev.truth(v))), 0
        raise AssertionError(name)

    def _add(self, total: Any, v: Any, dtype: str) -> Any:
        """A sum that is never folded, so that the loop always has something to carry."""
        return self.ev.assign(registry.named("add"), (self.ev.atom(total), self.ev.atom(v)), Scalar(dtype))

    def _extreme_position(
        self, stmt: Assign, source: Var, axes: tuple[int, ...], kept: list[int], keepdims: bool
    ) -> None:
        """Argmax and argmin: the first of equals, as NumPy chooses."""
        if len(axes) > 1 and kept:
            raise self.ev.refuse("argmax over several axes is not supported")
        target, better = stmt.target, "greater" if stmt.name == "argmax" else "less"
        shape = source.type.shape
        self._require_some(source, axes, "max" if better == "greater" else "min")

        def search(known: dict[int, Any]) -> Any:
            best = self._load(source, [known.get(k, 0) for k in range(len(shape))])

            def level(
                remaining: tuple[int, ...], index: dict[int, Any], best: Any, where: Any, flat: Any
            ) -> tuple[Any, Any]:
                if not remaining:
                    value = self._load(source, [index[k] for k in range(len(shape))])
                    wins = self.ev.op(better, value, best)
                    if is_float(source.type):
                        # The first NaN wins over every number.
                        nan = self.ev.op(
                            "logical_and",
                            self.ev.op("not_equal", value, value),
                            self.ev.op("equal", best, best),
                        )
                        wins = self.ev.op("logical_or", wins, nan)
                    return self.ev.op("where", wins, value, best), self.ev.op("where", wins, flat, where)
                axis, *rest = remaining
                counter = Var(
                    INDEX_NAMES[(self.depth + len(axes) - len(remaining)) % len(INDEX_NAMES)],
                    Scalar("int64", True),
                )
                counter.dim = Dim.symbol("value", counter)
                phis = [Var("best", Scalar(source.type.dtype)), Var("position", Scalar("int64"))]
                results = [Var("best", Scalar(source.type.dtype)), Var("position", Scalar("int64"))]
                loop = For(
                    counter,
                    Const(0),
                    self.ev.atom(self.ev.dim_value(shape[axis])),
                    Const(1),
                    [],
                    [],
                    self.ev.origin,
                )
                with self.ev.at(loop.body):
                    position = (
                        counter
                        if flat is None
                        else self.ev.op(
                            "add", self.ev.op("multiply", flat, self.ev.dim_value(shape[axis])), counter
                        )
                    )
                    outs = level(tuple(rest), {**index, axis: counter}, phis[0], phis[1], position)
                for phi, init, out, result in zip(phis, (best, where), outs, results, strict=True):
                    loop.carried.append(Carried(phi, self.ev.atom(init), self.ev.atom(out), result))
                self.ev.block.append(loop)
                return results[0], results[1]

            return level(axes, known, best, 0, None)[1]

        if not target.is_array:
            self._define(target, search({}))
            return
        self._allocate(target)

        def row(index: list[Any]) -> None:
            known = dict(zip(kept, index, strict=True))
            self.depth += len(index)
            found = search(known)
            self.depth -= len(index)
            counters = iter(index)
            at = [0 if k in axes else next(counters) for k in range(len(shape))] if keepdims else index
            self._put(target, at, found)

        self._loops(tuple(shape[k] for k in kept), row)

    # --- products and reshapes ----------------------------------------------------------------------------------

    def _product(self, stmt: Assign) -> None:
        a, b = stmt.args
        if not (isinstance(a, Var) and isinstance(b, Var) and a.is_array and b.is_array):
            self._nest(
                stmt.target,
                lambda index: self.ev.op("multiply", self._aligned(a, index), self._aligned(b, index)),
            )
            return
        operands = tuple(self._for_blas(x, stmt.targets[0].type.dtype) for x in (a, b))
        self.ev.block.append(Assign(stmt.targets, "rt.dot", operands, stmt.origin))

    def _eye(self, stmt: Assign) -> None:
        shift = _plain(stmt.args[2]) if stmt.name == "eye" else 0
        self._nest(
            stmt.target,
            lambda index: self.ev.op(
                "where", self.ev.op("equal", index[1], self.ev.op("add", index[0], shift)), 1.0, 0.0
            ),
        )

    def _triangle(self, stmt: Assign) -> None:
        """The elements on one side of a diagonal of the last two axes, that diagonal included."""
        side = "less_equal" if stmt.name == "tril" else "greater_equal"

        def element(index: list[Any]) -> Any:
            within = self.ev.op(side, index[-1], self.ev.op("add", index[-2], _plain(stmt.args[1])))
            return self.ev.op("where", within, self._load(stmt.args[0], index), 0.0)

        self._nest(stmt.target, element)

    def _outer(self, stmt: Assign) -> None:
        a, b = (self._flat(x) for x in stmt.args)
        self._nest(
            stmt.target,
            lambda index: self.ev.op("multiply", self._aligned(a, index[:1]), self._aligned(b, index[1:])),
        )

    def _flat(self, x: Any) -> Any:
        """An operand that NumPy ravels first; a scalar stays one."""
        if not (isinstance(x, Var) and x.is_array and x.type.ndim > 1):
            return x
        assert isinstance(x.type, Array)
        length = size(x.type.shape)
        flat = Var(x.name, Array(x.type.dtype, (length,)), named=False)
        shape = (self.ev.atom(self.ev.dim_value(length)),)
        self._reshaped(Assign((flat,), registry.named("reshape"), (x, shape), self.ev.origin))
        return flat

    def _for_blas(self, x: Var, dtype: str) -> Var:
        """A matrix or vector as BLAS takes it: of the result's dtype, contiguous in one order."""
        if x.type.dtype != dtype:
            fresh = Var(x.name, Array(dtype, x.type.shape), named=False)
            self._elementwise(Assign((fresh,), "cast", (x, Const(dtype)), self.ev.origin))
            return fresh
        assert isinstance(x.type, Array)
        if x.type.layout == "C" or self._is_transposed_c(x):
            return x
        fresh = Var(x.name, Array(dtype, x.type.shape), named=False)
        self._elementwise(Assign((fresh,), registry.named("copy"), (x,), self.ev.origin))
        return fresh

    def _is_transposed_c(self, x: Var) -> bool:
        stmt = self.definition.get(x)
        return (
            stmt is not None
            and stmt.name == "transpose"
            and x.type.ndim == 2
            and stmt.args[0].type.layout == "C"
        )

    def _contiguous(self, x: Var) -> Var:
        """An array as Numba reshapes it: C-contiguous by its type."""
        stmt = self.definition.get(x)
        assert isinstance(x.type, Array)
        sliced = (
            stmt is not None
            and x.view_of is not None
            and not (
                stmt.name == "getitem"
                and stmt.args[0].type.layout == "C"
                and stmt.args[0].view_of is None
                and (
                    (
                        stmt.args[0].type.ndim == 1
                        and all(isinstance(i, Slice) and i.step is None for i in stmt.args[1])
                    )
                    or _leading_integers(stmt.args[1])
                )
            )
        )
        if x.type.layout == "C" and (not sliced or (stmt is not None and stmt.name == "reshape")):
            return x
        fresh = Var(x.name, Array(x.type.dtype, x.type.shape), named=False)
        self._elementwise(Assign((fresh,), registry.named("copy"), (x,), self.ev.origin))
        return fresh

    def _reshaped(self, stmt: Assign) -> None:
        source = stmt.args[0]
        matching = _matching_axes(source.type.shape, stmt.target.type.shape) is not None
        if matching and stmt.name != "squeeze":  # which Numba lacks
            self.ev.block.append(
                Assign(stmt.targets, stmt.op, (self._contiguous(source), *stmt.args[1:]), stmt.origin)
            )
            return
        source = self._contiguous(source)
        shape = self.ev.operand(self.ev.shape_values(stmt.target.type.shape))
        if len(shape) == 1:
            shape = shape[0]
        self.ev.block.append(Assign(stmt.targets, registry.named("reshape"), (source, shape), stmt.origin))


def _leading_integers(items: tuple[Any, ...]) -> bool:
    """Whether an index is some integers and then whole axes: a contiguous piece."""
    kinds = [isinstance(i, Slice) for i in items]
    first = kinds.index(True) if True in kinds else len(kinds)
    return all(kinds[first:]) and all(i == FULL for i in items[first:])


def _mask_of(items: tuple[Any, ...]) -> Var | None:
    return next((i for i in items if isinstance(i, Var) and i.is_array and i.type.dtype == "bool"), None)


def _value_of(operand: Any) -> Any:
    return tuple(_value_of(i) for i in operand) if isinstance(operand, tuple) else _plain(operand)


def _matching_axes(base: tuple[Dim, ...], reshaped: tuple[Dim, ...]) -> list[int | None] | None:
    """For a reshape that only adds or drops axes of length 1: the axis of the result for each axis of the base."""
    longer = [d for d in base if d.known != 1]
    if longer != [d for d in reshaped if d.known != 1]:
        return None
    positions = iter(k for k, d in enumerate(reshaped) if d.known != 1)
    return [None if d.known == 1 else next(positions) for d in base]


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Const) else x
