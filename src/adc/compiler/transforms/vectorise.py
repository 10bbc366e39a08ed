"""In loops that LLVM can vectorise, call functions that vectorise with them, and let their sums be reordered.

Such a loop is innermost, runs straight through, makes no element of one that an earlier trip wrote, and carries nothing
but sums, products, extremes and what holds for all or any, none of which it reads otherwise, and numbers that a trip
hands to the next, of which that makes nothing that it hands on in their place. Elsewhere the C library's
functions are faster (docs/design/vectormath.md). A sum whose running value is read, as in a compensated summation,
keeps its order, as do all sums and products of floats in a `strict` program.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeGuard

import numpy as np

from adc.compiler.analysis.latency import reads_back
from adc.compiler.frontend.infer import type_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.simplify import MOST_FACTORS
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    blocks,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import is_float
from adc.rules import registry
from adc.rules.operation import Operation
from adc.runtime import vectormath

# Exponents of a root and a few products.
HALVES = {Const(sign * half) for sign in (1, -1) for half in (0.5, 1.5, 2.5)}
STEPS = {"add": "vm.add", "multiply": "vm.multiply", "maximum": "vm.maximum", "minimum": "vm.minimum"}
EXTREMES = {"maximum", "minimum"}
TRUTHS = {"bitwise_and", "bitwise_or"}
SUMS = {"add", "subtract"}
ROUNDED = SUMS | {"multiply"}
ERRORS = {"erf", "special.erf", "vm.erf"}
# Functions of an order and a number, where the order is a constant of the code.
BY_ORDER = {
    "special.polygamma": ("digamma", "trigamma"),
    "special.iv": ("i0", "i1", "i2"),
    "special.ive": ("i0e", "i1e", "i2e"),
}


def run(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with vector functions in the loops that vectorise."""
    _visit(program.body, strict)
    return program


def _visit(block: Block, strict: bool) -> None:
    for stmt in block:
        for inner in blocks(stmt):
            _visit(inner, strict)
        if not isinstance(stmt, For) or not _is_straight(stmt, backwards=True) or reads_back(stmt):
            continue
        handed = handed_over(stmt)
        sums = [c for c in stmt.carried if c not in handed]
        chains = [accumulation(c, stmt, strict) for c in sums]
        if all(chains):
            for chain in chains:
                _join(chain, stmt)
            _share_logarithms(stmt)
            _add_to_error_functions(stmt)
            _take_extremes_of_several(stmt)
            stmt.body = [v for s in stmt.body for v in _vectorised(s, stmt, sums)]
    block[:] = [_known_to_numba(s) for s in block]


def _known_to_numba(s: Stmt) -> Stmt:
    """Functions of SciPy, which Numba does not know, by those of vectormath, in any place; powers of complex numbers.

    Numba takes whole powers of those by logarithms, NumPy by products.
    """
    if _is_complex_product(s):
        return Assign(s.targets, "vm.whole_power", (s.args[0], Const(int(s.args[1].value))), s.origin)
    if not isinstance(s, Assign) or not isinstance(s.op, Operation) or not s.op.spelling.startswith("scipy."):
        return s
    function = _vector_function(s)
    if function is None or any(t.is_array for t in s.targets):
        return s
    return _call(s, function)


def _is_complex_product(s: Stmt) -> TypeGuard[Assign]:
    return (
        isinstance(s, Assign)
        and s.name == "power"
        and not s.target.is_array
        and isinstance(s.args[1], Const)
        and not isinstance(s.args[1].value, (complex, np.complexfloating))
        and _small_power(s)
        and (known := type_of(s.args[0])) is not None
        and np.dtype(known.dtype).kind == "c"
    )


def _call(s: Assign, function: str) -> Assign:
    """A call of a function of vectormath, without the order that is in its name, or that an angle is in radians."""
    args = s.args[1:] if s.name in BY_ORDER else s.args[:1] if s.name == "angle" else s.args
    return Assign(s.targets, f"vm.{function}", args, s.origin)


def _vector_function(s: Assign) -> str | None:
    """The name in vectormath of an elementwise operation on floats, or on complex numbers."""
    assert isinstance(s.op, Operation)
    if s.name in BY_ORDER:
        return _of_order(s)
    found = vectormath.IMPLEMENTATIONS.get(s.op.name) or vectormath.IMPLEMENTATIONS.get(
        s.op.name.split(".")[-1]
    )
    known = [type_of(a) for a in s.args]
    real = all(t is not None and np.dtype(t.dtype).kind != "c" for t in known)
    if not real and None not in known:
        found = vectormath.COMPLEX.get(s.op.name)
        in_degrees = s.name == "angle" and s.args[1:] != (Const(False),)
        return None if found is None or in_degrees else found.__name__
    if found is None or not real or np.dtype(s.target.type.dtype).kind != "f":
        return None
    return found.__name__


def _of_order(s: Assign) -> str | None:
    """The function of a number that is one of an order and a number."""
    order = s.args[0]
    names = BY_ORDER[s.name]
    real = np.dtype(s.target.type.dtype).kind == "f"
    if not isinstance(order, Const) or not real or order.value not in range(len(names)):
        return None
    return names[int(order.value)]


def is_vector_call(s: Stmt) -> bool:
    """Whether a statement computes a number by a function of vectormath, in a loop that vectorises."""
    return (
        isinstance(s, Assign)
        and isinstance(s.op, Operation)
        and len(s.targets) == 1
        and not s.target.is_array
        and not _calls(s)
        and _vector_function(s) is not None
        and not _small_power(s)
    )


def scatters(loop: For) -> bool:
    """Whether a loop writes to elements whose positions it reads: two of its trips may write to one."""
    inside = walk(loop.body)
    read = _read(inside)
    return any(isinstance(s, Store) and not read.isdisjoint(variables(s.index)) for s in inside)


def gathers(loop: For) -> bool:
    """Whether a straight loop reads elements whose positions it reads."""
    return bool(gathered(loop.body))


def gathered(block: Block) -> list[Stmt]:
    """The statements of a straight block that read elements whose positions it reads."""
    read = _read(block)
    return [
        s
        for s in block
        if isinstance(s, Assign) and s.name == "getitem" and not read.isdisjoint(variables(s.args[1]))
    ]


def _read(block: Block) -> set[Var]:
    """The numbers that the statements of a block read, and what it makes of them."""
    found: set[Var] = set()
    for s in block:
        if isinstance(s, Assign) and (s.name == "getitem" or not found.isdisjoint(variables(s.args))):
            found.update(s.targets)
    return found


def vectorisable(loop: For, backwards: bool = False) -> bool:
    """Whether a loop is innermost, straight, and carries only accumulations and what goes from a trip to the next."""
    if not _is_straight(loop, backwards) or (loop.step != Const(1) and reads_back(loop)):
        return False
    handed = handed_over(loop)
    return all(c in handed or len(accumulation(c, loop)) == 1 for c in loop.carried)


def in_order(loop: For, backwards: bool = False) -> bool:
    """Whether a loop has to go through its trips one after another, or has branches or other loops in it.

    One that goes backwards counts as such, unless that is asked for, too.
    """
    if not _is_straight(loop, backwards):
        return True
    handed = handed_over(loop)
    return not all(c in handed or accumulation(c, loop) for c in loop.carried)


def handed_over(loop: For) -> list[Carried]:
    """What a straight loop hands from each trip to the next, of which that makes nothing to hand on in its place.

    LLVM shifts such numbers by one in its vectors (first-order recurrences), where they are made before a trip writes
    what it makes of those that it was handed.
    """
    found: list[Carried] = []
    if not loop.carried:
        return found
    made_of: dict[Var, set[Var]] = {c.phi: {c.phi} for c in loop.carried}
    written: set[Var] = set()  # what was handed over, and has gone into memory
    early: set[Var] = set()  # what a trip hands on after that
    for s in loop.body:
        if isinstance(s, Assign):
            parts = set().union(*(made_of.get(v, set()) for v in variables(s.args)))
            for target in s.targets:
                made_of[target] = parts
                early.update(c.phi for c in loop.carried if c.out is target and c.phi in written)
        elif isinstance(s, Store):
            written |= set().union(*(made_of.get(v, set()) for v in variables((s.index, s.value))))
    needs = {c.phi: made_of.get(c.out, set()) if isinstance(c.out, Var) else set() for c in loop.carried}
    for c in loop.carried:
        reached: set[Var] = set()
        left = set(needs[c.phi])
        while left:
            phi = left.pop()
            reached.add(phi)
            left |= needs[phi] - reached
        if c.phi not in reached and c.phi not in early:
            found.append(c)
    return found


def _is_straight(loop: For, backwards: bool = False) -> bool:
    steps = (Const(1), Const(-1)) if backwards else (Const(1),)
    return loop.step in steps and all(
        isinstance(s, Store)
        or (isinstance(s, Assign) and not any(t.is_array for t in s.targets) and not _calls(s))
        for s in loop.body
    )


def _calls(s: Assign) -> bool:
    """Whether a statement is a library call on whole arrays."""
    return isinstance(s.op, Operation) and any(isinstance(a, Var) and a.is_array for a in s.args)


def accumulation(c: Carried, loop: For, strict: bool = False) -> list[Assign]:
    """The statements `phi + a`, `.. + b` up to `out` (or times, or extreme) when nothing else reads what they make.

    None at all if there are others: then the loop has to go through its trips in order. So it has in a `strict`
    program, where what it adds or multiplies is rounded.
    """
    chain: list[Assign] = []
    value = c.phi
    handed_on = {other.out for other in loop.carried if other is not c}
    while value is not c.out:
        readers = [s for s in loop.body for v in uses(s) if v is value]
        step = readers[0] if len(readers) == 1 else None
        if not isinstance(step, Assign) or len(step.args) != 2 or value in handed_on:
            return []
        if chain and not {step.name, chain[0].name} <= SUMS:
            return []
        known = step.name in STEPS or step.name in STEPS.values() or step.name in TRUTHS
        if not known and not (step.name == "subtract" and step.args[0] is value):
            return []
        chain.append(step)
        value = step.targets[0]
    read = any(v is c.out for s in loop.body for v in uses(s))
    in_this_order = strict and bool(chain) and chain[0].name in ROUNDED and is_float(c.phi.type)
    return [] if read or c.out in handed_on or in_this_order else chain


def _join(chain: list[Assign], loop: For) -> None:
    """Add up what a trip adds to a sum in several places, and add that to the sum once."""
    if len(chain) == 1:
        return
    value = next(v for v in chain[0].args if any(c.phi is v for c in loop.carried))
    parts: dict[bool, list[Atom]] = {True: [], False: []}
    running = value
    for step in chain:
        first, second = step.args
        parts[step.name == "add"].append(second if first is running else first)
        running = step.targets[0]
    first_sign = bool(parts[True])
    total, *rest = [(e, True) for e in parts[first_sign]] + [(e, False) for e in parts[not first_sign]]
    last = chain[-1]
    place = loop.body.index(last)
    made: Block = []
    part = total[0]
    for e, same in rest:
        target = Var("total", last.target.type, named=False)
        made.append(Assign((target,), registry.named("add" if same else "subtract"), (part, e), last.origin))
        part = target
    made.append(
        Assign(last.targets, registry.named("add" if first_sign else "subtract"), (value, part), last.origin)
    )
    loop.body[place : place + 1] = made
    loop.body = [s for s in loop.body if s not in chain]


def _share_logarithms(loop: For) -> None:
    """Take the logarithm that the derivative of x**y wants of x, and of 1 where x is 0, from what made x**y."""
    made = {s.targets[0]: s for s in loop.body if isinstance(s, Assign) and isinstance(s.op, Operation)}
    real = [s for s in made.values() if len(s.targets) == 1 and s.target.type.dtype == "float64"]
    bases = [s.args[0] for s in real if s.name == "power" and not _small_power(s)]
    for s in real:
        chosen = made.get(s.args[0]) if s.name == "log" else None
        if chosen is None or chosen.name != "where" or chosen.args[1] != Const(1.0):
            continue
        test, _, x = chosen.args
        at_zero = made.get(test)
        if at_zero is None or at_zero.name != "equal" or at_zero.args != (x, Const(0.0)) or x not in bases:
            continue
        loop.body[loop.body.index(s)] = Assign(s.targets, "vm.log_of_base", (x,), s.origin)
        if not any(v is chosen.target for other in loop.body for v in uses(other)):
            loop.body.remove(chosen)


def _add_to_error_functions(loop: For) -> None:
    """Make 1 + erf(x) by a function of its own, where erf(x) is read by nothing else."""
    made = {
        s.target: s
        for s in loop.body
        if isinstance(s, Assign) and s.name in ERRORS and s.target.type.dtype == "float64"
    }
    read = Counter(v for s in (*loop.body, loop) for v in uses(s))
    sums: dict[Stmt, Assign] = {}
    for s in loop.body:
        if isinstance(s, Assign) and s.name == "add" and any(_is_one(a) for a in s.args):
            erf = made.get(next((a for a in s.args if isinstance(a, Var)), s.target))
            if erf is not None and read[erf.target] == 1:
                sums[s] = erf
    gone = set(sums.values())
    loop.body = [
        Assign(s.targets, "vm.one_plus_erf", sums[s].args, s.origin)
        if isinstance(s, Assign) and s in sums
        else s
        for s in loop.body
        if s not in gone
    ]


def _take_extremes_of_several(loop: For) -> None:
    """The largest of several numbers, a reduction that was written out, in the form that LLVM takes in a reduction."""
    made = {
        s.target: s
        for s in loop.body
        if isinstance(s, Assign)
        and s.name in EXTREMES
        and s.target.type.dtype == "float64"
        and _is_of_doubles(s)
    }
    read = Counter(v for s in (*loop.body, loop) for v in uses(s))
    inner = {
        x
        for s in made.values()
        for x in s.args
        if isinstance(x, Var) and x in made and made[x].name == s.name and read[x] == 1
    }
    steps = {s for s in made.values() if s.target in inner or not inner.isdisjoint(variables(s.args))}
    loop.body = [
        Assign(s.targets, STEPS[s.name], s.args, s.origin) if isinstance(s, Assign) and s in steps else s
        for s in loop.body
    ]


def _is_of_doubles(s: Assign) -> bool:
    return all((known := type_of(x)) is not None and known.dtype == "float64" for x in s.args)


def _is_one(x: Operand) -> bool:
    return isinstance(x, Const) and isinstance(x.value, (int, float)) and x.value == 1


def _vectorised(s: Stmt, loop: For, sums: list[Carried]) -> Block:
    if not isinstance(s, Assign) or not isinstance(s.op, Operation):
        return [s]
    for c in sums:
        kind = np.dtype(c.phi.type.dtype).kind
        if c.out is s.targets[0] and (kind == "f" or (kind == "c" and s.name in SUMS)):
            # The running value goes first.
            rest = s.args[1] if s.args[0] is c.phi else s.args[0]
            if s.name == "subtract":
                negated = Var("negated", s.target.type, named=False)
                return [
                    Assign((negated,), registry.named("negative"), (rest,), s.origin),
                    Assign(s.targets, "vm.add", (c.phi, negated), s.origin),
                ]
            return [Assign(s.targets, STEPS[s.name], (c.phi, rest), s.origin)]
    function = _vector_function(s)
    if function is None or _small_power(s):
        return [s]
    if s.name == "power":
        if s.args[1] in HALVES:
            function = "half_power"
        elif _is_counted(s.args[1], loop.body):
            function = "counted_power"
        elif _is_whole(s.args[1], loop.body):
            function = "whole_power"
    return [_call(s, function)]


def _is_counted(x: Operand, body: Block) -> bool:
    """Whether a number is an integer that no statement of a loop makes: it is the same in all trips."""
    integer = isinstance(x, Var) and np.dtype(x.type.dtype).kind in "iu"
    return integer and all(x is not t for s in body if isinstance(s, Assign) for t in s.targets)


def _is_whole(x: Operand, body: Block) -> bool:
    """Whether a number is whole: an integer, or a float that the statements of a loop make of integers."""
    if isinstance(x, Const):
        return float(x.value).is_integer()
    if not isinstance(x, Var) or np.dtype(x.type.dtype).kind in "iu":
        return isinstance(x, Var)
    made = next((s for s in body if isinstance(s, Assign) and s.targets[0] is x), None)
    if made is None or made.name not in ("add", "subtract", "multiply", "where"):
        return False
    return all(_is_whole(a, body) for a in made.args[made.name == "where" :])


def _small_power(s: Assign) -> bool:
    """`x ** 2` is a product, and `x ** 16` are four, which no library call improves on."""
    return (
        s.name == "power"
        and isinstance(s.args[1], Const)
        and float(s.args[1].value).is_integer()
        and abs(s.args[1].value) <= MOST_FACTORS
    )
