"""Calls: operations of the rule table, the tables of built-ins, array methods, constructors."""

from __future__ import annotations

import builtins
import enum
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adc import pytree
from adc.compiler.frontend import (
    applied,
    array_functions,
    attributes,
    choices,
    chosen_calls,
    classes,
    container_methods,
    copies,
    decorators,
    dicts,
    draws,
    exceptions,
    first_found,
    gauss_rules,
    generators,
    generics,
    grouped,
    heaps,
    higher_order,
    instances,
    iteration_generators,
    iteration_tools,
    later,
    left_outside,
    library_constants,
    list_calls,
    list_methods,
    local_classes,
    logged,
    managers,
    misfits,
    operator_methods,
    over_dicts,
    python_builtins,
    python_numbers,
    python_reductions,
    records,
    reductions,
    sorting,
    spread_arguments,
    text_arrays,
    texts,
)
from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import (
    Closure,
    Evaluated,
    Frame,
    Generator,
    Given,
    Growing,
    Instance,
    Iterated,
    Once,
    Partial,
    SurelyRaised,
    reads_of,
)
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.library_constants import PURE
from adc.compiler.frontend.operators import BINARY, COMPARE
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.rule_calls import RuleCalls
from adc.compiler.frontend.values import Choice, Maybe, Text, Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar
from adc.errors import UnsupportedError
from adc.rules import python_containers, random_generators, registry
from adc.rules.element_calls import over_elements
from adc.rules.repairs import repair_of
from adc.rules.solvers import HAS_A_FUNCTION, OF_ARRAYS, solver_name

_SPECIAL: dict[Any, Callable[..., Value]] = {
    **python_builtins.TABLE,
    **python_numbers.TABLE,
    **python_reductions.TABLE,
    **array_functions.TABLE,
    **higher_order.TABLE,
    **iteration_tools.TABLE,
    **iteration_generators.TABLE,
    **applied.TABLE,
    **records.TABLE,
    **exceptions.TABLE,
    **copies.TABLE,
    **gauss_rules.TABLE,
    **heaps.TABLE,
    **sorting.TABLE,
    **draws.TABLE,
    **decorators.TABLE,
    **local_classes.TABLE,
    **attributes.TABLE,
    **classes.TABLE,
    **managers.TABLE,
    **logged.TABLE,
    **text_arrays.TABLE,
}
_MODELS: dict[Any, type] = {**python_containers.MODELS, **random_generators.MODELS}
_BINARY = frozenset(BINARY.values())
_COMPARISONS = {function: kind for kind, function in COMPARE.items()}
# What a call ends in that NumPy or Python refuse.
_OF_OPERANDS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
_GONE_OVER_ONCE = {map, filter, *iteration_tools.TABLE}
_ASKING = {
    *PURE,
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


_TAKING_ANYTHING = (
    builtins.len,
    builtins.list,
    builtins.isinstance,
    builtins.sorted,
    builtins.print,
    *heaps.TABLE,
)


class Calls(RuleCalls):
    """The part of the evaluator that calls things."""

    def eval_Call(self, node: Any) -> Value:
        function = self.evaluate(node.func)
        if function is builtins.next and node.args and isinstance(node.args[0], gast.Name):
            held = self._held_around(node.args[0].id)
            if isinstance(held, Once) and held.iterated is not None and not held.state.get("read"):
                default = [self.evaluate_maybe(a) for a in node.args[1:]]
                with self.origin_at(self.locate(node)):
                    return python_builtins.taken(self, held, held.iterated, *default)
        if node.args and any(function is f for f in classes.QUESTIONS):
            iterator = self.unread(node.args[0])
            if iterator is not None:  # and it is not gone over
                with self.origin_at(self.locate(node)):
                    return self.call(function, [iterator, *map(self.evaluate, node.args[1:])], {})
        args: list[Value] = []
        shared = grouped.shared(self, function, node)
        if shared is not None:
            value = self.evaluate(shared.value)
            return grouped.zipped(self, node, value, grouped.count(self, shared))
        if function is builtins.zip and [type(a) for a in node.args] == [gast.Starred]:
            return self._transposed(node)
        generator = node.args and isinstance(node.args[0], gast.GeneratorExp) and reductions.takes(function)
        if generator and (function is builtins.sum or not node.keywords):  # max() and min() may have a key
            items = self.gone_through(node.args[0].elt, node.args[0].generators)
            if function is builtins.next:
                found = first_found.known(self, node.args[0], items)
                if found is not first_found.UNKNOWN:
                    return found
            if function is builtins.next or not self.known_length(items):
                given = self._given_beside(function, node)
                tree = reductions.as_function(function, node.args[0], given)
                return self.call_closure(Closure(tree, self.frame, {}), [items, *given], {})
            args = [self.generated(node.args[0], items)]
        args += spread_arguments.arguments(self, function, node, len(args))
        return self.called(node, function, args, self.by_name(node))

    def _held_around(self, name: str) -> Value:
        """What a name holds in this function or, as in a comprehension, in those around it, and goes over nothing."""
        frame: Frame | None = self.frame
        while frame is not None and name not in frame.left and name not in frame.closure:
            if name in frame.env:
                return frame.env[name]
            frame = None if name in frame.of_module else frame.parent
        return None

    def gone_through(self, element: Any, clauses: list[Any], known: bool = False) -> Value:
        return later.of_clauses(self, element, clauses, known)

    def _transposed(self, node: Any) -> Value:
        """`zip(*rows)`."""
        rows = self.evaluate(node.args[0].value)
        if isinstance(rows, Growing):
            with self.origin_at(self.locate(node.args[0])):
                columns = list_methods.columns(self, rows)
            if columns is not None:
                return Given(columns)
        return self.called(node, builtins.zip, self.spread(rows, node.args[0]), self.by_name(node))

    def by_name(self, node: Any) -> dict[str, Value]:
        """The arguments of a call that are given by their names."""
        kwargs: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate_maybe(keyword.value)
            if keyword.arg is None:
                kwargs.update(dicts.contents(self, value))
            else:
                kwargs[keyword.arg] = value
        return kwargs

    def called(self, node: Any, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """The value of a call where it stands in the text."""
        with self.origin_at(self.locate(node)):
            for value in args:
                self.as_it_was(reads_of(value), "an iterator")
            self.gives_later = self.returned_later is node
            try:
                found = self.call(function, args, kwargs)
                if later.is_lazy(function) or later.takes_up(self, function, node, args):
                    later.note(self, found, node, args)
                return self.fetched(found, "an iterator") if _finds(function) else found
            except _OF_OPERANDS as error:
                raise misfits.said(self, function, args, kwargs, error) from error
            finally:
                self.gives_later = False

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
        function, args = operator_methods.meant(self, generics.made_by(function), args)
        if isinstance(function, Method):
            given = [self.required(v, "element") if isinstance(v, Maybe) else v for v in args]
            return container_methods.of_growing(self, function, given, kwargs)
        if choices.are_asked((*args, *kwargs.values())) and not self._only_holds(function):
            changes_nothing = isinstance(getattr(function, "__self__", None), str) or function in _ASKING
            return chosen_calls.with_each(self, function, args, kwargs, changes_nothing)
        lazy = generators.LAZY.get(function) if args and _hashable(function) else None
        if lazy is not None and function is not builtins.next:
            args = generators.opened(self, function, args)
        asks = any(function is f for f in classes.QUESTIONS)
        if any(isinstance(a, Generator) for a in args) and not (asks or self._is_users(function)):
            if lazy is not None:
                return lazy(self, *args, **kwargs)
            args = [generators.listed(self, a) if isinstance(a, Generator) else a for a in args]
        if any(isinstance(a, Iterated) for a in args) and not asks and not self._keeps_its_place(function):
            args = [self.iterable(a) if isinstance(a, Iterated) else a for a in args]
        combined = list_calls.joined_call(self, function, args, kwargs) if _hashable(function) else None
        if combined is not None:
            return combined
        if not self._takes_anything(function):
            args = [self.required(v, "argument") if isinstance(v, Maybe) else v for v in args]
            kwargs = {k: self.required(v, k) if isinstance(v, Maybe) else v for k, v in kwargs.items()}
            if not _holds_what_is_named(function):
                kwargs = dict(zip(kwargs, list_calls.plain(self, kwargs.values()), strict=True))
            held = args[1:] if _holds_the_second(function) else []
            args = [*list_calls.plain(self, args[: len(args) - len(held)], function), *held]
        if isinstance(function, BoundMethod):
            return self._call_method(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            function = self.stand_ins_of.get(function, function)
        if isinstance(function, Closure):
            return self.call_closure(function, args, kwargs)
        if isinstance(function, functools.partial):
            function = self.applied(function, getattr(function.func, "__name__", "partial"))
        if isinstance(function, (functools.partial, Partial)):
            known: list[Value] = list(function.args)
            if not self._is_users(function.func):
                known = [self.fetched(a, "an argument that is an iterator") for a in known]
            return self.call(function.func, [*known, *args], {**function.keywords, **kwargs})
        if isinstance(function, functools._lru_cache_wrapper):
            with left_outside.nothing_left(self, "a function that remembers its results"):
                return self.call(function.__wrapped__, args, kwargs)  # what it gives it would give again
        function = higher_order.made_here(self, function)
        if isinstance(function, Evaluated):
            return function.function(*args, **kwargs)
        if classes.by_class(function):
            return self.call(classes.chosen(self, function, args), args, kwargs)
        managing = managers.decorated(function)
        if managing is not None:
            return managers.made(self, managing, args, kwargs)
        if isinstance(function, Choice):
            return chosen_calls.of_one(self, function, args, kwargs)
        made = over_elements(function)
        if made is not None:
            return applied.of_instance(self, made, args, kwargs)
        if isinstance(function, Instance) or instances.method(self, function, "__call__") is not None:
            return instances.called(self, function, "__call__", *args, **kwargs)
        hashable = _hashable(function)
        if hashable and len(args) == 2 and not kwargs:
            if function in _BINARY:
                return self.binary(function, *args)
            if function in _COMPARISONS:
                return self.compare(_COMPARISONS[function](), *args)
        word = instances.BUILTINS.get(function) if hashable else None
        if word is not None and args and (own := instances.method(self, args[0], word)) is not None:
            return self.call(own, args[1:], kwargs)
        if hashable and text_arrays.is_for_texts(function, args):
            return text_arrays.computed(self, function, *args, **kwargs)
        own = registry.meant(function, [instances.class_of(a) or type(a) for a in args]) if hashable else None
        if own is not None:
            return self.call(own, [self._modelled(a) for a in args], kwargs)
        special = _SPECIAL.get(function) if hashable else None
        if self.trying and not kwargs and getattr(function, "__module__", None) in ("math", "cmath"):
            self.raise_as_python(function, *args)
        if self.in_user_code and (special is not None or registry.find(function) is not None):
            misfits.refuse(self, function, args, kwargs)
        if special is not None:
            found = self._special(special, function, args, kwargs)
            return Given(found) if function in _GONE_OVER_ONCE and isinstance(found, list) else found
        if getattr(function, "__adc_static__", False):
            return self._static(function, args, kwargs)
        if registry.find(function) is not None:
            if any(isinstance(a, np.ndarray) and a.dtype == object for a in args) and self.is_static(args):
                return self.now(function, args, kwargs)  # of an array of None
            if self.in_user_code and isinstance(function, np.ufunc):
                args = [self.strong(a) if self._is_plain_truth(a) else a for a in args]
            return self.call_rule(function, args, kwargs)
        container = _MODELS.get(function) if hashable else None
        maker = container or registry.maker_of(function)
        if maker is not None:
            given = args if container is not None else [self._modelled(a) for a in args]
            return self.call(maker, given, kwargs)
        constant = library_constants.given(self, function, args, kwargs)
        if constant is not library_constants.UNKNOWN:
            return constant
        is_method = isinstance(function, (types.MethodType, types.BuiltinMethodType))
        if is_method and isinstance(function.__self__, (list, dict, tuple, str)):
            return container_methods.called(self, function, args, kwargs)
        of_constant = isinstance(getattr(function, "__self__", None), (np.generic, int, float, bytes))
        if isinstance(function, types.BuiltinMethodType) and of_constant and self.is_static((args, kwargs)):
            return self.now(function, args, kwargs)
        if isinstance(function, types.MethodType):
            if registry.model_of(function.__self__) is not None:
                model = self.model(function.__self__)
                return self.call(instances.attribute(self, model, function.__name__), args, kwargs)
            return self.call(function.__func__, [function.__self__, *args], kwargs)
        if function in (str, repr) and len(args) == 1 and isinstance(args[0], (Var, Text, Instance)):
            text = exceptions.text(args[0]) if function is str else None
            return texts.as_text(self, args[0], "s" if function is str else "r") if text is None else text
        if isinstance(function, type):
            return self._construct(function, args, kwargs)
        inline = getattr(function, "__adc_inline__", None)
        if inline is not None:
            # A derivative made by adc: it knows what its call means in a program.
            return inline(self, args, kwargs)
        solver = solver_name(function)
        if solver is not None:
            raise self.refuse(
                f"{solver} {'is not compiled' if solver in OF_ARRAYS else HAS_A_FUNCTION}",
                "its derivative is that of the solution, which the tape takes",
                'leave the choice of the engine to adc, or say mode="tape"',
            )
        if isinstance(function, types.FunctionType) or hasattr(function, "py_func"):
            return self.call_function(getattr(function, "py_func", None) or function, args, kwargs)
        if callable(function) and self.is_static(args) and self.is_static(kwargs) and function in PURE:
            return self.now(function, args, kwargs)
        if registry.model_of(function) is not None:
            return self.call(self.model(function), args, kwargs)
        method = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(method, types.FunctionType):
            return self.call(method, [function, *args], kwargs)
        raise self.without_a_rule(function)

    def _is_plain_truth(self, value: Value) -> bool:
        """Whether it is a truth value of Python's, which ufuncs take for one of NumPy's: `np.add(True, True)`."""
        t = self.type_of(value)
        return isinstance(t, Scalar) and t.dtype == "bool" and t.weak is not False

    def _modelled(self, value: Value) -> Value:
        """What stands for an object of a library, where something does; other values themselves."""
        return value if registry.model_of(value) is None else self.model(value)

    def _special(
        self, special: Callable[..., Value], function: Any, args: list[Value], kwargs: dict[str, Value]
    ) -> Value:
        """What a function of the tables gives; arguments that it does not take are the user's to see."""
        try:
            return special(self, *args, **kwargs)
        except TypeError as error:
            try:
                inspect.signature(special).bind(self, *args, **kwargs)
            except TypeError as unfit:
                name = function.name if isinstance(function, BoundMethod) else function.__name__
                raise self.refuse(
                    f"{name}() in compiled code: {unfit}", repair="call it otherwise"
                ) from error
            raise

    @staticmethod
    def _is_users(function: Value) -> bool:
        """Whether a call evaluates code of the user's, which sees a generator as it is."""
        if isinstance(function, (Closure, Choice, Instance, functools.partial, Partial)):
            return True
        if isinstance(function, type):
            return instances.can_make(function)
        return isinstance(function, (types.FunctionType, types.MethodType)) and (
            function not in _SPECIAL and registry.find(function) is None
        )

    def _keeps_its_place(self, function: Value) -> bool:
        """Whether a function takes `iter(values)` as it is; others go over it."""
        return function is builtins.next or function is builtins.iter or self._is_users(function)

    @staticmethod
    def _takes_anything(function: Value) -> bool:
        """Whether a function takes lists of any length, and None, as they are: the user's own, and a few built-ins."""
        if isinstance(function, (Closure, Choice, Evaluated, Instance, functools.partial, Partial)):
            return True
        if isinstance(function, type) and instances.can_make(function):
            return True
        if isinstance(function, (types.FunctionType, types.MethodType)):
            known = function in _SPECIAL and function not in {*copies.TABLE, *heaps.TABLE}
            return not known and registry.find(function) is None
        if isinstance(getattr(function, "__self__", None), list) and function.__name__ in _HOLDING:
            return True
        return any(function is f for f in _TAKING_ANYTHING)

    def _only_holds(self, function: Value) -> bool:
        """Whether a function takes texts and the like as they are, whichever they are: it asks nothing of them."""
        if isinstance(function, type):
            return function not in _ASKING
        if any(function is f for f in (builtins.print, builtins.len, builtins.isinstance)):
            return function is builtins.print
        return self._takes_anything(function)

    def model(self, owner: Any) -> Instance:
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
        except (TypeError, ValueError, LookupError, RuntimeError) as error:
            if self.is_static(args) and self.is_static(kwargs):
                raise
            raise self.refuse(
                "an argument that says what is computed is only known at run time",
                str(error),
                "use a constant",
            ) from error

    # --- methods and constructors ---------------------------------------------------------------------------

    def array_methods(self) -> dict[str, Any]:
        return array_functions.METHODS

    def _call_method(self, method: BoundMethod, args: list[Value], kwargs: dict[str, Value]) -> Value:
        special = array_functions.METHODS.get(method.name)
        if self.in_user_code:
            misfits.refuse(self, method, args, kwargs)
        if "correction" in kwargs:  # which np.std takes, and the method may not
            self.now(getattr(np.zeros(2), method.name), [], {"correction": 0})
        if special is not None:
            return self._special(special, method, [method.array, *args], kwargs)
        operation = registry.find_method(method.name)
        assert operation is not None
        return self.call(operation.function, [method.array, *args], kwargs)

    def now(self, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]) -> Value:
        """A call that is made while the program is compiled."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise SurelyRaised(error, self.region_depth, self.origin) from error

    def _construct(self, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value:
        if cls is type and len(args) == 1:
            return classes.of(self, args[0])
        pure = cls in PURE or isinstance(cls, enum.EnumMeta)
        if pure and self.is_static(args) and self.is_static(kwargs):
            return self.now(cls, args, kwargs)
        if issubclass(cls, np.generic) and len(args) == 1:
            return self._number(args[0], str(np.dtype(cls)))
        if records.is_record(cls) and records.has_init_of_fields(cls):
            return records.make(self, cls, args, kwargs)
        if (issubclass(cls, tuple) and hasattr(cls, "_fields")) or pytree.is_registered(cls):
            return cls(*args, **kwargs)
        if issubclass(cls, BaseException):
            return exceptions.made(self, cls, args, kwargs)
        over_dict = over_dicts.with_model(cls)
        if over_dict is not None and instances.can_make(over_dict):
            over_dicts.take_for_granted(self, cls)
            return instances.make(self, over_dict, args, kwargs)
        if instances.can_make(cls):
            return instances.make(self, cls, args, kwargs)
        raise self.refuse(
            f"making a `{cls.__name__}` is not supported",
            repair=repair_of(f"{cls.__module__}.{cls.__name__}", compiled=True)
            or "use numbers, arrays, tuples or dicts",
        )

    def _number(self, value: Value, dtype: str) -> Value:
        return self.cast(value, dtype) if isinstance(value, Var) else np.dtype(dtype).type(value)


def _finds(function: Value) -> bool:
    """Whether a function gives what a list, a dict or an object holds."""
    if function is builtins.getattr:
        return True
    held = getattr(function, "__self__", None) if isinstance(function, types.BuiltinMethodType) else None
    return isinstance(held, (list, dict)) and function.__name__ in ("get", "pop", "setdefault", "__getitem__")


def _holds_what_is_named(function: Value) -> bool:
    """Whether a function puts values into a dict under the names by which they are given."""
    if isinstance(function, type):
        return issubclass(function, dict)
    return _is_of_a_dict(function) and function.__name__ == "update"


def _holds_the_second(function: Value) -> bool:
    """Whether a function puts its second argument into a dict, or gives it."""
    return _is_of_a_dict(function) and function.__name__ in ("setdefault", "get", "pop")


def _is_of_a_dict(function: Value) -> bool:
    return isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, dict)


def _of_model(owner: Any, name: str) -> Any:
    """A number or array of what stands for an object of a library."""
    return getattr(registry.model_of(owner), name)


def _hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
