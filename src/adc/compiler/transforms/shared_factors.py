"""Add up what an adjoint is multiplied with, and multiply once, in the loops where the time goes.

    p_bar = -e                                          e_bar = e * (0.8 - 0.2 * slope - 0.2 * u)
    b_bar = e * 0.1                             ->      b_bar = e * 0.1
    e_bar = e + (p_bar * slope * 0.2 + b_bar * -2.0) + p_bar * (0.2 * u)

One adjoint goes into many terms of what a trip adds up: one for each way to what was computed from it. The coefficients
depend on the primal alone, which is there before the adjoint is. Only sums of a derivative are taken apart, never what
the user wrote; each coefficient has a small constant and one number of the primal as factors, so that it overflows, or
vanishes, hardly before that number does. Where constants nearly cancel, the terms stay: what is left was rounded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Program,
    Stmt,
    Var,
    all_blocks,
    uses,
    walk,
)
from adc.compiler.transforms.constants import is_of_floats
from adc.compiler.transforms.new_loops import without_unread
from adc.rules import registry

SUMS = {"add": 1.0, "subtract": -1.0}  # and the sign of the second term
WORK = (*SUMS, "multiply", "negative")
MOST = 16  # terms of a sum
CANCELLED = 1e-3  # of the largest constant: what is less than that has lost digits
LARGEST = 1e3  # of a constant, and 1 / LARGEST the least: a number of the primal may be multiplied with it


def run(program: Program, strict: bool) -> Program:
    """The program with the terms of adjoints in inner loops put together where that is less work."""
    if strict:  # the last bits of a sum of products are those of the text
        return program
    for block in all_blocks(program.body):
        for loop in block:
            if isinstance(loop, For) and not any(isinstance(s, For) for s in walk(loop.body)):
                _Body(loop).gather()
    return program


@dataclass(frozen=True)
class _Product:
    """A constant times at most two numbers."""

    constant: float
    factors: tuple[Var, ...]


@dataclass(eq=False)
class _Term:
    """One of the terms of a sum."""

    sign: float
    value: Var
    product: _Product | None = None  # where it may be taken apart


class _Body:
    """The statements of an innermost loop, and the sums that they make."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.made: dict[Var, Assign] = {}
        self.adjoints: set[Var] = set()  # sums and products that the derivative is made of
        self.readers: dict[Var, list[Stmt]] = {c.out: [loop] for c in loop.carried if isinstance(c.out, Var)}
        self.products: dict[Var, _Product] = {}
        self.known: dict[tuple[str, object], Assign] = {}  # the work in front of the sum that is looked at
        for s in loop.body:
            if isinstance(s, Assign) and s.name in WORK and is_of_floats(s):
                self.made[s.target] = s
                if s.target.derived or (s.name in SUMS and not self.adjoints.isdisjoint(s.args)):
                    self.adjoints.add(s.target)
            for t in walk([s]):
                for v in uses(t):
                    self.readers.setdefault(v, []).append(t)

    def gather(self) -> None:
        """Rewrite every sum that takes less work by its factors than by its terms."""
        rewritten: dict[Assign, list[Assign]] = {}
        for s in self.loop.body:
            if not isinstance(s, Assign) or self.made.get(s.targets[0]) is not s:
                continue
            found = _Sum(self, s).by_factors() if self._is_root(s) else None
            if found is not None and self._is_less(found, s):
                rewritten[s] = found
            for made in rewritten.get(s, [s]):
                self.known[_key(made.name, made.args)] = made
        if rewritten:
            body: Block = []
            for s in self.loop.body:
                body += rewritten[s] if isinstance(s, Assign) and s in rewritten else [s]
            self.loop.body = without_unread(body, self.loop.carried)

    def earlier(self, name: str, args: tuple[Atom, ...]) -> Var | None:
        """The number that is made in front of a sum by the same work."""
        s = self.known.get(_key(name, args))
        return s.target if s is not None and self.made.get(s.targets[0]) is s else None

    def _is_less(self, new: list[Assign], root: Assign) -> bool:
        """Let new statements make a sum if they are less work than what they leave without readers."""
        for s in new:
            self._read(s)
        gone = self._without(root)
        if len(gone) <= len([s for s in new if s.name in WORK]):
            for s in gone:
                self._read(s)
                self.made[s.target] = s
            for s in new:
                self._unread(s)
            return False
        self.made.update((s.target, s) for s in new if s.name in WORK)
        return True

    def _without(self, s: Assign) -> list[Assign]:
        """Leave out a statement, and the work that only it has read; what is left out."""
        del self.made[s.target]
        gone = [s]
        for x in self._unread(s):
            if not self.readers[x] and x in self.made:
                gone += self._without(self.made[x])
        return gone

    def _read(self, s: Assign) -> None:
        for x in uses(s):
            self.readers.setdefault(x, []).append(s)

    def _unread(self, s: Assign) -> list[Var]:
        for x in uses(s):
            self.readers[x].remove(s)
        return list(dict.fromkeys(uses(s)))

    def _is_root(self, s: Assign) -> bool:
        """Whether a statement makes a sum of adjoints that is not only a part of larger ones."""
        return (
            s.name in SUMS
            and s.target in self.adjoints
            and not all(
                isinstance(r, Assign) and r.name in (*SUMS, "negative") and r.targets[0] in self.adjoints
                for r in self.readers.get(s.target, [None])
            )
        )

    def terms(self, x: Atom, sign: float = 1.0) -> list[_Term] | None:
        """What a sum adds up, in its order; None if a constant is among it, or if it is long."""
        if not isinstance(x, Var):
            return None
        s = self.made.get(x)
        if s is None or x not in self.adjoints or s.name == "multiply":
            return [_Term(sign, x)]
        signs = (-1.0,) if s.name == "negative" else (1.0, SUMS[s.name])
        found: list[_Term] = []
        for own, a in zip(signs, s.args, strict=True):
            more = self.terms(a, sign * own)
            if more is None or len(found) + len(more) > MOST:
                return None
            found += more
        return found

    def product(self, x: Atom) -> _Product:
        """A number as a constant and at most two others; itself where it is no such product."""
        if isinstance(x, Const):
            return _Product(float(x.value), ())
        if x not in self.products:
            self.products[x] = self._product(x)
        return self.products[x]

    def _product(self, x: Var) -> _Product:
        s = self.made.get(x)
        if s is None or not x.derived or s.name in SUMS:
            return _Product(1.0, (x,))
        parts = [self.product(a) for a in s.args]
        if s.name == "negative":
            return _Product(-parts[0].constant, parts[0].factors)
        if sum(len(p.factors) for p in parts) > 2:
            parts = [
                p if len(p.factors) < 2 else _Product(1.0, (a,)) for p, a in zip(parts, s.args, strict=True)
            ]
        one, other = parts
        return _Product(one.constant * other.constant, (*one.factors, *other.factors))


class _Sum:
    """One sum, and the statements that make it by its factors."""

    def __init__(self, body: _Body, root: Assign) -> None:
        self.body = body
        self.root = root
        self.block: list[Assign] = []
        self.new: dict[tuple[str, object], Var] = {}

    def by_factors(self) -> list[Assign] | None:
        """The statements that make the sum; None where no two terms share a factor."""
        terms = self.body.terms(self.root.target)
        if terms is None:
            return None
        for term in terms:
            term.product = self.body.product(term.value)
        grouped = False
        while (factor := _shared(terms)) is not None:
            group = [t for t in terms if t.product is not None and factor in t.product.factors]
            value = self._gathered(factor, group)
            if value is None:
                return None
            grouped = True
            terms[terms.index(group[0])] = value
            terms = [t for t in terms if t not in group]
        if not grouped:
            return None
        self._added(terms)
        return self.block

    def _gathered(self, factor: Var, group: list[_Term]) -> _Term | None:
        """The terms of one factor as one term."""
        sums: dict[Var | None, float] = {}
        largest: dict[Var | None, float] = {}
        for term in group:
            product = term.product
            assert product is not None
            rest = list(product.factors)
            rest.remove(factor)
            other = rest[0] if rest else None
            constant = term.sign * product.constant
            sums[other] = sums.get(other, 0.0) + constant
            largest[other] = max(largest.get(other, 0.0), abs(constant))
        if any(
            not CANCELLED * largest[x] < abs(c) < LARGEST or abs(c) * LARGEST < 1.0 for x, c in sums.items()
        ):
            return None
        alone = sums.get(None)
        times = {x: c for x, c in sums.items() if x is not None}
        if not times:
            assert alone is not None
            return self._scaled(factor, alone)
        common = next(iter(times.values()))
        if alone is None and all(abs(c) == abs(common) for c in times.values()):
            coefficient = self._coefficient(None, {x: c / common for x, c in times.items()})
            return self._scaled(self._made("multiply", factor, coefficient), common)
        return _Term(1.0, self._made("multiply", factor, self._coefficient(alone, times)))

    def _scaled(self, x: Var, constant: float) -> _Term:
        if abs(constant) == 1.0:
            return _Term(constant, x)
        return _Term(1.0, self._made("multiply", x, Const(constant)))

    def _coefficient(self, alone: float | None, times: dict[Var, float]) -> Var:
        """The sum of a constant and of multiples of numbers."""
        parts: list[tuple[float, Atom]] = [] if alone is None else [(alone, Const(abs(alone)))]
        for x, constant in times.items():
            scaled = x if abs(constant) == 1.0 else self._made("multiply", Const(abs(constant)), x)
            parts.append((constant, scaled))
        return self._signed_sum(parts)

    def _signed_sum(self, parts: list[tuple[float, Atom]]) -> Var:
        """A sum that begins with what is added, if anything is."""
        (sign, total), *rest = sorted(parts, key=lambda part: part[0] < 0.0)
        if sign < 0.0:
            total = Const(-total.value) if isinstance(total, Const) else self._made("negative", total)
        for sign, x in rest:
            total = self._made("add" if sign > 0.0 else "subtract", total, x)
        assert isinstance(total, Var)
        return total

    def _added(self, terms: list[_Term]) -> None:
        """Let the sum be that of these terms."""
        total = self._signed_sum([(t.sign, t.value) for t in terms])
        if self.block and self.block[-1].target is total:
            self.block[-1].targets = (self.root.target,)
        else:
            self.block.append(Assign((self.root.target,), "alias", (total,), self.root.origin))

    def _made(self, name: str, *args: Atom) -> Var:
        key = _key(name, args)
        found = self.new.get(key) or self.body.earlier(name, args)
        if found is None:
            found = self.new[key] = Var("coefficient", self.root.target.type, named=False)
            found.derived = True
            self.block.append(Assign((found,), registry.named(name), args, self.root.origin))
        return found


def _shared(terms: list[_Term]) -> Var | None:
    """The number that most terms have as a factor, if two have."""
    count = Counter(f for t in terms if t.product is not None for f in dict.fromkeys(t.product.factors))
    found = max(count, key=lambda f: count[f], default=None)
    return found if found is not None and count[found] > 1 else None


def _key(name: str, args: tuple[Atom, ...]) -> tuple[str, object]:
    return name, args if name == "subtract" else frozenset(Counter(args).items())
