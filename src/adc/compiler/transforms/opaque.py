"""Calls whose derivative is given, or is to be taken as a whole: one operation until every transform is done.

`call` evaluates the function into a block that is set aside, and puts a single operation in its place, whose pull and
push come with it. After the last transform `run` puts the block back. So a custom rule is what the reverse sweep and
the tangents see, and a checkpointed function leaves nothing but its arguments for the sweep.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.left_outside import nothing_left
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Operand,
    Program,
    Var,
    bound_inside,
    change_blocks,
    defined,
    length_variables,
    owners,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, is_float, is_integer
from adc.compiler.leaves import Leaves, without_lists
from adc.compiler.transforms import scopes
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.split import rerooted
from adc.pytree import whole
from adc.rules.dims import Dim
from adc.rules.operation import Operation

__all__ = ["Inlined", "Rule", "call", "has_opaque", "run", "user_code"]

# Dearer than anything that the reverse sweep would compute again rather than keep.
COST = 1_000_000


class Rule:
    """How derivatives pass an opaque call; leaves are the numbers and arrays of its arguments, in order."""

    what = "a function with a custom rule"

    def pull(
        self, ev: Evaluator, leaves: list[Value], results: list[Value], bars: list[Value]
    ) -> list[Value]:
        """The adjoint of each leaf from those of the results; None where there is none."""
        raise ev.refuse("a custom rule for forward mode alone meets a reverse sweep")

    def push(
        self, ev: Evaluator, leaves: list[Value], results: list[Value], dots: list[Value]
    ) -> list[Value]:
        """The tangent of each result from those of the leaves."""
        raise ev.refuse(
            "forward mode meets a function with a custom_vjp",
            "only its pull is given",
            "use adc.custom_jvp, which serves both modes, or reverse mode alone: grad of grad, jacrev",
        )


@dataclass(eq=False)
class _Aside:
    """The block behind an opaque operation."""

    params: list[Var]
    block: Block
    results: list[Atom]


@whole
@dataclass(frozen=True)
class Inlined:
    """Something that is called in a program, given as what its call means there."""

    inline: Callable[[Evaluator, Sequence[Value], dict[str, Value]], Value]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("this is called in programs that are being compiled, and nowhere else")

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        return self.inline(ev, args, kwargs)


def call(
    ev: Evaluator,
    name: str,
    leaves: list[Value],
    forward: Callable[[list[Value]], Value],
    rule: Rule,
    captures: bool = False,
) -> Value:
    """The value of `forward(leaves)`, computed by one opaque operation that is differentiated by `rule`.

    `captures`: the function may read values of the program around it other than `leaves`.
    """
    given = [x for x in leaves if isinstance(x, Var)]
    params = [Var(x.name, x.type, named=x.named, dim=x.dim) for x in given]
    inside = iter(params)
    block: Block = []
    with ev.at(block), nothing_left(ev, f"`{name}`, which has a rule of its own or is checkpointed"):
        output = without_lists(forward([next(inside) if isinstance(x, Var) else x for x in leaves]))
    own_inputs = {c.param for c in ev.captures}
    form = Leaves(output)
    results = [a for a in form.atoms if isinstance(a, Var)]
    own = {v for s in walk(block) for v in (*defined(s), *bound_inside(s))} | set(params)
    # What is handed on as it stands outside is read, too, though no statement reads it.
    handed_on = [v for v in results if v not in own]
    free = [v for v in dict.fromkeys((*scopes.free(block, params), *handed_on)) if v not in own_inputs]
    dims = {v for x in given for v in length_variables(x)}
    # Lengths of an argument may be read: they stand for those of the parameter.
    read = {v for s in walk(block) if not (isinstance(s, Assign) and s.name == "dim") for v in uses(s)}
    others = [v for v in free if v not in dims and (v not in given or v in read)]
    caught = [v for v in others if is_float(v.type)]
    # Of a loop or a branch, where the reverse sweep has a loop or a branch of its own.
    inner = [v for v in others if not is_float(v.type)] if ev.region_depth else []
    if (caught or inner) and not captures:
        raise ev.refuse(
            f"{rule.what} reads `{[*caught, *inner][0].name}` of the function around it",
            "its derivative is that with respect to its arguments"
            if caught
            else "its derivative runs in another place",
            "pass it as an argument; of a method, what the object holds",
        )
    if not results:
        ev.block.extend(substitute(block, dict(zip(params, given, strict=True))))
        return output
    targets = tuple(_target(v, own) for v in results)
    rule_leaves, results_count = leaves, len(form.atoms)
    names = [f"x{k}" for k in range(len(given))]
    wrt = tuple(n for n, x in zip(names, given, strict=True) if is_float(x.type))

    def whole(values: Sequence[Value]) -> list[Value]:
        rest = iter(values)
        return [next(rest) if isinstance(x, Var) else x for x in rule_leaves]

    def all_results(z: Value) -> list[Value]:
        rest = iter(z if isinstance(z, tuple) else (z,))
        found = [next(rest) if isinstance(a, Var) else a.value for a in form.atoms]
        assert len(found) == results_count
        return found

    def pulled(ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        z_bar, z, *values = args
        rest = iter(z_bar if isinstance(z_bar, tuple) else (z_bar,))
        bars = [next(rest) if isinstance(a, Var) else None for a in form.atoms]
        with user_code(ev, frame):
            found = rule.pull(ev, whole(values), all_results(z), bars)
        kept = [g for g, x in zip(found, rule_leaves, strict=True) if isinstance(x, Var) and is_float(x.type)]
        return kept[0] if len(kept) == 1 else tuple(kept)

    def pushed(ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        z, *values = args
        dots = iter([kwargs.get(f"{n}_dot", 0.0) for n in names])
        leaf_dots = [next(dots) if isinstance(x, Var) else 0.0 for x in rule_leaves]
        with user_code(ev, frame):
            found = rule.push(ev, whole(values), all_results(z), leaf_dots)
        kept = [d for d, a in zip(found, form.atoms, strict=True) if isinstance(a, Var)]
        return kept[0] if len(kept) == 1 else tuple(kept)

    frame = ev.frame
    ev.opaque_calls += 1
    operation = Operation(
        f"{name} {ev.opaque_calls}",
        "general",
        function=forward,
        parameters=tuple(inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names),
        wrt=wrt,
        pull=Inlined(pulled),
        push=Inlined(pushed),
        spelling=name,
        cost=COST,
        extra={"aside": _Aside(params, block, list(results))},
    )
    ev.block.append(Assign(targets, operation, tuple(given), ev.origin))
    rest = iter(targets)
    return form.filled([next(rest) if isinstance(a, Var) else a for a in form.atoms])


@contextmanager
def user_code(ev: Evaluator, frame: Any) -> Iterator[None]:
    """What is evaluated inside is the user's own code, also while a rule is being inlined."""
    outer, ev.frame = ev.frame, frame
    try:
        yield
    finally:
        ev.frame = outer


def _target(v: Var, own: set[Var]) -> Var:
    """A variable of the type of a result, its lengths told without what is set aside."""
    target = Var(v.name, v.type, named=v.named)
    if isinstance(v.type, Array):
        shape = tuple(
            Dim.symbol("shape", target, k) if any(u in own for u in owners(d)) else d
            for k, d in enumerate(v.type.shape)
        )
        target.type = Array(v.type.dtype, shape, v.type.layout if v.view_of is None else "A")
    elif is_integer(v.type):
        target.dim = Dim.symbol("value", target)
    return target


# --- putting the blocks back ------------------------------------------------------------------------------------


def has_opaque(block: Block) -> bool:
    return any(
        isinstance(s, Assign) and not isinstance(s.op, str) and "aside" in s.op.extra for s in walk(block)
    )


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the statements behind each opaque operation in its place."""
    while has_opaque(program.body):
        expansion = _Expansion(evaluator)
        program.body = expansion.block(program.body)
        program.body = substitute(program.body, expansion.table)
        rerooted(program.body, expansion.roots, evaluator)
        program.results = [operand(r, expansion.table) for r in program.results]
    return program


class _Expansion:
    def __init__(self, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.table: dict[Var, Atom] = {}
        self.roots: dict[Var, Var] = {}
        self.done: set[int] = set()

    def block(self, block: Block) -> Block:
        out: Block = []
        for stmt in block:
            if isinstance(stmt, Assign) and not isinstance(stmt.op, str) and "aside" in stmt.op.extra:
                out += self._expanded(stmt, stmt.op.extra["aside"])
                continue
            change_blocks(stmt, self.block)
            out.append(stmt)
        return out

    def _expanded(self, stmt: Assign, aside: _Aside) -> Block:
        assert id(aside) not in self.done, f"{stmt.name} stands in the program twice"
        self.done.add(id(aside))
        given: dict[Var, Operand] = dict(zip(aside.params, stmt.args, strict=True))
        joined = self.ev.joined_roots
        written = written_roots(walk(aside.block), joined)
        may_be = [behind([r.root], joined) if isinstance(r, Var) else set() for r in aside.results]
        own = {v for s in walk(aside.block) for v in (*defined(s), *bound_inside(s))}
        out: Block = []
        roots: dict[Var, Var] = {}
        with self.ev.at(out), self.ev.origin_at(stmt.origin):
            for p, x in list(given.items()):
                if p.is_array and isinstance(x, Var):
                    if p in written:
                        x = given[p] = self.ev.op("copy", x)
                    roots[p] = x
            block = substitute(aside.block, given)
            rerooted(block, roots, self.ev)
            self.ev.block.extend(block)
            taken: set[Var] = set()
            for target, result, roots_of in zip(stmt.targets, aside.results, may_be, strict=True):
                value = operand(result, given)
                if isinstance(value, Var) and value.is_array:
                    if not roots_of <= own - taken or value.view_of is not None:
                        value = self.ev.op("copy", value)  # memory of its own, as what an operation returns
                    taken |= roots_of
                    self.roots[target] = value
                    self.ev.shape_source[target] = value
                elif (
                    isinstance(value, Const)
                    and target.type.dtype == "float64"
                    and isinstance(value.value, (int, float))
                ):
                    value = Const(float(value.value))
                self.table[target] = value
        return out
