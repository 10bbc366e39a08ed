"""Calls: operations of the rule table, Python's built-ins, array methods, and the user's own functions inlined."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import desugar, growing, library, reductions
from adc.compiler.frontend import source as sources
from adc.compiler.frontend.builder import Value
from adc.compiler.frontend.expressions import BoundMethod, Expressions
from adc.compiler.frontend.frame import Closure, Frame, Items, NeedsUnrolling, Partial, Range
from adc.compiler.frontend.growing import Growing, Method
from adc.compiler.frontend.indexing import FULL, normalized
from adc.compiler.frontend.scan import Liveness
from adc.compiler.ir.nodes import Print, Var
from adc.compiler.ir.types import Array, is_float
from adc.errors import SourceError
from adc.rules import registry
from adc.rules.operation import Operation

MAX_CALL_DEPTH = 60
# Each level of a recursion that the data ends is code of its own, twice as much with two calls.
MAX_DATA_RECURSION = 8


class ReturnValue(Exception):
    """A `return` that is reached on the only path there is."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Calls(Expressions):
    """The part of the evaluator that calls things."""

    running: list[
        tuple[tuple[Any, ...], int]
    ]  # the functions being inlined, with the regions around their calls

    def eval_Call(self, node: Any) -> Value:
        function = self.evaluate(node.func)
        if node.args and isinstance(node.args[0], gast.GeneratorExp) and reductions.takes(function):
            items = self.evaluate(node.args[0].generators[0].iter)
            if not self.known_length(items):
                return self._call_closure(
                    Closure(reductions.as_function(function, node.args[0]), self.frame, {}),
                    [items, *self._start_of_sum(function, node)],
                    {},
                )
        args = self._elements(node.args)
        kwargs: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                kwargs.update(value)
            else:
                kwargs[keyword.arg] = value
        with self.origin_at(self.locate(node)):
            return self.call(function, args, kwargs)

    def _start_of_sum(self, function: Value, node: Any) -> list[Value]:
        if function is not builtins.sum:
            return []
        given = [*node.args[1:], *(k.value for k in node.keywords)]
        return [self.evaluate(given[0]) if given else 0]

    def call(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        if isinstance(function, Method):
            return self._call_growing(function, args)
        combined = growing.joined_call(self, function, args, kwargs) if _hashable(function) else None  # type: ignore[arg-type]
        if combined is not None:
            return combined
        if (
            not isinstance(
                function, (Closure, functools.partial, Partial, types.FunctionType, types.MethodType)
            )
            and function is not builtins.len
        ):
            args = growing.plain(self, args)  # type: ignore[arg-type]
            kwargs = dict(zip(kwargs, growing.plain(self, kwargs.values()), strict=True))  # type: ignore[arg-type]
        if isinstance(function, BoundMethod):
            return self._call_method(function, args, kwargs)
        if isinstance(function, Closure):
            return self._call_closure(function, args, kwargs)
        if isinstance(function, (functools.partial, Partial)):
            return self.call(function.func, [*function.args, *args], {**function.keywords, **kwargs})
        special = _SPECIAL.get(function) if _hashable(function) else None
        if special is not None:
            return special(self, *args, **kwargs)
        if getattr(function, "__adc_static__", False):
            return function(*args, **kwargs)
        operation = registry.find(function)
        if operation is not None:
            if isinstance(function, np.ufunc) and len(args) > function.nin:
                args, kwargs = args[: function.nin], {**kwargs, "out": args[function.nin]}
            if isinstance(function, np.ufunc) and not kwargs.keys() <= {"out"}:
                return self._ufunc(function, args, kwargs)
            out = kwargs.pop("out", None)
            operation = operation.form(len(args), kwargs)
            names = [p.name for p in operation.parameters]
            if out is None and "out" in names and names.index("out") < len(args):
                out, args[names.index("out")] = args[names.index("out")], None
            if out is not None:
                return self._into(out, self.call(function, args, kwargs))
            args, kwargs = self._operands(operation, args, kwargs)
            if operation.body is not None and (
                operation.kind in ("composite", "constant") or "." not in operation.spelling
            ):
                assert operation.body is not None
                result = self.inline_rule(operation.body, args, kwargs)
                if operation.extra.get("view") and isinstance(result, Var) and args:
                    self.snapshots[result] = args[0]
                return result
            return self.op(operation, *args, **kwargs)
        if isinstance(function, types.MethodType) and isinstance(function.__self__, (list, dict, tuple, str)):
            return self._call_container(function, args, kwargs)
        if isinstance(function, types.BuiltinMethodType) and isinstance(
            function.__self__, (list, dict, tuple, str)
        ):
            return self._call_container(function, args, kwargs)
        if isinstance(function, types.MethodType):
            return self.call(function.__func__, [function.__self__, *args], kwargs)
        if isinstance(function, type):
            return self._construct(function, args, kwargs)
        inline = getattr(function, "__adc_inline__", None)
        if inline is not None:
            return inline(
                self, args, kwargs
            )  # a derivative made by adc: it knows what its call means in a program
        if isinstance(function, types.FunctionType) or hasattr(function, "py_func"):
            return self._inline(getattr(function, "py_func", None) or function, args, kwargs)
        if callable(function) and self.is_static(args) and self.is_static(kwargs) and function in _PURE:
            return function(*args, **kwargs)
        method = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(method, types.FunctionType):
            return self.call(method, [function, *args], kwargs)
        name = getattr(function, "__qualname__", None) or repr(function)
        module = getattr(function, "__module__", None)
        near = self._nearest(name)
        raise self.refuse(
            f"adc has no rule for `{module + '.' if module else ''}{name}`",
            "its derivative is not in the rule table",
            f"use {near} instead, or register a rule (docs/adding_a_rule.md)"
            if near
            else "write it with other operations, or register a rule (docs/adding_a_rule.md)",
        )

    def _ufunc(self, function: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A ufunc with `where`, `dtype` and the like."""
        rest = dict(kwargs)
        out, where, dtype = rest.pop("out", None), rest.pop("where", True), rest.pop("dtype", None)
        given = {k: v for k, v in rest.items() if k not in ("casting", "order", "subok")}
        if dtype is not None:
            args = [_asarray(self, x, dtype) for x in args]
        value = self.call(function, args, given)
        if where is not True:
            if out is None:
                raise self.refuse(
                    f"np.{function.__name__} with `where` and without `out` leaves elements undefined",
                    repair="give `out`, or use np.where",
                )
            value = self.op("where", where, value, out[0] if isinstance(out, tuple) else out)
        return value if out is None else self._into(out, value)

    def _into(self, out: Value, value: Value) -> Value:
        """`out=`: the result is written into an array that exists."""
        target = out[0] if isinstance(out, tuple) else out
        if not isinstance(target, Var) or not target.is_array:
            raise self.refuse("`out=` takes an array", repair="give an array, or leave `out` away")
        self.set_item(target, Ellipsis, value)
        return target

    def _call_growing(self, method: Method, args: list[Value]) -> None:
        if method.name != "append" or len(args) != 1:
            raise self.refuse(
                f"`{method.owner.name}.{method.name}()` is not supported",
                "the length of the list is only known at run time",
                "append to it, or use an array",
            )
        growing.append(self, method.owner, args[0])  # type: ignore[arg-type]

    def set_item(self, base: Value, index: Value, value: Value) -> None:
        raise AssertionError("statements.Statements writes")

    def _nearest(self, name: str) -> str | None:
        import difflib

        known = {o.spelling.split(".")[-1]: o.spelling for o in registry.operations()}
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        return known[close[0]] if close else None

    def _operands(
        self, operation: Operation, args: list[Value], kwargs: dict[str, Value]
    ) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a call of NumPy, lists of numbers turned into arrays where NumPy would do so."""
        try:
            bound = operation.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"call of {operation.spelling}: {error}") from error
        for name, value in bound.arguments.items():
            if name in operation.wrt and isinstance(value, (list, tuple)):
                sequences = _sequences(operation)
                bound.arguments[name] = (
                    self._joined(value, sequences[name]) if name in sequences else self.array_of(value)
                )
        return list(bound.args), bound.kwargs

    def _joined(self, values: Value, nested: bool) -> Value:
        """A sequence of arrays; lists in it are arrays, too, unless the operation reads them as lists."""
        if nested:
            return values
        return tuple(self.array_of(v) if isinstance(v, (list, tuple)) else v for v in values)

    # --- the user's functions -----------------------------------------------------------------------------------

    def _inline(self, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]) -> Value:
        try:
            source = sources.of(function)
        except SourceError as error:
            raise self.refuse(
                f"cannot see into `{getattr(function, '__name__', function)}`", str(error.what)
            ) from error
        bound = self._bound_arguments(
            inspect.signature(source.function, follow_wrapped=False), source.name, args, kwargs
        )
        # A helper of a rule is part of the rule: its lines are not the user's, and it is folded like a rule body.
        in_rule = self.frame.source is None
        return self.run_function(
            source.tree,
            Frame(
                None if in_rule else source,
                source.globals,
                dict(source.closure),
                bound,
                unroll=in_rule,
                depth=self.frame.depth + 1,
            ),
        )

    def _bound_arguments(
        self, signature: inspect.Signature, name: str, args: list[Value], kwargs: dict[str, Value]
    ) -> dict[str, Value]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"{name}() {error}", repair="correct the call") from error
        bound.apply_defaults()
        return dict(bound.arguments)

    def _call_closure(self, closure: Closure, args: list[Value], kwargs: dict[str, Value]) -> Value:
        bound = self._bound_arguments(closure.signature, closure.tree.name, args, kwargs)
        outer = closure.frame
        return self.run_function(
            closure.tree,
            Frame(
                outer.source,
                outer.globals,
                outer.closure,
                bound,
                parent=outer,
                unroll=outer.unroll,
                depth=self.frame.depth + 1,
            ),
        )

    def run_function(self, tree: Any, frame: Frame) -> Value:
        """The value of a function body in its own frame."""
        key = (tree.name, getattr(tree, "lineno", 0), None if frame.source is None else frame.source.file)
        if frame.depth > MAX_CALL_DEPTH or self._nesting(key) > MAX_DATA_RECURSION:
            raise self.refuse(
                f"`{tree.name}` calls itself, directly or through others",
                "calls are inlined, and a recursion has no end when it is inlined",
                "write it as a loop",
            )
        core = desugar.run(tree) if frame.source is not None else tree
        frame.liveness = Liveness(core.body)
        outer, self.frame = self.frame, frame
        self.running.append((key, self.region_depth))
        try:
            for node in core.body:
                self.execute(node)
        except ReturnValue as result:
            return result.value
        finally:
            self.frame = outer
            self.running.pop()
        return None

    def _nesting(self, key: tuple[Any, ...]) -> int:
        """How often a function has called itself under a condition that only the data decides."""
        return len({depth for running, depth in self.running if running == key}) - 1

    def execute(self, node: Any) -> None:
        raise AssertionError("statements.Statements executes")

    def inline_rule(
        self, body: Callable[..., Any], args: list[Value], kwargs: dict[str, Value] | None = None
    ) -> Value:
        """The value of a rule body on these operands, as IR. Its lines are not the user's: origins stay."""
        inline = getattr(body, "__adc_inline__", None)
        if inline is not None:
            return inline(self, args, kwargs or {})  # the rule of a call that the user has given a rule
        source, signature = _rule_source(body)
        # Operands come in the order of the parameters, of which the last may be for keywords only.
        kinds = [p.kind for p in signature.parameters.values()]
        only = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
        positional = len(args) if inspect.Parameter.VAR_POSITIONAL in kinds else len(kinds) - len(only)
        named = dict(zip(only, args[positional:], strict=False))
        bound = self._bound_arguments(signature, source.name, args[:positional], {**named, **(kwargs or {})})
        # Rule bodies branch on ranks and static arguments only, so they need no desugaring and unroll their loops.
        return self.run_function(
            source.tree,
            Frame(None, source.globals, dict(source.closure), bound, unroll=True, depth=self.frame.depth + 1),
        )

    # --- methods and constructors -------------------------------------------------------------------------------

    def array_methods(self) -> dict[str, Any]:
        return _METHODS

    def _call_method(self, method: BoundMethod, args: list[Value], kwargs: dict[str, Value]) -> Value:
        special = _METHODS.get(method.name)
        if special is not None:
            return special(self, method.array, *args, **kwargs)
        operation = registry.find_method(method.name)
        assert operation is not None
        return self.call(operation.function, [method.array, *args], kwargs)

    def _call_container(self, method: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        container = method.__self__
        if method.__name__ in _MUTATING and getattr(container, "depth", self.loop_depth) != self.loop_depth:
            raise NeedsUnrolling(container)
        return method(*args, **kwargs)

    def _construct(self, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
        if issubclass(cls, np.generic) and len(args) == 1:
            return self._number(args[0], str(np.dtype(cls)))
        if (issubclass(cls, tuple) and hasattr(cls, "_fields")) or hasattr(cls, "__dataclass_fields__"):
            return cls(*args, **kwargs)
        if issubclass(cls, BaseException):
            return cls(*[a if self.is_static(a) else "..." for a in args])
        raise self.refuse(
            f"making a `{cls.__name__}` is not supported", repair="use numbers, arrays, tuples or dicts"
        )

    def _number(self, value: Value, dtype: str) -> Value:
        return self.cast(value, dtype) if isinstance(value, Var) else np.dtype(dtype).type(value)


@functools.cache
def _sequences(operation: Operation) -> dict[str, bool]:
    """The parameters of an operation that take a sequence of arrays, as its own examples show.

    True for those that take sequences of sequences: the rows of np.block, the constants of np.pad.
    """
    calls = (
        [operation.signature.bind(*e.args, **e.kwargs) for e in operation.example_calls()]
        if operation.examples
        else []
    )
    found: dict[str, bool] = {}
    for given in calls:
        for name, value in given.arguments.items():
            if isinstance(value, (list, tuple)):
                inner = any(isinstance(v, (list, tuple)) for v in value)
                found[name] = found.get(name, False) or inner
    return found


@functools.cache
def _rule_source(body: Callable[..., Any]) -> tuple[sources.Source, inspect.Signature]:
    """The source of a rule body, found once: rules do not change while a program runs."""
    return sources.of(body), inspect.signature(body)


def _hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# --- built-ins and NumPy functions that the compiler itself understands -------------------------------------------


def _len(self: Calls, x: Value) -> Value:
    if isinstance(x, Var):
        if not x.is_array:
            raise self.refuse("a number has no len()")
        return self.dim_value(x.type.shape[0])
    if isinstance(x, Range):
        return _items_of(self, x).length
    return x.count if isinstance(x, Growing) else len(x)


def _range(self: Calls, *args: Value) -> Value:
    start, stop, step = (
        (0, args[0], 1) if len(args) == 1 else (args[0], args[1], args[2] if len(args) == 3 else 1)
    )
    for v in (start, stop, step):
        if self.length(v) is None:
            raise self.refuse(
                "range() takes integers", "its bounds decide how often a loop runs", "convert with int()"
            )
    return Range(start, stop, step)


def _items_of(self: Calls, value: Value) -> Items:
    found = self.iterable(value)
    if isinstance(found, Items):
        return found
    if isinstance(found, Range):
        if found.step != 1:
            raise self.refuse(
                "enumerate() or zip() over a range with a step is not supported", repair="compute the index"
            )
        length = self.op("maximum", self.op("subtract", found.stop, found.start), 0)
        return Items(length, lambda k: self.op("add", found.start, k))
    items = found

    def item(k: Value) -> Value:
        if isinstance(k, Var):
            raise NeedsUnrolling
        return items[k]

    return Items(len(items), item, [(items, len(items))])


def _enumerate(self: Calls, value: Value, start: Value = 0) -> Items:
    inner = _items_of(self, value)
    return Items(
        inner.length, lambda k: (self.op("add", k, start) if start != 0 else k, inner.item(k)), inner.lists
    )


def _zip(self: Calls, *values: Value, strict: bool = False) -> Items:
    inner = [_items_of(self, v) for v in values]
    length = inner[0].length
    for other in inner[1:]:
        if other.length is not length and not (self.is_static(length) and length == other.length):
            length = self.op("minimum", length, other.length)
    return Items(
        length, lambda k: tuple(i.item(k) for i in inner), [found for i in inner for found in i.lists]
    )


def _reversed(self: Calls, value: Value) -> Items | Range:
    found = self.iterable(value)
    if isinstance(found, Range) and found.step == 1:
        return Range(self.op("subtract", found.stop, 1), self.op("subtract", found.start, 1), -1)
    inner = _items_of(self, value)
    return Items(
        inner.length,
        lambda k: inner.item(self.op("subtract", self.op("subtract", inner.length, 1), k)),
        inner.lists,
    )


def _float(self: Calls, x: Value = 0.0) -> Value:
    if isinstance(x, Var):
        if x.is_array:
            raise self.refuse(
                "float() of an array", "only size-1 arrays can be converted", "index an element"
            )
        return x if is_float(x.type) and x.type.dtype == "float64" else self.cast(x, "float64")
    return float(x)


def _int(self: Calls, x: Value = 0) -> Value:
    if not isinstance(x, Var):
        return int(x)
    if is_float(x.type):
        x = self.op("trunc", x)
    return x if x.type.dtype == "int64" else self.cast(x, "int64")


def _complex(self: Calls, real: Value = 0.0, imag: Value = 0.0) -> Value:
    if not isinstance(real, Var) and not isinstance(imag, Var):
        return complex(real, imag)
    if any(isinstance(v, Var) and v.is_array for v in (real, imag)):
        raise self.refuse("complex() of an array", "only numbers can be converted", "write x + 1j * y")
    whole = self.op("add", real, self.op("multiply", 1j, imag)) if isinstance(imag, Var) or imag else real
    return self.cast(whole, "complex128")


def _bool(self: Calls, x: Value = False) -> Value:
    return self.truth(x)


def _hasattr(self: Calls, value: Value, name: Value) -> bool:
    return hasattr(np.ndarray if isinstance(value, Var) and value.is_array else value, name)


def _min(self: Calls, *args: Value, key: Value = None, default: Value = None) -> Value:
    return _extreme(self, args, "less", key, default)


def _max(self: Calls, *args: Value, key: Value = None, default: Value = None) -> Value:
    return _extreme(self, args, "greater", key, default)


def _extreme(self: Calls, args: tuple[Value, ...], better: str, key: Value, default: Value) -> Value:
    if len(args) == 1:
        if isinstance(args[0], Var) and key is None and default is None:
            return self.op("max" if better == "greater" else "min", args[0])
        args = tuple(self.static_items(args[0], None))
        if not args:
            if default is None:
                raise self.refuse("max() or min() of nothing", repair="give a default")
            return default
    if self.is_static(args) and key is None:
        return max(args) if better == "greater" else min(args)
    best, *rest = args
    measure = best if key is None else self.call(key, [best], {})
    for candidate in rest:
        # Python keeps the first of equals (and of NaNs), which np.maximum does not.
        other = candidate if key is None else self.call(key, [candidate], {})
        test = self.op(better, other, measure)
        best, measure = self.op("where", test, candidate, best), self.op("where", test, other, measure)
    return best


def _sorted(self: Calls, values: Value, *, key: Value = None, reverse: Value = False) -> Value:
    if self.is_static(values) and not isinstance(values, Var):
        return self.new_list(sorted(values, key=key, reverse=reverse))
    if key is not None:
        raise self.refuse(
            "sorted() of data with a key is not supported", repair="sort positions with np.argsort"
        )
    array = values if isinstance(values, Var) else self.array_of(self.static_items(values, None))
    ordered = self.call(np.sort, [array], {})
    items = self.static_items(ordered, None) if array.type.shape[0].known is not None else None
    if items is None:
        return self.subscript(ordered, slice(None, None, -1)) if reverse else ordered
    return self.new_list(items[::-1] if reverse else items)


def _ndindex(self: Calls, *shape: Value) -> Items:
    lengths = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    total: Value = 1
    for n in lengths:
        total = self.op("multiply", total, n)

    def item(k: Value) -> Value:
        index: tuple[Value, ...] = ()
        for n in reversed(lengths):
            index = (self.op("remainder", k, n), *index)
            k = self.op("floor_divide", k, n)
        return index

    return Items(total, item)


def _sum(self: Calls, values: Value, start: Value = 0) -> Value:
    if isinstance(values, Var):
        total = self.op("sum", values, axis=0)
        return total if self.is_static(start) and start == 0 else self.op("add", start, total)
    if isinstance(values, Items) and not isinstance(values.length, int):
        return library.total(self, values, start)
    items = self.static_items(values, None)
    total = start
    for item in items:
        total = (
            item
            if isinstance(total, int) and total == 0 and isinstance(item, Var) and is_float(item.type)
            else self.op("add", total, item)
        )
    return total


def _any(self: Calls, values: Value) -> Value:
    if isinstance(values, Var):
        return self.op("any", values)
    result: Value = False
    for item in self.static_items(values, None):
        result = (
            self.op("logical_or", result, self.truth(item))
            if isinstance(item, Var) or isinstance(result, Var)
            else result or bool(item)
        )
    return result


def _all(self: Calls, values: Value) -> Value:
    if isinstance(values, Var):
        return self.op("all", values)
    result: Value = True
    for item in self.static_items(values, None):
        result = (
            self.op("logical_and", result, self.truth(item))
            if isinstance(item, Var) or isinstance(result, Var)
            else result and bool(item)
        )
    return result


def _isinstance(self: Calls, value: Value, classes: Value) -> bool:
    if not isinstance(value, Var):
        return isinstance(value, classes)
    wanted = classes if isinstance(classes, tuple) else (classes,)
    if value.is_array:
        return np.ndarray in wanted or object in wanted
    python = {"float64": float, "int64": int, "bool": bool, "complex128": complex}.get(value.type.dtype)
    return any(
        isinstance(c, type)
        and ((python is not None and issubclass(python, c)) or issubclass(np.dtype(value.type.dtype).type, c))
        for c in wanted
    )


def _print(self: Calls, *args: Value, sep: str = " ", end: str = "\n") -> None:
    self.block.append(Print(tuple(self.operand(a) for a in args), self.origin))


def _tuple(self: Calls, values: Value = ()) -> Value:
    return tuple(self.static_items(values, None))


def _list(self: Calls, values: Value = ()) -> Value:
    return self.new_list(self.static_items(values, None))


def _dict(self: Calls, *args: Value, **kwargs: Value) -> Value:
    return dict(*args, **kwargs)


def _divmod(self: Calls, x: Value, y: Value) -> Value:
    return self.op("floor_divide", x, y), self.op("remainder", x, y)


def _round(self: Calls, x: Value, digits: Value = None) -> Value:
    if digits is not None:
        return self.call(np.round, [x, digits], {}) if isinstance(x, Var) else round(x, digits)
    return self.cast(self.op("rint", x), "int64") if isinstance(x, Var) else round(x)


def _array(self: Calls, x: Value, dtype: Value = None, copy: Value = True) -> Value:
    if isinstance(x, (list, tuple)):
        x = self.array_of(x)
    elif isinstance(x, Var) and copy:
        x = self.op("copy", x)
    return x if dtype is None else self.cast(x, str(np.dtype(dtype)))


def _asarray(self: Calls, x: Value, dtype: Value = None) -> Value:
    if isinstance(x, (list, tuple)):
        x = self.array_of(x)
    return x if dtype is None else self.cast(x, str(np.dtype(dtype)))


def _ascontiguousarray(self: Calls, x: Value, dtype: Value = None) -> Value:
    x = _asarray(self, x, dtype)
    contiguous = not isinstance(x, Var) or not isinstance(x.type, Array) or x.type.layout == "C"
    return x if contiguous else self.op("copy", x)


def _real(self: Calls, val: Value) -> Value:
    """The real part; an array of real numbers is its own."""
    return self.op("real", val) if _is_complex(self, val) or not isinstance(val, Var) else val


def _shape(self: Calls, x: Value) -> Value:
    return self.shape_values(x.type.shape) if isinstance(x, Var) else ()


def _ndim(self: Calls, x: Value) -> Value:
    return x.type.ndim if isinstance(x, Var) else np.ndim(x)


def _size(self: Calls, x: Value, axis: Value = None) -> Value:
    if not isinstance(x, Var):
        return 1
    return self.attribute(x, "size") if axis is None else self.dim_value(x.type.shape[axis])


def _where(self: Calls, condition: Value, x: Value = None, y: Value = None) -> Value:
    if x is None:
        return self.call(np.nonzero, [condition], {})
    return self.op("where", *(self.array_of(v) for v in (condition, x, y)))


def _is_complex(self: Calls, x: Value) -> bool:
    known = self.type_of(x)
    return known is not None and np.dtype(known.dtype).kind == "c"


def _astype(self: Calls, x: Var, dtype: Value, copy: Value = True) -> Value:
    return self.cast(x, str(np.dtype(dtype))) if x.type.dtype != str(np.dtype(dtype)) else self.op("copy", x)


def _reshape_method(self: Calls, x: Var, *shape: Value) -> Value:
    wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return self.op("reshape", x, tuple(wanted))


def _transpose_method(self: Calls, x: Var, *axes: Value) -> Value:
    wanted = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    return self.op("transpose", x, tuple(wanted) if axes and wanted is not None else None)


def _fill(self: Calls, x: Var, value: Value) -> None:
    assert isinstance(x.type, Array)
    self.store(
        x, (FULL,) * x.type.ndim, value if not isinstance(value, Var) else self.cast(value, x.type.dtype)
    )


def _item(self: Calls, x: Var, *index: Value) -> Value:
    if not x.is_array:
        return x
    if not index:
        index = (0,) * x.type.ndim
    return self.subscript(x, tuple(index))


def _flatten(self: Calls, x: Var) -> Value:
    return self.op("copy", self.op("ravel", x))


def _add_at(self: Calls, array: Value, index: Value, value: Value) -> None:
    if not isinstance(array, Var) or not array.is_array:
        raise self.refuse("np.add.at takes an array")
    items = normalized(
        self,
        array,
        tuple(self.array_of(i) for i in index) if isinstance(index, tuple) else self.array_of(index),
    )
    value = self.array_of(value)
    self.store(
        array,
        items,
        value if not isinstance(value, Var) else self.cast(value, array.type.dtype),
        accumulate=True,
    )


def _subtract_at(self: Calls, array: Value, index: Value, value: Value) -> None:
    _add_at(self, array, index, self.op("negative", self.array_of(value)))


def _sort(self: Calls, x: Var, axis: Value = -1, kind: Value = None) -> None:
    """`x.sort()` sorts the array itself."""
    self.set_item(x, Ellipsis, self.call(np.sort, [x, axis, kind], {}))


def _partition(self: Calls, x: Var, kth: Value, axis: Value = -1) -> None:
    self.set_item(x, Ellipsis, self.call(np.partition, [x, kth, axis], {}))


def _sum_method(self: Calls, x: Var, *args: Value, **kwargs: Value) -> Value:
    return self.op("sum", x, *args, **kwargs)


_SPECIAL: dict[Any, Callable[..., Value]] = {
    **library.TABLE,
    builtins.len: _len,
    builtins.range: _range,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.float: _float,
    builtins.int: _int,
    builtins.bool: _bool,
    builtins.complex: _complex,
    builtins.min: _min,
    builtins.max: _max,
    builtins.sum: _sum,
    builtins.any: _any,
    builtins.all: _all,
    builtins.isinstance: _isinstance,
    builtins.print: _print,
    builtins.hasattr: _hasattr,
    builtins.callable: lambda self, x: callable(x) or isinstance(x, (BoundMethod, Closure, Partial)),
    builtins.tuple: _tuple,
    builtins.list: _list,
    builtins.dict: _dict,
    builtins.divmod: _divmod,
    builtins.round: _round,
    np.array: _array,
    np.asarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.real: _real,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.where: _where,
    np.add.at: _add_at,
    np.subtract.at: _subtract_at,
    np.float64: _float,
    np.iscomplexobj: _is_complex,
    np.isrealobj: lambda self, x: not _is_complex(self, x),
    builtins.slice: lambda self, *parts: slice(*parts),
    builtins.sorted: _sorted,
    np.ndindex: _ndindex,
    functools.partial: lambda self, function, *args, **kwargs: Partial(function, args, kwargs),
}
_METHODS: dict[str, Callable[..., Value]] = {
    "astype": _astype,
    "reshape": _reshape_method,
    "transpose": _transpose_method,
    "fill": _fill,
    "item": _item,
    "flatten": _flatten,
    "tolist": library.to_list,
    "sort": _sort,
    "partition": _partition,
}
_PURE = {
    str,
    repr,
    np.dtype,
    math.gcd,
    math.factorial,
    slice,
    type,
    math.comb,
    math.perm,
    math.isqrt,
    hash,
    sorted,
    np.finfo,
    np.iinfo,
    set,
    frozenset,
    math.lcm,
}
_MUTATING = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "reverse",
    "sort",
    "update",
    "setdefault",
    "popitem",
    "__setitem__",
}
