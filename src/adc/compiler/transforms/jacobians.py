"""Whole Jacobians and Hessians inside one program: a loop over unit directions around what depends on the direction.

Forward mode pushes the unit tangents of an input, reverse mode pulls the unit cotangents of a result. What does not
depend on the direction, the primal above all, is computed once, in front of the loop (`split`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler import results
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.infer import type_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import ZERO, Value, plain_value
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, For, Program, Var
from adc.compiler.ir.types import Array, Scalar, is_complex, is_float
from adc.compiler.leaves import Leaves
from adc.compiler.transforms import chunks, clone, nested, split, tangent, units
from adc.compiler.transforms.leaving import left_once
from adc.compiler.transforms.nested import Gradient, Inner
from adc.errors import DerivativeError
from adc.rules.dims import Dim

__all__ = ["automatic", "forward", "hessian", "reverse"]

OF_COMPLEX = (
    "a matrix of derivatives with respect to complex numbers is asked for",
    "a complex number moves in two directions, and a column has room for one",
    "pass the real and the imaginary part as two arguments, or take adc.vjp or adc.jvp",
)
Evaluate = Callable[[], tuple[Inner, Leaves, Leaves]]  # evaluates the call once more
Write = Callable[[tuple[Atom, ...]], None]  # stores what belongs to one direction
# (leaf of the result, leaf of the arguments) -> block of the Jacobian.
Matrices = dict[tuple[int, int], Value]


@left_once(1)
def forward(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
    several: bool = False,
    chunk: int = chunks.CHUNK,
) -> tuple[Value, Value]:
    """The Jacobian by forward mode, and auxiliary values. `several`: a tuple over the chosen arguments in each leaf."""
    evaluate = _evaluation(ev, function, args, kwargs, chosen, has_aux)
    inner, form, aux, columns = _all_pushed(ev, evaluate, False, chunk)
    return _nested(inner, form, columns, several), aux


@left_once(1)
def automatic(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
    several: bool = False,
    chunk: int = chunks.CHUNK,
) -> tuple[Value, Value]:
    """The Jacobian by the mode that needs fewer directions, as far as the lengths are known now."""
    inner, form, _ = _evaluation(ev, function, args, kwargs, chosen, has_aux)()
    inputs, outputs = _elements(inner.given), _elements(form.atoms)
    # Lengths that are only known at run time: forward, whose directions need nothing kept.
    mode = reverse if outputs is not None and (inputs is None or outputs < inputs) else forward
    return mode(ev, function, args, kwargs, chosen, has_aux, several, chunk)


def _elements(values: Sequence[Value]) -> int | None:
    """How many numbers there are in some values; None while that depends on lengths."""
    total = 0
    for v in values:
        lengths = [d.known for d in v.type.shape] if isinstance(v, Var) and isinstance(v.type, Array) else []
        if None in lengths:
            return None
        total += math.prod(n for n in lengths if n is not None)
    return total


@left_once(1)
def hessian(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
    several: bool = False,
    chunk: int = chunks.CHUNK,
) -> tuple[Value, Value]:
    """The Hessian, and auxiliary values; forward over reverse. `several`: a tuple over the chosen arguments.

    A block of that of a number is symmetric with its mirror block, so each direction fills a row. Of arrays and
    containers it is the Jacobian of the Jacobian.
    """
    gradient = Gradient(function, tuple(chosen), has_aux, of_one_element=False)
    evaluate = _evaluation(ev, gradient, args, kwargs, chosen, has_aux)
    try:
        inner, form, aux, columns = _all_pushed(ev, evaluate, True, chunk)
    except DerivativeError:  # not of a number
        rows_of = _Rows(function, tuple(chosen), has_aux, several, chunk)
        return forward(ev, rows_of, args, kwargs, chosen, has_aux, several, chunk)
    rows = {(k, j): block for (j, k), block in columns.items()}
    found = _nested(inner, form, rows, several)
    return found if several else found[0], aux


@dataclass(frozen=True)
class _Rows:
    """The Jacobian of a function by reverse mode, as something that can be called in a program."""

    function: Any
    chosen: tuple[int | str, ...]
    has_aux: bool
    several: bool
    chunk: int

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        found, aux = reverse(
            ev, self.function, args, kwargs, self.chosen, self.has_aux, self.several, self.chunk
        )
        return (found, aux) if self.has_aux else found


@left_once(1)
def reverse(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
    several: bool = False,
    chunk: int = chunks.CHUNK,
) -> tuple[Value, Value]:
    """The Jacobian by reverse mode, and auxiliary values. `several`: a tuple over the chosen arguments in each leaf.

    A pull gives a real argument the real part of the derivative of a complex result, so such results are pushed.
    """
    evaluate = _evaluation(ev, function, args, kwargs, chosen, has_aux)
    matrices: Matrices = {}
    aux: Value = None
    position = 0
    while True:
        with nested.swept(ev):
            inner, form, rest = evaluate()
        if position == 0:
            if any(_dtype(y).startswith("complex") for y in form.atoms):
                return forward(ev, function, args, kwargs, chosen, has_aux, several, chunk)
            aux = _values(ev, inner, rest)
        found = _pulled(ev, inner, form, position, chunk)
        matrices.update({(position, k): block for k, block in enumerate(found)})
        position += 1
        if position >= len(form.atoms):
            return _nested(inner, form, matrices, several), aux


def _evaluation(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool,
) -> Evaluate:
    def evaluate() -> tuple[Inner, Leaves, Leaves]:
        inner = nested.evaluated(ev, function, args, kwargs, chosen)
        if any(is_complex(x.type) for x in inner.inputs):
            raise ev.refuse(*OF_COMPLEX)
        output, aux = inner.output, None
        if has_aux:
            output, aux = results.split_aux(output, ev.origin)
        form = Leaves(output)
        if not form.atoms:
            raise results.not_a_number(output, ev.origin, has_aux)
        form.refuse_chosen(ev, "the jacobian", "say has_aux=True, and return it beside the value")
        return inner, form, Leaves(aux)

    return evaluate


# --- forward ----------------------------------------------------------------------------------------------------


def _all_pushed(
    ev: Evaluator, evaluate: Evaluate, direction_first: bool, chunk: int
) -> tuple[Inner, Leaves, Value, Matrices]:
    matrices: Matrices = {}
    aux: Value = None
    position = 0
    while True:
        inner, form, rest = evaluate()
        found = _pushed(ev, inner, form, rest, position, direction_first, chunk)
        matrices.update({(j, position): block for j, block in enumerate(found[: len(form.atoms)])})
        if position == 0:
            aux = rest.filled([ev.atom(v) for v in found[len(form.atoms) :]])
        position += 1
        if position >= len(inner.inputs):
            return inner, form, aux, matrices


def _pushed(
    ev: Evaluator,
    inner: Inner,
    form: Leaves,
    rest: Leaves,
    position: int,
    direction_first: bool,
    chunk: int,
) -> list[Value]:
    """The derivatives of all results with respect to one input, and the auxiliary values."""
    x = inner.inputs[position]
    whole: Block = []
    with nested.as_rule(ev):
        program = nested.cleaned(
            ev, Program("inner", [], inner.block, [*form.atoms, *rest.atoms]), inner.inputs
        )
        ys = program.results[: len(form.atoms)]
        unit = _unit(x, f"{x.name}_dot")
        with ev.at(whole):
            lengths = ev.shape_values(x.type.shape)
        block, dots = tangent.run(
            program.body,
            {x: 1.0 if unit is None else unit},
            ys,
            ev,
            cancelled(program, ev.joined_roots),
        )
        with ev.at(whole):
            if unit is None:
                ev.block.extend(block)
                found = [nested.dot_atom(ev, y, dot) for y, dot in zip(ys, dots, strict=True)]
            else:
                values = [*(y for y in ys if isinstance(y, Var) and y.is_array), *program.results[len(ys) :]]
                before, after, values, dots = split.run(block, [unit], ev, values, dots)
                ev.block.extend(before)
                rest_values = iter(values)
                ys = [next(rest_values) if isinstance(y, Var) and y.is_array else y for y in ys]
                program.results[len(ys) :] = rest_values
                found = [_made(ev, "empty", (x, y) if direction_first else (y, x), _dtype(y)) for y in ys]

                def write(index: tuple[Atom, ...]) -> None:
                    for target, y, dot in zip(found, ys, dots, strict=True):
                        axes = (FULL,) * (y.type.ndim if isinstance(y, Var) else 0)
                        assert isinstance(target, Var)
                        ev.store(
                            target,
                            (*index, *axes) if direction_first else (*axes, *index),
                            0.0 if dot is ZERO else dot,
                        )

                _over_units(ev, unit, lengths, after, write, chunk)
        atoms = nested.spliced(ev, whole, [*found, *program.results[len(form.atoms) :]], inner)
    return [plain_value(a) for a in atoms]


def _dtype(y: Atom) -> str:
    t = type_of(y)
    return t.dtype if t is not None and is_float(t) else "float64"


# --- reverse ----------------------------------------------------------------------------------------------------


def _pulled(ev: Evaluator, inner: Inner, form: Leaves, position: int, chunk: int) -> list[Value]:
    """The derivatives of one result with respect to all inputs."""
    y = form.atoms[position]
    whole: Block = []
    with nested.as_rule(ev):
        unit = _unit(y, f"{y.name}_bar" if isinstance(y, Var) else "")
        with ev.at(inner.block):
            total = y if unit is None else ev.atom(ev.op("sum", ev.op("multiply", y, unit)))
        if isinstance(y, Var) and not is_float(y.type):
            total = Const(0.0)
        if unit is None:
            block, (y, *found) = nested.reversed_block(ev, inner, total, [y])
            whole += block
            if isinstance(y, Var) and isinstance(y.type, Array):  # of integers, all of which are constant
                with ev.at(whole):
                    found = [_made(ev, "zeros", (y, x), x.type.dtype) for x in inner.inputs]
        else:
            block, (y, *bars) = nested.reversed_block(ev, inner, total, [y])
            before, after, (y,), bars = split.run(block, [unit], ev, [y], bars)
            with ev.at(whole):
                ev.block.extend(before)
                found = [_made(ev, "empty", (y, x), x.type.dtype) for x in inner.inputs]

                def write(index: tuple[Atom, ...]) -> None:
                    for target, x, bar in zip(found, inner.inputs, bars, strict=True):
                        assert isinstance(target, Var)
                        ev.store(target, (*index, *(FULL,) * x.type.ndim), bar)

                assert isinstance(y, Var) and isinstance(y.type, Array)
                unit.type = Array(unit.type.dtype, y.type.shape)  # by what is there now
                _over_units(ev, unit, ev.shape_values(y.type.shape), after, write, chunk)
        atoms = nested.spliced(ev, whole, list(found), inner)
    return [plain_value(a) for a in atoms]


def _values(ev: Evaluator, inner: Inner, rest: Leaves) -> Value:
    """Auxiliary values by themselves."""
    if not rest.atoms:
        return rest.filled([])
    with nested.as_rule(ev):
        # On variables of its own: the block is differentiated, too.
        _, block, atoms = clone.run([], inner.block, rest.atoms, ev, inside=True)
        program = nested.cleaned(ev, Program("inner", [], block, atoms), inner.inputs)
        return rest.filled(nested.spliced(ev, program.body, program.results, inner))


# --- both -------------------------------------------------------------------------------------------------------


def _unit(like: Atom, name: str) -> Var | None:
    """An array for unit directions, made later; None for a number."""
    if not isinstance(like, Var) or not isinstance(like.type, Array) or not is_float(like.type):
        return None
    return Var(name, Array(like.type.dtype, like.type.shape), named=True)


def _over_units(
    ev: Evaluator, unit: Var, lengths: Sequence[Value], body: Block, write: Write, chunk: int
) -> None:
    """Loops over the elements of `unit`: it is one there and zero elsewhere while `body` runs."""
    zeros: Block = []
    with ev.at(zeros):
        made = ev.op("zeros", tuple(lengths), dtype=np.dtype(unit.type.dtype))
    definition = zeros.pop()
    assert isinstance(made, Var) and isinstance(definition, Assign) and not zeros
    indices = tuple(Var("direction", Scalar("int64", True), named=True) for _ in lengths)
    for index in indices:
        index.dim = Dim.symbol("value", index)
    block: Block = []
    with ev.at(block):
        # Made anew in each trip: what the body carries round a loop may be this very array.
        ev.block.append(Assign((unit,), definition.op, definition.args, ev.origin))
        ev.store(unit, indices, 1.0)
    one = len(indices) == 1
    with ev.at(body := units.run(body, unit, indices[0], ev) if one else list(body)):
        write(indices)
    chunked = chunks.run(block, body, indices[0], ev.atom(lengths[0]), ev, chunk) if one else None
    if chunked is not None:
        ev.block.extend(chunked)
        return
    block += body
    for index, length in zip(reversed(indices), reversed(lengths), strict=True):
        block = [For(index, Const(0), ev.atom(length), Const(1), [], block, ev.origin)]
    ev.block.extend(block)


def _made(ev: Evaluator, how: str, parts: Sequence[Atom], dtype: str) -> Atom:
    """An array with the axes of `parts`, by np.empty or np.zeros."""
    shape = [d for p in parts if isinstance(p, Var) and isinstance(p.type, Array) for d in p.type.shape]
    result = ev.op(how, ev.shape_values(tuple(shape)), dtype=np.dtype(dtype))
    assert isinstance(result, Var)
    result.name, result.named = "jacobian", True
    return result


def _nested(inner: Inner, form: Leaves, matrices: Matrices, several: bool) -> Value:
    """The container of the result, with the container of an argument (or a tuple of them) in each leaf."""
    rows = []
    for j in range(len(form.atoms)):
        row = []
        start = 0
        for structure in inner.structures:
            row.append(
                pytree.unflatten(structure, [matrices[j, k] for k in range(start, start + structure.size)])
            )
            start += structure.size
        rows.append(tuple(row) if several else row[0])
    return form.filled_with(rows)
