"""Make what trips hand on linearly a few products of numbers that no trip waits for.

    s_bar = v                                       s_bar = v
    for i in range(n - 1, -1, -1):                  for i in range(n - 1, -1, -1):
        e_bar = s_bar * x[i]                ->          partial = x[i] * e[i]
        s_bar = e_bar * e[i]                            s_bar = partial * s_bar

The adjoints that a reverse sweep hands on go into each trip linearly: the derivatives of what it hands on in what it
gets, multiplied out beforehand, are all that the next trip waits for. (Preaccumulation of local derivatives: Griewank &
Walther, *Evaluating Derivatives*, 2nd ed., 2008, chapter 10.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass

from adc.compiler.ir.nodes import Assign, Atom, Block, Carried, Const, For, Var, defined, uses, walk
from adc.compiler.ir.types import REALS, Scalar
from adc.compiler.transforms.new_loops import without_unread
from adc.rules import registry

MOST = 3  # numbers that are handed on together: each trip takes as many products as their square
ZERO, ONE, MINUS_ONE = Const(0.0), Const(1.0), Const(-1.0)
KNOWN: dict[str, Callable[..., float]] = {
    "negative": operator.neg,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
}


@dataclass(frozen=True)
class _Linear:
    """So many times each number that is handed on, and a rest; None is zero."""

    times: dict[Var, Atom]
    rest: Atom | None


class _NotLinear(Exception):
    pass


def run(loop: For, handed_on: list[Carried], derived: Collection[Var]) -> Block | None:
    """The statements of a loop that hands numbers on linearly, by as few products as may be; None if it does not.

    Coefficients are added up of `derived` numbers alone, the adjoints: `s + f * (t - s)` stays s where s is t, to the
    last bit, but (1 - f) * s + f * t does not, and where f is negative what it is off by grows from trip to trip.

    Which numbers these are is found by leaving out what is not linear in the others, until all are.
    """
    made = {v for s in loop.body for v in defined(s)}
    numbers = [c for c in handed_on if c.phi.type.dtype in REALS and c.out in made]
    while numbers:
        forms = _Forms([c.phi for c in numbers], loop.body, derived)
        linear = [c for c in numbers if isinstance(c.out, Var) and forms.is_linear(c.out)]
        if len(linear) == len(numbers):
            break
        numbers = linear
    if not numbers or len(numbers) > MOST:
        return None
    body = forms.body([c.out for c in numbers if isinstance(c.out, Var)])
    return without_unread(body, loop.carried)


class _Forms:
    """What numbers of a trip are, as sums of multiples of those that it was handed."""

    def __init__(self, phis: list[Var], block: Block, derived: Collection[Var]) -> None:
        self.phis = phis
        self.once = [phi for phi in phis if phi not in derived]  # whose coefficients are no sums
        self.block = block
        self.made: dict[Var, Assign] = {}
        self.known: dict[Var, _Linear | None] = {}
        self.parts: dict[Var, Block] = {}  # the statements that make the multiples
        self.varying = set(phis)  # what depends on what was handed
        for s in block:
            if not self.varying.isdisjoint(v for t in walk([s]) for v in uses(t)):
                self.varying.update(defined(s))
            if isinstance(s, Assign) and len(s.targets) == 1:
                self.made[s.target] = s

    def is_linear(self, x: Var) -> bool:
        """Whether a number is such a sum."""
        return x in self.varying and self._form(x) is not None

    def body(self, outs: list[Var]) -> Block:
        """The block with `outs` as such sums."""
        found: Block = []
        for s in self.block:
            (first, *_) = defined(s) or (None,)
            if first not in outs:
                found.append(s)
            if first in self.parts:
                found += self.parts[first]
            if first is not None and first in outs:
                found += self._written(first)
        return found

    def _written(self, x: Var) -> Block:
        """The statement that makes a number as such a sum, and what it needs."""
        form, s = self._form(x), self.made[x]
        assert form is not None
        block: Block = []
        total = form.rest
        terms = [(phi, form.times[phi]) for phi in self.phis if phi in form.times]
        for phi, times in terms:
            term = _made("multiply", s, block, times, phi)
            total = term if total is None else _made("add", s, block, term, total)
        last = block[-1] if block else None
        if not isinstance(last, Assign) or last.target is not total:
            assert total is not None
            return [*block, Assign((x,), "alias", (total,), s.origin)]
        last.targets = (x,)
        return block

    def _form(self, x: Atom) -> _Linear | None:
        if not isinstance(x, Var) or x not in self.varying:
            return _Linear({}, x)
        if x in self.phis:
            return _Linear({x: ONE}, None)
        if x not in self.known:
            block: Block = []
            try:
                self.known[x] = self._made(x, block)
                self.parts[x] = block
            except _NotLinear:
                self.known[x] = None
        return self.known[x]

    def _of(self, x: Atom) -> _Linear:
        form = self._form(x)
        if form is None:
            raise _NotLinear
        return form

    def _made(self, x: Var, block: Block) -> _Linear:
        s = self.made.get(x)
        if s is None or x.type.dtype != self.phis[0].type.dtype:
            raise _NotLinear
        args = [self._of(a) for a in s.args]
        if any(sum(phi in form.times for form in args) > 1 for phi in self.once):
            raise _NotLinear

        def op(name: str, *operands: Atom) -> Atom:
            return _made(name, s, block, *operands)

        match s.name, args:
            case "alias", [a]:
                return a
            case "negative", [a]:
                return _each(a, lambda v: op("negative", v))
            case "add" | "subtract", [a, b]:
                alone = "negative" if s.name == "subtract" else "alias"
                return _joined(a, b, lambda v, w: op(s.name, v, w), lambda w: op(alone, w))
            case "multiply", [a, b] if not b.times or not a.times:
                form, factor = (a, _plain(b)) if a.times else (b, _plain(a))
                return _each(form, lambda v: op("multiply", v, factor))
            case "divide", [a, b]:
                divisor = _plain(b)
                return _each(a, lambda v: op("divide", v, divisor))
            case "where", [test, a, b]:
                holds = _plain(test)
                return _joined(
                    a,
                    b,
                    lambda v, w: op("where", holds, v, w),
                    lambda w: op("where", holds, ZERO, w),
                    lambda v: op("where", holds, v, ZERO),
                )
            case _:
                raise _NotLinear


def _plain(form: _Linear) -> Atom:
    """A number that does not depend on what was handed on."""
    if form.times or form.rest is None:
        raise _NotLinear
    return form.rest


def _each(form: _Linear, change: Callable[[Atom], Atom]) -> _Linear:
    rest = None if form.rest is None else change(form.rest)
    return _Linear({phi: change(v) for phi, v in form.times.items()}, rest)


def _joined(
    a: _Linear,
    b: _Linear,
    both: Callable[[Atom, Atom], Atom],
    second: Callable[[Atom], Atom],
    first: Callable[[Atom], Atom] = lambda v: v,
) -> _Linear:
    """Two forms as one, from the parts that both have, or one of them."""

    def part(v: Atom | None, w: Atom | None) -> Atom | None:
        if v is not None and w is not None:
            return both(v, w)
        return first(v) if v is not None else None if w is None else second(w)

    times = {phi: part(a.times.get(phi), b.times.get(phi)) for phi in (*a.times, *b.times)}
    return _Linear({phi: v for phi, v in times.items() if v is not None}, part(a.rest, b.rest))


def _made(name: str, of: Assign, block: Block, *operands: Atom) -> Atom:
    """What an operation makes of parts of a number; what is known, or leaves one as it is, takes no statement."""
    known = [a.value for a in operands if isinstance(a, Const)]
    if len(known) == len(operands) and name in KNOWN:
        found = KNOWN[name](*known)
        if abs(found) < max(map(abs, known)) and name in ("add", "subtract"):
            raise _NotLinear  # nothing is left but what was rounded, of which a compensated sum is made
        return Const(found)
    if name == "multiply" and operands[0] in (ONE, MINUS_ONE):
        name, operands = ("alias" if operands[0] == ONE else "negative"), operands[1:]
    if name == "alias":
        return operands[0]
    target = Var("partial", Scalar(of.target.type.dtype), named=False)
    block.append(Assign((target,), registry.named(name), operands, of.origin))
    return target
