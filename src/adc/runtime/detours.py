"""A function of the user's leads elsewhere for a while, wherever it is called from: in the threads that say so.

What calls a method, an operator or an entry of a table finds the function itself, not a name that could be read
otherwise. So the function gets code with the same signature that asks its thread where to go. In threads that do not
say, and after the last detour ends, it does what it always did.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Detours", "own_code", "own_signature", "straight", "taken_signature"]

# What a call of a function gives instead; it may call the function's own self, which is given last.
Route = Callable[[types.FunctionType, tuple[Any, ...], dict[str, Any], types.FunctionType], Any]


class _Routes(threading.local):
    route: Route | None = None


class _Detour:
    """What the code of a function calls meanwhile."""

    __slots__ = ("code", "count", "function", "own")

    def __init__(self, function: types.FunctionType) -> None:
        self.function, self.code, self.count = function, function.__code__, 0
        self.own = types.FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.own.__kwdefaults__ = function.__kwdefaults__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        route = _routes.route
        if route is None:
            return self.own(*args, **kwargs)
        return route(self.function, args, kwargs, self.own)


_routes = _Routes()
_detours: dict[types.FunctionType, _Detour] = {}
_changing = threading.Lock()


def own_code(function: types.FunctionType) -> types.CodeType:
    """The code that a function was written with, also while it leads elsewhere."""
    detour = _detours.get(function)
    return function.__code__ if detour is None else detour.code


def own_signature(function: Any) -> inspect.Signature:
    """The parameters that a function was written with, whatever it says of itself (`__wrapped__`, `__signature__`)."""
    plain = types.FunctionType(
        own_code(function), {}, function.__name__, function.__defaults__, function.__closure__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(plain)


def taken_signature(function: Any) -> inspect.Signature:
    """The parameters by which a function is called: those it says it has where it hands on what it takes, else its own.

    >>> def f(x, k=2.0): ...
    >>> @functools.wraps(f)
    ... def handing_on(*args, **kwargs): ...
    >>> @functools.wraps(f)
    ... def of_its_own(settings): ...
    >>> taken_signature(handing_on), taken_signature(of_its_own)
    (<Signature (x, k=2.0)>, <Signature (settings)>)
    """
    said = inspect.signature(function)
    plain = getattr(function, "__func__", function)
    told = getattr(plain, "__dict__", {}).keys() & {"__wrapped__", "__signature__"}
    stands_for = getattr(plain, "__wrapped__", None)
    if not isinstance(plain, types.FunctionType):  # an object that stands for a function, as lru_cache makes
        alone = told == {"__wrapped__"} and plain is function and callable(stands_for)
        return taken_signature(stands_for) if alone else said
    if not told:
        return said
    own = own_signature(plain)
    if plain is not function:
        own = own.replace(parameters=list(own.parameters.values())[1:])
    return said if _hands_on(own, said) else own


def _hands_on(own: inspect.Signature, said: inspect.Signature) -> bool:
    """Whether what fits one signature is taken by the other, in `*args` and `**kwargs`."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [p.name for p in own.parameters.values() if p.kind not in variadic]
    if len(named) == len(own.parameters) or named != list(said.parameters)[: len(named)]:
        return False
    taken = [p for p in said.parameters.values() if p.kind not in variadic]
    by_name = [p.name for p in taken if p.kind is p.KEYWORD_ONLY]
    try:
        own.bind(*[None] * (len(taken) - len(by_name)), **dict.fromkeys(by_name))
    except TypeError:
        return False
    return True


class Detours:
    """Functions that lead elsewhere while `open`.

    >>> def area(r):
    ...     return 3.0 * r * r
    >>> detours = Detours(lambda function, args, kwargs, own: -own(*args))
    >>> detours.add([area])
    >>> with detours.open():
    ...     area(1.0)
    -3.0
    >>> area(1.0)
    3.0
    """

    def __init__(self, route: Route) -> None:
        self._route = route
        self._functions: dict[types.FunctionType, None] = {}
        self._open = 0

    def add(self, functions: Iterable[types.FunctionType]) -> None:
        """Let these lead elsewhere, too."""
        new = [f for f in dict.fromkeys(functions) if f not in self._functions]
        self._functions.update(dict.fromkeys(new))
        for _ in range(self._open):
            _begin(new)

    @contextmanager
    def open(self) -> Iterator[None]:
        """The detours are there, for this thread, in a `with` block."""
        before, _routes.route = _routes.route, self._route
        self._open += 1
        _begin(self._functions)
        try:
            yield
        finally:
            _end(self._functions)
            self._open -= 1
            _routes.route = before


@contextmanager
def straight() -> Iterator[None]:
    """In a `with` block that asks of objects what code of the user's may answer, this thread takes no detours."""
    before, _routes.route = _routes.route, None
    try:
        yield
    finally:
        _routes.route = before


def _begin(functions: Iterable[types.FunctionType]) -> None:
    with _changing:
        for function in functions:
            detour = _detours.get(function)
            if detour is None:
                detour = _detours[function] = _Detour(function)
                _give(function, _leading(detour))
            detour.count += 1


def _end(functions: Iterable[types.FunctionType]) -> None:
    with _changing:
        for function in functions:
            detour = _detours[function]
            detour.count -= 1
            if not detour.count:
                _give(function, detour.code)
                del _detours[function]


def _give(function: types.FunctionType, code: types.CodeType) -> None:
    """Let a function have other code. That of a generator leads elsewhere when it is called, not at its first value."""
    if code.co_flags & _KINDS == function.__code__.co_flags & _KINDS:
        function.__code__ = code
        return
    with warnings.catch_warnings():
        # From Python 3.13 on code of another kind is warned of.
        warnings.filterwarnings("ignore", "Assigning a code object", DeprecationWarning)
        function.__code__ = code


# The code ---------------------------------------------------------------------------------------------------

_HERE = "where adc's detour goes"
_VARIADIC, _NAMED = 0x04, 0x08  # flags of code: *args and **kwargs
_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _leading(detour: _Detour) -> types.CodeType:
    """Code with the signature and the place of a function's own, which calls the detour."""
    code = detour.code
    count = code.co_argcount + code.co_kwonlyargcount
    variadic = bool(code.co_flags & _VARIADIC) + bool(code.co_flags & _NAMED)
    found = _template(
        code.co_varnames[: count + variadic],
        (code.co_posonlyargcount, code.co_argcount, count),
        (code.co_flags & _VARIADIC, code.co_flags & _NAMED),
        code.co_freevars,
    )
    return found.replace(
        co_consts=tuple([detour if c == _HERE else c for c in found.co_consts]),
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_name=code.co_name,
    )


@functools.lru_cache(maxsize=1024)
def _template(
    names: tuple[str, ...], counts: tuple[int, int, int], variadic: tuple[int, int], free: tuple[str, ...]
) -> types.CodeType:
    """The code of a function with such parameters, which reads such names of the function around it."""
    only, positional, all_named = counts
    rest = iter(names[all_named:])
    star = f"*{next(rest)}" if variadic[0] else ""
    double = f"**{next(rest)}" if variadic[1] else ""
    by_name = names[positional:all_named]
    parameters = [*names[:only], *(["/"] if only else []), *names[only:positional]]
    parameters += [star or "*"] if star or by_name else []
    parameters += [*by_name, double]
    arguments = [*names[:positional], star, *(f"{n}={n}" for n in by_name), double]
    own = next(n for n in (f"go_{k}" for k in itertools.count()) if n not in names + free)
    text = [
        "def around():",
        *(f"    {name} = None" for name in free),
        f"    def function({', '.join(filter(None, parameters))}):",
        f"        {own} = {_HERE!r}",
        f"        return {own}({', '.join(filter(None, arguments))})",
        *(f"        {name}" for name in free),
    ]
    around = compile("\n".join(text), "<detour>", "exec").co_consts[0]
    found = next(c for c in around.co_consts if isinstance(c, types.CodeType))
    assert found.co_freevars == free
    return found
