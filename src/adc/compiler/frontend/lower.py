"""Turn a Python function and the types of its arguments into an IR program.

The function's body is evaluated once over values that are partly known: what is known folds away (constants, tuples,
branches on them, calls of helpers), what is not becomes typed SSA statements (Jones, Gomard & Sestoft, *Partial
Evaluation and Automatic Program Generation*, 1993).
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adc.compiler.frontend import draws, element_kinds, frozen, grown_reads, left_outside, list_methods
from adc.compiler.frontend import source as sources
from adc.compiler.frontend.frame import Frame, Instance, Outside
from adc.compiler.frontend.going_on import GoingOn
from adc.compiler.frontend.left_places import Left, LeftPlace, PlaceFound
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.outside import Capture, Guard, Place
from adc.compiler.frontend.provenance import Origins
from adc.compiler.frontend.statements import Statements
from adc.compiler.frontend.tally import TooLong
from adc.compiler.frontend.values import Maybe, Value
from adc.compiler.ir.nodes import Program, Var
from adc.compiler.ir.types import Array, is_integer
from adc.errors import Location, Tables, UnsupportedError
from adc.rules.dims import Dim
from adc.runtime.detours import own_signature, taken_signature

MAX_ATTEMPTS = 20


class Evaluator(Statements):
    """A whole evaluator: expressions, calls and statements over one program."""

    def __init__(self, equal: EqualLengths | None = None, outside: Outside | None = None) -> None:
        super().__init__(equal)
        self.outside = outside
        self.going_on, self.branches_made, self.branches_joined = {}, {}, set()
        self.dicts_made, self.keys_of_run, self.tables = {}, set(), frozenset()
        self.frame = Frame(None, {}, {})
        self.region_depth = 0
        self.open_rules: list[
            Any
        ] = []  # keys of functions with custom rules whose forward rule is being evaluated
        self.opaque_calls = 0  # for the names of operations that stand for one call each
        self.loop_depth = 0
        self.sides = []
        self.trips = []
        self.copies = 1
        self.found_long = {}
        self.origins, self.left = Origins(), {}
        self.raised_by_user, self.tested_for, self.effects = {}, set(), []
        self.running, self.spent_before = [], {}
        self.frozen = {}
        self.varying = set()
        self.itemwise = {}
        self.tabled = {}
        self.stacked, self.table_rows, self.copies_read = {}, {}, []
        self.settled = {}
        self.list_kinds, self.taken_for_rows = {}, set()
        self.row_classes, self.rows_taken_as = {}, {}
        self.classes_of_dicts = {}
        self.lists_shrink = self.long_lists = self.lists_written_out = False
        self.statement_block = None
        self.moving = frozenset()
        self.draws = draws.Draws()
        self.left_outside = Left()
        self.stand_ins_of = {}
        self.captures: list[Capture] = []
        self.guards: list[Guard] = []
        self.functions: dict[types.FunctionType, types.CodeType] = {}
        self.defaults: dict[types.FunctionType, Any] = {}
        self.records: list[tuple[Place, Instance]] = []  # dataclasses outside the function


@dataclass(eq=False)
class Lowered:
    """The primal as a program, and what it takes for granted."""

    program: Program
    output: Value  # the returned value: Vars and constants in containers
    captures: list[Capture]
    guards: list[Guard]
    evaluator: Evaluator
    source: sources.Source
    left: tuple[LeftPlace, ...] = ()  # the places outside where it leaves something
    leaves: Value = ()  # and what: a value for each


def make_param(name: str, value: Any, evaluator: Evaluator, known_axes: tuple[int, ...] = ()) -> Var:
    """A parameter for an argument: an array, with its lengths along some axes, or a number."""
    param = Var(name, evaluator.argument_type(value, name))
    if isinstance(param.type, Array):
        shape = tuple(Dim(value.shape[k]) if k in known_axes else d for k, d in enumerate(param.type.shape))
        param.type = Array(param.type.dtype, shape, param.type.layout)
        evaluator.name_lengths(param, value)
    elif is_integer(param.type):
        evaluator.name_number(param)
    return param


Evaluate = Callable[[Evaluator, dict[str, Value]], Value]


def run(
    function: Callable[..., Any],
    bind: Callable[[Evaluator], tuple[dict[str, Value], list[Var]]],
    evaluate: Evaluate | None = None,
    outside: Outside | None = None,
    going_on: GoingOn | None = None,
    tables: Tables = frozenset(),
    sweeps: int = 0,
) -> Lowered:
    """Lower a function. `bind` gives the values of its parameters (Vars for run-time inputs) and the list of inputs.

    A derivative made by adc is lowered by what its call means in a program; `evaluate` is what to lower instead of a
    call of the function. Calls of functions in `outside` are not looked into. The branches `going_on` go on, on each
    path, with the statements behind them; dicts made where `tables` says have keys that only the run knows.
    `sweeps` reverse sweeps go over the whole program.
    """
    places: tuple[LeftPlace, ...] = ()
    while True:
        try:
            return _run(function, bind, evaluate, outside, going_on, tables, sweeps, places)
        except PlaceFound as found:
            places = found.among(places)


def _run(
    function: Callable[..., Any],
    bind: Callable[[Evaluator], tuple[dict[str, Value], list[Var]]],
    evaluate: Evaluate | None,
    outside: Outside | None,
    going_on: GoingOn | None,
    tables: Tables,
    sweeps: int,
    places: tuple[LeftPlace, ...],
) -> Lowered:
    """`run`, where these are the places outside to which the function writes."""
    kinds: dict[Location | None, element_kinds.Kept] = {}
    row_classes: dict[object, set[type]] = {}
    taken_for_rows: set[Location | None] = set()
    shrink = written_out = False
    for _ in range(MAX_ATTEMPTS):
        evaluator = Evaluator(outside=outside)
        evaluator.going_on, evaluator.tables, evaluator.sweeps = going_on or {}, tables, sweeps
        evaluator.list_kinds, evaluator.lists_shrink = dict(kinds), shrink
        evaluator.lists_written_out, evaluator.row_classes = written_out, row_classes
        evaluator.taken_for_rows = taken_for_rows
        evaluator.left_outside = Left(places)
        try:
            return _lowered(function, bind, evaluate, evaluator)
        except element_kinds.ElementFound as found:
            kinds[found.made] = found.kept  # a list turned out to hold something else than it seemed
        except list_methods.ShrinksFound:
            shrink = True
        except TooLong:
            raise evaluator.tally.refusal(evaluator.origin) from None
        except UnsupportedError as refusal:
            refusal.keys_of_run |= evaluator.keys_of_run
            refusal.leaves_behind |= bool(places)
            if written_out or not evaluator.long_lists:
                raise
            written_out = True  # what became an array has to be a list
    raise AssertionError(f"the lists of {function} do not come to rest: {kinds}")


def _lowered(
    function: Callable[..., Any],
    bind: Callable[[Evaluator], tuple[dict[str, Value], list[Var]]],
    evaluate: Evaluate | None,
    evaluator: Evaluator,
) -> Lowered:
    source = sources.of(innermost(function))
    evaluator.origin = Location(source.file, source.first_line, 0, None, source.line(source.first_line))
    arguments, params = bind(evaluator)
    body = evaluator.block
    left_outside.start(evaluator)
    evaluator.note_function(source.function, bool(source.function.__defaults__))
    for key in source.function.__kwdefaults__ or {}:
        evaluator.taken(Place(operator.getitem, Place(getattr, source.function, "__kwdefaults__"), key), key)
    frame = Frame(source, source.globals, dict(source.closure), arguments)
    if evaluate is None and not hasattr(function, "__adc_inline__") and not _is_wrapper(function):
        output = evaluator.run_function(source.tree, frame)
    else:
        evaluator.frame = Frame(source, source.globals, dict(source.closure), {})
        evaluator.left_outside.reaches(evaluator.frame)
        output = (
            evaluate(evaluator, arguments)
            if evaluate is not None
            else _called(function, arguments, evaluator)
        )
    if isinstance(output, Maybe):
        output = evaluator.required(output, "the result")
    evaluator.most = evaluator.tally.longest = None
    frozen.check_writes(evaluator)
    with evaluator.origin_at(sources.location(source.tree, source)):
        grown_reads.refuse_in(evaluator, output)
    left, leaves = left_outside.end(evaluator)
    draws.carry_out(evaluator, body)
    draws.forget(evaluator)
    inputs = [*params, *(c.param for c in evaluator.captures)]
    program = Program(source.name, inputs, body, [])
    return Lowered(program, output, evaluator.captures, evaluator.guards, evaluator, source, left, leaves)


def innermost(function: Any) -> Any:
    """The user's function behind derivatives of derivatives, partials and methods."""
    while hasattr(function, "__adc_primal__"):
        outer, function = function, function.__adc_primal__
        if isinstance(function, functools.partial):
            function = getattr(outer, "__adc_text__", function)
        while isinstance(function, functools.partial):
            function = function.func
    return function


def _is_wrapper(function: Any) -> bool:
    """Whether a function takes what it passes on, and has the signature of another, as with functools.wraps."""
    if not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        return False
    plain = sources.of(function).function
    return taken_signature(function) != own_signature(plain)


def _called(function: Any, arguments: dict[str, Value], evaluator: Evaluator) -> Value:
    bound = inspect.BoundArguments(taken_signature(function), arguments)
    return evaluator.call(function, list(bound.args), bound.kwargs)
