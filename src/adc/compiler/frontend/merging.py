"""The value of a name after a branch: a variable that is set to one thing on each side."""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from adc.compiler.frontend import guesses, packed
from adc.compiler.frontend.builder import Builder
from adc.compiler.frontend.frame import Closure, Growing, Instance, Kept, Partial, Range
from adc.compiler.frontend.provenance import CONTAINERS, Chosen, Copied, Left
from adc.compiler.frontend.values import (
    UNDEFINED,
    Choice,
    Maybe,
    PartlyDefined,
    Value,
    emptied,
    is_settled,
    rebuilt,
)
from adc.compiler.frontend.widths_by_path import is_narrow
from adc.compiler.ir.nodes import Block, If, Merge, Var, bound_inside, defined, owners, walk
from adc.compiler.ir.types import Array, Scalar, Type, is_integer, is_plain_integer, joined
from adc.rules.dims import Dim


class Merging(Builder):
    """The part of the evaluator that joins what two paths computed."""

    left: dict[If, Left]  # what the sides of a branch left in containers, while it is merged

    def choose(self, test: Value, then: Any, orelse: Any) -> Value:
        """`then()` if test else `orelse()`, each evaluated only when chosen; both must be numbers of one kind."""
        if self.is_static(test):
            return then() if test else orelse()
        then_block: Block = []
        else_block: Block = []
        with self.at(then_block):
            a = then()
        with self.at(else_block):
            b = orelse()
        if not then_block and not else_block and a is b:
            return a
        region = If(self.atom(test), then_block, else_block, [], self.origin)
        merged = self.merge(region, a, b, "")
        self.block.append(region)
        return merged

    def merge(self, region: If, a: Value, b: Value, name: str) -> Value:
        """The value of a name after a branch, given its values in both; containers are merged leaf by leaf."""
        if a is b or self.same_static(a, b):
            return a
        if isinstance(a, CONTAINERS) and isinstance(b, CONTAINERS):
            left = self.left.get(region)
            merged = None if left is None else left.merged.get((id(a), id(b)))
            if merged is not None:
                return merged  # under another name
            merged = self._merge_containers(region, a, b, name)
            if isinstance(merged, CONTAINERS):
                self.remember(merged, Chosen(region, a, b), a, b)
                if left is not None:
                    left.merged[id(a), id(b)] = merged
            if merged is not None:
                return merged
        test = region.test
        if a is True and b is False and not name and isinstance(test, Var) and test.type.dtype == "bool":
            return test
        if isinstance(a, (range, Range)) and isinstance(b, (range, Range)):
            ends = (("start", a.start, b.start), ("stop", a.stop, b.stop), ("step", a.step, b.step))
            return Range(*(self.merge(region, x, y, f"{name}_{end}" if name else "") for end, x, y in ends))
        if self.is_choice(a) and self.is_choice(b):
            return self._merge_choices(region, a, b, name)
        if any(v is UNDEFINED or v is None or isinstance(v, Maybe) for v in (a, b)):
            return self._merge_absent(region, a, b, name)
        ta, tb = self.type_of(a), self.type_of(b)
        if ta is None or tb is None:
            return PartlyDefined(name, a, region.origin)
        t = self.integer_of_python(a, b) or joined(ta, tb)
        if t is None:
            raise self.refuse_behind(
                region.origin,
                f"{f'`{name}`' if name else 'this'} is a {_noun(ta)} on one path and a {_noun(tb)} on the other",
                "a variable has one rank in compiled code",
                "make both branches give the same rank",
            )
        result = Var(name, t, named=bool(name))
        self.stands_for(result, a, b)
        self.widths.note(result, (*self.widths.kinds(a, ta), *self.widths.kinds(b, tb)))
        if not is_integer(t) and (self.may_be_integer(a) or self.may_be_integer(b)):
            self.integer_on_a_path.add(result)
        if isinstance(t, Array):
            shape = []
            for k, d in enumerate(t.shape):
                if d == Dim(-1):
                    one, other = ta.shape[k], tb.shape[k]
                    d = one if self.equal.same(one, other) else guesses.known(one, other) or d
                shape.append(Dim.symbol("shape", result, k) if d == Dim(-1) else d)
            result.type = Array(t.dtype, tuple(shape), t.layout)
            self.joined_roots[result] = {v.root for v in (a, b) if isinstance(v, Var)}
        elif is_integer(t):
            result.dim = Dim.symbol("value", result)
        if isinstance(result.type, Array):
            with self.at(region.then):
                a = self.cast(a, result.type.dtype)
            with self.at(region.orelse):
                b = self.cast(b, result.type.dtype)
        region.merges.append(Merge(result, self.atom(a), self.atom(b)))
        return result

    def _merge_containers(self, region: If, a: Value, b: Value, name: str) -> Value | None:
        """A container with what the places of the two hold, as each side left them; None where they are not alike."""
        if (left := self.left.get(region)) is not None:
            a, b = left.on(0, a), left.on(1, b)
        if isinstance(a, (tuple, list)) and type(a) is type(b) and len(a) == len(b):
            parts = [self.merge(region, x, y, name) for x, y in zip(a, b, strict=True)]
            return rebuilt(a, parts)
        if isinstance(a, Instance) and isinstance(b, Instance) and a.cls is b.cls and a.keys() == b.keys():
            merged = (b if a.outside is None else a).holding(
                {k: self.merge(region, a[k], b[k], k) for k in a}
            )
            merged.kept = a.kept or b.kept
            return merged
        if {type(a), type(b)} <= {dict, Kept} and a.keys() == b.keys():
            entries = {k: self.merge(region, a[k], b[k], name) for k in a}
            return entries if type(a) is type(b) is dict else Kept(entries)
        if isinstance(a, Growing) and isinstance(b, Growing) and None not in (a.values, b.values):
            alike = a.like(b) and packed.lie_alike(self, a.form, b.form)
            if a.room is not None or b.room is not None or not alike:
                return PartlyDefined(name, a, region.origin)
            values = self.merge(region, a.values, b.values, name)
            count = self.merge(region, a.count, b.count, "")
            fixed = a.fixed or b.fixed
            weak = a.weak and b.weak
            made = Growing(name, values, count, a.nested, a.form, weak, a.key, a.made, fixed=fixed)
            made.rows_shared = a.rows_shared or b.rows_shared
            made.rows_written = a.rows_written or b.rows_written
            made.rows_from = [*a.rows_from, *b.rows_from]
            self.note_rows(a, b, made)
            return made
        return None

    def note_rows(self, a: Growing, b: Growing, merged: Growing) -> None:
        raise AssertionError("core.Core knows what was put into lists")

    def remember(self, merged: Value, origin: Chosen | Copied, *among: Value) -> None:
        raise AssertionError("core.Core remembers what a branch chose")

    def one_is_narrow(self, a: Value, b: Value) -> bool:
        """Whether two numbers are of two dtypes, and one of them is narrow."""
        types = [t for t in (self.type_of(a), self.type_of(b)) if t is not None]
        return len({t.dtype for t in types}) > 1 and any(map(is_narrow, types))

    def integer_of_python(self, a: Value, b: Value) -> Scalar | None:
        """The type of an integer that is Python's on one path, where NumPy's on the other may have no room for it."""
        for plain, other in ((a, b), (b, a)):
            t = self.type_of(other)
            if not is_plain_integer(self.type_of(plain)) or not isinstance(t, Scalar) or not is_integer(t):
                continue
            ends = np.iinfo(t.dtype)
            if is_narrow(t) or (isinstance(plain, int) and not ends.min <= plain <= ends.max):
                return Scalar("int64", True)
        return None

    def may_be_integer(self, value: Value) -> bool:
        """Whether a number is an integer in Python on one of the paths that lead to it."""
        t = self.type_of(value)
        return t is not None and (is_integer(t) or value in self.integer_on_a_path)

    # --- one of several things that are no numbers ---------------------------------------------------------

    def _merge_choices(self, region: If, a: Value, b: Value, name: str) -> Choice:
        """One of several functions, texts or the like: which, is asked where it is used."""
        if not isinstance(a, Choice) and not isinstance(b, Choice):
            return Choice(region.test, (b, a))
        options = self.options(*((b, a) if not isinstance(a, Choice) else (a, b)))
        with self.at(region.then):
            one = self.place_among(options, a)
        with self.at(region.orelse):
            other = self.place_among(options, b)
        return Choice(self.merge(region, one, other, name), options)

    def options(self, *values: Value) -> tuple[Value, ...]:
        """What values may be together; those of the first come first, in their order."""
        found: list[Value] = []
        for value in values:
            for option in value.options if isinstance(value, Choice) else (value,):
                if not any(self._same_option(option, known) for known in found):
                    found.append(option)
        return tuple(found)

    def _same_option(self, a: Value, b: Value) -> bool:
        if isinstance(a, Closure) and isinstance(b, Closure) and not a.defaults and not b.defaults:
            return a.tree is b.tree and a.frame is b.frame
        return a is b or self.same_static(a, b)

    def place_among(self, options: tuple[Value, ...], value: Value) -> Value:
        """Where a value stands among what it may be."""
        if not isinstance(value, Choice):
            return next(k for k, option in enumerate(options) if self._same_option(option, value))
        places = [self.place_among(options, option) for option in value.options]
        if places == [*range(len(places))]:
            return self.cast(value.place, "int64", weak=True) if isinstance(value.place, Var) else value.place
        found = places[0]
        for k, place in enumerate(places[1:], start=1):
            found = self.op("where", self.is_option(value, k), place, found)
        return found

    def is_option(self, choice: Choice, *places: int) -> Value:
        """Whether the run chooses one of the options at these places."""
        n = len(choice.options)
        if len(places) in (0, n):
            return bool(places)
        others = [k for k in range(n) if k not in places]
        if len(others) < len(places):
            return self.op("logical_not", self.is_option(choice, *others))
        if isinstance(choice.place, Var) and choice.place.type.dtype == "bool":
            return choice.place if places == (1,) else self.op("logical_not", choice.place)
        tests = [self.op("equal", choice.place, k) for k in places]
        return functools.reduce(lambda a, b: self.op("logical_or", a, b), tests)

    def is_choice(self, value: Value) -> bool:
        """Whether a value can be told apart from another when the program runs, and holds nothing of that run."""
        if isinstance(value, Choice):
            return True
        if isinstance(value, Closure):
            return all(self.is_static(v) for v in value.defaults.values())
        if value is None or isinstance(value, (str, enum.Enum)):
            return self.type_of(value) is None
        if not self.is_static(value) or isinstance(value, Partial):
            return False
        return callable(value) or _is_of_the_users(value)

    def _merge_absent(self, region: If, a: Value, b: Value, name: str) -> Value:
        """The value of a name that has none on some paths."""
        absents = [v.absent if isinstance(v, Maybe) else v for v in (a, b) if not self._is_present(v)]
        values = [v.value if isinstance(v, Maybe) else v for v in (a, b)]
        known = [
            emptied(w) if v is UNDEFINED or v is None else v
            for v, w in zip(values, values[::-1], strict=True)
        ]
        if any(v is not absents[0] for v in absents) or not self._all_numbers(values):
            there = next((v for v in values if v is not UNDEFINED), None)
            return PartlyDefined(name, there, region.origin)
        present = [self._is_present(v) if not isinstance(v, Maybe) else v.present for v in (a, b)]
        return Maybe(
            self.merge(region, present[0], present[1], f"has_{name}" if name else ""),
            self.merge_filled(region, known[0], known[1], name),
            absents[0],
        )

    @staticmethod
    def _is_present(value: Value) -> bool:
        return not (value is UNDEFINED or value is None or isinstance(value, Maybe))

    def _all_numbers(self, values: list[Value]) -> bool:
        """Whether values, or what they are tuples of, are numbers, arrays, one of several things, or missing."""
        return all(
            self._all_numbers(list(v))
            if isinstance(v, tuple)
            else v is UNDEFINED or v is None or self.is_choice(v) or self.type_of(v) is not None
            for v in values
        )

    def merge_filled(self, region: If, a: Value, b: Value, name: str) -> Value:
        """The value of a name that is only read where it was given one; UNDEFINED on the side where it was not."""
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return rebuilt(a, [self.merge_filled(region, x, y, name) for x, y in zip(a, b, strict=True)])
        if a is UNDEFINED and b is UNDEFINED:
            return UNDEFINED
        if a is UNDEFINED:
            with self.at(region.then):
                a = self._filler_beside(region, b)
        elif b is UNDEFINED:
            with self.at(region.orelse):
                b = self._filler_beside(region, a)
        return self.merge(region, a, b, name)

    def _filler_beside(self, region: If, there: Value) -> Value:
        """What stands in for a value that a branch makes, on its other side: as long, where that is known before it.

        A list that holds such values, which may all be missing, has the length of its elements from them. Where one of
        several things is to come, any of these will do.
        """
        if self.is_choice(there):
            return self.options(there)[0]
        t = self.type_of(there)
        if isinstance(t, Array) and all(map(_cannot_be_negative, t.shape)):
            made = {v for s in walk([region]) for v in (*defined(s), *bound_inside(s))}
            if not any(owner in made for d in t.shape for owner in owners(d)):
                return self.op("zeros", self.shape_values(t.shape), dtype=np.dtype(t.dtype))
        return self.filler(t)

    def filler(self, t: Type | None, owner: Var | None = None) -> Value:
        """What stands in for a value that does not exist, and is never read.

        Of a name that a loop carries the lengths are those of the values to come, where they are known before it.
        """
        assert t is not None
        if isinstance(t, Array):
            late = owner is None or any(owner in owners(d) for d in t.shape)
            shape = (0,) * t.ndim if late else self.shape_values(t.shape)
            return self.op("zeros", shape, dtype=np.dtype(t.dtype))
        return np.dtype(t.dtype).type(0).item()

    @staticmethod
    def same_static(a: Value, b: Value) -> bool:
        if isinstance(a, Var) or isinstance(b, Var) or type(a) is not type(b):
            return False
        if isinstance(a, float):
            return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
        return isinstance(a, (int, str, bool, type(None))) and a == b


def _is_of_the_users(value: Value) -> bool:
    """Whether a value is an object from outside, of a class that is no library's, and not one that is used up."""
    return not is_settled(type(value)) and not isinstance(value, Iterator)


def _cannot_be_negative(d: Dim) -> bool:
    return d.const >= 0 and all(factor > 0 and symbol.nonnegative for symbol, factor in d.terms)


def _noun(t: Type) -> str:
    return f"{t.ndim}-d array" if isinstance(t, Array) else "number"
