"""Calls of operations of the rule table, their arguments made what NumPy makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.frontend import array_functions, memory_order, named_again, statistics_calls
from adc.compiler.frontend.frame import ListValue, Range
from adc.compiler.frontend.functions import Functions
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.frontend.widths_by_path import is_narrow
from adc.compiler.ir.nodes import Assign, Var
from adc.compiler.ir.types import Array, Scalar, Type, is_integer
from adc.errors import ShapeError
from adc.rules import registry
from adc.rules.fitting import loop_told, told_dtype
from adc.rules.operation import DOUBLES, Operation, plain_integers
from adc.rules.scalar_math import OF_INTEGERS
from adc.runtime.modules import package_of

# Beside these a number of Python's makes the same result as one with a dtype.
_AS_PLAIN = {"float64", "complex128", "int64", "bool"}
# Of numbers they make arrays without axes, where NumPy's other functions make numbers.
_ARRAYS_OF_NUMBERS = {
    "where",
    "select",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "broadcast_to",
    "reshape",
    "squeeze",
}

# What `math` computes with integers, and what it computes with doubles where NumPy's function has integers, too.
_OF_INTEGERS = {getattr(math, name) for name in OF_INTEGERS}
_OF_ROWS = {math.dist, math.fsum}
_OF_DOUBLES = {math.pow, math.fmod, math.fabs, math.remainder}


_MOST_AXES = 64  # that an array of NumPy's may have


class RuleCalls(Functions):
    """The part of the evaluator that calls operations."""

    def call_rule(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A call of an operation of the rule table."""
        operation = registry.find(function)
        assert operation is not None
        if isinstance(function, np.ufunc) and len(args) > function.nin:
            out = tuple(args[function.nin :])
            args, kwargs = args[: function.nin], {**kwargs, "out": out[0] if function.nout == 1 else out}
        args, kwargs = [_written_out(a) for a in args], {k: _written_out(v) for k, v in kwargs.items()}
        known = statistics_calls.of_known_numbers(function, args, kwargs)
        if known is not None:
            return known
        statistics_calls.check(self, function, args)
        data = [*args, *kwargs.values()]
        own = {p.name for p in operation.parameters if p.default is not p.empty}
        if isinstance(function, np.ufunc) and not kwargs.keys() <= own:
            return self._ufunc(function, args, kwargs)
        ruled, options = operation.ruled(function, args, kwargs)
        args, kwargs = list(ruled), dict(options)
        out = kwargs.pop("out", None)
        operation = operation.form(len(args), kwargs)
        names = [p.name for p in operation.parameters]
        if out is None and "out" in names and names.index("out") < len(args):
            out, args[names.index("out")] = args[names.index("out")], None
        if out is not None:
            return self.into(out, self.call(function, args, kwargs))
        if "tape" in operation.extra:
            raise self.refuse(
                f"{operation.spelling} is not supported",
                operation.extra["tape"],
                "leave the choice of the engine to adc: the tape takes it",
            )
        of_math = getattr(function, "__module__", "") == "math"
        if of_math:
            args = [self._as_of_c(function, a) for a in args]
        args, kwargs = self._operands(operation, args, kwargs)
        if self.in_user_code and operation.in_doubles:
            args = [self._wide(a) for a in args]
            kwargs = {k: self._wide(a) for k, a in kwargs.items()}
        if operation.doubles:
            args = [self._in_double(a) for a in args]
            kwargs = {k: self._in_double(a) for k, a in kwargs.items()}
        if "cores" in operation.extra and operation.takes_stack(
            self._bind(operation, tuple(args), kwargs), _axes
        ):
            raise self.refuse(
                f"{operation.spelling} of stacks is not supported",
                "its rule takes one at a time",
                "write a loop over them; the tape takes stacks",
            )
        if operation.of_complex is not None and self.any_complex((*args, *kwargs.values())):
            operation = operation.of_complex
        if operation.body is not None and (
            operation.kind in ("composite", "constant")
            or "." not in operation.spelling
            or self._has_other_ranks(operation, args)
        ):
            self.check_real(operation, (*args, *kwargs.values()))
            result = self.inline_rule(operation.body, args, kwargs)
            named_again.note(self, operation, args, result)
            source = operation.viewed(args, _axes)
            if isinstance(result, Var) and isinstance(source, Var) and result.root is not source.root:
                self.snapshots[result.root] = source
        else:
            result = self.op(operation, *args, **kwargs)
        if isinstance(result, Var) and not result.is_array and operation.name in ("squeeze", "reshape"):
            seen = args[0]
            if isinstance(seen, Var) and seen.is_array:
                self.view_without_axes(result, seen)
        if self.in_user_code and operation.name in _ARRAYS_OF_NUMBERS:
            made = self.type_of(result)
            if isinstance(made, Scalar) and not self.is_without_axes(result):
                result = self.without_axes(result)
        if self.in_user_code:
            memory_order.noted(self, operation.order, (*args, *kwargs.values()), result)
        if getattr(function, "__module__", "") == "statistics":
            result = statistics_calls.typed(self, operation, data, result)
        of_math = of_math and "as_operands" not in operation.extra
        if of_math and isinstance(result, tuple):
            result = tuple(self.plain(part) for part in result)
        if of_math and isinstance(result, Var) and not result.is_array:
            last = self.block[-1]
            if isinstance(last, Assign) and last.targets == (result,):
                result.type = Scalar(result.type.dtype, True)  # just made: nobody knows it yet
            else:
                result = self.plain(result)
        if self.in_user_code and _is_library(function):
            result = self._of_numpy(result)
        named = array_functions.result_type(function) if isinstance(result, tuple) else None
        return result if named is None else named(*result)

    def _of_numpy(self, result: Value) -> Value:
        """What NumPy makes of Python's numbers has a dtype: `x * np.sqrt(2.0)` is in double precision."""
        if isinstance(result, (float, complex)):
            return self.strong(result)
        weak = isinstance(result, Var) and isinstance(result.type, Scalar) and result.type.weak
        if not weak or np.dtype(result.type.dtype).kind not in "fc":
            return result
        last = self.block[-1] if self.block else None
        if isinstance(last, Assign) and last.targets == (result,):
            result.type = Scalar(result.type.dtype)  # just made: nobody knows it yet
            return result
        return self.strong(result)

    def _wide(self, value: Value) -> Value:
        """Integers of 8 to 32 bits in 64: those of a rule's body do not wrap around where the library has doubles."""
        t = self.type_of(value)
        narrow = isinstance(t, Array) and t.dtype in ("int8", "int16", "int32", "uint8", "uint16", "uint32")
        return self.cast(value, "int64") if narrow else value

    def _in_double(self, value: Value) -> Value:
        """What is in single precision, also in a tuple or list, in double."""
        if isinstance(value, (tuple, list)):
            return type(value)([self._in_double(v) for v in value])
        t = self.type_of(value)
        wide = None if t is None else DOUBLES.get(np.dtype(t.dtype))
        return value if wide is None else self.cast(value, wide.name)

    def _as_of_c(self, function: Callable[..., Any], x: Value) -> Value:
        """A number as the functions of `math` take it: C's double, or an integer of Python's where they ask for one."""
        known = self.type_of(x)
        if function in _OF_ROWS and isinstance(x, (list, tuple)):
            return type(x)([self._as_of_c(function, each) for each in x])
        if function in _OF_ROWS and isinstance(known, Array):
            return self.cast(x, "float64")
        if not isinstance(known, Scalar):
            return x
        if np.dtype(known.dtype).kind in "iub" and function in _OF_INTEGERS:
            return x if known.weak or known.dtype == "int64" else self.cast(x, "int64", weak=True)
        if known.dtype in ("float16", "float32") or (is_narrow(known) and function not in _OF_INTEGERS):
            return self.cast(x, "float64", weak=True)
        if isinstance(x, Var) and is_integer(known) and function in _OF_DOUBLES:
            return self.cast(x, "float64", weak=True)
        return x

    def _has_other_ranks(self, operation: Operation, args: list[Value]) -> bool:
        """Whether operands have ranks for which compiled code takes the body of an operation in its place."""
        ranks = operation.extra.get("ranks")
        types = [self.type_of(a) for a in args]
        return ranks is not None and any(t is not None and getattr(t, "ndim", 0) not in ranks for t in types)

    def _ufunc(self, function: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A ufunc with `where`, `dtype` and the like."""
        rest = dict(kwargs)
        out, where, dtype = rest.pop("out", None), rest.pop("where", True), rest.pop("dtype", None)
        told = told_dtype(rest)
        dtype = dtype if told is None else told
        given = {k: v for k, v in rest.items() if k not in ("casting", "order", "subok")}
        if given:
            raise self.refuse(f"np.{function.__name__} with `{next(iter(given))}` is not supported")
        if dtype is not None or out is not None:
            args = [x if self.type_of(x) is not None else self.call(np.asarray, [x], {}) for x in args]
            targets = out if isinstance(out, tuple) else (out,)
            results = [*map(self._kind_told, targets), *(None,) * (function.nout - len(targets))]
            kinds = [self._kind_told(x) for x in args]
            casting = rest.get("casting", "same_kind")
            loop = self.now(loop_told, [function, kinds, results, dtype, casting], {})
            if dtype is not None:
                args = [self.call(np.asarray, [x, kind], {}) for x, kind in zip(args, loop, strict=True)]
        value = self.call(function, args, {})
        if where is not True:
            if out is None:
                raise self.refuse(
                    f"np.{function.__name__} with `where` and without `out` leaves elements undefined",
                    repair="give `out`, or use np.where",
                )
            value = self.op("where", self.array_of(where), value, out[0] if isinstance(out, tuple) else out)
        return value if out is None else self.into(out, value)

    def _kind_told(self, value: Value) -> Any:
        """What `loop_told` is told of an operand, or of an array for a result."""
        t = self.type_of(value)
        if t is None:
            return None
        weak = isinstance(t, Scalar) and t.weak
        return type(np.ones((), t.dtype).item()) if weak else np.dtype(t.dtype)

    def into(self, out: Value, value: Value) -> Value:
        """`out=`: the result is written into an array that exists."""
        if isinstance(value, tuple):
            targets = out if isinstance(out, tuple) else (out,)
            each = zip(value, (*targets, *(None for _ in value[len(targets) :])), strict=True)
            return tuple([v if target is None else self.into(target, v) for v, target in each])
        target = out[0] if isinstance(out, tuple) else out
        if not isinstance(target, Var) or not target.is_array:
            raise self.refuse("`out=` takes an array", repair="give an array, or leave `out` away")
        made = self.type_of(value)
        if made is not None:
            self.require_room(target.type, made)
        self.set_item(target, Ellipsis, value)
        return target

    def require_room(self, target: Type, made: Type) -> None:
        """A result that is written into an array has no more axes, which an assignment would leave out."""
        if made.ndim > target.ndim:
            raise ShapeError(
                "non-broadcastable output operand doesn't match the broadcast shape",
                location=self.origin,
                why=f"the result has {made.ndim} axes, the array {target.ndim}",
                repair="reduce it first",
            )

    def _operands(
        self, operation: Operation, args: list[Value], kwargs: dict[str, Value]
    ) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a call of NumPy, lists of numbers turned into arrays where NumPy would do so."""
        try:
            bound = operation.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"call of {operation.spelling}: {error}") from error
        lists = operation.kind == "elementwise" or "writes" in operation.extra
        elementwise = is_elementwise(operation)  # whose operands have dtypes of their own
        for name, value in bound.arguments.items():
            if name not in operation.wrt and not elementwise:
                bound.arguments[name] = value = plain_integers(value)
            data = name in operation.wrt or name in operation.asked  # takes lists
            if (lists or data) and isinstance(value, (list, tuple)):
                sequences = operation.sequences
                bound.arguments[name] = (
                    self._joined(value, sequences[name]) if name in sequences else self.array_of(value)
                )
        self._make_strong(operation, bound.arguments)
        return list(bound.args), bound.kwargs

    def _make_strong(self, operation: Operation, arguments: dict[str, Value]) -> None:
        """Give plain numbers of which NumPy makes arrays a dtype, beside operands of which it makes another result."""
        names = operation.extra.get("arrays", "").split()
        given = [arguments[name] for name in {*names, *operation.wrt} if names and name in arguments]
        types = [self.type_of(v) for v in given if not isinstance(v, (list, tuple))]
        if any(t is not None and t.dtype not in _AS_PLAIN for t in types):
            arguments.update({name: self.strong(arguments[name]) for name in names if name in arguments})

    def _joined(self, values: Value, nested: bool) -> Value:
        """A sequence of arrays; lists in it are arrays, too, unless the operation reads them as lists."""
        if nested:
            return values
        return tuple(self.array_of(v) if isinstance(v, (list, tuple)) else v for v in values)


def _is_library(function: object) -> bool:
    """Whether a function is one of NumPy's or SciPy's, whose numbers have a dtype."""
    return isinstance(function, np.ufunc) or package_of(function) in ("numpy", "scipy")


def _axes(value: Value) -> int:
    return value.type.ndim if isinstance(value, Var) and value.is_array else 0


def _written_out(value: Value) -> Value:
    """`range(k, 2 * k)`, with which axes are named, as a tuple; a longer one is data, and stays what it is."""
    if isinstance(value, (Range, range)):
        bounds = value.start, value.stop, value.step
        whole = all(isinstance(b, int) for b in bounds)
        return tuple(range(*bounds)) if whole and len(range(*bounds)) <= _MOST_AXES else value
    if type(value) is tuple or isinstance(value, ListValue):
        parts = [_written_out(v) for v in value]
        return rebuilt(value, parts) if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    return value
