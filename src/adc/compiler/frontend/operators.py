"""Operators and truth: arithmetic, comparisons, `and`, `or`, `not` and conditional expressions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import (
    choices,
    growing,
    identity,
    instances,
    keys_of_run,
    list_calls,
    list_methods,
    object_operators,
    texts,
)
from adc.compiler.frontend.frame import Growing, Instance, Once, Range, SurelyRaised
from adc.compiler.frontend.names import Names
from adc.compiler.frontend.packed import is_word
from adc.compiler.frontend.plain_tests import is_number, is_plain
from adc.compiler.frontend.samples import refused_operands
from adc.compiler.frontend.values import ZERO, Choice, Maybe, Text, Value, kind
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar, is_integer
from adc.rules import registry
from adc.rules.dims import Dim

BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}
UNARY: dict[type, Callable[..., Any]] = {
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Invert: operator.invert,
}
COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}


def _has_complex_power(x: Value, y: Value) -> bool:
    """Whether they are numbers of Python's whose power is complex: a root of a negative one, where NumPy has NaN."""
    return type(x) in (int, float) and type(y) is float and x < 0 and np.isfinite(y) and y != int(y)


class Operators(Names):
    """The part of the evaluator that applies operators."""

    def eval_BinOp(self, node: Any) -> Value:
        x, y = self.evaluate(node.left), self.evaluate(node.right)
        with self.origin_at(self.locate(node)):
            return self.binary(BINARY[type(node.op)], x, y)

    def binary(self, function: Callable[..., Any], x: Value, y: Value) -> Value:
        x, y = (self.required(v, "value") if isinstance(v, Maybe) else v for v in (x, y))
        if isinstance(x, Choice) or isinstance(y, Choice):
            return choices.of_each(self, lambda a, b: self.binary(function, a, b), x, y)
        if function is operator.mod and isinstance(x, str):
            return self.now(function, [x, y], {}) if self.is_static(y) else texts.by_percent(self, x, y)
        if object_operators.applies(self, function, x, y):
            return object_operators.binary(self, function, x, y)
        if isinstance(x, (list, tuple, Growing)) or isinstance(y, (list, tuple, Growing)):
            return self._sequence_operator(function, x, y)
        if not self._numeric(x) or not self._numeric(y):
            x, y = self._sequences_as_arrays(x, y)
        if not self._numeric(x) or not self._numeric(y):
            x, y = self.opened(x), self.opened(y)
            if isinstance(x, Instance) or isinstance(y, Instance):
                return object_operators.binary(self, function, x, y)
            if function is operator.add and all(isinstance(v, (str, Text)) for v in (x, y)):
                return x + y if isinstance(x, str) and isinstance(y, str) else texts.joined(self, x, y)
            if isinstance(x, dict) and isinstance(y, dict) and function is operator.or_:
                return x | y
            if self.is_static(x) and self.is_static(y):
                return self.now(function, [x, y], {})
            self._refuse_operands(function, x, y)
            raise self.refuse(
                f"operator {function.__name__} between {kind(x)} and {kind(y)} is not supported"
            )
        operation = registry.find(function)
        assert operation is not None, function
        if self.trying:
            self.raise_as_python(function, x, y)
        if function is operator.pow:
            if _has_complex_power(x, y):
                return x**y
            if self._squares_truths(x, y):
                return self.op("square", x)
        return self.op(operation, x, y)

    def _sequences_as_arrays(self, x: Value, y: Value) -> tuple[Value, Value]:
        """The operands where NumPy makes an array of a sequence: beside an array, or a number of NumPy's."""

        def is_numpys(value: Value) -> bool:
            if isinstance(value, Var):
                return not (isinstance(value.type, Scalar) and value.type.weak)
            return isinstance(value, (np.ndarray, np.number))

        sequences = (list, tuple, range, Range)
        return (
            self.array_of(x) if isinstance(x, sequences) and is_numpys(y) else x,
            self.array_of(y) if isinstance(y, sequences) and is_numpys(x) else y,
        )

    def _squares_truths(self, x: Value, y: Value) -> bool:
        """Whether `x**2` is the square that NumPy takes it for: of truth values, whose `np.power` has 64 bits."""
        return type(y) is int and y == 2 and isinstance(x, Var) and x.is_array and x.type.dtype == "bool"

    def _refuse_operands(self, function: Callable[..., Any], x: Value, y: Value) -> None:
        """Raise what Python raises of these operands wherever the operator is reached."""
        error = refused_operands(function, x, y)
        if error is not None:
            raise SurelyRaised(error, self.region_depth, self.origin)

    def _sequence_operator(self, function: Callable[..., Any], x: Value, y: Value) -> Value:
        sequences = [isinstance(v, (list, tuple, Growing)) for v in (x, y)]
        if all(sequences):
            if function is operator.add and isinstance(x, tuple) and isinstance(y, tuple):
                return (*x, *y)
            tuples = [isinstance(v, tuple) for v in (x, y)]
            # A row of a list of tuples, whose length is only known at run time, is put together with a tuple, too.
            if function is operator.add and (
                not any(tuples) or isinstance(x, Growing) or isinstance(y, Growing)
            ):
                return self._lists_joined(
                    *(self.new_list([*v]) if isinstance(v, tuple) else v for v in (x, y))
                )
            raise self.refuse(
                f"operator {function.__name__} between {kind(x)} and {kind(y)} is not supported"
            )
        count, items = (y, x) if sequences[0] else (x, y)
        if function is operator.mul and isinstance(items, Growing) and self.length(count) is not None:
            return list_methods.times(self, items, count)
        if (
            function is operator.mul
            and isinstance(count, (int, np.integer))
            and isinstance(items, (list, tuple))
        ):
            count = int(count)
            return self.new_list(list(items) * count) if isinstance(items, list) else items * count
        if function is operator.mul and self.length(count) is not None and isinstance(items, list):
            return list_methods.repeated(self, items, count)
        if function is operator.mul and self.length(count) is not None and isinstance(items, tuple):
            raise self.refuse(
                "a tuple is repeated a number of times that is only known at run time",
                "its length would not be known",
                "repeat a list, or use a constant",
            )
        # NumPy turns the list into an array when the other side is one.
        x, y = list_calls.plain(self, (x, y))
        x = self.array_of(x) if isinstance(x, (list, tuple)) else x
        y = self.array_of(y) if isinstance(y, (list, tuple)) else y
        return self.binary(function, x, y)

    def _lists_joined(self, x: Value, y: Value) -> Value:
        if isinstance(x, list) and isinstance(y, list):
            return self.new_list([*x, *y])
        whole = (
            list_methods.copied(self, x) if isinstance(x, Growing) else growing.begun(self, "items", x, None)
        )
        list_methods.extend(self, whole, y)
        return whole

    def _numeric(self, value: Value) -> bool:
        return isinstance(value, Var) or value is ZERO or self.type_of(value) is not None

    def eval_UnaryOp(self, node: Any) -> Value:
        if isinstance(node.op, gast.Not):
            test = self.condition(node.operand)
            return self.plain(self.op("logical_not", test)) if isinstance(test, Var) else not test
        x = self.evaluate(node.operand)
        with self.origin_at(self.locate(node)):
            operation = registry.find(UNARY[type(node.op)])
            assert operation is not None
            word = instances.UNARY[type(node.op)]
            if isinstance(x, Instance) or instances.method(self, x, word) is not None:
                return instances.called(self, x, word)
            if isinstance(x, (list, tuple)):
                kind, sign = ("list" if isinstance(x, list) else type(x).__name__), operation.symbol
                error = TypeError(f"bad operand type for unary {sign}: '{kind}'")
                raise SurelyRaised(error, self.region_depth, self.origin)
            return ZERO if x is ZERO else self.op(operation, self._counted(x))

    def _counted(self, x: Value) -> Value:
        """The operand of a sign or of `~`: Python takes its truth values for 0 and 1, NumPy has others of its own."""
        if isinstance(x, Var) and x.type == Scalar("bool", weak=True):
            return self.cast(x, "int64", weak=True)
        return int(x) if isinstance(x, bool) else x

    def negated(self, x: Value) -> Value:
        test = self.truth(x) if isinstance(x, (Var, Growing)) else x
        return self.plain(self.op("logical_not", test)) if isinstance(test, Var) else not test

    def truth(self, x: Value) -> Value:
        """The truth value of a number; containers and other constants by Python's rules."""
        if isinstance(x, Maybe):
            maybe = x
            return self.choose(maybe.present, lambda: self.truth(maybe.value), lambda: False)
        if isinstance(x, Choice):
            return choices.of_each(self, self.truth, x)
        if isinstance(x, Growing):
            return self.op("not_equal", x.count, 0)
        if isinstance(x, Instance) or instances.method(self, x, "__bool__") is not None:
            return object_operators.truth(self, x)
        if not isinstance(x, Var):
            return bool(x)
        if x.is_array:
            if any(length.known not in (None, 1) for length in x.type.shape):
                raise self.refuse(
                    "the truth value of an array is ambiguous",
                    "a branch needs one number",
                    "use .any(), .all() or an element",
                )
            x = self.only_element(
                x, "the truth value of an array of another size than 1 is ambiguous: use .any() or .all()"
            )
        return x if x.type.dtype == "bool" else self.op("not_equal", x, 0)

    def only_element(self, x: Var, otherwise: str) -> Value:
        """The element of an array that has one, whatever its rank; of another size the program raises ValueError."""
        for length in x.type.shape:
            self.require_equal(length, Dim.of(1), otherwise)
        return self.subscript(x, (0,) * x.type.ndim)

    def eval_BoolOp(self, node: Any) -> Value:
        """The first operand that decides, as Python has it, and the others not evaluated."""
        conjunction = isinstance(node.op, gast.And)

        def chain(nodes: list[Any]) -> Value:
            first = self.evaluate_maybe(nodes[0])
            if len(nodes) == 1:
                return first
            with self.origin_at(self.locate(node)):
                if isinstance(first, Choice):

                    def decided(one: Value) -> Value:
                        return chain(nodes[1:]) if bool(one) == conjunction else one

                    return choices.of_each_in_turn(self, decided, first)
                test = self.truth(first)
                if not isinstance(test, Var):
                    return chain(nodes[1:]) if bool(test) == conjunction else first
                if isinstance(first, (Maybe, Growing)) or first.type.dtype == "bool":
                    first = (
                        first.value if isinstance(first, Maybe) and not conjunction else conjunction is False
                    )
                if conjunction:
                    return self.choose_in(node, test, lambda: chain(nodes[1:]), lambda: first)
                return self.choose_in(node, test, lambda: first, lambda: chain(nodes[1:]))

        return chain(node.values)

    def condition(self, node: Any) -> Value:
        """Whether an expression is true."""
        if not isinstance(node, gast.BoolOp):
            value = self.evaluate_maybe(node)
            with self.origin_at(self.locate(node)):
                return self.truth(value)
        conjunction = isinstance(node.op, gast.And)

        def chain(nodes: list[Any]) -> Value:
            first = self.condition(nodes[0])
            if len(nodes) == 1:
                return first
            with self.origin_at(self.locate(node)):
                if not isinstance(first, Var):
                    return chain(nodes[1:]) if first == conjunction else first
                if all(is_plain(self, n) for n in nodes[1:]):
                    return self._conjoined(conjunction, first, chain(nodes[1:]))
                if conjunction:
                    return self.choose_in(node, first, lambda: chain(nodes[1:]), lambda: False)
                return self.choose_in(node, first, lambda: True, lambda: chain(nodes[1:]))

        return chain(node.values)

    def eval_Compare(self, node: Any) -> Value:
        by_identity = all(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops)
        left = (self.unread(node.left) if by_identity else None) or self.evaluate_maybe(node.left)
        pending = list(zip(node.ops, node.comparators, strict=True))

        def chain(left: Value, rest: list[Any]) -> Value:
            op, comparator = rest[0]
            right = self.evaluate_maybe(comparator)
            with self.origin_at(self.locate(node)):
                value = self.compare(op, left, right)
                if len(rest) == 1:
                    return value
                if not isinstance(value, Var):
                    return chain(right, rest[1:]) if value else False
                if not value.is_array and all(is_number(self, n) for _, n in rest[1:]):
                    return self._conjoined(True, value, chain(right, rest[1:]))
                return self.choose_in(
                    node, self.truth(value), lambda: self.truth(chain(right, rest[1:])), lambda: False
                )

        return chain(left, pending)

    def unread(self, node: Any) -> Once | None:
        """An iterator under a name, which `items is None` does not go over."""
        value = self.frame.env.get(node.id) if isinstance(node, gast.Name) else None
        return value if isinstance(value, Once) else None

    def compare(self, op: Any, x: Value, y: Value) -> Value:
        if isinstance(x, Choice) or isinstance(y, Choice):
            return choices.of_each(self, lambda a, b: self.compare(op, a, b), x, y)
        if isinstance(x, Maybe) or isinstance(y, Maybe):
            return self._compare_maybe(op, x, y)
        if isinstance(op, (gast.Is, gast.IsNot)):
            same = identity.same(self, x, y)
            return same if isinstance(op, gast.Is) else self.negated(same)
        for side in (x, y):
            if isinstance(side, Text):
                raise side.refused()
        if object_operators.compares(self, op, x, y):
            return object_operators.compared(self, op, x, y)
        if isinstance(op, (gast.In, gast.NotIn)):
            is_set = getattr(instances.class_of(y), "__adc_model__", None) is set
            if is_set and isinstance(y["__held__"], Instance):  # whose elements only the run knows
                return self.compare(op, x, y["__held__"])
            if is_set:
                y = list(self.opened(y))
            if isinstance(y, (tuple, list, frozenset, set)) and any(map(self._is_told_by_comparing, [x, *y])):
                found = self.plain(self._among(x, list(y)))
                return found if isinstance(op, gast.In) else self.negated(found)
            known = isinstance(y, range) and self.is_static(x)
            if isinstance(y, (range, Range)) and isinstance(self.type_of(x), Scalar) and not known:
                found = self.plain(self._in_range(x, y))
                return found if isinstance(op, gast.In) else self.negated(found)
            contains = instances.method(self, y, "__contains__")
            if contains is not None:
                found = self.plain(self.truth(self.call(contains, [x], {})))
                return found if isinstance(op, gast.In) else self.negated(found)
            if (
                isinstance(y, Growing)
                and y.form is not None
                and is_word(y.form.example)
                and self.is_choice(x)
            ):
                found = self.plain(self.op("greater", list_methods.count(self, y, x), 0))
                return found if isinstance(op, gast.In) else self.negated(found)
            (items,) = list_calls.plain(self, [y])
            of_tuples = isinstance(y, Growing) and (y.nested or y.form is not None)
            if isinstance(items, Var) and not of_tuples and isinstance(self.type_of(x), Scalar):
                found = self.plain(self.op("any", self.op("equal", items, x)))
                return found if isinstance(op, gast.In) else self.negated(found)
            if (
                isinstance(y, Instance)
                or not self.is_static(x)
                or (not isinstance(y, dict) and not self.is_static(y))
            ):
                if isinstance(y, dict) and not isinstance(y, Instance):
                    keys_of_run.note(self, y, x)
                raise self.refuse("`in` is only supported for values known before the program runs")
            if is_set:
                y = frozenset(
                    y
                )  # which compares hashes first: a dtype is equal to a class, and in no set of classes
            return (x in y) if isinstance(op, gast.In) else (x not in y)
        x, y = self.opened(x), self.opened(y)
        if isinstance(x, Growing) or isinstance(y, Growing):
            raise self.refuse("lists of a run-time length are not compared", repair="compare arrays")
        function = COMPARE[type(op)]
        x, y = self._sequences_as_arrays(x, y)
        if not self._numeric(x) or not self._numeric(y):
            if self.is_static(x) and self.is_static(y):
                return self.now(function, [x, y], {})
            if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
                return self._compare_sequences(op, x, y)
            containers = isinstance(x, (list, tuple, dict)) and isinstance(y, (list, tuple, dict))
            if isinstance(op, (gast.Eq, gast.NotEq)) and not containers:
                return isinstance(op, gast.NotEq)
            self._refuse_operands(function, x, y)
            raise self.refuse(f"comparison of {kind(x)} and {kind(y)} is not supported")
        operation = registry.find(function)
        assert operation is not None
        return self.op(operation, x, y)

    def _compare_sequences(self, op: Any, x: Sequence[Value], y: Sequence[Value]) -> Value:
        """Two tuples or lists, as Python compares them: by the first elements that differ."""
        if isinstance(x, list) != isinstance(y, list):
            if isinstance(op, (gast.Eq, gast.NotEq)):
                return isinstance(op, gast.NotEq)
            raise self.refuse("a list and a tuple are not compared", repair="use two tuples")
        if isinstance(op, (gast.Eq, gast.NotEq)):
            same: Value = len(x) == len(y)
            for a, b in zip(x, y, strict=False):
                same = self.both(same, lambda a=a, b=b: self._one_or_equal(a, b))  # type: ignore[misc]
            return same if isinstance(op, gast.Eq) else self.negated(same)
        if not x or not y:
            return COMPARE[type(op)](len(x), len(y))
        strict = gast.Lt() if isinstance(op, (gast.Lt, gast.LtE)) else gast.Gt()
        first = self.compare(strict, x[0], y[0])
        rest = self.both(self._one_or_equal(x[0], y[0]), lambda: self._compare_sequences(op, x[1:], y[1:]))
        if isinstance(first, Var) and isinstance(rest, Var):
            return self.op("logical_or", first, rest)
        return first if rest is False else rest if first is False else True

    def _one_or_equal(self, x: Value, item: Value) -> Value:
        """Whether two elements are equal: one object is, also a NaN, and also where its class says otherwise."""
        return True if x is item else self.compare(gast.Eq(), x, item)

    def both(self, test: Value, other: Callable[[], Value]) -> Value:
        """`test and other()`."""
        if not isinstance(test, Var):
            return other() if test else False
        return self._conjoined(True, test, other())

    def _conjoined(self, conjunction: bool, test: Var, other: Value) -> Value:
        """`test and other`, or `test or other`, of truth values that are both there."""
        if isinstance(other, Var):
            return self.op("logical_and" if conjunction else "logical_or", test, other)
        return test if bool(other) == conjunction else bool(other)

    def _compare_maybe(self, op: Any, x: Value, y: Value) -> Value:
        """A comparison with what may be None."""
        maybe, other = (x, y) if isinstance(x, Maybe) else (y, x)
        assert isinstance(maybe, Maybe)
        by_identity = isinstance(op, (gast.Is, gast.IsNot))
        if other is not None and (by_identity or not isinstance(op, (gast.Eq, gast.NotEq))):
            if by_identity:
                raise self.refuse("`is` between numbers or arrays is not supported", repair="compare with ==")
            return self.compare(
                op, *(self.required(v, "value") if isinstance(v, Maybe) else v for v in (x, y))
            )
        differs = isinstance(op, (gast.IsNot, gast.NotEq))
        if other is None:
            return self.truth(maybe.present) if differs else self.negated(maybe.present)
        return self.choose(
            maybe.present,
            lambda: self.truth(self.compare(op, maybe.value, other)),
            lambda: self.truth(self.compare(op, None, other)),
        )

    def _is_told_by_comparing(self, x: Value) -> bool:
        """Whether only the program can tell what a number, a tuple of some or an object is equal to."""
        if isinstance(x, Var):
            return not x.is_array
        return isinstance(x, (Instance, Choice, Maybe)) or (isinstance(x, tuple) and not self.is_static(x))

    def _in_range(self, x: Value, y: range | Range) -> Value:
        """Whether a number is one of those from `start`, before `stop`, and a number of steps away."""
        if not isinstance(y.step, int):
            raise self.refuse("`in` of a range is only supported where its step is known")
        first, last = (y.start, y.stop) if y.step > 0 else (y.stop, y.start)
        lower, upper = ("less_equal", "less") if y.step > 0 else ("less", "less_equal")
        tests = [self.op(lower, first, x), self.op(upper, x, last)]
        t = self.type_of(x)
        if abs(y.step) != 1 or t is None or not is_integer(t):
            tests.append(self.op("equal", self.op("remainder", self.op("subtract", x, y.start), y.step), 0))
        return functools.reduce(lambda a, b: self.op("logical_and", a, b), tests)

    def _among(self, x: Value, items: list[Value]) -> Value:
        """Whether a number, a tuple or an object is one of several."""
        found: Value = False
        for item in items:
            same = self._one_or_equal(x, item)
            if isinstance(same, Var):
                found = same if found is False else self.op("logical_or", found, same)
            elif same:
                return True
        return found

    def eval_IfExp(self, node: Any) -> Value:
        with self.origin_at(self.locate(node)):
            test = self.condition(node.test)
        if not isinstance(test, Var):
            return self.evaluate_maybe(node.body if test else node.orelse)
        with self.origin_at(self.locate(node)):
            return self.choose_in(
                node,
                test,
                lambda: self.evaluate_maybe(node.body),
                lambda: self.evaluate_maybe(node.orelse),
            )
