"""`explain`: what adc decided about a function, line by line and loop by loop, and why.

The facts are taken from the program itself: from the primal just before it is differentiated, and from the
readable adjoint, in which every buffer, every recomputed value and every value that the reverse sweep finds
where the forward sweep left it can be seen.
"""

from __future__ import annotations

import importlib
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from adc.api.composite import BoundComposite
from adc.api.derivative import BoundDerivative
from adc.api.transformed import Transformed
from adc.compiler import pipeline
from adc.compiler.analysis.activity import Activity
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.heading import sizes_of
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    If,
    Keep,
    Mark,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    uses,
    walk,
)
from adc.compiler.ir.types import is_float
from adc.errors import AdcError, ArgumentError, FallbackWarning, Location
from adc.inspect.ledger import Bytes, Fate, Ledger, Loop, Statement, Value
from adc.inspect.loops import classify
from adc.inspect.sizes import Sizes
from adc.inspect.source import prepared
from adc.rules.dims import Dim

__all__ = ["explain"]

LOOPS_STAGE, WHOLE_STAGE = "counted", "whole"  # between them, loops become statements on whole arrays
PRIMAL_STAGE = "aliases"  # the last stage before the reverse sweep is appended
ADJOINT_STAGE = "ir"  # the program that the readable text is printed from


def explain(derivative: Any, *example_args: Any, **example_kwargs: Any) -> Ledger:
    """What adc does with a function, as a ledger: `print` it, or take `.as_dict()`.

    For each statement of the function: the types of the values that it makes, whether they are active (they
    depend on a differentiated argument, and the result on them) and why, and whether the reverse sweep needs
    them: kept in a buffer, held where the forward sweep left them, recomputed, or not needed; with the bytes,
    as a formula and as a number. For each loop: its class, what it carries, its trip count. Then the engine
    that runs and why, the seconds of each stage, and whether machine code came from the cache.

    The function is compiled for arguments of these types, and not called. Of a transform that is one program
    without a reverse sweep of its own (`hessian`, ...) the ledger has the loops, the engine and the times.

    Raises `ArgumentError` when `derivative` is not one made by adc, or when no arguments are given.

    >>> import numpy as np
    >>> from adc.api import grad
    >>> def loss(x):
    ...     y = np.exp(x)
    ...     return np.sum(y * y)
    >>> ledger = explain(grad(loss), np.ones(3))
    >>> y = ledger.statements[0].values[0]
    >>> ledger.mode, y.name, y.fate, str(y.bytes)
    ('compiled', 'y', 'held', '8 * x.shape[0] = 24 B')
    """
    derivative, example_args, example_kwargs = prepared(derivative, example_args, example_kwargs)
    if isinstance(derivative, (BoundDerivative, BoundComposite)):
        unbound = derivative.derivative if isinstance(derivative, BoundDerivative) else derivative.composite
        return explain(unbound, derivative.__self__, *example_args, **example_kwargs)
    if not isinstance(derivative, Transformed):
        name = getattr(derivative, "__name__", repr(derivative))
        raise ArgumentError(
            f"`{name}` is not a derivative made by adc, so there is nothing to explain",
            repair=f"Pass the derivative: adc.explain(adc.grad({name}), ...).",
        )
    if not example_args and not example_kwargs and not derivative._fixed_args:
        raise ArgumentError(
            f"explain({derivative!r}) needs example arguments",
            why="What is decided depends on their types.",
            repair="Pass some, as for a call.",
        )
    fresh = derivative.anew()  # its clock and its warnings tell the whole story
    importlib.import_module("numba")  # not part of what compiling takes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FallbackWarning)
        begin = time.perf_counter()
        known, inputs, call = fresh._resolve(example_args, example_kwargs)
        seconds = time.perf_counter() - begin
    fallback = next((str(w.message) for w in caught if isinstance(w.message, FallbackWarning)), "")
    title = f"{str(fresh)[1:-1]}"
    try:
        facts = _Facts.of(lambda watch: fresh._program(call, optimize=True, watch=watch)[0], inputs)
    except AdcError as error:  # the compiler declines the function: the tape runs, and this is why
        return Ledger(title, known.mode, fallback or str(error), (), (), None, {"declined": seconds})
    stages = {} if known.context is None else dict(known.context.seconds)
    stages["Numba"] = max(seconds - sum(stages.values()), 0.0) if known.mode == "compiled" else 0.0
    return Ledger(
        title,
        known.mode,
        fallback,
        tuple(facts.statements()),
        tuple(loop for _, loop in facts.loops),
        facts.kept_in_all(),
        {k: s for k, s in stages.items() if s},
        _cache(known.run),
        _sizes(facts.context),
    )


def _sizes(context: pipeline.Context) -> str:
    held, because = sizes_of(context), context.request.because
    if not held:
        return ""
    why = "the function demands them" if because is None else f"in general {because.location}: {because.what}"
    return f"{held} only: {why}"


def _cache(run: Any) -> str:
    stats = getattr(run, "stats", None)
    if stats is None:
        return ""
    hits = sum(stats.cache_hits.values())
    return (
        "machine code: from the cache on disk"
        if hits
        else "machine code: compiled now, and put into the cache"
    )


@dataclass(frozen=True)
class _Made:
    """A value that a statement of the primal makes."""

    origin: Location
    v: Var
    is_write: bool
    type: str
    active: bool
    why: str


@dataclass(frozen=True)
class _Kept:
    """A buffer, and the line for which it is filled."""

    name: str
    bytes: Bytes
    reader: str
    grows: bool


@dataclass
class _Facts:
    """What the programs before and after the reverse sweep say."""

    context: pipeline.Context
    sizes: Sizes
    primal: list[_Made] = field(default_factory=list)
    loops: list[tuple[Location | None, Loop]] = field(default_factory=list)
    carried_on: dict[Var, Var] = field(default_factory=dict)  # what a loop carries -> what a trip makes of it
    buffers: list[_Kept] = field(default_factory=list)
    kept: dict[Var | str, _Kept] = field(default_factory=dict)  # a value, or the name of what was overwritten
    held: dict[tuple[str, int], Bytes] = field(default_factory=dict)
    in_loops: set[tuple[Any, ...]] = field(default_factory=set)
    recomputed: set[tuple[str, int, str]] = field(default_factory=set)

    @staticmethod
    def of(make: Callable[[pipeline.Watch], pipeline.Context], inputs: list[Any]) -> _Facts:
        found: list[_Facts] = []
        written: dict[Location | None, Loop] = {}  # loops as the user wrote them
        whole: list[Location | None] = []

        def watch(stage: str, program: Program, context: pipeline.Context) -> None:
            if stage == LOOPS_STAGE:
                sizes = Sizes(program.params, inputs)
                written.update((s.origin, _loop(s, sizes)) for s in _loops(program))
            elif stage == WHOLE_STAGE:
                left = {s.origin for s in _loops(program)}
                whole.extend(origin for origin in written if origin not in left)
            elif stage == PRIMAL_STAGE:
                found.append(_Facts(context, Sizes(program.params, inputs)))
                found[0]._read_primal(program)
                found[0]._add_loops({o: replace(written[o], whole=True) for o in whole}, list(written))
            elif stage == ADJOINT_STAGE:
                found[0].sizes.learn(program.params, inputs)
                found[0]._read_adjoint(program)

        make(watch)
        return found[0]

    # --- reading --------------------------------------------------------------------------------------------

    def _read_primal(self, program: Program) -> None:
        outputs = program.results[:1] if self.context.request.kind == "gradient" else program.results
        constant = cancelled(program, self.context.evaluator.joined_roots)
        activity = Activity(program.body, self.context.wrt, outputs, constant)
        of = self.context.request.of
        self.in_loops = {_fingerprint(s) for s in _inside_loops(program.body)}
        for stmt in walk(program.body):
            if isinstance(stmt, (For, While)):
                self.loops.append((stmt.origin, _loop(stmt, self.sizes)))
                self.carried_on.update((c.phi, c.out) for c in stmt.carried if isinstance(c.out, Var))
            if stmt.origin is None or self.context.request.kind == "value":
                continue
            for v in _made(stmt):
                if v in constant:
                    why = "a shift that cancels"
                elif not is_float(v.type):
                    why = f"{v.type.dtype} carries no derivative"
                elif not activity.is_varied(v):
                    why = f"does not depend on {of}"
                elif not activity.is_useful(v):
                    why = "the result does not depend on it"
                else:
                    why = f"depends on {of}, and the result on it"
                self.primal.append(
                    _Made(
                        stmt.origin,
                        v,
                        isinstance(stmt, Store),
                        self.sizes.type(v.type),
                        activity.active(v),
                        why,
                    )
                )

    def _add_loops(self, whole: dict[Location | None, Loop], order: list[Location | None]) -> None:
        """Put loops that are statements on whole arrays where the user wrote them."""
        place = {origin: k for k, origin in enumerate(order)}
        self.loops += whole.items()
        self.loops.sort(key=lambda item: place.get(item[0], len(place)))

    def _read_adjoint(self, program: Program) -> None:
        at = next(
            (k for k, s in enumerate(program.body) if isinstance(s, Mark) and s.text == "reverse"), None
        )
        if at is None:
            return
        forward, reverse = program.body[:at], program.body[at:]
        for stmt in walk(program.body):
            if isinstance(stmt, Keep):
                self._read_keep(stmt)
        used = {v for s in walk(reverse) for v in uses(s)}
        for stmt in _outside_loops(forward):
            if not isinstance(stmt, Assign) or stmt.origin is None:
                continue
            for v in stmt.targets:
                if v in used:
                    self.held[v.name, stmt.origin.line] = self.sizes.of_value(v.type)
        for stmt in _inside_loops(reverse):
            if stmt.origin is not None and _fingerprint(stmt) in self.in_loops:
                self.recomputed.update((t.name, stmt.origin.line, t.type.dtype) for t in stmt.targets)

    def _read_keep(self, stmt: Keep) -> None:
        buffer = stmt.buffer
        reader = stmt.origin.text.strip() if stmt.origin is not None else ""
        found = _Kept(buffer.name, self.sizes.of_buffer(buffer), reader, buffer.trips is None)
        self.buffers.append(found)
        value = stmt.value if isinstance(stmt.value, Var) else None
        if value in self.carried_on:
            value = self.carried_on[value]
        known = {m.v for m in self.primal if not m.is_write}
        if value is not None and value in known:
            self.kept.setdefault(value, found)
        else:
            self.kept.setdefault(buffer.name.removesuffix("_kept"), found)

    # --- writing --------------------------------------------------------------------------------------------

    def statements(self) -> Iterator[Statement]:
        lines: dict[tuple[str, int], list[_Made]] = {}
        for made in self.primal:
            lines.setdefault((made.origin.file, made.origin.line), []).append(made)
        for (file, line), group in lines.items():
            values: dict[Value, None] = {}
            for made in group:
                value = self._value(made)
                # Intermediate results to which nothing happens are left out, but for the line's own result.
                if made.v.named or value.fate != "not needed" or made is group[-1]:
                    values[value] = None
            yield Statement(f"{os.path.basename(file)}:{line}", group[0].origin.text.strip(), tuple(values))

    def _value(self, made: _Made) -> Value:
        """A value with what becomes of it, and why."""
        v, line = made.v, made.origin.line
        name = f"{v.name}[...]" if made.is_write else v.name
        what = "what was there before" if made.is_write else "it"
        fate: Fate = "not needed"
        why = (
            "no derivative depends on what was there before"
            if made.is_write
            else "no derivative depends on its value"
        )
        taken: Bytes | None = None
        kept = self.kept.get(f"{v.name}_old") if made.is_write else self.kept.get(v) or self.kept.get(v.name)
        held = self.held.get((f"{v.name}_old" if made.is_write else v.name, line))
        if kept is not None:
            fate, taken = "kept", kept.bytes
            where = "on a stack, as the number of trips is not known" if kept.grows else "an entry per trip"
            why = f"`{kept.reader}` needs {what} when it is reversed; {where}"
            optimized = self.context.texts.get("optimized")
            if optimized is not None and not re.search(rf"\b{kept.name}\b", optimized):
                why += "; the compiled code needs no buffer, as forward and reverse are one loop"
        elif not made.is_write and (v.name, line, v.type.dtype) in self.recomputed:
            fate, why = "recomputed", "that costs less than to keep it"
        elif held is not None:
            fate, why, taken = "held", f"the reverse sweep reads {what} where the forward sweep left it", held
        return Value(name, made.type, made.active, made.why, fate, why, taken)

    def kept_in_all(self) -> Bytes | None:
        """What all buffers take together."""
        return self.sizes.total([b.bytes for b in self.buffers]) if self.buffers else None


def _made(stmt: Stmt) -> list[Var]:
    """The values of a statement that a reader of the ledger wants to see."""
    if isinstance(stmt, Store):
        return [stmt.array]
    if isinstance(stmt, Assign) and stmt.name != "dim":
        return [t for t in stmt.targets if t.named or is_float(t.type)]
    return []


def _outside_loops(block: Block) -> Iterator[Stmt]:
    for stmt in block:
        yield stmt
        if isinstance(stmt, If):
            for inner in blocks(stmt):
                yield from _outside_loops(inner)


def _inside_loops(block: Block) -> Iterator[Assign]:
    for stmt in walk(block):
        if isinstance(stmt, (For, While)):
            yield from (s for s in walk([stmt]) if isinstance(s, Assign))


def _fingerprint(stmt: Assign) -> tuple[Any, ...]:
    """What an evaluation computes, by names: the same operation on the same operands, for the same line."""
    operands = tuple(v.name for v in uses(stmt))
    constants = tuple(repr(a.value) for a in stmt.args if isinstance(a, Const))
    line = stmt.origin.line if stmt.origin is not None else 0
    return stmt.name, line, tuple(t.name for t in stmt.targets), operands, constants


def _loops(program: Program) -> list[For | While]:
    return [s for s in walk(program.body) if isinstance(s, For | While)]


def _loop(loop: For | While, sizes: Sizes) -> Loop:
    kind, why = classify(loop)
    line, text = "", ""
    if loop.origin is not None:
        line, text = f"{os.path.basename(loop.origin.file)}:{loop.origin.line}", loop.origin.text.strip()
    carried = tuple(c.phi.name for c in loop.carried)
    if isinstance(loop, While):
        return Loop(line, text, kind, why, carried, "one more while its test holds", False, None)
    trips = _trips(loop, sizes)
    return Loop(line, text, kind, why, carried, sizes.formula(trips), True, sizes.number(trips))


def _trips(loop: For, sizes: Sizes) -> Dim:
    start, stop = sizes.length(loop.start), sizes.length(loop.stop)
    assert isinstance(loop.step, Const)
    step = int(loop.step.value)
    span = stop - start if step > 0 else start - stop
    return (span if abs(step) == 1 else (span + (abs(step) - 1)) // abs(step)).clamped()
