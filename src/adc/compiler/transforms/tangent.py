"""Put the tangent of every active value beside it: each statement is followed by the one that pushes tangents through.

Forward-mode differentiation of structured programs (Griewank & Walther, *Evaluating Derivatives*, section 3.1). A
tangent has the shape and dtype of its primal. Views, writes, loops, branches and kept values are mirrored: a view of an
array has the same view of the array's tangent, what a loop carries is carried with its tangent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from adc.compiler.analysis.activity import Activity
from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import ZERO, Value
from adc.compiler.ir.creation import BLANK
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
    Mark,
    Merge,
    NewBuffer,
    Operand,
    Print,
    Restore,
    Store,
    Var,
    While,
    walk,
)
from adc.compiler.ir.types import Array, is_float
from adc.compiler.transforms import partials
from adc.rules.operation import Operation

# Where the partial of one of these is infinite, so is the value: a zero tangent has nothing to rescue there.
INFINITE_WITH_THE_VALUE = frozenset({"divide", "reciprocal", "log", "log2", "log10", "log1p"})


def run(
    block: Block,
    seeds: Mapping[Var, Value],
    outputs: list[Atom],
    evaluator: Evaluator,
    constants: Iterable[Var] = (),
) -> tuple[Block, list[Value]]:
    """The block with tangents, and the tangents of `outputs` (`ZERO` where there is none).

    `seeds` are the tangents of the inputs; `constants` are values on which the outputs are known not to depend.
    """
    tangent = Tangent(block, seeds, outputs, evaluator, constants)
    result: Block = []
    with evaluator.at(result):
        tangent.prepare()
        tangent.block(block)
    return result, [tangent.of(x) for x in outputs]


class Tangent:
    """State of one forward pass. Statements are emitted through the evaluator, primal and tangent in turn."""

    def __init__(
        self,
        block: Block,
        seeds: Mapping[Var, Value],
        outputs: list[Atom],
        evaluator: Evaluator,
        constants: Iterable[Var],
    ) -> None:
        self.ev = evaluator
        self.seeds = seeds
        self.activity = Activity(block, seeds, outputs, constants)
        self.statements = walk(block)
        self.written = written_roots(self.statements, evaluator.joined_roots)
        self.dot: dict[Var, Value] = {}
        self.definitions = {t: s for s in self.statements if isinstance(s, Assign) for t in s.targets}
        self.changing: set[Var] = set()  # the roots of tangents of arrays that are written to
        self.buffers: dict[Buffer, Buffer] = {}

    def active(self, v: Operand) -> bool:
        return self.activity.active(v)

    def of(self, x: Operand) -> Value:
        """The tangent of an operand, or ZERO."""
        return self.dot.get(x, ZERO) if isinstance(x, Var) else ZERO

    def prepare(self) -> None:
        """The tangents of what the block is given."""
        for v, dot in self.seeds.items():
            if self.active(v):
                self._set(v, self._owned(v, dot, None) if v.root in self.written else dot)
        defined = {t for s in self.statements if isinstance(s, Assign) for t in s.targets}
        for s in self.statements:
            if not isinstance(s, Store) or s.array.root in defined or not self.active(s.array.root):
                continue
            if s.array.root not in self.dot and self._is_given(s.array.root):
                self._set(s.array.root, self._named(s.array.root, self.ev.zeros_like(s.array.root)))

    def _is_given(self, v: Var) -> bool:
        bound = {
            x
            for s in self.statements
            if isinstance(s, (For, While))
            for c in s.carried
            for x in (c.phi, c.result)
        } | {m.result for s in self.statements if isinstance(s, If) for m in s.merges}
        return v not in bound and not any(isinstance(s, Restore) and s.target is v for s in self.statements)

    # --- statements ---------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for stmt in block:
            with self.ev.origin_at(stmt.origin):
                match stmt:
                    case Assign():
                        self.ev.block.append(stmt)
                        self._assign(stmt)
                    case Store():
                        self.ev.block.append(stmt)
                        self._store(stmt)
                    case For() | While():
                        self._loop(stmt)
                    case If():
                        self._if(stmt)
                    case NewBuffer() | Keep() | Restore():
                        self.ev.block.append(stmt)
                        self._buffered(stmt)
                    case Check() | Print() | Mark():
                        self.ev.block.append(stmt)
                    case _:
                        raise AssertionError(f"{stmt!r} has no tangent")

    def _assign(self, stmt: Assign) -> None:
        if not any(self.active(t) for t in stmt.targets):
            return
        begin = len(self.ev.block)
        if isinstance(stmt.op, str):
            dots: tuple[Value, ...] = (self._primitive(stmt),)
        elif stmt.op.kind == "constant":
            # Memory that is written later: its tangent is, too.
            dots = (self._zero_memory(stmt),)
        elif stmt.op.kind == "elementwise":
            dots = (self._elementwise(stmt, stmt.op),)
        elif stmt.op.kind == "linear":
            dots = (self._linear(stmt, stmt.op),)
        else:
            pushed = self._pushed(stmt, stmt.op)
            dots = tuple(pushed) if isinstance(pushed, (tuple, list)) else (pushed,)
        made = {t for s in self.ev.block[begin:] if isinstance(s, Assign) for t in s.targets}
        for target, dot in zip(stmt.targets, dots, strict=True):
            if is_float(target.type):
                self._finish(target, dot, made)

    def _finish(self, target: Var, dot: Value, made: set[Var]) -> None:
        """Give a tangent its primal's dtype, shape, name, and memory of its own where that is written to."""
        owns = target.is_array and target.view_of is None
        if owns and (target.root in self.written or self._may_change(dot)):
            self._set(target, self._owned(target, dot, made))
        elif dot is not ZERO:
            self._set(target, self._named(target, self._like(target, dot, made)))

    def _set(self, v: Var, dot: Value) -> None:
        self.dot[v] = dot
        if v.is_array and v.root in self.written and isinstance(dot, Var):
            self.changing.add(dot.root)

    def _may_change(self, dot: Value) -> bool:
        """Whether a tangent is memory that belongs to the tangent of something that is written to.

        `y = x + 1` is a new array, and `x_dot` would serve as its tangent, if `x` stayed as it is.
        """
        if not isinstance(dot, Var) or not dot.is_array:
            return False
        return not self.changing.isdisjoint(behind([dot.root], self.ev.joined_roots))

    def _like(self, target: Var, dot: Value, made: set[Var] | None) -> Value:
        t = self.ev.type_of(dot)
        assert t is not None, dot
        if np.dtype(t.dtype).kind == "c" and np.dtype(target.type.dtype).kind == "f":
            dot = self.ev.op("real", dot)
        if isinstance(dot, Var) and dot.type.dtype != target.type.dtype:
            dot = self.ev.cast(dot, target.type.dtype)
        if not isinstance(target.type, Array):
            return dot
        t = self.ev.type_of(dot)
        assert t is not None
        stretched = t.ndim != target.type.ndim or any(
            a.known == 1 and b.known != 1 for a, b in zip(t.shape, target.type.shape, strict=True)
        )
        if stretched:
            return self.ev.op("broadcast_to", dot, self.ev.shape_values(target.type.shape))
        assert isinstance(dot, Var)
        if made is not None and dot in made and isinstance(t, Array):
            dot.type = Array(t.dtype, target.type.shape, t.layout)
        return dot

    def _owned(self, target: Var, dot: Value, made: set[Var] | None) -> Value:
        """A tangent in memory that nothing else refers to."""
        if dot is ZERO:
            return self._named(target, self._zero_like(target))
        like = self._like(target, dot, made)
        fresh = made is not None and isinstance(like, Var) and like in made and like.view_of is None
        if not fresh:
            like = self.ev.op("copy", like)
            assert isinstance(like, Var) and isinstance(like.type, Array)
            like.type = Array(like.type.dtype, target.type.shape, like.type.layout)
        return self._named(target, like)

    def _named(self, target: Var, dot: Value) -> Value:
        if isinstance(dot, Var) and not dot.named:
            dot.name, dot.named = f"{target.name}_dot", target.named
        return dot

    def _zero_memory(self, stmt: Assign) -> Value:
        """Zeros made as the primal's memory is made."""
        name = stmt.name
        if name in BLANK:
            return self.ev.op(name.replace("empty", "zeros"), *map(_value, stmt.args))
        return self._zero_like(stmt.target)

    def _zero_like(self, v: Var) -> Value:
        return self.ev.zeros_like(v) if v.is_array else 0.0

    # --- operations ---------------------------------------------------------------------------------------------

    def _primitive(self, stmt: Assign) -> Value:
        dot = self.of(stmt.args[0])
        if dot is ZERO:
            return ZERO
        if stmt.op == "getitem":
            if not isinstance(dot, Var) or not dot.is_array:
                dot = self.ev.op("broadcast_to", dot, self.ev.shape_values(stmt.args[0].type.shape))
            return self.ev.getitem(dot, stmt.args[1])
        if stmt.op == "cast":
            return self.ev.cast(dot, stmt.target.type.dtype)
        if stmt.op == "alias":
            return self.ev.assign(
                "alias", (dot,), stmt.target.type, view_of=dot if stmt.target.is_array else None
            )
        raise AssertionError(f"{stmt.op} carries no tangent")

    def _elementwise(self, stmt: Assign, operation: Operation) -> Value:
        found = partials.of_rule(self.ev, operation, [stmt.target, *map(_value, stmt.args)])
        names = [p.name for p in operation.parameters]
        per_operand: dict[Var, Value] = {}
        for w, partial in zip(operation.wrt, found, strict=True):
            x = stmt.args[names.index(w)]
            if self.of(x) is ZERO or partial is None or (isinstance(partial, (int, float)) and partial == 0):
                continue
            per_operand[x] = self.ev.op("add", per_operand[x], partial) if x in per_operand else partial
        total: Value = ZERO
        for x, partial in per_operand.items():
            if total is not ZERO and isinstance(partial, float) and partial == -1.0:
                total = self.ev.op("subtract", total, self.of(x))
            else:
                term = self._times(operation, stmt.args, partial, self.of(x))
                total = term if total is ZERO else self.ev.op("add", total, term)
        return total

    def _times(self, operation: Operation, args: tuple[Operand, ...], partial: Value, dot: Value) -> Value:
        product = partials.product(self.ev, dot, partial, partial_first=True)
        if isinstance(partial, Var) and _may_be_infinite(operation, args):
            # A zero tangent pushes zero, even where the partial is infinite.
            product = self.ev.op("where", self.ev.op("not_equal", dot, 0.0), product, 0.0)
        return product

    def _linear(self, stmt: Assign, operation: Operation) -> Value:
        names = [p.name for p in operation.parameters]
        args = [_value(a) for a in stmt.args]
        wanted = [names.index(w) for w in operation.wrt]
        if all(self._dots(stmt.args[k]) is ZERO for k in wanted):
            return ZERO
        for k in wanted:
            dots = self._dots(stmt.args[k])
            if dots is ZERO and operation.name != "where":
                dots = self._zero_operand(stmt.args[k])
            args[k] = dots
        if "unless_zero" in operation.extra:
            args[0] = self._or_changing(stmt.args[0], args[0])
        dot = self.ev.op(operation, *args)
        if operation.name == "copy" and isinstance(dot, Var) and isinstance(dot.type, Array):
            # `x.copy()` lies row by row whatever x is: a reshape of the tangent is a view where that of the value is.
            dot.type = replace(dot.type, layout=stmt.target.type.layout)  # type: ignore[union-attr]
        return dot

    def _or_changing(self, condition: Operand, value: Value) -> Value:
        """Whether an adjoint is not zero, or does not stay zero."""
        made = self.definitions.get(condition)
        if made is None:
            return True
        if made.name == "logical_or":
            for x in made.args:
                value = self._or_changing(x, value)
            return value
        dot = self.of(made.args[0])
        return value if dot is ZERO else self.ev.op("logical_or", value, self.ev.op("not_equal", dot, 0.0))

    def _dots(self, x: Operand) -> Value:
        """The tangent of an operand that may be a sequence; ZERO when all of it is."""
        if not isinstance(x, tuple):
            return self.of(x)
        dots = [self.of(item) for item in x]
        if all(d is ZERO for d in dots):
            return ZERO
        return tuple(self._zero_operand(item) if d is ZERO else d for item, d in zip(x, dots, strict=True))

    def _zero_operand(self, x: Operand) -> Value:
        if isinstance(x, tuple):
            return tuple(self._zero_operand(item) for item in x)
        if not isinstance(x, Var) or not (x.is_array or is_float(x.type)):
            return 0.0
        return (
            self._zero_like(x)
            if is_float(x.type)
            else self.ev.op("zeros", self.ev.shape_values(x.type.shape))
        )

    def _pushed(self, stmt: Assign, operation: Operation) -> Value:
        assert operation.push is not None, operation
        names = [p.name for p in operation.parameters]
        wanted = [names.index(w) for w in operation.wrt]
        dots = [self._dots(stmt.args[k]) for k in wanted]
        if all(d is ZERO for d in dots):
            return tuple(ZERO for _ in stmt.targets)
        if operation.name in ("matmul", "dot", "outer"):
            # Bilinear: an operand without tangent leaves one product.
            return self._bilinear(stmt, operation, dots)
        dots = [
            self._zero_operand(stmt.args[k]) if d is ZERO else d for k, d in zip(wanted, dots, strict=True)
        ]
        z = stmt.targets[0] if len(stmt.targets) == 1 else tuple(stmt.targets)
        by_name = {f"{w}_dot": d for w, d in zip(operation.wrt, dots, strict=True)}
        return self.ev.inline_rule(operation.push, [z, *map(_value, stmt.args)], by_name)

    def _bilinear(self, stmt: Assign, operation: Operation, dots: list[Value]) -> Value:
        x, y = (_value(a) for a in stmt.args[:2])
        x_dot, y_dot = dots
        rest = [_value(a) for a in stmt.args[2:]]
        total: Value = ZERO
        if x_dot is not ZERO:
            total = self.ev.op(operation, x_dot, y, *rest)
        if y_dot is not ZERO:
            term = self.ev.op(operation, x, y_dot, *rest)
            total = term if total is ZERO else self.ev.op("add", total, term)
        return total

    # --- memory -------------------------------------------------------------------------------------------------

    def _store(self, stmt: Store) -> None:
        if not self.active(stmt.array):
            return
        shadow = self.of(stmt.array)
        assert isinstance(shadow, Var), f"{stmt.array!r} has no tangent to write to"
        value = self.of(stmt.value)
        if value is ZERO and stmt.accumulate:
            return
        self.ev.mutated.setdefault(shadow.root, self.ev.origin)
        self.ev.block.append(
            Store(
                shadow,
                stmt.index,
                Const(0.0) if value is ZERO else self.ev.atom(value),
                stmt.accumulate,
                stmt.origin,
                stmt.role,
            )
        )

    def _buffered(self, stmt: NewBuffer | Keep | Restore) -> None:
        if not self.activity.is_kept(stmt.buffer):
            return
        b = stmt.buffer
        if b not in self.buffers:
            self.buffers[b] = Buffer(
                f"{b.name.removesuffix('_kept')}_dot_kept", b.dtype, b.trips, b.shape, b.lengths
            )
        mirror = self.buffers[b]
        if isinstance(stmt, NewBuffer):
            self.ev.block.append(NewBuffer(mirror, stmt.origin))
        elif isinstance(stmt, Keep):
            assert isinstance(stmt.value, Var)
            dot = self.of(stmt.value)
            value = self._zero_like(stmt.value) if dot is ZERO else dot
            self.ev.block.append(Keep(mirror, stmt.index, self.ev.atom(value), stmt.origin, stmt.lengths))
        else:
            target = Var(f"{stmt.target.name}_dot", stmt.target.type, named=stmt.target.named)
            self._set(stmt.target, target)
            self.ev.block.append(Restore(target, mirror, stmt.index, stmt.origin, stmt.lengths))

    # --- regions ------------------------------------------------------------------------------------------------

    def _loop(self, stmt: For | While) -> None:
        carried = [c for c in stmt.carried if self.active(c.phi) or self.active(c.result)]
        inits = [self._carried_value(c.init, c.phi) for c in carried]
        phis = [self._beside(c.phi) for c in carried]
        for c, phi in zip(carried, phis, strict=True):
            self._set(c.phi, phi)
        test_block: Block = []
        body: Block = []
        if isinstance(stmt, While):
            with self.ev.at(test_block):
                self.block(stmt.test_block)
        with self.ev.at(body):
            self.block(stmt.body)
            outs = [self._carried_value(c.out, c.phi) for c in carried]
        result = list(stmt.carried)
        for c, phi, init, out in zip(carried, phis, inits, outs, strict=True):
            after = self._beside(c.result)
            if phi.is_array:
                given = {v.root for v in (init, out) if isinstance(v, Var)}
                self.ev.joined_roots[phi] = given
                self.ev.joined_roots[after] = given | {phi}
            result.append(Carried(phi, self.ev.atom(init), self.ev.atom(out), after))
            self._set(c.result, after)
        if isinstance(stmt, While):
            self.ev.block.append(While(result, test_block, stmt.test, body, stmt.origin))
        else:
            self.ev.block.append(
                For(stmt.index, stmt.start, stmt.stop, stmt.step, result, body, stmt.origin, stmt.note)
            )

    def _beside(self, v: Var) -> Var:
        t = Array(v.type.dtype, v.type.shape) if isinstance(v.type, Array) else v.type
        return Var(f"{v.name}_dot", t, named=v.named)

    def _carried_value(self, x: Atom, phi: Var) -> Value:
        """The tangent of what a loop starts from or hands on; arrays are C-contiguous on every path."""
        dot = self.of(x)
        if dot is ZERO:
            if not phi.is_array:
                return 0.0
            return self.ev.zeros_like(x if isinstance(x, Var) else phi)
        if phi.is_array and isinstance(dot, Var) and isinstance(dot.type, Array) and dot.type.layout != "C":
            dot = self.ev.op("copy", dot)
        return dot

    def _if(self, stmt: If) -> None:
        merged = [m for m in stmt.merges if self.active(m.result)]
        sides: list[Block] = []
        values: list[list[Value]] = []
        for body, given in ((stmt.then, [m.then for m in merged]), (stmt.orelse, [m.orelse for m in merged])):
            side: Block = []
            with self.ev.at(side):
                self.block(body)
                values.append([self._merged_value(x, m.result) for x, m in zip(given, merged, strict=True)])
            sides.append(side)
        merges = list(stmt.merges)
        for m, a, b in zip(merged, *values, strict=True):
            both = [v for v in (a, b) if isinstance(v, Var)]
            result = self._beside(m.result)
            if isinstance(result.type, Array):
                contiguous = all(isinstance(v.type, Array) and v.type.layout == "C" for v in both)
                result.type = Array(result.type.dtype, result.type.shape, "C" if contiguous else "A")
                self.ev.joined_roots[result] = {v.root for v in both}
            merges.append(Merge(result, self.ev.atom(a), self.ev.atom(b)))
            self._set(m.result, result)
        self.ev.block.append(If(stmt.test, sides[0], sides[1], merges, stmt.origin))

    def _merged_value(self, x: Atom, result: Var) -> Value:
        dot = self.of(x)
        if dot is not ZERO:
            return dot
        return self.ev.zeros_like(x) if isinstance(x, Var) and result.is_array else 0.0


def _may_be_infinite(operation: Operation, args: tuple[Operand, ...]) -> bool:
    """Whether a partial may be infinite where the value is not."""
    if not operation.singular or operation.name in INFINITE_WITH_THE_VALUE:
        return False
    exponent = args[1] if operation.name in ("power", "float_power") else None
    return not (isinstance(exponent, Const) and np.real(exponent.value) >= 1)


def _value(operand: Operand) -> Value:
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, tuple):
        return tuple(_value(item) for item in operand)
    return operand
