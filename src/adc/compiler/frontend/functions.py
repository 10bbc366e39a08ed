"""The user's functions and the bodies of rules are evaluated where they are called: nothing of a call is left."""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
import operator
import sys
import types
import weakref
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from adc.compiler.frontend import desugar, generics
from adc.compiler.frontend import source as sources
from adc.compiler.frontend.frame import Closure, Frame, Generator, Once, Partial, once
from adc.compiler.frontend.inlined_generators import is_generator
from adc.compiler.frontend.iteration import Iteration
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.scan import Liveness, stored_names
from adc.compiler.frontend.values import Value, kind, may_change
from adc.errors import SourceError, UnsupportedError
from adc.rules import registry, tables_by_key
from adc.rules.repairs import repair_of
from adc.runtime.detours import own_code, own_signature
from adc.runtime.modules import module_of

MAX_CALL_DEPTH = 60
# Each level of a recursion that the data ends is code of its own, twice as much with two calls: so many levels, and
# so many assignments and calls of the user's in all of them.
MAX_DATA_RECURSION = 8
MOST_SPENT_BY_DATA = 2000


def _is_of_a_library(module: str | None) -> bool:
    """Whether a function of this module is one whose lines are not for the user to change."""
    return (module or "").partition(".")[0] in ("numpy", "scipy")


def _is_of_python(module: str | None) -> bool:
    """Whether a function of this module came with Python."""
    return (module or "").partition(".")[0] in sys.stdlib_module_names


def _public_name(function: Any, module: str, name: str) -> str:
    """As the user writes it: `heapq.heappush` of `_heapq`, `random.seed` of a method of an object that nobody sees."""
    for known in (
        () if module == "builtins" else ("os" if module in ("posix", "nt") else module.lstrip("_"), module)
    ):
        found = getattr(sys.modules.get(known), name.rpartition(".")[2], None)
        if found is not None and function in (found, getattr(found, "__func__", None)):
            return f"{known}.{name.rpartition('.')[2]}"
    return name if module in ("", "builtins") else f"{module}.{name}"


def _moves_a_generator(function: Any) -> bool:
    """Whether a call draws random numbers: one more run than the program's own, and it sees other ones."""
    modules = module_of(type(getattr(function, "__self__", None))), module_of(function)
    return any(m == "random" or m.startswith("numpy.random") for m in modules) or (
        getattr(function, "__name__", None) == "rvs"
    )


class ReturnValue(Exception):
    """A `return` that is reached on the only path there is."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Functions(Iteration):
    """The part of the evaluator that evaluates bodies of functions."""

    def call_function(
        self, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]
    ) -> Value:
        """The value of a call of a function of the user's, or of a helper of a rule."""
        # A helper of a rule is part of the rule: its lines are not the user's, and it is folded like a rule body.
        as_the_users = module_of(function) == tables_by_key.__name__
        of_adc = module_of(function).startswith("adc.rules") and not as_the_users
        try:
            source, signature = (_rule_source if of_adc else _source)(function)
        except SourceError as error:
            if _is_of_a_library(module_of(function)):
                raise self.without_a_rule(function, f"and {error.what}") from error
            raise self.refuse(
                f"cannot see into `{getattr(function, '__name__', function)}`", str(error.what)
            ) from error
        bound = self._bound_arguments(signature, source.name, args, kwargs, source.function, of_adc)
        taken = None if self.outside is None else self.outside.get(function)
        if taken is not None:
            return taken.__adc_inline__(self, (), bound)
        of_a_library = _is_of_a_library(module_of(function))
        in_rule = of_adc or (self.frame.source is None and not of_a_library and not as_the_users)
        if not in_rule and not of_a_library:
            self.note_function(source.function, len(args) + len(kwargs) < len(bound))
        frame = Frame(
            None if in_rule else source,
            source.globals,
            dict(source.closure),
            bound,
            unroll=in_rule,
            depth=self.frame.depth + 1,
            of_adc=as_the_users,
        )
        called_at = self.origin
        try:
            return self.run_function(source.tree, frame)
        except UnsupportedError as error:
            if in_rule:
                raise
            of_api = module_of(function).startswith("adc.")
            if of_api and error.location and error.location.file == source.file:
                error.location = called_at  # the user knows the call, not the line of adc's that it leads to
            refusal = error
            known = of_a_library or _is_of_python(module_of(function))
            caller = self.frame.globals.get("__name__")
            if known and not (_is_of_a_library(caller) or _is_of_python(caller)):
                # The user knows the call, not the lines of the library that it leads to.
                with self.origin_at(called_at):
                    refusal = self.without_a_rule(function, f"and its own code is refused: {error.what}")
            refusal.inside = (*error.inside, (function, called_at))
            if refusal is error:
                raise
            raise refusal from error

    def note_function(self, function: types.FunctionType, by_default: bool) -> None:
        """What a function does is taken for granted until it has other code, or other defaults where it took them."""
        self.functions[function] = own_code(function)
        if by_default:
            self.defaults[function] = function.__defaults__

    def without_a_rule(self, function: Any, why: str = "") -> UnsupportedError:
        """The refusal of a function that has no rule: the closest one that has, and how to write one."""
        if _moves_a_generator(function):
            return self._of_random_numbers(function)
        if not callable(function):
            return self.refuse(f"{kind(function)} is called here, and is no function", why)
        name = (
            getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
        )
        module = module_of(function).partition("._")[0]
        if isinstance(function, np.ufunc):  # ufuncs do not know their module
            module = registry.spell(function).rpartition(".")[0]
        if isinstance(getattr(getattr(function, "__self__", None), "name", None), str):  # of a distribution
            module, _, name = registry.spell(function).rpartition(".")
        if _is_of_python(module):
            return self.refuse(
                f"`{_public_name(function, module, name)}` of Python's library is not compiled",
                why or "it is code of C, which cannot be looked into",
                "take it out of the function, or write it with operations of NumPy",
            )
        known = {o.spelling.split(".")[-1]: o.spelling for o in registry.operations()}
        if module.partition(".")[0] not in {s.partition(".")[0] for s in ("numpy", *known.values())}:
            known = {}  # nothing of another library is meant where names are alike: time.time, np.tile
        home = module.replace("numpy", "np", 1)
        alike = [n for n, spelled in known.items() if n[:4] == name[:4] and spelled == f"{home}.{n}"]
        close = difflib.get_close_matches(name, alike, n=1, cutoff=0.75)
        spelling = f"{module + '.' if module else ''}{name}"
        repair = "write it with other operations"
        if close:
            repair = f"use {known[close[0]]} instead"
        return self.refuse(
            f"adc has no rule for `{spelling}`",
            why or "its derivative is not in the rule table",
            repair_of(spelling, compiled=True) or f"{repair}, or register a rule (docs/adding_a_rule.md)",
        )

    def _of_random_numbers(self, function: Any) -> UnsupportedError:
        """The refusal of what draws random numbers, or seeds what does: one more run would see other ones."""
        name = str(getattr(function, "__name__", None) or repr(function))
        refusal = self.refuse(
            f"`{name}` changes a generator of random numbers that is outside the function",
            "which numbers it gives depends on what else is drawn from it",
            "make one in the function, `rng = np.random.default_rng(seed)`, or draw the numbers before, and pass them",
        )
        refusal.leaves_behind = True
        return refusal

    def _bound_arguments(
        self,
        signature: inspect.Signature,
        name: str,
        args: list[Value],
        kwargs: dict[str, Value],
        function: Any = None,
        of_adc: bool = False,
    ) -> dict[str, Value]:
        """The parameters; what a default of the function may hold otherwise at the next call is from outside."""
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"{name}() {error}", repair="correct the call") from error
        given = set(bound.arguments)
        bound.apply_defaults()
        self.take_defaults(function, bound.arguments, given)
        return {name: once(value, shared=not of_adc) for name, value in bound.arguments.items()}

    def take_defaults(self, function: Any, arguments: dict[str, Value], given: Collection[str]) -> None:
        """Of the arguments that a call does not give, read each time what may be another at the next call."""
        for k, default in enumerate(getattr(function, "__defaults__", None) or ()):
            if may_change(default):
                place = Place(operator.getitem, Place(getattr, function, "__defaults__"), k)
                self._take_default(arguments, given, default, place)
        for key, default in (getattr(function, "__kwdefaults__", None) or {}).items():
            place = Place(operator.getitem, Place(getattr, function, "__kwdefaults__"), key)
            if may_change(default):
                self._take_default(arguments, given, default, place)
            elif key not in given:
                self.taken(place, key)

    def _take_default(
        self, arguments: dict[str, Value], given: Collection[str], default: Any, place: Place
    ) -> None:
        for name, value in arguments.items():
            if value is default and name not in given:
                arguments[name] = self.captured(place, name)

    def call_closure(self, closure: Closure, args: list[Value], kwargs: dict[str, Value]) -> Value:
        of_adc = getattr(closure.tree, "of_adc", False)
        bound = self._bound_arguments(closure.__signature__, closure.tree.name, args, kwargs, of_adc=of_adc)
        outer = closure.frame
        cells = {} if closure.cls is None else {"__class__": types.CellType(closure.cls)}
        return self.run_function(
            closure.tree,
            Frame(
                outer.source,
                outer.globals,
                cells,  # names of the functions around it are looked up there, one after the other
                {**generics.parameters(closure.tree), **bound},
                parent=outer,
                unroll=outer.unroll,
                depth=self.frame.depth + 1,
            ),
        )

    def run_function(self, tree: Any, frame: Frame) -> Value:
        """The value of a function body in its own frame."""
        self.left_outside.reaches(frame)
        if is_generator(tree):
            return Generator(tree, frame)
        frame.tree = tree
        later, self.gives_later = self.gives_later, False
        with self.running_as(tree, frame):
            # Rule bodies branch on ranks and static arguments only, so they need no desugaring.
            body, frame.liveness, frame.stored = (_rule_body if frame.source is None else _user_body)(tree)
            outer, self.frame = self.frame, frame
            frame.caller = outer
            try:
                self.execute_all(body)
            except ReturnValue as result:
                value = result.value
            else:
                return None
            finally:
                self.frame = outer
            return value.items() if isinstance(value, Once) and not later else value

    @contextlib.contextmanager
    def running_as(self, tree: Any, frame: Frame) -> Iterator[None]:
        """While the body of a function is evaluated; refused where it calls itself without end."""
        key = (tree.name, getattr(tree, "lineno", 0), None if frame.source is None else frame.source.file)
        depths = [depth for running, depth in self.running if running == key]
        if not depths:
            self.spent_before[key] = self.spent
        by_data = min(depths, default=self.region_depth) < self.region_depth
        if (
            max(frame.depth, len(depths)) > MAX_CALL_DEPTH
            or len(set(depths)) - 1 > MAX_DATA_RECURSION
            or (by_data and self.spent - self.spent_before[key] > MOST_SPENT_BY_DATA)
        ):
            raise self.refuse(
                f"`{tree.name}` calls itself, directly or through others",
                "calls are inlined, and a recursion has no end when it is inlined",
                "write it as a loop",
            )
        if frame.source is not None:
            self.spend()
        self.running.append((key, self.region_depth))
        try:
            yield
        finally:
            self.running.pop()

    def tree_of(self, function: Value) -> Any:
        """The code of a function of the user's, a method, or a function of the program; None of anything else."""
        if isinstance(function, Closure):
            return function.tree
        if isinstance(function, (functools.partial, Partial)):
            return self.tree_of(function.func)
        plain = getattr(function, "__func__", function)
        if plain in self.stand_ins_of:
            return self.stand_ins_of[plain].tree
        if not isinstance(plain, types.FunctionType):
            return None
        try:
            return _source(plain)[0].tree
        except SourceError:
            return None

    def with_tree(self, function: Callable[..., Any], tree: Any) -> Closure:
        """A function of the user's with another body."""
        made = self.stand_ins_of.get(function)
        if made is not None:
            return Closure(tree, made.frame, made.defaults, made.cls)
        source = _source(function)[0]
        return Closure(tree, Frame(source, source.globals, dict(source.closure)), {})

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
        given = {**named, **(kwargs or {})}
        bound = self._bound_arguments(signature, source.name, args[:positional], given, of_adc=True)
        # The loops of rule bodies are over constant ranges.
        return self.run_function(
            source.tree,
            Frame(None, source.globals, dict(source.closure), bound, unroll=True, depth=self.frame.depth + 1),
        )


def _source(function: Callable[..., Any]) -> tuple[sources.Source, inspect.Signature]:
    source = sources.of(function)
    return source, own_signature(source.function)


def _by_tree(body: Callable[[Any], list[Any]]) -> Callable[[Any], tuple[list[Any], Liveness, set[str]]]:
    """The statements that `body` makes of a function, the liveness of their names, and those that they assign.

    Asked for each call of a function, and the same each time: as long as the tree is about, they are held.
    """
    held: weakref.WeakKeyDictionary[Any, tuple[list[Any], Liveness, set[str]]] = weakref.WeakKeyDictionary()

    def run(tree: Any) -> tuple[list[Any], Liveness, set[str]]:
        found = held.get(tree)
        if found is None:
            statements = body(tree)
            found = held[tree] = statements, Liveness(statements), stored_names(statements)
        return found

    return run


_rule_body = _by_tree(lambda tree: tree.body)
_user_body = _by_tree(lambda tree: desugar.run(tree).body)
_rule_source = functools.cache(_source)  # found once: rules do not change while a program runs
