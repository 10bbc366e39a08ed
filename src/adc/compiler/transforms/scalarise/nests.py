"""Elements of arrays, and the loops over them: what every statement is scalarised with.

An element of a view (a slice, a transpose, a broadcast) is an element of the array that owns the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.analysis import counters
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Index,
    Program,
    Slice,
    Store,
    Var,
    owners,
    uses,
    walk,
    writes_arguments,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import singles
from adc.compiler.transforms.unroll import MOST_TRIPS
from adc.rules import registry
from adc.rules.dims import Dim
from adc.rules.operation import Operation

INDEX_NAMES = "ijklmnpq"
FILLS = {"zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}


class Nests:
    """Emits loads, stores and loop nests at the current place of the evaluator."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.definition: dict[Var, Assign] = {}
        self.written: set[Var] = set()
        self.placed: dict[Var, Assign] = {}  # arrays that will be views of others
        self.depth = 0  # of the loops around: the first free name of a counter
        self._ranges: dict[Var, counters.Range] = {}
        self.learn(program.body)

    def learn(self, block: Block) -> None:
        """Take in statements that have been made since."""
        for s in walk(block):
            if isinstance(s, Assign):
                self.definition.update(dict.fromkeys(s.targets, s))
                if writes_arguments(s):
                    self.written.update(v.root for v in uses(s) if v.is_array)
            elif isinstance(s, Store):
                self.written.add(s.array.root)
        self._ranges.update(counters.ranges(block))

    # --- elements -----------------------------------------------------------------------------------------------

    def from_front(self, array: Var, items: tuple[Any, ...]) -> list[Any] | None:
        """An element's index counted from the front of each axis, or None where a sign is not known and a view would
        be taken apart: a negative index counts from the end of the view, not of the array that owns it."""
        found: list[Any] = []
        for axis, (item, length) in enumerate(zip(items, array.type.shape, strict=True)):
            if isinstance(item, Var) and not self.never_negative(item):
                if self.is_computed(array):
                    item = self.counted(item, length)
                elif not self.is_owners(array, axis):
                    return None
            found.append(plain_value(self.positive(item, length)))
        return found

    def counted(self, position: Var, length: Dim) -> Any:
        """A position counted from the front."""
        n = self.ev.dim_value(length)
        return self.ev.op("where", self.ev.op("less", position, 0), self.ev.op("add", position, n), position)

    def by_counter(self, position: Var) -> bool:
        """Whether a position is made of the counter of a loop."""
        return position.dim is not None and any(v in self._ranges for v in owners(position.dim))

    def is_owners(self, array: Var, axis: int) -> bool:
        """Whether an axis is one, whole and in its order, of the array that owns the memory."""
        index = [Var("", Scalar("int64")) for _ in array.type.shape]
        with self.ev.at([]):
            base, items = self.resolve(array, [*index])
        if not isinstance(base, Var) or not base.is_array:
            return False
        length = array.type.shape[axis]
        return any(i is index[axis] and n == length for i, n in zip(items, base.type.shape, strict=True))

    def is_computed(self, array: Var) -> bool:
        """Whether an element is made of its index: from the front."""
        made = self.definition.get(array)
        return made is not None and made.name == "arange" and array.root not in self.written

    def count(self, array: Var, axes: tuple[int, ...]) -> Any:
        """How many elements an array has over axes."""
        lengths = [self.ev.dim_value(array.type.shape[k]) for k in axes]
        total: Any = lengths[0] if lengths else 1
        for length in lengths[1:]:
            total = self.ev.op("multiply", total, length)
        return total

    def load(self, array: Value, index: list[Any]) -> Any:
        """The element of an array at an index (one atom per axis), read from the array that owns it."""
        if not isinstance(array, Var) or not array.is_array:
            return array.value if isinstance(array, Const) else array
        base, items = self.resolve(array, index)
        if not isinstance(base, Var) or not base.is_array:
            return base
        computed = self.computed(base, items)
        if computed is not None:
            return computed
        return self.ev.getitem(base, tuple(self.ev.atom(i) for i in items))

    def computed(self, array: Var, items: list[Any]) -> Any:
        """An element of an array that is only written by the operation that made it, where that needs no memory."""
        stmt = self.definition.get(array)
        if stmt is None or array.root in self.written:
            return None
        if stmt.name == "arange":
            start, stop, step, _ = (plain_value(a) for a in stmt.args)
            if not all(
                isinstance(v, int) or v is None or (isinstance(v, Var) and v.type.dtype == "int64")
                for v in (start, stop, step)
            ):
                return None
            start, step = (0 if stop is None else start), (1 if step is None else step)
            return self.ev.op("add", start, self.ev.op("multiply", items[0], step))
        if stmt.name in FILLS or stmt.name in ("full", "full_like"):
            value = self.filler(stmt)
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
                return self.follow(base, self.through_slice(base, stmt.args[1], index))
            case "transpose":
                axes, ndim = stmt.args[1], array.type.ndim
                order = list(range(ndim))[::-1] if axes == Const(None) else [a.value % ndim for a in axes]
                items: list[Any] = [None] * len(order)
                for position, axis in enumerate(order):
                    items[axis] = index[position]
                return self.follow(base, items)
            case "broadcast_to":
                if not isinstance(base, Var) or not base.is_array:
                    return plain_value(base), []
                lead = array.type.ndim - base.type.ndim
                items = [0 if d.known == 1 else index[lead + k] for k, d in enumerate(base.type.shape)]
                return self.follow(base, items)
            case "expand_dims" | "squeeze" | "reshape":
                kept = matching_axes(base.type.shape, array.type.shape) if isinstance(base, Var) else None
                if kept is None:
                    if stmt.name == "reshape" and isinstance(base, Var) and self.is_computed(base):
                        return self.follow(base, [self._flat(index, array.type.shape)])
                    return array, index
                items = [0 if k is None else index[k] for k in kept]
                return self.follow(base, items)
            case "alias":
                return self.follow(base, index)
        return array, index

    def _flat(self, index: list[Any], shape: tuple[Dim, ...]) -> Any:
        """The position of an element among all, row by row."""
        position: Any = 0
        for i, length in zip(index, shape, strict=True):
            if length.known != 1:
                position = self.ev.op("add", self.ev.op("multiply", position, self.ev.dim_value(length)), i)
        return position

    def follow(self, base: Any, items: list[Any]) -> tuple[Any, list[Any]]:
        return (
            self.resolve(base, items) if isinstance(base, Var) and base.is_array else (plain_value(base), [])
        )

    def through_slice(self, base: Any, items: tuple[Any, ...], index: list[Any]) -> list[Any]:
        result: list[Any] = []
        remaining = iter(index)
        axis = 0
        for item in items:
            if item == Const(None):
                next(remaining)
                continue
            if isinstance(item, Slice):
                result.append(self.sliced(item, next(remaining), base.type.shape[axis]))
            else:
                length = base.type.shape[axis]
                if isinstance(item, Var) and not self.never_negative(item) and not self.is_owners(base, axis):
                    item = self.counted(item, length)  # what it counts from is the end of the view
                result.append(self.positive(item, length))
            axis += 1
        return result

    def sliced(self, item: Slice, k: Any, length: Dim) -> Any:
        step = 1 if item.step is None or item.step == Const(None) else item.step.value  # type: ignore[union-attr]
        if step < 0:
            start = self._start_of_backwards(item.start, length)
            return self.ev.op("subtract", start, self.ev.op("multiply", k, -step))
        scaled = self.ev.op("multiply", k, step)
        if item.start is None or item.start == Const(None) or item.start == Const(0):
            return scaled
        return self.ev.op("add", self.start(item.start, length), scaled)

    def start(self, start: Atom, length: Dim) -> Any:
        """A slice's start as a position from the front; NumPy clips what lies outside."""
        if isinstance(start, Const):
            if start.value >= 0:
                return start.value
            n = self.ev.dim_value(length)
            return self.ev.op("maximum", self.ev.op("add", n, start.value), 0)
        if isinstance(start, Var) and start.dim is not None and (start.dim - length).known in (0, -1):
            return start
        if self.never_negative(start):
            return start
        n = self.ev.dim_value(length)
        from_front = self.ev.op("where", self.ev.op("less", start, 0), self.ev.op("add", start, n), start)
        return self.ev.op("maximum", from_front, 0)  # in a form that LLVM sees to be no negative index

    def _start_of_backwards(self, start: Atom | None, length: Dim) -> Any:
        """Where a slice that goes backwards begins: behind the end, NumPy begins with the last element."""
        last = self.ev.op("subtract", self.ev.dim_value(length), 1)
        if start is None or start == Const(None):
            return last
        if isinstance(start, Const):
            first: Any = self.positive(start, length)
            place = None if start.value < 0 else Dim(start.value)
        else:
            assert isinstance(start, Var)
            first = start if self.never_negative(start) else self.counted(start, length)
            place = start.dim
        behind = place is None or counters.never_negative(length - 1 - place, self._ranges)
        return first if behind else self.ev.op("minimum", first, last)

    def positive(self, item: Any, length: Dim) -> Any:
        """An integer index from the front."""
        if isinstance(item, Const):
            if item.value >= 0:
                return item.value
            return self.ev.op("add", self.ev.dim_value(length), item.value)
        return item  # Numba wraps a negative index at run time, as Python does

    def never_negative(self, v: Var) -> bool:
        """Whether an integer is a loop counter, or a sum of such, that cannot be less than zero."""
        return counters.never_negative(v.dim, self._ranges)

    def aligned(self, operand: Any, index: list[Any]) -> Any:
        """An operand's element at an index of the broadcast result."""
        if not isinstance(operand, Var) or not operand.is_array:
            return plain_value(operand)
        lead = len(index) - operand.type.ndim
        return self.load(
            operand, [0 if d.known == 1 else index[lead + k] for k, d in enumerate(operand.type.shape)]
        )

    def filler(self, stmt: Assign) -> Any:
        value = FILLS.get(stmt.name)
        kind = np.dtype(stmt.target.type.dtype)
        filler: Any = (
            plain_value(stmt.args[1]) if value is None else (float(value) if kind.kind == "f" else value)
        )
        if kind.kind in "biu" and not isinstance(filler, Var):
            filler = np.asarray(filler).astype(kind).item()
        return filler

    # --- loops --------------------------------------------------------------------------------------------------

    def place(self, target: Var, base: Var, index: Index) -> None:
        """An array that is still to be made shall be a view of another."""
        self.placed[target] = Assign((target,), "getitem", (base, index))
        self.lies_in(target, base)

    def lies_in(self, target: Var, base: Var) -> None:
        """An array, and all views of it, are views of another."""
        if target in self.written:
            self.written.add(base.root)
        for v in [v for v in self.definition if v.root is target]:
            v.root = base.root
        target.view_of, target.root = base, base.root

    def allocate(self, target: Var) -> None:
        if target in self.placed:
            self.definition[target] = self.placed[target]
            self.ev.block.append(self.placed[target])
            return
        assert isinstance(target.type, Array)
        # Whatever NumPy's layout would have been.
        target.type = Array(target.type.dtype, target.type.shape, "C")
        shape = self.ev.shape_values(target.type.shape)
        operands = (self.ev.operand(shape), Const(np.dtype(target.type.dtype)))
        self.ev.block.append(Assign((target,), registry.named("empty"), operands, self.ev.origin))

    def counter(self, inside: int) -> Var:
        """A new counter, named for the loops around it: those at this place and `inside` more."""
        counter = Var(INDEX_NAMES[(self.depth + inside) % len(INDEX_NAMES)], Scalar("int64", True))
        counter.dim = Dim.symbol("value", counter)
        self.ev.over_axes.add(counter)
        return counter

    def over(self, counter: Var, length: Dim) -> For:
        """An empty loop along an axis."""
        self._ranges[counter] = Dim(0), length - 1
        stop = self.ev.atom(self.ev.dim_value(length))
        return For(counter, Const(0), stop, Const(1), [], [], self.ev.origin)

    def loops(
        self, shape: tuple[Dim, ...], body: Callable[[list[Any]], None], index: list[Any] | None = None
    ) -> None:
        """A loop nest over a shape; `body` emits the innermost statements."""
        index = index or []
        if not shape:
            body(index)
            return
        if any(length.known == 0 for length in shape):
            return
        length, *rest = shape
        if length.known == 1:
            self.loops(tuple(rest), body, [*index, 0])
            return
        counter = self.counter(len(index))
        loop = self.over(counter, length)
        with self.ev.at(loop.body):
            self.loops(tuple(rest), body, [*index, counter])
        self.ev.block.append(loop)

    def iterated(self, stmt: Store, shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
        """The index space of a write; lengths that the slice has to be asked for come from the value that has them."""
        lengths = list(shape)
        value_shape = stmt.value.type.shape if isinstance(stmt.value, Var) else ()
        for k, length in enumerate(shape):
            if length != Dim(-1) and _is_plain(length):
                continue
            from_value = k - (len(shape) - len(value_shape))
            of_value = value_shape[from_value] if from_value >= 0 else Dim(1)
            if of_value.known != 1 and (length == Dim(-1) or _is_plain(of_value)):
                lengths[k] = of_value
            elif length == Dim(-1):
                # Its length is that of the slice itself.
                view = self.ev.getitem(stmt.array, stmt.index)
                lengths[k] = view.type.shape[k]
        return tuple(lengths)

    def nest(self, target: Var, element: Callable[[list[Any]], Any]) -> None:
        """Allocate an array and fill it element by element."""
        assert isinstance(target.type, Array)
        self.allocate(target)

        def body(index: list[Any]) -> None:
            value = element(index)
            self.put(target, index, value)

        order = _windows_last(target.type.shape)
        place = [order.index(axis) for axis in range(len(order))]
        self.loops(
            tuple(target.type.shape[axis] for axis in order), lambda index: body([index[k] for k in place])
        )

    def put(self, array: Var, index: list[Any], value: Any, accumulate: bool = False) -> None:
        if type(value) is int and np.dtype(array.type.dtype).kind == "f":
            value = float(value)
        base, items = self.resolve(array, index)
        self.ev.store(base, tuple(self.ev.atom(i) for i in items), value, accumulate)

    def define(self, target: Var, value: Any) -> None:
        self.ev.block.append(Assign((target,), "alias", (self.ev.atom(value),), self.ev.origin))

    def in_single(self, operation: Operation, operands: tuple[Any, ...], target: Var) -> tuple[Any, ...]:
        """The operands of a number, those that NumPy takes as of single precision made so; constants are later."""
        if not singles.meets_single(operation, operands, Scalar(target.type.dtype)):
            return operands
        own = singles.computed_with(operation)
        return tuple(self.as_single(v) if o else v for v, o in zip(operands, own, strict=True))

    def as_single(self, value: Any) -> Any:
        if (
            isinstance(value, Var)
            and not value.is_array
            and value.type.dtype != singles.SINGLE
            and np.dtype(value.type.dtype).kind not in "bc"  # abs, real and the like make reals of complex
        ):
            return self.ev.assign("cast", (value, Const(singles.SINGLE)), Scalar(singles.SINGLE))
        return value

    def converted(self, value: Any, target: Var) -> Any:
        if isinstance(value, Var) and value.type.dtype != target.type.dtype:
            return self.ev.assign("cast", (value, Const(target.type.dtype)), Scalar(target.type.dtype))
        return value

    def element(self, stmt: Assign, target: Var, index: list[Any]) -> Any:
        """The value of an elementwise statement at one index of its result."""
        loaded = [
            self.aligned(a, index) for a in stmt.args if not (stmt.name == "cast" and a is stmt.args[1])
        ]
        dtype = target.type.dtype
        if stmt.name == "copy":
            return loaded[0]
        if stmt.name == "cast":
            given = self.ev.type_of(loaded[0])
            if given is not None and (given.dtype == dtype or singles.becomes_single(loaded[0], dtype)):
                return loaded[0]
            return self.ev.assign("cast", (self.ev.atom(loaded[0]), Const(dtype)), Scalar(dtype))
        assert isinstance(stmt.op, Operation)
        if is_elementwise(stmt.op):
            operands = self.in_single(stmt.op, tuple(map(self.ev.atom, loaded)), target)
            loaded = [plain_value(a) for a in operands]
        if stmt.op.name == "clip":
            value, low, high = loaded
            if low is not None:
                value = self.ev.op("maximum", value, low)
            return value if high is None else self.ev.op("minimum", value, high)
        value = self.ev.op(stmt.op, *loaded)
        last = self.ev.block[-1] if self.ev.block else None
        if isinstance(value, Var) and isinstance(last, Assign) and last.targets == (value,):
            value.type = Scalar(dtype)  # a counter in place of an element of an array has no dtype of its own
            value.element_of, value.derived = target, target.derived
        return value

    def elementwise(self, stmt: Assign) -> None:
        target = stmt.targets[0]
        self.nest(target, lambda index: self.element(stmt, target, index))


def _windows_last(shape: tuple[Dim, ...]) -> list[int]:
    """The axes in the order of the loops over them: that of memory, but all elements of a window stand together, as a
    reduction over it has them: of (n, 2, m, 2) the two by two. Its axes are short and follow long ones, the last too.
    """
    short = [length.known is not None and 1 < length.known <= MOST_TRIPS for length in shape]
    axes = list(range(len(shape)))
    if not (short and short[-1] and False in short):
        return axes
    lead = short.index(False)
    return axes[:lead] + sorted(axes[lead:], key=lambda axis: short[axis])


def matching_axes(base: tuple[Dim, ...], reshaped: tuple[Dim, ...]) -> list[int | None] | None:
    """For a reshape that only adds or drops axes of length 1: the axis of the result for each axis of the base."""
    longer = [d for d in base if d.known != 1]
    if longer != [d for d in reshaped if d.known != 1]:
        return None
    positions = iter(k for k, d in enumerate(reshaped) if d.known != 1)
    return [None if d.known == 1 else next(positions) for d in base]


def _is_plain(length: Dim) -> bool:
    """Whether a length is a sum of the lengths of arrays, and numbers."""
    return all(s.kind in ("shape", "value") for s in length.symbols())
