"""The value of a name after a branch: a variable that is set to one thing on each side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adc.compiler.frontend.builder import Builder
from adc.compiler.frontend.values import UNDEFINED, PartlyDefined, Value, rebuilt
from adc.compiler.ir.nodes import Block, If, Merge, Var
from adc.compiler.ir.types import Array, Scalar, Type, is_integer, joined
from adc.rules.dims import Dim


class Merging(Builder):
    """The part of the evaluator that joins what two paths computed."""

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
        if isinstance(a, (tuple, list)) and type(a) is type(b) and len(a) == len(b):
            parts = [self.merge(region, x, y, name) for x, y in zip(a, b, strict=True)]
            return rebuilt(a, parts)
        if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
            return {k: self.merge(region, a[k], b[k], name) for k in a}
        if a is UNDEFINED or b is UNDEFINED:
            defined = b if a is UNDEFINED else a
            t = self.type_of(defined)
            if not isinstance(t, Scalar):
                return PartlyDefined(name, defined)
            filler = np.dtype(t.dtype).type(0).item()
            a, b = (filler, b) if a is UNDEFINED else (a, filler)
        ta, tb = self.type_of(a), self.type_of(b)
        if ta is None or tb is None:
            return PartlyDefined(name, a)
        t = joined(ta, tb)
        if t is None:
            raise self.refuse(
                f"`{name}` is a {_noun(ta)} on one path and a {_noun(tb)} on the other",
                "a variable has one rank in compiled code",
                "make both branches give the same rank",
            )
        result = Var(name, t, named=bool(name))
        if isinstance(t, Array):
            shape = []
            for k, d in enumerate(t.shape):
                if d == Dim(-1) and self.equal.same(ta.shape[k], tb.shape[k]):
                    d = ta.shape[k]
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

    @staticmethod
    def same_static(a: Value, b: Value) -> bool:
        if isinstance(a, Var) or isinstance(b, Var) or type(a) is not type(b):
            return False
        if isinstance(a, float):
            return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
        return isinstance(a, (int, str, bool, type(None))) and a == b


def _noun(t: Type) -> str:
    return f"{t.ndim}-d array" if isinstance(t, Array) else "number"
