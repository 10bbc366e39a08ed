"""Of which class of its library an object is that stands for one: `isinstance(rotation, Rotation)` is true.

A class of adc's may stand for several of a library, and one that a function makes does not say for which. What is not
known is refused: taken for false, it would choose another branch, without a word.
"""

from collections.abc import Iterator
from typing import Any, get_args

from adc.errors import UnsupportedError
from adc.rules import registry

__all__ = ["is_model", "is_one", "kind", "kinds", "made_by", "may_have", "one_by_one"]


def is_model(cls: type) -> bool:
    """Whether objects of a class stand for those of a library, and are no tuples, which say what they are."""
    return getattr(cls, "__adc_model__", None) is True and not issubclass(cls, tuple)


def kinds(model: type) -> list[type]:
    """The classes of libraries for which the objects of a class may stand, as far as that is known."""
    if "__adc_stands_for__" in vars(model):
        return [vars(model)["__adc_stands_for__"]]
    return [
        theirs for theirs, own in registry.made_classes() if isinstance(own, type) and issubclass(own, model)
    ]


def made_by(own: type) -> list[type]:
    """The classes of libraries for which a class stands where a program names them."""
    return [theirs for theirs, stand_in in registry.made_classes() if stand_in is own]


def kind(model: type) -> type:
    """The class of a library for which the objects of a class stand."""
    found = kinds(model)
    if len(found) != 1:
        raise _refusal(f"it is asked of what class a `{model.__name__}` is")
    return found[0]


def is_one(model: type, cls: Any) -> bool:
    """`isinstance(x, cls)` of an object of a library for which one of the class `model` stands."""
    if issubclass(model, cls):
        return True
    found = kinds(model)
    others = found or registry.modelled_classes()
    answers = {issubclass(theirs, cls) for theirs in others}
    if not found:
        answers.add(False)  # which of them it is, if one of them, is not known
    if len(answers) != 1:
        raise _refusal(f"it is asked whether an object of a library is a `{cls.__name__}`")
    return answers.pop()


def may_have(model: type, name: str) -> bool:
    """Whether an object of a library for which one of the class `model` stands may have an attribute."""
    return any(hasattr(theirs, name) for theirs in kinds(model) or registry.modelled_classes())


def one_by_one(classes: Any) -> Iterator[Any]:
    """The classes that `isinstance` is given, also in tuples and unions."""
    parts = classes if isinstance(classes, tuple) else get_args(classes)
    if not parts:
        yield classes
    for part in parts:
        yield from one_by_one(part)


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(
        what,
        None,
        "What adc has in its place stands for objects of several classes.",
        "Ask before it is made, or keep beside it which kind it is.",
    )
