"""Symbolic array lengths: affine in symbols, equal when their canonical forms are.

A length is what the compiler knows of `x.shape[k]` before any array exists. Two lengths with one canonical
form are equal in every run, which is what lets un-broadcasting, shape checks and separate loops disappear
from generated code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

_LONGEST_ORDER = 400  # characters: lengths that are cut again and again double with each cut


@dataclass(frozen=True)
class Symbol:
    """An unknown integer: `("shape", x, 0)`, `("value", n)`, a non-affine function of other lengths."""

    kind: str
    payload: tuple[Hashable, ...]

    @property
    def nonnegative(self) -> bool:
        """Whether it is at least zero in every run."""
        if self.kind in ("product", "quotient"):
            return all(p.nonnegative for p in self.payload if isinstance(p, Dim))
        if self.kind == "floordiv":
            return isinstance(self.payload[0], Dim) and self.payload[0].nonnegative
        return self.kind in ("shape", "clamp", "cut")

    @cached_property
    def order(self) -> str:
        """Its place among the terms of a length, which is the same whenever it is asked for."""
        parts = ", ".join(str(getattr(p, "order", p)) for p in self.payload)
        return f"{self.kind} {parts}"[:_LONGEST_ORDER]

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.payload))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Dim:
    """A length `const + sum(coefficient * symbol)`.

    >>> n = Dim.symbol("shape", "x", 0)
    >>> (n - 2) + 1 == n - 1, n == n - 1, Dim(3).known
    (True, False, 3)
    """

    const: int = 0
    terms: tuple[tuple[Symbol, int], ...] = ()

    @staticmethod
    def symbol(kind: str, *payload: Hashable) -> Dim:
        return Dim(0, ((Symbol(kind, payload), 1),))

    @staticmethod
    def of(value: Dim | int) -> Dim:
        return value if isinstance(value, Dim) else Dim(int(value))

    @cached_property
    def order(self) -> str:
        """Its place among the factors of a product."""
        return f"{self.const}{''.join(f' + {c} {s.order}' for s, c in self.terms)}"[:_LONGEST_ORDER]

    @cached_property
    def _hash(self) -> int:
        return hash((self.const, self.terms))

    def __hash__(self) -> int:
        return self._hash

    @property
    def known(self) -> int | None:
        """The length as an int, or None while it depends on a symbol."""
        return None if self.terms else self.const

    def __add__(self, other: Dim | int) -> Dim:
        other = Dim.of(other)
        if not other.terms:
            return Dim(self.const + other.const, self.terms)
        if not self.terms:
            return Dim(self.const + other.const, other.terms)
        coefficients: dict[Symbol, int] = dict(self.terms)
        for symbol, coefficient in other.terms:
            coefficients[symbol] = coefficients.get(symbol, 0) + coefficient
        kept = ((s, c) for s, c in coefficients.items() if c)
        terms = tuple(sorted(kept, key=lambda term: term[0].order))
        return Dim(self.const + other.const, terms)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim(-self.const, tuple((s, -c) for s, c in self.terms))

    def __sub__(self, other: Dim | int) -> Dim:
        return self + (-Dim.of(other))

    def __rsub__(self, other: Dim | int) -> Dim:
        return Dim.of(other) + (-self)

    def __mul__(self, other: Dim | int) -> Dim:
        other = Dim.of(other)
        if other.known is not None:
            scaled = tuple((s, c * other.const) for s, c in self.terms) if other.const else ()
            return Dim(self.const * other.const, scaled)
        if self.known is not None:
            return other * self
        parts = self.factors + other.factors
        unknown = sorted((d for d in parts if d.known is None), key=lambda d: d.order)
        number = math.prod(d.const for d in parts if d.known is not None)
        return Dim.symbol("product", *unknown) * number

    __rmul__ = __mul__

    @property
    def factors(self) -> tuple[Dim, ...]:
        """The lengths of which it is a product.

        >>> n, m = Dim.symbol("shape", "x", 0), Dim.symbol("shape", "x", 1)
        >>> (n * m).factors == (n, m), (n * 2).factors == (Dim(2), n), (n + 1).factors == (n + 1,)
        (True, True, True)
        """
        if self.const or len(self.terms) != 1:
            return (self,)
        ((symbol, times),) = self.terms
        parts = symbol.payload if symbol.kind == "product" else (Dim(0, ((symbol, 1),)),)
        number = () if times == 1 else (Dim(times),)
        return (*number, *(d for d in parts if isinstance(d, Dim)))

    def __floordiv__(self, other: int) -> Dim:
        if other == 1:
            return self
        if self.known is not None:
            return Dim(self.const // other)
        return Dim.symbol("floordiv", self, other)

    def clamped(self) -> Dim:
        """max(self, 0): the length of a slice whose ends may cross. A part of a part is one of the whole.

        >>> n = Dim.symbol("shape", "x", 0)
        >>> ((n - 2).clamped() - 1).clamped() == (n - 3).clamped()
        True
        """
        if self.known is not None:
            return Dim(max(self.const, 0))
        if self.nonnegative:
            return self
        if len(self.terms) == 1 and self.const <= 0:
            ((symbol, times),) = self.terms
            if symbol.kind == "clamp" and times == 1:
                (inside,) = symbol.payload
                assert isinstance(inside, Dim)
                return (inside + self.const).clamped()
        return Dim.symbol("clamp", self)

    def without_clamps(self) -> Dim:
        """With d for every max(d, 0) that is added: no more than it is, and the same where such a term is positive."""
        found = self
        for symbol, coefficient in self.terms:
            if symbol.kind == "clamp" and coefficient > 0:
                (inside,) = symbol.payload
                assert isinstance(inside, Dim)
                found = found + (inside - Dim(0, ((symbol, 1),))) * coefficient
        return found

    @property
    def nonnegative(self) -> bool:
        """Whether it is seen to be at least zero in every run.

        >>> n = Dim.symbol("shape", "x", 0)
        >>> n.at_most(5).nonnegative, (n - 5).nonnegative, ((n - 5) // 2).nonnegative
        (True, False, False)
        >>> (n - n // 2).nonnegative, (n - n // 2 - 1).nonnegative
        (True, False)
        """
        ends = self.smaller_of()
        if ends is not None:
            return all(d.nonnegative for d in ends)
        for symbol, coefficient in self.terms:
            if symbol.kind == "floordiv" and coefficient < 0:  # at most what is divided, divided without rest
                whole, divisor = symbol.payload
                assert isinstance(whole, Dim) and isinstance(divisor, int)
                if divisor > 0:
                    rest = self - Dim(0, ((symbol, coefficient),))
                    return (rest * divisor + whole * coefficient).nonnegative
        return self.const >= 0 and all(c > 0 and s.nonnegative for s, c in self.terms)

    def smaller_of(self) -> tuple[Dim, Dim] | None:
        """The two lengths of which this is the smaller one, when it has the form that `at_most` gives it."""
        for symbol, coefficient in self.terms:
            if symbol.kind == "clamp" and coefficient == -1:
                (excess,) = symbol.payload
                assert isinstance(excess, Dim)
                whole = self + Dim(0, ((symbol, 1),))
                return whole, whole - excess
        return None

    def within(self, limit: int) -> bool:
        """Whether it is seen to be at most `limit` in every run.

        >>> n = Dim.symbol("shape", "x", 0)
        >>> n.at_most(2).within(2), n.within(2)
        (True, False)
        >>> (n.at_most(3) - n.at_most(2)).within(1)  # x[2:3]
        True
        """
        ends = self.smaller_of() or (self,)
        if any(d.known is not None and d.known <= limit for d in ends):
            return True
        inside = self._inside_clamp()
        if inside is not None:
            return limit >= self.const and inside.within(limit - self.const)
        between = self._between_cuts()
        return between is not None and between <= limit

    def _inside_clamp(self) -> Dim | None:
        """What is clamped, where the length is that and a constant."""
        if [(c, s.kind) for s, c in self.terms] != [(1, "clamp")]:
            return None
        inside = self.terms[0][0].payload[0]
        assert isinstance(inside, Dim)
        return inside

    def _between_cuts(self) -> int | None:
        """What the length between two cuts is at most, where they are known to be so far apart."""
        if sorted((c, s.kind) for s, c in self.terms) != [(-1, "clamp"), (1, "clamp")]:
            return None
        (longer,) = (s.payload[0] for s, c in self.terms if c == 1)
        (shorter,) = (s.payload[0] for s, c in self.terms if c == -1)
        assert isinstance(longer, Dim) and isinstance(shorter, Dim)
        apart = (longer - shorter).known
        return None if apart is None else self.const + max(apart, 0)

    def symbols(self) -> set[Symbol]:
        """All unknowns in it, also inside functions of other lengths."""
        found = {s for s, _ in self.terms}
        for symbol in tuple(found):
            found.update(*(p.symbols() for p in symbol.payload if isinstance(p, Dim)))
        return found

    def at_most(self, limit: Dim | int) -> Dim:
        """min(self, limit), as a difference that cancels: the parts before and after a cut add up to the
        whole.
        """
        return self - (self - limit).clamped()

    def cut(self, end: Dim) -> Dim:
        """The length of `x[:end]`, where x has this one and nobody knows whether the end counts from the front.

        >>> n, k = Dim.symbol("shape", "x", 0), Dim.symbol("value", "k")
        >>> length = n.cut(k - 1)
        >>> [length.evaluate({k.terms[0][0]: value, n.terms[0][0]: 5}.get) for value in (-9, -1, 0, 1, 4, 9)]
        [0, 3, 4, 0, 3, 5]
        >>> length == n.cut(k - 1), length.nonnegative
        (True, True)
        """
        return Dim.symbol("cut", self, end)

    def evaluate(self, value: Callable[[Symbol], int]) -> int:
        """The length as a number, given the value of each symbol that is not a function of others."""
        return self.const + sum(c * _evaluate(s, value) for s, c in self.terms)


def _evaluate(symbol: Symbol, value: Callable[[Symbol], int]) -> int:
    dims = [p for p in symbol.payload if isinstance(p, Dim)]
    if symbol.kind == "product":
        result = 1
        for dim in dims:
            result *= dim.evaluate(value)
        return result
    if symbol.kind == "clamp":
        return max(dims[0].evaluate(value), 0)
    if symbol.kind == "cut":
        length, end = (d.evaluate(value) for d in dims)
        return len(range(length)[:end])
    if symbol.kind == "floordiv":
        divisor = symbol.payload[1]
        assert isinstance(divisor, int)
        return dims[0].evaluate(value) // divisor
    return value(symbol)


Shape = tuple[Dim, ...]
