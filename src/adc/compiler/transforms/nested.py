"""Differentiate a call while the program around it is being built: the result is ordinary statements in its place.

The called function is evaluated into a block of its own, on fresh inputs in place of the arguments that it is
differentiated with respect to. So a variable that is both an argument and captured by the function is two things, and
there is no perturbation confusion (Siskind & Pearlmutter, *Perturbation confusion and referential transparency*, 2005).
The block is differentiated and spliced in; whatever transforms stand around it differentiate what they find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler import results
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend import draws
from adc.compiler.frontend.frame import Frame
from adc.compiler.frontend.infer import type_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.frontend.values import ZERO, Value, plain_value
from adc.compiler.ir.nodes import (
    Atom,
    Block,
    Const,
    Keep,
    Program,
    Store,
    Var,
    defined,
    walk,
)
from adc.compiler.ir.types import Scalar, is_complex, is_float
from adc.compiler.leaves import Leaves, without_lists
from adc.compiler.transforms import (
    adjoint,
    aliases,
    cse,
    dead,
    fold,
    own,
    plain,
    propagate,
    renewed,
    scopes,
    snapshots,
    tangent,
    undo,
    unread,
)
from adc.compiler.transforms.leaving import left_once
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.split import rerooted
from adc.pytree import Structure

MOST_TIMES = 3  # as many statements as the user's may be, for a derivative of them
_KINDS = {"float32": np.float32, "complex64": np.complex64, "complex128": complex}


@dataclass(eq=False)
class Inner:
    """A call that was evaluated into a block of its own."""

    block: Block
    output: Value  # containers of Vars and constants
    given: list[Value]  # the leaves of the chosen arguments, as the caller has them
    inputs: list[Var]  # what stands for them in the block
    structures: list[Structure]  # of the chosen arguments


@dataclass(frozen=True)
class Gradient:
    """The gradients of a function with respect to some arguments, as something that can be called in a program."""

    function: Any
    chosen: tuple[int | str, ...]
    has_aux: bool = False
    of_one_element: bool = True  # also of an array, as that of a number

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        _, aux, bars = gradient(
            ev, self.function, args, kwargs, self.chosen, self.has_aux, self.of_one_element
        )
        return (tuple(bars), aux) if self.has_aux else tuple(bars)


@dataclass(frozen=True)
class Slope:
    """The derivative of a function along a fixed direction."""

    function: Any
    tangents: Sequence[Value]

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        return pushed(ev, self.function, args, kwargs, range(len(args)), self.tangents)[1]


# --- what the transforms are made of ----------------------------------------------------------------------------


@left_once(1)
def gradient(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    has_aux: bool = False,
    of_one_element: bool = True,
) -> tuple[Value, Value, list[Value]]:
    """The value of a call, its auxiliary values, and its gradients with respect to the chosen arguments."""
    with swept(ev):
        inner = evaluated(ev, function, args, kwargs, chosen)
    output, aux = inner.output, None
    if has_aux:
        output, aux = results.split_aux(output, ev.origin)
    with ev.at(inner.block):
        if of_one_element:
            output = results.only_element(output, ev)
        value = results.number(output, ev.origin, has_aux)
    form = Leaves(aux)
    with as_rule(ev):
        found, bars = _adjoints(ev, inner, value, [value, *form.atoms])
    return plain_value(found[0]), form.filled(found[1:]), _rebuilt(inner.structures, bars)


@left_once(2)
def pushed(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    tangents: Sequence[Value],
    has_aux: bool = False,
) -> tuple[Value, Value, Value]:
    """The value of a call, its tangent along `tangents` (one container per chosen argument), auxiliary values."""
    inner = evaluated(ev, function, args, kwargs, chosen)
    output, aux = inner.output, None
    if has_aux:
        output, aux = results.split_aux(output, ev.origin)
    seeds = _seeds(ev, inner, tangents)
    form, rest = Leaves(output), Leaves(aux)
    with as_rule(ev):
        outputs = [*form.atoms, *rest.atoms]
        program = cleaned(ev, Program("inner", [], inner.block, outputs), inner.inputs)
        block, dots = tangent.run(
            program.body,
            seeds,
            program.results[: len(form.atoms)],
            ev,
            cancelled(program, ev.joined_roots),
        )
        with ev.at(block):
            ends = [dot_atom(ev, x, d) for x, d in zip(program.results, dots, strict=False)]
            ends = [_apart(ev, end, seeds.values()) for end in ends]
        found = spliced(ev, block, [*program.results, *ends], inner)
    count = len(form.atoms)
    return (
        form.filled(found[:count]),
        form.filled(found[len(outputs) :], zeros_for_others=True),
        rest.filled(found[count : len(outputs)]),
    )


@left_once(1)
def pulled(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
    cotangent: Callable[[Value], Value],
    has_aux: bool = False,
) -> tuple[Value, Value, list[Value]]:
    """The value of a call, auxiliary values, and the adjoints of the chosen arguments.

    `cotangent` is given the value and returns its cotangent, in a container of the same structure.
    """
    with swept(ev):
        inner = evaluated(ev, function, args, kwargs, chosen)
    output, aux = inner.output, None
    if has_aux:
        output, aux = results.split_aux(output, ev.origin)
    with ev.at(inner.block):
        bar = cotangent(output)
    form, rest = Leaves(output), Leaves(aux)
    with as_rule(ev):
        with ev.at(inner.block):
            total = _paired(ev, form, bar)
        found, bars = _adjoints(ev, inner, ev.atom(total), [*form.atoms, *rest.atoms])
    count = len(form.atoms)
    return form.filled(found[:count]), rest.filled(found[count:]), _rebuilt(inner.structures, bars)


def _apart(ev: Evaluator, dot: Atom, seeds: Iterable[Any]) -> Atom:
    """A tangent that may be written to: not one of those that were given, nor a view of it."""
    given = {s.root for s in seeds if isinstance(s, Var)}
    if isinstance(dot, Var) and dot.is_array and not given.isdisjoint(behind([dot.root], ev.joined_roots)):
        return ev.atom(ev.op("copy", dot))
    return dot


# --- entering ---------------------------------------------------------------------------------------------------


@contextmanager
def swept(ev: Evaluator) -> Iterator[None]:
    """A reverse sweep goes over what is evaluated within: one more than over what is around it."""
    ev.sweeps += 1
    try:
        yield
    finally:
        ev.sweeps -= 1


def evaluated(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    chosen: Sequence[int | str],
) -> Inner:
    """The call, evaluated into a block of its own on fresh inputs for the leaves of the chosen arguments."""
    positional, named = list(args), dict(kwargs)
    given: list[Value] = []
    inputs: list[Var] = []
    structures: list[Structure] = []
    for key in chosen:
        container: Any = named if isinstance(key, str) else positional
        label = key if isinstance(key, str) else f"x{key}"
        leaves, structure = pytree.flatten(without_lists(container[key]), settings=True)
        fresh = []
        for leaf in leaves:
            leaf = as_float(ev, leaf)
            given.append(leaf)
            fresh.append(_fresh(ev, leaf, label))
        inputs += fresh
        structures.append(structure)
        container[key] = with_lists(pytree.unflatten(structure, fresh), ev)
    containers: list[Any] = [positional, named]
    places = [
        (container, key)
        for container in containers
        for key, x in (container.items() if container is named else enumerate(container))
        if isinstance(x, Var) and x.is_array and x not in inputs
    ]

    def call(arrays: list[Value]) -> Value:
        for (container, key), array in zip(places, arrays, strict=True):
            container[key] = array
        return without_lists(ev.result(function, positional, named))

    block: Block = []
    with ev.at(block), ev.draws.of_a_call():
        arrays = [container[key] for container, key in places]
        output = own.on_copies(ev, arrays, call, list(zip(inputs, given, strict=True)))
    draws.carry_out(ev, block)
    return Inner(block, output, given, inputs, structures)


def as_float(ev: Evaluator, leaf: Value) -> Value:
    """A leaf that something is differentiated with respect to: an integer constant counts as a float."""
    t = ev.type_of(leaf)
    if t is None or t.dtype == "bool":
        raise ev.refuse(
            f"a derivative with respect to a {type(leaf).__name__} is asked for",
            "only floats and arrays of floats have derivatives",
            "choose other arguments with argnums",
        )
    if is_float(t):
        return leaf
    if isinstance(leaf, Var):
        raise ev.refuse(
            "a derivative with respect to an integer is asked for",
            "integers have no neighbourhood",
            "pass a float",
        )
    return float(leaf)


def _fresh(ev: Evaluator, leaf: Value, label: str) -> Var:
    if isinstance(leaf, Var):
        return Var(leaf.name, leaf.type, named=leaf.named)
    t = ev.type_of(leaf)
    assert isinstance(t, Scalar)
    return Var(label, t)


def _seeds(ev: Evaluator, inner: Inner, tangents: Sequence[Value]) -> dict[Var, Value]:
    """The tangent of each input. Raises UnsupportedError where a tangent does not have its primal's structure."""
    dots: list[Value] = []
    for structure, given in zip(inner.structures, tangents, strict=True):
        leaves, its_structure = pytree.flatten(without_lists(given), settings=True)
        if its_structure != structure:
            raise ev.refuse(
                f"a tangent has the structure {its_structure}, its primal {structure}",
                repair="give a tangent for every leaf",
            )
        dots += leaves
    return {x: fitting(ev, dot, x, "tangent") for x, dot in zip(inner.inputs, dots, strict=True)}


def fitting(ev: Evaluator, dot: Value, primal: Var, what: str) -> Value:
    """A tangent or cotangent with its primal's dtype, its shape checked."""
    t = ev.type_of(dot)
    if t is None or t.ndim != primal.type.ndim:
        shown = "no number" if t is None else f"{t.ndim} axes"
        raise ev.refuse(
            f"the {what} of `{primal.name}` has {shown}, its primal {primal.type.ndim}",
            repair=f"give it the shape of `{primal.name}`",
        )
    for a, b in zip(t.shape, primal.type.shape, strict=True):
        ev.require_equal(a, b, f"the {what} of `{primal.name}` has another shape than its primal")
    if is_complex(t) and not is_complex(primal.type):
        raise ev.refuse(
            f"the {what} of `{primal.name}` is complex, its primal real", repair=f"give a real {what}"
        )
    if isinstance(dot, Var):
        return dot if dot.type.dtype == primal.type.dtype else ev.cast(dot, primal.type.dtype)
    return complex(dot) if is_complex(primal.type) else float(dot)


# --- differentiating --------------------------------------------------------------------------------------------


def _adjoints(ev: Evaluator, inner: Inner, value: Atom, extra: list[Atom]) -> tuple[list[Atom], list[Atom]]:
    """The atoms of `extra` and the adjoints of the inputs, spliced into the current block."""
    found = spliced(ev, *reversed_block(ev, inner, value, extra), inner)
    return found[: len(extra)], found[len(extra) :]


def reversed_block(ev: Evaluator, inner: Inner, value: Atom, extra: list[Atom]) -> tuple[Block, list[Atom]]:
    """The evaluated call followed by its reverse sweep; the atoms of `extra` and the adjoints of the inputs."""
    refuse_stacks(ev, inner.block)
    program = Program("inner", [], inner.block, [value, *extra])
    with ev.at(inner.block):
        written = written_roots(walk(program.body), ev.joined_roots)
        # The reverse sweep undoes the writes.
        program.results[1:] = [
            ev.op("copy", v) if isinstance(v, Var) and v.is_array and v.root in written else v for v in extra
        ]
    program = cleaned(ev, program, inner.inputs)
    value, *extra = program.results
    output = value if isinstance(value, Var) else None
    passive = unread.passive(program, inner.inputs)
    program = adjoint.run(program, inner.inputs, output, extra, ev)
    if output is not None:
        program.results = program.results[1:]
    block, found = _reversed(ev, program, passive)
    bars = [as_dtype(bar, x) for x, bar in zip(inner.inputs, found[len(extra) :], strict=True)]
    return block, [*found[: len(extra)], *bars]


def _reversed(ev: Evaluator, program: Program, passive: set[Var]) -> tuple[Block, list[Atom]]:
    """The program after the reverse sweep, cleaned and made ordinary."""
    joined = ev.joined_roots
    program = propagate.run(program, ev)
    with ev.at([]):
        program = unread.after_reverse(program, ev, passive)
    program = dead.run(program, joined)
    program = undo.run(program, joined)
    program = dead.run(program, joined)
    program = _kept_block(ev, fold.run, program)
    program = _kept_block(ev, cse.run, program)
    program = propagate.run(program, ev)
    program = dead.run(program, joined)
    program = plain.run(program, ev)
    return program.body, program.results


def cleaned(ev: Evaluator, program: Program, inputs: list[Var]) -> Program:
    """The program as a transform takes it: nothing twice, nothing dead, writes to carried arrays made safe."""
    program.params = [*inputs, *scopes.free(program.body, inputs)]
    program = snapshots.run(program, ev)
    program = propagate.run(program, ev)
    program = _kept_block(ev, cse.run, program)
    program = _kept_block(ev, unread.run, program)
    program = dead.run(program, ev.joined_roots)
    program = _kept_block(ev, renewed.run, program)
    program = aliases.run(program, ev)
    own = scopes.bound(program.body) | set(inputs)
    for s in walk(program.body):
        if isinstance(s, Store) and s.array.root not in own:
            raise ev.refuse(
                f"a function that is differentiated here writes to `{s.array.name}`, which belongs to the "
                "function around it",
                repair="return the new value",
            )
    return program


def _kept_block(ev: Evaluator, stage: Callable[[Program, Evaluator], Program], program: Program) -> Program:
    """Some stages use the evaluator's current block as scratch."""
    with ev.at([]):
        return stage(program, ev)


def refuse_stacks(ev: Evaluator, block: Block) -> None:
    if any(isinstance(s, Keep) for s in walk(block)):
        raise ev.refuse(
            "a second reverse sweep over a loop whose number of trips is not known is not supported",
            "the first sweep keeps its values on a stack that grows",
            "use adc.jvp, jacfwd or hvp around the gradient",
        )


# --- splicing ---------------------------------------------------------------------------------------------------


def spliced(ev: Evaluator, block: Block, atoms: list[Atom], inner: Inner) -> list[Atom]:
    """Append a block to the current one, the given arguments in place of its inputs; `atoms` as they are there."""
    written = {s.array.root for s in walk(block) if isinstance(s, Store)}
    table: dict[Var, Atom] = {}
    roots: dict[Var, Var] = {}
    for x, leaf in zip(inner.inputs, inner.given, strict=True):
        if isinstance(leaf, Var) and leaf.is_array:
            own = leaf
            if x in written:
                own = ev.op("copy", leaf)
                own.name, own.named = x.name, x.named
            table[x], roots[x] = own, own
        else:
            table[x] = ev.atom(leaf)
    block = substitute(block, table)
    rerooted(block, roots, ev)
    for s in walk(block):
        if isinstance(s, Store):
            ev.mutated.setdefault(s.array.root, s.origin)
        for v in defined(s):
            ev.broadcast_of.pop(v, None)  # what was broadcast may be gone
    ev.block.extend(block)
    return [operand(a, table) for a in atoms]


@contextmanager
def as_rule(ev: Evaluator) -> Iterator[None]:
    """Statements made inside are not the user's own, and lengths that were ever equal count as equal.

    So they are not held against the user's where code is made for some sizes: a derivative is a few times as long as
    what it is of, and what has a gradient is to have a product with the Hessian.
    """
    frame, equal, spent, most = ev.frame, ev.equal, ev.spent, ev.most
    is_open, ev.left_outside.is_open = ev.left_outside.is_open, False
    ev.frame, ev.equal = Frame(None, {}, {}, depth=frame.depth), ev.ever_equal
    ev.most = None if most is None else MOST_TIMES * most
    try:
        yield
    finally:
        ev.frame, ev.equal, ev.spent, ev.most = frame, equal, spent, most
        ev.left_outside.is_open = is_open


# --- the ends ---------------------------------------------------------------------------------------------------


def dot_atom(ev: Evaluator, x: Atom, dot: Value) -> Atom:
    """The tangent of an output as a value of its own shape."""
    if dot is not ZERO:
        return as_dtype(ev.atom(dot), x)
    if isinstance(x, Var) and x.is_array:
        if is_float(x.type):
            return ev.zeros_like(x)
        zero = ev.op("zeros", ev.shape_values(x.type.shape))
        assert isinstance(zero, Var)
        return zero
    return as_dtype(Const(0.0), x)


def as_dtype(derivative: Atom, of: Atom) -> Atom:
    """A derivative that is a constant, as a number of the dtype that its primal has."""
    known = type_of(of)
    if isinstance(derivative, Const) and known is not None and known.dtype in _KINDS:
        return Const(_KINDS[known.dtype](derivative.value))
    return derivative


def _paired(ev: Evaluator, form: Leaves, bar: Value) -> Value:
    """The sum of all products of output and cotangent, whose gradient is the pull of the cotangent."""
    bars, structure = pytree.flatten(without_lists(bar))
    if structure != form.structure:
        raise ev.refuse(
            f"the cotangent has the structure {structure}, the result {form.structure}",
            repair="give a cotangent for every leaf of the result",
        )
    total: Value = 0.0
    for x, b in zip(form.leaves, bars, strict=True):
        if not isinstance(x, Var) or not is_float(x.type):
            continue
        product = ev.op("multiply", x, fitting(ev, b, x, "cotangent"))
        total = ev.op("add", total, ev.op("sum", product) if x.is_array else product)
    return total


def _rebuilt(structures: Sequence[Structure], atoms: Sequence[Atom]) -> list[Value]:
    """The leaves in the containers of the arguments."""
    rest = [plain_value(a) for a in atoms]
    found = []
    for structure in structures:
        found.append(pytree.unflatten(structure, rest[: structure.size]))
        rest = rest[structure.size :]
    return found
