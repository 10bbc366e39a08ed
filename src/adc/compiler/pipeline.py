"""The compiler as a straight list of stages: from a function and the types of its arguments to text.

Each stage takes the program as the one before left it. After every stage the clock is read, the program is
dumped (ADC_DUMP), printed (ADC_DEBUG) and, with ADC_VERIFY=1, held to the rules of the IR.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import gast

from adc.compiler import recall, results
from adc.compiler.analysis.roots import written_roots
from adc.compiler.backend import compile as backend
from adc.compiler.backend import emit
from adc.compiler.context import Bind, Context, Kind, Request, Stage, Watch
from adc.compiler.frontend import going_on, lower, source
from adc.compiler.frontend.values import Value
from adc.compiler.heading import docstring, name_params_apart
from adc.compiler.ir.nodes import Atom, Mark, Program, Var, walk
from adc.compiler.observer import Observer
from adc.compiler.transforms import (
    absorb,
    adjoint,
    aliases,
    alternate,
    borders,
    bounds,
    checks,
    chosen,
    columns,
    constants,
    contiguous,
    contract,
    counted,
    cse,
    dead,
    deferred,
    diagonals,
    distribute,
    elements,
    entry,
    factor,
    filled,
    first,
    first_held,
    fold,
    forward,
    fuse,
    handed_on,
    hoist,
    inherit,
    inplace,
    integers,
    into,
    invariant,
    jam,
    kept_once,
    kept_rows,
    kept_tests,
    left_states,
    loads,
    lookahead,
    nested,
    nothing,
    opaque,
    outline,
    outputs,
    overflow,
    parts,
    pieces,
    places,
    plain_numbers,
    propagate,
    reciprocals,
    registers,
    renewed,
    reread,
    reuse,
    ripple,
    rooms,
    rotate,
    same_tests,
    scalarise,
    scatter,
    scratch,
    searches,
    selects,
    shared_factors,
    short_rows,
    singles,
    sized,
    snapshots,
    spikes,
    spread,
    stacked_rows,
    stacks,
    starts,
    steady,
    strided,
    strips,
    succession,
    summed,
    sunk,
    tiles,
    together,
    uncopied,
    undo,
    unread,
    unroll,
    unsigned,
    upwards,
    vectorise,
    whole,
    whole_vectors,
    wide,
    widen,
    widths,
    wraps,
)
from adc.errors import AdcError, InternalError, Location, UnsupportedError
from adc.syntax import deep_recursion

__all__ = ["Bind", "Context", "Kind", "Request", "Watch", "run", "stage_names"]


def _lower(_: Program, context: Context) -> Program:
    """The function as a program that returns its number and its auxiliary values."""
    request = context.request
    lowered = context.lowered = (
        lower.run(
            request.function,
            request.bind,
            request.evaluate,
            request.outside,
            request.going_on,
            request.tables,
            sweeps=1 if request.kind == "gradient" else 0,
        )
        if request.lowered is None
        else request.lowered()
    )
    program = lowered.program
    written = written_roots(walk(program.body), lowered.evaluator.joined_roots)
    context.written = tuple(k for k, p in enumerate(program.params) if p in written)
    context.wrt = [program.params[k] for k in request.wanted]
    where = _return_location(lowered)
    match request.kind:
        case "gradient":
            program.results = _number_and_aux(context, where)
        case "value":
            if request.has_aux:
                results.split_aux(lowered.output, where)
            context.output = results.Form(lowered.output, where)
            program.results = [*context.output.leaves, *_left(context)]
            if request.label:
                program.body.insert(0, Mark(request.label))
    name_params_apart(program)
    program.name = context.name
    program.doc = docstring(context)
    return program


def _number_and_aux(context: Context, where: Location) -> list[Atom]:
    """The number that is differentiated, and the auxiliary values."""
    assert context.lowered is not None
    output: Value = context.lowered.output
    aux: list[Var] = []
    if context.request.has_aux:
        output, rest = results.split_aux(output, where)
        context.aux = results.Form(rest, where)
        aux = context.aux.leaves
    with context.evaluator.at(context.lowered.program.body):
        output = results.only_element(output, context.evaluator)
    value: Atom = results.number(output, where, context.request.has_aux)
    context.value_type = context.evaluator.type_of(value)
    aux = [*aux, *_left(context)]
    return [value, *_kept_from_the_sweep(aux, context.lowered.program, context.evaluator)]


def _left(context: Context) -> list[Var]:
    """The values that are left outside the function."""
    assert context.lowered is not None
    if not context.lowered.left:
        return []
    context.left = results.Form(context.lowered.leaves, context.lowered.left[0].location)
    return context.left.leaves


def _searches(program: Program, context: Context) -> Program:
    return (
        searches.run(program, context.wrt, context.evaluator)
        if context.request.kind == "gradient"
        else program
    )


def _whole(program: Program, context: Context) -> Program:
    # A product of matrices adds in an order of its own.
    request = context.request
    return whole.run(program, context.evaluator) if request.insists and not request.strict else program


def _adjoint(program: Program, context: Context) -> Program:
    if context.request.kind == "value":
        return program
    value, *aux = program.results
    output = value if isinstance(value, Var) else None
    nested.refuse_stacks(context.evaluator, program.body)
    context.passive = unread.passive(program, context.wrt)
    program = adjoint.run(program, context.wrt, output, aux, context.evaluator)
    # A rule of the user's, which only the reverse sweep calls, may be the first to read something from outside.
    program.params += [c.param for c in context.evaluator.captures if c.param not in program.params]
    name_params_apart(program)
    program.name, program.doc = context.name, docstring(context)
    if output is None:
        program.results = [value, *program.results]
    if not context.request.value:
        program.results = program.results[1:]
    return program


def _insists(context: Context) -> bool:
    """Whether code may raise where branches read arrays that are shorter than expected: not what a pullback runs."""
    return context.request.insists and context.request.lowered is None


def _into(program: Program, context: Context) -> Program:
    if context.request.into:
        context.given = into.run(program, len(context.wrt), context.evaluator)
    return program


STAGES: tuple[Stage, ...] = (
    Stage("lower", _lower),
    Stage("snapshots", lambda p, c: snapshots.run(p, c.evaluator)),
    Stage("propagate", lambda p, c: propagate.run(p, c.evaluator)),
    Stage("counted", lambda p, c: counted.run(p, c.evaluator)),
    Stage("wraps", lambda p, c: wraps.run(p, c.evaluator)),
    Stage("places", lambda p, c: places.run(p, c.evaluator)),
    Stage("borders", lambda p, c: borders.run(p, c.evaluator, c.request.insists)),
    Stage("cse", lambda p, c: cse.run(p, c.evaluator)),
    Stage("unread", lambda p, c: unread.run(p, c.evaluator)),
    Stage("dead", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("searches", _searches),
    Stage("whole", _whole),
    Stage("reread", lambda p, c: reread.run(p, c.evaluator)),
    Stage("renewed", lambda p, c: renewed.run(p, c.evaluator)),
    Stage("dead-whole", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("diagonals", lambda p, c: diagonals.run(p, c.evaluator)),
    Stage("aliases", lambda p, c: aliases.run(p, c.evaluator)),
    Stage("scratch", lambda p, c: p if c.request.kind == "value" else scratch.run(p, c.evaluator)),
    Stage("reverse", _adjoint),
    Stage("kept tests", lambda p, c: kept_tests.run(p, c.evaluator)),
    Stage("kept once", lambda p, c: kept_once.run(p, c.evaluator)),
    Stage("left states", lambda p, c: left_states.run(p, c.evaluator)),
    Stage("stacked rows", lambda p, c: stacked_rows.run(p, c.evaluator)),
    Stage("opaque", lambda p, c: opaque.run(p, c.evaluator)),
    Stage("nothing", lambda p, c: nothing.run(p, c.evaluator)),
    Stage("propagate-2", lambda p, c: propagate.run(p, c.evaluator)),
    Stage("unread-2", lambda p, c: unread.after_reverse(p, c.evaluator, c.passive)),
    Stage("dead-2", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("undo", lambda p, c: undo.run(p, c.evaluator.joined_roots)),
    Stage("dead-3", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("inherit", lambda p, c: inherit.run(p, c.evaluator)),
    Stage("first", lambda p, c: first.run(p, c.evaluator.joined_roots)),
    Stage("summed", lambda p, c: summed.run(p, c.evaluator)),
    Stage("diagonals-2", lambda p, c: diagonals.scaled(p, c.evaluator)),
    Stage("parts", lambda p, c: parts.run(p, c.evaluator)),
    Stage("cse-2", lambda p, c: cse.run(p, c.evaluator)),
    Stage("sunk for reading", lambda p, c: p if c.optimize else sunk.for_reading(p, c.evaluator)),
    Stage("sized", lambda p, c: sized.run(p, c.evaluator)),
    Stage("fold", lambda p, c: fold.run(p, c.evaluator)),
    Stage("propagate-3", lambda p, c: propagate.run(p, c.evaluator)),
    Stage("invariant", lambda p, c: invariant.run(p, c.evaluator)),
    Stage("dead-4", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("uncopied", lambda p, c: p if c.optimize else uncopied.run(p, c.evaluator)),
    Stage("contiguous", lambda p, c: contiguous.run(p)),
    Stage("spread", lambda p, c: spread.run(p, c.evaluator)),
    Stage("entry", lambda p, c: entry.run(p, c.evaluator)),
    Stage("plain numbers", lambda p, c: p if c.optimize else plain_numbers.run(p, c.evaluator)),
    Stage("ir", lambda p, c: p),
    Stage("print adjoint", text="adjoint"),
)

# For compiled mode only: array statements become loops.
OPTIMIZING_STAGES: tuple[Stage, ...] = (
    Stage("integers", lambda p, c: integers.run(p, c.evaluator)),
    Stage("overflow", lambda p, c: overflow.run(p, c.evaluator)),
    Stage("widen", lambda p, c: widen.run(p, c.evaluator)),
    Stage("kept rows", lambda p, c: kept_rows.run(p, c.evaluator)),
    Stage("deferred", lambda p, c: deferred.run(p, c.evaluator)),
    Stage("stacks", lambda p, c: stacks.run(p, c.evaluator)),
    Stage("factor", lambda p, c: factor.run(p, c.evaluator)),
    Stage("bounds", lambda p, c: bounds.run(p, c.evaluator, insists=_insists(c))),
    Stage("cse-bounds", lambda p, c: cse.run(p, c.evaluator)),
    Stage("loads", lambda p, c: loads.run(p, c.evaluator)),
    Stage("checks", lambda p, c: checks.run(p)),
    Stage("together", lambda p, c: together.run(p, c.evaluator)),
    Stage("reciprocals", lambda p, c: reciprocals.of_arrays(p, c.evaluator, c.request.strict)),
    Stage("scalarise", lambda p, c: scalarise.run(p, c.evaluator)),
    Stage("unroll", lambda p, c: unroll.run(p, c.evaluator)),
    Stage("propagate-4", lambda p, c: propagate.run(p, c.evaluator)),
    Stage("dead-5", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("cse-3", lambda p, c: cse.run(p, c.evaluator)),
    Stage("absorb", lambda p, c: absorb.run(p, c.evaluator)),
    Stage("inplace", lambda p, c: inplace.run(p, c.evaluator)),
    Stage("rotate", lambda p, c: rotate.run(p, c.evaluator)),
    Stage("upwards", lambda p, c: upwards.run(p, c.evaluator)),
    Stage("fuse", lambda p, c: fuse.run(p, c.evaluator)),
    Stage("cse-4", lambda p, c: cse.run(p, c.evaluator)),
    Stage("forward", lambda p, c: forward.run(p, c.evaluator)),
    Stage("dead-6", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("contract", lambda p, c: contract.run(p, c.evaluator)),
    Stage("forward-2", lambda p, c: forward.run(p, c.evaluator)),
    Stage("cse-tests", lambda p, c: cse.run(p, c.evaluator)),
    Stage("first held", lambda p, c: first_held.run(p, c.evaluator)),
    Stage("same tests", lambda p, c: same_tests.run(p, c.evaluator)),
    Stage("spikes", lambda p, c: spikes.run(p, c.evaluator)),
    Stage("chosen", lambda p, c: chosen.run(p, c.evaluator)),
    Stage("strips", lambda p, c: strips.run(p, c.evaluator, c.request.strict)),
    Stage("selects", lambda p, c: selects.run(p, c.evaluator)),
    Stage("columns", lambda p, c: columns.run(p, c.evaluator)),
    Stage("succession", lambda p, c: succession.run(p, c.evaluator)),
    Stage("alternate", lambda p, c: alternate.run(p, c.evaluator)),
    Stage("tiles", lambda p, c: tiles.run(p, c.evaluator)),
    Stage("fold-2", lambda p, c: fold.run(p, c.evaluator)),
    Stage("constants", lambda p, c: constants.run(p)),
    Stage("cse-5", lambda p, c: cse.run(p, c.evaluator)),
    Stage("propagate-5", lambda p, c: propagate.run(p, c.evaluator)),
    Stage("dead-7", lambda p, c: dead.run(p, c.evaluator.joined_roots)),
    Stage("reciprocals-2", lambda p, c: reciprocals.of_numbers(p, c.evaluator)),
    Stage("handed on", lambda p, c: handed_on.run(p, c.evaluator)),
    Stage("jam", lambda p, c: jam.run(p, c.evaluator, c.request.strict)),
    Stage("scatter", lambda p, c: scatter.run(p, c.evaluator)),
    Stage("steady", lambda p, c: steady.run(p, c.evaluator)),
    Stage("registers", lambda p, c: registers.run(p, c.evaluator, c.request.strict)),
    Stage("sunk", lambda p, c: sunk.run(p, c.evaluator)),
    Stage("reuse", lambda p, c: reuse.run(p, c.evaluator)),
    Stage("distribute", lambda p, c: distribute.run(p, c.evaluator, c.request.strict)),
    Stage("scatter-2", lambda p, c: scatter.run(p, c.evaluator)),
    Stage("pieces", lambda p, c: pieces.run(p, c.evaluator)),
    Stage("hoist", lambda p, c: hoist.run(p, c.evaluator)),
    Stage("widths", lambda p, c: widths.run(p, c.evaluator)),
    Stage("vectorise", lambda p, c: vectorise.run(p, c.evaluator, c.request.strict)),
    Stage("ripple", lambda p, c: ripple.run(p, c.evaluator)),
    Stage("shared factors", lambda p, c: shared_factors.run(p, c.request.strict)),
    Stage("zeros", lambda p, c: rooms.cleared(p, c.evaluator)),
    Stage("starts", lambda p, c: starts.run(p, c.evaluator)),
    Stage("filled", lambda p, c: filled.run(p, c.evaluator)),
    Stage("singles", lambda p, c: singles.run(p)),
    Stage("unsigned", lambda p, c: unsigned.run(p)),
    Stage("elements", lambda p, c: elements.run(p)),
    Stage("outline", lambda p, c: outline.run(p, c.evaluator)),
    Stage("short rows", lambda p, c: short_rows.run(p)),
    Stage("wide", lambda p, c: wide.run(p)),
    Stage("strided", lambda p, c: strided.run(p)),
    Stage("whole vectors", lambda p, c: whole_vectors.run(p, c.request.strict)),
    Stage("lookahead", lambda p, c: lookahead.run(p, c.evaluator)),
    Stage("into", _into),
    Stage("outputs", lambda p, c: outputs.run(p, c.evaluator)),
    Stage("stacked rows-2", lambda p, c: stacked_rows.in_place(p)),
    Stage("rooms", lambda p, c: rooms.named(p)),
    Stage("print optimized", text="optimized"),
)


ADJOINT_NAMES = frozenset(s.text or s.name for s in STAGES)


def stage_names() -> list[str]:
    """The names that `source(stage=...)` takes."""
    every = (*STAGES, *OPTIMIZING_STAGES)
    return [s.text or s.name for s in every]


def run(request: Request, *, optimize: bool, record: bool = False, watch: Watch | None = None) -> Context:
    """Run the stages. Raises AdcError with the user's line, InternalError for a fault in adc.

    `watch` sees the program after each stage, before the next one changes it.
    """
    refusal: UnsupportedError | None = None
    while True:
        try:
            with deep_recursion():
                return _run(request, optimize, record, watch)
        except UnsupportedError as error:
            further = going_on.further(request.going_on, error.branches)
            if refusal is not None and further is None and error.branches:
                raise refusal from None  # it is still a branch: the first is the one to repair
            if further is None or request.lowered is not None:
                raise
            refusal = refusal or error
            request = replace(request, going_on=further)


def _run(request: Request, optimize: bool, record: bool, watch: Watch | None) -> Context:
    context = Context(request, optimize, record)
    steps = _Steps(context, Observer(context), watch)
    steps.take(STAGES[:1])
    with steps.faults_told("lower"):
        closer = _closer(context)
        key = None if closer is not None or watch is not None else recall.key_of(context)
        if key is not None and recall.recalled(context, key):
            return context
    if closer is not None:
        try:
            return _run(closer, optimize, record, watch)
        except UnsupportedError:
            pass
    steps.take((*STAGES[1:], *(OPTIMIZING_STAGES if optimize else ())))
    if key is not None:
        recall.keep(context, key)
    return context


@dataclass(eq=False)
class _Steps:
    """Takes a program through stages; tells of them, and of their faults."""

    context: Context
    observer: Observer
    watch: Watch | None
    program: Program = field(default_factory=lambda: Program("", [], [], []))

    def take(self, stages: Sequence[Stage]) -> None:
        context = self.context
        for stage in stages:
            begin = time.perf_counter()
            with self.faults_told(stage.name):
                if stage.run is not None:
                    self.program = context.program = stage.run(self.program, context)
                else:
                    _print(self.program, stage.text, context)
            context.seconds[stage.name] = time.perf_counter() - begin
            self.observer.after(stage, self.program)
            if self.watch is not None:
                self.watch(stage.name, self.program, context)

    @contextmanager
    def faults_told(self, stage: str) -> Iterator[None]:
        """What is raised inside is the user's error, or a fault of this stage."""
        try:
            yield
        except AdcError:
            raise
        except Exception as error:
            if hasattr(error, "__adc_raised__"):
                raise  # the user's own: a call with these types gets no further than this `raise`
            lowered = self.context.lowered
            raise InternalError(
                f"the stage `{stage}` failed: {type(error).__name__}: {error}",
                lowered.evaluator.origin if lowered is not None else None,
            ) from error


def _closer(context: Context) -> Request | None:
    request = context.request
    assert context.lowered is not None
    if request.closer is None or request.lowered is not None:
        return None
    closer = request.closer(context.lowered)
    return None if closer is None else replace(closer, going_on=request.going_on, tables=request.tables)


def _print(program: Program, name: str, context: Context) -> None:
    text, origins = emit.with_origins(program, in_sections=name == "optimized")
    try:
        complete = context.texts[name] = backend.complete(text)
    except IndentationError as error:
        raise UnsupportedError(
            "the branches within branches are too many",
            origins[(error.lineno or 1) - 1],
            "each `elif` is a branch within the one before, and Python reads a hundred levels of them",
            "look the values up in an array, as by np.searchsorted",
        ) from error
    imports: list[Location | None] = [None] * (complete.count("\n") - text.count("\n"))
    context.origins[name] = imports + origins


# --- the primal's results -----------------------------------------------------------------------------------


def _kept_from_the_sweep(aux: list[Var], program: Program, evaluator: lower.Evaluator) -> list[Var]:
    """Auxiliary arrays that are written to are copied: the reverse sweep undoes the writes."""
    written = written_roots(walk(program.body), evaluator.joined_roots)
    with evaluator.at(program.body):
        return [evaluator.op("copy", v) if v.is_array and v.root in written else v for v in aux]


def _return_location(lowered: lower.Lowered) -> Location:
    """Where the function returns, for an error about what it returns."""
    text = lowered.source
    returns = [n for n in gast.walk(text.tree) if isinstance(n, gast.Return)]
    if not returns or not hasattr(returns[-1], "lineno"):
        return Location(text.file, text.first_line, 0, None, text.line(text.first_line))
    return source.location(max(returns, key=lambda n: n.lineno), text)
