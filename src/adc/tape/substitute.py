"""A plain function runs on Tensors: a copy of it sees `np`, `math` and its callees through stand-ins.

`math.sin` takes floats only, `np.zeros` makes an array that no Tensor can be written to, and a global array
may be written to as well. So the function's code runs with a namespace that translates what it looks up, when
it looks it up: modules of numerical functions, the user's other functions (recursively, also through
closures, partials, bound methods and jitted functions), and arrays. The user's functions and modules
themselves stay as they are.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import types
import warnings
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import model_kinds, registry
from adc.rules.element_calls import over_elements
from adc.runtime.detours import Detours, own_code, straight
from adc.runtime.modules import package_of
from adc.tape import (
    arrays_made,
    by_class,
    class_patterns,
    distributions,
    library_objects,
    record,
    refused_questions,
    solvers,
    sparse,
    sparse_makers,
    which_function,
)
from adc.tape.draws import FUNCTIONS, SOURCES, Draws
from adc.tape.library_calls import Joiner, Ufunc, by_rule, wrapped
from adc.tape.library_code import may_run_by_own_code
from adc.tape.namespaces import Namespace
from adc.tape.node import here
from adc.tape.own_operators import method_of
from adc.tape.plain_types import CLASSES, sample
from adc.tape.stand_ins import BUILTINS, CREATORS, vectorize
from adc.tape.state import modes
from adc.tape.swallowed import heard
from adc.tape.tensor import Tensor, make
from adc.tape.users_code import AS_THEY_ARE, NUMERICAL, Outside, is_of_a_library

_WRITTEN_OUT = [*CREATORS.items(), *FUNCTIONS.items()]  # stand-ins that are the same in all traced code


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs the same code and may be called on Tensors.

    >>> import math
    >>> from adc import tape
    >>> def f(x):
    ...     y = np.zeros(2)
    ...     y[0] = math.sin(x)
    ...     return y
    >>> traced(f)(tape.tensor(0.0, requires_grad=True))
    tensor([0., 0.], grad_fn=<CopySlicesBackward>)
    """
    substitution = Substitution(package_of(function) if isinstance(function, types.FunctionType) else "")
    inner = substitution.callee(function)

    @functools.wraps(function, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        with heard(), substitution.detours.open():
            try:
                return substitution.called(inner, args, kwargs)
            finally:
                substitution.write_back()

    return run


def is_traced(function: Any) -> bool:
    """Whether a function, or what a derivative is of, is defined or was looked up in code that runs on the tape."""
    while _has(function, "__adc_primal__"):
        function = function.__adc_primal__
    made = isinstance(getattr(function, "__globals__", None), Namespace)
    return made or function is Ufunc.__call__ or "_stands_for" in getattr(function, "__dict__", ())


@dataclass(eq=False)
class _Cell:
    """A variable of the functions around, with what stands for it and for what it held."""

    original: types.CellType
    made: types.CellType
    stand_in: Any

    def write_back(self) -> None:
        """What traced code assigned to the variable (`nonlocal`) is assigned to the user's, constants as arrays."""
        value = _content(self.made)
        if self.made is not self.original and value is not self.stand_in:
            plain = isinstance(value, Tensor) and value.node is None
            self.original.cell_contents = value.primal if plain else value
            self.stand_in = value


class Substitution:
    """What stands for what, while one function and everything that it calls is traced."""

    def __init__(self, home: str) -> None:
        # id -> (original, to keep the id alive; its stand-in)
        self._memo: dict[int, tuple[Any, Any]] = {id(kind): (kind, it) for kind, it in CLASSES}
        self._namespaces: dict[int, Namespace] = {}
        self._cells: dict[int, _Cell] = {}
        self._outside = Outside(home)
        self._assigns_globals = False
        self._of_libraries: dict[types.FunctionType, Any] = {}
        self.detours = Detours(self._route)
        self.detours.add([by_class.METHOD])
        self.builtins = {
            **BUILTINS,
            "__import__": self._import,
            which_function.ORIGINAL: self._original,
            which_function.ORIGINALS: self._originals,
            which_function.METHOD: method_of,
            arrays_made.MADE: arrays_made.seen,
        }

    def _import(self, *args: Any, **kwargs: Any) -> Any:
        """`import` in a function."""
        return self.translate(builtins.__import__(*args, **kwargs))

    def translate(self, value: Any) -> Any:
        """The stand-in for a value that traced code looks up; most values stand for themselves."""
        kind = type(value)
        if kind in (int, float, bool, str, type(None)):
            return value
        known = self._memo.get(id(value))
        if known is not None:
            return known[1]
        with straight():  # a `__getattribute__` that is asked for the class of its object would lead here
            translator = _translator(value)
            made = value if translator is None else translator(self, value)
            if made is value:
                self.detours.add(self._outside.functions(value))
        self._memo[id(value)] = (value, made)
        return made

    def _original(self, value: Any) -> Any:
        """What a value stands for, where it is a stand-in of a function."""
        if not callable(value) or isinstance(value, Tensor):
            return value
        if isinstance(value, types.MethodType):
            function = self._original(value.__func__)
            return value if function is value.__func__ else types.MethodType(function, value.__self__)
        return next(
            (original for original, made in [*self._memo.values(), *_WRITTEN_OUT] if made is value), value
        )

    def _originals(self, values: Any) -> Any:
        """A container with what its items stand for; itself where that is themselves."""
        if not isinstance(values, list | tuple | set | frozenset | dict):
            return values
        found = [self._original(v) for v in values]
        if all(a is b for a, b in zip(found, values, strict=True)):
            return values
        return found if isinstance(values, list | tuple) else set(found)

    def called(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a stand-in gives for arguments from outside."""
        for a in (*args, *kwargs.values()):
            self.detours.add(self._outside.functions(a))
        return self._call(function, args, kwargs)

    def _route(
        self,
        function: types.FunctionType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        own: types.FunctionType,
    ) -> Any:
        """A call of a function that traced code did not look up."""
        inner = self.translate(function)
        if inner is function:  # it was made by traced code
            inner = own
        found = self._call(inner, args, kwargs)
        return sample(found) if function.__name__ == "__bool__" and isinstance(found, Tensor) else found

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a stand-in gives; functions and generators among its arguments are stand-ins, too."""
        args = tuple([self._given(a) for a in args])
        return function(*args, **{k: self._given(a) for k, a in kwargs.items()})

    def _given(self, value: Any) -> Any:
        # Not isinstance, which asks an object for its class: by `__getattribute__`, whose call this may be.
        return self.translate(value) if callable(value) or issubclass(type(value), SOURCES) else value

    def callee(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The stand-in for what is called: also for an object with a `__call__` of the user's."""
        method = getattr(type(function), "__call__", None)  # noqa: B004  # the function, not whether there is one
        if isinstance(method, types.FunctionType) and not isinstance(function, Ufunc | type):
            return types.MethodType(self.translate(method), function)
        return self.translate(function)  # type: ignore[no-any-return]

    def function(self, function: types.FunctionType) -> Any:
        """A copy of a user's function with a namespace and a closure that translate."""
        if is_traced(function):
            return function  # met again in a derivative of a derivative
        if by_class.is_by_class(function):
            return by_class.chosen_function(function, self.translate)
        if function is by_class.METHOD:
            return by_class.chosen_method(self.translate)
        is_numerical = package_of(function) in NUMERICAL
        own = functools.partial(self._own_code, function) if may_run_by_own_code(function) else None
        if registry.find(function) is not None:
            return by_rule(function, own if is_numerical else None)
        maker = registry.maker_of(function)
        if maker is not None:
            return self.translate(maker)
        if is_numerical:
            return (
                solvers.find(function)
                or sparse_makers.find(function)
                or distributions.find(function, self.translate)
                or wrapped(function, own, self.translate)
            )
        if is_of_a_library(function):
            return _special(function) or function
        return self._copy(function)

    def _own_code(self, function: types.FunctionType) -> Any:
        """A copy of a library's function, made when it is needed; its stand-in stays what it was."""
        known = self._of_libraries.get(function)
        if known is None:
            stand_in = self._memo[id(function)]
            known = self._of_libraries[function] = self._copy(function)
            self._memo[id(function)] = stand_in
        return known

    def _copy(self, function: types.FunctionType) -> Any:
        """The function's code with a namespace and a closure that translate."""
        namespace = self._namespaces.get(id(function.__globals__))
        if namespace is None:
            namespace = self._namespaces[id(function.__globals__)] = Namespace(self, function.__globals__)
        known = ChainMap(_closed_over(function), function.__globals__)
        is_users = package_of(function) not in NUMERICAL
        code = which_function.answering(own_code(function), known, naming=is_users)
        class_patterns.refuse(code, known)
        refused_questions.refuse(code)
        self._assigns_globals = self._assigns_globals or _assigns_globals(code)
        cells = tuple([types.CellType() for _ in function.__closure__ or ()])
        copy = types.FunctionType(code, namespace, function.__name__, None, cells or None)
        copy.__dict__ = function.__dict__  # the same: a write to an attribute is one to the user's function
        self.detours.add(self._outside.functions(function.__dict__))
        # Before defaults, closure and the bodies of its classes, which may name the function itself.
        self._memo[id(function)] = (function, copy)
        copy.__defaults__ = function.__defaults__ and tuple(
            [self.translate(v) for v in function.__defaults__]
        )
        if function.__kwdefaults__:
            copy.__kwdefaults__ = {k: self.translate(v) for k, v in function.__kwdefaults__.items()}
        namespace.look_up(_names_in_classes(code))
        if function.__closure__:
            copy = self._close(copy, function)
        return _located(copy) if hasattr(function, "__adc_static__") else copy

    def _close(self, copy: types.FunctionType, function: types.FunctionType) -> types.FunctionType:
        """The copy with translated closure cells; cells of plain values are shared, so `nonlocal` works."""
        assert function.__closure__ is not None
        cells = []
        for original in function.__closure__:
            try:
                content = original.cell_contents
            except ValueError:  # not assigned yet
                cells.append(original)
                continue
            known = self._cells.get(id(original))
            if known is None:
                stand_in = self.translate(content)
                made = original if stand_in is content else types.CellType(stand_in)
                known = self._cells[id(original)] = _Cell(original, made, stand_in)
            cells.append(known.made)
        closed = types.FunctionType(
            copy.__code__, copy.__globals__, copy.__name__, copy.__defaults__, tuple(cells)
        )
        closed.__kwdefaults__ = copy.__kwdefaults__
        closed.__dict__ = copy.__dict__
        for cell in cells:  # recursion: a cell that holds the unfinished copy
            if _content(cell) is copy:
                cell.cell_contents = closed
        for known in self._cells.values():
            if known.stand_in is copy:
                known.stand_in = closed
        self._memo[id(function)] = (function, closed)
        return closed

    def writes_to(self, module: Any) -> None:
        """Note that traced code sets an attribute of a module."""
        self._outside.holds(getattr(module, "__dict__", None))

    def write_back(self) -> None:
        """Assignments to globals by traced code reach the real module, and what it leaves in objects is plain."""
        if self._assigns_globals:
            for namespace in self._namespaces.values():
                namespace.write_back()
        for cell in self._cells.values():
            cell.write_back()
        self._outside.settle()


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _assigns_globals(code: types.CodeType) -> bool:
    """Whether a function's code, or that of a function within it, has a `global` that it assigns to."""
    if dis.opmap["STORE_GLOBAL"] in code.co_code[::2]:
        return True
    return any(_assigns_globals(c) for c in code.co_consts if isinstance(c, types.CodeType))


def _closed_over(function: types.FunctionType) -> dict[str, Any]:
    """The values of the names in a function's closure that have one."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # no value yet
            continue
    return found


def _names_in_classes(code: types.CodeType) -> frozenset[str]:
    """The names that `class` statements in a function's code may look up."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    own = () if code.co_flags & inspect.CO_OPTIMIZED else code.co_names
    return frozenset(own).union(*map(_names_in_classes, inner))


class Module:
    """A module, or an object or class of a library, whose attributes are translated as they are looked up."""

    def __init__(self, substitution: Substitution, module: Any) -> None:
        object.__setattr__(self, "_substitution", substitution)
        object.__setattr__(self, "_module", module)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        special = _special(value) if callable(value) and getattr(value, "__hash__", None) else None
        if isinstance(self._module, type) and isinstance(value, types.MethodType):
            value = self._maker(value)
        else:
            value = special or self._substitution.translate(value)
        if not isinstance(value, Tensor):
            self.__dict__[name] = value  # the next look-up does not come here
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self._substitution.writes_to(self._module)
        setattr(self._module, name, value)
        self.__dict__.pop(name, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        maker = registry.maker_of(self._module)
        if maker is not None:
            return self._substitution.translate(maker)(*args, **kwargs)
        if record.is_active(args) or record.is_active(kwargs):
            raise record.no_rule(f"a call of {self._module!r}")
        return self._module(*record.plain(args), **record.plain(kwargs))

    def __instancecheck__(self, value: Any) -> bool:
        if model_kinds.is_model(type(value)):
            return library_objects.is_of(value, self._module)
        return isinstance(value, self._module)

    def _maker(self, method: types.MethodType) -> Callable[..., Any]:
        """What makes an object of constants, for which its model stands: `BSpline.basis_element(knots)`."""

        @functools.wraps(method)
        def make(*args: Any, **kwargs: Any) -> Any:
            if record.is_active(args) or record.is_active(kwargs):
                raise record.no_rule(f"{registry.spell(self._module)}.{method.__name__}")
            return self._substitution.translate(method(*record.plain(args), **record.plain(kwargs)))

        return make

    def __repr__(self) -> str:
        return repr(self._module)


@functools.cache
def numpy_of_traced_code() -> Module:
    """What stands for `np` in code that no namespace of its own leads there: `x.__array_namespace__()`."""
    return Module(Substitution(""), np)


# Which translator a value has -------------------------------------------------------------------------------


def _translator(value: Any) -> Callable[[Substitution, Any], Any] | None:
    if isinstance(value, types.FunctionType):
        return Substitution.function
    if isinstance(value, types.ModuleType):
        root = value.__name__.partition(".")[0]
        as_it_is = (
            root in AS_THEY_ARE and value is not warnings and not value.__name__.startswith("adc.rules")
        )
        return None if as_it_is else Module
    if isinstance(value, np.ndarray):
        return _array if type(value) is np.ndarray and value.dtype.kind in "fc" else None
    if isinstance(value, np.ufunc):
        return lambda _, ufunc: Ufunc(ufunc)
    if value is np.vectorize:
        return lambda _, __: vectorize
    made = over_elements(value)
    if made is not None:
        return lambda substitution, _: vectorize(
            substitution.translate(made.pyfunc),
            otypes=made.otypes,
            excluded=made.excluded,
            signature=made.signature,
        )
    if isinstance(value, type) and (own_class := sparse_makers.find(value)) is not None:
        return lambda _, __: own_class
    if isinstance(value, type | np.generic | Tensor):
        maker = (registry.maker_of(value) or FUNCTIONS.get(value)) if isinstance(value, type) else None
        if isinstance(maker, types.FunctionType) and maker is registry.maker_of(value):
            return Module  # whose call is the maker's, and whose class methods are the library's
        return None if maker is None else lambda substitution, _: substitution.translate(maker)
    if isinstance(value, SOURCES):
        return lambda _, generator: Draws(generator)
    if _has(value, "__adc_inline__"):
        return None  # of adc, whatever module it names: adc.checkpoint(np.sin)
    if sparse.is_factored(value):
        return lambda _, factors: sparse.with_derivative(factors)
    if isinstance(value, np.poly1d):
        return None  # its methods call functions of NumPy
    method = getattr(type(value), "__call__", None)  # noqa: B004  # of the class
    if isinstance(method, types.FunctionType) and package_of(type(value)) not in NUMERICAL:
        return None  # an object of the user's, which may not be asked for its hash
    model = registry.model_of(value)
    if model is not None:
        return lambda substitution, _: substitution.translate(model)
    if registry.find_by_item(value) is not None:
        return lambda _, joiner: Joiner(joiner)
    if isinstance(value, functools.partial):
        return _partial
    if isinstance(value, functools._lru_cache_wrapper):
        return _memoised
    if isinstance(value, types.MethodType):
        return (lambda _, method: by_rule(method)) if registry.find(value) is not None else _method
    if _has(value, "py_func"):
        return lambda substitution, dispatcher: substitution.translate(dispatcher.py_func)
    if getattr(value, "__module__", None) in ("_operator", "operator"):  # functions, and `itemgetter(1)`
        return None  # what it does is what the operands do
    if callable(value):
        special = _special(value) if getattr(type(value), "__hash__", None) else None
        if special is not None:
            return lambda _, function: special
        if registry.find(value) is not None:
            return lambda _, function: by_rule(function)
        if package_of(value) in NUMERICAL:
            # An object such as scipy.stats.norm has no name: its methods are what is called.
            return (lambda _, function: wrapped(function)) if hasattr(value, "__name__") else Module
    return None


def _special(value: Any) -> Callable[..., Any] | None:
    """The stand-in that is written out for what a library offers."""
    return CREATORS.get(value) or FUNCTIONS.get(value)


def _has(value: Any, name: str) -> bool:
    """Whether a value has an attribute, without asking a `__getattr__` of the user's."""
    return inspect.getattr_static(value, name, None) is not None


def _located(function: types.FunctionType) -> Callable[..., Any]:
    """A helper of rules that computes with what is known: what it refuses is refused on the user's line."""

    @functools.wraps(function)
    def helper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except UnsupportedError as error:
            if error.location is not None:
                raise
            raise UnsupportedError(error.what, here(), error.why, error.repair) from error

    helper.__dict__["_stands_for"] = function
    return helper


def _array(_: Substitution, value: Any) -> Tensor:
    if modes.lent is not None:
        modes.lent.lend(value)
    return make(value)


def _partial(substitution: Substitution, value: functools.partial[Any]) -> Any:
    return functools.partial(
        substitution.translate(value.func),
        *map(substitution.translate, value.args),
        **{k: substitution.translate(v) for k, v in value.keywords.items()},
    )


def _memoised(substitution: Substitution, value: functools._lru_cache_wrapper[Any]) -> Any:
    """What a run of traced code remembers is its own, and is not found by numbers with a derivative."""
    function = substitution.translate(value.__wrapped__)
    remembered = functools.lru_cache(**value.cache_parameters())(function)

    def called(*args: Any, **kwargs: Any) -> Any:
        active = record.is_active(args) or record.is_active(kwargs)
        return (function if active else remembered)(*args, **kwargs)

    for name in ("cache_info", "cache_clear", "cache_parameters", "__wrapped__"):
        setattr(called, name, getattr(remembered, name))
    return called


def _method(substitution: Substitution, value: types.MethodType) -> Any:
    if isinstance(value.__self__, types.ModuleType | np.ndarray):
        return value
    return types.MethodType(substitution.translate(value.__func__), value.__self__)
