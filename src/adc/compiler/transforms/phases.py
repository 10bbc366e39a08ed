"""Cut a derivative in two programs: the first runs once and keeps what the second, run any number of times, reads.

For a pullback the first is the forward sweep, the second the reverse sweep from a cotangent; for a linearised function
the first is the primal with all partials, the second the tangents along a direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.compiler import results as forms
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.frontend.lower import Evaluator, Lowered
from adc.compiler.frontend.source import Source
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import Atom, Block, Const, Program, Var, defined
from adc.compiler.ir.types import Array, is_float
from adc.compiler.leaves import Leaves, may_be_nothing
from adc.compiler.transforms import clone, nested, opaque, remeasure, scopes, split, tangent
from adc.compiler.transforms.leaving import left_once
from adc.compiler.transforms.nested import Inner
from adc.errors import DerivativeError

__all__ = ["Second", "linearized", "pulled"]


@dataclass(eq=False)
class Second:
    """The second program: its parameters are what the first keeps, then one variable per direction."""

    params: list[Var]
    block: Block
    results: list[Atom]
    directions: list[Var]  # the parameters that are given at each run
    has_direction: list[bool]  # for each leaf of what they are directions of
    evaluator: Evaluator

    def lowered(self, source: Source) -> Lowered:
        """The program as the pipeline takes it, on variables of its own."""
        params, block, results = clone.run(self.params, self.block, self.results, self.evaluator)
        values = [plain_value(r) for r in results]
        return Lowered(Program(source.name, params, block, []), values, [], [], self.evaluator, source)


@left_once(1)
def pulled(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
) -> tuple[Value, Value, list[Value], Second]:
    """The value of a call, auxiliary values, what is kept, and the program from cotangents to adjoints."""
    with nested.swept(ev):
        inner, form, rest = _entered(ev, function, args, kwargs, chosen, has_aux)
    floats = [y for y in form.atoms if isinstance(y, Var) and is_float(y.type)]
    known = [y.value for y in form.atoms if isinstance(y, Const)]
    if not floats and not any(isinstance(value, (float, complex, np.inexact)) for value in known):
        raise forms.not_a_number(inner.output, ev.origin, has_aux)
    bars = [_direction(y, f"{y.name}_bar") for y in floats]
    with nested.as_rule(ev):
        with ev.at(inner.block):
            total: Value = 0.0
            for y, bar in zip(floats, bars, strict=True):
                product = ev.op("multiply", y, bar)
                total = ev.op("add", total, ev.op("sum", product) if y.is_array else product)
        outputs = [*form.atoms, *rest.atoms]
        block, atoms = nested.reversed_block(ev, inner, ev.atom(total), outputs)
        placed: Block = []
        with ev.at(placed):
            atoms = nested.spliced(ev, block, atoms, inner)
        wanted = [isinstance(y, Var) and is_float(y.type) for y in form.leaves]
        values, kept, second = _cut(ev, placed, bars, wanted, atoms[: len(outputs)], atoms[len(outputs) :])
    return *_filled(form, rest, values), kept, second


@left_once(1)
def linearized(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
) -> tuple[Value, Value, list[Value], Second]:
    """The value of a call, auxiliary values, what is kept, and the program from tangents to the value's tangent."""
    inner, form, rest = _entered(ev, function, args, kwargs, chosen, has_aux)
    dots = [_direction(x, f"{x.name}_dot") for x in inner.inputs]
    with nested.as_rule(ev):
        program = nested.cleaned(
            ev, Program("inner", [], inner.block, [*form.atoms, *rest.atoms]), inner.inputs
        )
        count = len(form.atoms)
        block, ends = tangent.run(
            program.body,
            dict(zip(inner.inputs, dots, strict=True)),
            program.results[:count],
            ev,
            cancelled(program, ev.joined_roots),
        )
        with ev.at(block):
            tangents = [nested.dot_atom(ev, y, d) for y, d in zip(program.results, ends, strict=False)]
        placed: Block = []
        with ev.at(placed):
            atoms = nested.spliced(ev, block, [*program.results, *tangents], inner)
        count = len(program.results)
        values, kept, second = _cut(ev, placed, dots, [True] * len(dots), atoms[:count], atoms[count:])
    return *_filled(form, rest, values), kept, second


def _entered(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool,
) -> tuple[Inner, Leaves, Leaves]:
    inner = nested.evaluated(ev, function, args, kwargs, chosen)
    output, aux = inner.output, None
    if has_aux:
        output, aux = forms.split_aux(output, ev.origin)
    if may_be_nothing(output):
        raise DerivativeError(
            "the function returns a value that is None on some paths",
            ev.origin,
            "A direction has a number for each number of the result.",
            "Return a number, or say has_aux=True and return it beside the value.",
        )
    return inner, Leaves(output), Leaves(aux)


def _filled(form: Leaves, rest: Leaves, atoms: list[Atom]) -> tuple[Value, Value]:
    count = len(form.atoms)
    return form.filled(atoms[:count]), rest.filled(atoms[count : count + len(rest.atoms)])


def _direction(like: Var, name: str) -> Var:
    kind = Array(like.type.dtype, like.type.shape) if isinstance(like.type, Array) else like.type
    return Var(name, kind, named=True)


def _cut(
    ev: Evaluator,
    block: Block,
    directions: list[Var],
    has_direction: list[bool],
    values: list[Atom],
    results: list[Atom],
) -> tuple[list[Atom], list[Value], Second]:
    """What depends on the directions becomes a program of its own, the rest stays here: the values as they are here."""
    program = opaque.run(Program("whole", [], block, [*values, *results]), ev)
    count = len(values)
    before, after, values, results = split.run(
        program.body, directions, ev, program.results[:count], program.results[count:]
    )
    ev.block.extend(before)
    inside = scopes.bound(before) - {v for s in before for v in defined(s)}  # in a branch, or in a loop
    kept = [v for v in scopes.free(after, directions) if v not in inside]
    kept += [
        r
        for r in dict.fromkeys(results)
        if isinstance(r, Var) and r not in kept and r not in directions and r not in scopes.bound(after)
    ]
    params, copy, ends = clone.run([*kept, *directions], after, results, ev)
    for p in params:
        remeasure.by_itself(p, remeasure.known_in(params, None), ev)
    remeasure.in_scope(params, copy, ev)
    for p in params:
        p.name = p.name or "kept"  # of a test that was printed where it is used
    return values, list(kept), Second(params, copy, ends, params[len(kept) :], has_direction, ev)
