"""Calls: operations of the rule table, the tables of built-ins, array methods, constructors."""

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

from adc import pytree
from adc.compiler.frontend import (
    applied,
    array_functions,
    choices,
    chosen_calls,
    copies,
    dicts,
    gauss_rules,
    growing,
    higher_order,
    instances,
    iteration_tools,
    list_calls,
    list_methods,
    memory_order,
    python_builtins,
    records,
    reductions,
    sorting,
    texts,
)
from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import (
    Closure,
    Evaluated,
    Given,
    Instance,
    ListValue,
    NeedsUnrolling,
    OutsideDict,
    Partial,
    Place,
    SurelyRaised,
)
from adc.compiler.frontend.functions import Functions
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.known import require_known
from adc.compiler.frontend.values import Choice, Maybe, Text, Value
from adc.compiler.ir.nodes import Assign, Var
from adc.compiler.ir.types import Scalar
from adc.errors import UnsupportedError
from adc.rules import python_containers, registry
from adc.rules.operation import Operation, plain_integers, refuse_out
from adc.rules.solvers import solver_name

_SPECIAL: dict[Any, Callable[..., Value]] = {
    **python_builtins.TABLE,
    **array_functions.TABLE,
    **higher_order.TABLE,
    **iteration_tools.TABLE,
    **applied.TABLE,
    **records.TABLE,
    **copies.TABLE,
    **gauss_rules.TABLE,
    **sorting.TABLE,
}
_LIST_METHODS: dict[tuple[str, int], Callable[..., Value]] = {
    ("append", 1): growing.append,
    ("extend", 1): list_methods.extend,
    ("pop", 0): list_methods.pop,
    ("clear", 0): list_methods.clear,
    ("copy", 0): list_methods.copied,
    ("sort", 0): list_methods.sort,
    ("reverse", 0): list_methods.reverse,
    ("index", 1): list_methods.index,
    ("count", 1): list_methods.count,
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
    ord,
    chr,
    hex,
    bin,
    oct,
    format,
}
_GONE_OVER_ONCE = {map, filter, *iteration_tools.TABLE}
# Beside these a number of Python's makes the same result as one with a dtype.
_AS_PLAIN = {"float64", "complex128", "int64", "bool"}
_ASKING = {
    *_PURE,
    float,
    int,
    bool,
    complex,
    list,
    enumerate,
    zip,
    len,
    isinstance,
    callable,
    getattr,
    hasattr,
}
_HOLDING = {"append", "insert", "extend"}
_COMPARING = {"index", "count", "remove"}
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


class Calls(Functions):
    """The part of the evaluator that calls things."""

    def eval_Call(self, node: Any) -> Value:
        function = self.evaluate(node.func)
        args: list[Value] = []
        if node.args and isinstance(node.args[0], gast.GeneratorExp) and reductions.takes(function):
            items = self.evaluate(node.args[0].generators[0].iter)
            if function is builtins.next or not self.known_length(items):
                given = self._given_beside(function, node)
                tree = reductions.as_function(function, node.args[0], given)
                return self.call_closure(Closure(tree, self.frame, {}), [items, *given], {})
            args = [self.generated(node.args[0], items)]
        args += self.elements(node.args[len(args) :], self.evaluate_maybe)
        kwargs: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate_maybe(keyword.value)
            if keyword.arg is None:
                kwargs.update(dicts.contents(self, value))
            else:
                kwargs[keyword.arg] = value
        with self.origin_at(self.locate(node)):
            return self.call(function, args, kwargs)

    def _given_beside(self, function: Value, node: Any) -> list[Value]:
        """The start of a sum, the default of next()."""
        if function is builtins.next:
            return [self.evaluate_maybe(a) for a in node.args[1:]]
        if function is not builtins.sum:
            return []
        given = [*node.args[1:], *(k.value for k in node.keywords)]
        return [self.evaluate(given[0]) if given else 0]

    def result(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """What a call returns that must return something."""
        value = self.call(function, args, kwargs)
        return self.required(value, "the result") if isinstance(value, Maybe) else value

    def call(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        if isinstance(function, Method):
            given = [self.required(v, "element") if isinstance(v, Maybe) else v for v in args]
            return self._call_growing(function, given, kwargs)
        if choices.are_asked((*args, *kwargs.values())) and not self._only_holds(function):
            changes_nothing = isinstance(getattr(function, "__self__", None), str) or function in _ASKING
            return chosen_calls.with_each(self, function, args, kwargs, changes_nothing)
        combined = list_calls.joined_call(self, function, args, kwargs) if _hashable(function) else None
        if combined is not None:
            return combined
        if not self._takes_anything(function):
            args = [self.required(v, "argument") if isinstance(v, Maybe) else v for v in args]
            kwargs = {k: self.required(v, k) if isinstance(v, Maybe) else v for k, v in kwargs.items()}
            args = list_calls.plain(self, args)
            kwargs = dict(zip(kwargs, list_calls.plain(self, kwargs.values()), strict=True))
        if isinstance(function, BoundMethod):
            return self._call_method(function, args, kwargs)
        if isinstance(function, Closure):
            return self.call_closure(function, args, kwargs)
        if isinstance(function, (functools.partial, Partial)):
            return self.call(function.func, [*function.args, *args], {**function.keywords, **kwargs})
        if isinstance(function, functools._lru_cache_wrapper):
            return self.call(function.__wrapped__, args, kwargs)  # what it gives is what it would give again
        if isinstance(function, Evaluated):
            return function.function(*args, **kwargs)
        if isinstance(function, Choice):
            return chosen_calls.of_one(self, function, args, kwargs)
        if isinstance(function, Instance) or instances.method(function, "__call__") is not None:
            return instances.called(self, function, "__call__", *args, **kwargs)
        hashable = _hashable(function)
        word = instances.BUILTINS.get(function) if hashable else None
        if word is not None and args and (own := instances.method(args[0], word)) is not None:
            return self.call(own, args[1:], kwargs)
        special = _SPECIAL.get(function) if hashable else None
        if special is not None:
            found = special(self, *args, **kwargs)
            return Given(found) if function in _GONE_OVER_ONCE and isinstance(found, list) else found
        if getattr(function, "__adc_static__", False):
            return self._static(function, args, kwargs)
        if registry.find(function) is not None:
            return self.call_rule(function, args, kwargs)
        container = python_containers.MODELS.get(function) if hashable else None
        maker = container or registry.maker_of(function)
        if maker is not None:
            return self.call(maker, args, kwargs)
        if isinstance(function, types.MethodType) and isinstance(function.__self__, (list, dict, tuple, str)):
            return self._call_container(function, args, kwargs)
        if isinstance(function, types.BuiltinMethodType) and isinstance(
            function.__self__, (list, dict, tuple, str)
        ):
            return self._call_container(function, args, kwargs)
        if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, np.generic):
            return self.now(function, args, kwargs)  # of a constant
        if isinstance(function, types.MethodType):
            if registry.model_of(function.__self__) is not None:
                model = self._model(function.__self__)
                return self.call(instances.attribute(self, model, function.__name__), args, kwargs)
            return self.call(function.__func__, [function.__self__, *args], kwargs)
        if (function is str or function is repr) and len(args) == 1 and isinstance(args[0], (Var, Text)):
            return texts.joined(self, args[0])
        if isinstance(function, type):
            return self._construct(function, args, kwargs)
        if isinstance(function, np.vectorize):
            return applied.of_instance(self, function, args)
        inline = getattr(function, "__adc_inline__", None)
        if inline is not None:
            # A derivative made by adc: it knows what its call means in a program.
            return inline(self, args, kwargs)
        solver = solver_name(function)
        if solver is not None:
            raise self.refuse(
                f"{solver} calls a function, which compiled code cannot hand to it",
                "its derivative is that of the solution, which the tape takes",
                'leave the choice of the engine to adc, or say mode="tape"',
            )
        if isinstance(function, types.FunctionType) or hasattr(function, "py_func"):
            return self.call_function(getattr(function, "py_func", None) or function, args, kwargs)
        if callable(function) and self.is_static(args) and self.is_static(kwargs) and function in _PURE:
            return self.now(function, args, kwargs)
        method = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(method, types.FunctionType):
            return self.call(method, [function, *args], kwargs)
        raise self.without_a_rule(function, "its derivative is not in the rule table")

    def call_rule(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A call of an operation of the rule table."""
        operation = registry.find(function)
        assert operation is not None
        if isinstance(function, np.ufunc) and len(args) > function.nin:
            args, kwargs = args[: function.nin], {**kwargs, "out": args[function.nin]}
        own = {p.name for p in operation.parameters if p.default is not p.empty}
        if isinstance(function, np.ufunc) and not kwargs.keys() <= {"out", *own}:
            return self._ufunc(function, args, kwargs)
        if "out" in kwargs and not isinstance(function, np.ufunc):
            self.now(refuse_out, [function], {})
        out = kwargs.pop("out", None)
        operation = operation.form(len(args), kwargs)
        names = [p.name for p in operation.parameters]
        if out is None and "out" in names and names.index("out") < len(args):
            out, args[names.index("out")] = args[names.index("out")], None
        if out is not None:
            return self.into(out, self.call(function, args, kwargs))
        of_math = getattr(function, "__module__", "") == "math"
        if of_math:
            args = [self._as_double(a) for a in args]
        args, kwargs = self._operands(operation, args, kwargs)
        if operation.of_complex is not None and self.any_complex((*args, *kwargs.values())):
            operation = operation.of_complex
        if operation.body is not None and (
            operation.kind in ("composite", "constant")
            or "." not in operation.spelling
            or self._has_other_ranks(operation, args)
        ):
            self.check_real(operation, (*args, *kwargs.values()))
            result = self.inline_rule(operation.body, args, kwargs)
            source = operation.viewed(args)
            if isinstance(result, Var) and isinstance(source, Var) and result.root is not source.root:
                self.snapshots[result] = source
        else:
            result = self.op(operation, *args, **kwargs)
        if self.in_user_code:
            memory_order.noted(self, operation.order, (*args, *kwargs.values()), result)
        if of_math and isinstance(result, Var) and not result.is_array:
            last = self.block[-1]
            if isinstance(last, Assign) and last.targets == (result,):
                result.type = Scalar(result.type.dtype, True)  # just made: nobody knows it yet
            else:
                result = self.plain(result)
        named = array_functions.result_type(function) if isinstance(result, tuple) else None
        return result if named is None else named(*result)

    def _as_double(self, x: Value) -> Value:
        """A number as the functions of `math` take it: they know single precision from double no more than C does."""
        known = self.type_of(x)
        single = isinstance(known, Scalar) and known.dtype in ("float16", "float32")
        return self.cast(x, "float64", weak=True) if single else x

    def _has_other_ranks(self, operation: Operation, args: list[Value]) -> bool:
        """Whether operands have ranks for which compiled code takes the body of an operation in its place."""
        ranks = operation.extra.get("ranks")
        types = [self.type_of(a) for a in args]
        return ranks is not None and any(t is not None and getattr(t, "ndim", 0) not in ranks for t in types)

    @staticmethod
    def _takes_anything(function: Value) -> bool:
        """Whether a function takes lists of any length, and None, as they are: the user's own, and a few built-ins."""
        if isinstance(function, (Closure, Choice, Instance, functools.partial, Partial)):
            return True
        if isinstance(function, type) and instances.can_make(function):
            return True
        if isinstance(function, (types.FunctionType, types.MethodType)):
            return function not in _SPECIAL and registry.find(function) is None
        if isinstance(getattr(function, "__self__", None), list) and function.__name__ in _HOLDING:
            return True
        return any(function is f for f in (builtins.len, builtins.list, builtins.isinstance, builtins.sorted))

    def _only_holds(self, function: Value) -> bool:
        """Whether a function takes texts and the like as they are, whichever they are: it asks nothing of them."""
        if isinstance(function, type):
            return function not in _ASKING
        if any(function is f for f in (builtins.print, builtins.len, builtins.isinstance)):
            return function is builtins.print
        return self._takes_anything(function)

    def _model(self, owner: Any) -> Instance:
        """What stands for an object of a library: the numbers and arrays in it are read at each call."""
        model = registry.model_of(owner)
        made = Instance(type(model))
        for name in vars(model):
            made[name] = self.captured(Place(_of_model, owner, name), name)
        return made

    def _static(self, function: Callable[..., Value], args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A helper that computes with what is known. What it refuses is refused on the user's line."""
        try:
            return function(*args, **kwargs)
        except UnsupportedError as error:
            if error.location is not None:
                raise
            raise self.refuse(error.what, error.why, error.repair) from error
        except (TypeError, KeyError) as error:
            if self.is_static(args) and self.is_static(kwargs):
                raise
            raise self.refuse(
                "an argument that says what is computed is only known at run time",
                str(error),
                "use a constant",
            ) from error

    def _ufunc(self, function: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A ufunc with `where`, `dtype` and the like."""
        rest = dict(kwargs)
        out, where, dtype = rest.pop("out", None), rest.pop("where", True), rest.pop("dtype", None)
        given = {k: v for k, v in rest.items() if k not in ("casting", "order", "subok")}
        if given:
            raise self.refuse(f"np.{function.__name__} with `{next(iter(given))}` is not supported")
        if dtype is not None:
            args = [array_functions.asarray(self, x, dtype) for x in args]
        value = self.call(function, args, {})
        if where is not True:
            if out is None:
                raise self.refuse(
                    f"np.{function.__name__} with `where` and without `out` leaves elements undefined",
                    repair="give `out`, or use np.where",
                )
            value = self.op("where", self.array_of(where), value, out[0] if isinstance(out, tuple) else out)
        return value if out is None else self.into(out, value)

    def into(self, out: Value, value: Value) -> Value:
        """`out=`: the result is written into an array that exists."""
        target = out[0] if isinstance(out, tuple) else out
        if not isinstance(target, Var) or not target.is_array:
            raise self.refuse("`out=` takes an array", repair="give an array, or leave `out` away")
        self.set_item(target, Ellipsis, value)
        return target

    def _call_growing(self, method: Method, args: list[Value], kwargs: dict[str, Value]) -> Value:
        known = _LIST_METHODS.get((method.name, len(args)))
        if known is None:
            raise self.refuse(
                f"`{method.owner.name}.{method.name}()` is not supported",
                "the length of the list is only known at run time",
                "append to it, or use an array",
            )
        return known(self, method.owner, *args, **kwargs)

    def _operands(
        self, operation: Operation, args: list[Value], kwargs: dict[str, Value]
    ) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a call of NumPy, lists of numbers turned into arrays where NumPy would do so."""
        try:
            bound = operation.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"call of {operation.spelling}: {error}") from error
        lists = operation.kind == "elementwise" or "writes" in operation.extra
        for name, value in bound.arguments.items():
            if name not in operation.wrt:
                bound.arguments[name] = value = plain_integers(value)
            data = name in operation.wrt or (operation.kind == "constant" and name == "a")
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

    # --- methods and constructors ---------------------------------------------------------------------------

    def array_methods(self) -> dict[str, Any]:
        return array_functions.METHODS

    def _call_method(self, method: BoundMethod, args: list[Value], kwargs: dict[str, Value]) -> Value:
        special = array_functions.METHODS.get(method.name)
        if "correction" in kwargs:  # which np.std takes, and the method may not
            self.now(getattr(np.zeros(2), method.name), [], {"correction": 0})
        if special is not None:
            return special(self, method.array, *args, **kwargs)
        operation = registry.find_method(method.name)
        assert operation is not None
        return self.call(operation.function, [method.array, *args], kwargs)

    def _call_container(self, method: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        container = method.__self__
        if method.__name__ in _MUTATING:
            self.refuse_outside(container)
            self.refuse_either(container)
        if isinstance(container, OutsideDict):
            if method.__name__ == "get":
                return self._found_outside(container, *args, **kwargs)
            method = getattr(self.opened(container), method.__name__)
        if isinstance(container, dict):
            dicts.require_known_for(self, container, method.__name__, args)
        if method.__name__ in _MUTATING and getattr(container, "depth", self.loop_depth) != self.loop_depth:
            raise NeedsUnrolling(container)
        if method.__name__ in _MUTATING and getattr(container, "taken", False):
            raise growing.changed(self)
        if method.__name__ == "extend" and isinstance(container, ListValue):
            if not self.known_length(args[0]):
                return list_methods.extend(self, growing.converted(self, container), args[0])
            args = [self.static_items(args[0], None)]
        if method.__name__ == "update":
            args = [dicts.contents(self, value) for value in args]
        if method.__name__ in ("pop", "insert") and isinstance(container, list):
            require_known(
                self, args[:1], container, "a list is changed at an index that is only known at run time"
            )
        if method.__name__ == "copy" and isinstance(container, ListValue):
            return self.new_list([*container])
        if method.__name__ == "sort":
            container[:] = self.call(builtins.sorted, [[*container]], kwargs)
            return None
        if isinstance(container, str):
            if self.is_static((args, kwargs)):
                return self.now(method, args, kwargs)
            if method.__name__ == "format":
                return texts.by_format(self, container, args, kwargs)
            raise self.refuse(
                f"`.{method.__name__}()` of a text is given what only the run knows",
                "a number is text in what is printed, and in what an exception says",
                "take it out of the function",
            )
        if method.__name__ in _COMPARING and not self.is_static((container, *args)):
            known = _LIST_METHODS.get((method.__name__, len(args)))
            if known is not None:
                return known(self, container, *args)
            raise self.refuse(
                f"`.{method.__name__}()` of a list compares numbers that are only known at run time",
                repair="use an array and np.argmax or np.flatnonzero",
            )
        return self.now(method, args, kwargs)

    def _found_outside(self, held: OutsideDict, key: Value, default: Value = None) -> Value:
        return self.item_outside(held, key) if not self.is_static(key) or key in held else default

    def now(self, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A call that is made while the program is compiled."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise SurelyRaised(error, self.region_depth, self.origin) from error

    def _construct(self, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
        if cls is type and len(args) == 1 and isinstance(args[0], Instance):
            return args[0].cls
        if cls in _PURE and self.is_static(args) and self.is_static(kwargs):
            return self.now(cls, args, kwargs)
        if issubclass(cls, np.generic) and len(args) == 1:
            return self._number(args[0], str(np.dtype(cls)))
        if records.is_record(cls) and records.has_init_of_fields(cls):
            return records.make(self, cls, args, kwargs)
        if (issubclass(cls, tuple) and hasattr(cls, "_fields")) or pytree.is_registered(cls):
            return cls(*args, **kwargs)
        if issubclass(cls, BaseException):
            return cls(*[a if self.is_static(a) else "..." for a in args])
        if instances.can_make(cls):
            return instances.make(self, cls, args, kwargs)
        raise self.refuse(
            f"making a `{cls.__name__}` is not supported", repair="use numbers, arrays, tuples or dicts"
        )

    def _number(self, value: Value, dtype: str) -> Value:
        return self.cast(value, dtype) if isinstance(value, Var) else np.dtype(dtype).type(value)


def _of_model(owner: Any, name: str) -> Any:
    """A number or array of what stands for an object of a library."""
    return getattr(registry.model_of(owner), name)


def _hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
