"""What sums and negatives of products come to, as the pulls of products add them up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adc.compiler.analysis.names import given_names, is_of_nameless
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Const,
    Program,
    Stmt,
    Store,
    Var,
    times_read,
    uses,
    walk,
)
from adc.compiler.ir.types import Scalar, is_float
from adc.rules import registry

PRODUCTS = {"matmul", "dot"}


class Terms:
    """`definition[v]` makes v, so far; `readers[v]` is how often it is read."""

    def __init__(self, program: Program, written: set[Var]) -> None:
        self.definition: dict[Var, Assign] = {}
        self.readers = times_read(program)
        self.users: dict[Var, list[Stmt]] = {}
        for s in walk(program.body):
            for v in uses(s):
                self.users.setdefault(v, []).append(s)
        self.written = written
        self.in_reverse = False
        self.names = given_names(program)

    def negative_of(self, x: Atom, target: Var) -> Assign | Atom | None:
        """The negative of x: what x negates, or a product that had a negated factor, if nothing else reads it."""
        made = self.still(x)
        if made is not None and made.name in ("multiply", "divide") and self.readers[made.target] == 1:
            negated = self._negated(made.args[0])
            if negated is not None and not is_converted(made.args, target):
                return self.new(made.name, (negated, made.args[1]), target)
        return made.args[0] if made is not None and made.name == "negative" else None

    def sum_of(self, x: Atom, y: Atom, target: Var) -> Assign | Atom | None:
        """The sum of x and y, where one product, or a difference, says it. Of a primal nothing is rounded otherwise."""
        if self.in_reverse and (factors := self._of_square(x, y)) is not None:
            halved = self._product(factors[1])
            if halved is not None and halved.args[0] == Const(0.5):
                return self.new("multiply", (factors[0], halved.args[1]), target)
            return self._doubled(x, target)
        if self.in_reverse and self._are_alike(x, y):
            return self.scaled(2.0, x, target) or self._doubled(x, target)
        for a, b in ((x, y), (y, x)):
            made = self.still(b)
            if made is not None and made.name == "negative" and not made.target.named:
                return self.new("subtract", (a, made.args[0]), target)
            if made is not None and self.in_reverse and self.loses_negative(made):
                return self.new("subtract", (a, made.target), target)
        return None

    def _are_alike(self, x: Atom, y: Atom) -> bool:
        """Whether two terms are one value, or products of the same factors."""
        p, q = self._product(x), self._product(y)
        return x is y or (p is not None and q is not None and p.args in _either_way(q))

    def _of_square(self, x: Atom, y: Atom) -> tuple[Atom, Atom] | None:
        """The factors g and a of x, where x + y is g a + (g z) c with a = c z: what the pull of (c z) z adds up."""
        whole, part = self._product(x), self._product(y)
        if whole is None or part is None:
            return None
        for g, a in _either_way(whole):
            made = self._product(a)
            for c, z in _either_way(made) if made is not None else ():
                for left, last in _either_way(part):
                    first = self._product(left)
                    if last == c and first is not None and (g, z) in _either_way(first):
                        return g, a
        return None

    def _product(self, x: Atom) -> Assign | None:
        made = self.still(x)
        return made if made is not None and made.name == "multiply" else None

    def loses_negative(self, product: Assign | None) -> bool:
        """Take the negative from a factor of a product that is read once, and has no name; whether there was one."""
        if product is None or self.readers[product.target] != 1:
            return False
        if product.target.named and not is_of_nameless(product.target, self.names):
            return False
        if product.name not in (*PRODUCTS, "multiply", "divide"):
            return False
        for k, x in enumerate(product.args[:2]):
            if (negated := self._negated(x)) is not None and self._is_only_added(x):
                product.args = (*product.args[:k], negated, *product.args[k + 1 :])
                return True
        return False

    def _is_only_added(self, x: Atom) -> bool:
        """Whether all that is made of a value are products that are added, and may as well be taken away."""
        users = self.users.get(x, []) if isinstance(x, Var) else []
        return bool(users) and all(map(self._is_added, users))

    def _is_added(self, s: Stmt) -> bool:
        """Whether a statement makes a product that is read once, and added to something."""
        if not isinstance(s, Assign) or s.name not in (*PRODUCTS, "multiply", "divide"):
            return False
        users = self.users.get(s.target, [])
        return len(users) == 1 and all(
            u.accumulate if isinstance(u, Store) else isinstance(u, Assign) and u.name == "add" for u in users
        )

    def _negated(self, x: Atom) -> Atom | None:
        """What x is the negative of; integers wrap, and the negative of the least is itself."""
        made = self.still(x)
        if made is None or made.name != "negative" or not is_float(made.target.type):
            return None
        negated: Atom = made.args[0]
        return negated

    def scaled(self, by: Any, x: Atom, target: Var) -> Assign | Atom | None:
        """`by * c * z` for x = c z, where one of the numbers is a power of two: the same to the last bit."""
        made = self.still(x)
        if made is None or made.target.named or made.name != "multiply" or len(made.args) != 2:
            return None
        factor, other = made.args
        if not isinstance(factor, Const) or not (is_real(by) and is_real(factor.value)):
            return None
        if not (_is_power_of_two(by) or _is_power_of_two(factor.value)):
            return None
        product = by * factor.value
        together = Const(product if isinstance(product, np.floating) else float(product))
        return other if product == 1.0 else self.new("multiply", (together, other), target)

    def _doubled(self, x: Atom, target: Var) -> Assign:
        """Two x; what is x for this alone is a step on the way, and needs no name."""
        if isinstance(x, Var) and x.name.endswith("_bar") and self.readers[x] <= 2:
            x.named = False
        return self.new("multiply", (Const(2.0), x), target)

    def is_reciprocal(self, x: Atom, y: Atom) -> bool:
        """Whether x is -(1 / y): what the pull of a reciprocal divides by y is its negative square.

        In the reverse sweep only: it rounds otherwise, which a primal must not.
        """
        negated = self.still(x)
        if negated is None or negated.name != "negative":
            return False
        made = self.still(negated.args[0])
        return made is not None and made.name == "divide" and made.args[0] == Const(1.0) and made.args[1] is y

    def still(self, x: Atom) -> Assign | None:
        """The operation that x is the result of, as long as neither it nor an operand is memory that changes."""
        made = self.definition.get(x) if isinstance(x, Var) else None
        if made is None:
            return None
        held = [v for v in (made.target, *made.args) if isinstance(v, Var) and v.is_array]
        return None if any(v.root in self.written for v in held) else made

    def new(self, name: str, args: tuple[Atom, ...], target: Var) -> Assign:
        made = Assign((target,), registry.named(name), args, self.definition[target].origin)
        self.definition[target] = made
        return made


def _either_way(product: Assign) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    return product.args, product.args[::-1]


def is_real(x: Any) -> bool:
    return isinstance(x, (int, float, np.floating)) and not isinstance(x, bool)


def _is_power_of_two(x: float) -> bool:
    return math.isfinite(x) and abs(math.frexp(float(x))[0]) == 0.5


def is_converted(args: tuple[Atom, ...], target: Var) -> bool:
    """Whether an operation makes another dtype of an operand: of bytes `x + -y` is not `x - y`, nor `y * 1.0` y."""
    types = [a.type for a in args if isinstance(a, Var)]
    return any(t.dtype != target.type.dtype and not (isinstance(t, Scalar) and t.weak) for t in types)
