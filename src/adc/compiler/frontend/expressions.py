"""Evaluate expressions over values that are partly known: constants fold, the rest becomes IR."""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import growing
from adc.compiler.frontend import source as sources
from adc.compiler.frontend.builder import UNDEFINED, ZERO, Builder, PartlyDefined, Value
from adc.compiler.frontend.frame import (
    Capture,
    Closure,
    Frame,
    Guard,
    Items,
    ListValue,
    NeedsUnrolling,
    Range,
)
from adc.compiler.frontend.growing import Growing, Method
from adc.compiler.frontend.indexing import normalized
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, of_number
from adc.errors import Location
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


class Expressions(Builder):
    """The part of the evaluator that gives expressions their values."""

    frame: Frame
    region_depth: int  # branches and loops around the statement
    loop_depth: int  # loops around it
    captures: list[Capture]
    guards: list[Guard]
    stacked: dict[int, Any]  # sequences of numbers that a loop reads at a run-time position, by their id

    @property
    def in_user_code(self) -> bool:
        return self.frame.source is not None

    def locate(self, node: Any) -> Location | None:
        """Where a node stands in the user's source; inside rule bodies, the place that called the rule."""
        if self.frame.source is None or not hasattr(node, "lineno"):
            return self.origin
        return sources.location(node, self.frame.source)

    def evaluate(self, node: Any) -> Value:
        method = getattr(self, f"eval_{type(node).__name__}", None)
        if method is None:
            with self.origin_at(self.locate(node)):
                raise self.refuse(
                    f"`{_spoken(node)}` is not supported here",
                    "the compiler does not take this expression",
                    "write it with plain assignments and loops",
                )
        return method(node)

    # --- names --------------------------------------------------------------------------------------------------

    def eval_Constant(self, node: Any) -> Value:
        return node.value

    def eval_Name(self, node: Any) -> Value:
        name = node.id
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.env:
                value = frame.env[name]
                if isinstance(value, PartlyDefined):
                    with self.origin_at(self.locate(node)):
                        raise self.refuse(
                            f"`{name}` has a value on some paths only, or of different kinds",
                            "what it holds is not a number on every path",
                            "assign it on every path",
                        )
                if value is UNDEFINED:
                    with self.origin_at(self.locate(node)):
                        raise self.refuse(f"`{name}` is read before it is assigned", repair="assign it first")
                return value
            if name in frame.closure:
                cell = frame.closure[name]
                with self.origin_at(self.locate(node)):
                    return self.captured(partial(getattr, cell, "cell_contents"), name)
            if frame.parent is None:
                table = frame.globals
                if name in table:
                    if frame.source is None:
                        return table[name]
                    with self.origin_at(self.locate(node)):
                        return self.captured(partial(operator.getitem, table, name), name)
            frame = frame.parent
        if hasattr(builtins, name):
            return getattr(builtins, name)
        with self.origin_at(self.locate(node)):
            raise self.refuse(f"name `{name}` is not defined", repair="check the spelling")

    def captured(self, read: Callable[[], Any], label: str) -> Value:
        """A value from outside the function: arrays and floats are read at each call, the rest is taken as constant."""
        for capture in self.captures:
            if capture.label == label and capture.read() is read():
                return capture.param
        value = read()
        if isinstance(value, np.ndarray) or type(value) in (float, np.float64, np.float32):
            param = Var(label, self.argument_type(value, label))
            if isinstance(param.type, Array):
                self._name_lengths(param, value)
            self.captures.append(Capture(read, param, label))
            return param
        if isinstance(value, list):
            raise self.refuse(
                f"`{label}` is a list outside the function",
                "its elements could change between calls",
                "pass it as an argument, or make it a tuple or an array",
            )
        if not any(g.label == label and g.value is value for g in self.guards):
            self.guards.append(Guard(read, value, label))
        return value

    def argument_type(self, value: Any, label: str) -> Array | Scalar:
        """The type of an argument or captured value."""
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "fiubc":
                raise self.refuse(f"`{label}` is an array of dtype {value.dtype}", repair="pass numbers")
            shape = tuple(Dim(1) if n == 1 else Dim(-1) for n in value.shape)
            return (
                Array(str(value.dtype), shape, "C" if value.flags.c_contiguous else "A")
                if value.ndim
                else Scalar(str(value.dtype))
            )
        return of_number(value)

    @staticmethod
    def _name_lengths(param: Var, value: Any) -> None:
        assert isinstance(param.type, Array)
        shape = tuple(
            Dim.symbol("shape", param, k) if d == Dim(-1) else d for k, d in enumerate(param.type.shape)
        )
        param.type = Array(param.type.dtype, shape, param.type.layout)

    # --- operators ----------------------------------------------------------------------------------------------

    def eval_BinOp(self, node: Any) -> Value:
        x, y = self.evaluate(node.left), self.evaluate(node.right)
        with self.origin_at(self.locate(node)):
            return self.binary(BINARY[type(node.op)], x, y)

    def binary(self, function: Callable[..., Any], x: Value, y: Value) -> Value:
        if isinstance(x, (list, tuple)) or isinstance(y, (list, tuple)):
            return self._sequence_operator(function, x, y)
        if not self._numeric(x) or not self._numeric(y):
            if self.is_static(x) and self.is_static(y):
                return function(x, y)
            raise self.refuse(
                f"operator {function.__name__} between {_kind(x)} and {_kind(y)} is not supported"
            )
        operation = registry.find(function)
        assert operation is not None, function
        return self.op(operation, x, y)

    def _sequence_operator(self, function: Callable[..., Any], x: Value, y: Value) -> Value:
        if (
            function is operator.add
            and isinstance(x, (list, tuple))
            and isinstance(y, type(x) if isinstance(x, tuple) else list)
        ):
            return self.new_list([*x, *y]) if isinstance(x, list) else (*x, *y)
        count, items = (y, x) if isinstance(x, (list, tuple)) else (x, y)
        if function is operator.mul and isinstance(count, int) and isinstance(items, (list, tuple)):
            return self.new_list(list(items) * count) if isinstance(items, list) else items * count
        # NumPy turns the list into an array when the other side is one.
        x = self.array_of(x) if isinstance(x, (list, tuple)) else x
        y = self.array_of(y) if isinstance(y, (list, tuple)) else y
        return self.binary(function, x, y)

    def _numeric(self, value: Value) -> bool:
        return isinstance(value, Var) or value is ZERO or self.type_of(value) is not None

    def new_list(self, items: list[Value]) -> ListValue:
        result = ListValue(items)
        result.depth = self.loop_depth
        return result

    def array_of(self, value: Value) -> Value:
        """`np.array(value)` for numbers, arrays and nested sequences of them."""
        if isinstance(value, (list, tuple)):
            if not value:
                return self.op("zeros", 0)
            parts = [self.array_of(v) for v in value]
            return self.op("stack", tuple(parts))
        return value

    def eval_UnaryOp(self, node: Any) -> Value:
        x = self.evaluate(node.operand)
        with self.origin_at(self.locate(node)):
            if isinstance(node.op, gast.Not):
                return self.negated(x)
            operation = registry.find(UNARY[type(node.op)])
            assert operation is not None
            return ZERO if x is ZERO else self.op(operation, x)

    def negated(self, x: Value) -> Value:
        test = self.truth(x) if isinstance(x, (Var, Growing)) else x
        return self.op("logical_not", test) if isinstance(test, Var) else not test

    def truth(self, x: Value) -> Value:
        """The truth value of a number; containers and other constants by Python's rules."""
        if isinstance(x, Growing):
            return self.op("not_equal", x.count, 0)
        if not isinstance(x, Var):
            return bool(x)
        if x.is_array:
            raise self.refuse(
                "the truth value of an array is ambiguous",
                "a branch needs one number",
                "use .any(), .all() or an element",
            )
        return x if x.type.dtype == "bool" else self.op("not_equal", x, 0)

    def eval_BoolOp(self, node: Any) -> Value:
        *rest, last = node.values
        conjunction = isinstance(node.op, gast.And)

        def chain(nodes: list[Any]) -> Value:
            first = self.evaluate(nodes[0])
            if len(nodes) == 1:
                return first
            with self.origin_at(self.locate(node)):
                if not isinstance(first, Var):
                    return chain(nodes[1:]) if bool(first) == conjunction else first
                test = self.truth(first)
                if conjunction:
                    return self.choose(test, lambda: self._test(chain(nodes[1:])), lambda: False)
                return self.choose(test, lambda: True, lambda: self._test(chain(nodes[1:])))

        return chain([*rest, last])

    def _test(self, value: Value) -> Value:
        return self.truth(value) if isinstance(value, Var) else bool(value)

    def eval_Compare(self, node: Any) -> Value:
        left = self.evaluate(node.left)
        result: Value = True
        pending = list(zip(node.ops, node.comparators, strict=True))

        def chain(left: Value, rest: list[Any]) -> Value:
            op, comparator = rest[0]
            right = self.evaluate(comparator)
            with self.origin_at(self.locate(node)):
                value = self.compare(op, left, right)
                if len(rest) == 1:
                    return value
                if not isinstance(value, Var):
                    return chain(right, rest[1:]) if value else False
                return self.choose(
                    self.truth(value), lambda: self._test(chain(right, rest[1:])), lambda: False
                )

        del result
        return chain(left, pending)

    def compare(self, op: Any, x: Value, y: Value) -> Value:
        if isinstance(op, (gast.Is, gast.IsNot)):
            if isinstance(x, Var) or isinstance(y, Var):
                same = x is y
                if not same and (x is not None and y is not None):
                    raise self.refuse(
                        "`is` between numbers or arrays is not supported", repair="compare with =="
                    )
            else:
                same = x is y
            return same if isinstance(op, gast.Is) else not same
        if isinstance(op, (gast.In, gast.NotIn)):
            if isinstance(x, Var) and not x.is_array and isinstance(y, (tuple, list, frozenset, set)):
                found = self._among(x, list(y))
                return found if isinstance(op, gast.In) else self.negated(found)
            if not self.is_static(x) or (not isinstance(y, dict) and not self.is_static(y)):
                raise self.refuse("`in` is only supported for values known before the program runs")
            return (x in y) if isinstance(op, gast.In) else (x not in y)
        if isinstance(x, Growing) or isinstance(y, Growing):
            raise self.refuse("lists of a run-time length are not compared", repair="compare arrays")
        function = COMPARE[type(op)]
        if not self._numeric(x) or not self._numeric(y):
            if self.is_static(x) and self.is_static(y):
                return function(x, y)
            if isinstance(op, (gast.Eq, gast.NotEq)):
                return isinstance(op, gast.NotEq)
            raise self.refuse(f"comparison of {_kind(x)} and {_kind(y)} is not supported")
        operation = registry.find(function)
        assert operation is not None
        return self.op(operation, x, y)

    def _among(self, x: Var, items: list[Value]) -> Value:
        """Whether a number is one of several."""
        found: Value = False
        for item in items:
            if self._numeric(item):
                same = self.op("equal", x, item)
                found = same if found is False else self.op("logical_or", found, same)
        return found

    def eval_IfExp(self, node: Any) -> Value:
        with self.origin_at(self.locate(node)):
            test = self.evaluate(node.test)
            test = self.truth(test) if isinstance(test, Var) else bool(test)
        if not isinstance(test, Var):
            return self.evaluate(node.body if test else node.orelse)
        with self.origin_at(self.locate(node)):
            return self.choose(test, lambda: self._in_region(node.body), lambda: self._in_region(node.orelse))

    def _in_region(self, node: Any) -> Value:
        self.region_depth += 1
        try:
            return self.evaluate(node)
        finally:
            self.region_depth -= 1

    # --- containers, attributes, indices ------------------------------------------------------------------------

    def eval_Tuple(self, node: Any) -> Value:
        return tuple(self._elements(node.elts))

    def eval_List(self, node: Any) -> Value:
        return self.new_list(self._elements(node.elts))

    def eval_Set(self, node: Any) -> Value:
        items = self._elements(node.elts)
        if not self.is_static(items):
            with self.origin_at(self.locate(node)):
                raise self.refuse(
                    "a set of values that are only known at run time is not supported",
                    "its elements are compared when it is made",
                    "use a tuple or an array",
                )
        return frozenset(items)

    def _elements(self, nodes: list[Any]) -> list[Value]:
        items: list[Value] = []
        for element in nodes:
            if isinstance(element, gast.Starred):
                items.extend(self.static_items(self.evaluate(element.value), element))
            else:
                items.append(self.evaluate(element))
        return items

    def eval_Dict(self, node: Any) -> Value:
        result = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self.evaluate(value))
                continue
            k = self.evaluate(key)
            if not self.is_static(k):
                with self.origin_at(self.locate(key)):
                    raise self.refuse(
                        "a dict key must be known before the program runs", repair="use a constant key"
                    )
            result[k] = self.evaluate(value)
        return result

    def eval_JoinedStr(self, node: Any) -> Value:
        parts = [self.evaluate(v) for v in node.values]
        return "".join(str(p) for p in parts) if all(self.is_static(p) for p in parts) else tuple(parts)

    def eval_FormattedValue(self, node: Any) -> Value:
        value = self.evaluate(node.value)
        if not self.is_static(value):
            return value
        spec = self.evaluate(node.format_spec) if node.format_spec is not None else ""
        return format(value, spec)

    def eval_NamedExpr(self, node: Any) -> Value:
        value = self.evaluate(node.value)
        self.frame.env[node.target.id] = self.named_value(value, node.target.id)
        return value

    def eval_Slice(self, node: Any) -> Value:
        return slice(*(None if p is None else self.evaluate(p) for p in (node.lower, node.upper, node.step)))

    def named_value(self, value: Value, name: str) -> Value:
        """Give a fresh, nameless value the name that the user assigns it to."""
        if isinstance(value, Var) and not value.named:
            value.name, value.named = name, True
        return value

    def eval_Attribute(self, node: Any) -> Value:
        base = self.evaluate(node.value)
        with self.origin_at(self.locate(node)):
            return self.attribute(base, node.attr)

    def attribute(self, base: Value, name: str) -> Value:
        if isinstance(base, Growing):
            return Method(base, name)
        if not isinstance(base, Var):
            if isinstance(base, (float, int, np.generic)) and name in ("shape", "ndim", "size", "T"):
                return {"shape": (), "ndim": 0, "size": 1, "T": base}[name]
            try:
                value = getattr(base, name)
            except AttributeError as error:
                raise self.refuse(str(error), repair="check the spelling") from error
            if _changeable(base, value):
                return self.captured(lambda: getattr(base, name), name)
            return value
        if name == "shape":
            return self.shape_values(base.type.shape)
        if name == "ndim":
            return base.type.ndim
        if name == "size":
            total: Value = 1
            for d in self.shape_values(base.type.shape):
                total = self.op("multiply", total, d) if total != 1 or isinstance(total, Var) else d
            return total
        if name == "T":
            return self.op("transpose", base)
        if name == "dtype":
            return np.dtype(base.type.dtype)
        if name in ("real", "imag"):
            if np.dtype(base.type.dtype).kind == "c":
                return self.op(name, base)
            return base if name == "real" else self.op("multiply", base, 0.0)
        operation = registry.find_method(name)
        if operation is not None or name in self.array_methods():
            return BoundMethod(base, name)
        raise self.refuse(
            f"attribute `{name}` of an array is not supported",
            repair="use the function of NumPy of that name",
        )

    def array_methods(self) -> dict[str, Any]:
        raise AssertionError("calls.Calls provides the methods")

    def eval_Subscript(self, node: Any) -> Value:
        base = self.evaluate(node.value)
        index = self.evaluate(node.slice)
        with self.origin_at(self.locate(node)):
            return self.subscript(base, index)

    def index_value(self, index: Value) -> Value:
        """An index as NumPy takes it: lists in it are arrays."""
        if isinstance(index, tuple):
            return tuple(self.array_of(i) if isinstance(i, list) else i for i in index)
        return self.array_of(index) if isinstance(index, list) else index

    def subscript(self, base: Value, index: Value) -> Value:
        if isinstance(base, Growing):
            return growing.element(self, base, index)  # type: ignore[arg-type]
        if id(base) in self.stacked and isinstance(index, Var):
            return self.subscript(self.array_of(base), index)
        if isinstance(base, Var):
            if not base.is_array:
                raise self.refuse("a number cannot be indexed", repair="index an array")
            return self.getitem(base, normalized(self, base, self.index_value(index)))
        if isinstance(base, (tuple, list, dict, range, str)) or (
            hasattr(base, "__getitem__") and self.is_static(index)
        ):
            if isinstance(index, Var) or not self.is_static(index):
                raise (
                    NeedsUnrolling(base)
                    if self.loop_depth
                    else self.refuse(
                        "a tuple or list is indexed by a value that is only known at run time",
                        "its elements may have different types",
                        "use an array",
                    )
                )
            try:
                item = base[index]
            except (IndexError, KeyError, TypeError) as error:
                raise self.refuse(f"{type(error).__name__}: {error}") from error
            return self.new_list(item) if isinstance(base, ListValue) and isinstance(index, slice) else item
        raise self.refuse(f"{_kind(base)} cannot be indexed here")

    # --- iteration ----------------------------------------------------------------------------------------------

    def iterable(self, value: Value) -> list[Value] | Range | Items:
        """What a `for` goes over: a list of known items, a range, or something with a run-time length."""
        if isinstance(value, (Range, Items)):
            return value
        if isinstance(value, range):
            return Range(value.start, value.stop, value.step)
        if isinstance(value, ListValue):
            return value  # itself: a loop sees what its trips write
        if isinstance(value, (list, tuple, str, frozenset, set)):
            return list(value)
        if isinstance(value, dict):
            return list(value)
        if isinstance(
            value, (type({}.items()), type({}.keys()), type({}.values()), enumerate, zip, reversed, map)
        ):
            return list(value)
        if isinstance(value, Growing):
            return growing.items(self, value)  # type: ignore[arg-type]
        if isinstance(value, Var) and value.is_array:
            return Items(self.dim_value(value.type.shape[0]), lambda k: self.subscript(value, k))
        raise self.refuse(
            f"{_kind(value)} cannot be iterated over here", repair="iterate over a range, an array or a tuple"
        )

    def static_items(self, value: Value, node: Any) -> list[Value]:
        """All items of an iterable whose length is known now."""
        with self.origin_at(self.locate(node)):
            items = self.iterable(value)
            if isinstance(items, Range):
                if self.is_static((items.start, items.stop, items.step)):
                    return list(range(items.start, items.stop, items.step))
            elif isinstance(items, Items):
                if isinstance(items.length, int):
                    return [items.item(k) for k in range(items.length)]
            else:
                return items
            raise self.refuse(
                "the number of items is only known at run time",
                "a list of unknown length has no place in compiled code",
                "fill an array in a loop",
            )

    def eval_ListComp(self, node: Any) -> Value:
        first, *others = node.generators
        items = self.evaluate(first.iter)
        if not others and not first.ifs and not self.known_length(items):
            closure = Closure(growing.comprehension(node), self.frame, {})
            with self.origin_at(self.locate(node)):
                return self.call(closure, [items], {})
        return self.new_list(self._comprehended(node.elt, node.generators, items))

    def known_length(self, items: Value) -> bool:
        """Whether the number of items of an iterable is known before the program runs."""
        found = self.iterable(items)
        if isinstance(found, Range):
            return self.is_static((found.start, found.stop, found.step))
        return not isinstance(found, Items) or isinstance(found.length, int)

    def call(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        raise AssertionError("calls.Calls calls")

    def eval_GeneratorExp(self, node: Any) -> Value:
        return self._comprehended(node.elt, node.generators, self.evaluate(node.generators[0].iter))

    def _comprehended(self, element: Any, generators: list[Any], items: Value) -> list[Value]:
        generator, *rest = generators
        results: list[Value] = []
        outer = dict(self.frame.env)
        for item in self.static_items(items, generator.iter):
            self.bind(generator.target, item)
            tests = [self.evaluate(test) for test in generator.ifs]
            if any(isinstance(t, Var) for t in tests):
                with self.origin_at(self.locate(generator.iter)):
                    raise self.refuse(
                        "a comprehension whose condition depends on the data has no known length",
                        repair="use a loop, or np.where",
                    )
            if all(tests):
                results.extend(
                    self._comprehended(element, rest, self.evaluate(rest[0].iter))
                    if rest
                    else [self.evaluate(element)]
                )
        self.frame.env.clear()
        self.frame.env.update(outer)
        return results

    def bind(self, target: Any, value: Value) -> None:
        raise AssertionError("statements.Statements binds targets")

    def eval_Lambda(self, node: Any) -> Value:
        tree = gast.FunctionDef(
            name="lambda_",
            args=node.args,
            body=[gast.copy_location(gast.Return(value=node.body), node.body)],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],
        )
        gast.copy_location(tree, node)
        return Closure(tree, self.frame, self.default_values(node.args))

    def default_values(self, args: Any) -> dict[str, Value]:
        """The default values of a nested function, evaluated where it is defined."""
        names = [a.id for a in args.args]
        values = {
            n: self.evaluate(d)
            for n, d in zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True)
        }
        for name, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if default is not None:
                values[name.id] = self.evaluate(default)
        return values


class BoundMethod:
    """`array.name`, about to be called."""

    def __init__(self, array: Var, name: str) -> None:
        self.array = array
        self.name = name


# Their attributes are constants of nature, or of the library.
SETTLED_MODULES = {"math", "cmath", "numpy", "scipy", "adc", "builtins", "operator", "functools", "itertools"}


def _changeable(base: Value, value: Value) -> bool:
    """Whether an attribute belongs to the user, who may set it between calls: data of objects, classes and modules."""
    if isinstance(value, Var) or callable(value) or isinstance(value, types.ModuleType):
        return False
    if isinstance(base, types.ModuleType):
        return base.__name__.partition(".")[0] not in SETTLED_MODULES
    owner = base if isinstance(base, type) else type(base)
    return owner.__module__.partition(".")[0] not in SETTLED_MODULES and not isinstance(
        base, (tuple, list, dict)
    )


def _kind(value: Value) -> str:
    if isinstance(value, Var):
        return f"{value.type.ndim}-d array" if value.is_array else "a number"
    return f"a {type(value).__name__}"


def _spoken(node: Any) -> str:
    import ast

    try:
        return ast.unparse(gast.gast_to_ast(node)).splitlines()[0][:60]
    except (AttributeError, TypeError, ValueError, IndexError):
        return type(node).__name__
