"""Numbers that trips hand on linearly by one product and one sum, whose factor and term wait for no trip.

for k in range(count):
    state = factor[k] * state + term[k]
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.ir.nodes import Assign, Atom, Block, Carried, Var, defined, uses, walk
from adc.compiler.ir.types import REALS


@dataclass(eq=False)
class Recurrence:
    """The two statements that make what a trip hands on of what it was handed."""

    carried: Carried
    product: Assign
    sum: Assign

    @property
    def factor(self) -> Atom:
        return _other(self.product, self.carried.phi)

    @property
    def term(self) -> Atom:
        return _other(self.sum, self.product.target)


def recurrence(c: Carried, body: Block) -> Recurrence | None:
    """How a number is handed on by a body that does so in this way; None if in any other."""
    made = {t: s for s in body if isinstance(s, Assign) for t in defined(s)}
    total = made.get(c.out) if isinstance(c.out, Var) else None
    if total is None or total.name != "add" or c.phi.type.dtype not in REALS:
        return None
    products = [made[a] for a in total.args if isinstance(a, Var) and a in made]
    found = [
        Recurrence(c, product, total)
        for product in products
        if product.name == "multiply" and sum(a is c.phi for a in product.args) == 1
    ]
    if len(found) != 1 or total.args[0] is total.args[1]:
        return None
    (one,) = found
    waiting = {t for s in (one.product, one.sum) for t in defined(s)} | {c.phi}
    return None if one.factor in waiting or one.term in waiting else one


def _other(s: Assign, operand: Atom) -> Atom:
    """The other operand of two."""
    first, second = s.args
    found: Atom = second if first is operand else first
    return found


def stands_alone(one: Recurrence, body: Block, carried: list[Carried]) -> bool:
    """Whether nothing else in a body, and nothing else that is carried, makes what it is of, or reads what it makes."""
    own = {one.carried.phi, one.product.target, one.sum.target}
    others = [s for s in body if s is not one.product and s is not one.sum]
    rest = [c for c in carried if c is not one.carried]
    made = {v for s in walk(others) for v in defined(s)} | {c.phi for c in rest}
    read = {v for s in walk(others) for v in uses(s)} | {c.out for c in rest}
    return made.isdisjoint((one.factor, one.term)) and own.isdisjoint(read)
