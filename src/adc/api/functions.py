"""What a user calls a function: `def`, lambda, method, partial, callable object, Numba dispatcher."""

from __future__ import annotations

import functools
import importlib
import inspect
import linecache
import operator
import os
import sys
import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from adc.compiler.frontend import source
from adc.compiler.frontend.frame import Closure, Partial
from adc.errors import Location, SourceError, UnsupportedError
from adc.rules import registry
from adc.rules.element_calls import over_elements

__all__ = [
    "depth_of_caller",
    "has_code",
    "is_method",
    "location",
    "taken_apart",
    "takes",
    "wider_for",
    "written_out",
]

# What a function takes that is written out: other keywords than its rule, or whatever it is given.
OTHERS, ANY = 1, 2
_ANY = list(inspect.signature(lambda *args, **kwargs: None).parameters.values())
# Functions of C without a rule, whose calls both the compiler and the tape take.
_WITHOUT_A_RULE = (sum, max, min, sorted, operator.getitem, np.array, np.asarray, np.ascontiguousarray)
_WRITTEN = "<adc: "  # how the files are called of functions that are written out
# What a function that is written out calls.
_CALLED: weakref.WeakKeyDictionary[Callable[..., Any], Any] = weakref.WeakKeyDictionary()
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def taken_apart(function: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The Python function behind a callable, and the arguments that the callable gives it already.

    Raises SourceError for what has no Python text: builtins, classes, things that cannot be called.

    >>> def f(x, y): ...
    >>> taken_apart(functools.partial(f, 1.0))[1]
    (1.0,)
    """
    if isinstance(function, functools.partial):
        inner, args, kwargs = taken_apart(function.func)
        if inner is not function.func and not _names(inner).issuperset(function.keywords):
            inner = written_out(function.func, OTHERS) or inner
        # Its own dict, which the user may change between calls.
        keywords = {**kwargs, **function.keywords} if kwargs else function.keywords
        return inner, (*args, *function.args), keywords
    if isinstance(function, Partial):
        inner, args, kwargs = taken_apart(function.func)
        return inner, (*args, *function.args), {**kwargs, **function.keywords}
    if isinstance(function, types.MethodType):
        written = written_out(function)
        if written is not None:
            return written, (), {}
        inner, args, kwargs = taken_apart(function.__func__)
        return inner, (*args, function.__self__), kwargs
    if isinstance(function, (staticmethod, classmethod)):
        return taken_apart(function.__func__)
    if isinstance(function, functools._lru_cache_wrapper):
        return taken_apart(function.__wrapped__)  # what it gives is what it would give again
    if hasattr(function, "__adc_inline__") or isinstance(function, Closure):
        return function, (), {}
    dispatched = getattr(function, "py_func", None)
    if isinstance(dispatched, types.FunctionType):
        return dispatched, (), {}
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        source.of(function)  # says why not: no engine takes it
    if has_code(function) or hasattr(function, "__adc_primal__"):
        return function, (), {}
    # What stands for a ufunc in traced code is called as it is: that says where it comes from.
    written = None if "_stands_for" in getattr(function, "__dict__", ()) else written_out(function)
    if written is not None:
        return written, (), {}
    call = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(call, types.FunctionType):
        return call, (function,), {}
    source.of(function)  # says why not
    return function, (), {}


def _names(function: Any) -> set[str]:
    """The names of the parameters of a Python function."""
    code = getattr(function, "__code__", None)
    return set() if code is None else set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def written_out(function: Any, wide: int = 0) -> Callable[..., Any] | None:
    """A Python function that calls a library function, by the parameters of its rule; None for others.

    With `OTHERS`, also by the keywords that the rule has no parameter for: `functools.partial(np.sum, where=mask)`.

    >>> written_out(np.sin)(0.0), written_out(sum)([1.0, 2.0]), written_out([].append)
    (np.float64(0.0), 3.0, None)
    """
    function = getattr(function, "__dict__", {}).get("_stands_for", function)  # as traced code has it
    if isinstance(getattr(function, "__self__", None), np.ndarray):
        return _calling(f"array.{function.__name__}", _ANY, {"array": function.__self__})
    model = None if isinstance(function, types.FunctionType) else registry.model_of(function)
    if callable(model):  # an object of a library that is called, as a spline is
        parameters = list(inspect.signature(model).parameters.values())
        return _calling("library", parameters, {"library": function}, type(function).__name__)
    if isinstance(function, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
        return _calling("getter", _ANY, {"getter": function}, type(function).__name__)
    # What is the user's, or a transform of it, is not remembered: what it holds would be kept alive.
    if not isinstance(function, Hashable):
        return None
    known = (
        registry.find(function) is not None
        or over_elements(function) is not None
        or any(function is one for one in _WITHOUT_A_RULE)
        or (isinstance(function, types.MethodType) and registry.model_of(function.__self__) is not None)
    )
    return _written_out(function, wide) if known else None


def wider_for(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
    """A Python function that calls a library function with such arguments; None where NumPy refuses them, too.

    >>> wider_for(np.sum, (np.ones(2),), {"where": [True, False]})(np.ones(2), where=[True, False])
    np.float64(1.0)
    >>> wider_for(np.sum, (np.ones(2),), {"when": [True, False]})
    """
    while isinstance(function, functools.partial):
        function = function.func
    function = _CALLED.get(function, function) if isinstance(function, types.FunctionType) else function
    if not isinstance(function, Hashable) or registry.find(function) is None:
        return None
    function = getattr(function, "__dict__", {}).get("_stands_for", function)  # as traced code has it
    made = [_written_out(function, wide) for wide in (OTHERS, ANY)] if takes(function, args, kwargs) else []
    return next((m for m in made if m is not None and takes(m, args, kwargs)), None)


def takes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    except ValueError:  # written in C, and it does not say
        return True
    return True


@functools.lru_cache(maxsize=256)
def _written_out(function: Any, wide: int) -> Callable[..., Any] | None:
    if isinstance(function, types.MethodType) and registry.model_of(function.__self__) is not None:
        method = getattr(registry.model_of(function.__self__), function.__name__, None)
        if method is None:
            return None
        parameters = list(inspect.signature(method).parameters.values())
        return _calling(f"library.{function.__name__}", parameters, {"library": function.__self__})
    made = over_elements(function)
    if made is not None:
        parameters = list(inspect.signature(made.pyfunc).parameters.values())
        name = made.pyfunc.__name__ if made.pyfunc.__name__.isidentifier() else "of_elements"
        return _calling("elementwise", parameters, {"elementwise": function}, name)
    operation = registry.find(function) if isinstance(function, Hashable) else None
    if operation is None and not any(function is one for one in _WITHOUT_A_RULE):
        return None
    is_own = operation is not None and operation.function == function
    spelling = operation.spelling if operation is not None and is_own else registry.spell(function)
    root, _, rest = spelling.partition(".")
    namespace: dict[str, Any] = {root: importlib.import_module("numpy" if root == "np" else root)}
    found = namespace[root]
    for name in rest.split("."):
        found = getattr(found, name, None)
    if found != function:  # a method, as of scipy.stats.norm, is another object each time
        return None
    if operation is None or wide == ANY:
        return _called_by(_calling(spelling, _ANY, namespace), function)
    parameters = [p for p in operation.parameters if _is_written(p.default)]
    if isinstance(function, np.ufunc):
        parameters = parameters[: function.nin]
    parameters = _as_called(function, parameters)
    if wide and not any(p.kind is p.VAR_KEYWORD for p in parameters):
        parameters.append(inspect.Parameter("others", inspect.Parameter.VAR_KEYWORD))
    return _called_by(_calling(spelling, parameters, namespace), function)


def _called_by(made: Callable[..., Any], function: Any) -> Callable[..., Any]:
    _CALLED[made] = function
    return made


def _calling(
    spelling: str, parameters: list[inspect.Parameter], namespace: dict[str, Any], name: str = ""
) -> Callable[..., Any]:
    """A function with a text, which calls what is spelled so."""
    listed = str(inspect.Signature([p.replace(annotation=p.empty) for p in parameters]))
    file = f"{_WRITTEN}{name or spelling}{listed}>"
    name = name or spelling.rpartition(".")[2]
    text = f"def {name}{listed}:\n    return {spelling}({', '.join(map(_passed, parameters))})\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), namespace)
    made: Callable[..., Any] = namespace[name]
    return made


def _is_written(default: Any) -> bool:
    """Whether a default can be written in a text."""
    if isinstance(default, (tuple, list)):
        return all(map(_is_written, default))
    empty = default is inspect.Parameter.empty
    return empty or isinstance(default, (bool, int, float, str, type(None)))


def _as_called(function: Any, parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Those of a rule's parameters that the function takes; by name only, where it has others before them."""
    try:
        public = list(inspect.signature(function).parameters.values())
    except ValueError:  # written in C, and it does not say; there is no value that stands for "not given"
        given = [p for p in parameters if p.default is not None]
        others = inspect.Parameter("others", inspect.Parameter.VAR_POSITIONAL)
        return given if given == parameters else [*given, others]
    if any(p.kind is p.VAR_POSITIONAL for p in (*public, *parameters)):
        return parameters
    by_position = [p.name for p in public if p.kind is not p.KEYWORD_ONLY]
    defaults = {p.name: p.default for p in public}
    found: list[inspect.Parameter] = []
    any_name = any(p.kind is p.VAR_KEYWORD for p in public)
    left_out = False
    for k, p in enumerate(parameters):
        default = defaults.get(p.name)
        if p.default is None and default is not None:  # a rule's "nothing" need not be the function's
            if not _is_written(default):
                left_out = True
                continue
            p = p.replace(default=default)
        here = p.default is p.empty or by_position[k : k + 1] == [p.name]
        if here and not any(q.kind is q.KEYWORD_ONLY for q in found):
            found.append(p)
        elif any(q.name == p.name for q in public):
            found.append(p.replace(kind=p.KEYWORD_ONLY))
        else:
            left_out = left_out or any_name
    if left_out:
        found.append(inspect.Parameter("others", inspect.Parameter.VAR_KEYWORD))
    return found


def _passed(parameter: inspect.Parameter) -> str:
    """A parameter as it is passed on."""
    if parameter.kind is parameter.KEYWORD_ONLY:
        return f"{parameter.name}={parameter.name}"
    star: dict[Any, str] = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    return star.get(parameter.kind, "") + parameter.name


def has_code(function: Any) -> bool:
    """Whether calling this runs Python code, so that the tape can follow it even where there is no text."""
    inner = function
    while isinstance(inner, functools._lru_cache_wrapper):
        inner = inner.__wrapped__
    return isinstance(inner, types.FunctionType)


def location(function: Callable[..., Any]) -> Location | None:
    """Where a function begins, for an error about the whole of it; None where the user has no text of it."""
    try:
        text = source.of(function)
    except (SourceError, UnsupportedError):
        return None
    if text.file.startswith(_WRITTEN):
        return None
    return Location(text.file, text.first_line, 0, None, text.line(text.first_line))


def is_method(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a class body and takes the instance first."""
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    if not outer or outer.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters), "")
    return first in ("self", "cls")


def depth_of_caller() -> int:
    """The `stacklevel` at which a warning points to the user's call rather than into adc."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
