"""Objects of the user's own classes that the program makes: their attributes are values like others.

`Dense(w, b)` runs `Dense.__init__` on an object without attributes; `layer.w` is what it left there, and `layer(x)`,
`layer.forward(x)`, `a + b` call the methods of the class. Nothing of the object is left in the generated code. A named
tuple is a tuple; what its class defines beside that is called in the same way.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import cached_properties, left_outside
from adc.compiler.frontend.frame import (
    Bound,
    Evaluated,
    Generator,
    Given,
    Instance,
    Items,
    Iterated,
    SurelyRaised,
)
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import Value, is_settled
from adc.compiler.ir.nodes import Var
from adc.errors import UnsupportedError
from adc.rules import model_kinds, python_containers, registry

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_ABSENT = object()
_OF_C_CODE = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.BuiltinFunctionType,  # `__new__`
)

OPERATORS = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.or_: "or",
    operator.and_: "and",
    operator.xor: "xor",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
}


def can_make(cls: type) -> bool:
    """Whether what makes an object of a class is Python code of the user's, or of a rule, that can be looked into."""
    if "__adc_model__" not in cls.__dict__ and _is_over_a_librarys(cls):
        return False
    init = _found(cls, "__init__")
    if type(cls).__call__ is not type.__call__ or not (
        isinstance(init, types.FunctionType) or init is object.__init__
    ):
        return False
    return _is_plain(cls) and _found(cls, "__new__") is inspect.getattr_static(object, "__new__")


def _is_over_a_librarys(cls: type) -> bool:
    return any(is_settled(base) for base in cls.__mro__ if base is not object)


def _is_plain(cls: type) -> bool:
    """Whether an object of a class is no more than its attributes."""
    # The flag is that of a class of Python code.
    return _found(cls, "__getattribute__") is inspect.getattr_static(object, "__getattribute__") and all(
        base is object or base.__flags__ & (1 << 9) for base in cls.__mro__
    )


def bare(ev: Core, cls: Value, *args: Value, **kwargs: Value) -> Instance:
    """`cls.__new__(cls)`: an object without attributes, whose `__init__` nobody calls."""
    known = isinstance(cls, type) and _is_plain(cls) and not _is_over_a_librarys(cls)
    if not known or inspect.isabstract(cls):
        raise ev.refuse("object.__new__() is for classes of Python code", repair="call the class")
    if args or kwargs:
        raise ev.refuse("object.__new__() takes a class and nothing else", repair="leave the others out")
    return Instance(cls)


BUILTINS = {
    abs: "__abs__",
    divmod: "__divmod__",
    float: "__float__",
    int: "__int__",
    next: "__next__",
    round: "__round__",
}
UNARY = {gast.USub: "__neg__", gast.UAdd: "__pos__", gast.Invert: "__invert__"}
# What Python says of an object whose class has no such method.
_WITHOUT = {"__call__": "is not callable", "__setitem__": "does not support item assignment"}


def make(ev: Core, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Instance:
    """`cls(*args, **kwargs)`."""
    if inspect.isabstract(cls):
        try:
            cls()
        except TypeError as error:  # it names the methods
            raise SurelyRaised(error, ev.region_depth, ev.origin) from error
    made = Instance(cls)
    init = _found(cls, "__init__")
    if init is not object.__init__:
        stays(ev, cls, "__init__")
        ev.call(init, [made, *args], kwargs)
    elif args or kwargs:
        raise ev.refuse(f"{cls.__name__}() takes no arguments", repair="give the class an `__init__`")
    return made


def attribute(ev: Core, owner: Instance, name: str) -> Value:
    """`owner.name`: a property, an attribute of the object, or one of its class. Raises AttributeError."""
    found = _found(owner.cls, name)
    if isinstance(found, property):
        stays(ev, owner.cls, name)
        return _of_class(ev, found, owner.cls, owner, name)
    if _users(found, "__get__") and _users(found, "__set__"):
        return _got(ev, found, owner)
    if name == "__class__":
        return told(ev, model_kinds.kind, owner.cls) if model_kinds.is_model(owner.cls) else owner.cls
    if name == "__dict__" and owner.cls.__dictoffset__:
        return ev.call(python_containers.Attributes, [owner], {})
    if name in owner and not cached_properties.may_compute(found, owner[name]):
        return owner[name]
    if found is _ABSENT or isinstance(found, types.MemberDescriptorType):  # of `__slots__`, without a value
        fallback = _found(owner.cls, "__getattr__")
        if isinstance(fallback, types.FunctionType):
            stays(ev, owner.cls, "__getattr__")
            return ev.call(fallback, [owner, name], {})
        if getattr(owner.cls, "__adc_model__", None) is not None:
            raise ev.refuse(*registry.no_attribute(name))
        if hasattr(owner.cls, "__post_init__") and ev.origins.is_callers(owner):
            raise ev.refuse(*registry.no_field(owner.cls, name))
        raise AttributeError(f"'{owner.cls.__name__}' object has no attribute '{name}'")
    stays(ev, owner.cls, name)
    return _of_class(ev, found, owner.cls, owner, name)


def told(ev: Core, question: Callable[..., Any], *asked: Any) -> Any:
    """What is known of an object of a library; a refusal is one of the user's line."""
    try:
        return question(*asked)
    except UnsupportedError as error:
        raise error.at(ev.origin) from None


def _users(found: Any, word: str) -> bool:
    """Whether an attribute of a class is a descriptor with such a method in Python code of the user's."""
    return isinstance(_found(type(found), word), types.FunctionType) and not isinstance(
        found, functools.partialmethod
    )


def _got(ev: Core, found: Any, owner: Value) -> Value:
    """What a descriptor of the user's gives for an object."""
    stays(ev, type(found), "__get__")
    return ev.call(_found(type(found), "__get__"), [found, owner, _kind_of(owner)], {})


def _kind_of(owner: Value) -> type:
    """The class of an object, of the program or from outside."""
    return owner.cls if isinstance(owner, Instance) else type(owner)


def stays(ev: Core, owner: Any, name: str) -> None:
    """What a class, or an object from outside, has as a method or property is taken for granted: another may take its
    place between calls. What a property gives may be made anew at each read: the property is what is taken."""
    kind = owner if isinstance(owner, type) else type(owner)
    if isinstance(_found(kind, name), functools.partialmethod):
        ev.taken(Place(_found, kind, name), name)  # reading it makes a method anew
        return
    in_class = _ABSENT if isinstance(owner, type) else _found(type(owner), name)
    if isinstance(owner, type) and isinstance(_found(owner, name), functools.singledispatchmethod):
        return  # `_by_class` takes the chosen method for granted
    if _users(in_class, "__get__"):
        return  # `_got` takes its method for granted
    if isinstance(in_class, (property, functools.cached_property)):
        owner = type(owner)
    found, place = getattr(owner, name, None), Place(getattr, owner, name)
    if isinstance(found, (types.FunctionType, property)):
        ev.taken(place, name)
    elif isinstance(found, types.MethodType):  # made anew at each read
        ev.taken(Place(getattr, place, "__func__"), name)


def _of_class(ev: Core, found: Any, cls: type, owner: Value, name: str) -> Value:
    """What `found`, an entry of the class `cls`, is for an object of that class or of one over it."""
    if isinstance(found, property):
        if found.fget is None:
            raise AttributeError(f"property '{name}' of '{_kind_of(owner).__name__}' object has no getter")
        return ev.call(found.fget, [owner], {})
    if isinstance(found, functools.cached_property):
        return cached_properties.read(ev, found, owner, name)
    if isinstance(found, functools.singledispatchmethod):
        return _by_class(ev, found, cls, owner, name)
    if _is_partial(found):
        return _partly_bound(found, owner)
    if _users(found, "__get__"):
        return _got(ev, found, owner)
    if isinstance(found, (types.FunctionType, functools._lru_cache_wrapper)):
        return Bound(found, owner)
    return _without_an_object(ev, found, cls, _kind_of(owner), name)


def _by_class(
    ev: Core, found: functools.singledispatchmethod[Any], cls: type, owner: Value, name: str
) -> Value:
    """The method that is chosen by the class of the first argument."""

    def called(*args: Value, **kwargs: Value) -> Value:
        if not args:
            raise ev.refuse(f"{name}() requires at least 1 positional argument")
        kind = ev.call(type, [args[0]], {})
        method = ev.taken(Place(dispatched, found.dispatcher, kind), name)
        return ev.call(_of_class(ev, method, cls, owner, name), list(args), kwargs)

    return Evaluated(called)


def dispatched(function: Any, cls: type) -> Any:
    """The function that one made by `functools.singledispatch` calls for a class."""
    return function.dispatch(cls)


def _without_an_object(ev: Core, found: Any, cls: type, kind: type, name: str) -> Value:
    """What an entry of the class `cls` is for the class `kind` over it."""
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return Bound(found.__func__, kind)
    return ev.attribute(cls, name)


def is_of(owner: Value, cls: type) -> bool:
    """Whether `super()` in a method of `cls` may be that of an object, or of a class."""
    return any(
        _stands_for(base, cls) for base in (owner if isinstance(owner, type) else _kind_of(owner)).__mro__
    )


def _stands_for(base: type, cls: type) -> bool:
    """Whether a class is that one, or has a model in the place of a base of it (over_dicts.py)."""
    return base is cls or base.__dict__.get("__adc_model__") is cls


def inherited(ev: Core, name: str, cls: type, owner: Value) -> Value:
    """`super().name` in a method of `cls`; `owner` is a class in a class method."""
    kind = owner if isinstance(owner, type) else _kind_of(owner)
    base = _next_with(cls, (kind, name))
    if base is object and isinstance(owner, Instance) and name == "__init__":
        return Evaluated(lambda *_: None)
    if base is object and isinstance(owner, Instance) and name == "__setattr__":
        return Evaluated(lambda name, value: set_of_object(ev, owner, name, value))
    if base is object and isinstance(owner, Instance) and name == "__delattr__":
        return Evaluated(lambda name: delete_of_object(ev, owner, name))
    if base is None:
        raise AttributeError(f"'super' object has no attribute '{name}'")
    found = base.__dict__[name]
    if (
        isinstance(found, types.WrapperDescriptorType)
        and name == "__init__"
        and issubclass(base, BaseException)
    ):
        return Bound(found, owner)  # keeps the arguments (exceptions.py)
    if isinstance(found, _OF_C_CODE):
        raise ev.refuse(f"`super().{name}` is of the class `{base.__name__}`, whose code is not Python's")
    ev.taken(Place(_next_with, cls, (kind, name)), name)
    stays(ev, base, name)
    if owner is kind:
        return _without_an_object(ev, found, base, kind, name)
    return _of_class(ev, found, base, owner, name)


def _next_with(cls: type, key: tuple[type, str]) -> type | None:
    """The class behind `cls`, in the order of those that a class is made of, that has an attribute."""
    kind, name = key
    order = kind.__mro__
    place = next(k for k, base in enumerate(order) if _stands_for(base, cls))
    return next((base for base in order[place + 1 :] if name in base.__dict__), None)


def set_attribute(ev: Core, owner: Instance, name: str, value: Value) -> None:
    """`owner.name = value`."""
    if owner.outside is not None and left_outside.leave_attribute(ev, owner, name, value):
        return
    refuse_write(ev, owner, name, value)
    settled = getattr(owner.cls, "__dataclass_params__", None)
    if settled is not None and settled.frozen:
        raise ev.refuse(f"cannot assign to field '{name}': a `{owner.cls.__name__}` is frozen")
    own = _found(owner.cls, "__setattr__")
    if isinstance(own, types.FunctionType):
        stays(ev, owner.cls, "__setattr__")
        ev.call(own, [owner, name, value], {})
        return
    set_of_object(ev, owner, name, value)


def hears_of(owner: Instance, name: str) -> bool:
    """Whether a write of what an attribute already is does something: runs code of the class, or is forbidden by it.

    An attribute of the class becomes one of the object.
    """
    settled = getattr(owner.cls, "__dataclass_params__", None)
    found = _found(owner.cls, name)
    return (
        (settled is not None and settled.frozen)
        or isinstance(_found(owner.cls, "__setattr__"), types.FunctionType)
        or isinstance(found, property)
        or _users(found, "__set__")
        or (owner.outside is None and name not in owner)
    )


def refuse_write(ev: Core, owner: Instance, name: str, value: Value) -> None:
    """Refuse to keep a value under a name in an object, where the program may not."""
    if owner.outside is not None:
        raise ev.refuse_leaving(
            f"`{owner.outside}` is an object outside the function, and is written to",
            "return the value instead",
        )
    ev.refuse_either(owner)
    if isinstance(value, (Items, Given, Generator, Iterated)):
        raise ev.refuse(
            f"`{name}` is what zip(), map() or the like gives, and is kept in an object",
            "what is left of it depends on who took what",
            "make a list of it",
        )


def setter(owner: Value, name: str) -> Any:
    """What a property of an object from outside calls for `owner.name = value`; None where it is none."""
    found = None if isinstance(owner, (Var, type)) else _found(type(owner), name)
    return found.fset if isinstance(found, property) and isinstance(found.fset, types.FunctionType) else None


def delete(ev: Core, owner: Instance, name: str) -> None:
    """`del owner.name`."""
    own = _found(owner.cls, "__delattr__")
    if isinstance(own, types.FunctionType):
        stays(ev, owner.cls, "__delattr__")
        ev.call(own, [owner, name], {})
        return
    delete_of_object(ev, owner, name)


def delete_of_object(ev: Core, owner: Instance, name: str) -> None:
    """`object.__delattr__(owner, name)`. Raises AttributeError where there is none."""
    found = _found(owner.cls, name)
    if isinstance(found, property) and found.fdel is not None:
        stays(ev, owner.cls, name)
        ev.call(found.fdel, [owner], {})
        return
    if _users(found, "__delete__"):
        stays(ev, type(found), "__delete__")
        ev.call(_found(type(found), "__delete__"), [found, owner], {})
        return
    refuse_write(ev, owner, name, None)
    if name not in owner or isinstance(found, property):
        error = AttributeError(f"'{owner.cls.__name__}' object has no attribute '{name}'")
        raise SurelyRaised(error, ev.region_depth, ev.origin)
    if cached_properties.on_some_paths(owner[name]):
        raise cached_properties.unknown(ev, owner)
    del owner[name]


def set_of_object(ev: Core, owner: Value, name: Value, value: Value) -> None:
    """`object.__setattr__(owner, name, value)`, by which an object sets what its class forbids."""
    if not isinstance(owner, Instance) or not isinstance(name, str):
        raise ev.refuse("object.__setattr__() takes an object made in the function and a name that is known")
    refuse_write(ev, owner, name, value)
    found = _found(owner.cls, name)
    if isinstance(found, property):
        if found.fset is None:
            raise ev.refuse(f"property '{name}' of '{owner.cls.__name__}' object has no setter")
        ev.call(found.fset, [owner, value], {})
        return
    if _users(found, "__set__"):
        stays(ev, type(found), "__set__")
        ev.call(_found(type(found), "__set__"), [found, owner, value], {})
        return
    if not _has_room_for(owner.cls, name):
        error = no_room(owner.cls.__name__, name, is_of_class=_found(owner.cls, name) is not _ABSENT)
        raise SurelyRaised(error, ev.region_depth, ev.origin)
    owner[name] = ev.named_value(value, name)


def _has_room_for(cls: type, name: str) -> bool:
    """Whether an object may have an attribute: `__slots__` of all its classes say which, or it has a dict."""
    return cls.__dictoffset__ != 0 or isinstance(_found(cls, name), types.MemberDescriptorType)


def no_room(kind: str, name: str, is_of_class: bool = False) -> AttributeError:
    """What Python says, which differs between its versions, of an attribute that objects of a kind have no room for."""
    bare = type(kind, (), {"__slots__": (), **({name: None} if is_of_class else {})})
    try:
        setattr(bare(), name, None)
    except AttributeError as error:
        return AttributeError(str(error))
    raise AssertionError(f"there is room for {name}")


def class_of(value: Value) -> type | None:
    """The class that says what operators do with a value: of an object, or of a named tuple."""
    if isinstance(value, Instance):
        return value.cls
    cls = type(value)
    if isinstance(value, tuple):
        return cls if hasattr(value, "_fields") else None
    return None if is_settled(cls) else cls


def method(ev: Core, owner: Value, name: str) -> Any:
    """What Python calls for `owner` in an operator or a built-in function; None where its class has nothing."""
    if not has_method(owner, name):
        return None
    cls = class_of(owner)
    stays(ev, cls, name)
    found = inspect.getattr_static(cls, name)
    return _partly_bound(found, owner) if _is_partial(found) else Bound(found, owner)


def _is_partial(found: Any) -> bool:
    return isinstance(found, functools.partialmethod) and isinstance(found.func, types.FunctionType)


def _partly_bound(found: functools.partialmethod[Any], owner: Value) -> Bound:
    return Bound(found.func, owner, *found.args, **found.keywords)


def has_method(owner: Value, name: str) -> bool:
    """Whether the program says what Python calls for `owner` in an operator or a built-in function."""
    cls = class_of(owner)
    found = None if cls is None else _found(cls, name)
    if _is_partial(found):
        return True
    # `collections`: what namedtuple() writes. What dataclass() writes reads the fields of an object of the program.
    return (
        isinstance(found, types.FunctionType)
        and found.__module__ not in ("collections", "enum")
        and (isinstance(owner, Instance) or found.__code__.co_filename != "<string>")
    )


def attribute_of_value(ev: Core, owner: Value, name: str) -> Value:
    """`owner.name` of something that is no object of the program: its class's own code is run as part of the program.

    Raises AttributeError.
    """
    found = _found(type(owner), name)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType) and not ev.is_static(owner):
        return ev.call(found.fget, [owner], {})
    if name in getattr(owner, "__dict__", ()) and not isinstance(owner, type):
        return getattr(owner, name)  # an attribute of the object stands before a method of its class
    if isinstance(found, functools.singledispatchmethod):
        return _by_class(ev, found, type(owner), owner, name)
    try:
        return method(ev, owner, name) or getattr(owner, name)
    except AttributeError:
        if getattr(owner, "__adc_model__", False) is True:
            raise ev.refuse(*registry.no_attribute(name)) from None
        raise


def called(ev: Core, owner: Value, name: str, /, *args: Value, **kwargs: Value) -> Value:
    """What a method of Python's own protocols returns. Refuses where the class has none."""
    found, cls = method(ev, owner, name), class_of(owner)
    assert cls is not None
    if found is not None:
        stays(ev, cls, name)
        return ev.call(found, list(args), kwargs)
    if name in _WITHOUT:
        raise ev.refuse(f"'{cls.__name__}' object {_WITHOUT[name]}")
    raise ev.refuse(f"a `{cls.__name__}` has no `{name}`", repair="define it, or call another method")


def _found(cls: type, name: str) -> Any:
    return inspect.getattr_static(cls, name, _ABSENT)
