"""Every operation that adc can differentiate stands in one table, with its derivative and its test inputs.

A rule is an ordinary NumPy function. The tape calls its body, the compiler parses and inlines it, the kit
tests it. An operation is of one of five kinds:

elementwise   the body returns the partials dz/dx of a function applied element by element; both modes follow
linear        the body is the transpose: given z_bar it returns the adjoints of the `wrt` parameters, in
              which the operation is jointly linear; the forward mode is the operation on the tangents
general       a pull body (reverse) and a push body (forward), side by side
composite     the body is the operation itself, written with other operations; its derivatives follow
constant      piecewise constant or not real-valued: derivative zero by nature (floor, argmax, ...)

Un-broadcasting is the accumulator's work, never a rule's: an adjoint may have the broadcast shape of its
operand. A rule body calls only operations that have rules, so that higher orders follow by themselves.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from adc.rules.operation import Body, Examples, Operation
from adc.rules.sampler import by_domain

F = TypeVar("F", bound=Callable[..., Any])


_by_name: dict[str, Operation] = {}
_by_callable: dict[Any, Operation] = {}
_by_method: dict[str, Operation] = {}
listeners: list[Callable[[Operation], None]] = []  # called with each operation that comes from now on
# What a library makes objects with -> what makes a plain object in its place; and the types of such objects.
_of_models: dict[Callable[..., Any], tuple[type, Callable[..., Any]]] = {}
_makers: dict[Any, Callable[..., Any]] = {}
_models: dict[type, Callable[[Any], Any]] = {}
# Modules of functions to which a user has given rules: generated code imports them by these names.
user_modules: set[str] = set()
_late: dict[str, str] = {}
_triggers: dict[Callable[..., Any], str] = {}  # of functions that others than the trigger's module have, too


def late(trigger: str, rules: str, functions: tuple[Callable[..., Any], ...] = ()) -> None:
    """Import the module `rules` once the module `trigger` is imported, or one of `functions` is looked up.

    SciPy is optional and parts of it take a second to import; who holds one of its functions has done so.
    """
    _late[trigger] = rules
    _triggers.update(dict.fromkeys(functions, trigger))


def _load(wanted: Iterable[str]) -> None:
    """Import the late rules with these triggers, in the order of the list."""
    chosen = set(wanted)
    for module in [_late.pop(trigger) for trigger in list(_late) if trigger in chosen]:
        importlib.import_module(module)


def _is_installed(trigger: str) -> bool:
    return importlib.util.find_spec(trigger.partition(".")[0]) is not None


def load_all() -> None:
    """Import every rule whose library is installed."""
    _load(filter(_is_installed, list(_late)))


def elementwise(
    function: Callable[..., Any],
    *aliases: Callable[..., Any],
    examples: Examples | None = None,
    domain: str | tuple[float, float] = "real",
    wrt: str | None = None,
    methods: str = "",
    name: str | None = None,
    singular: bool = False,
    symbol: str | None = None,
    cost: int = 4,
    spelling: str | None = None,
    notes: str = "",
    extra: dict[str, Any] | None = None,
) -> Callable[[F], F]:
    """Register the partials of a function that NumPy applies element by element.

    The body takes `(z, *parameters)` and returns one partial per `wrt` parameter (all parameters when not
    given; a bare value, not a tuple, for a single one). Without `examples`, inputs are drawn from `domain`:
    "real", "positive",
    "nonzero", "unit" (-1, 1), or an interval.

        @elementwise(np.exp)
        def exp(z, x):
            return z
    """

    def register(body: F) -> F:
        parameters = _parameters(body)[1:]
        chosen = tuple((wrt or " ".join(p.name for p in parameters)).split())
        _add(
            Operation(
                name or body.__name__.rstrip("_"),
                "elementwise",
                function,
                aliases,
                tuple(methods.split()),
                parameters,
                chosen,
                partials=body,
                examples=examples or by_domain(domain, len(parameters)),
                singular=singular,
                symbol=symbol,
                cost=cost,
                spelling=spelling or spell(function),
                notes=notes,
                extra=dict(extra or {}),
            )
        )
        return body

    return register


def linear(
    function: Callable[..., Any],
    *aliases: Callable[..., Any],
    wrt: str,
    examples: Examples,
    methods: str = "",
    name: str | None = None,
    shape: Callable[..., Any] | None = None,
    symbol: str | None = None,
    cost: int = 1,
    spelling: str | None = None,
    notes: str = "",
    extra: dict[str, Any] | None = None,
) -> Callable[[F], F]:
    """Register the transpose of an operation that is jointly linear in its `wrt` parameters.

    The body takes `(z_bar, *parameters)` and returns the adjoints of the `wrt` parameters (a tuple for
    several; for a
    parameter that is a sequence of arrays, a tuple of adjoints in its place).
    """

    def register(body: F) -> F:
        _add(
            Operation(
                name or body.__name__.rstrip("_"),
                "linear",
                function,
                aliases,
                tuple(methods.split()),
                _parameters(body)[1:],
                tuple(wrt.split()),
                transpose=body,
                examples=examples,
                shape=shape,
                symbol=symbol,
                cost=cost,
                spelling=spelling or spell(function),
                notes=notes,
                extra=dict(extra or {}),
            )
        )
        return body

    return register


def pull(
    function: Callable[..., Any],
    *aliases: Callable[..., Any],
    wrt: str,
    examples: Examples,
    methods: str = "",
    name: str | None = None,
    shape: Callable[..., Any] | None = None,
    singular: bool = False,
    symbol: str | None = None,
    cost: int = 100,
    spelling: str | None = None,
    notes: str = "",
    extra: dict[str, Any] | None = None,
) -> Callable[[F], F]:
    """Register the pull of a general operation: `(z_bar, z, *parameters)` -> adjoints of the parameters.

    For an operation with several results, `z_bar` and `z` are tuples. The push is registered with `push`.
    """

    def register(body: F) -> F:
        _add(
            Operation(
                name or body.__name__.removesuffix("_pull").rstrip("_"),
                "general",
                function,
                aliases,
                tuple(methods.split()),
                _parameters(body)[2:],
                tuple(wrt.split()),
                pull=body,
                examples=examples,
                shape=shape,
                singular=singular,
                symbol=symbol,
                cost=cost,
                spelling=spelling or spell(function),
                notes=notes,
                extra=dict(extra or {}),
            )
        )
        return body

    return register


def push(function: Callable[..., Any]) -> Callable[[F], F]:
    """Register the push of an operation whose pull stands above: `(z, *parameters, x_dot=..., ...)` -> z_dot.

    Tangents of the `wrt` parameters arrive by keyword as `<parameter>_dot` with the shape of the parameter.
    """

    def register(body: F) -> F:
        operation = _by_callable[function]
        assert operation.kind == "general" and operation.push is None, operation
        operation.push = body
        return body

    return register


def lowered(function: Callable[..., Any]) -> Callable[[F], F]:
    """Register how compiled code computes an operation whose rule stands above: a body as of a composite.

    For operations that Numba lacks: the compiler may inline this body and differentiate it,
    and the tape keeps the rule. The kit compares its value with the operation's.
    """

    def register(body: F) -> F:
        operation = _by_callable[function]
        assert operation.kind != "composite" and operation.body is None, operation
        operation.body = body
        return body

    return register


def full(function: Callable[..., Any]) -> Callable[[F], F]:
    """Register a body for calls with parameters that the operation's rule, which stands above, does not have."""

    def register(body: F) -> F:
        operation = _by_callable[function]
        operation.full = _composite_of(operation, body)
        return body

    return register


def of_complex(function: Callable[..., Any]) -> Callable[[F], F]:
    """Register a body for complex operands of an operation that is another function of them than of real ones."""

    def register(body: F) -> F:
        operation = _by_callable[function]
        operation.of_complex = _composite_of(operation, body)
        return body

    return register


def _composite_of(operation: Operation, body: Body) -> Operation:
    """The operation written with others, for some of its calls."""
    parameters = _parameters(body)
    return Operation(
        operation.name,
        "composite",
        operation.function,
        parameters=parameters,
        wrt=operation.wrt or operation.asked,
        body=body,
        examples=operation.examples,
        spelling=operation.spelling,
        extra={key: operation.extra[key] for key in ("cores", "gives_back") if key in operation.extra},
    )


def composite(
    function: Callable[..., Any],
    *aliases: Callable[..., Any],
    examples: Examples,
    wrt: str = "",
    methods: str = "",
    name: str | None = None,
    spelling: str | None = None,
    notes: str = "",
    extra: dict[str, Any] | None = None,
) -> Callable[[F], F]:
    """Register an operation by a body with its public parameters that computes it with other operations."""

    def register(body: F) -> F:
        parameters = _parameters(body)
        _add(
            Operation(
                name or body.__name__.rstrip("_"),
                "composite",
                function,
                aliases,
                tuple(methods.split()),
                parameters,
                tuple(wrt.split()) or tuple(p.name for p in parameters[:1]),
                body=body,
                examples=examples,
                spelling=spelling or spell(function),
                notes=notes,
                extra=dict(extra or {}),
            )
        )
        return body

    return register


def constant(
    function: Callable[..., Any],
    *aliases: Callable[..., Any],
    parameters: str,
    methods: str = "",
    name: str | None = None,
    examples: Examples | None = None,
    elementwise: bool = False,
    shape: Callable[..., Any] | None = None,
    symbol: str | None = None,
    spelling: str | None = None,
    notes: str = "",
    extra: dict[str, Any] | None = None,
) -> None:
    """Register an operation whose derivative is zero by nature; `parameters` as written in Python."""
    stub: dict[str, Any] = {}
    exec(f"def stub({parameters}): ...", {}, stub)
    _add(
        Operation(
            name or spell(function).split(".", 1)[-1],
            "constant",
            function,
            aliases,
            tuple(methods.split()),
            _parameters(stub["stub"]),
            examples=examples,
            shape=shape,
            symbol=symbol,
            spelling=spelling or spell(function),
            notes=notes,
            extra={**(extra or {}), "elementwise": elementwise},
        )
    )


def static(function: F) -> F:
    """Mark a helper of rule bodies that computes with what is known before any array: ranks, axes, strings.

    The compiler calls it with the values instead of inlining it; so it may be any Python.

    >>> @static
    ... def letters(subscripts):
    ...     return sorted(set(subscripts))
    """
    function.__adc_static__ = True  # type: ignore[attr-defined]
    return function


def stands_for(maker: Callable[..., Any], model: Callable[..., Any]) -> None:
    """Let `model(...)` make a plain object wherever a program calls `maker(...)` of a library.

    The class of the object has methods written like rule bodies, and says `__adc_model__ = True`. Where `model` is a
    function, it may say of which class the object is for the program: `__adc_stands_for__ = maker`.
    """
    _makers[maker] = model


def of_models(function: Callable[..., Any], kind: type, own: Callable[..., Any]) -> None:
    """Let `own` stand for a function of a library where one of its arguments is an object of `kind`, or its model."""
    _of_models[function] = kind, own


def takes_models(function: Any) -> bool:
    """Whether something stands for a function of a library where it is given certain objects."""
    find(function)  # imports the late rules
    return function in _of_models


def meant(function: Any, kinds: Iterable[type]) -> Callable[..., Any] | None:
    """What stands for a function of a library that is given objects of these classes, or None."""
    found = _of_models.get(function)
    if found is None:
        return None
    kind, own = found
    return own if any(k is kind or k is _makers.get(kind) for k in kinds) else None


def model_of_type(kind: type, model: Callable[[Any], Any]) -> None:
    """Let `model(x)` stand for an object x of a library that was made outside the program."""
    _models[kind] = model


def no_attribute(name: str) -> tuple[str, str, str]:
    """What an engine says of an attribute that a model lacks: what, why and what to do."""
    return (
        f"`.{name}` of this object of a library is not supported",
        "adc has the formulas of some of its methods, and this one is not among them.",
        "Write it with NumPy, or call it on what is no longer differentiated.",
    )


def no_field(cls: type, name: str) -> tuple[str, str, str]:
    """What an engine says of an attribute that `__post_init__` may set, of a dataclass that is put together again."""
    return (
        f"a `{cls.__name__}` has no attribute `{name}` here",
        "Where a gradient is with respect to a dataclass, it is made again of its fields, without `__post_init__`.",
        "Make it a property, which follows the fields, or a field (`field(init=False)`), a variable of its own.",
    )


def maker_of(function: Any) -> Callable[..., Any] | None:
    """What stands for a callable that makes an object, or None."""
    find(function)  # imports the late rules
    try:
        return _makers.get(function)
    except TypeError:
        return None


def made_classes() -> list[tuple[type, Any]]:
    """The classes of libraries for which something stands, and what."""
    return [(maker, own) for maker, own in _makers.items() if isinstance(maker, type)]


def modelled_classes() -> list[type]:
    """The classes of libraries for whose objects something stands, made in a program or found by it."""
    return [*(maker for maker, _ in made_classes()), *_models]


def model_of(value: Any) -> Any:
    """The plain object that stands for one of a library, or None."""
    if not _models:
        find(value)
    found = _models.get(type(value))
    return None if found is None else found(value)


def find_by_item(value: Any) -> Operation | None:
    """The operation that indexing an object such as `np.r_` means, or None."""
    item = getattr(value, "__getitem__", None)
    return find(item) if isinstance(item, types.MethodType) else None


def find(function: Any) -> Operation | None:
    """The operation that a callable means, or None."""
    try:
        found = _by_callable.get(function)
    except TypeError:  # unhashable callables are never in the table
        return None
    if found is None and _late:
        wanted = _late.keys() & sys.modules.keys()
        trigger = _triggers.get(function)
        if trigger is not None and trigger in _late and _is_installed(trigger):
            wanted.add(trigger)
        if wanted:
            _load(wanted)
            return _by_callable.get(function)
    return found


def named(name: str) -> Operation:
    """The operation of this name."""
    if name not in _by_name:
        load_all()
    return _by_name[name]


def is_known(operation: Operation) -> bool:
    """Whether an operation is the one that the table has under its name: the same one in another process."""
    return _by_name.get(operation.name) is operation


def find_method(name: str) -> Operation | None:
    """The operation that `array.name(...)` (or the attribute `array.name`) means, or None."""
    return _by_method.get(name)


def known() -> list[Operation]:
    """The operations whose rules are imported by now."""
    return list(_by_name.values())


def operations() -> Iterable[Operation]:
    """All operations whose library is installed, in the order of their names."""
    load_all()
    return [_by_name[name] for name in sorted(_by_name)]


_OF_PYTHON = " (vectorized)"  # in the name of a ufunc that calls a function of Python


def spell(function: Callable[..., Any]) -> str:
    """How generated code names a function.

    >>> import numpy as np, math
    >>> spell(np.exp), spell(math.erf), spell(np.linalg.solve), spell(np.testing.assert_allclose)
    ('np.exp', 'math.erf', 'np.linalg.solve', 'np.testing.assert_allclose')
    >>> spell(np.frompyfunc(math.exp, 1, 1))
    'what np.frompyfunc makes of exp'
    >>> from scipy import stats
    >>> spell(stats.kappa4.cdf)
    'scipy.stats.kappa4.cdf'
    """
    name = getattr(function, "__name__", None) or repr(function)
    module = getattr(function, "__module__", None) or "numpy"
    if isinstance(function, np.ufunc) and name.endswith(_OF_PYTHON):
        return f"what np.frompyfunc makes of {name.removesuffix(_OF_PYTHON)}"
    if isinstance(function, np.ufunc) and getattr(np, name, None) is not function:
        return f"scipy.special.{name}"  # ufuncs do not know their module
    if module.startswith("numpy.linalg"):
        return f"np.linalg.{name}"
    if module.startswith("numpy.fft"):
        return f"np.fft.{name}"
    if module.startswith("numpy"):
        public = itertools.takewhile(lambda part: not part.startswith("_"), module.split(".")[1:])
        return ".".join(("np", *(() if getattr(np, name, None) is function else public), name))
    if module.startswith("scipy."):
        of = getattr(getattr(function, "__self__", None), "name", None)  # a distribution
        named = f"{of}.{name}" if isinstance(of, str) else name
        return ".".join(part for part in module.split(".") if not part.startswith("_")) + f".{named}"
    return f"{module.lstrip('_')}.{name}"


def _parameters(body: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(body).parameters.values())


def _add(operation: Operation) -> None:
    assert operation.name not in _by_name, f"two rules are called {operation.name}"
    if operation.kind != "constant":
        assert operation.examples is not None, f"{operation.name}: a rule needs examples"
        unknown = [w for w in operation.wrt if w not in {p.name for p in operation.parameters}]
        assert not unknown, f"{operation.name}: wrt names {unknown}, which are not parameters"
    _by_name[operation.name] = operation
    for function in (operation.function, *operation.aliases):
        assert function not in _by_callable, f"{function} has two rules"
        _by_callable[function] = operation
    for method in operation.methods:
        assert method not in _by_method, f"method {method} has two rules"
        _by_method[method] = operation
    for heard in listeners:
        heard(operation)
