"""Objects of dataclasses are objects like others, made of their fields: their `__init__` has no text.

What a function is given is taken apart into the same form, and what it returns is put together again.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adc import pytree
from adc.compiler.frontend import instances
from adc.compiler.frontend.frame import Instance, Partial, SurelyRaised
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.ir.nodes import Var
from adc.rules.text_arrays import TextArray

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core


def is_record(cls: type) -> bool:
    """Whether the objects of a class are dataclasses, which no registration takes for something else."""
    return dataclasses.is_dataclass(cls) and not (pytree.is_registered(cls) or pytree.is_whole(cls))


def has_init_of_fields(cls: type) -> bool:
    """Whether the `__init__` of a dataclass is the one that Python makes of its fields."""
    made = inspect.getattr_static(cls, "__init__")
    return isinstance(made, types.FunctionType) and made.__code__.co_filename == "<string>"


def holds_numbers(value: Any) -> bool:
    """Whether an object is a dataclass of floats and arrays, which are read at each call, and nothing else.

    Of what is taken as constant only that which the program asks for may be looked at.
    """
    kind = type(value)
    return (
        is_record(kind)
        and [f.name for f in dataclasses.fields(value)] == [*getattr(value, "__dict__", ())]
        and all(isinstance(v, (np.ndarray, np.floating, float)) for v in vars(value).values())
    )


def make(ev: Core, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Instance:
    """`cls(*args, **kwargs)` of a dataclass."""
    try:
        signature = inspect.signature(cls)
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raised = TypeError(f"{cls.__name__}() {error}")
        raise SurelyRaised(raised, ev.region_depth, ev.origin) from error
    instances.stays(ev, cls, "__init__")
    ev.taken(Place(getattr, Place(getattr, cls, "__init__"), "__defaults__"), cls.__name__)
    made = Instance(cls)
    later: list[Value] = []
    for name, field in cls.__dataclass_fields__.items():  # type: ignore[attr-defined]
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        if field.init and name in given:
            value = given[name]
        elif field.default_factory is not dataclasses.MISSING:
            value = ev.call(field.default_factory, [], {})
        elif field.default is not dataclasses.MISSING:
            value = signature.parameters[name].default if field.init else field.default
        else:
            continue  # what __post_init__ is to set
        if kind == "_FIELD_INITVAR":
            later.append(value)
        else:
            made[name] = ev.named_value(value, name)
    after = inspect.getattr_static(cls, "__post_init__", None)
    if isinstance(after, types.FunctionType):
        ev.call(after, [made, *later], {})
    return made


def taken_apart(value: Any) -> Instance:
    """A dataclass of the caller's as the evaluator knows it."""
    fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return Instance(type(value), {**fields, **getattr(value, "__dict__", {})})


def put_together(value: Instance) -> Any:
    """The dataclass, dict or array of texts that an object of the evaluator stands for; others stay."""
    if value.cls is TextArray:
        return value["held"]
    model = getattr(value.cls, "__adc_model__", None)
    if isinstance(value.get("__held__"), Instance):  # keys that only the run knows
        return value
    if model is collections.OrderedDict:
        return collections.OrderedDict(value["__held__"])
    if model is collections.defaultdict and _is_plain(value["default_factory"]):
        return collections.defaultdict(value["default_factory"], value["__held__"])
    if not is_record(value.cls):
        return value
    made: Any = object.__new__(value.cls)
    for name, part in value.items():
        object.__setattr__(made, name, part)
    return made


def _is_plain(factory: Any) -> bool:
    """Whether what a `defaultdict` calls for a new key exists outside the program, too."""
    return factory is None or (callable(factory) and not isinstance(factory, Partial))


def _replace(self: Calls, owner: Value, **changes: Value) -> Value:
    if not isinstance(owner, Instance):
        return self.call(type(owner), [], {**_fields_of(self, owner), **changes})
    kept = {f.name: owner[f.name] for f in dataclasses.fields(owner.cls) if f.init and f.name in owner}
    return self.call(owner.cls, [], {**kept, **changes})


def _fields_of(self: Calls, owner: Any) -> dict[str, Value]:
    return {f.name: self.attribute(owner, f.name) for f in dataclasses.fields(owner) if f.init}


def _asdict(self: Calls, owner: Value) -> Value:
    return {name: _converted(self, owner[name], _asdict) for name in _names(self, owner)}


def _astuple(self: Calls, owner: Value) -> Value:
    return tuple([_converted(self, owner[name], _astuple) for name in _names(self, owner)])


def _names(self: Calls, owner: Value) -> list[str]:
    if not isinstance(owner, Instance):
        raise self.refuse(
            "taking apart a dataclass from outside the function is not supported",
            repair="pass it as an argument",
        )
    return [f.name for f in dataclasses.fields(owner.cls)]


def _converted(self: Calls, value: Value, convert: Any) -> Value:
    """A copy of what is in a field; objects in it are converted, too."""
    if isinstance(value, Instance) and is_record(value.cls):
        return convert(self, value)
    if isinstance(value, list):
        return self.new_list([_converted(self, v, convert) for v in value])
    if isinstance(value, tuple):
        return rebuilt(value, [_converted(self, v, convert) for v in value])
    if type(value) is dict:
        return {k: _converted(self, v, convert) for k, v in value.items()}
    return self.call(np.copy, [value], {}) if isinstance(value, Var) and value.is_array else value


def _is_dataclass(self: Calls, value: Value) -> bool:
    return dataclasses.is_dataclass(value.cls if isinstance(value, Instance) else value)


def _fields(self: Calls, value: Value) -> Value:
    return dataclasses.fields(value.cls if isinstance(value, Instance) else value)


def _namespace(ev: Core, /, **attributes: Value) -> Instance:
    """`types.SimpleNamespace(**attributes)`."""
    made = Instance(types.SimpleNamespace)
    for name, value in attributes.items():
        instances.set_attribute(ev, made, name, value)
    return made


TABLE: dict[Any, Any] = {
    types.SimpleNamespace: _namespace,
    object.__setattr__: instances.set_of_object,
    dataclasses.replace: _replace,
    dataclasses.asdict: _asdict,
    dataclasses.astuple: _astuple,
    dataclasses.is_dataclass: _is_dataclass,
    dataclasses.fields: _fields,
}
