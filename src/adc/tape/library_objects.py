"""What traced code is told of the class of an object that stands for one of a library's."""

from __future__ import annotations

from typing import Any

from adc.errors import UnsupportedError
from adc.rules import model_kinds, registry
from adc.tape.node import here

__all__ = ["class_of_model", "is_of", "require_none"]


def is_of(value: Any, kind: Any) -> bool:
    """`isinstance(value, kind)`, where something may stand for `kind` as well."""
    theirs = model_kinds.made_by(kind) if isinstance(kind, type) else []
    try:
        answers = {model_kinds.is_one(type(value), k) for k in theirs or [kind]}
    except UnsupportedError as error:
        raise error.at(here()) from None
    if len(answers) > 1:
        names = ", ".join(k.__name__ for k in theirs)
        raise UnsupportedError(
            f"it is asked whether an object of a library is a `{kind.__name__}`",
            here(),
            f"That stands for all of {names}.",
            "Keep beside the object which kind it is.",
        )
    return answers.pop()


def class_of_model(model: type) -> Any:
    """What traced code has in the place of the class of such an object."""
    try:
        made = registry.maker_of(model_kinds.kind(model))
    except UnsupportedError as error:
        raise error.at(here()) from None
    if not isinstance(made, type):
        name = model_kinds.kind(model).__name__
        raise UnsupportedError(
            f"it is asked of what class a `{name}` is",
            here(),
            "On the tape a function stands for that class.",
            f"Ask by isinstance(x, {name}), or keep beside it which kind it is.",
        )
    return made


def require_none(model: type, name: str) -> None:
    """Refuse to say that such an object has not an attribute that the library's has."""
    if model_kinds.may_have(model, name):
        what, why, repair = registry.no_attribute(name)
        raise UnsupportedError(what, here(), why, repair)
