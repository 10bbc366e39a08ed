"""Objects of the user's classes over `dict`: a model of a dict stands in the place of `dict` among their bases.

    class Parameters(dict):                  class Parameters(Dict):
        def scaled(self, by):                    def scaled(self, by):
            return self["w"] * by                    return self["w"] * by

The class with the model is made once; what the user's own class says is taken for granted at each call.
"""

from __future__ import annotations

import collections
import types
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import instances
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.outside import Place, class_of
from adc.compiler.frontend.values import is_settled
from adc.rules.python_containers import Counter, Dict, DictWithMissing

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core
    from adc.compiler.frontend.names import Names

_BASES = (dict, collections.OrderedDict)
# What Python reads of a dict; a class that has its own may say something else of what it holds.
_READING = ("__getitem__", "__iter__", "__contains__", "__len__", "keys", "values", "items", "get")
_OF_ANY_CLASS = ("__dict__", "__weakref__")


_MADE: dict[type, tuple[Any, type | None]] = {}  # of what a class said then


def with_model(cls: type) -> type | None:
    """The class with a model in the place of `dict`; None of a class that is not over a dict, or is over more."""
    if not issubclass(cls, dict) or is_settled(cls) or type(cls) is not type:
        return None
    said = [
        {name: id(value) for name, value in vars(base).items()}
        for base in cls.__mro__
        if not is_settled(base)
    ]
    if cls not in _MADE or _MADE[cls][0] != said:
        _MADE[cls] = said, _with_model(cls, DictWithMissing if hasattr(cls, "__missing__") else Dict)
    return _MADE[cls][1]


def _with_model(cls: type, model: type) -> type | None:
    if cls in _BASES:
        return model
    if is_settled(cls):
        return cls if cls is object else None
    bases = [_with_model(base, model) for base in cls.__bases__]
    if None in bases:
        return None
    names = {
        name: getattr(model, value.__name__, value) if _is_of_dict(value) else value
        for name, value in vars(cls).items()
        if name not in _OF_ANY_CLASS
    }
    return type(cls.__name__, tuple(b for b in bases if b is not None), {**names, "__adc_model__": cls})


def _is_of_dict(value: Any) -> bool:
    """Whether an entry of a class is a method of `dict` itself: `__getattr__ = dict.__getitem__`."""
    return getattr(value, "__objclass__", None) in _BASES


def take_for_granted(ev: Core, cls: type) -> None:
    """Take for granted what the user's classes say that a class with a model stands for."""
    for base in cls.__mro__:
        if not is_settled(base):
            for name, value in vars(base).items():
                if isinstance(value, (types.FunctionType, property)):
                    instances.stays(ev, cls, name)


def outside(ev: Names, place: Place, label: str, value: Any) -> Instance | None:
    """A Counter, or an object of the user's over a dict, from outside the function: what it holds is read at each call.

    None where the class says itself how it is read.
    """
    cls = type(value)
    model = Counter if cls is collections.Counter else with_model(cls)
    own = getattr(value, "__dict__", {})
    if model is None or own is value or not instances.can_make(model):
        return None
    if model is not Counter and any(getattr(cls, name) is not getattr(dict, name) for name in _READING):
        return None
    ev.taken(Place(class_of, place), label)
    take_for_granted(ev, cls)
    made = Instance(model, {"__held__": ev.outside_dict(place, label)})
    for name in own:
        made[name] = ev.captured(Place(getattr, place, name), name)
    made.outside = label
    return made
